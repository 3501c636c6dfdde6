"""Fractional max and average pooling: random region sizes for a non-integer pooling ratio.

Graham 2014, "Fractional Max-Pooling". New region lengths are drawn in every run, unless the op is
deterministic: then every run of a Session has the same regions; with seeds, they are those of
TensorFlow 1.15.
"""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import float32, float64, int32, int64
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import shape_ops
from tinyflow.ops.random import samplers
from tinyflow.ops.random.philox import PhiloxStream, words
from tinyflow.ops.random.philox_floats import uniform64

__all__ = ['fractional_avg_pool', 'fractional_max_pool']

FractionalMaxPools = namedtuple('FractionalMaxPool',
                                'output row_pooling_sequence col_pooling_sequence')
FractionalAvgPools = namedtuple('FractionalAvgPool',
                                'output row_pooling_sequence col_pooling_sequence')

_TYPES = {'T': (float32, float64, int32, int64)}


# ---- the regions -----------------------------------------------------------------------------

def _pooled_shape(value, ratio):
    """The output shape, rounded down. ValueError for invalid ratios."""
    if len(ratio) != 4:
        raise OpFailure(f'pooling_ratio field must specify 4 dimensions, but has {len(ratio)}',
                        'pooling_ratio=[1.0, 1.44, 1.73, 1.0].')
    if ratio[0] != 1 or ratio[3] != 1:
        raise OpFailure('Fractional pooling is not yet supported on the batch nor channel '
                        'dimension',
                        'the first and the last number of pooling_ratio are 1.0.')
    if min(ratio) < 1:
        raise ValueError(f'pooling_ratio cannot be smaller than 1, got: {min(ratio)}')
    if value is None:
        return (None,) * 4
    if len(value) != 4:
        raise OpFailure(f'Shape must be rank 4 but is rank {len(value)}',
                        '[batch, height, width, channels].')
    return tuple(None if size is None else int(size // r) for size, r in zip(value, ratio))


def _even_lengths(stream, length, count):
    """Lengths of `count` regions that differ by at most one, in random order."""
    lengths = np.full(count, length // count)
    lengths[:length % count] += 1
    return lengths[samplers.shuffle(stream, count)]


def _pseudo_random_lengths(stream, length, count):
    """Lengths of regions that end at ceil(alpha (i + u)): alpha = length / count, one random u.

    u is limited so that neither the first nor the last region is longer than k + 1.
    """
    alpha, k = length / count, length // count
    limit = min((k + 2) / alpha - 1, (length + 1 - k) / alpha - (count - 1))
    u = uniform64(words(stream.reserve(1), 4)[:2].copy())[0] * limit
    ends = np.ceil(alpha * (np.arange(1, count) + u)).astype(np.int64)
    return np.diff(np.concatenate([[1], ends, [length + 1]]))


def _sequence(stream, length, count, pseudo_random):
    """The start of each region along an axis, and the end. Shapes: -> [count + 1] of int64."""
    if count < 1:
        raise ValueError(f'an axis of {length} elements cannot be divided by that ratio')
    if length % count == 0:
        lengths = np.full(count, length // count)
    else:
        draw = _pseudo_random_lengths if pseudo_random else _even_lengths
        lengths = draw(stream, length, count)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _regions(sequence, length, overlapping):
    """[(first, end)] of each region; overlapping neighbours share one element."""
    sequence = sequence.tolist()
    return [(first, min(end + overlapping, length))
            for first, end in zip(sequence[:-1], sequence[1:])]


def _check_regions(shape, pools, rows, columns):
    for sequence, count, size in ((rows, pools[1], shape[1]), (columns, pools[2], shape[2])):
        if sequence.shape != (count + 1,) or (np.diff(sequence) < 1).any() \
                or sequence[0] < 0 or sequence[-1] > size:
            raise ValueError(f'a pooling sequence {sequence.tolist()} does not describe {count} '
                             f'regions of an axis of {size}')


def _initial_state(attrs):
    """The seeds of a node in a Session; None if each run draws new regions."""
    seeds = attrs['seed'], attrs['seed2']
    if not attrs['deterministic']:
        return None
    return seeds if any(seeds) else tuple(np.random.default_rng().integers(1, 2**62, 2).tolist())


# ---- forward ---------------------------------------------------------------------------------

class _FractionalPool(Op, abstract=True):
    signature = 'value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64'
    types = _TYPES
    attrs = {'pooling_ratio': REQUIRED, 'pseudo_random': False, 'overlapping': False,
             'deterministic': False, 'seed': 0, 'seed2': 0}
    pure = False
    state = _initial_state
    partial_rank = True

    def shape(value, *, pooling_ratio):
        # A sequence has one element more than there are regions; TF's static shape does not include
        # it.
        return _pooled_shape(value, pooling_ratio), (None,), (None,)

    @staticmethod
    def regions(seeds, shape, attrs):
        """The sequences of rows and of columns."""
        if seeds is None and (attrs['seed'] or attrs['seed2']):
            raise OpFailure('Both seed and seed2 should be 0 if deterministic is false.',
                            'deterministic=True.')
        stream = PhiloxStream(*seeds) if seeds else PhiloxStream.from_os()
        pools = _pooled_shape(shape, attrs['pooling_ratio'])
        return [_sequence(stream, shape[axis], pools[axis], attrs['pseudo_random'])
                for axis in (1, 2)]


def _reduced(ufunc, x, rows, columns, overlapping):
    """`ufunc` over each region: first along the rows, then along the columns."""
    x = np.stack([ufunc.reduce(x[:, i:j], 1, x.dtype)
                  for i, j in _regions(rows, x.shape[1], overlapping)], 1)
    return np.stack([ufunc.reduce(x[:, :, i:j], 2, x.dtype)
                     for i, j in _regions(columns, x.shape[2], overlapping)], 2)


def _counts(sequence, length, overlapping):
    return np.array([j - i for i, j in _regions(sequence, length, overlapping)])


def _sizes(shape, rows, columns, overlapping):
    """The number of elements of each region. Shapes: -> [rows, columns, 1]."""
    return np.multiply.outer(_counts(rows, shape[1], overlapping),
                             _counts(columns, shape[2], overlapping))[..., None]


class FractionalMaxPool(_FractionalPool):
    """The largest element of each region."""

    def kernel(seeds, value, *, pooling_ratio, pseudo_random, overlapping, seed, seed2):
        rows, columns = _FractionalPool.regions(seeds, value.shape, {
            'pooling_ratio': pooling_ratio, 'pseudo_random': pseudo_random, 'seed': seed,
            'seed2': seed2})
        return _reduced(np.maximum, value, rows, columns, overlapping), rows, columns

    def gradient(op, dy, drows, dcolumns):
        y, rows, columns = op.outputs
        return FractionalMaxPoolGrad.apply(op.inputs[0], y, dy, rows, columns,
                                           overlapping=op.attrs['overlapping'])


class FractionalAvgPool(_FractionalPool):
    """The mean of each region."""

    def kernel(seeds, value, *, pooling_ratio, pseudo_random, overlapping, seed, seed2):
        rows, columns = _FractionalPool.regions(seeds, value.shape, {
            'pooling_ratio': pooling_ratio, 'pseudo_random': pseudo_random, 'seed': seed,
            'seed2': seed2})
        total = _reduced(np.add, value, rows, columns, overlapping)
        sizes = _sizes(value.shape, rows, columns, overlapping).astype(value.dtype)
        if value.dtype.kind == 'i':
            # Integers are truncated towards zero.
            return np.sign(total) * (np.abs(total) // sizes), rows, columns
        return total / sizes, rows, columns

    def gradient(op, dy, drows, dcolumns):
        return FractionalAvgPoolGrad.apply(
            shape_ops.shape(op.inputs[0], out_type=int64), dy, *op.outputs[1:],
            overlapping=op.attrs['overlapping'])


# ---- backward --------------------------------------------------------------------------------

class FractionalMaxPoolGrad(Op):
    """Routes the gradient of each region to its first largest element, in row-major order."""

    signature = ('orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, '
                 'col_pooling_sequence: int64 -> output: T')
    types = _TYPES
    attrs = {'overlapping': False}

    def shape(orig_input, orig_output, out_backprop, rows, columns):
        if len(orig_input) != 4:
            raise ValueError(f'Shape must be rank 4 but is rank {len(orig_input)}')
        return orig_input

    def kernel(orig_input, orig_output, out_backprop, rows, columns, *, overlapping):
        _check_regions(orig_input.shape, out_backprop.shape, rows, columns)
        batch, height, width, channels = orig_input.shape
        found = np.zeros(orig_input.shape, orig_input.dtype)
        images, depth = np.ogrid[:batch, :channels]
        for r, (top, bottom) in enumerate(_regions(rows, height, overlapping)):
            for c, (left, right) in enumerate(_regions(columns, width, overlapping)):
                part = orig_input[:, top:bottom, left:right]
                best = part.reshape(batch, -1, channels).argmax(1)
                i, j = np.divmod(best, right - left)
                found[images, top + i, left + j, depth] += out_backprop[:, r, c]
        return found


class FractionalAvgPoolGrad(Op):
    """Distributes the gradient of each region over its elements."""

    signature = ('orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, '
                 'col_pooling_sequence: int64 -> output: T')
    types = _TYPES
    attrs = {'overlapping': False}
    static = {'orig_input_tensor_shape': 1}
    partial_rank = True

    def shape(orig_input_tensor_shape, out_backprop, rows, columns):
        if orig_input_tensor_shape is None:
            return (None,) * 4
        if len(orig_input_tensor_shape) != 4:
            raise ValueError('orig_input_tensor_shape must have 4 elements, not '
                             f'{len(orig_input_tensor_shape)}')
        return shapes.merge(orig_input_tensor_shape, (None,) * 4)

    def kernel(shape, out_backprop, rows, columns, *, overlapping):
        _check_regions(shape, out_backprop.shape, rows, columns)
        share = out_backprop / _sizes(shape, rows, columns, overlapping)
        wide = np.zeros((*out_backprop.shape[:2], *shape[2:]), share.dtype)
        for c, (left, right) in enumerate(_regions(columns, shape[2], overlapping)):
            wide[:, :, left:right] += share[:, :, c, None]
        found = np.zeros(shape, share.dtype)
        for r, (top, bottom) in enumerate(_regions(rows, shape[1], overlapping)):
            found[:, top:bottom] += wide[:, r, None]
        return found.astype(out_backprop.dtype)


# ---- public functions ------------------------------------------------------------------------

def _pool(op, value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name):
    return op.apply(value, pooling_ratio=[float(r) for r in pooling_ratio],
                    pseudo_random=pseudo_random, overlapping=overlapping,
                    deterministic=deterministic, seed=seed, seed2=seed2, name=name)


def fractional_max_pool(value, pooling_ratio, pseudo_random=False, overlapping=False,
                        deterministic=False, seed=0, seed2=0, name=None):
    """(largest element of each region, start of each row of regions, start of each column).

    New regions are drawn in every run, unless `deterministic`, which seeds require. They differ in
    size by one; `pseudo_random` draws them more evenly, `overlapping` lets neighbours share a row
    or a column.

    Shapes: value [batch, height, width, channels], pooling_ratio [1, a, b, 1] -> [batch,
    height // a, width // b, channels], [height // a + 1], [width // b + 1]. Graham 2014.
    """
    return FractionalMaxPools(*_pool(FractionalMaxPool, value, pooling_ratio, pseudo_random,
                                     overlapping, deterministic, seed, seed2, name))


def fractional_avg_pool(value, pooling_ratio, pseudo_random=False, overlapping=False,
                        deterministic=False, seed=0, seed2=0, name=None):
    """(mean of each region, start of each row of regions, start of each column).

    Shapes: value [batch, height, width, channels], pooling_ratio [1, a, b, 1] -> [batch,
    height // a, width // b, channels], [height // a + 1], [width // b + 1], as for
    `fractional_max_pool`.
    """
    return FractionalAvgPools(*_pool(FractionalAvgPool, value, pooling_ratio, pseudo_random,
                                     overlapping, deterministic, seed, seed2, name))
