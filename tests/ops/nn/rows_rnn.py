"""Rows of the ops of tf.contrib.rnn and tf.contrib.seq2seq; the references step through time."""
import importlib

import numpy as np

from tests.ops.rows import row
from tinyflow.ops.nn import gru_block, lstm_blocks

B, IN, CELLS, TIME = 2, 3, 4, 3
WEIGHTS = [(IN + CELLS, 4 * CELLS), (CELLS,), (CELLS,), (CELLS,), (4 * CELLS,)]
STEP = [(B, IN), (B, CELLS), (B, CELLS), *WEIGHTS]
SEQUENCE = [(TIME, B, IN), (B, CELLS), (B, CELLS), *WEIGHTS]
GRU = [(B, IN), (B, CELLS), (IN + CELLS, 2 * CELLS), (IN + CELLS, CELLS), (2 * CELLS,), (CELLS,)]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_ref(x, c, h, w, wci, wcf, wco, b, peephole=True, clip=-1.0, forget=1.0):
    i, ci, f, o = np.split(np.hstack([x, h]) @ w + b, 4, axis=1)
    p = float(peephole)
    i, f, ci = sigmoid(i + p * wci * c), sigmoid(f + forget + p * wcf * c), np.tanh(ci)
    c = i * ci + f * c
    c = np.clip(c, -clip, clip) if clip > 0 else c
    o = sigmoid(o + p * wco * c)
    return [i, c, f, o, ci, np.tanh(c), o * np.tanh(c)]


def sequence_ref(steps):
    def ref(x, c, h, *weights):
        found = []
        for t in range(steps):
            found.append(lstm_ref(x[t], c, h, *weights))
            c, h = found[-1][1], found[-1][6]
        empty = [np.zeros_like(c)] * 7
        return [np.stack(parts) for parts in zip(*found, *[empty] * (TIME - steps))]
    return ref


def gru_ref(x, h, w_ru, w_c, b_ru, b_c):
    r, u = np.split(sigmoid(np.hstack([x, h]) @ w_ru + b_ru), 2, axis=1)
    c = np.tanh(np.hstack([x, r * h]) @ w_c + b_c)
    return [r, u, c, u * h + (1 - u) * c]


def block(tf, *inputs, **attrs):
    attrs = {'cell_clip': -1.0, 'use_peephole': True, **attrs}
    return lstm_blocks.LSTMBlockCell.apply(*inputs, **attrs)


def sequence(steps, peephole=True):
    def build(tf, *inputs):
        return lstm_blocks.BlockLSTM.apply(steps, *inputs, cell_clip=-1.0, use_peephole=peephole)
    return build


def outputs_of(build):
    """Only the cells and the output have gradients, as in TF."""
    def build_some(tf, *inputs):
        parts = build(tf, *inputs)
        return [parts[1], parts[6]]
    return build_some


def some(ref):
    return lambda *arrays: [ref(*arrays)[1], ref(*arrays)[6]]


def gradient_of(build, of):
    def gradient(tf, *inputs):
        parts = build(tf, *inputs)
        return tf.gradients([parts[i] for i in of], list(inputs))
    return gradient


def zeros(tf, shapes):
    return [tf.zeros(shape) for shape in shapes]


def gather_tree(tf, *inputs):
    return importlib.import_module('tinyflow.api.contrib.seq2seq').gather_tree(*inputs)


def tree_ref(ids, parents, lengths, end):
    beams = np.full_like(ids, end)
    for row_ in range(ids.shape[1]):
        last = min(lengths[row_], len(ids)) - 1
        for beam in range(ids.shape[2]):
            parent = beam
            for t in range(last, -1, -1):
                beams[t, row_, beam] = ids[t, row_, parent]
                parent = parents[t, row_, parent]
            ended = False
            for t in range(last + 1):
                beams[t, row_, beam] = end if ended else beams[t, row_, beam]
                ended = ended or beams[t, row_, beam] == end
    return beams


