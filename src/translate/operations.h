// How an expression becomes a call: one row a kind of expression.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "translate/definition.h"

namespace nvfuser {

// What a row writes its call with. Scalars that are arguments are defined by calls before it.
class CallBuilder {
 public:
  // `use` returns how a value is written, after it made sure that it is defined.
  CallBuilder(const Expr& expr, std::function<Argument(const Val*)> use);

  // The name of the operation.
  CallBuilder& op(const char* name);
  // All inputs of the expression, by position.
  CallBuilder& inputs();
  // All of them as one list.
  CallBuilder& inputList();
  CallBuilder& list(const std::vector<Val*>& vals);
  CallBuilder& text(const std::string& text);
  CallBuilder& positional(const Val* val);
  CallBuilder& keyword(const char* name, Argument argument);
  CallBuilder& keyword(const char* name, const Val* val);
  // Only an argument that differs from the parameter's default is written.
  template <typename T>
  CallBuilder& keywordUnless(const T& defaultValue, const char* name, const T& value) {
    return value == defaultValue ? *this : keyword(name, Argument(value));
  }
  // An extent or position, or a list of those: constants are plain integers.
  CallBuilder& extent(const char* name, const Val* val);
  CallBuilder& shape(const char* name, const std::vector<Val*>& extents);
  Argument::List extents(const std::vector<Val*>& extents);
  CallBuilder& integers(const char* name, const std::vector<int64_t>& values);
  // Where the operation returns others than the outputs of the expression; null is one that is not
  // there.
  CallBuilder& results(std::vector<const Val*> vals);

  const DefinitionCall& call() const { return call_; }

 private:
  Argument extentOf(const Val* val);

  std::function<Argument(const Val*)> use_;
  const Expr& expr_;
  DefinitionCall call_;
};

// Whether `expr` was made by rfactor: the reduction that it is a part of is one call.
bool isPartialReduction(const Expr* expr);

// The call that makes `expr`; raises where there is none.
DefinitionCall operationCall(const Expr& expr, const std::function<Argument(const Val*)>& use);

}  // namespace nvfuser
