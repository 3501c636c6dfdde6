"""name_scope, variable_scope, reuse and regularizers."""
from .registry import program, run


@program
def name_scope_uniquifying(tf, np):
    for _ in range(3):
        with tf.name_scope('layer'):
            a = tf.constant(1.0, name='a')
            b = tf.add(a, 1.0, name='a')
    with tf.name_scope('layer_1'):
        c = tf.identity(b)
    return [run([a, b, c])]


@program
def name_scope_nesting(tf, np):
    with tf.name_scope('outer') as outer:
        with tf.name_scope('inner'):
            a = tf.constant(1)
        with tf.name_scope(None):
            b = tf.constant(2, name='at_root')
        with tf.name_scope('inner'):
            c = a + b
    with tf.name_scope(outer):
        d = tf.constant(4, name='re_entered')
    with tf.name_scope(''):
        e = tf.constant(5)
    return [run([a, b, c, d, e])]


@program
def name_scope_with_default_name(tf, np):
    def layer(x, name=None):
        with tf.name_scope(name, 'my_layer', [x]) as scope:
            return tf.identity(x * 2.0, name=scope)
    a = layer(1.0)
    b = layer(a)
    c = layer(b, 'third')
    return [run([a, b, c])]


@program
def name_case_and_characters(tf, np):
    a = tf.constant(1, name='Mixed')
    b = tf.constant(2, name='mixed')
    c = tf.constant(3, name='x.y-z_1')
    d = tf.constant(4, name='a/b/c')
    e = tf.constant(5, name='a/b')
    f = tf.constant(6, name='mixed_1')
    g = tf.constant(7, name='mixed')
    return [run([a, b, c, d, e, f, g])]


@program
def variable_in_name_scope(tf, np):
    with tf.name_scope('hidden'):
        w = tf.Variable(tf.ones([2, 2]), name='w')
        b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        y = tf.matmul(tf.ones([1, 2]), w) + b
    return [run(tf.global_variables_initializer()), run(y)]


@program
def variable_scope_reuse(tf, np):
    def shared():
        return tf.get_variable('w', [2], initializer=tf.ones_initializer())
    with tf.variable_scope('s'):
        a = shared()
    with tf.variable_scope('s', reuse=True):
        b = shared()
    with tf.variable_scope('s') as scope:
        scope.reuse_variables()
        c = shared()
    return [run(tf.global_variables_initializer()), run([a + b, b * c])]


@program
def variable_scope_auto_reuse(tf, np):
    def linear(x):
        with tf.variable_scope('linear', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [], initializer=tf.constant_initializer(3.0))
            return w * x
    y = linear(linear(tf.constant(2.0)))
    return [run(tf.global_variables_initializer()), run(y)]


@program
def variable_scope_names(tf, np):
    with tf.variable_scope('a'):
        with tf.variable_scope('b'):
            v = tf.get_variable('v', [1], initializer=tf.zeros_initializer())
            w = tf.Variable(1.0, name='w')
        x = v + 1.0
    with tf.variable_scope('a'):
        y = tf.add(x, w)
    return [run(tf.global_variables_initializer()), run([x, y])]


@program
def variable_scope_re_entry(tf, np):
    with tf.variable_scope('net') as net:
        a = tf.get_variable('a', [1], initializer=tf.ones_initializer())
    with tf.variable_scope('other'):
        with tf.variable_scope(net):
            b = tf.get_variable('b', [1], initializer=tf.ones_initializer())
            c = a + b
        with tf.variable_scope(net, reuse=True):
            d = tf.get_variable('a')
            e = d * 2.0
    with tf.variable_scope(net, auxiliary_name_scope=False):
        with tf.name_scope(net.original_name_scope):
            f = e + 1.0
    return [run(tf.global_variables_initializer()), run([c, e, f])]


@program
def variable_scope_default_name(tf, np):
    def block(scope=None):
        with tf.variable_scope(scope, default_name='block'):
            return tf.get_variable('w', [1], initializer=tf.zeros_initializer()) + 1.0
    fetches = [block(), block(), block('chosen')]
    return [run(tf.global_variables_initializer()), run(fetches)]


@program
def variable_scope_defaults_are_inherited(tf, np):
    with tf.variable_scope('s', initializer=tf.constant_initializer(4.0), dtype=tf.float64):
        a = tf.get_variable('a', [2])
        with tf.variable_scope('inner'):
            b = tf.get_variable('b', [2])
    return [run(tf.global_variables_initializer()), run([a, b])]


@program
def variable_scope_with_name_scope(tf, np):
    with tf.variable_scope('v'):
        with tf.name_scope('n'):
            a = tf.get_variable('a', [1], initializer=tf.zeros_initializer())
            b = tf.Variable(tf.zeros([1]), name='b')
            c = a + b
    return [run(tf.global_variables_initializer()), run(c)]


@program
def current_variable_scope(tf, np):
    with tf.variable_scope('s'):
        inside = tf.get_variable_scope().name
    outside = tf.get_variable_scope().name
    graph = tf.get_default_graph()
    with tf.name_scope('n'):
        unique = [graph.unique_name('op'), graph.unique_name('op'), graph.get_name_scope()]
    return [run(tf.constant([inside, outside] + unique))]


@program
def regularizers_through_get_variable(tf, np):
    def l2(w):
        return 0.01 * tf.nn.l2_loss(w)
    with tf.variable_scope('s', regularizer=l2):
        tf.get_variable('a', [2], initializer=tf.constant_initializer(3.0))
        tf.get_variable('b', [2], initializer=tf.ones_initializer(),
                        regularizer=lambda w: tf.reduce_sum(w))
    penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return [run(tf.global_variables_initializer()), run([penalties, tf.add_n(penalties)])]


@program
def custom_getter(tf, np):
    def doubled(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) * 2.0
    with tf.variable_scope('s', custom_getter=doubled):
        v = tf.get_variable('v', [1], initializer=tf.ones_initializer())
    return [run(tf.global_variables_initializer()), run(v)]


@program
def two_layers_by_variable_scope(tf, np):
    def dense(x, units, scope):
        with tf.variable_scope(scope):
            w = tf.get_variable('weights', [x.get_shape()[1], units],
                                initializer=tf.ones_initializer())
            b = tf.get_variable('biases', [units], initializer=tf.zeros_initializer())
            return tf.nn.relu(tf.matmul(x, w) + b)
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    y = dense(dense(x, 3, 'one'), 1, 'two')
    return [run(tf.global_variables_initializer()), run(y, {x: [[1, 2]]})]
