"""Keras on tinyflow: layers and models, without the ops underneath.

`tf.keras` and `from tensorflow import keras` mean this package; `import keras` is keras2/. Keras
builds a graph of layers (engine) on top of the graph of ops that Sessions run.
"""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.missing import explain_missing

__version__ = '2.2.4-tf'

_MODULES = ('activations', 'applications', 'backend', 'callbacks', 'constraints', 'datasets',
            'engine', 'estimator', 'experimental', 'initializers', 'layers', 'losses', 'metrics',
            'models', 'optimizers', 'preprocessing', 'regularizers', 'utils', 'wrappers')
_NAMES = {'Input': 'keras_layer.engine.input_layer', 'Model': 'keras_layer.engine.model',
          'Sequential': 'keras_layer.engine.sequential'}
__all__ = [*_NAMES, *_MODULES]

_missing = explain_missing('tf.keras', __all__)


def __getattr__(name):
    if name in _MODULES:                # K.backend() is a function of the module `backend`
        return import_module(f'{__name__}.{name}')
    if name in _NAMES:
        found = globals()[name] = getattr(import_module(_NAMES[name]), name)
        return found
    return _missing(name)


def __dir__():
    return [*__all__, '__version__']
