#include <algorithm>

#include "core/error.h"
#include "ir/scalar.h"
#include "lower/lowering/lowering.h"
#include "ops/elementwise.h"
#include "ops/scan.h"
#include "schedule/limits.h"

namespace nvfuser {

// Of what is carried from element to element. Thousands of elements would add their roundings in
// single precision; where elements follow each other, the wait for each addition is as long in
// double precision. Threads scan parts, which add few.
DataType Lowering::carryType(const ScanOp* op) const {
  const DataType dtype = op->out()->dtype();
  const bool isRounded = op->type() == BinaryOpType::Add || op->type() == BinaryOpType::Mul;
  return !can_.hasThreads && isRounded && dtype == DataType::Float ? DataType::Double
                                                                   : computeType(dtype);
}

const Lowering::Scan& Lowering::scanOf(ScanOp* op) {
  const auto [known, isNew] = scans_.try_emplace(op);
  Scan& scan = known->second;
  if (!isNew) {
    return scan;
  }
  TensorView* out = op->out();
  scan.loops = scanLoops(op);
  checkScanLoops(op);
  const DataType dtype = carryType(op);
  if (scan.loops.threads >= 0) {
    const auto first = std::ranges::lower_bound(scan.loops.positions, out->computeAt());
    NVF_SCHEDULE_CHECK(
        first != scan.loops.positions.end() && out->memoryType() == MemoryType::Local,
        "Expected the result of ", op->toString(), ", whose loops ", out->domain()->toString(),
        " divide it among threads, to be a local tensor that is computed outside of these loops");
    scan.pieces = *first;
    scan.total = addCarry(op, dtype, scan.pieces, [&](int64_t k) { return isElement(scan, k); });
    if (dtype != out->dtype()) {
      scan.partial = addThreadLocal(out, dtype, out->computeAt());
    }
  }
  scan.carry = addCarry(op, dtype, scan.loops.positions.front(),
                        [&](int64_t k) { return scan.loops.contains(k); });
  return scan;
}

bool Lowering::isElement(const Scan& scan, int64_t position) {
  return position > scan.loops.threads && scan.loops.contains(position);
}

std::pair<Val*, Val*> Lowering::placeAmong(const TensorView* tv, int64_t first,
                                           const std::vector<Val*>& indices,
                                           const PositionTest& isCombined) {
  Val* size = fusion_->one();
  Val* index = fusion_->zero();
  for (int64_t k = tv->nLoops() - 1; k >= first; --k) {
    const IterDomain* id = tv->axis(k);
    if (!id->isBroadcast() && !isThreadLoop(id) && !isCombined(k)) {
      index = scalar::add(index, scalar::mul(indices[static_cast<size_t>(k)], size));
      size = scalar::mul(size, id->extent());
    }
  }
  return {index, size};
}

TensorView* Lowering::addCarry(ScanOp* op, DataType dtype, int64_t first,
                               const PositionTest& isCombined) {
  const TensorView* out = op->out();
  const std::vector<Val*> nowhere(static_cast<size_t>(out->nLoops()), fusion_->zero());
  Val* size = placeAmong(out, first, nowhere, isCombined).second;
  const int64_t bytes = std::max(info(dtype).bits, 8) / 8;
  const bool fits = size->isConstInt() && size->constInt() * bytes <= limits::kStackBytes;
  NVF_SCHEDULE_CHECK(fits || !can_.hasThreads, "The loops inside that of ", op->toString(),
                     " must be those of threads");
  Val* scratch = fits ? nullptr : takeScratch(scalar::mul(size, scalar::constant(fusion_, bytes)));
  return build().addLocal(dtype, size, scratch);
}

kir::Access Lowering::carryOf(ScanOp* op, const std::vector<Val*>& indices) {
  const Scan& scan = scanOf(op);
  return {scan.carry, placeAmong(op->out(), scan.loops.positions.front(), indices, [&](int64_t k) {
                        return scan.loops.contains(k);
                      }).first};
}

kir::Access Lowering::totalOf(ScanOp* op, const std::vector<Val*>& indices) {
  const Scan& scan = scanOf(op);
  return {scan.total, placeAmong(op->out(), scan.pieces, indices, [&](int64_t k) {
                        return isElement(scan, k);
                      }).first};
}

kir::Access Lowering::partialOf(ScanOp* op, DomainIndices& indices) {
  const Scan& scan = scanOf(op);
  if (!scan.partial) {
    return {op->out(), elementWritten(op->out(), indices, strides_)};
  }
  return {scan.partial->array, elementOf(scan.partial->domains, indices)};
}

void Lowering::lowerScanInit(ScanOp* op, int64_t depth, kir::Block& block) {
  const Scan& scan = scanOf(op);
  Val* identity = ops::scanIdentity(fusion_, op->type(), scan.carry->dtype());
  if (depth == scan.loops.positions.front()) {
    const auto [indices, body] =
        openLoops(op->out(), depth, block, [&](int64_t k) { return scan.loops.contains(k); });
    kir::Assign start{carryOf(op, indices), op->init() != nullptr ? op->init() : identity};
    if (scan.loops.blocks < 0) {
      body->push_back({std::move(start)});
    } else {
      body->push_back(startOfPart(op, indices, std::move(start)));
    }
  }
  if (depth == scan.pieces) {
    const auto [indices, body] =
        openLoops(op->out(), depth, block, [&](int64_t k) { return isElement(scan, k); });
    body->push_back({kir::Assign{totalOf(op, indices), identity}});
  }
}

kir::Statement Lowering::startOfPart(ScanOp* op, const std::vector<Val*>& indices,
                                     kir::Assign start) {
  TensorView* upTo = op->upTo();
  DomainIndices domainIndices(op->out(), indices);
  Val* part = indices[static_cast<size_t>(scanOf(op).loops.blocks)];
  Val* before = scalar::mul(scalar::sub(part, fusion_->one()),
                            strides_.stride(upTo, upTo->visible().size() - 1));
  Val* around = elementRead(op, upTo, op->out(), indices, domainIndices, strides_);
  // There may be rows and columns beyond the last one.
  Val* isBehind =
      scalar::logicalAnd(scalar::lt(fusion_->zero(), part), predicate(op->out(), domainIndices));
  const kir::Access precedes{upTo, scalar::add(around, before)};
  return {kir::choiceOf(isBehind, kir::blockOf({kir::Assign{start.out, precedes}}),
                        kir::blockOf({std::move(start)}))};
}

void Lowering::joinPieces(ScanOp* op, kir::Block& block) {
  const Scan& scan = scanOf(op);
  TensorView* out = op->out();
  kir::BlockScan join;
  const std::vector<std::vector<Val*>> pieces =
      keptIndices(out, scan.pieces, [&](int64_t k) { return isElement(scan, k); });
  for (const std::vector<Val*>& indices : pieces) {
    join.parts.push_back({op, totalOf(op, indices), carryOf(op, indices)});
  }
  join.along = out->axis(scan.loops.threads)->parallelType();
  join.isRepeated = loopDepth_ > 0;
  join.scratchOffset =
      takeScratch(bytesForThreads(scan.total, static_cast<int64_t>(pieces.size())));
  block.push_back({std::move(join)});
  const auto [indices, body] =
      openLoops(out, scan.pieces, block, [](int64_t /*k*/) { return false; });
  DomainIndices domainIndices(out, indices);
  const kir::Access partial = partialOf(op, domainIndices);
  body->push_back({kir::Compute{op, partial, {totalOf(op, indices)}}});
  if (scan.partial) {
    body->push_back({kir::Assign{{out, elementWritten(out, domainIndices, strides_)}, partial}});
  }
}

}  // namespace nvfuser
