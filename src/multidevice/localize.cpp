#include "multidevice/localize.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "ir/clone.h"
#include "ir/scalar.h"
#include "ir/structure.h"
#include "multidevice/collectives.h"
#include "multidevice/propagate.h"
#include "multidevice/reshard.h"
#include "multidevice/rules.h"
#include "ops/ops.h"
#include "ops/tensor_builder.h"

namespace nvfuser::multidevice {

namespace {

// As many operations in a row are computed once more at most in place of sending their result.
constexpr int kMostRecomputed = 8;

class Localizer {
 public:
  Localizer(const Fusion& whole, int64_t rank, const Layouts& inputs,
            const std::unordered_set<const Expr*>& inSteps)
      : whole_(whole),
        rank_(rank),
        inSteps_(inSteps),
        hash_(static_cast<int64_t>(structuralHash(whole) >> 1)),
        given_(inputs),
        wanted_(propagateLayouts(whole, inputs)),
        local_(std::make_shared<Fusion>()),
        guard_(local_.get()),
        cloner_(local_.get()) {}

  LocalFusion run() {
    LocalFusion result;
    for (size_t i = 0; i < whole_.inputs().size(); ++i) {
      const Val* input = whole_.inputs()[i];
      if (input->isTensor()) {
        const bool isGiven = i < given_.size() && given_[i];
        addInput(input->asTensor(), isGiven ? *given_[i] : wanted_.at(input->asTensor()));
        settle(input->asTensor());
      } else {
        local_->addInput(cloner_.clone(input));
      }
    }
    for (const Expr* expr : whole_.tensorExprs()) {
      compute(expr);
    }
    for (const Fusion::Output& output : whole_.outputs()) {
      const TensorLayout& layout = wanted_.at(output.tv);
      if (output.isVisible) {
        result.outputs.push_back(layout);
      }
      TensorView* tv = versionOf(output.tv, layout);
      if (tv == nullptr) {
        tv = placeholder(output.tv, layout);
      }
      if (output.alias != nullptr) {
        local_->addOutput(tv, inputs_.at(output.alias));
      } else {
        local_->addOutput(tv);
      }
    }
    if (isUneven_) {
      keepCommunications();
    }
    result.isUniform = !isUneven_;
    result.groups = groupsOfSteps();
    result.fusion = std::move(local_);
    result.communications = std::move(communications_);
    return result;
  }

 private:
  // A device takes part also in what only others have a use for.
  void keepCommunications() {
    const std::vector<Expr*> needed = local_->tensorExprs();
    const std::unordered_set<const Expr*> used(needed.begin(), needed.end());
    for (Expr* expr : local_->allExprs()) {
      const auto* call = expr->as<LibraryOp>();
      if (call != nullptr && call->type() == LibraryOpType::Wait && !used.contains(expr)) {
        local_->addHiddenOutput(expr->output(0)->asTensor());
      }
    }
  }

  struct Version {
    TensorLayout layout;
    // Null on devices that are not in the mesh.
    TensorView* tv = nullptr;
  };

  bool isMember(const DeviceMesh& mesh) const { return mesh.contains(rank_); }
  Team teamWith(const std::vector<int64_t>& ranks) { return {teamNumber(ranks), hash_, &last_}; }
  // As others read it.
  const TensorLayout& layoutOf(const Val* tensor) const {
    return versions_.at(tensor->asTensor()).front().layout;
  }
  Layouts layoutsOf(const std::vector<Val*>& inputs) const {
    Layouts layouts;
    for (const Val* in : inputs) {
      layouts.push_back(in->isTensor() ? std::optional(layoutOf(in)) : std::nullopt);
    }
    return layouts;
  }

  // What a device has of an extent.
  Val* localExtent(Val* extent, int64_t divisor) {
    if (divisor == 1) {
      return cloner_.clone(static_cast<const Val*>(extent));
    }
    if (const auto known = localExtents_.find({extent, divisor}); known != localExtents_.end()) {
      return known->second;
    }
    if (extent->isConstInt()) {
      NVF_CHECK(extent->constInt() % divisor == 0,
                "Sharded axis must be evenly divisble by mesh: ", divisor,
                " devices do not divide the extent ", extent->constInt());
      return scalar::constant(local_.get(), extent->constInt() / divisor);
    }
    return scalar::div(cloner_.clone(static_cast<const Val*>(extent)),
                       scalar::constant(local_.get(), divisor));
  }

