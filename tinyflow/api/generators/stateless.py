"""TensorFlow 2's stateless functions, which take an algorithm and unsigned integers."""
from __future__ import annotations

from tinyflow.api.generators.states import number_of
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import InvalidArgumentError, misuse
from tinyflow.ops.imported import stateless_random_v2 as stateless
from tinyflow.ops.random import stateless_random


def _check(alg):
    if number_of(alg) != 1:
        raise misuse(InvalidArgumentError(None, None, "ThreeFry does not run here.\n  Hint: "
                                          "alg='philox', or the default."))


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None,
                      alg='auto_select'):
    """Numbers in [minval, maxval), a function of the seed; see tf.random.stateless_uniform."""
    _check(alg)
    kind = dtypes.as_dtype(dtype)
    if kind.is_integer and minval is None and maxval is None:
        return stateless.StatelessRandomUniformFullInt.apply(
            convert_to_tensor(shape, dtypes.int32), convert_to_tensor(seed), dtype=kind, name=name)
    return stateless_random.stateless_uniform(shape, seed, minval, maxval, kind, name)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                     alg='auto_select'):
    """Normal numbers, a function of the seed; see tf.random.stateless_normal."""
    _check(alg)
    return stateless_random.stateless_normal(shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                               alg='auto_select'):
    """Normal numbers within two deviations, a function of the seed."""
    _check(alg)
    return stateless_random.stateless_truncated_normal(shape, seed, mean, stddev, dtype, name)


__all__ = ['stateless_normal', 'stateless_truncated_normal', 'stateless_uniform']
