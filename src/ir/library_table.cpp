#include "ir/library_table.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

using Kind = LibraryParameter::Kind;

// The default of a scalar that no number stands for.
constexpr int64_t kNoDefault = std::numeric_limits<int64_t>::min();
constexpr LibraryParameter kMatmul[] = {{"arg1", Kind::Tensor}, {"arg2", Kind::Tensor}};
constexpr LibraryParameter kLinear[] = {
    {"arg1", Kind::Tensor}, {"arg2", Kind::Tensor}, {"bias", Kind::Tensor, false}};
constexpr LibraryParameter kSdpaForward[] = {{"query", Kind::Tensor},
                                             {"key", Kind::Tensor},
                                             {"value", Kind::Tensor},
                                             {"bias", Kind::Tensor, false},
                                             {"mask", Kind::Tensor, false},
                                             {"dropout_p", Kind::Scalar, false, 0},
                                             {"is_causal", Kind::Scalar, false, 0},
                                             {"scale", Kind::Scalar, false, kNoDefault}};
constexpr LibraryParameter kSdpaBackward[] = {
    {"grad_output", Kind::Tensor},   {"query", Kind::Tensor},     {"key", Kind::Tensor},
    {"value", Kind::Tensor},         {"output", Kind::Tensor},    {"logsumexp", Kind::Tensor},
    {"dropout_p", Kind::Scalar},     {"is_causal", Kind::Scalar}, {"philox_seed", Kind::Tensor},
    {"philox_offset", Kind::Tensor}, {"scale", Kind::Scalar}};
constexpr LibraryParameter kTopK[] = {{"arg", Kind::Tensor},
                                      {"k", Kind::Scalar},
                                      {"dim", Kind::Number},
                                      {"largest", Kind::Flag, false, 1},
                                      {"sorted", Kind::Flag, false, 0}};
constexpr LibraryParameter kArgSort[] = {{"arg", Kind::Tensor},
                                         {"dim", Kind::Number},
                                         {"descending", Kind::Flag, false, 0},
                                         {"stable", Kind::Flag, false, 0}};
constexpr LibraryParameter kGroupedMatmul[] = {
    {"mat1", Kind::Tensor}, {"mat2", Kind::Tensor}, {"offsets", Kind::Tensor}};
constexpr auto kBFloat16 = static_cast<int64_t>(DataType::BFloat16);
constexpr LibraryParameter kScaledGroupedMatmul[] = {{"mat1", Kind::Tensor},
                                                     {"mat2", Kind::Tensor},
                                                     {"offsets", Kind::Tensor},
                                                     {"scale1", Kind::Tensor},
                                                     {"scale2", Kind::Tensor},
                                                     {"alpha", Kind::Tensor, false},
                                                     {"bias", Kind::Tensor, false},
                                                     {"beta", Kind::Tensor, false},
                                                     {"dtype", Kind::DataType, false, kBFloat16}};
constexpr LibraryParameter kScaledMatmul[] = {
    {"mat1", Kind::Tensor},         {"mat2", Kind::Tensor},
    {"scale1", Kind::Tensor},       {"scale2", Kind::Tensor},
    {"alpha", Kind::Tensor, false}, {"bias", Kind::Tensor, false},
    {"beta", Kind::Tensor, false},  {"dtype", Kind::DataType, false, kBFloat16}};
constexpr LibraryParameter kNvfp4GroupedMatmul[] = {{"mat1", Kind::Tensor},
                                                    {"mat2", Kind::Tensor},
                                                    {"scale1", Kind::Tensor},
                                                    {"scale2", Kind::Tensor},
                                                    {"alpha", Kind::Tensor},
                                                    {"problem_sizes", Kind::Tensor},
                                                    {"expert_offsets", Kind::Tensor},
                                                    {"sf_offsets", Kind::Tensor},
                                                    {"dtype", Kind::DataType, false, kBFloat16}};
constexpr LibraryParameter kSwizzleScales[] = {
    {"input", Kind::Tensor}, {"input_offsets", Kind::Tensor}, {"output_offsets", Kind::Tensor}};

// Among processes: the number of the team, a hash of the fusion that all of them run, what the
// operation before it writes (all devices begin them in one order), and the number of the operation
// that combines.
#define NVF_AMONG_PROCESSES                                                \
  {"x", Kind::Tensor}, {"team", Kind::Number}, {"fusion", Kind::Number}, { \
    "after", Kind::Tensor, false                                           \
  }
