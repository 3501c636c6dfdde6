"""Programs of TensorFlow 2; `record_v2.py` records their values from TensorFlow 2.15.1.

Each function takes (tf, np) and returns a nest as those of eager_programs.py do.
"""

import os
import tempfile


def error_of(call):
    """The name of the class of the exception that `call` raises."""
    try:
        call()
    except AttributeError:  # tinyflow has a class of its own
        return 'AttributeError'
    except Exception as error:  # noqa: BLE001 - any
        return type(error).__name__
    return 'no error'


def data(np):
    rng = np.random.RandomState(0)
    x = rng.randn(20, 3).astype(np.float32)
    return x, (x.dot(np.array([[1.0], [-2.0], [0.5]])) + 0.1).astype(np.float32)


PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


# ---- tensors and Variables ---------------------------------------------------------------------


@program
def equality(tf, np):
    x, y, v = tf.constant([1, 2]), tf.constant([1, 3]), tf.Variable([1, 2])
    return [
        x == y,
        x != y,
        x == 1,
        1 == x,
        v == x,
        v != y,
        x == None,  # noqa: E711
        tf.constant('a') == 'a',
        error_of(lambda: {x: 1}),
        error_of(lambda: {v: 1}),
        x.ref() == x.ref(),
        x.ref() == y.ref(),
        x.ref().deref() is x,
        len({x.ref(), x.ref()}),
        bool(tf.constant(2) == 2),
        tf.constant([1, 2]) == [1, 2, 3],
    ]


@program
def shapes(tf, np):
    x = tf.zeros([2, 3])
    unknown = tf.TensorShape([None, 4])
    return [
        x.shape[0] + 1,
        list(x.shape),
        str(x.shape),
        repr(x.shape),
        repr(unknown),
        str(unknown),
        unknown[0],
        unknown.as_list(),
        x.shape == (2, 3),
        x.shape[1:] == [3],
        type(x.shape[0]).__name__,
        x.shape.rank,
        tf.shape(x),
        tf.size(x),
        tf.rank(x),
    ]


@program
def texts(tf, np):
    v = tf.Variable([1.0, 2.0], name='v')
    return [
        repr(tf.constant([[1.0, 2.0], [3.0, 4.0]])),
        repr(tf.constant(3)),
        str(tf.constant('a')),
        repr(v),
        repr(tf.Variable(3)),
        repr(tf.constant([True])),
    ]


@program
def variables(tf, np):
    v = tf.Variable(1.0, trainable=False, name='count')
    w = tf.Variable(tf.zeros([2]), shape=[None], dtype=tf.float32)
    return [
        v.assign(3.0),
        v.assign_add(1.0),
        v.assign_sub(0.5),
        v,
        v.name,
        v.trainable,
        w.assign([1.0, 2.0, 3.0]),
        isinstance(v, tf.Variable),
        v * 2,
        v**2,
        -v,
        v > 1.0,
        tf.Variable([[1, 2]])[0, 1],
        error_of(lambda: v.assign([1.0, 2.0])),
        error_of(lambda: tf.Variable(1, False, [1]).name.upper),
    ]


@program
def modules(tf, np):
    class Dense(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([inputs, outputs]), name='w')
            self.b = tf.Variable(tf.zeros([outputs]), name='b')

        @tf.Module.with_name_scope
        def __call__(self, x):
            if not hasattr(self, 'scale'):
                self.scale = tf.Variable(2.0, name='scale', trainable=False)
            return self.scale * (x @ self.w + self.b)

    class TwoLayers(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(3, 4), Dense(4, 2, name='last')]
            self.extra = {'a': tf.Variable(5.0, name='a')}

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    m = TwoLayers()
    y = m(tf.ones([1, 3]))
    return [
        y,
        m.name,
        [v.name for v in m.variables],
        [v.name for v in m.trainable_variables],
        [v.name for v in m.non_trainable_variables],
        [s.name for s in m.submodules],
        m.layers[0].name_scope.name,
        error_of(lambda: tf.Module(name='not a name')),
    ]


@program
def random_numbers(tf, np):
    tf.random.set_seed(5)
    first = tf.random.normal([3])
    tf.random.set_seed(5)
    again = tf.random.normal([3])

    @tf.function
    def inside():
        return tf.random.normal([2], seed=3)

    return [
        first,
        again,
        tf.random.uniform([2], maxval=10, dtype=tf.int32),
        tf.random.truncated_normal([2]),
        tf.random.shuffle(tf.range(5)),
        tf.random.normal([2], seed=1),
        tf.random.normal([2], seed=1),
        tf.random.stateless_uniform([2], seed=[1, 2]),
        tf.random.stateless_normal([2], seed=[1, 2]),
        inside(),
        inside(),
    ]


# ---- ops ---------------------------------------------------------------------------------------


