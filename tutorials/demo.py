"""`make demo`: a network learns to read handwritten digits, at three levels, with equal numbers.

The same network three times: ops and a Session, Keras, an Estimator. 23_three_levels.py explains
them in detail; the code that prints is below the programs.
"""
from __future__ import annotations

import inspect
import os
import re
import sys
import tempfile
import time

import numpy as np
from helpers import output, side_by_side

import tinyflow as tf
from tinyflow.api.data_sets import load_digits

EPOCHS, BATCH, TEST, RATE = 10, 25, 297, 0.5
SHADES = ' ░▒▓█'


def main():
    """Data, three graphs, training, test, and what is hidden."""
    begin = time.perf_counter()
    (images, labels), test = data()

    heading('1  The data', '1797 real handwritten digits, 8 x 8 pixels each')
    print(f'   {len(images)} to learn from, {TEST} kept aside for the test; mixed, so both come '
          'from the\n   same 13 writers.')

    heading('2  One network, three levels', 'described first; nothing is computed yet')
    with tempfile.TemporaryDirectory() as folder:
        ops = WithOps()
        levels = {'ops': ops, 'Keras': WithKeras(ops.start),
                  'Estimator': WithEstimator(ops.start, folder)}
        draw(levels, images, labels)

        heading('3  Training', 'the same first weights, the same batches: the same numbers')
        rows = train(levels, images, labels, test)

        heading('4  The test', 'digits that it has never seen')
        show_digits(ops, test)

        heading('5  What each level hides', 'and who does it')
        show_hidden(levels, folder)

        heading('6  Inside Session.run', 'what every level ends in')
        feed = {ops.x: images[rows], ops.labels: labels[rows]}
        show_run(tf.explain([ops.step, ops.loss], feed, ops.session))
        for level in levels.values():
            level.close()

    print(f'\n{bold("All this took")} {time.perf_counter() - begin:.1f} s. Where to go on:\n'
          f'   {command("01_graph.py")}')


def data():
    """(images, labels) to learn from and for the test, mixed by chance but always the same way.

    Shapes: images float32 [n, 64] from 0 to 1, labels [n].
    """
    images, labels = load_digits()
    images = images.reshape(-1, 64).astype(np.float32) / 16.0
    labels = labels.astype(np.int64)
    order = np.random.RandomState(0).permutation(len(images))
    learn, test = order[:-TEST], order[-TEST:]
    return (images[learn], labels[learn]), {'images': images[test], 'labels': labels[test]}


# ---- the three programs --------------------------------------------------------------------

class WithOps:
    """Ops and a Session: 64 pixels -> 64 hidden numbers -> 10 logits, and everything around."""

    def __init__(self):
        tf.set_random_seed(1)
        self.x = tf.placeholder(tf.float32, [None, 64], name='x')
        self.labels = tf.placeholder(tf.int64, [None], name='labels')
        with tf.name_scope('hidden'):
            hidden = tf.nn.relu(self.layer(self.x, 64, 64))
        with tf.name_scope('output'):
            logits = self.layer(hidden, 64, 10)
        with tf.name_scope('loss'):
            self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.labels, logits=logits, name='entropy'), name='loss')
        with tf.name_scope('accuracy'):
            self.answer = tf.argmax(logits, 1, name='answer')
            right = tf.cast(tf.equal(self.answer, self.labels), tf.float32)
            self.correct = tf.reduce_mean(right, name='accuracy')
        self.step = tf.train.GradientDescentOptimizer(RATE).minimize(self.loss)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())
        self.start = self.session.run(tf.trainable_variables())

    def layer(self, inputs, size_in, size_out):
        """inputs · weights + biases."""
        start = tf.truncated_normal([size_in, size_out], stddev=size_in ** -0.5)
        weights = tf.Variable(start, name='weights')
        biases = tf.Variable(tf.zeros([size_out]), name='biases')
        return tf.matmul(inputs, weights) + biases

    def train(self, images, labels):
        """One epoch; the mean loss."""
        losses = []
        for i in range(0, len(images), BATCH):
            feed = {self.x: images[i:i + BATCH], self.labels: labels[i:i + BATCH]}
            _, loss = self.session.run([self.step, self.loss], feed)
            losses.append(loss)
        return np.mean(losses)

    def accuracy(self, images, labels):
        """The share of digits that are read correctly."""
        return self.session.run(self.correct, {self.x: images, self.labels: labels})

    def close(self):
        """Frees the Session."""
        self.session.close()


