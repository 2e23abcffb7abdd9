#include "ir/marks.h"

namespace nvfuser {

std::string LoopMarks::toString() const {
  std::string text;
#define NVF_PRINT_MARK(type, name, value, called)   \
  if (name) {                                       \
    text += " " called "(" + name.toString() + ")"; \
  }
  NVF_LOOP_MARKS(NVF_PRINT_MARK)
#undef NVF_PRINT_MARK
  return text;
}

std::string TensorMarks::toString() const {
  std::string text;
  if (stream) {
    text += " stream(" + stream.toString() + ")";
  }
  if (interleave) {
    text += " interleave(" + interleave.toString() + ")";
  }
  if (isTransposedTile) {
    text += " transpose_tile()";
  }
  if (hostsPrefetch) {
    text += " host_prefetch()";
  }
  if (eviction != Eviction::InTurn) {
    text += eviction == Eviction::First ? " evict_first()" : " evict_last()";
  }
  if (copiesAhead) {
    text += " copy_ahead()";
  }
  return text;
}

}  // namespace nvfuser
