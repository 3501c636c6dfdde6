"""Records TF 1.15's training: python tests/golden/keras/record_training.py (Python 3.7)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.keras import training_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    write_recorded('keras.training', training_cases.run(tf))
