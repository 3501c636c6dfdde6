"""Programs that run their ops at once; `record_eager.py` records their values from TensorFlow.

Each function takes (tf, np) and returns a nest of tensors, arrays, numbers and strings; an
exception of `error_of` is its class. Python 3.7 runs this file, too.
"""
import os
import tempfile

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def error_of(call):
    """The name of the class of the exception that `call` raises."""
    try:
        call()
    except Exception as error:              # noqa: BLE001 - any
        return type(error).__name__
    return 'no error'


def values(nest, tf, np):
    """The nest with arrays and strings in place of tensors and Variables."""
    if hasattr(nest, '_asdict') or isinstance(nest, (list, tuple)):
        return [values(v, tf, np) for v in nest]
    if isinstance(nest, dict):
        return {str(k): values(v, tf, np) for k, v in nest.items()}
    if hasattr(nest, 'numpy'):
        return nest.numpy()
    if nest is None or isinstance(nest, (str, bytes)):
        return nest
    if hasattr(nest, 'dense_shape'):
        return values([nest.values, nest.indices], tf, np)
    return np.asarray(nest)


def data(np):
    rng = np.random.RandomState(0)
    x = rng.randn(20, 3).astype(np.float32)
    return x, (x.dot(np.array([[1.], [-2.], [.5]])) + .1).astype(np.float32)


# ---- tensors -----------------------------------------------------------------------------------


@program
def texts(tf, np):
    x = tf.constant([[1., 2.], [3., 4.]])
    return [str(x), str(tf.constant(3)), str(tf.constant('abc')), '{:.2f}'.format(tf.constant(2.5)),
            str(x.shape), x.dtype.name, str(tf.constant([True, False]))]


@program
def as_python(tf, np):
    x = tf.constant([[1., 2.], [3., 4.]])
    return [float(tf.constant(2.5)), int(tf.constant(2)), bool(tf.constant(0)), len(x),
            [7, 8, 9][tf.constant(1)], np.array(x), list(x), x.ndim, np.ones([2, 2]) + x,
            error_of(lambda: bool(x)), error_of(lambda: float(x)), error_of(lambda: len(x[0, 0])),
            error_of(lambda: list(x[0, 0]))]


@program
def numpy_copies(tf, np):
    x = tf.constant([1., 2.])
    x.numpy()[0] = 9.
    return x


@program
def meaningless(tf, np):
    x = tf.constant(1.)
    return [error_of(lambda: x.name), error_of(lambda: x.op), error_of(lambda: x.graph),
            error_of(x.eval), error_of(x.consumers), error_of(lambda: x.set_shape([2]))]


@program
def arithmetic(tf, np):
    x, n = tf.constant([1.5, -2.5]), tf.constant([7, -7])
    return [x + 1, 1 - x, x * x, x / 2, x // 1., x % 2., x ** 2, -x, abs(x), x > 0, n // 2, n % 3,
            n / 2, tf.constant(True) & tf.constant(False),
            tf.constant([[1.]]) @ tf.constant([[2.]])]


@program
def slices(tf, np):
    x = tf.reshape(tf.range(24), [2, 3, 4])
    i = tf.constant(1)
    return [x[0], x[1, 2], x[:, 1:], x[..., -1], x[:, tf.newaxis, ::2], x[i, i], x[0, 0, i:],
            error_of(lambda: x[2]), error_of(lambda: x[0.5])]


@program
def mistakes(tf, np):
    x = tf.ones([2, 2])
    return [error_of(lambda: tf.matmul(x, tf.ones([3, 2]))), error_of(lambda: x + tf.ones([3, 2])),
            error_of(lambda: x + tf.constant(1)), error_of(lambda: tf.reshape(x, [3])),
            error_of(lambda: tf.concat([x, tf.ones([3, 3])], 0)),
            error_of(lambda: tf.check_numerics(x / 0., 'division')),
            error_of(lambda: tf.assert_equal(x, x + 1)), error_of(lambda: tf.Assert(False, [x])),
            error_of(lambda: tf.placeholder(tf.float32)), error_of(lambda: tf.gradients(x, x)),
            error_of(lambda: tf.constant('a') + 1.)]


@program
def graph_inside(tf, np):
    outside = tf.executing_eagerly()
    x = tf.constant(1.)
    with tf.Graph().as_default():
        inside = tf.executing_eagerly()
        p = tf.placeholder(tf.float32)
        y = p * 2
        with tf.Session() as session:
            ran = session.run(y, {p: 3.})
        captured = error_of(lambda: p + x)
    return [outside, inside, ran, captured, error_of(lambda: y + 1), tf.executing_eagerly()]


@program
def many_functions(tf, np):
    x = tf.constant([[1., 5., 2.], [4., 3., 6.]])
    top = tf.nn.top_k(x, 2)
    return [tf.reduce_mean(x, 0), tf.argmax(x, 1), top.values, top.indices, tf.nn.softmax(x),
            tf.transpose(x), tf.concat([x, x], 1), tf.stack([x, x])[1], tf.unstack(x), tf.split(
                x, 3, 1), tf.where(x > 3, x, -x), tf.one_hot([0, 2], 3), tf.tile(x, [2, 1]),
            tf.gather(x, [1, 0]), tf.boolean_mask(x, x > 2), tf.cumsum(x, 1), tf.sort(x),
            tf.nn.moments(x, [0]), tf.linspace(0., 1., 3), tf.cast(x, tf.int32), tf.norm(x)]


@program
def strings(tf, np):
    s = tf.constant(['a b', 'c'])
    split = tf.string_split(s)
    return [s, tf.strings.join([s, s], '-'), tf.strings.length(s), split.values,
            tf.strings.to_number(['1.5']), tf.as_string(tf.constant([1, 2])),
            tf.strings.substr(s, 0, 1)]


