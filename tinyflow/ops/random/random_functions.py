"""tf.random_uniform, random_normal, random_gamma and so on.

A random op (random_ops.py) has two seeds: `seed` of the graph and `seed2` of the op. Both together
determine the Philox stream that each Session keeps for it, so the numbers are those of TensorFlow
1.15.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, shape_ops, slicing
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.random.random_ops import (
    Multinomial,
    ParameterizedTruncatedNormal,
    RandomGamma,
    RandomPoissonV2,
    RandomShuffle,
    RandomStandardNormal,
    RandomUniform,
    RandomUniformInt,
    TruncatedNormal,
)
from tinyflow.ops.random.seeds import seed_attrs

# ---- public functions ----------------------------------------------------------------------


def shape_tensor(shape):
    """The node of a `shape` argument; an empty list (a scalar) is int32, not float32.

    NumPy's smaller integers are int32, too: np.max(labels) + 1 of labels that are bytes is a byte.
    """
    empty = isinstance(shape, (list, tuple)) and not shape
    sizes = shape if isinstance(shape, (list, tuple)) else [shape]
    small = any(isinstance(n, (np.ndarray, np.integer)) and n.dtype.kind in 'iu'
                and n.dtype.itemsize < 4 for n in sizes)
    return convert_to_tensor(shape, dtypes.int32 if empty or small else None, 'shape')


def check_type(op_type, argument, dtype, allowed):
    """TypeError, with TF's message, if the op does not support a dtype."""
    if dtype not in allowed:
        names = ', '.join(d.name for d in dtypes.ALL if d in allowed)
        raise misuse(TypeError(report(
            f"Value passed to parameter '{argument}' of {op_type} has DataType {dtype.name} not "
            f'in list of allowed values: {names}', hint='tf.cast changes the dtype afterwards.')))


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Uniform random values in [minval, maxval); `maxval` is 1 for floats if it is not given.

    Shapes: -> [*shape]; float bounds may be tensors that broadcast with it.
    Raises ValueError for a dtype other than floats, int32, int64, and for integers without maxval.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in dtypes.FLOATS | dtypes.INDEX:
        raise misuse(ValueError(f'Invalid dtype {dtype!r}: random_uniform makes float16, float32, '
                                'float64, int32 and int64.'))
    maxval = upper_bound(maxval, dtype)
    with name_scope(name, 'random_uniform', [shape, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        minval = convert_to_tensor(minval, dtype, 'min')
        maxval = convert_to_tensor(maxval, dtype, 'max')
        seeds = seed_attrs(seed)
        if dtype.is_integer:
            return RandomUniformInt.apply(shape, minval, maxval, name=scope, **seeds)
        return scaled(RandomUniform.apply(shape, dtype=dtype, **seeds), minval, maxval, scope)


def upper_bound(maxval, dtype):
    """The default of `maxval`: 1 for floats. ValueError for integers, which have none."""
    if maxval is None and dtype.is_integer:
        raise misuse(ValueError(f'Must specify maxval for integer dtype {dtype!r}.'))
    return 1 if maxval is None else maxval


def scaled(unit, minval, maxval, name):
    """unit * (maxval - minval) + minval."""
    return arithmetic.add(unit * (maxval - minval), minval, name=name)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal random values of the given mean and standard deviation.

    Shapes: -> [*shape]; mean and stddev may be tensors that broadcast with it.
    """
    return _normal(RandomStandardNormal, 'random_normal', shape, mean, stddev, dtype, seed, name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal random values, drawn again where they are two deviations or more from the mean.

    Shapes: -> [*shape]; mean and stddev may be tensors that broadcast with it.
    """
    return _normal(TruncatedNormal, 'truncated_normal', shape, mean, stddev, dtype, seed, name)


def _normal(op, default_name, shape, mean, stddev, dtype, seed, name):
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, default_name, [shape, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype, 'mean')
        stddev = convert_to_tensor(stddev, dtype, 'stddev')
        check_type(op.type, 'dtype', dtype, dtypes.FLOATS)
        return shifted(op.apply(shape, dtype=dtype, **seed_attrs(seed)), mean, stddev, scope)


def shifted(unit, mean, stddev, name):
    """unit * stddev + mean."""
    return arithmetic.add(unit * stddev, mean, name=name)


def parameterized_truncated_normal(shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0,
                                   dtype=dtypes.float32, seed=None, name=None):
    """Normal random values, drawn again until they are in [minvals, maxvals].

    Shapes: parameters [] or [n] -> [*shape], where n is the first size of `shape`.
    """
    dtype = dtypes.as_dtype(dtype)
    parameters = [means, stddevs, minvals, maxvals]
    with name_scope(name, 'parameterized_truncated_normal', [shape, *parameters]):
        shape = shape_tensor(shape)
        names = ('means', 'stddevs', 'minvals', 'maxvals')
        parameters = [convert_to_tensor(p, dtype, n) for p, n in zip(parameters, names)]
        return ParameterizedTruncatedNormal.apply(shape, *parameters, **seed_attrs(seed))


def random_shuffle(value, seed=None, name=None):
    """The rows of `value` in random order.

    Shapes: value [n, *a] -> [n, *a].
    """
    return RandomShuffle.apply(value, name=name, **seed_attrs(seed))


def random_crop(value, size, seed=None, name=None):
    """A slice of `value` of the given size, at a random position.

    Shapes: value [*a], size [rank] -> [*size]; a size equal to that of the axis keeps it whole.
    InvalidArgumentError while running if `size` exceeds the value's shape.
    """
    with name_scope(name, 'random_crop', [value, size]) as scope:
        value = convert_to_tensor(value, name='value')
        size = convert_to_tensor(size, dtypes.int32, 'size')
        shape = shape_ops.shape(value)
        check = assertions.Assert(reduction.reduce_all(shape >= size),
                                  ['Need value.shape >= size, got ', shape, size], summarize=1000)
        shape = grouping.with_dependencies([check], shape)
        positions = shape - size + 1
        drawn = random_uniform(shape_ops.shape(shape), maxval=size.dtype.max, dtype=size.dtype,
                               seed=seed)
        return slicing.slice(value, drawn % positions, size, name=scope)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Class indices drawn with probabilities softmax(logits).

    Shapes: logits [batch, classes] -> [batch, num_samples], dtype int64 unless said otherwise.
    """
    with name_scope(name, 'multinomial', [logits]):
        return _categorical(logits, num_samples, output_dtype, seed)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Class indices drawn with probabilities softmax(logits).

    Shapes: logits [batch, classes] -> [batch, num_samples], dtype int64 unless said otherwise.
    """
    with name_scope(name, 'categorical', [logits]):
        return _categorical(logits, num_samples, dtype, seed)


def _categorical(logits, num_samples, dtype, seed):
    logits = convert_to_tensor(logits, name='logits')
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    check_type('Multinomial', 'output_dtype', dtype, dtypes.INDEX)
    return Multinomial.apply(logits, num_samples, output_dtype=dtype, **seed_attrs(seed))


def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    """Gamma random values of shape parameter `alpha` and rate `beta` (1 if not given).

    Shapes: alpha [*a], beta [*b] -> [*shape, *broadcast(a, b)]. It has a gradient for beta, not
    for alpha.
    """
    with name_scope(name, 'random_gamma', [shape, alpha, beta]):
        shape = convert_to_tensor(shape, dtypes.int32, 'shape')
        alpha = convert_to_tensor(alpha, dtype, 'alpha')
        beta = convert_to_tensor(1 if beta is None else beta, dtype, 'beta')
        alpha = alpha + constants.zeros_like(beta)
        drawn = RandomGamma.apply(shape, alpha, **seed_attrs(seed))
        # Never 0: logarithms of gamma variates are common.
        return arithmetic.maximum(np.finfo(drawn.dtype.np).tiny, drawn / beta)


def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
    """Poisson random counts of mean `lam`.

    Shapes: lam [*l] -> [*shape, *l].
    """
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, 'random_poisson', [lam, shape]):
        shape = convert_to_tensor(shape, dtypes.int32, 'shape')
        check_type('RandomPoissonV2', 'dtype', dtype, dtypes.FLOATS | dtypes.INDEX)
        return RandomPoissonV2.apply(shape, lam, dtype=dtype, **seed_attrs(seed))


__all__ = ['categorical', 'multinomial', 'random_crop', 'random_gamma',
           'random_normal', 'random_poisson', 'random_shuffle', 'random_uniform',
           'truncated_normal']
