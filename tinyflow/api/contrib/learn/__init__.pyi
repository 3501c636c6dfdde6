# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer.contrib.learn import RunConfig
from tinyflow.api.contrib.learn import datasets, preprocessing

__all__ = [
    'RunConfig', 'datasets', 'preprocessing',
]
