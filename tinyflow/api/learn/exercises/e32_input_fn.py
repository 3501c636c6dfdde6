"""Data for an Estimator.

The file has three arrays. Complete `input_fn`: return a Dataset of one epoch, in order, in batches
of 2. An element is a pair: a dict of features by name, "age" and "fare", and the labels.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Estimator', 19

START = '''
import tinyflow as tf

AGES = [22., 38., 26., 35., 4.]
FARES = [7., 71., 8., 53., 17.]
SURVIVED = [0, 1, 1, 1, 1]


def input_fn():
    return {'age': AGES, 'fare': FARES}, SURVIVED
'''

HINTS = (
    'tf.data.Dataset.from_tensor_slices cuts whatever it is given, pairs and dicts too, into rows.',
    "from_tensor_slices(({'age': AGES, 'fare': FARES}, SURVIVED))",
    "... and then .batch(2); without repeat() it ends after one epoch.",
)

SOLUTION = START.replace('''    return {'age': AGES, 'fare': FARES}, SURVIVED
''', '''    features = {'age': AGES, 'fare': FARES}
    return tf.data.Dataset.from_tensor_slices((features, SURVIVED)).batch(2)
''')

WRONG = (
    (START, 'not a Dataset'),
    (SOLUTION.replace('.batch(2)', ''), 'batches of 2'),
    (SOLUTION.replace("{'age': AGES, 'fare': FARES}", '[AGES, FARES]')
     .replace('(features, SURVIVED)', '((AGES, FARES), SURVIVED)'), 'a dict'),
    (SOLUTION.replace('.batch(2)', '.repeat().batch(2)'), 'one epoch'),
    (SOLUTION.replace('(features, SURVIVED)', 'features'), 'a pair'),
    (SOLUTION.replace('batch(2)', 'batch(2, drop_remainder=True)'), 'may be shorter'),
)


def _plain(rows):
    return [tuple(each.item() for each in row) for row in rows]


def check(answer):
    dataset = given(answer.input_fn(), 'the result')
    if not isinstance(dataset, tf.data.Dataset):
        raise Wrong(f'the result is a {type(dataset).__name__}, not a Dataset',
                    'tf.data.Dataset.from_tensor_slices')
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    if not (isinstance(following, tuple) and len(following) == 2):
        raise Wrong('an element is not a pair of features and labels',
                    'from_tensor_slices((features, labels))')
    if not isinstance(following[0], dict) or sorted(following[0]) != ['age', 'fare']:
        raise Wrong('the features are not a dict with "age" and "fare"')
    found, rows = [], 0
    with tf.Session() as session:
        while rows < 8:
            try:
                features, labels = session.run(following)
            except tf.errors.OutOfRangeError:
                break
            rows += labels.size
            if labels.ndim != 1 or labels.size > 2:
                raise Wrong(f'the labels of an element have the shape {labels.shape}: these are '
                            'not batches of 2', '.batch(2)')
            found += zip(features['age'], features['fare'], labels)
    wanted = [*zip(answer.AGES, answer.FARES, answer.SURVIVED)]
    if len(found) > len(wanted):
        raise Wrong('there is more than one epoch', 'no repeat()')
    if found != wanted:
        raise Wrong(f'the rows are {_plain(found)}, not {wanted}',
                    'the last batch may be shorter: no drop_remainder.'
                    if len(found) < len(wanted) else 'in the order of the file: no shuffle.')
