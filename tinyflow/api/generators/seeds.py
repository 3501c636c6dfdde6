"""Seeds of stateless functions from other seeds."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import joining
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.imported import stateless_random_v2 as stateless


def fold_in(seed, data, alg='auto_select'):
    """A seed from a seed and a number, such as the step. Shapes: seed [2], data [] -> [2]."""
    data = convert_to_tensor(data, name='data')
    first = _full(seed, [1], data.dtype)
    return joining.concat([first, joining.stack([data])], 0)


def split(seed, num=2, alg='auto_select'):
    """`num` seeds whose numbers do not depend on each other. Shapes: seed [2] -> [num, 2]."""
    seed = convert_to_tensor(seed, name='seed')
    return _full(seed, [num, 2], seed.dtype)


def _full(seed, shape, dtype):
    unsigned = dtype if dtype in (dtypes.int32, dtypes.int64) else dtypes.int32
    return stateless.StatelessRandomUniformFullInt.apply(
        convert_to_tensor(shape), convert_to_tensor(seed), dtype=unsigned)


def stateless_shuffle(value, seed, alg='auto_select', name=None):
    """The rows of a tensor in another order, a function of the seed. Shapes: seed [2]."""
    with name_scope(name, 'stateless_shuffle', [value, seed]):
        key, counter = stateless.StatelessRandomGetKeyCounter.apply(convert_to_tensor(seed))
        return stateless.StatelessShuffle.apply(
            convert_to_tensor(value), key, counter, cast(convert_to_tensor(1), dtypes.int32))


__all__ = ['fold_in', 'split', 'stateless_shuffle']