@program
def arrays(tf, np):
    x = tf.reshape(tf.range(12.0), [3, 4])
    return [
        tf.argmax(x, 1),
        tf.argmin(x),
        tf.gather(x, [2, 0]),
        tf.gather(x, [1, 1], axis=1),
        tf.gather(x, [[0], [1], [2]], batch_dims=1),
        tf.gather_nd(x, [[0, 1], [2, 3]]),
        tf.where(x > 5, x, 0.0),
        tf.where(x[:, :1] > 3, x, -x),
        tf.where([True, False, True]),
        tf.boolean_mask(x, [True, False, True]),
        tf.boolean_mask(x, [True, False, False, True], axis=1),
        tf.squeeze(x[:1]),
        tf.expand_dims(x, -1).shape,
        tf.transpose(x, [1, 0]),
        tf.concat([x, x], 1).shape,
        tf.stack([x, x]).shape,
        tf.split(x, 2, 1),
        tf.pad(x, [[1, 0], [0, 1]], constant_values=7),
        tf.one_hot([1, 3], 4),
        tf.tile(x[:1], [2, 1]),
        tf.reverse(x, [1]),
        tf.roll(x, 1, 0),
        tf.meshgrid([1, 2], [3, 4]),
        tf.repeat([1, 2], [2, 1]),
        tf.tensor_scatter_nd_update(x, [[0, 0]], [9.0]),
        tf.ones_like(x, dtype=tf.int32),
        tf.zeros_like(input=x),
        tf.eye(2),
        tf.linspace(0.0, 1.0, 3),
        tf.sort([3, 1, 2]),
        tf.argsort([3, 1, 2]),
        tf.unique([3, 1, 3]),
        tf.fill([2], 3),
    ]


@program
def mathematics(tf, np):
    x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
    return [
        tf.reduce_sum(x, axis=1, keepdims=True),
        tf.reduce_mean(x),
        tf.reduce_max(x, 0),
        tf.math.reduce_std(x),
        tf.math.reduce_variance(x, 0),
        tf.math.softplus(x),
        tf.math.log1p(tf.abs(x)),
        tf.math.count_nonzero(x, 1),
        tf.math.cumsum(x, 1),
        tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]),
        tf.math.in_top_k([1, 0], x, 1),
        tf.math.top_k(x, 1).indices,
        tf.math.l2_normalize(x, 1),
        tf.norm(x),
        tf.linalg.inv(x),
        tf.linalg.det(x),
        tf.einsum('ij,jk->ik', x, x),
        tf.tensordot(x, x, 1),
        tf.clip_by_norm(x, 1.0),
        tf.math.divide_no_nan(x, 0.0),
        tf.math.floormod(-7, 3),
        tf.math.segment_sum(x, [0, 0]),
        tf.math.unsorted_segment_max(x, [1, 0], 2),
        tf.math.bincount([1, 1, 2]),
        tf.sign(x),
        tf.math.erf(x),
        tf.math.lgamma(tf.abs(x)),
        tf.math.logical_and(True, False),
        tf.math.squared_difference(x, 1.0),
        tf.math.add_n([x, x]),
        tf.math.polyval([1.0, 2.0], x),
        tf.math.accumulate_n([x, x]),
        tf.linalg.diag([1.0, 2.0]),
        tf.linalg.trace(x),
        tf.linalg.band_part(x, 0, -1),
        tf.linalg.matmul(x, x, transpose_b=True),
    ]


@program
def network_ops(tf, np):
    rng = np.random.RandomState(1)
    x = tf.constant(rng.randn(2, 6, 6, 3).astype('f'))
    k = tf.constant(rng.randn(3, 3, 3, 4).astype('f'))
    logits = tf.constant(rng.randn(4, 3).astype('f'))
    return [
        tf.nn.conv2d(x, k, 1, 'SAME'),
        tf.nn.conv2d(x, k, strides=[1, 2, 2, 1], padding='VALID'),
        tf.nn.conv2d(input=x, filters=k, strides=1, padding='VALID', dilations=2),
        tf.nn.conv2d_transpose(x, tf.transpose(k, [0, 1, 3, 2]), [2, 12, 12, 4], 2),
        tf.nn.conv1d(x[:, 0], k[0], 1, 'SAME'),
        tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], 'SAME'),
        tf.nn.max_pool(x, 2, 2, 'SAME'),
        tf.nn.avg_pool2d(input=x, ksize=3, strides=1, padding='VALID'),
        tf.nn.max_pool2d(x, 2, 2, 'VALID'),
        tf.nn.moments(x, [0, 1, 2]),
        tf.nn.softmax(logits),
        tf.nn.log_softmax(logits, axis=0),
        tf.nn.relu(logits),
        tf.nn.gelu(logits),
        tf.nn.gelu(logits, approximate=True),
        tf.nn.silu(logits),
        tf.nn.swish(logits),
        tf.nn.leaky_relu(logits),
        tf.nn.elu(logits),
        tf.nn.selu(logits),
        tf.nn.softmax_cross_entropy_with_logits(tf.one_hot([0, 1, 2, 0], 3), logits),
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], logits),
        tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(logits), logits),
        tf.nn.weighted_cross_entropy_with_logits(tf.ones_like(logits), logits, 2.0),
        tf.nn.batch_normalization(logits, 0.0, 1.0, 1.0, 2.0, 1e-3),
        tf.nn.bias_add(logits, [1.0, 2.0, 3.0]),
        tf.nn.embedding_lookup(logits, [1, 0]),
        tf.nn.l2_loss(logits),
        tf.nn.zero_fraction([0.0, 1.0]),
        tf.nn.space_to_depth(x, 2).shape,
        error_of(lambda: tf.nn.dropout(logits, keep_prob=0.5)),
    ]


