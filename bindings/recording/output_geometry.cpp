// What the outputs of a fusion are before it runs: dtypes, and sizes and order in memory as
// functions of the inputs, for those who have no numbers, but symbols for these
// (nvfuser/output_geometry.py).

#include <nanobind/stl/string.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "bindings/call/executor.h"
#include "bindings/support/nodes.h"
#include "bindings/support/to_python.h"
#include "core/error.h"
#include "ir/evaluator.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

const char* operationName(const Expr* expr) {
  if (const auto* unary = expr->as<UnaryOp>()) {
    return unary->type() == UnaryOpType::Cast ? "cast" : info(unary->type()).name;
  }
  if (const auto* binary = expr->as<BinaryOp>()) {
    return binary->type() == BinaryOpType::CeilDiv ? "ceil_div" : info(binary->type()).name;
  }
  const auto* ternary = expr->as<TernaryOp>();
  return ternary == nullptr ? nullptr : info(ternary->type()).name;
}

// The dimensions of a tensor from the outermost in memory to the innermost.
std::vector<int64_t> orderOf(const TensorView* tv) {
  const auto logical = tv->visible();
  std::vector<int64_t> order;
  for (const IterDomain* id : TensorDomain::noReductions(tv->domain()->maybeAllocation())) {
    order.push_back(std::ranges::find(logical, id) - logical.begin());
  }
  return order;
}

// The values that sizes are computed from, each once and behind its operands:
//
//   ("constant", number)      ("input", position of a scalar)
//   ("size", position of a tensor, dimension, elements in what torch counts as one)
//   (name of an operation, positions of the operands, the Val)
class Program {
 public:
  explicit Program(const Fusion& fusion) {
    for (size_t i = 0; i < fusion.inputs().size(); ++i) {
      const Val* input = fusion.inputs()[i];
      if (input->isScalar()) {
        add(input, nb::make_tuple("input", i));
        continue;
      }
      const TensorView* tv = input->asTensor();
      const auto dims = tv->visible();
      const std::vector<int64_t> order = orderOf(tv);
      for (size_t d = 0; d < dims.size(); ++d) {
        const Val* extent = dims[d]->visibleExtent();
        const bool isPacked =
            tv->dtype() == DataType::Float4_e2m1fn && static_cast<size_t>(order.back()) == d;
        if (!extent->isConst() && !positions_.contains(extent)) {
          add(extent, nb::make_tuple("size", i, d, isPacked ? 2 : 1));
        }
      }
    }
  }

  size_t position(const Val* val) {
    // Iterative: chains of operations can be as long as the definition.
    std::vector<const Val*> open{val};
    while (!open.empty()) {
      const Val* next = open.back();
      if (positions_.contains(next)) {
        open.pop_back();
        continue;
      }
      if (next->isConst()) {
        add(next, nb::make_tuple("constant", toPython(next->value())));
        continue;
      }
      const Expr* definition = next->definition();
      const char* name = definition == nullptr ? nullptr : operationName(definition);
      NVF_CHECK(name != nullptr, "The extent ", next->toString(),
                " is not determined by the inputs");
      const size_t before = open.size();
      for (const Val* operand : definition->inputs()) {
        if (!positions_.contains(operand)) {
          open.push_back(operand);
        }
      }
      if (open.size() == before) {
        nb::list operands;
        for (const Val* operand : definition->inputs()) {
          operands.append(positions_.at(operand));
        }
        add(next, nb::make_tuple(name, nb::tuple(operands), share(const_cast<Val*>(next))));
      }
    }
    return positions_.at(val);
  }

  const nb::list& instructions() const { return instructions_; }

 private:
  void add(const Val* val, const nb::tuple& instruction) {
    positions_[val] = instructions_.size();
    instructions_.append(instruction);
  }

  nb::list instructions_;
  std::unordered_map<const Val*, size_t> positions_;
};

nb::tuple geometryOf(const Fusion& fusion) {
  Program program(fusion);
  nb::list outputs;
  for (const Fusion::Output& output : fusion.outputs()) {
    if (!output.isVisible) {
      continue;
    }
    nb::list sizes;
    for (const IterDomain* id : output.tv->visible()) {
      sizes.append(program.position(id->visibleExtent()));
    }
    const DataType dtype = output.tv->dtype();
    const bool isPacked = dtype == DataType::Float4_e2m1fn;
    outputs.append(nb::make_tuple(isPacked                   ? DataType::Float4_e2m1fn_x2
                                  : dtype == DataType::Index ? DataType::Int
                                                             : dtype,
                                  nb::tuple(sizes), nb::cast(orderOf(output.tv)), isPacked));
  }
  return nb::make_tuple(program.instructions(), outputs);
}

// One operation on numbers, as a run computes it.
nb::object evaluateOperation(const Val& val, const std::vector<Number>& operands) {
  const Expr* definition = val.definition();
  NVF_CHECK(definition != nullptr && operands.size() == definition->inputs().size(),
            "Expected a number for each operand of ", val.toString());
  ExpressionEvaluator evaluator;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!definition->input(i)->isConst()) {
      evaluator.bind(definition->input(i), operands[i].value);
    }
  }
  return toPython(evaluator.evaluate(&val));
}

}  // namespace

void bindOutputGeometry(nb::module_& module) {
  module.def(
      "output_geometry", &geometryOf, nb::arg("fusion"),
      nb::sig("def output_geometry(fusion: Fusion) -> tuple[list[tuple[typing.Any, ...]], "
              "list[tuple[DataType, tuple[int, ...], list[int], bool]]]"),
      R"(Return the instructions that compute sizes, and each output that a run returns: its dtype as
torch sees it, the positions of its sizes among the results, its dimensions from the outermost in
memory to the innermost, and whether pairs of elements are one of torch's.)");
  module.def("evaluate_operation", &evaluateOperation, nb::arg("val"), nb::arg("operands"),
             "Compute a scalar from numbers for the operands of its definition.");
}

}  // namespace nvfuser
