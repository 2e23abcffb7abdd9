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
  // The same i64, of which LLVM does not know how it was computed.
  std::string unknown(const std::string& name);
  // The same where it is worth nothing to LLVM: of an index that a loop starts from, or the number
  // of its iterations, inside that loop. Analysing and rewriting them takes a third of the time to
  // compile. Outside of such a loop returns the name.
  std::string opaque(const std::string& name);
  // The same for pointers: what memory they point into remains known.
  std::string opaquePointer(const std::string& name);

 private:
  std::string block_;
  int64_t counter_ = 0;
};

}  // namespace nvfuser::llvm