@program
def sparse(tf, np):
    x = tf.SparseTensor([[0, 1], [2, 0]], [3., 4.], [3, 2])
    return [tf.sparse.to_dense(x), tf.sparse.matmul(x, tf.ones([2, 1])), x.values, x.indices,
            tf.sparse.reduce_sum(x, 1)]


@program
def tables(tf, np):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
    return [table.lookup(tf.constant(['b', 'x'])), table.size()]


@program
def python_functions(tf, np):
    seen = []

    def f(x):
        seen.append(float(x))
        return x + 1
    return [tf.py_function(f, [tf.constant(2.)], tf.float32), seen]


@program
def convolutions(tf, np):
    x = tf.reshape(tf.range(32.), [1, 4, 4, 2])
    kernel = tf.ones([2, 2, 2, 3]) * .1
    return [tf.nn.conv2d(x, kernel, [1, 1, 1, 1], 'SAME'), tf.nn.max_pool(
        x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), tf.nn.bias_add(x, [1., 2.]),
        tf.image.resize_images(x, [2, 2])]


# ---- random numbers ----------------------------------------------------------------------------


@program
def seeds(tf, np):
    tf.set_random_seed(42)
    first = [tf.random_normal([2]), tf.random_uniform([2]), tf.random_normal([2], seed=5),
             tf.random_normal([2], seed=5), tf.random_shuffle(tf.range(5)),
             tf.random_uniform([2], 0, 9, tf.int32), tf.truncated_normal([2])]
    tf.set_random_seed(42)
    return first + [tf.random_normal([2]), tf.random_normal([2], seed=5)]


@program
def seeded_ops_without_a_graph_seed(tf, np):
    tf.set_random_seed(None)
    return [tf.random_normal([2], seed=5), tf.random_normal([2], seed=5),
            tf.random_uniform([2], seed=1), tf.multinomial([[0., 1.]], 4, seed=3)]


@program
def seeded_initializers(tf, np):
    tf.set_random_seed(7)
    return [tf.get_variable('a', [2, 2]), tf.get_variable(
        'b', [2], initializer=tf.random_normal_initializer()), tf.layers.Dense(2)(tf.ones([1, 3])),
        tf.nn.dropout(tf.ones([8]), .5)]


# ---- Variables ---------------------------------------------------------------------------------


@program
def variables(tf, np):
    v = tf.Variable([1., 2.], name='w')
    results = [v.name, str(v), v + 1, v.assign([3., 4.]), v.assign_add([1., 1.]), v.assign_sub(
        [.5, .5]), v, v[0], v.read_value(), v.shape.as_list(), v.assign([0., 0.], read_value=False),
        error_of(lambda: v.assign([1.])), error_of(v.eval), v.initialized_value(), v.trainable]
    v[1].assign(9.)
    return results + [v, tf.global_variables(), tf.get_variable('g', [2], initializer=tf.
                                                                ones_initializer())]


@program
def a_read_keeps_its_value(tf, np):
    v = tf.Variable([1., 2.])
    before = v.value()
    view = tf.reshape(v, [2, 1])
    v.assign_add([1., 1.])
    tf.scatter_update(v, [0], [9.])
    return [before, view, v]


@program
def scatters(tf, np):
    v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
    v.scatter_add(tf.IndexedSlices([[1., 1.]], [2]))
    tf.scatter_sub(v, [0], [[1., 1.]])
    tf.scatter_nd_update(v, [[1, 1]], [7.])
    return [v, tf.nn.embedding_lookup(v, [2, 0])]


@program
def scopes(tf, np):
    with tf.variable_scope('a'):
        v = tf.get_variable('v', [1], initializer=tf.zeros_initializer())
        with tf.name_scope('b') as name:
            w = tf.Variable(1.)
    return [v.name, w.name, name, tf.Variable(1.).name]


# ---- control flow ------------------------------------------------------------------------------


@program
def control_flow(tf, np):
    x = tf.constant(3.)
    return [tf.cond(x > 2, lambda: x + 1, lambda: x - 1), tf.cond(True, lambda: 1, lambda: 2),
            tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)]),
            tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2), (0, 1.)),
            tf.case([(x > 5, lambda: tf.constant(1))], default=lambda: tf.constant(2)),
            tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0], maximum_iterations=3),
            tf.switch_case(tf.constant(1), [lambda: x, lambda: x * x])]


@program
def functional(tf, np):
    x = tf.constant([1., 2., 3.])
    return [tf.map_fn(lambda v: v * v, x), tf.scan(lambda a, v: a + v, x),
            tf.foldl(lambda a, v: a + v, x), tf.foldr(lambda a, v: a - v, x)]


@program
def arrays(tf, np):
    a = tf.TensorArray(tf.float32, 2, dynamic_size=True)
    a = a.write(0, 1.).write(1, 2.).write(2, 3.)
    b = tf.TensorArray(tf.float32, 3).unstack(tf.constant([[1.], [2.], [3.]]))
    return [a.stack(), a.read(1), a.size(), b.gather([2, 0]), b.concat()]


# ---- gradients ---------------------------------------------------------------------------------


@program
def tape(tf, np):
    x, v, fixed = tf.constant(3.), tf.Variable(2.), tf.Variable(1., trainable=False)
    with tf.GradientTape() as g:
        g.watch(x)
        y = x * x * v + fixed
    first = g.gradient(y, [x, v, fixed])
    with tf.GradientTape() as g:
        z = v * v
        watched = [w.name for w in g.watched_variables()]
    return first + [g.gradient(z, {'v': v, 'x': x}), watched, error_of(lambda: g.gradient(z, v))]


