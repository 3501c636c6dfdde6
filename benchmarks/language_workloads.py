"""Training steps of three models of language, in small: BERT, GPT-2, translation with attention.

They have the architectures of the published programs, written anew with the functions that
TensorFlow 1.15 and 2.15 share (no tf.contrib), and random words. Like workloads.py, this file stays
within Python 3.7.
"""

from __future__ import annotations

from workloads import Row, initialized_session, workload


@workload(Row("BERT, 2 layers of 128, 8 x 128 tokens, Adam with decay", 1), warmup=3, inner=3)
def bert_step(tf, np):
    batch, length, width, heads, vocabulary, masked = 8, 128, 128, 2, 8000, 20
    random = np.random.RandomState(0)
    words = random.randint(0, vocabulary, (batch, length))
    lengths = random.randint(length // 2, length + 1, (batch, 1))
    fed = {
        "words": words,
        "mask": (np.arange(length) < lengths).astype("int32"),
        "segments": (np.arange(length) >= lengths // 2).astype("int32"),
        "positions": np.sort(random.randint(0, length // 2, (batch, masked))),
        "targets": random.randint(0, vocabulary, (batch, masked)),
        "weights": np.ones((batch, masked), "float32"),
        "follows": random.randint(0, 2, batch),
    }
    x = {
        name: tf.placeholder(tf.float32 if name == "weights" else tf.int32, value.shape)
        for name, value in fed.items()
    }

    table = weights(tf, "words", [vocabulary, width])
    hidden = tf.nn.embedding_lookup(table, x["words"])
    kinds = tf.one_hot(tf.reshape(x["segments"], [-1]), 2)
    kinds = tf.matmul(kinds, weights(tf, "segments", [2, width]))
    hidden += tf.reshape(kinds, [batch, length, width])
    hidden += weights(tf, "places", [512, width])[:length]
    hidden = tf.nn.dropout(layer_norm(tf, hidden, "norm"), rate=0.1)

    visible = tf.cast(tf.reshape(x["mask"], [batch, 1, 1, length]), tf.float32)
    hidden = tf.reshape(hidden, [batch * length, width])
    for layer in range(2):
        with tf.variable_scope("layer_%d" % layer):
            q, k, v = [
                split_heads(tf, dense(tf, hidden, width, name), batch, length, heads)
                for name in ("q", "k", "v")
            ]
            scores = tf.matmul(q, k, transpose_b=True) * (width // heads) ** -0.5
            scores += (1.0 - visible) * -10000.0
            shares = tf.nn.dropout(tf.nn.softmax(scores), rate=0.1)
            seen = dense(tf, join_heads(tf, tf.matmul(shares, v), width), width, "attended")
            seen = layer_norm(tf, hidden + tf.nn.dropout(seen, rate=0.1), "norm_1")
            inner = gelu(tf, np, dense(tf, seen, 4 * width, "inner"))
            inner = tf.nn.dropout(dense(tf, inner, width, "outer"), rate=0.1)
            hidden = layer_norm(tf, seen + inner, "norm_2")

    rows = x["positions"] + np.arange(batch)[:, None] * length
    chosen = tf.gather(hidden, tf.reshape(rows, [-1]))
    chosen = layer_norm(tf, gelu(tf, np, dense(tf, chosen, width, "transform")), "transform_norm")
    bias = tf.get_variable("word_bias", [vocabulary], initializer=tf.zeros_initializer())
    logits = tf.nn.log_softmax(tf.matmul(chosen, table, transpose_b=True) + bias)
    hits = tf.one_hot(tf.reshape(x["targets"], [-1]), vocabulary)
    losses = -tf.reduce_sum(logits * hits, axis=-1)
    counted = tf.reshape(x["weights"], [-1])
    loss = tf.reduce_sum(losses * counted) / (tf.reduce_sum(counted) + 1e-5)
    first = tf.reshape(hidden, [batch, length, width])[:, 0]
    pooled = tf.tanh(dense(tf, first, width, "pooled"))
    loss += tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=x["follows"], logits=dense(tf, pooled, 2, "follows")
        )
    )

    train = adam_with_decay(tf, loss, tf.train.get_or_create_global_step())
    session = initialized_session(tf)
    feed = {x[name]: value for name, value in fed.items()}
    return lambda: session.run([train, loss], feed)


@workload(Row("GPT-2, 4 layers of 192, 4 x 128 tokens, Adam step", 1), warmup=3, inner=3)
def gpt2_step(tf, np):
    batch, length, width, heads, vocabulary = 4, 128, 192, 4, 2000
    words = np.random.RandomState(0).randint(0, vocabulary, (batch, length))
    x = tf.placeholder(tf.int32, [batch, None])
    count = tf.shape(x)[1]

    table = weights(tf, "wte", [vocabulary, width])
    places = tf.tile(tf.expand_dims(tf.range(count), 0), [batch, 1])
    hidden = tf.gather(table, x) + tf.gather(weights(tf, "wpe", [1024, width]), places)
    earlier = tf.cast(tf.range(count)[:, None] >= tf.range(count), tf.float32)
    for layer in range(4):
        with tf.variable_scope("h%d" % layer):
            c = dense(tf, layer_norm(tf, hidden, "ln_1"), 3 * width, "c_attn")
            q, k, v = [
                split_heads(tf, part, batch, count, heads) for part in tf.split(c, 3, axis=2)
            ]
            scores = tf.matmul(q, k, transpose_b=True) * (width // heads) ** -0.5
            scores = scores * earlier - 1e10 * (1 - earlier)
            seen = join_heads(tf, tf.matmul(softmax(tf, scores), v), width)
            hidden += dense(tf, tf.reshape(seen, [batch, count, width]), width, "c_proj")
            inner = gelu(tf, np, dense(tf, layer_norm(tf, hidden, "ln_2"), 4 * width, "c_fc"))
            hidden += dense(tf, inner, width, "mlp_proj")
    flat = tf.reshape(layer_norm(tf, hidden, "ln_f"), [-1, width])
    logits = tf.reshape(tf.matmul(flat, table, transpose_b=True), [batch, count, vocabulary])
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x[:, 1:], logits=logits[:, :-1])
    )
    train = tf.train.AdamOptimizer(1e-4).minimize(loss)
    session = initialized_session(tf)
    return lambda: session.run([train, loss], {x: words})


@workload(Row("translation, 2 LSTMs of 128, attention, 32 x 20 words, SGD", 1), warmup=3, inner=3)
def translation_step(tf, np):
    batch, length, width, units, vocabulary = 32, 20, 64, 128, 2000
    random = np.random.RandomState(0)
    fed = [random.randint(0, vocabulary, (length, batch)) for _ in range(3)]
    fed.append(random.randint(length // 2, length + 1, batch))
    source, given, target = [tf.placeholder(tf.int32, [None, batch]) for _ in range(3)]
    lengths = tf.placeholder(tf.int32, [batch])

    def layers():
        return tf.nn.rnn_cell.MultiRNNCell([
            tf.nn.rnn_cell.DropoutWrapper(
                tf.nn.rnn_cell.BasicLSTMCell(units), input_keep_prob=0.8
            )
            for _ in range(2)
        ])

    with tf.variable_scope("encoder"):
        read = tf.nn.embedding_lookup(weights(tf, "words", [vocabulary, width]), source)
        memory, state = tf.nn.dynamic_rnn(
            layers(), read, sequence_length=lengths, time_major=True, dtype=tf.float32
        )
    with tf.variable_scope("decoder"):
        written = tf.nn.embedding_lookup(weights(tf, "words", [vocabulary, width]), given)
        cell = attention_cell(tf, layers(), tf.transpose(memory, [1, 0, 2]), lengths, units)
        start = (state, tf.zeros([batch, units]))
        outputs, _ = tf.nn.dynamic_rnn(
            cell, written, sequence_length=lengths, initial_state=start, time_major=True
        )
        logits = tf.layers.dense(outputs, vocabulary, use_bias=False, name="projection")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
    counted = tf.transpose(tf.sequence_mask(lengths, tf.shape(target)[0], dtype=tf.float32))
    loss = tf.reduce_sum(losses * counted) / batch
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(gradients, variables))
    session = initialized_session(tf)
    feed = dict(zip([source, given, target, lengths], fed))
    return lambda: session.run([train, loss], feed)


# ---- parts -----------------------------------------------------------------------------------


def weights(tf, name, shape):
    """A Variable of small random numbers."""
    return tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.02))


def dense(tf, x, width, name):
    """x w + b along the last axis. Shapes: x [*n, k] -> [*n, width]."""
    with tf.variable_scope(name):
        fan_in = x.shape[-1].value if hasattr(x.shape[-1], "value") else x.shape[-1]
        w = weights(tf, "w", [fan_in, width])
        b = tf.get_variable("b", [width], initializer=tf.zeros_initializer())
        if x.shape.ndims == 2:
            return tf.matmul(x, w) + b
        y = tf.matmul(tf.reshape(x, [-1, fan_in]), w) + b
        return tf.reshape(y, tf.concat([tf.shape(x)[:-1], [width]], 0))


def layer_norm(tf, x, name):
    """The last axis with mean 0 and variance 1, scaled and shifted."""
    with tf.variable_scope(name):
        shape = [x.shape.as_list()[-1]]
        scale = tf.get_variable("g", shape, initializer=tf.ones_initializer())
        shift = tf.get_variable("b", shape, initializer=tf.zeros_initializer())
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) * tf.rsqrt(variance + 1e-5) * scale + shift