@program
def gradient_of_labels(tf, np):
    labels, logits = tf.Variable([[0.3, 0.7]]), tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    return tape.gradient(loss, [labels, logits])


@program
def dropout(tf, np):
    tf.random.set_seed(2)
    x = tf.ones([10])
    return [tf.nn.dropout(x, 0.5), tf.nn.dropout(x, rate=0.25, seed=4)]


@program
def text_ops(tf, np):
    x = tf.constant(['hello world', 'tensor'])
    return [
        tf.strings.length(x),
        tf.strings.upper(x),
        tf.strings.join([x, x], '-'),
        tf.strings.substr(x, 0, 3),
        tf.strings.regex_replace(x, 'o', '0'),
        tf.strings.to_number(['1.5', '2']),
        tf.strings.as_string([1, 2]),
        tf.strings.reduce_join(x),
        tf.strings.to_hash_bucket_fast(x, 10),
        tf.strings.strip([' a ']),
        tf.strings.regex_full_match(x, '.*r'),
        tf.strings.to_hash_bucket(x, 10),
        tf.strings.format('{}', tf.constant(1)),
    ]


@program
def pictures(tf, np):
    x = tf.constant(np.random.RandomState(0).rand(1, 4, 6, 3).astype('f'))
    return [
        tf.image.resize(x, [8, 9]),
        tf.image.resize(x, [3, 3], method='nearest'),
        tf.image.resize(x, [5, 5], 'bicubic'),
        tf.image.resize(x, [2, 3], 'area'),
        tf.image.resize(x, [6, 6], preserve_aspect_ratio=True),
        tf.image.resize_with_pad(x, 5, 5),
        tf.image.flip_left_right(x),
        tf.image.rot90(x),
        tf.image.adjust_brightness(x, 0.1),
        tf.image.rgb_to_grayscale(x),
        tf.image.central_crop(x, 0.5),
        tf.image.convert_image_dtype(x, tf.uint8),
        tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 0.5]], [0], [2, 2]),
        tf.image.per_image_standardization(x),
    ]


@program
def functional(tf, np):
    x = tf.range(4.0)
    return [
        tf.map_fn(lambda t: t * 2, x),
        tf.map_fn(lambda t: tf.cast(t, tf.int32), x, fn_output_signature=tf.int32),
        tf.map_fn(lambda t: (t, t + 1), x, fn_output_signature=(tf.float32, tf.float32)),
        tf.scan(lambda a, t: a + t, x),
        tf.foldl(lambda a, t: a * 0.5 + t, x),
        tf.foldr(lambda a, t: a * 0.5 + t, x),
        tf.cond(x[1] > 0, lambda: 1, lambda: 2),
        tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)]),
        tf.case([(x[0] > 1, lambda: 1)], default=lambda: 9),
        tf.switch_case(tf.constant(1), [lambda: 3, lambda: 4]),
    ]


@program
def asserts(tf, np):
    x = tf.constant([1.0, 2.0])
    return [
        error_of(lambda: tf.debugging.assert_equal(x, x + 1, 'not equal')),
        error_of(lambda: tf.debugging.assert_positive(-x)),
        tf.debugging.assert_less(x, x + 1),
        error_of(lambda: tf.debugging.assert_rank(x, 2)),
        error_of(lambda: tf.debugging.assert_shapes([(x, (3,))])),
        error_of(lambda: tf.debugging.check_numerics(x / 0.0, 'x')),
        error_of(lambda: tf.compat.v1.placeholder('f')),
        error_of(lambda: tf.placeholder('f')),
        error_of(lambda: tf.argmax(x, dimension=0)),
    ]


# ---- gradients and functions -------------------------------------------------------------------


@program
def tapes(tf, np):
    x, v = tf.constant([1.0, 2.0, 3.0]), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = v * x**3
        first = inner.gradient(y, x)
        z = tf.reduce_sum(first)
    with tf.GradientTape() as other:
        other.watch(x)
        w = x * x
    return [
        tape.gradient(z, x),
        tape.gradient(z, v),
        other.jacobian(w, x),
        tape.gradient(z, tf.Variable(1.0)),
        tape.gradient(
            z, tf.Variable([1.0, 2.0]), unconnected_gradients=tf.UnconnectedGradients.ZERO
        ),
    ]


