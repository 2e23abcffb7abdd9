#include "ops/grouped_matmul.h"

#include <algorithm>

#include "core/error.h"
#include "ops/library_builder.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

using Arguments = std::vector<LibraryOp::Argument>;

void checkGroups(const TensorView* a, const TensorView* b, const TensorView* offsets) {
  NVF_CHECK(offsets->ndim() == 1, "grouped_mm: offsets needs to be 1-D for grouped mm, but got ",
            offsets->toString());
  NVF_CHECK(offsets->dtype() == DataType::Int32 || offsets->dtype() == DataType::Int,
            "grouped_mm: Expected offsets of dtype Int32, but got ", offsets->toString());
  const auto isMatrix = [](const TensorView* tv) { return tv->ndim() == 2 || tv->ndim() == 3; };
  NVF_CHECK(isMatrix(a) && isMatrix(b) && a->ndim() + b->ndim() < 6,
            "grouped_mm: Unexpected operand ranks ", a->ndim(), " and ", b->ndim(), ": ",
            a->toString(), " and ", b->toString());
}

std::vector<IterDomain*> groupedDimensions(const TensorView* a, const TensorView* b,
                                           const TensorView* offsets) {
  const std::vector<IterDomain*> left = a->visible();
  const std::vector<IterDomain*> right = b->visible();
  std::vector<IterDomain*> logical;
  if (left.size() == 2 && right.size() == 2) {
    logical.push_back(ownDimension(offsets->visible()[0]));
  }
  logical.push_back(ownDimension(left[left.size() - 2]));
  logical.push_back(ownDimension(right.back()));
  return logical;
}

void checkEpilogue(const char* opName, const Epilogue& epilogue) {
  NVF_CHECK(epilogue.blockScaleSize == 0, opName, ": output_block_scale is not yet supported");
  NVF_CHECK(!epilogue.hasGamma, opName, ": output_gamma is not yet supported");
  NVF_CHECK(isFloatingPointType(epilogue.dtype), opName,
            ": Expected dtype to be floating-point, but got ", epilogue.dtype);
}

}  // namespace

TensorView* groupedMatmul(TensorView* a, TensorView* b, TensorView* offsets) {
  Fusion* fusion = fusionOf("grouped_mm", {a, b, offsets});
  checkGroups(a, b, offsets);
  NVF_CHECK(a->dtype() == b->dtype(),
            "grouped_mm: Expected mat1 and mat2 to have the same dtype, but got ", a->dtype(),
            " and ", b->dtype());
  TensorView* out = newTensor(fusion, groupedDimensions(a, b, offsets), a->dtype());
  fusion->create<LibraryOp>(LibraryOpType::GroupedMatmul, std::vector<Val*>{out},
                            Arguments{a, b, offsets});
  return out;
}

TensorView* scaledGroupedMatmul(TensorView* a, TensorView* b, TensorView* offsets,
                                TensorView* scaleA, TensorView* scaleB, const Epilogue& epilogue) {
  Fusion* fusion = fusionOf(
      "grouped_mm", {a, b, offsets, scaleA, scaleB, epilogue.alpha, epilogue.bias, epilogue.beta});
  checkGroups(a, b, offsets);
  NVF_CHECK((scaleA == nullptr) == (scaleB == nullptr),
            "grouped_mm: scale1 and scale2 needs to be non-null or both null");
  NVF_CHECK((epilogue.bias == nullptr) == (epilogue.beta == nullptr),
            "grouped_mm: bias and beta needs to be non-null or both null");
  NVF_CHECK(!epilogue.hasGamma || epilogue.blockScaleSize > 0,
            "grouped_mm: output_gamma needs an output_block_scale_size above 0");
  checkEpilogue("grouped_mm", epilogue);
  std::vector<IterDomain*> logical = groupedDimensions(a, b, offsets);
  for (const auto& [scale, matrix] : {std::pair(scaleA, a), std::pair(scaleB, b)}) {
    const int64_t rank = std::max(matrix->ndim(), static_cast<int64_t>(logical.size()));
    NVF_CHECK(scale == nullptr || scale->ndim() == rank, "grouped_mm: Expected a scale of rank ",
              rank, " for ", matrix->toString(), ", but got ",
              scale == nullptr ? std::string() : scale->toString());
  }
  TensorView* out = newTensor(fusion, std::move(logical), epilogue.dtype);
  fusion->create<LibraryOp>(LibraryOpType::ScaledGroupedMatmul, std::vector<Val*>{out},
                            Arguments{a, b, offsets, scaleA, scaleB, epilogue.alpha, epilogue.bias,
                                      epilogue.beta, epilogue.dtype});
  return out;
}

TensorView* scaledMatmul(TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB,
                         const Epilogue& epilogue) {
  Fusion* fusion =
      fusionOf("scaled_mm", {a, b, scaleA, scaleB, epilogue.alpha, epilogue.bias, epilogue.beta});
  NVF_CHECK(a->ndim() == 2 && b->ndim() == 2, "scaled_mm: Expected matrices, but got ",
            a->toString(), " and ", b->toString());
  NVF_CHECK(epilogue.beta == nullptr || epilogue.bias != nullptr,
            "scaled_mm: beta requires a bias");
  checkEpilogue("scaled_mm", epilogue);
  TensorView* out = newTensor(
      fusion, {ownDimension(a->visible()[0]), ownDimension(b->visible()[1])}, epilogue.dtype);
  fusion->create<LibraryOp>(LibraryOpType::ScaledMatmul, std::vector<Val*>{out},
                            Arguments{a, b, scaleA, scaleB, epilogue.alpha, epilogue.bias,
                                      epilogue.beta, epilogue.dtype});
  return out;
}

TensorView* nvfp4GroupedMatmul(TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB,
                               TensorView* alpha, TensorView* problemSizes,
                               TensorView* expertOffsets, TensorView* scaleOffsets,
                               DataType dtype) {
  constexpr const char* kName = "cutlass_nvfp4_grouped_mm";
  Fusion* fusion =
      fusionOf(kName, {a, b, scaleA, scaleB, alpha, problemSizes, expertOffsets, scaleOffsets});
  const auto check = [&](const TensorView* tv, const char* name, int64_t rank, DataType expected) {
    NVF_CHECK(tv->ndim() == rank && tv->dtype() == expected, kName, ": Expected ", name,
              " to have rank ", rank, " and dtype ", expected, ", but got ", tv->toString());
  };
  check(a, "mat1", 2, DataType::Float4_e2m1fn);
  check(b, "mat2", 3, DataType::Float4_e2m1fn);
  check(scaleA, "scale1", 2, DataType::Float8_e4m3fn);
  check(scaleB, "scale2", 3, DataType::Float8_e4m3fn);
  check(alpha, "alpha", 1, DataType::Float);
  check(problemSizes, "problem_sizes", 2, DataType::Int32);
  check(expertOffsets, "expert_offsets", 1, DataType::Int32);
  check(scaleOffsets, "sf_offsets", 1, DataType::Int32);
  NVF_CHECK(isFloatingPointType(dtype), kName, ": Expected dtype to be floating-point, but got ",
            dtype);
  TensorView* out =
      newTensor(fusion, {ownDimension(a->visible()[0]), ownDimension(b->visible()[2])}, dtype);
  fusion->create<LibraryOp>(
      LibraryOpType::Nvfp4GroupedMatmul, std::vector<Val*>{out},
      Arguments{a, b, scaleA, scaleB, alpha, problemSizes, expertOffsets, scaleOffsets, dtype});
  return out;
}

}  // namespace nvfuser::ops
