# %% [markdown]
# # 21. A custom model function, and hooks
#
# *You need lessons 12 and 19. It takes 30 minutes. Afterwards you can write a model function of
# your own, and hooks.*
#
# Ready-made Estimators have ready-made layers. For anything else you write the *model function*:
# from features and labels to a loss and a training step. The Estimator still does all the rest.
# **Hooks** look into its training loop: they print, watch, stop. This tutorial also switches the
# power off in the middle.

# %%
import glob
import logging
import os
import sys
import tempfile

import numpy as np
from helpers import output, show_curve, show_picture

import tinyflow as tf

folder = tempfile.TemporaryDirectory()
(images, labels), (test_images, test_labels) = tf.keras.datasets.digits.load_data()
images, test_images = (part.astype('float32') / 16 for part in (images, test_images))
labels, test_labels = labels.astype('int64'), test_labels.astype('int64')

# %% [markdown]
# ## The model function
#
# It is called with the batch of the input function, in a new graph, and returns an `EstimatorSpec`.
# The `mode` says what for. A prediction has no labels, so it ends early; an evaluation needs a loss
# and metrics; only training needs an optimizer. And dropout, which forgets a third of the hidden
# numbers by chance, must happen in training only. `params` is a dict of your choice.


# %%
def digits_fn(features, labels, mode, params):
    """8 x 8 pixels -> 64 hidden numbers -> 10 logits."""
    pixels = tf.layers.flatten(features['image'])
    hidden = tf.layers.dense(pixels, params['hidden'], tf.nn.relu, name='hidden')
    hidden = tf.layers.dropout(hidden, params['dropout'],
                               training=mode == tf.estimator.ModeKeys.TRAIN)
    logits = tf.layers.dense(hidden, 10, name='logits')
    answer = tf.argmax(logits, 1, name='answer')
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(
            mode, predictions={'digit': answer, 'probabilities': tf.nn.softmax(logits)})

    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    loss = tf.identity(loss, name='the_loss')
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={'accuracy': tf.metrics.accuracy(labels, answer)})

    optimizer = tf.train.AdamOptimizer(params['learning_rate'])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def training_input():
    """Mixed batches of 50, again and again."""
    rows = tf.data.Dataset.from_tensor_slices(({'image': images}, labels))
    return rows.shuffle(1500, seed=1).repeat().batch(50)


def test_input():
    """All test digits in one batch."""
    rows = tf.data.Dataset.from_tensor_slices(({'image': test_images}, test_labels))
    return rows.batch(len(test_labels))


def digits(name, dropout=0.3, learning_rate=0.003, **config):
    """An Estimator with a model_dir of that name."""
    config = tf.estimator.RunConfig(os.path.join(folder.name, name), tf_random_seed=1, **config)
    params = {'hidden': 64, 'dropout': dropout, 'learning_rate': learning_rate}
    return tf.estimator.Estimator(digits_fn, config=config, params=params)


# %% [markdown]
# `global_step=tf.train.get_global_step()` is the line that everybody forgets once. The step counts
# the training steps; without it the evaluation does not know when to stop.
#
# ## Hooks
#
# A **hook** is an object whose methods are called at fixed moments: when the graph is finished
# (`begin`), when there is a Session, before and after each `session.run`, and at the end. Many are
# ready. `LoggingTensorHook` prints tensors, by name if you like; `StopAtStepHook` is what
# `train(steps=...)` makes for you.
#
# Here is a custom one. `before_run` can ask for more tensors to be fetched *in the same run*;
# `after_run` gets their values. This one watches how far each step moves the weights.


# %%
class WeightWatch(tf.train.SessionRunHook):
    """Keeps the largest change of a Variable between two steps."""

    def __init__(self, variable):
        self._name = variable
        self._last = None
        self.moved = []

    def begin(self):
        variables = {variable.op.name: variable for variable in tf.trainable_variables()}
        self._variable = variables[self._name]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._variable)

    def after_run(self, run_context, run_values):
        if self._last is not None:
            self.moved.append(np.abs(run_values.results - self._last).max())
        self._last = run_values.results


# %% [markdown]
# What hooks and Estimators say goes through `tf.logging`, and by default it shows only what is
# alarming. Let us hear more, among what this program prints:

