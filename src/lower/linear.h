// Linear: indices as sums of symbols with integer factors.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/val.h"

namespace nvfuser {

// A sum of symbols, or of expressions taken as such, with integer factors.
struct Linear {
  // Sorted by the symbols' indices; no factor is 0.
  std::vector<std::pair<Val*, int64_t>> factors;
  int64_t constant = 0;

  void add(const Linear& other, int64_t times);
  // Makes one of all factors of a symbol, and sorts them.
  void collect();
  int64_t factorOf(const Val* val) const;
  void remove(const Val* val);
};

// `whole` are differences that are taken as symbols.
Linear linear(Val* val, const std::unordered_set<const Val*>& whole = {});

// The value of a sum.
Val* valueOf(const Linear& value, Fusion* fusion);

}  // namespace nvfuser
