#include "emit/llvm.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "emit/common.h"
#include "emit/llvm/function.h"
#include "emit/llvm/memory.h"
#include "emit/llvm/metadata.h"
#include "emit/llvm/operations.h"
#include "emit/llvm/scalars.h"
#include "emit/llvm/strides.h"
#include "ir/scalar.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

using llvm::Register;

// Whether all that a kernel reads from others are integers and numbers of at most as many digits as
// bfloat16 has.
bool isOfNarrow(const kir::Kernel& kernel) {
  return std::ranges::none_of(kernel.parameters, [](const kir::Parameter& parameter) {
    const bool isInput =
        parameter.kind == kir::Parameter::Kind::Pointer && parameter.tv->isFusionInput();
    if (!isInput && parameter.kind != kir::Parameter::Kind::Scalar) {
      return false;
    }
    const DataType dtype = isInput ? parameter.tv->dtype() : parameter.value->dtype();
    const bool isNarrow = isReducedPrecision(dtype) && dtype != DataType::Half;
    return (isFloatingPointType(dtype) || isComplexType(dtype)) && !isNarrow;
  });
}

// Functions, loops, branches and statements.
class Emitter {
 public:
  explicit Emitter(const kir::Kernel& kernel) : kernel_(kernel), metadata_(kernel) {}

  std::string run() {
    std::ostringstream module;
    module << asComment(kernel_.fusion->printMath(), ";") << "\n";
    for (size_t i = 0; i < kernel_.phases.size(); ++i) {
      module << emitPhase(i);
    }
    module << metadata_.text();
    return std::move(module).str();
  }

