"""tf.gradients: several ends, weights, gaps, second order, and gradients of shaped things."""
from .registry import functional, program, run


@program
def gradient_of_a_polynomial(tf, np):
    x = tf.placeholder(tf.float32, [], name='x')
    y = x ** 3 + 2.0 * x * x - x
    return [run([y, tf.gradients(y, x)], {x: 2.0})]


@program
def gradient_wrt_several(tf, np):
    a = tf.constant([1.0, 2.0])
    b = tf.constant([3.0, 4.0])
    c = a * b + a
    d = tf.reduce_sum(c * c)
    return [run([tf.gradients(d, [a, b, c]), tf.gradients([c, d], [a])])]


@program
def gradient_with_grad_ys(tf, np):
    x = tf.constant([1.0, 2.0])
    y = x * x
    z = tf.sin(x)
    return [run([tf.gradients(y, x, grad_ys=[tf.constant([10.0, 100.0])]),
                 tf.gradients([y, z], [x], grad_ys=[tf.ones([2]), 2 * tf.ones([2])])])]


@program
def gradient_that_is_none(tf, np):
    x = tf.constant(1.0)
    unrelated = tf.constant(2.0)
    y = x * 3.0
    g = tf.gradients(y, [x, unrelated])
    return [run([g[0], tf.constant([g[1] is None])])]


@program
def gradient_of_itself(tf, np):
    x = tf.constant([1.0, 2.0])
    return [run(tf.gradients(x, x))]


@program
def second_order_gradient(tf, np):
    x = tf.placeholder(tf.float32, [2])
    y = tf.reduce_sum(x ** 3 + tf.sin(x))
    first = tf.gradients(y, x)[0]
    second = tf.gradients(first, x)[0]
    third = tf.gradients(second, x)[0]
    return [run([first, second, third], {x: [1.0, 2.0]})]


@functional
def hessian(tf, np):
    x = tf.constant([1.0, 2.0])
    y = x[0] * x[0] * x[1] + x[1] ** 3
    return [run(tf.hessians(y, x))]


@program
def gradient_stop_gradients(tf, np):
    a = tf.constant(2.0)
    b = a * 3.0
    y = a * b + b
    return [run([tf.gradients(y, [a, b]), tf.gradients(y, [a, b], stop_gradients=[a, b])])]


@program
def gradient_through_stop_gradient(tf, np):
    x = tf.constant([1.0, -2.0])
    return [run(tf.gradients(x * tf.stop_gradient(x * x), x))]


@program
def gradient_of_a_shared_node(tf, np):
    x = tf.constant(1.5)
    h = x
    for _ in range(4):
        h = h + h
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [run([tf.gradients(h, x), tf.gradients(tf.matmul(w, w), w)])]


@program
def gradient_of_broadcasting(tf, np):
    a = tf.placeholder(tf.float32, [None, 2])
    b = tf.constant([1.0, 2.0])
    c = tf.constant([[3.0], [4.0], [5.0]])
    s = tf.constant(2.0)
    y = (a * b + c) / s - b
    return [run(tf.gradients(y, [a, b, c, s]), {a: np.arange(6).reshape(3, 2)})]


@program
def gradient_of_matmul(tf, np):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = tf.matmul(x, w) ** 2
    t = tf.matmul(w, w, transpose_b=True) ** 2
    u = tf.matmul(w, w, transpose_a=True) ** 2
    return [run([tf.gradients(y, [x, w]), tf.gradients(t, w), tf.gradients(u, w)],
                {x: [[1, 2], [0, 1]]})]


@program
def gradient_of_reductions(tf, np):
    x = tf.constant([[1.0, 5.0, 5.0], [4.0, 2.0, 3.0]])
    ys = [tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_max(x, 1), tf.reduce_min(x),
          tf.reduce_prod(x, 1),
          tf.reduce_logsumexp(x, 1)]
    return [run([tf.gradients(y, x) for y in ys])]


