"""Run under TensorFlow: python run_saved_model.py save|load folder data.json

save: writes a small network, trained a bit, as a SavedModel, and its x and y.
load: runs the signature of a SavedModel on x, and writes y.
"""
import json
import os
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
from golden.encoding import decode, encode  # noqa: E402

X = np.float32([[1, 2, 3], [-1, 0, 1]])


def save(tf, folder):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.get_variable('w', initializer=np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2))
    y = tf.nn.softmax(tf.matmul(x, w), name='y')
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(tf.square(y)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {x: X})
        tf.saved_model.simple_save(session, folder, {'x': x}, {'y': y})
        return {'x': encode(X), 'y': encode(session.run(y, {x: X}))}


def load(tf, folder, data):
    with tf.Session(graph=tf.Graph()) as session:
        signature = tf.saved_model.load(session, ['serve'], folder).signature_def['serving_default']
        y = session.run(signature.outputs['y'].name,
                        {signature.inputs['x'].name: decode(data['x'])})
    return {'x': data['x'], 'y': encode(y)}


if __name__ == '__main__':
    import tensorflow.compat.v1 as tensorflow
    tensorflow.disable_v2_behavior()
    what, folder_, path = sys.argv[1:]
    if what == 'save':
        result = save(tensorflow, folder_)
    else:
        with open(path, encoding='utf-8') as file_:
            result = load(tensorflow, folder_, json.load(file_))
    with open(path, 'w', encoding='utf-8') as file_:
        file_.write(json.dumps(result))
