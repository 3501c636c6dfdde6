"""Exact resume of fit: as many epochs in two programs as in one give the same bits."""
from __future__ import annotations

import gc
import os
import random
import weakref

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.saving import resume
from tinyflow.graph.support import logging
from tinyflow.train.checkpoints import exact_resume

keras = tf.keras
X = np.random.RandomState(0).rand(50, 4).astype(np.float32)
Y = (X.sum(1) * 1.4).astype(np.int32) % 3
EPOCHS = 4


def new_model(optimizer=None):
    keras.backend.clear_session()
    tf.set_random_seed(5)
    np.random.seed(7)
    random.seed(7)
    model = keras.Sequential([keras.layers.Dense(8, 'relu', input_shape=(4,)),
                              keras.layers.Dropout(0.4), keras.layers.Dense(3, 'softmax')])
    model.compile(optimizer or keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy')
    return model


class Pairs(keras.utils.Sequence):
    """Batches of ten rows."""

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return X[index * 10:index * 10 + 10], Y[index * 10:index * 10 + 10]


def arrays(model, **more):
    model.fit(X, Y, 10, verbose=0, **more)


def cycled(model, **more):
    model.fit(X, Y, 10, verbose=0, steps_per_epoch=3, **more)


def sequence(model, **more):
    model.fit(Pairs(), verbose=0, **more)


def dataset(model, **more):
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(30, seed=3)
    model.fit(rows.batch(10), verbose=0, **more)


def endless(model, **more):
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(30).repeat()
    rows = rows.map(lambda x, y: (x + tf.random_normal([4]), y))
    model.fit(rows.batch(10), verbose=0, steps_per_epoch=3, **more)


def callbacks(path, **more):
    made = keras.callbacks
    return [made.ReduceLROnPlateau('loss', 0.5, patience=1, min_delta=1.),
            made.ModelCheckpoint(path, monitor='loss', **more),
            made.ReduceLROnPlateau('loss', 0.9, patience=1, min_delta=.5),
            made.EarlyStopping('loss', patience=3, restore_best_weights=True)]


def state(model):
    rate = keras.backend.get_value(model.optimizer.lr)
    return [*model.get_weights(), *model.optimizer.get_weights(), np.array(rate)]


def interrupted(train, path, load, **more):
    """The state after a program of two epochs, and one that goes on from its file."""
    train(new_model(), epochs=2, callbacks=callbacks(path, **more))
    model = new_model()
    np.random.seed(99)
    random.seed(99)
    file = path.format(epoch=2)
    if load:
        keras.backend.clear_session()
        tf.set_random_seed(5)
        model = keras.models.load_model(file)
    else:
        model.load_weights(file)
    train(model, epochs=EPOCHS, initial_epoch=2, callbacks=callbacks(path, **more))
    return state(model)


def whole(train, path, **more):
    model = new_model()
    train(model, epochs=EPOCHS, callbacks=callbacks(path, **more))
    return state(model)


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


FILES = {'model in HDF5': ('w-{epoch}.h5', True, {}),
         'weights in HDF5': ('w-{epoch}.h5', False, {'save_weights_only': True}),
         'checkpoints': ('w-{epoch}', False, {'save_weights_only': True}),
         'one file': ('w.h5', False, {'save_weights_only': True})}


@pytest.mark.slow
@pytest.mark.parametrize('kind', FILES)
def test_arrays_and_every_kind_of_file(kind, tmp_path):
    name, load, more = FILES[kind]
    expected = whole(arrays, str(tmp_path / 'whole' / name), **more)
    assert same(interrupted(arrays, str(tmp_path / name), load, **more), expected)


@pytest.mark.slow
@pytest.mark.parametrize('train', [cycled, sequence, dataset, endless])
def test_other_data(train, tmp_path):
    more = {'save_weights_only': True}
    expected = whole(train, str(tmp_path / 'whole' / 'w.h5'), **more)
    assert same(interrupted(train, str(tmp_path / 'w.h5'), False, **more), expected)
    os.remove(tmp_path / 'w.h5.resume')         # without it there are other bits
    model = new_model()
    model.load_weights(str(tmp_path / 'w.h5'))
    train(model, epochs=EPOCHS, initial_epoch=2)
    assert not same(state(model), expected)


def go_on(path, load=True, epoch=2, optimizer=None):
    """The random numbers of NumPy after one more epoch: others if the state was restored."""
    model = new_model(optimizer)
    if load:
        model.load_weights(path)
    np.random.seed(1)
    arrays(model, epochs=epoch + 1, initial_epoch=epoch, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    return np.random.rand()


def fresh():
    np.random.seed(1)
    np.random.shuffle(np.arange(50))
    return np.random.rand()


@pytest.fixture
def path(tmp_path):
    """Weights after two epochs, and their state."""
    path = str(tmp_path / 'w.h5')
    arrays(new_model(), epochs=2, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    return path


@pytest.mark.slow
def test_the_state_is_used(path):
    assert go_on(path) != fresh()


def test_the_state_of_other_weights_is_ignored(path):
    assert go_on(path, load=False) == fresh()


@pytest.mark.slow
def test_a_model_that_replaces_another_goes_on_exactly(tmp_path, caplog):
    """Its nodes have other names than in the first program, which had one model in the graph."""
    path = str(tmp_path / 'w.h5')
    expected = whole(arrays, str(tmp_path / 'whole' / 'w.h5'))
    arrays(new_model(), epochs=2, callbacks=callbacks(path))
    new_model()
    model = keras.models.load_model(path)
    arrays(model, epochs=EPOCHS, initial_epoch=2, callbacks=callbacks(path))
    assert same(state(model), expected) and not caplog.text


def test_nodes_that_are_missing_are_said(tmp_path, caplog):
    path = str(tmp_path / 'w.h5')
    arrays(new_model(), epochs=1, callbacks=[keras.callbacks.ModelCheckpoint(path)])
    keras.backend.clear_session()
    model = keras.Sequential([keras.layers.Dense(8, 'relu', input_shape=(4,)),
                              keras.layers.Dense(3, 'softmax')])
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy')
    model.load_weights(path)
    arrays(model, epochs=2, initial_epoch=1, callbacks=[keras.callbacks.ModelCheckpoint(path)])
    assert 'has no nodes of these names' in caplog.text and 'dropout' in caplog.text


def test_the_state_of_another_epoch_is_ignored(path):
    assert go_on(path, epoch=1) == fresh()


def test_the_state_of_another_optimizer_is_ignored(path, caplog):
    assert go_on(path, optimizer=keras.optimizers.SGD(0.1)) == fresh()
    assert "with the optimizer 'Adam', now it is 'SGD'" in caplog.text
    assert 'load_weights' not in caplog.text


def test_a_damaged_state_is_named_and_ignored(path, caplog):
    with open(path + '.resume', 'r+b') as file:
        file.seek(60)
        file.write(b'\xff\xff')
    assert go_on(path) == fresh()
    assert 'w.h5.resume is not used' in caplog.text


def test_only_the_state_of_the_last_file_is_kept(tmp_path):
    path = str(tmp_path / 'w-{epoch}.h5')
    arrays(new_model(), epochs=3, callbacks=[keras.callbacks.ModelCheckpoint(path)])
    assert sorted(os.listdir(tmp_path)) == ['w-1.h5', 'w-2.h5', 'w-3.h5', 'w-3.h5.resume']


def test_what_a_kill_after_the_last_epoch_leaves_is_removed(tmp_path):
    path = str(tmp_path / 'w-{epoch}.h5')
    arrays(new_model(), epochs=2, callbacks=[keras.callbacks.ModelCheckpoint(path)])
    (tmp_path / 'w-1.h5.resume').write_bytes(b'')
    keras.backend.clear_session()
    again = keras.models.load_model(path.format(epoch=2))
    arrays(again, epochs=2, initial_epoch=2, callbacks=[keras.callbacks.ModelCheckpoint(path)])
    assert sorted(os.listdir(tmp_path)) == ['w-1.h5', 'w-2.h5', 'w-2.h5.resume']


def test_a_kill_between_state_and_weights_keeps_the_older_state(path, monkeypatch):
    """One file for all epochs: the state of the next epoch was written, its weights were not."""
    model = new_model()
    model.load_weights(path)
    monkeypatch.setattr(type(model), 'save_weights', lambda *_, **__: None)
    arrays(model, epochs=3, initial_epoch=2, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    monkeypatch.undo()
    assert go_on(path) != fresh()


def test_a_callback_with_a_state_that_cannot_be_saved(tmp_path, caplog):
    class Odd(keras.callbacks.Callback):
        def resume_state(self):
            return {'model': self.model}

    arrays(new_model(), epochs=1, callbacks=[
        keras.callbacks.ModelCheckpoint(str(tmp_path / 'w.h5')), Odd()])
    assert os.listdir(tmp_path) == ['w.h5']
    assert 'cannot be resumed exactly: what resume_state() of the callback Odd gives' in caplog.text
    assert 'iterator' not in caplog.text


def test_training_that_had_stopped_early_does_not_begin_again(tmp_path):
    path = str(tmp_path / 'w.h5')

    def made():
        return [keras.callbacks.EarlyStopping('loss', patience=1, min_delta=9.),
                keras.callbacks.ModelCheckpoint(path)]
    model = new_model()
    arrays(model, epochs=9, callbacks=made())
    assert model.history.epoch == [0, 1]
    again = keras.models.load_model(path)
    arrays(again, epochs=9, initial_epoch=2, callbacks=made())
    assert again.history.epoch == [] and same(state(again), state(model))


class Own(keras.callbacks.Callback):
    """One with attributes of its own."""

    def __init__(self):
        super().__init__()
        self._data, self._all, self._others, self.first_epoch = [], 3, 4, 5

    def on_epoch_end(self, epoch, logs=None):
        self._data.append(epoch)


def test_the_attributes_of_a_callback_are_its_own(tmp_path):
    own = Own()
    arrays(new_model(), epochs=2, callbacks=[
        own, keras.callbacks.ModelCheckpoint(str(tmp_path / 'w.h5')),
        keras.callbacks.BackupAndRestore(tmp_path / 'backup')])
    assert (own._data, own._all, own._others, own.first_epoch) == ([0, 1], 3, 4, 5)


@pytest.mark.slow
@pytest.mark.parametrize('fails', [False, True])
def test_fit_keeps_no_data(fails, tmp_path):
    def fail(epoch, logs):
        if fails:
            raise KeyboardInterrupt

    model, rows = new_model(), X.copy()
    kept = weakref.ref(rows)
    made = [keras.callbacks.ModelCheckpoint(str(tmp_path / 'w.h5')),
            keras.callbacks.LambdaCallback(on_epoch_end=fail)]
    try:
        model.fit(rows, Y, verbose=0, callbacks=made)
    except KeyboardInterrupt:
        assert fails
    del rows
    gc.collect()
    assert kept() is None and model.history is not None


def test_outside_of_fit_no_state_is_written(tmp_path):
    model = new_model()
    arrays(model, epochs=1)
    inner = keras.callbacks.ModelCheckpoint(str(tmp_path / 'w.h5'))
    inner.set_model(model)
    inner.on_epoch_end(0)
    # A fit runs, but it does not know this callback, nor what it has seen.
    arrays(model, epochs=1, callbacks=[keras.callbacks.LambdaCallback(
        on_epoch_end=inner.on_epoch_end)])
    assert os.listdir(tmp_path) == ['w.h5']


class Killed(BaseException):
    """Ends a training like a kill: nothing else runs."""


def killed_at(last):
    def end(epoch, logs):
        if epoch == last:
            raise Killed
    return keras.callbacks.LambdaCallback(on_epoch_end=end)


@pytest.mark.slow
def test_what_a_restored_backup_makes_others_save_is_whole(tmp_path):
    """The kill came after the backup and before the ModelCheckpoint, which then saves."""
    path, backup = str(tmp_path / 'w.h5'), tmp_path / 'backup'
    keras_callbacks = keras.callbacks

    def made(*between):
        return [keras_callbacks.BackupAndRestore(backup), *between,
                keras_callbacks.ModelCheckpoint(path),
                keras_callbacks.EarlyStopping('loss', patience=5)]
    with pytest.raises(Killed):
        cycled(new_model(), epochs=3, callbacks=made(killed_at(1)))
    saved = resume.read(path)
    assert [s['epoch'] for s in saved] == [0]
    with pytest.raises(Killed):         # at once: the restored callbacks run before its first epoch
        cycled(new_model(), epochs=3, callbacks=[*made(), keras_callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: killed_at(2).on_epoch_end(epoch, logs))])
    newest = resume.read(path)[0]
    assert newest['epoch'] == 1 and newest['data'] is not None
    stopping = next(s for name, s, *_ in newest['callbacks'] if name == 'EarlyStopping')
    assert np.isfinite(stopping['best'])


@pytest.mark.slow
@pytest.mark.parametrize('value', [lambda: object(), lambda: '\ud800', lambda: endless_list()])
def test_a_backup_with_a_state_that_cannot_be_saved(value, tmp_path, caplog, monkeypatch):
    class Odd(keras.callbacks.Callback):
        def resume_state(self):
            return {'value': value()}

    monkeypatch.setattr(logging, '_counts', {})
    with pytest.raises(Killed):
        arrays(new_model(), epochs=2, callbacks=[
            keras.callbacks.BackupAndRestore(tmp_path), Odd(), killed_at(0)])
    assert 'cannot be resumed exactly' in caplog.text and 'callback Odd' in caplog.text
    model = new_model()                         # goes on as in TensorFlow
    arrays(model, epochs=2, callbacks=[keras.callbacks.BackupAndRestore(tmp_path)])
    assert model.history.epoch == [1]


def endless_list():
    """A list that has itself as an element."""
    values: list = []
    values.append(values)
    return values


@pytest.mark.slow
def test_large_buffers_are_left_out_and_said(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(exact_resume, 'LARGEST', 100)
    path = str(tmp_path / 'w.h5')
    endless(new_model(), epochs=1, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    saved, = resume.read(path)
    assert any('positions of more than' in why for why in saved['lost'].values())
    assert not set(saved['lost']) & set(saved['positions'])
    model = new_model()
    model.load_weights(path)
    endless(model, epochs=2, initial_epoch=1, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    assert 'not with the same bits' in caplog.text and 'positions of more than' in caplog.text


@pytest.mark.slow
def test_local_variables_are_restored(tmp_path):
    path = str(tmp_path / 'w.h5')

    def made():
        model = new_model()
        return model, tf.get_local_variable('count', [], initializer=tf.zeros_initializer())
    model, count = made()
    keras.backend.set_value(count, 7.)
    arrays(model, epochs=1, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    model, count = made()
    model.load_weights(path)
    arrays(model, epochs=2, initial_epoch=1, callbacks=[
        keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
    assert keras.backend.get_value(count) == 7.


OTHERS = {'w-best.h5', 'w-last.h5', 'w-1-best.h5', 'w-1-0.5.h5'}


@pytest.mark.slow
@pytest.mark.parametrize('name', ['w-{epoch}.h5', 'w-{epoch:02d}.h5', 'w-{epoch:3d}-{loss:.2f}.h5'])
def test_the_states_of_other_callbacks_stay(name, tmp_path):
    path = tmp_path / name
    other = {f'{o}.resume' for o in OTHERS - ({'w-1-0.5.h5'} if 'loss' in name else set())}
    for file in other:
        (tmp_path / file).write_bytes(b'')

    def kept():
        return {n for n in os.listdir(tmp_path) if n.endswith('.resume')}
    made = [keras.callbacks.ModelCheckpoint(str(tmp_path) + os.sep * 2 + name),
            keras.callbacks.ModelCheckpoint(str(tmp_path / 'w-best.h5'), 'loss',
                                            save_best_only=True)]
    arrays(new_model(), epochs=2, callbacks=made)
    own = kept() - other
    assert len(own) == 1 and other < kept() and resume.read(str(tmp_path / 'w-best.h5'))
    keras.backend.clear_session()
    again = keras.models.load_model(str(tmp_path / own.pop().removesuffix('.resume')))
    arrays(again, epochs=3, initial_epoch=2, callbacks=[keras.callbacks.ModelCheckpoint(str(path))])
    assert len(kept() - other) == 1 and other < kept()


# ---- a model that goes on, and mistakes ----------------------------------------------------------

@pytest.fixture
def warned(monkeypatch):
    lines = []
    monkeypatch.setattr(logging, 'warning', lambda text, *values: lines.append(text % values))
    return lines


def saver(folder):
    return keras.callbacks.ModelCheckpoint(str(folder / 'w-{epoch:02d}.h5'),
                                           save_weights_only=True)


def test_a_second_stage_in_one_process_keeps_what_the_program_sets(tmp_path, warned):
    model = new_model()
    arrays(model, epochs=2, callbacks=[saver(tmp_path)])
    keras.backend.set_value(model.optimizer.lr, 1e-5)
    arrays(model, epochs=3, initial_epoch=2, callbacks=[saver(tmp_path)])
    assert keras.backend.get_value(model.optimizer.lr) == np.float32(1e-5)
    assert not warned


def test_weights_that_are_loaded_again_resume_a_live_model(tmp_path):
    model = new_model()
    arrays(model, epochs=2, callbacks=[saver(tmp_path)])
    steps = keras.backend.get_value(model.optimizer.iterations)
    arrays(model, epochs=3, initial_epoch=2)                # interrupted
    model.load_weights(str(tmp_path / 'w-02.h5'))
    seen = []
    count = keras.callbacks.LambdaCallback(on_epoch_begin=lambda *_: seen.append(
        keras.backend.get_value(model.optimizer.iterations)))
    arrays(model, epochs=3, initial_epoch=2, callbacks=[saver(tmp_path), count])
    assert seen == [steps]


@pytest.mark.slow
@pytest.mark.parametrize('load, initial_epoch, reason', [
    (None, 2, 'load_weights'), ('w-02.h5', 1, 'it is of initial_epoch=2, not 1')])
def test_a_state_that_is_not_used_is_named(tmp_path, warned, load, initial_epoch, reason):
    arrays(new_model(), epochs=2, callbacks=[saver(tmp_path)])
    model = new_model()
    if load:
        model.load_weights(str(tmp_path / load))
    else:
        model.set_weights([w + 1 for w in model.get_weights()])
    arrays(model, epochs=3, initial_epoch=initial_epoch, callbacks=[saver(tmp_path)])
    assert any('w-02.h5' in line and reason in line for line in warned), warned


def test_another_learning_rate_is_named(tmp_path, warned):
    arrays(new_model(keras.optimizers.Adam(0.25)), epochs=2, callbacks=[saver(tmp_path)])
    model = new_model(keras.optimizers.Adam(0.5))
    model.load_weights(str(tmp_path / 'w-02.h5'))
    arrays(model, epochs=3, initial_epoch=2, callbacks=[saver(tmp_path)])
    assert any('learning_rate=0.25' in line and 'not 0.5' in line for line in warned), warned


def test_another_loss_is_another_training(tmp_path, warned):
    arrays(new_model(), epochs=2, callbacks=[saver(tmp_path),
                                             keras.callbacks.EarlyStopping('loss')])
    model = new_model()
    model.compile(keras.optimizers.Adam(0.01), keras.losses.Poisson())
    model.load_weights(str(tmp_path / 'w-02.h5'))
    stopping = keras.callbacks.EarlyStopping('loss', min_delta=0.)
    set_to = []
    stopping.set_resume_state = set_to.append
    model.fit(X, np.eye(3)[Y], epochs=3, verbose=0, initial_epoch=2,
              callbacks=[saver(tmp_path), stopping])
    line, = warned
    assert "the loss 'sparse_categorical_crossentropy', now it is 'poisson'" in line and not set_to
    assert keras.backend.get_value(model.optimizer.iterations) == 2     # batches of 32


def own_loss(y_true, y_pred):
    return keras.losses.mean_squared_error(y_true, y_pred)


class OwnLoss(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return own_loss(y_true, y_pred)


@pytest.mark.slow
@pytest.mark.parametrize('loss', [own_loss, OwnLoss(), keras.losses.Huber()])
def test_a_loss_that_load_model_makes_again_is_the_same(loss, tmp_path, warned):
    model = new_model()
    model.compile('adam', loss)
    path, more = str(tmp_path / 'w.h5'), {'verbose': 0, 'batch_size': 10}
    made = [keras.callbacks.ModelCheckpoint(path)]
    model.fit(X, np.eye(3)[Y], epochs=1, callbacks=made, **more)
    keras.backend.clear_session()
    tf.set_random_seed(5)
    model = keras.models.load_model(path, {'own_loss': own_loss, 'OwnLoss': OwnLoss})
    model.fit(X, np.eye(3)[Y], epochs=2, initial_epoch=1, callbacks=made, **more)
    assert not warned


def test_a_callback_that_monitors_another_value_begins_again(tmp_path, warned):
    arrays(new_model(), epochs=2, callbacks=[saver(tmp_path),
                                             keras.callbacks.EarlyStopping('loss', patience=9)])
    model = new_model()
    model.load_weights(str(tmp_path / 'w-02.h5'))
    other = keras.callbacks.EarlyStopping('loss', patience=9, mode='max')
    arrays(model, epochs=3, initial_epoch=2, callbacks=[saver(tmp_path), other])
    line, = warned
    assert 'EarlyStopping begins again: it has monitor=loss greater' in line and other.wait == 0


def test_a_generator_is_said_to_go_on_by_itself(tmp_path, warned):
    def generated(model, **more):
        rows = iter([(X[:10], Y[:10])] * 9)
        model.fit_generator(rows, steps_per_epoch=2, verbose=0, **more)
    generated(new_model(), epochs=2, callbacks=[saver(tmp_path)])
    model = new_model()
    model.load_weights(str(tmp_path / 'w-02.h5'))
    generated(model, epochs=4, initial_epoch=2, callbacks=[saver(tmp_path)])
    line, = warned
    assert 'not with the same bits' in line and "the program's own" in line


def test_powers_of_adam_are_no_hyperparameters(tmp_path, warned):
    arrays(new_model(tf.train.AdamOptimizer(0.1)), epochs=2, callbacks=[saver(tmp_path)])
    model = new_model(tf.train.AdamOptimizer(0.1))
    model.load_weights(str(tmp_path / 'w-02.h5'))
    arrays(model, epochs=3, initial_epoch=2, callbacks=[saver(tmp_path)])
    assert not warned


def test_a_list_of_callbacks_driven_by_hand():
    """The signatures of TensorFlow 1.15."""
    seen = []

    class Records(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            seen.append(('begin', batch, logs))

        def on_train_batch_end(self, batch, logs=None):
            seen.append(('end', batch, logs))

        def on_test_batch_end(self, batch, logs=None):
            seen.append(('test', batch, logs))

    every = keras.callbacks.CallbackList([Records()])
    every.on_batch_begin(0)
    every.on_batch_end(0, {'loss': 1.})
    every.on_train_batch_begin(1)
    every.on_test_batch_end(2)
    assert seen == [('begin', 0, {}), ('end', 0, {'loss': 1.}), ('begin', 1, {}), ('test', 2, {})]
