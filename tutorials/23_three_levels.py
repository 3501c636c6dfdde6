# %% [markdown]
# # 23. One network, three levels
#
# *You need lessons 6, 14 and 21. It takes 20 minutes. Afterwards you can say what Keras and
# Estimator hide, and choose your level.*
#
# You know three ways to train a network now: ops and a Session, Keras, an Estimator. They look like
# three different programs. This tutorial writes the same network at all three levels, with the same
# first weights and the same batches, and compares every number. What they differ in is what they
# hide.

# %%
import inspect
import os
import tempfile

import numpy as np
from helpers import output, show_picture, side_by_side

import tinyflow as tf
from tinyflow.api.data_sets import load_digits

EPOCHS, BATCH, RATE = 5, 25, 0.5

images, labels = load_digits()
images, labels = images.reshape(-1, 64).astype('float32') / 16, labels.astype('int64')
order = np.random.RandomState(0).permutation(len(images))
learn, test = order[:1500], order[1500:]
images, labels, test_images, test_labels = \
    images[learn], labels[learn], images[test], labels[test]

# %% [markdown]
# The first weights come from NumPy, so that all three begin at the same place: 64 pixels to 32
# hidden numbers to 10 logits.

# %%
draw = np.random.RandomState(1)
start = [draw.normal(0, 0.125, [64, 32]).astype('float32'), np.zeros(32, 'float32'),
         draw.normal(0, 0.18, [32, 10]).astype('float32'), np.zeros(10, 'float32')]


# %% [markdown]
# ## Level 1: ops and a Session
#
# Everything is said: placeholders, Variables, each product and sum, the loss, the optimizer, the
# Session, the loop, the feeding. Long, and nothing is hidden.


# %%
def with_ops():
    """The loss of each step, the test accuracy, the weights, the graph's loss."""
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    y = tf.placeholder(tf.int64, [None], name='y')
    with tf.name_scope('hidden'):
        w1, b1 = tf.Variable(start[0], name='kernel'), tf.Variable(start[1], name='bias')
        hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    with tf.name_scope('logits'):
        w2, b2 = tf.Variable(start[2], name='kernel'), tf.Variable(start[3], name='bias')
        logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=logits, name='entropy'), name='loss')
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    train = tf.train.GradientDescentOptimizer(RATE).minimize(loss)

    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(EPOCHS):
            for i in range(0, len(images), BATCH):
                feed = {x: images[i:i + BATCH], y: labels[i:i + BATCH]}
                _, value = session.run([train, loss], feed)
                losses.append(value)
        right = session.run(accuracy, {x: test_images, y: test_labels})
        return losses, right, session.run([w1, b1, w2, b2]), loss


# %% [markdown]
# ## Level 2: Keras
#
# Layers instead of products. `compile` adds loss and optimizer; `fit` has the Session, the
# initializing, the loop and the feeding. It would mix the digits before each epoch; here it must
# not, or the batches would differ.


# %%
def with_keras():
    """The same four things."""
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(32, activation='relu', input_shape=(64,), name='hidden'),
        tf.keras.layers.Dense(10, name='logits')])
    model.compile(tf.keras.optimizers.SGD(RATE),
                  tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=['accuracy'])
    model.set_weights(start)

    losses = []
    watch = tf.keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: losses.append(logs['loss']))
    model.fit(images, labels, BATCH, EPOCHS, shuffle=False, verbose=0, callbacks=[watch])
    _, right = model.evaluate(test_images, test_labels, verbose=0)
    return losses, right, model.get_weights(), model.total_loss


# %% [markdown]
# ## Level 3: an Estimator
#
# You write two functions, what the data are and what the model is, and call neither. No Session, no
# loop, no initializing, no placeholder; and every checkpoint and every event file is written
# automatically.


# %%
folder = tempfile.TemporaryDirectory()


def model_fn(features, labels, mode):
    """The same network as an EstimatorSpec."""
    hidden = tf.layers.dense(features, 32, tf.nn.relu, name='hidden',
                             kernel_initializer=tf.constant_initializer(start[0]))
    logits = tf.layers.dense(hidden, 10, name='logits',
                             kernel_initializer=tf.constant_initializer(start[2]))
    answer = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=answer)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={'accuracy': tf.metrics.accuracy(labels, answer)},
        train_op=tf.train.GradientDescentOptimizer(RATE).minimize(
            loss, tf.train.get_global_step()))


def with_estimator():
    """The same four things."""
    estimator = tf.estimator.Estimator(model_fn, folder.name)
    watch = Losses()
    estimator.train(lambda: tf.data.Dataset.from_tensor_slices((images, labels))
                    .batch(BATCH).repeat(EPOCHS), hooks=[watch])
    right = estimator.evaluate(
        lambda: tf.data.Dataset.from_tensors((test_images, test_labels)))['accuracy']
    weights = [estimator.get_variable_value(name) for name in
               ('hidden/kernel', 'hidden/bias', 'logits/kernel', 'logits/bias')]
    return watch.losses, right, weights, estimator


