"""GRUBlockCell: one step of a gated recurrent unit (GRU) as a single op.

r, u = sigmoid([x, h] w_ru + b_ru); c = tanh([x, r h] w_c + b_c); the new h is u h + (1 - u) c.
Source: Cho et al., "Learning phrase representations using RNN encoder-decoder", EMNLP 2014.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import float32
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.ops.array import joining
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.nn import bias
from tinyflow.ops.nn.lstm_blocks import _sigmoid

_INPUTS = 'x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T'
_TYPES = {'T': frozenset({float32})}


def _check(x, h, w_ru):
    if len(x) != 2 or len(h) != 2 or len(w_ru) != 2:
        raise ValueError(f'x, h_prev and w_ru must be of rank 2, not of shapes {shapes.text(x)}, '
                         f'{shapes.text(h)}, {shapes.text(w_ru)}')
    if None not in (x[1], h[1], w_ru[0]) and x[1] + h[1] != w_ru[0]:
        raise ValueError(f'w_ru must have {x[1] + h[1]} rows, one per input and '
                         f'unit, not {w_ru[0]}')


class GRUBlockCell(Op):
    """One step of a GRU."""

    signature = f'{_INPUTS} -> r: T, u: T, c: T, h: T'
    types = _TYPES

    def shape(x, h_prev, w_ru, w_c, b_ru, b_c):
        _check(x, h_prev, w_ru)
        return [(x[0], h_prev[1])] * 4

    def kernel(x, h_prev, w_ru, w_c, b_ru, b_c):
        _check(x.shape, h_prev.shape, w_ru.shape)
        gates = _sigmoid(np.concatenate([x, h_prev], axis=1) @ w_ru + b_ru)
        r, u = np.split(gates, 2, axis=1)
        c = np.tanh(np.concatenate([x, h_prev * r], axis=1) @ w_c + b_c)
        return r.copy(), u.copy(), c, u * h_prev + (1 - u) * c

    def gradient(op, *grads):
        x, h_prev = op.inputs[:2]
        r, u, c, _ = op.outputs
        d_x, d_h, d_c, d_ru = GRUBlockCellGrad.apply(*op.inputs, r, u, c, grads[3])
        d_w_ru = matmul(joining.concat([x, h_prev], 1), d_ru, transpose_a=True)
        d_w_c = matmul(joining.concat([x, h_prev * r], 1), d_c, transpose_a=True)
        return (d_x, d_h, d_w_ru, d_w_c, bias.BiasAddGrad.apply(d_ru),
                bias.BiasAddGrad.apply(d_c))


class GRUBlockCellGrad(Op):
    """The gradient of one step for x, h and the pre-activations."""

    signature = (f'{_INPUTS}, r: T, u: T, c: T, d_h: T '
                 '-> d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T')
    types = _TYPES
    gradient = NOT_DIFFERENTIABLE

    def shape(x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
        return [x, h_prev, h_prev, (h_prev[0], w_ru[1])]

    def kernel(x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
        width = x.shape[1]
        d_c = d_h * (1 - u) * (1 - c * c)
        d_u = d_h * (h_prev - c) * u * (1 - u)
        both = d_c @ w_c.T
        d_hr = both[:, width:]
        d_r = d_hr * h_prev * r * (1 - r)
        d_ru = np.concatenate([d_r, d_u], axis=1)
        of_gates = d_ru @ w_ru.T
        return (both[:, :width] + of_gates[:, :width], of_gates[:, width:] + d_hr * r + d_h * u,
                d_c, d_ru)
