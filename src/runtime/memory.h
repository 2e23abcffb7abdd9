// Memory: where the address of a tensor comes from in a run.
#pragma once

#include <cstdint>

namespace nvfuser {

struct Memory {
  // Held: a tensor of its own, which library calls take or return.
  enum class Kind : uint8_t { Argument, Output, Workspace, Held };
  Kind kind = Kind::Workspace;
  // Number of the argument, output or held tensor, or offset in the workspace.
  int64_t position = 0;
};

}  // namespace nvfuser
