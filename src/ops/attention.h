// Scaled dot-product attention, which torch computes.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

struct AttentionResult {
  TensorView* output;
  TensorView* logsumexp;
  TensorView* philoxSeed;
  TensorView* philoxOffset;
};
// Query [*, h, l, e], key [*, h, s, e], value [*, h, s, ev]. `bias`, `mask`, and the scalars may be
// null: no dropout, not causal, scaled by 1 / sqrt(e).
AttentionResult sdpaForward(TensorView* query, TensorView* key, TensorView* value, TensorView* bias,
                            TensorView* mask, Val* dropout, Val* isCausal, Val* scale);

struct AttentionGradients {
  TensorView* query;
  TensorView* key;
  TensorView* value;
};
AttentionGradients sdpaBackward(TensorView* gradient, TensorView* query, TensorView* key,
                                TensorView* value, TensorView* output, TensorView* logsumexp,
                                Val* dropout, Val* isCausal, TensorView* philoxSeed,
                                TensorView* philoxOffset, Val* scale);

}  // namespace nvfuser::ops
