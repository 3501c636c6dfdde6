"""Errors for invalid feeds: the key, the value or its shape, each with a hint."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.ops.variables.variable_base import VariableBase


def not_a_dict(feed_dict: Any) -> Exception:
    """The error for a feed_dict that is no mapping."""
    hint = 'one dict holds all feeds: sess.run(loss, {x: X, y: Y}).'
    if isinstance(feed_dict, (Tensor, Operation)):
        hint = 'several fetches go into a list: sess.run([train_op, loss]).'
    return misuse(TypeError('feed_dict must be a dict of tensor: value, not '
                            f'{type(feed_dict).__name__}.\n  Hint: {hint}' + why('feed-dict')))


def not_a_tensor(key: Any, error: Exception) -> Exception:
    """A key of feed_dict that is not a tensor; `error` is the reason."""
    reason = error.args[0] if error.args else str(error)
    hint = ''
    if isinstance(key, str) and ':' not in key and f"'{key}:0'" not in reason:
        hint = f"\n  Hint: '{key}:0' is the tensor, '{key}' the operation."
    return misuse(TypeError(
        f'Cannot interpret feed_dict key as Tensor: {reason}{hint}' + why('feed-key')))


def fed_twice(key: Any) -> Exception:
    """A tensor occurs twice in feed_dict, once inside a nest."""
    return misuse(ValueError(f'Could not flatten dictionary: key {key} is not unique; feed_dict '
                             'gives it two values.'))


def wrong_length(key: Any, parts: Sequence, got: int) -> Exception:
    """A nest of tensors was given a nest of another length."""
    names = ', '.join(str(getattr(part, 'name', part)) for part in parts)
    what = 'key' if isinstance(key, tuple) else type(key).__name__
    return misuse(ValueError(
        f'Could not flatten dictionary. Key had {len(parts)} elements, but value had {got} '
        f'elements.\n  Hint: the {what} ({names}) takes a tuple of {len(parts)} values.'))


def is_a_node(tensor: Tensor, value: Any, node: Any) -> Exception:
    """The error for a node, or a list with one, in place of a value; its class is that of TF."""
    kind = 'Tensor' if isinstance(node, Tensor) else \
        'Variable' if isinstance(node, VariableBase) else type(node).__name__
    kind = f'tf.{kind}'
    what = f'a {kind} object' if node is value else f'a list with a {kind} object in it'
    shown = node if isinstance(node, Tensor) else node._as_graph_element()
    inputs = [('fed to', tensor), ('the value', shown)] if isinstance(shown, Tensor) else \
        [('fed to', tensor)]
    error = TypeError if isinstance(value, Tensor) else ValueError
    return misuse(error(report(
        f'The value of a feed cannot be {what}. Acceptable feed values include Python scalars, '
        'strings, lists and NumPy arrays.', inputs=inputs,
        hint='sess.run(value) first and feed the result; or build the model on that node instead '
             'of the placeholder.' + why('feed-tensor'))))


def int_too_large(tensor: Tensor, value: int) -> Exception:
    """The dtype cannot hold a Python int."""
    return misuse(TypeError(f'Type of feed value {value} with type {type(value)} is not '
                            f'compatible with Tensor type {tensor.dtype.np}. Try explicitly '
                            'setting the type of the feed tensor to a larger type (e.g. int64).'))


def no_array(tensor: Tensor, value: Any, error: Exception) -> Exception:
    """The value cannot be converted to an array of the tensor's dtype; `error` is NumPy's error."""
    kind = TypeError if isinstance(error, TypeError) else ValueError
    reason = re.sub(r'np\.(?:str|bytes)_\((.*?)\)', r'\1', str(error))
    return misuse(kind(report(
        f"The value fed to '{tensor.name}' cannot become an array of {tensor.dtype.name}: "
        f'{reason}', inputs=[('fed to', tensor)],
        hint=_hint_for_value(value, error) + why('feed-value'))))


def _hint_for_value(value: Any, error: Exception) -> str:
    if value is None:
        return 'the value is None: was it computed by a function without a return statement?'
    if "can't convert complex" in str(error):
        return 'feed value.real or abs(value); or make the placeholder tf.complex64.'
    if isinstance(value, Iterator):
        return (f'this is a {type(value).__name__}, which yields its items one by one; '
                'feed list(value), created again for each run.')
    if isinstance(value, dict):
        return 'this is a dict; feed list(value.values()), or one key of feed_dict for each.'
    if isinstance(value, (set, frozenset)):
        return 'this is a set, which has no order; feed sorted(value).'
    if _is_text(value):
        return ('this is text: float(text) or int(text) converts a number; words must be mapped '
                'to numbers, such as their index in a vocabulary.')
    if isinstance(value, (list, tuple)):
        return 'give all rows the same length (pad the shorter ones), and numbers only.'
    return 'feed numbers, or nested lists or arrays of them.'


def _is_text(value: Any) -> bool:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (str, bytes)) or getattr(value, 'dtype', np.dtype(int)).kind in 'SU'


def wrong_shape(tensor: Tensor, array: np.ndarray) -> Exception:
    """The array does not have the tensor's shape."""
    return misuse(ValueError(report(
        f'Cannot feed value of shape {array.shape} for Tensor {tensor.name!r}, which has shape '
        f"'{tensor.shape}'", inputs=[('fed to', tensor)],
        hint=_hint_for_shape(tensor, array) + why('feed-shape'))))


