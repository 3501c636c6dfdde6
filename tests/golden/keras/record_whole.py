"""Records the numbers of whole programs: python tests/golden/keras/record_whole.py (Python 3.7).

Those of tf.keras come from TensorFlow 1.15.5; with `keras` as argument, and Keras 2.1.6 on the
path, those of `import keras`.
"""
import os
import random
import sys
import warnings

warnings.filterwarnings('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.golden.keras import whole_programs  # noqa: E402
from tests.golden.store import read_recorded, write_recorded  # noqa: E402


def without_races(keras):
    """Keras 2.1.6 reads variables by reference: a gradient may see a weight that is updated already.

    Which one does depends on the threads. Here all gradients are computed before any update.
    """
    get_gradients = keras.optimizers.Optimizer.get_gradients

    def all_first(self, loss, params):
        gradients = get_gradients(self, loss, params)
        with tf.control_dependencies([tf.convert_to_tensor(g) for g in gradients]):
            return [tf.identity(tf.convert_to_tensor(g)) for g in gradients]
    keras.optimizers.Optimizer.get_gradients = all_first


def run(keras, program):
    """The numbers of one program, in a graph of its own."""
    keras.backend.clear_session()
    np.random.seed(7)
    random.seed(7)
    tf.set_random_seed(7)
    return program(keras)


if __name__ == '__main__':
    name = sys.argv[1] if len(sys.argv) > 1 else 'tf.keras'
    keras = tf.keras
    if name == 'keras':
        import keras  # noqa: F811
        without_races(keras)
    recorded = {}
    wanted = sys.argv[2:]                   # names of programs; the others stay as they are
    if wanted:
        recorded = read_recorded('keras.whole_programs.' + name)
    for program in whole_programs.PROGRAMS:
        if wanted and program.__name__ not in wanted:
            continue
        recorded[program.__name__] = run(keras, program)
        again = run(keras, program)
        print(program.__name__, recorded[program.__name__] == again, recorded[program.__name__][:3],
              np.abs(np.array(recorded[program.__name__]) - again).max(), flush=True)
    write_recorded('keras.whole_programs.' + name, recorded)