@program
def tape_settings(tf, np):
    v, w = tf.Variable(2.), tf.Variable(3.)
    with tf.GradientTape(watch_accessed_variables=False) as g:
        g.watch(v)
        y = v * w
    only = g.gradient(y, [v, w])
    with tf.GradientTape(persistent=True) as g:
        y = v * v
        with g.stop_recording():
            z = y * v
        u = z * w
    return only + [g.gradient(y, v), g.gradient(z, v), g.gradient(u, w), g.gradient(
        y, [v, w], unconnected_gradients=tf.UnconnectedGradients.ZERO), g.gradient(
            y, v, output_gradients=tf.constant(5.))]


@program
def higher_derivatives(tf, np):
    x = tf.constant(3.)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as middle:
            middle.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x ** 4
            first = inner.gradient(y, x)
        second = middle.gradient(first, x)
    return [first, second, outer.gradient(second, x)]


@program
def jacobians(tf, np):
    x, m = tf.constant([1., 2., 3.]), tf.constant([[1., 2.], [3., 4.]])
    with tf.GradientTape(persistent=True) as g:
        g.watch([x, m])
        y, z, n = x * x, tf.reduce_sum(x) * x, m * m * m
    return [g.jacobian(y, x), g.jacobian(z, x), g.batch_jacobian(n, m)]


@program
def slices_as_gradients(tf, np):
    table = tf.Variable(np.ones((4, 2), np.float32))
    with tf.GradientTape() as g:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3, 1]) ** 2)
    grad = g.gradient(loss, table)
    return [type(grad).__name__, grad, tf.convert_to_tensor(grad)]


@program
def custom_gradients(tf, np):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    x = tf.constant([0., 100.])
    with tf.GradientTape() as g:
        g.watch(x)
        y = log1pexp(x)
    with tf.GradientTape() as h:
        h.watch(x)
        z = tf.stop_gradient(x) * x
    return [y, g.gradient(y, x), h.gradient(z, x)]


@program
def gradients_of_control_flow(tf, np):
    x = tf.constant(2.)
    with tf.GradientTape(persistent=True) as g:
        g.watch(x)
        a = tf.cond(x > 1, lambda: x * x, lambda: x)
        b = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), (0, 1.))[1]
        c = tf.reduce_sum(tf.scan(lambda s, v: s * v, tf.stack([x, x, x])))
        d = x
        for _ in range(3):
            if d < 10:
                d = d * x
    return [g.gradient(y, x) for y in (a, b, c, d)]


# ---- training ----------------------------------------------------------------------------------


def train(tf, np, optimizer, steps=10):
    x, y = data(np)
    w, b = tf.Variable(np.zeros((3, 1), np.float32) + .1, name='w'), tf.Variable(0., name='b')
    for _ in range(steps):
        with tf.GradientTape() as g:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        done = optimizer.apply_gradients(zip(g.gradient(loss, [w, b]), [w, b]))
    return [loss, w, b, [v.name for v in optimizer.variables()] if not callable(getattr(
        optimizer, 'get_weights', None)) else len(optimizer.variables()),
        done if done is None else 'done']


for _name, _make in {
        'gradient_descent': lambda tf: tf.train.GradientDescentOptimizer(.1),
        'momentum': lambda tf: tf.train.MomentumOptimizer(.05, .9),
        'nesterov': lambda tf: tf.train.MomentumOptimizer(.05, .9, use_nesterov=True),
        'adam': lambda tf: tf.train.AdamOptimizer(.1),
        'adagrad': lambda tf: tf.train.AdagradOptimizer(.5),
        'rmsprop': lambda tf: tf.train.RMSPropOptimizer(.01, centered=True),
        'adadelta': lambda tf: tf.train.AdadeltaOptimizer(1.),
        'ftrl': lambda tf: tf.train.FtrlOptimizer(.5),
        'proximal_adagrad': lambda tf: tf.train.ProximalAdagradOptimizer(.5)}.items():
    PROGRAMS['train_' + _name] = (
        lambda make: lambda tf, np: train(tf, np, make(tf)))(_make)


@program
def minimize_a_function(tf, np):
    w = tf.Variable(2.)
    optimizer, step = tf.train.AdamOptimizer(.1), tf.train.get_or_create_global_step()
    for _ in range(5):
        optimizer.minimize(lambda: w * w, global_step=step)
    return [w, step, error_of(lambda: optimizer.minimize(w * w)),
            optimizer.compute_gradients(lambda: w * 3.)[0][0]]


@program
def train_an_embedding(tf, np):
    results = []
    for optimizer in (tf.train.GradientDescentOptimizer(.1), tf.train.AdamOptimizer(.1),
                      tf.train.AdagradOptimizer(.5), tf.train.MomentumOptimizer(.1, .9)):
        table = tf.Variable(np.ones((5, 2), np.float32))
        for _ in range(3):
            with tf.GradientTape() as g:
                loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [1, 3, 1])))
            optimizer.apply_gradients([(g.gradient(loss, table), table)])
        results.append(table)
    return results


# ---- datasets ----------------------------------------------------------------------------------


@program
def datasets(tf, np):
    numbers = tf.data.Dataset.from_tensor_slices(np.arange(6))
    pairs = tf.data.Dataset.from_tensor_slices(({'a': [1, 2]}, [3, 4]))
    iterator = iter(tf.data.Dataset.range(2))
    one_shot = tf.data.Dataset.range(3).make_one_shot_iterator()
    return [list(numbers.map(lambda v: v * 2).batch(4)), list(pairs), next(iterator),
            one_shot.get_next(), list(one_shot),
            list(tf.data.Dataset.range(5).shuffle(5, seed=1)),
            list(numbers.filter(lambda v: v > 3).repeat(2)),
            error_of(lambda: tf.data.Dataset.range(2).make_initializable_iterator())]


