// A fusion is written as a sequence of words, and the sequences are hashed or compared.
//
// The operations are visited from the outputs, producers first, with nodes numbered in the order in
// which they are met: equal structure gives equal words, whatever the order of creation was. Tables
// are indexed by Val::index() and Expr::index() and kept from call to call, so that a visit
// allocates nothing.

#include "ir/structure.h"

#include <bit>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/hash.h"

namespace nvfuser {

namespace {

// Beginnings of entries. They keep entries of different lengths apart.
enum Tag : uint64_t {
  kConstant = 1,
  kSymbol,
  kKnown,
  kNone,
  kDomain,
  kIterDomain,
  kTensor,
  kExpr,
  kMesh,
  kInput,
  kOutput,
  kEnd
};

class Writer {
 public:
  // Those of what was written last.
  const std::vector<const Val*>& symbols() const { return symbols_; }

  // The words of `fusion`; valid until the next call on this object.
  const std::vector<uint64_t>& write(const Fusion& fusion) {
    words_.clear();
    numbers_.assign(fusion.vals().size(), 0);
    states_.assign(fusion.allExprs().size(), State::New);
    stack_.clear();
    symbols_.clear();
    nextNumber_ = 1;
    for (const Val* input : fusion.inputs()) {
      if (input->isTensor()) {
        visitExtents(input->asTensor());
      }
      put(kInput);
      if (input->isTensor()) {
        writeTensor(input->asTensor());
      } else {
        writeScalar(input);
      }
    }
    for (const Fusion::Output& output : fusion.outputs()) {
      visit(output.tv);
    }
    for (const Fusion::Output& output : fusion.outputs()) {
      put(kOutput);
      put(numberOf(output.tv));
      put(output.alias == nullptr ? 0 : numberOf(output.alias));
      put(output.isVisible);
      put(output.isOrderOpen);
    }
    put(kEnd);
    return words_;
  }

 private:
  enum class State : uint8_t { New, Waiting, Written };

  void put(uint64_t word) { words_.push_back(word); }

  uint32_t& numberOf(const Val* val) { return numbers_[static_cast<size_t>(val->index())]; }

  // Those of an input may be computed where the fusion is a part of another one.
  void visitExtents(const TensorView* tv) {
    for (const IterDomain* id : tv->logical()) {
      visit(id->extent());
      if (id->hasExpandedExtent()) {
        visit(id->expandedExtent());
      }
    }
  }

  // Writes the operations that `val` depends on. An explicit stack: a chain may be long.
  void visit(const Val* val) {
    push(val);
    while (!stack_.empty()) {
      const Expr* expr = stack_.back();
      State& state = states_[static_cast<size_t>(expr->index())];
      if (state == State::New) {
        state = State::Waiting;
        pushOperands(expr);
        continue;
      }
      stack_.pop_back();
      if (state == State::Waiting) {
        state = State::Written;
        writeExpr(expr);
      }
    }
  }

  void push(const Val* val) {
    if (val == nullptr) {
      return;
    }
    const Expr* definition = val->definition();
    if (definition != nullptr && states_[static_cast<size_t>(definition->index())] == State::New) {
      stack_.push_back(definition);
    }
  }

  void pushOperands(const Expr* expr) {
    for (const Val* input : expr->inputs()) {
      push(input);
    }
    for (const Val* operand : expr->operands()) {
      push(operand);
    }
    for (const Val* output : expr->outputs()) {
      if (output->isTensor()) {
        const TensorDomain* domain = output->asTensor()->domain();
        pushExtents(domain->maybeRoot());
        pushExtents(domain->logical());
      }
    }
  }

  void pushExtents(const std::vector<IterDomain*>& domains) {
    for (const IterDomain* id : domains) {
      push(id->extent());
      push(id->expandedExtent());
    }
  }

  void writeExpr(const Expr* expr) {
    put(kExpr | static_cast<uint64_t>(expr->kind()) << 8 | expr->attributes().size() << 16 |
        expr->inputs().size() << 32 | expr->operands().size() << 48);
    for (const int64_t attribute : expr->attributes()) {
      put(static_cast<uint64_t>(attribute));
    }
    for (const Val* input : expr->inputs()) {
      writeReference(input);
    }
    for (const Val* operand : expr->operands()) {
      writeReference(operand);
    }
    for (const Val* output : expr->outputs()) {
      if (output->isTensor()) {
        writeTensor(output->asTensor());
      } else {
        numberOf(output) = nextNumber_++;
        put(static_cast<uint64_t>(output->dtype()));
      }
    }
  }

  void writeReference(const Val* val) {
    if (val->isScalar()) {
      writeScalar(val);
    } else {
      put(kKnown | static_cast<uint64_t>(numberOf(val)) << 8);
    }
  }

