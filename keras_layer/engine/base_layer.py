"""Layer: creates its weights at the first call and nodes of the graph at every call.

The outputs of `layer(x)` have a `_keras_history`, from which Model(inputs, outputs) finds the
layers in between.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import tinyflow as tf
from keras_layer import backend as K, regularizers
from keras_layer.engine.at_once import call_at_once, traced_call
from keras_layer.engine.call_context import calling, current_call
from keras_layer.engine.input_spec import InputSpec, assert_input_compatibility
from keras_layer.engine.layer_losses import LayerLosses
from keras_layer.engine.layer_naming import default_name
from keras_layer.engine.layer_nodes import LayerNodes, shapes_of
from keras_layer.engine.layer_weights import UNTRACKED, LayerWeights
from keras_layer.engine.node import Node, mask_of
from keras_layer.engine.raw_ops import wrap_raw_ops
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import constructor_keywords, nearest_keyword

__all__ = ['InputSpec', 'Layer']

_ARGUMENTS = {'activity_regularizer', 'autocast', 'batch_input_shape', 'batch_size',
              'experimental_autocast', 'input_dtype', 'input_shape', 'weights'}


# Whether regularizers of activity are a mean over the samples; keras2/enabling.py sets it.
activity_is_mean = True

_FORGOTTEN_INIT = ('It looks like you are subclassing `{}` and you forgot to call '
                   '`super(YourClass, self).__init__()`. Always start with this line.')


class Layer(LayerNodes, LayerWeights, LayerLosses):
    """Base class of all layers.

    A subclass creates its weights in `build(input_shape)` and its nodes in `call(inputs)`. It is
    configured by its constructor only; `get_config` returns the constructor's arguments. Options
    that every layer takes: `name`, `trainable`, `dtype` (of the weights), `input_shape` or
    `batch_input_shape` (if it is the first of a Sequential), `weights` (initial values).

    Raises TypeError for unknown arguments.
    """

    def __new__(cls, *args, **kwargs):
        layer = super().__new__(cls)
        # The constructor's arguments are kept, so that models with custom layers can be saved even
        # if these have no get_config.
        object.__setattr__(layer, '_constructor', (args, dict(kwargs)))
        object.__setattr__(layer, '_trainable_weights', [])
        object.__setattr__(layer, '_non_trainable_weights', [])
        return layer

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        for key in kwargs:
            if key not in _ARGUMENTS:
                known = _ARGUMENTS | constructor_keywords(type(self))
                raise misuse(TypeError(f'Keyword argument not understood: {key!r} '
                                       f'({type(self).__name__}).' + nearest_keyword(key, known)))
        if dynamic:
            raise misuse(NotImplementedError(
                'dynamic=True: a layer that runs Python at each step needs eager execution, which '
                'tinyflow does not have; tf.py_func runs Python inside the graph.'))
        self._trainable = trainable
        self._name = name or default_name(type(self))
        self._dtype = None if dtype is None else tf.as_dtype(dtype).name
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self.input_spec = None
        self._activity_regularizer = regularizers.get(kwargs.get('activity_regularizer'))
        self._losses, self._weight_losses, self._made_losses = [], [], {}
        self._updates, self._metrics, self._metric_values = [], [], []
        self._inbound_nodes, self._outbound_nodes = [], []
        self._initial_weights = kwargs.get('weights')
        shape = _first_shape(kwargs)
        if shape is not None:
            self._batch_input_shape = shape

    def __setattr__(self, name, value):
        if self._requires_init_first and isinstance(value, Layer) and not self._initialized():
            raise misuse(RuntimeError(_FORGOTTEN_INIT.format('Model')))
        if name not in UNTRACKED:
            self._track_variables_in(value)
        if getattr(value, '_is_keras_metric', False) and value is not self:
            metrics = self.__dict__.setdefault('_metrics', [])
            if all(value is not m for m in metrics):
                metrics.append(value)
        object.__setattr__(self, name, value)

    _requires_init_first = False           # sublayers may be set before super().__init__()
    _masks_its_outputs = False             # `call` does, so that compute_mask is not asked

    def _initialized(self):
        return '_inbound_nodes' in self.__dict__

    # ---- properties ----------------------------------------------------------------------

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def dynamic(self):
        return False

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value
        for layer in self._sublayers:
            layer.trainable = value

    @property
    def activity_regularizer(self):
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    def get_config(self):
        """The constructor's arguments, from which `from_config` makes an equal layer.

        A subclass adds its own arguments. Without `get_config` in the subclass, the constructor's
        arguments are returned.
        """
        config = {'name': self.name, 'trainable': self.trainable}
        if hasattr(self, '_batch_input_shape'):
            config['batch_input_shape'] = self._batch_input_shape
        config['dtype'] = self.dtype
        if type(self).get_config is Layer.get_config:
            own = self._constructor_arguments()
            accepted, takes_any = _parameters(type(self).__init__)
            if not takes_any:
                config = {k: v for k, v in config.items() if k in accepted}
            config.update(own)
            if 'name' in config:
                config['name'] = self.name      # also where the argument was None
        return config

    def _constructor_arguments(self):
        args, kwargs = self._constructor
        bound = inspect.signature(type(self).__init__).bind(self, *args, **kwargs)
        own = {}
        for parameter, value in list(bound.arguments.items())[1:]:
            kind = bound.signature.parameters[parameter].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                own.update(value)
            elif kind is not inspect.Parameter.VAR_POSITIONAL:
                own[parameter] = value
        return {k: _plain(v) for k, v in own.items()
                if k not in ('activity_regularizer', 'input_shape', 'weights', 'batch_size')}

    @classmethod
    def from_config(cls, config):
        """A layer of this configuration, without the weights."""
        return cls(**config)

    # ---- for subclasses ------------------------------------------------------------------

    def build(self, input_shape):
        """Creates the weights; called once, before the first `call`. Subclasses override it."""
        self.built = True

    if TYPE_CHECKING:
        call: Callable[..., Any]        # so that subclasses may name their arguments
    else:
        def call(self, inputs, **kwargs):
            """Creates the nodes that compute the outputs. Subclasses override it."""
            return inputs

    def compute_output_shape(self, input_shape):
        """The shape of the output for inputs of that shape."""
        raise NotImplementedError(
            f'{type(self).__name__}.compute_output_shape: a custom layer returns its output '
            'shape here, as a tf.TensorShape.')

    def compute_mask(self, inputs, mask=None):
        """The mask of the output, by default that of the input.

        TypeError if the input is masked and the layer does not support that.
        """
        if not self.supports_masking:
            if any(m is not None for m in tf.nest.flatten(mask)):
                raise misuse(TypeError(
                    f'Layer {self.name} does not support masking, but was passed an input_mask: '
                    f'{mask}\n  Hint: a layer that handles masked steps sets self.supports_masking '
                    '= True; to drop the mask, remove Masking() or mask_zero=True before it.'))
            return None
        return mask

    # ---- calling -------------------------------------------------------------------------

    def __call__(self, inputs, *args, **kwargs):
        """The outputs for these inputs, with this layer in their `_keras_history`.

        The first call builds the layer. Arrays and numbers become constants.
        """
        if not self._initialized():
            raise misuse(AttributeError(_FORGOTTEN_INIT.format('Layer')))
        if tf.executing_eagerly():
            return call_at_once(self, inputs, args, kwargs)
        with K.model_nodes():
            return self._call_in_graph(inputs, args, kwargs)

    def _call_in_graph(self, inputs, args, kwargs):
        inputs = tf.nest.map_structure(_tensor_if_plain, inputs)
        accepted, takes_any = _parameters(self.call)
        history = _with_history(inputs)
        given = dict(kwargs)
        if 'mask' in accepted and 'mask' not in kwargs and not _by_position(accepted, 'mask', args):
            masks = tf.nest.map_structure(mask_of, inputs)
            if any(m is not None for m in tf.nest.flatten(masks)):
                kwargs['mask'] = masks
        training = self._training(accepted, takes_any, args, kwargs)
        with calling(self, inputs, training), K.name_scope(self._name_scope()):
            self._maybe_build(inputs)
            assert_input_compatibility(self.input_spec, inputs, self.name)
            outputs = traced_call(self)(inputs, *args, **kwargs)
            if outputs is None:
                raise misuse(ValueError(
                    "A layer's `call` method should return a Tensor or a list of Tensors, not "
                    f'None (layer: {self.name}).'))
            outputs = self._copy_unchanged_inputs(outputs, inputs)
            self._regularize_activity(inputs, outputs)
            self._set_masks(inputs, outputs, kwargs.get('mask'))
        if history:
            Node(self, inputs, outputs, _arguments(accepted, args, given))
        if self._initial_weights is not None and self.weights:
            values, self._initial_weights = self._initial_weights, None
            self.set_weights(values)
        return outputs

    def apply(self, inputs, *args, **kwargs):
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def _name_scope(self):
        return self.name

    def _training(self, accepted, takes_any, args, kwargs):
        """The `training` argument of this call, by default that of the enclosing layer's call."""
        expected = takes_any or 'training' in accepted
        if kwargs.get('training') is not None:
            return kwargs['training'] if expected else kwargs.pop('training')
        if 'training' in kwargs and not expected:
            kwargs.pop('training')
        position = accepted.index('training') if 'training' in accepted else None
        if position is not None and position < len(args) + 1:
            return args[position - 1]
        around = current_call()
        training = around.training if around else None
        if 'training' in accepted and training is not None:
            kwargs['training'] = training
        return training

    def _maybe_build(self, inputs):
        if self.built:
            return
        flat = tf.nest.flatten(inputs)
        if self._dtype is None and flat and hasattr(flat[0], 'dtype'):
            self._dtype = flat[0].dtype.base_dtype.name
        assert_input_compatibility(self.input_spec, inputs, self.name)
        shapes = shapes_of(inputs) if all(hasattr(x, 'shape') for x in flat) else None
        with tf.init_scope() if tf.get_default_graph().outer_graph is not None else nullcontext():
            self.build(shapes)
        object.__setattr__(self, 'built', True)
        if tf.executing_eagerly():
            from tinyflow.train.checkpoints import pending_restores  # start-up time
            pending_restores.retry()

    def _copy_unchanged_inputs(self, outputs, inputs):
        """Copies outputs that are the inputs themselves, since they need a separate history."""
        given = {id(t) for t in tf.nest.flatten(inputs)}

        def one(tensor):
            if isinstance(tensor, tf.Tensor) and id(tensor) in given:
                with K.name_scope(self.name):
                    return tf.identity(tensor)
            return tensor
        return tf.nest.map_structure(one, outputs)

    def _regularize_activity(self, inputs, outputs):
        if self._activity_regularizer is None:
            return
        with K.name_scope('ActivityRegularizer'):
            for output in tf.nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                if activity_is_mean:
                    loss = loss / tf.cast(tf.shape(output)[0], loss.dtype)
                self.add_loss(loss, inputs=inputs)

    def _set_masks(self, inputs, outputs, mask):
        flat = tf.nest.flatten(outputs)
        if self._masks_its_outputs or all(mask_of(t) is not None for t in flat):
            return
        if mask is None:
            masks = tf.nest.map_structure(mask_of, inputs)
            mask = masks if any(m is not None for m in tf.nest.flatten(masks)) else None
        if not self.supports_masking and type(self).compute_mask is Layer.compute_mask:
            return                              # the mask is dropped silently, as in TF
        made = self.compute_mask(inputs, mask)
        masks = [made] * len(flat) if not isinstance(made, (list, tuple)) else \
            tf.nest.flatten(made)
        if made is None:
            return
        for tensor, one in zip(flat, masks):
            tensor._keras_mask = one


