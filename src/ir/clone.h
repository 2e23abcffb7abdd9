// Cloning of whole fusions or of a part of one.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// Copies nodes into another fusion; a node is copied once, with everything it refers to.
class Cloner {
 public:
  explicit Cloner(Fusion* target) : target_(target) {}
  // Copies within one fusion refer to the same scalars.
  Cloner(Fusion* target, bool sharesScalars) : target_(target), sharesScalars_(sharesScalars) {}

  Val* clone(const Val* val);
  TensorView* clone(const TensorView* tv) {
    return static_cast<TensorView*>(clone(static_cast<const Val*>(tv)));
  }
  IterDomain* clone(const IterDomain* id) {
    return static_cast<IterDomain*>(clone(static_cast<const Val*>(id)));
  }
  // Copies an expression; its outputs and inputs are cloned first.
  Expr* clone(const Expr* expr);
  // One more copy of an expression, which reads these and writes what stands for its outputs.
  Expr* cloneOf(const Expr* expr, std::vector<Val*> inputs);
  // Copies have the names of what they are copied from: for messages about a user's schedule.
  void keepNames() { keepsNames_ = true; }
  bool keepsNames() const { return keepsNames_; }
  // Copies what the schedule of a fusion assumes about extents.
  void cloneAssumptions(const Fusion& from);
  // Uses `to` wherever `from` is referred to.
  void substitute(const Val* from, Val* to) { vals_[from] = to; }
  bool contains(const Val* val) const { return vals_.contains(val); }
  const std::unordered_map<const Val*, Val*>& vals() const { return vals_; }

 private:
  // A copy of the node alone.
  Val* create(const Val* val);
  Val* cloneNode(const Val* val);
  Val* cloneWithDefinition(const Val* val);
  void keepName(const Val* val);
  template <typename T>
  std::vector<T*> cloneAll(const std::vector<T*>& items);

  Fusion* target_;
  bool sharesScalars_ = false;
  bool keepsNames_ = false;
  std::unordered_map<const Val*, Val*> vals_;
  std::unordered_map<const Expr*, Expr*> exprs_;
};

// Scalars of a fusion and what they are.
using KnownScalars = std::vector<std::pair<const Val*, PolymorphicValue>>;

// A copy with the same inputs, outputs and schedule, without expressions that no output depends on.
// Scalars that are known are constants in it; those among the inputs are inputs that nothing uses.
std::unique_ptr<Fusion> cloneFusion(const Fusion& fusion, Cloner* cloner = nullptr,
                                    bool keepsNames = false, const KnownScalars& known = {});

}  // namespace nvfuser
