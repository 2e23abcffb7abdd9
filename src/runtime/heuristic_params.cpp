#include "runtime/heuristic_params.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "core/error.h"
#include "ir/evaluator.h"
#include "runtime/argument_check.h"
#include "runtime/backend.h"
#include "runtime/concretize.h"
#include "runtime/executor_cache.h"
#include "runtime/signature.h"
#include "runtime/sizes.h"

namespace nvfuser {

// ---------------------------------------------------------------- text

namespace {

std::string textOf(bool value) { return value ? "true" : "false"; }
std::string textOf(int64_t value) { return std::to_string(value); }
std::string textOf(ParallelType type) { return concatenate(type); }
template <typename T>
std::string textOf(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<int>(value));
  } else {
    return nvfuser::toString(value);
  }
}

}  // namespace

std::string toString(const GemmTile& tile) {
  return concatenate("GemmTile(m=", tile.m, ", n=", tile.n, ", k=", tile.k, ")");
}

std::string toString(const MatMulTileOptions& options) {
  return concatenate("MatMulTileOptions(cta_tile=", toString(options.cta_tile),
                     ", warp_tile=", toString(options.warp_tile), ")");
}

std::string toString(const CircularBufferOptions& options) {
  return concatenate(
      "CircularBufferOptions(circular_buffer_smem_write=",
      textOf(options.circular_buffer_smem_write),
      ", circular_buffer_smem_read=", textOf(options.circular_buffer_smem_read),
      ", smem_circular_buffer_stage=", options.smem_circular_buffer_stage,
      ", smem_circular_buffer_prefetch_gap=", options.smem_circular_buffer_prefetch_gap, ")");
}

std::string toString(const SupportedVectorization& sizes) {
  return concatenate("SupportedVectorization(a=", sizes.a, ", b=", sizes.b,
                     ", epilogue=", sizes.epilogue, ")");
}

std::string toString(const ClusterDims& dims) {
  return concatenate("ClusterDims(m=", dims.m, ", n=", dims.n, ")");
}

std::string toString(const MmaMacro& macro) {
  return concatenate("MmaMacro(arch=", static_cast<int>(macro.arch), ", m=", macro.m,
                     ", n=", macro.n, ", k=", macro.k, ")");
}

#define NVF_LINE(type, name, value) text += std::string(#name) + ": " + textOf(name) + "\n";

std::string PointwiseParams::toString() const {
  std::string text = "\n===== Pointwise Parameters ========\n";
  NVF_POINTWISE_PARAMS(NVF_LINE, NVF_LINE)
  return text + "====================================\n";
}

std::string ReductionParams::toString() const {
  std::string text = "\n===== Reduction Parameters ========\n";
  NVF_REDUCTION_PARAMS(NVF_LINE, NVF_LINE)
  return text + "====================================\n";
}

std::string MatmulParams::toString() const {
  std::string text = "\n===== Matmul Parameters ========\n";
  NVF_MATMUL_PARAMS(NVF_LINE)
  return text + "====================================\n";
}

#undef NVF_LINE

size_t HeuristicParams::hash() const {
  // Python's hash() of a number is that number only where it is below 2^61.
  return std::hash<std::string>()(toString() + nvfuser::toString(lparams) +
                                  nvfuser::toString(cparams)) >>
         4;
}

bool operator==(const HeuristicParams& a, const HeuristicParams& b) {
  return a.type == b.type && a.lparams == b.lparams && a.cparams == b.cparams &&
         a.chosen == b.chosen && a.toString() == b.toString();
}

// ---------------------------------------------------------------- what means the same thing

