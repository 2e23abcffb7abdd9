// The table of operations that generated code leaves to torch: their parameters, as Python and the
// function that is called have them. Behind its rows stand the calls of any other operator of
// torch, one description for each operator and way of calling it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  SwizzleScales,
  // Among processes: src/multidevice/collectives.h.
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Wait,
  // Any operator of torch: torch_call of nvfuser.ops.
  Torch
};

// Whether processes do it together: what it returns is there after a Wait.
inline bool isCollective(LibraryOpType type) {
  return type >= LibraryOpType::AllGather && type <= LibraryOpType::Broadcast;
}

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
  // In nvfuser.library_calls, too: the function that writes to what it is given as the keyword
  // `out`; null for none.
  const char* intoFunction = nullptr;
  // Results of the operation in Python behind those of the node: always None.
  int64_t noResults = 0;
  // Of a call of an operator of torch: `name` is the operator.
  const struct TorchCall* torchCall = nullptr;
};

// How an operator of torch is called: nvfuser.library_calls makes a function of it, which takes
// the tensors, then the scalars, and returns the results.
struct TorchCall {
  // Its path under torch.ops, "aten.sort.stable".
  std::string target;
  // Its arguments as Python source, in which t0, t1, ... are the tensors and s0, s1, ... the
  // scalars.
  std::string arguments;
  int64_t tensors = 0;
  int64_t scalars = 0;
  // Which of the operator's results are wanted.
  std::vector<bool> results;

  bool operator==(const TorchCall&) const = default;
};

// A number for the call, always the same one, and what is known by the number. Never freed: there
// are as many as operators are called in different ways.
int64_t numberOf(const TorchCall& call);

const LibraryOpInfo& info(LibraryOpType type);
// Of type Torch.
const LibraryOpInfo& torchCallInfo(int64_t number);

}  // namespace nvfuser
