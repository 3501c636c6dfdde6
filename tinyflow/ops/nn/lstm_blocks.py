"""LSTMBlockCell and BlockLSTM: one step of an LSTM, or all of its steps, as a single op.

The gates are in the order input, new input, forget, output; pre-activations are [batch, cells]:
i, f and o have a sigmoid activation, ci tanh; cs = ci i + cs_prev f and h = o tanh(cs).
Source: Hochreiter and Schmidhuber (1997); peepholes: Gers and Schmidhuber (2000).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import float16, float32
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.blas_threads import dot
from tinyflow.ops.array import constants, joining, slicing
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.nn import bias

_PARTS = 'i: T, cs: T, f: T, o: T, ci: T, co: T, h: T'
_WEIGHTS = 'w: T, wci: T, wcf: T, wco: T, b: T'
_STEP = f'x: T, cs_prev: T, h_prev: T, {_WEIGHTS}'
_TYPES = {'T': frozenset({float16, float32})}


def _sigmoid(x, out=None):
    out = np.negative(x, out)
    np.exp(out, out)
    np.add(out, 1, out)
    return np.reciprocal(out, out)


def _forward(gates, cs_prev, wci, wcf, wco, forget_bias, cell_clip, use_peephole, outs):
    """Computes (i, cs, f, o, ci, co, h) of one step into `outs`, from the pre-activations."""
    i, cs, f, o, ci, co, h = outs
    from_i, from_ci, from_f, from_o = np.split(gates, 4, axis=1)
    np.add(from_f, f.dtype.type(forget_bias), f)
    if use_peephole:
        f += cs_prev * wcf
        from_i = from_i + cs_prev * wci
    _sigmoid(from_i, i)
    _sigmoid(f, f)
    np.tanh(from_ci, ci)
    np.multiply(ci, i, cs)
    cs += np.multiply(cs_prev, f, h)
    if cell_clip > 0:
        np.clip(cs, -cs.dtype.type(cell_clip), cs.dtype.type(cell_clip), cs)
    _sigmoid(from_o + cs * wco if use_peephole else from_o, o)
    np.tanh(cs, co)
    np.multiply(co, o, h)


def _backward(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole, gates):
    """Writes the gradient of the pre-activations to `gates`; returns that of cs_prev."""
    di, dci, df, do = np.split(gates, 4, axis=1)
    one = i.dtype.type(1)
    through_o = h_grad * o                              # gradient at tanh(cs)
    spare = one - o
    spare *= through_o
    np.multiply(spare, co, do)                          # o (1 - o) h_grad co
    dcs = np.multiply(co, co, spare)
    np.subtract(one, dcs, dcs)
    dcs *= through_o
    dcs += cs_grad
    if use_peephole:
        dcs += do * wco
    dcs_i = np.multiply(dcs, i, through_o)
    np.subtract(one, i, di)
    di *= dcs_i
    di *= ci
    np.multiply(ci, ci, dci)
    np.subtract(one, dci, dci)
    dci *= dcs_i
    before = np.multiply(dcs, f, dcs)
    np.subtract(one, f, df)
    df *= before
    df *= cs_prev
    if use_peephole:
        before += di * wci
        before += df * wcf
    return before


def _peephole_gradients(gates_grad, cs_prev, cs, use_peephole):
    """Gradients of wci, wcf, wco, summed over rows."""
    cells = cs.shape[1]
    if not use_peephole:
        return (np.zeros(cells, cs.dtype),) * 3
    di, _, df, do = np.split(gates_grad, 4, axis=1)
    return tuple(np.add.reduce(part, 0) for part in (di * cs_prev, df * cs_prev, do * cs))


def _check(x, cs_prev, w, rank):
    if len(x) != rank or len(cs_prev) != 2 or len(w) != 2:
        raise ValueError(f'x must be of rank {rank}, cs_prev and w of rank 2, not of shapes '
                         f'{shapes.text(x)}, {shapes.text(cs_prev)}, {shapes.text(w)}')
    if None not in (x[-1], cs_prev[1], w[0]) and x[-1] + cs_prev[1] != w[0]:
        raise ValueError(f'w must have {x[-1] + cs_prev[1]} rows, one per input and '
                         f'cell, not {w[0]}')


class LSTMBlockCell(Op):
    """One step of an LSTM."""

    signature = f'{_STEP} -> {_PARTS}'
    types = _TYPES
    attrs = {'forget_bias': 1.0, 'cell_clip': 3.0, 'use_peephole': False}

    def shape(x, cs_prev, h_prev, w, wci, wcf, wco, b):
        _check(x, cs_prev, w, 2)
        return [(x[0], cs_prev[1])] * 7

    def kernel(x, cs_prev, h_prev, w, wci, wcf, wco, b, *, forget_bias, cell_clip, use_peephole):
        _check(x.shape, cs_prev.shape, w.shape, 2)
        gates = np.concatenate([x, h_prev], axis=1) @ w
        gates += b
        outs = tuple([np.empty(cs_prev.shape, x.dtype) for _ in range(7)])
        _forward(gates, cs_prev, wci, wcf, wco, forget_bias, cell_clip, use_peephole, outs)
        return outs

    def gradient(op, *grads):
        x, _, h_prev, w = op.inputs[:4]
        i, cs, f, o, ci, co, h = op.outputs
        cs_grad = constants.zeros_like(cs) if grads[1] is None else grads[1]
        h_grad = constants.zeros_like(h) if grads[6] is None else grads[6]
        before, gates, d_wci, d_wcf, d_wco = LSTMBlockCellGrad.apply(
            *op.inputs, i, cs, f, o, ci, co, cs_grad, h_grad,
            use_peephole=op.attrs['use_peephole'])
        both = matmul(gates, w, transpose_b=True)
        width = x.raw_shape[1]
        return (slicing.slice(both, [0, 0], [-1, width]), before,
                slicing.slice(both, [0, width], [-1, -1]),
                matmul(joining.concat([x, h_prev], 1), gates, transpose_a=True),
                d_wci, d_wcf, d_wco, bias.BiasAddGrad.apply(gates))


class LSTMBlockCellGrad(Op):
    """The gradient of one step for all inputs except x, h_prev, w and b."""

    signature = (f'{_STEP}, i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T '
                 '-> cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T')
    types = _TYPES
    attrs = {'use_peephole': REQUIRED}
    gradient = NOT_DIFFERENTIABLE

    def shape(x, cs_prev, h_prev, w, wci, wcf, wco, b, *rest):
        gates = None if cs_prev[1] is None else 4 * cs_prev[1]
        return [cs_prev, (cs_prev[0], gates), wci, wcf, wco]

    def kernel(x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, h_grad, *,
               use_peephole):
        gates = np.empty((len(x), w.shape[1]), x.dtype)
        before = _backward(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad,
                           use_peephole, gates)
        return before, gates, *_peephole_gradients(gates, cs_prev, cs, use_peephole)


class BlockLSTM(Op):
    """All steps of an LSTM; outputs are zero from step `seq_len_max` on."""

    signature = f'seq_len_max: int64, {_STEP} -> {_PARTS}'
    types = _TYPES
    attrs = {'forget_bias': 1.0, 'cell_clip': 3.0, 'use_peephole': False}

    def shape(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b):
        _check(x, cs_prev, w, 3)
        return [(x[0], x[1], cs_prev[1])] * 7

    def kernel(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, *, forget_bias, cell_clip,
               use_peephole):
        _check(x.shape, cs_prev.shape, w.shape, 3)
        steps, rows, width = x.shape
        results = [np.zeros((steps, rows, cs_prev.shape[1]), x.dtype) for _ in range(7)]
        both = np.empty((rows, w.shape[0]), x.dtype)
        gates = np.empty((rows, w.shape[1]), x.dtype)
        for t in range(min(int(seq_len_max), steps)):
            both[:, :width], both[:, width:] = x[t], h_prev
            dot(both, w, gates)
            gates += b
            outs = [result[t] for result in results]
            _forward(gates, cs_prev, wci, wcf, wco, forget_bias, cell_clip, use_peephole, outs)
            cs_prev, h_prev = outs[1], outs[6]
        return tuple(results)

    def gradient(op, *grads):
        cs_grad = constants.zeros_like(op.outputs[1]) if grads[1] is None else grads[1]
        h_grad = constants.zeros_like(op.outputs[6]) if grads[6] is None else grads[6]
        return None, *BlockLSTMGrad.apply(*op.inputs, *op.outputs, cs_grad, h_grad,
                                          use_peephole=op.attrs['use_peephole'])


class BlockLSTMGrad(Op):
    """The gradient of all steps."""

    signature = (f'seq_len_max: int64, {_STEP}, {_PARTS}, cs_grad: T, h_grad: T -> x_grad: T, '
                 'cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, '
                 'wco_grad: T, b_grad: T')
    types = _TYPES
    attrs = {'use_peephole': REQUIRED}
    gradient = NOT_DIFFERENTIABLE

    def shape(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, *rest):
        return [x, cs_prev, h_prev, w, wci, wcf, wco, b]

    def kernel(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h,
               cs_grad, h_grad, *, use_peephole):
        steps, width = min(int(seq_len_max), len(x)), x.shape[2]
        gates = np.zeros(x.shape[:2] + w.shape[1:], x.dtype)
        state_weights = np.ascontiguousarray(w[width:].T)
        before_cs = np.concatenate([cs_prev[None], cs[:-1]])
        before_h = np.concatenate([h_prev[None], h[:-1]])
        d_cs, d_h = np.zeros_like(cs_prev), np.zeros_like(h_prev)
        for t in range(steps - 1, -1, -1):
            d_cs = _backward(before_cs[t], wci, wcf, wco, i[t], cs[t], f[t], o[t], ci[t], co[t],
                             cs_grad[t] + d_cs, h_grad[t] + d_h, use_peephole, gates[t])
            d_h = gates[t] @ state_weights
        flat = gates.reshape(-1, w.shape[1])
        d_w = np.concatenate([x.reshape(-1, width).T @ flat,
                              before_h.reshape(-1, h.shape[2]).T @ flat])
        cells = cs.shape[2]
        peepholes = _peephole_gradients(flat, before_cs.reshape(-1, cells), cs.reshape(-1, cells),
                                        use_peephole)
        return ((flat @ w[:width].T).reshape(x.shape), d_cs, d_h, d_w, *peepholes,
                np.add.reduce(flat, 0))