# %%
tf.get_logger().handlers[:] = [logging.StreamHandler(sys.stdout)]
tf.logging.set_verbosity(tf.logging.INFO)
watch = WeightWatch('hidden/kernel')
estimator = digits('hooks')
estimator.train(training_input, hooks=[
    watch, tf.train.LoggingTensorHook(['the_loss'], every_n_iter=100)], steps=300)
tf.logging.set_verbosity(tf.logging.WARN)

show_curve(watch.moved, 'largest change of a weight, step by step')

# %% [markdown]
# Adam begins with steps as long as the learning rate, 0.003, for every weight. Gradients that
# suddenly grow make longer ones, gradients that disagree shorter ones.
#
# ## Behind it
#
# This is what `train` does, in a few lines: a graph with a global step, the input and the model in
# it; a `MonitoredTrainingSession`, which initializes or restores, calls the hooks and saves; and a
# loop. `tf.explain(session)` has the table of its hooks: some are ours, the first three are
# added by the session.

# %%
loss = float('nan')
with tf.Graph().as_default():
    tf.set_random_seed(1)
    global_step = tf.train.create_global_step()
    batch, digit = training_input().make_one_shot_iterator().get_next()
    spec = digits_fn(batch, digit, tf.estimator.ModeKeys.TRAIN, estimator.params)
    hooks = [WeightWatch('hidden/kernel'), tf.train.StopAtStepHook(last_step=20),
             tf.train.NanTensorHook(spec.loss)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=os.path.join(folder.name, 'by_hand'),
                                           hooks=hooks) as session:
        print()
        print(tf.explain(session))
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
print(f'\n20 steps by hand: loss {loss:.4f}')

tf.viz.draw(estimator, output('21_model_fn.svg'))
tf.viz.draw(tf.explain(estimator).graph('infer', test_input).spec.predictions,
            output('21_predict.svg'))
show_picture('Picture for training:  ', output('21_model_fn.svg'))
show_picture('Picture for prediction:', output('21_predict.svg'))

# %% [markdown]
# Compare the pictures: the same model function, two graphs. In the second, dropout does nothing,
# and there is no label and no loss. (`tf.explain(estimator).graph(mode, input_fn)` builds the graph
# that a call would build, to be looked at.)
#
# ## Early stopping
#
# `train_and_evaluate` trains, and evaluates every checkpoint. A hook reads these evaluations and
# ends the training when the test loss has not fallen for 200 steps, instead of after the 3000 that
# it is allowed. `restore_best` (tinyflow's own) makes the best checkpoint the latest one. To have
# something to stop for, the network gets 150 digits only, and no dropout: it soon knows them by
# heart.


# %%
def few_input():
    """Mixed batches of the first 150 digits."""
    rows = tf.data.Dataset.from_tensor_slices(({'image': images[:150]}, labels[:150]))
    return rows.shuffle(150, seed=1).repeat().batch(50)


careful = digits('early', save_checkpoints_steps=50, keep_checkpoint_max=10, dropout=0.0,
                 learning_rate=0.005)
stop = tf.estimator.experimental.stop_if_no_decrease_hook(
    careful, 'loss', max_steps_without_decrease=200, run_every_secs=None, run_every_steps=50,
    restore_best=True)
tf.estimator.train_and_evaluate(
    careful,
    tf.estimator.TrainSpec(few_input, max_steps=3000, hooks=[stop]),
    tf.estimator.EvalSpec(test_input, steps=None, start_delay_secs=0, throttle_secs=0))

evaluations = {}
for path in sorted(glob.glob(os.path.join(careful.eval_dir(), 'events.out.tfevents.*'))):
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            if value.tag == 'loss':
                evaluations[event.step] = value.simple_value
best_step = min(evaluations, key=lambda step: evaluations[step])
print(f'\nstopped at step {max(evaluations)}; the least test loss, {evaluations[best_step]:.4f}, '
      f'was at step {best_step}')
show_curve(list(evaluations.values()))
print('the latest checkpoint:', os.path.basename(careful.latest_checkpoint()))
print(f'accuracy {careful.evaluate(test_input)["accuracy"]:.1%}')

# %% [markdown]
# ## Exporters: the best model for others
#
# After each evaluation `train_and_evaluate` calls the **exporters** of its `EvalSpec`.
# `FinalExporter` writes the last model as a SavedModel, `LatestExporter` each one, `BestExporter`
# whenever the loss is lower than before. A receiver function says what the served model is fed.


