"""The graphs of convolutions and pools, plain and dilated; small networks made of them."""
from .registry import program, run


def _images(np, *shape):
    size = int(np.prod(shape))
    return (((np.arange(size) * 11) % 32 - 15.5) / 8).reshape(shape).astype(np.float32)


def _fed(tf, np, sizes, *shape):
    x = tf.placeholder(tf.float32, sizes)
    return x, {x: _images(np, *shape)}


@program
def convolutions_of_unknown_batches(tf, np):
    x, feed = _fed(tf, np, [None, 5, None, 2], 2, 5, 4, 2)
    w = tf.constant(_images(np, 3, 2, 2, 3))
    fetches = [tf.nn.conv2d(x, w, [1, 2, 2, 1], 'SAME'), tf.nn.conv2d(x, w, 1, 'VALID', name='c'),
               tf.nn.conv2d(x, filters=w, strides=[2, 1], padding='SAME', data_format='NHWC'),
               tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], 'SAME'),
               tf.nn.max_pool(x, 2, 2, 'SAME'), tf.nn.avg_pool(x, 2, 2, 'VALID', name='mean'),
               tf.nn.max_pool2d(x, [2, 1], 1, 'SAME')]
    return [run(fetches, feed)]


@program
def convolutions_of_sequences(tf, np):
    x, feed = _fed(tf, np, [None, 6, 2], 2, 6, 2)
    w = tf.constant(_images(np, 3, 2, 2))
    fetches = [tf.nn.conv1d(x, w, 1, 'SAME'), tf.nn.conv1d(x, w, 2, 'VALID', name='c'),
               tf.nn.convolution(x, w, 'SAME', strides=[2]), tf.nn.max_pool1d(x, 2, 2, 'SAME'),
               tf.nn.avg_pool1d(x, 2, 1, 'VALID', name='mean'),
               tf.nn.conv1d_transpose(tf.nn.conv1d(x, w, 2, 'SAME'), w, [2, 6, 2], 2),
               tf.nn.max_pool_v2(x, 2, 1, 'VALID'), tf.nn.pool(x, [2], 'MAX', 'SAME')]
    return [run(fetches, feed)]


@program
def convolutions_of_volumes(tf, np):
    x, feed = _fed(tf, np, [None, 3, 4, 3, 1], 1, 3, 4, 3, 1)
    w = tf.constant(_images(np, 2, 2, 2, 1, 2))
    y = tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], 'SAME')
    fetches = [y, tf.nn.max_pool3d(x, 2, 2, 'SAME'), tf.nn.avg_pool3d(x, 2, 1, 'VALID'),
               tf.nn.conv3d_transpose(y, w, [1, 3, 4, 3, 1], [1, 1, 2, 1, 1]),
               tf.nn.convolution(x, w, 'VALID', name='c')]
    return [run(fetches, feed)]


@program
def transposed_convolutions(tf, np):
    x, feed = _fed(tf, np, [None, 3, 2, 2], 2, 3, 2, 2)
    w = tf.constant(_images(np, 3, 3, 1, 2))
    sizes = tf.stack([tf.shape(x)[0], 6, 4, 1])
    fetches = [tf.nn.conv2d_transpose(x, w, [2, 6, 4, 1], 2),
               tf.nn.conv2d_transpose(x, w, sizes, [1, 2, 2, 1], name='up'),
               tf.nn.conv2d_transpose(x, w, [tf.shape(x)[0], 3, 2, 1], 1),
               tf.nn.conv_transpose(x, w, [2, 6, 4, 1], 2)]
    return [run(fetches, feed)]


@program
def dilated_convolutions(tf, np):
    x = tf.constant(_images(np, 1, 6, 7, 2))
    w = tf.constant(_images(np, 2, 3, 2, 2))
    fetches = [tf.nn.atrous_conv2d(x, w, 2, 'SAME'), tf.nn.atrous_conv2d(x, w, 2, 'VALID'),
               tf.nn.convolution(x, w, 'VALID', dilation_rate=[1, 2], name='c'),
               tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], 'SAME', rate=[2, 2]),
               tf.nn.separable_conv2d(x, w, tf.ones([1, 1, 4, 1]), [1, 1, 1, 1], 'VALID',
                                      rate=[2, 1]),
               tf.nn.pool(x, [2, 2], 'AVG', 'VALID', dilation_rate=[2, 2]),
               tf.nn.with_space_to_batch(x, [2, 3], 'VALID', lambda x, n, padding: x + 1.0)]
    return [run(fetches)]


@program
def dilated_convolutions_of_unknown_sizes(tf, np):
    x, feed = _fed(tf, np, [None, None, None, 2], 1, 6, 7, 2)
    w = tf.constant(_images(np, 2, 3, 2, 2))
    fetches = [tf.nn.atrous_conv2d(x, w, 2, 'SAME'),
               tf.nn.convolution(x, w, 'VALID', dilation_rate=[1, 2]),
               tf.nn.atrous_conv2d_transpose(x, w, tf.shape(x), 2, 'SAME')]
    return [run(fetches, feed)]


@program
def gradients_of_dilated_convolutions(tf, np):
    x = tf.constant(_images(np, 1, 6, 5, 1))
    w = tf.constant(_images(np, 2, 2, 1, 2))
    y = tf.nn.atrous_conv2d(x, w, 2, 'SAME')
    return [run(tf.gradients(tf.reduce_sum(y * y), [x, w]))]


