"""Whole trainings with seeds, as programs write them: the loss of each step is that of TF 1.15."""
from .registry import program, run

STEPS = 5


def steps(tf, train, loss, feeds=None, more=()):
    """Initialization, then the losses of some steps, then what `more` gives."""
    return ([run(tf.global_variables_initializer())] + [run([train, loss], feeds)] * STEPS
            + [run(fetch, feeds) for fetch in more])


def pictures(np, n=8, size=8, classes=3):
    """Shapes: pictures [n, size, size, 1], labels [n]."""
    random = np.random.RandomState(1)
    labels = random.randint(0, classes, n)
    return random.rand(n, size, size, 1).astype(np.float32) + labels[:, None, None, None], labels


@program
def whole_convolutional_network(tf, np):
    """tf.layers with batch normalization, whose updates run before each step, and dropout."""
    tf.set_random_seed(1)
    images, labels = pictures(np)
    x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
    net = tf.layers.conv2d(x, 4, 3, padding='same', use_bias=False)
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=True))
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.dropout(tf.layers.flatten(net), 0.3, training=True)
    logits = tf.layers.dense(net, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_or_create_global_step())
    right = tf.equal(tf.argmax(logits, 1), y)
    return steps(tf, train, loss, {x: images, y: labels},
                 [tf.reduce_mean(tf.cast(right, tf.float32)), tf.train.get_global_step()])


@program
def whole_slim_network(tf, np):
    tf.set_random_seed(2)
    slim = tf.contrib.slim
    images, labels = pictures(np)
    with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.elu,
                        weights_regularizer=slim.l2_regularizer(0.01)):
        net = slim.repeat(tf.constant(images, tf.float32), 2, slim.conv2d, 4, [3, 3], scope='conv')
        net = slim.fully_connected(slim.flatten(net), 8, scope='hidden')
        logits = slim.fully_connected(net, 3, activation_fn=None, scope='logits')
    slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(tf.constant(labels), 3))
    loss = slim.losses.get_total_loss()
    train = slim.learning.create_train_op(loss, tf.train.MomentumOptimizer(0.01, 0.9))
    return [run(tf.global_variables_initializer())] + [run([train])] * STEPS


@program
def whole_language_model(tf, np):
    """Characters in two LSTM layers, unrolled, whose state goes on from batch to batch."""
    tf.set_random_seed(3)
    ids = np.random.RandomState(3).randint(0, 7, (2, 6))
    x, y = tf.placeholder(tf.int32, [2, 5]), tf.placeholder(tf.int32, [2, 5])
    cell = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.BasicLSTMCell(4) for _ in range(2)])
    start = cell.zero_state(2, tf.float32)
    table = tf.get_variable('embedding', [7, 4])
    inputs = [tf.squeeze(i, [1]) for i in tf.split(tf.nn.embedding_lookup(table, x), 5, 1)]
    outputs, last = tf.contrib.legacy_seq2seq.rnn_decoder(inputs, start, cell)
    output = tf.reshape(tf.concat(outputs, 1), [-1, 4])
    logits = tf.layers.dense(output, 7)
    loss = tf.reduce_mean(tf.contrib.legacy_seq2seq.sequence_loss_by_example(
        [logits], [tf.reshape(y, [-1])], [tf.ones([10])]))
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    rate = tf.Variable(0.05, trainable=False)
    train = tf.train.RMSPropOptimizer(rate).apply_gradients(zip(gradients, variables))
    return steps(tf, train, loss, {x: ids[:, :-1], y: ids[:, 1:]}, [last])


@program
def whole_sentence_classifier(tf, np):
    """Sentences of several lengths in both directions of a GRU."""
    tf.set_random_seed(4)
    x, lengths = tf.placeholder(tf.int32, [4, 6]), tf.placeholder(tf.int32, [4])
    table = tf.Variable(tf.random_uniform([9, 3], -1, 1))
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4), tf.nn.embedding_lookup(table, x),
        sequence_length=lengths, dtype=tf.float32)
    logits = tf.layers.dense(tf.concat(states, 1), 1)[:, 0]
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.constant([1.0, 0.0, 1.0, 0.0]), logits=logits))
    train = tf.train.AdagradOptimizer(0.3).minimize(loss)
    ids = np.random.RandomState(4).randint(0, 9, (4, 6))
    return steps(tf, train, loss, {x: ids, lengths: [6, 2, 4, 1]}, [tf.concat(outputs, 2)])


@program
def whole_translation(tf, np):
    """tf.contrib.seq2seq with attention; the decoder's loss is masked."""
    tf.set_random_seed(5)
    random = np.random.RandomState(5)
    source, target = random.randint(0, 6, (3, 4)), random.randint(0, 6, (3, 5))
    seq2seq = tf.contrib.seq2seq
    with tf.variable_scope('encoder'):
        read = tf.contrib.layers.embed_sequence(tf.constant(source), 6, 4)
        memory, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(5), read, dtype=tf.float32)
    with tf.variable_scope('decoder'):
        cell = seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(5), seq2seq.LuongAttention(5, memory), attention_layer_size=5)
        table = tf.get_variable('words', [6, 4])
        lengths = tf.constant([5, 3, 4])
        helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(table, target), lengths)
        start = cell.zero_state(3, tf.float32).clone(cell_state=state)
        decoder = seq2seq.BasicDecoder(cell, helper, start, tf.layers.Dense(6, use_bias=False))
        output, _, _ = seq2seq.dynamic_decode(decoder)
    loss = seq2seq.sequence_loss(output.rnn_output, tf.constant(target),
                                 tf.sequence_mask(lengths, 5, tf.float32))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    return steps(tf, train, loss, None, [output.sample_id])


