"""Records the properties of property_cases.py: python tests/golden/keras/record_properties.py.

In Python 3.7 with TensorFlow 1.15.5, and for the argument `keras` Keras 2.1.6 on the path; the
second run adds its column.
"""
import os
import sys
import warnings

warnings.filterwarnings('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.keras.property_cases import PROPERTIES  # noqa: E402
from tests.golden.store import FOLDER, read_recorded, write_recorded  # noqa: E402

if __name__ == '__main__':
    name = sys.argv[1] if len(sys.argv) > 1 else 'tf.keras'
    keras = tf.keras
    if name == 'keras':
        import keras  # noqa: F811
    recorded = read_recorded('keras.properties') \
        if (FOLDER / 'keras.properties.json').exists() else {}
    column = {}
    for title, function in PROPERTIES.items():
        keras.backend.clear_session()
        column[title] = function(keras)
        print(title, '|', column[title], flush=True)
    recorded[name] = column
    write_recorded('keras.properties', recorded)
