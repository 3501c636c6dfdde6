"""Recurrent networks: loops agree with copies of the cell, lengths are honoured, errors teach."""
import numpy as np
import pytest

import tinyflow as tf

BATCH, TIME, WIDTH, UNITS = 3, 5, 4, 6
LENGTHS = np.array([5, 1, 3])

pytestmark = pytest.mark.usefixtures('graph')


def inputs():
    return np.random.default_rng(0).normal(size=(BATCH, TIME, WIDTH)).astype('f')


def weights():
    return tf.random_uniform_initializer(-1, 1, seed=3)


CELLS = {
    'basic': lambda: tf.nn.rnn_cell.BasicRNNCell(UNITS),
    'gru': lambda: tf.nn.rnn_cell.GRUCell(UNITS),
    'basic_lstm': lambda: tf.nn.rnn_cell.BasicLSTMCell(UNITS),
    'lstm': lambda: tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True, num_proj=2, cell_clip=0.7),
    'stack': lambda: tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.BasicLSTMCell(2)]),
    'residual': lambda: tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(WIDTH)),
}


def static(cell, x, **settings):
    outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32, **settings)
    return tf.stack(outputs, 1), state


def dynamic(cell, x, **settings):
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, **settings)


def evaluated(loop, make_cell, **settings):
    """Outputs, last state, and gradients of weights and inputs, of a network with fixed weights."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, TIME, WIDTH])
        with tf.variable_scope('net', initializer=weights()):
            outputs, state = loop(make_cell(), x, **settings)
        flat = tf.contrib.framework.nest.flatten(state)
        loss = tf.reduce_sum(outputs ** 2) + tf.add_n([tf.reduce_sum(s ** 3) for s in flat])
        variables = sorted(tf.trainable_variables(), key=lambda v: v.name)
        gradients = tf.gradients(loss, [*variables, x])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run([outputs, flat, gradients], {x: inputs()})


def close(got, wanted):
    flatten = tf.contrib.framework.nest.flatten
    for a, b in zip(flatten(got), flatten(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize('name', CELLS)
@pytest.mark.parametrize('lengths', [None, LENGTHS], ids=['whole', 'lengths'])
def test_dynamic_equals_static(name, lengths):
    """Outputs, states and gradients, with and without lengths."""
    close(evaluated(dynamic, CELLS[name], sequence_length=lengths),
          evaluated(static, CELLS[name], sequence_length=lengths))


@pytest.mark.parametrize('loop', [static, dynamic])
def test_a_row_past_its_end_gives_zeros_and_keeps_its_state(loop):
    outputs, state, _ = evaluated(loop, CELLS['gru'], sequence_length=LENGTHS)
    for row, length in enumerate(LENGTHS):
        assert not outputs[row, length:].any()
        assert outputs[row, :length].all()
        np.testing.assert_array_equal(state[0][row], outputs[row, length - 1])


def test_a_row_does_not_see_what_comes_after_its_end():
    x = tf.placeholder(tf.float32, [None, TIME, WIDTH])
    outputs, _ = dynamic(CELLS['gru'](), x, sequence_length=LENGTHS)
    first = inputs()
    second = first.copy()
    for row, length in enumerate(LENGTHS):
        second[row, length:] = 99
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(outputs, {x: first}),
                                      session.run(outputs, {x: second}))


def test_the_number_of_steps_may_differ_from_run_to_run():
    x = tf.placeholder(tf.float32, [None, None, WIDTH])
    outputs, state = dynamic(CELLS['gru'](), x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        whole = session.run(outputs, {x: inputs()})
        part, last = session.run([outputs, state], {x: inputs()[:2, :3]})
    np.testing.assert_allclose(part, whole[:2, :3], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last, part[:, -1])


def test_time_major():
    def swapped(cell, x, **settings):
        outputs, state = dynamic(cell, tf.transpose(x, [1, 0, 2]), time_major=True, **settings)
        return tf.transpose(outputs, [1, 0, 2]), state
    close(evaluated(swapped, CELLS['lstm'], sequence_length=LENGTHS),
          evaluated(dynamic, CELLS['lstm'], sequence_length=LENGTHS))


def bidirectional(**settings):
    def loop(cell, x):
        cells = [tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.GRUCell(2)]
        outputs, states = tf.nn.bidirectional_dynamic_rnn(*cells, x, dtype=tf.float32, **settings)
        return tf.concat(outputs, 2), states
    return loop


def static_bidirectional(**settings):
    def loop(cell, x):
        cells = [tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.GRUCell(2)]
        outputs, *states = tf.nn.static_bidirectional_rnn(*cells, tf.unstack(x, axis=1),
                                                          dtype=tf.float32, **settings)
        return tf.stack(outputs, 1), states
    return loop


@pytest.mark.slow
@pytest.mark.parametrize('lengths', [None, LENGTHS], ids=['whole', 'lengths'])
def test_bidirectional_dynamic_equals_static(lengths):
    close(evaluated(bidirectional(sequence_length=lengths), lambda: None),
          evaluated(static_bidirectional(sequence_length=lengths), lambda: None))


def test_raw_rnn_matches_dynamic_rnn():
    def raw(cell, x):
        array = tf.TensorArray(tf.float32, TIME).unstack(tf.transpose(x, [1, 0, 2]))
        rows = tf.shape(x)[0]

        def loop_fn(time, output, state, loop_state):
            state = cell.zero_state(rows, tf.float32) if output is None else state
            finished = time >= LENGTHS
            value = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([rows, WIDTH]),
                            lambda: array.read(time))
            value.set_shape([BATCH, WIDTH])
            return finished, value, state, output, None

        emitted, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
        assert loop_state is None
        return tf.transpose(emitted.stack(), [1, 0, 2]), state

    close(evaluated(raw, CELLS['gru'])[:2],
          evaluated(dynamic, CELLS['gru'], sequence_length=LENGTHS)[:2])


def test_lstm_blocks_equal_the_cell():
    """LSTMBlockCell and LSTMBlockFusedCell have the weights and values of LSTMCell."""
    rnn = tf.contrib.rnn

    def fused(cell, x):
        outputs, state = cell(tf.transpose(x, [1, 0, 2]), dtype=tf.float32)
        return tf.transpose(outputs, [1, 0, 2]), state

    wanted = evaluated(static, lambda: rnn.LSTMCell(UNITS))
    close(evaluated(static, lambda: rnn.LSTMBlockCell(UNITS)), wanted)
    close(evaluated(fused, lambda: rnn.LSTMBlockFusedCell(UNITS)), wanted)


def test_peepholes_of_blocks_have_the_gradients_of_the_cell():
    rnn = tf.contrib.rnn

    def fused(cell, x):
        outputs, state = cell(tf.transpose(x, [1, 0, 2]), dtype=tf.float32)
        return tf.transpose(outputs, [1, 0, 2]), state

    close(evaluated(fused, lambda: rnn.LSTMBlockFusedCell(UNITS, use_peephole=True)),
          evaluated(static, lambda: rnn.LSTMBlockCell(UNITS, use_peephole=True)))


def test_weights_are_shared_by_all_steps_and_names_are_tensorflows():
    x = tf.placeholder(tf.float32, [None, TIME, WIDTH])
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(UNITS),
                                        tf.nn.rnn_cell.GRUCell(2)])
    dynamic(cell, x)
    assert [v.name for v in cell.trainable_weights] == [v.name for v in tf.trainable_variables()] \
        == ['rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel:0',
            'rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias:0',
            'rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel:0',
            'rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias:0',
            'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel:0',
            'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias:0']


def test_a_second_network_needs_a_scope_of_its_own():
    x = tf.placeholder(tf.float32, [None, TIME, WIDTH])
    dynamic(CELLS['gru'](), x)
    with pytest.raises(ValueError, match='already exists'):
        dynamic(CELLS['gru'](), x)
    dynamic(CELLS['gru'](), x, scope='second')
    assert len(tf.trainable_variables()) == 8


def test_state_is_a_tuple_that_can_be_fed():
    cell = CELLS['basic_lstm']()
    state = cell.zero_state(BATCH, tf.float32)
    assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple)
    assert state.c.shape.as_list() == [BATCH, UNITS]
    outputs, last = tf.nn.dynamic_rnn(cell, tf.constant(inputs()), initial_state=state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(last)
        again = session.run(outputs, {state: value})
        assert not np.allclose(again, session.run(outputs))


def test_dropout_wrapper_drops_other_units_in_each_step_unless_variational():
    def kept(**settings):
        with tf.Graph().as_default():
            tf.set_random_seed(1)           # a seed of the wrapper would be that of every step
            cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicRNNCell(50),
                                                 output_keep_prob=0.5, **settings)
            outputs, _ = static(cell, tf.constant(inputs()))
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                return session.run(outputs) != 0
    each = kept()
    assert 0.3 < each.mean() < 0.7 and (each[:, 0] != each[:, 1]).any()
    same = kept(variational_recurrent=True, dtype=tf.float32)
    assert 0.3 < same.mean() < 0.7 and (same == same[:1, :1]).all()


def error_of(kind, function):
    with pytest.raises(kind) as found:
        function()
    return str(found.value)


def test_errors_have_hints():
    """The error says what is wrong and what to do."""
    cell = CELLS['gru']()
    assert 'dtype=tf.float32' in error_of(
        ValueError, lambda: tf.nn.dynamic_rnn(cell, tf.zeros([2, 3, 4])))
    assert 'tf.unstack' in error_of(
        TypeError, lambda: tf.nn.static_rnn(cell, tf.zeros([2, 3, 4]), dtype=tf.float32))
    assert 'must not be empty' in error_of(
        ValueError, lambda: tf.nn.static_rnn(cell, [], dtype=tf.float32))
    assert 'x.set_shape' in error_of(
        ValueError, lambda: dynamic(cell, tf.placeholder(tf.float32, [None, None, None])))
    assert 'one length for each row' in error_of(
        ValueError, lambda: dynamic(cell, tf.zeros([2, 3, 4]), sequence_length=[[1], [2]]))
    assert "'output_size' property is missing" in error_of(
        TypeError, lambda: dynamic(tf.layers.Dense(3), tf.zeros([2, 3, 4])))
    assert 'embedding_lookup' in error_of(
        ValueError, lambda: cell(tf.zeros([2, 4], tf.int32), tf.zeros([2, UNITS])))
    assert 'between 0 and 1' in error_of(
        ValueError, lambda: tf.nn.rnn_cell.DropoutWrapper(cell, 1.5))
    assert 'at least one cell' in error_of(ValueError, lambda: tf.nn.rnn_cell.MultiRNNCell([]))


def test_wrong_number_of_lengths_fails_at_run_time():
    x, lengths = tf.placeholder(tf.float32, [None, TIME, WIDTH]), tf.placeholder(tf.int32, [None])
    outputs, _ = dynamic(CELLS['gru'](), x, sequence_length=lengths)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match='Expected shape for Tensor'):
            session.run(outputs, {x: inputs(), lengths: [1, 2]})


def test_cells_that_are_not_implemented_raise():
    with pytest.raises(AttributeError, match='not implemented by tinyflow; use'):
        tf.contrib.rnn.TimeFreqLSTMCell                         # noqa: B018
    with pytest.raises(AttributeError, match='nearest: tf.contrib.rnn.BasicLSTMCell'):
        tf.contrib.rnn.BasicLstmCell                            # noqa: B018


class PassThroughCell(tf.nn.rnn_cell.RNNCell):
    """A cell of the user's own that says two states and takes whatever it is given."""

    state_size = (4, 4)
    output_size = 4

    def call(self, inputs, state):
        return inputs, state


def test_a_custom_cell_takes_any_state():
    """As in TF1: what a state must be is between the cell and who calls it."""
    x, start = tf.zeros([3, 5, 4]), tf.zeros([3, 7])
    outputs, state = tf.nn.dynamic_rnn(PassThroughCell(), x, initial_state=start)
    assert outputs.shape == (3, 5, 4) and state.shape == (3, 7)
    cell = tf.nn.rnn_cell.DropoutWrapper(PassThroughCell())
    _, state = tf.nn.dynamic_rnn(cell, x, initial_state=start)
    assert state.shape == (3, 7)


def test_one_cell_twice_in_a_stack_gives_a_warning(caplog):
    cell = tf.nn.rnn_cell.GRUCell(8)
    tf.nn.rnn_cell.MultiRNNCell([cell, cell])
    assert 'share their weights' in caplog.text
    caplog.clear()
    tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(8) for _ in range(2)])
    assert not caplog.text
