"""Legacy argument names of Keras 1, which Keras 2 renamed and still accepts.

The decorator `accepts_legacy_names(OLD)` makes a function accept the names of OLD; a UserWarning
shows the call in today's form. `LAYERS` has the old names of each layer; keras_layer.layers
applies it, so that the layers themselves need no code for Keras 1. Where Keras 1 and tf.keras
disagree on a call, Conv2D(32, 3, 3), `convolutions_of_keras_1` decides; `subsets_may_differ` does
so for image generators.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import NamedTuple

import numpy as np

from tinyflow.graph.support.errors import misuse

__all__ = ['FIT', 'GENERATOR', 'INPUT', 'LAYERS', 'MODEL', 'Old', 'layer_accepts_legacy_names',
           'accepts_legacy_names']


# Whether Conv2D(32, 3, 3) has a kernel of 3 x 3, or with False, as in tf.keras, strides of 3.
# keras2/enabling.py sets it.
convolutions_of_keras_1 = False

# Whether training and validation subsets of image generators may have different classes, as before
# Keras 2.2. keras2/enabling.py sets it.
subsets_may_differ = False


class Old(NamedTuple):
    """The differences of a call: `renamed` arguments (old, new), and old `values` by old name.

    `before` handles other differences: (args, kwargs, old) -> (args, converted), with `args`
    without `self`, `kwargs` changed in place and `converted` true if a warning is due. `notice` is
    the text of the warning, by default the call in today's form.
    """

    renamed: tuple[tuple[str, str], ...] = ()
    values: dict = {}
    before: Callable | None = None
    notice: str | None = None

    @property
    def names(self):
        return {old for old, _ in self.renamed}

    def today(self, args, kwargs):
        """(args, kwargs, whether anything was converted) of the same call with today's names."""
        kwargs = dict(kwargs)
        converted = False
        if self.before is not None:
            args, converted = self.before(args, kwargs, self)
        for name, values in self.values.items():
            if name in kwargs and _is_key(kwargs[name], values):
                kwargs[name] = values[kwargs[name]]
        for old, new in self.renamed:
            if old in kwargs:
                value = kwargs.pop(old)
                if new in kwargs:
                    raise misuse(TypeError(
                        f'For the `{new}` argument, the layer received both the legacy keyword '
                        f'argument `{old}` and the Keras 2 keyword argument `{new}`. Stick to the '
                        'latter!'))
                kwargs[new] = value
                converted = True
        return args, kwargs, converted


def accepts_legacy_names(old):
    """Decorator of methods: accepts the legacy arguments of `old`, with a UserWarning."""
    def decorate(method):
        @wraps(method)
        def wrapper(self, *args, **kwargs):
            args, kwargs, converted = old.today(args, kwargs)
            if converted:
                name = type(self).__name__ if method.__name__ == '__init__' else method.__name__
                warnings.warn(old.notice or _update(name, args, kwargs), stacklevel=2)
            try:
                return method(self, *args, **kwargs)
            except TypeError as error:
                if error.__traceback__.tb_next is None:     # Python refused the call itself
                    _name_the_call(error, method, self)
                raise
        return wrapper
    return decorate


def _name_the_call(error, method, instance):
    """Adds how `method` is called to Python's error about its arguments."""
    name = type(instance).__name__ if method.__name__ == '__init__' else method.__name__
    parameters = list(signature(method).parameters.values())[1:4]
    shown = ', '.join([str(parameter) for parameter in parameters])
    text = str(error).replace(f'{method.__qualname__}()', f'{name}()')
    error.args = (f'{text}\n  Hint: {name}({shown}, ...).',)
    misuse(error)


def layer_accepts_legacy_names(cls):
    """Makes the constructor of a layer class accept its legacy arguments in `LAYERS`."""
    cls.__init__ = accepts_legacy_names(LAYERS[cls.__name__])(cls.__init__)
    return cls


