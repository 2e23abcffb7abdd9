#include "ops/attention.h"

#include "core/error.h"
#include "ops/library_builder.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

void checkOperands(const char* opName, TensorView* query, TensorView* key, TensorView* value) {
  const int64_t rank = query->ndim();
  NVF_CHECK(rank >= 4 && key->ndim() == rank && value->ndim() == rank, opName,
            ": Expected query, key and value to have the same rank, 4 or more, but got ",
            query->toString(), ", ", key->toString(), " and ", value->toString());
  NVF_CHECK(key->dtype() == query->dtype() && value->dtype() == query->dtype(), opName,
            ": Expected query, key and value to have the same dtype, but got ", query->dtype(),
            ", ", key->dtype(), " and ", value->dtype());
  NVF_CHECK(isFloatingPointType(query->dtype()) && info(query->dtype()).bits >= 16, opName,
            ": Expected Half, BFloat16, Float or Double, but got ", query->toString());
}

Val* scalarOr(Val* given, DataType dtype, const PolymorphicValue& value, const char* opName,
              const char* name, Fusion* fusion) {
  if (given == nullptr) {
    return fusion->create<Val>(dtype, value);
  }
  NVF_CHECK(given->isScalar() && !isComplexType(given->dtype()), opName, ": Expected ", name,
            " to be a scalar, but got ", given->toString());
  return convert(given, dtype);
}

struct Scalars {
  Val* dropout;
  Val* isCausal;
  Val* scale;
};

Scalars scalarsOf(const char* opName, Fusion* fusion, Val* dropout, Val* isCausal, Val* scale) {
  return {
      scalarOr(dropout, DataType::Double, 0.0, opName, "dropout_p", fusion),
      scalarOr(isCausal, DataType::Bool, false, opName, "is_causal", fusion),
      scale == nullptr ? nullptr : scalarOr(scale, DataType::Double, 1.0, opName, "scale", fusion)};
}

// What is added to, or chooses among, the scores: of their rank.
void checkScores(const char* name, const TensorView* tensor, DataType dtype, int64_t rank) {
  if (tensor == nullptr) {
    return;
  }
  NVF_CHECK(tensor->ndim() == rank && tensor->dtype() == dtype, "sdpfa_fwd: Expected ", name,
            " to have rank ", rank, " and dtype ", dtype, ", but got ", tensor->toString());
}

}  // namespace

AttentionResult sdpaForward(TensorView* query, TensorView* key, TensorView* value, TensorView* bias,
                            TensorView* mask, Val* dropout, Val* isCausal, Val* scale) {
  Fusion* fusion = fusionOf("sdpfa_fwd", {query, key, value, bias, mask, dropout, isCausal, scale});
  checkOperands("sdpfa_fwd", query, key, value);
  checkScores("bias", bias, query->dtype(), query->ndim());
  checkScores("mask", mask, DataType::Bool, query->ndim());
  const Scalars scalars = scalarsOf("sdpfa_fwd", fusion, dropout, isCausal, scale);
  const bool isScored = bias != nullptr || mask != nullptr;
  NVF_CHECK(
      !isScored || !scalars.dropout->isConst() || scalars.dropout->value().as<double>() == 0.0,
      "sdpfa_fwd: with a bias or mask, dropout_p must be 0");
  std::vector<IterDomain*> rows = ownDimensions(query->visible());
  rows.pop_back();
  std::vector<IterDomain*> elements = ownDimensions(query->visible());
  elements.back() = ownDimension(value->visible().back());
  AttentionResult result{};
  result.output = newTensor(fusion, std::move(elements), query->dtype());
  result.logsumexp = newTensor(fusion, std::move(rows), DataType::Float);
  Val* two = constantOf(fusion, int64_t{2});
  result.philoxSeed =
      newTensor(fusion, {newDimension(fusion, checkExtent("sdpfa_fwd", two))}, DataType::UInt64);
  result.philoxOffset = newTensor(fusion, {}, DataType::UInt64);
  fusion->create<LibraryOp>(
      LibraryOpType::SdpaForward,
      std::vector<Val*>{result.output, result.logsumexp, result.philoxSeed, result.philoxOffset},
      std::vector<LibraryOp::Argument>{query, key, value, bias, mask, scalars.dropout,
                                       scalars.isCausal, scalars.scale});
  return result;
}

AttentionGradients sdpaBackward(TensorView* gradient, TensorView* query, TensorView* key,
                                TensorView* value, TensorView* output, TensorView* logsumexp,
                                Val* dropout, Val* isCausal, TensorView* philoxSeed,
                                TensorView* philoxOffset, Val* scale) {
  Fusion* fusion = fusionOf("sdpfa_bwd", {gradient, query, key, value, output, logsumexp, dropout,
                                          isCausal, philoxSeed, philoxOffset, scale});
  checkOperands("sdpfa_bwd", query, key, value);
  const int64_t rank = query->ndim();
  for (const TensorView* tensor : {gradient, output}) {
    NVF_CHECK(tensor->ndim() == rank && tensor->dtype() == query->dtype(),
              "sdpfa_bwd: Expected grad_output and output to have rank ", rank, " and dtype ",
              query->dtype(), ", but got ", tensor->toString());
  }
  NVF_CHECK(logsumexp->ndim() == rank - 1 && logsumexp->dtype() == DataType::Float,
            "sdpfa_bwd: Expected logsumexp to have rank ", rank - 1, " and dtype float, but got ",
            logsumexp->toString());
  const Scalars scalars = scalarsOf("sdpfa_bwd", fusion, dropout, isCausal, scale);
  const auto gradientOf = [&](const TensorView* tv) {
    return newTensor(fusion, ownDimensions(tv->visible()), tv->dtype());
  };
  const AttentionGradients result{gradientOf(query), gradientOf(key), gradientOf(value)};
  fusion->create<LibraryOp>(
      LibraryOpType::SdpaBackward, std::vector<Val*>{result.query, result.key, result.value},
      std::vector<LibraryOp::Argument>{gradient, query, key, value, output, logsumexp,
                                       scalars.dropout, scalars.isCausal, philoxSeed, philoxOffset,
                                       scalars.scale});
  return result;
}

}  // namespace nvfuser::ops
