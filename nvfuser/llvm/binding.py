"""The part of ``llvmlite.binding`` that compiling takes, with the same names and meanings.

Importing ``llvmlite.binding`` declares ten times as many functions of LLVM and imports all of
``llvmlite.ir``, which takes longer than loading LLVM itself. This calls the same functions of
llvmlite's shared library, for the releases of llvmlite whose declarations they were compared with
(`RELEASES`); `nvfuser.llvm.compiler` takes ``llvmlite.binding`` for all others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint, c_void_p
from typing import Any

# Releases of llvmlite, as "major.minor", whose functions are declared below.
RELEASES = frozenset(["0.48", "0.49", "0.50"])

_TEXT = POINTER(c_char_p)
_REFERENCE = c_void_p
# Function -> what it returns, and its parameters.
PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "GetVersionInfo": (c_uint, ()),
    "DisposeString": (None, (c_char_p,)),
    "InitializeNativeTarget": (None, ()),
    "InitializeNativeAsmPrinter": (None, ()),
    "GetHostCPUName": (None, (_TEXT,)),
    "GetHostCPUFeatures": (c_int, (_TEXT,)),
    "GetProcessTriple": (None, (_TEXT,)),
    "GetTargetFromTriple": (_REFERENCE, (c_char_p, _TEXT)),
    "CreateTargetMachine": (
        _REFERENCE,
        (_REFERENCE, *[c_char_p] * 3, c_int, *[c_char_p] * 2, c_int, c_int, c_char_p),
    ),
    "DisposeTargetMachine": (None, (_REFERENCE,)),
    "CreateTargetMachineData": (_REFERENCE, (_REFERENCE,)),
    "CopyStringRepOfTargetData": (None, (_REFERENCE, _TEXT)),
    "DisposeTargetData": (None, (_REFERENCE,)),
    "TargetMachineEmitToMemory": (_REFERENCE, (_REFERENCE, _REFERENCE, c_int, _TEXT)),
    "GetBufferStart": (_REFERENCE, (_REFERENCE,)),
    "GetBufferSize": (c_size_t, (_REFERENCE,)),
    "DisposeMemoryBuffer": (None, (_REFERENCE,)),
    "ContextCreate": (_REFERENCE, ()),
    "ContextDispose": (None, (_REFERENCE,)),
    "ParseAssembly": (_REFERENCE, (_REFERENCE, c_char_p, _TEXT)),
    "DisposeModule": (None, (_REFERENCE,)),
    "VerifyModule": (c_bool, (_REFERENCE, _TEXT)),
    "SetTarget": (None, (_REFERENCE, c_char_p)),
    "SetDataLayout": (None, (_REFERENCE, c_char_p)),
    "PrintModuleToString": (None, (_REFERENCE, _TEXT)),
    "CreatePipelineTuningOptions": (_REFERENCE, ()),
    "PTOSetLoopVectorization": (None, (_REFERENCE, c_bool)),
    "PTOSetSLPVectorization": (None, (_REFERENCE, c_bool)),
    "PTOSetLoopInterleaving": (None, (_REFERENCE, c_bool)),
    "PTOSetLoopUnrolling": (None, (_REFERENCE, c_bool)),
    "DisposePipelineTuningOptions": (None, (_REFERENCE,)),
    "CreatePassBuilder": (_REFERENCE, (_REFERENCE, _REFERENCE)),
    "DisposePassBuilder": (None, (_REFERENCE,)),
    "buildPerModuleDefaultPipeline": (_REFERENCE, (_REFERENCE, c_int)),
    "RunNewModulePassManager": (None, (_REFERENCE, _REFERENCE, _REFERENCE)),
    "DisposeNewModulePassManger": (None, (_REFERENCE,)),
}


class _Owned:
    """Something of LLVM, which is freed with this object."""

    def __init__(self, binding: Binding, pointer: int, kind: str) -> None:
        self._as_parameter_ = pointer
        self._binding = binding
        self._dispose = binding.functions[f"Dispose{kind}"]

    def __del__(self) -> None:
        self._dispose(self._as_parameter_)


class _Context(_Owned):
    def __init__(self, binding: Binding) -> None:
        functions = binding.functions
        self._as_parameter_ = functions["ContextCreate"]()
        self._binding = binding
        self._dispose = functions["ContextDispose"]


class _Module(_Owned):
    def __init__(self, binding: Binding, pointer: int, context: _Context) -> None:
        super().__init__(binding, pointer, "Module")
        self._context = context  # lives longer than its modules

    def __str__(self) -> str:
        return self._binding.text("PrintModuleToString", self)[1]

    def verify(self) -> None:
        is_broken, message = self._binding.text("VerifyModule", self)
        if is_broken:
            raise RuntimeError(message)

    def _set_triple(self, triple: str) -> None:
        self._binding.functions["SetTarget"](self, triple.encode())

    def _set_data_layout(self, layout: str) -> None:
        self._binding.functions["SetDataLayout"](self, layout.encode())

    triple = property(fset=_set_triple)
    data_layout = property(fset=_set_data_layout)


class _Machine(_Owned):
    @property
    def target_data(self) -> str:
        functions = self._binding.functions
        data = _Owned(self._binding, functions["CreateTargetMachineData"](self), "TargetData")
        return self._binding.text("CopyStringRepOfTargetData", data)[1]

    def emit_object(self, module: _Module) -> bytes:
        return self._emit(module, 1)

    def emit_assembly(self, module: _Module) -> str:
        return self._emit(module, 0).decode()

    def _emit(self, module: _Module, is_object: int) -> bytes:
        pointer, message = self._binding.text("TargetMachineEmitToMemory", self, module, is_object)
        if not pointer:
            raise RuntimeError(message)
        functions = self._binding.functions
        buffer = _Owned(self._binding, pointer, "MemoryBuffer")
        return ctypes.string_at(
            functions["GetBufferStart"](buffer), functions["GetBufferSize"](buffer)
        )


class _Target:
    def __init__(self, binding: Binding, triple: str) -> None:
        self._binding = binding
        self._triple = triple.encode()
        self._as_parameter_, message = binding.text("GetTargetFromTriple", self._triple)
        if not self._as_parameter_:
            raise RuntimeError(message)

    def create_target_machine(
        self, cpu: str, features: str, opt: int, reloc: str, codemodel: str
    ) -> _Machine:
        texts = [text.encode() for text in (cpu, features, reloc, codemodel)]
        pointer = self._binding.functions["CreateTargetMachine"](
            self, self._triple, *texts[:2], opt, *texts[2:], 0, 0, b""
        )
        if not pointer:
            raise RuntimeError(f"LLVM has no target {self._triple.decode()} with CPU {cpu!r}")
        return _Machine(self._binding, pointer, "TargetMachine")


class _Targets:
    """What the class ``llvmlite.binding.Target`` is."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def from_triple(self, triple: str) -> _Target:
        return _Target(self._binding, triple)


