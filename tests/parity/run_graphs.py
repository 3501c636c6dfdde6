"""Run under TensorFlow: python run_graphs.py folder. Python 3.7 and 3.11.

For each folder/<name>.pb, a GraphDef, and folder/<name>.json, its runs (fetches and feeds by name),
writes the values to folder/<name>.out, or the error.
"""
import glob
import json
import os
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from golden.encoding import decode, encode  # noqa: E402


def run(path):
    with open(path, 'rb') as file:
        graph_def = tf.GraphDef.FromString(file.read())
    with open(path[:-2] + 'json', encoding='utf-8') as file:
        runs = json.load(file)
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name='')
        with tf.Session() as session:
            return [encode([numbers(v) for v in session.run(
                r['fetches'], {k: decode(v) for k, v in r['feeds'].items()})]) for r in runs]


def numbers(value):
    """A fetched value as an array; None for what is not compared: operations and strings."""
    array = None if value is None else np.asarray(value)
    return None if array is None or array.dtype.kind in 'OSUV' else array


if __name__ == '__main__':
    tf.disable_v2_behavior()
    for path in sorted(glob.glob(os.path.join(sys.argv[1], '*.pb'))):
        try:
            result = run(path)
        except Exception as error:  # noqa: BLE001 - it is reported
            result = '%s: %s' % (type(error).__name__, error)
        with open(path[:-2] + 'out', 'w', encoding='utf-8') as file:
            file.write(json.dumps(result))
