"""What the native call path leaves to Python: inputs that are not plain tensors or numbers.

The fast path takes exact ``torch.Tensor`` and ``torch.nn.Parameter`` objects, ``numpy.ndarray`` and
Python numbers. Everything else comes here and is either turned into one of those with the same
values, or refused with the reason: DLPack's C interface, which the fast path reads tensors through,
would pass several of them on with wrong values.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from nvfuser.dtypes import TORCH_NAMES

if TYPE_CHECKING:
    import numpy
    import torch

SUPPORTED_DTYPES = ", ".join(dict.fromkeys(TORCH_NAMES.values()))


def resolve_input(value: Any, position: int) -> tuple[Any, bool]:
    """Find what a call can read in place of an unusual input.

    Parameters
    ----------
    value : object
        An input that the fast path could not convert.
    position : int
        Its number, for messages.

    Returns
    -------
    tuple of object and bool
        An exact ``torch.Tensor``, an exact ``numpy.ndarray`` or a Python number, and whether it is
        a copy, so that writing to it would not reach `value`.

    Raises
    ------
    RuntimeError
        If there is nothing with the same values.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _resolve_torch(torch, value, position)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic | numpy.ndarray):
        return _resolve_numpy(numpy, value, position)
    if isinstance(value, list | tuple):
        raise RuntimeError(
            f"Input {position} is a {type(value).__name__} inside a list or tuple: those are "
            "flattened by one level only"
        )
    if hasattr(value, "__dlpack__"):
        return _import_dlpack(value, position), False
    raise RuntimeError(
        f"Input {position} is of type {type(value).__qualname__}, which is neither a tensor nor a "
        "bool, int, float or complex number"
    )


def _resolve_torch(torch: Any, value: torch.Tensor, position: int) -> tuple[torch.Tensor, bool]:
    what = f"Input {position} is a {type(value).__qualname__}"
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        _check_subclass(torch, value, what)
        with torch._C.DisableTorchFunctionSubclass():
            value = value.as_subclass(torch.Tensor)
    _check_layout(torch, value, what)
    if f"torch.{_dtype_name(value)}" != str(value.dtype):
        raise RuntimeError(
            f"Input {position} is a tensor of dtype {value.dtype}, which is not supported; "
            f"supported are {SUPPORTED_DTYPES}"
        )
    if value.device.type not in ("cpu", "cuda"):
        raise RuntimeError(
            f"{what} on device {value.device}, but fusions run on CPU and CUDA devices only"
        )
    # The views hold the bytes of what they are the conjugate or negative of.
    resolved = value.resolve_conj().resolve_neg()
    if resolved.numel() > 0 and resolved.data_ptr() == 0:
        raise RuntimeError(
            f"{what} of shape {tuple(value.shape)} without memory, as in tracing or transforms"
        )
    return resolved, resolved is not value and resolved.data_ptr() != value.data_ptr()


def _check_subclass(torch: Any, value: torch.Tensor, what: str) -> None:
    """Refuse subclasses whose values are not simply those in their memory."""
    cls = type(value)
    if any(base.__name__ == "FakeTensor" for base in cls.__mro__):
        raise RuntimeError(f"{what}, which has a shape and a dtype but no values")
    if any(base.__name__ == "DTensor" for base in cls.__mro__):
        raise RuntimeError(f"{what}: pass its local tensor, DTensor.to_local()")
    is_plain = cls.__torch_dispatch__ is torch.Tensor.__torch_dispatch__ and (
        cls.__torch_function__ is torch._C._disabled_torch_function_impl
        or cls.__torch_function__.__func__ is torch.Tensor.__torch_function__.__func__
    )
    if not is_plain:
        raise RuntimeError(
            f"{what}, a tensor subclass that redefines what operations on it do "
            "(__torch_dispatch__ or __torch_function__), which a fusion cannot follow; if its own "
            "memory is what is meant, pass x.as_subclass(torch.Tensor)"
        )


