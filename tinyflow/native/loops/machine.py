"""LLVM: from text to a function that Python calls as one of its builtins.

A kernel has the signature of CPython's fastest calls, `f(self, arguments, count)`. It takes what it
needs of the interpreter from `self`, so that its code refers to nothing outside of itself.
"""
from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from tinyflow.graph.support.background import held_in_forks, may_end_here, without_interpreter
from tinyflow.native.loops import object_cache

__all__ = ['ARRAY', 'SELF', 'builtin', 'found', 'width']

_FASTCALL = 0x0080
_OPTIMIZE = 1               # LLVM's level
_HEAD = object.__basicsize__
# Where the fields of an array object lie (NumPy's C API): all that kernels know of it.
ARRAY = {'data': _HEAD, 'sizes': _HEAD + 16, 'strides': _HEAD + 24, 'flags': _HEAD + 48}
_BYTES = bytes.__basicsize__ - 1
# Where the pointers lie in `self`.
SELF = {name: _BYTES + 8 * i
        for i, name in enumerate(('release', 'acquire', 'count', 'yes', 'no'))}

_lock = held_in_forks(threading.Lock())     # LLVM compiles one module at a time


def found() -> bool:
    """Whether llvmlite is installed."""
    return find_spec('llvmlite') is not None


class _Method(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char_p), ('function', ctypes.c_void_p), ('flags', ctypes.c_int),
                ('doc', ctypes.c_char_p)]


@cache
def _processor() -> tuple[str, str]:
    """This processor's name and abilities, as LLVM calls them."""
    _load_library()
    import llvmlite.binding as llvm  # optional package
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _load_library() -> None:
    """Has the system load LLVM, which llvmlite would do without releasing the interpreter's lock.

    It takes 10 to 20 ms. A mistake here changes nothing: llvmlite loads its library itself.
    """
    spec = find_spec('llvmlite')
    if spec is not None and sys.platform == 'linux':
        load = ctypes.CDLL(None).dlopen
        load.restype = ctypes.c_void_p
        for folder in spec.submodule_search_locations or ():
            with without_interpreter():
                load(os.path.join(folder, 'binding', 'libllvmlite.so').encode(), os.RTLD_NOW)


def _target() -> Any:
    """What describes the processor to LLVM; an engine takes possession of it."""
    import llvmlite.binding as llvm  # optional package
    cpu, features = _processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=_OPTIMIZE)


@cache
def width() -> int:
    """How many elements a vector has: as many float32 as a register of this processor holds."""
    return 16 if '+avx512f' in _processor()[1].split(',') else 8


@may_end_here
def builtin(text: str, name: str) -> Callable[..., bool]:
    """Compiles a module in LLVM's language; its function `name` as a Python function."""
    import llvmlite.binding as llvm  # optional package
    with _lock, without_interpreter():
        module = llvm.parse_assembly(text)
        engine = llvm.create_mcjit_compiler(module, _target())
        kept_as = object_cache.name_of(repr(llvm.llvm_version_info), str(_OPTIMIZE), *_processor(),
                                       text)
        engine.set_object_cache(lambda module, code: object_cache.keep(kept_as, code),
                                lambda module: object_cache.find(kept_as))
        engine.finalize_object()
        method = _Method(name.encode(), engine.get_function_address(name), _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    # The third argument, nominally the module, is kept as long as the function.
    return make(ctypes.addressof(method), _interpreter(), (engine, method))


@cache
def _interpreter() -> bytes:
    """What a kernel gets as `self`: addresses in the interpreter."""
    calls = ctypes.pythonapi
    addresses = [ctypes.cast(f, ctypes.c_void_p).value for f in (
        calls.PyEval_SaveThread, calls.PyEval_RestoreThread, calls.Py_IncRef)]
    return struct.pack('5P', *addresses, id(True), id(False))