TREE = np.random.default_rng(0)
IDS = TREE.integers(0, 6, (4, 2, 3)).astype(np.int32)
PARENTS = TREE.integers(0, 3, (4, 2, 3)).astype(np.int32)
LENGTHS, END = np.array([3, 9], np.int32), np.int32(5)
SETTINGS = {'dtype': 'float32', 'tol': 2e-2, 'second': False, 'unknown': False}
NO_GRADIENT = {**SETTINGS, 'grad': False}

ROWS = [
    row('LSTMBlockCell', block, STEP, ref=lambda *a: lstm_ref(*a), **NO_GRADIENT,
        bad=[lambda tf: block(tf, *zeros(tf, [(B, IN), (B, CELLS), (B, CELLS), (9, 16), (4,), (4,),
                                              (4,), (16,)]))],
        run_bad=[lambda tf: _fed(tf, lambda x, *w: block(tf, x, *w)[6], STEP)]),
    row('LSTMBlockCell', lambda tf, *a: block(tf, *a, use_peephole=False, cell_clip=0.2,
                                              forget_bias=0.5),
        STEP, ref=lambda *a: lstm_ref(*a, peephole=False, clip=0.2, forget=0.5), **NO_GRADIENT,
        name='clipped'),
    row('LSTMBlockCell', outputs_of(block), STEP, ref=some(lstm_ref), **SETTINGS,
        name='outputs'),
    row('LSTMBlockCellGrad', gradient_of(block, (1, 6)), STEP, **NO_GRADIENT),
    row('BlockLSTM', sequence(2), SEQUENCE, ref=sequence_ref(2), **NO_GRADIENT,
        bad=[lambda tf: sequence(2)(tf, *zeros(tf, STEP))],
        run_bad=[lambda tf: _fed(tf, lambda x, *w: sequence(2)(tf, x, *w)[6], SEQUENCE)]),
    row('BlockLSTM', outputs_of(sequence(TIME)), SEQUENCE, ref=some(sequence_ref(TIME)),
        **SETTINGS, name='outputs'),
    row('BlockLSTMGrad', gradient_of(sequence(2), (1, 6)), SEQUENCE, **NO_GRADIENT),
    row('GRUBlockCell', lambda tf, *a: gru_block.GRUBlockCell.apply(*a), GRU, ref=gru_ref,
        **NO_GRADIENT,
        bad=[lambda tf: gru_block.GRUBlockCell.apply(
            *zeros(tf, [(B, IN), (B, CELLS), (9, 8), (9, 4), (8,), (4,)]))],
        run_bad=[lambda tf: _fed(tf, lambda x, *w: gru_block.GRUBlockCell.apply(x, *w)[3], GRU)]),
    row('GRUBlockCell', lambda tf, *a: gru_block.GRUBlockCell.apply(*a)[3], GRU,
        ref=lambda *a: gru_ref(*a)[3], **SETTINGS, name='output'),
    row('GRUBlockCellGrad', gradient_of(lambda tf, *a: gru_block.GRUBlockCell.apply(*a), (3,)),
        GRU, **NO_GRADIENT),
    row('GatherTree', gather_tree, [IDS, PARENTS, LENGTHS, END], ref=tree_ref,
        bad=[lambda tf: gather_tree(tf, IDS, PARENTS[0], LENGTHS, END)],
        run_bad=[lambda tf: gather_tree(tf, IDS, np.full_like(PARENTS, 3), LENGTHS, END)]),
]


def _fed(tf, build, shapes):
    """(fetch, feeds) with an input that is too narrow."""
    x = tf.placeholder(tf.float32)
    rest = [tf.placeholder_with_default(tf.zeros(s), None) for s in shapes[1:]]
    for tensor, shape in zip([x, *rest], shapes):
        tensor.set_shape([None] * len(shape))
    return build(x, *rest), {x: np.zeros(shapes[0][:-1] + (1,), 'f')}
