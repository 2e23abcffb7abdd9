// The expression nodes by family. A node holds no state of its own: it names the parts of its Expr.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/domain.h"
#include "ir/library_table.h"
#include "ir/tensor_view.h"
#include "ir/val.h"

namespace nvfuser {

// Element-wise operations on tensors or scalars.

class UnaryOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Unary;
  using Expr::Expr;
  UnaryOp(Fusion* fusion, UnaryOpType type, Val* out, Val* in)
      : Expr(fusion, kKind, {out}, {in}, {static_cast<int64_t>(type)}) {}
  UnaryOpType type() const { return static_cast<UnaryOpType>(attribute(0)); }
  Val* in() const { return input(0); }
  Val* out() const { return output(0); }
};

// Whether it takes many instructions.
inline bool evaluatesFunction(const Expr* expr) {
  const auto* unary = expr->as<UnaryOp>();
  return unary != nullptr && has(unary->type(), OpTraits::Function);
}

class BinaryOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Binary;
  using Expr::Expr;
  BinaryOp(Fusion* fusion, BinaryOpType type, Val* out, Val* lhs, Val* rhs)
      : Expr(fusion, kKind, {out}, {lhs, rhs}, {static_cast<int64_t>(type)}) {}
  BinaryOpType type() const { return static_cast<BinaryOpType>(attribute(0)); }
  Val* lhs() const { return input(0); }
  Val* rhs() const { return input(1); }
  Val* out() const { return output(0); }
};

// Addcmul has a fourth input, its scale.
class TernaryOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Ternary;
  using Expr::Expr;
  TernaryOp(Fusion* fusion, TernaryOpType type, Val* out, std::vector<Val*> inputs)
      : Expr(fusion, kKind, {out}, std::move(inputs), {static_cast<int64_t>(type)}) {}
  TernaryOpType type() const { return static_cast<TernaryOpType>(attribute(0)); }
  Val* out() const { return output(0); }
};

// Operations on tensors.

class TensorOp : public Expr {
 public:
  using Expr::Expr;
  TensorView* in() const { return static_cast<TensorView*>(input(0)); }
  TensorView* out() const { return static_cast<TensorView*>(output(0)); }
};

// A copy. Where the output has a root domain, its logical domain is a permutation of it.
class LoadStoreOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::LoadStore;
  using TensorOp::TensorOp;
  // A segment boundary is a copy whose input must be written to memory by an earlier kernel.
  LoadStoreOp(Fusion* fusion, LoadStoreOpType type, CacheOp cacheOp, Val* out, Val* in,
              bool isSegmentBoundary = false)
      : TensorOp(fusion, kKind, {out}, {in},
                 {static_cast<int64_t>(type), static_cast<int64_t>(cacheOp), isSegmentBoundary}) {}
  LoadStoreOpType type() const { return static_cast<LoadStoreOpType>(attribute(0)); }
  CacheOp cacheOp() const { return static_cast<CacheOp>(attribute(1)); }
  bool isSegmentBoundary() const { return attribute(2) != 0; }
  bool isPermutation() const { return out()->domain()->hasRoot() && !isSegmentBoundary(); }
  // Of a permutation, where each dimension of the result is in the operand.
  std::vector<int64_t> places() const {
    std::vector<int64_t> places;
    const std::vector<IterDomain*>& root = out()->root();
    for (const IterDomain* id : out()->logical()) {
      places.push_back(std::ranges::find(root, id) - root.begin());
    }
    return places;
  }
};

// Combines the elements along the reduction domains of the output, starting from `init`.
class ReductionOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Reduction;
  using TensorOp::TensorOp;
  ReductionOp(Fusion* fusion, BinaryOpType type, Val* init, Val* out, Val* in)
      : TensorOp(fusion, kKind, {out}, {in}, {static_cast<int64_t>(type)}, {init}) {}
  BinaryOpType type() const { return static_cast<BinaryOpType>(attribute(0)); }
  Val* init() const { return operands()[0]; }
};

