#include "ir/types.h"

#include <array>
#include <ostream>

namespace nvfuser {

namespace {
using enum OpTraits;

#define X(enumerator, name, promotion, symbol, traits, summary) \
  OpInfo{name, Promotion::promotion, symbol, traits, summary},
constexpr OpInfo kUnary[] = {
    NVF_UNARY_OPS(X){"cast", Promotion::Same, "", Cheap, "conversion of dtype"},
    {"moments_of", Promotion::Same, "", Plain, "moments of one value"},
    {"mean_of", Promotion::Same, "", Plain, "mean of the values"},
    {"deviations_of", Promotion::Same, "", Plain, "sum of the squared deviations from the mean"},
    {"count_of", Promotion::Same, "", Plain, "number of the values"},
    {"exponentials_of", Promotion::Same, "", Plain, "maximum and exponentials of one value"},
    {"maximum_of", Promotion::Same, "", Plain, "maximum m of the values x"},
    {"center_of", Promotion::Same, "", Plain, "m where it is finite, otherwise 0"},
    {"sum_of", Promotion::Same, "", Plain, "sum of exp(x - center)"},
    {"position_of", Promotion::Same, "", Plain, "position that a key was made of"}};
constexpr OpInfo kBinary[] = {
    NVF_BINARY_OPS(X){"ceilDiv", Promotion::Integer, "", Plain, "quotient rounded up"},
    {"key_of", Promotion::Same, "", Plain, "key by value, then by position from the last one"},
    {"merge_moments", Promotion::Same, "", Plain, "moments of the values of both"},
    {"merge_exponentials", Promotion::Same, "", Plain, "exponentials of the values of both"}};
constexpr OpInfo kTernary[] = {NVF_TERNARY_OPS(X)};
#undef X

#define X(enumerator, node) #enumerator,
constexpr const char* kExprKindNames[] = {NVF_EXPR_KINDS(X)};
#undef X

constexpr std::array kParallelNames = {
    "deviceIdx.x", "deviceIdx.y", "deviceIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z",
    "threadIdx.x", "threadIdx.y", "threadIdx.z", "MMA",        "S",          "B",
    "UR",          "US",          "V",           "streamIdx",  "clusterIdx"};
constexpr std::array kMemoryNames = {"t", "l", "s", "g", "sym"};
constexpr std::array kLookupNames = {"index_select", "gather", "take_along_axis", "embedding_fwd"};
}  // namespace

const char* nameOf(ExprKind kind) { return kExprKindNames[static_cast<size_t>(kind)]; }

const OpInfo& info(UnaryOpType type) { return kUnary[static_cast<size_t>(type)]; }

const OpInfo& info(BinaryOpType type) { return kBinary[static_cast<size_t>(type)]; }
const OpInfo& info(TernaryOpType type) { return kTernary[static_cast<size_t>(type)]; }

const char* toString(RandomType type) { return type == RandomType::Uniform ? "uniform" : "normal"; }

const char* scanName(BinaryOpType type) {
  switch (type) {
    case BinaryOpType::Add:
      return "cumsum";
    case BinaryOpType::Mul:
      return "cumprod";
    case BinaryOpType::Minimum:
      return "cummin";
    default:
      return "cummax";
  }
}

const char* toString(LookupType type) { return kLookupNames[static_cast<size_t>(type)]; }

std::ostream& operator<<(std::ostream& os, ParallelType type) {
  return os << kParallelNames[static_cast<size_t>(type)];
}
std::ostream& operator<<(std::ostream& os, MemoryType type) {
  return os << kMemoryNames[static_cast<size_t>(type)];
}

}  // namespace nvfuser
