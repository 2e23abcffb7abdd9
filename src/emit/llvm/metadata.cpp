#include "emit/llvm/metadata.h"

#include <sstream>
#include <utility>

#include "emit/common.h"

namespace nvfuser::llvm {

Metadata::Metadata(const kir::Kernel& kernel) : kernel_(kernel) {
  for (const kir::Parameter& parameter : kernel_.parameters) {
    if (parameter.kind == kir::Parameter::Kind::Pointer) {
      aliasScopes_.try_emplace(kir::memoryOwner(kernel_.fusion, parameter.tv), aliasScopes_.size());
    }
  }
}

std::string Metadata::ofAccess(const TensorView* tv) const {
  const auto scope = aliasScopes_.find(kir::memoryOwner(kernel_.fusion, tv));
  if (scope == aliasScopes_.end()) {
    return ", !noalias !" + std::to_string(allScopesNode());
  }
  const size_t node = scopeNode(scope->second);
  return ", !alias.scope !" + std::to_string(node + 1) + ", !noalias !" + std::to_string(node + 2);
}

std::string Metadata::ofMaskedLoop(int64_t lanes, bool stays) {
  const std::string masked = reference(maskedNode()) + staying(stays);
  if (lanes == 0) {
    return ofLoop(masked);
  }
  return ofLoop(masked + ", " + reference(interleaveNode()) +
                ", !{!\"llvm.loop.vectorize.width\", i32 " + std::to_string(lanes) + "}");
}

std::string Metadata::ofLoop(std::string hints) {
  loopHints_.push_back(std::move(hints));
  return ", !llvm.loop !" + std::to_string(loopNode(loopHints_.size() - 1));
}

std::string Metadata::text() const {
  std::ostringstream os;
  // All scopes but one.
  const auto scopes = [&](size_t without) {
    std::string list;
    for (size_t i = 0; i < aliasScopes_.size(); ++i) {
      if (i != without) {
        list += (list.empty() ? "!" : ", !") + std::to_string(scopeNode(i));
      }
    }
    return "!{" + list + "}\n";
  };
  os << "!0 = distinct !{!0, !\"" << kernel_.name << "\"}\n";
  for (size_t i = 0; i < aliasScopes_.size(); ++i) {
    const size_t node = scopeNode(i);
    os << "!" << node << " = distinct !{!" << node << ", !0}\n";
    os << "!" << node + 1 << " = !{!" << node << "}\n";
    os << "!" << node + 2 << " = " << scopes(i);
  }
  os << "!" << allScopesNode() << " = " << scopes(aliasScopes_.size());
  for (const size_t i : {0, 1, 2}) {
    os << "!" << interleaveNode() + i << " = !{!\"llvm.loop.interleave.count\", i32 " << (1 << i)
       << "}\n";
  }
  os << "!" << rolledNode() << " = !{!\"llvm.loop.unroll.disable\"}\n";
  os << "!" << maskedNode() << " = !{!\"llvm.loop.vectorize.predicate.enable\", i1 true}\n";
  os << "!" << unrolledNode() << " = !{!\"llvm.loop.unroll.full\"}\n";
  os << "!" << elementNode() << " = !{!\"llvm.loop.vectorize.enable\", i1 false}\n";
  for (size_t i = 0; i < loopHints_.size(); ++i) {
    os << "!" << loopNode(i) << " = distinct !{!" << loopNode(i) << ", " << loopHints_[i] << "}\n";
  }
  return std::move(os).str();
}

}  // namespace nvfuser::llvm
