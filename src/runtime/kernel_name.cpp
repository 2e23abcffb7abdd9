#include "runtime/kernel_name.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "ir/nodes.h"

namespace nvfuser {

namespace {

const char* nameOfReduction(BinaryOpType type) {
  switch (type) {
    case BinaryOpType::Add:
      return "sum";
    case BinaryOpType::Mul:
      return "prod";
    case BinaryOpType::Maximum:
      return "max";
    case BinaryOpType::Minimum:
      return "min";
    default:
      return info(type).name;
  }
}

// Empty for what only moves or converts values.
std::string nameOf(const Expr* expr) {
  switch (expr->kind()) {
    case ExprKind::Unary: {
      const UnaryOpType type = expr->as<UnaryOp>()->type();
      return type == UnaryOpType::Cast ? "" : info(type).name;
    }
    case ExprKind::Binary:
      return info(expr->as<BinaryOp>()->type()).name;
    case ExprKind::Ternary:
      return info(expr->as<TernaryOp>()->type()).name;
    case ExprKind::Reduction:
      return nameOfReduction(expr->as<ReductionOp>()->type());
    case ExprKind::Scan:
      return std::string("cum") + nameOfReduction(expr->as<ScanOp>()->type());
    case ExprKind::Random:
      return toString(expr->as<RandomOp>()->type());
    case ExprKind::LoadStore:
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Expand:
      return "";
    default: {
      std::string name = nvfuser::nameOf(expr->kind());
      std::ranges::transform(name, name.begin(),
                             [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
      return name;
    }
  }
}

// FNV-1a: the same in every process.
std::string digest(const std::string& text) {
  uint32_t hash = 0x811C9DC5;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  }
  char digits[9];
  std::snprintf(digits, sizeof(digits), "%08x", hash);
  return digits;
}

}  // namespace

std::string kernelName(const Fusion& fusion, const std::string& definition,
                       const ScheduleParams& params) {
  constexpr size_t kMostCharacters = 64;
  std::string name = "nvfuser_";
  name += params.scheduler == nullptr ? "user" : toString(params.scheduler->type());
  std::vector<std::string> known;
  const auto append = [&](const std::string& operation) {
    known.push_back(operation);
    name += "_" + operation;
  };
  bool isConverted = false;
  for (const Expr* expr : fusion.tensorExprs()) {
    const auto* unary = expr->as<UnaryOp>();
    isConverted = isConverted || (unary != nullptr && unary->type() == UnaryOpType::Cast);
    const std::string operation = nameOf(expr);
    if (operation.empty() || std::ranges::find(known, operation) != known.end()) {
      continue;
    }
    if (name.size() + operation.size() > kMostCharacters) {
      append("etc");
      break;
    }
    append(operation);
  }
  if (known.empty()) {
    append(isConverted ? "cast" : "copy");
  }
  return name + "_" + digest(definition + toString(params));
}

std::string groupName(const kir::KernelGroup& group) {
  std::string members;
  int64_t count = 0;
  for (const kir::KernelGroup::Member& member : group.members) {
    members += concatenate(member.kernel->name, " x ", member.count, "\n");
    count += member.count;
  }
  // That of the first, with its digest replaced.
  const std::string& first = group.members.front().kernel->name;
  return first.substr(0, first.rfind('_')) + "_and_" + std::to_string(count - 1) + "_more_" +
         digest(members);
}

}  // namespace nvfuser
