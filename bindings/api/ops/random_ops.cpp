// Random numbers and scans.

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>
#include <utility>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

namespace {

constexpr const char* kDoc = R"(
shape : list or tuple of int or Val
rng_seed : Val, int or TensorView, optional
    A tensor is of integers and has no dimensions, or as many broadcast ones as `shape`: kernels
    read it, so that a CUDA graph of them draws by the seed of each replay.
rng_offset : Val or int, optional
    Given together with a seed: the numbers depend on nothing else. The offset counts blocks of 128
    bits. If not given, they are those of torch's default generator of the device: every run of the
    fusion takes the next ones and advances it.
dtype : DataType
    Float, Double, Half or BFloat16.

Returns
-------
TensorView
    By Philox4x32-10. What an element is depends on seed, offset and its position, not on the
    schedule or the device.

Raises
------
RuntimeError
    For another dtype, a parameter that is no real scalar, a seed or offset that is no integer, or
    one of them without the other.)";

constexpr const char* kLikeDoc = R"(

Parameters
----------
x : TensorView
    Of dtype Float, Double, Half or BFloat16.

Returns
-------
TensorView
    Of the shape and dtype of `arg`, drawn from torch's default generator of the device, which
    every run advances.

Raises
------
RuntimeError
    For another dtype.)";

template <RandomType type>
auto random(const Operand& a, const Operand& b, const Shape& shape,
            const std::optional<Operand>& seed, const std::optional<Operand>& offset,
            DataType dtype) {
  const auto get = [](const std::optional<Operand>& operand) {
    return operand.has_value() ? operand->get() : nullptr;
  };
  return share(ops::random(type, a.get(), b.get(), shape.get(), get(seed), get(offset), dtype));
}

}  // namespace

void bindRandomOps(nb::module_& ops) {
  const std::string uniformDoc =
      std::string(R"(Make random numbers from `minval` up to, but not, `maxval`.

Parameters
----------
minval, maxval : Val or float)") +
      kDoc;
  const std::string normalDoc = std::string(R"(Make normally distributed random numbers.

Parameters
----------
mean, std : Val or float)") + kDoc;
  const std::string randDoc =
      std::string("Make random numbers from 0 up to, but not, 1.") + kLikeDoc;
  const std::string randnDoc =
      std::string("Make numbers of the standard normal distribution.") + kLikeDoc;
  ops.def("uniform", &random<RandomType::Uniform>, nb::arg("minval"), nb::arg("maxval"),
          nb::arg("shape"), nb::kw_only(), nb::arg("rng_seed") = nb::none(),
          nb::arg("rng_offset") = nb::none(), nb::arg("dtype") = DataType::Float,
          uniformDoc.c_str());
  ops.def("normal", &random<RandomType::Normal>, nb::arg("mean"), nb::arg("std"), nb::arg("shape"),
          nb::kw_only(), nb::arg("rng_seed") = nb::none(), nb::arg("rng_offset") = nb::none(),
          nb::arg("dtype") = DataType::Float, normalDoc.c_str());
  ops.def(
      "rand_like", [](TensorView* x) { return share(ops::randomLike(RandomType::Uniform, x)); },
      nb::arg("x"), randDoc.c_str());
  ops.def(
      "randn_like", [](TensorView* x) { return share(ops::randomLike(RandomType::Normal, x)); },
      nb::arg("x"), randnDoc.c_str());
}

void bindScans(nb::module_& ops) {
  constexpr const char* kScanDoc = R"( of all elements along a dimension up to each of them.

Parameters
----------
arg : TensorView
dim : int
    A negative one counts from the end.
init : Val or number, optional
    What it begins with: as if it stood in front of the first element.

Returns
-------
TensorView
    Of the shape and dtype of `arg`. Values of reduced precision are combined in Float, and each
    result is rounded.

Raises
------
RuntimeError
    If `dim` is out of range, `init` is not a scalar of a kind that the dtype holds, or the order of
    complex numbers is asked for.)";
  const std::pair<BinaryOpType, const char*> scans[] = {{BinaryOpType::Add, "The sum"},
                                                        {BinaryOpType::Mul, "The product"},
                                                        {BinaryOpType::Minimum, "The minimum"},
                                                        {BinaryOpType::Maximum, "The maximum"}};
  for (const auto& [type, summary] : scans) {
    const std::string doc = std::string(summary) + kScanDoc;
    ops.def(
        scanName(type),
        [type = type](TensorView* x, int64_t dim, const std::optional<Operand>& init) {
          return share(ops::scan(type, x, dim, init.has_value() ? init->get() : nullptr));
        },
        nb::arg("arg"), nb::arg("dim"), nb::arg("init") = nb::none(), doc.c_str());
  }
}

}  // namespace nvfuser