constexpr LibraryParameter kAllGather[] = {NVF_AMONG_PROCESSES};
constexpr LibraryParameter kAllReduce[] = {NVF_AMONG_PROCESSES, {"operation", Kind::Number}};
constexpr LibraryParameter kBroadcast[] = {NVF_AMONG_PROCESSES, {"source", Kind::Number}};
#undef NVF_AMONG_PROCESSES
constexpr LibraryParameter kWait[] = {{"x", Kind::Tensor}, {"sent", Kind::Tensor}};

// In the order of LibraryOpType.
constexpr LibraryOpInfo kTable[] = {
    {"matmul", "matmul", kMatmul, "matmul_into"},
    {"linear", "linear", kLinear, "linear_into"},
    {"sdpfa_fwd", "sdpfa_fwd", kSdpaForward},
    {"sdpfa_bwd", "sdpfa_bwd", kSdpaBackward},
    {"topk", "topk", kTopK},
    {"argsort", "argsort", kArgSort},
    {"grouped_mm", "grouped_mm", kGroupedMatmul},
    {"grouped_mm", "scaled_grouped_mm", kScaledGroupedMatmul, nullptr, 2},
    {"scaled_mm", "scaled_mm", kScaledMatmul, nullptr, 2},
    {"cutlass_nvfp4_grouped_mm", "cutlass_nvfp4_grouped_mm", kNvfp4GroupedMatmul},
    {"preprocess_grouped_matmul_input_sf", "preprocess_grouped_matmul_input_sf", kSwizzleScales},
    {"all_gather", "all_gather", kAllGather},
    {"all_reduce", "all_reduce", kAllReduce},
    {"reduce_scatter", "reduce_scatter", kAllReduce},
    {"all_to_all", "all_to_all", kAllGather},
    {"broadcast_from", "broadcast_from", kBroadcast},
    {"wait", "wait", kWait},
};

// What is known of one TorchCall. The row points into the rest.
struct TorchRow {
  TorchCall call;
  std::vector<LibraryParameter> parameters;
  LibraryOpInfo row;
};

struct TorchRows {
  std::mutex mutex;
  // Rows stay where they are.
  std::deque<TorchRow> rows;
};

TorchRows& torchRows() {
  static auto* const rows = new TorchRows;
  return *rows;
}

bool isValue(const LibraryParameter& parameter) {
  return parameter.kind == Kind::Tensor || parameter.kind == Kind::Scalar;
}

