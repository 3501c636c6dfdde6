"""The programs that are killed. Each continues what it finds in its folder, until it is done.

    estimator, session, fit, fit_tf, backup             trainings, which end with the same bits
    save, export                                        files, of which none is ever half there
"""
from __future__ import annotations

import os
import re

import numpy as np

import tinyflow as tf
from tests.estimator import resume_program

STEPS = 150             # of one training; saved at every SAVE_EVERY of them
SAVE_EVERY = 5
PER_EPOCH = 10          # steps of Keras' fit


def report(*_):
    """Tells that a step was made."""
    print('step', flush=True)


class Report(tf.train.SessionRunHook):
    """Prints a line after each step."""

    def after_run(self, run_context, run_values):
        report()


def estimator(folder):
    """An Estimator with dropout and a shuffled input."""
    resume_program.train(folder, STEPS)


def session(folder):
    """A monitored session with dropout, shuffling and random numbers inside Dataset.map."""
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        x, y = resume_program.data()
        numbers = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64).repeat()
        numbers = numbers.map(lambda x, y: (x + tf.random_normal([4], stddev=0.01), y))
        features, labels = numbers.batch(16).prefetch(2).make_one_shot_iterator().get_next()
        _train(folder, features, labels)


def _train(folder, features, labels):
    """Trains a network with dropout in a MonitoredTrainingSession."""
    net = tf.layers.dropout(tf.layers.dense(features, 16, tf.nn.relu), 0.4, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(net, 3))
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_or_create_global_step())
    # If it was killed after its end, a StopAtStepHook would make one more step.
    at_end = tf.train.latest_checkpoint(folder) == os.path.join(folder, f'model.ckpt-{STEPS}')
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, save_checkpoint_steps=SAVE_EVERY, save_summaries_steps=None,
            hooks=[tf.train.StopAtStepHook(last_step=STEPS), Report()]) as sess:
        while not at_end and not sess.should_stop():
            sess.run(train_op)


def save(folder):
    """Saver.save in a loop: each checkpoint has the number of its step in all of its values."""
    with tf.Graph().as_default(), tf.Session() as sess:
        values = [tf.get_variable(f'v{i}', [20, 30], initializer=tf.zeros_initializer())
                  for i in range(3)]
        step = tf.train.get_or_create_global_step()
        advance = tf.group(tf.assign_add(step, 1), *[tf.assign_add(v, tf.ones_like(v))
                                                     for v in values])
        saver = tf.train.Saver(max_to_keep=3)
        state = tf.train.get_checkpoint_state(folder)
        if state is None:
            sess.run(tf.global_variables_initializer())
        else:
            saver.restore(sess, state.model_checkpoint_path)
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        for number in range(sess.run(step) + 1, STEPS + 1):
            sess.run(advance)
            saver.save(sess, os.path.join(folder, 'model.ckpt'), number)
            print('saved', number, flush=True)
            report()
        saver.save(sess, os.path.join(folder, 'model.ckpt'), STEPS)     # the deletions of the last


def export(folder):
    """Exports of an Estimator's model, one after another."""
    trained = os.path.join(folder, 'model')
    made = resume_program.estimator(trained)
    if made.latest_checkpoint() is None:
        made.train(resume_program.input_fn, steps=1)
    with tf.Graph().as_default():
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
            {'x': tf.placeholder(tf.float32, [None, 4])})
    base = os.path.join(folder, 'export')
    while len(exports(folder)) < STEPS // 10:
        report()
        path = made.export_saved_model(base, receiver).decode()
        # The names are seconds since 1970: without waiting for the next one, each gets a number.
        os.rename(path, os.path.join(base, f'{len(exports(folder)):010d}'))


def exports(folder):
    """The exports that are complete by their names."""
    base = os.path.join(folder, 'export')
    return sorted(name for name in os.listdir(base) if re.fullmatch(r'\d{10}', name)) \
        if os.path.isdir(base) else []


# ---- Keras ---------------------------------------------------------------------------------------

def _model():
    """A small model with Dropout and BatchNormalization."""
    keras = tf.keras
    return keras.Sequential([keras.layers.Dense(16, 'relu', input_shape=(4,)),
                             keras.layers.Dropout(0.4), keras.layers.BatchNormalization(),
                             keras.layers.Dense(3, 'softmax')])


def _fit(folder, pattern, weights_only, last=None):
    """Trains with ModelCheckpoint, from the newest file that is there."""
    keras = tf.keras
    tf.set_random_seed(5)
    np.random.seed(7)
    x, y = resume_program.data()
    found = [int(m[1]) for m in (re.match(r'w-(\d+)', n) for n in os.listdir(folder)
                                 if re.search(r'(\.h5|\.index)\Z', n)) if m]
    epoch = max(found, default=0)
    path = os.path.join(folder, pattern.format(epoch=epoch))
    if epoch and not weights_only:
        model = keras.models.load_model(path)
    else:
        model = _model()
        model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy', ['acc'])
        if epoch:
            model.load_weights(path)
    epochs, callbacks = STEPS // PER_EPOCH, _callbacks(os.path.join(folder, pattern), weights_only)
    model.fit(x, y, 16, epochs, 0, callbacks, validation_split=0.2, initial_epoch=epoch)
    _end(folder, model)


