#include "translate/definition.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "translate/operations.h"

namespace nvfuser {

Argument::Argument(const PolymorphicValue& number) {
  if (number.is<bool>()) {
    value = number.as<bool>();
  } else if (number.is<int64_t>()) {
    value = number.as<int64_t>();
  } else if (number.is<double>()) {
    value = number.as<double>();
  } else {
    value = number.as<std::complex<double>>();
  }
}

int64_t positionOf(const std::vector<IterDomain*>& domains, const IterDomain* id) {
  return std::ranges::find(domains, id) - domains.begin();
}

namespace {

// Python's literals have these dtypes.
bool hasLiteral(DataType dtype) {
  return dtype == DataType::Bool || dtype == DataType::Int || dtype == DataType::Double ||
         dtype == DataType::ComplexDouble;
}

// The member of Python's ParallelType.
const char* parallelTypeName(ParallelType type) {
  switch (type) {
    case ParallelType::MeshX:
      return "mesh_x";
    case ParallelType::MeshY:
      return "mesh_y";
    case ParallelType::MeshZ:
      return "mesh_z";
    default:
      return "stream";
  }
}

Argument symbolicOr(const Val* extent) {
  return extent->isConstInt() ? Argument(extent->constInt()) : Argument(int64_t{-1});
}

class Translator {
 public:
  explicit Translator(const Fusion& fusion)
      : fusion_(fusion), isDefined_(fusion.vals().size(), false) {}

  std::vector<DefinitionCall> translate() {
    for (const Val* input : fusion_.inputs()) {
      if (input->isTensor()) {
        defineTensor(input->asTensor());
      } else {
        append(
            DefinitionCall{"define_scalar", {input}}.add(Argument()).add("dtype", input->dtype()));
      }
    }
    for (const Expr* expr : tensorExprs()) {
      writeOperation(expr);
    }
    for (const Fusion::Output& output : fusion_.outputs()) {
      DefinitionCall call{"add_output", {}};
      call.add(use(output.tv));
      if (output.alias != nullptr) {
        call.add(use(output.alias));
      }
      if (output.isOrderOpen) {
        call.add("is_order_open", true);
      }
      append(std::move(call));
    }
    for (const TensorView* tv : fusion_.tensors()) {
      if (isDefined(tv)) {
        writeDevices(tv);
      }
    }
    return std::move(calls_);
  }

 private:
  // Those that the outputs depend on, all while there are no outputs, in order of creation where
  // that has producers before consumers.
  std::vector<Expr*> tensorExprs() const {
    std::vector<Expr*> needed = fusion_.tensorExprs();
    if (fusion_.outputs().empty()) {
      std::ranges::copy_if(fusion_.allExprs(), std::back_inserter(needed), [](const Expr* expr) {
        return expr->output(0)->isTensor() && expr->output(0)->definition() == expr;
      });
    }
    std::erase_if(needed, isPartialReduction);
    std::vector<Expr*> created = needed;
    std::ranges::sort(created, {}, &Expr::index);
    const bool isOrdered = std::ranges::all_of(created, [](const Expr* expr) {
      return std::ranges::all_of(expr->inputs(), [&](const Val* input) {
        return input->definition() == nullptr || input->definition()->index() < expr->index();
      });
    });
    return isOrdered ? created : needed;
  }

  bool isDefined(const Val* val) const { return isDefined_[static_cast<size_t>(val->index())]; }

  void append(DefinitionCall call) {
    for (const Val* result : call.results) {
      if (result == nullptr) {
        continue;
      }
      isDefined_[static_cast<size_t>(result->index())] = true;
      if (result->isTensor()) {
        noteExtents(result->asTensor());
      }
    }
    calls_.push_back(std::move(call));
  }

  // Scalars that are known as the size of a tensor.
  void noteExtents(const TensorView* tv) {
    int64_t dim = 0;
    for (const IterDomain* id : tv->visible()) {
      sizes_.try_emplace(id->visibleExtent(), Size{tv, dim++});
    }
  }