@program
def functions(tf, np):
    traced = []

    @tf.function
    def f(x, training=False):
        traced.append(1)
        if tf.reduce_sum(x) > 0:
            y = x * 2
        else:
            y = x - 1
        total = tf.zeros([])
        for i in tf.range(3):
            if i == 1:
                continue
            total += tf.cast(i, tf.float32)
        while tf.reduce_sum(y) < 100.0:
            y = y * 2
        return y, total, {'training': training}

    results = [
        f(tf.constant([1.0, 2.0])),
        f(tf.constant([-1.0, 5.0])),
        f(tf.constant([3.0])),
        f(tf.constant([1.0]), True),
    ]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def g(x):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            array = array.write(i, x[i] * x[i])
        return array.stack()

    return [results, len(traced), g([1, 2, 3]), g([4]), g.get_concrete_function()(tf.constant([5]))]


@program
def custom_gradients(tf, np):
    @tf.custom_gradient
    def clip(x):
        def grad(dy):
            return tf.clip_by_value(dy, -1.0, 1.0)

        return x * 10.0, grad

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = clip(v * 3.0)
    return [y, tape.gradient(y, v)]


# ---- data --------------------------------------------------------------------------------------


@program
def datasets(tf, np):
    d = tf.data.Dataset.from_tensor_slices((np.arange(6.0), np.arange(6) % 2))
    mapped = (
        d.map(lambda x, y: (x * 2, y), num_parallel_calls=tf.data.AUTOTUNE)
        .batch(4)
        .prefetch(tf.data.AUTOTUNE)
    )
    small = tf.data.Dataset.range(5)
    return [
        list(mapped),
        list(small.filter(lambda x: x % 2 == 0).as_numpy_iterator()),
        list(small.enumerate()),
        small.reduce(np.int64(0), lambda a, b: a + b),
        list(tf.data.Dataset.zip((small, small.skip(1)))),
        list(small.take(2).repeat(2)),
        list(small.window(2, drop_remainder=True).flat_map(lambda w: w.batch(2))),
        list(small.shuffle(5, seed=3)),
        small.cardinality(),
        d.element_spec[0].shape,
        list(small.padded_batch(3)),
        len(small),
        list(small.interleave(lambda i: tf.data.Dataset.from_tensors(i), 2)),
        list(
            tf.data.Dataset.from_generator(
                lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32)
            )
        ),
        next(iter(small.concatenate(small).batch(10))),
    ]


@program
def records(tf, np):
    path = os.path.join(tempfile.mkdtemp(), 'data.tfrecord')
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(3):
            writer.write(
                tf.train.Example(
                    features=tf.train.Features(
                        feature={
                            'x': tf.train.Feature(
                                float_list=tf.train.FloatList(value=[i, i + 0.5])
                            ),
                            'n': tf.train.Feature(
                                bytes_list=tf.train.BytesList(value=[b'a%d' % i])
                            ),
                        }
                    )
                ).SerializeToString()
            )
    spec = {'x': tf.io.FixedLenFeature([2], tf.float32), 'n': tf.io.FixedLenFeature([], tf.string)}
    d = tf.data.TFRecordDataset(path).map(lambda t: tf.io.parse_single_example(t, spec))
    return [
        list(d),
        tf.io.decode_csv(['1,a'], [[0], ['']]),
        tf.io.decode_raw(b'ab', tf.uint8),
        tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32),
    ]


@program
def tables(tf, np):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
    return [table.lookup(tf.constant(['b', 'z'])), table.size()]


@program
def sparse_tensors(tf, np):
    s = tf.sparse.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    return [
        tf.sparse.to_dense(s),
        tf.sparse.add(s, s),
        tf.sparse.reduce_sum(s, 1),
        tf.sparse.sparse_dense_matmul(s, tf.ones([3, 1])),
        tf.sparse.concat(1, [s, s]),
        tf.sparse.from_dense([[0, 1], [2, 0]]),
        tf.sparse.reorder(s),
        tf.sparse.slice(s, [0, 0], [1, 2]),
    ]


# ---- Keras -------------------------------------------------------------------------------------


@program
def losses(tf, np):
    y, p = tf.constant([[0.0, 1.0], [1.0, 0.0]]), tf.constant([[0.2, 0.8], [0.6, 0.4]])
    L = tf.keras.losses  # noqa: N806
    return [
        L.MeanSquaredError()(y, p),
        L.BinaryCrossentropy()(y, p),
        L.CategoricalCrossentropy()(y, p),
        L.SparseCategoricalCrossentropy(from_logits=True)([1, 0], p),
        L.Huber()(y, p),
        L.Hinge()(y, p),
        L.KLDivergence()(y, p),
        L.Poisson()(y, p),
        L.LogCosh()(y, p),
        L.CosineSimilarity()(y, p),
        tf.losses.mean_absolute_error(y, p),
        L.MeanSquaredError(reduction='sum')(y, p, [1.0, 2.0]),
        L.MeanSquaredError(reduction=L.Reduction.NONE)(y, p),
        L.binary_crossentropy(y, p),
        tf.losses.get('mse')(y, p),
    ]


