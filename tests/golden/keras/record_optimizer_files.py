"""Writes a model with each optimizer's state by Keras 2.1: record_optimizer_files.py (Python 3.7).

The losses of the batches that follow are kept, too; tests/keras/saving/test_saved_files.py goes on from
the files.
"""
import os

import keras
import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'files',
                      'keras')
O = keras.optimizers
OPTIMIZERS = {'sgd': lambda: O.SGD(.05), 'momentum': lambda: O.SGD(.05, momentum=.9, decay=.1),
              'rmsprop': lambda: O.RMSprop(.01), 'adagrad': lambda: O.Adagrad(.1),
              'adadelta': lambda: O.Adadelta(1.), 'adam': lambda: O.Adam(.02),
              'amsgrad': lambda: O.Adam(.02, amsgrad=True), 'adamax': lambda: O.Adamax(.02),
              'nadam': lambda: O.Nadam(.02)}


if __name__ == '__main__':
    random = np.random.RandomState(3)
    x, y = (random.uniform(-1, 1, (12, n)).astype('float32') for n in (3, 2))
    losses = {}
    for name, make in OPTIMIZERS.items():
        keras.backend.clear_session()
        model = keras.models.Sequential([keras.layers.Dense(2, input_shape=(3,))])
        model.set_weights([random.uniform(-1, 1, w.shape).astype('float32')
                           for w in model.get_weights()])
        model.compile(make(), 'mse')
        for _ in range(5):
            model.train_on_batch(x, y)
        model.save(os.path.join(FOLDER, 'keras216_%s.h5' % name))
        losses[name] = [float(model.train_on_batch(x, y)) for _ in range(5)]
    np.savez(os.path.join(FOLDER, 'keras216_optimizers.npz'), x=x, y=y, **losses)
