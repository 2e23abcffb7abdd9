#include "runtime/fusion_class.h"

#include <algorithm>
#include <atomic>
#include <fstream>

#include "core/error.h"
#include "core/options.h"
#include "ir/memory_orders.h"
#include "ir/passes.h"
#include "ir/structure.h"
#include "multidevice/exchange.h"
#include "ops/creation.h"
#include "ops/tensor_builder.h"
#include "runtime/known_sizes.h"
#include "runtime/overlap.h"
#include "runtime/planning/views.h"
#include "schedule/check.h"
#include "schedule/heuristics/one_pass.h"
#include "schedule/heuristics/scatters.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {

namespace {

bool isElementwiseOrCopy(const Expr* expr) {
  return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
         (expr->is<LoadStoreOp>() && !expr->output(0)->asTensor()->domain()->hasRoot());
}

}  // namespace

bool readsOnlyInPlace(const TensorView* input) {
  std::unordered_set<const Val*> seen{input};
  std::vector<const TensorView*> stack{input};
  while (!stack.empty()) {
    const TensorView* tv = stack.back();
    stack.pop_back();
    for (const Expr* use : tv->uses()) {
      if (!isElementwiseOrCopy(use)) {
        return false;
      }
      for (const Val* out : use->outputs()) {
        if (out->asTensor()->visible().size() != input->visible().size()) {
          return false;
        }
        if (seen.insert(out).second) {
          stack.push_back(out->asTensor());
        }
      }
    }
  }
  return true;
}

bool sameDimensions(const TensorView* a, const TensorView* b) {
  const auto x = a->visible();
  const auto y = b->visible();
  if (x.size() != y.size()) {
    return false;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i]->isBroadcast() != y[i]->isBroadcast() || x[i]->hasExpandedExtent() ||
        y[i]->hasExpandedExtent()) {
      return false;
    }
  }
  return true;
}

bool isReadBefore(const TensorView* input, const TensorView* output) {
  std::unordered_set<const Expr*> before;
  std::vector<const Val*> stack{output};
  while (!stack.empty()) {
    const Expr* expr = stack.back()->definition();
    stack.pop_back();
    if (expr != nullptr && before.insert(expr).second) {
      stack.insert(stack.end(), expr->inputs().begin(), expr->inputs().end());
    }
  }
  return std::ranges::all_of(input->uses(), [&](Expr* use) { return before.contains(use); });
}

namespace {

// ---------------------------------------------------------------- values that the host reads

DataType literalType(DataType dtype) {
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return DataType::Bool;
    case TypeKind::Integral:
      return DataType::Int;
    case TypeKind::Floating:
      return DataType::Double;
    default:
      return DataType::ComplexDouble;
  }
}

// What the host's tensors alone compute, which would make it tensors of the host, too.
std::unordered_set<const Val*> hostResults(const Fusion& fusion,
                                           const std::unordered_set<const Val*>& hostInputs) {
  std::unordered_set<const Val*> results = hostInputs;
  for (const Expr* expr : fusion.tensorExprs()) {
    bool readsTensor = false;
    const bool isHost = std::ranges::all_of(expr->inputs(), [&](const Val* in) {
      readsTensor = readsTensor || in->isTensor();
      return !in->isTensor() || results.contains(in);
    });
    for (const Val* out : expr->outputs()) {
      if (isHost && readsTensor && out->asTensor()->isZeroDim()) {
        results.insert(out);
      }
    }
  }
  return results;
}

// Kernels cannot read host memory: each of these inputs becomes a tensor that is filled with a
// scalar argument.
void readOnHost(FusionClass& fusionClass, std::span<const size_t> positions) {
  Fusion* fusion = fusionClass.concrete.fusion.get();
  std::unordered_set<const Val*> hostInputs;
  for (const size_t i : positions) {
    hostInputs.insert(fusion->inputs()[i]);
  }
  const std::unordered_set<const Val*> results = hostResults(*fusion, hostInputs);
  for (const Fusion::Output& output : fusion->outputs()) {
    NVF_CHECK(output.alias == nullptr || !hostInputs.contains(output.alias), "The input ",
              output.alias->toString(), " is updated in place, but is a tensor on the CPU");
    NVF_CHECK(output.tv->isFusionInput() || !results.contains(output.tv),
              "KernelExecutor does not support the Fusion provided. The output ",
              output.tv->toString(),
              " is computed from 0-dim CPU tensors only, in a fusion that "
              "runs on ",
              toString(fusionClass.device));
  }
  const FusionGuard guard(fusion);
  for (const size_t i : positions) {
    TensorView* input = fusion->inputs()[i]->asTensor();
    const std::vector<Expr*> uses = input->uses();
    auto* value = fusion->create<Val>(literalType(input->dtype()));
    fusionClass.hostScalars[value] = i;
    TensorView* filled = ops::full(std::span<Val* const>{}, value, input->dtype());
    for (Expr* use : uses) {
      fusion->replaceInput(use, input, filled);
    }
  }
}

