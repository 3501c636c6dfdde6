"""keras.estimator: model_to_estimator, which estimator_layer defines."""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.missing import explain_missing

__all__ = ['model_to_estimator']        # noqa: F822 - found by __getattr__

_missing = explain_missing('tf.keras.estimator', __all__)


def __getattr__(name):
    if name in __all__:
        return getattr(import_module('estimator_layer.model_to_estimator'), name)
    return _missing(name)
