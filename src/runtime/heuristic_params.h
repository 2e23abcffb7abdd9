// Parameters of schedules as users see and change them, and the schedulers applied to whole
// fusions.
//
// What the schedulers choose is ScheduleParams (schedule/scheduler.h). These classes have the names
// of the interface: the fields that mean the same thing show what was chosen, and change it. The
// others keep what is written to them, without effect.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/fusion.h"
#include "runtime/kernel_params.h"
#include "schedule/matmul_types.h"
#include "schedule/scheduler.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

struct HeuristicParams {
  explicit HeuristicParams(SchedulerType scheduler) : type(scheduler) {}
  HeuristicParams(const HeuristicParams&) = default;
  HeuristicParams& operator=(const HeuristicParams&) = default;
  virtual ~HeuristicParams() = default;

  SchedulerType type;
  LaunchParams lparams;
  CompileParams cparams;
  // What a scheduler chose for the sizes of a run; without a scheduler where a user made the
  // parameters.
  ScheduleParams chosen;

  // All fields by name, one a line.
  virtual std::string toString() const = 0;
  // `schedule` with the fields that mean the same thing as here.
  virtual void apply(ScheduleParams& schedule) const = 0;

  size_t hash() const;
  friend bool operator==(const HeuristicParams& a, const HeuristicParams& b);
};

// X(type, name, default), and Y of the same for what is kept without effect. The names are those of
// the interface.
// clang-format off
#define NVF_POINTWISE_PARAMS(X, Y)                                                                \
  Y(int64_t, break_point, 0)                                                                      \
  Y(bool, split_block, false)                                                                     \
  Y(bool, split_grid_y_dim, false)                                                                \
  Y(bool, flip_grid_binding, false)                                                               \
  X(int64_t, vectorization_factor, 1)                                                             \
  X(int64_t, unroll_factor_inner, 1)                                                              \
  X(int64_t, unroll_factor_outer, 1)

#define NVF_REDUCTION_PARAMS(X, Y)                                                                \
  X(bool, fastest_dim, false)                                                                     \
  Y(bool, persistent_kernel, false)                                                               \
  Y(bool, project_persistent_buffers, false)                                                      \
  Y(bool, schedule_3d, false)                                                                     \
  Y(bool, flip_grid, false)                                                                       \
  Y(bool, cross_block_inner_reduction, false)                                                     \
  X(bool, cross_grid_inner_reduction, false)                                                      \
  X(int64_t, unroll_factor_inner_reduction, 1)                                                    \
  X(int64_t, unroll_factor_top_of_vectorization, 1)                                               \
  X(bool, vectorize_inner_reduction, false)                                                       \
  Y(bool, split_grid_dim_inner_reduction, false)                                                  \
  Y(bool, pad_inner_reduction_to_warp, false)                                                     \
  X(int64_t, batches_per_block_inner_reduction, 1)                                                \
  Y(ParallelType, block_dim_inner_reduction, ParallelType::Serial)                                \
  Y(ParallelType, grid_dim_inner_reduction, ParallelType::Serial)                                 \
  Y(bool, multiple_reds_per_blk, false)                                                           \
  X(int64_t, unroll_factor_iter_dom, 1)                                                           \
  X(bool, vectorize_iter_dom, false)                                                              \
  Y(bool, split_grid_dim_iter_dom_inner, false)                                                   \
  Y(bool, split_grid_dim_iter_dom_outer, false)                                                   \
  Y(ParallelType, block_dim_iter_dom, ParallelType::Serial)                                       \
  Y(ParallelType, grid_dim_iter_dom, ParallelType::Serial)                                        \
  Y(bool, cross_block_outer_reduction, false)                                                     \
  X(bool, cross_grid_outer_reduction, false)                                                      \
  Y(int64_t, batches_per_block_outer_reduction, 1)                                                \
  X(int64_t, unroll_factor_outer_reduction, 1)                                                    \
  Y(ParallelType, block_dim_outer_reduction, ParallelType::Serial)                                \
  Y(ParallelType, grid_dim_outer_reduction, ParallelType::Serial)                                 \
  Y(bool, compute_persistent_buffer_with_first_consumer, false)                                   \
  Y(bool, static_bdimx, false)                                                                    \
  Y(bool, static_bdimy, false)                                                                    \
  Y(bool, combined_inner_outer, false)                                                            \
  Y(bool, tidx_for_outer_reduction, false)                                                        \
  Y(bool, pad_outer_reduction_to_warp, false)                                                     \
  Y(int64_t, combined_split_grid_inner_dim, 0)                                                    \
  Y(int64_t, vectorization_factor_outer, 1)                                                       \
  Y(int64_t, vectorization_factor_tmp_gmem_write, 1)                                              \
  Y(ParallelType, block_dim_inner_reduction_extra, ParallelType::Serial)

