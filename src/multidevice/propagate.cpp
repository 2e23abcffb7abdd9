#include "multidevice/propagate.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/error.h"
#include "multidevice/collectives.h"
#include "multidevice/rules.h"

namespace nvfuser::multidevice {

namespace {

// For what is not known before a run.
constexpr int64_t kAssumedExtent = 1024;

int64_t bytesOf(const TensorView* tv) {
  int64_t bytes = std::max<int64_t>(info(tv->dtype()).bits / 8, 1);
  for (const IterDomain* id : tv->visible()) {
    const Val* extent = id->visibleExtent();
    bytes *= extent->isConstInt() ? extent->constInt() : kAssumedExtent;
  }
  return bytes;
}

// What it costs an operation to have all of a tensor on each device: one that several read is
// moved once for all of them.
int64_t weightOf(const TensorView* tv) {
  return bytesOf(tv) / std::max<int64_t>(static_cast<int64_t>(tv->uses().size()), 1);
}

std::vector<ParallelType> without(std::vector<ParallelType> axes,
                                  const std::set<ParallelType>& used) {
  std::erase_if(axes, [&](ParallelType axis) { return used.contains(axis); });
  return axes;
}

// The mesh of the results, else that of the largest input.
std::shared_ptr<const DeviceMesh> meshOf(const Expr* expr, const Layouts& inputs,
                                         const Layouts& outputs) {
  for (const auto& output : outputs) {
    if (output) {
      return output->mesh;
    }
  }
  const std::optional<TensorLayout>* found = nullptr;
  int64_t most = -1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && bytesOf(expr->input(i)->asTensor()) > most) {
      most = bytesOf(expr->input(i)->asTensor());
      found = &inputs[i];
    }
  }
  NVF_INTERNAL_CHECK(found != nullptr, "no layout is known of ", expr->toString());
  return (*found)->mesh;
}

// Chooses the layouts of the classes of one expression.
class Chooser {
 public:
  Chooser(const Expr* expr, const std::vector<IndexClass>& classes, const Layouts& inputs,
          const Layouts& outputs, const DeviceMesh& mesh, const Gathered& gathered)
      : expr_(expr),
        classes_(classes),
        inputs_(inputs),
        outputs_(outputs),
        mesh_(mesh),
        gathered_(gathered) {
    chosen_.resize(classes.size());
  }

  // Axes along which parts are combined later.
  void reserve(ParallelType axis) { used_.insert(axis); }

  std::vector<DimLayout> choose() {
    for (size_t i = 0; i < classes_.size(); ++i) {
      if (classes_[i].reduction) {
        chooseReduction(i);
      }
    }
    for (size_t i = 0; i < classes_.size(); ++i) {
      for (const IndexClass::Dim& dim : classes_[i].outputs) {
        if (const auto& wanted = outputs_[dim.operand]; wanted && !chosen_[i]) {
          take(i, wanted->dims[dim.dim]);
        }
      }
    }
    for (const Candidate& candidate : cheapestFirst()) {
      if (!chosen_[candidate.number]) {
        take(candidate.number, candidate.layout);
      }
    }
    std::vector<DimLayout> layouts;
    for (const std::optional<DimLayout>& layout : chosen_) {
      layouts.push_back(layout.value_or(DimLayout{}));
    }
    return layouts;
  }

 private:
  // Of an input on the mesh.
  DimLayout layoutOf(const IndexClass::Dim& dim) const {
    const auto& layout = inputs_[dim.operand];
    return layout && *layout->mesh == mesh_ ? layout->dims[dim.dim] : DimLayout{};
  }

  void take(size_t number, const DimLayout& layout) {
    chosen_[number] = restricted(layout, without(axesOf(layout), used_), mesh_);
    for (const ParallelType axis : axesOf(*chosen_[number])) {
      used_.insert(axis);
    }
  }

