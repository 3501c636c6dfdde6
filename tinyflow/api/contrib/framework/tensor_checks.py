"""Small checks of tensors, graphs and names."""
from __future__ import annotations

import re

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import (
    common_graph,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.checks import assertions, shape_checks
from tinyflow.ops.control_flow import python_functions
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.math.logic import equal


def assert_scalar_int(tensor, name=None):
    """The tensor. ValueError unless it is a scalar of an integer dtype. Shapes: [] -> []."""
    with name_scope(name, 'assert_scalar_int', [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise misuse(ValueError(report(f'Expected integer type for {tensor.name}, received '
                                           f'type: {tensor.dtype.name}.', inputs=[tensor])))
        return shape_checks.assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors, name=None):
    """The sum of all elements of all tensors. Shapes: a list of [*a] -> []."""
    if not tensors:
        raise misuse(ValueError('No tensors provided.'))
    with name_scope(name, 'reduce_sum_n', tensors) as scope:
        tensors = [reduction.reduce_sum(t, name=f'{t.op.name}/sum') for t in tensors]
        return tensors[0] if len(tensors) == 1 else arithmetic.add_n(tensors, name=scope)


def with_same_shape(expected_tensor, tensor):
    """The tensor, checked to have the shape of another one. Shapes: [*a], [*a] -> [*a]."""
    with name_scope(f'{tensor.op.name}/', values=[expected_tensor, tensor]):
        expected = expected_tensor.get_shape()
        if expected.is_fully_defined():
            return with_shape(expected, tensor)
        return with_shape(shape_ops.shape(expected_tensor, name='expected_shape'), tensor)


def with_shape(expected_shape, tensor):
    """The tensor, checked to have that shape: now if it is known, else while running.

    Of a list, -1 means any size; [] reshapes a tensor of one element to a scalar.

    Shapes: expected_shape [rank], tensor [*a] -> [*a]. ValueError for another static shape, or for
    a shape that is not an int32 vector.
    """
    if isinstance(expected_shape, Tensor):
        if expected_shape.dtype.base_dtype is not dtypes.int32:
            raise misuse(ValueError(f'Invalid dtype {expected_shape.dtype.name} for shape '
                                    f'{expected_shape.name} expected of tensor {tensor.name}.'))
        with name_scope(f'{tensor.op.name}/', values=[tensor]):
            return _checked_while_running(expected_shape, tensor)
    wanted = _sizes(expected_shape, tensor)
    known = shapes.known(tensor.raw_shape)
    if known and shapes.compatible(tensor.raw_shape, wanted):
        return tensor
    becomes_scalar = not wanted and (not known or tensor.raw_shape == (1,))
    if not becomes_scalar and (known or not shapes.compatible(tensor.raw_shape, wanted)):
        raise misuse(ValueError(report(
            f'Invalid shape for tensor {tensor.name}, expected {shapes.text(wanted)}, got '
            f'{tensor.shape}.', inputs=[tensor])))
    with name_scope(f'{tensor.op.name}/', values=[tensor]):
        if becomes_scalar:
            return shaping.reshape(tensor, [])
        sizes = np.array([-1 if size is None else size for size in wanted], np.int32)
        result = _checked_while_running(sizes, tensor)
    result.set_shape(wanted)
    return result


def _sizes(shape, tensor):
    """The shape as a tuple, with None for -1."""
    if not isinstance(shape, shapes.TensorShape):
        array = np.asarray(shape) if len(shape) else np.zeros(0, np.int32)
        if array.ndim > 1 or array.dtype.kind != 'i':
            what = f'rank {array.ndim}' if array.ndim > 1 else f'dtype {array.dtype}'
            raise misuse(ValueError(f'Invalid {what} for shape {shape} expected of tensor '
                                    f'{tensor.name}.'))
        shape = [None if size == -1 else size for size in array.tolist()]
    return shapes.raw(shape)


def _checked_while_running(expected, tensor):
    """The tensor, after an Assert that it has these sizes."""
    with name_scope('assert_shape', values=[tensor]) as scope:
        actual = shape_ops.shape(tensor, name='actual')
        check = assertions.Assert(_has_sizes(tensor, expected, actual), [
            f'Wrong shape for {tensor.name} [expected] [actual].', expected, actual], name=scope)
    with control_dependencies([check]):
        return identity_and_cast.identity(tensor)


def _has_sizes(tensor, expected, actual):
    with name_scope('is_shape', values=[tensor]) as scope:
        count = shape_ops.size(expected)
        with name_scope('is_rank', values=[tensor]) as inner:
            same_rank = equal(count, shape_ops.rank(tensor, name='actual'), name=inner)
        with name_scope('shape_tensor_equal', values=[expected, actual]) as inner:
            same_sizes = reduction.reduce_all(logic.logical_or(
                equal(expected, -1), equal(expected, actual, 'equal'),
                name='exclude_partial_shape'), name=inner)
        return logic.logical_and(same_rank, same_sizes, name=scope)


def get_graph_from_inputs(op_input_list, graph=None):
    """The common graph of all tensors in the list, or `graph` if it matches; else ValueError."""
    tensors = [t for t in nest.flatten(list(op_input_list), expand_composites=True)
               if isinstance(t, (Tensor, Operation))]
    found = [t.outputs[0] if isinstance(t, Operation) and t.outputs else t for t in tensors]
    own = common_graph([t for t in found if isinstance(t, Tensor)])
    if graph is not None:
        if any(t.graph is not graph for t in tensors):
            raise misuse(ValueError(f'The tensors are not from the passed-in graph {graph}.'))
        return graph
    return own


def get_placeholders(graph):
    """The outputs of all placeholders of a graph. TypeError if the argument is not a graph."""
    if not isinstance(graph, Graph):
        raise misuse(TypeError(f'Input graph needs to be a Graph: {graph!r}'))
    return [t for op in graph.get_operations() if op.type == 'Placeholder' for t in op.outputs]


def get_name_scope():
    """The open name scope of the default graph, without a final slash."""
    return get_default_graph().get_name_scope()


_PREFIX = r'([\^]|loc:@|^)'


def strip_name_scope(name, export_scope):
    """The name without the scope in front."""
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip('/'))
    return re.sub(_PREFIX + scope + r'[/]+(.*)', r'\1\2', name, count=1)


def prepend_name_scope(name, import_scope):
    """The name with a scope in front."""
    if not import_scope:
        return name
    return re.sub(_PREFIX + r'(.*)', rf'\1{import_scope.rstrip("/")}/\2', name, count=1)


def py_func(func, args=(), kwargs=None, output_types=None, output_shapes=None, stateful=True,
            name=None):
    """tf.py_func for a function of nests, with keywords, and with static shapes for its results.

    Shapes: nests of tensors -> a nest like `output_types`, of `output_shapes`.
    """
    if not callable(func):
        raise misuse(ValueError(f'Expected func to be callable. Received func={func} of type '
                                f'{type(func)}.'))
    if not isinstance(args, (list, tuple)):
        raise misuse(TypeError('args must be a list or tuple'))
    given = (tuple(args), kwargs or {})
    leaves = nest.flatten(given)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

    def call(*values):
        filled = list(leaves)
        for i, value in zip(places, values):
            filled[i] = value
        positional, keywords = nest.pack_sequence_as(given, filled)
        result = func(*positional, **keywords)
        return None if output_types is None else nest.flatten(result)

    types = [] if output_types is None else nest.flatten(output_types)
    results = python_functions.py_func(call, [leaves[i] for i in places], types, stateful, name)
    if output_types is None:
        return results
    if output_shapes is not None:
        for tensor, shape in zip(results, nest.flatten_up_to(output_types, output_shapes)
                                 if nest.is_nested(output_types) else [output_shapes]):
            tensor.set_shape(shape)
    return nest.pack_sequence_as(output_types, results)


__all__ = ['assert_scalar_int', 'get_graph_from_inputs', 'get_name_scope', 'get_placeholders',
           'prepend_name_scope', 'py_func', 'reduce_sum_n', 'strip_name_scope', 'with_same_shape',
           'with_shape']
