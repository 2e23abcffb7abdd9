#include "ir/library_table.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

using Kind = LibraryParameter::Kind;

constexpr LibraryParameter kMatmul[] = {{"arg1", Kind::Tensor}, {"arg2", Kind::Tensor}};
constexpr LibraryParameter kLinear[] = {
    {"arg1", Kind::Tensor}, {"arg2", Kind::Tensor}, {"bias", Kind::Tensor, false}};

// In the order of LibraryOpType.
constexpr LibraryOpInfo kTable[] = {
    {"matmul", kMatmul, true},
    {"linear", kLinear, true},
};

bool isValue(const LibraryParameter& parameter) {
  return parameter.kind == Kind::Tensor || parameter.kind == Kind::Scalar;
}

std::vector<Val*> valuesOf(Kind kind, LibraryOpType type,
                           const std::vector<LibraryOp::Argument>& arguments) {
  const auto parameters = info(type).parameters;
  NVF_INTERNAL_CHECK(arguments.size() == parameters.size(), info(type).name, ": ", arguments.size(),
                     " arguments for ", parameters.size(), " parameters");
  std::vector<Val*> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (parameters[i].kind == kind && arguments[i].val != nullptr) {
      values.push_back(arguments[i].val);
    }
  }
  return values;
}

std::vector<int64_t> attributesOf(LibraryOpType type,
                                  const std::vector<LibraryOp::Argument>& arguments) {
  const auto parameters = info(type).parameters;
  int64_t given = 0;
  std::vector<int64_t> attributes{static_cast<int64_t>(type), 0};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!isValue(parameters[i])) {
      attributes.push_back(arguments[i].number);
    } else if (arguments[i].val != nullptr) {
      given |= int64_t{1} << i;
    }
  }
  attributes[1] = given;
  return attributes;
}

}  // namespace

const LibraryOpInfo& info(LibraryOpType type) {
  const auto row = static_cast<size_t>(type);
  NVF_INTERNAL_CHECK(row < std::size(kTable), "unknown library operation ", row);
  return kTable[row];
}

LibraryOp::LibraryOp(Fusion* fusion, LibraryOpType type, std::vector<Val*> outputs,
                     const std::vector<Argument>& arguments)
    : Expr(fusion, kKind, std::move(outputs), valuesOf(Kind::Tensor, type, arguments),
           attributesOf(type, arguments), valuesOf(Kind::Scalar, type, arguments)) {}

LibraryOp::Argument LibraryOp::argument(size_t i) const {
  const auto parameters = info().parameters;
  const Kind kind = parameters[i].kind;
  const auto isGiven = [&](size_t k) { return (attribute(1) >> k & 1) != 0; };
  size_t position = 0;
  for (size_t k = 0; k < i; ++k) {
    const bool isSameList =
        isValue(parameters[i]) ? parameters[k].kind == kind && isGiven(k) : !isValue(parameters[k]);
    position += isSameList ? 1 : 0;
  }
  if (!isValue(parameters[i])) {
    return attribute(2 + position);
  }
  if (!isGiven(i)) {
    return static_cast<Val*>(nullptr);
  }
  return kind == Kind::Tensor ? input(position) : operands().at(position);
}

TensorView* LibraryOp::tensor(size_t i) const {
  Val* val = argument(i).val;
  return val == nullptr ? nullptr : val->asTensor();
}

namespace {

using DomainPair = std::pair<IterDomain*, IterDomain*>;

// The last dimensions of two lists; those that broadcast are in no pair.
void pairFromTheRight(std::vector<DomainPair>& pairs, const std::vector<IterDomain*>& a,
                      const std::vector<IterDomain*>& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    IterDomain* x = a[a.size() - i];
    IterDomain* y = b[b.size() - i];
    if (!x->visibleExtent()->isConstInt(1) && !y->visibleExtent()->isConstInt(1)) {
      pairs.emplace_back(x, y);
    }
  }
}

std::vector<DomainPair> matmulPairs(const LibraryOp& op) {
  std::vector<IterDomain*> a = op.tensor(0)->visible();
  std::vector<IterDomain*> b = op.tensor(1)->visible();
  // The dimension that is summed over, then the batch.
  const auto summed = b.size() == 1 ? b.begin() : b.end() - 2;
  std::vector<DomainPair> pairs{{a.back(), *summed}};
  a.resize(a.size() - std::min<size_t>(a.size(), 2));
  b.resize(b.size() - std::min<size_t>(b.size(), 2));
  pairFromTheRight(pairs, a, b);
  return pairs;
}

}  // namespace

std::vector<DomainPair> sizePairs(const LibraryOp& op) {
  switch (op.type()) {
    case LibraryOpType::Matmul:
      return matmulPairs(op);
    case LibraryOpType::Linear:
      return {{op.tensor(0)->visible().back(), op.tensor(1)->visible().back()}};
  }
  return {};
}

}  // namespace nvfuser
