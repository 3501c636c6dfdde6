"""oneDNN through its C interface: finding the library, making primitives and executing them.

The library comes with the wheel `onednn-cpu-gomp`, which puts it into the environment's folder of
libraries. Numbers in this module are those of oneDNN's C header (version 3).

A primitive is made for fixed shapes; executing it takes only addresses. Results depend on the
number of threads, as those of a BLAS do, but not on anything else.
"""
from __future__ import annotations

import ctypes
import os
import site
import sys
import sysconfig
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tinyflow.graph.support import processors
from tinyflow.graph.support.background import may_end_here
from tinyflow.graph.support.waits import indivisible

__all__ = ['ARGUMENTS', 'Primitive', 'Unsupported', 'descriptor', 'find_library', 'load', 'vector']

_CPU, _IN_ORDER, _FLOAT32, _ANY = 1, 1, 3, 1
_SCRATCHPAD_BY_USER, _SCRATCHPAD = 1, 80
_QUERY_SCRATCHPAD = 136
ARGUMENTS = {'src': 1, 'dst': 17, 'weights': 33, 'bias': 41, 'mean': 49, 'variance': 50,
             'scale': 51, 'shift': 52, 'diff_src': 129, 'diff_dst': 145, 'diff_weights': 161,
             'workspace': 64, 'diff_bias': 169, 'diff_scale': 255, 'diff_shift': 256}
_FACTORS = 4096 | ARGUMENTS['src']      # of a reorder
_QUERIES = {'src': 129, 'diff_src': 130, 'weights': 131, 'diff_weights': 132, 'dst': 133,
            'diff_dst': 134, 'workspace': 135}
_RESULTS = frozenset({'dst', 'diff_src', 'diff_weights'})
_QUERY_NAME = 8             # of the implementation
_PER_THREAD = 1 << 18       # multiplications that pay for one more thread
_SPINS = '20000'            # for how long a thread waits for the next work in a loop


_thread_of_child: ThreadPoolExecutor | None = None      # executes primitives in a forked process
_primitives: weakref.WeakSet[Primitive] = weakref.WeakSet()


class Unsupported(Exception):
    """oneDNN is missing, or has no primitive for a computation."""


class _Argument(ctypes.Structure):
    _fields_ = [('argument', ctypes.c_int), ('memory', ctypes.c_void_p)]


class _Object(ctypes.c_void_p):
    """An object of oneDNN's, which is destroyed together with this one."""

    destroy: Any = None

    def __del__(self) -> None:
        if self.destroy is not None and not sys.is_finalizing():
            self.destroy(self)