  std::vector<Val*> localShape(const TensorView* whole, const TensorLayout& layout) {
    std::vector<Val*> shape;
    const std::vector<IterDomain*> visible = whole->visible();
    for (size_t i = 0; i < visible.size(); ++i) {
      shape.push_back(localExtent(visible[i]->visibleExtent(), layout.divisor(i)));
    }
    return shape;
  }

  // A dimension with the extent that a device has of it.
  IterDomain* localDimension(const IterDomain* id, int64_t divisor) {
    IterDomain::Options options = id->options();
    options.parallelType = ParallelType::Serial;
    if (id->hasExpandedExtent()) {
      options.expandedExtent = localExtent(id->expandedExtent(), divisor);
      return local_->create<IterDomain>(local_->one(), options);
    }
    return local_->create<IterDomain>(localExtent(id->extent(), divisor), options);
  }

  void addInput(const TensorView* whole, const TensorLayout& layout) {
    std::map<const IterDomain*, IterDomain*> dimensions;
    const std::vector<IterDomain*> visible = whole->visible();
    for (size_t i = 0; i < visible.size(); ++i) {
      const int64_t divisor = layout.divisor(i);
      Val* extent = visible[i]->visibleExtent();
      // The sizes of arguments are those that the device has.
      if (divisor > 1 && !extent->isConst() && !cloner_.contains(extent)) {
        Val* own = local_->create<Val>(DataType::Index);
        localExtents_[{extent, divisor}] = own;
        cloner_.substitute(extent, scalar::mul(own, scalar::constant(local_.get(), divisor)));
      }
      dimensions[visible[i]] = localDimension(visible[i], divisor);
    }
    TensorView* tv = makeTensor(whole, dimensions);
    tv->setMemoryType(MemoryType::Global);
    local_->addInput(tv);
    inputs_[whole] = tv;
    // Others pass something of this shape.
    versions_[whole].push_back({layout, isMember(*layout.mesh) ? tv : nullptr});
  }

  // With the domains that stand for those of `whole`.
  TensorView* makeTensor(const TensorView* whole,
                         std::map<const IterDomain*, IterDomain*>& dimensions) {
    const auto localOf = [&](const std::vector<IterDomain*>& domains) {
      std::vector<IterDomain*> result;
      for (const IterDomain* id : domains) {
        IterDomain*& known = dimensions[id];
        if (known == nullptr) {
          known = cloner_.clone(id);
        }
        result.push_back(known);
      }
      return result;
    };
    for (const auto& [id, own] : dimensions) {
      cloner_.substitute(id, own);
    }
    std::vector<IterDomain*> root = localOf(whole->root());
    std::vector<IterDomain*> logical = localOf(whole->logical());
    std::vector<IterDomain*> order = memoryOrder(whole);
    std::vector<IterDomain*> allocation = order.empty() ? order : localOf(order);
    auto contiguity =
        order.empty() && !whole->domain()->hasAllocation()
            ? whole->domain()->contiguity()
            : TensorDomain::fullContiguity(order.empty() ? logical : allocation, true);
    std::vector<IterDomain*> loop = scatterOf(whole) != nullptr ? root : logical;
    auto* domain =
        local_->create<TensorDomain>(std::move(root), std::move(logical), std::move(allocation),
                                     std::move(loop), std::move(contiguity));
    auto* tv = local_->create<TensorView>(domain, whole->dtype());
    tv->setCpuScalar(whole->isCpuScalar());
    return tv;
  }

  // The one of these dimensions that another domain is, or is made of by splits alone; else null.
  static IterDomain* splitFrom(const IterDomain* id, const std::vector<IterDomain*>& dimensions) {
    for (;;) {
      if (const auto at = std::ranges::find(dimensions, id); at != dimensions.end()) {
        return *at;
      }
      const auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
      if (split == nullptr) {
        return nullptr;
      }
      id = split->in();
    }
  }

