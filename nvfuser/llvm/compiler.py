"""Compiles textual LLVM IR for the host CPU, through a cache of object code on disk.

The way of a module: its text and the target make a key; an object of that key is loaded from disk.
Otherwise llvmlite, whose start takes ten times as long as that and which is not imported before,
compiles it: the inline math library is linked in as text, the module is optimized (the loop
vectorizer is what makes the kernels fast) and the object stored. Objects are loaded by the core.
"""

from __future__ import annotations

import collections
import functools
import importlib
import os
import re
import threading
import weakref
from collections.abc import Mapping
from typing import Any, NamedTuple

from nvfuser import _C, object_cache
from nvfuser.llvm import binding, library

# Part of every key: raise it when the passes or the way of loading change what is generated.
_PIPELINE_VERSION = "5"

_NEEDED = (
    "running a fusion on the CPU needs llvmlite, which could not be imported ({}); "
    "install it with `pip install --force-reinstall llvmlite`"
)
# CPUs whose LLVM tuning prefers 256-bit vectors although their 512-bit units cost no frequency.
_WIDE_VECTORS_PAY = frozenset(
    ["sapphirerapids", "emeraldrapids", "graniterapids", "graniterapids-d", "diamondrapids"]
)


class CompilationError(RuntimeError):
    """LLVM IR that could not be compiled; the message holds an excerpt of it."""


class HostTarget(NamedTuple):
    """What code is generated for.

    Attributes
    ----------
    triple : str
        LLVM's target triple.
    cpu : str
        LLVM's name of the CPU, for example ``znver5``.
    features : str
        Comma-separated features with their signs, for example ``+avx2,-sse4a``.
    """

    triple: str
    cpu: str
    features: str

    @property
    def enabled(self) -> frozenset[str]:
        """The names of the features that are on."""
        return frozenset(f[1:] for f in self.features.split(",") if f.startswith("+"))