  // What is combined stays where it is, if all inputs that are divided along these axes are so in
  // this dimension.
  void chooseReduction(size_t number) {
    const IndexClass& combined = classes_[number];
    const DataType dtype = expr_->output(0)->dtype();
    DimLayout layout;
    for (const IndexClass::Dim& dim : combined.inputs) {
      layout = layout.empty() ? layoutOf(dim) : layout;
    }
    const bool isFree = std::ranges::all_of(axesOf(layout), [&](ParallelType axis) {
      return !used_.contains(axis) && std::ranges::all_of(combined.inputs, [&](const auto& dim) {
        const auto& input = inputs_[dim.operand];
        const int64_t at = input && *input->mesh == mesh_ ? input->dimOn(axis) : -1;
        return at == -1 || (at == static_cast<int64_t>(dim.dim) && layoutOf(dim) == layout);
      });
    });
    // The others are gathered and combined on each device.
    const bool isKnown = *combined.reduction == BinaryOpType::Maximum ||
                         *combined.reduction == BinaryOpType::Minimum ||
                         isCombinedByCollective(*combined.reduction, dtype);
    if (isFree && isKnown && !layout.empty()) {
      take(number, layout);
    }
  }

  // A class that may stay divided as an input is.
  struct Candidate {
    size_t number;
    DimLayout layout;
    int64_t cost;
  };

  std::vector<Candidate> cheapestFirst() const {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < classes_.size(); ++i) {
      for (const IndexClass::Dim& dim : classes_[i].inputs) {
        if (DimLayout layout = layoutOf(dim);
            !layout.empty() && !classes_[i].reduction && !chosen_[i]) {
          candidates.push_back({i, layout, costOf(i, layout)});
        }
      }
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    return candidates;
  }

  // What is moved to inputs that are divided otherwise along the same axes: a part of what a device
  // has, if they are divided in this class then, and else what all others have.
  int64_t costOf(size_t number, const DimLayout& layout) const {
    int64_t cost = 0;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      if (!inputs_[k] || !expr_->input(k)->isTensor() || !(*inputs_[k]->mesh == mesh_)) {
        continue;
      }
      const auto own = std::ranges::find(classes_[number].inputs, k, &IndexClass::Dim::operand);
      for (const ParallelType axis : axesOf(layout)) {
        const int64_t now = inputs_[k]->dimOn(axis);
        const bool hasClass = own != classes_[number].inputs.end();
        const bool isThere = gathered_.contains({expr_->input(k)->asTensor(), axis});
        if (now != -1 && !isThere && !(hasClass && own->dim == static_cast<size_t>(now))) {
          cost += weightOf(expr_->input(k)->asTensor()) / (hasClass ? mesh_.extent(axis) : 1);
        }
      }
    }
    return cost;
  }

  const Expr* expr_;
  const std::vector<IndexClass>& classes_;
  const Layouts& inputs_;
  const Layouts& outputs_;
  const DeviceMesh& mesh_;
  const Gathered& gathered_;
  std::vector<std::optional<DimLayout>> chosen_;
  std::set<ParallelType> used_;
};

// What the inputs of a sum are parts of, where all of them are parts along the same axes.
std::map<ParallelType, BinaryOpType> commonParts(const Expr* expr, const Layouts& inputs) {
  std::map<ParallelType, BinaryOpType> common;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!expr->input(i)->isTensor() || !inputs[i] || (i > 0 && inputs[i]->partial != common)) {
      return {};
    }
    common = inputs[i]->partial;
  }
  const bool isSum = std::ranges::all_of(
      common, [](const auto& part) { return part.second == BinaryOpType::Add; });
  return isSum ? common : std::map<ParallelType, BinaryOpType>{};
}

Computation reshapeOf(const Expr* expr, const Layouts& inputs, const Layouts& outputs,
                      std::shared_ptr<const DeviceMesh> mesh) {
  const auto from = extentsOf(expr->input(0)->asTensor());
  const auto to = extentsOf(expr->output(0)->asTensor());
  TensorLayout in = replicated(mesh, from.size());
  TensorLayout out = replicated(mesh, to.size());
  if (outputs[0]) {
    if (auto wanted = reshaped(outputs[0]->dims, to, from, *mesh)) {
      in.dims = std::move(*wanted);
      out.dims = outputs[0]->dims;
    }
  } else if (inputs[0] && *inputs[0]->mesh == *mesh) {
    // As many axes as can be followed.
    std::vector<ParallelType> kept;
    for (const ParallelType axis : mesh->axes()) {
      if (inputs[0]->dimOn(axis) == -1) {
        continue;
      }
      kept.push_back(axis);
      std::vector<DimLayout> dims;
      for (const DimLayout& dim : inputs[0]->dims) {
        dims.push_back(restricted(dim, kept, *mesh));
      }
      if (auto found = reshaped(dims, from, to, *mesh)) {
        in.dims = std::move(dims);
        out.dims = std::move(*found);
      } else {
        kept.pop_back();
      }
    }
  }
  return {std::move(mesh), {std::move(in)}, {std::move(out)}, {}};
}

}  // namespace