@cache
def _signature(function):
    parameters = list(inspect.signature(function).parameters.values())
    names = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    return names, any(p.kind is p.VAR_KEYWORD for p in parameters)


def _parameters(method):
    """(names of the parameters with `self` first, whether it takes any keyword)."""
    names, takes_any = _signature(getattr(method, '__func__', method))
    return names[1:] if hasattr(method, '__func__') else names, takes_any


def _by_position(accepted, name, args):
    return name in accepted and accepted.index(name) < len(args) + 1


def _arguments(accepted, args, kwargs):
    """The arguments of a call other than its inputs, by name."""
    return {**dict(zip(accepted[1:], args)), **kwargs}


def _tensor_if_plain(value):
    if isinstance(value, (np.ndarray, float, int)):
        return tf.convert_to_tensor(np.asarray(value, K.floatx())
                                    if np.asarray(value).dtype.kind == 'f' else value)
    return value


def _with_history(inputs):
    """True if all inputs are Keras tensors, after wrapping raw ops between layers as layers."""
    flat = tf.nest.flatten(inputs)
    if not flat or not all(isinstance(t, (tf.Tensor, tf.SparseTensor)) for t in flat):
        return False
    lacking = [t for t in flat if getattr(t, '_keras_history', None) is None]
    if not lacking:
        return True
    return wrap_raw_ops(lacking)


def _first_shape(kwargs):
    """batch_input_shape, from the constructor's arguments."""
    if 'batch_input_shape' in kwargs:
        return None if kwargs['batch_input_shape'] is None else \
            tuple(kwargs['batch_input_shape'])
    if kwargs.get('input_shape') is not None:
        shape = kwargs['input_shape']
        if isinstance(shape, int):
            raise misuse(TypeError(f'input_shape={shape}: a shape is a tuple.\n  Hint: '
                                   f'input_shape=({shape},), with the comma.'))
        return (kwargs.get('batch_size'), *shape)
    return None


def _plain(value):
    """An argument as a JSON-serializable value."""
    if hasattr(value, 'get_config'):
        return {'class_name': type(value).__name__, 'config': value.get_config()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tf.TensorShape):
        return value.as_list()
    return value