namespace {

void setVectors(GpuVectors& vectors, int64_t width, bool isVectorized) {
  NVF_CHECK(width > 0 && (width & (width - 1)) == 0,
            "Expected a vectorization factor that is a power of two but got ", width);
  vectors.width = width;
  if (!isVectorized || width == 1) {
    vectors.tensors = 0;
  }
}

void setUnroll(int64_t& unroll, int64_t factor) {
  NVF_CHECK(factor > 0, "Expected a positive unroll factor but got ", factor);
  unroll = factor;
}

// What the parameters of all schedulers of element-wise operations have; null for none.
struct ElementwiseFields {
  GpuVectors* vectors = nullptr;
  int64_t* unroll = nullptr;
  int64_t* threadsY = nullptr;
  bool* unrollsRows = nullptr;
};

ElementwiseFields fieldsOf(GpuBlocks& blocks) {
  return {nullptr, &blocks.unroll, &blocks.threadsY, &blocks.unrollsRows};
}

ElementwiseFields elementwiseFields(ScheduleParams& schedule) {
  return std::visit(
      []<typename Params>(Params& params) {
        ElementwiseFields fields;
        if constexpr (requires { params.blocks; }) {
          fields = fieldsOf(params.blocks);
        }
        // Those of tiles, and of scans.
        if constexpr (requires { params.rows; }) {
          fields.unroll = &params.rows;
        } else if constexpr (requires { params.unroll; }) {
          fields.unroll = &params.unroll;
        }
        if constexpr (requires { params.threadsY; }) {
          fields.threadsY = &params.threadsY;
        }
        if constexpr (requires { params.vectors; }) {
          fields.vectors = &params.vectors;
        }
        return fields;
      },
      schedule.values);
}

// What the parameters of all schedulers of reductions have; null for none.
struct ReductionFields {
  GpuVectors* vectors = nullptr;
  int64_t* unroll = nullptr;
  int64_t* threadsY = nullptr;
  int64_t* parts = nullptr;
  bool* isExact = nullptr;
  // Of rows in registers.
  int64_t* batches = nullptr;
  bool* hasConstantThreads = nullptr;
};

template <typename Params>
ReductionFields reductionFieldsOf(Params& params) {
  ReductionFields fields;
  if constexpr (requires { params.reduction; }) {
    return reductionFieldsOf(params.reduction);
  } else if constexpr (requires { params.isExact; }) {
    fields.vectors = &params.vectors;
    fields.unroll = &params.unroll;
    fields.threadsY = &params.threadsY;
    fields.isExact = &params.isExact;
    if constexpr (requires { params.batches; }) {
      fields.batches = &params.batches;
      fields.hasConstantThreads = &params.hasConstantThreads;
    } else {
      fields.parts = &params.parts;
    }
  }
  return fields;
}

ReductionFields reductionFields(ScheduleParams& schedule) {
  return std::visit([](auto& params) { return reductionFieldsOf(params); }, schedule.values);
}

}  // namespace

void PointwiseParams::apply(ScheduleParams& schedule) const {
  const ElementwiseFields fields = elementwiseFields(schedule);
  if (fields.vectors == nullptr) {
    return;
  }
  setVectors(*fields.vectors, vectorization_factor, true);
  const bool unrollsRows = unroll_factor_outer == 1 && unroll_factor_inner > 1;
  if (fields.unrollsRows != nullptr) {
    *fields.unrollsRows = unrollsRows;
  }
  setUnroll(*fields.unroll, unrollsRows ? unroll_factor_inner : unroll_factor_outer);
}

void ReductionParams::apply(ScheduleParams& schedule) const {
  const ReductionFields fields = reductionFields(schedule);
  if (fields.vectors == nullptr) {
    return;
  }
  const ScheduleParams before = schedule;
  setVectors(*fields.vectors, fastest_dim ? unroll_factor_inner_reduction : unroll_factor_iter_dom,
             fastest_dim ? vectorize_inner_reduction : vectorize_iter_dom);
  setUnroll(*fields.unroll,
            fastest_dim ? unroll_factor_top_of_vectorization : unroll_factor_outer_reduction);
  if (fields.batches != nullptr && fastest_dim) {
    setUnroll(*fields.batches, batches_per_block_inner_reduction);
  }
  const bool sharesReduction =
      fastest_dim ? cross_grid_inner_reduction : cross_grid_outer_reduction;
  if (fields.parts != nullptr && !sharesReduction) {
    *fields.parts = 1;
  }
  // What was known of the sizes was known for what was chosen.
  const bool isChanged = schedule != before;
  *fields.isExact = *fields.isExact && !isChanged;
  if (fields.hasConstantThreads != nullptr) {
    *fields.hasConstantThreads = *fields.hasConstantThreads && !isChanged;
  }
}

void MatmulParams::apply(ScheduleParams& /*schedule*/) const {
  fail(
      "Could not schedule fusion with the SchedulerType matmul: matrix products are library calls");
}

