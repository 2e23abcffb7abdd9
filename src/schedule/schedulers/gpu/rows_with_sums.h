// Reductions of rows with sums over the rows beside them, like the gradients of an input, of
// weights and of a bias: what their schedulers share.
#pragma once

#include <optional>
#include <vector>

#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers::gpu {

// What a fusion consists of that reduces rows and sums over them.
struct RowsWithSums {
  // Those of rows, with what is summed over them.
  std::vector<Expr*> rows;
  // The sums.
  std::vector<TensorView*> sums;
  // What is computed from sums.
  std::vector<Expr*> behind;
  // Whether something along the rows reads what was reduced along them.
  bool isNormalization = false;
};

// By the dimensions of the reductions, of which there must be two kinds: what the one keeps the
// other reduces.
std::optional<RowsWithSums> divideRowsWithSums(const std::vector<Expr*>& exprs,
                                               const DomainClasses& classes);
// Of a whole segment.
std::optional<RowsWithSums> findRowsWithSums(const FusionSummary& whole);

// Blocks that go from row to row share the rows, and have a part each of every sum.
struct BlocksOfRows {
  int64_t count;
  // That a thread has too few for its part of a row and of the sums.
  int64_t lackingRegisters;
};
BlocksOfRows blocksOfRowsWithSums(const RowsWithSums& parts, const FusionSummary& summary,
                                  const ScheduleContext& context);

// Sums that are out of the way while the rest of a fusion changes.
class DetachedSums {
 public:
  DetachedSums(Fusion* fusion, const std::vector<TensorView*>& sums);
  std::vector<TensorView*> operands() const;
  // Puts them back; `operand` says what each of them adds up.
  template <typename Operand>
  void attach(const Operand& operand) const {
    for (const Sum& sum : sums_) {
      fusion_->create<ReductionOp>(sum.type, sum.init, sum.out, operand(sum.in));
    }
  }

 private:
  struct Sum {
    BinaryOpType type;
    Val* init;
    TensorView* out;
    TensorView* in;
  };
  Fusion* fusion_;
  std::vector<Sum> sums_;
};

}  // namespace nvfuser::schedulers::gpu