def _hint_for_shape(tensor: Tensor, array: np.ndarray) -> str:
    """Code that would make the array fit; it works for lists as well."""
    wanted, got = tensor.raw_shape or (), array.shape
    if _are_class_numbers(wanted, array):
        labels = 'labels' if len(got) < len(wanted) else 'np.ravel(labels)'
        return (f'the values look like class indices: np.eye({wanted[-1]})[{labels}] makes one-hot '
                'rows; sparse_softmax_cross_entropy_with_logits takes class indices as they are.')
    if not wanted:
        return _hint_for_scalar(tensor, got)
    if len(got) == 2 and len(wanted) == 1 and _are_one_hot(array):
        return 'the rows look one-hot: np.argmax(value, 1) converts them to class indices.'
    return (_added_axis(wanted, got) or _transposed(wanted, got) or _reshaped(wanted, got)
            or _of_any_size(tensor, got)
            or _axis_that_differs(wanted, got))


def _axis_that_differs(wanted: tuple, got: tuple[int, ...]) -> str:
    """Where the shapes differ, in words that the message does not have yet."""
    if len(wanted) != len(got):
        return (f'the placeholder has {len(wanted)} axes, the value {len(got)}; tf.placeholder('
                'dtype, shape) says which it takes.')
    axis = next(i for i, (size, found) in enumerate(zip(wanted, got)) if size not in (None, found))
    return (f'axis {axis} has {got[axis]} elements where the placeholder takes {wanted[axis]}: '
            'feed as many, or make the placeholder of another shape (None takes any size).')


_MOST_CLASSES = 256     # from this length on, a vector as long as a row is assumed to be one row


def _are_class_numbers(wanted: tuple, array: np.ndarray) -> bool:
    """True for [n] or [n, 1] integers from 0 to k - 1 where [n, k] is wanted."""
    if len(wanted) < 2 or array.dtype.kind not in 'iuf' or not array.size:
        return False
    classes = wanted[-1]
    flat = array.ndim == len(wanted) - 1
    if classes is None or classes < 2 or not shapes.compatible(
            wanted[:-1], array.shape if flat else array.shape[:-1]):
        return False
    if not flat and array.shape[-1] != 1:
        return False
    if array.min() < 0 or array.max() >= classes or (array % 1 != 0).any():
        return False
    if flat and array.size % classes == 0 and classes > _MOST_CLASSES:
        return False
    return array.size != classes or array.max() > 1         # else it may be one (one-hot) row


def _are_one_hot(array: np.ndarray) -> bool:
    return bool(array.size and array.dtype.kind in 'biuf' and (array.sum(1) == 1).all()
                and (array.max(1) == 1).all())


def _hint_for_scalar(tensor: Tensor, got: tuple) -> str:
    if all(size == 1 for size in got):
        return f'value{"[0]" * len(got)} is the number itself.'
    return (f'feed one number; or tf.placeholder(tf.{tensor.dtype.base_dtype.name}, [None]), which '
            'takes a vector.')


def _added_axis(wanted: tuple, got: tuple) -> str | None:
    if not got and len(wanted) == 1:
        return 'a list turns a number into a vector: [value].'
    if len(got) + 1 != len(wanted):
        return None
    for axis in [0, *range(len(wanted) - 1, 0, -1)]:
        if shapes.compatible(wanted, got[:axis] + (1,) + got[axis:]):
            what = ('a batch of one' if axis == 0 else 'a column' if len(wanted) == 2 else
                    'one channel' if axis == len(got) else f'axis {axis} of size 1')
            return f'np.expand_dims(value, {axis}) makes it {what}.'
    return None


def _transposed(wanted: tuple, got: tuple) -> str | None:
    if len(got) == 2 and shapes.compatible(wanted, got[::-1]):
        return ('np.transpose(value) has the right shape, if rows and columns were swapped.')
    return None


def _reshaped(wanted: tuple, got: tuple) -> str | None:
    """A reshape that keeps the rows of a batch, or makes a batch of one."""
    row, batch = wanted[1:], wanted[0]
    if None in row or not got:
        return None
    size, count = prod(row), prod(got)
    code = 'np.reshape(value, ({}))'.format(', '.join(map(str, (-1, *row))) + ',' * (not row))
    if prod(got[1:]) == size and batch in (None, got[0]):
        return f'{code} keeps the {got[0]} rows.'
    if count == size and batch in (None, 1):
        return f'{code}, if all of it is one row.'
    if len(got) == 1 and size > 1 and count and count == size * (batch or count // size):
        return f'{code}, if it is {count // size} rows one after the other.'
    return None


def _of_any_size(tensor: Tensor, got: tuple) -> str | None:
    wanted = tensor.raw_shape or ()
    free = (None, *wanted[1:])
    if wanted[0] is None or not shapes.compatible(free, got):
        return None
    shown = ', '.join('None' if size is None else str(size) for size in free)
    return (f'a placeholder of shape [{shown}] takes any number of rows; this one takes '
            f'{wanted[0]}.')


__all__ = ['fed_twice', 'int_too_large', 'is_a_node', 'no_array', 'not_a_tensor', 'wrong_length',
           'wrong_shape']
