"""Programs whose GraphDefs TensorFlow 1.15.5 wrote into golden/files, in its old control flow.

Each `program(tf, np)` returns [(fetches, feeds)] as in golden/programs, with lists of tensors or
operations as fetches and placeholders as keys of feeds.
"""
from collections import OrderedDict

FILE_PROGRAMS = OrderedDict()


def program(build):
    FILE_PROGRAMS[build.__name__] = build
    return build


@program
def old_cond(tf, np):
    p = tf.placeholder(tf.bool, [], name='p')
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.cond(p, lambda: x * 2.0, lambda: x - 1.0)
    pair = tf.cond(p, lambda: (x + y, tf.constant(3)), lambda: (tf.zeros([2]), tf.constant(4)))
    z = tf.add(pair[0], 1.0, name='z')
    value = np.float32([1.5, -2])
    return [([y, z, pair[1]], {p: way, x: value}) for way in (True, False)]


@program
def old_nested_cond(tf, np):
    x = tf.placeholder(tf.float32, [], name='x')

    def large():
        return tf.cond(x > 10.0, lambda: x * 100.0, lambda: tf.square(x) + 0.5)
    y = tf.cond(x > 1.0, large, lambda: tf.cond(x < -1.0, lambda: -x, lambda: tf.constant(0.25)))
    c = tf.case([(x < 0.0, lambda: tf.constant('negative')), (x > 5.0, lambda: tf.constant('big'))],
                default=lambda: tf.constant('small'))
    return [([y, c], {x: np.float32(v)}) for v in (20, 2, -3, 0)]


@program
def old_cond_assigns(tf, np):
    p = tf.placeholder(tf.bool, [], name='p')
    v = tf.Variable(1.0, name='v')
    step = tf.cond(p, lambda: tf.assign_add(v, 10.0), lambda: tf.assign(v, -1.0))
    init = tf.global_variables_initializer()
    return [([init], {})] + [([step], {p: way}) for way in (True, True, False, True)] + [([v], {})]


@program
def old_cond_gradient(tf, np):
    p = tf.placeholder(tf.bool, [], name='p')
    w = tf.Variable([1.0, -2.0], name='w')
    y = tf.cond(p, lambda: tf.reduce_sum(tf.square(w) * 3.0),
                lambda: tf.cond(w[0] > 0.5, lambda: tf.reduce_sum(tf.exp(w)),
                                lambda: tf.reduce_sum(w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(y)
    grad = tf.gradients(y, w)[0]
    init = tf.global_variables_initializer()
    runs = [([init], {})]
    for way in (True, False, False, True):
        runs += [([y, grad], {p: way}), ([train], {p: way})]
    return runs + [([w], {})]


@program
def old_while(tf, np):
    n = tf.placeholder(tf.int32, [], name='n')
    a = tf.placeholder(tf.float32, [2, 2], name='a')
    _, total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, tf.matmul(t, a) + 1.0),
                             [0, tf.eye(2)], parallel_iterations=3)
    outer = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, tf.while_loop(lambda j, r: j < i, lambda j, r: (j + 1, r * 2 + j),
                                           [0, s])[1]), [0, n])
    y = tf.add(total, 1.0, name='y')
    return [([y, outer[1]], {n: k, a: np.float32([[1, 2], [0.5, -1]])}) for k in (0, 1, 4)]


@program
def old_while_and_cond(tf, np):
    n = tf.placeholder(tf.int32, [], name='n')

    def collatz(i, k):
        return i + 1, tf.cond(tf.equal(k % 2, 0), lambda: k // 2, lambda: 3 * k + 1)
    steps, _ = tf.while_loop(lambda i, k: k > 1, collatz, [0, n])
    maybe = tf.cond(n > 6, lambda: tf.while_loop(lambda i: i < n, lambda i: i + 4, [0]),
                    lambda: -n)
    return [([steps, maybe], {n: k}) for k in (1, 6, 7, 27)]


@program
def old_while_assigns(tf, np):
    v = tf.Variable(0, name='v')

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, i)]):
            return i + 1
    loop = tf.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    init = tf.global_variables_initializer()
    return [([init], {}), ([loop], {}), ([v], {}), ([loop], {}), ([v], {})]