Computation computationOf(const Expr* expr, const Layouts& inputs, const Layouts& outputs,
                          const Gathered& gathered) {
  std::shared_ptr<const DeviceMesh> mesh = meshOf(expr, inputs, outputs);
  if (expr->is<ReshapeOp>()) {
    return reshapeOf(expr, inputs, outputs, std::move(mesh));
  }
  const std::vector<IndexClass> classes = indexClasses(expr);
  Chooser chooser(expr, classes, inputs, outputs, *mesh, gathered);
  std::map<ParallelType, BinaryOpType> parts;
  if (isLinear(expr)) {
    parts = commonParts(expr, inputs);
  }
  for (const auto& [axis, operation] : parts) {
    chooser.reserve(axis);
  }
  Computation result{mesh, {}, {}, chooser.choose()};
  for (const Val* in : expr->inputs()) {
    const size_t rank = in->isTensor() ? in->asTensor()->visible().size() : 0;
    TensorLayout layout = replicated(mesh, rank);
    layout.partial = parts;
    result.inputs.push_back(std::move(layout));
  }
  for (const Val* out : expr->outputs()) {
    TensorLayout layout = replicated(mesh, out->asTensor()->visible().size());
    layout.partial = parts;
    result.outputs.push_back(std::move(layout));
  }
  for (size_t i = 0; i < classes.size(); ++i) {
    for (const IndexClass::Dim& dim : classes[i].inputs) {
      result.inputs[dim.operand].dims[dim.dim] = result.classes[i];
    }
    for (const IndexClass::Dim& dim : classes[i].outputs) {
      result.outputs[dim.operand].dims[dim.dim] = result.classes[i];
    }
    for (const ParallelType axis : axesOf(result.classes[i])) {
      if (classes[i].reduction) {
        for (TensorLayout& out : result.outputs) {
          out.partial[axis] = *classes[i].reduction;
        }
      }
    }
  }
  return result;
}

