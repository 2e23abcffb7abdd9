#include "lower/verify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/options.h"
#include "ir/scalar.h"

namespace nvfuser {

namespace {

class Verifier {
 public:
  Verifier(const kir::Kernel& kernel, const kir::Phase& phase) : kernel_(kernel), phase_(phase) {}

  std::vector<std::string> run() {
    for (const kir::Parameter& parameter : kernel_.parameters) {
      if (parameter.kind == kir::Parameter::Kind::Pointer) {
        elements_.emplace(parameter.tv, nullptr);
      }
    }
    for (const kir::ThreadDimension& dimension : phase_.threads) {
      define(dimension.index);
      if (isBlockType(dimension.type)) {
        ofThread_.insert(dimension.index);
      }
    }
    for (const kir::Buffer& buffer : phase_.buffers) {
      if (!elements_.emplace(buffer.tv, buffer.size).second) {
        complain(nameOf(buffer.tv), " has memory twice");
      }
      if (buffer.scratchOffset == nullptr && !buffer.size->isConstInt()) {
        complain("the local array ", nameOf(buffer.tv),
                 " has no constant size: ", buffer.size->toString());
      }
    }
    check(phase_.body);
    return std::move(complaints_);
  }

 private:
  static std::string nameOf(const TensorView* tv) { return "T" + std::to_string(tv->name()); }

  template <typename... Args>
  void complain(const Args&... args) {
    complaints_.push_back(concatenate(args...));
  }

  // ------------------------------------------------------------------------------ definitions

  void define(Val* symbol) {
    if (!kernel_.ownSymbols.contains(symbol)) {
      complain(symbol->toString(), " is defined, but not one of the kernel's own symbols");
    }
    if (!defined_.insert(symbol).second) {
      complain(symbol->toString(), " is defined where it has a value already");
      return;
    }
    open_.push_back(symbol);
  }

  // What has been defined or found to be known since there were so many.
  void close(size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) {
      defined_.erase(open_.back());
    }
  }

  // Of what a scalar is computed from, all own symbols are defined. What is found to be known stays
  // so until one of the scopes around it ends.
  void checkKnown(const Val* scalar) {
    std::vector<const Val*> stack{scalar};
    while (!stack.empty()) {
      const Val* next = stack.back();
      stack.pop_back();
      if (next->isConst() || defined_.contains(next)) {
        continue;
      }
      if (kernel_.ownSymbols.contains(next)) {
        // One complaint about it is enough.
        if (missing_.insert(next).second) {
          complain(next->toString(), " is used where it has no value, in ", scalar->toString());
        }
        return;
      }
      defined_.insert(next);
      open_.push_back(next);
      if (const Expr* definition = next->definition()) {
        stack.insert(stack.end(), definition->inputs().begin(), definition->inputs().end());
      }
    }
  }

  // ------------------------------------------------------------------------------- statements

  void check(const kir::Block& block) {
    const size_t depth = open_.size();
    for (const kir::Statement& statement : block) {
      check(statement);
    }
    close(depth);
  }