 private:
  std::string emitPhase(size_t number) {
    const kir::Phase& phase = kernel_.phases[number];
    phase_ = &phase;
    text_.start();
    memory_.start();
    loadParameters();
    short_.clear();
    findShortLoops(phase.body);
    zero_.clear();
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      if (zero_.empty() && compute != nullptr && isComputedExtreme(*compute)) {
        zero_ = text_.unknown("0");
      }
    });
    for (const kir::Buffer& buffer : phase.buffers) {
      emitBuffer(buffer);
    }
    allocateForPacking(phase.body);
    if (!kernel_.lookups.empty()) {
      text_.line("%missed = alloca i64");
      text_.line("store i64 0, ptr %missed");
    }
    streams_ = false;
    emitBlock(phase.body);
    if (streams_) {
      // Only a fence orders them before what others read once this function has returned.
      text_.line("fence seq_cst");
    }
    if (!kernel_.lookups.empty()) {
      reportMisses();
    }
    text_.line("ret void");
    // With a register for the frame LLVM can align the stack once it finds that vectors are kept
    // there. Otherwise these span cache lines in processes whose stack happens to begin so.
    std::ostringstream os;
    os << "define void @" << phaseName(kernel_, number)
       << "(ptr noalias readonly %arguments, i64 %begin, i64 %end, ptr noalias %scratch) nounwind "
          "\"frame-pointer\"=\"all\" {\n"
       << text_.text() << "}\n\n";
    return std::move(os).str();
  }

  void loadParameters() {
    int64_t slot = 0;
    for (const kir::Parameter& parameter : kernel_.parameters) {
      const std::string address = text_.define(
          "slot", "getelementptr inbounds i64, ptr %arguments, i64 " + std::to_string(slot));
      slot += slotsOf(parameter);
      if (parameter.kind == kir::Parameter::Kind::Pointer) {
        const std::string name = pointerName(parameter.tv);
        text_.line(name + " = load ptr, ptr " + address);
        memory_.setBuffer(parameter.tv, name);
      } else if (parameter.kind == kir::Parameter::Kind::Misses) {
        misses_ = text_.define("misses", "load ptr, ptr " + address);
      } else {
        text_.set(parameter.value, loadScalar(address, parameter.value->dtype()));
      }
    }
    for (const Fusion::Output& output : kernel_.fusion->outputs()) {
      if (output.alias != nullptr) {
        memory_.setBuffer(output.tv, memory_.buffer(output.alias));
      }
    }
  }

  // Sets the bits of lookups that found no element, in the memory that all workers share.
  void reportMisses() {
    const std::string missed = text_.define("missed", "load i64, ptr %missed");
    const std::string any = text_.define("any", "icmp ne i64 " + missed + ", 0");
    const std::string report = text_.freshLabel("report");
    const std::string done = text_.freshLabel("done");
    text_.line("br i1 " + any + ", label %" + report + ", label %" + done);
    text_.label(report);
    text_.define("all", "atomicrmw or ptr " + misses_ + ", i64 " + missed + " monotonic");
    text_.line("br label %" + done);
    text_.label(done);
  }

  static std::string pointerName(const TensorView* tv) { return "%T" + std::to_string(tv->name()); }

  // The scalar in an argument slot.
  std::string loadScalar(const std::string& address, DataType dtype) {
    switch (kindOf(dtype)) {
      case TypeKind::Bool: {
        const std::string raw = text_.define("flag", "load i64, ptr " + address);
        return text_.define("b", "icmp ne i64 " + raw + ", 0");
      }
      case TypeKind::Integral: {
        const std::string raw = text_.define("i", "load i64, ptr " + address);
        return operations_.convert({raw, DataType::Int}, dtype).name;
      }
      case TypeKind::Floating: {
        const std::string raw = text_.define("d", "load double, ptr " + address);
        return operations_.convert({raw, DataType::Double}, dtype).name;
      }
      case TypeKind::Complex: {
        const std::string raw = text_.define("z", "load { double, double }, ptr " + address);
        return operations_.convert({raw, DataType::ComplexDouble}, dtype).name;
      }
      case TypeKind::None:
        break;
    }
    fail("A parameter has no type");
  }

  void emitBuffer(const kir::Buffer& buffer) {
    const std::string name = pointerName(buffer.tv);
    if (buffer.scratchOffset != nullptr) {
      text_.line(name + " = getelementptr inbounds i8, ptr %scratch, i64 " +
                 scalars_(buffer.scratchOffset));
    } else {
      text_.line(name + " = alloca [" + std::to_string(buffer.size->constInt()) + " x " +
                 llvm::memoryType(buffer.tv->dtype()) + "], align 64");
    }
    memory_.setBuffer(buffer.tv, name);
    if (buffer.tv->dtype() == DataType::FloatMoments && buffer.size->isConstInt()) {
      std::vector<std::string> planes{name};
      for (const int64_t i : {1, 2}) {
        planes.push_back(text_.define("plane", "getelementptr inbounds float, ptr " + name +
                                                   ", i64 " +
                                                   std::to_string(i * buffer.size->constInt())));
      }
      memory_.setPlanes(buffer.tv, std::move(planes));
    }
  }

  void emitBlock(const kir::Block& block) {
    for (const kir::Statement& statement : block) {
      std::visit([this](const auto& node) { emit(node); }, statement.node);
    }
  }

  // The fp4 elements that a loop of known, even length stores one after the other, from an even one
  // on: they are collected and stored together.
  struct Packing {
    const TensorView* tv;
    Val* first;
    std::string bytes;
  };

  std::optional<Packing> packingOf(const kir::Loop& loop) const {
    if (!isShort(loop) || !loop.start->isConstInt(0) || loop.stop->constInt() < 2 ||
        loop.stop->constInt() % 2 != 0) {
      return std::nullopt;
    }
    std::optional<Packing> packing;
    for (const kir::Statement& statement : *loop.body) {
      const kir::Access* stored = kir::visit(
          statement,
          [](const kir::Either<kir::Compute, kir::Assign> auto& node) { return &node.out; },
          [](const kir::Either<kir::Loop, kir::If, kir::TransposedCopy, kir::WholeLines,
                               kir::StreamedCopy, kir::Prefetch, kir::LoadIndex, kir::Barrier,
                               kir::BlockReduce, kir::BlockScan> auto&) -> const kir::Access* {
            return nullptr;
          });
      if (stored == nullptr) {
        return std::nullopt;
      }
      const kir::Access& out = *stored;
      if (!llvm::Memory::isPacked(out)) {
        continue;
      }
      const auto* sum =
          out.index->definition() == nullptr ? nullptr : out.index->definition()->as<BinaryOp>();
      if (packing || sum == nullptr || sum->type() != BinaryOpType::Add ||
          sum->rhs() != loop.index || dependsOn(sum->lhs(), {loop.index}) ||
          !scalar::isDivisible(sum->lhs(), scalar::constant(out.tv->fusion(), 2))) {
        return std::nullopt;
      }
      packing = Packing{out.tv, sum->lhs(), ""};
    }
    return packing;
  }

  // Outside of all loops, so that the stack does not grow with them.
  void allocateForPacking(const kir::Block& block) {
    packings_.clear();
    kir::forEachStatement(block, [&](const kir::Statement& statement) {
      const auto* loop = std::get_if<kir::Loop>(&statement.node);
      std::optional<Packing> packing = loop == nullptr ? std::nullopt : packingOf(*loop);
      if (packing) {
        packing->bytes = text_.define(
            "bytes", "alloca [" + std::to_string(loop->stop->constInt()) + " x i8], align 64");
        packings_.emplace(loop, *packing);
      }
    });
  }

  void emit(const kir::Loop& loop) {
    const auto packing = packings_.find(&loop);
    if (packing == packings_.end()) {
      emitLoop(loop);
      return;
    }
    const Packing& elements = packing->second;
    memory_.collect(elements.tv, elements.bytes, loop.index);
    emitLoop(loop);
    memory_.storeCollected(elements.tv, elements.first, loop.stop->constInt());
  }

  void emitLoop(const kir::Loop& loop) {
    const bool isParallel = loop.index == phase_->parallelIndex;
    const std::string start = isParallel ? "%begin" : scalars_(loop.start);
    const std::string stop = isParallel ? "%end" : scalars_(loop.stop);
    const LoopText written = beginLoop(start, stop, !isShort(loop));
    text_.set(loop.index, written.index);
    scalars_.startFrom(loop.index,
                       !isParallel && loop.start->isConstInt() ? loop.start->constInt() : 0);
    const bool wasInReduction = isInReduction_;
    isInReduction_ = wasInReduction || (loop.isReduction && !isShort(loop));
    emitBlock(*loop.body);
    isInReduction_ = wasInReduction;
    endLoop(written, loop.step, hintsFor(loop));
  }

  // The names in a loop that is being written.
  struct LoopText {
    std::string header;
    std::string latch;
    std::string exit;
    std::string index;
    std::string next;
  };

  LoopText beginLoop(const std::string& start, const std::string& stop, bool isLoop) {
    LoopText loop;
    loop.header = text_.freshLabel("loop");
    const std::string body = text_.freshLabel("body");
    loop.exit = text_.freshLabel("done");
    loop.index = text_.fresh("i");
    loop.next = text_.fresh("next");
    const std::string before = text_.block();
    text_.open(isLoop);
    text_.line("br label %" + loop.header);
    text_.label(loop.header);
    loop.latch = text_.freshLabel("latch");
    text_.line(loop.index + " = phi i64 [ " + start + ", %" + before + " ], [ " + loop.next +
               ", %" + loop.latch + " ]");
    const std::string more = text_.define("more", "icmp slt i64 " + loop.index + ", " + stop);
    text_.line("br i1 " + more + ", label %" + body + ", label %" + loop.exit);
    text_.label(body);
    return loop;
  }

  void endLoop(const LoopText& loop, int64_t step, const std::string& hints) {
    text_.line("br label %" + loop.latch);
    text_.label(loop.latch);
    text_.line(loop.next + " = add nuw nsw i64 " + loop.index + ", " + std::to_string(step));
    text_.line("br label %" + loop.header + hints);
    text_.label(loop.exit);
    text_.append(text_.close());
  }

  // Whether LLVM may write out all iterations of a loop.
  static bool mayBeWrittenOut(const kir::Loop& loop) {
    constexpr int64_t kMost = 64;
    return loop.stop->isConstInt() && loop.stop->constInt() <= kMost;
  }

  // Whether elements that lie one behind the other are reduced.
  static bool reducesRow(const kir::Loop& loop) {
    bool hasColumns = false;
    kir::forEachStatement(*loop.body, [&](const kir::Statement& statement) {
      const auto* inner = std::get_if<kir::Loop>(&statement.node);
      hasColumns = hasColumns || (inner != nullptr && !inner->isReduction);
    });
    return loop.isReduction && !hasColumns;
  }

  // Finds the loops that may be written out so that the loop around them is the innermost one, and
  // vectors are of its iterations. Rows that fill a vector, or are masked, are loops of their own:
  // others would gather their elements. So are rows beside other loops, such as those that reduce
  // them, and reductions beside such rows: whichever is a loop leaves the others without vectors.
  void findShortLoops(const kir::Block& block) {
    constexpr int64_t kMost = 15;
    bool hasOthers = false;
    bool hasRows = false;
    for (const kir::Statement& statement : block) {
      if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        hasOthers =
            hasOthers || reducesRow(*loop) || (!loop->isReduction && !isWithin(*loop, kMost));
        hasRows = hasRows || (!loop->isReduction && !isWithin(*loop, limits::kWrittenOutRow));
        findShortLoops(*loop->body);
      } else if (const auto* prefetch = std::get_if<kir::Prefetch>(&statement.node)) {
        hasOthers = hasOthers || prefetch->index != nullptr;
      } else if (const auto* choice = std::get_if<kir::If>(&statement.node)) {
        findShortLoops(*choice->then);
        if (choice->otherwise != nullptr) {
          findShortLoops(*choice->otherwise);
        }
      }
    }
    const bool looksUp = std::ranges::any_of(block, isLookedUp);
    for (const kir::Statement& statement : block) {
      const auto* loop = std::get_if<kir::Loop>(&statement.node);
      if (loop == nullptr) {
        continue;
      }
      const int64_t most = looksUp ? kMost
                           : loop->isReduction
                               ? (hasRows ? limits::kWrittenOutRow : limits::kWrittenOutReduction)
                               : (hasOthers || fillsVector(*loop) ? limits::kWrittenOutRow : kMost);
      if (isWithin(*loop, most)) {
        short_.insert(loop);
      }
    }
  }
  // Whether a row is looked up: whether there is one is asked for each of its elements, which are
  // stored one by one then. Vectors would wait for them.
  static bool isLookedUp(const kir::Statement& statement) {
    bool result = false;
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    if (loop != nullptr) {
      kir::forEachStatement(*loop->body, [&](const kir::Statement& inside) {
        const auto* compute = std::get_if<kir::Compute>(&inside.node);
        result = result || (compute != nullptr && compute->expr->is<LookupOp>());
      });
    }
    return result;
  }
  // Whether a loop over results is of a whole vector of those: each is reduced in loops inside.
  static bool fillsVector(const kir::Loop& loop) {
    return loop.stop->isConstInt(limits::kWrittenOutReduction) &&
           std::ranges::any_of(*loop.body, [](const kir::Statement& statement) {
             return std::holds_alternative<kir::Loop>(statement.node);
           });
  }
  static bool isWithin(const kir::Loop& loop, int64_t most) {
    return !loop.isRest && loop.stop->isConstInt() && loop.stop->constInt() <= most;
  }
  bool isShort(const kir::Loop& loop) const { return short_.contains(&loop); }

  std::string hintsFor(const kir::Loop& loop) {
    // What reduces a few elements by functions is longer than LLVM writes out by itself. Of more
    // elements it would gather those of each result.
    const bool isUnrolled = loop.parallelType == ParallelType::Unroll && loop.stop->isConstInt();
    if (isUnrolled ||
        (loop.isReduction && isShort(loop) && isWithin(loop, limits::kWrittenOutFunctions))) {
      return metadata_.ofUnrolledLoop();
    }
    const bool hasLoop = std::ranges::any_of(*loop.body, [&](const kir::Statement& statement) {
      const auto* inner = std::get_if<kir::Loop>(&statement.node);
      return inner != nullptr && !isShort(*inner);
    });
    if (hasLoop) {
      return metadata_.ofOuterLoop();
    }
    const bool isRow = mayBeWrittenOut(loop) && !isShort(loop);
    if (!isShort(loop) && !loop.isReduction && llvm::isFasterByElement(loop)) {
      return metadata_.ofElementLoop();
    }
    if (loop.isRest) {
      return metadata_.ofMaskedLoop(loop.lanes, isRow);
    }
    if (loop.vectors > 0) {
      return metadata_.ofInterleavedLoop(loop.vectors, isRow);
    }
    return isRow ? metadata_.ofOuterLoop() : "";
  }

  void emit(const kir::If& choice) {
    const std::string condition = scalars_(choice.condition);
    const std::string then = text_.freshLabel("then");
    const std::string otherwise = text_.freshLabel("else");
    const std::string join = text_.freshLabel("join");
    const bool hasElse = choice.otherwise != nullptr;
    // What the branches compute of scalars that do not depend on them stands before they divide.
    std::string branches = branch(*choice.then, then, join);
    if (hasElse) {
      branches += branch(*choice.otherwise, otherwise, join);
    }
    text_.line("br i1 " + condition + ", label %" + then + ", label %" +
               (hasElse ? otherwise : join));
    text_.append(branches);
    text_.label(join);
  }

  std::string branch(const kir::Block& block, const std::string& label, const std::string& join) {
    text_.open();
    text_.label(label);
    emitBlock(block);
    text_.line("br label %" + join);
    return text_.close();
  }

  // Workers of this device share nothing inside a phase.
  static void emit(const kir::Barrier& /*barrier*/) {
    fail("Not a statement for the CPU: barrier");
  }
  static void emit(const kir::BlockReduce& /*reduce*/) {
    fail("Not a statement for the CPU: reduction over threads");
  }
  static void emit(const kir::BlockScan& /*scan*/) {
    fail("Not a statement for the CPU: scan over threads");
  }

  void emit(const kir::Assign& assign) {
    memory_.store(assign.out,
                  operations_.convert(memory_.read(assign.value), assign.out.tv->dtype()));
  }

  void emit(const kir::TransposedCopy& copy) {
    std::string arguments = "ptr " + memory_.address(copy.out) + ", i64 " +
                            scalars_(copy.outStride) + ", ptr " + memory_.address(copy.in);
    for (const Val* val : {copy.inStride, copy.rows, copy.columns}) {
      arguments += ", i64 " + scalars_(val);
    }
    text_.line("call void @nvf.transpose.b" + std::to_string(info(copy.out.tv->dtype()).bits) +
               "(" + arguments + ")");
  }

  void emit(const kir::WholeLines& lines) {
    const std::string start = scalars_(lines.start);
    const std::string count =
        text_.define("count", "sub nsw i64 " + scalars_(lines.stop) + ", " + start);
    const std::string room =
        text_.define("room", "call i64 @llvm.smax.i64(i64 " + count + ", i64 0)");
    std::string before;
    std::string whole;
    for (const kir::Access& out : lines.outs) {
      const std::string bytes = std::to_string(info(out.tv->dtype()).bits / 8);
      const std::string address =
          text_.define("address", "ptrtoint ptr " + memory_.address(out) + " to i64");
      if (before.empty()) {
        const std::string negative = text_.define("negative", "sub i64 0, " + address);
        const std::string gap = inLine(negative);
        const std::string elements = text_.define("gap", "udiv i64 " + gap + ", " + bytes);
        before = text_.define("before",
                              "call i64 @llvm.umin.i64(i64 " + elements + ", i64 " + room + ")");
        const std::string rest = text_.define("rest", "sub nuw nsw i64 " + room + ", " + before);
        whole = text_.define("whole", "and i64 " + rest + ", " + std::to_string(-lines.group));
      }
      const std::string skipped = text_.define("skipped", "mul nsw i64 " + before + ", " + bytes);
      const std::string place = inLine(text_.define("at", "add i64 " + address + ", " + skipped));
      const std::string begins = text_.define("begins", "icmp eq i64 " + place + ", 0");
      whole = text_.define("whole", "select i1 " + begins + ", i64 " + whole + ", i64 0");
    }
    const std::string first = text_.define("first", "add nsw i64 " + start + ", " + before);
    const std::string last = text_.define("last", "add nsw i64 " + first + ", " + whole);
    text_.set(lines.first, text_.opaque(first));
    text_.set(lines.last, text_.opaque(last));
  }

  // The position in its line of memory of the byte at an address.
  std::string inLine(const std::string& address) {
    return text_.define("place",
                        "and i64 " + address + ", " + std::to_string(kernel_.lineBytes - 1));
  }

  void emit(const kir::StreamedCopy& copy) {
    streams_ = true;
    if (copy.fillsLines) {
      const std::string in = memory_.address(copy.in);
      const std::string out = memory_.address(copy.out);
      const int64_t bytes = copy.count->constInt() * info(copy.out.tv->dtype()).bits / 8;
      const std::string type = "<" + std::to_string(kernel_.lineBytes / 4) + " x i32>";
      for (int64_t i = 0; i < bytes; i += kernel_.lineBytes) {
        const std::string at = ", i64 " + std::to_string(i);
        const std::string from = text_.define("at", "getelementptr inbounds i8, ptr " + in + at);
        const std::string to = text_.define("at", "getelementptr inbounds i8, ptr " + out + at);
        const std::string line =
            text_.define("line", "load " + type + ", ptr " + from + ", align 1");
        text_.line("store " + type + " " + line + ", ptr " + to + ", align " +
                   std::to_string(kernel_.lineBytes) + ", !nontemporal !{i32 1}");
      }
      requestNextPage(out, bytes);
      return;
    }
    const std::string bytes =
        text_.define("bytes", "mul nsw i64 " + scalars_(copy.count) + ", " +
                                  std::to_string(info(copy.out.tv->dtype()).bits / 8));
    text_.line("call void @nvf.stream.b8(ptr " + memory_.address(copy.out) + ", ptr " +
               memory_.address(copy.in) + ", i64 " + bytes + ")");
  }

  // Where a page lies takes long to find, and stores past the caches wait for it one by one. With
  // what begins a page, the first `bytes` of it, the next one is requested: one line of it, because
  // they are read.
  void requestNextPage(const std::string& address, int64_t bytes) {
    constexpr int64_t kPageBytes = 4096;
    const std::string number = text_.define("number", "ptrtoint ptr " + address + " to i64");
    const std::string place =
        text_.define("place", "and i64 " + number + ", " + std::to_string(kPageBytes - 1));
    const std::string begins =
        text_.define("begins", "icmp ult i64 " + place + ", " + std::to_string(bytes));
    const std::string request = text_.freshLabel("request");
    const std::string done = text_.freshLabel("done");
    text_.line("br i1 " + begins + ", label %" + request + ", label %" + done);
    text_.label(request);
    const std::string next = text_.define(
        "next", "getelementptr i8, ptr " + address + ", i64 " + std::to_string(kPageBytes));
    text_.line("call void @llvm.prefetch.p0(ptr " + next + ", i32 0, i32 2, i32 1)");
    text_.line("br label %" + done);
    text_.label(done);
  }

  void emit(const kir::Prefetch& prefetch) {
    if (prefetch.index == nullptr) {
      emitRequest(prefetch);
      return;
    }
    const std::string stop = scalars_(prefetch.stop);
    const LoopText loop = beginLoop("0", stop, true);
    text_.set(prefetch.index, loop.index);
    emitRequest(prefetch);
    endLoop(loop, 8 * kernel_.lineBytes / info(prefetch.access.tv->dtype()).bits,
            metadata_.ofOuterLoop());
  }

  // Into the second-level cache.
  void emitRequest(const kir::Prefetch& prefetch) {
    text_.line("call void @llvm.prefetch.p0(ptr " + memory_.address(prefetch.access) + ", i32 " +
               (prefetch.isWritten ? "1" : "0") + ", i32 2, i32 1)");
  }

  void emit(const kir::LoadIndex& load) {
    const std::string index = operations_.convert(memory_.read(load.index), DataType::Index).name;
    if (load.isKnown) {
      text_.set(load.position, index);
      return;
    }
    // As an unsigned number a negative index is a large one.
    const std::string inside =
        text_.define("inside", "icmp ult i64 " + index + ", " + scalars_(load.extent));
    text_.set(load.isInside, inside);
    text_.set(load.position,
              text_.define("at", "select i1 " + inside + ", i64 " + index + ", i64 0"));
    const uint64_t bit = uint64_t{1} << std::min(load.lookup, limits::kLookupNumber);
    const std::string before = text_.define("before", "load i64, ptr %missed");
    const std::string own = text_.define(
        "own", "select i1 " + inside + ", i64 0, i64 " + std::to_string(static_cast<int64_t>(bit)));
    text_.line("store i64 " + text_.define("after", "or i64 " + before + ", " + own) +
               ", ptr %missed");
  }

  static bool isExtreme(BinaryOpType type) {
    return type == BinaryOpType::Maximum || type == BinaryOpType::Minimum;
  }

  // Where an element may be a constant, such as the NaN of a function, LLVM computes the extreme of
  // the others only and chooses afterwards. That is no reduction to its vectorizer any more.
  static bool isComputedExtreme(const kir::Compute& compute) {
    if (!kir::accumulates(compute) || !compute.expr->is<ReductionOp>() ||
        !isExtreme(static_cast<BinaryOpType>(compute.expr->attribute(0))) ||
        isBooleanType(compute.out.tv->dtype())) {
      return false;
    }
    const Expr* element = compute.expr->input(0)->asTensor()->definition();
    return element != nullptr && !element->is<LoadStoreOp>();
  }

  void emit(const kir::Compute& compute) {
    const Expr* expr = compute.expr;
    const DataType out = compute.out.tv->dtype();
    if (expr->is<ScatterOp>() && kir::accumulates(compute)) {
      // In the order of the elements.
      const DataType type = computeType(out);
      const Register sum = operations_.convert(memory_.load(compute.out), type);
      const Register element = operations_.convert(memory_.read(compute.inputs[0]), type);
      memory_.store(compute.out, operations_.convert(
                                     operations_.arithmetic(BinaryOpType::Add, sum, element), out));
      return;
    }
    if (kir::accumulates(compute)) {
      const DataType type = computeType(out);
      const Register partial = operations_.convert(memory_.load(compute.out), type);
      Register element = operations_.convert(memory_.read(compute.inputs[0]), type);
      if (isInReduction_ && isComputedExtreme(compute)) {
        element = operations_.hidden(element, zero_);
      }
      const auto operation = static_cast<BinaryOpType>(expr->attribute(0));
      const bool comparesBits =
          expr->is<ReductionOp>() && isOrderedByBits(expr->input(0)->asTensor());
      // LLVM would narrow extremes of what was half-precision, where no loop is left to be a
      // reduction, and instructions for them are rare.
      const bool isUnrolled = expr->is<ReductionOp>() && !isInReduction_;
      const Register result = isUnrolled && isExtreme(operation) && !comparesBits
                                  ? operations_.arithmetic(operation, partial, element)
                                  : operations_.combine(operation, partial, element, comparesBits);
      memory_.store(compute.out, operations_.convert(result, out));
      return;
    }
    std::vector<Register> inputs;
    for (const kir::Operand& operand : compute.inputs) {
      inputs.push_back(memory_.read(operand));
    }
    memory_.store(compute.out, operations_.convert(valueOf(compute, inputs), out));
  }

  Register valueOf(const kir::Compute& compute, const std::vector<Register>& inputs) {
    const Expr* expr = compute.expr;
    const DataType out = compute.out.tv->dtype();
    switch (expr->kind()) {
      case ExprKind::Unary:
        return operations_.unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], out,
                                 narrow_.precisionOf(compute.out.tv));
      case ExprKind::Binary:
        return operations_.binary(expr, inputs, out);
      case ExprKind::Ternary:
        return operations_.ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, out);
      case ExprKind::Iota:
        return operations_.iota(inputs, out);
      case ExprKind::Random:
        return operations_.random(expr->as<RandomOp>()->type(), inputs, out);
      default:
        // Everything else copies one element.
        NVF_INTERNAL_CHECK(inputs.size() == 1, "not a copy: ", expr->toString());
        return inputs[0];
    }
  }

  const kir::Kernel& kernel_;
  const kir::Phase* phase_ = nullptr;
  std::string misses_;
  // An i64 of which LLVM does not know that it is 0, in phases that need one.
  std::string zero_;
  // Whether the phase writes past the caches.
  bool streams_ = false;
  std::unordered_map<const kir::Loop*, Packing> packings_;
  std::unordered_set<const kir::Loop*> short_;
  // Whether a loop is left of those of a reduction.
  bool isInReduction_ = false;
  NarrowResults narrow_;
  llvm::FunctionText text_;
  llvm::Metadata metadata_;
  llvm::Operations operations_{text_, isOfNarrow(kernel_)};
  llvm::Scalars scalars_{text_, operations_};
  llvm::Memory memory_{text_, scalars_, metadata_};
};

}  // namespace

std::string emitLlvm(const kir::Kernel& kernel) { return Emitter(kernel).run(); }

}  // namespace nvfuser
