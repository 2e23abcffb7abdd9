#include "emit/llvm/memory.h"

#include <utility>
#include <vector>

#include "core/error.h"
#include "ir/scalar.h"

namespace nvfuser::llvm {

Register Memory::read(const kir::Operand& operand) {
  if (const auto* access = std::get_if<kir::Access>(&operand)) {
    return load(*access);
  }
  Val* val = std::get<Val*>(operand);
  return {scalars_(val), val->dtype()};
}

namespace {

// An index as a sum.
struct Terms {
  std::vector<Val*> added;
  std::vector<Val*> subtracted;
  // Whether a part of the sum may be negative, though the whole is not.
  bool isSigned = false;
};

Terms termsOf(Val* index) {
  Terms terms;
  std::vector<std::pair<Val*, bool>> stack{{index, true}};
  while (!stack.empty()) {
    const auto [term, isAdded] = stack.back();
    stack.pop_back();
    const auto* sum = term->definition() == nullptr ? nullptr : term->definition()->as<BinaryOp>();
    if (sum != nullptr && sum->type() == BinaryOpType::Add) {
      stack.emplace_back(sum->rhs(), isAdded);
      stack.emplace_back(sum->lhs(), isAdded);
    } else if (sum != nullptr && sum->type() == BinaryOpType::Sub) {
      stack.emplace_back(sum->rhs(), !isAdded);
      stack.emplace_back(sum->lhs(), isAdded);
    } else {
      (isAdded ? terms.added : terms.subtracted).push_back(term);
      terms.isSigned = terms.isSigned || !isAdded || (term->isConstInt() && term->constInt() < 0);
    }
  }
  return terms;
}

}  // namespace

std::string Memory::elementAt(const std::string& type, const std::string& buffer,
                              const std::string& index, bool isInside) {
  return std::string("getelementptr ") + (isInside ? "inbounds " : "") + type + ", ptr " + buffer +
         ", i64 " + index;
}

std::string Memory::address(const kir::Access& access) {
  return address(memoryType(access.tv->dtype()), buffers_.at(access.tv), access.index);
}

std::string Memory::address(const std::string& type, const std::string& buffer, Val* index) {
  Val* before = nullptr;
  Val* inside = nullptr;
  Val* constant = nullptr;
  const Terms terms = termsOf(index);
  const auto partOf = [&](const Val* term) -> Val*& {
    return term->isConstInt() ? constant : text_.isKnownBeforeLoop(term) ? before : inside;
  };
  for (Val* term : terms.added) {
    Val*& part = partOf(term);
    part = part == nullptr ? term : scalar::add(part, term);
  }
  for (Val* term : terms.subtracted) {
    Val*& part = partOf(term);
    part = scalar::sub(part == nullptr ? index->fusion()->zero() : part, term);
  }
  if (constant != nullptr && inside != nullptr) {
    // Of the two of a pair the address that they share tells that they are neighbours. Where a
    // window moves along its elements, each has an address of its own: otherwise LLVM would keep
    // what the next iteration reads again in a register, shuffle vectors for that, and compute
    // what is left behind whole vectors one by one.
    const bool isAlong = inside->definition() == nullptr;
    Val*& part = isAlong ? before : inside;
    part = part == nullptr ? constant : scalar::add(part, constant);
  }
  if (before == nullptr || inside == nullptr) {
    return text_.define("at", elementAt(type, buffer, scalars_(index)));
  }
  const std::string from = line(type, buffer, before, !terms.isSigned);
  return text_.define("at", elementAt(type, from, scalars_(inside), !terms.isSigned));
}

// The address that a loop starts from: known before it, and of which LLVM does not look through to
// how it was computed. See FunctionText::opaque(). What a slice leaves out may be before the
// buffer.
std::string Memory::line(const std::string& type, const std::string& buffer, Val* offset,
                         bool isInside) {
  const std::string index = scalars_(offset);
  return text_.derived(offset, buffer + " " + index, [&] {
    return text_.opaquePointer(text_.define("line", elementAt(type, buffer, index, isInside)));
  });
}

bool Memory::isPacked(const kir::Access& access) {
  return access.tv->dtype() == DataType::Float4_e2m1fn &&
         access.tv->memoryType() == MemoryType::Global;
}

Memory::PackedAddress Memory::packedAddress(const kir::Access& access) {
  const std::string index = scalars_(access.index);
  const std::string byte = text_.define("byte", "lshr i64 " + index + ", 1");
  const std::string odd = text_.define("odd", "trunc i64 " + index + " to i8");
  const std::string low = text_.define("low", "and i8 " + odd + ", 1");
  return {
      text_.define("at", elementAt(memoryType(access.tv->dtype()), buffers_.at(access.tv), byte)),
      text_.define("shift", "shl i8 " + low + ", 2")};
}

Register Memory::load(const kir::Access& access) {
  const DataType dtype = access.tv->dtype();
  const std::string metadata = metadata_.ofAccess(access.tv);
  const std::string hint = "t" + std::to_string(access.tv->name());
  if (isPacked(access)) {
    const PackedAddress packed = packedAddress(access);
    const std::string pair = text_.define("pair", "load i8, ptr " + packed.byte + metadata);
    const std::string moved = text_.define("moved", "lshr i8 " + pair + ", " + packed.shift);
    return {text_.define(hint, "and i8 " + moved + ", 15"), dtype};
  }
  if (const auto planes = planes_.find(access.tv); planes != planes_.end()) {
    std::string whole = "poison";
    for (size_t i = 0; i < planes->second.size(); ++i) {
      const std::string number = text_.define(
          hint, "load float, ptr " + address("float", planes->second[i], access.index) + metadata);
      whole = text_.define(hint, std::string("insertvalue ") + memoryType(dtype) + " " + whole +
                                     ", float " + number + ", " + std::to_string(i));
    }
    return {whole, dtype};
  }
  const std::string at = address(access);
  std::string value =
      text_.define(hint, std::string("load ") + memoryType(dtype) + ", ptr " + at + metadata);
  if (dtype == DataType::Bool) {
    value = text_.define(hint, "icmp ne i8 " + value + ", 0");
  }
  return {value, dtype};
}

void Memory::store(const kir::Access& access, Register value) {
  const DataType dtype = access.tv->dtype();
  const std::string metadata = metadata_.ofAccess(access.tv);
  if (isPacked(access) && access.tv == collected_) {
    const std::string at = text_.define("at", "getelementptr inbounds i8, ptr " + collectedBytes_ +
                                                  ", i64 " + scalars_(collectedIndex_));
    text_.line("store i8 " + value.name + ", ptr " + at);
    return;
  }
  if (isPacked(access)) {
    const PackedAddress packed = packedAddress(access);
    const std::string pair = text_.define("pair", "load i8, ptr " + packed.byte + metadata);
    const std::string mask = text_.define("mask", "shl i8 15, " + packed.shift);
    const std::string keep = text_.define("keep", "xor i8 " + mask + ", -1");
    const std::string other = text_.define("other", "and i8 " + pair + ", " + keep);
    const std::string moved = text_.define("moved", "shl i8 " + value.name + ", " + packed.shift);
    const std::string both = text_.define("both", "or i8 " + other + ", " + moved);
    text_.line("store i8 " + both + ", ptr " + packed.byte + metadata);
    return;
  }
  if (const auto planes = planes_.find(access.tv); planes != planes_.end()) {
    for (size_t i = 0; i < planes->second.size(); ++i) {
      const std::string number =
          text_.define("part", std::string("extractvalue ") + memoryType(dtype) + " " + value.name +
                                   ", " + std::to_string(i));
      text_.line("store float " + number + ", ptr " +
                 address("float", planes->second[i], access.index) + metadata);
    }
    return;
  }
  const std::string at = address(access);
  if (dtype == DataType::Bool) {
    value.name = text_.define("byte", "zext i1 " + value.name + " to i8");
  }
  text_.line(std::string("store ") + memoryType(dtype) + " " + value.name + ", ptr " + at +
             metadata);
}

void Memory::collect(const TensorView* tv, const std::string& bytes, const Val* index) {
  collected_ = tv;
  collectedBytes_ = bytes;
  collectedIndex_ = index;
}

void Memory::storeCollected(const TensorView* tv, Val* first, int64_t count) {
  collected_ = nullptr;
  const std::string all = "<" + std::to_string(count) + " x i8>";
  const std::string half = "<" + std::to_string(count / 2) + " x i8>";
  const std::string bytes = text_.define("bytes", "load " + all + ", ptr " + collectedBytes_);
  const auto everySecond = [&](int64_t from) {
    std::string places;
    for (int64_t i = from; i < count; i += 2) {
      places += (i == from ? "i32 " : ", i32 ") + std::to_string(i);
    }
    return text_.define("half", "shufflevector " + all + " " + bytes + ", " + all + " poison, <" +
                                    std::to_string(count / 2) + " x i32> <" + places + ">");
  };
  const std::string low = everySecond(0);
  const std::string high =
      text_.define("high", "shl " + half + " " + everySecond(1) + ", splat (i8 4)");
  const std::string packed = text_.define("packed", "or " + half + " " + low + ", " + high);
  const std::string byte = text_.define("byte", "lshr i64 " + scalars_(first) + ", 1");
  const std::string at =
      text_.define("at", elementAt(memoryType(tv->dtype()), buffers_.at(tv), byte));
  text_.line("store " + half + " " + packed + ", ptr " + at + ", align 1" + metadata_.ofAccess(tv));
}

}  // namespace nvfuser::llvm
