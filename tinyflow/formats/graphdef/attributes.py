"""Attributes of nodes as AttrValues, and back.

The kind of an AttrValue follows from the Python value, for which the vocabulary has one convention:
str, int, float, bool, DType, TensorShape, array, FuncGraph, and tuples of these.
"""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire import tensors
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.devices import colocation_groups
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import InvalidArgumentError, misuse

# Ops that hold the attribute `shape` as a plain tuple (or None).
_PLAIN_SHAPES = frozenset(('VariableV2', 'VarHandleOp', 'AccumulateNV2'))
_PYTHON = 'python'                       # the `placeholder` of a Lost object
_OWN = frozenset(('_writes', '_num_original_outputs'))      # only for tinyflow


# ---- to AttrValue -------------------------------------------------------------------------


def fill_attributes(proto, operation):
    """Writes all attributes of a node into the NodeDef `proto`."""
    definition, attrs = operation.definition, proto.attr
    for name, value in definition.type_attrs(operation).items():
        fill(attrs[name], value)
    for name, value in operation.attrs.items():
        if name in _OWN or value is None and name != 'shape':
            continue
        if name in attrs:
            attrs[name].Clear()
        fill(attrs[name], _typed(value, definition.attrs.get(name), name))
    if operation.colocated_with:
        attrs['_class'].list.s.extend(colocation_groups(operation))
    for name, value in extra_attributes(operation.graph).get(operation.name, {}).items():
        attrs[name].CopyFrom(value)


def extra_attributes(graph):
    """Attributes of imported nodes that have no effect here: name -> {key: AttrValue}."""
    return graph.annotations.setdefault('extra attributes', {})


def _typed(value, default, name):
    """`value` as the kind that the op declares, if the value alone is ambiguous."""
    if isinstance(default, float) and isinstance(value, int):
        return float(value)
    if name == 'shape' and (value is None or isinstance(value, tuple)) or \
            name == 'value_shape' and isinstance(value, tuple):
        return shapes.TensorShape(value)
    return value


def fill(proto, value):
    """Writes a Python value into an AttrValue."""
    if isinstance(value, (tuple, list)):
        _fill_list(proto.list, value)
    elif isinstance(value, np.ndarray):
        tensors.fill_tensor(proto.tensor, value, _dtype_of(value), compress=True)
    elif isinstance(value, shapes.TensorShape):
        proto.shape.SetInParent()
        tensors.fill_shape(proto.shape, value.raw)
    elif isinstance(value, Graph):
        proto.func.name = value.name
    elif isinstance(value, Lost) or _is_of_this_process(value):
        proto.placeholder = _PYTHON
    else:
        field, plain = _scalar(value)
        setattr(proto, field, plain)


class Lost:
    """Represents a Python object of another process, e.g. a generator, in a node's attribute.

    The node can be written and read; running it raises an error that names the object.
    """

    def __init__(self, node, name):
        self._node, self._name = node, name

    def __getattr__(self, attribute):
        raise InvalidArgumentError(
            None, None, f"The node '{self._node}' needs a Python object ('{self._name}') of the "
            'process that wrote its graph; it runs only there.\n  Hint: in a cluster put such '
            'nodes on the task of the process that makes them, with tf.device.')

    def __call__(self, *args, **kwargs):
        return self.__getattr__('__call__')


def _is_of_this_process(value):
    return callable(value) and not isinstance(value, (type, dtypes.DType)) or \
        type(value).__module__.startswith('tinyflow.data')


def _dtype_of(array):
    return dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)


def _scalar(value):
    """The field of an AttrValue for a value, and its content."""
    if isinstance(value, (bool, np.bool_)):
        return 'b', bool(value)
    if isinstance(value, (int, np.integer)):
        return 'i', int(value)
    if isinstance(value, (float, np.floating)):
        return 'f', float(value)
    if isinstance(value, str):
        return 's', value.encode()
    if isinstance(value, bytes):
        return 's', value
    if isinstance(value, dtypes.DType):
        return 'type', value.as_datatype_enum
    raise misuse(TypeError(f'an attribute cannot be written to a file: {value!r}'))


def _fill_list(proto, values):
    proto.SetInParent()
    for value in values:
        if isinstance(value, np.ndarray):
            tensors.fill_tensor(proto.tensor.add(), value, _dtype_of(value))
        elif value is None or isinstance(value, (shapes.TensorShape, tuple, list)):
            tensors.fill_shape(proto.shape.add(), shapes.raw(value))
        elif isinstance(value, Graph):
            proto.func.add().name = value.name
        else:
            field, plain = _scalar(value)
            getattr(proto, field).append(plain)


# ---- from AttrValue -----------------------------------------------------------------------


def read(proto, name='', op_type='', node='', functions=None):
    """The Python value of the AttrValue `name` of a node.

    `functions` gives the FuncGraph of a function's name. Raises ValueError or TypeError, naming
    the node, for an invalid value.
    """
    kind = proto.WhichOneof('value')
    if kind is None:
        raise misuse(ValueError(f"The node '{node}' is damaged: its attribute '{name}' is empty."))
    if kind == 'list':
        return _read_list(proto.list, node, functions)
    if kind == 'shape':
        shape = _shape(proto.shape, node)
        return shape.raw if op_type in _PLAIN_SHAPES else shape
    if kind == 'placeholder' and proto.placeholder == _PYTHON:
        return Lost(node, name)
    if kind == 'placeholder':
        raise misuse(ValueError(f"The node '{node}' takes its attribute '{name}' from the caller "
                                'of a function; tinyflow does not implement such functions.'))
    return _READERS[kind](getattr(proto, kind), node, functions)


def _read_list(proto, node, functions):
    for kind, reader in {**_READERS, 'shape': lambda s, n, f: _shape(s, n)}.items():
        values = getattr(proto, kind)
        if values:
            return tuple([reader(value, node, functions) for value in values])
    return ()


def _shape(proto, node):
    try:
        return shapes.TensorShape(proto)
    except ValueError as error:
        raise misuse(ValueError(f"The node '{node}' is damaged: {error}")) from None


def _text(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _float(value):
    """The shortest number that is this float32: 0.2, where the bits are 0.20000000298."""
    return float(str(np.float32(value)))


_READERS = {
    's': lambda value, node, functions: _text(value),
    'i': lambda value, node, functions: value,
    'f': lambda value, node, functions: _float(value),
    'b': lambda value, node, functions: value,
    'type': lambda value, node, functions: tensors.dtype_from(value, f"The node '{node}'"),
    'tensor': lambda value, node, functions: tensors.array_from(value, node),
    'func': lambda value, node, functions: functions(value.name, node),
}