def _check_layout(torch: Any, value: torch.Tensor, what: str) -> None:
    if value.is_nested:
        raise RuntimeError(f"{what} of nested layout: pass its values, or a padded tensor")
    if value.layout != torch.strided:
        raise RuntimeError(
            f"{what} of layout {value.layout}, but fusions read strided tensors only: pass "
            "x.to_dense()"
        )
    if value.is_quantized:
        raise RuntimeError(f"{what} that is quantized ({value.dtype}): pass x.dequantize()")
    if value.is_meta:
        raise RuntimeError(f"{what} on the meta device, which has no values")
    if torch._C._functorch.is_functorch_wrapped_tensor(value):
        raise RuntimeError(
            f"{what} inside a transform of torch.func (vmap, grad...), which cannot see into a "
            "fusion"
        )
    if torch._is_functional_tensor(value):
        raise RuntimeError(f"{what} under functionalization, which cannot see into a fusion")


def _dtype_name(value: torch.Tensor) -> str | None:
    """Return the supported dtype with this name, None for another one."""
    name = str(value.dtype).removeprefix("torch.")
    return name if name in TORCH_NAMES.values() else None


def _resolve_numpy(numpy: Any, value: Any, position: int) -> tuple[Any, bool]:
    if isinstance(value, numpy.generic):
        number = value.item()
        if isinstance(number, bool | int | float | complex):
            return number, False
        raise RuntimeError(
            f"Input {position} is a NumPy scalar of dtype {value.dtype}, which is not supported"
        )
    if isinstance(value, numpy.ma.MaskedArray):
        raise RuntimeError(f"Input {position} is a masked array: pass x.filled()")
    plain = numpy.asarray(value)
    if plain.dtype.kind not in "biufcV" or plain.dtype.names is not None:
        _refuse_numpy_dtype(plain, position)
    if plain.dtype.isnative and all(s % plain.itemsize == 0 for s in plain.strides):
        if plain is value:
            # It has all that the fast path can read, except for its dtype.
            _refuse_numpy_dtype(plain, position)
        return plain, False
    # In another byte order, or a field of larger records.
    return numpy.ascontiguousarray(plain, dtype=plain.dtype.newbyteorder("=")), True


def _refuse_numpy_dtype(value: numpy.ndarray, position: int) -> NoReturn:
    raise RuntimeError(
        f"Input {position} is a NumPy array of dtype {value.dtype}, which is not supported; "
        f"supported are {SUPPORTED_DTYPES}"
    )


def _import_dlpack(value: Any, position: int) -> Any:
    """Import an array of another library without copying it, as a tensor or NumPy array."""
    try:
        import torch
    except ModuleNotFoundError:
        try:
            import numpy
        except ModuleNotFoundError:
            raise RuntimeError(
                f"Input {position} is a {type(value).__qualname__}: to read it, torch or NumPy "
                "must be installed"
            ) from None
        return _from_dlpack(numpy.from_dlpack, value, position)
    tensor = _from_dlpack(torch.from_dlpack, value, position)
    return _resolve_torch(torch, tensor, position)[0]


