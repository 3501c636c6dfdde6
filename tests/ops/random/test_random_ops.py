"""What random ops draw: TF1's own numbers for a seed, the right distributions, the right repeats.

The streams recorded from TensorFlow are compared in tests/golden/test_ops.py.
"""
import numpy as np
import pytest

import tinyflow as tf

COUNT = 20000


pytestmark = pytest.mark.usefixtures('graph')


def draw(fetch):
    with tf.Session() as session:
        return session.run(fetch)


def test_graph_seed_counts_the_nodes_before():
    """DESIGN section 6: the op seed is the number of nodes, helper constants included."""
    tf.set_random_seed(777)
    first = tf.random_normal([1])
    assert draw(first) == pytest.approx([2.2086694])
    for _ in range(3):
        tf.no_op()
    second = tf.random_normal([1])
    assert draw(second) == pytest.approx([-0.8204183])


@pytest.mark.parametrize('graph_seed, op_seed, expected', [
    (None, None, (None, None)),
    (None, 5, (87654321, 5)),
    (777, 5, (777, 5)),
    (0, 0, (0, 2**31 - 1)),
    (None, -1, (87654321, 2**31 - 2)),
    (2**31, 2**31 + 1, (1, 2)),
])
def test_get_seed(graph_seed, op_seed, expected):
    tf.set_random_seed(graph_seed)
    assert tf.get_seed(op_seed) == expected


def test_a_seed_must_be_a_number():
    with pytest.raises(TypeError, match='seed'):
        tf.random_normal([2], seed='one')


DRAWS = {
    'random_uniform': lambda: tf.random_uniform([COUNT], 2.0, 6.0, seed=1),
    'random_normal': lambda: tf.random_normal([COUNT], 4.0, 0.5, seed=1),
    'truncated_normal': lambda: tf.truncated_normal([COUNT], seed=1),
    'random_uniform, integers': lambda: tf.random_uniform([COUNT], 0, 5, tf.int32, seed=1),
    'multinomial': lambda: tf.multinomial(np.log([[0.2, 0.8]]), COUNT, seed=1),
    'random_gamma': lambda: tf.random_gamma([COUNT], 3.0, 2.0, seed=1),
    'random_poisson': lambda: tf.random_poisson(4.0, [COUNT], seed=1),
    'stateless_normal': lambda: tf.random.stateless_normal([COUNT], [1, 2]),
    'stateless_uniform': lambda: tf.random.stateless_uniform([COUNT], [1, 2]),
}
# The variance of a normal cut off at two deviations: 1 - 4 phi(2) / (2 Phi(2) - 1).
MOMENTS = {
    'random_uniform': (4.0, 16 / 12), 'random_normal': (4.0, 0.25),
    'truncated_normal': (0.0, 0.7737), 'random_uniform, integers': (2.0, 2.0),
    'multinomial': (0.8, 0.16), 'random_gamma': (1.5, 0.75), 'random_poisson': (4.0, 4.0),
    'stateless_normal': (0.0, 1.0), 'stateless_uniform': (0.5, 1 / 12),
}


@pytest.mark.parametrize('name', DRAWS)
def test_mean_and_variance(name):
    values = draw(DRAWS[name]()).astype('float64')
    mean, variance = MOMENTS[name]
    assert values.mean() == pytest.approx(mean, abs=5 * (variance / COUNT) ** 0.5)
    assert values.var() == pytest.approx(variance, rel=0.05)


STATEFUL = [name for name in DRAWS if not name.startswith('stateless')]


@pytest.mark.parametrize('name', STATEFUL)
def test_runs_continue_and_sessions_restart_the_stream(name):
    fetch = DRAWS[name]()
    with tf.Session() as one, tf.Session() as other:
        first, second = one.run(fetch), one.run(fetch)
        again = other.run(fetch)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again)


@pytest.mark.parametrize('name', ['stateless_normal', 'stateless_uniform'])
def test_stateless_runs_repeat(name):
    fetch = DRAWS[name]()
    with tf.Session() as session:
        assert np.array_equal(session.run(fetch), session.run(fetch))


RECORDED_STATELESS = [
    [0.8440604, 0.19204533, 0.9962232],
    [1.135596, 0.97506636, 0.13005693],
    [0.5441101, 0.20738031, 0.07356432, 0.04643455, 0.16820592],
    [4, 28, 27],
    [[2, 2, 1, 2, 2], [2, 2, 1, 2, 2]],
]


def test_stateless_values_are_those_of_tensorflow():
    values = draw([tf.random.stateless_uniform([3], [1, 2]),
                   tf.random.stateless_normal([3], [-3, 2**40]),
                   tf.random.stateless_truncated_normal([5], [1, 2]),
                   tf.random.stateless_uniform([3], [1, 2], -5, 100, tf.int64),
                   tf.random.stateless_multinomial([[1.0, 2.0, 3.0]] * 2, 5, [1, 2])])
    for got, recorded in zip(values, RECORDED_STATELESS, strict=True):
        np.testing.assert_allclose(got, recorded, rtol=1e-6)


