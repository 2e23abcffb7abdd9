// The kernel IR: loops, conditions and element operations, with every index made explicit. Both
// emitters write their text from it.
//
// On the CPU a phase is a function over a range of its parallel loop. On CUDA a phase is a kernel:
// loops over blocks and threads are no loops but indices, and what the threads of a block share is
// ordered by barriers.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::kir {

// One element of a tensor: `index` counts elements from the start of its buffer.
struct Access {
  TensorView* tv = nullptr;
  Val* index = nullptr;
};

using Operand = std::variant<Val*, Access>;

struct Statement;
using Block = std::vector<Statement>;

// for (index = start; index < stop; index += step)
struct Loop {
  Val* index;
  Val* start;
  Val* stop;
  ParallelType parallelType = ParallelType::Serial;
  // Accumulates into a value that was set before the loop.
  bool isReduction = false;
  std::unique_ptr<Block> body;
  int64_t step = 1;
  // Of the schedule, as far as they are not obeyed yet.
  LoopMarks marks{};
  // CPU: vectors that an iteration in machine code computes; 0: the compiler decides.
  int64_t vectors = 0;
  // CPU: the few iterations that are left beside whole groups. They are worth no code for less than
  // a vector: its lanes are masked.
  bool isRest = false;
  // Of its vectors; 0: the compiler decides.
  int64_t lanes = 0;
};

struct If {
  Val* condition;
  std::unique_ptr<Block> then;
  std::unique_ptr<Block> otherwise;
};

// out = expr(inputs); a reduction or scan is out = op(out, input).
struct Compute {
  Expr* expr;
  Access out;
  std::vector<Operand> inputs;
  // So many consecutive elements at once, from the given indices on: more than 1 only for copies of
  // one tensor, whose addresses are then multiples of the whole, and for moments or
  // exponentials of a local array that are merged into one element.
  int64_t width = 1;
  // Of these those before `end` exist, and not before `first`; null: all. What is copied into a
  // local array of others is any value.
  Val* first = nullptr;
  Val* end = nullptr;
};

// A rectangle of one tensor copied into another one that has the two dimensions the other way
// round: out[out.index + r * outStride + c] = in[in.index + c * inStride + r] for all r < rows and
// c < columns. Both are of one dtype, with elements of 1, 2, 4 or 8 bytes.
struct TransposedCopy {
  Access out;
  Val* outStride;
  Access in;
  Val* inStride;
  Val* rows;
  Val* columns;
};

// CPU: of the elements that outputs have from the given ones on, one for each index from start to
// stop, those from `first` to `last` are whole groups that fill whole lines of memory, in all of
// the outputs. There are none where the outputs do not agree.
struct WholeLines {
  // Stand for what was found, until the end of the block.
  Val* first;
  Val* last;
  Val* start;
  Val* stop;
  int64_t group;
  std::vector<Access> outs;
};

// CPU: `count` consecutive elements copied to an output, past the caches.
struct StreamedCopy {
  Access out;
  Access in;
  Val* count;
  // Whether they are known to fill whole lines of memory; then `count` is a constant.
  bool fillsLines = false;
};

// CPU: requests memory that is used soon, the elements at `access` for all index < stop.
struct Prefetch {
  Access access;
  // The index of the loop that uses them; of one element there is no such loop.
  Val* index;
  Val* stop;
  bool isWritten = true;
};

// out = value
struct Assign {
  Access out;
  Operand value;
};

// position = index, where that is one of the `extent` positions of a dimension; 0 where it is not.
struct LoadIndex {
  // Stand for the position and for whether the index was one, until the end of the block.
  Val* position;
  Val* isInside;
  Operand index;
  Val* extent;
  // The lookup that is reported (on the CPU) if it was not.
  size_t lookup = 0;
  // Whether it is known to be one.
  bool isKnown = false;
};

// What is behind it comes after what is in front of it.
struct Barrier {
  // Of the block's threads, all of which reach it; or only of the thread itself.
  bool isOfBlock = true;
  // What threads copy asynchronously has arrived.
  bool awaitsCopies = false;
};