class WithKeras:
    """The same in Keras: layers, compile, fit."""

    def __init__(self, start):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.model = tf.keras.Sequential([
                tf.keras.layers.Dense(64, activation='relu', input_shape=(64,), name='hidden'),
                tf.keras.layers.Dense(10, name='output')])
            self.model.compile(
                tf.keras.optimizers.SGD(RATE),
                tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ['accuracy'])
            self.model.set_weights(start)
            self.loss = self.model.total_loss

    def train(self, images, labels):
        """One epoch; the mean loss."""
        with self.graph.as_default():
            history = self.model.fit(images, labels, BATCH, shuffle=False, verbose=0)
        return history.history['loss'][0]

    def accuracy(self, images, labels):
        """The share of digits that are read correctly."""
        with self.graph.as_default():
            return self.model.evaluate(images, labels, len(images), verbose=0)[1]

    def close(self):
        """Frees the Session that Keras has opened."""
        with self.graph.as_default():
            tf.keras.backend.get_session().close()


class WithEstimator:
    """The same as an Estimator: a model_fn, and input functions; the rest it does itself."""

    def __init__(self, start, model_dir):
        def model_fn(features, labels, mode):
            hidden = tf.layers.dense(features, 64, tf.nn.relu, name='hidden',
                                     kernel_initializer=tf.constant_initializer(start[0]))
            logits = tf.layers.dense(hidden, 10, name='output',
                                     kernel_initializer=tf.constant_initializer(start[2]))
            loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
            step = tf.train.GradientDescentOptimizer(RATE).minimize(
                loss, tf.train.get_global_step())
            accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
            return tf.estimator.EstimatorSpec(
                mode, loss=loss, train_op=step, eval_metric_ops={'accuracy': accuracy})

        self.estimator = tf.estimator.Estimator(model_fn, model_dir)

    def train(self, images, labels):
        """One epoch; the mean loss."""
        watch = Losses()
        self.estimator.train(lambda: tf.data.Dataset.from_tensor_slices(
            (images, labels)).batch(BATCH), hooks=[watch])
        return np.mean(watch.losses)

    def accuracy(self, images, labels):
        """The share of digits that are read correctly."""
        return self.estimator.evaluate(
            lambda: tf.data.Dataset.from_tensors((images, labels)))['accuracy']

    def close(self):
        """Frees the Sessions that are kept for the next call."""
        self.estimator.close()


class Losses(tf.train.SessionRunHook):
    """Keeps the loss of each step."""

    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)


# ---- what makes it visible -----------------------------------------------------------------

def draw(levels, images, labels):
    """The pictures of the three graphs, as SVG files and in one PNG file."""
    estimator: tf.estimator.Estimator = levels['Estimator'].estimator
    graph = tf.explain(estimator).graph('train', lambda: tf.data.Dataset.from_tensor_slices(
        (images, labels)).batch(BATCH))
    losses = {'ops': levels['ops'].loss, 'Keras': levels['Keras'].loss,
              'Estimator': graph.spec.loss}
    pngs = []
    for level, loss in losses.items():
        lines = len(inspect.getsource(type(levels[level])).splitlines())
        print(f'   {level:9}  {lines:2} lines of Python, {len(loss.graph.get_operations()):3} '
              'nodes in the graph')
        picture = tf.viz.draw(loss, title=level, legend=level == 'ops')
        picture.save(output(f'demo_{level.lower()}.svg'))
        pngs.append(picture.png(96))
    side_by_side(output('demo.png'), *pngs)
    print(f'   picture of all three: {bold(output("demo.png"))}, and demo_*.svg')