// Inserts size-1 dimensions where a flag is set; the flags number the output's dimensions.
class BroadcastOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Broadcast;
  using TensorOp::TensorOp;
  BroadcastOp(Fusion* fusion, Val* out, Val* in, std::vector<int64_t> isBroadcast)
      : TensorOp(fusion, kKind, {out}, {in}, std::move(isBroadcast)) {}
  bool isBroadcastDim(size_t i) const { return attribute(i) != 0; }
};

// Removes the size-1 dimensions whose flag is set; the flags number the input's dimensions.
class SqueezeOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Squeeze;
  using TensorOp::TensorOp;
  SqueezeOp(Fusion* fusion, Val* out, Val* in, std::vector<int64_t> isSqueezed)
      : TensorOp(fusion, kKind, {out}, {in}, std::move(isSqueezed)) {}
  bool isSqueezeDim(size_t i) const { return attribute(i) != 0; }
};

// Expands broadcast dimensions; the operands are the extents of the output.
class ExpandOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Expand;
  using TensorOp::TensorOp;
  ExpandOp(Fusion* fusion, Val* out, Val* in, std::vector<Val*> extents)
      : TensorOp(fusion, kKind, {out}, {in}, {}, std::move(extents)) {}
};

// The operands are the extents of the output. With symbolic extents the transforms between the root
// and the logical domain of the output are only known after concretization.
class ReshapeOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Reshape;
  using TensorOp::TensorOp;
  ReshapeOp(Fusion* fusion, Val* out, Val* in, std::vector<Val*> extents)
      : TensorOp(fusion, kKind, {out}, {in}, {}, std::move(extents)) {}
};

// Operands: start of every dimension, then end of every dimension, normalized to 0 <= start <= end
// <= extent. The output's logical domains are Resize results of its root domains.
class SliceOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Slice;
  using TensorOp::TensorOp;
  SliceOp(Fusion* fusion, Val* out, Val* in, std::vector<Val*> startsAndEnds)
      : TensorOp(fusion, kKind, {out}, {in}, {}, std::move(startsAndEnds)) {}
  Val* start(size_t i) const { return operands()[i]; }
  Val* end(size_t i) const { return operands()[operands().size() / 2 + i]; }
};

// Operands: left and right width of every dimension, outermost first, then the fill value.
class PadOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Pad;
  using TensorOp::TensorOp;
  PadOp(Fusion* fusion, Val* out, Val* in, std::vector<Val*> widthsAndValue)
      : TensorOp(fusion, kKind, {out}, {in}, {}, std::move(widthsAndValue)) {}
  Val* left(size_t i) const { return operands()[2 * i]; }
  Val* right(size_t i) const { return operands()[2 * i + 1]; }
  Val* value() const { return operands().back(); }
};

// Puts its inputs, each padded to the whole extent, one behind another along a dimension: element i
// is that of the first input whose end is behind i. The operands are these ends, of all inputs but
// the last.
class CatOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Cat;
  using Expr::Expr;
  CatOp(Fusion* fusion, Val* out, std::vector<Val*> inputs, int64_t dim, std::vector<Val*> ends)
      : Expr(fusion, kKind, {out}, std::move(inputs), {dim}, std::move(ends)) {}
  TensorView* out() const { return static_cast<TensorView*>(output(0)); }
  int64_t dim() const { return attribute(0); }
  Val* end(size_t i) const { return operands()[i]; }
};

// Removes a dimension: what is left lies at the operand, which counts from the end where it is
// negative. Concretization replaces it by a slice and a squeeze.
class SelectOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Select;
  using TensorOp::TensorOp;
  SelectOp(Fusion* fusion, Val* out, Val* in, Val* index, int64_t dim)
      : TensorOp(fusion, kKind, {out}, {in}, {dim}, {index}) {}
  int64_t dim() const { return attribute(0); }
  Val* index() const { return operands()[0]; }
};

