"""Stateless random ops: stateless_uniform, stateless_normal and so on, a function of the seed."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.random import random_functions, random_ops, samplers
from tinyflow.ops.random.philox import Counter, PhiloxStream, words
from tinyflow.ops.support.ranks import of_rank

# TF turns the pair of seeds into a key and a counter by one Philox block with this fixed key.
_SCRAMBLING_KEY = 0x02461E29 << 32 | 0x3EC8F720


def _stream(seed):
    """A new stream for this pair of seeds."""
    if seed.shape != (2,):
        raise ValueError(f'seed must have shape [2], not {list(seed.shape)}')
    first, second = (int(s) % 2**64 for s in seed)
    w0, w1, w2, w3 = map(int, words(Counter(_SCRAMBLING_KEY, second << 64 | first), 4))
    return PhiloxStream(w1 << 32 | w0, w3 << 32 | w2)


def _check_seed(seed):
    if seed is not None and (len(seed) != 1 or seed[0] not in (None, 2)):
        raise OpFailure('seed must have shape [2]', 'two integers, such as seed=[1, 2].')


class _Stateless(Op, abstract=True):
    """Base of the ops that draw an array from the stream of `seed`."""

    signature = 'shape: T, seed: Tseed -> output: dtype'
    types = {'T': dtypes.INDEX, 'Tseed': dtypes.INDEX, 'dtype': dtypes.FLOATS}
    attrs = {'dtype': dtypes.float32, 'Tseed': dtypes.int64}
    static = {'shape': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, seed):
        _check_seed(of_rank(seed, 1))
        return random_ops.drawn_shape(shape)


class StatelessRandomUniform(_Stateless):
    """Floats in [0, 1)."""

    def kernel(shape, seed, out=None, *, dtype):
        return samplers.uniform(_stream(seed), random_ops.checked_sizes(shape), dtype.np, out)


class StatelessRandomNormal(_Stateless):
    """Normal floats of mean 0 and standard deviation 1."""

    def kernel(shape, seed, out=None, *, dtype):
        return samplers.standard_normal(
            _stream(seed), random_ops.checked_sizes(shape), dtype.np, out)


class StatelessTruncatedNormal(_Stateless):
    """Standard normal floats within two standard deviations."""

    def kernel(shape, seed, out=None, *, dtype):
        return samplers.truncated_normal(
            _stream(seed), random_ops.checked_sizes(shape), dtype.np, out)


class StatelessRandomUniformInt(_Stateless):
    """Integers in [minval, maxval)."""

    signature = 'shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype'
    types = {'T': dtypes.INDEX, 'Tseed': dtypes.INDEX, 'dtype': dtypes.INDEX}
    attrs = {'Tseed': dtypes.int64}

    def shape(shape, seed, minval, maxval):
        _check_seed(seed)
        random_ops.check_scalar_bounds(minval, maxval)
        return random_ops.drawn_shape(shape)

    def kernel(shape, seed, minval, maxval, out=None):
        return samplers.uniform_int(_stream(seed), random_ops.checked_sizes(shape), minval, maxval,
                                    minval.dtype, out)


class StatelessMultinomial(Op):
    """Class indices drawn with probabilities softmax(logits), row by row."""

    signature = 'logits: T, num_samples: int32, seed: Tseed -> output: output_dtype'
    types = {'T': dtypes.REAL, 'Tseed': dtypes.INDEX, 'output_dtype': dtypes.INDEX}
    attrs = {'output_dtype': dtypes.int64, 'Tseed': dtypes.int64}
    static = {'num_samples': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(logits, num_samples, seed):
        _check_seed(seed)
        return random_ops.categorical_shape(logits, num_samples)

    def kernel(logits, num_samples, seed, *, output_dtype):
        random_ops.check_categorical(logits, num_samples)
        return samplers.multinomial(_stream(seed), logits, num_samples, output_dtype.np)


# ---- public functions ----------------------------------------------------------------------


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    """Uniform values in [minval, maxval), the same in every run for the same seed.

    Shapes: seed [2] integer -> [*shape]. ValueError for another dtype than floats, int32, int64,
    and for integers without maxval.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in dtypes.FLOATS | dtypes.INDEX:
        raise misuse(ValueError(f'Invalid dtype {dtype!r}: stateless_uniform makes float16, '
                                'float32, float64, int32 and int64.'))
    maxval = random_functions.upper_bound(maxval, dtype)
    with name_scope(name, 'stateless_random_uniform', [shape, seed, minval, maxval]) as scope:
        shape = random_functions.shape_tensor(shape)
        minval = convert_to_tensor(minval, dtype, 'min')
        maxval = convert_to_tensor(maxval, dtype, 'max')
        if dtype.is_integer:
            return StatelessRandomUniformInt.apply(shape, seed, minval, maxval, name=scope)
        unit = StatelessRandomUniform.apply(shape, seed, dtype=dtype)
        return random_functions.scaled(unit, minval, maxval, scope)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Normal values, the same in every run for the same seed.

    Shapes: seed [2] integer -> [*shape]; mean and stddev may be tensors that broadcast with it.
    """
    return _normal(StatelessRandomNormal, 'stateless_random_normal', shape, seed, mean, stddev,
                   dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Normal values within two standard deviations, the same in every run for the same seed.

    Shapes: seed [2] integer -> [*shape]; mean and stddev may be tensors that broadcast with it.
    """
    return _normal(StatelessTruncatedNormal, 'stateless_truncated_normal', shape, seed, mean,
                   stddev, dtype, name)


def _normal(op, default_name, shape, seed, mean, stddev, dtype, name):
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        shape = random_functions.shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype, 'mean')
        stddev = convert_to_tensor(stddev, dtype, 'stddev')
        random_functions.check_type(op.type, 'dtype', dtype, dtypes.FLOATS)
        return random_functions.shifted(op.apply(shape, seed, dtype=dtype), mean, stddev, scope)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    """Class indices drawn with probabilities softmax(logits), the same in every run for a seed.

    Shapes: logits [batch, classes], seed [2] integer -> [batch, num_samples].
    """
    with name_scope(name, 'stateless_multinomial', [logits, seed]):
        return _categorical(logits, num_samples, seed, output_dtype)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    """Class indices drawn with probabilities softmax(logits), the same in every run for a seed.

    Shapes: logits [batch, classes], seed [2] integer -> [batch, num_samples].
    """
    with name_scope(name, 'stateless_categorical', [logits, seed]):
        return _categorical(logits, num_samples, seed, dtype)


def _categorical(logits, num_samples, seed, dtype):
    logits = convert_to_tensor(logits, name='logits')
    dtype = dtypes.as_dtype(dtype)
    random_functions.check_type('StatelessMultinomial', 'output_dtype', dtype, dtypes.INDEX)
    return StatelessMultinomial.apply(logits, num_samples, seed, output_dtype=dtype)


__all__ = ['stateless_categorical', 'stateless_multinomial', 'stateless_normal',
           'stateless_truncated_normal', 'stateless_uniform']
