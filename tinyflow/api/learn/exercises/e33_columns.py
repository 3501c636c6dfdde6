"""Columns.

Complete `columns`: a list of two feature columns for a dense layer. "age" is cut at 18 and at 60
into three groups; "class" is one of the words first, second, third. Each becomes three numbers, one
of which is 1.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Estimator', 20

START = '''
import tinyflow as tf


def columns():
    age = tf.feature_column.numeric_column('age')
    words = ['first', 'second', 'third']
    kind = tf.feature_column.categorical_column_with_vocabulary_list('class', words)
    return [age, kind]
'''

HINTS = (
    'A numeric column is cut into groups by a bucketized column.',
    'A categorical column gives a word its number. An indicator column makes 0 and 1 of it.',
    'bucketized_column(age, [18., 60.]) and indicator_column(kind), both of tf.feature_column',
)

SOLUTION = START.replace('''    return [age, kind]
''', '''    return [tf.feature_column.bucketized_column(age, [18., 60.]),
            tf.feature_column.indicator_column(kind)]
''')

WRONG = (
    (START, 'indicator_column'),
    (SOLUTION.replace('tf.feature_column.bucketized_column(age, [18., 60.])', 'age'),
     'three groups'),
    (SOLUTION.replace('[18., 60.]', '[60.]'), 'three groups'),
    (SOLUTION.replace("'second', 'third'", "'third', 'second'"), 'third'),
    (SOLUTION.replace('[18., 60.]', '[19., 60.]'), '18'),
    (SOLUTION.replace('indicator_column(kind)', 'embedding_column(kind, 3)'), 'an embedding'),
)


def check(answer):
    found = given(answer.columns(), 'the result')
    if not isinstance(found, (list, tuple)) or hasattr(found, '_fields'):
        raise Wrong('the result is one column, not a list of two', 'return [..., ...]')
    features = {'age': tf.constant([[8.], [18.], [60.], [59.]]),
                'class': tf.constant([['third'], ['first'], ['second'], ['first']])}
    try:
        layer = tf.feature_column.input_layer(features, found)
    except ValueError as error:
        raise Wrong(str(error).splitlines()[0],
                    'tf.feature_column.indicator_column(...) around the column of words') from None
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        rows = session.run(layer)
    if rows.shape != (4, 6):
        raise Wrong(f'a row has {rows.shape[1]} numbers, not 6: three groups and three words',
                    'an unknown word needs no number here: no num_oov_buckets.'
                    if rows.shape[1] == 7 else
                    'tf.feature_column.bucketized_column(age, [18., 60.])')
    if not np.isin(rows, (0, 1)).all():
        raise Wrong('the numbers of a row are not 0 and 1: an embedding is learnt',
                    'tf.feature_column.indicator_column(kind)')
    groups, words = rows[:, :3].argmax(1), rows[:, 3:].argmax(1)
    if not np.array_equal(groups, [0, 1, 2, 1]):
        raise Wrong(f'the ages 8, 18, 60, 59 are in the groups {groups}, not 0, 1, 2, 1',
                    'the boundaries are [18, 60]; a boundary belongs to the group above it.')
    if not np.array_equal(words, [2, 0, 1, 0]):
        raise Wrong(f'third, first, second, first are {words}, not 2, 0, 1, 0',
                    'a vocabulary list with the words in their order; a hash has another one.')
