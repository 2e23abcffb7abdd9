// Runs the blocks of a launch: a fiber a thread, barriers and the collectives of warps.
//
// Threads run one at a time, forwards in one interval between barriers and backwards in the next,
// so that what is only right in one order does not stay hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "interface.h"

namespace emulation {

struct Launch {
  const KernelDescription* kernel;
  const char* name;
  // The module of the kernel as it was loaded, and where.
  const std::string* image;
  uintptr_t base;
  const unsigned char* arguments;
  Index3 grid;
  Index3 block;
  size_t sharedBytes;
};

// What went wrong, empty if nothing did. The memory of the launch must have been set up; shared
// memory is added to it.
std::string runGrid(const Launch& launch);

// Whether an address is on the stack of a thread.
bool isThreadMemory(uintptr_t address);

// Ends the launch with a message; `place` is an address in the kernel's code.
[[noreturn]] void failThread(std::string message, const void* place = nullptr);

}  // namespace emulation
