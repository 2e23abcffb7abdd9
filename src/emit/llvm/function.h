// The text of one function while it is written: its instructions, names and labels.
#pragma once

#include <string>

#include "emit/scopes.h"

namespace nvfuser::llvm {

class FunctionText : public Scopes {
 public:
  // Begins the next function.
  void start();

  // Text goes to the innermost scope, or to the one that a scalar is computed in.
  void line(const std::string& text);
  void label(const std::string& name);
  // The label that lines are written under.
  const std::string& block() const { return block_; }
  std::string fresh(const std::string& hint);
  std::string freshLabel(const std::string& hint);
  // Writes an instruction; returns the name of its result.
  std::string define(const std::string& hint, const std::string& instruction);

 private:
  std::string block_;
  int64_t counter_ = 0;
};

}  // namespace nvfuser::llvm
