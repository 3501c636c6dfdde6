"""Samplers of TensorFlow 1: uniform, normal, truncated normal, multinomial, shuffle.

Every sampler is `f(stream, shape, ...) -> array`. A seeded stream gives the numbers that TensorFlow
1.15 gives on one thread of a CPU, run after run; each run *reserves* blocks so that the next one
starts where TensorFlow's would. A stream without a seed uses NumPy's own samplers, which are
faster, since there is nothing to reproduce. Gamma, Poisson and bounded normals are in
`rejection_samplers.py`.

Imports only NumPy and the philox modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tinyflow.ops.random.philox import (
    Counter,
    PhiloxStream,
    SystemStream,
    blocks,
    blocks_at,
    chunks,
    words,
)
from tinyflow.ops.random.philox_floats import (
    NORMAL,
    UNIFORM,
    float_type,
    normal32,
    normal64,
    uniform16,
    uniform64,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Stream = PhiloxStream | SystemStream
Shape = Sequence[int]

# Blocks that TensorFlow reserves for each output, needed or not.
PER_OUTPUT = 256


def _output_buffer(shape: Shape, dtype: DTypeLike, out: np.ndarray | None) -> np.ndarray:
    """The array that a sampler writes to: a new one, or `out`, which must match exactly."""
    if out is None:
        return np.empty(tuple(shape), dtype)
    if out.shape != tuple(shape) or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(
            f"out must be a contiguous {np.dtype(dtype)} array of shape {tuple(shape)}; "
            f"received {out.dtype} of shape {out.shape}."
        )
    return out


def _fill(start: Counter, flat: np.ndarray, convert: Callable[[np.ndarray], np.ndarray]) -> None:
    """Fill `flat` with the results of `convert` for one block after the other.

    If the words take as much memory as the results, this happens in place.
    """
    per_block = 2 if flat.itemsize == 8 else 4

    for first, n in chunks(-(-len(flat) // per_block)):
        part = flat[first * per_block : (first + n) * per_block]
        if len(part) == n * per_block and flat.itemsize >= 4:
            convert(words(start.skip(first), 4 * n, part.view(np.uint32)))
        else:
            part[...] = convert(words(start.skip(first), 4 * n))[: len(part)]


def uniform(
    stream: Stream,
    shape: Shape,
    dtype: DTypeLike = np.float32,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Uniform floats in [0, 1) (TF's RandomUniform).

    Shapes: -> [*shape]. TypeError unless dtype is a float.
    """
    kind = float_type(dtype)
    result = _output_buffer(shape, kind, out)
    flat = result.reshape(-1)
    if isinstance(stream, PhiloxStream):
        _fill(stream.reserve(PER_OUTPUT * flat.size), flat, UNIFORM[kind])
    elif kind is np.float16:
        # A float32 below 1 may round to 1; TF's eleven-bit numbers never do.
        flat[...] = uniform16(stream.generator.integers(2**10, size=flat.size, dtype=np.uint32))
    else:
        stream.generator.random(dtype=kind, out=flat)
    return result


