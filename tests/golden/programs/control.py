"""Order and structure: control dependencies, group, collections, cond, while_loop, graphs."""
from .registry import functional, program, run


@program
def control_dependencies_order_updates(tf, np):
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        after = tf.identity(v.read_value() * 10.0)
    return [run(v.initializer), run(after), run(after)]


@program
def control_dependencies_nesting(tf, np):
    a = tf.Variable(0.0, name='a')
    b = tf.Variable(0.0, name='b')
    with tf.control_dependencies([a.assign(1.0)]):
        with tf.control_dependencies([b.assign(2.0)]):
            done = tf.no_op(name='both')
        with tf.control_dependencies(None):
            free = tf.constant(5.0)
    return [run(tf.global_variables_initializer()), run(free), run([a, b]), run(done), run([a, b])]


@program
def tuple_of_an_assignment(tf, np):
    v = tf.Variable([1.0, 2.0], name='v')
    stored, other = tf.tuple([tf.assign(v, [5.0, 6.0]), tf.constant(3.0)])
    return [run(v.initializer), run([stored, other]), run(v)]


@program
def group_and_tuple(tf, np):
    a = tf.Variable(0.0, name='a')
    b = tf.Variable(0.0, name='b')
    both = tf.group(a.assign_add(1.0), b.assign_add(2.0))
    named = tf.group(both, name='named')
    x, y = tf.tuple([tf.constant(1.0), tf.constant(2.0)], control_inputs=[both])
    nothing = tf.no_op()
    empty = tf.group()
    return [run(tf.global_variables_initializer()), run(both), run(named), run([a, b]), run([x, y]),
            run([nothing, empty])]


@program
def collections_by_hand(tf, np):
    a = tf.constant(1.0, name='a')
    tf.add_to_collection('mine', a)
    tf.add_to_collection('mine', tf.constant(2.0, name='b'))
    tf.add_to_collection('numbers', 7)
    tf.get_default_graph().add_to_collections(['left', 'right'], a)
    total = tf.add_n(tf.get_collection('mine'))
    tf.add_to_collection(tf.GraphKeys.LOSSES, total)
    return [run(total)]


@program
def collections_of_variables(tf, np):
    with tf.variable_scope('s'):
        tf.get_variable('w', [1], initializer=tf.zeros_initializer())
        tf.Variable(1.0, trainable=False, name='frozen')
    tf.Variable(2.0, name='other')
    names = [v.name for v in tf.trainable_variables()]
    scoped = [v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='s')]
    everything = [v.name for v in tf.all_variables()]
    return [run([tf.constant(names), tf.constant(scoped), tf.constant(everything)])]


@program
def global_step_helpers(tf, np):
    step = tf.train.get_or_create_global_step()
    same = tf.train.get_global_step()
    grow = tf.assign_add(step, 1)
    return [run(tf.global_variables_initializer()), run(grow), run([step, same])]


@functional
def cond_forms(tf, np):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0)
    both = tf.cond(tf.less(x, 1.0), lambda: [x, tf.constant(1)], lambda: [-x, tf.constant(2)])
    return [run([y, both], {x: 3.0}), run([y, both], {x: -3.0})]


@functional
def cond_gradient(tf, np):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0.0, lambda: x * x, lambda: 3.0 * x)
    g = tf.gradients(y, x)
    return [run(g, {x: 2.0}), run(g, {x: -2.0})]


@functional
def case_forms(tf, np):
    x = tf.placeholder(tf.int32, [])
    y = tf.case([(tf.equal(x, 0), lambda: tf.constant(10)),
                 (tf.equal(x, 1), lambda: tf.constant(20))],
                default=lambda: tf.constant(-1))
    return [run(y, {x: 0}), run(y, {x: 1}), run(y, {x: 9})]


@functional
def while_loop_counts(tf, np):
    i = tf.constant(0)
    n = tf.placeholder(tf.int32, [])
    last = tf.while_loop(lambda i: tf.less(i, n), lambda i: tf.add(i, 1), [i])
    return [run(last, {n: 5}), run(last, {n: 0})]


@functional
def while_loop_two_variables(tf, np):
    i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + tf.to_float(i)), [0, 0.0])
    return [run([i, total])]


@functional
def while_loop_gradient(tf, np):
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, tf.constant(1.0)])
    return [run([y, tf.gradients(y, x)], {x: 2.0})]


@functional
def map_scan_fold(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    return [run([tf.map_fn(lambda v: v * v, x), tf.scan(lambda a, v: a + v, x),
                 tf.foldl(lambda a, v: a + v, x)])]


@program
def py_func_call(tf, np):
    x = tf.placeholder(tf.float32, [None])
    y = tf.py_func(lambda a: np.float32(a[::-1] * 2), [x], tf.float32)
    return [run(y, {x: [1, 2]})]


@functional
def assert_and_check_numerics(tf, np):
    x = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.assert_positive(x), tf.assert_less(x, 10.0)]):
        y = tf.identity(x)
    return [run([y, tf.check_numerics(x, 'x is bad')], {x: 2.0})]


@program
def devices_and_colocation(tf, np):
    with tf.device('/cpu:0'):
        a = tf.constant(1.0)
    v = tf.Variable(2.0)
    with tf.colocate_with(v):
        b = a * 2.0
    return [run(v.initializer), run([a, b, v])]


@program
def program_in_its_own_graph(tf, np):
    with tf.Graph().as_default():
        tf.constant(1, name='elsewhere')
    here = tf.constant(2, name='here')
    return [run(here)]


@program
def graph_lookups(tf, np):
    a = tf.constant(3.0, name='a')
    graph = tf.get_default_graph()
    b = graph.get_tensor_by_name('a:0') * 2.0
    c = graph.as_graph_element('mul')
    d = graph.get_operation_by_name('a')
    names = tf.constant([op.name for op in graph.get_operations()] + [d.type, b.op.type, a.name])
    return [run([b, c, names])]