def test_without_seeds_nothing_repeats():
    fetch = tf.random_normal([8])
    assert not np.array_equal(draw(fetch), draw(fetch))


def test_equal_random_ops_are_not_merged():
    tf.set_random_seed(None)
    x, y = draw([tf.random_uniform([8], seed=3), tf.random_uniform([8])])
    assert not np.array_equal(x, y)
    a, b = draw([tf.random_uniform([8], seed=3), tf.random_uniform([8], seed=3)])
    assert np.array_equal(a, b)         # two nodes, two streams, the same seed


def test_one_node_draws_once_in_a_run():
    x = tf.random_normal([8])
    a, b = draw([x + 1.0, x + 1.0])
    assert np.array_equal(a, b)


def test_shuffle_keeps_rows_together():
    x = np.arange(20).reshape(10, 2)
    y = draw(tf.random_shuffle(x, seed=2))
    assert not np.array_equal(y, x)
    assert np.array_equal(y[np.argsort(y[:, 0])], x)


def test_dropout_scales_the_kept_values():
    y = draw(tf.nn.dropout(tf.ones([COUNT]), rate=0.25, seed=4))
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert (y == 0).mean() == pytest.approx(0.25, abs=0.02)


def test_dropout_of_rate_0_is_the_tensor_itself():
    x = tf.ones([3])
    assert tf.nn.dropout(x, rate=0.0) is x
    assert tf.nn.dropout(x, keep_prob=1.0) is x


@pytest.mark.parametrize('how, message', [
    ({}, 'You must provide a rate'),
    ({'keep_prob': 0.5, 'rate': 0.5}, 'Cannot specify both'),
    ({'rate': 1.5}, r'range \[0, 1\)'),
    ({'keep_prob': 0.0}, r'range \[0, 1\)'),
])
def test_dropout_refuses(how, message):
    with pytest.raises(ValueError, match=message):
        tf.nn.dropout(tf.ones([3]), **how)


def test_gradient_of_dropout_is_its_own_mask():
    x = tf.ones([100])
    y = tf.nn.dropout(x, rate=0.5, seed=1)
    value, slope = draw([y, tf.gradients(y, x)[0]])
    assert np.array_equal(value, slope)


def test_random_gamma_has_a_gradient_for_beta_only():
    alpha, beta = tf.constant(2.0), tf.constant(4.0)
    y = tf.random_gamma([], alpha, beta, seed=1)
    value, slope = draw([y, tf.gradients(y, beta)[0]])
    assert slope == pytest.approx(-value / 4)
    with pytest.raises(LookupError, match='RandomGamma'):
        tf.gradients(y, alpha)


def test_random_crop_is_a_part_of_the_value():
    value = np.arange(35).reshape(5, 7)
    part = draw(tf.random_crop(value, [2, 7], seed=1))
    row = part[0, 0] // 7
    assert np.array_equal(part, value[row:row + 2])


def test_random_crop_refuses_a_size_beyond_the_value():
    with pytest.raises(tf.errors.InvalidArgumentError):
        draw(tf.random_crop(tf.zeros([2, 2]), [4, 2]))


def test_with_seeds_by_name_one_more_op_changes_no_other():
    def drawn(more, by_name):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(1, by_name=by_name)
            if more:
                tf.constant(0.)
            return sess.run(tf.random_normal([3], name='noise'))
    assert (drawn(False, True) == drawn(True, True)).all()
    assert (drawn(False, False) != drawn(True, False)).all()       # as TF1 has it


@pytest.mark.parametrize('shape', [[np.uint8(4), 2], np.array([4, 2], np.uint8), (4, np.int16(2))])
def test_sizes_of_numpy_may_have_any_integer_dtype(shape, graph):
    classes = np.max(np.array([0, 3], np.uint8)) + 1            # uint8
    assert tf.random_uniform(shape).shape == tf.truncated_normal(shape).shape == (4, 2)
    assert tf.sequence_mask([1], classes).shape == (1, 4)


def test_a_generator_draws_in_a_graph():
    """The numbers of tf.random.experimental.Generator, from TensorFlow 1.15.5."""
    with tf.Graph().as_default(), tf.Session() as session:
        generator = tf.random.experimental.Generator.from_seed(1)
        numbers = generator.normal([3])
        session.run(tf.global_variables_initializer())
        assert session.run(numbers).tolist() == [0.4384227395057678, -0.5343984365463257,
                                                 -0.07710261642932892]
        assert session.run(generator.state).tolist() == [769, 0, 0]
        with pytest.raises(NotImplementedError, match='reduce_sum'):
            generator.binomial([1], 2.0, 0.5)
