#include "emit/cuda/memory.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "emit/common.h"
#include "ir/traversal.h"
#include "schedule/slices.h"

namespace nvfuser::cuda {

namespace {

// The alignment of local arrays that are copied in vectors: that of the widest access.
constexpr int kVectorBytes = 16;

bool isGlobal(const TensorView* tv) { return tv->memoryType() == MemoryType::Global; }

// fp4 elements are packed in the memory of the caller; elsewhere each has a byte.
bool isPacked(const TensorView* tv) {
  return tv->dtype() == DataType::Float4_e2m1fn && isGlobal(tv);
}

// Elements that a statement copies at once.
int64_t widthOf(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute == nullptr ? 1 : compute->width;
}

bool isCast(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  const auto* unary = compute == nullptr ? nullptr : compute->expr->as<UnaryOp>();
  return unary != nullptr && unary->type() == UnaryOpType::Cast;
}

// Whether it reduces its argument, for which it has a path of its own where that is large.
bool isPeriodic(const Expr* expr) {
  const auto* unary = expr->as<UnaryOp>();
  return unary != nullptr &&
         (unary->type() == UnaryOpType::Sin || unary->type() == UnaryOpType::Cos ||
          unary->type() == UnaryOpType::Tan);
}

std::string nameOf(const TensorView* tv) { return "T" + std::to_string(tv->name()); }

// What a block loads into local memory under conditions.
std::unordered_set<const TensorView*> loadedUnderConditions(const kir::Block& block) {
  std::unordered_set<const TensorView*> loaded;
  kir::forEachStatement(block, [&](const kir::Statement& statement) {
    if (const auto* choice = std::get_if<kir::If>(&statement.node)) {
      kir::forEachStatement(*choice->then, [&](const kir::Statement& inside) {
        const auto* load = std::get_if<kir::Compute>(&inside.node);
        if (load != nullptr && load->out.tv->memoryType() == MemoryType::Local &&
            load->expr->is<LoadStoreOp>()) {
          loaded.insert(load->out.tv);
        }
      });
    }
  });
  return loaded;
}

std::unordered_map<const TensorView*, int64_t> countAccesses(const kir::Block& block) {
  std::unordered_map<const TensorView*, int64_t> counts;
  kir::forEachAccess(
      block, [&](const kir::Access& access, kir::Use, const TensorView*) { ++counts[access.tv]; });
  return counts;
}

}  // namespace

Term loaded(const std::string& text, DataType dtype) {
  return isBooleanType(dtype) ? Term{text + " != 0", dtype, false} : Term{text, dtype};
}

std::string cachePolicy(const Expr* expr) {
  const auto* copy = expr->as<LoadStoreOp>();
  if (copy == nullptr) {
    return "";
  }
  const TensorView* out = copy->out();
  if (out->marks().eviction == Eviction::Last) {
    // What passes between kernels is written as ever.
    return isGlobal(out) ? "" : "_kept";
  }
  if (out->marks().eviction == Eviction::First || copy->cacheOp() == CacheOp::Streaming) {
    return "_streaming";
  }
  // At all levels is what instructions do without a policy.
  return copy->cacheOp() == CacheOp::Global ? "_global" : "";
}

bool isUnrolled(const kir::Loop& loop) {
  if (!loop.stop->isConstInt() || !loop.start->isConstInt()) {
    return false;
  }
  if (loop.parallelType == ParallelType::Unroll || loop.parallelType == ParallelType::Vectorize) {
    return true;
  }
  std::unordered_map<const Val*, bool> known{{loop.index, true}};
  const auto dependsOnLoop = [&](const Val* index) {
    visitOperandsFirst(
        index, [&](const Val* val) { return known.contains(val); },
        [&](const Val* val) {
          known[val] = val->definition() != nullptr &&
                       std::ranges::any_of(val->definition()->inputs(),
                                           [&](const Val* in) { return known.at(in); });
        });
    return known.at(index);
  };
  bool found = false;
  kir::forEachAccess(*loop.body, [&](const kir::Access& access, kir::Use, const TensorView*) {
    found = found || (access.tv->memoryType() == MemoryType::Local && dependsOnLoop(access.index));
  });
  return found;
}

void Memory::start(const kir::Phase& phase) {
  places_.clear();
  written_.clear();
  read_.clear();
  vectorized_.clear();
  findUnrounded(phase);
  findCleared(phase);
  kir::forEachAccess(phase.body, [&](const kir::Access& access, kir::Use use, const TensorView*) {
    if (use == kir::Use::Write || use == kir::Use::Update) {
      written_.insert(kir::memoryOwner(kernel_.fusion, access.tv));
    }
    if (use == kir::Use::Read || use == kir::Use::Update) {
      read_.insert(kir::memoryOwner(kernel_.fusion, access.tv));
    }
  });
  hasBarrier_ = kir::hasBarriers(phase.body);
  kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
    if (const auto* reduce = std::get_if<kir::BlockReduce>(&statement.node)) {
      // They are held as whole words.
      vectorized_.insert(reduce->held.begin(), reduce->held.end());
    } else if (widthOf(statement) > 1) {
      kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use use,
                                           const TensorView*) {
        if (use != kir::Use::Update || !kir::mergesVector(std::get<kir::Compute>(statement.node))) {
          vectorized_.insert(access.tv);
        }
      });
    }
  });
}

