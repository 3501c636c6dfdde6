"""Calling loops: with arrays that have gaps, and on several threads."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from tinyflow.graph.support.tiles import in_tiles

__all__ = ['kernel_of']

# Simple operations, about a millisecond's, that pay for more than one thread: a sleeping one takes
# a tenth of that to wake, and competes with those of the BLAS, which wait for the next product.
_SHARED = 1 << 23
_SHARED_BYTES = 1 << 24     # through memory, for as long
_PARTS = 4              # in which they are shared out


def kernel_of(native: Callable[..., bool], kinds: Sequence[str], shape: tuple[int, ...],
              dtypes: Sequence[np.dtype], work: int) -> Callable[..., object]:
    """The kernel of an instruction: `kernel(*inputs, out=None)`, with a tuple for several results.

    `shape` is that of the results. `work` is the number of simple operations for an element.
    """
    scalars = [i for i, kind in enumerate(kinds) if kind == 'scalar']
    sliced = [kind == 'full' or kind == 'column' for kind in kinds] + [True] * len(dtypes)
    passed = sum(sliced) * prod(shape) * dtypes[0].itemsize
    several = shape[0] >= _PARTS and (
        work * prod(shape) >= _SHARED or passed >= _SHARED_BYTES)
    one = len(dtypes) == 1

    def kernel(*inputs, out=None):
        if out is None:
            out = tuple([np.empty(shape, dtype) for dtype in dtypes])
            out = out[0] if one else out
        if scalars:
            inputs = list(inputs)
            for i in scalars:
                inputs[i] = np.asarray(inputs[i])       # NumPy's own scalars are no arrays
        arrays = (*inputs, out) if one else (*inputs, *out)
        if several:
            part = _part_of(native, arrays, sliced, len(inputs))
            in_tiles(shape[0], part, -(-shape[0] // _PARTS), 1)
        elif not native(*arrays):
            _without_gaps(native, arrays, len(inputs))
        return out
    return kernel


def _part_of(native: Callable[..., bool], arrays: Sequence[np.ndarray],
             sliced: Sequence[bool], inputs: int) -> Callable[[int, int], None]:
    def part(start: int, stop: int) -> None:
        parts = [a[start:stop] if s else a for a, s in zip(arrays, sliced)]
        if not native(*parts):
            _without_gaps(native, parts, inputs)
    return part


def _without_gaps(native: Callable[..., bool], arrays: Sequence[np.ndarray], inputs: int) -> None:
    """Calls a loop with copies of the arrays that have gaps."""
    copies = [a if a.flags.c_contiguous and a.flags.aligned else np.array(a, order='C')
              for a in arrays]
    if not native(*copies):
        raise AssertionError('a loop refuses arrays without gaps')
    for array, copy in zip(arrays[inputs:], copies[inputs:]):
        if copy is not array:
            array[...] = copy
