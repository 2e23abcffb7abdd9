#include "emit/cuda.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/error.h"
#include "device/target.h"
#include "emit/common.h"
#include "emit/cuda/declarations.h"
#include "emit/cuda/function.h"
#include "emit/cuda/group.h"
#include "emit/cuda/memory.h"
#include "emit/cuda/operations.h"
#include "emit/cuda/scalars.h"

namespace nvfuser {

namespace {

using cuda::Term;

std::string builtinIndex(ParallelType type, bool isReversed, bool isInGroup) {
  if (isInGroup && isGridType(type)) {
    const char* axis = type == ParallelType::GridX   ? ".x"
                       : type == ParallelType::GridY ? ".y"
                                                     : ".z";
    return std::string(cuda::kOwnBlock) + axis;
  }
  switch (type) {
    case ParallelType::GridX:
      return isReversed ? "gridDim.x - 1 - blockIdx.x" : "blockIdx.x";
    case ParallelType::Cluster:
      return "blockIdx.y";
    case ParallelType::GridY:
      return isReversed ? "gridDim.y - 1 - blockIdx.y" : "blockIdx.y";
    case ParallelType::GridZ:
      return isReversed ? "gridDim.z - 1 - blockIdx.z" : "blockIdx.z";
    case ParallelType::BlockX:
      return "threadIdx.x";
    case ParallelType::BlockY:
      return "threadIdx.y";
    case ParallelType::BlockZ:
      return "threadIdx.z";
    default:
      fail("Not a direction of threads: ", type);
  }
}

const char* nameOf(ParallelType type) {
  switch (type) {
    case ParallelType::GridX:
      return "block_x";
    case ParallelType::GridY:
    case ParallelType::Cluster:
      return "block_y";
    case ParallelType::GridZ:
      return "block_z";
    case ParallelType::BlockX:
      return "thread_x";
    case ParallelType::BlockY:
      return "thread_y";
    default:
      return "thread_z";
  }
}

// Kernels, loops, branches and statements.
class Emitter {
 public:
  explicit Emitter(const kir::Kernel& kernel)
      : kernel_(kernel), scalars_(kernel, text_), memory_(kernel, text_, scalars_) {}

  std::string run() {
    std::string text = asComment(kernel_.fusion->printMath(), "//");
    for (size_t i = 0; i < kernel_.phases.size(); ++i) {
      text += "\n" + emitPhase(i);
    }
    return text;
  }

  cuda::MemberText runAsMember(const std::string& function) {
    NVF_INTERNAL_CHECK(kernel_.phases.size() == 1 && kernel_.peers.empty() &&
                           kir::clusterBlocks(kernel_.phases.front()) == 1,
                       "not a kernel for a group: ", kernel_.name);
    member_ = function;
    cuda::MemberText member;
    member.text = asComment(kernel_.fusion->printMath(), "//") + "\n" + emitPhase(0);
    member.parameters = parameters_;
    member.threads = threadsOf(kernel_.phases.front());
    return member;
  }

 private:
  std::string emitPhase(size_t number) {
    const kir::Phase& phase = kernel_.phases[number];
    phase_ = &phase;
    text_.start();
    scalars_.start();
    memory_.start(phase);
    const std::string parameters = declareParameters();
    // Before anything is read.
    if (!kernel_.isAlone || kernel_.phases.size() > 1) {
      text_.line("nvf::follow_kernel<" + std::to_string(kOverlappedBlocks) + ">(" + onlyReadHere() +
                 ");");
    }
    const int64_t clusterBlocks = kir::clusterBlocks(phase);
    if (clusterBlocks > 1) {
      text_.line("nvf::arrive_at_cluster();");
    }
    if (!kernel_.peers.empty()) {
      exchange(number);
    }
    for (const kir::ThreadDimension& dimension : phase.threads) {
      const std::string name = nameOf(dimension.type);
      text_.line(std::string("const ") + scalars_.indexType() + " " + name + " = " +
                 builtinIndex(dimension.type, phase.isReversed, !member_.empty()) + ";");
      text_.set(dimension.index, name, Scopes::Role::Index);
    }
    if (usesSharedMemory(phase)) {
      // Declared as vectors for their alignment.
      text_.line("extern __shared__ uint4 shared_vectors[];");
      text_.line("unsigned char* const shared = (unsigned char*)shared_vectors;");
    }
    declarations_ = cuda::declarationsOf(phase);
    emitBlock(phase.body);
    std::string cluster;
    if (clusterBlocks > 1) {
      text_.line("nvf::await_cluster();");
      cluster = "__cluster_dims__(1, " + std::to_string(clusterBlocks) + ", 1) ";
    }
    if (!member_.empty()) {
      return "__device__ inline void " + member_ + "(" + parameters + ",\n    const uint3 " +
             cuda::kOwnBlock + ") {\n" + text_.text() + "}\n";
    }
    return "extern \"C\" __global__ void " + cluster + launchBounds(phase) +
           phaseName(kernel_, number) + "(" + parameters + ") {\n" + text_.text() + "}\n";
  }

