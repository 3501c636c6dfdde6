"""An input pipeline.

`rows` [10, 2] and `labels` [10] are arrays. Complete `batches`: return (rows, labels) of the next
batch, two tensors. Batches have 4 rows, the rows of each epoch are mixed, and after an epoch the
next one begins, without end.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 10

START = '''
import tinyflow as tf


def batches(rows, labels):
    dataset = tf.data.Dataset.from_tensor_slices((rows, labels))
    return tf.data.make_one_shot_iterator(dataset).get_next()
'''

HINTS = (
    'A Dataset has the methods shuffle, repeat and batch. Each returns a new Dataset.',
    'Think about the order: what is mixed, rows or batches? The rows of one epoch, or of two?',
    'dataset = dataset.shuffle(10).repeat().batch(4)',
)

SOLUTION = '''
import tinyflow as tf


def batches(rows, labels):
    dataset = tf.data.Dataset.from_tensor_slices((rows, labels))
    dataset = dataset.shuffle(10).repeat().batch(4)
    return tf.data.make_one_shot_iterator(dataset).get_next()
'''

WRONG = (
    (START, 'batch(4)'),
    (SOLUTION.replace('.repeat()', ''), 'without end'),
    (SOLUTION.replace('shuffle(10).repeat()', 'repeat().shuffle(100)'), 'shuffle before repeat'),
    (SOLUTION.replace('.shuffle(10)', ''), 'not mixed'),
    (SOLUTION.replace('.repeat().batch(4)', '.batch(4).repeat()'), 'batches of 4'),
    (SOLUTION.replace('tf.data.make_one_shot_iterator(dataset).get_next()', 'dataset'),
     'not two tensors'),
)


def check(answer):
    rows = np.arange(20).reshape(10, 2).astype('float32')
    following = given(answer.batches(rows, np.arange(10)), 'the result')
    if isinstance(following, (tf.data.Dataset, tf.data.Iterator)):
        raise Wrong('the result is a Dataset or an iterator, not two tensors',
                    'return tf.data.make_one_shot_iterator(dataset).get_next()')
    if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        raise Wrong('this is a queue, which needs threads', 'tf.data.Dataset needs none.')
    found = []
    with tf.Session() as session:
        for _ in range(10):
            try:
                some, labels = session.run(following)
            except tf.errors.FailedPreconditionError:
                raise Wrong('the iterator has not been initialised', 'make_one_shot_iterator makes '
                            'one that begins by itself.') from None
            except tf.errors.OutOfRangeError:
                raise Wrong(f'after {len(found)} rows there are no more', 'repeat()') from None
            if np.shape(some) != (4, 2):
                raise Wrong(f'a batch has the shape {np.shape(some)}, not [4, 2]: batches of 4 '
                            'rows, without end', 'repeat and batch return a new Dataset: '
                            'dataset = dataset.repeat().batch(4)' if np.shape(some) == (2,) else
                            'repeat, and then batch(4)')
            if not np.array_equal(some[:, 0] / 2, labels):
                raise Wrong('rows and labels do not belong together any more',
                            'keep them in one Dataset: from_tensor_slices((rows, labels)).')
            found += labels.tolist()
    epochs = [found[at:at + 10] for at in range(0, 40, 10)]
    if any(sorted(epoch) != list(range(10)) for epoch in epochs):
        raise Wrong(f'an epoch has the rows {sorted(epochs[0])}, not each one once',
                    'shuffle before repeat: else the rows of two epochs meet.')
    if epochs[0] == list(range(10)):
        raise Wrong('the rows are not mixed', 'shuffle(10)')