void Memory::findCleared(const kir::Phase& phase) {
  cleared_.clear();
  const auto counts = countAccesses(phase.body);
  bool isAnyPeriodic = false;
  kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    isAnyPeriodic = isAnyPeriodic || (compute != nullptr && isPeriodic(compute->expr));
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    if (loop == nullptr || !isUnrolled(*loop) || kir::hasBarriers(*loop->body)) {
      return;
    }
    // Without a value of its own an iteration that loads nothing has what the one before loaded, so
    // that it waits for that: those of an unrolled loop would load one after the other.
    const auto inside = countAccesses(*loop->body);
    std::ranges::copy_if(loadedUnderConditions(*loop->body),
                         std::inserter(cleared_, cleared_.end()),
                         [&](const TensorView* tv) { return inside.at(tv) == counts.at(tv); });
  });
  if (isAnyPeriodic) {
    cleared_.merge(loadedUnderConditions(phase.body));
  }
}

void Memory::findUnrounded(const kir::Phase& phase) {
  unrounded_.clear();
  std::unordered_set<const TensorView*> others;
  const auto note = [&](const kir::Access& access, bool fits) {
    if (access.tv->dtype() == DataType::Float8_e4m3fn &&
        access.tv->memoryType() == MemoryType::Local) {
      (fits ? unrounded_ : others).insert(access.tv);
    }
  };
  kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
    kir::forEachOwnAccess(
        statement, [&](const kir::Access& access, kir::Use use, const TensorView* out) {
          const bool isStored = use == kir::Use::Read && widthOf(statement) > 1 && isGlobal(out);
          note(access, isStored || (use == kir::Use::Write && isCast(statement)));
        });
    if (const auto* reduce = std::get_if<kir::BlockReduce>(&statement.node)) {
      others.insert(reduce->held.begin(), reduce->held.end());
    }
  });
  std::erase_if(unrounded_, [&](const TensorView* tv) { return others.contains(tv); });
}

bool Memory::isOnlyRead(const TensorView* tv) const {
  return !written_.contains(kir::memoryOwner(kernel_.fusion, tv));
}

std::string Memory::parameter(const TensorView* tv) {
  const char* type = isPacked(tv) ? "nvf::float4_e2m1fn_x2" : memoryTypeName(tv->dtype());
  places_[tv] = {nameOf(tv)};
  const bool isWritten = !isOnlyRead(tv);
  // Different parameters do not share memory. But what threads exchange is no restricted pointer's:
  // nothing else is taken to write there, barriers included, so that compilers load before them.
  const bool isExchanged =
      hasBarrier_ && isWritten && read_.contains(kir::memoryOwner(kernel_.fusion, tv));
  return std::string(isWritten ? "" : "const ") + type + (isExchanged ? "* " : "* __restrict__ ") +
         nameOf(tv);
}

void Memory::declareAt(const TensorView* tv, const std::string& address) {
  // Not restricted: other devices have written there since the kernel began.
  const std::string type = std::string("const ") + memoryTypeName(tv->dtype()) + "*";
  text_.line(type + " const " + nameOf(tv) + " = (" + type + ")(" + address + ");");
  places_[tv] = {nameOf(tv)};
}

void Memory::declare(const kir::Buffer& buffer) {
  const TensorView* tv = buffer.tv;
  const std::string name = nameOf(tv);
  const std::string type = memoryTypeName(elementType(tv));
  if (buffer.scratchOffset != nullptr) {
    const std::string offset = scalars_.index(buffer.scratchOffset);
    text_.line(type + "* const " + name + " = (" + type + "*)" +
               (offset == "0" ? "shared" : "(shared + " + offset + ")") + ";");
    places_[tv] = {name};
    return;
  }
  NVF_INTERNAL_CHECK(buffer.size->isConstInt(),
                     "a local tensor has no constant size: ", tv->toString());
  const bool isVector = vectorized_.contains(tv);
  const bool isVariable = buffer.size->isConstInt(1) && !isVector;
  text_.line(
      (isVector ? "alignas(" + std::to_string(kVectorBytes) + ") " : "") + type + " " + name +
      (isVariable ? ""
                  : "[" + std::to_string(std::max<int64_t>(buffer.size->constInt(), 1)) + "]") +
      (cleared_.contains(tv) ? " = {};" : ";"));
  places_[tv] = {name, isVariable};
}

