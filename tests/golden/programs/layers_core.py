"""tf.layers: dense, dropout, flatten, and layers of one's own."""
from .registry import functional, program, run


def _x(tf, *shape):
    return tf.placeholder(tf.float32, list(shape), name='x')


@program
def layers_dense_forms(tf, np):
    tf.set_random_seed(7)
    x = _x(tf, None, 4)
    a = tf.layers.dense(x, 3, activation=tf.nn.relu)
    b = tf.layers.dense(a, 2, name='out', use_bias=False)
    c = tf.layers.dense(b, 2, kernel_initializer=tf.zeros_initializer(), activation='tanh',
                        bias_initializer=tf.constant_initializer(2.))
    d = tf.layers.dense(x, 1, kernel_initializer=tf.random_normal_initializer(stddev=.1),
                        bias_initializer=None, trainable=False)
    return [run(tf.global_variables_initializer()),
            run([a, b, c, d], {x: np.arange(8.).reshape(2, 4)})]


@program
def layers_dense_of_higher_rank(tf, np):
    x = _x(tf, None, 2, 4)
    y = tf.placeholder(tf.float32, [3, None, 5, 4], name='y')
    with tf.variable_scope('sc'):
        a = tf.layers.dense(x, 3, kernel_initializer='ones')
        b = tf.layers.dense(y, 2, kernel_initializer=tf.ones_initializer)
    return [run(tf.global_variables_initializer()),
            run([a, b], {x: np.ones([2, 2, 4]), y: np.ones([3, 1, 5, 4])})]


@program
def layers_named_arguments(tf, np):
    x = _x(tf, None, 4)
    tf.set_random_seed(11)
    outputs = [tf.layers.dense(x, 2, activation=name) for name in
               'elu hard_sigmoid linear relu sigmoid softmax softplus softsign exponential'
               .split()]
    outputs += [tf.layers.dense(x, 2, kernel_initializer=name) for name in
                'glorot_normal he_normal he_uniform lecun_uniform normal uniform'.split()]
    outputs += [tf.layers.dense(x, 2, kernel_regularizer=name, kernel_initializer='ones')
                for name in ('l1', 'l2', 'l1_l2')]
    return [run(tf.global_variables_initializer()),
            run([outputs, tf.losses.get_regularization_losses()],
                {x: np.arange(8.).reshape(2, 4) / 8})]


@program
def layers_shared_by_name(tf, np):
    x = _x(tf, None, 4)
    a = tf.layers.dense(x, 3, name='q', kernel_initializer='ones')
    b = tf.layers.dense(x, 3, name='q', reuse=True)
    c = tf.layers.dense(x, 3, name='q', reuse=tf.AUTO_REUSE)
    with tf.variable_scope('q', reuse=True) as scope:
        d = tf.layers.dense(x, 3, name=scope)
    for _ in range(2):
        with tf.variable_scope('p', reuse=tf.AUTO_REUSE):
            tf.layers.dense(x, 3)
            tf.layers.dense(x, 2, name='z')
    with tf.name_scope('ns'):
        tf.layers.dense(x, 3)
        with tf.variable_scope('vs'):
            tf.layers.dense(x, 3, name='dd')
    return [run(tf.global_variables_initializer()), run([a, b, c, d], {x: np.ones([2, 4])})]


@program
def layers_as_objects(tf, np):
    x = _x(tf, None, 4)
    layer = tf.layers.Dense(
        4, kernel_initializer=tf.ones_initializer(), kernel_regularizer='l2',
        activity_regularizer=lambda t: tf.reduce_sum(t * t), bias_regularizer='l1_l2', name='my')
    with tf.variable_scope('s'):
        a = layer(x)
    b = layer(layer(a))
    second = tf.layers.Dense(2, use_bias=False, dtype=tf.float32)
    second(x)
    second.trainable = False
    second.apply(x)
    with tf.variable_scope('other', regularizer=lambda w: tf.reduce_sum(w) * 2.,
                           initializer=tf.constant_initializer(.5)):
        c = tf.layers.dense(x, 2)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return [run(tf.global_variables_initializer()),
            run([a, b, c, losses], {x: np.ones([2, 4])})]


