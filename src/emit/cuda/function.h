// The text of one kernel while it is written: statements, indented.
#pragma once

#include <string>

#include "emit/scopes.h"

namespace nvfuser::cuda {

class FunctionText : public Scopes {
 public:
  // Begins the next function.
  void start() {
    clear();
    counter_ = 0;
  }
  // A statement.
  void line(const std::string& text) { write(std::string(2 * (depth() + 1), ' ') + text + "\n"); }
  // A loop or a branch: `opening`, what was written there, and the closing brace of it.
  void block(const std::string& opening, const std::string& body) {
    line(opening);
    append(body);
    line("}");
  }
  // A name for an index or another scalar.
  std::string fresh() { return "i" + std::to_string(counter_++); }
  // Gives an expression a name.
  std::string define(const std::string& type, const std::string& expression) {
    std::string name = fresh();
    line("const " + type + " " + name + " = " + expression + ";");
    return name;
  }

 private:
  int64_t counter_ = 0;
};

}  // namespace nvfuser::cuda