  static bool usesSharedMemory(const kir::Phase& phase) {
    bool uses = std::ranges::any_of(
        phase.buffers, [](const kir::Buffer& buffer) { return buffer.scratchOffset != nullptr; });
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      uses =
          uses ||
          kir::visit(
              statement,
              [](const kir::Either<kir::BlockReduce, kir::BlockScan> auto&) { return true; },
              [](const kir::Either<kir::Loop, kir::If, kir::Compute, kir::TransposedCopy,
                                   kir::WholeLines, kir::StreamedCopy, kir::Prefetch, kir::Assign,
                                   kir::LoadIndex, kir::Barrier> auto&) { return false; });
    });
    return uses;
  }

  // Threads of a block, at most; 0: not known.
  int64_t threadsOf(const kir::Phase& phase) const {
    int64_t threads = 1;
    for (const kir::ThreadDimension& dimension : phase.threads) {
      if (isBlockType(dimension.type)) {
        if (!dimension.extent->isConstInt()) {
          return kernel_.maxThreads;
        }
        threads *= dimension.extent->constInt();
      }
    }
    return threads;
  }

  std::string launchBounds(const kir::Phase& phase) const {
    const int64_t threads = threadsOf(phase);
    if (threads == 0) {
      return "";
    }
    // Known of the blocks of the first phase: other ones have as many registers.
    const int64_t first = threadsOf(kernel_.phases.front());
    const int64_t blocks =
        threads <= first ? kernel_.minBlocks : kernel_.minBlocks * first / threads;
    return "__launch_bounds__(" + std::to_string(threads) +
           (blocks > 1 ? ", " + std::to_string(blocks) : "") + ") ";
  }

  // Whether no kernel of the run writes a tensor.
  bool isSettled(const TensorView* tv) const {
    const std::vector<Val*>& inputs = kernel_.fusion->inputs();
    const auto number = std::ranges::find(inputs, tv) - inputs.begin();
    return number < std::min<std::ptrdiff_t>(std::ssize(inputs), 64) &&
           (kernel_.settledInputs >> number & 1) != 0;
  }

  // The pointers through which nothing is written here, but may be in front, separated by commas.
  std::string onlyReadHere() const {
    std::string names;
    for (const kir::Parameter& parameter : kernel_.parameters) {
      if (parameter.kind == kir::Parameter::Kind::Pointer &&
          std::ranges::find(kernel_.peers, parameter.tv) == kernel_.peers.end() &&
          memory_.isOnlyRead(parameter.tv) && !isSettled(parameter.tv)) {
        names += (names.empty() ? "" : ", ") + memory_.placeOf(parameter.tv);
      }
    }
    return names;
  }

