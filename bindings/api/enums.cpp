// The enumerations of the interface.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.h"
#include "compat/communicators.h"
#include "ir/types.h"
#include "schedule/matmul_types.h"
#include "schedule/scheduler.h"
#include "value/data_type.h"

namespace nvfuser {

namespace {

// A member with what its documentation says.
template <typename Enum>
struct Member {
  const char* name;
  Enum value;
  const char* doc;
};

// Beside what a Python enumeration has, what clients of pybind11's use: int(member), and the map
// __entries of name to (value, doc).
template <typename Members>
void bindEnum(nb::module_& module, const char* name, const char* doc, const Members& members) {
  using Enum = decltype(std::begin(members)->value);
  nb::enum_<Enum> type(module, name, doc);
  for (const auto& member : members) {
    type.value(member.name, member.value, member.doc);
  }
  nb::dict entries;
  for (const auto& member : members) {
    entries[member.name] = nb::make_tuple(nb::cast(member.value), member.doc);
  }
  nb::setattr(type, "__entries", entries);
  type.def("__int__", [](Enum member) { return static_cast<int64_t>(member); });
  type.def("__index__", [](Enum member) { return static_cast<int64_t>(member); });
}

void bindDataType(nb::module_& module) {
  // All but those that are inside kernels only.
  std::vector<Member<DataType>> members;
  for (int i = 0; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    const DataTypeInfo& traits = info(dtype);
    if (*traits.summary != '\0') {
      members.push_back({traits.name, dtype, traits.summary});
    }
  }
  bindEnum(module, "DataType", "The dtype of a tensor or scalar.", members);
  module.def(
      "_dtype_traits",
      [](DataType dtype) {
        static constexpr const char* kKinds[] = {"bool", "integral", "floating", "complex", "none"};
        const DataTypeInfo& traits = info(dtype);
        return std::make_tuple(
            traits.irName, kKinds[static_cast<size_t>(traits.kind)], traits.bits,
            traits.significandBits, traits.compute,
            traits.torchName == nullptr ? std::nullopt : std::optional(traits.torchName));
      },
      nb::arg("dtype"), "A row of the table of dtypes, for nvfuser/dtypes.py.");
}

void bindLoopEnums(nb::module_& module) {
  static constexpr Member<ParallelType> parallel[] = {
      {"mesh_x", ParallelType::MeshX, "the last dimension of a device mesh"},
      {"mesh_y", ParallelType::MeshY, "the second last dimension of a device mesh"},
      {"mesh_z", ParallelType::MeshZ, "the third last dimension of a device mesh"},
      {"grid_x", ParallelType::GridX, "blocks of the grid, x"},
      {"grid_y", ParallelType::GridY, "blocks of the grid, y"},
      {"grid_z", ParallelType::GridZ, "blocks of the grid, z"},
      {"block_x", ParallelType::BlockX, "threads of a block, x"},
      {"block_y", ParallelType::BlockY, "threads of a block, y"},
      {"block_z", ParallelType::BlockZ, "threads of a block, z"},
      {"mma", ParallelType::Mma, "part of a matrix instruction"},
      {"serial", ParallelType::Serial, "a plain loop"},
      {"tma", ParallelType::Tma, "part of a bulk copy"},
      {"unroll", ParallelType::Unroll, "unrolled"},
      {"unswitch", ParallelType::Unswitch, "predicates are hoisted out of the loop"},
      {"vectorize", ParallelType::Vectorize, "one vector instruction"},
      {"stream", ParallelType::Stream, "one iteration a stream"},
      {"cluster", ParallelType::Cluster,
       "blocks of a cluster, along y of the grid, which share what they reduce"}};
  bindEnum(module, "ParallelType", "How a loop is executed.", parallel);

  static constexpr Member<LoadStoreOpType> loadStore[] = {
      {"set", LoadStoreOpType::Set, "plain copy"},
      {"load_matrix", LoadStoreOpType::LoadMatrix, "ldmatrix"},
      {"cp_async", LoadStoreOpType::CpAsync, "asynchronous copy to shared memory"},
      {"tma", LoadStoreOpType::Tma, "tensor memory accelerator"}};
  bindEnum(module, "LoadStoreOpType", "The instruction of a copy.", loadStore);

  static constexpr Member<MemoryType> memory[] = {
      {"tensor", MemoryType::Tensor, "tensor memory"},
      {"local", MemoryType::Local, "registers"},
      {"shared", MemoryType::Shared, "memory of a block"},
      {"global", MemoryType::Global, "memory of the device"},
      {"symmetric", MemoryType::Symmetric, "memory that all devices of a mesh have mapped"}};
  bindEnum(module, "MemoryType", "Where a tensor lives.", memory);

  static constexpr Member<CacheOp> cache[] = {
      {"unspecified", CacheOp::Unspecified, "the default of the instruction"},
      {"all_levels", CacheOp::AllLevels, "cache at all levels"},
      {"streaming", CacheOp::Streaming, "likely accessed once"},
      {"global", CacheOp::Global, "cache at the level all blocks share"}};
  bindEnum(module, "CacheOp", "The cache policy of a copy.", cache);

  static constexpr Member<IdMappingMode> mapping[] = {
      {"exact", IdMappingMode::Exact, "dimensions with the same extent by definition"},
      {"almost_exact", IdMappingMode::AlmostExact, "exact, and through trivial transforms"},
      {"broadcast", IdMappingMode::Broadcast, "exact, and broadcast with concrete ones"},
      {"permissive", IdMappingMode::Permissive, "all that correspond"},
      {"loop", IdMappingMode::Loop, "those that share a loop"}};
  bindEnum(module, "IdMappingMode", "Which iteration domains are considered the same.", mapping);
}

void bindSchedulerType(nb::module_& module) {
  static constexpr Member<SchedulerType> members[] = {
      {"none", SchedulerType::None, "no scheduler"},
      {"no_op", SchedulerType::NoOp, "nothing to compute"},
      {"pointwise", SchedulerType::Pointwise, "element-wise operations"},
      {"matmul", SchedulerType::Matmul, "matrix products"},
      {"reduction", SchedulerType::Reduction, "reductions whose input is read once"},
      {"inner_persistent", SchedulerType::InnerPersistent, "normalization of inner dimensions"},
      {"inner_outer_persistent", SchedulerType::InnerOuterPersistent,
       "normalization of inner dimensions with reductions of outer ones"},
      {"outer_persistent", SchedulerType::OuterPersistent, "normalization of outer dimensions"},
      {"transpose", SchedulerType::Transpose, "inputs and outputs with different inner dimensions"},
      {"expr_eval", SchedulerType::ExprEval, "a library call"},
      {"resize", SchedulerType::Resize, "slices and pads"}};
  bindEnum(module, "SchedulerType", "An automatic scheduler.", members);
}

void bindMatmulEnums(nb::module_& module) {
  static constexpr Member<MatmulTilingStrategy> tiling[] = {
      {"one_tile_per_cta", MatmulTilingStrategy::OneTilePerCta, "a block computes one tile"},
      {"distribute_tiles_across_sms", MatmulTilingStrategy::DistributeTilesAcrossSms,
       "a block computes tiles one after the other"},
      {"distribute_stages_across_sms", MatmulTilingStrategy::DistributeStagesAcrossSms,
       "blocks share the work of a tile"}};
  bindEnum(module, "MatmulTilingStrategy", "How tiles are given to blocks.", tiling);

  static constexpr Member<MatmulBufferingLoopLevel> buffering[] = {
      {"cta_tiles", MatmulBufferingLoopLevel::CtaTiles, "the tiles of a block"},
      {"warp_tiles", MatmulBufferingLoopLevel::WarpTiles, "the tiles of a warp"}};
  bindEnum(module, "MatmulBufferingLoopLevel", "Which loop loads ahead.", buffering);

  static constexpr Member<MatmulCircularBufferingStrategy> circular[] = {
      {"pipelined", MatmulCircularBufferingStrategy::Pipelined, "the same warps load and compute"},
      {"warp_specialized", MatmulCircularBufferingStrategy::WarpSpecialized,
       "some warps load, others compute"}};
  bindEnum(module, "MatmulCircularBufferingStrategy", "Who loads ahead.", circular);

  static constexpr Member<MatmulTileRasterizationOrder> rasterization[] = {
      {"column_major", MatmulTileRasterizationOrder::ColumnMajor, "down the columns first"},
      {"row_major", MatmulTileRasterizationOrder::RowMajor, "along the rows first"}};
  bindEnum(module, "MatmulTileRasterizationOrder", "The order of tiles.", rasterization);

  static constexpr Member<MmaMacroArch> arch[] = {
      {"no_mma", MmaMacroArch::NoMma, "no matrix instruction"},
      {"volta", MmaMacroArch::Volta, "sm70"},
      {"turing", MmaMacroArch::Turing, "sm75"},
      {"ampere", MmaMacroArch::Ampere, "sm80"},
      {"hopper", MmaMacroArch::Hopper, "sm90"},
      {"blackwell_1cta", MmaMacroArch::Blackwell1Cta, "sm100, one block"},
      {"blackwell_2cta", MmaMacroArch::Blackwell2Cta, "sm100, two blocks"}};
  bindEnum(module, "MmaMacroArch", "The architecture of a matrix instruction.", arch);
}

}  // namespace

void bindEnums(nb::module_& module) {
  bindDataType(module);
  bindLoopEnums(module);
  bindSchedulerType(module);
  bindMatmulEnums(module);
  static constexpr Member<CommunicatorBackend> backends[] = {
      {"nccl", CommunicatorBackend::Nccl, "NCCL"},
      {"ucc", CommunicatorBackend::Ucc, "UCC"},
      {"cuda", CommunicatorBackend::Cuda, "copies between devices by the CUDA driver"}};
  bindEnum(module, "CommunicatorBackend", "The library that moves data between devices.", backends);
}

}  // namespace nvfuser
