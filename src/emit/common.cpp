#include "emit/common.h"

#include <sstream>

#include "core/error.h"
#include "ir/scalar.h"

namespace nvfuser {

std::string asComment(const std::string& text, const std::string& mark) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += mark + (line.empty() ? "" : " " + line) + "\n";
  }
  return result;
}

const char* storageName(DataType dtype) {
  const char* name = info(dtype).storageName;
  NVF_INTERNAL_CHECK(name != nullptr, dtype, " is not a storage type");
  return name;
}

bool hasSignBit(DataType dtype) {
  return isReducedPrecision(dtype) && info(dtype).isSigned && fitsVectorLane(dtype);
}

DataType comparisonType(const Expr* expr, DataType lhs, DataType rhs) {
  lhs = computeType(lhs);
  rhs = computeType(rhs);
  const bool lhsTensor = expr->input(0)->isTensor();
  const bool rhsTensor = expr->input(1)->isTensor();
  if (lhsTensor != rhsTensor) {
    const DataType tensor = lhsTensor ? lhs : rhs;
    const DataType other = lhsTensor ? rhs : lhs;
    if (kindOf(other) <= kindOf(tensor)) {
      return tensor;
    }
  }
  return promoteTypes(lhs, rhs);
}

bool isOfIndices(const Expr* expr, DataType first, DataType out,
                 const scalar::LeastIndices& least) {
  // Extents that are scalars of dtype Int are rounded up as well.
  return static_cast<BinaryOpType>(expr->attribute(0)) == BinaryOpType::CeilDiv ||
         ((out == DataType::Index || first == DataType::Index) &&
          !scalar::maySignMatter(expr, least));
}

bool isOrderedByBits(const TensorView* tv) {
  const Expr* expr = tv->definition();
  const DataType dtype = tv->dtype();
  if (expr == nullptr || !isFloatingPointType(dtype) || info(dtype).bits < 16) {
    return false;
  }
  switch (expr->kind()) {
    case ExprKind::Unary: {
      const auto* unary = expr->as<UnaryOp>();
      return (unary->type() == UnaryOpType::Abs && unary->in()->dtype() == dtype) ||
             (unary->type() == UnaryOpType::Cast && isOrderedByBits(unary->in()->asTensor()));
    }
    case ExprKind::Reduction: {
      const auto* reduction = expr->as<ReductionOp>();
      return reduction->type() == BinaryOpType::Maximum && isOrderedByBits(reduction->in());
    }
    case ExprKind::LoadStore:
    case ExprKind::Reshape:
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Expand:
    case ExprKind::Slice:
      return isOrderedByBits(expr->input(0)->asTensor());
    default:
      return false;
  }
}

}  // namespace nvfuser
