// Relocations of ELF objects: the places in machine code that depend on where it was loaded.
#pragma once

#include <cstdint>

namespace nvfuser::cpu {

// How a relocation refers to its symbol.
enum class Reference {
  // Its value, or what is `reach`ed from there when the symbol lies in another library.
  Value,
  // A word of memory that holds its address.
  Slot,
};

// Raises when code of `machine` (EM_*) may not hold relocations of this `type`.
Reference referenceOf(uint16_t machine, uint32_t type);

// Writes a relocation to `place`, in memory that will be run at that very address, where `target`
// is the address that it refers to, addend included. Raises when that is too far away.
void relocate(uint16_t machine, uint32_t type, unsigned char* place, uint64_t target);

// Code that continues at the address in the 8 bytes behind it, for calls into libraries that are
// too far away for a call instruction.
uint64_t trampoline(uint16_t machine);

}  // namespace nvfuser::cpu
