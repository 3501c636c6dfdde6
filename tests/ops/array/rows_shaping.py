"""Rows of reshape, transpose, concat, split, pad and the like."""
import numpy as np

from tests.ops.rows import row


def _fed(tf, build, value):
    """A node of a placeholder without a known shape, and what to feed."""
    x = tf.placeholder(value.dtype)
    return build(x), {x: value}


ZEROS = np.zeros([2, 3], np.float32)


def _tiled(x, times):
    for axis, count in enumerate(times):
        x = np.concatenate([x] * count, axis)
    return x


def _mirrored(x, before, after, edge):
    """A vector continued by its mirror image."""
    n = len(x)
    period = 2 * n if edge else 2 * n - 2
    places = [abs(i) if not edge else i if i >= 0 else -i - 1 for i in range(-before, n + after)]
    places = [p if p < n else period - p - (1 if edge else 0) for p in places]
    return np.array([x[p] for p in places])


def _reversed_sequences(x, lengths):
    out = x.copy()
    for i, n in enumerate(lengths):
        out[i, :n] = x[i, :n][::-1]
    return out


def _space_to_depth(x, b):
    n, h, w, c = x.shape
    out = np.zeros([n, h // b, w // b, b * b * c], x.dtype)
    for i in range(h):
        for j in range(w):
            place = (i % b * b + j % b) * c
            out[:, i // b, j // b, place:place + c] = x[:, i, j]
    return out


def _space_to_batch(x, block, paddings):
    x = np.concatenate([np.zeros([len(x), paddings[0], *x.shape[2:]]), x,
                        np.zeros([len(x), paddings[1], *x.shape[2:]])], 1)
    return np.concatenate([x[:, i::block] for i in range(block)], 0)


def _stacked(x, y):
    out = np.zeros((*x.shape, 2))
    out[..., 0], out[..., 1] = x, y
    return out


def _parallel_stack(tf, x, y):
    x.set_shape([2, 3])
    y.set_shape([2, 3])
    return tf.parallel_stack([x, y])


def _mirror_grad(x):
    from tinyflow.ops.array.padding import MirrorPadGrad
    return MirrorPadGrad.apply(x, [[1, 2]], mode='SYMMETRIC')


def _without(x, *axes):
    return x.reshape([d for i, d in enumerate(x.shape) if i not in axes])


ROWS = [
    row('Reshape', lambda tf, x: tf.reshape(x, [3, 2]), [(2, 3)],
        ref=lambda x: np.array([x.flat[:2], x.flat[2:4], x.flat[4:]]),
        bad=[lambda tf: tf.reshape(tf.zeros([2, 3]), [4]),
             lambda tf: tf.reshape(tf.zeros([2, 3]), [4, -1]),
             lambda tf: tf.reshape(tf.zeros([2, 3]), [-1, -1]),
             lambda tf: tf.reshape(tf.zeros([2, 3]), 6)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.reshape(x, [4]), ZEROS)]),
    row('Reshape', lambda tf, x: tf.reshape(x, [-1]), [(2, 3)], ref=lambda x: x.flatten(),
        name='minus one'),
    row('Reshape', lambda tf, x: tf.reshape(x, [tf.shape(x)[0], 6]), [(2, 2, 3)], name='partly',
        ref=lambda x: np.array([x[0].flatten(), x[1].flatten()]), unknown=False),
    row('Reshape', lambda tf, x: tf.reshape(x, [0, 5]), [(2, 0)], name='empty',
        ref=lambda x: np.zeros([0, 5]), grad=False),
    row('Transpose', lambda tf, x: tf.transpose(x, [2, 0, 1]), [(2, 3, 4)],
        ref=lambda x: np.moveaxis(x, 2, 0),
        bad=[lambda tf: tf.transpose(tf.zeros([2, 3]), [0]),
             lambda tf: tf.transpose(tf.zeros([2, 3]), [0, 2]),
             lambda tf: tf.transpose(tf.zeros([2, 3]), [0, 0])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.transpose(x, [0, 2, 1]), ZEROS)]),
    row('Transpose', lambda tf, x: tf.transpose(x), [(2, 3)], ref=lambda x: x.T, name='reversed'),
    row('Transpose', lambda tf, x: tf.matrix_transpose(x), [(2, 3, 4)], name='matrices',
        ref=lambda x: np.array([m.T for m in x])),
    row('ConjugateTranspose', lambda tf, x: tf.transpose(x, conjugate=True), [(2, 3)],
        dtype='complex128', ref=lambda x: x.conj().T, grad=False,
        bad=[lambda tf: tf.transpose(tf.zeros([2, 3], tf.complex64), [0], conjugate=True)]),
    row('ExpandDims', lambda tf, x: tf.expand_dims(x, 1), [(2, 3)],
        ref=lambda x: x.reshape(2, 1, 3), bad=[lambda tf: tf.expand_dims(tf.zeros([2, 3]), 4)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.expand_dims(x, 4), ZEROS)]),
    row('ExpandDims', lambda tf, x: tf.expand_dims(x, -1), [(2, 3)], name='last',
        ref=lambda x: x.reshape(2, 3, 1)),
    row('Squeeze', lambda tf, x: tf.squeeze(x, [1, -1]), [(2, 1, 3, 1)],
        ref=lambda x: x.reshape(2, 3), bad=[lambda tf: tf.squeeze(tf.zeros([2, 3]), 1),
                                            lambda tf: tf.squeeze(tf.zeros([2, 1]), 2)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.squeeze(x, 0), ZEROS)]),
    row('Squeeze', lambda tf, x: tf.squeeze(x), [(1, 2, 1)], ref=lambda x: x.reshape(2),
        name='all'),
    row('ConcatV2', lambda tf, x, y: tf.concat([x, y], 1), [(2, 3), (2, 1)],
        ref=lambda x, y: np.array([[*a, *b] for a, b in zip(x, y)]),
        bad=[lambda tf: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 0),
             lambda tf: tf.concat([tf.zeros([2]), tf.zeros([2, 4])], 0),
             lambda tf: tf.concat([tf.zeros([2]), tf.zeros([2])], 1)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.concat([x, tf.zeros([2])], 0), ZEROS)]),
    row('ConcatV2', lambda tf, x, y: tf.concat([x, y, x], -2), [(2, 3), (1, 3)], name='rows',
        ref=lambda x, y: np.array([*x, *y, *x])),
    row('ParallelConcat', _parallel_stack, [(2, 3), (2, 3)], ref=lambda x, y: np.array([x, y]),
        grad=False),
    row('Pack', lambda tf, x, y: tf.stack([x, y], axis=-1), [(2, 3), (2, 3)], ref=_stacked,
        bad=[lambda tf: tf.stack([tf.zeros([2]), tf.zeros([3])])]),
    row('Unpack', lambda tf, x: tf.unstack(x, num=3, axis=1), [(2, 3, 4)],
        ref=lambda x: [x[:, 0], x[:, 1], x[:, 2]],
        bad=[lambda tf: tf.unstack(tf.zeros([2, 3]), num=3)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.unstack(x, num=3)[0], ZEROS)]),
    row('Split', lambda tf, x: tf.split(x, 2, axis=1), [(3, 4)],
        ref=lambda x: [x[:, :2], x[:, 2:]],
        bad=[lambda tf: tf.split(tf.zeros([2, 3]), 2, axis=1)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.split(x, 2, axis=1)[0], ZEROS)]),
    row('SplitV', lambda tf, x: tf.split(x, [1, -1, 2], axis=-1), [(2, 6)],
        ref=lambda x: [x[:, :1], x[:, 1:4], x[:, 4:]],
        bad=[lambda tf: tf.split(tf.zeros([2, 3]), [2, 2], axis=1),
             lambda tf: tf.split(tf.zeros([2, 3]), [-1, -1], axis=1),
             lambda tf: tf.split(tf.zeros([2, 3]), [4, -1], axis=1)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.split(x, [2, 2], axis=1)[0], ZEROS)]),
    row('Tile', lambda tf, x: tf.tile(x, [2, 3]), [(2, 2)], ref=lambda x: _tiled(x, (2, 3)),
        bad=[lambda tf: tf.tile(tf.zeros([2, 3]), [1]),
             lambda tf: tf.tile(tf.zeros([2, 3]), [1, -1])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.tile(x, [1]), ZEROS)]),
    row('Tile', lambda tf, x: tf.tile(x, [0, 2]), [(2, 2)], ref=lambda x: np.zeros([0, 4]),
        grad=False, name='empty'),
    row('Pad', lambda tf, x: tf.pad(x, [[1, 0], [2, 1]]), [(2, 3)],
        ref=lambda x: np.array([[0] * 6, *[[0, 0, *r, 0] for r in x]]),
        bad=[lambda tf: tf.pad(tf.zeros([2, 3]), [[1, 1]]),
             lambda tf: tf.pad(tf.zeros([2]), [[-1, 1]])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.pad(x, [[1, 1]]), ZEROS)]),
    row('PadV2', lambda tf, x, v: tf.pad(x, [[1, 2]], constant_values=v), [(3,), ()],
        ref=lambda x, v: np.array([v, *x, v, v])),
    row('MirrorPad', lambda tf, x: tf.pad(x, [[2, 1]], 'REFLECT'), [(3,)],
        ref=lambda x: _mirrored(x, 2, 1, False),
        bad=[lambda tf: tf.pad(tf.zeros([2]), [[2, 0]], 'REFLECT'),
             lambda tf: tf.pad(tf.zeros([2]), [[3, 0]], 'SYMMETRIC')],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.pad(x, [[2, 0], [0, 0]], 'REFLECT'), ZEROS)]),
    row('MirrorPad', lambda tf, x: tf.pad(x, [[0, 0], [3, 2]], 'SYMMETRIC'), [(2, 3)],
        ref=lambda x: np.array([_mirrored(r, 3, 2, True) for r in x]), name='with the edge'),
    row('MirrorPadGrad', lambda tf, x: _mirror_grad(x), [(6,)],
        ref=lambda x: np.array([x[1] + x[0], x[2] + x[5], x[3] + x[4]])),
    row('ReverseV2', lambda tf, x: tf.reverse(x, [-1, 0]), [(2, 3)],
        ref=lambda x: x.flatten()[::-1].reshape(2, 3),
        bad=[lambda tf: tf.reverse(tf.zeros([2, 3]), [2]),
             lambda tf: tf.reverse(tf.zeros([2, 3]), [1, -1])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.reverse(x, [2]), ZEROS)]),
    row('ReverseSequence', lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=1),
        [(3, 4, 2), np.array([2, 4, 0])], ref=_reversed_sequences,
        bad=[lambda tf: tf.reverse_sequence(tf.zeros([2, 3]), [1], seq_axis=1),
             lambda tf: tf.reverse_sequence(tf.zeros([2, 3]), [1, 2], seq_axis=2)],
        run_bad=[lambda tf: tf.reverse_sequence(tf.zeros([2, 3]), [1, 4], seq_axis=1)]),
    row('ReverseSequence', lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=0, batch_axis=1),
        [(4, 3), np.array([2, 4, 0], np.int32)], name='time first',
        ref=lambda x, n: _reversed_sequences(x.T, n).T),
    row('Roll', lambda tf, x: tf.roll(x, [1, -1], [0, 1]), [(2, 3)],
        ref=lambda x: x[::-1][:, [1, 2, 0]],
        run_bad=[lambda tf: tf.roll(tf.zeros([2]), 1, 2)], bad=[lambda tf: tf.roll(1.0, 1, 0)]),
    row('SpaceToDepth', lambda tf, x: tf.space_to_depth(x, 2), [(2, 4, 6, 3)],
        ref=lambda x: _space_to_depth(x, 2),
        bad=[lambda tf: tf.space_to_depth(tf.zeros([1, 4, 5, 1]), 2),
             lambda tf: tf.space_to_depth(tf.zeros([4, 5, 1]), 2)],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.space_to_depth(x, 2), ZEROS)]),
    row('SpaceToDepth', lambda tf, x: tf.space_to_depth(x, 2, data_format='NCHW'), [(2, 3, 4, 6)],
        name='NCHW', ref=lambda x: np.moveaxis(_space_to_depth(np.moveaxis(x, 1, 3), 2), 3, 1)),
    row('DepthToSpace', lambda tf, x: [tf.depth_to_space(x, 2),
                                       tf.space_to_depth(tf.depth_to_space(x, 2), 2)],
        [(1, 2, 3, 8)], ref=lambda x: [_depth_to_space(x, 2), x],
        bad=[lambda tf: tf.depth_to_space(tf.zeros([1, 4, 5, 3]), 2)]),
    row('DepthToSpace', lambda tf, x: tf.depth_to_space(x, 2, data_format='NCHW'), [(1, 8, 2, 3)],
        name='NCHW', ref=lambda x: np.moveaxis(_depth_to_space(np.moveaxis(x, 1, 3), 2), 3, 1)),
    row('SpaceToBatchND', lambda tf, x: tf.space_to_batch_nd(x, [2], [[1, 2]]), [(2, 3, 2)],
        ref=lambda x: _space_to_batch(x, 2, (1, 2)),
        bad=[lambda tf: tf.space_to_batch_nd(tf.zeros([1, 3]), [2], [[0, 0]]),
             lambda tf: tf.space_to_batch_nd(tf.zeros([1, 4]), [2, 2], [[0, 0]])]),
    row('SpaceToBatchND', lambda tf, x: tf.space_to_batch(x, [[0, 0], [0, 0]], 2), [(1, 4, 2, 3)],
        name='images', ref=lambda x: np.concatenate([x[:, i::2, j::2] for i in (0, 1)
                                                     for j in (0, 1)])),
    row('BatchToSpaceND', lambda tf, x: tf.batch_to_space_nd(x, [2], [[1, 2]]), [(4, 3, 2)],
        ref=lambda x: np.stack([x[:2], x[2:]], 2).reshape(2, 6, 2)[:, 1:4],
        bad=[lambda tf: tf.batch_to_space_nd(tf.zeros([3, 4]), [2], [[0, 0]]),
             lambda tf: tf.batch_to_space_nd(tf.zeros([2, 2]), [2], [[3, 3]])]),
    row('BatchToSpaceND', lambda tf, x: tf.batch_to_space(
        tf.space_to_batch(x, [[1, 1], [0, 0]], 2), [[1, 1], [0, 0]], 2), [(1, 2, 4, 3)],
        name='there and back', ref=lambda x: x),
]


def _depth_to_space(x, b):
    n, h, w, c = x.shape
    c //= b * b
    out = np.zeros([n, h * b, w * b, c], x.dtype)
    for i in range(h * b):
        for j in range(w * b):
            place = (i % b * b + j % b) * c
            out[:, i, j] = x[:, i // b, j // b, place:place + c]
    return out
