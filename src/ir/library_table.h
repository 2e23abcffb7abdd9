// The table of operations that generated code leaves to torch: their parameters, as Python and the
// function that is called have them.
#pragma once

#include <cstdint>
#include <span>

#include "value/data_type.h"

namespace nvfuser {

enum class LibraryOpType : uint8_t {
  Matmul,
  Linear,
  SdpaForward,
  SdpaBackward,
  TopK,
  ArgSort,
  GroupedMatmul,
  ScaledGroupedMatmul,
  ScaledMatmul,
  Nvfp4GroupedMatmul,
  SwizzleScales
};

struct LibraryParameter {
  // Tensors and scalars may be left out; flags are numbers that are 0 or 1, data types their
  // enumerators.
  enum class Kind : uint8_t { Tensor, Scalar, Number, Flag, DataType };
  const char* name;
  Kind kind;
  // Of a call in Python. A tensor or scalar that may be left out is None, another one the default.
  bool isRequired = true;
  int64_t defaultValue = 0;
};

struct LibraryOpInfo {
  // In nvfuser.ops.
  const char* name;
  // In nvfuser.library_calls.
  const char* function;
  std::span<const LibraryParameter> parameters;
  // Whether the function writes to what it is given as the keyword `out`.
  bool takesOut = false;
  // Results of the operation in Python behind those of the node: always None.
  int64_t noResults = 0;
};

const LibraryOpInfo& info(LibraryOpType type);

}  // namespace nvfuser