// Combines what the threads of a block have accumulated; all of them reach it, and each has the
// result afterwards.
struct BlockReduce {
  struct Part {
    // The ReductionOp.
    Expr* expr;
    // In: the thread's own part. Out: the result.
    Access value;
  };
  // Independent of each other: they share barriers.
  std::vector<Part> parts;
  // Whether the threads along x, y and z are combined; groups of the others stay apart.
  std::array<bool, 3> along{};
  // The operation's own part of the block's shared memory, in bytes: one value for each part and
  // thread is enough.
  Val* scratchOffset = nullptr;
  // Runs again and again, so the shared memory may still be read from the last time.
  bool isRepeated = false;
  // Blocks of a cluster that combine their results, too: each has a value of all of them for what
  // it keeps apart, in the shared memory behind that of its threads.
  int64_t clusterBlocks = 1;
  // Local tensors of reduced precision that hold their values across the reduction. A compiler that
  // widens them once for all that follows needs twice the registers.
  std::vector<TensorView*> held;
};

// Replaces what the pieces of threads combine to by what precedes them: all pieces of the threads
// before, after the carry. All threads of a block reach it.
struct BlockScan {
  struct Part {
    // The ScanOp.
    Expr* expr;
    // In: what the thread's own piece combines to. Out: what precedes it.
    Access value;
    // In: what precedes the pieces of all threads. Out: with these.
    Access carry;
  };
  // One after the other: those of one carry follow each other. They share barriers.
  std::vector<Part> parts;
  // The direction of the threads that follow each other.
  ParallelType along = ParallelType::BlockX;
  // As those of a reduction.
  Val* scratchOffset = nullptr;
  bool isRepeated = false;
};

struct Statement {
  std::variant<Loop, If, Compute, TransposedCopy, WholeLines, StreamedCopy, Prefetch, Assign,
               LoadIndex, Barrier, BlockReduce, BlockScan>
      node;
};

// Calls the one of `cases` that is for the statement's kind. A case may be for several kinds,
//   [](const Either<Barrier, Prefetch> auto&) { ... }
// but none may be for whatever is left: then a kind that is added later does not compile before
// every visitor says what it does with it.
template <typename... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <typename AnyStatement, typename... Cases>
decltype(auto) visit(AnyStatement& statement, Cases&&... cases) {
  return std::visit(Overload<std::decay_t<Cases>...>{std::forward<Cases>(cases)...},
                    statement.node);
}
template <typename Node, typename... Kinds>
concept Either = (std::is_same_v<std::remove_cvref_t<Node>, Kinds> || ...);

// Memory of a tensor that is neither an argument nor passed between phases.
struct Buffer {
  TensorView* tv;
  // Elements; constant for buffers that become local variables.
  Val* size;
  // Offset in bytes within the scratch memory of the phase. Null: a local variable.
  Val* scratchOffset = nullptr;
};

// One direction of the threads and blocks that run a phase on CUDA.
struct ThreadDimension {
  // GridX to BlockZ.
  ParallelType type;
  // Stands for the number of the block or thread.
  Val* index;
  Val* extent;
  // The number of the first of those that do nothing but load into shared memory; null: there are
  // none.
  Val* firstLoader = nullptr;
};

// A part of the kernel that needs all of the previous part to be complete.
struct Phase {
  // The loop that may be divided among workers; null when the phase is one unit of work.
  Val* parallelExtent = nullptr;
  Val* parallelIndex = nullptr;
  // CUDA: the directions in use.
  std::vector<ThreadDimension> threads;
  // CUDA: the last block comes first. What an earlier phase read last is read first then, while it
  // is in the cache.
  bool isReversed = false;
  std::vector<Buffer> buffers;
  Block body;
  // Bytes of scratch memory: on the CPU of a worker, on CUDA the dynamic shared memory of a block.
  Val* scratchBytes = nullptr;
};

// What the kernel is given at launch, in this order.
struct Parameter {
  // Exchange: what a kernel with peers is told of them and of the device's own part, in several
  // slots.
  enum class Kind : uint8_t { Pointer, Stride, Scalar, Divisor, Misses, Exchange };
  Kind kind;
  // Pointer, Stride: the tensor.
  TensorView* tv = nullptr;
  // Stride: dimension of the tensor's logical domain (without reductions).
  int64_t dimension = 0;
  // Stride: the symbol that stands for it. Scalar: a symbol, or an expression of sizes that the
  // host evaluates. Divisor: a Scalar that indices are divided by, as `packedDivisor`.
  Val* value = nullptr;
};