  void defineTensor(const TensorView* tv) {
    const TensorDomain* domain = tv->domain();
    NVF_CHECK(!domain->hasAllocation() ||
                  std::ranges::is_permutation(domain->logical(), domain->allocation()),
              "No Python definition: the input ", tv->toString(),
              " lies in memory in an order of transformed dimensions, which belongs to a schedule");
    Argument::List shape;
    for (const IterDomain* id : domain->logical()) {
      shape.push_back(symbolicOr(id->visibleExtent()));
    }
    Argument::List contiguity;
    for (const std::optional<bool>& isContiguous : domain->contiguity()) {
      contiguity.push_back(isContiguous.has_value() ? Argument(*isContiguous) : Argument());
    }
    DefinitionCall call{"define_tensor", {tv}};
    call.add("shape", std::move(shape))
        .add("contiguity", std::move(contiguity))
        .add("dtype", tv->dtype())
        .add("is_cpu", tv->isCpuScalar());
    if (domain->hasAllocation()) {
      const auto rank = static_cast<int64_t>(domain->logical().size());
      Argument::List order;
      for (const IterDomain* id : domain->logical()) {
        order.emplace_back(rank - 1 - positionOf(domain->allocation(), id));
      }
      call.add("stride_order", std::move(order));
    }
    append(std::move(call));
  }

  void writeOperation(const Expr* expr) {
    append(operationCall(*expr, [this](const Val* val) { return use(val); }));
    if (calls_.back().function == "ops.stride_order") {
      return;
    }
    for (const Val* output : expr->outputs()) {
      if (output->isTensor()) {
        writeAllocation(output->asTensor());
      }
    }
  }

  // An order in memory that was set on the tensor. (One in terms of other dimensions than the
  // logical ones is made by the operation itself, or by a schedule.)
  void writeAllocation(const TensorView* tv) {
    const TensorDomain* domain = tv->domain();
    const std::vector<IterDomain*>& allocation = domain->allocation();
    if (!domain->hasAllocation() || !std::ranges::is_permutation(domain->logical(), allocation)) {
      return;
    }
    const bool isContiguous =
        domain->contiguity() == TensorDomain::fullContiguity(allocation, true);
    NVF_CHECK(
        isContiguous || domain->contiguity() == TensorDomain::fullContiguity(allocation, false),
        "No Python definition: some dimensions of ", tv->toString(),
        " are contiguous in memory and some are not");
    Argument::List order;
    for (const IterDomain* id : allocation) {
      order.emplace_back(positionOf(domain->logical(), id));
    }
    append(DefinitionCall{"set_allocation_domain", {}}
               .add(tv)
               .add(std::move(order))
               .add(isContiguous));
  }

  // The mesh, and the loops that say how its devices work together.
  void writeDevices(const TensorView* tv) {
    if (tv->deviceMesh() != nullptr) {
      append(
          DefinitionCall{"set_device_mesh", {}}.add(tv).add(nestedRanks(*tv->deviceMesh(), 0, 0)));
    }
    std::vector<const IterDomain*> loop(tv->logical().begin(), tv->logical().end());
    for (const Split* split : splitsToDevices(tv)) {
      NVF_CHECK(split->factor()->isConstInt(), "No Python definition: a loop of ", tv->toString(),
                " is split by ", split->factor()->toString(), ", which is no constant");
      const auto at = std::ranges::find(loop, split->in());
      append(DefinitionCall{"split", {}}
                 .add(tv)
                 .add(static_cast<int64_t>(at - loop.begin()))
                 .add(split->factor()->constInt())
                 .add(split->innerSplit()));
      *at = split->inner();
      loop.insert(at, split->outer());
    }
    for (size_t i = 0; i < loop.size(); ++i) {
      if (isDeviceType(loop[i]->parallelType())) {
        append(DefinitionCall{"parallelize", {}}
                   .add(tv)
                   .add(static_cast<int64_t>(i))
                   .add(parallelTypeName(loop[i]->parallelType())));
      }
    }
  }

