// Sets of the numbers 0, 1, 2, ..., joined two at a time (union-find with path halving).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nvfuser {

class DisjointSets {
 public:
  explicit DisjointSets(size_t count = 0) {
    while (size() < count) {
      add();
    }
  }

  size_t size() const { return parents_.size(); }
  // The next number, in a set of its own.
  size_t add() {
    parents_.push_back(parents_.size());
    return parents_.back();
  }
  // The least number of the set.
  size_t find(size_t number) const {
    while (parents_[number] != number) {
      number = parents_[number] = parents_[parents_[number]];
    }
    return number;
  }
  // Returns whether they were in different sets.
  bool join(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    parents_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  mutable std::vector<size_t> parents_;
};

}  // namespace nvfuser
