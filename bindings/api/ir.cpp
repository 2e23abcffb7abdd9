// The classes of the IR, Fusion and FusionGuard, and the definition of inputs.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "bindings/support/nodes.h"
#include "core/error.h"
#include "emit/cuda.h"
#include "ir/clone.h"
#include "ir/fusion.h"
#include "ir/structure.h"
#include "lower/lower.h"
#include "ops/define.h"
#include "ops/tensor_builder.h"
#include "runtime/kernel_params.h"

namespace nvfuser {

namespace {

// Lowering changes a fusion: it gets a copy.
std::string printKernel(const Fusion& fusion, const std::optional<CompileParams>& compileParams) {
  const std::unique_ptr<Fusion> copy = cloneFusion(fusion);
  const std::unique_ptr<kir::Kernel> kernel =
      lower(copy.get(), "CUDAGeneratedKernel", gpuTarget({.computeCapability = 90}));
  if (compileParams) {
    kernel->hasWideIndex = compileParams->indexType != DataType::Int32;
  }
  return emitCuda(*kernel);
}

Val* operand(const Expr& expr, const std::vector<Val*>& vals, size_t index) {
  if (index >= vals.size()) {
    throw nb::index_error(
        concatenate("index ", index, " of ", vals.size(), " in ", expr.toString()).c_str());
  }
  return vals[index];
}

// Without this, every value would count as true.
bool truthOf(const Val& val) {
  if (!val.isScalar() && !val.isTensor()) {
    return true;
  }
  throw nb::type_error(
      concatenate(val.isTensor() ? "A TensorView" : "A Val",
                  " has no truth value while a fusion is defined: ", val.toString(),
                  " gets its value when the fusion runs. Choose by fd.ops.where(condition, a, b) "
                  "instead of `if`; write fd.ops.logical_and, logical_or and logical_not instead "
                  "of `and`, `or` and `not`, fd.ops.logical_and(a < b, b < c) instead of "
                  "`a < b < c`, fd.ops.maximum and minimum instead of max() and min(), and "
                  "`x is None` to ask whether there is a value")
          .c_str());
}

void bindStatements(nb::module_& module) {
  nb::class_<Statement>(module, "Statement", "A node of a fusion's IR.")
      .def("__str__", &Statement::toString)
      .def("__repr__", &Statement::toString);

  nb::class_<Val, Statement>(module, "Val",
                             R"(A value of the IR; an object of this class itself is a scalar.

Arithmetic operators append operations to the active fusion, see :mod:`nvfuser.ops`. ``==`` is
identity: the same node compares equal.)")
      .def(
          "is_symbolic", [](const Val& v) { return v.isSymbolic(); },
          "Whether the value is no constant.")
      .def(
          "is_tensor", [](const Val& v) { return v.isTensor(); }, "Whether this is a TensorView.")
      .def(
          "dtype", [](const Val& v) { return v.dtype(); },
          "The dtype of the scalar, or of the tensor's elements.")
      .def(
          "definition", [](const Val& v) { return share(v.definition()); },
          nb::sig("def definition(self) -> Expr | None"),
          "The expression that computes this value; None for inputs and constants.")
      .def(
          "uses", [](const Val& v) { return share(v.uses()); },
          nb::sig("def uses(self) -> list[Expr]"), "The expressions that take this value.")
      .def("__bool__", &truthOf);

  nb::class_<Expr, Statement>(module, "Expr", "An operation of the IR.")
      .def(
          "input", [](const Expr& e, size_t index) { return share(operand(e, e.inputs(), index)); },
          nb::arg("index"), "Input number `index`; IndexError beyond the last one.")
      .def(
          "output",
          [](const Expr& e, size_t index) { return share(operand(e, e.outputs(), index)); },
          nb::arg("index"), "Output number `index`; IndexError beyond the last one.");
}

void bindDomains(nb::module_& module) {
  nb::class_<IterDomain, Val> iterDomain(module, "IterDomain",
                                         "One dimension of a tensor, or one of its loops.");
  iterDomain.def("is_reduction", &IterDomain::isReduction, "Whether the dimension is reduced.")
      .def("is_expanded", &IterDomain::hasExpandedExtent,
           "Whether the dimension repeats one element, without memory for each.")
      .def(
          "extent", [](const IterDomain& id) { return share(id.extent()); },
          "The number of iterations; 1 for a broadcast dimension, also when it is expanded.")
      .def("parallelize", &IterDomain::parallelize, nb::arg("parallel_type"),
           "Set how the loop over this domain is executed.");
  bindMarks(iterDomain);

  nb::class_<TensorDomain, Val>(module, "TensorDomain", "The dimensions of a tensor.");

  nb::class_<Split, Expr>(module, "Split", "One domain divided into an outer and an inner one.")
      .def(
          "outer", [](const Split& e) { return share(e.outer()); }, "The outer result.")
      .def("inner", [](const Split& e) { return share(e.inner()); }, "The inner result.");
  nb::class_<Merge, Expr>(module, "Merge", "Two domains made one.")
      .def(
          "outer", [](const Merge& e) { return share(e.outer()); }, "The outer input.")
      .def("inner", [](const Merge& e) { return share(e.inner()); }, "The inner input.");
  nb::class_<BroadcastOp, Expr>(module, "BroadcastOp", "Insertion of size-1 dimensions.");
  nb::class_<ReshapeOp, Expr>(module, "ReshapeOp", "The same elements in another shape.");
  nb::class_<SqueezeOp, Expr>(module, "SqueezeOp", "Removal of size-1 dimensions.");
}

std::shared_ptr<Val> sizeOf(const TensorView& tv, int64_t dim) {
  return share(tv.visible()[ops::wrapDim(dim, tv.ndim(), "size", &tv)]->visibleExtent());
}

void bindTensorView(nb::module_& module) {
  nb::class_<TensorView, Val> tensorView(module, "TensorView", R"(A tensor of the fusion.

Arithmetic operators append operations to the active fusion, see :mod:`nvfuser.ops`.)");
  tensorView.def_prop_ro("_number", &TensorView::name, "The number in the name, see call_sites.");
  tensorView.def_prop_ro("ndim", &TensorView::ndim, "The rank, without reduced dimensions.")
      .def("size", &sizeOf, nb::arg("dim"),
           "The extent of a dimension; a negative one counts from the end.")
      .def(
          "shape",
          [](const TensorView& tv) {
            std::vector<std::shared_ptr<Val>> extents;
            for (const IterDomain* id : tv.visible()) {
              extents.push_back(share(id->visibleExtent()));
            }
            return extents;
          },
          "The extents of all dimensions.")
      .def(
          "domain", [](const TensorView& tv) { return share(tv.domain()); },
          "The dimensions of the tensor.")
      .def(
          "get_root_domain", [](const TensorView& tv) { return share(tv.root()); },
          "The dimensions as the producer has them; empty if the operation transforms none.")
      .def(
          "get_logical_domain", [](const TensorView& tv) { return share(tv.logical()); },
          "The dimensions of the tensor, reduced ones included.")
      .def(
          "get_loop_domain", [](const TensorView& tv) { return share(tv.loop()); },
          "The domains that the loops of the tensor's computation run over.")
      .def(
          "has_root", [](const TensorView& tv) { return tv.domain()->hasRoot(); },
          "Whether the operation itself transforms dimensions.")
      .def(
          "axis", [](const TensorView& tv, int64_t index) { return share(tv.axis(index)); },
          nb::arg("index"), "A loop domain; a negative index counts from the end.");
  bindTransforms(tensorView);
  bindMarks(tensorView);
  bindMeshOfTensor(tensorView);
}

// FusionGuard for Python: it also keeps the fusions alive that it switches between.
class Guard {
 public:
  explicit Guard(std::shared_ptr<Fusion> fusion)
      : fusion_(std::move(fusion)),
        previous_(Fusion::active() != nullptr ? Fusion::active()->weak_from_this().lock()
                                              : nullptr),
        guard_(fusion_.get()) {}

