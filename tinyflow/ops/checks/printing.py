"""tf.Print, tf.print and tf.strings.format: values as text, while the graph runs.

Output goes to Python's `sys.stdout` and `sys.stderr`, so that notebooks and tests capture it; TF1
writes to the file descriptors.
"""
from __future__ import annotations

import logging
import sys

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.ops.checks.value_text import both_ends, first_values
from tinyflow.ops.strings.arrays import as_text

_SHOWN = 3                  # values shown of each tensor, by default


class _PrintCount:
    """How often a Print node has printed in a Session."""

    def __init__(self):
        self.times = 0

    def get_state(self):
        return {'times': self.times}

    def set_state(self, state):
        self.times = state['times']


class PrintOp(Op, type='Print'):
    """The input, after printing the data."""

    signature = 'input: T, data: [U] -> output: T'
    attrs = {'U': (), 'message': '', 'first_n': -1, 'summarize': _SHOWN}
    pure = False
    partial_rank = True

    def shape(input, data):
        return input

    def state(attrs):
        return _PrintCount()

    def kernel(count, input, data, *, message, first_n, summarize):
        if first_n < 0 or count.times < first_n:
            count.times += 1
            values = ''.join(f'[{first_values(np.asarray(value), summarize)}]' for value in data)
            print(as_text(message) + values, flush=True)
        # Not the input's own array: the compiled program may return or reuse it.
        return np.array(input)

    def gradient(op, dy):
        return [dy] + [None] * (len(op.inputs) - 1)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, printing `data` to sys.stdout whenever it is computed.

    Shapes: input_ [*a], data a list of tensors -> [*a]. It prints only if the result is used:
    pass it on in place of `input_`. `first_n` is how often it prints (-1: always),
    `summarize` how many values of each tensor (-1: all).
    """
    return PrintOp.apply(input_, list(data), message=message or '',
                         first_n=-1 if first_n is None else first_n,
                         summarize=_SHOWN if summarize is None else summarize, name=name)


class StringFormat(Op):
    """The template with its placeholders replaced by the values, one after the other."""

    signature = 'inputs: [T] -> output: string'
    attrs = {'T': (), 'template': '%s', 'placeholder': '%s', 'summarize': _SHOWN}
    partial_rank = True

    def shape(inputs):
        return ()

    def kernel(inputs, *, template, placeholder, summarize):
        parts = as_text(template).split(as_text(placeholder))
        values = [both_ends(np.asarray(value), summarize) for value in inputs]
        text = parts[0] + ''.join(value + part for value, part in zip(values, parts[1:]))
        return np.array(text.encode(), object)

    def gradient(op, dy):
        return [None] * len(op.inputs)


def string_format(template, inputs, placeholder='{}', summarize=3, name=None):
    """The text `template`, each `placeholder` in it replaced by the values of a tensor.

    Shapes: inputs a tensor or list of tensors of any shape -> [] string. `summarize` is how many
    values it shows at each end of each axis (-1: all). ValueError unless there are as many
    placeholders as tensors.
    """
    tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(tensors):
        raise misuse(ValueError(report(
            f'StringFormat: {count} placeholder(s) in template does not match {len(tensors)} '
            'tensor(s) provided as input', site=user_site())))
    return StringFormat.apply(tensors, template=template, placeholder=placeholder,
                              summarize=summarize, name=name)


class PrintV2(Op):
    """Prints a string."""

    signature = 'input: string ->'
    attrs = {'output_stream': 'stderr', 'end': '\n'}
    pure = False
    partial_rank = True

    def shape(input):
        if input not in (None, ()):
            raise ValueError('the text to print must be a scalar')
        return ()

    def kernel(input, *, output_stream, end):
        if input.ndim:
            raise ValueError('the text to print must be a scalar')
        _write(as_text(input.item()), as_text(output_stream), as_text(end))
        return ()

    def gradient(op):
        return [None]


def _write(text, stream, end):
    if stream.startswith(_FILE):
        with open(stream.removeprefix(_FILE), 'a', encoding='utf-8') as file:
            file.write(text + end)
    elif stream.startswith('log('):
        logging.getLogger('tensorflow').log(_LEVELS[stream], text + end.rstrip('\n'))
    else:
        print(text, end=end, file=sys.stdout if stream == 'stdout' else sys.stderr, flush=True)


_FILE = 'file://'
_LEVELS = {'log(info)': logging.INFO, 'log(warning)': logging.WARNING,
           'log(error)': logging.ERROR}
# The functions of tf.logging that are allowed as output_stream, by name.
_LOGGERS = {'info': 'log(info)', 'warning': 'log(warning)', 'warn': 'log(warning)',
            'error': 'log(error)'}


def print_v2(*inputs, **kwargs):
    """An Operation that prints its inputs, as Python's print does, when it runs.

        with tf.control_dependencies([tf.print('loss', loss)]):
            train_op = optimizer.minimize(loss)

    Shapes: inputs are tensors, Python values, or nests of those -> no tensor. Keywords:
    output_stream (sys.stderr; sys.stdout, tf.logging.info, warning, error, 'file://name'),
    summarize (values at each end of each axis: 3; -1 for all), sep (' '), end, name.
    """
    stream = _stream_name(kwargs.pop('output_stream', sys.stderr))
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', _SHOWN)
    sep, end = kwargs.pop('sep', ' '), kwargs.pop('end', '\n')
    if kwargs:
        known = ('output_stream', 'summarize', 'sep', 'end', 'name')
        raise misuse(ValueError(f'Unrecognized keyword arguments for tf.print: {kwargs}'
                                + nearest_keyword(min(kwargs), known)))
    if not hasattr(sep, 'join'):
        raise misuse(AttributeError(f'tf.print: sep must be a string, not {sep!r}.'))
    if len(inputs) == 1 and _is_text(inputs[0]):
        return PrintV2.apply(inputs[0], output_stream=stream, end=end, name=name)
    tensors = []
    template = sep.join(_template(item, tensors) for item in inputs)
    placeholder = _free_placeholder(template)
    template = template.replace(_HOLE, placeholder)
    text = StringFormat.apply(tensors, template=template, placeholder=placeholder,
                              summarize=_SHOWN if summarize is None else summarize,
                              name=f'{name}_format' if name else None)
    return PrintV2.apply(text, output_stream=stream, end=end, name=name)


def _stream_name(stream):
    if stream is None or stream is sys.stderr or stream is sys.__stderr__:
        return 'stderr'
    if stream is sys.stdout or stream is sys.__stdout__:
        return 'stdout'
    if isinstance(stream, str) and (stream.startswith(_FILE) or stream in _LEVELS
                                    or stream in ('stdout', 'stderr')):
        return stream
    if callable(stream) and getattr(stream, '__module__', '') == 'tinyflow.graph.support.logging':
        return _LOGGERS.get(stream.__name__) or _unknown(stream)
    return _unknown(stream)


def _unknown(stream):
    raise misuse(ValueError(
        f'Unknown output stream, logging level, or file, {stream}\n  Hint: sys.stdout, sys.stderr, '
        "tf.logging.info, tf.logging.warning, tf.logging.error, or 'file://' and a name."))


def _is_text(value):
    return isinstance(value, Tensor) and value.dtype.base_dtype is dtypes.string \
        and value.raw_shape == ()


_HOLE = '\0'                # marks a tensor in a template


def _template(item, tensors):
    """The text of an argument, with a hole for each tensor; the tensors are added to `tensors`."""
    if isinstance(item, str):
        return item
    shown = nest.map_structure(lambda leaf: _leaf(leaf, tensors), item)
    if not nest.is_nested(item):
        return shown.text if isinstance(shown, _Literal) else str(shown)
    import pprint  # start-up time
    return pprint.pformat(shown)


class _Literal:
    """Text that pprint shows without quotes."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _leaf(leaf, tensors):
    if isinstance(leaf, SparseTensor):
        tensors += [leaf.indices, leaf.values, leaf.dense_shape]
        return _Literal(f"'SparseTensor(indices={_HOLE}, values={_HOLE}, shape={_HOLE})'")
    if isinstance(leaf, Tensor) or hasattr(leaf, '_as_graph_element') and hasattr(leaf, 'dtype'):
        tensors.append(convert_to_tensor(leaf))
        return _Literal(_HOLE)
    return leaf


def _free_placeholder(template):
    """'{}', followed by digits if the template contains '{}'."""
    if '{}' not in template:
        return '{}'
    number = 9
    while f'{{}}{number}' in template:
        number = number * 10 + 9
    return f'{{}}{number}'


print_v2.__name__ = print_v2.__qualname__ = 'print'

__all__ = ['Print', 'print_v2', 'string_format']
