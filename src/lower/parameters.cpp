#include "lower/parameters.h"

#include <algorithm>

namespace nvfuser {

namespace {

class ScalarParameters {
 public:
  ScalarParameters(kir::Kernel& kernel, const std::unordered_set<const Val*>& computed)
      : kernel_(kernel), computed_(computed) {
    for (const kir::Parameter& parameter : kernel.parameters) {
      if (parameter.value != nullptr) {
        seen_.insert(parameter.value);
      }
    }
  }

  void visit(Val* val) {
    // The last one is next.
    std::vector<Val*> stack{val};
    while (!stack.empty()) {
      Val* next = stack.back();
      stack.pop_back();
      if (next == nullptr || next->isConst() || computed_.contains(next) ||
          !seen_.insert(next).second) {
        continue;
      }
      if (next->definition() == nullptr) {
        kernel_.parameters.push_back({kir::Parameter::Kind::Scalar, nullptr, 0, next});
        continue;
      }
      const std::vector<Val*>& inputs = next->definition()->inputs();
      stack.insert(stack.end(), inputs.rbegin(), inputs.rend());
    }
  }

  void visit(const kir::Statement& statement) {
    std::visit([this](const auto& node) { visitNode(node); }, statement.node);
  }

 private:
  void visitOperand(const kir::Operand& operand) {
    if (const auto* access = std::get_if<kir::Access>(&operand)) {
      visit(access->index);
    } else {
      visit(std::get<Val*>(operand));
    }
  }

  void visitNode(const kir::Loop& loop) { visit(loop.stop); }
  void visitNode(const kir::If& choice) { visit(choice.condition); }
  void visitNode(const kir::Compute& compute) {
    visit(compute.out.index);
    for (const kir::Operand& operand : compute.inputs) {
      visitOperand(operand);
    }
  }
  void visitNode(const kir::TransposedCopy& copy) {
    for (Val* val :
         {copy.out.index, copy.outStride, copy.in.index, copy.inStride, copy.rows, copy.columns}) {
      visit(val);
    }
  }
  void visitNode(const kir::WholeLines& lines) {
    visit(lines.stop);
    for (const kir::Access& out : lines.outs) {
      visit(out.index);
    }
  }
  void visitNode(const kir::StreamedCopy& copy) {
    for (Val* val : {copy.out.index, copy.in.index, copy.count}) {
      visit(val);
    }
  }
  void visitNode(const kir::Prefetch& prefetch) {
    visit(prefetch.access.index);
    visit(prefetch.stop);
  }
  void visitNode(const kir::Assign& assign) {
    visit(assign.out.index);
    visitOperand(assign.value);
  }
  void visitNode(const kir::LoadIndex& load) {
    visitOperand(load.index);
    visit(load.extent);
  }
  void visitNode(const kir::Barrier& /*barrier*/) {}
  void visitNode(const kir::BlockReduce& reduce) {
    visit(reduce.scratchOffset);
    for (const kir::BlockReduce::Part& part : reduce.parts) {
      visit(part.value.index);
    }
  }
  void visitNode(const kir::BlockScan& scan) {
    visit(scan.scratchOffset);
    for (const kir::BlockScan::Part& part : scan.parts) {
      visit(part.value.index);
      visit(part.carry.index);
    }
  }

  kir::Kernel& kernel_;
  const std::unordered_set<const Val*>& computed_;
  std::unordered_set<const Val*> seen_;
};

}  // namespace

void addScalarParameters(kir::Kernel& kernel, const std::unordered_set<const Val*>& computed) {
  ScalarParameters parameters(kernel, computed);
  for (const kir::Phase& phase : kernel.phases) {
    for (const kir::Buffer& buffer : phase.buffers) {
      parameters.visit(buffer.scratchOffset);
    }
    kir::forEachStatement(phase.body,
                          [&](const kir::Statement& statement) { parameters.visit(statement); });
  }
}

}  // namespace nvfuser