@program
def layers_of_ones_own(tf, np):
    class Two(tf.layers.Layer):
        def build(self, shapes):
            self.w = self.add_weight('w', [2, 3])
            self.b = self.add_variable('b', shape=[], trainable=False,
                                       initializer=tf.ones_initializer())
            self.built = True

        def call(self, inputs, training=False, scope=None):
            a, b = inputs
            self.add_update(tf.assign(self.b, self.b + tf.reduce_sum(a)), inputs=inputs)
            self.add_update(tf.assign(self.b, 3.))
            self.add_loss(tf.reduce_sum(a), inputs=inputs)
            return a + b

    class Outer(tf.layers.Layer):
        def build(self, shape):
            self.inner = tf.layers.Dense(3, name='inner',
                                         kernel_initializer=tf.ones_initializer())
            self.n = self.add_weight('n', [2], dtype=tf.int32)

        def call(self, inputs):
            return self.inner(inputs)

    x = _x(tf, None, 4)
    two = Two(name='two')
    y, z = two([x, x]), two([x, x], training=True)
    Two()([x, x])
    Two()((y, z))
    outer = Outer()
    outer(x)
    y = outer(x)
    w = tf.layers.dense(np.ones([2, 3], np.float32), 2, kernel_initializer='ones')
    return [run(tf.global_variables_initializer()), run([y, w], {x: np.ones([2, 4])})]


@program
def layers_flatten_and_dropout(tf, np):
    tf.set_random_seed(3)
    x = _x(tf, None, 4, 2)
    a = tf.layers.flatten(x)
    tf.layers.flatten(tf.placeholder(tf.float32, [None, 3, None]), name='fl')
    b = tf.layers.flatten(x, data_format='channels_first')
    tf.layers.flatten(tf.placeholder(tf.float32, [5]))
    tf.layers.Flatten()(tf.zeros([2, 3, 4]))
    c = tf.layers.dropout(a, .5, training=True)
    d = tf.layers.dropout(a)
    e = tf.layers.dropout(x, .3, noise_shape=[None, 1, 2], seed=3, training=True, name='dd')
    f = tf.layers.dropout(a, .5, training=tf.constant(True))
    return [run([a, b, c, d, e, f], {x: np.ones([2, 4, 2])})]


@program
def layers_custom_getter(tf, np):
    def doubled(getter, name, *args, **kwargs):
        variable = getter(name, *args, **kwargs)
        return variable * 2. if 'kernel' in name else variable

    x = _x(tf, None, 4)
    with tf.variable_scope('s', custom_getter=doubled):
        y = tf.layers.dense(x, 2, kernel_initializer='ones')
    return [run(tf.global_variables_initializer()), run(y, {x: np.ones([2, 4])})]


@functional
def layers_dropout_by_a_placeholder(tf, np):
    x = _x(tf, None, 3)
    training = tf.placeholder_with_default(False, [], name='training')
    y = tf.layers.dropout(x, .5, training=training, seed=3)
    ones = np.ones([4, 3])
    return [run(y, {x: ones}), run(y, {x: ones, training: True})]


@program
def layers_train_a_perceptron(tf, np):
    tf.set_random_seed(3)
    x, t = _x(tf, None, 4), tf.placeholder(tf.float32, [None, 2], name='t')
    hidden = tf.layers.dense(x, 5, tf.nn.relu, name='h')
    loss = tf.losses.mean_squared_error(t, tf.layers.dense(hidden, 2))
    step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
    feeds = {x: np.arange(8.).reshape(2, 4) / 8, t: np.ones([2, 2])}
    return [run(tf.global_variables_initializer()), run(step, feeds), run(loss, feeds),
            run(step, feeds), run([loss, tf.trainable_variables()], feeds)]
