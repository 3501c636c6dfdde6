"""tf.contrib.layers: names of Variables, collections, normalizers, arg_scope."""
from .registry import functional, program, run


def _images(tf, np):
    x = tf.placeholder(tf.float32, [None, 3, 4, 2], name='x')
    return x, np.arange(48.).reshape(2, 3, 4, 2) * 7 % 13 / 10


@program
def contrib_fully_connected(tf, np):
    layers = tf.contrib.layers
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    a = layers.fully_connected(x, 3)
    b = layers.fully_connected(
        a, 2, activation_fn=None, scope='out', weights_regularizer=layers.l2_regularizer(.1),
        weights_initializer=layers.xavier_initializer(uniform=False),
        variables_collections=['vc'], outputs_collections='oc')
    c = layers.linear(x, 2)
    d = layers.relu(x, 3, biases_initializer=None)
    e = layers.fully_connected(
        x, 3, scope='out2', variables_collections={'weights': ['wc'], 'biases': ['bc']},
        biases_regularizer=layers.l1_regularizer(.2), trainable=False)
    with tf.variable_scope('s', reuse=tf.AUTO_REUSE):
        f = layers.fully_connected(x, 3, scope='q')
        g = layers.fully_connected(x, 3, scope='q')
    layers.elu(x, 2)
    layers.relu6(x, 2)
    layers.fully_connected(tf.ones([2, 3, 4]), 2)
    layers.fully_connected(x, 3, scope='out2', reuse=True, trainable=False)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return [run(tf.global_variables_initializer()),
            run([a, b, c, d, e, f, g, losses, tf.losses.get_total_loss()],
                {x: np.arange(8.).reshape(2, 4)})]


@program
def contrib_normalizer_functions(tf, np):
    layers = tf.contrib.layers
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    a = layers.fully_connected(x, 3, normalizer_fn=layers.batch_norm)
    b = layers.fully_connected(x, 3, normalizer_fn=layers.batch_norm,
                               normalizer_params={'is_training': False, 'scale': True,
                                                  'decay': .9})
    c = layers.fully_connected(x, 3, normalizer_fn=layers.layer_norm)
    feeds = {x: np.arange(12.).reshape(3, 4) % 5}
    return [run(tf.global_variables_initializer()), run([a, b, c], feeds),
            run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), feeds), run(tf.model_variables())]


@program
def contrib_convolutions(tf, np):
    layers = tf.contrib.layers
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [None, 6, 7, 2], name='x')
    a = layers.conv2d(x, 3, 3)
    b = layers.conv2d(a, 4, [3, 2], stride=2, padding='VALID', scope='c2', activation_fn=None,
                      normalizer_fn=layers.batch_norm)
    c = layers.max_pool2d(a, 2)
    d = layers.avg_pool2d(a, [2, 3], stride=1, padding='SAME', scope='ap')
    e = layers.convolution2d(x, 2, 1, rate=1)
    f = layers.flatten(c)
    g = layers.conv2d_transpose(c, 2, 3, stride=2)
    h = layers.conv2d(x, 2, 3, rate=2, scope='dil')
    i = layers.separable_conv2d(x, 4, 3, depth_multiplier=2)
    j = layers.separable_conv2d(x, None, 3, 1, scope='dw')
    k = layers.convolution2d_in_plane(x, 3)
    m = layers.convolution(tf.ones([2, 5, 2]), 3, 2)
    layers.conv1d(tf.ones([2, 5, 2]), 3, 2)
    return [run(tf.global_variables_initializer()),
            run([a, b, c, d, e, f, g, h, i, j, k, m],
                {x: np.arange(168.).reshape(2, 6, 7, 2) / 50})]


@program
def contrib_batch_norm(tf, np):
    layers = tf.contrib.layers
    x, images = _images(tf, np)
    a = layers.batch_norm(x)
    b = layers.batch_norm(x, is_training=False, scale=True, scope='bn2')
    c = layers.batch_norm(x, updates_collections=None, decay=.9)
    d = layers.batch_norm(x, fused=False, center=False, activation_fn=tf.nn.relu)
    layers.batch_norm(x, zero_debias_moving_mean=True, decay=.9)
    e = layers.batch_norm(tf.reshape(x, [-1, 2]))
    with tf.control_dependencies([a, b, d]):
        updates = tf.group(*tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    return [run(tf.global_variables_initializer()), run([a, b, d, e], {x: images}),
            run(updates, {x: images}), run([a, b, tf.global_variables()], {x: images}),
            run(c, {x: images}), run(tf.global_variables())]


@program
def contrib_batch_norm_with_weights(tf, np):
    layers = tf.contrib.layers
    x, images = _images(tf, np)
    weights = tf.constant([1., 3.])
    a = layers.batch_norm(x, batch_weights=weights)
    b = layers.batch_norm(x, batch_weights=weights, updates_collections=None, decay=.5,
                          scope='w2', scale=True)
    c = layers.batch_norm(x, batch_weights=weights, is_training=False)
    d = layers.batch_norm(x, batch_weights=weights, data_format='NCHW')
    return [run(tf.global_variables_initializer()), run([a, c, d], {x: images}),
            run(b, {x: images}), run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), {x: images}),
            run([tf.global_variables(), c], {x: images})]


