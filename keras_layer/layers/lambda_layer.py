"""Lambda: a function as a layer."""
from __future__ import annotations

import base64
import marshal
import types

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.utils.generic import find_object, has_arg
from tinyflow.graph.support.errors import misuse

__all__ = ['Lambda']


_OLD_NUMPY = b'__numpy_of_the_time__'       # as tinyflow/api/old_numpy/rewrite.py names it


class Lambda(Layer):
    """Calls `function(inputs)`, a function of tensors without weights.

    In a saved model, a named function is stored by name and a lambda as code, which `load_model`
    does not run unless `Lambda.allow_code = True` was set: a file could contain any code.
    """

    allow_code = False

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}
        self.mask = mask
        self.supports_masking = mask is not None
        self._output_shape = output_shape

    def call(self, inputs, mask=None, training=None):
        arguments = dict(self.arguments)
        if mask is not None and has_arg(self.function, 'mask'):
            arguments['mask'] = mask
        if training is not None and has_arg(self.function, 'training'):
            arguments['training'] = training
        return self.function(inputs, **arguments)

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape):
        if self._output_shape is not None:
            if callable(self._output_shape):
                return tf.TensorShape(self._output_shape(input_shape))
            return tf.TensorShape([tf.TensorShape(input_shape).as_list()[0],
                                   *tuple(self._output_shape)])
        with tf.Graph().as_default():
            given = tf.nest.map_structure(
                lambda s: tf.placeholder(self.dtype or 'float32', s),
                [tf.TensorShape(s) for s in input_shape] if isinstance(input_shape, list)
                else tf.TensorShape(input_shape))
            return tf.nest.map_structure(lambda t: t.shape, self.call(given))

    def get_config(self):
        function, kind = _dumped(self.function)
        shape, shape_kind = _dumped(self._output_shape) if callable(self._output_shape) \
            else (self._output_shape, 'raw')
        return {**super().get_config(), 'function': function, 'function_type': kind,
                'module': getattr(self.function, '__module__', None), 'output_shape': shape,
                'output_shape_type': shape_kind, 'output_shape_module': None,
                'arguments': self.arguments}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer of that configuration. ValueError for code, unless it is allowed."""
        config = dict(config)
        function = _loaded(config.pop('function'), config.pop('function_type'), custom_objects,
                           config.get('name'))
        config.pop('module', None)
        config.pop('output_shape_module', None)
        kind = config.pop('output_shape_type', 'raw')
        shape = config.pop('output_shape', None)
        if kind in ('lambda', 'function'):
            shape = _loaded(shape, kind, custom_objects, config.get('name'))
        return cls(function, output_shape=tuple(shape) if isinstance(shape, list) else shape,
                   **config)


class _Code(tuple):
    """(code, defaults, closure) of a lambda, as stored in files.

    A configuration that stays in this process, such as that of clone_model, has the function, too.
    """

    function = None


class _Name(str):
    """The name of a function, as stored in files; in this process, with the function."""

    function = None


def _dumped(function):
    """(what is saved of a function, 'lambda' or 'function')."""
    if isinstance(function, types.LambdaType) and function.__name__ == '<lambda>':
        code = base64.b64encode(marshal.dumps(function.__code__)).decode('ascii')
        closure = None if not function.__closure__ else \
            [c.cell_contents for c in function.__closure__]
        saved = _Code((code, function.__defaults__, closure))
        saved.function = function
        return saved, 'lambda'
    name = _Name(function.__name__)
    name.function = function
    return name, 'function'


def _loaded(saved, kind, custom_objects, name):
    if kind == 'function':
        found = find_object(saved, None, custom_objects) or getattr(saved, 'function', None)
        if found is None:
            raise misuse(ValueError(f"Unknown function {saved!r} of the Lambda layer '{name}'.\n"
                                    f"  Hint: load_model(path, custom_objects={{'{saved}': "
                                    f'{saved}}}).'))
        return found
    replaced = find_object(name, None, custom_objects)
    if replaced is not None and not isinstance(replaced, type):
        return replaced
    if isinstance(saved, _Code):
        return saved.function
    if not Lambda.allow_code:
        raise misuse(ValueError(
            f"The Lambda layer '{name}' was saved as Python code, which a file from somebody else "
            'could use to run anything; it was not run.\n  Hint: give the function by the name of '
            f"the layer: load_model(path, custom_objects={{'{name}': lambda x: ...}}); or, if you "
            'trust the file, keras.layers.Lambda.allow_code = True before loading.'))
    code, defaults, closure = saved
    known = {'tf': tf, 'K': K, 'np': np, '__builtins__': __builtins__, **(custom_objects or {})}
    try:
        data = base64.b64decode(code)
        code = marshal.loads(data)
    except (ValueError, EOFError, TypeError):
        raise misuse(ValueError(f"The code of the Lambda layer '{name}' is of another version of "
                                'Python; give the function by custom_objects.')) from None
    cells = tuple(types.CellType(c) for c in closure) if closure else None
    if _OLD_NUMPY in data:              # of a program that had the NumPy of TensorFlow 1's time
        from tinyflow.api.old_numpy import meaning  # start-up time
        known[_OLD_NUMPY.decode()] = meaning
    return types.FunctionType(code, known, name,
                              tuple(defaults) if defaults else None, cells)