// Reads at positions that a tensor holds: out[..., i, ...] = in[..., index[i], ...] in dimension
// `dim` of `in`. The index tensor is another one than `in`.
//   IndexSelect, Embedding: the dimensions of the index tensor take the place of `dim` (those of a
//     0-dim index: one of size 1).
//   TakeAlongAxis: the index tensor has all dimensions of the result.
//   Gather: likewise, but it may cover a part of `in` only in the other dimensions.
// It stays inside where all positions are known to be some of the dimension.
class LookupOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Lookup;
  using TensorOp::TensorOp;
  LookupOp(Fusion* fusion, LookupType type, Val* out, Val* in, Val* index, int64_t dim,
           bool staysInside = false)
      : TensorOp(fusion, kKind, {out}, {in, index},
                 {static_cast<int64_t>(type), dim, staysInside}) {}
  LookupType type() const { return static_cast<LookupType>(attribute(0)); }
  int64_t dim() const { return attribute(1); }
  bool staysInside() const { return attribute(2) != 0; }
  TensorView* index() const { return static_cast<TensorView*>(input(1)); }
  // Whether a position stands for all elements of the other dimensions, rather than for one.
  bool isOfSlices() const {
    return type() == LookupType::IndexSelect || type() == LookupType::Embedding;
  }
};

// Whether `use` reads `in` at positions that another tensor holds, so that it needs all of it.
inline bool isLookedUp(const Val* in, const Expr* use) {
  return use->is<LookupOp>() && use->input(0) == in;
}

// Writes at positions that a tensor holds: `out` is a copy of `in` in which
// out[..., index[..., i, ...], ...] = src[..., i, ...] in dimension `dim`; `src` may be a scalar.
// Where it accumulates, src is added to what is there instead, also where positions are equal. No
// tensor is two of the operands.
//
// The root domain of `out` is what loops run over: its dimensions, but in place of `dim` that of
// the index. In the other dimensions index and `src` may be smaller and larger than these. A
// schedule gives it an `in` of its own, a copy that is computed in the memory of `out`.
class ScatterOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Scatter;
  using TensorOp::TensorOp;
  // A bit for each dimension in which index or `src` are as large as the root domain in this run.
  ScatterOp(Fusion* fusion, Val* out, Val* in, Val* index, Val* src, int64_t dim, bool accumulates,
            int64_t exactIndex = 0, int64_t exactSrc = 0)
      : TensorOp(fusion, kKind, {out}, {in, index, src},
                 {dim, static_cast<int64_t>(accumulates), exactIndex, exactSrc}) {}
  int64_t dim() const { return attribute(0); }
  bool accumulates() const { return attribute(1) != 0; }
  TensorView* index() const { return static_cast<TensorView*>(input(1)); }
  Val* src() const { return input(2); }
  int64_t exactIndex() const { return attribute(2); }
  int64_t exactSrc() const { return attribute(3); }
  bool isExact(const Val* operand, size_t i) const {
    return ((operand == index() ? exactIndex() : exactSrc()) >> i & 1) != 0;
  }
  // The dimension of the index that takes the place of that of `out`.
  IterDomain* indexed() const { return out()->root()[static_cast<size_t>(dim())]; }
  IterDomain* written() const { return out()->logical()[static_cast<size_t>(dim())]; }
};

// The scatter that computes `tv`, null for none.
inline const ScatterOp* scatterOf(const TensorView* tv) {
  return tv->definition() == nullptr ? nullptr : tv->definition()->as<ScatterOp>();
}

// Whether a scatter writes into the memory of its operand, an input of the fusion that the result
// updates: nothing is copied.
bool updatesOperand(const ScatterOp* scatter);

// The dimensions that the loops of `tv` run over.
inline const std::vector<IterDomain*>& loopDimensions(const TensorView* tv) {
  return scatterOf(tv) != nullptr ? tv->root() : tv->logical();
}

// Every element is the operand.
class FullOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Full;
  using Expr::Expr;
  FullOp(Fusion* fusion, Val* out, Val* value) : Expr(fusion, kKind, {out}, {}, {}, {value}) {}
  TensorView* out() const { return static_cast<TensorView*>(output(0)); }
  Val* value() const { return operands()[0]; }
};