  // 8 bytes each.
  std::string declareParameters() {
    std::string declarations;
    parameters_.clear();
    const auto declare = [&](const std::string& text) {
      declarations += (declarations.empty() ? "\n    " : ",\n    ") + text;
      parameters_.push_back(text);
    };
    for (const kir::Parameter& parameter : kernel_.parameters) {
      if (parameter.kind == kir::Parameter::Kind::Pointer) {
        const bool isPeers = std::ranges::find(kernel_.peers, parameter.tv) != kernel_.peers.end();
        declare(isPeers ? "unsigned char* " + memoryOf(parameter.tv)
                        : memory_.parameter(parameter.tv));
        continue;
      }
      if (parameter.kind == kir::Parameter::Kind::Exchange) {
        declareExchange(declare);
        continue;
      }
      const Val* val = parameter.value;
      const std::string name = parameterName(parameter);
      if (parameter.kind == kir::Parameter::Kind::Divisor) {
        declare("unsigned long long " + name + "_divisor");
        scalars_.setDivisor(val, name + "_divisor");
        continue;
      }
      const DataType dtype = val->dtype();
      if (dtype == DataType::Index) {
        // The name is that of the index; the argument may be wider.
        const std::string argument = kernel_.hasWideIndex ? name : "arg_" + name;
        declare("long long " + argument);
        if (argument != name) {
          text_.line("const int " + name + " = (int)" + argument + ";");
        }
        text_.set(val, name, Scopes::Role::Index);
        scalars_.setParameter(val, {argument, dtype});
        continue;
      }
      switch (kindOf(dtype)) {
        case TypeKind::Bool:
        case TypeKind::Integral:
          declare("long long " + name);
          scalars_.setParameter(val, cuda::convert({name, DataType::Int}, dtype));
          break;
        case TypeKind::Floating:
          declare("double " + name);
          scalars_.setParameter(val, cuda::convert({name, DataType::Double}, dtype));
          break;
        case TypeKind::Complex:
          declare("double " + name + "_re");
          declare("double " + name + "_im");
          scalars_.setParameter(val,
                                cuda::convert({"nvf::complex_f64{" + name + "_re, " + name + "_im}",
                                               DataType::ComplexDouble},
                                              dtype));
          break;
        case TypeKind::None:
          fail("A parameter has no type: ", val->toString());
      }
    }
    for (const Fusion::Output& output : kernel_.fusion->outputs()) {
      if (output.alias != nullptr) {
        memory_.setInPlace(output.tv, output.alias);
      }
    }
    return declarations;
  }

  static std::string memoryOf(const TensorView* tv) {
    return "memory_of_T" + std::to_string(tv->name());
  }

  // In the order of kir::ExchangeSlot, which is that of nvf::ExchangedPart.
  void declareExchange(const auto& declare) {
    declare("const unsigned char* exchanged_address");
    declare("long long exchanged_bytes");
    declare("unsigned char* own_memory");
    declare("long long exchange_capacity");
    declare("long long exchange_number");
    declare("long long exchange_blocks");
    declare("long long exchange_time_limit");
    text_.line(
        "const nvf::ExchangedPart exchanged_part{exchanged_address, exchanged_bytes, "
        "own_memory,");
    text_.line("    exchange_capacity, exchange_number, exchange_blocks, exchange_time_limit};");
  }

  // The first phase waits for the peers; what they have stays until the next kernel that does so.
  void exchange(size_t phase) {
    std::string peers;
    for (const TensorView* tv : kernel_.peers) {
      peers += (peers.empty() ? "" : ", ") + memoryOf(tv);
    }
    text_.line("unsigned char* const peers[] = {" + peers + "};");
    text_.line(std::string("const long long peer_buffer = ") +
               (phase == 0 ? "nvf::exchange(exchanged_part, peers);"
                           : "nvf::exchanged_buffer(exchanged_part);"));
    for (const TensorView* tv : kernel_.peers) {
      memory_.declareAt(tv, memoryOf(tv) + " + peer_buffer");
    }
  }

  std::string parameterName(const kir::Parameter& parameter) const {
    if (parameter.kind == kir::Parameter::Kind::Stride) {
      return "T" + std::to_string(parameter.tv->name()) + "_stride" +
             std::to_string(parameter.dimension);
    }
    // A size is named after the first tensor that has it.
    for (const kir::Parameter& other : kernel_.parameters) {
      if (other.kind != kir::Parameter::Kind::Pointer) {
        continue;
      }
      const std::vector<IterDomain*> domains = other.tv->visible();
      for (size_t i = 0; i < domains.size(); ++i) {
        if (domains[i]->visibleExtent() == parameter.value) {
          return "T" + std::to_string(other.tv->name()) + "_size" + std::to_string(i);
        }
      }
    }
    return "scalar" + std::to_string(parameter.value->name());
  }