@program
def metrics(tf, np):
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.6]
    found = {}
    for metric in (tf.metrics.Mean(), tf.metrics.Sum()):
        metric.update_state([1.0, 2.0, 6.0])
        found[metric.name] = metric.result()
    for metric in (
        tf.metrics.BinaryAccuracy(),
        tf.metrics.AUC(),
        tf.metrics.Precision(),
        tf.metrics.Recall(),
        tf.metrics.MeanSquaredError(),
        tf.metrics.TruePositives(),
        tf.metrics.RootMeanSquaredError(),
    ):
        metric.update_state(y, p)
        found[metric.name] = metric.result()
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state([1, 0], [[0.1, 0.9], [0.3, 0.7]])
    found['before'] = accuracy.result()
    accuracy.reset_state()
    found['after'] = accuracy.result()
    return found


@program
def optimizers(tf, np):
    found = {}
    for name in ('SGD', 'Adam', 'Adagrad', 'RMSprop', 'Adadelta', 'Adamax', 'Nadam', 'Ftrl'):
        optimizer = getattr(tf.keras.optimizers.legacy, name)(learning_rate=0.1)
        v = tf.Variable([1.0, -2.0])
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v**2)
            optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v]))
        found[name] = [v, optimizer.iterations]
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    optimizer = tf.keras.optimizers.legacy.SGD(schedule, momentum=0.9)
    v = tf.Variable(1.0)
    for _ in range(3):
        optimizer.minimize(lambda: v * v, [v])
    found['schedule'] = [v, schedule(3)]
    return found


@program
def training(tf, np):
    x, y = data(np)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(4, 'tanh', input_shape=(3,), kernel_initializer='ones'),
            tf.keras.layers.Dense(1, kernel_initializer='ones'),
        ]
    )
    model.compile(tf.keras.optimizers.legacy.SGD(0.05), 'mse', metrics=['mae', 'accuracy'])
    history = model.fit(
        x, y, batch_size=5, epochs=2, shuffle=False, verbose=0, validation_data=(x, y)
    )
    return [
        {k: np.array(v, 'f') for k, v in history.history.items()},
        np.array(model.evaluate(x, y, verbose=0), 'f'),
        model.predict(x[:2], verbose=0),
        model.get_weights(),
        [w.name for w in model.weights],
        model.count_params(),
    ]


@program
def own_training(tf, np):
    x, y = data(np)

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = tf.keras.layers.Dense(4, activation='relu', kernel_initializer='ones')
            self.out = tf.keras.layers.Dense(1, kernel_initializer='ones')

        def call(self, x, training=False):
            return self.out(self.hidden(x))

    net, optimizer = Net(), tf.keras.optimizers.legacy.Adam(0.01)
    mean = tf.keras.metrics.Mean()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.mse(y, net(x, training=True)))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
        )
        mean(loss)
        return loss

    found = [step(a, b) for a, b in tf.data.Dataset.from_tensor_slices((x, y)).batch(5)]
    return [found, mean.result(), net.trainable_variables, [v.name for v in net.variables]]


@program
def layers(tf, np):
    rng = np.random.RandomState(3)
    x = tf.constant(rng.randn(2, 5, 4).astype('f'))
    K = tf.keras.layers  # noqa: N806
    found = []
    for make in (
        lambda: K.LSTM(3),
        lambda: K.GRU(3),
        lambda: K.SimpleRNN(3, return_sequences=True),
        lambda: K.LSTM(2, return_state=True),
        lambda: K.Bidirectional(K.GRU(2)),
        lambda: K.Conv1D(2, 3),
        lambda: K.LayerNormalization(),
        lambda: K.TimeDistributed(K.Dense(2)),
    ):
        layer = make()
        layer(x)
        layer.set_weights([rng.randn(*w.shape).astype('f') * 0.3 for w in layer.get_weights()])
        found.append(layer(x))
    norm = K.BatchNormalization()
    found += [
        norm(x, training=True),
        norm.moving_mean,
        norm(x, training=False),
        K.GlobalAveragePooling1D()(x),
        K.Flatten()(x),
        K.Concatenate()([x, x]),
        K.Dropout(0.5)(x),
        K.Embedding(3, 2, embeddings_initializer='ones')(tf.constant([1])),
        K.Lambda(lambda t: t == t[:, :1])(x),
        K.MaxPooling1D()(x),
        K.ZeroPadding1D(1)(x),
        K.Softmax()(x),
    ]
    return found


