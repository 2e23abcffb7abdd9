// Which dimensions of different tensors of a fusion are one and the same.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/disjoint_sets.h"
#include "ir/fusion.h"
#include "schedule/alike_reductions.h"

namespace nvfuser {

// Whether an expression is a boundary copy of what others among `exprs` read, too. In a kernel of
// them all it reads that as an input of its own, whose dimensions may be others.
bool readsAnotherName(const Expr* expr, const std::vector<Expr*>& exprs);

class DomainClasses {
 public:
  // Joins what the expressions map one to one, broadcast dimensions with concrete ones and
  // dimensions before and behind a slice or pad, and around a gather, included; and the dimensions
  // of alike reductions.
  explicit DomainClasses(const std::vector<Expr*>& exprs);

  // A number for the class of a root or logical domain; negative for one that no expression
  // mentions.
  int64_t classOf(const IterDomain* id) const;
  // The position of the domain of that class in `domains`, negative when there is none.
  int64_t find(const std::vector<IterDomain*>& domains, int64_t classNumber) const;
  // The position of the domain that `id` is, or that reshapes make of it, or it of them; negative
  // when there is none. What is divided stands for its innermost part.
  int64_t findThroughReshapes(const std::vector<IterDomain*>& domains, const IterDomain* id) const;
  // From `id` to a domain of one of these classes through reshapes, where neighbours of the one are
  // neighbours of the other: all domains on the way, `id` included; nothing if there is no way.
  std::vector<const IterDomain*> alongReshapes(const IterDomain* id,
                                               const std::vector<int64_t>& classNumbers) const;
  // What reshapes divide a domain into, or merged it of: the pieces, outermost first; the domain
  // itself where none does, or where inner pieces are cut or repeated on their own.
  std::vector<const IterDomain*> pieces(const IterDomain* id) const;
  // The transform that divides a domain, or has merged it; null where it is a piece itself.
  const Expr* division(const IterDomain* id) const;
  // What was found to reduce alike.
  const AlikeReductions& alikeReductions() const { return alikeReductions_; }
  // Whether members of the class differ in extent by a slice, pad or gather.
  bool isResized(int64_t classNumber) const;
  // Whether that is by slices and pads alone all of whose widths, and the extents before and behind
  // them, are multiples of `factor`; `extent` evaluates them.
  bool isResizedByMultiples(int64_t classNumber, int64_t factor,
                            const std::function<int64_t(const Val*)>& extent) const;
  // Whether reshapes divide and merge dimensions along these classes in multiples of `factor`, and
  // slices and pads resize them and what is made of them by such.
  bool areViewedByMultiples(const std::vector<int64_t>& classNumbers, int64_t factor,
                            const std::function<int64_t(const Val*)>& extent) const;
  // Whether that is by slices of inputs of the fusion alone, which leave multiples of `factor`.
  bool isCutFromInputs(int64_t classNumber, int64_t factor,
                       const std::function<int64_t(const Val*)>& extent) const;

 private:
  // A dimension whose extent is not that of the one it comes from, in what a slice, pad or gather
  // computes.
  struct Resized {
    const IterDomain* id;
    const Expr* expr;

    // Whether it is a slice or pad all of whose widths and extents are multiples of `factor`.
    bool isByMultiples(int64_t factor, const std::function<int64_t(const Val*)>& extent) const;
  };

  // What a reshape makes of a dimension, or the reverse. The innermost element of the one is that
  // of the other unless the dimension is the outer one of two.
  struct Reshaped {
    const IterDomain* to;
    bool isInnermost;
  };

  size_t node(const IterDomain* id);
  void joinEqualReshapes(const std::vector<Expr*>& exprs);
  void addReshapes(const TensorView* out);
  std::vector<const IterDomain*> search(
      const IterDomain* id, bool isInnermost,
      const std::function<bool(const IterDomain*)>& isFound) const;

  std::unordered_map<const IterDomain*, size_t> nodes_;
  DisjointSets classes_;
  AlikeReductions alikeReductions_;
  std::vector<Resized> resized_;
  // By class.
  std::unordered_map<int64_t, std::vector<Reshaped>> reshaped_;
  // The first that a class is divided by, or was merged by.
  std::unordered_map<int64_t, const Expr*> divisions_;
};

}  // namespace nvfuser
