// The kernel IR as text, for people who want to know what a schedule became.

#include <sstream>

#include "core/error.h"
#include "ir/nodes.h"
#include "lower/kernel.h"

namespace nvfuser::kir {

namespace {

std::string nameOf(const TensorView* tv) { return "T" + std::to_string(tv->name()); }

std::string textOf(const Access& access) {
  return nameOf(access.tv) + "[" + access.index->toString() + "]";
}

std::string textOf(const Operand& operand) {
  const auto* access = std::get_if<Access>(&operand);
  return access != nullptr ? textOf(*access) : std::get<Val*>(operand)->toString();
}

std::string operationOf(const Expr* expr) {
  if (const auto* unary = expr->as<UnaryOp>()) {
    return unary->type() == UnaryOpType::Cast ? toString(unary->out()->dtype())
                                              : info(unary->type()).name;
  }
  if (const auto* binary = expr->as<BinaryOp>()) {
    return info(binary->type()).name;
  }
  if (const auto* ternary = expr->as<TernaryOp>()) {
    return info(ternary->type()).name;
  }
  if (const auto* reduction = expr->as<ReductionOp>()) {
    return std::string("reduce ") + info(reduction->type()).name;
  }
  return nvfuser::nameOf(expr->kind());
}

class Printer {
 public:
  std::string print(const Kernel& kernel) {
    line("kernel ", kernel.name, "(");
    for (const Parameter& parameter : kernel.parameters) {
      line("    ", describe(parameter));
    }
    line(")");
    for (size_t i = 0; i < kernel.phases.size(); ++i) {
      print(kernel.phases[i], phaseName(kernel, i));
    }
    return std::move(os_).str();
  }

  std::string print(const Kernel& kernel, const Phase& phase) {
    print(phase, phaseName(kernel, phase));
    return std::move(os_).str();
  }

 private:
  static std::string describe(const Parameter& parameter) {
    switch (parameter.kind) {
      case Parameter::Kind::Pointer:
        return concatenate(parameter.tv->dtype(), "* ", nameOf(parameter.tv));
      case Parameter::Kind::Stride:
        return concatenate(parameter.value->toString(), ": stride of ", nameOf(parameter.tv),
                           " in dimension ", parameter.dimension);
      case Parameter::Kind::Scalar:
        return concatenate(parameter.value->dtype(), " ", parameter.value->toString());
      case Parameter::Kind::Divisor:
        return concatenate("divisor ", parameter.value->toString());
      case Parameter::Kind::Misses:
        return "misses of lookups";
      case Parameter::Kind::Exchange:
        break;
    }
    return "exchange with peers";
  }

  void print(const Phase& phase, const std::string& name) {
    line("phase ", name, " {");
    ++depth_;
    for (const ThreadDimension& dimension : phase.threads) {
      line(dimension.index->toString(), " = ", dimension.type, " < ", dimension.extent->toString());
    }
    if (phase.parallelExtent != nullptr) {
      line(phase.parallelIndex->toString(), " = worker's part of ",
           phase.parallelExtent->toString());
    }
    for (const Buffer& buffer : phase.buffers) {
      line(buffer.tv->dtype(), " ", nameOf(buffer.tv), "[", buffer.size->toString(), "]",
           buffer.scratchOffset == nullptr
               ? ""
               : " at scratch byte " + buffer.scratchOffset->toString());
    }
    print(phase.body);
    close();
  }

  void print(const Block& block) {
    for (const Statement& statement : block) {
      std::visit([&](const auto& node) { print(node); }, statement.node);
    }
  }

  void print(const Loop& loop) {
    line(loop.isReduction ? "reduce (" : "for (", loop.index->toString(), " = ",
         loop.start->toString(), "; ", loop.index->toString(), " < ", loop.stop->toString(),
         loop.step == 1 ? "" : concatenate("; by ", loop.step), ")",
         loop.parallelType == ParallelType::Serial ? "" : concatenate(" ", loop.parallelType),
         loop.marks.toString(), " {");
    inside(*loop.body);
  }

  void print(const If& choice) {
    line("if (", choice.condition->toString(), ") {");
    inside(*choice.then);
    if (choice.otherwise != nullptr) {
      line("else {");
      inside(*choice.otherwise);
    }
  }

  void print(const Compute& compute) {
    std::string operands;
    for (const Operand& operand : compute.inputs) {
      operands += (operands.empty() ? "" : ", ") + textOf(operand);
    }
    line(textOf(compute.out), " = ", operationOf(compute.expr), "(", operands, ")",
         compute.width > 1 ? concatenate("  // ", compute.width, " elements") : "",
         compute.end == nullptr ? ""
                                : concatenate(", those from ", compute.first->toString(),
                                              " to before ", compute.end->toString()));
  }

  void print(const TransposedCopy& copy) {
    line(textOf(copy.out), " = transposed ", textOf(copy.in), "  // ", copy.rows->toString(), " x ",
         copy.columns->toString());
  }

  void print(const WholeLines& lines) {
    std::string outs;
    for (const Access& out : lines.outs) {
      outs += (outs.empty() ? "" : ", ") + textOf(out);
    }
    line(lines.first->toString(), ", ", lines.last->toString(), " = whole lines of ", outs,
         " below ", lines.stop->toString(), "  // by ", lines.group);
  }

  void print(const StreamedCopy& copy) {
    line(textOf(copy.out), " = streamed ", textOf(copy.in), "  // ", copy.count->toString(),
         " elements");
  }

  void print(const Prefetch& prefetch) {
    line("prefetch ", textOf(prefetch.access),
         prefetch.index == nullptr ? ""
                                   : concatenate("  // ", prefetch.index->toString(), " below ",
                                                 prefetch.stop->toString()));
  }

  void print(const Assign& assign) { line(textOf(assign.out), " = ", textOf(assign.value)); }

  void print(const LoadIndex& load) {
    line(load.position->toString(), ", ", load.isInside->toString(), " = index ",
         textOf(load.index), " below ", load.extent->toString());
  }

  void print(const Barrier& barrier) {
    line(barrier.isOfBlock ? "barrier" : "wait", barrier.awaitsCopies ? " for copies" : "");
  }

  void print(const BlockReduce& reduce) {
    for (const BlockReduce::Part& part : reduce.parts) {
      line(textOf(part.value), " = reduced over the threads of the block along",
           reduce.along[0] ? " x" : "", reduce.along[1] ? " y" : "", reduce.along[2] ? " z" : "",
           reduce.clusterBlocks > 1 ? " and those of its cluster" : "");
    }
  }

  void print(const BlockScan& scan) {
    for (const BlockScan::Part& part : scan.parts) {
      line(textOf(part.value), " = scan over the threads of the block along ", scan.along,
           ", after ", textOf(part.carry));
    }
  }

  void inside(const Block& block) {
    ++depth_;
    print(block);
    close();
  }

  void close() {
    --depth_;
    line("}");
  }

  template <typename... Args>
  void line(const Args&... args) {
    os_ << std::string(2 * static_cast<size_t>(depth_), ' ');
    (os_ << ... << args);
    os_ << "\n";
  }

  std::ostringstream os_;
  int depth_ = 0;
};

}  // namespace

std::string toString(const Kernel& kernel) { return Printer().print(kernel); }

std::string toString(const Kernel& kernel, const Phase& phase) {
  return Printer().print(kernel, phase);
}

}  // namespace nvfuser::kir
