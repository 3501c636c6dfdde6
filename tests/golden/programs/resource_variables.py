"""Variables with a handle: made, read, assigned, trained, averaged, saved."""
from .registry import functional, program, run


@program
def resource_variable_uses(tf, np):
    v = tf.Variable([1.0, 2.0], use_resource=True, name='v')
    w = tf.Variable(tf.ones([2, 2]), use_resource=True)
    total = v + 1.0
    product = tf.matmul([[1.0, 2.0]], w)
    parts = [v.value(), v.read_value(), v[0], tf.identity(v), tf.nn.relu(v), 2.0 * v, tf.shape(v),
             tf.gather(v, [1, 0]), tf.gather_nd(v, [[1]]), v.sparse_read([1]), -v]
    known = [v.is_initialized(), tf.is_variable_initialized(w)]
    return [run(known), run([v.initializer, w.initializer]), run(known),
            run([total, product, *parts])]


@program
def resource_assignments(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True, name='v')
    steps = [v.assign([[5.0, 6.0], [7.0, 8.0]]), v.assign_add([[1.0, 1.0], [1.0, 1.0]]),
             v.assign_sub([[0.5, 0.5], [0.5, 0.5]]), tf.assign(v, [[1.0, 2.0], [3.0, 4.0]]),
             tf.assign_add(v, tf.ones([2, 2])), tf.assign_sub(v, tf.ones([2, 2])),
             v.scatter_add(tf.IndexedSlices([[1.0, 1.0]], [1])),
             tf.scatter_sub(v, [0], [[2.0, 1.0]]),
             tf.scatter_update(v, [1], [[9.0, 9.0]]), tf.scatter_mul(v, [0], [[2.0, 2.0]]),
             tf.scatter_div(v, [1], [[3.0, 3.0]]), tf.scatter_max(v, [0], [[0.0, 1.0]]),
             tf.scatter_min(v, [1], [[2.0, 5.0]]), tf.scatter_nd_update(v, [[0, 1]], [7.0]),
             tf.scatter_nd_add(v, [[0, 0]], [1.0]), v.scatter_nd_sub([[1, 1]], [1.0])]
    last = v.assign([[0.0, 0.0], [0.0, 0.0]], read_value=False)
    with tf.control_dependencies([v.assign_add(tf.ones([2, 2]))]):
        ordered = [v.read_value(), v * 2.0]
    n = tf.Variable(0, use_resource=True)
    counted = n.count_up_to(3)
    return [run([v.initializer, n.initializer]), *[run(s) for s in steps], run(last), run(v),
            run(ordered), run(counted), run(counted), run(n)]


@program
def resource_variable_scopes(tf, np):
    tf.set_random_seed(1)
    with tf.variable_scope('s', use_resource=True):
        w = tf.get_variable('w', [2, 3])
        u = tf.get_variable('u', [2, 3], initializer=tf.random_normal_initializer())
        b = tf.get_variable('b', initializer=tf.zeros([3]))
        table = tf.get_variable('table', [5, 3])
        rows = tf.nn.embedding_lookup(table, [1, 2, 1])
        y = tf.layers.dense(tf.ones([2, 2]), 3, name='d')
        inner = tf.Variable(1.0, name='inner')
    both = b + inner
    return [run(tf.global_variables_initializer()), run(tf.report_uninitialized_variables()),
            run([w, u]), run([rows, y, both])]


def _train(tf, np, optimizer):
    with tf.variable_scope('', use_resource=True):
        w = tf.get_variable('w', initializer=np.float32([1.0, 2.0]))
        table = tf.get_variable('table', initializer=np.full([4, 2], 0.5, np.float32))
        step = tf.train.get_or_create_global_step()
        rows = tf.nn.embedding_lookup(table, [1, 2, 1])
        loss = tf.reduce_sum(w * w) + tf.reduce_sum(rows * w)
        train = optimizer(tf.train).minimize(loss, global_step=step)
    train = train if isinstance(train, tf.Operation) else train.op
    return [run(tf.global_variables_initializer()), run(train), run(train), run(train),
            run(tf.global_variables())]


