"""Records the public names of TF 1.15's tf.keras: python tests/golden/keras/record_names.py.

{namespace: {name: the parameters of the function or constructor, None if there are none to see}}.
"""
import inspect
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.store import write_recorded  # noqa: E402

SPACES = ['activations', 'applications', 'backend', 'callbacks', 'constraints', 'datasets',
          'estimator', 'experimental', 'initializers', 'layers', 'losses', 'metrics', 'models',
          'optimizers', 'optimizers.schedules', 'preprocessing', 'preprocessing.image',
          'preprocessing.sequence', 'preprocessing.text', 'regularizers', 'utils', 'wrappers',
          'wrappers.scikit_learn']


def parameters(value):
    """Names in order, with * and ** before those that collect the rest."""
    if not callable(value):
        return None
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    marks = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}
    return [marks.get(p.kind, '') + p.name for p in found.parameters.values()]


def main():
    found = {}
    for space in SPACES:
        module = tf.keras
        for part in space.split('.'):
            module = getattr(module, part)
        found[space] = {name: parameters(getattr(module, name))
                        for name in dir(module) if not name.startswith('_')}
    write_recorded('keras.names', found, sort_keys=True)
    print(sum(map(len, found.values())), 'names')


if __name__ == '__main__':
    main()
