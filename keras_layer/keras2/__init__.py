"""Keras 2.1, what `import keras` means to a program that runs on tinyflow.

`tf.keras` is the package around this one. Both are one implementation: here is what Keras 2.1 has
otherwise, its default hyperparameters (optimizers.py), how it averages losses with masks and
weights (losses_of_keras2.py) and its older names. docs/keras2.md lists the differences.
"""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.missing import explain_missing

__version__ = '2.1.6'

# What Keras 2.1 has otherwise; all other modules are those of tf.keras.
_OWN = ('backend', 'callbacks', 'constraints', 'engine', 'initializers', 'layers', 'legacy',
        'metrics', 'models', 'objectives', 'optimizers', 'utils')
_SHARED = ('activations', 'applications', 'datasets', 'losses', 'preprocessing', 'regularizers',
           'wrappers')
_NAMES = ('Input', 'Model', 'Sequential')
MODULES = {**{name: f'{__name__}.{name}' for name in _OWN},
           **{name: f'keras_layer.{name}' for name in _SHARED}}
__all__ = [*_NAMES, *MODULES]

_missing = explain_missing('keras', __all__)


def __getattr__(name):
    if name in MODULES:
        return import_module(MODULES[name])
    if name in _NAMES:
        found = globals()[name] = getattr(import_module(f'{__name__}.models'), name)
        return found
    return _missing(name)


def __dir__():
    return [*__all__, '__version__']