class Library:
    """The loaded library, with an engine (the CPU) and a stream (the order of execution)."""

    def __init__(self, path: Path) -> None:
        with _environment('GOMP_SPINCOUNT', _SPINS):        # read when libgomp is loaded
            self.calls = ctypes.CDLL(str(path))
            self._openmp = ctypes.CDLL('libgomp.so.1')
        self.calls.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
        self.calls.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
        self.engine, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.check('dnnl_engine_create', ctypes.byref(self.engine), _CPU, ctypes.c_size_t(0))
        self.check('dnnl_stream_create', ctypes.byref(self.stream), self.engine, _IN_ORDER)
        self._own = threading.local()

    def check(self, name: str, *arguments: Any) -> None:
        """Calls a function of the library. Raises Unsupported if it refuses."""
        status = getattr(self.calls, name)(*arguments)
        if status:
            raise Unsupported(f'{name}: status {status}')

    def make(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """The object that a function of the library makes, by its first parameter.

        It must be kept for as long as others refer to it by its address.
        """
        made = _Object()
        self.check(name, ctypes.byref(made), *arguments)
        kind = name[:name.index('_create')]
        kind = 'dnnl_primitive_desc' if kind.endswith('_primitive_desc') else kind
        made.destroy = getattr(self.calls, f'{kind}_destroy')
        return made

    def use_threads(self, number: int) -> None:
        """Lets primitives that this thread executes use `number` threads."""
        if getattr(self._own, 'threads', 0) != number:
            self._openmp.omp_set_num_threads(number)
            self._own.threads = number

    def scratch(self, nbytes: int) -> int:
        """The address of memory for temporary results of this thread."""
        kept = getattr(self._own, 'scratch', None)
        if kept is None or kept.nbytes < nbytes:
            kept = self._own.scratch = aligned(nbytes)
        return kept.ctypes.data


class _environment:  # noqa: N801 - used as a function
    """Sets an environment variable inside of a block, unless the user has."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value, self.set = name, value, name not in os.environ

    def __enter__(self) -> None:
        if self.set:
            os.environ[self.name] = self.value

    def __exit__(self, *error: Any) -> None:
        if self.set:
            del os.environ[self.name]


def find_library() -> Path | None:
    """The file of the library in this environment; None if the wheel is not installed."""
    for folder in (sys.prefix, sysconfig.get_path('data'), site.getuserbase()):
        path = Path(folder) / 'lib' / 'libdnnl.so.3'
        if path.exists():
            return path
    return None


@cache
def load() -> Library:
    """The library, loaded at the first call. Raises Unsupported."""
    path = find_library()
    if path is None:
        raise Unsupported('the wheel onednn-cpu-gomp is not installed')
    try:
        return Library(path)
    except (OSError, AttributeError) as error:
        raise Unsupported(str(error)) from None


def aligned(nbytes: int) -> np.ndarray:
    """Bytes that begin at a cache line."""
    raw = np.empty(nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + nbytes]


def vector(*numbers: int) -> ctypes.Array:
    """Sizes, strides or margins as the library takes them."""
    return (ctypes.c_int64 * len(numbers))(*numbers)


def descriptor(sizes: Sequence[int], strides: Sequence[int] | None = None) -> ctypes.c_void_p:
    """How an array of float32 lies in memory; without strides, as the primitive likes best."""
    library = load()
    if strides is None:
        return library.make('dnnl_memory_desc_create_with_tag', len(sizes), vector(*sizes),
                            _FLOAT32, _ANY)
    return library.make('dnnl_memory_desc_create_with_strides', len(sizes), vector(*sizes),
                        _FLOAT32, vector(*strides))


class Primitive:
    """A computation of fixed shapes; `run(src=array, dst=array, ...)` executes it.

    `make(attributes)` makes oneDNN's description of it. `layouts` has the descriptor of each
    array; of those in `reordered` oneDNN chooses the layout, and they are copied to it before, or
    from it after. `work` is the number of multiplications. With a `workspace` there is one more
    array, of `workspace_bytes` bytes (0: it is not needed), that the gradient gets from `run`.
    With `factors` among the layouts, of a vector, weights that are reordered are multiplied by it
    along their first axis; `multiplies_weights` is whether they are.

    Raises Unsupported also if oneDNN has but a slow reference implementation.
    """

    @may_end_here
    def __init__(self, make: Callable[[ctypes.c_void_p], ctypes.c_void_p],
                 layouts: dict[str, ctypes.c_void_p], work: int,
                 reordered: Sequence[str] = (), workspace: bool = False) -> None:
        self._library = library = load()
        self._most_threads = max(1, min(processors.present(), work // _PER_THREAD))
        self._lock = threading.Lock()
        self._make = make               # keeps what the description refers to
        _primitives.add(self)
        # oneDNN divides the work, and so decides on the order of sums, by the number that the
        # thread that makes the primitive has set.
        library.use_threads(self._most_threads)
        attributes = library.make('dnnl_primitive_attr_create')
        library.check('dnnl_primitive_attr_set_scratchpad_mode', attributes, _SCRATCHPAD_BY_USER)
        self.description = make(attributes)
        self._refuse_reference()
        self._primitive = library.make('dnnl_primitive_create', self.description)
        if workspace:
            layouts = {**layouts, 'workspace': self._query(_QUERIES['workspace'])}
            self.workspace_bytes = library.calls.dnnl_memory_desc_get_size(layouts['workspace'])
        self._memory = {name: _memory(library, layout) for name, layout in layouts.items()}
        scratchpad = self._query(_QUERY_SCRATCHPAD)
        self._scratch_bytes = library.calls.dnnl_memory_desc_get_size(scratchpad)
        self._scratch = _memory(library, scratchpad)
        inner = {name: memory for name, memory in self._memory.items() if name != 'factors'}
        self._kept: list[Any] = []
        self._before: list[_Reorder] = []
        self._after: list[_Reorder] = []
        for name in reordered:
            inner[name] = self._reordered(name, layouts[name])
        self.multiplies_weights = \
            'factors' in layouts and inner['weights'] is not self._memory['weights']
        self._count = len(inner) + 1
        self._arguments = (_Argument * self._count)(
            *[_Argument(ARGUMENTS[name], memory) for name, memory in inner.items()],
            _Argument(_SCRATCHPAD, self._scratch))

    def _refuse_reference(self) -> None:
        name = ctypes.c_char_p()
        self._library.check('dnnl_primitive_desc_query', self.description, _QUERY_NAME, 0,
                            ctypes.byref(name))
        if (name.value or b'').startswith(b'ref'):
            raise Unsupported(f'only {name.value!r}')

    def _reordered(self, name: str, layout: ctypes.c_void_p) -> ctypes.c_void_p:
        """The array in the layout that oneDNN chose: the same one, or a copy."""
        library, outer = self._library, self._memory[name]
        best = self._query(_QUERIES[name])
        if library.calls.dnnl_memory_desc_equal(best, layout):
            return outer
        array = aligned(library.calls.dnnl_memory_desc_get_size(best))
        inner = _memory(library, best, array.ctypes.data)
        self._kept += [array, inner]
        if name in _RESULTS:
            self._after.append(_Reorder(library, best, layout, inner, outer))
        else:
            factors = self._memory.get('factors') if name == 'weights' else None
            self._before.append(_Reorder(library, layout, best, outer, inner, factors))
        return inner

    def _query(self, what: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._library.calls.dnnl_primitive_desc_query_md(
            self.description, what, 0))

    @indivisible            # the library's threads write to the memory of the run
    def run(self, **arrays: np.ndarray) -> None:
        """Executes the primitive on arrays that lie in memory as the layouts say."""
        # All, on a busy machine too: several threads get a larger share of it than one.
        threads = min(processors.most_threads(), self._most_threads)
        if _thread_of_child is None:
            self._run(threads, arrays)
        else:
            _thread_of_child.submit(self._run, threads, arrays).result()

    def _run(self, threads: int, arrays: Mapping[str, np.ndarray]) -> None:
        library = self._library
        calls = library.calls
        library.use_threads(threads)
        with self._lock:
            for name, array in arrays.items():
                calls.dnnl_memory_set_data_handle(self._memory[name],
                                                  ctypes.c_void_p(array.ctypes.data))
            if self._scratch_bytes:
                calls.dnnl_memory_set_data_handle(
                    self._scratch, ctypes.c_void_p(library.scratch(self._scratch_bytes)))
            for reorder in self._before:
                reorder.run()
            library.check('dnnl_primitive_execute', self._primitive, library.stream, self._count,
                          self._arguments)
            for reorder in self._after:
                reorder.run()


def _memory(library: Library, layout: ctypes.c_void_p, address: int = 0) -> ctypes.c_void_p:
    return library.make('dnnl_memory_create', layout, library.engine, ctypes.c_void_p(address))


class _Reorder:
    """A copy from one layout to another, multiplied by a vector along the first axis if given."""

    def __init__(self, library: Library, source: ctypes.c_void_p, target: ctypes.c_void_p,
                 source_memory: ctypes.c_void_p, target_memory: ctypes.c_void_p,
                 factors: ctypes.c_void_p | None = None) -> None:
        attributes = None
        arguments = [_Argument(ARGUMENTS['src'], source_memory),
                     _Argument(ARGUMENTS['dst'], target_memory)]
        if factors is not None:
            attributes = library.make('dnnl_primitive_attr_create')
            library.check('dnnl_primitive_attr_set_scales_mask', attributes, ARGUMENTS['src'], 1)
            arguments.append(_Argument(_FACTORS, factors))
        description = library.make('dnnl_reorder_primitive_desc_create', source, library.engine,
                                   target, library.engine, attributes)
        self._library = library
        self._primitive = library.make('dnnl_primitive_create', description)
        self._arguments = (_Argument * len(arguments))(*arguments)

    def run(self) -> None:
        library = self._library
        library.check('dnnl_primitive_execute', self._primitive, library.stream,
                      len(self._arguments), self._arguments)


def _leave_threads() -> None:
    """In a forked child: OpenMP would wait for ever for the threads that this thread had before.
    Another thread gets its own. And another thread of the parent may have had a lock.
    """
    global _thread_of_child
    _thread_of_child = ThreadPoolExecutor(1, 'tinyflow-onednn')
    for primitive in _primitives:
        primitive._lock = threading.Lock()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_leave_threads)
