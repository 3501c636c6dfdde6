"""tf.contrib.rnn: cells of other kinds, blocks, and stacks of bidirectional layers."""
from .registry import functional, program, run


def _steps(tf):
    x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
    return x, tf.unstack(x, axis=1)


def _runs(tf, np, x, outputs, state):
    outputs = outputs if isinstance(outputs, list) else [outputs]
    loss = tf.add_n([tf.reduce_sum(o * o) for o in outputs])
    gradients = tf.gradients(loss, tf.trainable_variables() + [x])
    return [run(tf.global_variables_initializer()),
            run([outputs, state, gradients], {x: np.random.RandomState(0).randn(2, 3, 4)})]


def _static(tf, np, make):
    tf.set_random_seed(7)
    x, steps = _steps(tf)
    outputs, state = tf.contrib.rnn.static_rnn(make(tf.contrib.rnn), steps, dtype=tf.float32)
    return _runs(tf, np, x, outputs, state)


@program
def rnn_lstm_block(tf, np):
    return _static(tf, np, lambda rnn: rnn.LSTMBlockCell(5))


@program
def rnn_lstm_block_with_peepholes(tf, np):
    return _static(tf, np, lambda rnn: rnn.LSTMBlockCell(5, 0.5, 0.3, use_peephole=True))


@program
def rnn_gru_block(tf, np):
    return _static(tf, np, lambda rnn: rnn.GRUBlockCell(5))


@program
def rnn_gru_block_v2(tf, np):
    return _static(tf, np, lambda rnn: rnn.GRUBlockCellV2(num_units=5))


@program
def rnn_layer_norm(tf, np):
    return _static(tf, np, lambda rnn: rnn.LayerNormBasicLSTMCell(
        5, dropout_keep_prob=0.5, dropout_prob_seed=3))


@program
def rnn_layer_norm_off(tf, np):
    return _static(tf, np, lambda rnn: rnn.LayerNormBasicLSTMCell(5, layer_norm=False))


@program
def rnn_attention_cell(tf, np):
    return _static(tf, np, lambda rnn: rnn.AttentionCellWrapper(
        rnn.BasicLSTMCell(5), 2, attn_size=3, attn_vec_size=6))


@program
def rnn_highway(tf, np):
    return _static(tf, np, lambda rnn: rnn.HighwayWrapper(rnn.GRUCell(4), False))


@program
def rnn_coupled_gates(tf, np):
    return _static(tf, np, lambda rnn: rnn.CoupledInputForgetGateLSTMCell(
        5, use_peepholes=True, num_proj=3, proj_clip=0.5))


@program
def rnn_update_gate(tf, np):
    return _static(tf, np, lambda rnn: rnn.UGRNNCell(
        5, initializer=tf.random_uniform_initializer(-1, 1, seed=2)))


@program
def rnn_nas(tf, np):
    return _static(tf, np, lambda rnn: rnn.NASCell(5, num_proj=3, use_bias=True))


@program
def rnn_intersection(tf, np):
    return _static(tf, np, lambda rnn: rnn.IntersectionRNNCell(5, num_in_proj=5))


@program
def rnn_simple_recurrent_unit(tf, np):
    return _static(tf, np, lambda rnn: rnn.SRUCell(4))


@program
def rnn_independent(tf, np):
    return _static(tf, np, lambda rnn: rnn.IndRNNCell(5))


@program
def rnn_independent_gru(tf, np):
    return _static(tf, np, lambda rnn: rnn.IndyGRUCell(5))


@program
def rnn_independent_lstm(tf, np):
    return _static(tf, np, lambda rnn: rnn.IndyLSTMCell(5))


@program
def rnn_groups(tf, np):
    return _static(tf, np, lambda rnn: rnn.GLSTMCell(6, num_proj=4, number_of_groups=2))


