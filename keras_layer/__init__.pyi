# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer import (
    activations, applications, backend, callbacks, constraints, datasets, engine, estimator,
    experimental, initializers, layers, losses, metrics, models, optimizers, preprocessing,
    regularizers, utils, wrappers,
)
from keras_layer.engine.input_layer import Input
from keras_layer.engine.model import Model
from keras_layer.engine.sequential import Sequential
__version__: str

__all__ = [
    'Input', 'Model', 'Sequential', 'activations', 'applications', 'backend', 'callbacks',
    'constraints', 'datasets', 'engine', 'estimator', 'experimental', 'initializers', 'layers',
    'losses', 'metrics', 'models', 'optimizers', 'preprocessing', 'regularizers', 'utils',
    'wrappers', '__version__',
]
