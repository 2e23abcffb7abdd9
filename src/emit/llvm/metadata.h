// Metadata of a module: which memory accesses do not alias, and hints for loops.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "lower/kernel.h"

namespace nvfuser::llvm {

class Metadata {
 public:
  explicit Metadata(const kir::Kernel& kernel);

  // What a load or store of an element of `tv` ends with.
  std::string ofAccess(const TensorView* tv) const;
  // What the branch back to the head of a loop ends with: asks for 1, 2 or 4 vectors an iteration.
  // A loop that `stays` is not written out in front of that.
  std::string ofInterleavedLoop(int64_t vectors, bool stays) {
    return ofLoop(reference(interleaveNode() + static_cast<size_t>(vectors / 2)) + staying(stays));
  }
  // The same of a loop of one vector an iteration, of so many lanes (0: LLVM decides), which masks
  // what is beyond the end.
  std::string ofMaskedLoop(int64_t lanes, bool stays);
  // The same of a loop around loops: LLVM is not to write several of its iterations behind each
  // other, which it does where the loops inside become calls of memset and memcpy.
  std::string ofOuterLoop() { return ofLoop(reference(rolledNode())); }
  // The same of a loop whose iterations no vector has.
  std::string ofElementLoop() { return ofLoop(reference(elementNode())); }
  // The same of a loop that is written out.
  std::string ofUnrolledLoop() { return ofLoop(reference(unrolledNode())); }
  // The nodes, at the end of the module.
  std::string text() const;

 private:
  static size_t scopeNode(size_t scope) { return kFirstNode + 3 * scope; }
  // Everything in the memory of arguments: what local memory does not alias.
  size_t allScopesNode() const { return scopeNode(aliasScopes_.size()); }
  size_t interleaveNode() const { return allScopesNode() + 1; }
  size_t rolledNode() const { return interleaveNode() + 3; }
  size_t maskedNode() const { return rolledNode() + 1; }
  size_t unrolledNode() const { return maskedNode() + 1; }
  size_t elementNode() const { return unrolledNode() + 1; }
  size_t loopNode(size_t loop) const { return elementNode() + 1 + loop; }
  std::string staying(bool stays) const { return stays ? ", " + reference(rolledNode()) : ""; }
  static std::string reference(size_t node) { return "!" + std::to_string(node); }
  std::string ofLoop(std::string hints);

  static constexpr size_t kFirstNode = 1;
  const kir::Kernel& kernel_;
  // Numbers of the tensors that do not share memory.
  std::unordered_map<const TensorView*, size_t> aliasScopes_;
  // The hints of the loops that have any.
  std::vector<std::string> loopHints_;
};

}  // namespace nvfuser::llvm