  // The dimensions of a tensor as they lie in memory, where that is another order; a dimension that
  // is divided lies where the first part of it is that devices have.
  static std::vector<IterDomain*> memoryOrder(const TensorView* whole) {
    std::vector<IterDomain*> order;
    if (!whole->domain()->hasAllocation()) {
      return order;
    }
    for (const IterDomain* part : whole->domain()->allocation()) {
      if (isMeshType(part->parallelType())) {
        continue;
      }
      IterDomain* id = splitFrom(part, whole->logical());
      NVF_CHECK(id != nullptr, "Expected the allocation domain of ", whole->toString(),
                ", which is divided among devices, to be made of its dimensions by splits alone");
      if (std::ranges::find(order, id) == order.end()) {
        order.push_back(id);
      }
    }
    // Dimensions of which a device has one element.
    for (IterDomain* id : whole->logical()) {
      if (std::ranges::find(order, id) == order.end()) {
        order.insert(order.begin(), id);
      }
    }
    return order == whole->logical() ? std::vector<IterDomain*>{} : order;
  }

  // The tensor divided as `layout`, null where this device is not in its mesh.
  TensorView* versionOf(const TensorView* whole, const TensorLayout& layout) {
    if (const std::optional<TensorView*> known = knownOrRecomputed(whole, layout)) {
      return *known;
    }
    const std::vector<Version>& known = versions_.at(whole);
    const auto isOnMesh = [&](const Version& v) { return *v.layout.mesh == *layout.mesh; };
    // What every device has is sliced at no cost.
    const auto everywhere = std::ranges::find_if(
        known, [&](const Version& v) { return isOnMesh(v) && v.layout.isReplicated(); });
    const auto sameMesh = std::ranges::find_if(known, isOnMesh);
    const Version from = everywhere != known.end() ? *everywhere
                         : sameMesh != known.end() ? *sameMesh
                                                   : transfer(whole, layout.mesh);
    TensorLayout now = from.layout;
    TensorView* tv = from.tv;
    for (const ReshardStep& step : reshardSteps(from.layout, layout)) {
      communications_.push_back(concatenate("T", whole->name(), ": ", step.toString()));
      tv = tv == nullptr ? nullptr : reshard(tv, now, step, {rank_, hash_, &last_});
      now = step.after;
    }
    versions_.at(whole).push_back({layout, tv});
    return tv;
  }

  // The tensor divided as `layout` where it is so already, or each device can compute that once
  // more of what it has; it is null on devices that are not in the mesh.
  std::optional<TensorView*> knownOrRecomputed(const TensorView* whole, const TensorLayout& layout,
                                               int depth = 0) {
    const std::vector<Version>& known = versions_.at(whole);
    const auto found = std::ranges::find(known, layout, &Version::layout);
    if (found != known.end()) {
      if (depth > 0) {
        reads_[whole].push_back({layout, nullptr});
      }
      return found->tv;
    }
    const Expr* expr = whole->definition();
    if (expr == nullptr || depth == kMostRecomputed || !isCheap(expr) || !layout.partial.empty()) {
      return std::nullopt;
    }
    const Computation computation = computationOf(expr, layoutsOf(expr->inputs()), {layout});
    if (!(computation.outputs[0] == layout)) {
      return std::nullopt;
    }
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (expr->input(i)->isTensor() &&
          !knownOrRecomputed(expr->input(i)->asTensor(), computation.inputs[i], depth + 1)) {
        return std::nullopt;
      }
    }
    TensorView* tv = isMember(*layout.mesh) ? createFrom(expr, computation).front() : nullptr;
    versions_.at(whole).push_back({layout, tv});
    return tv;
  }

  // Operations that other kernels take in, element by element.
  static bool isCheap(const Expr* expr) {
    return expr->outputs().size() == 1 &&
           (expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
            expr->is<LoadStoreOp>() || expr->is<ReshapeOp>() || expr->is<BroadcastOp>() ||
            expr->is<SqueezeOp>());
  }

  // All of a tensor on another mesh: from the first device that has all of it.
  Version transfer(const TensorView* whole, const std::shared_ptr<const DeviceMesh>& mesh) {
    const std::shared_ptr<const DeviceMesh> source = versions_.at(whole).front().layout.mesh;
    const TensorLayout everywhere = replicated(source, whole->visible().size());
    TensorView* tv = versionOf(whole, everywhere);
    const int64_t sender = source->ranks().front();
    std::vector<int64_t> team{sender};
    for (const int64_t rank : mesh->ranks()) {
      if (!source->contains(rank)) {
        team.push_back(rank);
      }
    }
    const TensorLayout layout = replicated(mesh, whole->visible().size());
    communications_.push_back(concatenate("T", whole->name(), ": broadcast from rank ", sender,
                                          " to ", mesh->toString()));
    isUneven_ = true;
    const bool isInTeam = std::ranges::find(team, rank_) != team.end();
    if (isInTeam && team.size() > 1) {
      TensorView* sent = tv != nullptr ? tv : placeholder(whole, layout);
      TensorView* received = broadcastFrom(sent, teamWith(team), 0);
      if (isMember(*mesh) && tv == nullptr) {
        tv = received;
      }
    }
    Version version{layout, isMember(*mesh) ? tv : nullptr};
    versions_.at(whole).push_back(version);
    return version;
  }

