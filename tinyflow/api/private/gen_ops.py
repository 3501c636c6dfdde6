"""tensorflow.python.ops.gen_nn_ops and its like: a function for each op, by its name in lower case.

    gen_nn_ops.max_pool_grad(x, y, dy, ksize, strides, padding, data_format='NHWC', name=None)

Tensors come first, then the attributes without a default, then the others. A function gives what
the node gives: a tensor, a list, a named tuple of several outputs, or the Operation if it has none.
"""
from __future__ import annotations

from collections import namedtuple
from functools import cache
from itertools import chain

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import Op
from tinyflow.graph.signature import REQUIRED, nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.support.registry_loading import load_every_op


def __getattr__(name):
    op_type = None if name.startswith('__') else _types().get(_plain(name))
    if op_type is None:
        raise AttributeError(f'there is no op {name!r} in tinyflow')
    return _function(name, Op.registry[op_type])


def _plain(name):
    return name.replace('_', '').lower()


@cache
def _types():
    """{the type in lower case: type} of every op."""
    load_every_op()
    return {_plain(op_type): op_type for op_type in Op.registry}


@cache
def _function(name, definition):
    tensors = [arg.name for arg in definition.inputs]
    known = {name for arg in definition.inputs for name in (arg.type, arg.number)}
    attrs = sorted((key for key in definition.attrs if key not in known),
                   key=lambda key: definition.attrs[key] is not REQUIRED)
    names = [*tensors, *attrs, 'name']

    def function(*args, **kwargs):
        given = _arguments(name, names, args, kwargs)
        missing = [key for key in tensors if key not in given]
        if missing:
            raise misuse(TypeError(f'{name}() misses the arguments {", ".join(missing)}; it takes '
                                   f'{", ".join(names)}.'))
        operation = definition.make(
            [given[key] for key in tensors],
            {key: _attribute(definition, key, given[key]) for key in attrs if key in given},
            given.get('name'))
        return _result(definition, operation)

    function.__name__ = name
    function.__doc__ = definition.__doc__
    return function


def _arguments(function, names, args, kwargs):
    """{name: value}; TypeError for arguments that there are not."""
    unknown = [key for key in kwargs if key not in names]
    twice = [key for key in names[:len(args)] if key in kwargs]
    if unknown or twice or len(args) > len(names):
        wrong = ', '.join(unknown or twice) or f'{len(args)} arguments'
        raise misuse(TypeError(f'{function}() does not take {wrong}; it takes '
                               f'{", ".join(names)}.'))
    return {**dict(zip(names, args)), **kwargs}


def _attribute(definition, key, value):
    """An attribute as nodes have it: text, tuples and DTypes."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return tuple(_attribute(definition, key, element) for element in value)
    if isinstance(definition.attrs[key], dtypes.DType) or isinstance(value, (type, np.dtype)) or \
            key in (arg.type for arg in definition.outputs):
        return dtypes.as_dtype(value)
    return value


def _result(definition, operation):
    outputs = operation.outputs
    if not definition.outputs:
        return operation
    if definition.one_output:
        return outputs[0]
    if len(definition.outputs) == 1:
        return list(outputs)
    parts = nest(definition.outputs, outputs) if definition.has_lists else outputs
    return namedtuple(definition.type, [arg.name for arg in definition.outputs])(*parts)


def __dir__():
    return sorted(chain(_types(), ['__name__']))
