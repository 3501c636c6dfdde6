"""The public names of TensorFlow 2.15, as a list: python tests/golden/tf2_names.py

Run by TensorFlow 2.15.1. Writes tinyflow/api/v2/tf2_names.txt: for each namespace one line of the
names that are the same objects as those of tf.compat.v1 ("="), and one of those that are not ("~").
"""
import os
import sys
import types
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, '..', '..', 'tinyflow', 'api', 'v2', 'tf2_names.txt')
NOT_FOLLOWED = {'compat', 'raw_ops', 'experimental.numpy'}
PUBLIC = ('tensorflow._api', 'tensorflow_estimator.python.estimator.api', 'keras.api',
          'tensorboard.summary')            # what the public namespaces' module names contain


def collect(module, space, v1, found):
    """found[space] = ([names that are the same in v1], [names that are not])."""
    if space in found:
        return
    same, other = found[space] = ([], [])
    for name in dir(module):
        if name.startswith('_'):
            continue
        value = getattr(module, name, None)
        path = space + '.' + name if space else name
        if isinstance(value, types.ModuleType):
            if path not in NOT_FOLLOWED and not any(
                    part in value.__name__ for part in PUBLIC):
                continue
            other.append(name)
            if path not in NOT_FOLLOWED:
                collect(value, path, getattr(v1, name, None), found)
        else:
            (same if getattr(v1, name, None) is value else other).append(name)


def main():
    sys.path.pop(0)                     # this folder, which has a package `keras`
    import tensorflow as tf

    found = {}
    collect(tf, '', tf.compat.v1, found)
    with open(FILE, 'w') as file:
        for space, kinds in sorted(found.items()):
            for kind, names in zip('=~', kinds):
                if names:
                    file.write('%s %s %s\n' % (space or 'tf', kind, ' '.join(names)))


if __name__ == '__main__':
    main()
