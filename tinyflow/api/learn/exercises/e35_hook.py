"""A hook.

Complete `LossKeeper`: a hook that keeps the value of the tensor `loss` of every step in the list
`values`. The value must come from the step's own run: a hook that runs something itself sees
another batch.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'Estimator', 21

START = '''
import tinyflow as tf


class LossKeeper(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss = loss
        self.values = []

    def after_run(self, run_context, run_values):
        self.values.append(run_context.session.run(self.loss))
'''

HINTS = (
    'before_run may ask for more tensors, which are fetched in the same run.',
    'def before_run(self, run_context): return tf.train.SessionRunArgs(self.loss)',
    'In after_run, run_values.results is what before_run has asked for.',
)

SOLUTION = START.replace('''    def after_run(self, run_context, run_values):
        self.values.append(run_context.session.run(self.loss))
''', '''    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(run_values.results)
''')

_ASK = SOLUTION[SOLUTION.index('    def before_run'):SOLUTION.index('    def after_run')]
WRONG = (
    (START, 'another batch'),
    (SOLUTION.replace(_ASK, ''), 'before_run'),
    (SOLUTION.replace('self.values.append(run_values.results)', 'self.values = run_values.results'),
     'a list'),
    (SOLUTION.replace('append(run_values.results)', 'append(self.loss)'), 'is a tensor'),
    (SOLUTION.replace('SessionRunArgs(self.loss)', 'SessionRunArgs([self.loss])'), 'has the form'),
    (SOLUTION.replace('tf.train.SessionRunArgs(self.loss)', 'self.loss'), 'returns a tensor'),
)


def check(answer):
    batch = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1, 20)).get_next()
    loss = tf.multiply(batch, 10)
    train = tf.group(tf.assign_add(tf.train.create_global_step(), 1), loss)
    hook = answer.LossKeeper(loss)
    if not isinstance(hook, tf.train.SessionRunHook):
        raise Wrong('LossKeeper is no hook', 'class LossKeeper(tf.train.SessionRunHook):')
    try:
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for _ in range(4):
                session.run(train)
    except tf.errors.OperatorNotAllowedInGraphError:
        raise Wrong('before_run returns a tensor', 'return tf.train.SessionRunArgs(self.loss)'
                    ) from None
    if not isinstance(hook.values, list):
        raise Wrong(f'`values` is {hook.values!r}, not a list of values', 'append')
    if any(isinstance(value, tf.Tensor) for value in hook.values):
        raise Wrong('what is in `values` is a tensor, not its value', 'run_values.results')
    if any(isinstance(value, (list, tuple, dict)) for value in hook.values):
        raise Wrong(f'what is in `values` is a {type(hook.values[0]).__name__}, not a number',
                    'run_values.results has the form of what was asked for: one tensor, a list ...')
    if None in hook.values:
        raise Wrong('the results are None: nothing was asked for', 'before_run asks for the loss.')
    if not np.array_equal(hook.values, [10, 20, 30, 40]):
        raise Wrong(f'the values are {list(map(int, hook.values))}, not [10, 20, 30, 40]: a run of '
                    'its own takes another batch', 'before_run: tf.train.SessionRunArgs(self.loss)')