def _update(name, args, kwargs):
    shown = [*map(_shown, args), *(f'{key}={_shown(value)}' for key, value in kwargs.items())]
    return f'Update your `{name}` call to the Keras 2 API: `{name}({", ".join(shown)})`'


def _shown(value):
    if isinstance(value, str):
        return f'"{value}"'
    text = 'array' if isinstance(value, np.ndarray) else str(value)
    return text if len(text) <= 10 else text[:10] + '...'


def _is_key(value, values):
    return isinstance(value, (str, int)) and value in values


# ---- other differences -----------------------------------------------------------------------

def _kernel_of(*sizes):
    """Keras 1 had an argument for each size of a kernel: Conv2D(64, nb_row=3, nb_col=3)."""
    def before(args, kwargs, old):
        given = list(args[1:])
        if not all(isinstance(n, int) for n in given) or len(given) > len(sizes):
            return args, False
        missing = sizes[len(given):]
        if missing and not all(name in kwargs for name in missing):
            return args, False
        if not missing and len(sizes) == 2 and not convolutions_of_keras_1 and \
                old.names.isdisjoint(kwargs):
            _warn_about_kernel_size(args, kwargs)
            return args, False
        kernel_size = (*given, *(kwargs.pop(name) for name in missing))
        if args:
            return (args[0], kernel_size), True
        kwargs['kernel_size'] = kernel_size
        return args, True
    return before


def _warn_about_kernel_size(args, kwargs):
    """Conv2D(64, 3, 3) is valid in tf.keras, but was probably meant as in Keras 1."""
    filters, size, other = args
    if size == other and size % 2 and size > 1 and kwargs.keys().isdisjoint(
            ('padding', 'data_format', 'kernel_initializer', 'use_bias', 'dilation_rate')):
        warnings.warn(f'The second {size} of ({filters}, {size}, {size}) is interpreted as '
                      '`strides`, as in tf.keras; in Keras 1 it was the width of the kernel. Write '
                      f'({filters}, ({size}, {size})) for that, or strides={size}.', stacklevel=5)


def _deconvolution(args, kwargs, old):
    converted = kwargs.pop('output_shape', None) is not None
    if len(args) == 4 and isinstance(args[3], tuple):
        args, converted = args[:3], True
    args, more = _kernel_of('nb_row', 'nb_col')(args, kwargs, old)
    return args, converted or more


def _separable(args, kwargs, old):
    converted = 'init' in kwargs
    if converted:
        init = kwargs.pop('init')
        kwargs['depthwise_initializer'] = kwargs['pointwise_initializer'] = init
    args, more = _kernel_of('nb_row', 'nb_col')(args, kwargs, old)
    return args, converted or more


def _sequence(args, kwargs, old):
    if 'input_dim' not in kwargs:
        return args, False
    length = kwargs.pop('input_length', None)
    kwargs['input_shape'] = (length, kwargs.pop('input_dim'))
    return args, True


def _embedding(args, kwargs, old):
    if 'dropout' in kwargs:
        kwargs.pop('dropout')
        warnings.warn('The `dropout` argument is no longer support in `Embedding`. You can apply a '
                      '`keras.layers.SpatialDropout1D` layer right after the `Embedding` layer to '
                      'get the same behavior.', stacklevel=4)
    return args, False


def _forget_bias(args, kwargs, old):
    if 'forget_bias_init' not in kwargs:
        return args, False
    if kwargs.pop('forget_bias_init') == 'one':
        kwargs['unit_forget_bias'] = True
        return args, True
    warnings.warn('The `forget_bias_init` argument has been ignored. Use `unit_forget_bias=True` '
                  'instead to initialize with ones.', stacklevel=4)
    return args, False


def _forget_bias_and_kernel(args, kwargs, old):
    args, converted = _forget_bias(args, kwargs, old)
    args, more = _kernel_of('nb_row', 'nb_col')(args, kwargs, old)
    return args, converted or more


def _batch_normalization(args, kwargs, old):
    if 'mode' not in kwargs:
        return args, False
    if kwargs.pop('mode') != 0:
        raise misuse(TypeError('The `mode` argument of `BatchNormalization` no longer exists. '
                               '`mode=1` and `mode=2` are no longer supported.'))
    return args, True


