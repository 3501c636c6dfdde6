"""Recurrent networks: cells, wrappers, static and dynamic loops over time."""
from .registry import functional, program, run


def _inputs(tf, batch=None):
    x = tf.placeholder(tf.float32, [batch, 3, 4], name='x')
    return x, tf.unstack(x, axis=1)


def _feed(np, x):
    return {x: np.random.RandomState(0).randn(2, 3, 4)}


def _runs(tf, np, x, outputs, state):
    """Initializer, then outputs, state and gradients of the sum of squares."""
    flat = outputs if isinstance(outputs, list) else [outputs]
    loss = tf.add_n([tf.reduce_sum(o * o) for o in flat])
    gradients = tf.gradients(loss, tf.trainable_variables())
    return [run(tf.global_variables_initializer()),
            run([outputs, state, gradients], _feed(np, x))]


def _static(tf, np, cell, **settings):
    x, steps = _inputs(tf)
    outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32, **settings)
    return _runs(tf, np, x, outputs, state)


def _uniform(tf):
    return tf.random_uniform_initializer(-1, 1, seed=2)


@program
def rnn_basic(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.BasicRNNCell(5))


@program
def rnn_basic_lstm(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.BasicLSTMCell(5))


@program
def rnn_basic_lstm_with_flat_state(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.BasicLSTMCell(5, 0.5, state_is_tuple=False,
                                                        activation=tf.nn.relu))


@program
def rnn_lstm(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.LSTMCell(5))


@program
def rnn_lstm_with_peepholes_and_projection(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.LSTMCell(
        5, use_peepholes=True, num_proj=3, cell_clip=0.5, proj_clip=0.2, initializer=_uniform(tf)))


@program
def rnn_lstm_with_flat_state_and_name(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.LSTMCell(5, num_proj=3, state_is_tuple=False,
                                                   name='memory'))


@program
def rnn_gru(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.GRUCell(5, bias_initializer=tf.ones_initializer()))


@program
def rnn_stack(tf, np):
    tf.set_random_seed(7)
    cells = [tf.nn.rnn_cell.BasicLSTMCell(5), tf.nn.rnn_cell.GRUCell(3)]
    return _static(tf, np, tf.nn.rnn_cell.MultiRNNCell(cells))


@program
def rnn_stack_with_flat_state(tf, np):
    tf.set_random_seed(7)
    cells = [tf.nn.rnn_cell.GRUCell(5), tf.nn.rnn_cell.BasicRNNCell(3)]
    return _static(tf, np, tf.nn.rnn_cell.MultiRNNCell(cells, state_is_tuple=False))


@program
def rnn_dropout(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(5), input_keep_prob=0.5, output_keep_prob=0.7,
        state_keep_prob=0.8, seed=3))


@program
def rnn_dropout_by_a_tensor(tf, np):
    tf.set_random_seed(7)
    keep = tf.placeholder_with_default(0.5, [])
    return _static(tf, np, tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(5),
                                                         output_keep_prob=keep))


@program
def rnn_variational_dropout(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(5), 0.5, 0.7, 0.8, variational_recurrent=True, input_size=4,
        dtype=tf.float32, seed=3))


@program
def rnn_stack_with_dropout(tf, np):
    tf.set_random_seed(7)
    cells = [tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(5), output_keep_prob=0.5)
             for _ in range(2)]
    return _static(tf, np, tf.nn.rnn_cell.MultiRNNCell(cells))


@program
def rnn_residual(tf, np):
    tf.set_random_seed(7)
    return _static(tf, np, tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(4)))


@program
def rnn_scopes_and_reuse(tf, np):
    tf.set_random_seed(7)
    x, steps = _inputs(tf)
    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    outputs, state = tf.nn.static_rnn(cell, steps, initial_state=cell.zero_state(2, tf.float32),
                                      scope='mine')
    again, _ = cell(steps[0], state)
    with tf.variable_scope('other'):
        others, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), steps, dtype=tf.float32)
    return _runs(tf, np, x, outputs + [again] + others, state)


@program
def rnn_bidirectional(tf, np):
    tf.set_random_seed(7)
    x, steps = _inputs(tf)
    outputs, forward, backward = tf.nn.static_bidirectional_rnn(
        tf.nn.rnn_cell.BasicLSTMCell(5), tf.nn.rnn_cell.GRUCell(5), steps, dtype=tf.float32)
    return _runs(tf, np, x, outputs, [forward, backward])


@program
def rnn_cell_of_a_program(tf, np):
    class Cell(tf.nn.rnn_cell.RNNCell):
        state_size = output_size = 4

        def call(self, inputs, state):
            w = tf.get_variable('w', [8, 4])
            output = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w))
            return output, output

    tf.set_random_seed(7)
    return _static(tf, np, Cell())


# In these the Variables are made before the loop: TF makes others, of resources, inside of one.

def _built(tf, cell, size=4, scope='rnn'):
    with tf.variable_scope(scope):
        cell.build(tf.TensorShape([None, size]))
    return cell


def _dynamic(tf, np, cell, **settings):
    x = tf.placeholder(tf.float32, [None, 3, 4], name='x')
    outputs, state = tf.nn.dynamic_rnn(_built(tf, cell), x, dtype=tf.float32, **settings)
    return _values(tf, np, x, outputs, state)


def _values(tf, np, x, outputs, state):
    return [run(tf.global_variables_initializer()), run([outputs, state], _feed(np, x))]