@program
def datasets_with_variables(tf, np):
    v = tf.Variable(10, dtype=tf.int64)
    dataset = tf.data.Dataset.range(3).map(lambda x: x * v)
    first = list(dataset)
    v.assign(20)
    return [first, list(dataset), list(tf.data.Dataset.from_generator(
        lambda: iter([1, 2]), tf.int32)), tf.data.Dataset.range(4).reduce(
            np.int64(0), lambda s, x: s + x)]


# ---- functions ---------------------------------------------------------------------------------


@program
def functions(tf, np):
    traces = []

    @tf.function
    def f(x, y=2.):
        traces.append(1)
        return x * y + 1
    results = [f(tf.constant(3.)), f(tf.constant(4.)), f(tf.ones([2])), f(tf.ones([2]), y=3.),
               f(x=tf.ones([2]), y=tf.constant(2.))]
    return results + [len(traces)]


@program
def gradients_of_functions(tf, np):
    v, x = tf.Variable(2.), tf.constant(3.)

    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x * x * v, lambda: -x)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as g:
            g.watch(x)
            y = f(x) * x
        first, by_v = g.gradient(y, [x, v])
    return [first, by_v, outer.gradient(first, [x, v])]


@program
def functions_that_assign(tf, np):
    v = tf.Variable(2.)

    @tf.function
    def f(x):
        v.assign_add(x)
        y = v * x
        v.assign(v * 2.)
        return y + v

    @tf.function
    def nothing(x):
        v.assign(x)
    return [f(tf.constant(1.)), v, f(tf.constant(1.)), v, nothing(tf.constant(7.)), v]


@program
def variables_of_functions(tf, np):
    class Model(object):
        def __init__(self):
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]) * 3., name='w')
            return self.w * x

    @tf.function
    def wrong():
        return tf.Variable(1.)
    first, second = Model(), Model()
    results = [first(tf.constant(2.)), second(tf.ones([2])), first(tf.ones([2]))]
    first.w.assign([0., 0.])
    return results + [first(tf.ones([2])), second(tf.ones([2])), error_of(wrong)]


@program
def signatures(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def total(x):
        return tf.reduce_sum(x)
    concrete = total.get_concrete_function()
    return [total(tf.ones([3, 2])), total(np.ones((4, 2), np.float32)), error_of(
        lambda: total(tf.ones([3, 3]))), concrete(tf.ones([5, 2])), len(concrete.inputs),
        concrete.outputs[0].shape.as_list()]


@program
def structures_of_functions(tf, np):
    @tf.function
    def f(d):
        return {'s': d['a'] + d['b'][0], 't': (d['a'], [d['b'][1], None])}
    return [f({'a': tf.constant(1.), 'b': [tf.constant(2.), tf.constant(3.)]}),
            tf.function(lambda: None)(), tf.function(lambda: 3)(),
            tf.function(lambda x: x + 'b')(tf.constant('a'))]


@program
def tapes_inside_functions(tf, np):
    w = tf.Variable([1., 2.])
    optimizer = tf.train.AdamOptimizer(.1)
    x = tf.constant([[1., 2.], [3., 4.]])

    @tf.function
    def cubed(x):
        with tf.GradientTape() as g:
            g.watch(x)
            y = x * x * x
        return g.gradient(y, x)

    @tf.function
    def step():
        with tf.GradientTape() as g:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, w[:, None]) - 1.))
        optimizer.apply_gradients(zip(g.gradient(loss, [w]), [w]))
        return loss
    return [cubed(tf.constant(2.)), step(), step(), step(), w]


@program
def functions_in_functions(tf, np):
    @tf.function
    def inner(x):
        return x * 2

    @tf.function
    def outer(x):
        return inner(x) + inner(x * 3)
    x = tf.constant(1.)
    with tf.GradientTape() as g:
        g.watch(x)
        y = outer(x)
    return [y, g.gradient(y, x)]


@program
def loops_in_functions(tf, np):
    @tf.function
    def f(n, x):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s * x), (0, 1.))[1]
    x = tf.constant(2.)
    with tf.GradientTape() as g:
        g.watch(x)
        y = f(tf.constant(5), x)
    return [y, g.gradient(y, x), f(tf.constant(3), x)]


@program
def rows_in_functions(tf, np):
    table = tf.Variable(np.ones((4, 2), np.float32))

    @tf.function
    def f(i):
        return tf.reduce_sum(tf.nn.embedding_lookup(table, i) ** 2)
    with tf.GradientTape() as g:
        y = f(tf.constant([1, 1, 2]))
    return [y, tf.convert_to_tensor(g.gradient(y, table))]


@program
def leaks(tf, np):
    kept = []

    @tf.function
    def f(x):
        kept.append(x)
        return x
    f(tf.constant(1.))
    return [error_of(lambda: kept[0] + 1), tf.function(lambda: tf.executing_eagerly())()]


# ---- AutoGraph ---------------------------------------------------------------------------------


@program
def autograph_if(tf, np):
    @tf.function
    def signed(x):
        if x > 0:
            y = x * 2
        else:
            y = -x
        return y

    @tf.function
    def early(x):
        if x > 10:
            return x - 10
        if x > 5:
            return x * 100
        return x

    @tf.function
    def logic(x, y):
        if x > 0 and y > 0:
            r = 1
        elif x > 0 or not y > 0:
            r = 2
        else:
            r = 3
        return r

    @tf.function
    def static(x):
        return tf.reduce_sum(x) if x.shape[0] == 3 else x
    c = tf.constant
    x = c(2.)
    with tf.GradientTape() as g:
        g.watch(x)
        y = signed(x) * x
    return [signed(c(3.)), signed(c(-3.)), [early(c(v)) for v in (20., 7., 1.)],
            [logic(c(a), c(b)) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))],
            static(c([1., 2., 3.])), static(c([1.])), g.gradient(y, x)]