@program
def contrib_other_norms(tf, np):
    layers = tf.contrib.layers
    x = tf.placeholder(tf.float32, [None, 3, 4, 4], name='x')
    y = tf.placeholder(tf.float32, [None, 5], name='y')
    outputs = [layers.layer_norm(x),
               layers.layer_norm(y, center=False, activation_fn=tf.tanh, scope='ln'),
               layers.layer_norm(x, begin_norm_axis=-1, begin_params_axis=2),
               layers.instance_norm(x), layers.instance_norm(x, data_format='NCHW'),
               layers.group_norm(x, groups=2),
               layers.group_norm(x, 3, channels_axis=1, reduction_axes=(-2, -1)),
               layers.group_norm(x, groups=2, mean_close_to_zero=True),
               layers.unit_norm(y, 1), layers.unit_norm(x, 2)]
    return [run(tf.global_variables_initializer()),
            run(outputs, {x: np.arange(96.).reshape(2, 3, 4, 4) % 11,
                          y: np.arange(10.).reshape(2, 5)})]


@program
def contrib_small_layers(tf, np):
    layers = tf.contrib.layers
    tf.set_random_seed(2)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    ids = tf.placeholder(tf.int32, [None], name='ids')
    v, images = _images(tf, np)
    outputs = [layers.softmax(x), layers.one_hot_encoding(ids, 5),
               layers.one_hot_encoding(tf.cast(ids, tf.int64), 5, on_value=2., scope='oh'),
               layers.dropout(x, .5), layers.dropout(x, is_training=False, scope='dd'),
               layers.bias_add(x), layers.maxout(x, 2),
               layers.stack(x, layers.fully_connected, [3, 2]),
               layers.stack(x, layers.fully_connected, [3, 2], scope='fc'),
               layers.repeat(v, 2, layers.conv2d, 3, [3, 3], scope='cc'),
               layers.repeat(v, 2, layers.max_pool2d, 2, 1),
               layers.images_to_sequence(v), layers.sequence_to_images(tf.ones([4, 6, 2]), 3),
               layers.legacy_fully_connected(x, 3), layers.legacy_relu(x, 3)]
    return [run(tf.global_variables_initializer()),
            run(outputs, {x: np.arange(8.).reshape(2, 4), ids: [1, 3, 1], v: images})]


@program
def contrib_embeddings_and_regularizers(tf, np):
    layers = tf.contrib.layers
    tf.set_random_seed(2)
    ids = tf.placeholder(tf.int32, [None], name='ids')
    table = tf.constant([[1., 2], [3, 4], [5, 6], [7, 8]])
    sparse = layers.dense_to_sparse(ids)
    outputs = [layers.embed_sequence(ids, 6, 3, scope='es'),
               layers.embed_sequence(ids, unique=True, vocab_size=6, embed_dim=3, scope='es',
                                     reuse=True),
               layers.embed_sequence(tf.expand_dims(ids, 0), 5, 2),
               layers.embedding_lookup_unique(table, ids), sparse.indices, sparse.values]
    w = tf.get_variable('w', [2, 2], initializer=layers.variance_scaling_initializer(),
                        regularizer=layers.l1_l2_regularizer(.1, .2))
    outputs.append(layers.apply_regularization(
        layers.sum_regularizer([layers.l1_regularizer(.5), layers.l2_regularizer(.25)], 'sr'),
        [w]))
    outputs += tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return [run(tf.global_variables_initializer()), run(outputs, {ids: [1, 3, 1]})]


@program
def contrib_spatial_softmax(tf, np):
    x, images = _images(tf, np)
    y = tf.contrib.layers.spatial_softmax(x)
    z = tf.contrib.layers.spatial_softmax(x, temperature=.5, trainable=False, name='own')
    return [run(tf.global_variables_initializer()), run([y, z], {x: images})]


