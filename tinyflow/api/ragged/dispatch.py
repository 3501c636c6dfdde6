"""Functions of tf that take ragged tensors, too, once a program uses some.

The functions themselves know nothing of ragged tensors: when the first one is made,
`install` puts others in their place, which look whether an argument is ragged.
"""
from __future__ import annotations

import functools
import operator
import sys

from tinyflow.api.ragged import broadcasting, functions, indexing, reductions
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph.operation import Tensor
from tinyflow.ops.math import logic

# Public names below tf, by what they do with ragged tensors. Activations are not among them: layers
# compare them with functions that they know; tf.ragged.map_flat_values takes them.
ONE_ARGUMENT = """
    abs acos acosh angle as_string asin asinh atan atanh bitwise.invert cast ceil check_numerics
    clip_by_value conj cos cosh decode_base64 digamma encode_base64 erf erfc exp expm1 floor
    identity imag io.decode_compressed is_finite is_inf is_nan lgamma log log1p log_sigmoid
    logical_not negative ones_like real reciprocal regex_replace rint round rsqrt saturate_cast sign
    sin sinh sqrt square string_strip string_to_hash_bucket string_to_hash_bucket_fast
    string_to_hash_bucket_strong string_to_number strings.length strings.lower
    strings.regex_full_match strings.upper substr tan zeros_like""".split()
TWO_ARGUMENTS = """
    add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift complex div_no_nan divide equal floordiv floormod greater greater_equal less
    less_equal logical_and logical_or logical_xor maximum minimum multiply not_equal pow realdiv
    squared_difference subtract truediv truncatediv truncatemod""".split()
LISTS = ['add_n', 'string_join']
REDUCTIONS = ['sum', 'prod', 'max', 'min', 'mean', 'any', 'all']
# Namespaces that show some of these functions, too.
_SHARING = ['bitwise', 'debugging', 'dtypes', 'io', 'linalg', 'manip', 'math', 'nn', 'sparse',
            'strings']
_REPLACED: list = []                # (namespace, name, the function itself)
_OPERATORS = ['add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow']
_COMPARISONS = ['lt', 'le', 'gt', 'ge']


def _is_ragged(x):
    return isinstance(x, RaggedTensor) or (
        isinstance(x, (list, tuple)) and any(isinstance(v, RaggedTensor) for v in x))


def _replaced(function, of_ragged):
    """`function`, or `of_ragged` where one of the first arguments is ragged."""
    @functools.wraps(function)
    def either(*args, **kwargs):
        if any(_is_ragged(a) for a in args[:3]) or any(_is_ragged(a) for a in kwargs.values()):
            return of_ragged(*args, **kwargs)
        return function(*args, **kwargs)
    return either


def _of_one(function):
    return functools.partial(functions.map_flat_values, function)


def _of_two(function):
    return lambda x, y, name=None: broadcasting.elementwise(function, x, y, name)


def _reduction(kind):
    def reduce(input_tensor, axis=None, keepdims=None, name=None):
        return reductions.reduce(kind, input_tensor, axis, keepdims, name)
    return reduce


def _size(input, name=None, out_type=None):
    return sys.modules['tinyflow'].size(input.flat_values, name)


def _rank(input, name=None):
    ragged = input.ragged_rank
    return ragged + sys.modules['tinyflow'].rank(input.flat_values, name)


def _gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    if axis not in (None, 0):
        raise NotImplementedError(f'tf.gather(axis={axis}) of ragged tensors is not implemented')
    if batch_dims:
        return indexing.batch_gather(params, indices, name)
    return indexing.gather(params, indices, name)


def _of_list(function):
    return lambda inputs, *args, **kwargs: functions.map_flat_list(function, inputs, *args,
                                                                   **kwargs)


def _always(other):
    return lambda function: other


_SPECIAL = {
    'batch_gather': indexing.batch_gather, 'boolean_mask': functions.boolean_mask,
    'concat': functions.concat, 'dynamic_partition': functions.dynamic_partition,
    'expand_dims': functions.expand_dims, 'gather': _gather, 'gather_nd': indexing.gather_nd,
    'one_hot': functions.one_hot, 'rank': _rank, 'reduce_join': reductions.join, 'size': _size,
    'squeeze': functions.squeeze, 'stack': functions.stack, 'tile': functions.tile,
    'where': functions.ragged_where}
_SEGMENTS = ['sum', 'prod', 'max', 'min', 'mean', 'sqrt_n']


def _makers():
    """Path below tf -> a function from the function itself to the one for ragged tensors."""
    return {**dict.fromkeys(ONE_ARGUMENT, _of_one), **dict.fromkeys(TWO_ARGUMENTS, _of_two),
            **dict.fromkeys(LISTS, _of_list),
            **{f'reduce_{kind}': _always(_reduction(kind)) for kind in REDUCTIONS},
            **{f'unsorted_segment_{kind}': _always(functools.partial(reductions.segment, kind))
               for kind in _SEGMENTS},
            **{path: _always(other) for path, other in _SPECIAL.items()}}


def install() -> None:
    """Puts the functions of this module in the place of those of the public namespaces."""
    if _REPLACED:
        return
    tf = sys.modules['tinyflow']
    spaces = [tf, *(getattr(tf, name) for name in _SHARING)]
    new = {}
    for path, make in _makers().items():
        function = operator.attrgetter(path)(tf)
        new[function] = _replaced(function, make(function))
    names = {path.rpartition('.')[2] for path in _makers()}
    for space in spaces:
        for name in names.intersection(dir(space)):
            getattr(space, name)                # it may be loaded on first use
        for name, value in list(vars(space).items()):
            if callable(value) and not isinstance(value, type) and value in new:
                setattr(space, name, new[value])
                _REPLACED.append((space, name, value))


def remove() -> None:
    """Puts the functions themselves back, until the next ragged tensor is made."""
    for namespace, name, function in _REPLACED:
        setattr(namespace, name, function)
    _REPLACED.clear()


def _install_operators():
    for name in _OPERATORS:
        function = getattr(operator, name)
        setattr(RaggedTensor, f'__{name}__', lambda x, y, f=function: broadcasting.elementwise(
            f, x, y))
        setattr(RaggedTensor, f'__r{name}__', lambda x, y, f=function: broadcasting.elementwise(
            f, y, x))
    for name in _COMPARISONS:
        function = getattr(operator, name)
        setattr(RaggedTensor, f'__{name}__', lambda x, y, f=function: broadcasting.elementwise(
            f, x, y))
    for name, function in (('and', logic.logical_and), ('or', logic.logical_or),
                           ('xor', logic.logical_xor)):
        setattr(RaggedTensor, f'__{name}__', lambda x, y, f=function: broadcasting.elementwise(
            f, x, y))
        setattr(RaggedTensor, f'__r{name}__', lambda x, y, f=function: broadcasting.elementwise(
            f, y, x))
    RaggedTensor.__neg__ = lambda x: functions.map_flat_values(operator.neg, x)
    RaggedTensor.__abs__ = lambda x: functions.map_flat_values(abs, x)
    RaggedTensor.__invert__ = lambda x: functions.map_flat_values(operator.invert, x)
    RaggedTensor.__getitem__ = indexing.get_item
    RaggedTensor.__array_priority__ = Tensor.__array_priority__


_install_operators()
RaggedTensor._when_made = staticmethod(install)

__all__ = ['install', 'remove']
