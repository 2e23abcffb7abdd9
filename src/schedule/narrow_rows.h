// Rows of few columns, which are accumulated together on the CPU: see lower/fold_rows.h.
#pragma once

#include <cstdint>

namespace nvfuser {

// Rows that are accumulated at once.
constexpr int64_t kFoldedRows = 16;
// Columns of such rows at most: about as many elements as a vector has.
constexpr int64_t kMaxFoldedColumns = 16;

}  // namespace nvfuser
