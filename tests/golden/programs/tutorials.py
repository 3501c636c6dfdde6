"""Whole programs as TF1 tutorials write them, cut to a few steps on tiny data."""
from .registry import program, run


@program
def hello_world(tf, np):
    hello = tf.constant('Hello, TensorFlow!')
    node1 = tf.constant(3.0, tf.float32)
    node2 = tf.constant(4.0)
    node3 = tf.add(node1, node2)
    return [run(hello), run([node1, node2]), run(node3)]


@program
def adder_node(tf, np):
    a = tf.placeholder(tf.float32)
    b = tf.placeholder(tf.float32)
    adder = a + b
    triple = adder * 3
    return [run(adder, {a: 3, b: 4.5}), run(adder, {a: [1, 3], b: [2, 4]}),
            run(triple, {a: 3, b: 4.5})]


@program
def linear_regression_from_getting_started(tf, np):
    w = tf.Variable([.3], dtype=tf.float32)
    b = tf.Variable([-.3], dtype=tf.float32)
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    model = w * x + b
    loss = tf.reduce_sum(tf.square(model - y))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    feeds = {x: [1, 2, 3, 4], y: [0, -1, -2, -3]}
    return ([run(tf.global_variables_initializer()), run([model, loss], feeds)]
            + [run(train, feeds)] * 20 + [run([w, b, loss], feeds)])


@program
def linear_regression_with_graph_seed(tf, np):
    tf.set_random_seed(777)
    x = [1, 2, 3]
    y = [1, 2, 3]
    w = tf.Variable(tf.random_normal([1]), name='weight')
    b = tf.Variable(tf.random_normal([1]), name='bias')
    hypothesis = x * w + b
    cost = tf.reduce_mean(tf.square(hypothesis - y))
    optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.01)
    train = optimizer.minimize(cost)
    return ([run(tf.global_variables_initializer()), run([cost, w, b])] + [run(train)] * 20
            + [run([cost, w, b])])


@program
def multi_variable_regression(tf, np):
    tf.set_random_seed(777)
    x = tf.placeholder(tf.float32, shape=[None, 3])
    y = tf.placeholder(tf.float32, shape=[None, 1])
    w = tf.Variable(tf.random_normal([3, 1]), name='weight')
    b = tf.Variable(tf.random_normal([1]), name='bias')
    hypothesis = tf.matmul(x, w) + b
    cost = tf.reduce_mean(tf.square(hypothesis - y))
    train = tf.train.GradientDescentOptimizer(learning_rate=1e-5).minimize(cost)
    feeds = {x: [[73., 80., 75.], [93., 88., 93.], [89., 91., 90.], [96., 98., 100.]],
             y: [[152.], [185.], [180.], [196.]]}
    return ([run(tf.global_variables_initializer())] + [run([cost, hypothesis, train], feeds)] * 5
            + [run([w, b], feeds)])


@program
def logistic_regression(tf, np):
    tf.set_random_seed(777)
    x = tf.placeholder(tf.float32, shape=[None, 2])
    y = tf.placeholder(tf.float32, shape=[None, 1])
    w = tf.Variable(tf.random_normal([2, 1]), name='weight')
    b = tf.Variable(tf.random_normal([1]), name='bias')
    hypothesis = tf.sigmoid(tf.matmul(x, w) + b)
    cost = -tf.reduce_mean(y * tf.log(hypothesis) + (1 - y) * tf.log(1 - hypothesis))
    train = tf.train.GradientDescentOptimizer(learning_rate=0.01).minimize(cost)
    predicted = tf.cast(hypothesis > 0.5, dtype=tf.float32)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(predicted, y), dtype=tf.float32))
    feeds = {x: [[1, 2], [2, 3], [3, 1], [4, 3], [5, 3], [6, 2]], y: [[0], [0], [0], [1], [1], [1]]}
    return ([run(tf.global_variables_initializer())] + [run([cost, train], feeds)] * 10
            + [run([hypothesis, predicted, accuracy], feeds)])


@program
def softmax_classifier(tf, np):
    tf.set_random_seed(777)
    x = tf.placeholder('float', [None, 4])
    y = tf.placeholder('float', [None, 3])
    w = tf.Variable(tf.random_normal([4, 3]), name='weight')
    b = tf.Variable(tf.random_normal([3]), name='bias')
    hypothesis = tf.nn.softmax(tf.matmul(x, w) + b)
    cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(hypothesis), axis=1))
    train = tf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(cost)
    feeds = {x: [[1, 2, 1, 1], [2, 1, 3, 2], [1, 7, 5, 5], [1, 7, 7, 7]],
             y: [[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]]}
    return ([run(tf.global_variables_initializer())] + [run([train, cost], feeds)] * 10
            + [run([hypothesis, tf.argmax(hypothesis, 1)], feeds)])