@program
def autograph_loops(tf, np):
    @tf.function
    def while_(n):
        i, s = 0, 0.
        while i < n:
            s += 2.
            i += 1
        return s

    @tf.function
    def for_(x):
        s = 0.
        for v in x:
            s += v
        return s

    @tf.function
    def jumps(n):
        s = 0
        for i in tf.range(n):
            if i % 3 < 1:
                continue
            if i > 7:
                break
            s += i
        return s

    @tf.function
    def fibonacci(n):
        a, b = 0, 1
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    @tf.function
    def nested(x):
        for _ in range(3):
            for _ in tf.range(2):
                x += 1.
        return x

    @tf.function
    def power(x, n):
        r = tf.constant(1.)
        for _ in tf.range(n):
            r *= x
        return r

    @tf.function
    def of_a_dataset(dataset):
        s = tf.constant(0, tf.int64)
        for v in dataset:
            s += v
        return s

    @tf.function
    def array(x):
        a = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            a = a.write(i, x)
        return a.stack()
    c, x = tf.constant, tf.constant(2.)
    with tf.GradientTape() as g:
        g.watch(x)
        y = power(x, c(3))
    return [while_(c(4)), for_(c([1., 2., 3.])), jumps(c(20)), jumps(c(3)), fibonacci(c(10)),
            nested(c(0.)), y, g.gradient(y, x), of_a_dataset(tf.data.Dataset.range(5)),
            array(c(2.))]


def _helper(x):
    if x > 5:
        return x * 100
    else:
        return x


@program
def autograph_calls(tf, np):
    class Counter(object):
        def __init__(self):
            self.limit = 3.

        @tf.function
        def method(self, x):
            if x > self.limit:
                x = x - self.limit
            return x

    class Net(tf.keras.Model):
        def __init__(self):
            super(Net, self).__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer='ones')

        def call(self, x):
            y = self.dense(x)
            if tf.reduce_sum(y) > 0:
                y = y * 2
            return y

    def closure(limit):
        def inner(x):
            if x > limit:
                return x
            else:
                return limit
        return inner

    @tf.function
    def calls(x):
        return _helper(x)

    @tf.function
    def lists(x):
        made = []
        for i in range(3):
            made.append(x * i)
        return tf.stack(made)

    @tf.function
    def blocks(x):
        try:
            if x > 0:
                x = x * 2
        finally:
            pass
        with tf.name_scope('a'):
            if x > 3:
                x = x + 1
        return x

    @tf.function
    def undefined(x):
        if x > 0:
            z = 1
        return z

    @tf.function(autograph=False)
    def without(x):
        if x > 0:
            return x
        return -x
    c, counter, net = tf.constant, Counter(), Net()

    @tf.function
    def of_a_model(x):
        return net(x)
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float32)
        q = tf.autograph.to_graph(_helper)(p)
        ran = [session.run(q, {p: 6.}), session.run(q, {p: 1.})]
    return [counter.method(c(5.)), counter.method(c(1.)), of_a_model(tf.ones([1, 2])),
            tf.function(closure(c(5.)))(c(1.)), calls(c(7.)), lists(c(2.)), blocks(c(2.)),
            error_of(lambda: undefined(c(1.))), error_of(lambda: without(c(1.))), ran,
            tf.autograph.to_graph(_helper)(c(7.)), 'def ' in tf.autograph.to_code(_helper)]


# ---- tf.contrib.eager --------------------------------------------------------------------------


@program
def contrib_gradients(tf, np):
    tfe = tf.contrib.eager
    v = tfe.Variable(2., name='v')

    def f(x, y):
        return x * x * y + v
    value, pairs = tfe.implicit_value_and_gradients(f)(3., 2.)
    return [tfe.gradients_function(f)(3., 2.), tfe.gradients_function(f, params=['y'])(3., 2.),
            tfe.value_and_gradients_function(f, params=[0])(3., 2.), value,
            [[g, w.name] for g, w in pairs], tfe.gradients_function(lambda x: x * 2)(
                tf.constant([1., 2.]), dy=tf.constant([1., 0.])),
            error_of(lambda: tfe.implicit_gradients(lambda: None)()),
            error_of(lambda: tfe.implicit_gradients(lambda x: x)(1.)),
            tfe.gradients_function(lambda x: tfe.gradients_function(lambda z: z ** 3)(x)[0])(2.)]


@program
def contrib_metrics(tf, np):
    metrics = tf.contrib.eager.metrics
    mean, accuracy = metrics.Mean('m'), metrics.Accuracy()
    mean(3.)
    mean([5., 7.])
    accuracy([1, 2, 3], [1, 2, 4])
    binary, sparse_, categorical = (metrics.BinaryAccuracy(.5), metrics.SparseAccuracy(),
                                    metrics.CategoricalAccuracy())
    binary([1., 0.], [.7, .6])
    sparse_([1], [[.1, .9]])
    categorical([[0., 1.]], [[.1, .9]])
    before = mean.result()
    mean([1., 2.], weights=[0., 1.])
    return [before, mean.result(), accuracy.result(), binary.result(), sparse_.result(),
            categorical.result(), [v.name for v in mean.variables]]


@program
def contrib_saver(tf, np):
    tfe = tf.contrib.eager
    v = tfe.Variable(2., name='v')
    path = tfe.Saver([v]).save(os.path.join(tempfile.mkdtemp(), 'model'), global_step=7)
    v.assign(0.)
    tfe.Saver([v]).restore(path)
    with tfe.restore_variables_on_create(path):
        w = tfe.Variable(9., name='v')
    return [os.path.basename(path), v, w]