@functional
def rnn_dynamic(tf, np):
    tf.set_random_seed(7)
    return _dynamic(tf, np, tf.nn.rnn_cell.BasicRNNCell(5))


@functional
def rnn_dynamic_lstm(tf, np):
    tf.set_random_seed(7)
    return _dynamic(tf, np, tf.nn.rnn_cell.BasicLSTMCell(5))


@functional
def rnn_dynamic_with_lengths(tf, np):
    tf.set_random_seed(7)
    lengths = tf.placeholder_with_default(np.array([1, 2]), [None])
    return _dynamic(tf, np, tf.nn.rnn_cell.LSTMCell(5, use_peepholes=True),
                    sequence_length=lengths)


@functional
def rnn_dynamic_time_major(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [3, None, 4], name='x')
    cell = _built(tf, tf.nn.rnn_cell.GRUCell(5))
    outputs, state = tf.nn.dynamic_rnn(cell, x, initial_state=tf.ones([2, 5]), time_major=True,
                                       parallel_iterations=7, scope='mine')
    return [run(tf.global_variables_initializer()),
            run([outputs, state], {x: np.random.RandomState(0).randn(3, 2, 4)})]


@functional
def rnn_dynamic_bidirectional(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 3, 4], name='x')
    lengths = tf.placeholder_with_default(np.array([1, 3], np.int32), [None])
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        _built(tf, tf.nn.rnn_cell.BasicLSTMCell(5), scope='fw'),
        _built(tf, tf.nn.rnn_cell.GRUCell(5), scope='bw'), x, lengths, dtype=tf.float32)
    return _values(tf, np, x, tf.concat(outputs, 2), list(states))


@functional
def rnn_static_with_lengths(tf, np):
    tf.set_random_seed(7)
    x, steps = _inputs(tf)
    lengths = tf.placeholder_with_default(np.array([1, 2]), [None])
    cell = _built(tf, tf.nn.rnn_cell.BasicLSTMCell(5))
    outputs, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32, sequence_length=lengths)
    return _values(tf, np, x, outputs, state)


@functional
def rnn_static_bidirectional_with_lengths(tf, np):
    tf.set_random_seed(7)
    x, steps = _inputs(tf)
    outputs, forward, backward = tf.nn.static_bidirectional_rnn(
        _built(tf, tf.nn.rnn_cell.BasicLSTMCell(5), scope='fw'),
        _built(tf, tf.nn.rnn_cell.GRUCell(5), scope='bw'), steps, dtype=tf.float32,
        sequence_length=[1, 3])
    return _values(tf, np, x, outputs, [forward, backward])


@functional
def rnn_raw(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
    cell, lengths = _built(tf, tf.nn.rnn_cell.BasicLSTMCell(5)), tf.constant([1, 3])
    array = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(x, [1, 0, 2]))

    def loop_fn(time, output, state, loop_state):
        state = cell.zero_state(2, tf.float32) if output is None else state
        finished = time >= lengths
        value = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 4]),
                        lambda: array.read(time))
        value.set_shape([2, 4])
        return finished, value, state, output, None

    outputs, state, _ = tf.nn.raw_rnn(cell, loop_fn)
    return _values(tf, np, x, outputs.stack(), state)


# Where there are gradients, the loops and conditions hand more on, and TF does it in other ways.

@functional
def rnn_dynamic_gradients(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 3, 4], name='x')
    lengths = tf.placeholder_with_default(np.array([1, 2]), [None])
    cell = _built(tf, tf.nn.rnn_cell.LSTMCell(5, use_peepholes=True, num_proj=3))
    outputs, state = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    gradients = tf.gradients(tf.reduce_sum(outputs * outputs), tf.trainable_variables() + [x])
    return [run(tf.global_variables_initializer()),
            run([outputs, state, gradients], _feed(np, x))]


@functional
def rnn_dynamic_bidirectional_gradients(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 3, 4], name='x')
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        _built(tf, tf.nn.rnn_cell.BasicLSTMCell(5), scope='fw'),
        _built(tf, tf.nn.rnn_cell.GRUCell(5), scope='bw'), x, dtype=tf.float32)
    return _runs(tf, np, x, tf.concat(outputs, 2), list(states))


@functional
def rnn_raw_gradients(tf, np):
    runs = rnn_raw(tf, np)
    outputs, _ = runs[1][0]
    gradients = tf.gradients(tf.reduce_sum(outputs * outputs), tf.trainable_variables())
    return [runs[0], run([outputs, gradients], runs[1][1])]


# Built as TF does by default: the graph is another, the seeds (which count nodes) and so the
# numbers are the same.

@program
def rnn_dynamic_seeds(tf, np):
    tf.set_random_seed(7)
    # With an unknown batch, TF draws the steps' dropout in the order that its threads happen upon.
    x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
    cells = [tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(5), output_keep_prob=0.5)
             for _ in range(2)]
    outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), x, dtype=tf.float32)
    after = tf.get_variable('after', [5, 2])
    return _values(tf, np, x, [outputs, after], state)


@program
def rnn_dynamic_bidirectional_seeds(tf, np):
    tf.set_random_seed(8)
    x = tf.placeholder(tf.float32, [None, None, 4], name='x')
    lengths = tf.placeholder_with_default(np.array([1, 2]), [None])
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(5), tf.nn.rnn_cell.LSTMCell(5), x, lengths, dtype=tf.float32)
    return _values(tf, np, x, list(outputs), list(states))