  void emitBlock(const kir::Block& block) {
    if (const auto declared = declarations_.find(&block); declared != declarations_.end()) {
      for (const kir::Buffer* buffer : declared->second) {
        memory_.declare(*buffer);
      }
    }
    for (const kir::Statement& statement : block) {
      std::visit([this](const auto& node) { emit(node); }, statement.node);
    }
  }

  std::string emitInside(const kir::Block& block) {
    text_.open();
    emitBlock(block);
    return text_.close();
  }

  void emit(const kir::Loop& loop) {
    const std::string start = scalars_.index(loop.start);
    const std::string stop = scalars_.index(loop.stop);
    const std::string name = text_.fresh();
    text_.open();
    text_.set(loop.index, name, Scopes::Role::Index);
    emitBlock(*loop.body);
    const std::string body = text_.close();
    if (cuda::isUnrolled(loop)) {
      text_.line("#pragma unroll");
    }
    text_.block(std::string("for (") + scalars_.indexType() + " " + name + " = " + start + "; " +
                    name + " < " + stop + "; ++" + name + ") {",
                body);
  }

  // Whether something in registers is combined with more, or not: in a branch, what was computed
  // for it would be waited for before the next is begun.
  static bool isChosen(const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    const auto isLocal = [](const kir::Operand& operand) {
      const auto* access = std::get_if<kir::Access>(&operand);
      return access == nullptr || access->tv->memoryType() == MemoryType::Local;
    };
    if (compute == nullptr || (!compute->expr->is<ReductionOp>() && !compute->expr->is<ScanOp>())) {
      return false;
    }
    const DataType dtype = compute->out.tv->dtype();
    return (isExactType(dtype) || isFloatingPointType(dtype)) && isLocal(compute->out) &&
           std::ranges::all_of(compute->inputs, isLocal);
  }

  void emit(const kir::If& choice) {
    const std::string condition = scalars_.index(choice.condition);
    if (choice.otherwise == nullptr && std::ranges::all_of(*choice.then, isChosen)) {
      const std::string isTaken = text_.define("bool", condition);
      for (const kir::Statement& statement : *choice.then) {
        const auto& compute = std::get<kir::Compute>(statement.node);
        const Term combined = valueOf(compute, {});
        memory_.store(compute.out,
                      {isTaken + " ? " + combined.text + " : " + memory_.load(compute.out).text,
                       combined.dtype});
      }
      return;
    }
    const std::string then = emitInside(*choice.then);
    const std::string otherwise =
        choice.otherwise == nullptr ? std::string() : emitInside(*choice.otherwise);
    text_.block("if (" + condition + ") {", then);
    if (choice.otherwise != nullptr) {
      text_.block("else {", otherwise);
    }
  }

  static void emit(const kir::TransposedCopy& /*copy*/) {
    fail("Not a statement for CUDA: transposed copy");
  }

  void emit(const kir::Barrier& barrier) {
    if (barrier.awaitsCopies) {
      text_.line("nvf::await_copies();");
    }
    if (barrier.isOfBlock) {
      text_.line("__syncthreads();");
    }
  }
  static void emit(const kir::WholeLines& /*lines*/) {
    fail("Not a statement for CUDA: whole lines");
  }
  static void emit(const kir::StreamedCopy& /*copy*/) {
    fail("Not a statement for CUDA: streamed copy");
  }
  static void emit(const kir::Prefetch& /*prefetch*/) {
    fail("Not a statement for CUDA: prefetch");
  }

