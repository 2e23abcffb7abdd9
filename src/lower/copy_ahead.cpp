#include "lower/copy_ahead.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"
#include "lower/builder.h"
#include "lower/index.h"
#include "lower/substitute.h"

namespace nvfuser {

namespace {

bool isAhead(const TensorView* tv) {
  return tv->memoryType() == MemoryType::Shared && tv->marks().copiesAhead;
}

// Whether a statement consists of such computations, in loops and under conditions.
template <typename IsOwn>
bool consistsOf(const kir::Statement& statement, const IsOwn& isOwn) {
  bool only = true;
  bool any = false;
  kir::forEachStatement(statement, [&](const kir::Statement& inside) {
    const auto* compute = std::get_if<kir::Compute>(&inside.node);
    any = any || compute != nullptr;
    only = only && (compute != nullptr ? isOwn(*compute)
                                       : std::holds_alternative<kir::Loop>(inside.node) ||
                                             std::holds_alternative<kir::If>(inside.node));
  });
  return only && any;
}

// Whether a statement does nothing but copy asynchronously what has two buffers.
bool onlyCopiesAhead(const kir::Statement& statement) {
  return consistsOf(statement, [](const kir::Compute& compute) {
    return kir::isAsynchronous(compute) && isAhead(compute.out.tv);
  });
}

bool isWait(const kir::Statement& statement) {
  const auto* barrier = std::get_if<kir::Barrier>(&statement.node);
  return barrier != nullptr && barrier->awaitsCopies && !barrier->isOfBlock;
}

// Whether a statement does nothing but load from global into local memory.
bool onlyLoads(const kir::Statement& statement) {
  return consistsOf(statement, [](const kir::Compute& compute) {
    const auto* in = compute.expr->is<LoadStoreOp>()
                         ? std::get_if<kir::Access>(&compute.inputs.front())
                         : nullptr;
    return in != nullptr && in->tv->memoryType() == MemoryType::Global &&
           compute.out.tv->memoryType() == MemoryType::Local;
  });
}

bool isOf(const kir::Statement& statement, const Val* iteration) {
  bool found = false;
  kir::forEachStatement(statement, [&](const kir::Statement& inside) {
    const auto note = [&](Val* val) { found = found || dependsOn(val, {iteration}); };
    kir::forEachScalar(inside, note);
    kir::forEachOwnAccess(inside, [&](const kir::Access& access, kir::Use, const TensorView*) {
      note(access.index);
    });
  });
  return found;
}

// The load of a value of one element, maybe under a condition; null for anything else.
kir::Compute* loadOfValue(kir::Statement& statement) {
  auto* choice = std::get_if<kir::If>(&statement.node);
  if (choice != nullptr && choice->otherwise == nullptr && choice->then->size() == 1) {
    return loadOfValue(choice->then->front());
  }
  auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute != nullptr && onlyLoads(statement) && compute->width == 1 &&
                 bufferDomains(compute->out.tv).size->isConstInt(1)
             ? compute
             : nullptr;
}

// Accesses of what has two buffers are to the one of an iteration.
void useBuffer(kir::Block& block, Val* iteration) {
  const auto use = [&](kir::Access& access) {
    if (isAhead(access.tv)) {
      Fusion* fusion = iteration->fusion();
      Val* buffer = scalar::mod(iteration, scalar::constant(fusion, 2));
      access.index = scalar::add(access.index, scalar::mul(buffer, bufferDomains(access.tv).size));
    }
  };
  for (kir::Statement& statement : block) {
    if (auto* compute = std::get_if<kir::Compute>(&statement.node)) {
      use(compute->out);
      for (kir::Operand& operand : compute->inputs) {
        if (auto* access = std::get_if<kir::Access>(&operand)) {
          use(*access);
        }
      }
    }
    kir::forEachBlock(statement, [&](kir::Block& inside) { useBuffer(inside, iteration); });
  }
}

// The loop with its copies ahead, and what comes before it; nothing where it has none.
std::optional<kir::Block> copiedAhead(kir::Loop& loop, const kir::Builder& build) {
  Fusion* fusion = build.fusion();
  kir::Block& body = *loop.body;
  const auto wait = std::ranges::find_if(body, isWait);
  if (wait == body.end() || loop.parallelType != ParallelType::Serial || loop.step != 1) {
    return std::nullopt;
  }
  // What is waited for there is all that is copied.
  const auto isOther = [](const kir::Statement& statement) {
    bool found = false;
    kir::forEachStatement(statement, [&](const kir::Statement& inside) {
      const auto* compute = std::get_if<kir::Compute>(&inside.node);
      found = found || (compute != nullptr && kir::isAsynchronous(*compute));
    });
    return found && !onlyCopiesAhead(statement);
  };
  if (std::ranges::any_of(body, isOther) ||
      std::any_of(std::next(wait), body.end(), [&](const kir::Statement& statement) {
        return onlyCopiesAhead(statement) || isWait(statement);
      })) {
    return std::nullopt;
  }
  // What the iterations do without, and what they do ahead.
  kir::Block result;
  kir::Block ahead;
  kir::Block rest;
  bool isBehind = false;
  for (const kir::Statement& statement : body) {
    kir::Statement own = kir::copyOf(statement);
    isBehind = isBehind || isWait(own);
    if (onlyCopiesAhead(own)) {
      ahead.push_back(std::move(own));
    } else if (!isBehind && onlyLoads(own) && !isOf(own, loop.index)) {
      result.push_back(std::move(own));
    } else if (kir::Compute* load = isBehind ? nullptr : loadOfValue(own)) {
      const kir::Access out = std::exchange(load->out, build.addVariable(load->out.tv->dtype()));
      rest.push_back({kir::Assign{out, load->out}});
      ahead.push_back(std::move(own));
    } else {
      rest.push_back(std::move(own));
    }
  }
  useBuffer(ahead, loop.index);
  useBuffer(rest, loop.index);
  kir::Block first = kir::copyOf(ahead);
  Val* const following = scalar::add(loop.index, fusion->one());
  if (!kir::substitute(ahead, loop.index, following) ||
      !kir::substitute(first, loop.index, loop.start)) {
    return std::nullopt;
  }
  kir::Block whole;
  for (kir::Statement& statement : rest) {
    const bool isHere = isWait(statement);
    whole.push_back(std::move(statement));
    if (isHere) {
      whole.push_back({kir::choiceOf(scalar::lt(following, loop.stop), std::move(ahead))});
    }
  }
  if (Val* runs = scalar::logicalAnd(nullptr, scalar::lt(loop.start, loop.stop))) {
    result.push_back({kir::choiceOf(runs, std::move(first))});
  } else {
    std::ranges::move(first, std::back_inserter(result));
  }
  result.push_back({kir::similarLoop(loop, loop.start, loop.stop, std::move(whole))});
  return result;
}

}  // namespace

void copyAhead(const PassContext& context) {
  const kir::Builder build(context.kernel, context.phase);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) { return copiedAhead(loop, build); });
}

}  // namespace nvfuser
