"""Beginner mistakes: `ERRORS` maps a name to a function (tf, np) that raises, run in a fresh
default graph."""
from collections import OrderedDict

ERRORS = OrderedDict()


def mistake(provoke):
    """Register `provoke` under its own name."""
    ERRORS[provoke.__name__] = provoke
    return provoke


def _run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


@mistake
def unfed_placeholder(tf, np):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    _run(tf, x * 2.0)


@mistake
def unfed_placeholder_of_unknown_shape(tf, np):
    _run(tf, tf.placeholder(tf.float32) + 1.0)


@mistake
def uninitialized_variable(tf, np):
    w = tf.Variable(1.0, name='w')
    _run(tf, w * 2.0)


@mistake
def uninitialized_resource_variable(tf, np):
    w = tf.Variable(1.0, name='w', use_resource=True)
    _run(tf, w * 2.0)


@mistake
def wrong_feed_shape(tf, np):
    x = tf.placeholder(tf.float32, [None, 784], name='x')
    _run(tf, x, {x: np.zeros([28, 28])})


@mistake
def wrong_feed_rank(tf, np):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    _run(tf, x, {x: [1.0, 2.0]})


@mistake
def feed_of_text_for_numbers(tf, np):
    x = tf.placeholder(tf.float32, name='x')
    _run(tf, x, {x: 'three'})


@mistake
def ragged_feed(tf, np):
    x = tf.placeholder(tf.float32, name='x')
    _run(tf, x, {x: [[1.0], [1.0, 2.0]]})


@mistake
def feed_of_a_tensor(tf, np):
    x = tf.placeholder(tf.float32, name='x')
    _run(tf, x, {x: tf.constant(1.0)})


@mistake
def feed_key_is_unknown_text(tf, np):
    x = tf.placeholder(tf.float32, name='x')
    _run(tf, x, {'y:0': 1.0})


@mistake
def feed_key_is_a_number(tf, np):
    _run(tf, tf.constant(1.0), {3: 1.0})


@mistake
def feed_key_from_another_graph(tf, np):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name='x')
    _run(tf, tf.constant(1.0), {x: 1.0})


@mistake
def fetch_of_none(tf, np):
    tf.constant(1.0)
    _run(tf, None)


@mistake
def fetch_of_none_in_a_list(tf, np):
    _run(tf, [tf.constant(1.0), None])


@mistake
def fetch_of_a_number(tf, np):
    tf.constant(1.0)
    _run(tf, 3.0)


@mistake
def fetch_of_unknown_name(tf, np):
    tf.constant(1.0, name='a')
    _run(tf, 'b:0')


@mistake
def fetch_of_an_operation_name_as_tensor(tf, np):
    tf.constant(1.0, name='a')
    tf.get_default_graph().get_tensor_by_name('a')


@mistake
def fetch_from_another_graph(tf, np):
    with tf.Graph().as_default():
        a = tf.constant(1.0)
    tf.constant(2.0)
    _run(tf, a)


@mistake
def fetch_of_an_optimizer(tf, np):
    tf.Variable(1.0)
    _run(tf, tf.train.GradientDescentOptimizer(0.1))


@mistake
def run_in_an_empty_graph(tf, np):
    with tf.Session() as sess:
        sess.run('a:0')


@mistake
def run_in_a_closed_session(tf, np):
    a = tf.constant(1.0)
    sess = tf.Session()
    sess.close()
    sess.run(a)


@mistake
def eval_without_a_session(tf, np):
    tf.constant(1.0).eval()


@mistake
def matmul_shape_mismatch(tf, np):
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]), name='product')


@mistake
def matmul_of_vectors(tf, np):
    tf.matmul(tf.ones([3]), tf.ones([3]))


@mistake
def matmul_mismatch_at_run_time(tf, np):
    a = tf.placeholder(tf.float32)
    b = tf.placeholder(tf.float32)
    _run(tf, tf.matmul(a, b), {a: np.ones([2, 3]), b: np.ones([2, 3])})


@mistake
def add_shape_mismatch(tf, np):
    tf.ones([2, 3]) + tf.ones([4])


@mistake
def add_mismatch_at_run_time(tf, np):
    a = tf.placeholder(tf.float32)
    b = tf.placeholder(tf.float32)
    _run(tf, a + b, {a: [1.0, 2.0], b: [1.0, 2.0, 3.0]})


@mistake
def dtype_mix_in_operator(tf, np):
    tf.constant(1.0) + tf.constant(1)


@mistake
def dtype_mix_float64(tf, np):
    tf.add(tf.constant(1.0), tf.constant(np.float64(1.0)))


@mistake
def dtype_mix_python_float(tf, np):
    tf.constant([1, 2]) * 0.5


@mistake
def dtype_mix_in_matmul(tf, np):
    tf.matmul(tf.ones([1, 1]), tf.ones([1, 1], tf.float64))


@mistake
def mean_of_a_bool(tf, np):
    tf.reduce_mean(tf.equal([1], [1]))


@mistake
def get_variable_twice(tf, np):
    tf.get_variable('w', [1])
    tf.get_variable('w', [1])


@mistake
def get_variable_reuse_of_nothing(tf, np):
    with tf.variable_scope('s', reuse=True):
        tf.get_variable('w', [1])