  void emit(const kir::BlockReduce& reduce) {
    // Wide values first: then each part of the scratch memory is aligned behind the one before.
    std::vector<const kir::BlockReduce::Part*> parts;
    for (const kir::BlockReduce::Part& part : reduce.parts) {
      parts.push_back(&part);
    }
    std::ranges::stable_sort(parts, std::ranges::greater(),
                             [](const auto* part) { return info(part->value.tv->dtype()).bits; });
    std::string arguments;
    for (const kir::BlockReduce::Part* part : parts) {
      arguments += ",\n      nvf::reduction(" + memory_.element(part->value) + ", " +
                   combination(part->expr, part->value.tv->dtype()) + ")";
    }
    std::string along;
    for (const bool combined : reduce.along) {
      along += combined ? "true, " : "false, ";
    }
    const std::string offset = scalars_.index(reduce.scratchOffset);
    const std::string threads = "nvf::Threads<" + blockExtents() + ">";
    const std::string scratch = std::string("shared") + (offset == "0" ? "" : " + " + offset);
    if (std::ranges::find(reduce.along, true) != reduce.along.end()) {
      text_.line("nvf::block_reduce<" + threads + ", " + along +
                 (reduce.isRepeated ? "/*repeated=*/true" : "/*repeated=*/false") + ">(\n      " +
                 scratch + arguments + ");");
    }
    if (reduce.clusterBlocks > 1) {
      int64_t bytes = 0;
      for (const kir::BlockReduce::Part* part : parts) {
        bytes += std::max(info(part->value.tv->dtype()).bits, 8) / 8;
      }
      text_.line("nvf::cluster_reduce<" + threads + ", " + along +
                 std::to_string(reduce.clusterBlocks) + ">(\n      " + scratch + " + " +
                 std::to_string(bytes) + " * " + threads + "::count()" + arguments + ");");
    }
    for (const TensorView* tv : reduce.held) {
      text_.line("nvf::hold(" + memory_.placeOf(tv) + ");");
    }
  }

  void emit(const kir::BlockScan& scan) {
    std::string arguments;
    for (const kir::BlockScan::Part& part : scan.parts) {
      arguments += ",\n      nvf::scan_part(" + memory_.element(part.value) + ", " +
                   memory_.element(part.carry) + ", " +
                   combination(part.expr, part.value.tv->dtype()) + ")";
    }
    const std::string axis = scan.along == ParallelType::BlockX   ? "0"
                             : scan.along == ParallelType::BlockY ? "1"
                                                                  : "2";
    const std::string offset = scalars_.index(scan.scratchOffset);
    text_.line("nvf::block_scan<nvf::Threads<" + blockExtents() + ">, /*axis=*/" + axis +
               (scan.isRepeated ? ", /*repeated=*/true" : ", /*repeated=*/false") +
               ">(\n      shared" + (offset == "0" ? "" : " + " + offset) + arguments + ");");
  }

  // How two values of a reduction or scan are combined, as a function.
  static std::string combination(const Expr* expr, DataType dtype) {
    const std::string type = cuda::memoryTypeName(dtype);
    const Term result = cuda::combine(static_cast<BinaryOpType>(expr->attribute(0)),
                                      cuda::loaded("a", dtype), cuda::loaded("b", dtype), dtype);
    return "[](" + type + " a, " + type + " b) -> " + type + " { return " + result.text + "; }";
  }

  // Threads along x, y and z; 0 where they are only known at launch.
  std::string blockExtents() const {
    std::string text;
    for (const ParallelType type :
         {ParallelType::BlockX, ParallelType::BlockY, ParallelType::BlockZ}) {
      const auto found = std::ranges::find(phase_->threads, type, &kir::ThreadDimension::type);
      const int64_t extent = found == phase_->threads.end() ? 1
                             : found->extent->isConstInt()  ? found->extent->constInt()
                                                            : 0;
      text += (text.empty() ? "" : ", ") + std::to_string(extent);
    }
    return text;
  }

  void emit(const kir::Assign& assign) {
    memory_.store(assign.out, cuda::convert(memory_.read(assign.value), assign.out.tv->dtype()));
  }

  void emit(const kir::LoadIndex& load) {
    const std::string type = scalars_.indexType();
    const Term read = memory_.read(load.index);
    // Of 32 bits where all numbers that are compared are.
    const bool isNarrow = read.dtype == DataType::Int32 && type == cuda::typeName(read.dtype);
    const Term index = isNarrow ? read : cuda::convert(read, DataType::Int);
    if (load.isKnown) {
      const std::string text =
          isNarrow ? index.text : "(" + type + ")" + cuda::parenthesized(index);
      text_.set(load.position, text_.define(type, text), Scopes::Role::Index);
      return;
    }
    const std::string integer = cuda::typeName(index.dtype);
    const std::string number = text_.define(integer, index.text);
    // As an unsigned number a negative index is a large one.
    const std::string isInside =
        text_.define("bool", "(unsigned " + integer + ")" + number + " < (unsigned " + integer +
                                 ")" + scalars_.index(load.extent));
    text_.set(load.isInside, isInside, Scopes::Role::Value);
    text_.set(load.position, text_.define(type, isInside + " ? (" + type + ")" + number + " : 0"),
              Scopes::Role::Index);
  }