// Element i is start + i * step.
class IotaOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Iota;
  using Expr::Expr;
  IotaOp(Fusion* fusion, Val* out, Val* start, Val* step)
      : Expr(fusion, kKind, {out}, {}, {}, {start, step}) {}
  TensorView* out() const { return static_cast<TensorView*>(output(0)); }
  Val* start() const { return operands()[0]; }
  Val* step() const { return operands()[1]; }
};

// What torch computes: a row of library_table.h, with the arguments in the order of its parameters.
// The tensors among them are the inputs, scalars the operands; attributes are the type, a bit for
// each parameter that is given a tensor or scalar, and the numbers of the others. Of the type Torch
// they are the type and the number of the call.
class LibraryOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Library;
  using Expr::Expr;

  // One of the two, or none of them for an optional tensor or scalar.
  struct Argument {
    Argument(Val* given) : val(given) {}
    Argument(int64_t given) : number(given) {}
    Argument(DataType given) : number(static_cast<int64_t>(given)) {}
    Val* val = nullptr;
    int64_t number = 0;
  };
  LibraryOp(Fusion* fusion, LibraryOpType type, std::vector<Val*> outputs,
            const std::vector<Argument>& arguments);
  LibraryOp(Fusion* fusion, const TorchCall& call, std::vector<Val*> outputs,
            std::vector<Val*> tensors, std::vector<Val*> scalars);

  LibraryOpType type() const { return static_cast<LibraryOpType>(attribute(0)); }
  const LibraryOpInfo& info() const;
  // Argument number i; a null value where none was given.
  Argument argument(size_t i) const;
  TensorView* tensor(size_t i) const;
  // Where it stands among the inputs if it is a tensor, the operands, or the other attributes.
  size_t positionOf(size_t i) const;

 private:
  bool isGiven(size_t i) const { return (attribute(1) >> i & 1) != 0; }
};

// Pairs of dimensions of the inputs that must have the same size.
std::vector<std::pair<IterDomain*, IterDomain*>> sizePairs(const LibraryOp& op);

// Random numbers, each a function of its position. The operands are two parameters of the
// distribution (minimum and maximum, or mean and standard deviation), then seed and offset of the
// generator, unless these are those of torch's, which concretization adds. A seed in memory is the
// input, of broadcast dimensions, and not among the operands.
class RandomOp : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Random;
  using Expr::Expr;
  RandomOp(Fusion* fusion, RandomType type, Val* out, std::vector<Val*> seedInMemory,
           std::vector<Val*> operands)
      : Expr(fusion, kKind, {out}, std::move(seedInMemory), {static_cast<int64_t>(type)},
             std::move(operands)) {}
  TensorView* out() const { return static_cast<TensorView*>(output(0)); }
  RandomType type() const { return static_cast<RandomType>(attribute(0)); }
  Val* a() const { return operands()[0]; }
  Val* b() const { return operands()[1]; }
  // Null where they are those of torch's generator.
  Val* seed() const { return isStateful() ? nullptr : inputs().empty() ? operands()[2] : input(0); }
  Val* offset() const { return isStateful() ? nullptr : operands().back(); }
  bool isStateful() const { return operands().size() == 2; }
};

// Combines all elements along a dimension up to each: out[i] = out[i - 1] op in[i], from the
// operand on, or the identity of the operation where there is none.
class ScanOp : public TensorOp {
 public:
  static constexpr ExprKind kKind = ExprKind::Scan;
  using TensorOp::TensorOp;
  ScanOp(Fusion* fusion, BinaryOpType type, Val* out, Val* in, int64_t dim, std::vector<Val*> init)
      : TensorOp(fusion, kKind, {out}, {in}, {static_cast<int64_t>(type), dim}, std::move(init)) {}
  // In parts, for blocks: `upTo` holds what all elements up to the end of each part combine to, in
  // the dimensions around the scanned one and, as the last one, the parts.
  ScanOp(Fusion* fusion, const ScanOp* whole, Val* upTo)
      : TensorOp(fusion, kKind, {whole->out()}, {whole->in(), upTo}, whole->attributes(),
                 whole->operands()) {}
  BinaryOpType type() const { return static_cast<BinaryOpType>(attribute(0)); }
  int64_t dim() const { return attribute(1); }
  // Null where none was given.
  Val* init() const { return operands().empty() ? nullptr : operands()[0]; }
  TensorView* upTo() const { return inputs().size() == 1 ? nullptr : input(1)->asTensor(); }
  IterDomain* domain() const { return out()->logical()[static_cast<size_t>(dim())]; }
};