  static Argument::List nestedRanks(const DeviceMesh& mesh, size_t dimension, size_t first) {
    size_t stride = 1;
    for (size_t i = dimension + 1; i < mesh.shape().size(); ++i) {
      stride *= static_cast<size_t>(mesh.shape()[i]);
    }
    Argument::List ranks;
    for (size_t i = 0; i < static_cast<size_t>(mesh.shape()[dimension]); ++i) {
      const size_t at = first + i * stride;
      if (dimension + 1 == mesh.shape().size()) {
        ranks.emplace_back(mesh.ranks()[at]);
      } else {
        ranks.emplace_back(nestedRanks(mesh, dimension + 1, at));
      }
    }
    return ranks;
  }

  // Those that made the loops along the mesh of dimensions, in order.
  static std::vector<const Split*> splitsToDevices(const TensorView* tv) {
    std::vector<const Split*> splits;
    for (const IterDomain* id : tv->loop()) {
      if (!isDeviceType(id->parallelType())) {
        continue;
      }
      while (std::ranges::find(tv->logical(), id) == tv->logical().end()) {
        const auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
        NVF_CHECK(split != nullptr, "No Python definition: a loop of ", tv->toString(),
                  " of a parallel type of devices is not made by splits alone");
        splits.push_back(split);
        id = split->in();
      }
    }
    std::ranges::sort(splits, {}, &Expr::index);
    splits.erase(std::ranges::unique(splits).begin(), splits.end());
    return splits;
  }

  // How `val` is written as an argument; a scalar is defined first where that is necessary.
  Argument use(const Val* val) {
    if (isDefined(val)) {
      return val;
    }
    NVF_CHECK(val->isScalar(), "No Python definition: ", val->toString(),
              " is no input of the fusion, and no operation makes it");
    if (val->isConst()) {
      if (hasLiteral(val->dtype())) {
        return Argument(val->value());
      }
      append(DefinitionCall{"define_scalar", {val}}
                 .add(Argument(val->value()))
                 .add("dtype", val->dtype()));
      return val;
    }
    if (!defineAsSize(val)) {
      defineByOperations(val);
    }
    return val;
  }

  bool defineAsSize(const Val* val) {
    const auto known = sizes_.find(val);
    if (known == sizes_.end()) {
      return false;
    }
    append(DefinitionCall{"ops.size", {val}}.add(known->second.tv).add("dim", known->second.dim));
    return true;
  }

  // The operations on scalars that `val` depends on, in order of creation. Not by recursion: a
  // chain of them may be long.
  void defineByOperations(const Val* val) {
    std::vector<const Expr*> needed;
    std::vector<bool> isNeeded(fusion_.allExprs().size(), false);
    std::vector<const Val*> open{val};
    while (!open.empty()) {
      const Val* next = open.back();
      open.pop_back();
      const Expr* definition = next->definition();
      NVF_CHECK(definition != nullptr, "No Python definition: the scalar ", next->toString(),
                " is neither an input of the fusion nor computed nor the size of a tensor");
      if (isNeeded[static_cast<size_t>(definition->index())]) {
        continue;
      }
      isNeeded[static_cast<size_t>(definition->index())] = true;
      needed.push_back(definition);
      for (const Val* input : definition->inputs()) {
        if (!input->isConst() && !isDefined(input) && !defineAsSize(input)) {
          open.push_back(input);
        }
      }
    }
    std::ranges::sort(needed, {}, &Expr::index);
    for (const Expr* expr : needed) {
      writeOperation(expr);
    }
  }

  struct Size {
    const TensorView* tv;
    int64_t dim;
  };

  const Fusion& fusion_;
  std::vector<bool> isDefined_;
  std::unordered_map<const Val*, Size> sizes_;
  std::vector<DefinitionCall> calls_;
};

}  // namespace

std::vector<DefinitionCall> definitionCalls(const Fusion& fusion) {
  return Translator(fusion).translate();
}

}  // namespace nvfuser
