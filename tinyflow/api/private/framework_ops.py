"""tensorflow.python.framework.ops: what of it has no public name."""
from __future__ import annotations

from itertools import count

from tinyflow.gradients.registry import get_gradient_function
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.eager_mode import executing_eagerly

__all__ = ['convert_n_to_tensor', 'executing_eagerly_outside_functions', 'get_all_collection_keys',
           'get_gradient_function', 'get_name_scope', 'inside_function',
           'internal_convert_to_tensor', 'op_scope', 'prepend_name_scope', 'strip_name_scope',
           'uid']

_next_uid = count(1).__next__


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None):
    """Each of the values as a tensor."""
    return [convert_to_tensor(value, dtype, None if name is None else f'{name}_{i}',
                              preferred_dtype) for i, value in enumerate(values)]


def internal_convert_to_tensor(value, dtype=None, name=None, as_ref=False, preferred_dtype=None):
    """The value as a tensor; with `as_ref`, a Variable as a reference."""
    return convert_to_tensor(value, dtype, name, preferred_dtype, as_ref=as_ref)


def executing_eagerly_outside_functions():
    """True if ops run at once, or would outside of a tf.function."""
    graph = get_default_graph()
    while getattr(graph, 'outer_graph', None) is not None:
        graph = graph.outer_graph
    with graph.as_default():
        return executing_eagerly()


def inside_function():
    """True while a function of a graph, such as a branch of tf.cond, is built."""
    return getattr(get_default_graph(), 'outer_graph', None) is not None


def get_all_collection_keys():
    """The names of the collections of the default graph."""
    return get_default_graph().get_all_collection_keys()


def get_name_scope():
    """The name of the open scope, without '/' at the end."""
    return get_default_graph().get_name_scope()


def op_scope(values, name, default_name=None):
    """tf.name_scope with its arguments in the order that they had before TensorFlow 1.0."""
    return name_scope(name, default_name, values)


def strip_name_scope(name, export_scope):
    """The name without the scope in front of it."""
    if not export_scope:
        return name
    scope = export_scope.rstrip('/')
    for mark in ('', '^', 'loc:@'):
        if name.startswith(f'{mark}{scope}/'):
            return mark + name[len(mark) + len(scope) + 1:]
    return name


def prepend_name_scope(name, import_scope):
    """The name with a scope in front of it."""
    if not import_scope:
        return name
    scope = import_scope.rstrip('/')
    for mark in ('^', 'loc:@'):
        if name.startswith(mark):
            return f'{mark}{scope}/{name[len(mark):]}'
    return f'{scope}/{name}'


def uid():
    """A number that no call has given before."""
    return _next_uid()