@program
def functional_model(tf, np):
    a = tf.keras.Input((3,), name='a')
    b = tf.keras.Input((3,), name='b')
    shared = tf.keras.layers.Dense(2, kernel_initializer='ones', name='shared')
    out = tf.keras.layers.Add()([shared(a), shared(b) * 2.0])
    model = tf.keras.Model([a, b], [out, tf.reduce_sum(out, 1)])
    x = np.ones((2, 3), 'f')
    return [
        model.predict([x, x], verbose=0),
        [layer.name for layer in model.layers][:3],
        model.output_shape,
        model([tf.constant(x), tf.constant(x)]),
    ]


@program
def configurations(tf, np):
    K = tf.keras.layers  # noqa: N806
    return [
        K.LSTM(2).get_config()['recurrent_activation'],
        K.GRU(2).get_config()['reset_after'],
        tf.keras.optimizers.legacy.Adam().get_config()['epsilon'],
        tf.keras.utils.to_categorical([0, 2]),
        tf.keras.preprocessing.sequence.pad_sequences([[1], [2, 3]]),
        tf.keras.activations.get('relu')(tf.constant([-1.0, 1.0])),
        tf.keras.initializers.Ones()([2]),
        tf.initializers.Constant(3.0)([2]),
        tf.keras.regularizers.l2(0.1)(tf.constant([1.0, 2.0])),
        tf.zeros_initializer()([2]),
        tf.constant_initializer(2)([1]),
        tf.keras.backend.floatx(),
    ]


# ---- saving ------------------------------------------------------------------------------------


@program
def checkpoints(tf, np):
    folder = tempfile.mkdtemp()
    v, w = tf.Variable(1.0), tf.Variable([2.0, 3.0])
    checkpoint = tf.train.Checkpoint(v=v, parts=tf.train.Checkpoint(w=w))
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    names = []
    for _ in range(3):
        v.assign_add(1.0)
        names.append(os.path.basename(manager.save()))
    v.assign(0.0)
    status = checkpoint.restore(manager.latest_checkpoint)
    status.assert_consumed()
    layer = tf.keras.layers.Dense(2, kernel_initializer='ones')
    layer(tf.ones([1, 3]))
    path = tf.train.Checkpoint(layer).write(os.path.join(folder, 'layer'))
    return [
        names,
        v,
        sorted(n for n, _ in tf.train.list_variables(manager.latest_checkpoint)),
        sorted(n for n, _ in tf.train.list_variables(path)),
        len(manager.checkpoints),
    ]


@program
def saved_models(tf, np):
    class Adder(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def add(self, x):
            return {'sum': x + self.v, 'product': x * self.v}

        @tf.function
        def scale(self, x, y=2.0):
            return x * y * self.v

    adder = Adder()
    adder.scale(tf.constant(1.0))
    folder = tempfile.mkdtemp()
    tf.saved_model.save(adder, folder, signatures=adder.add)
    loaded = tf.saved_model.load(folder)
    signature = loaded.signatures['serving_default']
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = signature(x=x)['product']
    return [
        signature(x=x),
        loaded.add(x),
        loaded.scale(tf.constant(3.0)),
        loaded.v,
        tape.gradient(y, x),
        sorted(loaded.signatures),
        tf.saved_model.contains_saved_model(folder),
        error_of(lambda: loaded.scale(tf.constant(['a']), 3.0)),
    ]


@program
def modules_with_side_effects(tf, np):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(0)
            self.total = tf.Variable(0.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def __call__(self, x):
            self.count.assign_add(1)
            self.total.assign_add(x)
            return self.total / tf.cast(self.count, tf.float32)

        @tf.function(input_signature=[])
        def reset(self):
            self.count.assign(0)
            self.total.assign(0.0)

    counter = Counter()
    counter(tf.constant(4.0))
    folder = tempfile.mkdtemp()
    tf.saved_model.save(counter, folder)
    loaded = tf.saved_model.load(folder)
    means = [loaded(tf.constant(x)) for x in (2.0, 6.0)]
    counts = [loaded.count.numpy(), counter.count.numpy()]
    nothing = loaded.reset()
    return [means, counts, nothing is None, loaded.count, loaded(tf.constant(3.0))]


@program
def functions_run_eagerly(tf, np):
    seen = []

    @tf.function(jit_compile=False)
    def double(x):
        seen.append(tf.executing_eagerly())
        return 2 * x

    @tf.py_function(Tout=tf.float32)
    def squared(x):
        return x * x

    @tf.numpy_function(Tout=tf.float32)
    def halved(x):
        return np.float32(x / 2)

    first = [double(tf.constant(1)), double(tf.constant(2)), tf.config.functions_run_eagerly()]
    tf.config.run_functions_eagerly(True)
    then = [double(tf.constant(3)), double(tf.constant(4)), tf.config.functions_run_eagerly()]
    tf.config.run_functions_eagerly(False)
    signature = double.get_concrete_function(
        tf.TensorSpec([None], tf.int32)).structured_input_signature
    return [first, then, len(seen), seen[-2:] + seen[:1], squared(tf.constant(3.0)),
            halved(tf.constant(3.0)), signature[0][0].shape.as_list(), signature[0][0].name,
            signature[1]]


@program
def dataset_positions_in_checkpoints(tf, np):
    numbers = iter(tf.data.Dataset.range(20).map(lambda x: x * x).batch(3))
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(iterator=numbers, step=step)
    first = [next(numbers), next(numbers)]
    path = checkpoint.save(os.path.join(tempfile.mkdtemp(), 'at'))
    after = [next(numbers), next(numbers)]
    step.assign(5)
    checkpoint.restore(path)
    return [first, after, next(numbers), step]


@program
def summaries(tf, np):
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)

    @tf.function
    def inside(step):
        tf.summary.scalar('inside', 2.0 * tf.cast(step, tf.float32), step=step)

    with writer.as_default():
        for step in range(2):
            tf.summary.scalar('loss', 0.5 * step, step=step)
            inside(tf.constant(step, tf.int64))
        tf.summary.histogram('h', [1.0, 2.0, 3.0, 3.0], step=1, buckets=2)
        tf.summary.histogram('one', [2.0, 2.0], step=1, buckets=2)
        tf.summary.text('t', 'hello', step=1)
        with tf.summary.record_if(False):
            tf.summary.scalar('never', 1.0, step=2)
        with tf.name_scope('scope'):
            tf.summary.scalar('x', 1, step=3)
        no_step = error_of(lambda: tf.summary.scalar('y', 1.0))
        tf.summary.experimental.set_step(9)
        tf.summary.scalar('z', 1.0)
        tf.summary.experimental.set_step(None)
    writer.close()
    found = []
    for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, os.listdir(folder)[0])):
        for value in event.summary.value:
            found.append(
                [
                    event.step,
                    value.tag,
                    value.metadata.plugin_data.plugin_name,
                    tf.make_ndarray(value.tensor)
                    if value.tensor.dtype != 7
                    else value.tensor.string_val[0],
                ]
            )
    return [found, no_step, tf.summary.scalar('outside', 1.0, step=1)]