// What an index of 32 bits is divided by without a division: n / d is (n * multiplier) >> shift for
// all 0 <= n < 2^31 and d < 2^31, with shift = 31 + ceil(log2(d)) and multiplier = ceil(2^shift /
// d) (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). The
// lower half is the multiplier, the upper one the shift. Of 0, that of 1.
uint64_t packedDivisor(int64_t divisor);

// A read or write at positions that a tensor holds, for the message when one does not exist.
struct Lookup {
  // What the operation is called.
  const char* name = nullptr;
  // What is accessed, and the dimension of its visible logical domain.
  TensorView* tv = nullptr;
  int64_t dim = 0;

  Val* extent() const { return tv->visible()[static_cast<size_t>(dim)]->visibleExtent(); }
};

// What sizes and addresses must fulfil for a vectorized access to be right: known at launch.
struct VectorCondition {
  // The tensor's address, and its strides in these dimensions of its visible logical domain, are
  // multiples of `width` elements.
  TensorView* tv = nullptr;
  int64_t width = 1;
  std::vector<size_t> dimensions;
};
struct Kernel {
  Fusion* fusion = nullptr;
  std::string name;
  // Of a line of memory: what scratch memory is handed out in.
  int64_t lineBytes = 0;
  // Whether indices are computed in 64 bits.
  bool hasWideIndex = true;
  // Bit i: no kernel of the run writes the i-th input of the fusion. Of the others, and of what
  // other phases write, kernels that overlap know nothing before the one in front has ended.
  uint64_t settledInputs = 0;
  // Whether the run has no other kernel.
  bool isAlone = false;
  // CUDA: threads that a block has at most, where their number is not constant; 0: not known.
  int64_t maxThreads = 0;
  // CUDA: blocks of the first phase that a multiprocessor has registers for at least; 0: any
  // number.
  int64_t minBlocks = 0;
  std::vector<Parameter> parameters;
  // Tensors passed between phases; the caller provides contiguous memory for them.
  std::vector<TensorView*> workspaces;
  // Inputs that are in the memory of the devices of a team, this one among them. Before the kernel
  // reads them it copies the device's own part there and waits until all have done so; a pointer to
  // such a tensor is that to the memory of its device.
  std::vector<TensorView*> peers;
  std::vector<Phase> phases;
  std::vector<VectorCondition> vectors;
  std::vector<Fusion::Divisibility> divisible;
  std::vector<Lookup> lookups;
  // The symbols that the kernel itself gives values: indices of loops and threads, positions that
  // it looks up. All others are given to it.
  std::unordered_set<const Val*> ownSymbols;
};

// Kernels of one phase whose blocks are those of one launch: none needs what another one writes.
struct KernelGroup {
  struct Member {
    const Kernel* kernel = nullptr;
    // How often it is there, each time with other arguments.
    int64_t count = 1;
  };
  std::string name;
  std::vector<Member> members;
};

// Calls visit(Block&) for the blocks that a statement consists of.
template <typename AnyStatement, typename Visit>
void forEachBlock(AnyStatement& statement, Visit&& visit) {
  kir::visit(
      statement, [&](Either<Loop> auto& loop) { visit(*loop.body); },
      [&](Either<If> auto& choice) {
        visit(*choice.then);
        if (choice.otherwise != nullptr) {
          visit(*choice.otherwise);
        }
      },
      [](const Either<Compute, TransposedCopy, WholeLines, StreamedCopy, Prefetch, Assign,
                      LoadIndex, Barrier, BlockReduce, BlockScan> auto&) {});
}

// A statement, or all statements of a block, with all that are inside, in order.
void forEachStatement(const Statement& statement,
                      const std::function<void(const Statement&)>& visit);
void forEachStatement(const Block& block, const std::function<void(const Statement&)>& visit);

