// The text of a function while it is written: loops and branches inside each other, and the scalars
// that are known in each of them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/val.h"

namespace nvfuser {

class Scopes {
 public:
  // What a scalar is wanted as: a kernel may compute indices in another type than values.
  enum class Role : uint8_t { Value, Index };

 private:
  using Names = std::unordered_map<const Val*, std::string>;
  struct Scope {
    std::string text;
    Names values;
    Names indices;
    std::unordered_map<std::string, std::string> derived;
    bool isLoop = false;
    Names& names(Role role) { return role == Role::Value ? values : indices; }
    const Names& names(Role role) const { return role == Role::Value ? values : indices; }
  };

 public:
  // All that was written in the outermost scope since clear().
  const std::string& text() const { return scopes_.front().text; }

  // A loop or a branch: what is computed inside is not known outside. `isLoop` says that it is a
  // loop and will be one in machine code, too.
  void open(bool isLoop = false);
  // Ends the innermost scope; returns what was written there.
  std::string close();
  // Text behind what the innermost scope has by now.
  void append(const std::string& text) { scopes_.back().text += text; }

  // The innermost scope knows the scalar by that name.
  void set(const Val* val, const std::string& name, Role role = Role::Value) {
    scopes_.back().names(role)[val] = name;
  }
  // Null where the scalar is not known.
  const std::string* find(const Val* val, Role role = Role::Value) const;
  // The name of a scalar. `compute` writes it where it is not known yet, outside of all loops that
  // it does not depend on: the compilers would not move divisions there, since they cannot know
  // that the divisor is not zero.
  template <typename Compute>
  std::string scalar(const Val* val, Compute&& compute, Role role = Role::Value) {
    if (const std::string* known = find(val, role)) {
      return *known;
    }
    const size_t outer = target_;
    const size_t scope = target_ = scopeOf(val);
    const std::string name = compute();
    scopes_[scope].names(role)[val] = name;
    target_ = outer;
    return name;
  }

  // The name of what `compute` writes, which `key` identifies and which depends on `val` alone.
  template <typename Compute>
  std::string derived(const Val* val, const std::string& key, Compute&& compute) {
    const size_t outer = target_;
    const size_t scope = target_ = scopeOf(val);
    if (!scopes_[scope].derived.contains(key)) {
      const std::string name = compute();
      scopes_[scope].derived[key] = name;
    }
    target_ = outer;
    return scopes_[scope].derived[key];
  }

  // Whether a scalar is known before an open loop that is written as one.
  bool isKnownBeforeLoop(const Val* val) const { return isBeforeLoop(scopeOf(val)); }

 protected:
  // Begins the next function.
  void clear();
  // Text goes to the innermost scope, or to the one that a scalar is computed in.
  void write(const std::string& text) { scopes_[target_].text += text; }
  // How many scopes enclose what is written.
  size_t depth() const { return target_; }
  // Whether what is written stands before such a loop.
  bool isBeforeLoop() const { return isBeforeLoop(target_); }

 private:
  bool isBeforeLoop(size_t scope) const;
  // The outermost scope that has all a scalar depends on.
  size_t scopeOf(const Val* val) const;
  // The innermost scope that knows the scalar.
  std::optional<size_t> whereKnown(const Val* val) const;

  // The function, and the open loops and branches.
  std::vector<Scope> scopes_;
  size_t target_ = 0;
};

}  // namespace nvfuser
