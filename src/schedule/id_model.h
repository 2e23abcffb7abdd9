// Which iteration domains of a fusion stand for the same dimension or loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/disjoint_sets.h"
#include "ir/fusion.h"
#include "schedule/matmul_types.h"

namespace nvfuser {

// Sets of values, each value in one of them.
class DisjointValSets {
 public:
  // A set of its own, unless the value is in one.
  void add(const Val* val);
  // Joins the sets of two values; returns whether they were different ones.
  bool join(const Val* a, const Val* b);
  bool contains(const Val* val) const { return numbers_.contains(val); }
  // Whether two values are in the same set; raises for one that is in none.
  bool strictAreMapped(const Val* a, const Val* b) const;
  // Equal for the values of one set.
  const Val* representative(const Val* val) const;
  std::string toString() const;

 private:
  // In order of addition.
  std::vector<const Val*> vals_;
  std::unordered_map<const Val*, size_t> numbers_;
  DisjointSets sets_;
};

// The iteration domains of a fusion and how transforms connect them: what equal transforms make of
// domains in the same set is in the same set, and so is what they are made of.
class ValGraph {
 public:
  explicit ValGraph(const Fusion& fusion);

  const DisjointValSets& disjointValSets() const { return sets_; }
  // Joins the sets of two domains, and of all that follow from that.
  void mapVals(const Val* a, const Val* b);
  std::string toString() const;

 private:
  friend class IdModel;

  // Until nothing follows any more.
  void propagate();
  // The inputs of transforms, or what they make of them.
  using Side = const std::vector<Val*>& (Expr::*)() const;
  // Joins what transforms imply that are alike and have the same known side, as far as that
  // `decides`. Returns whether anything was joined.
  bool join(Side known, Side implied, const std::function<bool(const Expr*, const Expr*)>& decides);

  std::vector<const Expr*> transforms_;
  DisjointValSets sets_;
};

class IdModel {
 public:
  // Raises without `allowsSelfMapping` if two dimensions of a tensor are the same in the exact
  // graph.
  IdModel(const Fusion& fusion, bool allowsSelfMapping);

  // Made at first need. Every mode but `Loop` includes the ones before it.
  const std::shared_ptr<ValGraph>& graph(IdMappingMode mode);
  std::string toString() const;

 private:
  const Fusion& fusion_;
  std::map<IdMappingMode, std::shared_ptr<ValGraph>> graphs_;
};

}  // namespace nvfuser