def _program_of(name, optimizer):
    def trained(tf, np):
        return _train(tf, np, optimizer)
    trained.__name__ = 'resource_' + name
    return program(trained)


for _name, _optimizer in {
        'descent': lambda t: t.GradientDescentOptimizer(0.1),
        'momentum': lambda t: t.MomentumOptimizer(0.1, 0.9),
        'nesterov': lambda t: t.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        'adagrad': lambda t: t.AdagradOptimizer(0.1),
        'adam': lambda t: t.AdamOptimizer(0.1),
        'rmsprop': lambda t: t.RMSPropOptimizer(0.1),
        'centered': lambda t: t.RMSPropOptimizer(0.1, centered=True, momentum=0.5),
        'adadelta': lambda t: t.AdadeltaOptimizer(0.1),
        'ftrl': lambda t: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        'proximal_descent': lambda t: t.ProximalGradientDescentOptimizer(0.1),
        'proximal_adagrad': lambda t: t.ProximalAdagradOptimizer(0.1)}.items():
    _program_of(_name, _optimizer)


@program
def resource_adagrad_da(tf, np):
    w = tf.Variable([1.0, -2.0], use_resource=True, name='w')
    table = tf.Variable(np.full([4, 2], 0.5, np.float32), use_resource=True)
    step = tf.Variable(1, dtype=tf.int64, use_resource=True, trainable=False)
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [1, 1]) * w)
    train = tf.train.AdagradDAOptimizer(0.1, step).minimize(loss)
    return [run(tf.global_variables_initializer()), run(train), run(train),
            run(tf.global_variables())]


@program
def resource_ftrl_shrinkage(tf, np):
    w = tf.Variable([1.0, -2.0], use_resource=True, name='w')
    table = tf.Variable(np.full([4, 2], 0.5, np.float32), use_resource=True)
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [1, 2]) * w)
    train = tf.train.FtrlOptimizer(
        0.1, l2_shrinkage_regularization_strength=0.1).minimize(loss)
    return [run(tf.global_variables_initializer()), run(train), run(train), run([w, table])]


@program
def resource_constraint(tf, np):
    w = tf.Variable([1.0, -2.0], use_resource=True, name='w',
                    constraint=lambda v: tf.nn.relu(v))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * w))
    return [run(tf.global_variables_initializer()), run(train), run(w)]


@program
def resource_saver(tf, np):
    tf.Variable([1.0, 2.0], use_resource=True, name='w')
    tf.Variable(3, use_resource=True, name='b')
    tf.Variable([1.0], name='r')
    saver = tf.train.Saver()
    return [run(tf.global_variables_initializer()), run(saver.saver_def.restore_op_name and
                                                        tf.global_variables())]


@program
def resource_gradients(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True, name='v')
    y = tf.reduce_sum(v * v + v)
    rows = tf.gradients(tf.gather(v, [2, 0, 2]), v)[0]
    return [run(v.initializer), run(tf.gradients(y, v)[0]), run([rows.values, rows.indices]),
            run(tf.gradients(tf.gather_nd(v, [[1]]), v)[0].indices)]


@functional
def resource_variables_in_functions(tf, np):
    v = tf.Variable([1.0, 2.0], use_resource=True, name='v')
    p = tf.placeholder(tf.bool, [], name='p')
    c = tf.cond(p, lambda: v * 2.0, lambda: v.assign_add([1.0, 1.0]) + 0.0)
    total = tf.while_loop(lambda k, a: k < 3, lambda k, a: (k + 1, a * v + v),
                          [0, tf.ones([2])])[1]
    by_loop, by_choice = tf.gradients(total, v)[0], tf.gradients(c, v)[0]
    return [run(v.initializer), run(c, {p: True}), run(c, {p: False}), run(v), run(total),
            run(by_loop), run(by_choice, {p: True})]


@program
def resource_slice_assignments(tf, np):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], use_resource=True, name='v')
    row = v[1].assign([7.0, 8.0, 9.0])
    part = v[:, 1:].assign([[0.0, 1.0], [2.0, 3.0]], name='part')
    return [run(v.initializer), run(row), run(part), run(v)]
