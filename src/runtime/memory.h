// Memory: where the address of a tensor comes from in a run.
#pragma once

#include <cstdint>

namespace nvfuser {

struct Memory {
  // Held: a tensor of its own, which library calls take or return. Peer: of another device.
  enum class Kind : uint8_t { Argument, Output, Workspace, Held, Peer };
  Kind kind = Kind::Workspace;
  // Number of the argument, output or held tensor, offset in the workspace, or address.
  int64_t position = 0;
};

}  // namespace nvfuser
