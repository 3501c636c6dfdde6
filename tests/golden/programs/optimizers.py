"""Every optimizer of tf.train, a few steps each on one small model, dense and sparse."""
from .registry import program, run


def _optimizers(tf):
    t = tf.train
    return {
        'gradient_descent': lambda: t.GradientDescentOptimizer(0.1),
        'momentum': lambda: t.MomentumOptimizer(0.1, 0.9),
        'nesterov': lambda: t.MomentumOptimizer(0.1, momentum=0.9, use_nesterov=True),
        'adagrad': lambda: t.AdagradOptimizer(0.1),
        'adadelta': lambda: t.AdadeltaOptimizer(learning_rate=0.5, rho=0.9, epsilon=1e-6),
        'adam': lambda: t.AdamOptimizer(0.1),
        'adam_with_arguments': lambda: t.AdamOptimizer(learning_rate=0.05, beta1=0.8, beta2=0.9,
                                                       epsilon=1e-3),
        'rmsprop': lambda: t.RMSPropOptimizer(0.1),
        'rmsprop_momentum': lambda: t.RMSPropOptimizer(0.1, decay=0.8, momentum=0.5),
        'rmsprop_centered': lambda: t.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
        'ftrl': lambda: t.FtrlOptimizer(0.1),
        'ftrl_regularized': lambda: t.FtrlOptimizer(0.5, l1_regularization_strength=0.05,
                                                    l2_regularization_strength=0.1),
        'ftrl_shrinking': lambda: t.FtrlOptimizer(0.5, l1_regularization_strength=0.05,
                                                  l2_regularization_strength=0.1,
                                                  l2_shrinkage_regularization_strength=0.2),
        'proximal_gradient_descent': lambda: t.ProximalGradientDescentOptimizer(
            0.1, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
        'proximal_adagrad': lambda: t.ProximalAdagradOptimizer(
            0.1, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    }


NAMES = ['gradient_descent', 'momentum', 'nesterov', 'adagrad', 'adadelta', 'adam',
         'adam_with_arguments',
         'rmsprop', 'rmsprop_momentum', 'rmsprop_centered', 'ftrl', 'ftrl_regularized',
         'ftrl_shrinking', 'proximal_gradient_descent', 'proximal_adagrad']


def _dense(tf, np, name):
    w = tf.Variable([[0.5], [-0.3]], name='w')
    b = tf.Variable([0.1], name='b')
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    y = tf.constant([[1.0], [2.0], [-1.0]])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = tf.Variable(0, trainable=False, name='global_step')
    train = _optimizers(tf)[name]().minimize(loss, global_step=step)
    return _steps(tf, train, [loss, w, b, step], 4)


def _sparse(tf, np, name):
    table = tf.Variable([[0.1, 0.2], [0.3, 0.4], [-0.5, 0.6], [0.7, -0.8]], name='table')
    ids = tf.constant([2, 0, 2])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids) - 1.0))
    train = _optimizers(tf)[name]().minimize(loss)
    return _steps(tf, train, [loss, table], 3)


def _steps(tf, train, watched, count):
    runs = [run(tf.global_variables_initializer()), run(watched)]
    for _ in range(count):
        runs += [run(train), run(watched)]
    return runs


def _register(kind, body, name):
    def build(tf, np):
        return body(tf, np, name)
    build.__name__ = 'optimizer_%s_%s' % (kind, name)
    program(build)


for _name in NAMES:
    _register('dense', _dense, _name)
    _register('sparse', _sparse, _name)


@program
def optimizer_adagrad_da(tf, np):
    w = tf.Variable([0.5, -0.3], name='w')
    step = tf.Variable(0, trainable=False, name='global_step', dtype=tf.int64)
    loss = tf.reduce_sum(tf.square(w - [1.0, 2.0]))
    optimizer = tf.train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01)
    return _steps(tf, optimizer.minimize(loss, global_step=step), [w, step], 3)


@program
def optimizer_sparse_adagrad_da(tf, np):
    table = tf.Variable([[0.1, 0.2], [0.3, 0.4], [-0.5, 0.6], [0.7, -0.8]], name='table')
    step = tf.Variable(0, trainable=False, name='global_step', dtype=tf.int64)
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [2, 0, 2]) - 1.0))
    optimizer = tf.train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01,
                                            l2_regularization_strength=0.02)
    return _steps(tf, optimizer.minimize(loss, global_step=step), [table, step], 3)


@program
def optimizer_slots(tf, np):
    a = tf.Variable([1.0, 2.0], name='a')
    b = tf.Variable([3.0], name='b')
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(a * a) + tf.reduce_sum(b))
    slots = [optimizer.get_slot(v, n) for v in (a, b) for n in optimizer.get_slot_names()]
    names = tf.constant([s.name for s in slots] + [v.name for v in optimizer.variables()])
    return _steps(tf, train, slots + [names], 2)


@program
def optimizer_with_tensor_rate(tf, np):
    rate = tf.placeholder(tf.float32, [])
    w = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(rate).minimize(w * w)
    return [run(w.initializer), run(train, {rate: 0.25}), run(w), run(train, {rate: 0.5}), run(w)]


@program
def optimizer_var_list_and_name(tf, np):
    a = tf.Variable(1.0, name='a')
    b = tf.Variable(1.0, name='b')
    loss = a * a + b * b
    first = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[a])
    other = tf.train.GradientDescentOptimizer(0.1, name='Second')
    second = other.minimize(loss, var_list=b, name='go')
    return [run(tf.global_variables_initializer()), run(first), run([a, b]), run(second),
            run([a, b])]


@program
def two_optimizers_on_one_variable(tf, np):
    w = tf.Variable([1.0, 2.0], name='w')
    loss = tf.reduce_sum(w * w)
    first = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    second = tf.train.MomentumOptimizer(0.01, 0.5).minimize(loss)
    return [run(tf.global_variables_initializer()), run(first), run(second), run(first), run(w)]


@program
def compute_and_apply_gradients(tf, np):
    w = tf.Variable([1.0, -2.0], name='w')
    unused = tf.Variable(5.0, name='unused')
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 3))
    doubled = [(g * 2.0, v) for g, v in pairs if g is not None]
    train = optimizer.apply_gradients(doubled, name='apply')
    return _steps(tf, train, [doubled[0][0], w, unused], 2)


@program
def apply_gradients_made_by_hand(tf, np):
    w = tf.Variable([1.0, 2.0], name='w')
    x = tf.placeholder(tf.float32, [2])
    train = tf.train.AdamOptimizer(0.1).apply_gradients([(x, w)])
    return [run(tf.global_variables_initializer()), run(train, {x: [1, 2]}), run(w),
            run(train, {x: [-1, 3]}), run(w)]


@program
def optimizer_on_resource_variable(tf, np):
    w = tf.get_variable('w', initializer=[1.0, 2.0], use_resource=True)
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w))
    return _steps(tf, train, [w], 2)


@program
def optimizer_float64(tf, np):
    w = tf.Variable(np.array([1.0, 2.0]), name='w')
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w ** 2))
    return _steps(tf, train, [w], 2)