@program
def contrib_arg_scope(tf, np):
    layers, arg_scope = tf.contrib.layers, tf.contrib.framework.arg_scope
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [None, 6, 7, 2], name='x')
    with arg_scope([layers.conv2d, layers.fully_connected], activation_fn=tf.nn.elu,
                   weights_initializer=tf.ones_initializer(),
                   weights_regularizer=layers.l2_regularizer(.01)):
        with arg_scope([layers.conv2d], padding='VALID') as scope:
            a = layers.conv2d(x, 3, 3, scope='c')
        b = layers.fully_connected(layers.flatten(a), 2, activation_fn=None)
    with arg_scope(scope):
        c = layers.conv2d(x, 2, 2)
    return [run(tf.global_variables_initializer()),
            run([a, b, c], {x: np.arange(168.).reshape(2, 6, 7, 2) / 50})]


@program
def contrib_optimize_loss(tf, np):
    layers = tf.contrib.layers
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    y = layers.fully_connected(x, 1, activation_fn=None,
                               weights_initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(y))
    step = tf.train.get_or_create_global_step()
    first = layers.optimize_loss(loss, step, .01, 'SGD', summaries=[])
    second = layers.optimize_loss(
        loss, None, .01, tf.train.AdamOptimizer, clip_gradients=.5, summaries=[], name='o2',
        learning_rate_decay_fn=lambda rate, s: tf.train.exponential_decay(rate, s, 10, .5),
        increment_global_step=False)
    third = layers.optimize_loss(
        loss, step, None, tf.train.GradientDescentOptimizer(.1), summaries=[],
        gradient_multipliers={'fully_connected/weights:0': .5}, clip_gradients=.5)
    feeds = {x: np.arange(8.).reshape(2, 4) / 4}
    return [run(tf.global_variables_initializer()), run(first, feeds), run(second, feeds),
            run(third, feeds), run([tf.trainable_variables(), step], feeds)]


@functional
def contrib_batch_norm_by_a_placeholder(tf, np):
    x, images = _images(tf, np)
    training = tf.placeholder(tf.bool, [], name='training')
    y = tf.contrib.layers.batch_norm(x, is_training=training, decay=.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    return [run(tf.global_variables_initializer()),
            run(y, {x: images, training: True}), run(updates, {x: images, training: True}),
            run(y, {x: images, training: False})]


@program
def contrib_losses(tf, np):
    losses = tf.contrib.losses
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    t = tf.placeholder(tf.float32, [None, 3], name='t')
    classes = tf.placeholder(tf.int64, [None, 1], name='classes')
    found = [losses.absolute_difference(x, t), losses.mean_squared_error(x, t, weights=[1., 0.]),
             losses.log_loss(x, t, weights=2.), losses.hinge_loss(x, t),
             losses.sigmoid_cross_entropy(x, t, label_smoothing=.1),
             losses.softmax_cross_entropy(x, t, weights=tf.constant([[1.], [3.]])),
             losses.softmax_cross_entropy(x, t, label_smoothing=.1, scope='smooth'),
             losses.sparse_softmax_cross_entropy(x, classes),
             losses.cosine_distance(x, t, dim=1), losses.mean_pairwise_squared_error(x, t),
             losses.mean_squared_error(x, t, weights=[[1., 0., 2.], [0., 0., 1.]]),
             losses.get_total_loss()]
    return [run(found, {x: [[.2, .5, .7], [.4, .3, .1]], t: [[0, 1, 0], [1, 0, 1.]],
                        classes: [[1], [2]]})]


@program
def contrib_metrics(tf, np):
    metrics = tf.contrib.metrics
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    labels = tf.placeholder(tf.int64, [None], name='labels')
    best = tf.argmax(x, 1)
    values, updates = metrics.aggregate_metric_map({
        'accuracy': metrics.streaming_accuracy(best, labels),
        'recall': metrics.streaming_recall_at_k(x, labels, 2),
        'error': metrics.streaming_mean_squared_error(tf.cast(best, tf.float32),
                                                      tf.cast(labels, tf.float32))})
    listed, _ = metrics.aggregate_metrics(metrics.streaming_mean(x), metrics.streaming_precision(
        predictions=best > 0, labels=labels > 0))
    one = metrics.accuracy(best, labels)
    two = metrics.accuracy(best, labels, weights=[1., 2.])
    feeds = {x: [[.2, .5, .7], [.4, .3, .1]], labels: [1, 0]}
    return [run(tf.local_variables_initializer()), run([updates, one, two], feeds),
            run([values, listed])]