def _from_dlpack(convert: Any, value: Any, position: int) -> Any:
    try:
        return convert(value)
    except (AssertionError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise RuntimeError(
            f"Input {position} is a {type(value).__qualname__} that cannot be imported through "
            f"DLPack: {error}"
        ) from error


def device_without_arrays(outputs: Any) -> str:
    """Return where a fusion runs whose inputs are no arrays.

    That is where its results go, if some of `outputs` are given, and otherwise torch's default
    device. torch does not tell whether a program chose the CPU or nothing, so that where it is the
    CPU, the current CUDA device goes first if there is one: programs for nvFuser expect it.
    """
    for output in outputs or ():
        if output is not None:
            return str(getattr(output, "device", "cpu"))
    try:
        import torch
    except ModuleNotFoundError:
        return "cpu"
    default = torch.get_default_device()
    if default.type == "cuda" or (default.type == "cpu" and torch.cuda.is_available()):
        index = torch.cuda.current_device() if default.index is None else default.index
        return f"cuda:{index}"
    return "cpu"


# ---------------------------------------------------------------- NumPy outputs


def next_random_state(device: str, count: int) -> tuple[int, int]:
    """Return the seed and the first offset of `count` random operations, and advance the generator.

    On CUDA they are those of torch's default generator of the device, whose offset counts numbers
    of 32 bits, four for each operation. The generator of the CPU has no offset: what it draws next,
    64 bits, is the seed, and offsets begin at 0.

    Raises
    ------
    RuntimeError
        While the device's stream is captured: a graph would repeat the same numbers for ever.
    """
    import torch

    if device == "cpu":
        return int(torch.empty((), dtype=torch.int64, device="cpu").random_()), 0
    torch.cuda.init()
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError(
            "Random numbers of torch's generator cannot be captured in a CUDA graph, which would "
            "repeat them: pass rng_seed and rng_offset as inputs, or run before the capture"
        )
    generator = torch.cuda.default_generators[torch.device(device).index]
    offset = generator.get_offset()
    generator.set_offset(offset + 4 * count)
    seed = generator.initial_seed()
    # Seeds have 64 bits without a sign.
    return (seed - 2**64 if seed >= 2**63 else seed), offset // 4


def numpy_dtype(name: str) -> numpy.dtype:
    """Return the NumPy dtype of the native DataType called `name`."""
    import numpy

    numpy_name = TORCH_NAMES.get(name)
    # ml_dtypes has a byte for each fp4 value.
    if numpy_name is None or name == "Float4_e2m1fn_x2":
        raise RuntimeError(f"NumPy has no dtype for outputs of DataType.{name}")
    try:
        return numpy.dtype(numpy_name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise RuntimeError(
            f"NumPy has no dtype for outputs of DataType.{name}: install ml_dtypes, or pass torch "
            "tensors"
        ) from None
    dtype: numpy.dtype = numpy.dtype(getattr(ml_dtypes, numpy_name))
    return dtype


def empty_array(sizes: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> numpy.ndarray:
    """Return an uninitialized NumPy array.

    Parameters
    ----------
    sizes, strides : tuple of int
        Counted in elements; the strides of a dense layout.
    dtype : str
        Name of the native DataType.
    """
    import numpy

    array_dtype = numpy_dtype(dtype)
    if 0 in sizes:
        return numpy.empty(sizes, array_dtype)
    count = 1 + sum((n - 1) * stride for n, stride in zip(sizes, strides, strict=True))
    memory = numpy.empty(count, array_dtype)
    byte_strides = tuple(stride * array_dtype.itemsize for stride in strides)
    array: numpy.ndarray = numpy.ndarray(sizes, array_dtype, memory, strides=byte_strides)
    return array


def view_of_tensor(
    tensor: torch.Tensor,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    dtype: torch.dtype,
) -> torch.Tensor:
    """Return a view of the memory of a tensor, detached.

    Parameters
    ----------
    tensor : torch.Tensor
        What to look at.
    sizes, strides : tuple of int
        Counted in elements.
    offset : int
        Elements between the first one of `tensor` and that of the view.
    dtype : torch.dtype
        Of the view; its elements have the size of those of `tensor`.
    """
    viewed = tensor.detach().view(dtype)
    return viewed.as_strided(sizes, strides, viewed.storage_offset() + offset)


def view_of_array(
    array: numpy.ndarray, sizes: tuple[int, ...], strides: tuple[int, ...], offset: int, dtype: str
) -> numpy.ndarray:
    """Return a view of the memory of a NumPy array: see :func:`view_of_tensor`.

    `dtype` is the name of the native DataType.
    """
    import numpy

    viewed = array.view(numpy_dtype(dtype))
    address, is_read_only = viewed.__array_interface__["data"]
    interface = {
        "version": 3,
        "shape": sizes,
        # Dtypes from outside NumPy have no name in this protocol: by size, and renamed below.
        "typestr": f"|V{viewed.itemsize}",
        "strides": tuple(stride * viewed.itemsize for stride in strides),
        "data": (address + offset * viewed.itemsize, is_read_only),
    }
    view: numpy.ndarray = numpy.asarray(_ArrayView(interface, array)).view(viewed.dtype)
    return view


class _ArrayView:
    """What NumPy makes a view of: an address and strides, with the object that owns the memory."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = interface
        self._owner = owner
