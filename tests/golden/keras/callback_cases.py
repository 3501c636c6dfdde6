"""What callbacks print, write and change, epoch by epoch. Python 3.7, too."""
import contextlib
import io
import math
import os
import random
import tempfile

import numpy as np

X = np.linspace(-1, 1, 24).reshape(8, 3).astype('f')
Y = 2 * X.sum(1, keepdims=True) + 1
SERIES = {'falls': [1., .8, .6, .5, .45], 'stays': [1., 1., 1., 1., 1., 1., 1., 1.],
          'turns': [1., .5, .6, .7, .4, .9, 1.], 'small': [1., .99995, .9999, .99985, .5]}


def run(tf, folder):
    keras = tf.keras
    C = keras.callbacks
    cases = {
        'checkpoint': ('falls', lambda p: C.ModelCheckpoint(
            p('{epoch:02d}-{watched:.2f}.h5'), monitor='watched', verbose=1)),
        'checkpoint best': ('turns', lambda p: C.ModelCheckpoint(
            p('b{epoch}.h5'), monitor='watched', verbose=1, save_best_only=True)),
        'checkpoint best max': ('turns', lambda p: C.ModelCheckpoint(
            p('m{epoch}.h5'), monitor='watched', verbose=1, save_best_only=True, mode='max')),
        'checkpoint weights': ('stays', lambda p: C.ModelCheckpoint(
            p('w{epoch}.h5'), monitor='watched', save_weights_only=True, period=3, verbose=1)),
        'checkpoint samples': ('falls', lambda p: C.ModelCheckpoint(
            p('s{epoch}.h5'), save_freq=12, verbose=1)),
        'checkpoint one file': ('turns', lambda p: C.ModelCheckpoint(
            p('best.h5'), monitor='watched', save_best_only=True)),
        'reduce': ('stays', lambda p: C.ReduceLROnPlateau(
            'watched', factor=.5, patience=2, verbose=1)),
        'reduce cooldown': ('stays', lambda p: C.ReduceLROnPlateau(
            'watched', factor=.1, patience=1, cooldown=2, verbose=1)),
        'reduce floor': ('stays', lambda p: C.ReduceLROnPlateau(
            'watched', factor=.2, patience=1, min_lr=.01, verbose=1)),
        'reduce delta': ('small', lambda p: C.ReduceLROnPlateau(
            'watched', patience=2, min_delta=.01, verbose=1)),
        'reduce epsilon': ('small', lambda p: C.ReduceLROnPlateau(
            'watched', patience=1, epsilon=1e-5, verbose=1)),
        'reduce max': ('falls', lambda p: C.ReduceLROnPlateau(
            'watched', patience=1, mode='max', verbose=1)),
        'schedule': ('falls', lambda p: C.LearningRateScheduler(lambda e: .1 / (e + 1), verbose=1)),
        'schedule of two': ('falls', lambda p: C.LearningRateScheduler(lambda e, lr: lr * .5)),
        'stop': ('turns', lambda p: C.EarlyStopping('watched', patience=2, verbose=1)),
        'stop at once': ('stays', lambda p: C.EarlyStopping('watched', verbose=1)),
        'stop baseline': ('turns', lambda p: C.EarlyStopping(
            'watched', patience=1, baseline=.45, verbose=1)),
        'stop delta': ('small', lambda p: C.EarlyStopping(
            'watched', min_delta=.01, patience=2, verbose=1)),
        'stop restoring': ('turns', lambda p: C.EarlyStopping(
            'watched', patience=3, restore_best_weights=True, verbose=1)),
        'stop restoring in the middle': ('turns', lambda p: C.EarlyStopping(
            'watched', patience=2, restore_best_weights=True, verbose=1)),
        'csv': ('falls', lambda p: C.CSVLogger(p('log.csv'))),
        'csv other': ('falls', lambda p: C.CSVLogger(p('log.csv'), separator=';', append=True)),
        'nan': ('falls', lambda p: [_nan_target, C.TerminateOnNaN()]),
    }
    found = {}
    for name, (series, make) in cases.items():
        own = os.path.join(folder, name.replace(' ', '_'))
        os.makedirs(own)
        found[name] = trained(keras, SERIES[series], make, own)
    found['restart'] = restarted(keras, folder)
    found['orders'] = orders(keras)
    for gradients in (False, True):
        found['tensorboard %s' % gradients] = events(tf, gradients)
    return found