  // A constant by its value, another scalar by its number; a symbol gets its number here.
  void writeScalar(const Val* val) {
    if (val == nullptr) {
      put(kNone);
      return;
    }
    if (val->isConst()) {
      writeConstant(val);
      return;
    }
    uint32_t& number = numberOf(val);
    if (number == 0) {
      number = nextNumber_++;
      symbols_.push_back(val);
      put(kSymbol | static_cast<uint64_t>(val->dtype()) << 8);
    } else {
      put(kKnown | static_cast<uint64_t>(number) << 8);
    }
  }

  void writeConstant(const Val* val) {
    const PolymorphicValue& value = val->value();
    put(kConstant | static_cast<uint64_t>(val->dtype()) << 8 | value.value.index() << 16);
    if (value.is<int64_t>()) {
      put(static_cast<uint64_t>(value.as<int64_t>()));
    } else if (value.is<bool>()) {
      put(value.as<bool>());
    } else if (value.is<double>()) {
      put(std::bit_cast<uint64_t>(value.as<double>()));
    } else {
      const auto& z = value.as<std::complex<double>>();
      put(std::bit_cast<uint64_t>(z.real()));
      put(std::bit_cast<uint64_t>(z.imag()));
    }
  }

  void writeTensor(const TensorView* tv) {
    numberOf(tv) = nextNumber_++;
    const TensorDomain* domain = tv->domain();
    put(kTensor | static_cast<uint64_t>(tv->dtype()) << 8 |
        static_cast<uint64_t>(tv->isCpuScalar()) << 16 | domain->root().size() << 24 |
        domain->logical().size() << 40 | domain->allocation().size() << 56);
    writeDomains(domain->root());
    writeDomains(domain->logical());
    writeDomains(domain->allocation());
    // Two bits a dimension; ranks are far below 32.
    uint64_t contiguity = kDomain;
    for (const std::optional<bool>& isContiguous : domain->contiguity()) {
      contiguity = contiguity << 2 | (isContiguous.has_value() ? 1 + *isContiguous : 0);
    }
    put(contiguity);
    writeDevices(tv);
  }

  // The devices, and the loops that say how these work together.
  void writeDevices(const TensorView* tv) {
    if (tv->deviceMesh() != nullptr) {
      const DeviceMesh& mesh = *tv->deviceMesh();
      put(kMesh | mesh.shape().size() << 8 | static_cast<uint64_t>(mesh.size()) << 16);
      for (const int64_t extent : mesh.shape()) {
        put(static_cast<uint64_t>(extent));
      }
      for (const int64_t rank : mesh.ranks()) {
        put(static_cast<uint64_t>(rank));
      }
    }
    for (const IterDomain* id : tv->loop()) {
      if (!isDeviceType(id->parallelType())) {
        continue;
      }
      put(kMesh | static_cast<uint64_t>(id->parallelType()) << 8);
      const auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
      for (const Val* part = id; split != nullptr;) {
        put(kKnown | (split->outer() == part ? 1 : 0) << 8 | (split->innerSplit() ? 1 : 0) << 9);
        writeScalar(split->factor());
        part = split->in();
        split = part->definition() == nullptr ? nullptr : part->definition()->as<Split>();
        if (split == nullptr) {
          writeReference(part);
        }
      }
    }
  }

  void writeDomains(const std::vector<IterDomain*>& domains) {
    for (const IterDomain* id : domains) {
      uint32_t& number = numberOf(id);
      if (number != 0) {
        put(kKnown | static_cast<uint64_t>(number) << 8);
        continue;
      }
      number = nextNumber_++;
      put(kIterDomain | static_cast<uint64_t>(id->iterType()) << 8 |
          static_cast<uint64_t>(id->isRFactor()) << 16);
      writeScalar(id->extent());
      if (id->isBroadcast()) {
        writeScalar(id->expandedExtent());
      }
    }
  }

  std::vector<uint64_t> words_;
  std::vector<uint32_t> numbers_;
  std::vector<State> states_;
  std::vector<const Expr*> stack_;
  std::vector<const Val*> symbols_;
  uint32_t nextNumber_ = 1;
};

thread_local Writer firstWriter;
thread_local Writer secondWriter;

}  // namespace

size_t structuralHash(const Fusion& fusion) {
  size_t seed = 0;
  for (const uint64_t word : firstWriter.write(fusion)) {
    hashCombine(seed, word);
  }
  return seed;
}

Structure structureOf(const Fusion& fusion) {
  std::vector<uint64_t> words = firstWriter.write(fusion);
  return {std::move(words), firstWriter.symbols()};
}

bool structurallyEqual(const Fusion& a, const Fusion& b) {
  return &a == &b || firstWriter.write(a) == secondWriter.write(b);
}

}  // namespace nvfuser
