"""Keep what was learnt.

Complete `save`: write all Variables of the default graph into a checkpoint and return its path.
Complete `load`: give the Variables the values of the checkpoint `path` in another Session, in
which nothing has been initialised.
"""
import os
import tempfile

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 11

START = '''
import tinyflow as tf


def save(session, folder):
    path = ...
    return path


def load(session, path):
    pass
'''

HINTS = (
    'tf.train.Saver() knows all Variables that exist when it is made.',
    'saver.save(session, folder + "/model.ckpt") returns the path; saver.restore(session, path).',
    'restore replaces the initializer: running the initializer afterwards overwrites the values.',
)

SOLUTION = '''
import tinyflow as tf


def save(session, folder):
    return tf.train.Saver().save(session, folder + '/model.ckpt')


def load(session, path):
    tf.train.Saver().restore(session, path)
'''

WRONG = (
    (START, 'the path is ...'),
    (SOLUTION + '    session.run(tf.global_variables_initializer())\n', 'initial values again'),
    (SOLUTION.replace('Saver()', 'Saver([tf.global_variables()[0]])'), 'bias has no value'),
    (SOLUTION.replace('    tf.train.Saver().restore', '    print'), 'has no value'),
)


def check(answer):
    weight, bias = tf.Variable(1., name='weight'), tf.Variable(2., name='bias')
    with tempfile.TemporaryDirectory() as folder:
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([weight.assign(5.), bias.assign(6.)])
            path = given(answer.save(session, folder), 'the path')
        if not os.path.exists(f'{path}.index'):
            raise Wrong(f'there is no checkpoint {path!r}', 'return what saver.save returns.')
        with tf.Session() as session:
            answer.load(session, path)
            empty = [name.decode() for name in session.run(tf.report_uninitialized_variables())]
            if empty:
                raise Wrong(f'after load, {" and ".join(empty)} has no value',
                            'save and restore with tf.train.Saver(), which has all Variables.')
            found = session.run([weight, bias])
    if found == [1., 2.]:
        raise Wrong('after load the Variables have their initial values again',
                    'restore instead of running the initializer, not before it.')
    if found != [5., 6.]:
        raise Wrong(f'after load the Variables are {found}, not [5.0, 6.0]')
