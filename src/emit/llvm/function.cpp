#include "emit/llvm/function.h"

namespace nvfuser::llvm {

void FunctionText::start() {
  counter_ = 0;
  clear();
  label("entry");
}

void FunctionText::line(const std::string& text) { write("  " + text + "\n"); }

void FunctionText::label(const std::string& name) {
  append(name + ":\n");
  block_ = name;
}

std::string FunctionText::fresh(const std::string& hint) {
  return "%" + hint + "." + std::to_string(counter_++);
}

std::string FunctionText::freshLabel(const std::string& hint) {
  return hint + "." + std::to_string(counter_++);
}

std::string FunctionText::define(const std::string& hint, const std::string& instruction) {
  std::string name = fresh(hint);
  line(name + " = " + instruction);
  return name;
}

std::string FunctionText::unknown(const std::string& name) {
  return define("i",
                "call i64 asm \"\", \"=r,0\"(i64 " + name + ") nounwind willreturn memory(none)");
}

std::string FunctionText::opaque(const std::string& name) {
  return isBeforeLoop() ? unknown(name) : name;
}

std::string FunctionText::opaquePointer(const std::string& name) {
  return define("line", "call ptr @llvm.strip.invariant.group.p0(ptr " + name + ")");
}

}  // namespace nvfuser::llvm