  void check(const kir::Statement& statement) {
    const size_t depth = open_.size();
    // Of what a statement defines, only a request needs the value itself.
    const bool isRequest = std::holds_alternative<kir::Prefetch>(statement.node);
    if (isRequest) {
      define(statement);
    }
    kir::forEachScalar(statement, [&](const Val* val) { checkKnown(val); });
    kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use, const TensorView*) {
      checkAccess(access, statement);
    });
    checkTypes(statement);
    checkBarrier(statement);
    const bool wasDivided = isDivided_;
    isDivided_ = isOfThread(statement) || wasDivided;
    const size_t inside = open_.size();
    if (!isRequest) {
      define(statement);
    }
    kir::forEachBlock(statement, [&](const kir::Block& block) { check(block); });
    isDivided_ = wasDivided;
    if (!definesForBlock(statement)) {
      close(isRequest ? depth : inside);
    }
  }

  void define(const kir::Statement& statement) {
    kir::forEachDefinition(statement, [&](Val* symbol, kir::Lifetime) { define(symbol); });
  }

  static bool definesForBlock(const kir::Statement& statement) {
    bool does = false;
    kir::forEachDefinition(statement, [&](Val*, kir::Lifetime lifetime) {
      does = does || lifetime == kir::Lifetime::RestOfBlock;
    });
    return does;
  }

  // --------------------------------------------------------------------------------- accesses

  void checkAccess(const kir::Access& access, const kir::Statement& statement) {
    if (access.tv == nullptr || access.index == nullptr) {
      complain("an access has no tensor or no index");
      return;
    }
    if (!isIntegralType(access.index->dtype())) {
      complain("the index ", access.index->toString(), " of ", nameOf(access.tv), " is of dtype ",
               access.index->dtype());
    }
    const auto memory = elements_.find(kir::memoryOwner(kernel_.fusion, access.tv));
    if (memory == elements_.end()) {
      complain(nameOf(access.tv), " is accessed, but has no memory");
      return;
    }
    const Val* size = memory->second;
    if (size == nullptr || !size->isConstInt() || !access.index->isConstInt()) {
      return;
    }
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    const bool isOne =
        compute == nullptr || (compute->expr->is<ReductionOp>() && access.tv == compute->out.tv);
    const int64_t last = access.index->constInt() + (isOne ? 1 : compute->width) - 1;
    if (access.index->constInt() < 0 || last >= size->constInt()) {
      complain("element ", last, " of ", nameOf(access.tv), " is outside of its ", size->constInt(),
               " elements");
    }
  }

  // --------------------------------------------------------------------------------- barriers

  // Whether threads of a block may do different things in the blocks of a statement.
  bool isOfThread(const kir::Statement& statement) {
    return kir::visit(
        statement,
        [&](const kir::Loop& loop) {
          const bool differs = dependsOn(loop.start, ofThread_) || dependsOn(loop.stop, ofThread_);
          if (differs) {
            ofThread_.insert(loop.index);
          } else {
            ofThread_.erase(loop.index);
          }
          return differs;
        },
        [&](const kir::If& choice) { return dependsOn(choice.condition, ofThread_); },
        [&](const kir::LoadIndex& load) {
          ofThread_.insert({load.position, load.isInside});
          return false;
        },
        [](const kir::Either<kir::Compute, kir::TransposedCopy, kir::WholeLines, kir::StreamedCopy,
                             kir::Prefetch, kir::Assign, kir::Barrier, kir::BlockReduce,
                             kir::BlockScan> auto&) { return false; });
  }

  void checkBarrier(const kir::Statement& statement) {
    const bool isBarrier = kir::visit(
        statement, [](const kir::Either<kir::BlockReduce, kir::BlockScan> auto&) { return true; },
        [](const kir::Barrier& barrier) { return barrier.isOfBlock; },
        [](const kir::Either<kir::Loop, kir::If, kir::Compute, kir::TransposedCopy, kir::WholeLines,
                             kir::StreamedCopy, kir::Prefetch, kir::Assign, kir::LoadIndex> auto&) {
          return false;
        });
    if (isBarrier && isDivided_) {
      complain("a barrier is where not all threads of a block may come");
    }
  }

  // ------------------------------------------------------------------------------------ types

  static DataType typeOf(const kir::Operand& operand) {
    const auto* access = std::get_if<kir::Access>(&operand);
    return access != nullptr ? access->tv->dtype() : std::get<Val*>(operand)->dtype();
  }

  void checkCount(const Val* val, const char* what) {
    if (!isIntegralType(val->dtype())) {
      complain(what, " is of dtype ", val->dtype(), ": ", val->toString());
    }
  }

  // A copy does not convert.
  void checkCopy(const kir::Access& out, const kir::Access& in) {
    if (out.tv->dtype() != in.tv->dtype()) {
      complain(nameOf(in.tv), " of dtype ", in.tv->dtype(), " is copied to ", nameOf(out.tv),
               " of dtype ", out.tv->dtype());
    }
  }

  // Conversions lose digits, but no part of a number.
  void checkConverted(DataType from, const kir::Access& out) {
    if (isComplexType(from) && !isComplexType(out.tv->dtype())) {
      complain("a value of dtype ", from, " is assigned to ", nameOf(out.tv), " of dtype ",
               out.tv->dtype());
    }
  }

  void checkTypes(const kir::Statement& statement) {
    kir::visit(
        statement,
        [&](const kir::Loop& loop) {
          checkCount(loop.start, "the start of a loop");
          checkCount(loop.stop, "the end of a loop");
          if (loop.step < 1) {
            complain("a loop has the step ", loop.step);
          }
        },
        [&](const kir::If& choice) {
          if (!isBooleanType(choice.condition->dtype())) {
            complain("a condition is of dtype ", choice.condition->dtype(), ": ",
                     choice.condition->toString());
          }
        },
        [&](const kir::Compute& compute) {
          if (compute.width > 1 && compute.inputs.size() == 1 && !kir::mergesVector(compute)) {
            checkCopy(compute.out, std::get<kir::Access>(compute.inputs[0]));
          }
          if (kir::accumulates(compute) && compute.inputs.size() != 1) {
            complain("something is accumulated that is not one operand: ",
                     compute.expr->toString());
          }
        },
        [&](const kir::Either<kir::TransposedCopy, kir::StreamedCopy> auto& copy) {
          checkCopy(copy.out, copy.in);
        },
        [&](const kir::Assign& assign) { checkConverted(typeOf(assign.value), assign.out); },
        [&](const kir::LoadIndex& load) {
          if (!isIntegralType(typeOf(load.index))) {
            complain("a position is looked up that is of dtype ", typeOf(load.index));
          }
        },
        [&](const kir::BlockScan& scan) {
          for (const kir::BlockScan::Part& part : scan.parts) {
            checkCopy(part.value, part.carry);
          }
        },
        [](const kir::Either<kir::WholeLines, kir::Prefetch, kir::Barrier,
                             kir::BlockReduce> auto&) {});
  }

  const kir::Kernel& kernel_;
  const kir::Phase& phase_;
  std::vector<std::string> complaints_;
  // Of what has memory, the number of elements; null where that is the caller's.
  std::unordered_map<const TensorView*, Val*> elements_;
  // Own symbols that have a value here, and other scalars that can be computed here; in the order
  // in which they came.
  std::unordered_set<const Val*> defined_;
  std::vector<const Val*> open_;
  std::unordered_set<const Val*> missing_;
  // What threads of a block may have different values of.
  std::unordered_set<const Val*> ofThread_;
  // Whether not all threads of a block may come here.
  bool isDivided_ = false;
};

}  // namespace

std::vector<std::string> complaintsAbout(const kir::Kernel& kernel, const kir::Phase& phase) {
  return Verifier(kernel, phase).run();
}

void verify(const kir::Kernel& kernel, const kir::Phase& phase, const std::string& after) {
  const std::vector<std::string> complaints = complaintsAbout(kernel, phase);
  if (complaints.empty()) {
    return;
  }
  std::string list;
  for (const std::string& complaint : complaints) {
    list += "\n  " + complaint;
  }
  fail("The kernel IR of ", phaseName(kernel, phase), " is broken after ", after, ":", list, "\n",
       toString(kernel, phase));
}

bool verifiesKernels() {
#ifdef NDEBUG
  return isOn(Option::enable_verify_kernels);
#else
  return true;
#endif
}

}  // namespace nvfuser
