#include "lower/kernel.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "device/memory.h"
#include "ir/scalar.h"

namespace nvfuser::kir {

void forEachStatement(const Statement& statement,
                      const std::function<void(const Statement&)>& visit) {
  visit(statement);
  forEachBlock(statement, [&](const Block& block) { forEachStatement(block, visit); });
}

void forEachStatement(const Block& block, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : block) {
    forEachStatement(statement, visit);
  }
}

void forEachOwnAccess(const Statement& statement, const AccessVisitor& visit) {
  const auto read = [&](const Operand& operand, const TensorView* out) {
    if (const auto* access = std::get_if<Access>(&operand)) {
      visit(*access, Use::Read, out);
    }
  };
  kir::visit(
      statement,
      [&](const Compute& compute) {
        for (const Operand& operand : compute.inputs) {
          read(operand, compute.out.tv);
        }
        visit(compute.out, accumulates(compute) ? Use::Update : Use::Write, nullptr);
      },
      [&](const Assign& assign) {
        read(assign.value, assign.out.tv);
        visit(assign.out, Use::Write, nullptr);
      },
      [&](const Either<TransposedCopy, StreamedCopy> auto& copy) {
        visit(copy.in, Use::Read, copy.out.tv);
        visit(copy.out, Use::Write, nullptr);
      },
      [&](const LoadIndex& load) { read(load.index, nullptr); },
      [&](const BlockReduce& reduce) {
        for (const BlockReduce::Part& part : reduce.parts) {
          visit(part.value, Use::Update, nullptr);
        }
      },
      [&](const BlockScan& scan) {
        for (const BlockScan::Part& part : scan.parts) {
          visit(part.value, Use::Update, nullptr);
          visit(part.carry, Use::Update, nullptr);
        }
      },
      [&](const Prefetch& prefetch) { visit(prefetch.access, Use::Address, nullptr); },
      [&](const WholeLines& lines) {
        for (const Access& out : lines.outs) {
          visit(out, Use::Address, nullptr);
        }
      },
      [](const Either<Loop, If, Barrier> auto&) {});
}

void forEachScalar(const Statement& statement, const std::function<void(Val*)>& visit) {
  const auto visitOperand = [&](const Operand& operand) {
    const auto* access = std::get_if<Access>(&operand);
    visit(access != nullptr ? access->index : std::get<Val*>(operand));
  };
  const auto visitAll = [&](std::initializer_list<Val*> vals) {
    std::ranges::for_each(vals, visit);
  };
  kir::visit(
      statement, [&](const Loop& loop) { visitAll({loop.stop, loop.start}); },
      [&](const If& choice) { visit(choice.condition); },
      [&](const Compute& compute) {
        visit(compute.out.index);
        std::ranges::for_each(compute.inputs, visitOperand);
        if (compute.end != nullptr) {
          visitAll({compute.first, compute.end});
        }
      },
      [&](const TransposedCopy& copy) {
        visitAll({copy.out.index, copy.outStride, copy.in.index, copy.inStride, copy.rows,
                  copy.columns});
      },
      [&](const WholeLines& lines) {
        visitAll({lines.stop, lines.start});
        for (const Access& out : lines.outs) {
          visit(out.index);
        }
      },
      [&](const StreamedCopy& copy) { visitAll({copy.out.index, copy.in.index, copy.count}); },
      [&](const Prefetch& prefetch) { visitAll({prefetch.access.index, prefetch.stop}); },
      [&](const Assign& assign) {
        visit(assign.out.index);
        visitOperand(assign.value);
      },
      [&](const LoadIndex& load) {
        visitOperand(load.index);
        visit(load.extent);
      },
      [&](const BlockReduce& reduce) {
        visit(reduce.scratchOffset);
        for (const BlockReduce::Part& part : reduce.parts) {
          visit(part.value.index);
        }
      },
      [&](const BlockScan& scan) {
        visit(scan.scratchOffset);
        for (const BlockScan::Part& part : scan.parts) {
          visitAll({part.value.index, part.carry.index});
        }
      },
      [](const Barrier&) {});
}

void forEachDefinition(const Statement& statement,
                       const std::function<void(Val*, Lifetime)>& visit) {
  kir::visit(
      statement, [&](const Loop& loop) { visit(loop.index, Lifetime::Inside); },
      [&](const Prefetch& prefetch) {
        if (prefetch.index != nullptr) {
          visit(prefetch.index, Lifetime::Inside);
        }
      },
      [&](const WholeLines& lines) {
        visit(lines.first, Lifetime::RestOfBlock);
        visit(lines.last, Lifetime::RestOfBlock);
      },
      [&](const LoadIndex& load) {
        visit(load.position, Lifetime::RestOfBlock);
        visit(load.isInside, Lifetime::RestOfBlock);
      },
      [](const Either<If, Compute, TransposedCopy, StreamedCopy, Assign, Barrier, BlockReduce,
                      BlockScan> auto&) {});
}

void rewriteLoops(Block& block, const std::function<std::optional<Block>(Loop&)>& rewrite) {
  Block result;
  for (Statement& statement : block) {
    if (auto* loop = std::get_if<Loop>(&statement.node)) {
      if (std::optional<Block> replacement = rewrite(*loop)) {
        std::ranges::move(*replacement, std::back_inserter(result));
        continue;
      }
    }
    forEachBlock(statement, [&](Block& inner) { rewriteLoops(inner, rewrite); });
    result.push_back(std::move(statement));
  }
  block = std::move(result);
}

