"""tf.layers: convolutions and pooling."""
from .registry import program, run


def _images(tf, np):
    x = tf.placeholder(tf.float32, [None, 6, 7, 2], name='x')
    return x, np.arange(168.).reshape(2, 6, 7, 2) / 100


def _sequences(tf, np):
    s = tf.placeholder(tf.float32, [None, 9, 2], name='s')
    return s, np.arange(36.).reshape(2, 9, 2) / 100


@program
def layers_conv2d_forms(tf, np):
    tf.set_random_seed(3)
    x, images = _images(tf, np)
    a = tf.layers.conv2d(x, 3, 3, activation=tf.nn.relu, padding='same')
    b = tf.layers.conv2d(x, 3, [3, 2], strides=2, use_bias=False, name='c')
    c = tf.layers.conv2d(a, 4, 3, strides=(1, 2), kernel_initializer=tf.ones_initializer())
    layer = tf.layers.Conv2D(2, 1, padding='SAME')
    d = layer(x)
    e = layer(d)
    return [run(tf.global_variables_initializer()), run([a, b, c, d, e], {x: images})]


@program
def layers_conv1d_and_conv3d(tf, np):
    tf.set_random_seed(3)
    s, sequences = _sequences(tf, np)
    y = tf.placeholder(tf.float32, [None, 4, 5, 6, 2], name='y')
    a = tf.layers.conv1d(s, 3, 3, activation=tf.nn.relu, padding='same')
    b = tf.layers.conv1d(s, 3, 2, strides=2, padding='causal')
    c = tf.layers.conv3d(y, 3, 2, strides=2)
    return [run(tf.global_variables_initializer()),
            run([a, b, c], {s: sequences, y: np.arange(480.).reshape(2, 4, 5, 6, 2) / 100})]


@program
def layers_dilated_convolutions(tf, np):
    tf.set_random_seed(3)
    (x, images), (s, sequences) = _images(tf, np), _sequences(tf, np)
    a = tf.layers.conv2d(x, 3, 2, dilation_rate=2, padding='same')
    b = tf.layers.conv2d(x, 3, 2, dilation_rate=(2, 1))
    c = tf.layers.conv1d(s, 3, 3, dilation_rate=2, padding='causal')
    return [run(tf.global_variables_initializer()),
            run([a, b, c], {x: images, s: sequences})]


@program
def layers_transposed_convolutions(tf, np):
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 3, 4, 2], name='x')
    y = tf.placeholder(tf.float32, [2, 2, 3, 2, 2], name='y')
    a = tf.layers.conv2d_transpose(x, 3, 3, strides=2, padding='same', activation=tf.nn.relu)
    b = tf.layers.conv2d_transpose(x, 3, [3, 2])
    c = tf.layers.conv3d_transpose(y, 3, 3, strides=2)
    return [run(tf.global_variables_initializer()),
            run([a, b, c], {x: np.arange(48.).reshape(2, 3, 4, 2) / 10,
                            y: np.arange(48.).reshape(2, 2, 3, 2, 2) / 10})]


@program
def layers_separable_convolutions(tf, np):
    tf.set_random_seed(3)
    (x, images), (s, sequences) = _images(tf, np), _sequences(tf, np)
    a = tf.layers.separable_conv2d(x, 3, 3, depth_multiplier=2, padding='same')
    b = tf.layers.separable_conv2d(x, 3, 2, strides=2, use_bias=False)
    c = tf.layers.separable_conv1d(s, 3, 3, activation=tf.nn.relu)
    d = tf.layers.separable_conv2d(x, 3, 3, dilation_rate=2, padding='same')
    e = tf.layers.separable_conv1d(s, 3, 3, padding='causal')
    return [run(tf.global_variables_initializer()),
            run([a, b, c, d, e], {x: images, s: sequences})]


@program
def layers_pooling_forms(tf, np):
    (x, images), (s, sequences) = _images(tf, np), _sequences(tf, np)
    v = tf.placeholder(tf.float32, [None, 4, 4, 4, 1], name='v')
    pooled = [tf.layers.max_pooling2d(x, 2, 2),
              tf.layers.max_pooling2d(x, [3, 2], (2, 1), padding='same', name='mp'),
              tf.layers.average_pooling2d(inputs=x, pool_size=[2, 2], strides=2),
              tf.layers.max_pooling1d(s, 2, 2),
              tf.layers.average_pooling1d(s, 3, 1, 'same'),
              tf.layers.max_pooling3d(v, 2, 2),
              tf.layers.average_pooling3d(v, 2, 2),
              tf.layers.MaxPooling2D(2, 2)(x)]
    return [run(pooled, {x: images * 100 % 17, s: sequences * 100 % 7,
                         v: np.arange(64.).reshape(1, 4, 4, 4, 1) % 11})]


@program
def layers_channels_first(tf, np):
    x = tf.placeholder(tf.float32, [None, 2, 6, 7], name='x')
    s = tf.placeholder(tf.float32, [None, 2, 9], name='s')
    v = tf.placeholder(tf.float32, [None, 1, 4, 4, 4], name='v')
    tf.layers.max_pooling2d(x, 2, 2, data_format='channels_first')
    a = tf.layers.average_pooling1d(s, 2, 2, data_format='channels_first')
    b = tf.layers.max_pooling3d(v, 2, 2, data_format='channels_first')
    tf.layers.conv2d(x, 3, 2, data_format='channels_first')
    tf.layers.conv1d(s, 3, 2, data_format='channels_first')
    return [run([a, b], {s: np.arange(36.).reshape(2, 2, 9) % 7,
                         v: np.arange(64.).reshape(1, 1, 4, 4, 4) % 11})]


@program
def layers_train_a_small_cnn(tf, np):
    tf.set_random_seed(3)
    x, images = _images(tf, np)
    labels = tf.placeholder(tf.int32, [None])
    hidden = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, padding='same')
    hidden = tf.layers.max_pooling2d(hidden, 2, 2)
    logits = tf.layers.dense(tf.layers.flatten(hidden), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
    feeds = {x: images, labels: [0, 2]}
    return [run(tf.global_variables_initializer()), run(step, feeds), run(loss, feeds),
            run(step, feeds), run([loss, tf.trainable_variables()], feeds)]