std::vector<Val*> valuesOf(Kind kind, const LibraryOpInfo& row,
                           const std::vector<LibraryOp::Argument>& arguments) {
  const auto parameters = row.parameters;
  NVF_INTERNAL_CHECK(arguments.size() == parameters.size(), row.name, ": ", arguments.size(),
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

int64_t numberOf(const TorchCall& call) {
  TorchRows& known = torchRows();
  const std::scoped_lock lock(known.mutex);
  const auto found = std::ranges::find(known.rows, call, &TorchRow::call);
  if (found != known.rows.end()) {
    return found - known.rows.begin();
  }
  TorchRow& added = known.rows.emplace_back(TorchRow{call, {}, {}});
  added.parameters.resize(static_cast<size_t>(call.tensors), {"tensors", Kind::Tensor});
  added.parameters.resize(static_cast<size_t>(call.tensors + call.scalars),
                          {"scalars", Kind::Scalar});
  added.row = {added.call.target.c_str(), "torch_call", added.parameters, nullptr, 0, &added.call};
  return static_cast<int64_t>(known.rows.size()) - 1;
}

const LibraryOpInfo& torchCallInfo(int64_t number) {
  TorchRows& known = torchRows();
  const std::scoped_lock lock(known.mutex);
  return known.rows.at(static_cast<size_t>(number)).row;
}

const LibraryOpInfo& info(LibraryOpType type) {
  const auto row = static_cast<size_t>(type);
  NVF_INTERNAL_CHECK(row < std::size(kTable), "unknown library operation ", row);
  return kTable[row];
}

LibraryOp::LibraryOp(Fusion* fusion, LibraryOpType type, std::vector<Val*> outputs,
                     const std::vector<Argument>& arguments)
    : Expr(fusion, kKind, std::move(outputs),
           valuesOf(Kind::Tensor, nvfuser::info(type), arguments), attributesOf(type, arguments),
           valuesOf(Kind::Scalar, nvfuser::info(type), arguments)) {}

LibraryOp::LibraryOp(Fusion* fusion, const TorchCall& call, std::vector<Val*> outputs,
                     std::vector<Val*> tensors, std::vector<Val*> scalars)
    : Expr(fusion, kKind, std::move(outputs), std::move(tensors),
           {static_cast<int64_t>(LibraryOpType::Torch), numberOf(call)}, std::move(scalars)) {}

const LibraryOpInfo& LibraryOp::info() const {
  return type() == LibraryOpType::Torch ? torchCallInfo(attribute(1)) : nvfuser::info(type());
}

size_t LibraryOp::positionOf(size_t i) const {
  if (type() == LibraryOpType::Torch) {
    return i < inputs().size() ? i : i - inputs().size();
  }
  const auto parameters = info().parameters;
  const Kind kind = parameters[i].kind;
  size_t position = 0;
  for (size_t k = 0; k < i; ++k) {
    const bool isSameList =
        isValue(parameters[i]) ? parameters[k].kind == kind && isGiven(k) : !isValue(parameters[k]);
    position += isSameList ? 1 : 0;
  }
  return position;
}

LibraryOp::Argument LibraryOp::argument(size_t i) const {
  const size_t position = positionOf(i);
  if (type() == LibraryOpType::Torch) {
    return i < inputs().size() ? input(position) : operands().at(position);
  }
  const auto parameters = info().parameters;
  if (!isValue(parameters[i])) {
    return attribute(2 + position);
  }
  if (!isGiven(i)) {
    return static_cast<Val*>(nullptr);
  }
  return parameters[i].kind == Kind::Tensor ? input(position) : operands().at(position);
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

// Query, key and value.
std::vector<DomainPair> attentionPairs(const LibraryOp& op, size_t first) {
  const std::vector<IterDomain*> query = op.tensor(first)->visible();
  const std::vector<IterDomain*> key = op.tensor(first + 1)->visible();
  const std::vector<IterDomain*> value = op.tensor(first + 2)->visible();
  const size_t rank = query.size();
  std::vector<DomainPair> pairs{{query[rank - 1], key[rank - 1]}, {key[rank - 2], value[rank - 2]}};
  for (size_t i = 0; i + 2 < rank; ++i) {
    pairs.emplace_back(query[i], key[i]);
    pairs.emplace_back(query[i], value[i]);
  }
  return pairs;
}

std::vector<DomainPair> groupedPairs(const LibraryOp& op) {
  const std::vector<IterDomain*> a = op.tensor(0)->visible();
  const std::vector<IterDomain*> b = op.tensor(1)->visible();
  std::vector<DomainPair> pairs{{a.back(), b[b.size() - 2]}};
  for (const auto* matrix : {&a, &b}) {
    if (matrix->size() == 3) {
      pairs.emplace_back(matrix->front(), op.tensor(2)->visible()[0]);
    }
  }
  return pairs;
}

}  // namespace

std::vector<DomainPair> sizePairs(const LibraryOp& op) {
  switch (op.type()) {
    case LibraryOpType::Matmul:
      return matmulPairs(op);
    case LibraryOpType::Linear:
      return {{op.tensor(0)->visible().back(), op.tensor(1)->visible().back()}};
    case LibraryOpType::SdpaForward:
      return attentionPairs(op, 0);
    case LibraryOpType::SdpaBackward:
      return attentionPairs(op, 1);
    case LibraryOpType::GroupedMatmul:
    case LibraryOpType::ScaledGroupedMatmul:
      return groupedPairs(op);
    case LibraryOpType::ScaledMatmul:
      return {{op.tensor(0)->visible()[1], op.tensor(1)->visible()[0]}};
    case LibraryOpType::Nvfp4GroupedMatmul:
      return {{op.tensor(0)->visible()[1], op.tensor(1)->visible()[1]}};
    case LibraryOpType::SwizzleScales:
      return {{op.tensor(1)->visible()[0], op.tensor(2)->visible()[0]}};
    case LibraryOpType::TopK:
    case LibraryOpType::ArgSort:
    case LibraryOpType::Torch:
    case LibraryOpType::AllGather:
    case LibraryOpType::AllReduce:
    case LibraryOpType::ReduceScatter:
    case LibraryOpType::AllToAll:
    case LibraryOpType::Broadcast:
    case LibraryOpType::Wait:
      break;
  }
  return {};
}

}  // namespace nvfuser
