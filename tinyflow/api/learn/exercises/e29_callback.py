"""Good enough: stop.

Complete the callback `StopBelow`: it ends the training after the first epoch whose loss is below
`limit`, and keeps the losses of all epochs in the list `losses`.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'Keras', 16

START = '''
import tinyflow as tf

keras = tf.keras


class StopBelow(keras.callbacks.Callback):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit
        self.losses = []

    def on_epoch_end(self, epoch, logs=None):
        pass
'''

HINTS = (
    '`logs` is a dict with the numbers of the epoch, among them "loss".',
    'fit looks after each epoch whether the model has the attribute stop_training.',
    "self.losses.append(logs['loss']); if it is below self.limit: self.model.stop_training = True",
)

SOLUTION = START.replace('        pass', '''        self.losses.append(logs['loss'])
        if logs['loss'] < self.limit:
            self.model.stop_training = True''')

WRONG = (
    (START, 'keeps 0 losses'),
    (SOLUTION.replace('self.model.stop_training', 'self.stop_training'), 'goes on'),
    (SOLUTION.replace('on_epoch_end', 'on_batch_end').replace('epoch,', 'batch,'), 'each batch'),
    (SOLUTION.replace('if logs', 'if not logs'), 'first epoch'),
)


def check(answer):
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='zeros',
                                                       input_shape=(1,))])
    model.compile(tf.keras.optimizers.SGD(0.1), 'mse')
    rows = np.array([[1.], [2.], [1.5], [0.5]])

    def losses(*callbacks):
        model.set_weights([np.zeros((1, 1)), np.zeros(1)])
        return model.fit(rows, rows * 3, 2, 12, shuffle=False, verbose=0,
                         callbacks=list(callbacks)).history['loss']
    every = losses()
    limit = (every[5] + every[6]) / 2
    callback = answer.StopBelow(limit)
    found = losses(callback)
    if len(callback.losses) > len(found):
        raise Wrong(f'in {len(found)} epochs of 2 batches the callback was called '
                    f'{len(callback.losses)} times: for each batch', 'on_epoch_end')
    if len(found) == 12:
        raise Wrong(f'the training goes on to its end, and the callback keeps '
                    f'{len(callback.losses)} losses', 'self.model.stop_training = True')
    if len(found) != 7:
        raise Wrong(f'the training ended after epoch {len(found)}, not 7, the first epoch whose '
                    f'loss is below {limit:.3f}')
    if not np.allclose(callback.losses, found):
        raise Wrong(f'`losses` is {callback.losses}, not {found}', 'append the loss of each epoch.')