@program
def rnn_input_projection(tf, np):
    return _static(tf, np, lambda rnn: rnn.InputProjectionWrapper(rnn.GRUCell(5), 3,
                                                                  activation=tf.nn.relu))


@program
def rnn_output_projection(tf, np):
    return _static(tf, np, lambda rnn: rnn.OutputProjectionWrapper(rnn.GRUCell(5), 3))


@program
def rnn_phased(tf, np):
    tf.set_random_seed(7)
    x, steps = _steps(tf)
    timed = [(tf.fill([2, 1], float(i)), step) for i, step in enumerate(steps)]
    outputs, state = tf.contrib.rnn.static_rnn(
        tf.contrib.rnn.PhasedLSTMCell(5, use_peepholes=True), timed, dtype=tf.float32)
    return _runs(tf, np, x, outputs, state)


@program
def rnn_convolutional(tf, np):
    tf.set_random_seed(7)
    x, _ = _steps(tf)
    steps = tf.unstack(tf.reshape(x, [2, 3, 2, 2, 1]), axis=1)
    cell = tf.contrib.rnn.Conv2DLSTMCell(input_shape=[2, 2, 1], output_channels=2,
                                         kernel_shape=[3, 3])
    outputs, state = tf.contrib.rnn.static_rnn(cell, steps, dtype=tf.float32)
    return _runs(tf, np, x, outputs, state)


@program
def rnn_fused_lstm(tf, np):
    tf.set_random_seed(7)
    x, _ = _steps(tf)
    outputs, state = tf.contrib.rnn.LSTMBlockFusedCell(5, use_peephole=True)(
        tf.transpose(x, [1, 0, 2]), dtype=tf.float32)
    return _runs(tf, np, x, outputs, state)


@program
def rnn_fused_lstm_with_lengths(tf, np):
    tf.set_random_seed(7)
    x, _ = _steps(tf)
    outputs, state = tf.contrib.rnn.LSTMBlockFusedCell(5)(
        tf.transpose(x, [1, 0, 2]), dtype=tf.float32,
        sequence_length=tf.placeholder_with_default(np.array([1, 3], np.int32), [2]))
    return _runs(tf, np, x, outputs, state)


@program
def rnn_fused_in_reverse(tf, np):
    tf.set_random_seed(7)
    x, _ = _steps(tf)
    rnn = tf.contrib.rnn
    outputs, state = rnn.TimeReversedFusedRNN(rnn.FusedRNNCellAdaptor(rnn.GRUCell(5)))(
        tf.transpose(x, [1, 0, 2]), dtype=tf.float32)
    return _runs(tf, np, x, outputs, state)


@program
def rnn_stacked_bidirectional(tf, np):
    tf.set_random_seed(7)
    x, steps = _steps(tf)
    rnn = tf.contrib.rnn
    outputs, forward, backward = rnn.stack_bidirectional_rnn(
        [rnn.GRUCell(5), rnn.GRUCell(2)], [rnn.GRUCell(5), rnn.GRUCell(2)], steps,
        dtype=tf.float32)
    return _runs(tf, np, x, outputs, [forward, backward])


@functional
def rnn_stacked_bidirectional_dynamic(tf, np):
    x, _ = _steps(tf)
    rnn = tf.contrib.rnn
    with tf.variable_scope('', initializer=tf.constant_initializer(0.25)):
        cells = [rnn.GRUCell(3), rnn.GRUCell(2), rnn.GRUCell(3), rnn.GRUCell(2)]
        for cell, size, scope in zip(cells, (4, 6, 4, 6), 'abcd'):
            with tf.variable_scope(scope):
                cell.build(tf.TensorShape([None, size]))
        outputs, forward, backward = rnn.stack_bidirectional_dynamic_rnn(
            cells[:2], cells[2:], x, dtype=tf.float32)
    return [run(tf.global_variables_initializer()),
            run([outputs, list(forward), list(backward)],
                {x: np.random.RandomState(0).randn(2, 3, 4)})]
