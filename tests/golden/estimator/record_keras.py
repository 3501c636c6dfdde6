"""Records what model_to_estimator of TensorFlow 1.15.5 makes of Keras models.

    python tests/golden/estimator/record_keras.py
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator import keras_programs  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {name: keras_programs.run(tf, name, tempfile.mkdtemp())
             for name in sorted(keras_programs.PROGRAMS)}
    write_recorded('estimator.keras', found, sort_keys=True)
