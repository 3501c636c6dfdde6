"""Records what model_to_estimator of TensorFlow 1.15.5 makes of Keras models.

    python tests/golden/estimator/record_keras.py
"""
import json
import os
import sys
import tempfile

import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import keras_programs                                           # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {name: keras_programs.run(tf, name, tempfile.mkdtemp())
             for name in sorted(keras_programs.PROGRAMS)}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'recorded',
                        'estimator.keras.json')
    with open(path, 'w') as file:
        json.dump(found, file, sort_keys=True)
        file.write('\n')
