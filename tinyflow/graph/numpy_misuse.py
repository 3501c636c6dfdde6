"""NumPy methods that beginners try on Tensors and Variables: errors with the TensorFlow way."""
from __future__ import annotations

from tinyflow.graph.dtype_hints import as_written
from tinyflow.graph.foreign_attributes import refuse
from tinyflow.graph.node_errors import in_function
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import OperatorNotAllowedInGraphError, misuse, report, why

_VALUE = 'sess.run({0}) gives its value, a NumPy array.' + why('no-numpy')
NUMPY_NAMES = {
    'numpy': _VALUE, 'item': _VALUE, 'tolist': _VALUE, 'copy': 'tf.identity({0})',
    'T': 'tf.transpose({0})', 'transpose': 'tf.transpose({0})', 'reshape': 'tf.reshape({0}, shape)',
    'flatten': 'tf.reshape({0}, [-1])', 'ravel': 'tf.reshape({0}, [-1])',
    'squeeze': 'tf.squeeze({0})', 'astype': 'tf.cast({0}, dtype)', 'size': 'tf.size({0})',
    'ndim': '{0}.shape.ndims, or tf.rank({0}) at run time.',
    'mean': 'tf.reduce_mean({0})', 'sum': 'tf.reduce_sum({0})', 'max': 'tf.reduce_max({0})',
    'min': 'tf.reduce_min({0})', 'prod': 'tf.reduce_prod({0})', 'all': 'tf.reduce_all({0})',
    'any': 'tf.reduce_any({0})', 'std': 'tf.sqrt(tf.nn.moments({0}, axes)[1])',
    'var': 'tf.nn.moments({0}, axes)[1]', 'argmax': 'tf.argmax({0}, axis)',
    'argmin': 'tf.argmin({0}, axis)', 'dot': 'tf.matmul({0}, y)',
    'clip': 'tf.clip_by_value({0}, low, high)', 'round': 'tf.round({0})',
    'detach': 'tf.stop_gradient({0})', 'backward': 'tf.gradients({0}, variables), or an '
    "optimizer's minimize({0})",
}


def _no_attribute(instance, name):
    problem = f'{type(instance).__name__!r} object has no attribute {name!r}'
    hint = NUMPY_NAMES[name]
    if hint is _VALUE and in_function(instance._as_graph_element()):
        hint = 'inside a tf.function it has no value yet: return it, or tf.py_function(f, [{0}], ' \
               'dtype) calls Python with values.' + why('no-numpy')
    return misuse(AttributeError(_text(instance, problem, hint)))


def _text(value, problem, hint):
    tensor = value._as_graph_element()
    word = 'v' if tensor is not value else 'x'
    return report(f"{problem}: '{tensor.name}' is a node of the graph.",
                  inputs=[('variable' if word == 'v' else 'tensor', tensor)],
                  site=user_site(), hint=hint.format(as_written(word, tensor)))


def _set_item(self, key, value):
    hint = ('{0} = tf.where(mask, new, {0}) gives a new tensor.' if self._as_graph_element()
            is self else 'sess.run({0}[...].assign(value)), or tf.scatter_update({0}, rows, new).')
    raise misuse(TypeError(_text(
        self, f'{type(self).__name__!r} object does not support item assignment', hint)))


def _delete_item(self, key):
    raise misuse(TypeError(_text(
        self, f"{type(self).__name__!r} object doesn't support item deletion",
        'tf.concat of the slices to keep, or tf.boolean_mask({0}, keep).')))


def _format(self, spec):
    if not spec:
        return str(self)
    raise misuse(TypeError(_text(
        self, f'unsupported format string passed to {type(self).__name__}.__format__: {spec!r}',
        'format its value: value = sess.run({0}).')))


def _round(self, digits=None):
    raise misuse(TypeError(_text(
        self, f"type {type(self).__name__} doesn't define __round__ method",
        'round(sess.run({0}), digits) for its value; tf.round({0}) in the graph.')))


def _contains(self, item):
    kind = OperatorNotAllowedInGraphError if self._as_graph_element() is self else TypeError
    raise misuse(kind(_text(
        self, f'argument of type {type(self).__name__!r} is not iterable',
        'tf.reduce_any(tf.equal({0}, value)) tests it at run time.')))


def refuse_numpy(cls):
    """Adds these errors to a class, for the names that the class does not define."""
    refuse(cls, [name for name in NUMPY_NAMES if not hasattr(cls, name)], _no_attribute)
    cls.__setitem__, cls.__delitem__, cls.__contains__ = _set_item, _delete_item, _contains
    cls.__format__, cls.__round__ = _format, _round
    return cls


__all__ = ['NUMPY_NAMES', 'refuse_numpy']