@program
def contrib_stores(tf, np):
    store = tf.contrib.eager.EagerVariableStore()
    with store.as_default():
        first = tf.layers.dense(tf.ones([1, 2]), 3, name='d')
        second = tf.layers.dense(tf.ones([1, 2]), 3, name='d', reuse=True)
    template = tf.make_template('t', lambda x: x * tf.get_variable(
        'k', [], initializer=tf.ones_initializer()))
    return [[v.name for v in store.variables()], tf.reduce_all(tf.equal(first, second)),
            template(2.), template(3.), len(template.variables)]


# ---- Keras -------------------------------------------------------------------------------------


@program
def layers(tf, np):
    tf.set_random_seed(1)
    keras = tf.keras.layers
    x = tf.constant(np.arange(8).reshape(2, 4).astype(np.float32))
    dense, norm = keras.Dense(3, activation='relu'), keras.BatchNormalization()
    return [dense(x), norm(x, training=True), norm.moving_mean, keras.LSTM(3)(tf.ones([2, 4, 3])),
            keras.Conv2D(2, 3)(tf.ones([1, 5, 5, 1])), keras.Embedding(5, 3)(tf.constant([[1, 2]])),
            keras.Dropout(.5)(x), keras.GRU(2, return_sequences=True)(tf.ones([1, 3, 2])),
            [w.shape.as_list() for w in dense.weights]]


def model_and_data(tf, np, settings):
    x, y = data(np)
    keras = tf.keras.layers
    model = tf.keras.Sequential([
        keras.Dense(4, input_shape=(3,), activation='relu', kernel_regularizer='l2'),
        keras.BatchNormalization(), keras.Dense(1)])
    model.set_weights([np.ones_like(w) * .1 for w in model.get_weights()])
    model.compile(metrics=['mae'], **settings)
    return model, x, y


def fitted(tf, np, **settings):
    model, x, y = model_and_data(tf, np, dict({'loss': 'mse'}, **settings))
    history = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0,
                        validation_data=(x, y)).history
    return [[np.float32(history[k]) for k in sorted(history)], np.float32(model.evaluate(
        x, y, verbose=0)), model.predict(x[:2]), model(x[:2]), model.get_weights()]


@program
def fit(tf, np):
    return fitted(tf, np, optimizer='adam')


@program
def fit_run_eagerly(tf, np):
    return fitted(tf, np, optimizer='sgd', run_eagerly=True)


@program
def fit_by_a_tf_optimizer(tf, np):
    return fitted(tf, np, optimizer=tf.train.GradientDescentOptimizer(.05))


@program
def fit_a_dataset(tf, np):
    model, x, y = model_and_data(tf, np, {'loss': 'mse', 'optimizer': 'sgd'})
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(5)
    history = model.fit(batches, epochs=2, verbose=0).history
    return [np.float32(history['loss']), np.float32(model.evaluate(batches, verbose=0))]


@program
def own_loop(tf, np):
    tf.set_random_seed(3)
    x, y = data(np)

    class Model(tf.keras.Model):
        def __init__(self):
            super(Model, self).__init__()
            self.first = tf.keras.layers.Dense(4, activation='tanh')
            self.drop = tf.keras.layers.Dropout(.2)
            self.last = tf.keras.layers.Dense(1)

        def call(self, x, training=False):
            return self.last(self.drop(self.first(x), training=training))
    model, optimizer = Model(), tf.keras.optimizers.Adam(.01)
    mean, losses = tf.keras.metrics.Mean(), []
    for _ in range(3):
        for batch, targets in tf.data.Dataset.from_tensor_slices((x, y)).batch(5):
            with tf.GradientTape() as g:
                loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(
                    targets, model(batch, training=True)))
            optimizer.apply_gradients(zip(g.gradient(loss, model.trainable_variables),
                                          model.trainable_variables))
            mean(loss)
        losses.append(mean.result())
        mean.reset_states()
    return [losses, model(x[:2]), [v.name for v in model.variables], optimizer.iterations]


@program
def checkpoints(tf, np):
    x, y = data(np)
    folder = tempfile.mkdtemp()

    def build():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        return model, tf.train.AdamOptimizer(.1)

    def step(model, optimizer):
        with tf.GradientTape() as g:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        optimizer.apply_gradients(zip(g.gradient(loss, model.variables), model.variables))
        return loss
    model, optimizer = build()
    step(model, optimizer)
    model.set_weights([np.ones_like(w) * .1 for w in model.get_weights()])
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    path = checkpoint.save(os.path.join(folder, 'ckpt'))
    after = step(model, optimizer)
    other, another = build()
    tf.train.Checkpoint(model=other, optimizer=another).restore(path)
    restored = step(other, another)
    return [os.path.basename(path), tf.reduce_all(tf.equal(after, restored)), other.get_weights()[
        0] - model.get_weights()[0], after]


@program
def fit_on_tensors(tf, np):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer='ones'),
                                 tf.keras.layers.Dense(1, kernel_initializer='ones')])
    model.compile(tf.keras.optimizers.SGD(.01), 'mse')
    x, y = tf.ones([4, 3]), tf.ones([4, 1])
    history = model.fit(x, y, verbose=0, epochs=2, batch_size=2, validation_data=(x, y))
    return [{k: np.array(v, 'f') for k, v in history.history.items()},
            np.float32(model.evaluate(x, y, verbose=0)), model.predict(x)]


@program
def numbered_checkpoints(tf, np):
    v = tf.Variable(1.)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    names = []
    for _ in range(3):
        v.assign_add(1.)
        names.append(os.path.basename(manager.save()))
    v.assign(0.)
    checkpoint.restore(manager.latest_checkpoint)
    optimizer = tf.keras.optimizers.SGD(.1)
    optimizer.minimize(lambda: v * v, [v])
    return [names, v, len(manager.checkpoints), tf.group(v.assign(2.)), tf.no_op(),
            tf.assert_equal(v, v)]


