"""tf.layers.batch_normalization: fused and plain, and the UPDATE_OPS that it leaves."""
from .registry import functional, program, run


def _images(tf, np):
    x = tf.placeholder(tf.float32, [None, 3, 4, 2], name='x')
    return x, np.arange(48.).reshape(2, 3, 4, 2) * 7 % 13 / 10


def _vectors(tf, np):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    return x, np.arange(48.).reshape(16, 3) * 7 % 13 / 10


def _runs(tf, outputs, x, values):
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    return [run(tf.global_variables_initializer()), run(outputs, {x: values}),
            run(updates, {x: values}), run([outputs, tf.global_variables()], {x: values + 1})]


@program
def batch_norm_fused(tf, np):
    x, images = _images(tf, np)
    a = tf.layers.batch_normalization(x)
    b = tf.layers.batch_normalization(x, training=True)
    c = tf.layers.batch_normalization(x, training=True, scale=False, center=False, momentum=.9,
                                      name='bn', epsilon=1e-5)
    return _runs(tf, [a, b, c], x, images)


@program
def batch_norm_plain(tf, np):
    x, vectors = _vectors(tf, np)
    a = tf.layers.batch_normalization(x)
    b = tf.layers.batch_normalization(x, training=True)
    c = tf.layers.batch_normalization(x, training=True, scale=False, momentum=.9, name='bn',
                                      epsilon=1e-5)
    return _runs(tf, [a, b, c], x, vectors)


@program
def batch_norm_axes(tf, np):
    x, images = _images(tf, np)
    a = tf.layers.batch_normalization(x, axis=1, fused=False)
    b = tf.layers.batch_normalization(x, axis=[1, 3], training=True)
    c = tf.layers.batch_normalization(x, axis=1, training=True, fused=False,
                                      beta_initializer=tf.ones_initializer())
    d = tf.layers.batch_normalization(x, axis=2, training=True)
    return _runs(tf, [a, b, c, d], x, images)


@program
def batch_norm_objects(tf, np):
    x, vectors = _vectors(tf, np)
    y = tf.placeholder(tf.float32, [None, 3, 4, 2], name='y')
    layer = tf.layers.BatchNormalization(momentum=.9,
                                         gamma_regularizer=lambda w: tf.reduce_sum(w))
    a, b = layer(x, training=True), layer(x)
    layer(x, training=True)
    c = tf.layers.BatchNormalization(trainable=False)(y, training=True)
    with tf.variable_scope('r'):
        tf.layers.batch_normalization(x, name='n', training=True)
    with tf.variable_scope('r', reuse=True):
        d = tf.layers.batch_normalization(x, name='n')
    tf.layers.batch_normalization(tf.placeholder(tf.float16, [None, 3, 4, 2]), training=True)
    return [run(tf.global_variables_initializer()),
            run([a, b, c, d], {x: vectors, y: vectors.reshape(2, 3, 4, 2)})]


@functional
def batch_norm_fused_by_a_placeholder(tf, np):
    x, images = _images(tf, np)
    training = tf.placeholder(tf.bool, [], name='training')
    y = tf.layers.batch_normalization(x, training=training, momentum=.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    on, off = {x: images, training: True}, {x: images, training: False}
    return [run(tf.global_variables_initializer()), run(y, on), run(y, off), run(updates, on),
            run(tf.global_variables()), run(updates, off), run(tf.global_variables()),
            run(y, off)]


@program
def batch_norm_trained_with_updates(tf, np):
    x, vectors = _vectors(tf, np)
    hidden = tf.layers.batch_normalization(x, training=True, momentum=.5)
    loss = tf.reduce_mean(tf.square(hidden - .3))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.GradientDescentOptimizer(.5).minimize(loss)
    return [run(tf.global_variables_initializer()), run(step, {x: vectors}),
            run(step, {x: vectors}), run([loss, tf.global_variables()], {x: vectors})]


@program
def batch_renormalization(tf, np):
    x, vectors = _vectors(tf, np)
    a = tf.layers.batch_normalization(x, training=True, renorm=True,
                                      renorm_clipping={'rmax': 2., 'rmin': .5, 'dmax': .7})
    b = tf.layers.batch_normalization(x, training=False, renorm=True)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    return [run(tf.global_variables_initializer()), run([a, b], {x: vectors}),
            run(updates, {x: vectors}), run([b, tf.global_variables()], {x: vectors + 1})]


@program
def batch_norm_adjustment(tf, np):
    def adjustment(shape):
        return tf.ones([shape[0], 1]) * 1.5, tf.ones([shape[0], 1]) * .1

    x, vectors = _vectors(tf, np)
    y = tf.layers.batch_normalization(x, training=True, adjustment=adjustment)
    return [run(tf.global_variables_initializer()), run(y, {x: vectors})]