@program
def second_derivatives_of_convolution_and_pools(tf, np):
    x = tf.constant(_images(np, 1, 4, 5, 2))
    w = tf.constant(_images(np, 3, 2, 2, 2))
    y = tf.nn.conv2d(x, w, [1, 1, 2, 1], 'SAME')
    y = tf.nn.avg_pool(tf.nn.max_pool(y * y, 2, 1, 'SAME'), 2, 1, 'VALID')
    first = tf.gradients(tf.reduce_sum(y * y), [x, w])
    second = tf.gradients([tf.reduce_sum(g * g) for g in first], [x, w])
    return [run(first + second)]


@program
def second_derivatives_of_depthwise(tf, np):
    x = tf.constant(_images(np, 1, 4, 4, 2))
    w = tf.constant(_images(np, 2, 2, 2, 1))
    y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], 'SAME')
    first = tf.gradients(tf.reduce_sum(y * y), [x, w])
    return [run(first + tf.gradients([tf.reduce_sum(g * g) for g in first], [x, w]))]


@program
def second_derivatives_of_volumes(tf, np):
    x = tf.constant(_images(np, 1, 3, 3, 2, 1))
    w = tf.constant(_images(np, 2, 2, 2, 1, 1))
    y = tf.nn.avg_pool3d(tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], 'SAME'), 2, 1, 'VALID')
    first = tf.gradients(tf.reduce_sum(y * y), [x, w])
    return [run(first + tf.gradients([tf.reduce_sum(g * g) for g in first], [x, w]))]


@program
def second_derivatives_of_max_pool_3d(tf, np):
    x = tf.constant(_images(np, 1, 3, 3, 2, 1))
    y = tf.nn.max_pool3d(x, 2, 1, 'VALID')
    first, = tf.gradients(tf.reduce_sum(y * y), x)
    second, = tf.gradients(tf.reduce_sum(first * first), x)
    return [run([first, second])]


@program
def fused_batch_norm_forms(tf, np):
    x, feed = _fed(tf, np, [None, 3, 2, 2], 2, 3, 2, 2)
    scale, offset = tf.constant([0.5, -2.0]), tf.constant([1.0, 0.25])
    trained = tf.nn.fused_batch_norm(x, scale, offset)
    given = tf.nn.fused_batch_norm(x, scale, offset, offset * 2, offset + 3.0, epsilon=0.01,
                                   is_training=False, name='given')
    weights = tf.constant(_images(np, 2, 3, 2, 2)[::-1])
    one_pixel = tf.nn.fused_batch_norm(tf.constant([[[[1.5, -0.25]]]]), scale, offset)
    fetches = list(trained) + [given[0]] + list(one_pixel)
    fetches += tf.gradients(tf.reduce_sum(trained[0] * weights), [x, scale, offset])
    fetches += tf.gradients(tf.reduce_sum(given[0] * weights), [x, scale, offset])
    return [run(fetches, feed)]


@program
def second_derivatives_of_fused_batch_norm(tf, np):
    x = tf.constant(_images(np, 2, 3, 2, 2))
    scale, offset = tf.constant([0.5, -2.0]), tf.constant([1.0, 0.25])
    y = tf.nn.fused_batch_norm(x, scale, offset)[0]
    weights = tf.constant(_images(np, 2, 3, 2, 2)[::-1])
    first = tf.gradients(tf.reduce_sum(y * y * weights), [x, scale])
    return [run(first + tf.gradients([tf.reduce_sum(g * g) for g in first], [x, scale]))]


@program
def max_pool_with_argmax_and_its_gradient(tf, np):
    x = tf.constant(_images(np, 2, 4, 5, 2))
    y, argmax = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 2, 1], 'SAME')
    first, = tf.gradients(tf.reduce_sum(y * y), x)
    return [run([y, argmax, first])]


@program
def convolutional_digits(tf, np):
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    labels = tf.placeholder(tf.float32, [None, 3], name='labels')
    h = tf.reshape(x, [-1, 8, 8, 1])
    for i, (fan_in, fan_out) in enumerate([(1, 4), (4, 6)]):
        with tf.name_scope('conv%d' % (i + 1)):
            w = tf.Variable(tf.truncated_normal([3, 3, fan_in, fan_out], stddev=0.2), name='w')
            b = tf.Variable(tf.constant(0.1, shape=[fan_out]), name='b')
            h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, w, [1, 1, 1, 1], 'SAME'), b))
            h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
    w = tf.Variable(tf.truncated_normal([24, 3], stddev=0.2))
    logits = tf.matmul(tf.reshape(h, [-1, 24]), w)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels,
                                                                     logits=logits))
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    feeds = {x: _images(np, 5, 64), labels: np.eye(3)[[0, 2, 1, 1, 0]]}
    return [run(tf.global_variables_initializer()), run([loss, train], feeds),
            run([loss, train], feeds), run([loss, logits], feeds)]


@program
def fractional_pools(tf, np):
    x = tf.constant(_images(np, 2, 7, 11, 2))
    found = []
    for seed, (random, overlapping) in enumerate([(False, False), (False, True), (True, False),
                                                  (True, True)]):
        for pool in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
            y, rows, columns = pool(x, [1.0, 1.44, 1.73, 1.0], random, overlapping, True, seed, 5)
            found += [y, rows, columns, tf.gradients(y ** 2, x)[0]]
    whole = tf.nn.fractional_avg_pool(tf.cast(x * 8, tf.int32), [1.0, 1.5, 1.5, 1.0],
                                      deterministic=True, seed=3, seed2=4, name='whole')
    return [run(found + list(whole))] * 2
