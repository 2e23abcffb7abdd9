// The element-wise operations, from the rows of ir/op_table.h, and the operators of Val.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string>

#include "bindings/support/nodes.h"
#include "core/error.h"
#include "ops/ops.h"

namespace nvfuser {

namespace {

const char* resultType(Promotion promotion) {
  switch (promotion) {
    case Promotion::Same:
      return "The dtype is that of the input.";
    case Promotion::Default:
      return "The dtype is the common one of the operands by PyTorch's rules; Half, BFloat16 and "
             "the\n"
             "    fp8 and fp4 types become Float.";
    case Promotion::Float:
      return "The dtype is the common one of the operands by PyTorch's rules; Bool, integers, "
             "Half,\n"
             "    BFloat16 and the fp8 and fp4 types become Float.";
    case Promotion::Full:
      return "The dtype is the common one of the operands, Float or Double.";
    case Promotion::Compare:
      return "The dtype is Bool; the operands are compared in their common dtype.";
    case Promotion::Logical:
      return "The dtype is Bool; the operands are cast to Bool.";
    case Promotion::Bitwise:
      return "The dtype is the common one of the operands; Bool if all are.";
    case Promotion::Integer:
      return "The dtype is the common one of the operands.";
    case Promotion::Predicate:
      return "The dtype is Bool.";
  }
  return "";
}

const char* operandTypes(Promotion promotion) {
  switch (promotion) {
    case Promotion::Full:
      return " Of dtype Float or Double after promotion.";
    case Promotion::Bitwise:
      return " Of integer dtype or Bool.";
    case Promotion::Integer:
      return " Of integer dtype.";
    default:
      return "";
  }
}

std::string documentation(const OpInfo& op, const char* operands) {
  std::string text = "Element-wise: " + std::string(op.summary) + ".\n\nParameters\n----------\n";
  text += operands;
  text += " : TensorView, Val, bool, int, float or complex\n    By position only.";
  text += operandTypes(op.promotion);
  text +=
      "\n    Tensors broadcast: they are aligned at the last dimension, and dimensions of size 1\n"
      "    repeat.\n\nReturns\n-------\nTensorView or Val\n"
      "    A tensor if an operand is one, of the broadcast shape.\n    ";
  text += resultType(op.promotion);
  text +=
      "\n\nRaises\n------\nRuntimeError\n    Outside a definition, for values of another fusion, "
      "for sizes that do not match, or for a\n    dtype that the operation is not defined for.";
  return text;
}

// Two overloads each: tensors give tensors.
void bindUnary(nb::module_& ops, const char* name, UnaryOpType type, const std::string& doc) {
  ops.def(name, [type](TensorView* x) { return share(ops::unary(type, x)); }, doc.c_str());
  ops.def(name, [type](const Operand& x) { return share(ops::unary(type, x.get())); });
}

void bindBinary(nb::module_& ops, const char* name, BinaryOpType type, const std::string& doc) {
  ops.def(
      name,
      [type](TensorView* lhs, const Operand& rhs) {
        return share(ops::binary(type, lhs, rhs.get()));
      },
      doc.c_str());
  ops.def(name, [type](const Operand& lhs, TensorView* rhs) {
    return share(ops::binary(type, lhs.get(), rhs));
  });
  ops.def(name, [type](const Operand& lhs, const Operand& rhs) {
    return share(ops::binary(type, lhs.get(), rhs.get()));
  });
}

void bindTables(nb::module_& ops) {
  for (const UnaryOpType type : {
#define X(enumerator, ...) UnaryOpType::enumerator,
           NVF_UNARY_OPS(X)
#undef X
       }) {
    if (type == UnaryOpType::Gelu || type == UnaryOpType::GeluTanh) {
      continue;  // one function with a parameter, below
    }
    bindUnary(ops, info(type).name, type, documentation(info(type), "x"));
  }
  for (const BinaryOpType type : {
#define X(enumerator, ...) BinaryOpType::enumerator,
           NVF_BINARY_OPS(X)
#undef X
       }) {
    if (type == BinaryOpType::Complex) {
      continue;  // takes no numbers, below
    }
    bindBinary(ops, info(type).name, type, documentation(info(type), "lhs, rhs"));
  }
  ops.def(
      "complex",
      [](TensorView* real, TensorView* imaginary) {
        return share(ops::binary(BinaryOpType::Complex, real, imaginary));
      },
      R"(Element-wise: the complex number with the given real and imaginary part.

Parameters
----------
real, imaginary : TensorView or Val
    By position only. Two tensors or two scalars of the same dtype, Float or Double.

Returns
-------
TensorView or Val
    Of dtype ComplexFloat or ComplexDouble.

Raises
------
RuntimeError
    For dtypes that differ or are not Float or Double, or a tensor with a scalar.)");
  ops.def("complex", [](Val* real, Val* imaginary) {
    return share(ops::binary(BinaryOpType::Complex, real, imaginary));
  });
}

void bindTernary(nb::module_& ops) {
  const auto doc = [](TernaryOpType type, const char* text) {
    return "Element-wise: " + std::string(info(type).summary) + ".\n\n" + text;
  };
  ops.def(
      "where",
      [](const Operand& condition, const Operand& a, const Operand& b) {
        return share(ops::where(condition.get(), a.get(), b.get()));
      },
      doc(TernaryOpType::Where, R"(Parameters
----------
condition : TensorView, Val or bool
    By position only. Of dtype Bool.
a, b : TensorView, Val, bool, int, float or complex

Returns
-------
TensorView or Val
    Of the broadcast shape and the common dtype of `a` and `b`, which stays Half or BFloat16
    if both are.

Raises
------
RuntimeError
    If `condition` is not of dtype Bool, or sizes do not match.)")
          .c_str());
  ops.def(
      "clamp",
      [](const Operand& x, const std::optional<Operand>& min, const std::optional<Operand>& max) {
        return share(ops::clamp(x.get(), min.has_value() ? min->get() : nullptr,
                                max.has_value() ? max->get() : nullptr));
      },
      nb::arg(), nb::arg().none(), nb::arg().none(),
      doc(TernaryOpType::Clamp, R"(Parameters
----------
x : TensorView, Val, bool, int or float
    By position only.
min, max : Val, bool, int, float or None
    Scalars, converted to the dtype of `x`. None is no bound.

Returns
-------
TensorView or Val
    Of the shape and dtype of `x`; NaN stays NaN.

Raises
------
RuntimeError
    If a bound is a tensor or `x` is complex.)")
          .c_str());
  ops.def(
      "threshold",
      [](const Operand& x, const Operand& threshold, const Operand& value) {
        return share(ops::threshold(x.get(), threshold.get(), value.get()));
      },
      doc(TernaryOpType::Threshold, R"(Parameters
----------
x : TensorView, Val, bool, int or float
    By position only.
threshold, value : Val, bool, int or float
    Scalars, converted to the dtype of `x`.

Returns
-------
TensorView or Val
    Of the shape and dtype of `x`.

Raises
------
RuntimeError
    If `threshold` or `value` is a tensor or `x` is complex.)")
          .c_str());
  ops.def(
      "lerp",
      [](const Operand& start, const Operand& end, const Operand& weight) {
        return share(ops::lerp(start.get(), end.get(), weight.get()));
      },
      doc(TernaryOpType::Lerp, R"(Parameters
----------
start, end, weight : TensorView, Val, bool, int, float or complex
    By position only.

Returns
-------
TensorView or Val
    Of the broadcast shape and the common dtype; Half, BFloat16 and the fp8 types become Float.

Raises
------
RuntimeError
    If sizes do not match.)")
          .c_str());
  ops.def(
      "addcmul",
      [](const Operand& a, const Operand& b, const Operand& c, const Operand& alpha) {
        return share(ops::addcmul(a.get(), b.get(), c.get(), alpha.get()));
      },
      doc(TernaryOpType::Addcmul, R"(Parameters
----------
a, b, c : TensorView, Val, bool, int, float or complex
    By position only.
alpha : Val, bool, int, float or complex
    A scalar.

Returns
-------
TensorView or Val
    Of the broadcast shape and the common dtype of `a`, `b`, `c`; Half, BFloat16 and the fp8 types
    become Float.

Raises
------
RuntimeError
    If sizes do not match or `alpha` is a tensor.)")
          .c_str());
}

// Complex to real loses the imaginary part: worth a word, as in PyTorch.
void warnOfDiscardedPart(const Val* x, DataType dtype) {
  if (isComplexType(x->dtype()) && !isComplexType(dtype) && !isBooleanType(dtype) &&
      PyErr_WarnEx(PyExc_UserWarning, "Casting complex values to real discards the imaginary part",
                   1) < 0) {
    throw nb::python_error();
  }
}

void bindCopies(nb::module_& ops) {
  constexpr const char* setDoc = R"(Copy.

Parameters
----------
x : TensorView, Val or number
    By position only.

Returns
-------
TensorView or Val
    Of the shape and dtype of `x`.)";
  ops.def("set", [](TensorView* x) { return share(ops::set(x)); }, setDoc);
  ops.def("set", [](const Operand& x) { return share(ops::set(x.get())); });
  ops.def(
      "segment_set", [](TensorView* x) { return share(ops::segmentSet(x)->asTensor()); },
      R"(Copy, with what comes before and what comes after in different kernels.

Parameters
----------
x : TensorView, Val or number
    By position only.

Returns
-------
TensorView or Val
    Of the shape and dtype of `x`.)");
  ops.def("segment_set", [](const Operand& x) { return share(ops::segmentSet(x.get())); });
  constexpr const char* castDoc = R"(Convert to another dtype.

Parameters
----------
arg : TensorView, Val, bool, int, float or complex
dtype : DataType
    Equal to that of `arg` it makes a copy.

Returns
-------
TensorView or Val
    Of the shape of `arg`. The fp8 and fp4 types saturate; complex to real drops the imaginary
    part with a warning.

Raises
------
RuntimeError
    If there is no conversion between the dtypes.)";
  ops.def(
      "cast",
      [](TensorView* x, DataType dtype) {
        warnOfDiscardedPart(x, dtype);
        return share(ops::cast(x, dtype));
      },
      nb::arg("arg"), nb::arg("dtype"), castDoc);
  ops.def(
      "cast",
      [](const Operand& operand, DataType dtype) {
        Val* x = operand.get();
        warnOfDiscardedPart(x, dtype);
        return share(ops::cast(x, dtype));
      },
      nb::arg("arg"), nb::arg("dtype"));
  constexpr const char* geluDoc = R"(Element-wise: Gaussian error linear unit.

Parameters
----------
x : TensorView, Val or float
approximate : str
    ``"none"`` computes x * Phi(x) by the error function, ``"tanh"`` its approximation by tanh.

Returns
-------
TensorView or Val
    Of the shape and dtype of `x`.

Raises
------
RuntimeError
    For another value of `approximate`, or an input that is not real floating-point.)";
  ops.def(
      "gelu",
      [](TensorView* x, std::string_view approximate) {
        return share(ops::gelu(x, approximate)->asTensor());
      },
      nb::arg("x"), nb::arg("approximate") = "none", geluDoc);
  ops.def(
      "gelu",
      [](const Operand& x, std::string_view approximate) {
        return share(ops::gelu(x.get(), approximate));
      },
      nb::arg("x"), nb::arg("approximate") = "none");
}

