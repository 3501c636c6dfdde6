"""Record files of TensorFlow 1.15.5: python tests/golden/record_files.py [name of a program ...]

For each program of golden/file_programs.py: its GraphDef, files/<name>.pb, and the values of its
runs, files/<name>.json. Also a MetaGraphDef, a SavedModel and a frozen graph.
"""
from __future__ import print_function

import io
import os
import shutil
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden.encoding import encode, json_text  # noqa: E402
from golden.file_programs import FILE_PROGRAMS  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files')


def record_program(name, build):
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = False
    with tf.Graph().as_default() as graph:
        runs = build(tf, np)
        write(name + '.pb', graph.as_graph_def().SerializeToString())
        with tf.Session() as sess:
            record = [{'fetches': [f.name for f in fetches],
                       'feeds': {k.name: encode(np.asarray(v)) for k, v in feeds.items()},
                       'values': encode(sess.run(fetches, feeds))} for fetches, feeds in runs]
    write(name + '.json', json_text(record, sort_keys=True).encode('utf-8'))


def write(name, data):
    with io.open(os.path.join(FILES, name), 'wb') as file:
        file.write(data)


def model():
    """A small network, trained a bit: (x, y, train_op, Saver)."""
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    with tf.variable_scope('net'):
        w = tf.get_variable('w', initializer=np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2))
        b = tf.get_variable('b', initializer=np.float32([0.5, -0.5]))
    y = tf.nn.softmax(tf.matmul(x, w) + b, name='y')
    loss = tf.reduce_mean(tf.square(y - [1.0, 0.0]), name='loss')
    train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(loss)
    for key, value in [('train_op', train), ('ys', y), ('word', 'hello'), ('number', 3),
                       ('fraction', 1.5)]:
        tf.add_to_collection(key, value)
    return x, y, train, tf.train.Saver()


def record_model():
    folder = os.path.join(FILES, 'saved_model')
    shutil.rmtree(folder, ignore_errors=True)
    data = np.float32([[1, 2, 3], [-1, 0, 1]])
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y, train, saver = model()
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(train, {x: data})
        value = sess.run(y, {x: data})
        tf.train.export_meta_graph(os.path.join(FILES, 'model.meta'), saver_def=saver.saver_def)
        tf.io.write_graph(tf.get_default_graph(), FILES, 'model.pbtxt')
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, tf.get_default_graph().as_graph_def(), ['y'])
        write('frozen.pb', frozen.SerializeToString())
        tf.saved_model.simple_save(sess, folder, {'x': x}, {'y': y})
    write('model.json', json_text({'x': encode(data), 'y': encode(value)}).encode('utf-8'))


if __name__ == '__main__':
    for name_, build_ in FILE_PROGRAMS.items():
        if name_ in sys.argv[1:] or not sys.argv[1:]:
            record_program(name_, build_)
    if not sys.argv[1:]:
        record_model()