namespace {

// Whether the user said how it is divided.
bool isAnnotated(const TensorView* tv) {
  return tv->deviceMesh() != nullptr || std::ranges::any_of(tv->loop(), [](const IterDomain* id) {
           return isMeshType(id->parallelType());
         });
}

class Propagation {
 public:
  Propagation(const Fusion& fusion, const Layouts& inputs) : exprs_(fusion.tensorExprs()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]) {
        const TensorView* tv = fusion.inputs()[i]->asTensor();
        TensorLayout layout = *inputs[i];
        // Parts are combined before others than sums read them.
        layout.partial.clear();
        layouts_.emplace(tv, std::move(layout));
        given_.insert(tv);
      }
    }
    for (const TensorView* tv : fusion.tensors()) {
      if (isAnnotated(tv)) {
        TensorLayout layout = annotatedLayout(tv);
        const auto [known, isNew] = layouts_.emplace(tv, layout);
        NVF_CHECK(isNew || known->second == layout, "Expected ", tv->toString(),
                  " to be divided as ", layout.toString(), ", but got a tensor that is as ",
                  known->second.toString());
        given_.insert(tv);
      }
    }
    // What is written into an input is divided as this is.
    for (const Fusion::Output& output : fusion.outputs()) {
      if (output.alias != nullptr && layouts_.contains(output.alias)) {
        layouts_.insert_or_assign(output.tv, layouts_.at(output.alias));
        given_.insert(output.tv);
      }
    }
  }

  std::unordered_map<const TensorView*, TensorLayout> run(const Fusion& fusion) {
    // Once to find what is gathered by one of its readers, whichever that is, and then for all.
    const auto given = layouts_;
    Gathered gathered;
    for (const Expr* expr : exprs_) {
      forward(expr, &gathered);
    }
    gathered_ = std::move(gathered);
    layouts_ = given;
    for (const Expr* expr : exprs_) {
      forward(expr);
    }
    for (auto expr = exprs_.rbegin(); expr != exprs_.rend(); ++expr) {
      backward(*expr);
    }
    // Beside what is divided, and not connected with it.
    const std::vector<TensorView*> tensors = fusion.tensors();
    const auto first =
        std::ranges::find_if(tensors, [&](const TensorView* tv) { return given_.contains(tv); });
    NVF_INTERNAL_CHECK(first != tensors.end(), "no tensor has a mesh");
    const auto mesh = layouts_.at(*first).mesh;
    for (const TensorView* tv : tensors) {
      layouts_.try_emplace(tv, replicated(mesh, tv->visible().size()));
    }
    for (const Fusion::Output& output : fusion.outputs()) {
      if (output.alias != nullptr) {
        layouts_.insert_or_assign(output.tv, layouts_.at(output.alias));
      } else if (!given_.contains(output.tv)) {
        simplify(layouts_.at(output.tv));
      }
    }
    return std::move(layouts_);
  }

 private:
  std::optional<TensorLayout> known(const Val* val) const {
    const auto found = val->isTensor() ? layouts_.find(val->asTensor()) : layouts_.end();
    return found == layouts_.end() ? std::nullopt : std::optional(found->second);
  }

  Layouts all(const std::vector<Val*>& vals) const {
    Layouts result;
    for (const Val* val : vals) {
      result.push_back(known(val));
    }
    return result;
  }

  static bool isNoneKnown(const Layouts& layouts) {
    return std::ranges::none_of(layouts, [](const auto& layout) { return layout.has_value(); });
  }

  // What callers get unasked is in contiguous parts, in the order of the mesh: placements of
  // DTensors say no more.
  static void simplify(TensorLayout& layout) {
    const std::vector<ParallelType> order = layout.mesh->axes();
    for (DimLayout& dim : layout.dims) {
      std::vector<ParallelType> kept;
      auto last = order.begin();
      for (const Factor& factor : dim) {
        const auto at = std::find(last, order.end(), factor.axis);
        if (factor.isLocal() || at == order.end()) {
          break;
        }
        kept.push_back(factor.axis);
        last = at;
      }
      dim = restricted(dim, kept, *layout.mesh);
    }
  }

  // Notes what several read and this one gathers.
  static void noteGathered(const Expr* expr, const Layouts& inputs, const Computation& found,
                           Gathered& gathered) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Val* in = expr->input(i);
      if (!inputs[i] || in->uses().size() < 2 || !(*inputs[i]->mesh == *found.mesh)) {
        continue;
      }
      for (const ParallelType axis : found.mesh->axes()) {
        if (inputs[i]->dimOn(axis) != -1 && found.inputs[i].dimOn(axis) == -1) {
          gathered.insert({in->asTensor(), axis});
        }
      }
    }
  }

  void forward(const Expr* expr, Gathered* gathered = nullptr) {
    const Layouts inputs = all(expr->inputs());
    const Layouts outputs = all(expr->outputs());
    if (isNoneKnown(inputs) && isNoneKnown(outputs)) {
      return;
    }
    const Computation found = computationOf(expr, inputs, outputs, gathered_);
    if (gathered != nullptr) {
      noteGathered(expr, inputs, found, *gathered);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i]) {
        TensorLayout layout = found.outputs[i];
        layout.partial.clear();
        layouts_.emplace(expr->output(i)->asTensor(), std::move(layout));
      }
    }
  }

  void backward(const Expr* expr) {
    const Layouts outputs = all(expr->outputs());
    const Layouts inputs = all(expr->inputs());
    if (isNoneKnown(outputs) && isNoneKnown(inputs)) {
      return;
    }
    const Computation found = computationOf(expr, inputs, outputs, gathered_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!expr->input(i)->isTensor() || given_.contains(expr->input(i)->asTensor())) {
        continue;
      }
      if (!inputs[i] || inputs[i]->isReplicated()) {
        TensorLayout layout = found.inputs[i];
        layout.partial.clear();
        layouts_.insert_or_assign(expr->input(i)->asTensor(), std::move(layout));
      }
    }
  }

  std::vector<Expr*> exprs_;
  std::unordered_map<const TensorView*, TensorLayout> layouts_;
  std::unordered_set<const TensorView*> given_;
  Gathered gathered_;
};

}  // namespace

bool hasDeviceMesh(const Fusion& fusion) {
  return std::ranges::any_of(fusion.tensors(), isAnnotated);
}

std::unordered_map<const TensorView*, TensorLayout> propagateLayouts(const Fusion& fusion,
                                                                     const Layouts& inputs) {
  return Propagation(fusion, inputs).run(fusion);
}

}  // namespace nvfuser::multidevice
