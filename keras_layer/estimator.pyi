# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer.model_to_estimator import model_to_estimator

__all__ = [
    'model_to_estimator',
]
