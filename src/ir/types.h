// Enumerations of the IR: what kind of value or expression a node is, how a loop is executed, where
// a tensor lives.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "ir/op_table.h"

namespace nvfuser {

enum class ValType : uint8_t { Scalar, IterDomain, TensorDomain, TensorView };

// The kinds of expressions: X(enumerator, node class).
// clang-format off
#define NVF_EXPR_KINDS(X)                                                                          \
  /* element-wise; operands are tensors or scalars */                                              \
  X(Unary, UnaryOp) X(Binary, BinaryOp) X(Ternary, TernaryOp)                                      \
  /* tensors */                                                                                    \
  X(LoadStore, LoadStoreOp) X(Reduction, ReductionOp) X(Broadcast, BroadcastOp)                    \
  X(Squeeze, SqueezeOp) X(Expand, ExpandOp) X(Reshape, ReshapeOp) X(Slice, SliceOp) X(Pad, PadOp)  \
  X(Cat, CatOp) X(Full, FullOp) X(Iota, IotaOp) X(Random, RandomOp) X(Select, SelectOp)           \
  X(Lookup, LookupOp) X(Scatter, ScatterOp) X(Scan, ScanOp)                                        \
  X(Library, LibraryOp)                                                                            \
  /* transforms of iteration domains */                                                            \
  X(Split, Split) X(Merge, Merge) X(Resize, Resize) X(BroadcastTo, BroadcastTo) X(Swizzle, Swizzle) \
  X(Align, Align)
// clang-format on

enum class ExprKind : uint8_t {
#define X(enumerator, node) enumerator,
  NVF_EXPR_KINDS(X)
#undef X
};
// All of them, and the enumerator as text.
inline constexpr ExprKind kExprKinds[] = {
#define X(enumerator, node) ExprKind::enumerator,
    NVF_EXPR_KINDS(X)
#undef X
};
const char* nameOf(ExprKind kind);

enum class UnaryOpType : uint8_t {
#define X(enumerator, ...) enumerator,
  NVF_UNARY_OPS(X)
#undef X
      Cast,
  // To and from FloatMoments.
  MomentsOf,
  MeanOf,
  DeviationsOf,
  CountOf,
  // To and from FloatExponentials.
  ExponentialsOf,
  MaximumOf,
  CenterOf,
  SumOf,
  // Of what KeyOf returns.
  PositionOf
};

enum class BinaryOpType : uint8_t {
#define X(enumerator, ...) enumerator,
  NVF_BINARY_OPS(X)
#undef X
      CeilDiv,
  // Of a Float and a position below 2^32: an Int that is larger for larger numbers, of equal ones
  // for smaller positions. NaN is larger than all numbers.
  KeyOf,
  MergeMoments,
  MergeExponentials
};

enum class TernaryOpType : uint8_t {
#define X(enumerator, ...) enumerator,
  NVF_TERNARY_OPS(X)
#undef X
};

enum class RandomType : uint8_t { Uniform, Normal };
const char* toString(RandomType type);

// What a scan with the operation is called.
const char* scanName(BinaryOpType type);

// How the dimensions of the index tensor become dimensions of the result: see LookupOp.
enum class LookupType : uint8_t { IndexSelect, Gather, TakeAlongAxis, Embedding };
const char* toString(LookupType type);

// A row of op_table.h.
struct OpInfo {
  const char* name;
  Promotion promotion;
  const char* symbol;
  OpTraits traits;
  const char* summary;
};
const OpInfo& info(UnaryOpType type);
const OpInfo& info(BinaryOpType type);
const OpInfo& info(TernaryOpType type);
// Whether one of these is true of the operation.
inline bool has(auto type, OpTraits traits) { return info(type).traits & traits; }

enum class IterType : uint8_t { Iteration, Reduction, Broadcast, Symbolic };

enum class ParallelType : uint8_t {
  MeshX,
  MeshY,
  MeshZ,
  GridX,
  GridY,
  GridZ,
  BlockX,
  BlockY,
  BlockZ,
  Mma,
  Serial,
  Tma,
  Unroll,
  Unswitch,
  Vectorize,
  Stream,
  // Blocks that know each other's reductions: those along y of the grid.
  Cluster
};
inline bool isGridType(ParallelType type) {
  return type == ParallelType::GridX || type == ParallelType::GridY ||
         type == ParallelType::GridZ || type == ParallelType::Cluster;
}
// Blocks that wait for nothing of each other within a kernel.
inline bool areBlocksApart(ParallelType type) {
  return isGridType(type) && type != ParallelType::Cluster;
}
inline bool isBlockType(ParallelType type) {
  return type == ParallelType::BlockX || type == ParallelType::BlockY ||
         type == ParallelType::BlockZ;
}
inline bool isThreadType(ParallelType type) { return isGridType(type) || isBlockType(type); }

enum class MemoryType : uint8_t { Tensor, Local, Shared, Global, Symmetric };
enum class LoadStoreOpType : uint8_t { Set, LoadMatrix, CpAsync, Tma };
enum class CacheOp : uint8_t { Unspecified, AllLevels, Streaming, Global };

std::ostream& operator<<(std::ostream& os, ParallelType type);
std::ostream& operator<<(std::ostream& os, MemoryType type);

}  // namespace nvfuser