  // On devices that have nothing of a tensor: zeros of the shape that others have.
  TensorView* placeholder(const TensorView* whole, const TensorLayout& layout) {
    return ops::full(localShape(whole, layout), ops::zeroOf(local_.get(), whole->dtype()),
                     whole->dtype());
  }

  void compute(const Expr* expr) {
    Layouts outputs;
    for (const Val* out : expr->outputs()) {
      outputs.emplace_back(wanted_.at(out->asTensor()));
    }
    const Computation computation = computationOf(expr, layoutsOf(expr->inputs()), outputs);
    const std::optional<Steps> steps = stepsOf(expr, computation);
    const std::optional<Steps> possible =
        steps ? std::nullopt : findSteps(expr, computation, std::nullopt);
    const std::vector<TensorLayout>& inputs = steps ? steps->inputs : computation.inputs;
    // Also on devices that only send what others read.
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (expr->input(i)->isTensor()) {
        read(expr, i, inputs[i], possible);
      }
    }
    std::vector<TensorView*> results(expr->outputs().size(), nullptr);
    if (isMember(*computation.mesh)) {
      results = steps ? std::vector{computeInSteps(expr, *steps)} : createFrom(expr, computation);
    }
    if (possible && results[0] != nullptr) {
      addToGroup(expr, *possible, computation, results[0]);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const auto* out = expr->output(i)->asTensor();
      versions_[out].push_back({steps ? steps->after : computation.outputs[i], results[i]});
      settle(out);
    }
  }

  // A product with a loop of the parallel type Stream is computed in as many steps as there are
  // devices along an axis, so that one step's part is sent while another one is computed.
  struct Steps {
    // Of the product of a part of the operand.
    Computation part;
    // How the inputs are divided in front of the first step.
    std::vector<TensorLayout> inputs;
    // How the result is divided.
    TensorLayout after;
    IndexClass::Dim operand;
    size_t dim = 0;
    ParallelType axis = ParallelType::Serial;
    // Whether the operand's parts come from the others; else the result's go to them.
    bool isGathered = false;
  };

  // The dimension of which a loop is of the parallel type Stream, none without.
  static std::optional<size_t> streamedDim(const TensorView* tv) {
    for (const IterDomain* id : tv->loop()) {
      if (id->parallelType() != ParallelType::Stream) {
        continue;
      }
      const std::vector<IterDomain*> visible = tv->visible();
      const auto at = std::ranges::find(visible, splitFrom(id, visible));
      NVF_CHECK(at != visible.end(), "Expected the stream loop of ", tv->toString(),
                " to be a dimension, or made of one by splits alone");
      return static_cast<size_t>(at - visible.begin());
    }
    return std::nullopt;
  }

  // Those that the user asked for, or that pay.
  std::optional<Steps> stepsOf(const Expr* expr, const Computation& computation) const {
    if (!isProduct(expr)) {
      return std::nullopt;
    }
    const std::optional<size_t> streamed = streamedDim(expr->output(0)->asTensor());
    return streamed || inSteps_.contains(expr) ? findSteps(expr, computation, streamed)
                                               : std::nullopt;
  }

  static bool isProduct(const Expr* expr) {
    const auto* call = expr->as<LibraryOp>();
    return call != nullptr &&
           (call->type() == LibraryOpType::Matmul || call->type() == LibraryOpType::Linear);
  }

