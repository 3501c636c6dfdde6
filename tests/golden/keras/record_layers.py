"""Records what TF 1.15's layers give: python tests/golden/keras/record_layers.py (Python 3.7)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.golden.keras import layer_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402


def plain(x):
    if isinstance(x, np.ndarray) and not x.ndim:
        return float('%.7g' % x)
    if isinstance(x, np.ndarray):
        return {'shape': list(x.shape), 'values': [float('%.7g' % v) for v in x.ravel()]}
    if isinstance(x, np.generic):
        return float('%.7g' % x)
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return x


def main():
    found = {}
    counts = {name: len(layer_cases.run(tf, make, shapes, dtype)['nodes'])
              for name, make, shapes, dtype in layer_cases.cases(tf.keras.layers, tf.keras)}
    tf.enable_control_flow_v2()
    for name, make, shapes, dtype in layer_cases.cases(tf.keras.layers, tf.keras):
        found[name] = plain(layer_cases.run(tf, make, shapes, dtype))
        found[name]['count'] = counts[name]
    write_recorded('keras.layers', found, sort_keys=True)
    print(len(found), 'layers')


if __name__ == '__main__':
    main()
