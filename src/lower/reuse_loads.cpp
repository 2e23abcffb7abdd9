#include "lower/reuse_loads.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "ir/scalar.h"
#include "lower/linear.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// A vector that is in local memory where the conditions hold.
struct Loaded {
  const TensorView* from;
  Linear first;
  int64_t width;
  kir::Access local;
  std::vector<Val*> conditions;
};

bool isLocal(const kir::Access& access) { return access.tv->memoryType() == MemoryType::Local; }

// What a statement loads from global into local memory, if that is what it does.
const kir::Access* loadedBy(const kir::Compute& compute) {
  const auto* in =
      compute.inputs.size() == 1 ? std::get_if<kir::Access>(compute.inputs.data()) : nullptr;
  const bool isLoad = in != nullptr && in->tv->memoryType() == MemoryType::Global &&
                      isLocal(compute.out) && compute.expr->is<LoadStoreOp>() &&
                      in->tv->dtype() == compute.out.tv->dtype();
  return isLoad ? in : nullptr;
}

class ReuseOfLoads {
 public:
  void visit(kir::Block& block) {
    for (kir::Statement& statement : block) {
      if (auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        // What one iteration writes, the next one does not find.
        kir::forEachStatement(*loop->body, [&](const kir::Statement& inside) { forget(inside); });
        const size_t known = loaded_.size();
        loops_.push_back(loop);
        visit(*loop->body);
        loops_.pop_back();
        // Of the last iteration, if there was one.
        loaded_.resize(known);
      } else if (auto* choice = std::get_if<kir::If>(&statement.node)) {
        const size_t known = conditions_.size();
        std::ranges::copy(scalar::atomsOf(choice->condition), std::back_inserter(conditions_));
        visit(*choice->then);
        conditions_.resize(known);
        if (choice->otherwise != nullptr) {
          visit(*choice->otherwise);
        }
      } else {
        auto* compute = std::get_if<kir::Compute>(&statement.node);
        if (compute != nullptr && compute->width == 1) {
          readLoaded(*compute);
        }
        forget(statement);
        if (compute != nullptr) {
          note(*compute);
        }
      }
    }
  }

 private:
  // What a statement writes is no longer what was loaded.
  void forget(const kir::Statement& statement) {
    kir::forEachOwnAccess(statement,
                          [&](const kir::Access& access, kir::Use use, const TensorView*) {
                            if (use != kir::Use::Read) {
                              std::erase_if(loaded_, [&](const Loaded& known) {
                                return known.local.tv == access.tv || known.from == access.tv;
                              });
                            }
                          });
  }

  void note(const kir::Compute& compute) {
    const kir::Access* in = loadedBy(compute);
    if (in != nullptr && compute.width > 1 && compute.first == nullptr && compute.end == nullptr) {
      loaded_.push_back({in->tv, linear(in->index), compute.width, compute.out, conditions_});
    }
  }

  void readLoaded(kir::Compute& compute) const {
    const kir::Access* in = loadedBy(compute);
    if (in == nullptr) {
      return;
    }
    const Linear index = linear(in->index);
    for (const Loaded& known : loaded_) {
      if (known.from != in->tv || !areFulfilled(known.conditions)) {
        continue;
      }
      Linear within = index;
      within.add(known.first, -1);
      Val* position = valueOf(within, compute.expr->fusion());
      if (isWithin(position, known.width, loops_)) {
        compute.inputs[0] = kir::Access{known.local.tv, scalar::add(known.local.index, position)};
        return;
      }
    }
  }

  bool areFulfilled(const std::vector<Val*>& conditions) const {
    return std::ranges::all_of(conditions, [&](const Val* condition) {
      return std::ranges::any_of(conditions_,
                                 [&](const Val* known) { return scalar::same(known, condition); });
    });
  }

  // Whether a position is one of `width` in all iterations of loops that leave it a constant.
  static bool isWithin(Val* position, int64_t width, std::span<kir::Loop* const> loops) {
    if (position->isConstInt()) {
      return position->constInt() >= 0 && position->constInt() < width;
    }
    if (loops.empty()) {
      return false;
    }
    const kir::Loop& loop = *loops.back();
    const auto rest = loops.first(loops.size() - 1);
    if (!dependsOn(position, {loop.index})) {
      return isWithin(position, width, rest);
    }
    if (!loop.start->isConstInt() || !loop.stop->isConstInt() ||
        loop.stop->constInt() - loop.start->constInt() > limits::kUnrolledIterations) {
      return false;
    }
    for (int64_t i = loop.start->constInt(); i < loop.stop->constInt(); i += loop.step) {
      Val* at = scalar::substituted(position, loop.index, scalar::constant(position->fusion(), i));
      if (at == nullptr || !isWithin(at, width, rest)) {
        return false;
      }
    }
    return true;
  }

  std::vector<kir::Loop*> loops_;
  std::vector<Val*> conditions_;
  std::vector<Loaded> loaded_;
};

}  // namespace

void reuseLoads(const PassContext& context) { ReuseOfLoads().visit(context.phase.body); }

}  // namespace nvfuser
