"""tf.nn without losses: activations, biases, dropout, embeddings, moments; a little convolution."""
from .registry import functional, program, run


@program
def activations(tf, np):
    x = tf.constant([-3.0, -0.5, 0.0, 0.5, 7.0])
    nn = tf.nn
    fetches = [nn.relu(x), nn.relu6(x), nn.elu(x), nn.selu(x), nn.softplus(x), nn.softsign(x),
               nn.sigmoid(x),
               nn.tanh(x), tf.sigmoid(x), tf.tanh(x), nn.crelu(x)]
    return [run(fetches)]


@program
def leaky_relu_and_swish(tf, np):
    x = tf.constant([-3.0, 0.0, 7.0])
    return [run([tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, alpha=0.01), tf.nn.swish(x),
                 tf.log_sigmoid(x)])]


@program
def activations_with_names(tf, np):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    h = tf.nn.relu(x, name='hidden')
    y = tf.nn.sigmoid(h, name='out')
    return [run([h, y, tf.nn.softmax(h, name='probabilities')], {x: [[1, -1]]})]


@program
def softmax_forms(tf, np):
    x = tf.placeholder(tf.float32, [None, 3])
    c = tf.constant([[[1.0, 2.0], [3.0, 5.0]]])
    fetches = [tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.softmax(c, axis=1), tf.nn.softmax(c),
               tf.nn.softmax(x, dim=0), tf.nn.log_softmax(c, axis=-1), tf.nn.softmax([1.0, 2.0])]
    return [run(fetches, {x: [[1, 2, 3], [0, 0, 1000]]})]


@program
def bias_add_and_xw_plus_b(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    b = tf.constant([10.0, 20.0])
    fetches = [tf.nn.bias_add(x, b), tf.nn.xw_plus_b(x, x, b), tf.nn.relu_layer(x, -x, b),
               tf.nn.xw_plus_b(x, x, b, name='logits')]
    return [run(fetches)]


@functional
def l2_loss_and_l2_normalize(tf, np):
    m = tf.constant([[3.0, 4.0], [0.0, 0.0]])
    fetches = [tf.nn.l2_loss(m), tf.nn.l2_normalize(m, 1), tf.nn.l2_normalize(m, dim=0),
               tf.nn.zero_fraction(m)]
    return [run(fetches)]


@program
def moments_and_batch_normalization(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    mean, variance = tf.nn.moments(x, [0])
    kept = tf.nn.moments(x, axes=[0, 1], keep_dims=True)
    y = tf.nn.batch_normalization(x, mean, variance, offset=1.0, scale=2.0, variance_epsilon=1e-3)
    plain = tf.nn.batch_normalization(x, mean, variance, None, None, 0.001)
    return [run([mean, variance, kept, y, plain])]


@program
def dropout_keep_prob(tf, np):
    x = tf.placeholder(tf.float32, [None, 4])
    keep = tf.placeholder(tf.float32)
    a = tf.nn.dropout(x, keep, seed=1)
    b = tf.nn.dropout(x, keep_prob=0.5, seed=2)
    ones = np.ones([2, 4])
    return [run([a, b], {x: ones, keep: 0.75}), run([a, b], {x: ones, keep: 0.75}),
            run(a, {x: ones, keep: 1.0})]


@program
def dropout_rate(tf, np):
    x = tf.ones([3, 3])
    fetches = [tf.nn.dropout(x, rate=0.4, seed=5),
               tf.nn.dropout(x, rate=0.5, noise_shape=[3, 1], seed=6),
               tf.nn.dropout(x, rate=0.0)]
    return [run(fetches)]


@program
def dropout_under_a_graph_seed(tf, np):
    tf.set_random_seed(3)
    x = tf.ones([2, 5])
    y = tf.nn.dropout(x, 0.5)
    z = tf.nn.dropout(x, rate=0.25, name='drop')
    return [run([y, z]), run([y, z])]


@program
def random_ops_under_a_graph_seed(tf, np):
    tf.set_random_seed(1)
    a = tf.random_normal([3])
    b = tf.random_uniform([3])
    c = tf.truncated_normal([3], name='clipped')
    d = tf.random_uniform([3], maxval=10, dtype=tf.int32)
    e = tf.random_shuffle(tf.range(5))
    f = tf.random_normal([2], mean=1.0, stddev=2.0, seed=8)
    return [run([a, b, c, d, e, f]), run([a, b, c, d, e, f])]


@program
def embedding_lookup_forms(tf, np):
    table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), name='embeddings')
    ids = tf.placeholder(tf.int32, [None, 2])
    fetches = [tf.nn.embedding_lookup(table, ids),
               tf.nn.embedding_lookup(table, [3, 0], name='fixed'),
               tf.nn.embedding_lookup([table, table], [0, 1, 5])]
    return [run(tf.global_variables_initializer()), run(fetches, {ids: [[1, 2], [3, 3]]})]


@program
def conv_and_pool(tf, np):
    x = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    k = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 1, 3)) - 5.0
    one = x[:, :, :, :1]
    fetches = [tf.nn.conv2d(one, k, [1, 1, 1, 1], 'SAME'),
               tf.nn.conv2d(one, k, strides=[1, 2, 2, 1], padding='VALID'),
               tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
               tf.nn.avg_pool(x, ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding='SAME')]
    return [run(fetches)]


@program
def layers_dense(tf, np):
    tf.set_random_seed(12)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    h = tf.layers.dense(x, 3, activation=tf.nn.relu)
    h = tf.layers.dense(h, 3, name='second', use_bias=False)
    y = tf.layers.dense(h, 2)
    return [run(tf.global_variables_initializer()), run([h, y], {x: [[1, 2, 3, 4]]})]


@program
def layers_convolution_stack(tf, np):
    tf.set_random_seed(13)
    x = tf.placeholder(tf.float32, [None, 16])
    image = tf.reshape(x, [-1, 4, 4, 1])
    h = tf.layers.conv2d(image, filters=2, kernel_size=[3, 3], padding='same',
                         activation=tf.nn.relu)
    h = tf.layers.max_pooling2d(h, pool_size=[2, 2], strides=2)
    y = tf.layers.dense(tf.layers.flatten(h), 2)
    feeds = {x: np.arange(16).reshape(1, 16) / 16.0}
    return [run(tf.global_variables_initializer()), run(y, feeds)]
