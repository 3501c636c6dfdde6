"""Records TF 1.15's training: python tests/golden/keras/record_training.py (Python 3.7)."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.keras import training_cases  # noqa: E402

if __name__ == '__main__':
    target = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'recorded',
                          'keras.training.json')
    with open(target, 'w') as file:
        json.dump(training_cases.run(tf), file, default=lambda v: v.item(), separators=(',', ':'))
        file.write('\n')
