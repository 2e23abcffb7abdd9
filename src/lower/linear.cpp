#include "lower/linear.h"

#include <algorithm>

#include "ir/nodes.h"
#include "ir/scalar.h"

namespace nvfuser {

void Linear::add(const Linear& other, int64_t times) {
  constant += times * other.constant;
  if (other.factors.empty()) {
    return;
  }
  std::vector<std::pair<Val*, int64_t>> sum;
  sum.reserve(factors.size() + other.factors.size());
  auto own = factors.begin();
  for (const auto& [val, factor] : other.factors) {
    for (; own != factors.end() && own->first->index() < val->index(); ++own) {
      sum.push_back(*own);
    }
    int64_t total = times * factor;
    if (own != factors.end() && own->first == val) {
      total += own->second;
      ++own;
    }
    if (total != 0) {
      sum.emplace_back(val, total);
    }
  }
  sum.insert(sum.end(), own, factors.end());
  factors = std::move(sum);
}

void Linear::collect() {
  std::ranges::sort(factors, {}, [](const auto& entry) { return entry.first->index(); });
  std::vector<std::pair<Val*, int64_t>> sum;
  for (const auto& [val, factor] : factors) {
    if (!sum.empty() && sum.back().first == val) {
      sum.back().second += factor;
    } else {
      sum.emplace_back(val, factor);
    }
  }
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  factors = std::move(sum);
}

int64_t Linear::factorOf(const Val* val) const {
  const auto found = std::ranges::find(
      factors, val, [](const auto& entry) { return static_cast<const Val*>(entry.first); });
  return found == factors.end() ? 0 : found->second;
}

void Linear::remove(const Val* val) {
  std::erase_if(factors, [&](const auto& entry) { return entry.first == val; });
}

Linear linear(Val* val, const std::unordered_set<const Val*>& whole) {
  Linear result;
  // Terms and their factors.
  std::vector<std::pair<Val*, int64_t>> stack{{val, 1}};
  while (!stack.empty()) {
    const auto [term, times] = stack.back();
    stack.pop_back();
    if (term->isConstInt()) {
      result.constant += times * term->constInt();
      continue;
    }
    const auto* binary =
        term->definition() == nullptr ? nullptr : term->definition()->as<BinaryOp>();
    if (binary != nullptr) {
      const BinaryOpType type = binary->type();
      if (type == BinaryOpType::Add || (type == BinaryOpType::Sub && !whole.contains(term))) {
        stack.emplace_back(binary->rhs(), type == BinaryOpType::Add ? times : -times);
        stack.emplace_back(binary->lhs(), times);
        continue;
      }
      if (type == BinaryOpType::Mul &&
          (binary->lhs()->isConstInt() || binary->rhs()->isConstInt())) {
        const bool isLeft = binary->lhs()->isConstInt();
        stack.emplace_back(isLeft ? binary->rhs() : binary->lhs(),
                           times * (isLeft ? binary->lhs() : binary->rhs())->constInt());
        continue;
      }
    }
    result.factors.emplace_back(term, times);
  }
  result.collect();
  return result;
}

Val* valueOf(const Linear& value, Fusion* fusion) {
  Val* sum = scalar::constant(fusion, value.constant);
  for (const auto& [val, factor] : value.factors) {
    sum = factor == -1 ? scalar::sub(sum, val)
                       : scalar::add(sum, scalar::mul(val, scalar::constant(fusion, factor)));
  }
  return sum;
}

}  // namespace nvfuser
