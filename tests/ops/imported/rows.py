"""Rows of the ops that only graphs written by TensorFlow have.

They are in ops/gradient_nodes, ops/stacks and ops/optionals.
"""
from __future__ import annotations

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op
from tinyflow.ops.imported import optionals, stack_ops as stacks, tf_gradient_ops as gradient_nodes


def _op(name, *inputs, **attrs):
    return Op.registry[name].apply(*inputs, **attrs)


def _of_result(name, ref, low=0.2, high=0.9):
    return row(name, lambda tf, y, dy: _op(name, y, dy), [(2, 3), (2, 3)], ref=ref, low=low,
               high=high)


def _array(tf, x, size=None, **attrs):
    """(handle, flow) of a TensorArray of the rows of x."""
    handle, flow = _op('TensorArrayV3', 3 if size is None else size, dtype=x.dtype, **attrs)
    return handle, _op('TensorArrayScatterV3', handle, [0, 1, 2], x, flow)


def _sized(tf, size):
    handle, flow = _op('TensorArrayV3', size, dtype=tf.float32)
    return _op('TensorArraySizeV3', handle, flow)


def _read(tf, x, index=1):
    handle, flow = _array(tf, x)
    return _op('TensorArrayReadV3', handle, index, flow, dtype=x.dtype)


def _written(tf, x, index=2):
    handle, flow = _op('TensorArrayV3', 2, dtype=x.dtype, dynamic_size=True)
    for i, place in enumerate((0, 1, index)):
        flow = _op('TensorArrayWriteV3', handle, place, x[i], flow)
    return _op('TensorArrayGatherV3', handle, [2, 0], flow, dtype=x.dtype,
               element_shape=tf.TensorShape([2]))


def _gathered(tf, x):
    handle, flow = _array(tf, x, element_shape=tf.TensorShape([2]))
    return _op('TensorArrayGatherV3', handle, [2, 0, 2], flow, dtype=x.dtype,
               element_shape=tf.TensorShape([2]))


def _gradient(tf, x):
    """Two writes to one element add up; an element that is not written is zeros."""
    handle, flow = _array(tf, x)
    grad, flow = _op('TensorArrayGradV3', handle, flow, source='gradients')
    flow = _op('TensorArrayWriteV3', grad, 0, x[1], flow)
    flow = _op('TensorArrayWriteV3', grad, 0, x[2], flow)
    return _op('TensorArrayGatherV3', grad, [0, 1], flow, dtype=x.dtype)


def _split(tf, x, lengths=(1, 2)):
    handle, flow = _op('TensorArrayV3', 2, dtype=x.dtype)
    flow = _op('TensorArraySplitV3', handle, x, np.int64(lengths), flow)
    return handle, flow


def _concatenated(tf, x):
    handle, flow = _split(tf, x)
    return _op('TensorArrayConcatV3', handle, flow, dtype=x.dtype)


def _second_part(tf, x):
    handle, flow = _split(tf, x)
    return _op('TensorArrayReadV3', handle, 1, flow, dtype=x.dtype)


def _closed_array(tf, x):
    handle, flow = _array(tf, x)
    with tf.control_dependencies([flow]):
        close = _op('TensorArrayCloseV3', handle)
    with tf.control_dependencies([close]):
        return _op('TensorArraySizeV3', handle, flow)


def _stack(tf, x, pops=2):
    """What is pushed comes back in the other order."""
    handle = _op('StackV2', -1, elem_type=x.dtype)
    before = None
    for i in range(4):
        with tf.control_dependencies([] if before is None else [before]):
            before = _op('StackPushV2', handle, x[i])
    found = []
    for _ in range(pops):
        with tf.control_dependencies([before]):
            before = _op('StackPopV2', handle, elem_type=x.dtype)
            found.append(before)
    return found


def _closed_stack(tf, x):
    handle = _op('StackV2', -1, elem_type=x.dtype)
    with tf.control_dependencies([_op('StackPushV2', handle, x)]):
        close = _op('StackCloseV2', handle)
    with tf.control_dependencies([close]):
        return _op('StackPushV2', handle, x)


def _value(tf, optional, *tensors):
    return _op('OptionalGetValue', optional, output_types=tuple([t.dtype for t in tensors]),
               output_shapes=tuple([t.shape for t in tensors]))


def _optional_sum(tf, x, y):
    """Optionals add up and have zeros, as the gradient of a loop requires."""
    one, other = (_op('OptionalFromValue', [t, tf.reduce_sum(t)]) for t in (x, y))
    total = _op('AddN', [one, other, _op('ZerosLike', one)])
    return _value(tf, total, x, tf.reduce_sum(x))


def _no_value(tf):
    empty = _op('OptionalNone')
    return _value(tf, _op('AddN', [empty, _op('ZerosLike', empty)]), tf.ones([]))


def _empty_list(tf):
    return _op('EmptyTensorList', [2], 3, element_dtype=tf.float32)


def _has_values(tf, x):
    return [_op('OptionalHasValue', optional)
            for optional in (_op('OptionalFromValue', [x]), _op('OptionalNone'))]


def _spread(grad, indices, segments, rows, weight):
    out = np.zeros((int(rows), *grad.shape[1:]))
    for i, s in zip(indices, segments):
        out[i] += grad[s] * weight(np.sum(segments == s))
    return out


