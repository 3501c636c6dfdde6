"""Recurrent layers with many options, run alike under TF 1.15 and tinyflow (Python 3.7)."""
import re

import numpy as np

from tests.golden.keras.layer_cases import node_count

SEQUENCE = (2, 4, 3)
IMAGES = (2, 3, 4, 5, 2)
SKIPPED = re.compile(r'cond|while|learning_phase')


def cases(keras):
    """(name, makes a layer, shape of the input with the batch, masked, number of states given)."""
    L = keras.layers
    found = []

    def add(name, make, shape=SEQUENCE, masked=False, states=0):
        found.append((name, make, shape, masked, states))

    kinds = [('simple', L.SimpleRNN, {}), ('lstm', L.LSTM, {}),
             ('lstm2', L.LSTM, {'implementation': 2}), ('gru', L.GRU, {}),
             ('gru2', L.GRU, {'implementation': 2}), ('gru_after', L.GRU, {'reset_after': True}),
             ('gru2_after', L.GRU, {'implementation': 2, 'reset_after': True})]
    options = [('', {}), ('_all', {'return_sequences': True, 'return_state': True}),
               ('_back', {'go_backwards': True, 'return_sequences': True}),
               ('_unroll', {'unroll': True}), ('_plain', {'use_bias': False,
                                                         'activation': 'relu'})]
    for kind, layer, own in kinds:
        count = 2 if kind.startswith('lstm') else 1
        for label, given in options:
            def make(layer=layer, own=own, given=given):
                return layer(3, **dict(own, **given))
            add(kind + label, make)
            if label in ('', '_all', '_back', '_unroll'):
                add(kind + label + '_masked', make, masked=True)
            if label in ('', '_all'):
                add(kind + label + '_states', make, states=count)
    add('lstm_closed', lambda: L.LSTM(3, unit_forget_bias=False, recurrent_activation='sigmoid',
                                      kernel_regularizer='l2', recurrent_constraint='max_norm'))
    add('rnn_major', lambda: L.RNN(L.GRUCell(3), time_major=True, return_sequences=True))
    add('rnn_zeros', lambda: L.RNN(L.GRUCell(3), return_sequences=True,
                                   zero_output_for_mask=True), masked=True)
    add('stacked', lambda: L.RNN([L.LSTMCell(3), L.GRUCell(2), L.SimpleRNNCell(4)]))
    add('stacked_all', lambda: L.RNN([L.GRUCell(3), L.SimpleRNNCell(2)], return_state=True,
                                     return_sequences=True), masked=True)
    add('peephole', lambda: L.RNN(keras.experimental.PeepholeLSTMCell(3)))
    add('peephole2', lambda: L.RNN(keras.experimental.PeepholeLSTMCell(3, implementation=2)))
    for mode in ('concat', 'sum', 'ave', 'mul', None):
        add('bi_%s' % mode, lambda mode=mode: L.Bidirectional(
            L.GRU(3, return_sequences=True), merge_mode=mode))
    add('bi_lstm', lambda: L.Bidirectional(L.LSTM(3)), masked=True)
    add('bi_all', lambda: L.Bidirectional(L.LSTM(3, return_sequences=True, return_state=True)),
        masked=True)
    add('bi_states', lambda: L.Bidirectional(L.LSTM(3)), states=4)
    add('bi_other', lambda: L.Bidirectional(L.LSTM(3), backward_layer=L.GRU(
        3, go_backwards=True)))
    add('conv', lambda: L.ConvLSTM2D(2, 3), IMAGES)
    add('conv_same', lambda: L.ConvLSTM2D(2, (2, 3), padding='same', return_sequences=True),
        IMAGES)
    add('conv_stride', lambda: L.ConvLSTM2D(2, 2, strides=2, use_bias=False, go_backwards=True),
        IMAGES)
    return found


def run(tf, make, shape, masked, states):
    """What a layer gives: nodes, names and shapes of weights, outputs, gradients, configuration."""
    tf.keras.backend.clear_session()
    tf.reset_default_graph()
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.keras.Input(batch_shape=(None,) + shape[1:])
        given = [tf.keras.Input((3,)) for _ in range(states)]
        layer = make()
        inner = tf.keras.layers.Masking()(x) if masked else x
        outputs = layer(inner, initial_state=given) if states else layer(inner)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        nodes = [[op.name, op.type] for op in graph.get_operations()
                 if not SKIPPED.search(op.name) and 'IsInitialized' not in op.name]
        count = node_count(tf, graph)
        total = sum(tf.reduce_sum(o * (i + 1.)) for i, o in enumerate(outputs))
        weights = layer.weights
        gradients = tf.gradients(total, [x] + given + weights)
        random = np.random.RandomState(7)
        feeds = {t: random.uniform(-1, 1, [shape[0]] + t.shape.as_list()[1:]).astype('float32')
                 for t in [x] + given}
        if masked:
            feeds[x][0, 2:] = 0.
            feeds[x][1, 0] = 0.
        values = [random.uniform(-.7, .7, w.shape.as_list()).astype('float32') for w in weights]
        session.run([w.initializer for w in weights])
        with session.as_default():
            layer.set_weights(values)
        out, grads = session.run([outputs, [tf.convert_to_tensor(g) for g in gradients]], feeds)
    return {'nodes': nodes, 'count': count, 'output': out, 'gradients': grads,
            'shapes': [o.shape.as_list() for o in outputs],
            'weights': [[w.name, w.shape.as_list()] for w in weights],
            'config': layer.get_config()}