// ---------------------------------------------------------------- updates in place

bool isDirect(const FusionClass& fusionClass, const Fusion::Output& update) {
  const auto direct = fusionClass.directUpdates.find(update.tv);
  return direct != fusionClass.directUpdates.end() && direct->second == update.alias;
}

// Whether nothing but `target` is computed from `input`.
bool leadsOnlyTo(const TensorView* input, const TensorView* target) {
  std::unordered_set<const Val*> seen{input};
  std::vector<const Val*> stack{input};
  while (!stack.empty()) {
    const Val* val = stack.back();
    stack.pop_back();
    for (const Expr* use : val->uses()) {
      for (const Val* out : use->outputs()) {
        if (out == target ? !target->uses().empty() : out->isFusionOutput()) {
          return false;
        }
        if (seen.insert(out).second) {
          stack.push_back(out);
        }
      }
    }
  }
  return true;
}

// Whether the kernel that computes `update.tv` may write it into its input at once: what reads the
// input is computed before, and by whoever writes that position. Other than pointwise kernels may
// compute tensors twice, so there the input must not be read for anything else.
bool canBeDirect(const Fusion::Output& update, bool isPointwise) {
  // What is scattered into what nothing else reads leaves the rest as it is.
  const ScatterOp* scatter = scatterOf(update.tv);
  const bool isScattered =
      scatter != nullptr && scatter->in() == update.alias && update.alias->uses().size() == 1;
  return update.tv->dtype() == update.alias->dtype() &&
         update.tv->dtype() != DataType::Float4_e2m1fn && !update.tv->hasReduction() &&
         sameDimensions(update.tv, update.alias) &&
         (isScattered || (readsOnlyInPlace(update.alias) && isReadBefore(update.alias, update.tv) &&
                          (isPointwise || leadsOnlyTo(update.alias, update.tv))));
}

void chooseDirectUpdates(FusionClass& fusionClass) {
  const bool isPointwise =
      rejectionReason(SchedulerType::Pointwise,
                      FusionSummary(fusionClass.concrete.fusion->tensorExprs()), fusionClass.target)
          .empty();
  std::unordered_set<const TensorView*> targets;
  for (const Fusion::Output& output : fusionClass.outputs) {
    if (output.alias != nullptr && canBeDirect(output, isPointwise) &&
        !fusionClass.directUpdates.contains(output.tv) && targets.insert(output.alias).second) {
      fusionClass.directUpdates[output.tv] = output.alias;
      output.tv->followLayout(output.alias);
    }
  }
}

}  // namespace

namespace {

// Library calls look at inputs as they are to see them: a transposed weight is not copied.
void chooseLibraryViews(FusionClass& fusionClass) {
  Fusion* fusion = fusionClass.concrete.fusion.get();
  std::unordered_map<const TensorView*, TensorView*> known;
  for (Expr* expr : fusion->tensorExprs()) {
    if (!expr->is<LibraryOp>() || multidevice::exchangeOf(expr->output(0)) != nullptr) {
      continue;
    }
    const std::vector<Val*> inputs = expr->inputs();
    for (Val* input : inputs) {
      TensorView* tv = input->asTensor();
      if (tv->isFusionInput() || !isInputView(tv, *fusion)) {
        continue;
      }
      TensorView*& view = known[tv];
      if (view == nullptr) {
        view = ops::newLike(tv, tv->dtype());
        fusionClass.libraryViews[view] = viewChain(tv);
      }
      fusion->replaceInput(expr, tv, view);
    }
  }
}

// The result of attention lies in memory as its query does, like PyTorch's.
void chooseAttentionLayouts(const Fusion& fusion) {
  for (Expr* expr : fusion.tensorExprs()) {
    const auto* call = expr->as<LibraryOp>();
    if (call == nullptr || call->type() != LibraryOpType::SdpaForward) {
      continue;
    }
    const TensorView* out = call->output(0)->asTensor();
    if (out->domain()->hasAllocation()) {
      continue;
    }
    std::vector<IterDomain*> allocation;
    for (const size_t dim : strideOrderOf(call->input(0)->asTensor(), fusion)) {
      allocation.push_back(out->logical()[dim]);
    }
    auto contiguity = TensorDomain::fullContiguity(allocation, true);
    out->domain()->setAllocation(std::move(allocation), std::move(contiguity));
  }
}

}  // namespace