 private:
  std::shared_ptr<Fusion> fusion_;
  std::shared_ptr<Fusion> previous_;
  FusionGuard guard_;
};

std::vector<std::shared_ptr<TensorView>> outputsOf(const Fusion& fusion, bool areReturned) {
  std::vector<std::shared_ptr<TensorView>> tensors;
  for (const Fusion::Output& output : fusion.outputs()) {
    if (output.isVisible || !areReturned) {
      tensors.push_back(share(output.tv));
    }
  }
  return tensors;
}

void bindFusion(nb::module_& module) {
  nb::class_<Fusion>(module, "Fusion", nb::dynamic_attr(),
                     R"(A graph of operations with its inputs and outputs.

Comparison is structural: inputs in order, operations, outputs, in-place updates. Names and the
order of independent operations do not count.)")
      .def(nb::new_([] { return std::make_shared<Fusion>(); }))
      .def(
          "inputs", [](const Fusion& f) { return share(f.inputs()); },
          "The inputs in order: tensors and symbolic scalars.")
      .def(
          "outputs", [](const Fusion& self) { return outputsOf(self, false); },
          "The outputs in order, those that are only written into an input included.")
      .def(
          "vals", [](const Fusion& f) { return share(f.vals()); },
          "All values, scalars and domains included, in order of creation.")
      .def(
          "add_input", [](Fusion& f, Val* input) { f.addInput(input); }, nb::arg("input"),
          R"(Register an input.

Raises
------
RuntimeError
    If `input` is a constant, the result of an operation, registered already, or of another
    fusion.)")
      .def(
          "add_output", [](Fusion& f, Val* output) { f.addOutput(output); }, nb::arg("output"),
          R"(Register an output; the same tensor again returns it once more.

Raises
------
RuntimeError
    If `output` is a scalar or of another fusion.)")
      .def(
          "add_output",
          [](Fusion& f, Val* output, bool isOrderOpen) {
            isOrderOpen ? f.addOutputInAnyOrder(output) : f.addOutput(output);
          },
          nb::arg("output"), nb::kw_only(), nb::arg("is_order_open"),
          R"(Register an output whose dimensions may lie in memory in any order.

With `is_order_open` they lie in the order that kernels choose, if no operation has given it one.

Raises
------
RuntimeError
    If `output` is a scalar or of another fusion.)")
      .def(
          "add_output", [](Fusion& f, Val* output, Val* alias) { f.addOutput(output, alias); },
          nb::arg("output"), nb::arg("alias_input"),
          R"(Register an in-place update: the value is written into the buffer of an input.

Raises
------
RuntimeError
    If `alias_input` is no input tensor, or `output` is a scalar or of another fusion.)")
      .def("print_kernel", &printKernel, nb::arg("compile_params") = nb::none(),
           R"(Return the CUDA C++ of the fusion as it is scheduled.

Parameters
----------
compile_params : CompileParams, optional
    Its `index_type` is that of indices.

Returns
-------
str)")
      .def("print_math", &Fusion::printMath, nb::arg("from_outputs_only") = true,
           R"(Return the definition as text.

Parameters
----------
from_outputs_only : bool
    Whether to leave out operations that no output depends on.

Returns
-------
str)")
      .def(
          "__eq__", [](const Fusion& a, const Fusion& b) { return structurallyEqual(a, b); },
          nb::is_operator())
      .def(
          "__ne__", [](const Fusion& a, const Fusion& b) { return !structurallyEqual(a, b); },
          nb::is_operator())
      .def("__hash__", &structuralHash)
      .def("__str__", [](const Fusion& f) { return f.printMath(true); });
  module.def(
      "returned_outputs", [](const Fusion& fusion) { return outputsOf(fusion, true); },
      nb::arg("fusion"), "Return the outputs of a fusion that a run returns, in order.");
  module.def("structural_hash", &structuralHash, nb::arg("fusion"),
             "Return a hash that is equal for structurally equal fusions.");

  nb::class_<Guard>(module, "FusionGuard",
                    R"(Makes a fusion the active one, as long as this object is alive.

Operations append to the active fusion of the thread. Deleting the guard restores the one
before.)")
      .def(nb::init<std::shared_ptr<Fusion>>(), nb::arg("fusion"));
}

using Sizes = std::vector<int64_t>;

std::pair<std::vector<std::optional<bool>>, Sizes> tensorDescriptor(const Sizes& sizes,
                                                                    const Sizes& strides) {
  ops::TensorDescriptor descriptor = ops::computeTensorDescriptor(sizes, strides);
  return {std::move(descriptor.contiguity), std::move(descriptor.strideOrder)};
}

constexpr const char* kDefineTensorDoc =
    R"(Create a tensor of the active fusion, without making it an input.

Three forms, told apart by their arguments::