@program
def old_while_gradient(tf, np):
    w = tf.Variable([[0.5, -0.25], [1.0, 0.75]], name='w')
    n = tf.placeholder(tf.int32, [], name='n')
    _, y = tf.while_loop(lambda i, h: i < n, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))),
                         [0, tf.constant([[1.0, 2.0]])])
    grad = tf.gradients(tf.reduce_sum(y), w)[0]
    init = tf.global_variables_initializer()
    return [([init], {})] + [([y, grad], {n: k}) for k in (1, 3, 5)]


@program
def old_maps(tf, np):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    squares = tf.map_fn(lambda row: tf.reduce_sum(row * row), x)
    sums = tf.scan(lambda a, row: a + row, x)
    total = tf.foldl(lambda a, row: a * 0.5 + row, x)
    return [([squares, sums, total], {x: np.float32(np.arange(2 * k).reshape(k, 2))})
            for k in (1, 4)]


@program
def old_map_gradient(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]])
    w = tf.Variable([2.0, -1.0], name='w')
    y = tf.map_fn(lambda row: tf.reduce_sum(tf.sin(row * w)), x)
    init = tf.global_variables_initializer()
    return [([init], {}), ([y, tf.gradients(y, w)[0], tf.gradients(y, x)[0]], {})]


def _lstm(tf, np):
    x = tf.placeholder(tf.float32, [2, None, 3], name='x')
    length = tf.placeholder(tf.int32, [2], name='length')
    cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    with tf.variable_scope('net', initializer=tf.random_uniform_initializer(-1, 1, seed=5)):
        outputs, state = tf.nn.dynamic_rnn(cell, x, length, dtype=tf.float32)
    init = tf.global_variables_initializer()
    feeds = {x: np.float32(np.sin(np.arange(30))).reshape(2, 5, 3), length: np.int32([5, 3])}
    return outputs, state, init, feeds


@program
def old_dynamic_rnn(tf, np):
    outputs, state, init, feeds = _lstm(tf, np)
    return [([init], {}), ([outputs, state.c, state.h], feeds)]


@program
def old_dynamic_rnn_training(tf, np):
    outputs, state, init, feeds = _lstm(tf, np)
    loss = tf.reduce_mean(tf.square(outputs)) + tf.reduce_sum(tf.square(state.c))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    init = tf.global_variables_initializer()
    return [([init], {})] + [([loss, train], feeds)] * 3


def _steps(tf, loss, train, feeds):
    """Training runs; the loss by itself, as with default Variables a step may change it."""
    init = tf.global_variables_initializer()
    runs = [([init], {})]
    for feed in feeds:
        runs += [([train], feed), ([loss], feed)]
    return runs + [(tf.trainable_variables(), {})]


@program
def old_while_training(tf, np):
    """The initial value of the loop is trained: optimizers put an Identity before its Exit."""
    x = tf.placeholder(tf.float32, [3], name='x')
    w = tf.get_variable('w', initializer=np.float32([0.5, -0.7, 1.1]))
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a) + w), [0, w * x])[1]
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y, name='loss'))
    return _steps(tf, tf.get_default_graph().get_tensor_by_name('loss:0'), train,
                  [{x: np.float32([1, 2, k])} for k in range(4)])