# ---- what TensorFlow's guides to eager execution do ----------------------------------------------


@program
def generated_text(tf, np):
    text = 'the quick brown fox jumps over the lazy dog. ' * 4
    letters = sorted(set(text))
    numbers = np.array([letters.index(letter) for letter in text])
    sequences = tf.data.Dataset.from_tensor_slices(numbers).batch(11, drop_remainder=True)
    pairs = sequences.map(lambda chunk: (chunk[:-1], chunk[1:])).batch(4, drop_remainder=True)

    def network(batch):
        constant = tf.keras.initializers.Constant
        return tf.keras.Sequential([
            tf.keras.layers.Embedding(len(letters), 5, batch_input_shape=[batch, None],
                                      embeddings_initializer=constant(.1)),
            tf.keras.layers.GRU(6, return_sequences=True, stateful=True,
                                kernel_initializer=constant(.2), recurrent_initializer='identity'),
            tf.keras.layers.Dense(len(letters), kernel_initializer=constant(.1))])
    net, optimizer, losses = network(4), tf.train.AdamOptimizer(.01), []
    for _ in range(2):
        net.reset_states()
        for x, y in pairs:
            with tf.GradientTape() as tape:
                predictions = net(x)
                loss = tf.losses.sparse_softmax_cross_entropy(y, predictions)
            gradients = tape.gradient(loss, net.trainable_variables)
            optimizer.apply_gradients(zip(gradients, net.trainable_variables))
            losses.append(loss)
    path = os.path.join(tempfile.mkdtemp(), 'weights')
    net.save_weights(path)
    one = network(1)
    one.load_weights(path)
    one.build(tf.TensorShape([1, None]))
    one.reset_states()
    x, found = tf.expand_dims([numbers[0]], 0), []
    for _ in range(5):
        logits = tf.squeeze(one(x), 0)
        chosen = int(tf.argmax(logits[-1]))
        found.append(chosen)
        x = tf.expand_dims([chosen], 0)
    return [losses, found, [v.shape.as_list() for v in one.variables], one.count_params()]