class CompiledModule:
    """Machine code of one module; it stays mapped as long as this object lives.

    Attributes
    ----------
    from_cache : bool
        Whether the code was loaded from the cache on disk.
    """

    def __init__(self, image: bytes, from_cache: bool) -> None:
        self._code = _C.ObjectCode(image)
        self._functions: dict[str, int] = self._code.functions
        self.from_cache = from_cache

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the functions that the module exports, sorted."""
        return tuple(self._functions)

    def address(self, symbol: str) -> int:
        """Return the address of an exported function.

        Parameters
        ----------
        symbol : str
            The function's name, without ``@``.

        Returns
        -------
        int
            Its address, valid while this object lives.

        Raises
        ------
        KeyError
            If the module does not export such a function.
        """
        if symbol not in self._functions:
            exported = ", ".join(self._functions)
            raise KeyError(f"no function {symbol!r} in this module; it exports {exported}")
        return self._functions[symbol]


@functools.cache
def _llvmlite_version() -> str:
    """Which llvmlite there is: asking loads none of LLVM."""
    try:
        from llvmlite import __version__
    except (ImportError, OSError) as error:
        raise RuntimeError(_NEEDED.format(error)) from error
    return str(__version__)


def _load_llvm() -> Any:
    """Return ``llvmlite.binding``, or for the releases that it knows what does the same sooner."""
    import llvmlite

    package = getattr(llvmlite, "__file__", None)
    release = ".".join(_llvmlite_version().split(".")[:2])
    if package is None or release not in binding.RELEASES:
        return importlib.import_module("llvmlite.binding")
    path = os.path.join(os.path.dirname(package), "binding", "libllvmlite.so")
    loading = _C.BackgroundLoad(path)
    library.definitions()  # does not need LLVM
    loaded = binding.Binding(path)
    del loading
    return loaded


@functools.cache
def _llvmlite() -> Any:
    """Load llvmlite and initialize LLVM for the host, once."""
    try:
        loaded = _load_llvm()
    except (ImportError, OSError) as error:
        raise RuntimeError(_NEEDED.format(error)) from error
    if not hasattr(loaded, "create_pass_builder"):
        raise RuntimeError(
            f"llvmlite {_llvmlite_version()} is too old for nvfuser; "
            "upgrade it with `pip install --upgrade llvmlite`"
        )
    try:
        loaded.initialize_native_target()
        loaded.initialize_native_asmprinter()
    except (RuntimeError, OSError) as error:
        raise RuntimeError(
            f"llvmlite could not initialize LLVM for {os.uname().machine} ({error}); "
            "install a build for this machine with `pip install --force-reinstall llvmlite`"
        ) from error
    return loaded


@functools.cache
def host_target() -> HostTarget:
    """Return the host CPU as LLVM sees it.

    Returns
    -------
    HostTarget
        Triple, CPU name and features.

    Raises
    ------
    RuntimeError
        If llvmlite is missing or broken.
    """
    llvm = _llvmlite()
    cpu = llvm.get_host_cpu_name()
    flags: Mapping[str, bool] = llvm.get_host_cpu_features()
    features = [("+" if on else "-") + name for name, on in sorted(flags.items())]
    if cpu in _WIDE_VECTORS_PAY:
        features.append("-prefer-256-bit")
    return HostTarget(llvm.get_process_triple(), cpu, ",".join(features))


@functools.cache
def _target_machine(target: HostTarget, fast_compile: bool) -> Any:
    return (
        _llvmlite()
        .Target.from_triple(target.triple)
        .create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=1 if fast_compile else 3,
            reloc="pic",
            codemodel="small",
        )
    )


objects = object_cache.ObjectCache("llvm")
_lock = threading.RLock()
object_cache.hold_while_forking(_lock)
_modules: weakref.WeakValueDictionary[str, CompiledModule] = weakref.WeakValueDictionary()
# Definitions that are made again for each call find their code here.
_recent: collections.deque[CompiledModule] = collections.deque(maxlen=256)


def compile_ir(
    ir: str,
    *,
    cache: bool = True,
    fast_compile: bool = False,
    target: HostTarget | None = None,
) -> CompiledModule:
    """Compile a module of textual LLVM IR for the host.

    Parameters
    ----------
    ir : str
        The module. It may call any function of the inline math library (``@nvf.``) without
        defining or declaring it, and functions of the C library after declaring them.
    cache : bool
        Whether objects on disk may be used and written. ``NVFUSER_DISABLE_CACHE=1`` wins over it.
    fast_compile : bool
        Optimize for compile time: no vectorization.
    target : HostTarget, optional
        Other features than the host's, for tests. Its code must be able to run here.

    Returns
    -------
    CompiledModule
        The code. Compiling equal text again while it lives returns the same object.

    Raises
    ------
    CompilationError
        If LLVM rejects the module or a symbol cannot be resolved.
    RuntimeError
        If llvmlite is missing or broken.
    """
    key = _key(ir, target, fast_compile)
    with _lock:
        module = _modules.get(key)
        if module is not None:
            object_cache.tell_origin(module.symbols, "the code of an equal kernel")
            return module
        module = _load_or_compile(ir, key, target, fast_compile, cache and object_cache.enabled())
        _modules[key] = module
        _recent.append(module)
        origin = "from the cache on disk" if module.from_cache else "by LLVM"
        object_cache.tell_origin(module.symbols, origin)
        return module


@functools.cache
def _identity() -> str:
    """What tells this processor from others, found out without LLVM where possible."""
    return _C.cpu_identity() or repr(host_target())


def _key(ir: str, target: HostTarget | None, fast_compile: bool) -> str:
    return object_cache.key_of(
        _PIPELINE_VERSION,
        _llvmlite_version(),
        library.version(),
        repr(target) if target else _identity(),
        str(fast_compile),
        ir,
    )


def _load_or_compile(
    ir: str, key: str, target: HostTarget | None, fast_compile: bool, cache: bool
) -> CompiledModule:
    if cache:
        stored = objects.load(key)
        if stored is not None:
            return _load(stored, ir, True)
    code = compile_object(ir, target=target, fast_compile=fast_compile)
    module = _load(code, ir, False)
    if cache:
        objects.store(key, code)
    return module


def compile_object(
    ir: str, *, target: HostTarget | None = None, fast_compile: bool = False
) -> bytes:
    """Compile a module to an ELF object without loading it. Parameters as in `compile_ir`."""
    target = target or host_target()
    machine = _target_machine(target, fast_compile)
    return bytes(machine.emit_object(optimize(ir, target, fast_compile)))


def compile_assembly(
    ir: str, *, target: HostTarget | None = None, fast_compile: bool = False
) -> str:
    """Compile a module to assembly text, to be read. Parameters as in `compile_ir`."""
    target = target or host_target()
    machine = _target_machine(target, fast_compile)
    return str(machine.emit_assembly(optimize(ir, target, fast_compile)))


def optimize(ir: str, target: HostTarget, fast_compile: bool = False) -> Any:
    """Link the inline math library into a module and run LLVM's passes over it."""
    llvm = _llvmlite()
    text = library.link(ir, _library_features(target), vectorize=not fast_compile)
    try:
        # A context of its own: types and metadata of a module are freed with it.
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        unknown = library.missing(ir)
        if unknown:
            names = ", ".join("@" + name for name in unknown)
            raise CompilationError(f"the inline math library has no {names}") from error
        raise CompilationError(_describe(str(error), text)) from error
    module.triple = target.triple
    machine = _target_machine(target, fast_compile)
    module.data_layout = str(machine.target_data)
    # What level 3 adds are copies of loops for conditions that kernels do not have, at a quarter of
    # the time; and there are no straight lines of code to vectorize.
    options = llvm.create_pipeline_tuning_options(speed_level=1 if fast_compile else 2)
    options.loop_vectorization = not fast_compile
    options.slp_vectorization = False
    options.loop_interleaving = not fast_compile
    options.loop_unrolling = not fast_compile
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def _library_features(target: HostTarget) -> frozenset[str]:
    """What variants of the library's functions are chosen by."""
    # Before version 22, LLVM calls the C library for each element of a vector.
    if _llvmlite().llvm_version_info[0] >= 22 and "avx512vl" in target.enabled:
        return target.enabled | {library.VECTOR_LDEXP}
    return target.enabled


def _load(code: bytes, ir: str, from_cache: bool) -> CompiledModule:
    try:
        return CompiledModule(code, from_cache)
    except RuntimeError as error:
        raise CompilationError(_describe(str(error), ir)) from error


def _describe(message: str, ir: str) -> str:
    """LLVM's message and the lines of the module that it is about."""
    lines = ir.splitlines()
    match = re.search(r"<string>:(\d+):(\d+)", message)
    center = int(match[1]) if match else 1
    first = max(0, center - 6)
    excerpt = "\n".join(
        f"{'>' if number == center and match else ' '} {number:5} | {lines[number - 1]}"
        for number in range(first + 1, min(len(lines), first + 12) + 1)
    )
    return f"LLVM could not compile a generated module: {message.strip()}\n{excerpt}"