// What a statement does with an element.
enum class Use : uint8_t {
  Read,
  Write,
  // Combines what is there with something else: what accumulates, alone or with other threads.
  Update,
  // It is not accessed: the memory around it is requested, or looked at for where its lines begin.
  Address,
};

inline bool isWrite(Use use) { return use == Use::Write || use == Use::Update; }

// Calls visit(access, use, out) for what a statement accesses itself, operands first. Of an
// operand, `out` is the tensor that is computed from it; null where that is none. Of several
// consecutive elements the access is the first one.
using AccessVisitor = std::function<void(const Access& access, Use use, const TensorView* out)>;
void forEachOwnAccess(const Statement& statement, const AccessVisitor& visit);

// The same for all that a statement or block consists of.
template <typename Node>
void forEachAccess(const Node& node, const AccessVisitor& visit) {
  forEachStatement(node, [&](const Statement& statement) { forEachOwnAccess(statement, visit); });
}

// Calls visit(scalar) for the expressions that a statement needs the values of: bounds, conditions,
// indices, scalar operands.
void forEachScalar(const Statement& statement, const std::function<void(Val*)>& visit);

// How long a symbol is known that a statement gives a value.
enum class Lifetime : uint8_t { Inside, RestOfBlock };
// Calls visit(symbol, lifetime) for the symbols that a statement itself gives values.
void forEachDefinition(const Statement& statement,
                       const std::function<void(Val*, Lifetime)>& visit);

// Puts what `rewrite` returns in place of loops, from the outside in: it may take a loop apart
// where it returns something; where it returns nothing, the loops inside are next.
void rewriteLoops(Block& block, const std::function<std::optional<Block>(Loop&)>& rewrite);

// Of a phase, the loop that workers share, if it is all that there is.
Loop* sharedLoop(Phase& phase);

// The iterations, if that is known.
std::optional<int64_t> iterationsOf(const Loop& loop);

// Behind the whole groups of `size` iterations.
Val* endOfGroups(const Loop& loop, int64_t size);

// The same loop over another range, with another body.
Loop similarLoop(const Loop& loop, Val* start, Val* stop, Block body);

// A copy with its own nested blocks.
Statement copyOf(const Statement& statement);
Block copyOf(const Block& block);

// The tensor whose memory is used: in-place outputs share that of the input they are written to.
const TensorView* memoryOwner(const Fusion* fusion, const TensorView* tv);

// Whether a statement combines its operand with what is in its result by then.
bool accumulates(const Compute& compute);

// Whether the moments or exponentials of several values are merged into one element.
bool mergesVector(const Compute& compute);

// Whether a copy goes on while the thread does something else: of a whole vector, to shared memory,
// where the schedule asks for it.
bool isAsynchronous(const Compute& compute);

// Whether a copy to global memory is to go past the caches: elements that are stored together.
int64_t streamedGroup(const Compute& compute);

// The function that a phase is emitted as.
std::string phaseName(const Kernel& kernel, size_t phase);
std::string phaseName(const Kernel& kernel, const Phase& phase);

// The kernel, or one of its phases, as text, for people.
std::string toString(const Kernel& kernel);
std::string toString(const Kernel& kernel, const Phase& phase);

// The slots of a Parameter::Kind::Exchange: the address of the device's own part and its bytes, the
// address of the device's own memory and how large a buffer there is, the number of the device
// among its peers, how many blocks copy, and the time limit in nanoseconds.
enum class ExchangeSlot : uint8_t { Part, Bytes, Own, Capacity, Number, Blocks, TimeLimit, Count };

// 8-byte slots that a parameter takes in the arguments of a launch.
int64_t slotsOf(const Parameter& parameter);

// What a member of a group is told of its own launch, behind its arguments: the blocks along x and
// along y, both as `packedDivisor`, too, and the threads of a block, of which there may be more.
enum class GridSlot : uint8_t { X, XDivisor, Y, YDivisor, ThreadsX, ThreadsY, ThreadsZ, Count };

// Whether the threads of a block wait for each other there.
bool hasBarriers(const Block& block);

// How many blocks are a cluster that reduces something; 1: there are none.
int64_t clusterBlocks(const Phase& phase);

}  // namespace nvfuser::kir