@mistake
def get_variable_of_another_shape(tf, np):
    with tf.variable_scope('s', reuse=tf.AUTO_REUSE):
        tf.get_variable('w', [1])
        tf.get_variable('w', [2])


@mistake
def get_variable_without_a_shape(tf, np):
    tf.get_variable('w')


@mistake
def assign_of_another_shape(tf, np):
    tf.assign(tf.Variable([1.0, 2.0]), [1.0, 2.0, 3.0])


@mistake
def assign_to_a_constant(tf, np):
    tf.assign(tf.constant(1.0), 2.0)


@mistake
def tensors_of_two_graphs(tf, np):
    a = tf.constant(1.0, name='a')
    with tf.Graph().as_default():
        b = tf.constant(2.0, name='b')
        tf.add(a, b)


@mistake
def finalized_graph(tf, np):
    tf.get_default_graph().finalize()
    tf.constant(1.0)


@mistake
def reshape_mismatch(tf, np):
    tf.reshape(tf.range(6), [4, 2])


@mistake
def reshape_mismatch_at_run_time(tf, np):
    x = tf.placeholder(tf.float32)
    _run(tf, tf.reshape(x, [4, 2]), {x: np.zeros(6)})


@mistake
def concat_mismatch(tf, np):
    tf.concat([tf.ones([2, 3]), tf.ones([2, 4])], 0)


@mistake
def tensor_as_bool(tf, np):
    if tf.constant(1.0) > 0.0:
        raise AssertionError('unreachable: a symbolic tensor has no truth value')


@mistake
def iterating_a_tensor_of_unknown_shape(tf, np):
    list(tf.placeholder(tf.float32))


@mistake
def iterating_any_tensor(tf, np):
    for _ in tf.constant([1.0, 2.0]):
        break


@mistake
def length_of_a_tensor(tf, np):
    len(tf.constant([1.0, 2.0]))


@mistake
def item_assignment(tf, np):
    t = tf.constant([1.0, 2.0])
    t[0] = 5.0


@mistake
def index_beyond_the_rank(tf, np):
    tf.constant([1.0, 2.0])[0, 0]


@mistake
def index_out_of_bounds(tf, np):
    tf.constant([1.0, 2.0])[5]


@mistake
def gather_out_of_bounds(tf, np):
    _run(tf, tf.gather([1.0, 2.0], tf.placeholder_with_default([5], [1])))


@mistake
def minimize_without_variables(tf, np):
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


@mistake
def minimize_of_an_unconnected_loss(tf, np):
    tf.Variable(1.0, name='w')
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


@mistake
def gradient_cut_by_argmax(tf, np):
    w = tf.Variable([1.0, 2.0], name='w')
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.to_float(tf.argmax(w, 0)))


@mistake
def softmax_cross_entropy_positional(tf, np):
    tf.nn.softmax_cross_entropy_with_logits(tf.ones([1, 2]), tf.ones([1, 2]))


@mistake
def sparse_labels_of_the_wrong_rank(tf, np):
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 0]], logits=[[1.0, 2.0]])


@mistake
def sparse_label_out_of_range(tf, np):
    _run(tf, tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=[[1.0, 2.0]]))


@mistake
def bad_node_name(tf, np):
    tf.constant(1.0, name='my value')


@mistake
def variable_initial_value_missing(tf, np):
    tf.Variable()


@mistake
def while_loop_shape_changes(tf, np):
    tf.while_loop(lambda x: tf.size(x) < 10, lambda x: tf.concat([x, x], 0), [tf.ones([1])])


@mistake
def cond_branches_differ(tf, np):
    tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(1.0))


@mistake
def check_numerics_finds_nan(tf, np):
    _run(tf, tf.check_numerics(tf.log(tf.placeholder_with_default(-1.0, [])), 'loss is bad'))


@mistake
def assertion_fails(tf, np):
    x = tf.placeholder_with_default(-1.0, [])
    _run(tf, tf.assert_positive(x, message='must be positive'))


@mistake
def integer_division_by_zero(tf, np):
    x = tf.placeholder_with_default(0, [])
    _run(tf, tf.constant(1) // x)


@mistake
def singular_matrix(tf, np):
    _run(tf, tf.matrix_inverse(tf.placeholder_with_default(tf.zeros([2, 2]), [2, 2])))


@mistake
def cholesky_of_an_indefinite_matrix(tf, np):
    _run(tf, tf.cholesky(tf.placeholder_with_default([[1.0, 2.0], [2.0, 1.0]], [2, 2])))


@mistake
def placeholder_dtype_missing(tf, np):
    tf.placeholder([None, 2])


@mistake
def set_shape_contradiction(tf, np):
    tf.placeholder(tf.float32, [None, 2]).set_shape([3, 3])


@mistake
def dropout_keep_prob_out_of_range(tf, np):
    tf.nn.dropout(tf.ones([2]), keep_prob=1.5)


@mistake
def constant_too_many_values(tf, np):
    tf.constant([1, 2, 3], shape=[2])


@mistake
def constant_of_mixed_types(tf, np):
    tf.constant([1, 'a'])


@mistake
def squeeze_of_a_long_axis(tf, np):
    tf.squeeze(tf.ones([2, 3]), [0])


@mistake
def axis_out_of_range(tf, np):
    tf.reduce_sum(tf.ones([2, 3]), 2)


@mistake
def top_k_larger_than_the_row(tf, np):
    tf.nn.top_k(tf.ones([2]), 3)