def _zero_padding(args, kwargs, old):
    sides = ('top_pad', 'bottom_pad', 'left_pad', 'right_pad')
    padding = args[0] if args else kwargs.get('padding')
    if isinstance(padding, dict) and padding.keys() <= set(sides):
        top, bottom, left, right = (padding.get(side, 0) for side in sides)
        warnings.warn('The `padding` argument in the Keras 2 API no longer accepts dict types. You '
                      'can now input argument as: `padding=((top_pad, bottom_pad), (left_pad, '
                      'right_pad))`.', stacklevel=4)
        padding = ((top, bottom), (left, right))
        if args:
            return (padding, *args[1:]), False
        kwargs['padding'] = padding
    return args, False


def _generator(args, kwargs, old):
    samples = {'samples_per_epoch', 'val_samples', 'nb_epoch', 'nb_val_samples', 'nb_worker'}
    given = samples.intersection(kwargs)
    converted = False
    if len(args) < 2 and 'samples_per_epoch' in kwargs:
        number = kwargs.pop('samples_per_epoch')
        generator = args[0] if args else kwargs['generator']
        kwargs['steps_per_epoch'] = number // generator.batch_size \
            if hasattr(generator, 'batch_size') else number
        converted = True
    if given:
        warnings.warn('The semantics of the Keras 2 argument `steps_per_epoch` is not the same as '
                      'the Keras 1 argument `samples_per_epoch`. `steps_per_epoch` is the number '
                      'of batches to draw from the generator at each epoch. Basically '
                      'steps_per_epoch = samples_per_epoch/batch_size. Similarly '
                      '`nb_val_samples`->`validation_steps` and `val_samples`->`steps` arguments '
                      'have changed. Update your method calls accordingly.', stacklevel=4)
    return args, converted


# ---- the old names ---------------------------------------------------------------------------

_FORMAT = {'dim_ordering': {'tf': 'channels_last', 'th': 'channels_first', 'default': None}}
_ORDERING = (('dim_ordering', 'data_format'),)
_WEIGHTS = (('init', 'kernel_initializer'), ('W_regularizer', 'kernel_regularizer'),
            ('b_regularizer', 'bias_regularizer'), ('W_constraint', 'kernel_constraint'),
            ('b_constraint', 'bias_constraint'), ('bias', 'use_bias'))
_SPACE = (('nb_filter', 'filters'), ('subsample', 'strides'), ('border_mode', 'padding'),
          *_ORDERING)
_RECURRENT = Old(
    (('output_dim', 'units'), ('init', 'kernel_initializer'),
     ('inner_init', 'recurrent_initializer'), ('inner_activation', 'recurrent_activation'),
     ('W_regularizer', 'kernel_regularizer'), ('b_regularizer', 'bias_regularizer'),
     ('U_regularizer', 'recurrent_regularizer'), ('dropout_W', 'dropout'),
     ('dropout_U', 'recurrent_dropout'), ('consume_less', 'implementation')),
    {'consume_less': {'cpu': 0, 'mem': 1, 'gpu': 2}}, _forget_bias)
_CONV_1D = Old((('nb_filter', 'filters'), ('filter_length', 'kernel_size'),
                ('subsample_length', 'strides'), ('border_mode', 'padding'), *_WEIGHTS),
               before=_sequence)
_CONV_2D = Old((*_SPACE, *_WEIGHTS), _FORMAT, _kernel_of('nb_row', 'nb_col'))
_POOL_1D = Old((('pool_length', 'pool_size'), ('stride', 'strides'), ('border_mode', 'padding')))
_POOL = Old((('border_mode', 'padding'), *_ORDERING), _FORMAT)
_FORMAT_ONLY = Old(_ORDERING, _FORMAT)
_RATE = Old((('p', 'rate'),))
_RATE_OF_CHANNELS = Old((('p', 'rate'), *_ORDERING), _FORMAT)