@program
def iris_walkthrough(tf, np):
    rng = np.random.RandomState(2)
    path = os.path.join(tempfile.mkdtemp(), 'iris.csv')
    names = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width', 'species']
    with open(path, 'w') as file:
        file.write(','.join(names) + '\n')
        for i in range(60):
            kind = i % 3
            file.write(','.join('%.1f' % (kind + v) for v in rng.rand(4)) + ',%d\n' % kind)
    rows = tf.data.experimental.make_csv_dataset(path, 10, column_names=names,
                                                 label_name='species', num_epochs=1,
                                                 shuffle=False)

    def pack(features, label):
        return tf.stack(list(features.values()), axis=1), label
    rows = rows.map(pack)
    features, labels = next(iter(rows))
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(10, activation=tf.nn.relu, input_shape=(4,),
                              kernel_initializer=tf.keras.initializers.Constant(.1)),
        tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(.2))])
    scce = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(learning_rate=.05)
    history = []
    for _ in range(3):
        mean = tf.keras.metrics.Mean()
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        for x, y in rows:
            with tf.GradientTape() as tape:
                loss = scce(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            mean(loss)
            accuracy(y, model(x))
        history.append([mean.result(), accuracy.result()])
    return [features, labels, history, optimizer.iterations, tf.argmax(model(features), axis=1)]


@program
def residual_blocks(tf, np):
    class Block(tf.keras.Model):
        def __init__(self, kernel_size, filters):
            super(Block, self).__init__(name='')
            one, two, three = filters
            self.conv2a = tf.keras.layers.Conv2D(one, (1, 1), kernel_initializer='ones')
            self.bn2a = tf.keras.layers.BatchNormalization()
            self.conv2b = tf.keras.layers.Conv2D(two, kernel_size, padding='same',
                                                 kernel_initializer='ones')
            self.bn2b = tf.keras.layers.BatchNormalization()
            self.conv2c = tf.keras.layers.Conv2D(three, (1, 1), kernel_initializer='ones')
            self.bn2c = tf.keras.layers.BatchNormalization()

        def call(self, inputs, training=False):
            x = tf.nn.relu(self.bn2a(self.conv2a(inputs), training=training))
            x = tf.nn.relu(self.bn2b(self.conv2b(x), training=training))
            x = self.bn2c(self.conv2c(x), training=training)
            return tf.nn.relu(x + inputs)
    block = Block(3, [1, 2, 3])
    x = tf.reshape(tf.range(24.), [1, 2, 4, 3])
    return [block(x, training=True), block(x), [v.name for v in block.trainable_variables],
            len(block.variables)]


@program
def linear_model(tf, np):
    class Linear(object):
        def __init__(self):
            self.w, self.b = tf.Variable(5.), tf.Variable(0.)

        def __call__(self, x):
            return self.w * x + self.b
    rng = np.random.RandomState(0)
    x = rng.randn(50).astype('f')
    y, model, found = x * 3 + 2, Linear(), []
    for _ in range(4):
        found.append([model.w.numpy(), model.b.numpy()])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        dw, db = tape.gradient(loss, [model.w, model.b])
        model.w.assign_sub(.1 * dw)
        model.b.assign_sub(.1 * db)
    return [found, loss]


@program
def converted_functions(tf, np):
    @tf.function
    def fizzbuzz(n):
        words = tf.TensorArray(tf.string, size=0, dynamic_size=True)
        for i in tf.range(1, n + 1):
            if tf.equal(i % 15, 0):
                word = 'FizzBuzz'
            elif tf.equal(i % 3, 0):
                word = 'Fizz'
            elif tf.equal(i % 5, 0):
                word = 'Buzz'
            else:
                word = tf.as_string(i)
            words = words.write(i - 1, word)
        return words.stack()

    def square_if_positive(x):
        if x > 0:
            x = x * x
        else:
            x = 0.
        return x

    @tf.function
    def primes(n):
        found = tf.zeros([0], tf.int32)
        i = 2
        while i < n:
            is_prime = True
            for j in tf.range(2, i):
                if tf.equal(i % j, 0):
                    is_prime = False
                    break
            if is_prime:
                found = tf.concat([found, [i]], 0)
            i += 1
        return found
    cell = tf.keras.layers.GRUCell(3, kernel_initializer='ones', recurrent_initializer='ones')

    @tf.function
    def unrolled(sequence, state):
        outputs = tf.TensorArray(tf.float32, size=tf.shape(sequence)[0])
        for i in tf.range(tf.shape(sequence)[0]):
            output, (state,) = cell(sequence[i], [state])
            outputs = outputs.write(i, output)
        return outputs.stack(), state
    converted = tf.autograph.to_graph(square_if_positive)
    return [fizzbuzz(tf.constant(15)), primes(12), converted(tf.constant(9.)),
            converted(tf.constant(-9.)), unrolled(tf.ones([4, 2, 1]) * .1, tf.zeros([2, 3]))]


@program
def names_of_blocks(tf, np):
    @tf.function
    def loop(x, n):
        for _ in tf.range(n):
            t = tf.ones([2, 3]) * x                 # read in this iteration alone
            if tf.reduce_sum(t) > 5.:
                doubled = t * 2.
                x += tf.reduce_sum(doubled)
            else:
                text = 'small'
                x += 1. if text else 2.
            t = tf.zeros([])
        return x + tf.cast(n, tf.float32)

    @tf.function
    def branch(x):
        if x > 0:
            twice = x * 2
            pair = [twice, 'text']
            x = pair[0]
        else:
            x = -x
        return x

    @tf.function
    def read_later(n):
        last = 0
        before = -1
        while n > 0:
            before = last
            last = n * 10
            n -= 1
        return before
    c = tf.constant
    return [loop(c(.1), c(4)), branch(c(3)), branch(c(-3)), read_later(c(3)), read_later(c(0))]


@program
def appended_to_arrays(tf, np):
    lists = tf.autograph.experimental.Feature.LISTS

    @tf.function(experimental_autograph_options=lists)
    def squares(numbers):
        found = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        for number in numbers:
            if number % 2 > 0:
                found.append(number * number)
            else:
                found.append(-number)
        return found.stack()

    @tf.function(experimental_autograph_options=(lists,))
    def until(dataset, limit):
        seen = tf.TensorArray(tf.int64, size=0, dynamic_size=True, element_shape=())
        i = tf.constant(0, tf.int64)
        for x in dataset:
            seen.append(x * x)
            i += 1
            if i >= limit:
                break
        return i, seen.stack()
    return [squares(tf.constant(np.arange(6))),
            until(tf.data.Dataset.range(3).repeat(), tf.constant(5, tf.int64))]


@program
def graphs_and_sessions(tf, np):
    def doubled(x):
        return tf.matmul(x, x)
    with tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y = tf.py_func(doubled, [x], tf.float32)
        squared = session.run(y, {x: [[2.]]})
        shape = session.run(tf.shape(x), {x: [[1., 2.]]})
    with tf.Graph().as_default(), tf.Session() as session:
        z = tf.py_function(lambda v: v * v + tf.reduce_sum(v), [tf.constant([1., 2.])], tf.float32)
        inside = session.run(z)
    return [squared, shape, inside, tf.constant(1) + 1]


@program
def gradients_of_python_functions(tf, np):
    def power(x, y):
        return x ** 3. + y * x
    x, y = tf.constant(2.), tf.constant([1., 2.])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.py_function(power, [x, y], tf.float32)
    of_tape = tape.gradient(z, [x, y])
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.constant(2.)
        w = tf.py_function(power, [v, y.numpy()], tf.float32)
        of_graph = session.run([w] + tf.gradients(w, v))
    packed = tf.py_function(lambda s: s.numpy() + b'\x00\x01\x00', [tf.constant('a')], tf.string)
    images = tf.data.Dataset.from_tensor_slices([b'a\x00', b'bc\x00\x00'])
    same = list(images.map(lambda s: tf.py_function(lambda t: t, [s], tf.string)))
    return [z, of_tape, of_graph, packed, same]


@program
def targets_of_custom_losses(tf, np):
    def loss(labels, logits):
        return tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)

    def squares(labels, predictions):
        return tf.reduce_mean(tf.square(tf.cast(labels, tf.float32) - predictions), -1)
    x, found = np.arange(24).reshape(4, 6) % 5, []
    for metrics in ([], [loss]):
        model = tf.keras.Sequential([
            tf.keras.layers.Embedding(5, 3, embeddings_initializer='ones'),
            tf.keras.layers.Dense(7, kernel_initializer='ones')])
        model.compile(tf.train.GradientDescentOptimizer(.1), loss, metrics=metrics)
        dataset = tf.data.Dataset.from_tensor_slices((x, x)).batch(2)
        found += model.fit(dataset, epochs=2, verbose=0).history['loss']
        found += np.ravel(model.evaluate(x, x[..., None], verbose=0)).tolist()
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(6,))])
    model.compile('sgd', squares, metrics=['mae'])
    y = x.astype('f') / 10
    found += model.fit(y, y[:, 0], verbose=0).history['loss']
    return np.array(found + model.evaluate(y, y[:, :1], verbose=0), np.float32)