@program
def gradient_of_shaping(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    w = tf.constant([1.0, 10.0, 100.0, 1000.0])
    ys = [tf.reshape(x, [4]) * w, tf.transpose(x) * [[1.0, 2.0], [3.0, 4.0]],
          tf.concat([x, 2 * x], 0) ** 2,
          tf.stack([x, x]) * [[[1.0]], [[3.0]]], tf.tile(x, [1, 2]) * w,
          tf.pad(x, [[1, 0], [0, 1]]) ** 2,
          tf.unstack(x)[1], tf.split(x, 2, 1)[0] ** 2, tf.expand_dims(x, 0) ** 2,
          tf.reverse(x, [0]) * [1.0, 2.0]]
    return [run([tf.gradients(y, x) for y in ys])]


@program
def gradient_of_selection(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ys = [tf.where(x > 2.5, x * x, -x), tf.gather_nd(x, [[0, 1], [2, 0], [0, 1]]),
          tf.boolean_mask(x, [True, False, True]),
          tf.slice(x, [1, 0], [2, 1]) ** 2, tf.maximum(x, 3.0), tf.minimum(x, 3.0), tf.abs(x - 3.0),
          tf.nn.top_k(x, 1).values ** 2, tf.cumsum(x, 0) * [1.0, 2.0]]
    return [run([tf.gradients(y, x) for y in ys])]


@program
def gradient_of_gather_is_indexed_slices(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = tf.gather(x, [0, 2, 0]) ** 2
    g = tf.gradients(y, x)[0]
    return [run(x.initializer), run([g.values, g.indices, tf.convert_to_tensor(g)]), run(g)]


@program
def gradient_of_linalg(tf, np):
    m = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    ys = [tf.matrix_inverse(m), tf.matrix_determinant(m), tf.trace(tf.matmul(m, m)), tf.cholesky(m),
          tf.norm(m),
          tf.matrix_solve(m, [[1.0], [2.0]]), tf.tensordot(m, m, 1), tf.einsum('ij,jk->ik', m, m)]
    return [run([tf.gradients(y, m) for y in ys])]


@program
def gradient_of_activations(tf, np):
    x = tf.constant([-3.0, -0.5, 0.0, 0.5, 7.0])
    nn = tf.nn
    ys = [f(x) for f in [nn.relu, nn.relu6, nn.elu, nn.selu, nn.softplus, nn.softsign, nn.sigmoid,
                         nn.tanh,
                         nn.leaky_relu, nn.softmax, nn.log_softmax, nn.swish]]
    return [run([tf.gradients(y, x) for y in ys])]


@program
def gradient_of_conv_and_pool(tf, np):
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    k = tf.constant(np.float32([1, -2, 3, 4]).reshape(2, 2, 1, 1))
    c = tf.nn.conv2d(x, k, [1, 1, 1, 1], 'SAME') ** 2
    p = tf.nn.max_pool(x * x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
    a = tf.nn.avg_pool(x * x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME')
    return [run([tf.gradients(c, [x, k]), tf.gradients(p, x), tf.gradients(a, x)])]


@program
def gradient_through_cast_and_integers(tf, np):
    x = tf.constant([1.0, 2.0])
    wide = tf.cast(x, tf.float64)
    steps = tf.floor(x) * x + tf.round(x)
    cut = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
    return [run([tf.gradients(wide * wide, x), tf.gradients(steps, x),
                 tf.constant([tf.gradients(cut, x)[0] is None])])]


@program
def gradient_override(tf, np):
    @tf.custom_gradient
    def clipped(v):
        return v * v, lambda dy: tf.clip_by_value(dy * 2.0 * v, -1.0, 1.0)
    x = tf.constant([0.1, 5.0])
    y = clipped(x)
    return [run([y, tf.gradients(y, x)])]


@program
def gradients_named_scopes(tf, np):
    x = tf.Variable(2.0, name='x')
    with tf.name_scope('model'):
        y = x * x
    a = tf.gradients(y, x)
    b = tf.gradients(y, x, name='again')
    with tf.name_scope('train'):
        c = tf.gradients(y, x)
    after = y + 1.0
    return [run(x.initializer), run([a, b, c, after])]