  // Along a dimension of the result, or any. Null where there is nothing to send, or other than in
  // contiguous parts.
  std::optional<Steps> findSteps(const Expr* expr, const Computation& computation,
                                 std::optional<size_t> streamed) const {
    if (!isProduct(expr)) {
      return std::nullopt;
    }
    const auto* out = expr->output(0)->asTensor();
    const std::vector<IndexClass> classes = indexClasses(expr);
    for (size_t c = 0; c < classes.size(); ++c) {
      if (classes[c].outputs.size() != 1 || classes[c].inputs.size() != 1) {
        continue;
      }
      const std::optional<size_t> dim = classes[c].outputs[0].dim;
      if (streamed && dim != streamed) {
        continue;
      }
      const IndexClass::Dim operand = classes[c].inputs[0];
      const auto* in = expr->input(operand.operand)->asTensor();
      const TensorLayout& now = layoutOf(in);
      Steps steps{computation, computation.inputs, computation.outputs[0], operand, *dim};
      const std::vector<ReshardStep> gather =
          *now.mesh == *computation.mesh ? reshardSteps(now, computation.inputs[operand.operand])
                                         : std::vector<ReshardStep>();
      const DimLayout& wanted = wanted_.at(out).dims[*dim];
      if (gather.size() == 1 && gather[0].kind == ReshardStep::Kind::AllGather &&
          now.dimOn(gather[0].axis) == static_cast<int64_t>(operand.dim) &&
          isContiguousAlong(now.dims[operand.dim], gather[0].axis)) {
        steps.isGathered = true;
        steps.axis = gather[0].axis;
        steps.inputs[operand.operand] = now;
        divideClass(steps.part, classes[c], c, now.dims[operand.dim]);
        return steps;
      }
      for (const auto& [axis, operation] : computation.outputs[0].partial) {
        if (computation.outputs[0].dims[*dim].empty() && isContiguousAlong(wanted, axis) &&
            isCombinedByCollective(operation, out->dtype())) {
          steps.axis = axis;
          steps.inputs[operand.operand].dims[operand.dim].clear();
          divideClass(steps.part, classes[c], c, wanted);
          steps.after = steps.part.outputs[0];
          steps.after.partial.erase(axis);
          return steps;
        }
      }
    }
    return std::nullopt;
  }

  // Has an input of an expression divided as the expression reads it.
  void read(const Expr* expr, size_t input, const TensorLayout& layout,
            const std::optional<Steps>& possible) {
    const auto* tv = expr->input(input)->asTensor();
    const size_t sent = communications_.size();
    versionOf(tv, layout);
    reads_[tv].push_back({layout, expr});
    if (possible && possible->isGathered && possible->operand.operand == input &&
        communications_.size() == sent + 1) {
      gathered_.insert({tv, possible->axis});
    }
  }

  // Notes that a product could be computed in steps.
  void addToGroup(const Expr* expr, const Steps& steps, const Computation& computation,
                  TensorView* result) {
    const auto* in = expr->input(steps.operand.operand)->asTensor();
    if (steps.isGathered && !gathered_.contains({in, steps.axis})) {
      // All have it already, or compute it.
      return;
    }
    const auto same = std::ranges::find_if(groups_, [&](const PossibleGroup& known) {
      return steps.isGathered && known.steps.isGathered && known.tensor == in &&
             known.layout == computation.inputs[steps.operand.operand];
    });
    PossibleGroup& group =
        same != groups_.end()
            ? *same
            : groups_.emplace_back(PossibleGroup{
                  steps,
                  steps.isGathered ? in : expr->output(0)->asTensor(),
                  steps.isGathered ? computation.inputs[steps.operand.operand] : steps.after,
                  {}});
    group.found.products.push_back(expr);
    group.found.isGathered = steps.isGathered;
    group.found.devices = computation.mesh->extent(steps.axis);
    group.found.operand = steps.isGathered ? versionOf(in, layoutOf(in)) : nullptr;
    const TensorView* left = versionOf(expr->input(0)->asTensor(), computation.inputs[0]);
    const auto* out = expr->output(0)->asTensor();
    const bool isCopied =
        steps.isGathered && (isOutput(out) || !std::ranges::all_of(out->uses(), isElementwise));
    group.found.computed.push_back({result, left->visible().back()->visibleExtent(), isCopied});
  }

  static bool isElementwise(const Expr* expr) {
    return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>();
  }

