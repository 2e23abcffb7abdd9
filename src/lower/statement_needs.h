// What the statements of a block need of each other.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <unordered_set>

#include "lower/kernel.h"

namespace nvfuser {

// Of the statements that stand in a block by then.
class StatementNeeds {
 public:
  explicit StatementNeeds(const kir::Block& body);

  // All that the i-th statement needs, itself included: what writes the local memory that it
  // accesses, and what gives values to its symbols.
  std::set<size_t> of(size_t i) const;

  // What statements give values until the end of the block.
  const std::unordered_set<const Val*>& symbols() const { return symbols_; }

 private:
  void find(size_t i, std::set<size_t>& needed) const;

  const kir::Block& body_;
  std::map<size_t, std::unordered_set<const Val*>> definitions_;
  std::unordered_set<const Val*> symbols_;
  std::map<const TensorView*, std::set<size_t>> writers_;
};

// Whether a thread computes it without others, and in its own memory and what it may address.
bool computesAlone(const kir::Statement& statement);

// Moves those of the statements that stand behind a place in front of it.
void moveInFront(kir::Block& body, size_t place, const std::set<size_t>& moved);

}  // namespace nvfuser