namespace {

void dump(Option option, const char* title, const Fusion& fusion) {
  if (isOn(option)) {
    printDump(title, fusion.printMath());
  }
}

void dumpSegments(const FusionClass& fusionClass) {
  if (!isOn(Option::dump_segmented_fusion)) {
    return;
  }
  std::string text;
  for (size_t i = 0; i < fusionClass.segments.size(); ++i) {
    const Segment& segment = fusionClass.segments[i].segment;
    text += concatenate("segment ", i, ", scheduler ", toString(segment.scheduler), "\n");
    for (const Val* input : segment.inputs) {
      text += concatenate("  input ", input->toString(), "\n");
    }
    for (const TensorView* output : segment.outputs) {
      text += concatenate("  output ", output->toString(), "\n");
    }
    for (const Expr* expr : segment.fusion->tensorExprs()) {
      text += expr->toString();
    }
  }
  printDump("Segments", text);
}

// A node for each segment, input and output, and the tensors between them.
std::string segmentGraph(const FusionClass& fusionClass) {
  std::string text = "digraph segments {\n  node [shape=box];\n";
  const auto label = [](const std::string& what) {
    std::string quoted = " [label=\"";
    for (const char c : what) {
      quoted += c == '"' || c == '\\' ? std::string{'\\', c}
                : c == '\n'           ? "\\l"
                                      : std::string(1, c);
    }
    return quoted + "\"];\n";
  };
  std::unordered_map<const Val*, std::string> madeBy;
  for (const Val* input : fusionClass.concrete.fusion->inputs()) {
    madeBy[input] = concatenate("input", input->index());
    text += "  " + madeBy[input] + label("input " + input->toString());
  }
  for (size_t i = 0; i < fusionClass.segments.size(); ++i) {
    const Segment& segment = fusionClass.segments[i].segment;
    const std::string node = concatenate("segment", i);
    std::string what = concatenate("segment ", i, ", ", toString(segment.scheduler), "\n");
    for (const Expr* expr : segment.fusion->tensorExprs()) {
      what += expr->toString();
    }
    text += "  " + node + label(what);
    for (const Val* input : segment.inputs) {
      const auto [maker, isView] = madeBy.try_emplace(input, concatenate("view", input->index()));
      if (isView) {
        text += "  " + maker->second + label("view " + input->toString());
      }
      text += concatenate("  ", maker->second, " -> ", node, label(input->toString()));
    }
    for (const TensorView* output : segment.outputs) {
      madeBy[output] = node;
    }
  }
  for (size_t i = 0; i < fusionClass.outputs.size(); ++i) {
    const TensorView* tv = fusionClass.outputs[i].tv;
    text += concatenate("  output", i, label("output " + tv->toString()));
    if (madeBy.contains(tv)) {
      text += concatenate("  ", madeBy[tv], " -> output", i, ";\n");
    }
  }
  return text + "}\n";
}

void drawSegments(const FusionClass& fusionClass) {
  if (!isOn(Option::dump_draw_segmented_fusion)) {
    return;
  }
  static std::atomic<int64_t> count = 0;
  const std::string path = concatenate("segmented_fusion", count++, ".dot");
  std::ofstream file(path);
  file << segmentGraph(fusionClass);
  file.close();
  NVF_CHECK(file.good(), "Cannot write ", path, ", as NVFUSER_DUMP=draw_segmented_fusion asks for");
}

// Finds segments that are alike but for what they read and write.
void findEqualSegments(std::vector<SegmentKernels>& segments) {
  std::map<std::pair<SchedulerType, std::vector<uint64_t>>, size_t> known;
  for (size_t i = 0; i < segments.size(); ++i) {
    SegmentKernels& entry = segments[i];
    entry.like = i;
    const Segment& segment = entry.segment;
    if (segment.scheduler == SchedulerType::None || segment.scheduler == SchedulerType::ExprEval) {
      continue;
    }
    Structure structure = structureOf(*segment.fusion);
    for (const Val* symbol : structure.symbols) {
      if (const auto outer = segment.scalars.find(symbol); outer != segment.scalars.end()) {
        entry.symbols.push_back(outer->second);
      }
    }
    // All that a kernel may ask for.
    if (entry.symbols.size() == structure.symbols.size() &&
        entry.symbols.size() == segment.scalars.size()) {
      entry.like =
          known.try_emplace({segment.scheduler, std::move(structure.words)}, i).first->second;
    }
  }
}

}  // namespace