    define_tensor(shape, contiguity: list[bool | None], dtype=DataType.Float, is_cpu=False,
                  stride_order=[])
    define_tensor(shape, contiguity: bool = False, dtype=DataType.Float, is_cpu=False,
                  stride_order=[])
    define_tensor(sizes, strides, dtype=DataType.Float, static_sizes=False, is_cpu=False)

Parameters
----------
shape : sequence of int
    One entry a dimension: -1 symbolic, 0 empty, 1 broadcast, above 1 exactly that size.
contiguity : list of (bool or None), or bool
    In order of memory, outermost first. True where the stride is that of a contiguous tensor,
    None for a broadcast dimension; None where the entry of `shape` is not 1 declares an
    expanded dimension. A single bool stands for all dimensions whose size is not 1.
dtype : DataType
is_cpu : bool
    A 0-dim tensor in host memory.
stride_order : sequence of int
    The rank of each dimension by stride, 0 the smallest. Empty is row-major.
sizes, strides : sequence of int
    Those of a tensor like this one.
static_sizes : bool
    Whether `sizes` are fixed; otherwise only those that are 1.

Returns
-------
TensorView

Raises
------
RuntimeError
    Without an active fusion; for an entry of `shape` below -1, lengths that do not agree, a
    `stride_order` that is no permutation, or `is_cpu` with a rank above 0.)";

void bindDefinition(nb::module_& module) {
  module.def(
      "define_tensor",
      [](const Sizes& shape, const ops::Contiguity& contiguity, DataType dtype, Flag isCpu,
         const Sizes& strideOrder) {
        return share(ops::defineTensor(shape, contiguity, dtype, isCpu, strideOrder));
      },
      nb::arg("shape"), nb::arg("contiguity"), nb::arg("dtype") = DataType::Float,
      nb::arg("is_cpu") = false, nb::arg("stride_order") = nb::list(), kDefineTensorDoc);
  module.def(
      "define_tensor",
      [](const Sizes& shape, Flag contiguity, DataType dtype, Flag isCpu,
         const Sizes& strideOrder) {
        return share(ops::defineTensor(shape, contiguity, dtype, isCpu, strideOrder));
      },
      nb::arg("shape"), nb::arg("contiguity") = false, nb::arg("dtype") = DataType::Float,
      nb::arg("is_cpu") = false, nb::arg("stride_order") = nb::list());
  module.def(
      "define_tensor",
      [](const Sizes& sizes, const Sizes& strides, DataType dtype, Flag staticSizes, Flag isCpu) {
        return share(ops::defineTensorLike(sizes, strides, dtype, staticSizes, isCpu));
      },
      nb::arg("sizes"), nb::arg("strides"), nb::arg("dtype") = DataType::Float,
      nb::arg("static_sizes") = false, nb::arg("is_cpu") = false);

  module.def(
      "define_scalar", [](DataType dtype) { return share(ops::defineScalar(dtype)); },
      nb::arg("dtype") = DataType::Double,
      R"(Create a scalar of the active fusion, without making it an input.

Two forms::

    define_scalar(dtype=DataType.Double)    # symbolic
    define_scalar(value, dtype=None)        # a constant; symbolic if value is None

Parameters
----------
value : bool, int, float, complex or None
    Converted to `dtype`.
dtype : DataType, optional
    Without one, Bool, Int, Double or ComplexDouble after the kind of `value`.

Returns
-------
Val

Raises
------
RuntimeError
    Without an active fusion.)");
  module.def(
      "define_scalar",
      [](const std::optional<Number>& value, std::optional<DataType> dtype) {
        return share(value.has_value() ? ops::defineScalar(value->value, dtype)
                                       : ops::defineScalar(dtype.value_or(DataType::Double)));
      },
      nb::arg("value").none(), nb::arg("dtype") = nb::none());

  module.def("compute_tensor_descriptor", &tensorDescriptor, nb::arg("sizes"), nb::arg("strides"),
             R"(Describe how a tensor of the given sizes and strides lies in memory.

Parameters
----------
sizes, strides : sequence of int

Returns
-------
contiguity : list of (bool or None)
    In order of memory, outermost first; None for dimensions of size 1 or stride 0.
stride_order : list of int
    The rank of each dimension by stride, 0 the smallest.

Raises
------
RuntimeError
    For a negative size or stride, or lengths that differ.)");
}

}  // namespace

void bindIr(nb::module_& module) {
  bindStatements(module);
  bindDomains(module);
  bindTensorView(module);
  bindFusion(module);
  bindDefinition(module);
}

}  // namespace nvfuser
