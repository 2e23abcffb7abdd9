#include "lower/refuse_marks.h"

#include "core/error.h"

namespace nvfuser {

namespace {

// What a loop must be for a mark to be obeyed.
const char* expectedOf(const LoopMarks& marks, const Capabilities& can) {
  if (!can.hasThreads && marks.jam) {
    return "unroll_and_jam: Expected one loop over columns inside of a loop over rows and nothing "
           "else, a few statements that compute elements of the same rows and columns as they "
           "read";
  }
  if (!can.hasThreads && marks.fold) {
    return "fold: Expected one loop over few columns inside of a loop over rows and nothing else, "
           "which accumulates columns of inputs in local memory";
  }
  if (can.hasMaskedVectors && marks.mask) {
    return "mask_rest: Expected an innermost loop without conditions that workers do not share and "
           "that computes elements beside each other";
  }
  if (can.hasPrefetch && marks.results) {
    return "prefetch_results: Expected the outermost loop, which workers share, with several loops "
           "over a row inside, the last of which writes a row of a result that may be as long";
  }
  if (can.hasPrefetch && marks.next) {
    return "prefetch_next: Expected the outermost loop, which workers share, with transposed tiles "
           "or several loops over a row inside; behind the first, one that computes a tensor "
           "marked "
           "host_prefetch() (without such a mark any) and whose sums can be divided, or that "
           "streams its result";
  }
  if (!can.hasThreads && marks.apart) {
    return "accumulate_apart: Expected the outermost loop, which workers share, and in it a loop "
           "over rows with nothing but a loop over so few columns inside, both of which are "
           "reduced to floating-point numbers that are read behind them";
  }
  if (can.hasPrefetch && marks.farRows) {
    return "prefetch_far_rows: Expected the outermost loop, which workers share, and in it a loop "
           "over rows with nothing but a loop over columns inside, which reads short rows of "
           "memory that lie so far apart";
  }
  return nullptr;
}

}  // namespace

void refuseMarks(const PassContext& context) {
  kir::forEachStatement(context.phase.body, [&](const kir::Statement& statement) {
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    const bool isRequired = loop != nullptr && loop->marks.isRequired;
    const char* expected =
        isRequired ? expectedOf(loop->marks, context.target.capabilities) : nullptr;
    NVF_SCHEDULE_CHECK(expected == nullptr, expected, ", but got", loop->marks.toString(),
                       " of another loop:\n", kir::toString(context.kernel, context.phase));
  });
}

}  // namespace nvfuser