struct BinaryOperator {
  const char* name;
  const char* reflected;
  BinaryOpType type;
};
constexpr BinaryOperator kBinaryOperators[] = {
    {"__add__", "__radd__", BinaryOpType::Add},
    {"__sub__", "__rsub__", BinaryOpType::Sub},
    {"__mul__", "__rmul__", BinaryOpType::Mul},
    {"__truediv__", "__rtruediv__", BinaryOpType::Truediv},
    {"__floordiv__", "__rfloordiv__", BinaryOpType::FloorDiv},
    {"__mod__", "__rmod__", BinaryOpType::Remainder},
    {"__pow__", "__rpow__", BinaryOpType::Pow},
    {"__and__", "__rand__", BinaryOpType::BitwiseAnd},
    {"__or__", "__ror__", BinaryOpType::BitwiseOr},
    {"__xor__", "__rxor__", BinaryOpType::BitwiseXor}};
// Python reflects a comparison by the opposite one.
constexpr BinaryOperator kComparisons[] = {{"__lt__", nullptr, BinaryOpType::Lt},
                                           {"__le__", nullptr, BinaryOpType::Le},
                                           {"__gt__", nullptr, BinaryOpType::Gt},
                                           {"__ge__", nullptr, BinaryOpType::Ge}};
struct UnaryOperator {
  const char* name;
  UnaryOpType type;
};
constexpr UnaryOperator kUnaryOperators[] = {{"__neg__", UnaryOpType::Neg},
                                             {"__abs__", UnaryOpType::Abs},
                                             {"__invert__", UnaryOpType::BitwiseNot}};