#define NVF_MATMUL_PARAMS(X)                                                                      \
  X(MatMulTileOptions, tile_sizes, {})                                                            \
  X(CircularBufferOptions, circular_buffer_options, {})                                           \
  X(SupportedVectorization, supported_vec_size, {})                                               \
  X(bool, async_gmem_load_operands, false)                                                        \
  X(int64_t, grid_traversal_factor, 1)                                                            \
  X(bool, use_smem_epilogue, false)                                                               \
  X(bool, use_ldst_matrix, true)                                                                  \
  X(bool, promote_prologue_smem_reuse, false)                                                     \
  X(int64_t, splitk_factor, 1)                                                                    \
  X(MatmulTilingStrategy, tiling_strategy, MatmulTilingStrategy::OneTilePerCta)                   \
  X(MatmulBufferingLoopLevel, buffering_loop_level, MatmulBufferingLoopLevel::CtaTiles)           \
  X(MatmulCircularBufferingStrategy, circular_buffering_strategy,                                 \
    MatmulCircularBufferingStrategy::Pipelined)                                                   \
  X(MatmulTileRasterizationOrder, cta_order, MatmulTileRasterizationOrder::RowMajor)              \
  X(ClusterDims, cluster_dims, {})                                                                \
  X(MmaMacro, mma_macro, {})
// clang-format on

#define NVF_FIELD(type, name, value) type name = value;

struct PointwiseParams : HeuristicParams {
  PointwiseParams() : HeuristicParams(SchedulerType::Pointwise) {}
  NVF_POINTWISE_PARAMS(NVF_FIELD, NVF_FIELD)
  std::string toString() const override;
  void apply(ScheduleParams& schedule) const override;
};

struct ReductionParams : HeuristicParams {
  explicit ReductionParams(SchedulerType scheduler = SchedulerType::Reduction)
      : HeuristicParams(scheduler) {}
  NVF_REDUCTION_PARAMS(NVF_FIELD, NVF_FIELD)
  std::string toString() const override;
  void apply(ScheduleParams& schedule) const override;
};

// Matrix products are library calls: their parameters are accepted.

struct GemmTile {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

struct MatMulTileOptions {
  GemmTile cta_tile{128, 128, 32};
  GemmTile warp_tile{64, 64, 32};
};

struct CircularBufferOptions {
  bool circular_buffer_smem_write = false;
  bool circular_buffer_smem_read = false;
  int64_t smem_circular_buffer_stage = 2;
  int64_t smem_circular_buffer_prefetch_gap = 1;
};

struct SupportedVectorization {
  int64_t a = 0;
  int64_t b = 0;
  int64_t epilogue = 0;
};

struct ClusterDims {
  int64_t m = 1;
  int64_t n = 1;
};

struct MmaMacro {
  MmaMacroArch arch = MmaMacroArch::NoMma;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

std::string toString(const GemmTile& tile);
std::string toString(const MatMulTileOptions& options);
std::string toString(const CircularBufferOptions& options);
std::string toString(const SupportedVectorization& sizes);
std::string toString(const ClusterDims& dims);
std::string toString(const MmaMacro& macro);

struct MatmulParams : HeuristicParams {
  MatmulParams() : HeuristicParams(SchedulerType::Matmul) {}
  NVF_MATMUL_PARAMS(NVF_FIELD)
  std::string toString() const override;
  void apply(ScheduleParams& schedule) const override;
};

#undef NVF_FIELD

// What a scheduler chose, in the fields of its class. `isInner` tells whether reductions are along
// the innermost dimension.
std::unique_ptr<HeuristicParams> describeSchedule(const ScheduleParams& chosen, bool isInner);

// Schedulers for a whole fusion as one kernel, with arguments as those of a run. Fusions that are
// scheduled already have no scheduler.

// Whether a scheduler accepts the fusion, otherwise why it does not.
std::pair<bool, std::string> canSchedule(const Fusion& fusion, SchedulerType type,
                                         std::span<const PolymorphicValue> arguments,
                                         std::optional<Device> device);
std::vector<SchedulerType> compatibleSchedulers(const Fusion& fusion,
                                                std::span<const PolymorphicValue> arguments,
                                                std::optional<Device> device);
// Raises if the scheduler does not accept the fusion.
std::unique_ptr<HeuristicParams> chooseParams(const Fusion& fusion, SchedulerType type,
                                              std::span<const PolymorphicValue> arguments,
                                              std::optional<Device> device);
// Schedules the fusion. Parameters that a user made are completed for sizes of which nothing is
// known but what the definition says.
void scheduleFusion(Fusion& fusion, SchedulerType type, const HeuristicParams& params);

}  // namespace nvfuser