def train(levels, images, labels, test):
    """All epochs with a line for each; returns the rows of the last batch."""
    chance = np.random.RandomState(1)
    seconds, apart = dict.fromkeys(levels, 0.0), 0.0
    mixed, found = np.arange(len(images)), [0.0]
    print('   epoch   ops      Keras    Estimator                          test accuracy')
    for epoch in range(1, EPOCHS + 1):
        mixed = chance.permutation(len(images))
        losses = []
        for level, program in levels.items():
            begin = time.perf_counter()
            losses.append(program.train(images[mixed], labels[mixed]))
            seconds[level] += time.perf_counter() - begin
        apart = max(apart, max(losses) - min(losses))
        found = [program.accuracy(test['images'], test['labels']) for program in levels.values()]
        print(f'   {epoch:5d}  {"  ".join(f"{loss:.5f}" for loss in losses)}    '
              f'{"━" * min(28, round(26 * losses[0])):<28} {found[0]:6.1%}')
    if min(found) < 0.93:
        sys.exit('The network should read more than 93% of the digits, but reads '
                 f'{min(found):.1%}.')
    steps = EPOCHS * (len(images) // BATCH)
    print(f'   loss, mean of an epoch: nowhere further apart than {apart:.0e}')
    print(f'   {steps} steps took ' + ', '.join(f'{spent:.2f} s ({level})' for level, spent in
                                              seconds.items()))
    return mixed[-BATCH:]


def show_digits(ops, test):
    """How many are read correctly; three of them, and a mistake if there is one."""
    answers, labels = ops.session.run(ops.answer, {ops.x: test['images']}), test['labels']
    right = answers == labels
    print(f'   {right.sum()} of {len(right)} are read correctly. Three of them, and one that is '
          'not:\n')
    different = [np.flatnonzero(right & (labels == digit))[0] for digit in (2, 0, 9)]
    chosen = [*different, *np.flatnonzero(~right)[:1]]
    for y in range(8):
        rows = [test['images'][i].reshape(8, 8)[y] for i in chosen]
        print('   ' + '   '.join(''.join(2 * SHADES[round(4 * float(ink))] for ink in row)
                                 for row in rows).rstrip())
    captions = [f'reads {answers[i]}' + ('' if right[i] else f', is {labels[i]}') for i in chosen]
    print('   ' + '   '.join(f'{caption:^16}' for caption in captions).rstrip())


def show_hidden(levels, model_dir):
    """Who does what, you or the level; and what the Estimator has written."""
    print(' ' * 24 + ''.join(f'{level:>11}' for level in levels))
    for task, who in {'the model': 'you you you', 'the loss': 'you - you',
                      'Variables': 'you - -', 'gradients': '- - -',
                      'loop, feeding, Session': 'you - -', 'saving, going on': 'you you -',
                      'files for TensorBoard': 'you you -'}.items():
        print(f'   {task:21}' + ''.join(f'{one:>11}' for one in who.replace('-', '·').split()))
    files = os.listdir(model_dir)
    saved = sum(name.endswith('.index') for name in files)
    print('   The Estimator has started again from its files for every epoch. There are '
          f'{len(files)},\n   {saved} checkpoints among them.')


def show_run(explanation):
    """The stages of tf.explain in a few lines, and the calls that the run became."""
    steps, memory = explanation.program.instructions, explanation.memory
    kept, cut = len(explanation.kept), len(explanation.cut)
    print(f'   {kept} nodes of {kept + cut} are needed; {len(steps)} are left when constants are '
          f'computed beforehand\n   and repetitions dropped. Their results share '
          f'{memory.arena_bytes / 1024:.0f} KiB, used again at every run.\n   In Python, it is:')
    parts = {'': 'forward', 'gradients/': 'backward', 'GradientDescent/update_': 'update'}
    shown = None
    for line in explanation.source.splitlines():
        call, _, comment = line.partition('  #')
        node = comment.strip().partition('  ')[0]
        if not node:
            continue
        prefix = max(filter(node.startswith, parts), key=len)
        if prefix != shown:
            shown = prefix
            print(f'\n   {bold(parts[prefix])}')
        node = node.removeprefix(prefix).removesuffix('/ApplyGradientDescent')
        if len(node) > 30:
            node = node.partition(' ')[0]       # the name alone, without the shape
        print(f'     {shortened(tidy(call), 43):<43}  {shortened(node, 30)}')
    print(f'\n   {explanation.run_seconds * 1e6:.0f} µs a run. The whole story: '
          'tutorials/07_inside_session_run.py')


def tidy(call):
    """A line of the program without its lock and without the options that are off."""
    call = call.strip().removeprefix('with lock: ')
    call = call.split('; ')[1] if '.target; ' in call else call
    return re.sub(r', \w+=False', '', call).replace(', = ', ' = ')


def shortened(text, width):
    """`text` in at most `width` characters; an ellipsis replaces what is left out."""
    return text if len(text) <= width else text[:width - 1] + '…'


def command(tutorial):
    """The command line that runs another tutorial, as short as it can be from here."""
    here = os.path.relpath(os.path.dirname(os.path.abspath(__file__)))
    python = os.path.relpath(sys.executable)
    if python.startswith('..'):
        python = 'python'
    return f'{python} {os.path.join(here, tutorial)}'


def heading(title, text):
    print(f'\n{bold(title)}  {text}')


def bold(text):
    """Bold in a terminal that can; https://no-color.org is respected."""
    plain = not sys.stdout.isatty() or 'NO_COLOR' in os.environ
    return text if plain else f'\033[1m{text}\033[0m'


if __name__ == '__main__':
    main()