  // The groups that leave nothing to gather or scatter when they are computed in steps.
  std::vector<StepGroup> groupsOfSteps() {
    std::vector<StepGroup> groups;
    for (PossibleGroup& group : groups_) {
      const std::vector<Read>& reads = reads_[group.tensor];
      const bool isGathered = group.steps.isGathered;
      const bool isRead = std::ranges::all_of(reads, [&](const Read& read) {
        const std::vector<const Expr*>& products = group.found.products;
        const bool isOfGroup = std::ranges::find(products, read.by) != products.end();
        return isGathered ? isOfGroup || !(read.layout == group.layout)
                          : read.layout == group.layout;
      });
      // What is scattered has been a sum and its parts, and nothing else.
      const bool isScattered = isGathered || (group.layout == wanted_.at(group.tensor) &&
                                              versions_.at(group.tensor).size() == 2);
      if (isRead && isScattered) {
        groups.push_back(std::move(group.found));
      }
    }
    return groups;
  }

  // Divided along this axis alone, in contiguous parts.
  static bool isContiguousAlong(const DimLayout& dim, ParallelType axis) {
    return !dim.empty() && dim.front() == onAxis(axis) && axesOf(dim).size() == 1;
  }

  static void divideClass(Computation& computation, const IndexClass& index, size_t number,
                          const DimLayout& layout) {
    computation.classes[number] = layout;
    for (const IndexClass::Dim& dim : index.inputs) {
      computation.inputs[dim.operand].dims[dim.dim] = layout;
    }
    for (const IndexClass::Dim& dim : index.outputs) {
      computation.outputs[dim.operand].dims[dim.dim] = layout;
    }
  }

  TensorView* computeInSteps(const Expr* expr, const Steps& steps) {
    isUneven_ = true;
    std::vector<Val*> inputs = versionsOf(expr, steps.inputs);
    return steps.isGathered ? gatherInSteps(expr, steps, std::move(inputs))
                            : scatterInSteps(expr, steps, std::move(inputs));
  }

  // The devices of a ring, and the number of this one.
  struct Ring {
    std::vector<int64_t> line;
    size_t own = 0;
    // The device so many steps before this one.
    size_t before(size_t steps) const {
      return (own + line.size() - steps % line.size()) % line.size();
    }
  };
  Ring ringOf(const Steps& steps) const {
    Ring ring{steps.part.mesh->line(rank_, steps.axis), 0};
    ring.own = static_cast<size_t>(std::ranges::find(ring.line, rank_) - ring.line.begin());
    return ring;
  }

  // What each device has of an operand, as it comes around the ring: products of one operand share
  // that.
  const std::vector<TensorView*>& partsInRing(TensorView* own, const Ring& ring, const Val* whole,
                                              ParallelType axis) {
    std::vector<TensorView*>& parts = received_[{own, axis}];
    if (!parts.empty()) {
      return parts;
    }
    parts.resize(ring.line.size());
    parts[ring.own] = own;
    TensorView* passed = own;
    for (size_t step = 1; step < ring.line.size(); ++step) {
      communications_.push_back(
          concatenate("T", whole->name(), ": step ", step, " of a ring along ", axis));
      passed = shift(passed, teamWith(ring.line));
      parts[ring.before(step)] = passed;
    }
    return parts;
  }

  // The product of each device's part as it comes, the own one first.
  TensorView* gatherInSteps(const Expr* expr, const Steps& steps, std::vector<Val*> inputs) {
    Val*& operand = inputs[steps.operand.operand];
    const Ring ring = ringOf(steps);
    const std::vector<TensorView*>& parts =
        partsInRing(operand->asTensor(), ring, expr->input(steps.operand.operand), steps.axis);
    std::vector<TensorView*> products(parts.size());
    for (size_t step = 0; step < parts.size(); ++step) {
      const size_t part = ring.before(step);
      operand = parts[part];
      products[part] = create(expr, steps.part, inputs).front();
    }
    return ops::cat(products, static_cast<int64_t>(steps.dim));
  }

