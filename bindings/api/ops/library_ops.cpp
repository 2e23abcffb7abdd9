// Operations that torch computes.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

namespace {

using OptionalNumber = std::optional<Operand>;
using GivenResult = std::tuple<Shape, DataType, std::optional<std::vector<int64_t>>>;

// The result of a call with one result, a tuple of several.
nb::object torchCall(const std::string& target, const std::string& arguments,
                     const std::vector<TensorView*>& tensors, const std::vector<Operand>& scalars,
                     const std::vector<std::optional<GivenResult>>& results) {
  std::vector<Val*> operands;
  for (const Operand& scalar : scalars) {
    operands.push_back(scalar.get());
  }
  std::vector<std::optional<ops::TorchResult>> wanted;
  for (const std::optional<GivenResult>& result : results) {
    wanted.emplace_back();
    if (result) {
      const auto& [shape, dtype, order] = *result;
      wanted.back() = {shape.get(), dtype, order.value_or(std::vector<int64_t>{})};
    }
  }
  const auto made = share(ops::torchCall(target, arguments, tensors, operands, wanted));
  if (made.size() == 1) {
    return nb::cast(made.front());
  }
  nb::list list;
  for (const auto& tensor : made) {
    list.append(nb::cast(tensor));
  }
  return nb::tuple(list);
}

void bindTorchCall(nb::module_& ops) {
  ops.def("torch_call", &torchCall, nb::arg("target"), nb::arg("arguments"), nb::arg("tensors"),
          nb::arg("scalars") = nb::list(), nb::kw_only(), nb::arg("results"),
          R"(Call an operator of torch between generated kernels.

What no operation of this package does is computed by torch inside of the fusion: a step of
the same loop as the kernels.

Parameters
----------
target : str
    Path of the operator under ``torch.ops``, with its overload: ``"aten.sort.stable"``; or what
    ``nvfuser.torch_calls.register_callable`` returned.
arguments : str
    The operator's arguments as Python source: ``(t0, dim=s0, stable=True)``. ``t0``, ``t1``, ...
    are `tensors` and ``s0``, ``s1``, ... `scalars`; beside these there may be literals, lists and
    tuples of them, ``inf``, ``nan``, dtypes (``torch.float32``), layouts and memory formats of
    torch, and ``torch.device(...)``.
tensors : list of TensorView
scalars : list of Val, int, float, bool or complex
results : list of tuple or None
    Shape, DataType and stride order of each result that is used, None for the others. The shape is
    a list of int and Val, the stride order as that of ``define_tensor`` or None for row-major.
    Shape and dtype of what torch returns are checked in each run; the order of memory is a hint
    that saves copies.

Returns
-------
TensorView or tuple
    The result, of the DataType given; of several results a tuple, with None for those not used.

Raises
------
RuntimeError
    For results none of which is used. In runs, for an operator that does not exist, arguments that
    cannot be read, what torch raises, and results of another shape or dtype.

Notes
-----
Two calls are never taken for one, and one whose results nothing uses does not happen. Gradient mode
and autocast are off inside. A result that would share memory with an argument is copied.)");
}

void bindProducts(nb::module_& ops) {
  ops.def(
      "matmul", [](TensorView* a, TensorView* b) { return share(ops::matmul(a, b)); },
      nb::arg("arg1"), nb::arg("arg2"),
      R"(Matrix product, as ``torch.matmul``, by which it is computed.

Parameters
----------
arg1, arg2 : TensorView
    Of rank 1 or more and equal dtype. [m, k] and [k, n]; a 1-D `arg1` is a row and a 1-D `arg2` a
    column, whose dimension the result lacks; dimensions before the last two broadcast.

Returns
-------
TensorView
    Of the dtype of the operands.

Raises
------
RuntimeError
    For different dtypes, a 0-dim operand, or sizes that do not match.)");
  ops.def(
      "linear",
      [](TensorView* input, TensorView* weight, const OptionalTensor& bias) {
        return share(ops::linear(input, weight, tensorOrNull(bias)));
      },
      nb::arg("arg1"), nb::arg("arg2"), nb::arg("bias") = nb::none(),
      R"(Product with a transposed weight, as ``torch.nn.functional.linear``, by which it is computed.

Parameters
----------
arg1 : TensorView
    [*, k].
arg2 : TensorView
    [n, k], of the dtype of `arg1`.
bias : TensorView, optional
    [n], of the same dtype.

Returns
-------
TensorView
    [*, n], of the dtype of `arg1`.

Raises
------
RuntimeError
    For different dtypes, other ranks, or sizes that do not match.)");
  auto tensor = nb::borrow<nb::class_<TensorView>>(nb::type<TensorView>());
  tensor.def(
      "__matmul__", [](TensorView* a, TensorView* b) { return share(ops::matmul(a, b)); },
      nb::is_operator());
}

auto attentionOf(TensorView* query, TensorView* key, TensorView* value, TensorView* bias,
                 TensorView* mask, const OptionalNumber& dropout, const OptionalNumber& isCausal,
                 const OptionalNumber& scale) {
  const ops::AttentionResult result = ops::sdpaForward(
      query, key, value, bias, mask, valOrNull(dropout), valOrNull(isCausal), valOrNull(scale));
  return std::make_tuple(share(result.output), share(result.logsumexp), share(result.philoxSeed),
                         share(result.philoxOffset));
}

void bindAttention(nb::module_& ops) {
  ops.def(
      "sdpfa_fwd",
      [](TensorView* query, TensorView* key, TensorView* value, const OptionalTensor& bias,
         const OptionalTensor& mask, const OptionalNumber& dropout, const OptionalNumber& isCausal,
         const OptionalNumber& scale) {
        return attentionOf(query, key, value, tensorOrNull(bias), tensorOrNull(mask), dropout,
                           isCausal, scale);
      },
      nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::arg("bias") = nb::none(),
      nb::arg("mask") = nb::none(), nb::arg("dropout_p") = nb::none(),
      nb::arg("is_causal") = nb::none(), nb::arg("scale") = nb::none(),
      R"(Scaled dot-product attention.

softmax(scale * query @ key^T + bias) @ value, by torch: on CUDA its flash attention where that
takes the operands, otherwise a composition of products in Float at least.

Parameters
----------
query, key, value : TensorView
    [*, h, l, e], [*, h, s, e] and [*, h, s, ev], of one dtype: Half, BFloat16, Float or Double.
bias : TensorView, optional
    Added to the scores: of their rank and the dtype of `query`; broadcasts to [*, h, l, s].
mask : TensorView, optional
    Bool, of the rank of the scores: False hides a key from a query.
dropout_p : Val or float, optional
    The part of the weights that is set to zero, from torch's default generator; 0 if not given, and
    with a bias or mask.
is_causal : Val or bool, optional
    Whether query i sees only the keys 0 to i.
scale : Val or float, optional
    1 / sqrt(e) if not given.

Returns
-------
output, logsumexp, philox_seed, philox_offset : TensorView
    [*, h, l, ev] in the dtype of the operands, [*, h, l] in Float, and what sdpfa_bwd needs to drop
    the same weights: UInt64, [2] and 0-dim. Where the query is an input or a permutation of one,
    the output lies in memory as that does. The logsumexp of a query that sees no key is 0.

Raises
------
RuntimeError
    For other ranks and dtypes, or sizes that do not match.)");
  // Clients call it as it was before it had a bias and a mask.
  ops.def(
      "sdpfa_fwd",
      [](TensorView* query, TensorView* key, TensorView* value, const OptionalNumber& dropout,
         const OptionalNumber& isCausal, const OptionalNumber& scale) {
        return attentionOf(query, key, value, nullptr, nullptr, dropout, isCausal, scale);
      },
      nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::arg("dropout_p").none(),
      nb::arg("is_causal").none() = nb::none(), nb::arg("scale").none() = nb::none(),
      "The same without a bias and a mask.");
  ops.def(
      "sdpfa_bwd",
      [](TensorView* gradient, TensorView* query, TensorView* key, TensorView* value,
         TensorView* output, TensorView* logsumexp, const OptionalNumber& dropout,
         const OptionalNumber& isCausal, TensorView* seed, TensorView* offset,
         const OptionalNumber& scale) {
        const ops::AttentionGradients result =
            ops::sdpaBackward(gradient, query, key, value, output, logsumexp, valOrNull(dropout),
                              valOrNull(isCausal), seed, offset, valOrNull(scale));
        return std::make_tuple(share(result.query), share(result.key), share(result.value));
      },
      nb::arg("grad_output"), nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::arg("output"),
      nb::arg("logsumexp"), nb::arg("dropout_p").none(), nb::arg("is_causal").none(),
      nb::arg("philox_seed"), nb::arg("philox_offset"), nb::arg("scale").none(),
      R"(Gradients of scaled dot-product attention without a bias or mask.

Parameters
----------
grad_output : TensorView
    Of the shape of `output`.
query, key, value, output, logsumexp, philox_seed, philox_offset : TensorView
    Operands and results of sdpfa_fwd.
dropout_p, is_causal, scale : Val, number or None
    As sdpfa_fwd was given them.

Returns
-------
grad_query, grad_key, grad_value : TensorView

Raises
------
RuntimeError
    For other ranks and dtypes, or sizes that do not match.)");
}

void bindSorting(nb::module_& ops) {
  ops.def(
      "topk",
      [](TensorView* x, const Operand& k, int64_t dim, Flag isLargest, Flag isSorted) {
        const ops::TopK result = ops::topk(x, k.get(), dim, isLargest, isSorted);
        return std::make_tuple(share(result.values), share(result.indices));
      },
      nb::arg("arg"), nb::arg("k"), nb::arg("dim") = -1, nb::arg("largest") = true,
      nb::arg("sorted") = false,
      R"(The largest or smallest elements along a dimension, by torch.

Parameters
----------
arg : TensorView
    Of rank 0 it has one element.
k : Val or int
    How many: an integer from 0 to the size of the dimension, checked when the fusion runs.
dim : int
    A negative one counts from the end.
largest : bool
    Whether the largest ones are taken.
sorted : bool
    Whether they are in order.

Returns
-------
values, indices : TensorView
    Of the dtype of `arg` and of Int.

Raises
------
RuntimeError
    If `dim` or `k` is out of range, `k` is no integer, or `arg` is complex.)");
  ops.def(
      "argsort",
      [](TensorView* x, int64_t dim, Flag isDescending, Flag isStable) {
        return share(ops::argsort(x, dim, isDescending, isStable));
      },
      nb::arg("arg"), nb::arg("dim"), nb::arg("descending") = false, nb::arg("stable") = false,
      R"(The positions that sort a dimension, by torch.

Parameters
----------
arg : TensorView
dim : int
    A negative one counts from the end.
descending : bool
    Whether the largest element comes first.
stable : bool
    Whether equal elements keep their order.

Returns
-------
TensorView
    Of dtype Int.

Raises
------
RuntimeError
    If `dim` is out of range or `arg` is complex.)");
}

void bindGroupedProducts(nb::module_& ops) {
  ops.def(
      "grouped_mm",
      [](TensorView* a, TensorView* b, TensorView* offsets) {
        return share(ops::groupedMatmul(a, b, offsets));
      },
      nb::arg("mat1"), nb::arg("mat2"), nb::arg("offsets"),
      R"(Matrix products of groups of rows, columns or summands, by torch.

Two forms: this one, and one with scales of the operands that returns (out, None, None)::

    grouped_mm(mat1, mat2, offsets)
    grouped_mm(mat1, mat2, offsets, scale1, scale2, alpha=None, bias=None, beta=None,
               dtype=DataType.BFloat16, output_block_scale_size=0,
               output_block_scale_dtype=DataType.BFloat16, output_gamma=False)

Parameters
----------
mat1, mat2 : TensorView
    [m, k] and [k, n], whose k is divided into groups; [g, m, k] and [k, n], whose n is; or [m, k]
    and [g, k, n], whose m is.
offsets : TensorView
    [g], of dtype Int32: where each group ends. The call waits for its values.
scale1, scale2 : TensorView
    Factors, with a 1 in place of k: [g, m, 1] and [g, 1, n]; [g, m, 1] and [1, n]; or [m, 1] and
    [g, 1, n].
alpha, bias, beta : TensorView, optional
    The result is alpha * product + beta * bias; the last two go together.
dtype : DataType
    Of the result; computed in Float.
output_block_scale_size, output_block_scale_dtype, output_gamma
    Quantization of the result, which is not supported: 0, any, False.

Returns
-------
TensorView
    [g, m, n] in the first case, [m, n] in the others, 0 where no group is.

Raises
------
RuntimeError
    For other ranks, different dtypes without scales, or sizes that do not match.)");
  ops.def(
      "grouped_mm",
      [](TensorView* a, TensorView* b, TensorView* offsets, const OptionalTensor& scaleA,
         const OptionalTensor& scaleB, const OptionalTensor& alpha, const OptionalTensor& bias,
         const OptionalTensor& beta, DataType dtype, int64_t blockScale,
         DataType /*blockScaleDtype*/, Flag gamma) {
        TensorView* none = nullptr;
        return std::make_tuple(share(ops::scaledGroupedMatmul(
                                   a, b, offsets, tensorOrNull(scaleA), tensorOrNull(scaleB),
                                   {tensorOrNull(alpha), tensorOrNull(bias), tensorOrNull(beta),
                                    dtype, blockScale, gamma})),
                               share(none), share(none));
      },
      nb::arg("mat1"), nb::arg("mat2"), nb::arg("offsets"), nb::arg("scale1").none(),
      nb::arg("scale2").none(), nb::arg("alpha") = nb::none(), nb::arg("bias") = nb::none(),
      nb::arg("beta") = nb::none(), nb::arg("dtype") = DataType::BFloat16,
      nb::arg("output_block_scale_size") = 0,
      nb::arg("output_block_scale_dtype") = DataType::BFloat16, nb::arg("output_gamma") = false);
  ops.def(
      "scaled_mm",
      [](TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB,
         const OptionalTensor& alpha, const OptionalTensor& bias, const OptionalTensor& beta,
         DataType dtype, int64_t blockScale, DataType /*blockScaleDtype*/, Flag gamma) {
        TensorView* none = nullptr;
        return std::make_tuple(
            share(ops::scaledMatmul(a, b, scaleA, scaleB,
                                    {tensorOrNull(alpha), tensorOrNull(bias), tensorOrNull(beta),
                                     dtype, blockScale, gamma})),
            share(none), share(none));
      },
      nb::arg("mat1"), nb::arg("mat2"), nb::arg("scale1"), nb::arg("scale2"),
      nb::arg("alpha") = nb::none(), nb::arg("bias") = nb::none(), nb::arg("beta") = nb::none(),
      nb::arg("dtype") = DataType::BFloat16, nb::arg("output_block_scale_size") = 0,
      nb::arg("output_block_scale_dtype") = DataType::BFloat16, nb::arg("output_gamma") = false,
      R"(Product of matrices that have a scale for each block of k: alpha * product + beta * bias.

A portable implementation: operands are dequantized and multiplied in Float.

Parameters
----------
mat1, mat2 : TensorView
    [m, k] and [k, n], in Float4_e2m1fn (blocks of 16) or Float8_e4m3fn (blocks of 32).
scale1, scale2 : TensorView
    Float8_e4m3fn or Float8_e8m0fnu: scales of [m, k / block] and [n, k / block], rows padded to
    multiples of 128 and columns to multiples of 4, in the swizzled layout of 128x4. Or Float:
    plain factors, [m, 1] and [1, n] or of one element.
alpha, bias, beta : TensorView, optional
    A `beta` needs a `bias`, which broadcasts to the result.
dtype : DataType
    Of the result.
output_block_scale_size, output_block_scale_dtype, output_gamma
    Quantization of the result, which is not supported: 0, any, False.

Returns
-------
out, None, None
    [m, n].

Raises
------
RuntimeError
    For other ranks, a `beta` without a `bias`, quantization of the result, or sizes that do not
    match.)");
  ops.def(
      "cutlass_nvfp4_grouped_mm",
      [](TensorView* a, TensorView* b, TensorView* scaleA, TensorView* scaleB, TensorView* alpha,
         TensorView* sizes, TensorView* offsets, TensorView* scaleOffsets, DataType dtype) {
        return share(ops::nvfp4GroupedMatmul(a, b, scaleA, scaleB, alpha, sizes, offsets,
                                             scaleOffsets, dtype));
      },
      nb::arg("mat1"), nb::arg("mat2"), nb::arg("scale1"), nb::arg("scale2"), nb::arg("alpha"),
      nb::arg("problem_sizes"), nb::arg("expert_offsets"), nb::arg("sf_offsets"),
      nb::arg("dtype") = DataType::BFloat16,
      R"(Matrix products of groups of rows in nvfp4, one matrix a group.

A portable implementation: operands are dequantized and multiplied in Float.

Parameters
----------
mat1, mat2 : TensorView
    [m, k] and [g, k, n] in Float4_e2m1fn, k the fastest dimension.
scale1, scale2 : TensorView
    Float8_e4m3fn, a scale for each 16 elements of k in the swizzled layout of 128x4: those of the
    groups of `mat1` as preprocess_grouped_matmul_input_sf lays them out, [g, n, k / 16] of `mat2`.
alpha : TensorView
    [g], in Float: a factor for each group.
problem_sizes : TensorView
    [g, 3], in Int32: the rows of each group, n and k. The call waits for its values.
expert_offsets, sf_offsets : TensorView
    [g], in Int32: the first row of each group in `mat1` and in `scale1`.
dtype : DataType
    Of the result.

Returns
-------
TensorView
    [m, n], 0 in rows of no group.

Raises
------
RuntimeError
    For other ranks or dtypes, or sizes that do not match.)");
}

void bindQuantization(nb::module_& ops) {
  ops.def(
      "nv_block_quantize",
      [](TensorView* x, const OptionalTensor& globalScale, Flag isSwizzled, int64_t blockSize,
         DataType dtype) {
        const ops::BlockQuantized result =
            ops::blockQuantize(x, tensorOrNull(globalScale), isSwizzled, blockSize, dtype);
        return std::make_tuple(share(result.quantized), share(result.scales));
      },
      nb::arg("input"), nb::arg("global_scale") = nb::none(),
      nb::arg("swizzle_block_scales") = false, nb::arg("block_size") = 16,
      nb::arg("dtype") = DataType::Float4_e2m1fn,
      R"(Quantize in blocks of the last dimension, each with a scale: nvfp4 or mxfp8.

Made of other operations, so that it is fused with its neighbours; only the layout of 128x4 is
torch's work. nvfp4: the scale is max(abs(x)) / 6 * global_scale in Float8_e4m3fn, and elements are
x / scale * global_scale. mxfp8: the scale is max(abs(x)) / 448, rounded up to a power of two in
Float8_e8m0fnu, and elements are x / scale.

Parameters
----------
input : TensorView
    Float, Half or BFloat16; the last dimension is a multiple of `block_size`.
global_scale : TensorView, optional
    Of nvfp4: 0-dim, Float; 1 if not given.
swizzle_block_scales : bool
    Of nvfp4 and an input of rank 2: whether scales are in the layout of 128x4, as by
    preprocess_grouped_matmul_input_sf with one group.
block_size : int
    16 for nvfp4, 32 for mxfp8.
dtype : DataType
    Float4_e2m1fn (nvfp4) or Float8_e4m3fn (mxfp8).

Returns
-------
quantized, block_scales : TensorView
    Of the shape of `input`, and of that with the last dimension divided by `block_size`.

Raises
------
RuntimeError
    For another dtype or block size, or an input that does not fit.)");
  ops.def(
      "nv_grouped_block_quantize",
      [](TensorView* x, TensorView* inputOffsets, TensorView* outputOffsets,
         const OptionalTensor& globalScale, int64_t blockSize, DataType dtype) {
        const ops::BlockQuantized result = ops::groupedBlockQuantize(
            x, inputOffsets, outputOffsets, tensorOrNull(globalScale), blockSize, dtype);
        return std::make_tuple(share(result.quantized), share(result.scales));
      },
      nb::arg("input"), nb::arg("input_offsets"), nb::arg("output_offsets"),
      nb::arg("global_scale") = nb::none(), nb::arg("block_size") = 16,
      nb::arg("dtype") = DataType::Float4_e2m1fn,
      R"(Quantize as nv_block_quantize, with the scales of groups of rows in the layout of 128x4.

Parameters
----------
input : TensorView
    Of rank 2.
input_offsets, output_offsets : TensorView
    As of preprocess_grouped_matmul_input_sf.
global_scale, block_size, dtype
    As of nv_block_quantize.

Returns
-------
quantized, block_scales : TensorView
    Of the dtypes of nv_block_quantize; the scales as preprocess_grouped_matmul_input_sf returns
    them.

Raises
------
RuntimeError
    For another dtype or block size, or an input that does not fit.)");
  ops.def(
      "preprocess_grouped_matmul_input_sf",
      [](TensorView* x, TensorView* inputOffsets, TensorView* outputOffsets) {
        return share(ops::swizzleScales(x, inputOffsets, outputOffsets));
      },
      nb::arg("input"), nb::arg("input_offsets"), nb::arg("output_offsets"),
      R"(Lay block scales out in tiles of 128x4, those of each group of rows padded to whole tiles.

The scales of a group, padded to [128 a, 4 b] and seen as [a, 4, 32, b, 4], with the second and
fourth dimensions exchanged.

Parameters
----------
input : TensorView
    [rows, columns].
input_offsets, output_offsets : TensorView
    Integers, [g]: the first row of each group, in `input` and among the padded rows, where it is a
    multiple of 128.

Returns
-------
TensorView
    Of the shape of `input`, columns padded to a multiple of 4 between rows; the memory behind its
    first element holds rows + 127 g padded rows. Kernels that read it see its shape only.

Raises
------
RuntimeError
    For another rank, or offsets that are no integers of rank 1.)");
}

}  // namespace

void bindLibraryOps(nb::module_& ops) {
  bindProducts(ops);
  bindAttention(ops);
  bindSorting(ops);
  bindGroupedProducts(ops);
  bindQuantization(ops);
  bindTorchCall(ops);
}

}  // namespace nvfuser