def _digits(np):
    images = (np.arange(5 * 16).reshape(5, 16) * 7 % 17 / 17.0).astype(np.float32)
    return images, np.eye(3, dtype=np.float32)[[0, 1, 2, 1, 0]]


@program
def digits_softmax(tf, np):
    x = tf.placeholder(tf.float32, [None, 16])
    w = tf.Variable(tf.zeros([16, 3]))
    b = tf.Variable(tf.zeros([3]))
    y = tf.nn.softmax(tf.matmul(x, w) + b)
    y_ = tf.placeholder(tf.float32, [None, 3])
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
    train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
    images, labels = _digits(np)
    feeds = {x: images, y_: labels}
    return ([run(tf.global_variables_initializer())] + [run(train_step, feeds)] * 10
            + [run([accuracy, cross_entropy, b], feeds)])


@program
def digits_multilayer_perceptron(tf, np):
    tf.set_random_seed(1)
    x = tf.placeholder('float', [None, 16])
    y = tf.placeholder('float', [None, 3])
    weights = {'h1': tf.Variable(tf.random_normal([16, 6])),
               'out': tf.Variable(tf.random_normal([6, 3]))}
    biases = {'b1': tf.Variable(tf.random_normal([6])), 'out': tf.Variable(tf.random_normal([3]))}
    layer = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    logits = tf.matmul(layer, weights['out']) + biases['out']
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=y))
    train = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss)
    images, labels = _digits(np)
    feeds = {x: images, y: labels}
    return ([run(tf.global_variables_initializer())] + [run([train, loss], feeds)] * 8
            + [run([logits, biases], feeds)])


@program
def xor_network(tf, np):
    tf.set_random_seed(777)
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [None, 1])
    with tf.name_scope('layer1'):
        w1 = tf.Variable(tf.random_normal([2, 2]), name='weight1')
        b1 = tf.Variable(tf.random_normal([2]), name='bias1')
        h = tf.sigmoid(tf.matmul(x, w1) + b1)
    with tf.name_scope('layer2'):
        w2 = tf.Variable(tf.random_normal([2, 1]), name='weight2')
        b2 = tf.Variable(tf.random_normal([1]), name='bias2')
        hypothesis = tf.sigmoid(tf.matmul(h, w2) + b2)
    with tf.name_scope('cost'):
        cost = -tf.reduce_mean(y * tf.log(hypothesis) + (1 - y) * tf.log(1 - hypothesis))
    with tf.name_scope('train'):
        train = tf.train.GradientDescentOptimizer(learning_rate=0.1).minimize(cost)
    feeds = {x: [[0, 0], [0, 1], [1, 0], [1, 1]], y: [[0], [1], [1], [0]]}
    return ([run(tf.global_variables_initializer())] + [run(train, feeds)] * 20
            + [run([hypothesis, cost, w1, w2], feeds)])


@program
def multilayer_perceptron_with_dropout(tf, np):
    tf.set_random_seed(777)
    keep_prob = tf.placeholder(tf.float32)
    x = tf.placeholder(tf.float32, [None, 16])
    y = tf.placeholder(tf.float32, [None, 3])
    w1 = tf.get_variable('W1', shape=[16, 8], initializer=tf.glorot_uniform_initializer())
    b1 = tf.Variable(tf.random_normal([8]))
    h = tf.nn.dropout(tf.nn.relu(tf.matmul(x, w1) + b1), keep_prob=keep_prob)
    w2 = tf.get_variable('W2', shape=[8, 3], initializer=tf.glorot_uniform_initializer())
    b2 = tf.Variable(tf.random_normal([3]))
    logits = tf.matmul(h, w2) + b2
    cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y))
    train = tf.train.AdamOptimizer(learning_rate=0.001).minimize(cost)
    images, labels = _digits(np)
    feeds = {x: images, y: labels, keep_prob: 0.7}
    tests = {x: images, y: labels, keep_prob: 1.0}
    return ([run(tf.global_variables_initializer())] + [run([cost, train], feeds)] * 4
            + [run([logits, cost], tests)])