// Transforms of iteration domains.

// in -> (outer, inner). With an inner split `inner` has the factor's extent, otherwise `outer` has.
class Split : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Split;
  using Expr::Expr;
  Split(Fusion* fusion, IterDomain* outer, IterDomain* inner, IterDomain* in, Val* factor,
        bool innerSplit)
      : Expr(fusion, kKind, {outer, inner}, {in}, {innerSplit}, {factor}) {}
  IterDomain* in() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* outer() const { return static_cast<IterDomain*>(output(0)); }
  IterDomain* inner() const { return static_cast<IterDomain*>(output(1)); }
  Val* factor() const { return operands()[0]; }
  bool innerSplit() const { return attribute(0) != 0; }
};

// (outer, inner) -> out, out = outer * extent(inner) + inner.
class Merge : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Merge;
  using Expr::Expr;
  Merge(Fusion* fusion, IterDomain* out, IterDomain* outer, IterDomain* inner)
      : Expr(fusion, kKind, {out}, {outer, inner}) {}
  IterDomain* outer() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* inner() const { return static_cast<IterDomain*>(input(1)); }
  IterDomain* out() const { return static_cast<IterDomain*>(output(0)); }
};

// out = in grown by `left` elements before and `right` behind; negative widths crop.
class Resize : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Resize;
  using Expr::Expr;
  Resize(Fusion* fusion, IterDomain* out, IterDomain* in, Val* left, Val* right)
      : Expr(fusion, kKind, {out}, {in}, {}, {left, right}) {}
  IterDomain* in() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* out() const { return static_cast<IterDomain*>(output(0)); }
  Val* left() const { return operands()[0]; }
  Val* right() const { return operands()[1]; }
};

// A broadcast domain that takes part in the loops of a concrete one: its loop runs over the extent
// of that domain while the index of `in` stays 0.
class BroadcastTo : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::BroadcastTo;
  using Expr::Expr;
  BroadcastTo(Fusion* fusion, IterDomain* out, IterDomain* in) : Expr(fusion, kKind, {out}, {in}) {}
  IterDomain* in() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* out() const { return static_cast<IterDomain*>(output(0)); }
};

// (x, y) -> (x, x xor y), both of the same constant extent, a power of two.
class Swizzle : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Swizzle;
  using Expr::Expr;
  Swizzle(Fusion* fusion, IterDomain* outX, IterDomain* outY, IterDomain* inX, IterDomain* inY)
      : Expr(fusion, kKind, {outX, outY}, {inX, inY}) {}
  IterDomain* inX() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* inY() const { return static_cast<IterDomain*>(input(1)); }
  IterDomain* outX() const { return static_cast<IterDomain*>(output(0)); }
  IterDomain* outY() const { return static_cast<IterDomain*>(output(1)); }
};

// Rows of n elements, one behind the other in memory, that begin anywhere: (row, x) ->
// (row, x + row n mod width). Each whole group of `width` elements of the result, a power of two,
// is one in memory, too; the groups at both ends of a row are parts of the neighbours' as well.
class Align : public Expr {
 public:
  static constexpr ExprKind kKind = ExprKind::Align;
  using Expr::Expr;
  Align(Fusion* fusion, IterDomain* outRow, IterDomain* outX, IterDomain* inRow, IterDomain* inX,
        Val* width)
      : Expr(fusion, kKind, {outRow, outX}, {inRow, inX}, {}, {width}) {}
  IterDomain* inRow() const { return static_cast<IterDomain*>(input(0)); }
  IterDomain* inX() const { return static_cast<IterDomain*>(input(1)); }
  IterDomain* outRow() const { return static_cast<IterDomain*>(output(0)); }
  IterDomain* outX() const { return static_cast<IterDomain*>(output(1)); }
  Val* width() const { return operands()[0]; }
};

}  // namespace nvfuser