def uniform_int(
    stream: Stream,
    shape: Shape,
    minval: int,
    maxval: int,
    dtype: DTypeLike = np.int32,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Integers in [minval, maxval): minval + word % (maxval - minval) (TF's RandomUniformInt).

    Shapes: -> [*shape]. TypeError unless dtype is int32, int64, uint32 or uint64; ValueError if
    the range is empty. An int64 takes two words, the lower one first.
    """
    _check_integer(dtype)
    low, high = int(minval), int(maxval)
    if low >= high:
        raise ValueError(f"Need minval < maxval, received minval={low}, maxval={high}.")
    result = _output_buffer(shape, dtype, out)
    flat = result.reshape(-1)
    if isinstance(stream, SystemStream):
        flat[...] = stream.generator.integers(low, high, flat.size, dtype)
        return result
    unsigned = np.dtype(f"u{flat.itemsize}").type
    count, origin = unsigned(high - low), unsigned(low % 2 ** (8 * flat.itemsize))

    def convert(bits: np.ndarray) -> np.ndarray:
        u = bits.view(unsigned)
        # NumPy divides by a scalar with SIMD, but computes remainders one by one.
        quotient = u // count
        np.multiply(quotient, count, quotient)
        np.subtract(u, quotient, u)
        return np.add(u, origin, u).view(flat.dtype)

    _fill(stream.reserve(PER_OUTPUT * flat.size), flat, convert)
    return result


def _check_integer(dtype: DTypeLike) -> None:
    if np.dtype(dtype) not in (np.int32, np.int64, np.uint32, np.uint64):
        raise TypeError(f"Random integers are int32 or int64, not {np.dtype(dtype)}.")


def full_int(
    stream: Stream,
    shape: Shape,
    dtype: DTypeLike = np.uint64,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The words themselves: integers from the dtype's full range (StatelessRandomUniformFullInt).

    Shapes: -> [*shape]. TypeError as in uniform_int.
    """
    _check_integer(dtype)
    result = _output_buffer(shape, dtype, out)
    flat = result.reshape(-1)
    if isinstance(stream, SystemStream):
        stream = stream.philox
    _fill(stream.reserve(PER_OUTPUT * flat.size), flat, lambda bits: bits.view(flat.dtype))
    return result


def standard_normal(
    stream: Stream,
    shape: Shape,
    dtype: DTypeLike = np.float32,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Normal floats of mean 0 and standard deviation 1 (TF's RandomStandardNormal).

    Shapes: -> [*shape]. TypeError unless dtype is a float.
    """
    kind = float_type(dtype)
    result = _output_buffer(shape, kind, out)
    flat = result.reshape(-1)
    if isinstance(stream, PhiloxStream):
        _fill(stream.reserve(PER_OUTPUT * flat.size), flat, NORMAL[kind])
    elif kind is np.float16:
        flat[...] = stream.generator.standard_normal(flat.size, np.float32)
    else:
        stream.generator.standard_normal(dtype=kind, out=flat)
    return result


def truncated_normal(
    stream: Stream,
    shape: Shape,
    dtype: DTypeLike = np.float32,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Standard normal floats, drawn again until |x| < 2 (TF's TruncatedNormal).

    Shapes: -> [*shape]. TypeError unless dtype is a float. Outputs form groups, of as many as a
    block has normals; each group has 256 words per output and keeps, in order, the values inside.
    """
    kind = float_type(dtype)
    result = _output_buffer(shape, kind, out)
    flat = result.reshape(-1)
    if isinstance(stream, SystemStream):
        _redraw(stream.generator, flat)
        return result
    start = stream.reserve(PER_OUTPUT * flat.size)
    normal, group = (normal64, 2) if kind is np.float64 else (normal32, 4)
    stride = PER_OUTPUT * group // 4

    whole_groups = np.dtype(f"u{group}")  # as many bytes as a group has flags
    for first, n in chunks(-(-flat.size // group)):
        base = start.skip(first * stride)
        kept = normal(blocks(base, n, stride).reshape(-1))
        (short,) = np.nonzero((np.abs(kept) >= 2).view(whole_groups))
        kept = kept.reshape(n, group)
        if len(short):
            kept[short] = _first_inside(kept[short], base, short * stride + 1, normal)
        part = flat[first * group : (first + n) * group]
        part[...] = kept.reshape(-1)[: len(part)]
    return result


def _first_inside(
    drawn: np.ndarray,
    base: Counter,
    offsets: np.ndarray,
    normal: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """The first values inside (-2, 2) of groups that have too few, by drawing one more block each.

    Shapes: drawn [groups, n]; offsets [groups], where the next block is -> [groups, group].
    """
    more = normal(blocks_at(base, offsets).reshape(-1)).reshape(len(drawn), -1)
    group = more.shape[1]
    drawn = np.concatenate([drawn, more], axis=1)
    inside = np.abs(drawn) < 2
    rank = np.cumsum(inside, axis=1, dtype=np.int16)
    inside &= rank <= group
    enough = rank[:, -1] >= group
    result = np.empty_like(more)
    result[enough] = drawn[inside & enough[:, None]].reshape(-1, group)
    (short,) = np.nonzero(~enough)
    if len(short):
        result[short] = _first_inside(drawn[short], base, offsets[short] + 1, normal)
    return result


def _redraw(generator: np.random.Generator, flat: np.ndarray) -> None:
    # float16 is drawn as float32, and must be inside after rounding too.
    drawn_as = np.float64 if flat.dtype == np.float64 else np.float32
    flat[...] = generator.standard_normal(flat.size, drawn_as)
    (outside,) = np.nonzero(np.abs(flat) >= 2)
    while len(outside):
        flat[outside] = generator.standard_normal(len(outside), drawn_as)
        outside = outside[np.abs(flat[outside]) >= 2]


def shuffle(stream: Stream, count: int) -> np.ndarray:
    """A random permutation; row i of the shuffled array is row result[i] (TF's RandomShuffle).

    Shapes: -> [count], dtype int64. Fisher-Yates from the front, one word per step.
    """
    if isinstance(stream, SystemStream):
        return stream.generator.permutation(count)
    if count < 2:
        return np.arange(count)
    start = stream.reserve((count + 2) // 4)
    left = np.arange(count, 1, -1, dtype=np.uint32)
    partners = (words(start, count - 1) % left + np.arange(count - 1)).tolist()
    order = list(range(count))
    for i, j in enumerate(partners):
        order[i], order[j] = order[j], order[i]
    return np.array(order)


def multinomial(
    stream: Stream,
    logits: np.ndarray,
    num_samples: int,
    dtype: DTypeLike = np.int64,
) -> np.ndarray:
    """Class indices drawn with probabilities softmax(logits) (TF's Multinomial).

    Shapes: logits [batch, classes] -> [batch, num_samples]. Logits that are not finite have
    probability 0. Rows use their words one after another, as TF does on one thread.
    """
    batch, classes = logits.shape
    if isinstance(stream, SystemStream):
        u = stream.generator.random((batch, num_samples))
    else:
        start = stream.reserve(batch * (-(-num_samples // 4) * 4) * 2 * PER_OUTPUT)
        u = uniform64(words(start, 2 * batch * num_samples)).reshape(batch, num_samples)
    finite = np.isfinite(logits)
    scores = np.where(finite, logits, -np.inf).astype(np.float64)
    peak = scores.max(axis=1, initial=-np.inf, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(peak), peak, 0.0))
    cumulative = np.cumsum(weights, axis=1)
    targets = u * cumulative[:, -1:]
    result = np.empty((batch, num_samples), dtype)
    if batch * num_samples * classes <= 2**16:
        (cumulative[:, None] <= targets[..., None]).sum(axis=2, out=result)
    else:
        for row in range(batch):
            result[row] = cumulative[row].searchsorted(targets[row], side="right")
    return result
