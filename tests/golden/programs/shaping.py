"""Rearranging: reshape, transpose, concat, stack, split, pad and their kin."""
from .registry import program, run


@program
def reshape_forms(tf, np):
    x = tf.placeholder(tf.float32, [None, 2, 3])
    k = tf.range(6)
    fetches = [tf.reshape(x, [-1, 6]), tf.reshape(x, [-1]), tf.reshape(k, [2, 3]),
               tf.reshape(k, (3, -1)), tf.reshape(k[:1], []), tf.reshape(x, [tf.shape(x)[0], 6]),
               tf.reshape(x, tf.shape(x))]
    return [run(fetches, {x: np.arange(12).reshape(2, 2, 3)})]


@program
def transpose_forms(tf, np):
    m = tf.constant([[1, 2, 3], [4, 5, 6]])
    c = tf.constant(np.arange(6).reshape(1, 2, 3))
    u = tf.placeholder(tf.float32)
    fetches = [tf.transpose(m), tf.transpose(c, [2, 0, 1]),
               tf.transpose(c, perm=[0, 2, 1], name='swap'),
               tf.transpose(u), tf.matrix_transpose(c)]
    return [run(fetches, {u: [[1, 2]]})]


@program
def concat_forms(tf, np):
    a = tf.constant([[1, 2], [3, 4]])
    b = tf.constant([[5, 6]])
    x = tf.placeholder(tf.int32, [None, 2])
    fetches = [tf.concat([a, b], 0), tf.concat([a, a], axis=1), tf.concat([a, a], -1),
               tf.concat([a], 0),
               tf.concat([a, x], 0), tf.concat(values=[b, b, b], axis=0, name='thrice')]
    return [run(fetches, {x: [[7, 8]]})]


@program
def stack_and_unstack(tf, np):
    a = tf.constant([1, 2, 3])
    b = tf.constant([4, 5, 6])
    m = tf.stack([a, b])
    first, second = tf.unstack(m)
    columns = tf.unstack(m, axis=1)
    x = tf.placeholder(tf.float32, [None, 2])
    return [run([m, tf.stack([a, b], axis=1), tf.stack([a, b], -1), first, second, columns,
                 tf.unstack(x, num=2, axis=1), tf.parallel_stack([a, b])], {x: [[1, 2]]})]


@program
def split_forms(tf, np):
    m = tf.constant(np.arange(12).reshape(2, 6))
    return [run([tf.split(m, 3, axis=1), tf.split(m, 2), tf.split(m, [1, 2, 3], 1),
                 tf.split(value=m, num_or_size_splits=[2, -1], axis=1),
                 tf.split(m, 1, name='whole')])]


@program
def tile_and_repeat(tf, np):
    a = tf.constant([[1, 2]])
    fetches = [tf.tile(a, [2, 3]), tf.tile(a, (1, 1)), tf.repeat([1, 2, 3], 2),
               tf.repeat([3, 4], [1, 2]),
               tf.repeat(a, 2, axis=0)]
    return [run(fetches)]


@program
def pad_modes(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    ends = [[1, 1], [2, 1]]
    x = tf.placeholder(tf.float32, [None, 3])
    fetches = [tf.pad(m, ends), tf.pad(m, ends, 'REFLECT'),
               tf.pad(m, [[1, 0], [1, 1]], mode='SYMMETRIC'),
               tf.pad(m, ends, constant_values=9.0), tf.pad(x, [[0, 1], [0, 0]])]
    return [run(fetches, {x: [[1, 2, 3]]})]


@program
def expand_dims_and_squeeze(tf, np):
    a = tf.constant([1, 2])
    x = tf.placeholder(tf.float32, [None, 1, 2, 1])
    fetches = [tf.expand_dims(a, 0), tf.expand_dims(a, -1), tf.expand_dims(a, axis=1),
               tf.squeeze(x, [1]),
               tf.squeeze(x, axis=[1, 3]), tf.squeeze([[[5]]]), tf.squeeze(x, squeeze_dims=[-1])]
    return [run(fetches, {x: np.ones([2, 1, 2, 1])})]


@program
def reverse_forms(tf, np):
    m = tf.constant([[1, 2, 3], [4, 5, 6]])
    fetches = [tf.reverse(m, [0]), tf.reverse(m, axis=[1]), tf.reverse(m, [0, -1]),
               tf.reverse_sequence(m, [2, 3], seq_axis=1), tf.reverse_v2(m, [1])]
    return [run(fetches)]


@program
def identity_and_stop_gradient(tf, np):
    a = tf.constant([1.0, 2.0])
    return [run([tf.identity(a), tf.identity(a, name='copy'), tf.stop_gradient(a),
                 tf.identity_n([a, a]), tf.stop_gradient(a * 2, name='frozen')])]


@program
def meshgrid_and_space_depth(tf, np):
    x, y = tf.meshgrid(tf.range(3), tf.range(2))
    rows, cols = tf.meshgrid([1.0, 2.0], [5.0], indexing='ij')
    image = tf.reshape(tf.range(16), [1, 4, 4, 1])
    packed = tf.space_to_depth(image, 2)
    return [run([x, y, rows, cols, packed, tf.depth_to_space(packed, 2)])]


@program
def roll_and_manip(tf, np):
    m = tf.constant([[1, 2, 3], [4, 5, 6]])
    return [run([tf.roll(m, 1, 0), tf.roll(m, shift=[1, -1], axis=[0, 1])])]


@program
def sequence_mask_forms(tf, np):
    lengths = tf.placeholder(tf.int32, [None])
    fetches = [tf.sequence_mask([1, 3, 2], 5), tf.sequence_mask(lengths),
               tf.sequence_mask(lengths, maxlen=4, dtype=tf.float32)]
    return [run(fetches, {lengths: [0, 2]})]
