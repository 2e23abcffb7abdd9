// Limits of schedules and of lowering: numbers that are no tuning.
//
// A limit of correctness is what code may not go beyond. A limit of compile time bounds the work of
// a compiler, ours or the one behind it, and with it the code of a kernel: beyond it there are more
// kernels, or plainer loops, not other results. Numbers that are chosen for speed stand in tuning/,
// and no file beside these has any (tests/python/package/test_structure.py).
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvfuser::limits {

// ------------------------------------------------------------------------------- correctness

// Inputs and outputs that a set of them has room for: bit i stands for number i of globalTensors()
// of the unscheduled fusion.
inline constexpr size_t kNumberedTensors = 64;
// CUDA takes arguments of 32,764 bytes: words of them, with sizes and other scalars to come.
inline constexpr size_t kArgumentWords = 3072;
// The same of kernels that share a launch, which takes time to be given arguments, too: 4,096 bytes
// are what each CUDA takes.
inline constexpr size_t kGroupArgumentWords = 512;
// Offsets of indices, far from where sums with an index overflow.
inline constexpr int64_t kOffset = int64_t{1} << 40;
// Of a kir::Parameter::Kind::Misses, the address of 64 bits, lookups set those of their number; the
// last one stands for all further ones.
inline constexpr size_t kLookupNumber = 63;
// Registers that CUDA gives the threads of a warp when asked for them.
inline constexpr int64_t kRegistersLeast = 24;
inline constexpr int64_t kRegistersMost = 256;
inline constexpr int64_t kRegistersStep = 8;
// Elements of a tensor that a thread keeps for itself: compilers put no more into its registers and
// local memory.
inline constexpr int64_t kThreadElements = 1024;
// Of one that a heuristic lets it keep: eight vectors of the narrowest elements.
inline constexpr int64_t kChosenThreadElements = 128;
// Bytes of a buffer on the stack of a worker, of which there is little; larger ones are in its
// scratch memory.
inline constexpr int64_t kStackBytes = 16 * 1024;
// Elements of rows that are folded: they are on the stack.
inline constexpr int64_t kFoldedElements = kStackBytes / 16;

// ------------------------------------------------------------------------------ compile time

// Of a kernel. Compilers take more than twice the time for twice the code, and what it keeps for
// each element, or writes at a time, does not grow without bounds. What it reads is bounded for
// parts that have nothing to do with each other.
inline constexpr size_t kGlobalTensors = 64;
// Reductions one behind another.
inline constexpr int64_t kStages = 8;
// Reshapes one behind another: the loops of each tensor go through all that are behind it.
inline constexpr int64_t kNestedReshapes = 32;
// Expressions of sizes that are arguments of a kernel: each takes 8 bytes, and the host evaluates
// it for every new size.
inline constexpr size_t kHoistedScalars = 48;
// What cuts out and extends divides loops into parts, a multiple of them where it is nested. The
// parts of a concatenation exclude each other; of what is padded for something else each part may
// have all, which counts twice.
inline constexpr int64_t kNestedResizes = 2;
inline constexpr int64_t kResizes = 24;
// The parts of concatenations.
inline constexpr int64_t kParts = 40;
// Operations that are computed again for slices and pads when a scheduler is asked, and when it
// schedules: copies of inputs and outputs have been added since.
inline constexpr int64_t kRepeatedOps = 64;
inline constexpr int64_t kRepeatedOpsScheduled = 8 * kRepeatedOps;

// Free operations one behind another that are computed where they are used.
inline constexpr int64_t kFreeOps = 8;
// Instructions of an element that are computed again rather than read, and how many a function that
// is no single one counts, and one that reduces its argument first.
inline constexpr int64_t kRepeatedCost = 48;
inline constexpr int64_t kFunctionCost = 12;
inline constexpr int64_t kFewInstructions = 2;
inline constexpr int64_t kLongFunctionCost = 60;
// What is looked up for each element of what is computed again at several positions.
inline constexpr int64_t kRepeatedLookups = 24;
// Elements for each of which that much is computed again on a GPU rather than by another kernel.
inline constexpr int64_t kRepeatedElements = 1 << 20;
// Elements of each of two tensors that are reduced in one kernel although nothing else has the
// dimensions of both: to launch another one takes as long.
inline constexpr int64_t kElementsOfTwoReductions = 1 << 20;
// Iterations of the loops of a tensor for each element of the largest one of a kernel: more is no
// schedule, unless they are few.
inline constexpr int64_t kRepeatedIterations = 16;
inline constexpr int64_t kFewIterations = 1 << 20;
// Elements of a row on the CPU beside which it takes long to compute a function of one value of its
// own, also where the row needs the result, and the rows for which another kernel does not, about.
inline constexpr int64_t kShortRow = 64;
inline constexpr int64_t kShortestRow = 32;
inline constexpr int64_t kShortRows = 1024;
// Instructions of an element that is computed under a condition of its own.
inline constexpr int64_t kConditionCost = 3;
// How often what passes between groups is looked at for that: each time there are other groups.
inline constexpr int64_t kRepeatRounds = 3;

// The size of a part that reshapes divide a dimension into, up to which kernels have it as a
// constant: each size has kernels of its own.
inline constexpr int64_t kConstantPart = 8;

// Different sizes that kernels are compiled for: segments that are alike but for their sizes share
// kernels only where these are open.
inline constexpr size_t kKnownSizes = 32;

// Elements of a long sum that are added up before they are added to it, and iterations of a loop
// whose sums have a total of their own in each iteration of the loops around it: the error grows
// with what is added one after the other.
inline constexpr int64_t kSummedElements = 2048;
inline constexpr int64_t kSummedIterations = 16;

// Iterations of a loop of constant length that are not worth a masked vector: of the whole loop,
// and of those beside whole vectors.
inline constexpr int64_t kWrittenOutRow = 6;
inline constexpr int64_t kWrittenOutRest = 2;
// The same of a loop that reduces elements that lie one behind the other: vectors are of the
// results then, and LLVM reads so many for each as whole vectors, which it shuffles. More it would
// gather.
inline constexpr int64_t kWrittenOutReduction = 8;

// The same of a loop that is written out however long its body is: LLVM reads as many elements of
// each result as whole vectors even where these are functions' arguments.
inline constexpr int64_t kWrittenOutFunctions = 4;

// Instructions for each element that vectors of the CPU would gather or scatter, up to which it is
// faster to compute one element after the other.
inline constexpr int64_t kInstructionsOfGather = 4;

// Operations that are written out for the elements of a short dimension together.
inline constexpr int64_t kWrittenOutOperations = 64;
// Elements of a tensor of which those of short rows are read one by one rather than reduced by a
// kernel of their own.
inline constexpr int64_t kElementsReadApart = 1 << 20;

// Iterations of nested loops of constant lengths that compilers leave no loops of.
inline constexpr int64_t kUnrolledIterations = 32;

// Of the search for segments. Expressions of a piece that is segmented at once.
inline constexpr size_t kPieceUnits = 512;
// Expressions that are worth looking for parts among them that have nothing in common.
inline constexpr size_t kUnrelatedUnits = 32;
// How often segments of a fusion, which no scheduler could do after all, are cut where that leaves
// the most together; what is still refused then is halved.
inline constexpr size_t kRefusals = 4;
// Readers of one tensor that are tried as neighbours.
inline constexpr size_t kReaders = 32;
// Operations of a scalar that is computed where it is used; longer ones are symbols of a segment.
inline constexpr size_t kScalarOps = 8;

// Loops of a phase that are divided where a condition changes, and the conditions of one above
// which that is a lot of work.
inline constexpr int64_t kDividedLoops = 32;
inline constexpr int64_t kFewConditions = 8;
// Copies of the statements of a phase that these divisions make together, beside one for each
// doubling of the number of conditions.
inline constexpr int64_t kDividedCopies = 4;
// Results of a thread that are combined with those of others and share barriers: each is code of
// its own.
inline constexpr int64_t kCombinedTogether = 16;
// Values of a thread whose moments or exponentials are merged together: each has a register.
inline constexpr int64_t kMergedValues = 8;
// Statements of rows that are jammed into one loop.
inline constexpr size_t kJammedStatements = 256;

}  // namespace nvfuser::limits
