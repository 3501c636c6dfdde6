"""`make demo`: a network learns to read handwritten digits, and then one looks inside.

The program is the usual TF1 program, in the usual order: graph, training loop, test. What prints
it nicely stands below it.
"""
from __future__ import annotations

import os
import re
import sys
import time

import numpy as np
from helpers import output

import tinyflow as tf
from tinyflow.data_sets import load_digits

EPOCHS, BATCH, TEST = 10, 25, 297
SHADES = ' ░▒▓█'


def main():
    """Data, graph, training, test, and what the Session did."""
    begin = time.perf_counter()
    (images, labels), test = data()

    heading('1  The data', '1797 real handwritten digits, 8 x 8 pixels each')
    print(f'   {len(images)} to learn from, {TEST} kept aside for the test; mixed, so both come '
          'from the\n   same 13 writers.')

    heading('2  The graph', 'described first; nothing is computed yet')
    net = Network()
    draw(net)

    heading('3  Training', f'{len(images) // BATCH} x session.run([train, loss], feed) an epoch')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feed = train(session, net, images, labels, test)

        heading('4  The test', 'digits that it has never seen')
        show_digits(session, net, test)

        heading('5  Inside Session.run', 'what session.run([train, loss], feed) does')
        show_run(tf.explain([net.train, net.loss], feed, session))

    print(f'\n{bold("All this took")} {time.perf_counter() - begin:.1f} s. Where to go on:\n'
          f'   {command("01_graph.py")}')


# ---- the program ---------------------------------------------------------------------------

def data():
    """(images, labels) to learn from and for the test, mixed by chance but always the same way.

    Shapes: images float32 [n, 64] from 0 to 1, labels [n].
    """
    images, labels = load_digits()
    images = images.reshape(-1, 64).astype(np.float32) / 16.0
    order = np.random.RandomState(0).permutation(len(images))
    learn, test = order[:-TEST], order[-TEST:]
    return (images[learn], labels[learn]), {'images': images[test], 'labels': labels[test]}


class Network:
    """64 pixels -> 64 hidden numbers -> 10 logits, its loss, its accuracy and its training step."""

    def __init__(self):
        tf.set_random_seed(1)
        self.x = tf.placeholder(tf.float32, [None, 64], name='x')
        self.labels = tf.placeholder(tf.int32, [None], name='labels')
        with tf.name_scope('hidden'):
            hidden = tf.nn.relu(layer(self.x, 64, 64))
        with tf.name_scope('output'):
            logits = layer(hidden, 64, 10)
        with tf.name_scope('loss'):
            self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.labels, logits=logits, name='entropy'), name='loss')
        with tf.name_scope('accuracy'):
            self.answer = tf.argmax(logits, 1, name='answer', output_type=tf.int32)
            right = tf.cast(tf.equal(self.answer, self.labels), tf.float32)
            self.accuracy = tf.reduce_mean(right, name='accuracy')
        self.train = tf.train.GradientDescentOptimizer(0.5).minimize(self.loss)


def layer(inputs, size_in, size_out):
    """inputs · weights + biases."""
    start = tf.truncated_normal([size_in, size_out], stddev=size_in ** -0.5)
    weights = tf.Variable(start, name='weights')
    biases = tf.Variable(tf.zeros([size_out]), name='biases')
    return tf.matmul(inputs, weights) + biases


def train(session, net, images, labels, test):
    """All epochs with a line for each; returns the last feed_dict."""
    chance = np.random.RandomState(1)
    feed, seconds = {}, 0.0
    print('   epoch    loss                                        test accuracy')
    for epoch in range(1, EPOCHS + 1):
        losses = []
        for rows in np.split(chance.permutation(len(images)), len(images) // BATCH):
            feed = {net.x: images[rows], net.labels: labels[rows]}
            begin = time.perf_counter()
            _, loss = session.run([net.train, net.loss], feed)
            seconds += time.perf_counter() - begin
            losses.append(loss)
        accuracy = session.run(net.accuracy, {net.x: test['images'], net.labels: test['labels']})
        loss = np.mean(losses)
        print(f'   {epoch:5d}  {loss:6.4f}  {"━" * min(40, round(36 * loss)):<40}  {accuracy:6.1%}')
    if accuracy < 0.93:
        sys.exit(f'The network should read more than 93% of the digits, but reads {accuracy:.1%}.')
    runs = EPOCHS * (len(images) // BATCH)
    print(f'   {runs} training steps took {seconds:.2f} s, {seconds / runs * 1e6:.0f} µs each.')
    return feed


# ---- what makes it visible -----------------------------------------------------------------

def draw(net):
    """The picture of the forward half, as SVG and PNG."""
    graph = tf.get_default_graph()
    forward = len([op for op in graph.get_operations() if not op.name.startswith('Grad')
                   and not op.name.startswith('gradients')])
    print(f'   {forward} nodes for the network, its loss and its accuracy;\n'
          f'   {len(graph.get_operations()) - forward} more from minimize(loss): gradients and '
          'updates.')
    picture = tf.viz.draw([net.loss, net.accuracy])
    for name in ('demo.svg', 'demo.png'):
        picture.save(output(name))
    print(f'   picture: {bold(output("demo.svg"))} and demo.png')


def show_digits(session, net, test):
    """How many are read correctly; three of them, and a mistake if there is one."""
    answers, labels = session.run(net.answer, {net.x: test['images']}), test['labels']
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
    call = call.strip().rpartition('.lock: ')[2]
    return re.sub(r', \w+=False', '', call).replace(', = ', ' = ')


def shortened(text, width):
    """`text` in at most `width` characters; an ellipsis stands for what is left out."""
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