@program
def old_encoder_decoder_training(tf, np):
    x = tf.placeholder(tf.float32, [2, None, 2], name='x')
    uniform = tf.random_uniform_initializer
    cell = tf.nn.rnn_cell.BasicRNNCell
    with tf.variable_scope('encoder', initializer=uniform(-1, 1, seed=1)):
        _, state = tf.nn.dynamic_rnn(cell(3), x, dtype=tf.float32)
    with tf.variable_scope('decoder', initializer=uniform(-1, 1, seed=2)):
        outputs, _ = tf.nn.dynamic_rnn(cell(3), x[:, :3], initial_state=state)
    loss = tf.reduce_mean(tf.square(outputs - 1.0))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    value = np.float32(np.sin(np.arange(16))).reshape(2, 4, 2)
    return _steps(tf, loss, train, [{x: value}] * 4)


@program
def old_cond_in_while_training(tf, np):
    """Stacks that only one branch of the cond fills, and a cond inside the other."""
    x = tf.placeholder(tf.float32, [2, 3], name='x')
    w = tf.get_variable('w', initializer=np.float32([0.5, -0.7, 1.1]))

    def body(i, a):
        total = tf.reduce_sum(a)
        return i + 1, tf.cond(
            total > 0.5, lambda: tf.sin(a) * w + 0.1,
            lambda: tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(a) - w, lambda: a))
    y = tf.while_loop(lambda i, a: i < 4, body, [0, w * x])[1]
    loss = tf.reduce_sum(tf.square(y - 1.0))
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    value = np.float32([[1, 2, 3], [-1, 0.5, 2]])
    return _steps(tf, loss, train, [{x: value}, {x: -value}, {x: value[::-1]}])


@program
def old_while_in_cond_training(tf, np):
    x = tf.placeholder(tf.float32, [2, 3], name='x')
    w = tf.get_variable('w', initializer=np.float32([0.5, -0.7, 1.1]))

    def times(count, function):
        return tf.while_loop(lambda i, a: i < count, lambda i, a: (i + 1, function(a)), [0, x])[1]
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: times(2, lambda a: tf.tanh(a) * w),
                lambda: times(3, lambda a: tf.sin(a) + w))
    loss = tf.reduce_sum(tf.square(y - 1.0))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    value = np.float32([[1, 2, 3], [-1, 0.5, 2]])
    return _steps(tf, loss, train, [{x: value}, {x: -value}, {x: value}])


@program
def old_map_of_cond_gradient(tf, np):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.get_variable('w', initializer=np.float32([0.5, -0.7, 1.1]))

    def row(a):
        def loop():
            return tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, tf.tanh(b) * w),
                                 [0, a])[1]
        return tf.cond(a[0] > 0.0, loop, lambda: tf.square(a) + w)
    y = tf.map_fn(row, x)
    grads = tf.gradients(y, [x, w], gate_gradients=True)
    init = tf.global_variables_initializer()
    return [([init], {})] + [([y, *grads], {x: np.float32(v)}) for v in (
        [[1, 2, 3], [-1, 0.5, 2]], [[-1, -2, -3]], [[0.1, 1, 1], [0.2, 1, 0], [3, -4, 1]])]


@program
def old_gather_in_cond_training(tf, np):
    """The shape of the gather's gradient is a constant, which comes whichever way is taken."""
    taken = tf.placeholder(tf.bool, [], name='taken')
    ids = tf.placeholder(tf.int32, [None], name='ids')
    e = tf.get_variable('e', initializer=np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3))
    y = tf.cond(taken, lambda: tf.nn.embedding_lookup(e, ids), lambda: tf.ones([2, 3]) * e[0])
    loss = tf.reduce_sum(tf.square(y - 1.0))
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    return _steps(tf, loss, train, [{taken: way, ids: [1, 3]} for way in (True, False, True)])