std::unique_ptr<HeuristicParams> describeSchedule(const ScheduleParams& chosen, bool isInner) {
  ScheduleParams values = chosen;
  const SchedulerType type = typeOf(chosen);
  if (type == SchedulerType::Pointwise) {
    auto params = std::make_unique<PointwiseParams>();
    params->chosen = chosen;
    const ElementwiseFields fields = elementwiseFields(values);
    if (fields.vectors == nullptr) {
      return params;
    }
    params->vectorization_factor = fields.vectors->width;
    const bool unrollsRows = fields.unrollsRows != nullptr && *fields.unrollsRows;
    (unrollsRows ? params->unroll_factor_inner : params->unroll_factor_outer) = *fields.unroll;
    params->split_block = fields.threadsY != nullptr && *fields.threadsY > 1;
    params->break_point = params->split_block ? 1 : 0;
    return params;
  }
  auto params = std::make_unique<ReductionParams>(type);
  params->chosen = chosen;
  params->fastest_dim = isInner;
  const auto* chosenForCpu = std::get_if<CpuPersistentParams>(&values.values);
  const bool separatesStages = std::holds_alternative<GpuInnerStagesParams>(values.values) ||
                               std::holds_alternative<GpuOuterStagesParams>(values.values) ||
                               (chosenForCpu != nullptr && chosenForCpu->separateStages);
  params->persistent_kernel = type != SchedulerType::Reduction && !separatesStages;
  const ReductionFields fields = reductionFields(values);
  if (fields.vectors == nullptr) {
    return params;
  }
  const bool hasParts = fields.parts != nullptr && *fields.parts > 1;
  if (isInner) {
    params->unroll_factor_inner_reduction = fields.vectors->width;
    params->vectorize_inner_reduction = fields.vectors->tensors != 0;
    params->unroll_factor_top_of_vectorization = *fields.unroll;
    params->batches_per_block_inner_reduction = fields.batches == nullptr ? 1 : *fields.batches;
    params->static_bdimx = fields.hasConstantThreads != nullptr && *fields.hasConstantThreads;
    params->cross_block_inner_reduction = true;
    params->block_dim_inner_reduction = ParallelType::BlockX;
    params->pad_inner_reduction_to_warp = true;
    params->cross_grid_inner_reduction = hasParts;
    if (hasParts) {
      params->grid_dim_inner_reduction = ParallelType::GridY;
    }
    params->multiple_reds_per_blk = *fields.threadsY > 1;
    if (*fields.threadsY > 1) {
      params->block_dim_iter_dom = ParallelType::BlockY;
    }
  } else {
    params->unroll_factor_iter_dom = fields.vectors->width;
    params->vectorize_iter_dom = fields.vectors->tensors != 0;
    params->block_dim_iter_dom = ParallelType::BlockX;
    params->unroll_factor_outer_reduction = *fields.unroll;
    params->cross_block_outer_reduction = *fields.threadsY > 1;
    if (*fields.threadsY > 1) {
      params->block_dim_outer_reduction = ParallelType::BlockY;
    }
    params->cross_grid_outer_reduction = hasParts;
    if (hasParts) {
      params->grid_dim_outer_reduction = ParallelType::GridY;
    }
  }
  params->grid_dim_iter_dom = ParallelType::GridX;
  return params;
}

// ---------------------------------------------------------------- schedulers for whole fusions

namespace {

// A fusion with the arguments of a run.
class Run {
 public:
  Run(const Fusion& fusion, std::span<const PolymorphicValue> arguments,
      std::optional<Device> device)
      : arguments_(arguments) {
    NVF_CHECK(!fusion.outputs().empty(), "Fusion is empty!");
    bindArguments(fusion, arguments, extentEqualities(fusion), evaluator_);
    checkConditions(fusion, evaluator_);
    device_ = chooseDevice(arguments, device);
    std::vector<Layout> layouts;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (Val* input = fusion.inputs()[i]; input->isTensor()) {
        layouts.push_back(
            layoutOf(input->asTensor(), geometryOf(input->asTensor(), arguments[i].as<Tensor>())));
      }
    }
    concrete_ = concretize(fusion, layouts, evaluator_, target(), /*keepsSchedule=*/true);
  }

  Fusion* fusion() const { return concrete_.fusion.get(); }
  std::vector<Expr*> exprs() const { return fusion()->tensorExprs(); }
  Target target() const { return backendOf(device_).target(); }

  ScheduleParams choose(SchedulerType type) {
    const Sizes sizes(evaluator_, concrete_);
    const Signature signature(arguments_, [](size_t) { return false; });
    const auto& inputs = fusion()->inputs();
    const auto position = [&](const TensorView* tv) {
      return static_cast<size_t>(std::ranges::find(inputs, tv) - inputs.begin());
    };
    ScheduleContext context(target());
    context.extent = [&](const Val* val) { return sizes.extent(val); };
    context.alignment = [&](const TensorView* tv) {
      return tv->isFusionInput() ? signature.alignment(position(tv)) : kVectorBytes;
    };
    context.strides = [&](const TensorView* tv) {
      return tv->isFusionInput() ? geometryOf(tv, arguments_[position(tv)].as<Tensor>()).strides
                                 : sizes.allocation(tv).strides;
    };
    return hasEmptyTensor(*fusion(), context) ? unfusedParams(context.target)
                                              : computeHeuristics(fusion(), type, context);
  }

 private:
  std::span<const PolymorphicValue> arguments_;
  ExpressionEvaluator evaluator_;
  Device device_;
  ConcreteFusion concrete_;
};

