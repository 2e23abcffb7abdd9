// All operations: what builds IR in the active fusion.
#pragma once

#include "ops/attention.h"
#include "ops/composite.h"
#include "ops/creation.h"
#include "ops/define.h"
#include "ops/elementwise.h"
#include "ops/grouped_matmul.h"
#include "ops/indexing.h"
#include "ops/matmul.h"
#include "ops/quantization.h"
#include "ops/random.h"
#include "ops/reduction.h"
#include "ops/scan.h"
#include "ops/sorting.h"
#include "ops/torch_call.h"
#include "ops/view.h"