# %%
def receiver():
    """A batch of images, as it will be fed."""
    image = tf.placeholder(tf.float32, [None, 8, 8], name='image')
    return tf.estimator.export.ServingInputReceiver({'image': image}, {'image': image})


exporting = digits('exporting', save_checkpoints_steps=150, dropout=0.0)
tf.estimator.train_and_evaluate(
    exporting,
    tf.estimator.TrainSpec(training_input, max_steps=150),
    tf.estimator.EvalSpec(test_input, steps=None, start_delay_secs=0, throttle_secs=0, exporters=[
        tf.estimator.BestExporter('best', receiver, exports_to_keep=1)]))
exported, = glob.glob(os.path.join(exporting.model_dir, 'export', 'best', '*'))
served = tf.contrib.predictor.from_saved_model(exported)
found = served({'image': test_images[:5]})['digit']
print('\nthe exported model reads', *found, '  right are', *test_labels[:5])

# %% [markdown]
# ## Scaffold: how the training begins
#
# The Session is made for you; a `tf.train.Scaffold` in the EstimatorSpec changes how. It can bring
# a Saver of your own, another `init_op`, or an `init_fn` that sets first values by Python. It is
# called when there is no checkpoint yet, so not after an interruption.


# %%
def digits_from_fn(features, labels, mode, params):
    """As `digits_fn`; the hidden weights begin with those of another Estimator."""
    spec = digits_fn(features, labels, mode, params)
    kernel, = tf.trainable_variables('hidden/kernel')

    def set_weights(scaffold, session):
        kernel.load(exporting.get_variable_value('hidden/kernel'), session)
    return spec._replace(scaffold=tf.train.Scaffold(init_fn=set_weights))


beginning = tf.estimator.Estimator(digits_from_fn, os.path.join(folder.name, 'beginning'),
                                   params=exporting.params)
beginning.train(training_input, steps=1)
distance = np.abs(beginning.get_variable_value('hidden/kernel')
                  - exporting.get_variable_value('hidden/kernel')).max()
print(f'after one step, no weight is more than {distance:.4f} from where it began')

# %% [markdown]
# ## Interrupted, and on
#
# Long trainings are interrupted: somebody needs the computer, the power fails. This hook fails on
# purpose. Afterwards the same program is simply started again.


# %%
class PowerCut(tf.train.SessionRunHook):
    """Ends the training without warning after so many runs."""

    def __init__(self, runs):
        self._runs = runs

    def after_run(self, run_context, run_values):
        self._runs -= 1
        if not self._runs:
            raise RuntimeError('the power failed')


whole, broken = (digits(name, save_checkpoints_steps=40) for name in ('whole', 'broken'))
whole.train(training_input, max_steps=200)

try:
    broken.train(training_input, max_steps=200, hooks=[PowerCut(130)])
except RuntimeError as error:
    print(f'\n{error}; saved are the steps up to', broken.get_variable_value('global_step'))
broken.train(training_input, max_steps=200)
print('trained on to step', broken.get_variable_value('global_step'))

same = all(np.array_equal(whole.get_variable_value(name), broken.get_variable_value(name))
           for name in whole.get_variable_names())
print('the same weights, bit by bit, as without the interruption:', same)

# %% [markdown]
# Ten steps were lost and done again. But why are the weights the same? Dropout draws random
# numbers, and the batches are mixed: a program that merely loads the weights would go on with other
# batches and other dropout. In TensorFlow it does. Here, a file `model.ckpt-120.resume` next to the
# checkpoint records the positions of the random numbers and of the input.
#
# **What to remember.** A model function has three modes and gives an `EstimatorSpec`. Hooks come
# to the loop, as the loop does not come to you. A checkpoint is the whole model, and what is not
# saved is lost at the next interruption.
#
# **Try it.** Write a hook that stops as soon as the loss is below 0.05
# (`run_context.request_stop()`). Set dropout to 0.9. Leave `global_step=` out and read what happens
# with `steps=300`.

# %%
# The lesson checks itself: what the text says is so.
assert len(watch.moved) == 299 and 0.002 < watch.moved[0] < 0.004
assert max(evaluations) < 3000
assert careful.latest_checkpoint().endswith(f'-{best_step}')
assert same and found.shape == (5,) and distance < 0.004
for model in (estimator, careful, whole, broken, exporting, beginning):
    model.close()
folder.cleanup()

# %% [markdown]
# Next lesson: [22. From Keras to an Estimator, and back](22_keras_to_estimator.py).
