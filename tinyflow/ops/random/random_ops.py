"""Stateful random ops: each node has its own random stream in every Session (see philox.py).

They are never folded, merged or dropped, and each run continues where the last one ended.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.random import rejection_samplers, samplers
from tinyflow.ops.random.philox import open_stream


def _open(attrs):
    return open_stream(attrs['seed'], attrs['seed2'])


def drawn_shape(value):
    """The output shape from a shape input; `value` as shape functions get it."""
    if value is None:
        return None
    # TF1 accepts a size of -1 while building (as unknown) and fails at run time.
    return tuple(None if d is None or d < 0 else d for d in value)


def checked_sizes(shape):
    """`shape` as kernels get it. ValueError for negative sizes."""
    for size in shape:
        if size < 0:
            raise OpFailure(f'Dimension {size} must be >= 0',
                            'a random array needs every size; tf.shape(x)[0] is a size known only '
                            'while the graph runs.')
    return shape


def check_scalar_bounds(*bounds):
    """ValueError unless the shapes of the bounds of random integers are scalar."""
    for bound in bounds:
        if bound:
            raise ValueError(f'Shape must be rank 0 but is rank {len(bound)}: the bounds of random '
                             'integers must be scalars')


class _RandomOp(Op, abstract=True):
    """Base of the ops that draw an array of a given shape from the node's stream."""

    signature = 'shape: T -> output: dtype'
    types = {'T': dtypes.INDEX, 'dtype': dtypes.FLOATS}
    attrs = {'seed': 0, 'seed2': 0, 'dtype': REQUIRED}
    static = {'shape': 1}
    pure = False
    state = _open
    gradient = NOT_DIFFERENTIABLE

    def shape(shape):
        return drawn_shape(shape)


class RandomUniform(_RandomOp):
    """Floats in [0, 1)."""

    def kernel(stream, shape, out=None, *, dtype):
        return samplers.uniform(stream, checked_sizes(shape), dtype.np, out)


class RandomStandardNormal(_RandomOp):
    """Normal floats of mean 0 and standard deviation 1."""

    def kernel(stream, shape, out=None, *, dtype):
        return samplers.standard_normal(stream, checked_sizes(shape), dtype.np, out)


class TruncatedNormal(_RandomOp):
    """Standard normal floats within two standard deviations."""

    def kernel(stream, shape, out=None, *, dtype):
        return samplers.truncated_normal(stream, checked_sizes(shape), dtype.np, out)


class RandomUniformInt(_RandomOp):
    """Integers in [minval, maxval)."""

    signature = 'shape: T, minval: Tout, maxval: Tout -> output: Tout'
    types = {'T': dtypes.INDEX, 'Tout': dtypes.INDEX}
    attrs = {'seed': 0, 'seed2': 0}
    partial_rank = True

    def shape(shape, minval, maxval):
        check_scalar_bounds(minval, maxval)
        return drawn_shape(shape)

    def kernel(stream, shape, minval, maxval, out=None):
        return samplers.uniform_int(stream, checked_sizes(shape), minval, maxval, minval.dtype,
                                    out)


class ParameterizedTruncatedNormal(Op):
    """Normal floats of given means and deviations, drawn again until they are within bounds."""

    signature = ('shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype '
                 '-> output: dtype')
    types = {'T': dtypes.INDEX, 'dtype': dtypes.FLOATS}
    attrs = {'seed': 0, 'seed2': 0}
    static = {'shape': 1}
    pure = False
    state = _open
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, means, stdevs, minvals, maxvals):
        for parameter in (means, stdevs, minvals, maxvals):
            if len(parameter) > 1:
                raise OpFailure(f'Shape must be at most rank 1 but is rank {len(parameter)}',
                                'one number, or one for each row of the output.')
        return drawn_shape(shape)

    def kernel(stream, shape, means, stdevs, minvals, maxvals):
        return rejection_samplers.parameterized_truncated_normal(
            stream, checked_sizes(shape), means, stdevs, minvals, maxvals)


class RandomShuffle(Op):
    """The rows of a tensor in random order."""

    signature = 'value: T -> output: T'
    attrs = {'seed': 0, 'seed2': 0}
    pure = False
    state = _open
    partial_rank = True

    def shape(value):
        return value

    def kernel(stream, value, out=None):
        if value.ndim == 0:
            return value.copy()
        return np.take(value, samplers.shuffle(stream, len(value)), 0, out, 'clip')


class Multinomial(Op):
    """Class indices drawn with probabilities softmax(logits), row by row."""

    signature = 'logits: T, num_samples: int32 -> output: output_dtype'
    types = {'T': dtypes.REAL, 'output_dtype': dtypes.INDEX}
    attrs = {'seed': 0, 'seed2': 0, 'output_dtype': dtypes.int64}
    static = {'num_samples': 0}
    partial_rank = True
    pure = False
    state = _open
    gradient = NOT_DIFFERENTIABLE

    def shape(logits, num_samples):
        return categorical_shape(logits, num_samples)

    def kernel(stream, logits, num_samples, *, output_dtype):
        check_categorical(logits, num_samples)
        return samplers.multinomial(stream, logits, num_samples, output_dtype.np)


def categorical_shape(logits, num_samples):
    """[batch, num_samples] from logits [batch, classes]."""
    if logits is not None and len(logits) != 2:
        raise OpFailure(f'Shape must be rank 2 but is rank {len(logits)}: logits are [batch, '
                        'classes]',
                        'tf.expand_dims(logits, 0) for a single distribution.')
    return (logits and logits[0]), num_samples


def check_categorical(logits, num_samples):
    """ValueError for no classes, or a negative number of samples."""
    if num_samples < 0:
        raise ValueError(f'num_samples should be nonnegative, got {num_samples}')
    if logits.shape[1] == 0:
        raise OpFailure('num_classes should be positive, got 0',
                        f'logits have shape {shapes.text(logits.shape)}: [batch, classes].')


class RandomGamma(Op):
    """Gamma variates of shape parameter alpha and rate 1."""

    signature = 'shape: S, alpha: T -> output: T'
    types = {'S': dtypes.INDEX, 'T': dtypes.FLOATS}
    attrs = {'seed': 0, 'seed2': 0}
    static = {'shape': 1}
    pure = False
    state = _open

    def shape(shape, alpha):
        return _per_parameter(shape, alpha)

    def kernel(stream, shape, alpha):
        return rejection_samplers.random_gamma(stream, checked_sizes(shape), alpha)


class RandomPoissonV2(Op):
    """Poisson counts of mean `rate`."""

    signature = 'shape: S, rate: R -> output: dtype'
    types = {'S': dtypes.INDEX, 'R': dtypes.FLOATS | dtypes.INDEX,
             'dtype': dtypes.FLOATS | dtypes.INDEX}
    attrs = {'seed': 0, 'seed2': 0, 'R': dtypes.float64, 'dtype': dtypes.int64}
    static = {'shape': 1}
    pure = False
    state = _open

    def shape(shape, rate):
        return _per_parameter(shape, rate)

    def kernel(stream, shape, rate, *, dtype):
        return rejection_samplers.random_poisson(stream, checked_sizes(shape), rate, dtype.np)


def _per_parameter(shape, parameter):
    shape = drawn_shape(shape)
    return None if shape is None else shape + parameter
