// Enumerations of the parameters of matrix products, and of mappings between iteration domains.
#pragma once

#include <cstdint>

namespace nvfuser {

enum class IdMappingMode : uint8_t { Exact, AlmostExact, Broadcast, Permissive, Loop };

enum class MatmulTilingStrategy : uint8_t {
  OneTilePerCta,
  DistributeTilesAcrossSms,
  DistributeStagesAcrossSms
};
enum class MatmulBufferingLoopLevel : uint8_t { CtaTiles, WarpTiles };
enum class MatmulCircularBufferingStrategy : uint8_t { Pipelined, WarpSpecialized };
enum class MatmulTileRasterizationOrder : uint8_t { ColumnMajor, RowMajor };
enum class MmaMacroArch : uint8_t {
  NoMma,
  Volta,
  Turing,
  Ampere,
  Hopper,
  Blackwell1Cta,
  Blackwell2Cta
};

}  // namespace nvfuser