def _nan_target():
    """Marks the case whose targets are not numbers."""


def trained(keras, series, make, folder):
    """(text printed, names of the files, learning rates, epochs, a weight after each)."""
    rates, weights = [], []

    class Watched(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            logs['watched'] = series[epoch]
            weights.append(float('%.5g' % self.model.get_weights()[0][0, 0]))

    class Rates(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            rates.append(float('%.5g' % keras.backend.get_value(self.model.optimizer.lr)))

    made = make(lambda name: os.path.join(folder, name))
    nan = isinstance(made, list)
    made = made[1] if nan else made
    model = small(keras)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        history = model.fit(X, np.full_like(Y, np.nan) if nan else Y, batch_size=4, shuffle=False,
                            epochs=len(series), verbose=0, callbacks=[Watched(), made, Rates()])
    files = sorted(n for n in os.listdir(folder) if not n.endswith('.resume'))  # tinyflow's own
    logs = open(os.path.join(folder, 'log.csv')).read() if 'log.csv' in files else None
    if logs:
        logs = [[_number(cell) for cell in line.replace(';', ',').split(',')]
                for line in logs.splitlines()]
    return {'text': text.getvalue().replace(folder + os.sep, ''), 'files': files, 'rates': rates,
            'epochs': len(history.epoch), 'names': sorted(history.history),
            'lr': ['%.4g' % v for v in history.history.get('lr', [])], 'csv': logs,
            'weights': [None if math.isnan(w) else w for w in weights],
            'last': '%.4g' % model.get_weights()[0][0, 0]}


def _number(cell):
    try:
        return '%.4g' % float(cell)
    except ValueError:
        return cell


def small(keras):
    keras.backend.clear_session()
    model = keras.models.Sequential([keras.layers.Dense(
        1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(.1), 'mse')
    return model


def restarted(keras, folder):
    """load_weights_on_restart takes the newest file of the pattern."""
    own = os.path.join(folder, 'restart')
    os.makedirs(own)
    path = os.path.join(own, 'w{epoch:02d}.h5')
    save = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    first = small(keras)
    first.fit(X, Y, epochs=3, batch_size=4, shuffle=False, verbose=0, callbacks=[save])
    wanted = first.get_weights()[0]
    seen = []

    class Begins(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            seen.append(np.array_equal(self.model.get_weights()[0], wanted))

    again = keras.callbacks.ModelCheckpoint(path, save_weights_only=True,
                                            load_weights_on_restart=True)
    small(keras).fit(X, Y, epochs=2, verbose=0, callbacks=[again, Begins()])
    return seen


def orders(keras):
    """In which order fit asks a Sequence for its batches, by Python's random numbers."""
    asked = []

    class Batches(keras.utils.Sequence):
        def __len__(self):
            return 5

        def __getitem__(self, index):
            asked.append(int(index))
            return X, Y

    random.seed(8)
    small(keras).fit_generator(Batches(), epochs=2, verbose=0, max_queue_size=1)
    return asked[:10]


def events(tf, gradients):
    """[step, tag, kind] of all that TensorBoard writes, sorted."""
    keras = tf.keras
    L = keras.layers
    x, y = np.arange(40).reshape(10, 4) % 6, np.ones((10, 3))
    with tempfile.TemporaryDirectory() as folder:
        keras.backend.clear_session()
        model = keras.models.Sequential([
            L.Embedding(6, 2, input_length=4, name='words'), L.Reshape((4, 2, 1)),
            L.Conv2D(2, 2, name='conv'), L.Flatten(), L.Dense(3, name='out')])
        model.compile('sgd', 'mse', metrics=['mae'])
        board = keras.callbacks.TensorBoard(folder, histogram_freq=2, write_grads=gradients,
                                            write_images=True, update_freq=4)
        model.fit(x, y, batch_size=4, epochs=3, verbose=0, validation_data=(x, y),
                  callbacks=[board])
        files = [os.path.join(folder, name) for name in os.listdir(folder)
                 if 'tfevents' in name and not name.endswith('profile-empty')]
        return sorted([int(event.step), str(value.tag), value.WhichOneof('value')]
                      for path in files for event in tf.train.summary_iterator(path)
                      for value in event.summary.value)
