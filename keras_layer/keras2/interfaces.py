"""keras.legacy.interfaces: decorators by which a function takes the arguments of Keras 1.

Layers and optimizers of programs have them, copied from Keras' own.
"""
from __future__ import annotations

import functools

from keras_layer import legacy
from keras_layer.keras2.optimizers import loss_and_params
from tinyflow.graph.support.missing import explain_missing

__all__ = ['generate_legacy_interface', 'legacy_add_weight_support',
           'legacy_generator_methods_support', 'legacy_get_updates_support',
           'legacy_input_support', 'legacy_lambda_support', 'legacy_model_constructor_support']


def legacy_get_updates_support(method):
    """`method` of (loss, params) is called with (params, constraints, loss) too."""
    @functools.wraps(method)
    def get_updates(self, *args, **kwargs):
        loss, params = loss_and_params(*args, **kwargs)
        return method(self, loss=loss, params=params)
    return get_updates


def generate_legacy_interface(allowed_positional_args=None, conversions=None, preprocessor=None,
                              value_conversions=None, object_type='class'):
    """A decorator: `conversions` are pairs of an old and a new name, `value_conversions` values of
    old arguments.

    `preprocessor` changes (args, kwargs), self included, and says what it has converted. The
    number of positional arguments is not checked.
    """
    def decorate(method):
        old = legacy.Old(tuple(conversions or ()), value_conversions or {})

        @functools.wraps(method)
        def wrapper(*args, **kwargs):
            if preprocessor is not None:
                args, kwargs, _ = preprocessor(list(args), kwargs)
            args, kwargs, _ = old.today(args, kwargs)
            return method(*args, **kwargs)
        return wrapper
    return decorate


def _unchanged(method):
    """Layers take these arguments by themselves."""
    return method


legacy_add_weight_support = legacy_lambda_support = _unchanged
legacy_generator_methods_support = legacy.accepts_legacy_names(legacy.GENERATOR)
legacy_model_constructor_support = legacy.accepts_legacy_names(legacy.MODEL)
legacy_input_support = _unchanged

# The decorator of each layer, or of several that have the same arguments.
_LAYERS = {
    'dense': 'Dense', 'dropout': 'Dropout', 'pooling1d': 'MaxPooling1D', 'prelu': 'PReLU',
    'gaussiannoise': 'GaussianNoise', 'recurrent': 'LSTM', 'gaussiandropout': 'GaussianDropout',
    'pooling2d': 'MaxPooling2D', 'pooling3d': 'MaxPooling3D', 'embedding': 'Embedding',
    'global_pooling': 'GlobalMaxPooling2D', 'upsampling1d': 'UpSampling1D',
    'upsampling2d': 'UpSampling2D', 'upsampling3d': 'UpSampling3D', 'conv1d': 'Conv1D',
    'conv2d': 'Conv2D', 'separable_conv2d': 'SeparableConv2D', 'deconv2d': 'Conv2DTranspose',
    'conv3d': 'Conv3D', 'batchnorm': 'BatchNormalization', 'zeropadding2d': 'ZeroPadding2D',
    'zeropadding3d': 'ZeroPadding3D', 'cropping2d': 'Cropping2D', 'cropping3d': 'Cropping3D',
    'spatialdropout1d': 'SpatialDropout1D', 'spatialdropoutNd': 'SpatialDropout2D',
    'convlstm2d': 'ConvLSTM2D'}
for _name, _layer in _LAYERS.items():
    globals()[f'legacy_{_name}_support'] = legacy.accepts_legacy_names(legacy.LAYERS[_layer])
    __all__.append(f'legacy_{_name}_support')

__getattr__ = explain_missing('keras.legacy.interfaces', __all__)