@program
def nearest_neighbour(tf, np):
    xtr = tf.placeholder('float', [None, 4])
    xte = tf.placeholder('float', [4])
    distance = tf.reduce_sum(tf.abs(tf.add(xtr, tf.negative(xte))), reduction_indices=1)
    pred = tf.arg_min(distance, 0)
    return [run([distance, pred], {xtr: np.arange(12).reshape(3, 4), xte: [4, 5, 6, 8]})]


@program
def k_means_step(tf, np):
    points = tf.constant([[1.0, 1.0], [1.5, 2.0], [8.0, 8.0], [9.0, 9.5]])
    centroids = tf.Variable([[1.0, 1.0], [9.0, 9.0]])
    distances = tf.reduce_sum(tf.square(tf.expand_dims(points, 0) - tf.expand_dims(centroids, 1)),
                              2)
    nearest = tf.argmin(distances, 0)
    means = [tf.reduce_mean(tf.gather(points, tf.reshape(tf.where(tf.equal(nearest, c)), [-1])),
                            axis=0)
             for c in range(2)]
    update = tf.assign(centroids, tf.stack(means))
    return [run(tf.global_variables_initializer()), run(nearest), run(update), run(centroids)]


@program
def autoencoder(tf, np):
    tf.set_random_seed(2)
    x = tf.placeholder(tf.float32, [None, 16], name='x')
    with tf.variable_scope('encoder'):
        w = tf.get_variable('w', [16, 3], initializer=tf.truncated_normal_initializer(stddev=0.1))
        code = tf.nn.tanh(tf.matmul(x, w))
    with tf.variable_scope('decoder'):
        bias = tf.get_variable('b', [16], initializer=tf.zeros_initializer())
        out = tf.nn.sigmoid(tf.matmul(code, w, transpose_b=True) + bias)
    loss = tf.reduce_mean(tf.pow(x - out, 2))
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    feeds = {x: _digits(np)[0]}
    return ([run(tf.global_variables_initializer())] + [run([train, loss], feeds)] * 4
            + [run(code, feeds)])


@program
def word_embeddings(tf, np):
    tf.set_random_seed(4)
    words = tf.placeholder(tf.int32, [None])
    targets = tf.placeholder(tf.int32, [None])
    table = tf.Variable(tf.random_uniform([6, 3], -1.0, 1.0), name='embeddings')
    weights = tf.Variable(tf.truncated_normal([3, 6], stddev=0.5), name='weights')
    logits = tf.matmul(tf.nn.embedding_lookup(table, words), weights)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
    train = tf.train.AdagradOptimizer(0.5).minimize(loss)
    unit = table / tf.sqrt(tf.reduce_sum(tf.square(table), 1, keepdims=True))
    feeds = {words: [0, 1, 1, 4], targets: [1, 0, 2, 5]}
    return ([run(tf.global_variables_initializer())] + [run([train, loss], feeds)] * 4
            + [run(unit)])


@program
def mandelbrot(tf, np):
    y, x = np.mgrid[-1.0:1.0:0.5, -2.0:1.0:0.5]
    xs = tf.constant(x.astype(np.float32))
    ys = tf.constant(y.astype(np.float32))
    zr = tf.Variable(xs)
    zi = tf.Variable(ys)
    ns = tf.Variable(tf.zeros_like(xs))
    new_r = zr * zr - zi * zi + xs
    new_i = 2.0 * zr * zi + ys
    alive = new_r * new_r + new_i * new_i < 4.0
    with tf.control_dependencies([new_r, new_i, alive]):
        step = tf.group(zr.assign(tf.clip_by_value(new_r, -9.0, 9.0)),
                        zi.assign(tf.clip_by_value(new_i, -9.0, 9.0)),
                        ns.assign_add(tf.cast(alive, tf.float32)))
    return [run(tf.global_variables_initializer())] + [run(step)] * 3 + [run(ns)]


@program
def matrix_factorization(tf, np):
    ratings = tf.constant([[5.0, 3.0, 0.0], [4.0, 0.0, 1.0]])
    known = tf.cast(ratings > 0, tf.float32)
    users = tf.get_variable('users', [2, 2], initializer=tf.random_normal_initializer(seed=1))
    items = tf.get_variable('items', [2, 3], initializer=tf.random_normal_initializer(seed=2))
    error = known * (ratings - tf.matmul(users, items))
    loss = tf.nn.l2_loss(error) + 0.1 * (tf.nn.l2_loss(users) + tf.nn.l2_loss(items))
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    return ([run(tf.global_variables_initializer())] + [run([train, loss])] * 5
            + [run([users, items])])