def _option(name: str) -> property:
    def set_option(options: _Options, value: bool) -> None:
        options._binding.functions[f"PTOSet{name}"](options, value)

    return property(fset=set_option)


class _Options(_Owned):
    def __init__(self, binding: Binding, speed_level: int) -> None:
        pointer = binding.functions["CreatePipelineTuningOptions"]()
        super().__init__(binding, pointer, "PipelineTuningOptions")
        self.speed_level = speed_level

    loop_vectorization = _option("LoopVectorization")
    slp_vectorization = _option("SLPVectorization")
    loop_interleaving = _option("LoopInterleaving")
    loop_unrolling = _option("LoopUnrolling")


class _PassManager(_Owned):
    def run(self, module: _Module, builder: _PassBuilder) -> None:
        self._binding.functions["RunNewModulePassManager"](self, module, builder)


class _PassBuilder(_Owned):
    def __init__(self, binding: Binding, machine: _Machine, options: _Options) -> None:
        pointer = binding.functions["CreatePassBuilder"](machine, options)
        super().__init__(binding, pointer, "PassBuilder")
        self._machine = machine
        self._options = options

    def getModulePassManager(self) -> _PassManager:  # noqa: N802
        build = self._binding.functions["buildPerModuleDefaultPipeline"]
        pointer = build(self, self._options.speed_level)
        return _PassManager(self._binding, pointer, "NewModulePassManger")


class Binding:
    """What the module ``llvmlite.binding`` is, on a shared library of llvmlite.

    Parameters
    ----------
    path : str
        The shared library.

    Raises
    ------
    OSError
        If it cannot be loaded or lacks a function.
    """

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        self.functions: dict[str, Callable[..., Any]] = {}
        for name, (result, parameters) in PROTOTYPES.items():
            function = getattr(library, f"LLVMPY_{name}", None)
            if function is None:
                raise OSError(f"{path} has no function LLVMPY_{name}")
            function.restype = result
            function.argtypes = parameters
            self.functions[name] = function
        self.Target = _Targets(self)

    def text(self, name: str, *arguments: Any) -> tuple[Any, str]:
        """Call a function whose last parameter is a text that it makes; return both results."""
        text = c_char_p()
        result = self.functions[name](*arguments, byref(text))
        if text.value is None:
            return result, ""
        decoded = text.value.decode()
        self.functions["DisposeString"](text)
        return result, decoded

    @property
    def llvm_version_info(self) -> tuple[int, ...]:
        """LLVM's version."""
        packed = self.functions["GetVersionInfo"]()
        return tuple(packed.to_bytes(4, "big").lstrip(b"\0"))

    def initialize_native_target(self) -> None:
        """Make the host's target known."""
        self.functions["InitializeNativeTarget"]()

    def initialize_native_asmprinter(self) -> None:
        """Make code generation for the host known."""
        self.functions["InitializeNativeAsmPrinter"]()

    def get_host_cpu_name(self) -> str:
        """Return LLVM's name of the host's CPU."""
        return self.text("GetHostCPUName")[1]

    def get_host_cpu_features(self) -> dict[str, bool]:
        """Return which features the host's CPU has."""
        is_known, features = self.text("GetHostCPUFeatures")
        names = features.split(",") if is_known else []
        return {name[1:]: name[0] == "+" for name in names if name}

    def get_process_triple(self) -> str:
        """Return the triple of code for this process."""
        return self.text("GetProcessTriple")[1]

    def create_context(self) -> _Context:
        """Make what owns types and metadata of modules."""
        return _Context(self)

    def parse_assembly(self, text: str, context: _Context) -> _Module:
        """Return the module of a text; RuntimeError says what is wrong with it."""
        pointer, message = self.text("ParseAssembly", context, text.encode())
        if not pointer:
            raise RuntimeError(f"LLVM IR parsing error\n{message}")
        return _Module(self, pointer, context)

    def create_pipeline_tuning_options(self, speed_level: int) -> _Options:
        """Make the options of a pass builder."""
        return _Options(self, speed_level)

    def create_pass_builder(self, machine: _Machine, options: _Options) -> _PassBuilder:
        """Make what knows the passes for a machine."""
        return _PassBuilder(self, machine, options)
