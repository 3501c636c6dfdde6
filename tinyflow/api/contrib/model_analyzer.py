"""tf.contrib.slim.model_analyzer: the sizes of Variables, and of what operations give."""
from __future__ import annotations

import math

__all__ = ['analyze_ops', 'analyze_vars', 'tensor_description']


def tensor_description(var):
    """The dtype and shape of a tensor or Variable: '(float32_ref 3x1)'."""
    return f'({var.dtype.name} {"x".join(str(size) for size in var.get_shape())})'


def analyze_ops(graph, print_info=False):
    """The number of elements of all outputs in `graph` whose shapes are known."""
    if print_info:
        print('---------\nOperations: name -> (type shapes) [size]\n---------')
    total = 0
    for op in graph.get_operations():
        size = sum(output.get_shape().num_elements() or 0 for output in op.outputs)
        if print_info:
            shapes = [tensor_description(output) for output in op.outputs if output.get_shape()]
            print(op.name, '\t->', ', '.join(shapes), f'[{size}]')
        total += size
    return total


def analyze_vars(variables, print_info=False):
    """(the number of elements, the number of bytes) of Variables."""
    if print_info:
        print('---------\nVariables: name (type shape) [size]\n---------')
    elements = size = 0
    for variable in variables:
        own = math.prod(variable.get_shape().as_list())
        own_bytes = own * variable.dtype.size
        elements, size = elements + own, size + own_bytes
        if print_info:
            print(variable.name, tensor_description(variable),
                  f'[{own}, bytes: {own_bytes}]')
    if print_info:
        print('Total size of variables: %d\nTotal bytes of variables: %d' % (elements, size))
    return elements, size
