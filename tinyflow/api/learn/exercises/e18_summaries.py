"""Something to see in TensorBoard.

Complete `watch`: return one tensor that holds a scalar summary of `loss` with the tag "loss" and a
histogram of `weights` with the tag "weights".
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'training', 12

START = '''
import tinyflow as tf


def watch(loss, weights):
    tf.summary.scalar('loss', loss)
    tf.summary.histogram('weights', weights)
'''

HINTS = (
    'Each function of tf.summary makes a node. Return one node that needs both.',
    'tf.summary.merge([...]) takes a list of summaries, merge_all() all of the graph.',
    'return tf.summary.merge_all()',
)

SOLUTION = '''
import tinyflow as tf


def watch(loss, weights):
    tf.summary.scalar('loss', loss)
    tf.summary.histogram('weights', weights)
    return tf.summary.merge_all()
'''

WRONG = (
    (START, 'is None'),
    (SOLUTION.replace('tf.summary.merge_all()', "[tf.summary.scalar('loss', loss)]"), 'one tensor'),
    (SOLUTION.replace("histogram('weights', weights)",
                      "scalar('weights', tf.reduce_mean(weights))"), 'histogram'),
    (SOLUTION.replace("'loss', loss", "'the loss', loss"), 'the_loss'),
)


def check(answer):
    result = given(answer.watch(tf.constant(0.5), tf.constant([1., 2., 2.])), 'the result')
    if not isinstance(result, tf.Tensor):
        raise Wrong(f'the result is a {type(result).__name__}, not one tensor', 'tf.summary.merge')
    with tf.Session() as session:
        summary = tf.Summary.FromString(session.run(result))
    found = {value.tag: value for value in summary.value}
    if sorted(found) != ['loss', 'weights']:
        raise Wrong(f'the tags are {sorted(found)}, not loss and weights')
    if not found['weights'].HasField('histo') or not found['loss'].HasField('simple_value'):
        raise Wrong('"weights" must be a histogram, and "loss" a scalar')