@program
def activations_training(tf, np):
    x = tf.constant(np.linspace(-2, 2, 12, dtype=np.float32).reshape(4, 3))
    w = tf.Variable(np.linspace(0.2, 1.5, 9, dtype=np.float32).reshape(3, 3), name='w')
    h = tf.matmul(x, w)
    parts = [tf.sigmoid(h), tf.tanh(h), tf.sqrt(tf.square(h) + 1.0), tf.rsqrt(tf.square(h) + 0.5),
             tf.reciprocal(tf.square(h) + 1.0), tf.nn.softplus(h), tf.nn.elu(h)]
    loss = tf.reduce_sum(tf.square(tf.concat(parts, 1)))
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
    init = tf.global_variables_initializer()
    return [([init], {})] + [([loss, train], {})] * 3 + [([w], {})]


@program
def resource_variables(tf, np):
    tf.get_variable_scope().set_use_resource(True)
    w = tf.get_variable('w', initializer=np.float32([[1, 2], [3, 4], [5, 6]]))
    ids = tf.constant([2, 0])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(w, ids))) + tf.reduce_sum(w)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    init = tf.global_variables_initializer()
    return [([init], {})] + [([loss], {}), ([train], {})] * 3 + [([w.value()], {})]


@program
def dataset_pipeline(tf, np):
    columns = tf.data.Dataset.from_tensor_slices((np.arange(12), np.ones([12, 2], np.float32)))
    mapped = columns.map(lambda n, x: {'n': 2 * n, 'x': x + tf.cast(n, tf.float32)})
    chosen = mapped.filter(lambda e: e['n'] > 2).shuffle(5, seed=1).repeat(2)
    twice = chosen.interleave(lambda e: tf.data.Dataset.from_tensors(e).repeat(2), 2)
    element = twice.batch(8).make_one_shot_iterator().get_next()
    return [([element['n'], element['x']], {})] * 5


@program
def older_nodes(tf, np):
    """Op types that TensorFlow no longer makes; files of its first years have them."""
    raw = tf.raw_ops
    x = tf.placeholder(tf.float32, [2, 2, 2, 3], name='x')
    rows = tf.reshape(x, [8, 3])
    scale, offset = tf.constant([1.0, 2.0, -1.0]), tf.constant([0.5, 0.0, 1.0])
    mean, variance = tf.constant([0.1, 0.2, 0.3]), tf.constant([1.0, 2.0, 0.5])
    joined = raw.Concat(concat_dim=1, values=[rows, -rows])
    picked = raw.Gather(params=rows, indices=[3, 0])
    normal = raw.FusedBatchNorm(x=x, scale=scale, offset=offset, mean=[], variance=[],
                                epsilon=0.01)
    given = raw.FusedBatchNormV2(x=x, scale=scale, offset=offset, mean=mean, variance=variance,
                                 epsilon=0.01, is_training=False)
    back = raw.FusedBatchNormGrad(y_backprop=tf.square(x), x=x, scale=scale,
                                  reserve_space_1=normal.reserve_space_1,
                                  reserve_space_2=normal.reserve_space_2, epsilon=0.01)
    dataset = raw.BatchDataset(
        input_dataset=tf.data.Dataset.range(5)._variant_tensor, batch_size=np.int64(3),
        output_types=[tf.int64], output_shapes=[[None]])
    iterator = raw.IteratorV2(shared_name='', container='', output_types=[tf.int64],
                              output_shapes=[[None]])
    make = raw.MakeIterator(dataset=dataset, iterator=iterator)
    element = raw.IteratorGetNext(iterator=iterator, output_types=[tf.int64],
                                  output_shapes=[[None]])
    queue = raw.FIFOQueue(component_types=[tf.int32], capacity=3)
    put = raw.QueueEnqueue(handle=queue, components=[tf.constant(7)])
    taken = raw.QueueDequeue(handle=queue, component_types=[tf.int32])
    value = np.linspace(-1, 2, 24, dtype=np.float32).reshape(2, 2, 2, 3) ** 2
    return [([joined, picked, normal.y, normal.batch_mean, given.y,
              back.x_backprop, back.scale_backprop], {x: value}),
            ([make, put], {}), ([element[0], taken[0]], {}), ([element[0]], {})]
