"""Rows of constants, placeholders, casts, shapes."""
import numpy as np

from tests.ops.rows import row

PARTS = np.array([[1.5, -2.5], [0.0, 3.9]])
TEXT = np.array([b'a', b'bc'], object)
HALF = np.array([1.0, -2.0, 0.5], np.float32)


def _broadcast(x):
    return np.concatenate([[x], [x], [x]])


ROWS = [
    row('Const', lambda tf: tf.constant([1, 2, 3]), ref=lambda: np.array([1, 2, 3], np.int32),
        grad=False),
    row('Const', lambda tf: tf.constant([1.0, 2.0], shape=[2, 2]), name='last value fills',
        ref=lambda: np.array([[1, 2], [2, 2]], np.float32), grad=False),
    row('Const', lambda tf: tf.zeros([2, 3], tf.int64), ref=lambda: np.array([[0] * 3] * 2),
        grad=False, name='zeros'),
    row('Placeholder', lambda tf, x: tf.identity(x), [(2, 3)], ref=lambda x: x,
        run_bad=[lambda tf: tf.placeholder(tf.float32) * 2.0]),
    row('PlaceholderWithDefault', lambda tf, x: tf.placeholder_with_default(x, [None, 3]),
        [(2, 3)], ref=lambda x: x, static_result=False,
        bad=[lambda tf: tf.placeholder_with_default([1.0], [2])]),
    row('Fill', lambda tf, x: tf.fill([2, 3], x), [()], ref=lambda x: np.array([[x] * 3] * 2),
        bad=[lambda tf: tf.fill(3, 1.0), lambda tf: tf.fill([-1], 1.0),
             lambda tf: tf.fill([2], [1.0, 2.0])],
        run_bad=[lambda tf: _fed(tf, lambda n: tf.fill([n], 1.0), np.int32(-2))]),
    row('Fill', lambda tf: tf.ones([30, 40]), ref=lambda: np.array([[1.0] * 40] * 30, np.float32),
        grad=False, name='ones'),
    row('ZerosLike', lambda tf, x: tf.zeros_like(x, optimize=False), [(2, 3)],
        ref=lambda x: x * 0, grad=False),
    row('ZerosLike', lambda tf, x: tf.zeros_like(x, optimize=False), [TEXT], grad=False,
        ref=lambda x: np.array([b'', b''], object), name='strings'),
    row('OnesLike', lambda tf, x: _ones_like(x), [(2, 3)], ref=lambda x: x * 0 + 1, grad=False),
    row('Range', lambda tf: tf.range(3, 18, 4), ref=lambda: np.array([3, 7, 11, 15], np.int32),
        grad=False, bad=[lambda tf: tf.range(0, 5, 0), lambda tf: tf.range([4]),
                         lambda tf: tf.range(5, 1)],
        run_bad=[lambda tf: _fed(tf, lambda n: tf.range(n), np.int32(-3))]),
    row('Range', lambda tf: tf.range(3, 1, -0.5), grad=False, name='down',
        ref=lambda: np.array([3, 2.5, 2, 1.5], np.float32)),
    row('Range', lambda tf, n: tf.range(n), [np.array(4)], ref=lambda n: np.array([0, 1, 2, 3]),
        grad=False, static_result=False, name='of a fed limit'),
    row('LinSpace', lambda tf, x, y: tf.linspace(x, y, 4), [np.array(1.0), np.array(2.5)],
        ref=lambda x, y: np.array([1, 1.5, 2, 2.5]), grad=False,
        bad=[lambda tf: tf.linspace(0.0, 1.0, 0), lambda tf: tf.linspace([0.0], 1.0, 2)],
        run_bad=[lambda tf: _fed(tf, lambda n: tf.linspace(0.0, 1.0, n), np.int32(0))]),
    row('LinSpace', lambda tf: tf.linspace(3.0, 9.0, 1), ref=lambda: np.array([3.0], np.float32),
        grad=False, name='one value'),
    row('Identity', lambda tf, x: tf.identity(x), [(2, 3)], ref=lambda x: x),
    row('IdentityN', lambda tf, x, y: tf.identity_n([x, y]), [(2, 3), (4,)],
        ref=lambda x, y: [x, y]),
    row('StopGradient', lambda tf, x: tf.stop_gradient(x), [(2, 3)], ref=lambda x: x, grad=False),
    row('PreventGradient', lambda tf, x: _prevent_gradient(x), [(2,)], ref=lambda x: x, grad=False),
    row('GuaranteeConst', lambda tf, x: tf.guarantee_const(x), [(2, 3)], ref=lambda x: x,
        grad=False),
    row('EnsureShape', lambda tf, x: tf.ensure_shape(x, [None, 3]), [(2, 3)], ref=lambda x: x,
        bad=[lambda tf: tf.ensure_shape(tf.zeros([3]), [2])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.ensure_shape(x, [2]), np.zeros(3, np.float32))]),
    row('CheckNumerics', lambda tf, x: tf.check_numerics(x, 'x is wrong'), [(2, 3)],
        ref=lambda x: x,
        run_bad=[lambda tf: tf.check_numerics(tf.constant([1.0, np.nan]), 'nan'),
                 lambda tf: tf.check_numerics(tf.constant([np.inf]), 'inf')]),
    row('Cast', lambda tf, x: tf.cast(x, tf.int32), [PARTS], grad=False,
        ref=lambda x: np.array([[1, -2], [0, 3]], np.int32),
        run_bad=[lambda tf: tf.cast(tf.constant('a'), tf.int32)]),
    row('Cast', lambda tf, x: tf.cast(x, tf.bool), [PARTS], grad=False, name='to bool',
        ref=lambda x: np.array([[True, True], [False, True]])),
    row('Cast', lambda tf, x: tf.cast(x, tf.float64), [np.array([1, -2])], grad=False,
        name='of ints', ref=lambda x: np.array([1.0, -2.0])),
    row('Cast', lambda tf, x: tf.cast(x, tf.complex128), [(3,)], grad=False, name='to complex',
        ref=lambda x: x + 0j),
    row('Cast', lambda tf, x: tf.cast(x, tf.float64), [(3,)], grad=False, dtype='complex128',
        name='real part', ref=lambda x: np.real(x)),
    row('Cast', lambda tf, x: tf.cast(tf.cast(x, tf.float32), tf.float64), [HALF], grad=False,
        name='there and back', ref=lambda x: np.array([1.0, -2.0, 0.5])),
    row('Bitcast', lambda tf, x: tf.bitcast(x, tf.int32), [HALF], grad=False,
        ref=lambda x: np.frombuffer(x.tobytes(), np.int32),
        bad=[lambda tf: tf.bitcast(tf.zeros([2, 3], tf.uint8), tf.float32)]),
    row('Bitcast', lambda tf, x: tf.bitcast(x, tf.uint8), [HALF], grad=False, name='narrower',
        ref=lambda x: np.frombuffer(x.tobytes(), np.uint8).reshape(3, 4)),
    row('Bitcast', lambda tf, x: tf.bitcast(x, tf.float64), [HALF[:2].reshape(1, 2)], grad=False,
        name='wider', ref=lambda x: np.frombuffer(x.tobytes(), np.float64)),
    row('Shape', lambda tf, x: _shape(x), [(2, 3)], ref=lambda x: np.array([2, 3], np.int32),
        grad=False),
    row('ShapeN', lambda tf, x, y: tf.shape_n([x, y]), [(2, 3), ()], grad=False,
        ref=lambda x, y: [np.array([2, 3], np.int32), np.array([], np.int32)]),
    row('Size', lambda tf, x: _size(x), [(2, 3)], ref=lambda x: np.int32(6), grad=False),
    row('Rank', lambda tf, x: _rank(x), [(2, 3)], ref=lambda x: np.int32(2), grad=False),
    row('BroadcastTo', lambda tf, x: tf.broadcast_to(x, [3, 2]), [(2,)], ref=_broadcast,
        bad=[lambda tf: tf.broadcast_to(tf.zeros([2]), [3, 3]),
             lambda tf: tf.broadcast_to(tf.zeros([2, 1]), [2])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.broadcast_to(x, [3, 3]), HALF[:2])]),
    row('BroadcastTo', lambda tf, x: tf.broadcast_to(x, [2, 3, 2]), [(3, 1)], name='inner axis',
        ref=lambda x: np.array([np.concatenate([x, x], 1)] * 2)),
    row('BroadcastArgs', lambda tf, x, y: tf.broadcast_dynamic_shape(x, y),
        [np.array([2, 1, 3]), np.array([4, 1])], ref=lambda x, y: np.array([2, 4, 3]), grad=False,
        run_bad=[lambda tf: tf.broadcast_dynamic_shape([2], [3])], static_result=False),
    row('BroadcastGradientArgs', lambda tf, x, y: _gradient_args(x, y),
        [np.array([2, 1, 3]), np.array([4, 1])], grad=False, static_result=False,
        ref=lambda x, y: [np.array([1]), np.array([0, 2])]),
]


def _fed(tf, build, value):
    """A node of a placeholder without a known shape, and what to feed."""
    x = tf.placeholder(value.dtype)
    return build(x), {x: value}


def _ones_like(x):
    from tinyflow.ops.array.constants import OnesLike
    return OnesLike.apply(x)


def _prevent_gradient(x):
    from tinyflow.ops.array.identity_and_cast import prevent_gradient
    return prevent_gradient(x, 'no')


def _shape(x):
    from tinyflow.ops.array.shape_ops import Shape
    return Shape.apply(x)


def _size(x):
    from tinyflow.ops.array.shape_ops import Size
    return Size.apply(x)


def _rank(x):
    from tinyflow.ops.array.shape_ops import Rank
    return Rank.apply(x)


def _gradient_args(x, y):
    from tinyflow.ops.array.shape_ops import BroadcastGradientArgs
    return BroadcastGradientArgs.apply(x, y)
