"""FusionDefinition: the object through which a fusion is defined and run."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from nvfuser import _C, call_sites, ops, packed_dtypes, schedule
from nvfuser.needs_torch import needs_torch
from nvfuser.signatures import checked
from nvfuser.traced import _describe

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from types import ModuleType, TracebackType

    import torch
    from typing_extensions import Self

    from nvfuser._C.operations import Operations
    from nvfuser.explanation import Explanation
    from nvfuser.multidevice import Sharding
    from nvfuser.signatures import AnyDataType

__all__ = ["FusionDefinition"]

_UNDEFINED = "Fusion does not exist! Use `with FusionDefinition() as fd: ...` to define a fusion."
_EMPTY = "Fusion is empty! Give it an output with `fd.add_output(...)`."


_define_scalar = checked(_C.define_scalar, __name__)

# What an object has of its own; everything else was set by a user.
_OWN_STATE = frozenset(
    {
        "_dtensor_executors",
        "_failure",
        "_fusion",
        "_fusion_guard",
        "_lock",
        "_outer_sites",
        "_sites",
        "fake_inputs",
        "ke",
    }
)


class FusionDefinition(_C.Executable):
    """A graph of tensor operations, defined once and run as few generated kernels.

    The definition happens in a ``with`` block; afterwards the object is called with tensors any
    number of times, from any number of threads. The definition is free of devices: each call runs
    where its inputs are.

    Attributes
    ----------
    ops : module
        The operations, the same module as ``nvfuser.ops``. They append to the fusion that is being
        defined on the calling thread.
    sched : module
        What schedules a fusion by hand, the same module as ``nvfuser.schedule``. It is used in the
        ``with`` block, after the definition.
    ke : KernelExecutor
        What holds and runs the kernel of :meth:`manual_execute`. There from the first one on.
    fec : FusionExecutorCache
        What holds and runs the compiled kernels. There from the first :meth:`execute` on, or set
        by a cache of fusions (:class:`nvfuser.LRUCache`).
    fake_inputs : list
        Data-less copies of the inputs of the last ``execute(..., save_repro_inputs=True)``.

    Notes
    -----
    Definitions nest, and every thread has its own stack of them. An exception in the block leaves
    the enclosing definition active and is passed on; the unfinished fusion can then not be run. A
    second ``with`` block on the same object starts a new fusion in place of the old one.

    Any further attribute may be set on the object.

    Examples
    --------
    >>> with FusionDefinition() as fd:
    ...     x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
    ...     fd.add_output(fd.ops.relu(fd.ops.add(x, 1.0)))
    >>> (y,) = fd.execute([torch.randn(3, 4)])
    """

    ops: Operations = cast("Operations", ops)
    sched: ModuleType = schedule

    def __init__(self) -> None:
        self._fusion: _C.Fusion | None = None
        # What the unfinished definition raised.
        self._failure: str | None = None
        # Where its values come from, and that of the definition around it while it is defined.
        self._sites: call_sites.CallSites | None = None
        # Two first calls at the same time must not both take the fusion.
        self._lock = threading.Lock()

    # ---------------------------------------------------------------- definition

    def __enter__(self) -> Self:
        if hasattr(self, "_fusion_guard"):
            raise RuntimeError("This FusionDefinition is already being defined.")
        self._forget_executor()
        self._failure = None
        self._fusion = _C.Fusion()
        self._fusion_guard = _C.FusionGuard(self._fusion)
        self._outer_sites = call_sites.current.sites
        self._sites = call_sites.current.sites = call_sites.CallSites()
        # What runs the fusion without this object finds them there.
        vars(self._fusion)["_sites"] = self._sites
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exception_type is not None:
            self._failure = f"{exception_type.__name__}: {exception}"
        call_sites.current.sites = self._outer_sites
        del self._fusion_guard, self._outer_sites

    @property
    def fusion(self) -> _C.Fusion | None:
        """That of ``fec`` once there is one, else the one under construction or None."""
        cache = self._executor
        return getattr(self, "_fusion", None) if cache is None else cache.fusion()

    def _note_input(self, value: _C.Val) -> None:
        assert self._sites is not None
        frame = sys._getframe(2)
        self._sites.add_input(frame)
        if isinstance(value, _C.TensorView):
            self._sites.add(value._number, frame)

    def _explain(self, error: BaseException) -> None:
        """Add to an error of a run where what it names was defined. What native code calls."""
        call_sites.explain_error(error, self._sites)

    def _defining(self, what: str) -> _C.Fusion:
        if not hasattr(self, "_fusion_guard") or self._fusion is None:
            raise RuntimeError(f"{what} is only possible in the `with` block of the definition.")
        return self._fusion

    @overload
    def define_tensor(
        self,
        shape: Sequence[int],
        contiguity: Sequence[bool | None] | bool = False,
        dtype: AnyDataType = _C.DataType.Float,
        is_cpu: bool = False,
        stride_order: Sequence[int] = (),
    ) -> _C.TensorView: ...

    @overload
    def define_tensor(
        self,
        sizes: Sequence[int],
        strides: Sequence[int],
        dtype: AnyDataType = _C.DataType.Float,
        static_sizes: bool = False,
        is_cpu: bool = False,
    ) -> _C.TensorView: ...

    def define_tensor(self, *args: Any, **kwargs: Any) -> _C.TensorView:
        """Declare a tensor input of the fusion.

        Three forms, told apart by their arguments, all of which may be given by position or name::

            define_tensor(shape, contiguity: list[bool | None], dtype=DataType.Float,
                          is_cpu=False, stride_order=[])
            define_tensor(shape, contiguity: bool = False, dtype=DataType.Float,
                          is_cpu=False, stride_order=[])
            define_tensor(sizes, strides, dtype=DataType.Float, static_sizes=False, is_cpu=False)

        Parameters
        ----------
        shape : sequence of int
            One entry a dimension: -1 any size, 0 empty, 1 broadcast, above 1 exactly that size.
        contiguity : list of (bool or None), or bool
            In order of memory, outermost first: True where the stride is that of a contiguous
            tensor, False where nothing is known, None for a broadcast dimension. None with a shape
            entry that is not 1 declares an expanded dimension (stride 0). One bool stands for all
            dimensions whose size is not 1.
        dtype : DataType
            Of the elements. ``Float4_e2m1fn_x2`` counts `shape` in pairs, see Notes.
        is_cpu : bool
            A 0-dim tensor that stays in host memory, next to CUDA tensors.
        stride_order : sequence of int
            The rank of each dimension by stride, 0 the fastest. Empty is row-major.
        sizes, strides : sequence of int
            Those of a tensor like the input; contiguity and order follow from them.
        static_sizes : bool
            Whether the fusion is made for exactly `sizes`; otherwise only sizes of 1 are fixed.

        Returns
        -------
        TensorView

        Raises
        ------
        RuntimeError
            Outside the ``with`` block; for an entry of `shape` below -1, lengths that do not
            agree, a `stride_order` that is no permutation, or `is_cpu` with a rank above 0.
        TypeError
            If no form fits the types of the arguments.

        Notes
        -----
        A tensor of dtype ``torch.float4_e2m1fn_x2`` holds two values in each byte and its shape
        counts bytes. Declared as ``Float4_e2m1fn_x2`` with that shape, the fusion sees a tensor of
        dtype ``Float4_e2m1fn`` whose fastest dimension is twice as long.
        """
        fusion = self._defining("define_tensor")
        tensor = packed_dtypes.define_tensor(*args, **kwargs)
        fusion.add_input(tensor)
        self._note_input(tensor)
        return tensor

    @overload
    def define_scalar(self, dtype: AnyDataType = _C.DataType.Double) -> _C.Val: ...

    @overload
    def define_scalar(self, value: complex | None, dtype: AnyDataType = None) -> _C.Val: ...

    def define_scalar(self, *args: Any, **kwargs: Any) -> _C.Val:
        """Declare a scalar: an input of the fusion, or a constant.

        Two forms::

            define_scalar(dtype=DataType.Double)    # an input
            define_scalar(value, dtype=None)        # a constant; an input if value is None

        Parameters
        ----------
        value : bool, int, float, complex or None
            The constant, converted to `dtype`.
        dtype : DataType
            Without one, that of the kind of `value`: Bool, Int, Double or ComplexDouble.

        Returns
        -------
        Val

        Raises
        ------
        RuntimeError
            Outside the ``with`` block.
        TypeError
            If no form fits the types of the arguments.
        """
        fusion = self._defining("define_scalar")
        scalar = _define_scalar(*args, **kwargs)
        if scalar.is_symbolic():
            fusion.add_input(scalar)
            self._note_input(scalar)
        return scalar

    def define_vector(self, size: int) -> list[_C.Val]:
        """Declare `size` Int scalars, each an input of its own.

        Parameters
        ----------
        size : int
            How many; a list or tuple of that many integers is passed for them to :meth:`execute`.

        Returns
        -------
        list of Val

        Raises
        ------
        RuntimeError
            Outside the ``with`` block.
        """
        return [self.define_scalar(dtype=_C.DataType.Int) for _ in range(size)]

    def from_pytorch(self, tensor: torch.Tensor, static_sizes: bool = False) -> _C.TensorView:
        """Declare a tensor input that is like `tensor`.

        Parameters
        ----------
        tensor : torch.Tensor
            Its dtype, rank, order of strides and contiguity are taken over. Of its sizes only
            those that are 1, unless `static_sizes`.
        static_sizes : bool
            Whether the fusion is made for exactly the sizes of `tensor`.

        Returns
        -------
        TensorView

        Raises
        ------
        TypeError
            If `tensor` is no tensor of torch.
        ValueError
            If `tensor` is neither on the CPU nor on a CUDA device, or is not strided.
        KeyError
            If the dtype of `tensor` has no counterpart in :class:`nvfuser.DataType`.
        RuntimeError
            Outside the ``with`` block.

        Notes
        -----
        nvFuser's direct bindings refuse CPU tensors of rank 1 and more; here they are like others.
        """
        needs_torch("from_pytorch")
        import torch

        from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype

        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"from_pytorch takes a torch.Tensor, but got {type(tensor).__name__}")
        kind = tensor.device.type
        if kind not in ("cpu", "cuda"):
            raise ValueError(
                f"Found unsupported device {tensor.device}, only CPU or CUDA tensors are supported"
            )
        if tensor.layout is not torch.strided or tensor.is_nested:
            layout = "nested" if tensor.is_nested else tensor.layout
            raise ValueError(
                f"Found unsupported layout {layout}, only strided tensors are supported"
            )
        return self.define_tensor(
            sizes=list(tensor.size()),
            strides=list(tensor.stride()),
            dtype=torch_dtype_to_nvfuser_dtype(tensor.dtype),
            static_sizes=static_sizes,
            is_cpu=kind == "cpu" and tensor.dim() == 0,
        )

    def add_output(
        self,
        output: _C.TensorView,
        alias_input: _C.TensorView | None = None,
        *,
        is_order_open: bool = False,
    ) -> None:
        """Register an output of the fusion.

        Parameters
        ----------
        output : TensorView
            The value to return. The same one may be registered again, and is then returned as many
            times. An input is returned as it was passed.
        alias_input : TensorView, optional
            An input that `output` is written into, in place of being returned.
        is_order_open : bool
            Whether the dimensions of what is returned may lie in memory in any order, so that
            kernels need not transpose. By default they lie in their own order, or in that of
            ``ops.stride_order``.

        Raises
        ------
        RuntimeError
            If `output` is a scalar or of another fusion, `alias_input` is not an input, or outside
            the ``with`` block.
        """
        fusion = self._defining("add_output")
        if alias_input is None:
            fusion.add_output(output, is_order_open=is_order_open)
        else:
            fusion.add_output(output, alias_input)

    def validate_definition(self) -> tuple[bool, str | None]:
        """Whether the definition is finished and can be run.

        Returns
        -------
        (bool, str or None)
            True and None, or False and what is wrong.
        """
        error = self._definition_error()
        return error is None, None if error is None else str(error)

    def _definition_error(self) -> Exception | None:
        if self._failure is not None:
            return RuntimeError(
                f"This fusion cannot be run: its definition raised {self._failure}. "
                "Define it again in a `with` block."
            )
        fusion = self.fusion
        if fusion is None:
            return NotImplementedError(_UNDEFINED)
        if not fusion.outputs():
            return NotImplementedError(_EMPTY)
        return None

    # ----------------------------------------------------------------- execution

    @property
    def fec(self) -> _C.FusionExecutorCache:
        """The executor cache of this fusion; there is none (AttributeError) before it is run."""
        cache = self._executor
        if cache is None:
            raise AttributeError(
                "This FusionDefinition has no attribute 'fec' before its first execute()."
            )
        return cache

    @fec.setter
    def fec(self, cache: _C.FusionExecutorCache) -> None:
        self._executor = cache

    @fec.deleter
    def fec(self) -> None:
        self._forget_executor()

    def _forget_executor(self) -> None:
        # Not by way of __dict__: of objects that have not been asked for theirs, Python finds
        # methods faster.
        self._executor = None
        if hasattr(self, "ke"):
            del self.ke

    def __copy__(self) -> Self:
        """Return another object for the same fusion and executor."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._executor = self._executor
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """What is pickled or copied deeply: :meth:`serialize`, and attributes that were set."""
        state = {name: value for name, value in self.__dict__.items() if name not in _OWN_STATE}
        if self.fusion is None and self._failure is None:
            return type(self), (), state
        return type(self).deserialize, (self.serialize(),), state

    def _prepare(self) -> _C.FusionExecutorCache:
        """Return the executor; there is one from then on. What the first execute() calls."""
        with self._lock:
            if self._executor is None:
                if hasattr(self, "ke"):
                    raise AssertionError(
                        "KernelExecutor already exists! Use manual_execute() to execute the fusion."
                    )
                if hasattr(self, "_fusion_guard"):
                    raise RuntimeError("The definition is not finished: leave its `with` block.")
                error = self._definition_error()
                if error is not None:
                    raise error
                assert self._fusion is not None
                self._executor = _C.FusionExecutorCache(self._fusion)
                self._fusion = None
            return self.fec

    def _save_inputs(self, inputs: Iterable[Any]) -> list[Any]:
        from nvfuser.pytorch_utils import without_data

        inputs = list(inputs)
        self.fake_inputs = without_data(inputs)
        return inputs

    # Native, so that no frame of Python's is between the caller and the kernels.
    execute = _C.Executable.execute
    _describe = _describe

    def bind(self, inputs: Iterable[Any]) -> _C.BoundPlan:
        """Compile for inputs like these and return what runs them with the least overhead.

        Parameters
        ----------
        inputs : list or other iterable
            As of :meth:`execute`. They are not kept.

        Returns
        -------
        callable
            ``plan(*inputs, outputs=None)`` makes the same checks and returns the same list as
            ``fd.execute(inputs, outputs=outputs)``.

        Raises
        ------
        Exception
            As of :meth:`execute`.
        """
        executor = self._prepare()
        try:
            return executor.bind(inputs)
        except RuntimeError as error:
            self._explain(error)
            raise

    def get_output_shardings(self) -> list[Sharding]:
        """Return how the outputs are divided among devices.

        Returns
        -------
        list of nvfuser.multidevice.Sharding
            One for each output, none if no tensor has a mesh.

        Raises
        ------
        RuntimeError
            If the meshes of the definition contradict each other.
        """
        from nvfuser.multidevice import output_shardings

        return output_shardings(self._prepare())

    def validate(
        self,
        inputs: Iterable[Any],
        reference_outputs: list[torch.Tensor] | None = None,
        device: int | str | torch.device | None = None,
        **kwargs: Any,
    ) -> list[torch.Tensor]:
        """Run the fusion and compare its outputs with references.

        Parameters
        ----------
        inputs : list or other iterable
            As of :meth:`execute`.
        reference_outputs : list of torch.Tensor, optional
            The expected outputs; without them, what torch computes operation by operation.
            Floating-point and complex ones are compared with the tolerances
            of :func:`nvfuser.get_val_tolerances`, others exactly.
        device, **kwargs
            As of :meth:`execute`.

        Returns
        -------
        list of torch.Tensor
            The outputs.

        Raises
        ------
        AssertionError
            If the number of outputs, a shape or a value differs.
        NotImplementedError
            Without `reference_outputs`, for operations whose result torch cannot repeat: random
            numbers, fp4 and quantization.
        """
        if not isinstance(inputs, Iterable):
            return self.execute(inputs, device=device, **kwargs)  # which says what is wrong
        inputs = list(inputs)
        if any(
            isinstance(value, _C.TensorView) and not hasattr(given, "__dlpack__")
            for value, given in zip(self._prepare().fusion().inputs(), inputs, strict=False)
        ):
            return self.execute(inputs, device=device, **kwargs)
        if reference_outputs is None:
            reference_outputs = self._reference_outputs(inputs)
        outputs = self.execute(inputs, device=device, **kwargs)
        self._compare(inputs, outputs, reference_outputs)
        return outputs

    # --------------------------------------------------------- schedules by hand

    def manual_execute(
        self, inputs: Iterable[Any], heuristic_params: _C.HeuristicParams | None = None
    ) -> list[torch.Tensor]:
        """Run the fusion with its schedule by hand, see `sched`.

        The first call compiles; later changes of the fusion have no effect. A fusion without a
        schedule runs as plain loops, one after the other.

        Parameters
        ----------
        inputs : list or other iterable
            As of :meth:`execute`.
        heuristic_params : HeuristicParams, optional
            Its `lparams` and `cparams` are used to compile and launch the kernel.

        Returns
        -------
        list of torch.Tensor
            As of :meth:`execute`; views of inputs are copied.

        Raises
        ------
        AssertionError
            After :meth:`execute`.
        NotImplementedError
            If there is no fusion, or one without outputs.
        RuntimeError
            As of :meth:`execute`; if the schedule is not legal, or does not fit sizes or device.
        """
        executor = getattr(self, "ke", None)
        try:
            if executor is None:
                executor = self._compile_as_scheduled(inputs := list(inputs), heuristic_params)
            return executor.run(inputs)
        except RuntimeError as error:
            self._explain(error)
            raise

    def _compile_as_scheduled(
        self, inputs: list[Any], params: _C.HeuristicParams | None
    ) -> _C.KernelExecutor:
        with self._lock:
            if self._executor is not None:
                raise AssertionError(
                    "FusionExecutorCache already exists! Use execute() to execute the fusion."
                )
            if not hasattr(self, "ke"):
                if hasattr(self, "_fusion_guard"):
                    raise RuntimeError("The definition is not finished: leave its `with` block.")
                executor = _C.KernelExecutor()
                if params is None:
                    executor.compile(self._defined(), inputs)
                else:
                    executor.compile(
                        self._defined(),
                        inputs,
                        params.lparams,
                        params.cparams,
                        params.scheduler_type,
                    )
                self.ke = executor
            return self.ke

    def manual_validate(
        self, inputs: Iterable[Any], reference_outputs: list[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        """Run the fusion as scheduled by the user and compare its outputs with references.

        Parameters
        ----------
        inputs : list or other iterable
            As of :meth:`execute`.
        reference_outputs : list of torch.Tensor, optional
            As of :meth:`validate`.

        Returns
        -------
        list of torch.Tensor
            The outputs.

        Raises
        ------
        AssertionError
            If the number of outputs, a shape or a value differs, or after :meth:`execute`.
        Exception
            As of :meth:`manual_execute`.
        """
        inputs = list(inputs)
        if reference_outputs is None:
            reference_outputs = self._reference_outputs(inputs)
        outputs = self.manual_execute(inputs)
        self._compare(inputs, outputs, reference_outputs)
        return outputs

    def _reference_outputs(self, inputs: list[Any]) -> list[torch.Tensor]:
        """Evaluate the definition, before a run that may update inputs in place."""
        from nvfuser import reference

        return reference.evaluate(self._defined(), inputs)

    def _compare(
        self,
        inputs: list[Any],
        outputs: list[torch.Tensor],
        reference_outputs: list[torch.Tensor],
    ) -> None:
        from nvfuser import validation

        fusion = self.fusion
        assert fusion is not None
        validation.compare_outputs(fusion, inputs, outputs, reference_outputs)

    # --------------------------------------------------- reproducing and saving

    def repro_script_for(self, inputs: Iterable[Any] | None = None) -> str:
        """Return a script that defines this fusion again and runs it.

        Parameters
        ----------
        inputs : list or other iterable, optional
            Inputs as of :meth:`execute`. The script runs the fusion on random tensors of the same
            shapes, strides, dtypes and devices, and on the same numbers; values of integer tensors
            are within the same range, and the same where they are few. Without inputs the script
            ends with the definition.

        Returns
        -------
        str
            Python source that needs nothing but torch and nvfuser.

        Raises
        ------
        NotImplementedError
            If there is no fusion, or one without outputs.
        RuntimeError
            As of :func:`nvfuser.translate_fusion`.
        """
        from nvfuser import reproducer

        return reproducer.script(_C.translate_fusion(self._defined()), inputs)

    def last_repro_script(self) -> str:
        """Return :meth:`repro_script_for` the inputs kept by the last run that kept them.

        Raises
        ------
        AssertionError
            If no ``execute(inputs, save_repro_inputs=True)`` came before.
        Exception
            As of :meth:`repro_script_for`.
        """
        if not hasattr(self, "fake_inputs"):
            raise AssertionError(
                "fd.last_repro_script() cannot provide a repro because "
                "fd.execute(inputs, save_repro_inputs=True) was not executed!"
            )
        return self.repro_script_for(self.fake_inputs)

    def serialize(self) -> bytes:
        """Return the definition as bytes, to be kept or sent to another process.

        Returns
        -------
        bytes
            What :meth:`deserialize` makes an equal fusion from: with the same version of nvfuser
            or a later one, on any machine. Compiled kernels, schedules and attributes of this
            object are not part of it. ``pickle`` and ``copy.deepcopy`` keep these attributes, too.

        Raises
        ------
        NotImplementedError
            If there is no fusion, or one without outputs.
        RuntimeError
            If the definition raised, or as of :func:`nvfuser.translate_fusion`.
        """
        from nvfuser import serialization

        return serialization.dumps(self._defined())

    @classmethod
    def deserialize(cls, data: bytes | bytearray | memoryview) -> Self:
        """Return a definition that was saved by :meth:`serialize`.

        Parameters
        ----------
        data : bytes-like
            Nothing in it is executed as code.

        Returns
        -------
        FusionDefinition

        Raises
        ------
        TypeError
            If `data` is not bytes-like.
        RuntimeError
            If `data` is no saved definition, is damaged, or was saved by a later version of
            nvfuser in a format that this one does not know.
        """
        from nvfuser import serialization

        calls = serialization.loads(data)
        definition = cls()
        with definition:
            serialization.replay(calls, definition)
        return definition

    def draw(self, path: str | os.PathLike[str]) -> Path:
        """Write a picture of the definition: inputs, operations and outputs.

        Boxes are coloured: inputs, outputs, operations of generated kernels, operations that torch
        computes (known where torch is installed). Arrows have the name, dtype and shape of what
        they carry.

        After :meth:`execute`, the operations of each kernel have a colour of their own and a frame
        around them with the kernel's name, its scheduler and the bytes that it moves; with its time
        and bandwidth if a run was profiled (:class:`nvfuser.PythonProfiler`). Shown is the last
        profiled run, otherwise the last one.

        Parameters
        ----------
        path : str or path-like
            The file; its ending is the format. ``.dot`` and ``.gv`` are text and need nothing.
            Others, as ``.png`` and ``.pdf``, need the package ``graphviz`` (the extra ``draw``)
            and Graphviz' program ``dot``. ``.svg`` has a simpler layout without them.

        Returns
        -------
        pathlib.Path
            The file that was written. Where the package or program is missing for a format other
            than ``.svg``, that is the text, with the ending ``.dot``, and a UserWarning says so.

        Raises
        ------
        ValueError
            If `path` has no ending, or one that is no format of Graphviz.
        NotImplementedError
            If there is no fusion, or one without outputs.
        RuntimeError
            If the definition raised, or as of :func:`nvfuser.translate_fusion`.
        """
        from nvfuser import drawing

        return drawing.draw(self._defined(), path, self._executor)

    def explain(self, inputs: Iterable[Any]) -> Explanation:
        """Explain a run: its parts, the lines of the program behind them, and their costs.

        Parameters
        ----------
        inputs : list or other iterable
            As of :meth:`execute`. Inputs that a run updates are left unchanged.

        Returns
        -------
        Explanation
            ``print`` shows a table, notebooks a picture. See :func:`nvfuser.explain`.

        Raises
        ------
        Exception
            As of :meth:`execute`.
        """
        from nvfuser import explanation

        return explanation.explain_definition(self, inputs)

    def _repr_svg_(self) -> str | None:
        """Return the picture that notebooks show, with the kernels of the last run as frames.

        None, for which they show the text, without a finished definition or for a huge one.
        """
        if self._definition_error() is not None:
            return None
        from nvfuser import drawing

        fusion = self._defined()
        return drawing.svg_or_none(fusion, self._executor)

    def _defined(self) -> _C.Fusion:
        error = self._definition_error()
        if error is not None:
            raise error
        fusion = self.fusion
        assert fusion is not None
        return fusion

    def __repr__(self) -> str:
        fusion = self.fusion
        if fusion is None:
            return "<FusionDefinition without a fusion>"
        return _C.translate_fusion(fusion)


def _tensor_form(
    self: FusionDefinition,
    shape: Sequence[int],
    contiguity: Sequence[bool | None] | bool = False,
    dtype: _C.DataType = _C.DataType.Float,
    is_cpu: bool = False,
    stride_order: Sequence[int] = (),
) -> _C.TensorView:
    raise NotImplementedError


def _scalar_form(
    self: FusionDefinition, value: complex | None = None, dtype: _C.DataType | None = None
) -> _C.Val:
    raise NotImplementedError


# What inspect and interactive shells show of functions with several forms: the commonest.
for _function, _form in (
    (FusionDefinition.define_tensor, _tensor_form),
    (FusionDefinition.define_scalar, _scalar_form),
):
    _function.__dict__["__signature__"] = inspect.signature(_form)
