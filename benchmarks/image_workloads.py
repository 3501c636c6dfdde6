"""Workloads of networks for images; as workloads.py, within Python 3.7."""

from __future__ import annotations

from workloads import Row, initialized_session, workload


@workload(Row("ResNet20 on 32x32, batch 64, Momentum step", 1.0, 0.65), warmup=6, inner=2)
def resnet20_momentum(tf, np):
    random = np.random.RandomState(0)
    images = random.uniform(0, 1, (64, 32, 32, 3)).astype("float32")
    classes = random.randint(0, 10, 64)

    x = tf.placeholder(tf.float32, [None, 32, 32, 3])
    labels = tf.placeholder(tf.int64, [None])
    hidden = tf.nn.relu(normalized(tf, convolution(tf, x, 16, 3), training=True))
    for filters in (16, 32, 64):
        for block in range(3):
            stride = 2 if filters > 16 and block == 0 else 1
            hidden = residual_block(tf, hidden, filters, stride)
    logits = tf.layers.dense(tf.reduce_mean(hidden, [1, 2]), 10)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(losses))

    session = initialized_session(tf)
    return lambda: session.run(train, {x: images, labels: classes})


def residual_block(tf, x, filters, stride):
    """Two 3x3 convolutions around which the input, or a 1x1 convolution of it, is led."""
    hidden = tf.nn.relu(normalized(tf, convolution(tf, x, filters, 3, stride), training=True))
    hidden = normalized(tf, convolution(tf, hidden, filters, 3), training=True)
    if stride > 1:
        x = normalized(tf, convolution(tf, x, filters, 1, stride), training=True)
    return tf.nn.relu(hidden + x)


@workload(Row("ResNet50 forward, batch 8, 224x224", 1.0, 0.6), warmup=6, most_rounds=9)
def resnet50_forward(tf, np):
    images = np.random.RandomState(0).uniform(0, 1, (8, 224, 224, 3)).astype("float32")
    x = tf.placeholder(tf.float32, [None, 224, 224, 3])
    logits = resnet50(tf, x, training=False)
    session = initialized_session(tf)
    return lambda: session.run(logits, {x: images})


def resnet50(tf, x, training):
    """The network of 50 layers. Shapes: x [batch, 224, 224, 3] -> [batch, 1000]."""
    hidden = tf.nn.relu(normalized(tf, convolution(tf, x, 64, 7, 2), training))
    hidden = tf.nn.max_pool(hidden, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
    for filters, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            stride = 2 if filters > 64 and block == 0 else 1
            hidden = bottleneck(tf, hidden, filters, stride, block == 0, training)
    return tf.layers.dense(tf.reduce_mean(hidden, [1, 2]), 1000)


def bottleneck(tf, x, filters, stride, projected, training):
    """Convolutions of 1x1, 3x3 and 1x1 around which the input is led."""
    hidden = tf.nn.relu(normalized(tf, convolution(tf, x, filters, 1), training))
    hidden = tf.nn.relu(normalized(tf, convolution(tf, hidden, filters, 3, stride), training))
    hidden = normalized(tf, convolution(tf, hidden, 4 * filters, 1), training)
    if projected:
        x = normalized(tf, convolution(tf, x, 4 * filters, 1, stride), training)
    return tf.nn.relu(hidden + x)


@workload(Row("DCGAN on 28x28, batch 64, both Adam steps", 1.1, 0.7), warmup=6, inner=2)
def dcgan_adam(tf, np):
    random = np.random.RandomState(0)
    images = random.uniform(-1, 1, (64, 28, 28, 1)).astype("float32")
    noise = random.uniform(-1, 1, (64, 100)).astype("float32")

    real, z = tf.placeholder(tf.float32, [64, 28, 28, 1]), tf.placeholder(tf.float32, [64, 100])
    with tf.variable_scope("generator"):
        made = generator(tf, z)
    with tf.variable_scope("discriminator"):
        of_real = discriminator(tf, real)
    with tf.variable_scope("discriminator", reuse=True):
        of_made = discriminator(tf, made)

    def loss(logits, label):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            labels=label * tf.ones_like(logits), logits=logits))

    steps = []
    for network, value in (("discriminator", loss(of_real, 1.0) + loss(of_made, 0.0)),
                           ("generator", loss(of_made, 1.0))):
        optimizer = tf.train.AdamOptimizer(2e-4, beta1=0.5)
        steps.append(optimizer.minimize(value, var_list=tf.trainable_variables(network)))

    session = initialized_session(tf)

    def both():
        for step in steps:
            session.run(step, {real: images, z: noise})

    return both


def generator(tf, z):
    """Shapes: z [batch, 100] -> [batch, 28, 28, 1]."""
    hidden = tf.reshape(tf.layers.dense(z, 7 * 7 * 128), [-1, 7, 7, 128])
    hidden = tf.nn.leaky_relu(normalized(tf, hidden, training=True))
    hidden = tf.layers.conv2d_transpose(hidden, 64, 5, 2, "same")
    hidden = tf.nn.leaky_relu(normalized(tf, hidden, training=True))
    return tf.tanh(tf.layers.conv2d_transpose(hidden, 1, 5, 2, "same"))


def discriminator(tf, x):
    """Shapes: x [batch, 28, 28, 1] -> logits [batch, 1]."""
    hidden = tf.nn.leaky_relu(tf.layers.conv2d(x, 64, 5, 2, "same"))
    hidden = tf.layers.conv2d(hidden, 128, 5, 2, "same")
    hidden = tf.nn.leaky_relu(normalized(tf, hidden, training=True))
    return tf.layers.dense(tf.layers.flatten(hidden), 1)


def convolution(tf, x, filters, size, stride=1):
    return tf.layers.conv2d(x, filters, size, stride, "same", use_bias=False)


def normalized(tf, x, training):
    return tf.layers.batch_normalization(x, training=training)


@workload(
    Row("tf.data: 256 JPEGs of 256x256 decoded, resized to 224x224, in batches of 32", 1.0),
    warmup=1,
    most_rounds=5,
)
def jpeg_pipeline(tf, np):
    side = np.linspace(0, 6, 256)
    random = np.random.RandomState(0)
    pixels = tf.placeholder(tf.uint8, [256, 256, 3])
    encoded = tf.image.encode_jpeg(pixels, quality=90)
    files = []
    with tf.Session() as session:
        for _ in range(256):
            a, b, c = random.uniform(1, 3, 3)
            waves = np.sin(a * side[:, None, None] + b * side[None, :, None] + [0, c, 2 * c])
            noise = random.normal(0, 8, (256, 256, 3))
            image = np.clip(127 + 100 * waves + noise, 0, 255).astype(np.uint8)
            files.append(session.run(encoded, {pixels: image}))

    def prepared(contents):
        image = tf.image.convert_image_dtype(tf.image.decode_jpeg(contents, 3), tf.float32)
        return tf.image.resize(image, [224, 224])

    data = tf.data.Dataset.from_tensor_slices(files).map(prepared, num_parallel_calls=2)
    iterator = tf.data.make_initializable_iterator(data.batch(32).prefetch(1))
    element = iterator.get_next()
    session = tf.Session()

    def step():
        session.run(iterator.initializer)
        batches = 0
        while True:
            try:
                session.run(element)
                batches += 1
            except tf.errors.OutOfRangeError:
                assert batches == 8
                return

    return step