  void emit(const kir::Compute& compute) {
    if (compute.width > 1) {
      if (kir::mergesVector(compute)) {
        memory_.mergeVector(compute);
      } else if (kir::accumulates(compute)) {
        memory_.addVector(compute);
      } else {
        memory_.copyVector(compute);
      }
      return;
    }
    const std::string policy = cuda::cachePolicy(compute.expr);
    const Term value = valueOf(compute, policy);
    if (compute.expr->is<ScatterOp>() && kir::accumulates(compute)) {
      memory_.add(compute.out, value);
    } else {
      memory_.store(compute.out, value, policy);
    }
  }

  // As an element of the result, whose operands are read with that policy.
  Term valueOf(const kir::Compute& compute, const std::string& policy) {
    std::vector<Term> inputs;
    for (const kir::Operand& operand : compute.inputs) {
      inputs.push_back(memory_.read(operand, policy));
    }
    const DataType type = memory_.elementType(compute.out.tv);
    return cuda::convert(result(compute, inputs, type), type);
  }

  // Whether an operand is one for all iterations of a loop of a thread, which leaves a reciprocal
  // to the first of them.
  static bool isShared(const kir::Operand& operand) {
    const auto* access = std::get_if<kir::Access>(&operand);
    if (access == nullptr) {
      return true;
    }
    std::vector<IterDomain*> own = access->tv->loop();
    std::erase_if(own, [](const IterDomain* id) { return isThreadType(id->parallelType()); });
    return std::ranges::any_of(own, [](const IterDomain* id) {
      return id->isBroadcast() && !id->extent()->isConstInt(1);
    });
  }

  Term result(const kir::Compute& compute, const std::vector<Term>& inputs, DataType out) {
    const Expr* expr = compute.expr;
    switch (expr->kind()) {
      case ExprKind::Unary:
        return cuda::unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], out,
                           narrow_.precisionOf(compute.out.tv));
      case ExprKind::Binary:
        return cuda::binary(expr, inputs, out, narrow_.precisionOf(compute.out.tv),
                            isShared(compute.inputs[1]));
      case ExprKind::Ternary:
        return cuda::ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, out);
      case ExprKind::Reduction:
      case ExprKind::Scan:
        return cuda::combine(static_cast<BinaryOpType>(expr->attribute(0)),
                             memory_.load(compute.out), inputs[0], out);
      case ExprKind::Iota:
        return cuda::iota(withElement(compute, inputs), out);
      case ExprKind::Random:
        return cuda::random(expr->as<RandomOp>()->type(), withElement(compute, inputs), out, text_);
      default:
        // Everything else copies one element.
        NVF_INTERNAL_CHECK(inputs.size() == 1, "not a copy: ", expr->toString());
        return inputs[0];
    }
  }

  // Operands the first of which is the number of the element: as an index.
  std::vector<Term> withElement(const kir::Compute& compute, std::vector<Term> inputs) {
    inputs[0] = {scalars_.index(std::get<Val*>(compute.inputs[0])), scalars_.indexDtype()};
    return inputs;
  }

  const kir::Kernel& kernel_;
  const kir::Phase* phase_ = nullptr;
  // The function that the kernel is in a group; empty outside of one.
  std::string member_;
  // Declarations of the phase's parameters.
  std::vector<std::string> parameters_;
  cuda::FunctionText text_;
  cuda::Scalars scalars_;
  cuda::Memory memory_;
  // Of the phase.
  cuda::Declarations declarations_;
  NarrowResults narrow_;
};

}  // namespace

std::string emitCuda(const kir::Kernel& kernel) { return Emitter(kernel).run(); }

cuda::MemberText cuda::emitMember(const kir::Kernel& kernel, const std::string& function) {
  return Emitter(kernel).runAsMember(function);
}

}  // namespace nvfuser