Loop* sharedLoop(Phase& phase) {
  auto* loop = phase.body.size() == 1 ? std::get_if<Loop>(&phase.body[0].node) : nullptr;
  return loop != nullptr && loop->index == phase.parallelIndex ? loop : nullptr;
}

std::optional<int64_t> iterationsOf(const Loop& loop) {
  return loop.stop->isConstInt() && loop.start->isConstInt()
             ? std::optional(loop.stop->constInt() - loop.start->constInt())
             : std::nullopt;
}

Val* endOfGroups(const Loop& loop, int64_t size) {
  Fusion* fusion = loop.index->fusion();
  Val* group = scalar::constant(fusion, size);
  Val* all = scalar::max(scalar::sub(loop.stop, loop.start), fusion->zero());
  return scalar::add(loop.start, scalar::mul(scalar::div(all, group), group));
}

Loop similarLoop(const Loop& loop, Val* start, Val* stop, Block body) {
  return {loop.index,
          start,
          stop,
          loop.parallelType,
          loop.isReduction,
          std::make_unique<Block>(std::move(body)),
          loop.step,
          loop.marks,
          loop.vectors,
          loop.isRest,
          loop.lanes};
}

Statement copyOf(const Statement& statement) {
  return visit(
      statement,
      [](const Loop& loop) -> Statement {
        return {similarLoop(loop, loop.start, loop.stop, copyOf(*loop.body))};
      },
      [](const If& choice) -> Statement {
        If copy{choice.condition, std::make_unique<Block>(copyOf(*choice.then)), nullptr};
        if (choice.otherwise != nullptr) {
          copy.otherwise = std::make_unique<Block>(copyOf(*choice.otherwise));
        }
        return {std::move(copy)};
      },
      [](const Either<Compute, TransposedCopy, WholeLines, StreamedCopy, Prefetch, Assign,
                      LoadIndex, Barrier, BlockReduce, BlockScan> auto& node) -> Statement {
        return {node};
      });
}

Block copyOf(const Block& block) {
  Block copy;
  for (const Statement& statement : block) {
    copy.push_back(copyOf(statement));
  }
  return copy;
}

bool accumulates(const Compute& compute) {
  const auto* scatter = compute.expr->as<ScatterOp>();
  return compute.expr->is<ReductionOp>() || compute.expr->is<ScanOp>() ||
         (scatter != nullptr && scatter->accumulates());
}

bool mergesVector(const Compute& compute) {
  return compute.width > 1 && compute.expr->is<ReductionOp>();
}

const TensorView* memoryOwner(const Fusion* fusion, const TensorView* tv) {
  for (const Fusion::Output& output : fusion->outputs()) {
    if (output.tv == tv && output.alias != nullptr) {
      return output.alias;
    }
  }
  return tv;
}

bool isAsynchronous(const Compute& compute) {
  const auto* copy = compute.expr->as<LoadStoreOp>();
  return copy != nullptr && copy->type() == LoadStoreOpType::CpAsync &&
         compute.out.tv->memoryType() == MemoryType::Shared &&
         copy->in()->memoryType() == MemoryType::Global &&
         isCopiedAsync(copy->in()->dtype(), compute.width);
}

int64_t streamedGroup(const Compute& compute) {
  const bool isStore =
      compute.expr->is<LoadStoreOp>() && compute.out.tv->memoryType() == MemoryType::Global;
  return isStore ? compute.out.tv->marks().stream.group : 0;
}

bool hasBarriers(const Block& block) {
  bool found = false;
  forEachStatement(block, [&](const Statement& statement) {
    const auto* barrier = std::get_if<Barrier>(&statement.node);
    found = found || (barrier != nullptr && barrier->isOfBlock) ||
            std::holds_alternative<BlockReduce>(statement.node) ||
            std::holds_alternative<BlockScan>(statement.node);
  });
  return found;
}

int64_t clusterBlocks(const Phase& phase) {
  int64_t blocks = 1;
  forEachStatement(phase.body, [&](const Statement& statement) {
    if (const auto* reduce = std::get_if<BlockReduce>(&statement.node)) {
      blocks = std::max(blocks, reduce->clusterBlocks);
    }
  });
  return blocks;
}

std::string phaseName(const Kernel& kernel, size_t phase) {
  return kernel.name + "_phase" + std::to_string(phase);
}

std::string phaseName(const Kernel& kernel, const Phase& phase) {
  const auto sameAs = [&](const Phase& other) { return &other == &phase; };
  const auto number = std::ranges::find_if(kernel.phases, sameAs) - kernel.phases.begin();
  return phaseName(kernel, static_cast<size_t>(number));
}

uint64_t packedDivisor(int64_t divisor) {
  const auto d = static_cast<uint64_t>(std::max<int64_t>(divisor, 1));
  if (!std::in_range<int32_t>(divisor)) {
    return 0;  // indices have 64 bits, which nothing is multiplied for
  }
  const auto shift =
      static_cast<uint64_t>(std::numeric_limits<int32_t>::digits + std::bit_width(d - 1));
  const uint64_t multiplier = ((uint64_t{1} << shift) + d - 1) / d;
  return shift << std::numeric_limits<uint32_t>::digits | multiplier;
}

int64_t slotsOf(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::Exchange) {
    return static_cast<int64_t>(ExchangeSlot::Count);
  }
  return parameter.value != nullptr && isComplexType(parameter.value->dtype()) ? 2 : 1;
}

}  // namespace nvfuser::kir
