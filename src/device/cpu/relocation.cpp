#include "device/cpu/relocation.h"

#include <elf.h>

#include <cstring>

#include "core/error.h"

// Newer than some C libraries.
#ifndef R_X86_64_CODE_4_GOTPCRELX
#define R_X86_64_CODE_4_GOTPCRELX 43
#endif

namespace nvfuser::cpu {

namespace {

template <typename T>
void write(unsigned char* place, uint64_t value) {
  const T bits = static_cast<T>(value);
  std::memcpy(place, &bits, sizeof bits);
}

// Puts `value` into bits [low, low + count) of an instruction.
void setBits(unsigned char* place, int low, int count, uint64_t value) {
  uint32_t instruction;
  std::memcpy(&instruction, place, sizeof instruction);
  const uint32_t mask = ((uint32_t{1} << count) - 1) << low;
  instruction = (instruction & ~mask) | (static_cast<uint32_t>(value << low) & mask);
  std::memcpy(place, &instruction, sizeof instruction);
}

void checkFits(int64_t distance, int bits) {
  const int64_t bound = int64_t{1} << (bits - 1);
  NVF_CHECK(-bound <= distance && distance < bound, "Machine code cannot be loaded: a distance of ",
            distance, " bytes does not fit in ", bits, " bits");
}

// The part of an address that an instruction for accesses of `size` bytes adds to a page's.
void setPageOffset(unsigned char* place, uint64_t target, uint64_t size) {
  const uint64_t offset = target & 0xfff;
  NVF_CHECK(offset % size == 0, "Machine code cannot be loaded: data of ", size,
            " bytes is not aligned");
  setBits(place, 10, 12, offset / size);
}

void relocateX86(uint32_t type, unsigned char* place, uint64_t target) {
  const uint64_t distance = target - reinterpret_cast<uint64_t>(place);
  switch (type) {
    case R_X86_64_64:
      write<uint64_t>(place, target);
      return;
    case R_X86_64_PC64:
      write<uint64_t>(place, distance);
      return;
    default:  // all others that referenceOf() lets pass
      checkFits(static_cast<int64_t>(distance), 32);
      write<uint32_t>(place, distance);
  }
}

void relocateArm(uint32_t type, unsigned char* place, uint64_t target) {
  const uint64_t here = reinterpret_cast<uint64_t>(place);
  const auto distance = static_cast<int64_t>(target - here);
  switch (type) {
    case R_AARCH64_ABS64:
      write<uint64_t>(place, target);
      return;
    case R_AARCH64_PREL64:
      write<uint64_t>(place, target - here);
      return;
    case R_AARCH64_PREL32:
      checkFits(distance, 32);
      write<uint32_t>(place, target - here);
      return;
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
      checkFits(distance, 28);
      setBits(place, 0, 26, (target - here) >> 2);
      return;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
    case R_AARCH64_ADR_GOT_PAGE: {
      const uint64_t pages = (target >> 12) - (here >> 12);
      checkFits(static_cast<int64_t>(pages), 21);
      setBits(place, 29, 2, pages & 3);
      setBits(place, 5, 19, pages >> 2);
      return;
    }
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return setPageOffset(place, target, 1);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return setPageOffset(place, target, 2);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return setPageOffset(place, target, 4);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return setPageOffset(place, target, 8);
    default:  // R_AARCH64_LDST128_ABS_LO12_NC
      return setPageOffset(place, target, 16);
  }
}

}  // namespace

Reference referenceOf(uint16_t machine, uint32_t type) {
  if (machine == EM_X86_64) {
    switch (type) {
      case R_X86_64_64:
      case R_X86_64_PC32:
      case R_X86_64_PC64:
      case R_X86_64_PLT32:
        return Reference::Value;
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
      case R_X86_64_CODE_4_GOTPCRELX:
        return Reference::Slot;
      default:
        break;
    }
  } else if (machine == EM_AARCH64) {
    switch (type) {
      case R_AARCH64_ABS64:
      case R_AARCH64_PREL32:
      case R_AARCH64_PREL64:
      case R_AARCH64_JUMP26:
      case R_AARCH64_CALL26:
      case R_AARCH64_ADR_PREL_PG_HI21:
      case R_AARCH64_ADR_PREL_PG_HI21_NC:
      case R_AARCH64_ADD_ABS_LO12_NC:
      case R_AARCH64_LDST8_ABS_LO12_NC:
      case R_AARCH64_LDST16_ABS_LO12_NC:
      case R_AARCH64_LDST32_ABS_LO12_NC:
      case R_AARCH64_LDST64_ABS_LO12_NC:
      case R_AARCH64_LDST128_ABS_LO12_NC:
        return Reference::Value;
      case R_AARCH64_ADR_GOT_PAGE:
      case R_AARCH64_LD64_GOT_LO12_NC:
        return Reference::Slot;
      default:
        break;
    }
  }
  fail("Machine code cannot be loaded: relocations of type ", type, " of ELF machine ", machine,
       " are unknown");
}

void relocate(uint16_t machine, uint32_t type, unsigned char* place, uint64_t target) {
  if (machine == EM_X86_64) {
    relocateX86(type, place, target);
  } else {
    relocateArm(type, place, target);
  }
}

uint64_t trampoline(uint16_t machine) {
  // jmp *2(%rip), two bytes of padding
  constexpr uint64_t kX86 = 0x90900000000225ff;
  // ldr x16, #8; br x16
  constexpr uint64_t kArm = 0xd61f020058000050;
  return machine == EM_X86_64 ? kX86 : kArm;
}

}  // namespace nvfuser::cpu