_INDICES, _SEGMENTS, _ROWS = np.int32([3, 0, 3, 1]), np.int32([0, 0, 1, 1]), np.int32(5)


def _segments(name, weight):
    return row(name, lambda tf, g, i, s, n: _op(name, g, i, s, n),
               [(2, 3), _INDICES, _SEGMENTS, _ROWS],
               ref=lambda g, i, s, n: _spread(g, i, s, n, weight), static_result=False,
               run_bad=[lambda tf: _op(name, tf.ones([1, 2]), [7], [0], 3)])


_NO = {'grad': False, 'unknown': False, 'static_result': False}

ROWS = [
    _of_result('SigmoidGrad', lambda y, dy: dy * y * (1 - y)),
    _of_result('TanhGrad', lambda y, dy: dy * (1 - y ** 2)),
    _of_result('SqrtGrad', lambda y, dy: dy / (2 * y)),
    _of_result('RsqrtGrad', lambda y, dy: -dy * y ** 3 / 2),
    _of_result('ReciprocalGrad', lambda y, dy: -dy * y ** 2),
    _of_result('InvGrad', lambda y, dy: -dy * y ** 2),
    row('ConcatOffset', lambda tf, a, b, c: _op('ConcatOffset', 1, [a, b, c]),
        [np.int32([2, 3, 5]), np.int32([2, 1, 5]), np.int32([2, 4, 5])],
        ref=lambda a, b, c: [[0, 0, 0], [0, 3, 0], [0, 4, 0]], grad=False,
        run_bad=[lambda tf: _op('ConcatOffset', 0, [[2, 3], [2, 4]])[0],
                 lambda tf: _op('ConcatOffset', 5, [[2, 3], [2, 4]])[0]]),
    _segments('SparseSegmentSumGrad', lambda n: 1.0),
    _segments('SparseSegmentMeanGrad', lambda n: 1 / n),
    _segments('SparseSegmentSqrtNGrad', lambda n: n ** -0.5),
    row('TensorArrayV3', lambda tf, n: _sized(tf, n), [np.int32(4)], ref=lambda n: n, **_NO),
    row('TensorArraySizeV3', lambda tf, n: _sized(tf, n), [np.int32(0)], ref=lambda n: n, **_NO),
    row('TensorArrayScatterV3', _gathered, [(3, 2)], ref=lambda x: x[[2, 0, 2]], **_NO,
        run_bad=[lambda tf: _array(tf, tf.ones([2, 2]))[1],
                 lambda tf: _array(tf, tf.ones([3, 2]), size=2)[1],
                 lambda tf: _array(tf, tf.ones([3, 2]), element_shape=tf.TensorShape([5]))[1]]),
    row('TensorArrayGatherV3', _gathered, [(3, 2)], ref=lambda x: x[[2, 0, 2]], **_NO),
    row('TensorArrayReadV3', _read, [(3, 2)], ref=lambda x: x[1], **_NO,
        run_bad=[lambda tf: _read(tf, tf.ones([3, 2]), 3), lambda tf: _read(tf, tf.ones([3]), -1)]),
    row('TensorArrayWriteV3', _written, [(3, 2)], ref=lambda x: x[[2, 0]], **_NO,
        run_bad=[lambda tf: _written(tf, tf.ones([3, 2]), 1)]),
    row('TensorArrayGradV3', _gradient, [(3, 2)], **_NO,
        ref=lambda x: np.stack([x[1] + x[2], 0 * x[1]])),
    row('TensorArraySplitV3', _second_part, [(3, 2)], ref=lambda x: x[1:], **_NO,
        run_bad=[lambda tf: _split(tf, tf.ones([3, 2]), (1, 1))[1]]),
    row('TensorArrayConcatV3', _concatenated, [(3, 2)], ref=lambda x: [x, [1, 2]], **_NO,
        run_bad=[lambda tf: _op('TensorArrayConcatV3', *_op('TensorArrayV3', 0, dtype=tf.float32),
                                dtype=tf.float32)[0]]),
    row('TensorArrayCloseV3', _closed_array, [(3, 2)], ref=lambda x: 0, **_NO),
    row('StackV2', _stack, [(4, 3)], ref=lambda x: [x[3], x[2]], **_NO),
    row('StackPushV2', _stack, [(4, 3)], ref=lambda x: [x[3], x[2]], **_NO),
    row('StackPopV2', _stack, [(4, 3)], ref=lambda x: [x[3], x[2]], **_NO,
        run_bad=[lambda tf: _stack(tf, tf.ones([4, 1]), 5)[-1]]),
    row('OptionalFromValue', _optional_sum, [(2, 3), (2, 3)], **_NO,
        ref=lambda x, y: [x + y, np.sum(x) + np.sum(y)]),
    row('OptionalGetValue', _optional_sum, [(2,), (2,)], **_NO,
        ref=lambda x, y: [x + y, np.sum(x) + np.sum(y)],
        run_bad=[lambda tf: _no_value(tf)[0],
                 lambda tf: _value(tf, _empty_list(tf), tf.ones([]))[0]]),
    row('OptionalNone', _has_values, [(3,)], ref=lambda x: [True, False], **_NO),
    row('OptionalHasValue', _has_values, [(3,)], ref=lambda x: [True, False], **_NO),
    row('StackCloseV2', _closed_stack, [(3,)], ref=lambda x: x, **_NO),
]

__all__ = ['ROWS', 'gradient_nodes', 'optionals', 'stacks']