def gelu(tf, np, x):
    """x times the probability that a normal variable is smaller, nearly."""
    return 0.5 * x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))


def softmax(tf, x):
    """The softmax of the last axis, of single operations, as GPT-2 has it."""
    powers = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
    return powers / tf.reduce_sum(powers, axis=-1, keepdims=True)


def split_heads(tf, x, batch, length, heads):
    """Shapes: [batch * length or batch, length, width] -> [batch, heads, length, width / heads]."""
    width = x.shape.as_list()[-1]
    return tf.transpose(tf.reshape(x, [batch, length, heads, width // heads]), [0, 2, 1, 3])


def join_heads(tf, x, width):
    """Shapes: [batch, heads, length, width / heads] -> [batch * length, width]."""
    return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [-1, width])


def attention_cell(tf, cell, memory, lengths, units):
    """A cell that reads `memory` [batch, length, units] after each step, weighted by likeness."""
    keys = tf.layers.dense(memory, units, use_bias=False, name="memory_layer")
    seen = tf.sequence_mask(lengths, tf.shape(memory)[1], dtype=tf.float32)
    scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())

    class Attention(tf.nn.rnn_cell.RNNCell):
        output_size = property(lambda self: units)
        state_size = property(lambda self: (cell.state_size, units))

        def __call__(self, inputs, state, scope=None):
            inner, attended = state
            with tf.variable_scope(scope or "attention"):
                output, inner = cell(tf.concat([inputs, attended], 1), inner)
                scores = scale * tf.squeeze(
                    tf.matmul(tf.expand_dims(output, 1), keys, transpose_b=True), [1]
                )
                shares = tf.nn.softmax(scores * seen - 1e9 * (1 - seen))
                read = tf.squeeze(tf.matmul(tf.expand_dims(shares, 1), memory), [1])
                attended = tf.tanh(
                    tf.layers.dense(
                        tf.concat([output, read], 1), units, use_bias=False, name="attention_layer"
                    )
                )
            return attended, (inner, attended)

    return Attention()


def adam_with_decay(tf, loss, step):
    """BERT's optimizer, of single operations: no correction of the means, decay apart from them."""
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    rate = tf.train.polynomial_decay(1e-4, step, 1000, end_learning_rate=0.0, power=1.0)
    done = tf.cast(step, tf.float32) / 100.0
    rate = tf.where(done < 1.0, 1e-4 * done, rate)
    updates = []
    for variable, gradient in zip(variables, gradients):
        name = variable.op.name
        m, v = [
            tf.get_variable(
                name + kind, variable.shape, trainable=False, initializer=tf.zeros_initializer()
            )
            for kind in ("/adam_m", "/adam_v")
        ]
        next_m = 0.9 * m + 0.1 * gradient
        next_v = 0.999 * v + 0.001 * tf.square(gradient)
        update = next_m / (tf.sqrt(next_v) + 1e-6)
        if "norm" not in name and not name.endswith("/b"):
            update += 0.01 * variable
        updates += [variable.assign(variable - rate * update), m.assign(next_m), v.assign(next_v)]
    return tf.group(*updates, step.assign(step + 1))
