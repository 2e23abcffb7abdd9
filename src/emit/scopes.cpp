#include "emit/scopes.h"

#include <algorithm>
#include <unordered_set>

namespace nvfuser {

void Scopes::clear() {
  scopes_.assign(1, {});
  target_ = 0;
}

void Scopes::open(bool isLoop) {
  scopes_.emplace_back();
  scopes_.back().isLoop = isLoop;
  target_ = scopes_.size() - 1;
}

std::string Scopes::close() {
  std::string text = std::move(scopes_.back().text);
  scopes_.pop_back();
  target_ = scopes_.size() - 1;
  return text;
}

const std::string* Scopes::find(const Val* val, Role role) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto known = scope->names(role).find(val); known != scope->names(role).end()) {
      return &known->second;
    }
  }
  return nullptr;
}

bool Scopes::isBeforeLoop(size_t scope) const {
  return std::any_of(scopes_.begin() + static_cast<std::ptrdiff_t>(scope) + 1, scopes_.end(),
                     [](const Scope& inner) { return inner.isLoop; });
}

size_t Scopes::scopeOf(const Val* val) const {
  size_t scope = 0;
  std::unordered_set<const Val*> seen;
  std::vector<const Val*> stack{val};
  while (!stack.empty()) {
    const Val* top = stack.back();
    stack.pop_back();
    if (top->isConst() || !seen.insert(top).second) {
      continue;
    }
    if (const std::optional<size_t> known = whereKnown(top)) {
      scope = std::max(scope, *known);
    } else if (const Expr* definition = top->definition()) {
      stack.insert(stack.end(), definition->inputs().begin(), definition->inputs().end());
    }
  }
  return scope;
}

std::optional<size_t> Scopes::whereKnown(const Val* val) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (scopes_[i].values.contains(val) || scopes_[i].indices.contains(val)) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace nvfuser