void checkUnscheduled(const Fusion& fusion) {
  for (const TensorView* tv : fusion.tensors()) {
    NVF_CHECK(tv->loop() == tv->logical() && tv->computeAt() == 0,
              "The fusion is scheduled already: the loops of ", tv->toString(), " are transformed");
  }
}

std::string problemOf(SchedulerType type, const Fusion& fusion, const Run& run) {
  checkUnscheduled(fusion);
  const std::vector<Expr*> exprs = run.exprs();
  if (type == SchedulerType::NoOp && exprs.empty()) {
    return {};
  }
  return exprs.empty() ? concatenate("Scheduler _", toString(type),
                                     "_ ***rejected*** because : there is nothing to compute")
                       : rejectionReason(type, FusionSummary(exprs), run.target());
}

// For sizes of which only constants are known: what is not is taken for a multiple of everything.
ScheduleParams chooseWithoutSizes(Fusion& fusion, SchedulerType type) {
  static constexpr int64_t kExtent = 1024;
  ExpressionEvaluator evaluator;
  ScheduleContext context(gpuTarget({}));
  context.hasSizes = false;
  context.extent = [&](const Val* val) {
    return evaluator.evaluate(val, [](const Val*) { return PolymorphicValue(kExtent); })
        .as<int64_t>();
  };
  context.alignment = [](const TensorView*) { return kVectorBytes; };
  context.strides = [&](const TensorView* tv) {
    const std::vector<IterDomain*> visible = tv->visible();
    std::vector<int64_t> strides(visible.size(), 0);
    int64_t stride = 1;
    const auto order = TensorDomain::noReductions(tv->domain()->maybeAllocation());
    for (size_t place = order.size(); place-- > 0;) {
      if (!order[place]->isBroadcast()) {
        strides[static_cast<size_t>(std::ranges::find(visible, order[place]) - visible.begin())] =
            stride;
        stride *= context.extent(order[place]->extent());
      }
    }
    return strides;
  };
  return computeHeuristics(&fusion, type, context);
}

}  // namespace

std::pair<bool, std::string> canSchedule(const Fusion& fusion, SchedulerType type,
                                         std::span<const PolymorphicValue> arguments,
                                         std::optional<Device> device) {
  std::string problem = problemOf(type, fusion, Run(fusion, arguments, device));
  return {problem.empty(), std::move(problem)};
}

std::vector<SchedulerType> compatibleSchedulers(const Fusion& fusion,
                                                std::span<const PolymorphicValue> arguments,
                                                std::optional<Device> device) {
  const Run run(fusion, arguments, device);
  std::vector<SchedulerType> compatible;
  for (const SchedulerType type : schedulerTypes(run.target())) {
    if (problemOf(type, fusion, run).empty()) {
      compatible.push_back(type);
    }
  }
  return compatible;
}

std::unique_ptr<HeuristicParams> chooseParams(const Fusion& fusion, SchedulerType type,
                                              std::span<const PolymorphicValue> arguments,
                                              std::optional<Device> device) {
  Run run(fusion, arguments, device);
  const std::string problem = problemOf(type, fusion, run);
  NVF_CHECK(problem.empty(), "Could not schedule fusion with the SchedulerType ", toString(type),
            ": ", problem);
  const ScheduleParams chosen = run.choose(type);
  if (typeOf(chosen) == SchedulerType::NoOp && type == SchedulerType::Pointwise) {
    auto params = std::make_unique<PointwiseParams>();
    params->chosen = chosen;
    return params;
  }
  return describeSchedule(
      chosen, type != SchedulerType::Pointwise && FusionSummary(run.exprs()).isInnerReduction());
}

void scheduleFusion(Fusion& fusion, SchedulerType type, const HeuristicParams& params) {
  checkUnscheduled(fusion);
  NVF_CHECK(params.type == type, "Expected parameters of the scheduler ", toString(type),
            " but got those of ", toString(params.type));
  const std::string problem =
      rejectionReason(type, FusionSummary(fusion.tensorExprs()), gpuTarget({}));
  NVF_CHECK(problem.empty(), "Could not schedule fusion with the SchedulerType ", toString(type),
            ": ", problem);
  NVF_CHECK(!fusion.hasDynamicTransform(), "Could not schedule fusion with the SchedulerType ",
            toString(type),
            ": the structure of its reshapes depends on sizes that are only known at run time; "
            "declare the inputs with static sizes");
  ScheduleParams schedule = params.chosen;
  if (schedule.scheduler == nullptr) {
    schedule = chooseWithoutSizes(fusion, type);
  }
  if (typeOf(schedule) != SchedulerType::NoOp) {
    params.apply(schedule);
  }
  const FusionGuard guard(&fusion);
  applySchedule(&fusion, schedule);
}

}  // namespace nvfuser
