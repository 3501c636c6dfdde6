"""tf.Variable, get_variable and assignments."""
from .registry import program, run


@program
def variable_from_python_values(tf, np):
    a = tf.Variable(3)
    b = tf.Variable(0.3)
    c = tf.Variable([[1.0, 2.0]])
    d = tf.Variable(True)
    return [run(tf.global_variables_initializer()), run([a, b, c, d])]


@program
def variable_from_tensors(tf, np):
    a = tf.Variable(tf.zeros([2, 3]))
    b = tf.Variable(tf.constant(0.1, shape=[4]), name='bias')
    c = tf.Variable(tf.ones([2]) * 5.0)
    d = tf.Variable(np.arange(3), name='counts')
    return [run(tf.global_variables_initializer()), run([a, b, c, d])]


@program
def variable_names_and_dtypes(tf, np):
    a = tf.Variable(1.0, name='w')
    b = tf.Variable(2.0, name='w')
    c = tf.Variable(3, dtype=tf.float64)
    d = tf.Variable(4, trainable=False, name='global_step')
    e = tf.Variable(initial_value=[1], name='named', dtype=tf.int64)
    return [run(tf.initialize_all_variables()), run([a, b, c, d, e])]


@program
def variable_from_callable(tf, np):
    v = tf.Variable(lambda: tf.fill([2], 7.0), name='late')
    return [run(v.initializer), run([v, v.initialized_value()])]


@program
def variable_from_seeded_random(tf, np):
    a = tf.Variable(tf.random_normal([2, 2], seed=1))
    b = tf.Variable(tf.truncated_normal([3], stddev=0.1, seed=2), name='weights')
    c = tf.Variable(tf.random_uniform([2], -1.0, 1.0, seed=3))
    return [run(tf.global_variables_initializer()), run([a, b, c]), run([a, b, c])]


@program
def variables_under_a_graph_seed(tf, np):
    tf.set_random_seed(777)
    w = tf.Variable(tf.random_normal([1]), name='weight')
    b = tf.Variable(tf.random_normal([1]), name='bias')
    return [run(tf.global_variables_initializer()), run([w, b]),
            run(tf.global_variables_initializer()),
            run([w, b])]


@program
def variable_from_another(tf, np):
    a = tf.Variable(tf.random_normal([2], seed=4), name='a')
    b = tf.Variable(a.initialized_value() * 2.0, name='b')
    return [run(tf.global_variables_initializer()), run([a, b])]


@program
def variable_from_another_without_asking(tf, np):
    a = tf.Variable([1.0, 2.0], name='a')
    b = tf.Variable(a + 1.0, name='b')
    return [run(b.initializer), run(tf.global_variables_initializer()), run([a, b])]


@program
def variable_arithmetic(tf, np):
    v = tf.Variable([1.0, 2.0], name='v')
    w = tf.Variable([3.0, 4.0], name='w')
    fetches = [v + w, v * 2, 1 - v, v / w, -v, v ** 2, abs(v), v < w, v % 2.0]
    return [run(tf.global_variables_initializer()), run(fetches)]


@program
def variable_attributes(tf, np):
    v = tf.Variable([[1.0, 2.0]], name='v')
    names = [v.name, v.op.name, v.dtype.base_dtype.name, v.initializer.name, v.value().name]
    return [run(v.initializer), run([tf.constant(names), tf.constant(v.get_shape().as_list()),
                                     v.read_value(),
                                     v.initial_value])]


@program
def assign_forms(tf, np):
    v = tf.Variable(1.0, name='v')
    set_five = tf.assign(v, 5.0)
    add = tf.assign_add(v, 2.0)
    sub = tf.assign_sub(v, 1.0, name='lower')
    return [run(v.initializer), run(set_five), run(add), run(sub), run(add), run(v)]


@program
def assign_methods(tf, np):
    v = tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32, [2])
    store = v.assign(x)
    grow = v.assign_add(x)
    shrink = v.assign_sub(x * 0.5)
    return [run(v.initializer), run(store, {x: [5, 6]}), run(grow, {x: [1, 1]}),
            run(shrink, {x: [2, 4]}), run(v)]


@program
def counter_tutorial(tf, np):
    state = tf.Variable(0, name='counter')
    one = tf.constant(1)
    update = tf.assign(state, tf.add(state, one))
    return [run(tf.global_variables_initializer()), run(state)] + [run(update)] * 3 + [run(state)]


@program
def assign_of_another_shape(tf, np):
    v = tf.Variable([1.0, 2.0], validate_shape=False)
    change = tf.assign(v, [[1.0], [2.0], [3.0]], validate_shape=False)
    return [run(v.initializer), run(v), run(change), run(v)]


@program
def count_up_to(tf, np):
    v = tf.Variable(0)
    step = v.count_up_to(3)
    return [run(v.initializer), run(step), run(step), run(v)]


@program
def uninitialized_report(tf, np):
    a = tf.Variable(1.0, name='a')
    tf.Variable(2.0, name='b')
    report = tf.report_uninitialized_variables()
    known = tf.is_variable_initialized(a)
    return [run([report, known]), run(a.initializer), run([report, known]),
            run(tf.variables_initializer(tf.global_variables())), run(report)]


@program
def local_variables(tf, np):
    a = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='seen')
    b = tf.get_local_variable('total', [], initializer=tf.zeros_initializer())
    return [run(tf.local_variables_initializer()), run([a, b])]


@program
def get_variable_forms(tf, np):
    a = tf.get_variable('a', [2, 2], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', shape=[3], initializer=tf.constant_initializer(0.5))
    c = tf.get_variable('c', initializer=tf.constant([1, 2]))
    d = tf.get_variable('d', initializer=2.5)
    e = tf.get_variable('e', [1], tf.float64, tf.ones_initializer(), trainable=False)
    f = tf.get_variable('f', [2], initializer=tf.zeros_initializer)
    return [run(tf.global_variables_initializer()), run([a, b, c, d, e, f])]


@program
def get_variable_default_initializers(tf, np):
    tf.set_random_seed(5)
    w = tf.get_variable('w', [3, 2])
    b = tf.get_variable('b', [3], dtype=tf.int32)
    return [run(tf.global_variables_initializer()), run([w, b])]


@program
def get_variable_initializer_is_array(tf, np):
    a = tf.get_variable('a', initializer=np.float32([[1, 2]]))
    b = tf.get_variable('b', initializer=tf.random_normal([2], seed=9))
    return [run(tf.global_variables_initializer()), run([a, b])]


@program
def resource_variable(tf, np):
    v = tf.Variable(1.0, use_resource=True, name='r')
    grow = v.assign_add(2.0)
    return [run(tf.global_variables_initializer()), run(v), run(grow), run(v + 1.0)]
