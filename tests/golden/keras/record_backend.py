"""Record calls of keras.backend under TF 1.15.5: python tests/golden/keras/record_backend.py"""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TESTS)

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402

from golden.encoding import encode  # noqa: E402
from golden.keras.backend_cases import CASES  # noqa: E402
from golden.keras.building import build  # noqa: E402
from golden.store import write_recorded  # noqa: E402


def record(name, function):
    """Nodes, values and gradients of one case; gradients where TF can run them."""
    with tf.Graph().as_default():
        outputs, gradients, feeds, nodes = build(function, tf, np)
        some = [g for g in gradients if g is not None]
        sess = tf.keras.backend.get_session()       # it initialises what the case made
        values = encode(sess.run(outputs, feeds))   # first: random numbers go on with each run
        try:
            found = iter(sess.run(some, feeds))
        except tf.errors.OpError as error:
            print('%s: no gradients, %s' % (name, error.message[:80]))
            found = gradients = None
        return {'nodes': nodes,
                'values': values,
                'gradients': None if found is None else
                [None if g is None else encode(next(found)) for g in gradients]}


def main():
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
    records, failed = {}, []
    for name, function in sorted(CASES.items()):
        try:
            records[name] = record(name, function)
        except Exception as error:
            failed.append('case %s: %r' % (name, error))
    if failed:
        raise SystemExit('\n'.join(failed))
    write_recorded('keras.backend', records)
    print('keras.backend: %d' % len(records))


if __name__ == '__main__':
    main()