@program
def whole_adversarial_networks(tf, np):
    tf.set_random_seed(6)
    random = np.random.RandomState(6)
    real, noise = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 2])

    def judge(x):
        with tf.variable_scope('judge', reuse=tf.AUTO_REUSE):
            return tf.layers.dense(tf.layers.dense(x, 6, tf.nn.leaky_relu), 1)

    with tf.variable_scope('maker'):
        made = tf.layers.dense(tf.layers.dense(noise, 6, tf.nn.relu), 4, tf.nn.tanh)
    likely, unlikely = judge(real), judge(made)

    def loss(logits, label):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            labels=label(tf.ones_like(logits)), logits=logits))

    losses = [loss(likely, tf.identity) + loss(unlikely, tf.zeros_like),
              loss(unlikely, tf.identity)]
    trains = [tf.train.AdamOptimizer(0.02, beta1=0.5).minimize(
        part, var_list=tf.trainable_variables(scope))
        for part, scope in zip(losses, ('judge', 'maker'))]
    runs = [run(tf.global_variables_initializer())]
    for _ in range(STEPS):
        feeds = {real: random.rand(5, 4).astype(np.float32),
                 noise: random.rand(5, 2).astype(np.float32)}
        runs += [run([train, part], feeds) for train, part in zip(trains, losses)]
    return runs


@program
def whole_variational_autoencoder(tf, np):
    tf.set_random_seed(7)
    x = tf.constant((np.random.RandomState(7).rand(6, 8) > 0.5).astype(np.float32))
    hidden = tf.layers.dense(x, 6, tf.nn.softplus)
    mean, log_variance = tf.layers.dense(hidden, 2), tf.layers.dense(hidden, 2)
    z = mean + tf.exp(log_variance / 2) * tf.random_normal(tf.shape(mean), seed=8)
    logits = tf.layers.dense(tf.layers.dense(z, 6, tf.nn.softplus), 8)
    rebuilt = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    divergence = -0.5 * tf.reduce_sum(
        1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
    loss = tf.reduce_mean(rebuilt + divergence)
    return steps(tf, tf.train.AdamOptimizer(0.02).minimize(loss), loss)


@program
def whole_policy_gradient(tf, np):
    """Actions are drawn by the graph, and rewarded; two networks, one of them copied."""
    tf.set_random_seed(8)
    states = np.random.RandomState(8).rand(6, 3).astype(np.float32)
    s, reward = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])

    def network(scope):
        with tf.variable_scope(scope):
            return tf.layers.dense(tf.layers.dense(s, 5, tf.nn.tanh), 2)

    logits, older = network('policy'), network('old_policy')
    copies = [b.assign(a) for a, b in zip(tf.trainable_variables('policy'),
                                          tf.trainable_variables('old_policy'))]
    action = tf.constant([0, 1, 1, 0, 1, 0])
    ratio = tf.exp(tf.reduce_sum((tf.nn.log_softmax(logits) - tf.nn.log_softmax(older))
                                 * tf.one_hot(action, 2), 1))
    clipped = tf.clip_by_value(ratio, 0.8, 1.2)
    loss = -tf.reduce_mean(tf.minimum(ratio * reward, clipped * reward))
    train = tf.train.AdamOptimizer(0.05).minimize(loss, var_list=tf.trainable_variables('policy'))
    feeds = {s: states, reward: [1.0, -1.0, 0.5, 2.0, 0.0, 1.0]}
    drawn = tf.multinomial(logits, 4, seed=9)
    return ([run(tf.global_variables_initializer()), run(copies)]
            + [run([train, loss], feeds)] * STEPS + [run(copies), run([loss, drawn], feeds)])


@program
def whole_training_in_a_loop(tf, np):
    """Newton's square roots in a tf.while_loop, through which a parameter is trained."""
    w = tf.get_variable('w', initializer=3.0, use_resource=True)
    x = tf.constant([1.0, 2.0, 3.0])
    _, root = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, 0.5 * (y + w * x / y)),
                            [0, tf.ones([3])])
    loss = tf.reduce_mean(tf.square(root - [2.0, 2.5, 4.0]))
    decayed = tf.cond(w > 3.2, lambda: loss * 0.5, lambda: loss + 0.01 * w)
    step = tf.get_variable('step', initializer=0, trainable=False, use_resource=True)
    rate = tf.train.exponential_decay(0.5, step, 2, 0.9, staircase=True)
    train = tf.train.GradientDescentOptimizer(rate).minimize(decayed, global_step=step)
    return steps(tf, train, decayed, None, [[w, step]])


@program
def whole_training_on_a_dataset(tf, np):
    """Shuffled by the graph's seed; the mean of the Variables is kept for evaluation."""
    tf.set_random_seed(9)
    random = np.random.RandomState(9)
    x = random.rand(12, 3).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True)))
    data = data.shuffle(12).repeat().batch(4)
    features, targets = tf.data.make_one_shot_iterator(data).get_next()
    with tf.variable_scope('net', initializer=tf.glorot_normal_initializer()):
        hidden = tf.layers.dense(features, 4, tf.nn.selu, name='hidden')
        predicted = tf.layers.dense(hidden, 1, name='output')
    loss = tf.losses.huber_loss(targets, predicted)
    step = tf.train.get_or_create_global_step()
    apply = tf.train.FtrlOptimizer(0.3).minimize(loss, global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([apply]):
        train = averages.apply(tf.trainable_variables())
    bias = tf.trainable_variables()[-1]
    return steps(tf, train, loss, None, [averages.average(bias)])