std::string Memory::element(const kir::Access& access) {
  const Place& place = places_.at(access.tv);
  return place.isVariable ? place.name : place.name + "[" + scalars_.index(access.index) + "]";
}

Term Memory::read(const kir::Operand& operand, const std::string& policy) {
  if (const auto* access = std::get_if<kir::Access>(&operand)) {
    return load(*access, policy);
  }
  return scalars_.value(std::get<Val*>(operand));
}

Term Memory::load(const kir::Access& access, const std::string& policy) {
  const DataType dtype = access.tv->dtype();
  if (isPacked(access.tv)) {
    return {"nvf::load_packed(" + places_.at(access.tv).name + ", " + scalars_.index(access.index) +
                ")",
            dtype};
  }
  if (!policy.empty() && isGlobal(access.tv)) {
    return loaded("nvf::load" + policy + "(&" + element(access) + ")", dtype);
  }
  return loaded(element(access), dtype);
}

void Memory::store(const kir::Access& access, const Term& value, const std::string& policy) {
  if (isPacked(access.tv)) {
    text_.line("nvf::store_packed(" + places_.at(access.tv).name + ", " +
               scalars_.index(access.index) + ", " + value.text + ");");
  } else if (!policy.empty() && isGlobal(access.tv)) {
    text_.line("nvf::store" + policy + "(&" + element(access) + ", " + value.text + ");");
  } else {
    text_.line(element(access) + " = " + value.text + ";");
  }
}

void Memory::add(const kir::Access& access, const Term& value) {
  text_.line("nvf::add_to(&" + element(access) + ", " + value.text + ");");
}

void Memory::copyVector(const kir::Compute& compute) {
  const kir::Access& out = compute.out;
  NVF_INTERNAL_CHECK(compute.inputs.size() == 1, "not a copy: ", compute.expr->toString());
  const auto& in = std::get<kir::Access>(compute.inputs[0]);
  NVF_INTERNAL_CHECK(in.tv->dtype() == out.tv->dtype(),
                     "a vector is converted: ", compute.expr->toString());
  std::string name = "copy";
  const bool isAsynchronous = kir::isAsynchronous(compute);
  if (unrounded_.contains(in.tv)) {
    name = "store_rounded";
  } else if (isPacked(in.tv) || isPacked(out.tv)) {
    name = !isPacked(out.tv) ? "unpack" : isPacked(in.tv) ? "copy_packed" : "pack";
  } else if (isAsynchronous) {
    name = cachePolicy(compute.expr) == "_kept" ? "copy_async_kept" : "copy_async";
  } else if (isGlobal(in.tv) && readsUnaligned(compute.expr)) {
    name = "load_unaligned";
  } else if (const std::string policy = cachePolicy(compute.expr);
             !policy.empty() && (isGlobal(in.tv) || isGlobal(out.tv))) {
    name = (isGlobal(in.tv) ? "load_vector" : "store_vector") + policy;
  }
  const std::string to = vectorAddress(out);
  const std::string from = vectorAddress(in);
  const std::string width = "<" + std::to_string(compute.width) + ">(";
  if (compute.end == nullptr) {
    text_.line("nvf::" + name + width + to + ", " + from + ");");
    return;
  }
  const char* part = isAsynchronous ? "copy_part" : isGlobal(out.tv) ? "store_part" : "load_part";
  text_.line(std::string("nvf::") + part + width + to + ", " + from + ", " +
             scalars_.index(compute.first) + ", " + scalars_.index(compute.end) +
             ", [](auto* to, const auto* from) { nvf::" + name + width + "to, from); });");
}

void Memory::addVector(const kir::Compute& compute) {
  const auto& in = std::get<kir::Access>(compute.inputs[0]);
  NVF_INTERNAL_CHECK(in.tv->dtype() == compute.out.tv->dtype(),
                     "a vector is converted: ", compute.expr->toString());
  text_.line("nvf::add_vector_to<" + std::to_string(compute.width) + ">(" +
             vectorAddress(compute.out) + ", " + vectorAddress(in) + ");");
}

void Memory::mergeVector(const kir::Compute& compute) {
  const DataType dtype = compute.out.tv->dtype();
  const char* values = dtype == DataType::FloatMoments ? "moments" : "exponentials";
  store(compute.out, {std::string("nvf::merge_") + values + "_of<" + std::to_string(compute.width) +
                          ">(" + load(compute.out).text + ", " +
                          vectorAddress(std::get<kir::Access>(compute.inputs[0])) + ")",
                      dtype});
}

std::string Memory::vectorAddress(const kir::Access& access) {
  const std::string at = scalars_.index(access.index);
  const std::string& name = places_.at(access.tv).name;
  if (at == "0") {
    return name;
  }
  // Two fp4 elements share a byte.
  return "&" + name + "[" + at + (isPacked(access.tv) ? " >> 1" : "") + "]";
}

}  // namespace nvfuser::cuda
