"""Record what the calls of ragged_calls.py give under TensorFlow 1.15.5."""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden.ragged_calls import answers  # noqa: E402
from golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    recorded = answers(tf, np)
    write_recorded('ragged', recorded)
    print('%d calls' % len(recorded))