LAYERS = {
    'AveragePooling1D': _POOL_1D, 'AveragePooling2D': _POOL, 'AveragePooling3D': _POOL,
    'BatchNormalization': Old((('beta_init', 'beta_initializer'),
                               ('gamma_init', 'gamma_initializer')), before=_batch_normalization),
    'Conv1D': _CONV_1D, 'Conv2D': _CONV_2D,
    'Conv2DTranspose': Old(_CONV_2D.renamed, _FORMAT, _deconvolution),
    'Conv3D': Old(_CONV_2D.renamed, _FORMAT,
                  _kernel_of('kernel_dim1', 'kernel_dim2', 'kernel_dim3')),
    'ConvLSTM2D': Old((*_SPACE, ('init', 'kernel_initializer'),
                       ('inner_init', 'recurrent_initializer'),
                       ('W_regularizer', 'kernel_regularizer'),
                       ('U_regularizer', 'recurrent_regularizer'),
                       ('b_regularizer', 'bias_regularizer'),
                       ('inner_activation', 'recurrent_activation'), ('dropout_W', 'dropout'),
                       ('dropout_U', 'recurrent_dropout'), ('bias', 'use_bias')),
                      _FORMAT, _forget_bias_and_kernel),
    'Cropping2D': _FORMAT_ONLY, 'Cropping3D': _FORMAT_ONLY,
    'Dense': Old((('output_dim', 'units'), *_WEIGHTS)),
    'Dropout': _RATE,
    'Embedding': Old((('init', 'embeddings_initializer'),
                      ('W_regularizer', 'embeddings_regularizer'),
                      ('W_constraint', 'embeddings_constraint')), before=_embedding),
    'GRU': _RECURRENT, 'GaussianDropout': _RATE,
    'GaussianNoise': Old((('sigma', 'stddev'),)),
    'GlobalAveragePooling2D': _FORMAT_ONLY, 'GlobalAveragePooling3D': _FORMAT_ONLY,
    'GlobalMaxPooling2D': _FORMAT_ONLY, 'GlobalMaxPooling3D': _FORMAT_ONLY,
    'LSTM': _RECURRENT, 'LocallyConnected1D': _CONV_1D, 'LocallyConnected2D': _CONV_2D,
    'MaxPooling1D': _POOL_1D, 'MaxPooling2D': _POOL, 'MaxPooling3D': _POOL,
    'PReLU': Old((('init', 'alpha_initializer'),)),
    'SeparableConv2D': Old((*_SPACE, ('b_regularizer', 'bias_regularizer'),
                            ('b_constraint', 'bias_constraint'), ('bias', 'use_bias')),
                           _FORMAT, _separable),
    'SimpleRNN': _RECURRENT._replace(renamed=tuple(
        pair for pair in _RECURRENT.renamed if pair[0] != 'inner_activation')),
    'SpatialDropout1D': _RATE, 'SpatialDropout2D': _RATE_OF_CHANNELS,
    'SpatialDropout3D': _RATE_OF_CHANNELS,
    'UpSampling1D': Old((('length', 'size'),)), 'UpSampling2D': _FORMAT_ONLY,
    'UpSampling3D': _FORMAT_ONLY,
    'ZeroPadding2D': Old(_ORDERING, _FORMAT, _zero_padding), 'ZeroPadding3D': _FORMAT_ONLY,
}
INPUT = Old((('input_dtype', 'dtype'),))
MODEL = Old((('input', 'inputs'), ('output', 'outputs')))
FIT = Old((('nb_epoch', 'epochs'),),
          notice='The `nb_epoch` argument in `fit` has been renamed `epochs`.')
GENERATOR = Old((('samples_per_epoch', 'steps_per_epoch'), ('val_samples', 'steps'),
                 ('nb_epoch', 'epochs'), ('nb_val_samples', 'validation_steps'),
                 ('nb_worker', 'workers'), ('pickle_safe', 'use_multiprocessing'),
                 ('max_q_size', 'max_queue_size')), before=_generator)
