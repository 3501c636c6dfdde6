"""tensor[...] in every form that NumPy users expect and TF1 has."""
from .registry import program, run


def _matrix(tf, np):
    return tf.constant(np.arange(12, dtype=np.int32).reshape(3, 4), name='m')


@program
def index_integers(tf, np):
    m = _matrix(tf, np)
    return [run([m[0], m[-1], m[1, 2], m[-1, -1], m[0][1]])]


@program
def index_slices(tf, np):
    m = _matrix(tf, np)
    return [run([m[1:], m[:2], m[:, 1], m[:, 1:3], m[1:2, 1:2], m[:-1, -2:], m[:], m[2:1]])]


@program
def index_strides(tf, np):
    m = _matrix(tf, np)
    return [run([m[::2], m[:, ::-1], m[::-1, ::2], m[:, 3:0:-2], m[1::2, ::3], m[5:, 0]])]


@program
def index_newaxis_and_ellipsis(tf, np):
    m = _matrix(tf, np)
    fetches = [m[tf.newaxis], m[:, tf.newaxis], m[..., tf.newaxis], m[..., 0], m[0, ...],
               m[tf.newaxis, 1, ..., tf.newaxis], m[None, :, 2], m[..., 1:3]]
    return [run(fetches)]


@program
def index_with_tensors(tf, np):
    m = _matrix(tf, np)
    i = tf.placeholder(tf.int32, [], name='i')
    return [run([m[i], m[i, i + 1], m[:i], m[i:, 0], m[::i]], {i: 1}), run(m[i], {i: -1})]


@program
def index_unknown_shapes(tf, np):
    x = tf.placeholder(tf.float32, [None, 3])
    u = tf.placeholder(tf.float32)
    data = np.arange(6).reshape(2, 3)
    return [run([x[0], x[:, 0], x[1:], x[:, :2], u[0], u[..., -1]], {x: data, u: data})]


@program
def index_of_shape(tf, np):
    x = tf.placeholder(tf.float32, [None, 5])
    rows = tf.shape(x)[0]
    last = tf.shape(x)[-1]
    return [run([rows, last, rows * last], {x: np.zeros([4, 5])})]


@program
def index_strings_and_bools(tf, np):
    s = tf.constant(['a', 'b', 'c'])
    p = tf.constant([True, False, True])
    return [run([s[1], s[::2], p[0], p[1:]])]


@program
def index_gradient(tf, np):
    x = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    y = tf.reduce_sum(x[1:, ::2] * 3.0) + x[0, 0] + tf.reduce_sum(x[-1] * x[-1])
    return [run(tf.gradients(y, x))]


@program
def index_variable(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    row = v[0]
    cell = v[1, 1]
    change = v[0, 1].assign(9.0)
    return [run(tf.global_variables_initializer()), run([row, cell]), run(change), run([row, v])]


@program
def boolean_mask_forms(tf, np):
    m = _matrix(tf, np)
    keep = tf.constant([True, False, True])
    x = tf.placeholder(tf.float32, [None])
    fetches = [tf.boolean_mask(m, keep), tf.boolean_mask(m, m > 5),
               tf.boolean_mask(m, [True, False, False, True], axis=1), tf.boolean_mask(x, x > 0)]
    return [run(fetches, {x: [1, -1, 2]})]


@program
def slice_and_strided_slice(tf, np):
    m = _matrix(tf, np)
    fetches = [tf.slice(m, [1, 0], [2, 2]), tf.slice(m, [0, 1], [-1, -1]),
               tf.strided_slice(m, [0, 0], [3, 4], [2, 2]), tf.strided_slice(m, [1], [2]),
               tf.strided_slice(m, [0, 3], [3, 0], [1, -1])]
    return [run(fetches)]