  // The part of each device as a sum that comes around the ring and ends there: each device adds
  // its product of the part while the next product is computed.
  TensorView* scatterInSteps(const Expr* expr, const Steps& steps, std::vector<Val*> inputs) {
    Val*& operand = inputs[steps.operand.operand];
    TensorView* all = operand->asTensor();
    const Ring ring = ringOf(steps);
    const BinaryOpType operation = steps.part.outputs[0].partial.at(steps.axis);
    std::vector<Val*> starts(static_cast<size_t>(all->ndim()), local_->zero());
    std::vector<Val*> ends = extentsOf(all);
    Val* length =
        scalar::div(ends[steps.operand.dim],
                    scalar::constant(local_.get(), static_cast<int64_t>(ring.line.size())));
    TensorView* sum = nullptr;
    for (size_t step = 1; step <= ring.line.size(); ++step) {
      const auto part = static_cast<int64_t>(ring.before(step));
      starts[steps.operand.dim] = scalar::mul(length, scalar::constant(local_.get(), part));
      ends[steps.operand.dim] = scalar::mul(length, scalar::constant(local_.get(), part + 1));
      operand = ops::slice(all, starts, ends);
      TensorView* passed = nullptr;
      if (sum != nullptr) {
        communications_.push_back(concatenate("T", expr->output(0)->name(), ": step ", step - 1,
                                              " of a ring along ", steps.axis));
        passed = shift(sum, teamWith(ring.line));
      }
      TensorView* product = create(expr, steps.part, inputs).front();
      sum = passed == nullptr ? product : combined(operation, passed, product);
    }
    return sum;
  }

  static TensorView* combined(BinaryOpType operation, TensorView* a, TensorView* b) {
    const DataType dtype = a->dtype();
    if (!isReducedPrecision(dtype)) {
      return ops::binary(operation, a, b);
    }
    return ops::cast(
        ops::binary(operation, ops::cast(a, DataType::Float), ops::cast(b, DataType::Float)),
        dtype);
  }

  // Where others read it, a tensor is divided as it shall be; parts that are combined later stay.
  void settle(const TensorView* out) {
    const TensorLayout& natural = versions_.at(out).front().layout;
    const TensorLayout& wanted = wanted_.at(out);
    const bool staysPartial = !natural.partial.empty() && out->uses().size() == 1 &&
                              isLinear(out->uses().front()) && *natural.mesh == *wanted.mesh &&
                              !isOutput(out);
    if (staysPartial || natural == wanted) {
      return;
    }
    versionOf(out, wanted);
    // Now the first one: what others are made of.
    std::vector<Version>& known = versions_.at(out);
    std::swap(known.front(), *std::ranges::find(known, wanted, &Version::layout));
  }

  bool isOutput(const TensorView* tv) const {
    return std::ranges::find(whole_.outputs(), tv, &Fusion::Output::tv) != whole_.outputs().end();
  }

  // The operation on versions of its inputs that there are.
  std::vector<TensorView*> createFrom(const Expr* expr, const Computation& computation) {
    return create(expr, computation, versionsOf(expr, computation.inputs));
  }