void bindBinaryOperator(const BinaryOperator& op) {
  auto scalar = nb::borrow<nb::class_<Val>>(nb::type<Val>());
  auto tensor = nb::borrow<nb::class_<TensorView>>(nb::type<TensorView>());
  const BinaryOpType type = op.type;
  tensor.def(
      op.name,
      [type](TensorView* self, const Operand& other) {
        return share(ops::binary(type, self, other.get()));
      },
      nb::is_operator());
  scalar.def(
      op.name,
      [type](Val* self, TensorView* other) { return share(ops::binary(type, self, other)); },
      nb::is_operator());
  scalar.def(
      op.name,
      [type](Val* self, const Operand& other) {
        return share(ops::binary(type, self, other.get()));
      },
      nb::is_operator());
  if (op.reflected == nullptr) {
    return;
  }
  tensor.def(
      op.reflected,
      [type](TensorView* self, const Operand& other) {
        return share(ops::binary(type, other.get(), self));
      },
      nb::is_operator());
  scalar.def(
      op.reflected,
      [type](Val* self, const Operand& other) {
        return share(ops::binary(type, other.get(), self));
      },
      nb::is_operator());
}

}  // namespace

void bindElementwiseOps(nb::module_& ops) {
  bindTables(ops);
  bindTernary(ops);
  bindCopies(ops);
}

void bindOperators() {
  for (const BinaryOperator& op : kBinaryOperators) {
    bindBinaryOperator(op);
  }
  for (const BinaryOperator& op : kComparisons) {
    bindBinaryOperator(op);
  }
  auto scalar = nb::borrow<nb::class_<Val>>(nb::type<Val>());
  auto tensor = nb::borrow<nb::class_<TensorView>>(nb::type<TensorView>());
  for (const UnaryOperator& op : kUnaryOperators) {
    const UnaryOpType type = op.type;
    tensor.def(op.name, [type](TensorView* self) { return share(ops::unary(type, self)); });
    scalar.def(op.name, [type](Val* self) { return share(ops::unary(type, self)); });
  }
}

}  // namespace nvfuser
