"""Workloads with words: sampled losses, a recurrent network, a transformer; within Python 3.7."""

from __future__ import annotations

from workloads import Row, initialized_session, workload


@workload(
    Row("word2vec: 50,000 words x 128, NCE loss, batch 128, SGD step", 1.5, 1.2),
    warmup=20,
    inner=300,
)
def word2vec_sgd(tf, np):
    words, width, batch = 50_000, 128, 128
    centers, contexts = tf.placeholder(tf.int32, [batch]), tf.placeholder(tf.int32, [batch, 1])
    embeddings = tf.Variable(tf.random_uniform([words, width], -1.0, 1.0))
    weights = tf.Variable(tf.truncated_normal([words, width], stddev=width**-0.5))
    biases = tf.Variable(tf.zeros([words]))
    losses = tf.nn.nce_loss(
        weights,
        biases,
        inputs=tf.nn.embedding_lookup(embeddings, centers),
        labels=contexts,
        num_sampled=64,
        num_classes=words,
    )
    loss = tf.reduce_mean(losses)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    session = initialized_session(tf)
    # Few words are frequent and most are rare, as in a text sorted by frequency.
    skipgrams = np.random.RandomState(0).zipf(1.2, (2, batch)).clip(max=words).astype("int32") - 1
    feeds = {centers: skipgrams[0], contexts: skipgrams[1][:, None]}
    return lambda: session.run([train, loss], feeds)


@workload(
    Row("Keras LSTM of 64, 32 x 80 words, train_on_batch, Adam", 1.0, 1.0),
    warmup=5,
    inner=10,
)
def keras_lstm_words(tf, np):
    words, length, batch = 5000, 80, 32
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Embedding(words, 64, input_length=length), layers.LSTM(64),
         layers.Dense(1, activation="sigmoid")]
    )
    model.compile("adam", "binary_crossentropy")
    random = np.random.RandomState(0)
    sentences = random.randint(0, words, (batch, length))
    likings = random.randint(0, 2, (batch, 1))
    graph = tf.get_default_graph()

    def step():
        with graph.as_default():
            model.train_on_batch(sentences, likings)

    return step


@workload(
    Row("transformer, 4 layers, 256 wide, 128 long, batch 16, Adam step", 1.2, 0.95),
    warmup=3,
    inner=5,
)
def transformer_adam(tf, np):
    words, layers, width, length, batch = 1000, 4, 256, 128, 16
    ids = tf.placeholder(tf.int32, [batch, length])
    targets = tf.placeholder(tf.int32, [batch, length])
    table = tf.get_variable("words", [words, width], initializer=initial(tf))
    positions = tf.get_variable("positions", [length, width], initializer=initial(tf))
    hidden = layer_norm(tf, tf.nn.embedding_lookup(table, ids) + positions)
    for number in range(layers):
        with tf.variable_scope("layer_%d" % number):
            hidden = encoder_layer(tf, hidden, heads=4)
    logits = tf.matmul(tf.reshape(hidden, [-1, width]), table, transpose_b=True)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.reshape(targets, [-1]), logits=logits
    )
    train = tf.train.AdamOptimizer(1e-4).minimize(tf.reduce_mean(losses))
    session = initialized_session(tf)
    tokens = np.random.RandomState(0).randint(0, words, (2, batch, length))
    return lambda: session.run(train, {ids: tokens[0], targets: tokens[1]})


def encoder_layer(tf, inputs, heads):
    """A layer of a transformer's encoder as in BERT: attention, then two dense layers with GELU.

    Shapes: inputs [batch, length, width] -> [batch, length, width].
    """
    batch, length, width = inputs.shape.as_list()

    def dense(x, units, name, activation=None):
        fan_in = x.shape[-1].value
        with tf.variable_scope(name):
            weights = tf.get_variable("weights", [fan_in, units], initializer=initial(tf))
            bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        product = tf.matmul(x, weights) + bias
        return product if activation is None else activation(product)

    def split(x):
        x = tf.reshape(x, [batch, length, heads, width // heads])
        return tf.transpose(x, [0, 2, 1, 3])

    flat = tf.reshape(inputs, [-1, width])
    query, key, value = [split(dense(flat, width, name)) for name in ("query", "key", "value")]
    scores = tf.matmul(query, key, transpose_b=True) * (width // heads) ** -0.5
    mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
    attended = dense(tf.reshape(mixed, [-1, width]), width, "attended")
    with tf.variable_scope("attended"):
        flat = layer_norm(tf, flat + attended)
    inner = dense(flat, 4 * width, "inner", lambda x: x * 0.5 * (1.0 + tf.erf(x / 2.0**0.5)))
    outer = dense(inner, width, "outer")
    with tf.variable_scope("outer"):
        return tf.reshape(layer_norm(tf, flat + outer), [batch, length, width])


def layer_norm(tf, x):
    """x with mean 0 and variance 1 along the last axis, scaled and shifted by Variables."""
    width = x.shape[-1].value
    scale = tf.get_variable("scale", [width], initializer=tf.ones_initializer())
    shift = tf.get_variable("shift", [width], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
    return tf.nn.batch_normalization(x, mean, variance, shift, scale, 1e-12)


def initial(tf):
    """The initializer of BERT's weights."""
    return tf.truncated_normal_initializer(stddev=0.02)