# ---- Estimators, and TensorFlow 1 inside -------------------------------------------------------


@program
def estimators(tf, np):
    x, y = data(np)
    columns = [tf.feature_column.numeric_column('x', shape=[3])]

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).batch(5)

    estimator = tf.estimator.LinearRegressor(
        columns, optimizer='SGD', config=tf.estimator.RunConfig(tf_random_seed=1)
    )
    estimator.train(input_fn)
    classifier = tf.estimator.LinearClassifier(columns)

    def class_fn():
        return tf.data.Dataset.from_tensor_slices(({'x': x}, (y > 0).astype(int))).batch(5)

    classifier.train(class_fn)
    baseline = tf.estimator.BaselineRegressor()
    baseline.train(input_fn)
    return [
        estimator.get_variable_value('linear/linear_model/x/weights'),
        estimator.evaluate(input_fn),
        classifier.evaluate(class_fn),
        sorted(estimator.get_variable_names()),
        next(estimator.predict(input_fn)),
        baseline.evaluate(input_fn),
    ]


@program
def version_1_inside(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        p = v1.placeholder(tf.float32, [None, 2])
        w = v1.get_variable('w', [2, 1], initializer=v1.ones_initializer())
        y = tf.matmul(p, w)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            ran = session.run(y, {p: [[1.0, 2.0]]})
    return [
        ran,
        tf.executing_eagerly(),
        v1.losses.mean_squared_error([1.0], [3.0]),
        v1.nn.dropout is tf.nn.dropout,
        v1.train.get_or_create_global_step(),
        type(w).__name__,
    ]


@program
def generators(tf, np):
    g, found = tf.random.Generator, []
    for seed in (1, 2**64 + 5, -1, [1, 2], [1, 2, 3], [1, 2, 3, 4], 2**130 + 7):
        made = g.from_seed(seed)
        found += [np.array(made.state), made.key, made.algorithm, made.normal([2])]
    found += [np.array(g.from_seed(1, alg='threefry').state),
              np.array(g.from_key_counter(7, [1, 2], 'philox').state),
              np.array(g(copy_from=g.from_seed(3)).state),
              tf.random.create_rng_state([1, 2], 'threefry')]
    one = g.from_seed(1)
    found += [one.normal([2, 3]), one.normal([], 1.0, 2.0, tf.float64),
              one.truncated_normal([4]), one.uniform([3]), one.uniform([3], 2, 5.0),
              one.uniform([300], maxval=10, dtype=tf.int32),
              one.uniform([3], minval=None, dtype=tf.int64), one.make_seeds(3),
              np.array(one.state)]
    found += [new.normal([2]) for new in one.split(2)]
    one.skip(5)
    found.append(np.array(one.state))
    for reset in (lambda: one.reset([4, 5, 6]), lambda: one.reset_from_seed(9),
                  lambda: one.reset_from_key_counter(1, [2, 3])):
        reset()
        found += [np.array(one.state), one.uniform([2])]
    one.reset([-1, -1, 8])
    one.normal([1])
    found.append(np.array(one.state))
    errors = [lambda: g(), lambda: g.from_state([1, 2], 'philox'), lambda: one.reset([1]),
              lambda: g.from_seed(1, alg='x'), lambda: one.uniform([1], dtype=tf.int32),
              lambda: g.from_seed(1, alg='threefry').normal([1])]
    return found + [error_of(call) for call in errors]


@program
def generators_in_functions(tf, np):
    g = tf.random.Generator.from_seed(1)

    @tf.function
    def draw():
        return g.normal([2]), g.uniform([2])

    found = [draw(), draw(), np.array(g.state)]
    checkpoint = tf.train.Checkpoint(generator=g)
    with tempfile.TemporaryDirectory() as folder:
        path = checkpoint.write(os.path.join(folder, 'g'))
        found.append(g.normal([2]))
        checkpoint.restore(path)
        found.append(g.normal([2]))
    tf.random.set_global_generator(tf.random.Generator.from_seed(4))
    shared = tf.random.get_global_generator()
    tf.random.set_global_generator(g)
    return found + [shared.normal([2]), tf.random.get_global_generator() is g]


@program
def seeds_of_seeds(tf, np):
    r = tf.random
    return [r.split([1, 2], 3), r.split([3, 4]), r.fold_in([1, 2], 5),
            r.experimental.stateless_fold_in(tf.constant([1, 2], tf.int64), tf.constant(7)),
            r.experimental.stateless_shuffle([1, 2, 3, 4, 5], seed=[1, 2]),
            r.stateless_normal([2], [1, 2], alg='philox'), r.stateless_uniform([2], [1, 2]),
            r.stateless_uniform([2], [1, 2], None, None, tf.uint32),
            r.stateless_uniform([2], [1, 2], None, None, tf.int64),
            r.stateless_uniform([4], [1, 2], 0, 10, tf.int32),
            r.stateless_truncated_normal([3], [1, 2], alg='auto_select')]


@program
def python_arguments_of_saved_functions(tf, np):
    class Scaler(tf.Module):
        @tf.function
        def scale(self, x, by=2, training=False):
            return x * by + (10.0 if training else 0.0)

        @tf.function
        def version(self):
            return tf.constant(3)

    scaler = Scaler()
    one = tf.constant(1.0)
    scaler.scale(one)
    scaler.scale(one, by=3)
    scaler.scale(one, training=True)
    scaler.version()
    folder = tempfile.mkdtemp()
    tf.saved_model.save(scaler, folder)
    tf.saved_model.save(scaler, folder)  # replaces it
    loaded = tf.saved_model.load(folder)
    x = tf.constant(4.0)
    return [
        loaded.scale(x), loaded.scale(x, 3), loaded.scale(x, by=3), loaded.scale(x=x),
        loaded.scale(x, training=True), loaded.scale(x, 2, True), loaded.version(),
        error_of(lambda: loaded.scale(x, by=5)),
        error_of(lambda: loaded.scale(x, 3, training=True)),
    ]


@program
def results_by_name(tf, np):
    x, y = data(np)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer='ones')])
    model.compile('sgd', 'mse', metrics=['mae'], steps_per_execution=1)
    named = [
        model.evaluate(x, y, verbose=0, return_dict=True),
        model.test_on_batch(x, y, return_dict=True),
        model.train_on_batch(x, y, return_dict=True),
    ]
    return [{name: np.float32(value) for name, value in results.items()} for results in named]


@program
def values_of_pandas(tf, np):
    class Series:
        def __init__(self, values):
            self.values = values

        def __array__(self, dtype=None, copy=None):
            return np.asarray(self.values, dtype)

    return [tf.constant(Series([1.5, 2.0])), tf.convert_to_tensor(Series([1, 2])),
            tf.constant(Series([1, 2]), tf.float32), tf.constant([1.0, 2.0]) + Series([1.0, 2.0])]


@program
def even_spaces(tf, np):
    starts, stops = tf.constant([0.0, 10.0]), tf.constant([4.0, 30.0])
    return [tf.linspace(0, 10, 3), tf.linspace(starts, stops, 3),
            tf.linspace(starts, stops, 3, axis=-1), tf.reshape(starts, -1),
            tf.reshape(starts, 2)]


@program
def parts_of_strings(tf, np):
    split = tf.strings.split
    return [split('a b  c'), split(['a b', 'c']).to_list(), split(['a,b,c'], ',', 1).to_list(),
            split([['a b'], ['c d e']]).to_list()]