class Losses(tf.train.SessionRunHook):
    """Keeps the loss of each step."""

    def __init__(self):
        self.losses = []

    def begin(self):
        self._loss, = tf.get_collection(tf.GraphKeys.LOSSES)[-1:]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)


# %% [markdown]
# ## The same numbers

# %%
levels = {'ops': with_ops, 'Keras': with_keras, 'Estimator': with_estimator}
results, graphs = {}, {}
for level, build_and_train in levels.items():
    with tf.Graph().as_default() as graphs[level]:
        results[level] = build_and_train()
losses = {level: np.array(result[0]) for level, result in results.items()}

print('step       ops        Keras      Estimator')
for step in [0, 1, 2, 9, 99, 299]:
    print(f'{step + 1:4}', *(f'{values[step]:12.7f}' for values in losses.values()))

print('\ntest:', ', '.join(f'{level} {result[1]:.2%}' for level, result in results.items()))

weights = {level: np.concatenate([part.ravel() for part in result[2]])
           for level, result in results.items()}
apart = {level: np.abs(values - weights['ops']).max() for level, values in weights.items()}
print(f'\nafter {len(losses["ops"])} steps no weight of {len(weights["ops"])} is further from that '
      f'of the ops than\n  {apart["Keras"]:.1e} in Keras, {apart["Estimator"]:.1e} in the '
      'Estimator')

# %% [markdown]
# If there is a difference at all, it is in the last digits of a float, from adding in another
# order. One could exchange the three programs step by step and the network would not notice.
#
# ## Three graphs
#
# Below all three there is a graph of ops. They are the same product, sum and ReLU; what surrounds
# them differs.

# %%
pictures = {'ops': tf.viz.draw(results['ops'][3], output('23_ops.svg'), title='ops'),
            'Keras': tf.viz.draw(results['Keras'][3], output('23_keras.svg'), title='Keras',
                                 legend=False),
            'Estimator': tf.viz.draw(results['Estimator'][3], output('23_estimator.svg'),
                                     title='Estimator', legend=False)}
side_by_side(output('23_three_levels.png'), *(picture.png(96) for picture in pictures.values()))
show_picture('\nThe three pictures side by side:', output('23_three_levels.png'))

graphs['Estimator'] = tf.Graph()
with graphs['Estimator'].as_default():
    tf.train.import_meta_graph(results['Estimator'][3].latest_checkpoint() + '.meta')

# %% [markdown]
# ## What each level hides

# %%
code: dict[str, list] = {
    'ops': [with_ops], 'Keras': [with_keras], 'Estimator': [model_fn, with_estimator]}
print('\n                        ' + ''.join(f'{level:>11}' for level in levels))
counts: dict[str, list[int]] = {
    'lines that you write': [sum(len(inspect.getsource(f).splitlines()) for f in functions)
                             for functions in code.values()],
    'nodes in the graph': [len(graph.get_operations()) for graph in graphs.values()],
    'Variables': [sum(op.type in ('VariableV2', 'VarHandleOp') for op in
                      graph.get_operations()) for graph in graphs.values()],
    'files on the disk': [0, 0, len(os.listdir(folder.name))]}
for title, numbers in counts.items():
    print(f'{title:24}' + ''.join(f'{number:11}' for number in numbers))

you, it = 'you', '·'
print('\nwho does it?            ' + ''.join(f'{level:>11}' for level in levels))
for task, who in {'the model': (you, you, you), 'Variables': (you, it, it),
                  'the loss': (you, it, you), 'gradients': (it, it, it),
                  'the training loop': (you, it, it), 'the Session': (you, it, it),
                  'feeding batches': (you, it, it), 'saving, going on': (you, you, it),
                  'for TensorBoard': (you, you, it)}.items():
    print(f'{task:24}' + ''.join(f'{one:>11}' for one in who))

# %% [markdown]
# The Variables beyond the four: Keras keeps the learning rate and similar values in Variables, and
# counts for the accuracy; the Estimator has the global step, and counts too.
#
# Which level is the right one? The highest that does what you want. Keras for networks made of
# layers; an Estimator for trainings that run long, are interrupted, and end in production; ops for
# whatever the others do not offer. They mix: a Keras layer works in a model function, and ops work
# everywhere.
#
# And when a higher level does something strange, you now know what it hides. `tf.explain(model)`,
# `tf.explain(estimator)` and `tf.explain(fetches)` open it again.
#
# **What to remember.** One graph, one Session, three ways to say it.
#
# **Try it.** Put `tf.keras.layers.Dense` into `model_fn`. Give all three Adam instead of gradient
# descent: are the numbers still equal? (Keras has another epsilon, 1e-7 instead of 1e-8.)

# %%
# The lesson checks itself: what the text says is so.
assert all(len(values) == EPOCHS * 60 for values in losses.values())
assert all(np.allclose(values, losses['ops'], rtol=1e-4, atol=1e-5) for values in losses.values())
assert max(apart.values()) < 1e-4
assert all(result[1] > 0.9 for result in results.values())
results['Estimator'][3].close()
folder.cleanup()

# %% [markdown]
# Next lesson: [24. One program, four processes](24_four_processes.py).