std::unique_ptr<FusionClass> makeClass(const Fusion& fusion, Device device, Target target,
                                       std::span<const Layout> layouts,
                                       std::span<const size_t> hostScalars,
                                       ExpressionEvaluator& evaluator, bool keepsSchedule,
                                       bool exchanges, Refusals refused,
                                       const KnownScalars& sizes) {
  auto result = std::make_unique<FusionClass>();
  result->device = device;
  result->target = std::move(target);
  result->refused = std::move(refused);
  dump(Option::dump_fusion_ir_original, "Fusion IR as defined", fusion);
  result->concrete = concretize(fusion, layouts, evaluator, result->target, keepsSchedule, sizes);
  Fusion* concrete = result->concrete.fusion.get();
  dump(Option::dump_fusion_ir_concretized, "Fusion IR without symbolic structure", *concrete);
  if (std::ranges::any_of(fusion.inputs(), &Val::isScalar)) {
    const std::unordered_set<const Val*> used = usedInExtents(fusion);
    const std::unordered_set<const Val*> usedInConcrete = usedInExtents(*concrete);
    for (size_t i = 0; i < fusion.inputs().size(); ++i) {
      // Of equal sizes one is left in the concrete fusion: that they are is still to be checked.
      if (!fusion.inputs()[i]->isTensor() &&
          (used.contains(fusion.inputs()[i]) || usedInConcrete.contains(concrete->inputs()[i]))) {
        result->sizeArguments.insert(i);
      }
    }
  }
  if (!keepsSchedule) {
    heuristics::widenSums(concrete, result->target);
    if (result->target.capabilities.hasThreads) {
      heuristics::combineExtremes(concrete);
    }
  }
  readOnHost(*result, hostScalars);
  if (result->concrete.randomOps > 0) {
    result->hostScalars[result->concrete.randomSeed] = concrete->inputs().size();
    result->hostScalars[result->concrete.randomOffset] = concrete->inputs().size() + 1;
  }
  if (exchanges) {
    multidevice::exchangeInKernels(concrete);
  }
  result->outputs = concrete->outputs();
  std::unordered_set<const TensorView*> updates;
  for (const Fusion::Output& output : result->outputs) {
    if (output.alias != nullptr) {
      updates.insert(output.tv);
    }
  }
  for (const Fusion::Output& output : result->outputs) {
    if (!keepsSchedule && !output.tv->isFusionInput() && !updates.contains(output.tv) &&
        isInputView(output.tv, *concrete) && !result->views.contains(output.tv)) {
      result->views[output.tv] = viewChain(output.tv);
      concrete->removeOutput(output.tv);
    }
  }
  if (!keepsSchedule) {
    // In the order that a user chose, updates wait in memory of their own until the kernel is done.
    chooseDirectUpdates(*result);
    chooseAttentionLayouts(*concrete);
    chooseLibraryViews(*result);
    // What only views were made of is read by nothing.
    eliminateDeadCode(concrete);
    std::optional<int64_t> mostAcross;
    if (result->target.capabilities.hasThreads) {
      heuristics::combineExponentials(concrete);
      mostAcross = tuningFor(result->target).gpu.acrossElements;
    }
    chooseMemoryOrders(concrete, mostAcross);
  }
  dump(Option::dump_fusion_ir_preseg, "Fusion IR before segmentation", *concrete);
  if (!concrete->tensorExprs().empty()) {
    std::vector<Segment> segments;
    if (keepsSchedule) {
      checkSchedule(*concrete);
      segments.push_back(scheduledSegment(concrete));
    } else {
      segments = segmentFusion(concrete, result->target, result->directUpdates, result->refused);
      overlapCommunication(segments, result->directUpdates);
    }
    for (Segment& segment : segments) {
      result->segments.emplace_back().segment = std::move(segment);
    }
  }
  // What reads the old values of updated inputs has run by then.
  for (const Fusion::Output& output : result->outputs) {
    if (output.alias != nullptr && !isDirect(*result, output)) {
      NVF_CHECK(output.tv->dtype() == output.alias->dtype(), "Expected the value of ",
                output.tv->toString(), " to have the dtype of the input it updates, ",
                output.alias->toString());
      NVF_CHECK(output.tv->dtype() != DataType::Float4_e2m1fn,
                "Updating a packed fp4 input in place is not supported: ", output.tv->toString());
      result->segments.emplace_back().segment =
          copySegment(output.tv, output.alias, result->target);
    }
  }
  findEqualSegments(result->segments);
  dumpSegments(*result);
  drawSegments(*result);
  return result;
}

}  // namespace nvfuser
