"""Records TF 1.15's preprocessing: python tests/golden/keras/record_preprocessing.py (Python 3.7)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.keras import preprocessing_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    write_recorded('keras.preprocessing', preprocessing_cases.run(tf.keras), sort_keys=True)