  // Of one tensor there may be several.
  std::vector<Val*> versionsOf(const Expr* expr, const std::vector<TensorLayout>& layouts) {
    std::vector<Val*> inputs;
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const Val* in = expr->input(i);
      inputs.push_back(in->isTensor() ? versionOf(in->asTensor(), layouts[i]) : cloner_.clone(in));
    }
    return inputs;
  }

  // The operation on what the device has.
  std::vector<TensorView*> create(const Expr* expr, const Computation& computation,
                                  const std::vector<Val*>& inputs) {
    if (expr->is<ReshapeOp>()) {
      return {ops::reshape(inputs[0]->asTensor(),
                           localShape(expr->output(0)->asTensor(), computation.outputs[0]))};
    }
    if (const auto* slice = expr->as<SliceOp>()) {
      return {createSlice(slice, computation, inputs[0]->asTensor())};
    }
    std::map<const IterDomain*, int64_t> divisors;
    const std::vector<IndexClass> classes = indexClasses(expr);
    for (size_t i = 0; i < classes.size(); ++i) {
      int64_t divisor = 1;
      for (const ParallelType axis : axesOf(computation.classes[i])) {
        divisor *= computation.mesh->extent(axis);
      }
      for (const IterDomain* id : classes[i].domains) {
        divisors[id] = divisor;
      }
    }
    if (const std::optional<std::vector<int64_t>> dims = dimsOfOne(expr, divisors)) {
      std::vector<Val*> shape = extentsOf(inputs[0]->asTensor());
      for (const int64_t dim : std::views::reverse(*dims)) {
        shape.erase(shape.begin() + dim);
      }
      return {ops::reshape(inputs[0]->asTensor(), shape)};
    }
    std::vector<TensorView*> results;
    for (const Val* out : expr->outputs()) {
      const auto* whole = out->asTensor();
      std::map<const IterDomain*, IterDomain*> dimensions;
      for (const IterDomain* id : whole->maybeRoot()) {
        const auto known = divisors.find(id);
        dimensions[id] = localDimension(id, known == divisors.end() ? 1 : known->second);
      }
      results.push_back(makeTensor(whole, dimensions));
      cloner_.substitute(whole, results.back());
    }
    if (expr->is<ExpandOp>()) {
      local_->create<ExpandOp>(results[0], inputs[0], extentsOf(results[0]));
    } else {
      cloner_.cloneOf(expr, inputs);
    }
    return results;
  }

  // The dimensions that a reduction combines, where a device has one element along each of them:
  // then there is nothing to combine.
  static std::optional<std::vector<int64_t>> dimsOfOne(
      const Expr* expr, const std::map<const IterDomain*, int64_t>& divisors) {
    const auto* reduction = expr->as<ReductionOp>();
    if (reduction == nullptr || !isCombinedAsIs(reduction->type())) {
      return std::nullopt;
    }
    std::vector<int64_t> dims;
    const std::vector<IterDomain*>& domains = expr->output(0)->asTensor()->maybeRoot();
    for (size_t i = 0; i < domains.size(); ++i) {
      if (!domains[i]->isReduction()) {
        continue;
      }
      const auto divisor = divisors.find(domains[i]);
      if (divisor == divisors.end() || divisor->second == 1 ||
          !domains[i]->extent()->isConstInt(divisor->second)) {
        return std::nullopt;
      }
      dims.push_back(static_cast<int64_t>(i));
    }
    return dims;
  }
  static bool isCombinedAsIs(BinaryOpType operation) {
    return operation == BinaryOpType::Add || operation == BinaryOpType::Mul ||
           operation == BinaryOpType::Maximum || operation == BinaryOpType::Minimum;
  }

  // Of dimensions that are divided a device takes all it has.
  TensorView* createSlice(const SliceOp* slice, const Computation& computation, TensorView* in) {
    std::vector<Val*> starts;
    std::vector<Val*> ends = extentsOf(in);
    for (size_t i = 0; i < ends.size(); ++i) {
      const bool isDivided = !axesOf(computation.inputs[0].dims[i]).empty();
      starts.push_back(isDivided ? local_->zero()
                                 : cloner_.clone(static_cast<const Val*>(slice->start(i))));
      ends[i] = isDivided ? ends[i] : cloner_.clone(static_cast<const Val*>(slice->end(i)));
    }
    return ops::slice(in, starts, ends);
  }

  const Fusion& whole_;
  int64_t rank_;
  // What is computed in steps although its user did not ask for it.
  const std::unordered_set<const Expr*>& inSteps_;
  int64_t hash_;
  // What the last operation among processes writes.
  TensorView* last_ = nullptr;
  const Layouts& given_;
  std::unordered_map<const TensorView*, TensorLayout> wanted_;
  std::shared_ptr<Fusion> local_;
  FusionGuard guard_;
  Cloner cloner_;
  // Of every tensor, the first one is what the others are made of.
  std::unordered_map<const TensorView*, std::vector<Version>> versions_;
  // As the caller passes them.
  std::unordered_map<const TensorView*, TensorView*> inputs_;
  std::map<std::pair<const Val*, int64_t>, Val*> localExtents_;
  // Parts of operands that came around a ring.
  std::map<std::pair<const TensorView*, ParallelType>, std::vector<TensorView*>> received_;
  // Products that could be, and the layout that their operand is gathered to or their result is
  // scattered to.
  struct PossibleGroup {
    Steps steps;
    const TensorView* tensor = nullptr;
    TensorLayout layout;
    StepGroup found;
  };
  std::vector<PossibleGroup> groups_;
  // Operands that were gathered along an axis for a product.
  std::set<std::pair<const TensorView*, ParallelType>> gathered_;
  // How expressions read tensors; null for one that is computed once more.
  struct Read {
    TensorLayout layout;
    const Expr* by = nullptr;
  };
  std::unordered_map<const TensorView*, std::vector<Read>> reads_;
  // Whether devices communicate what only some of them read.
  bool isUneven_ = false;
  std::vector<std::string> communications_;
};

}  // namespace

LocalFusion localize(const Fusion& fusion, int64_t rank, const Layouts& inputs,
                     const std::unordered_set<const Expr*>& inSteps) {
  return Localizer(fusion, rank, inputs, inSteps).run();
}

}  // namespace nvfuser::multidevice
