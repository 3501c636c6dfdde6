"""The public names of TensorFlow 1.15, as a list: python tests/golden/tf_names.py

Writes tinyflow/graph/support/tf1_names.txt: the names in tf and in its first-level namespaces,
without those of the higher floors and of namespaces that hold the same names once more.
"""
import os
import types
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, '..', '..', 'tinyflow', 'graph', 'support', 'tf1_names.txt')
NOT_FOLLOWED = {'compat', 'contrib', 'estimator', 'experimental', 'keras', 'lite',
                'pywrap_tensorflow', 'raw_ops', 'user_ops'}


def names(tf):
    """The names, sorted; 'nn.relu' stands for tf.nn.relu."""
    found = set()
    for name in dir(tf):
        if name.startswith('_'):
            continue
        found.add(name)
        value = getattr(tf, name)
        if isinstance(value, types.ModuleType) and name not in NOT_FOLLOWED:
            found.update('%s.%s' % (name, n) for n in dir(value) if not n.startswith('_'))
    return sorted(found)


def main():
    import tensorflow

    with open(FILE, 'w') as file:
        file.write('\n'.join(names(tensorflow)) + '\n')


if __name__ == '__main__':
    main()