def _callbacks(pattern, weights_only):
    keras = tf.keras
    made = keras.callbacks
    return [keras.callbacks.ReduceLROnPlateau('loss', 0.7, patience=2, min_delta=0.02),
            made.ModelCheckpoint(pattern, save_weights_only=weights_only),
            made.EarlyStopping('val_loss', patience=STEPS // 12, restore_best_weights=True),
            made.ReduceLROnPlateau('val_loss', 0.9, patience=1),
            made.LambdaCallback(on_batch_end=report)]


def _end(folder, model):
    values = [*model.get_weights(), *model.optimizer.get_weights()]
    np.savez(os.path.join(folder, 'final.npz'), lr=tf.keras.backend.get_value(model.optimizer.lr),
             **{f'v{i}': value for i, value in enumerate(values)})


def fit(folder):
    """Keras' fit with whole models in HDF5."""
    _fit(folder, 'w-{epoch:02d}.h5', False)


def fit_tf(folder):
    """Keras' fit with weights only, as TensorFlow's checkpoints."""
    _fit(folder, 'w-{epoch:02d}', True)


def backup(folder):
    """Keras' fit with BackupAndRestore, over a dataset that has no end."""
    tf.set_random_seed(5)
    data = tf.data.Dataset.from_tensor_slices(resume_program.data()).shuffle(64).repeat()
    model = _model()
    model.compile(tf.train.AdamOptimizer(0.01), 'sparse_categorical_crossentropy', ['acc'])
    model.fit(data.batch(16), epochs=STEPS // PER_EPOCH, verbose=0,
              steps_per_epoch=PER_EPOCH, callbacks=[
                  tf.keras.callbacks.BackupAndRestore(os.path.join(folder, 'backup')),
                  tf.keras.callbacks.LambdaCallback(on_batch_end=report)])
    np.savez(os.path.join(folder, 'final.npz'), *model.get_weights())


# ---- what must be true after each kill, and at the end -------------------------------------------


def check(program, folder, lines):
    """What is in the folder after a kill is whole, and nothing that was saved is lost."""
    if program in ('fit', 'fit_tf', 'backup'):
        return
    if program == 'export':
        for name in exports(folder)[-2:]:
            _load_export(os.path.join(folder, 'export', name))
        return
    prefix = tf.train.latest_checkpoint(folder)
    values = checkpoint_values(prefix) if prefix else {}
    if program == 'save':
        last = max([int(line.split()[1]) for line in lines if line.startswith('saved')], default=0)
        step = int(values.get('global_step', 0))
        assert step >= last, f'{last} was saved, {step} is there'
        assert all((value == step).all() for value in values.values())


def _load_export(path):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.saved_model.loader.load(sess, ['serve'], path)
        assert sess.run(tf.global_variables())


def checkpoint_values(prefix):
    """{name: value} of a checkpoint."""
    reader = tf.train.NewCheckpointReader(prefix)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def result(program, folder):
    """{name: array} of what the program made in the end."""
    if program == 'export':
        return {name: np.array(sorted(os.listdir(os.path.join(folder, 'export', name))))
                for name in exports(folder)}
    if program in ('fit', 'fit_tf', 'backup'):
        with np.load(os.path.join(folder, 'final.npz')) as saved:
            return dict(saved)
    return checkpoint_values(tf.train.latest_checkpoint(folder))


def files(folder):
    """The names of all files in the folder and below, but for event files.

    An Estimator that was killed between its last save and its end keeps the positions of that save,
    from which a further training goes on, and the checkpoint that the next save deletes.
    """
    kept = {f'model.ckpt-{STEPS}.resume', *_deleted_by_the_next_save(folder)}
    return sorted(os.path.relpath(os.path.join(place, name), folder)
                  for place, folders, names in os.walk(folder)
                  for name in [*names, *(f for f in folders if not os.listdir(
                      os.path.join(place, f)))]
                  if not name.startswith('events.') and name not in kept
                  and 'model' not in os.path.relpath(place, folder).split(os.sep))


def _deleted_by_the_next_save(folder, keep=5):
    state = tf.train.get_checkpoint_state(folder)
    listed = state.all_model_checkpoint_paths[:-keep] if state else ()
    prefixes = tuple(os.path.basename(path) + '.' for path in listed)
    return [name for name in os.listdir(folder) if prefixes and name.startswith(prefixes)]


PROGRAMS = {'estimator': estimator, 'session': session, 'save': save, 'export': export,
            'fit': fit, 'fit_tf': fit_tf, 'backup': backup}
