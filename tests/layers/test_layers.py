"""tf.layers: objects that keep weights, collections, errors; golden/programs/layers_* has the
graphs and numbers."""
from __future__ import annotations

import copy

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.layers.layer_names import snake_case

pytestmark = pytest.mark.usefixtures('graph')


def placeholder(*shape):
    return tf.placeholder(tf.float32, list(shape))


def test_names_of_layers_and_weights():
    x = placeholder(None, 4)
    first, second = tf.layers.Dense(3), tf.layers.Dense(3)
    assert (first.name, second.name, tf.layers.Dense(3, name='own').name) == (
        'dense_1', 'dense_2', 'own')
    assert first.dtype is None and first.graph is None
    assert first(x).name == 'dense/BiasAdd:0' and first(x).name == 'dense/BiasAdd_1:0'
    assert second(x).name == 'dense_1/BiasAdd:0'
    assert first.scope_name == 'dense' and first.dtype == 'float32'
    assert first.graph is tf.get_default_graph()
    assert [w.name for w in first.weights] == ['dense/kernel:0', 'dense/bias:0']


@pytest.mark.parametrize(('name', 'wanted'), [
    ('Dense', 'dense'), ('Conv2DTranspose', 'conv2d_transpose'), ('LSTMCell', 'lstm_cell'),
    ('BasicLSTMCell', 'basic_lstm_cell'), ('GRUBlockCellV2', 'gru_block_cell_v2'),
    ('_Private', 'private__private'), ('XYZ2a', 'xy_z2a'), ('Conv2DLSTM', 'conv2dlstm')])
def test_snake_case_as_in_tf(name, wanted):
    assert snake_case(name) == wanted


def test_weights_are_shared_between_calls(session):
    x = placeholder(None, 4)
    layer = tf.layers.Dense(2, kernel_initializer='ones')
    y = layer(layer(tf.concat([x, x], 1)[:, :4]) @ tf.ones([2, 4]))
    session.run(tf.global_variables_initializer())
    assert len(tf.global_variables()) == 2
    assert session.run(y, {x: np.ones([1, 4])}).tolist() == [[32., 32.]]


def test_counting_getting_and_setting_weights(session):
    layer = tf.layers.Dense(2, kernel_initializer='ones')
    y = layer(placeholder(None, 3))
    assert layer.count_params() == 8 and layer.output is y
    with session.as_default():
        session.run(tf.global_variables_initializer())
        layer.set_weights([np.full([3, 2], 2.), np.array([5., 6.])])
        kernel, bias = layer.get_weights()
    assert kernel.tolist() == [[2, 2]] * 3 and bias.tolist() == [5, 6]
    with pytest.raises(ValueError, match='weight list of length 1, but the layer was expecting 2'):
        layer.set_weights([kernel])
    with pytest.raises(ValueError, match='not compatible with provided weight shape'):
        layer.set_weights([kernel.T, bias])


def test_input_and_output_need_one_call():
    layer, x = tf.layers.Dense(2), placeholder(None, 3)
    with pytest.raises(AttributeError, match='not connected'):
        _ = layer.input
    layer(x)
    assert layer.input is x
    layer(x)
    with pytest.raises(AttributeError, match='was called 2 times'):
        _ = layer.output


def test_trainable_moves_weights():
    layer = tf.layers.Dense(2)
    layer(placeholder(None, 3))
    assert len(layer.trainable_variables) == 2 and not layer.non_trainable_variables
    layer.trainable = False
    assert not layer.trainable_weights and len(layer.non_trainable_weights) == 2
    frozen = tf.layers.Dense(2, trainable=False)
    frozen(placeholder(None, 3))
    assert not frozen.trainable_weights and len(tf.trainable_variables()) == 2


class _Counter(tf.layers.Layer):
    """Counts what it saw; its updates and losses depend on its inputs, or not."""

    def build(self, shape):
        self.seen = self.add_weight('seen', [], initializer=tf.zeros_initializer(),
                                    trainable=False)

    def call(self, inputs, training=False):
        self.was_training = training
        self.add_update(tf.assign_add(self.seen, tf.reduce_sum(inputs)))
        self.add_update(tf.assign_add(self.seen, 1.))
        self.add_loss(tf.reduce_sum(inputs), inputs=inputs)
        self.add_loss(lambda: tf.constant(3.))
        return inputs + 1.


def test_updates_and_losses_by_input():
    x, y, layer = placeholder(2), placeholder(2), _Counter()
    layer(x)
    layer(y)
    assert len(layer.updates) == 4 == len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    assert layer.get_updates_for(x) == layer.updates[:1]
    assert layer.get_updates_for(y) == layer.updates[2:3]
    assert layer.get_updates_for(None) == [layer.updates[1], layer.updates[3]]
    assert len(layer.losses) == 4 == len(tf.losses.get_regularization_losses())
    assert layer.get_losses_for(x) == [layer.losses[0]]
    assert len(layer.get_losses_for(None)) == 2
    layer.trainable = False
    assert layer.updates == []


def test_losses_are_made_once():
    """A loop that asks for losses does not make the graph grow, as it does in TF."""
    layer = tf.layers.Dense(2, kernel_regularizer='l2')
    layer(placeholder(None, 3))
    assert layer.losses == layer.losses == tf.losses.get_regularization_losses()


def test_training_is_handed_to_inner_layers():
    class Outer(tf.layers.Layer):
        def call(self, inputs, training=False):
            self.inner = _Counter()
            return self.inner(inputs)

    outer = Outer()
    outer(placeholder(2), training=True)
    assert outer.inner.was_training is True
    outer(placeholder(2))
    assert outer.inner.was_training is False


def test_copies_share_nodes_but_not_settings():
    layer = tf.layers.Dense(2, name='d')
    layer(placeholder(None, 3))
    twin = copy.deepcopy(layer)
    assert twin.kernel is layer.kernel and twin.weights == layer.weights
    twin.trainable = False
    assert layer.trainable


def test_layers_in_two_graphs_are_numbered_each():
    tf.layers.Dense(2)
    with tf.Graph().as_default():
        assert tf.layers.Dense(2).name == 'dense_1'


@pytest.mark.parametrize(('make', 'kind', 'words'), [
    (lambda: tf.layers.dense(placeholder(5), 3), ValueError, 'expected min_ndim=2, found ndim=1'),
    (lambda: tf.layers.dense(placeholder(None, None), 3), ValueError,
     r"last dimension.*\n  input: 'Placeholder:0'.*\n  Hint: the kernel has a row"),
    (lambda: tf.layers.dense(tf.placeholder(tf.int32, [None, 3]), 3), TypeError,
     r'non-floating point dtype[^|]*Hint: tf.cast'),
    (lambda: tf.layers.dense(None, 3), AttributeError, 'not a tensor'),
    (lambda: tf.layers.dense(placeholder(None, 3), 3, activation='rellu'), ValueError,
     r'Unknown activation function:rellu\n  known: .*relu'),
    (lambda: tf.layers.Dense(3, size=1), TypeError, r"not understood: 'size' \(Dense\)\.$"),
    (lambda: tf.layers.Dense(3, activaton=None), TypeError, "did you mean 'activation'"),
    (lambda: tf.layers.Layer().add_weight('w', (2,), initialiser=None), TypeError,
     "did you mean 'initializer'"),
    (lambda: tf.layers.conv2d(placeholder(None, 28, 28), 3, 3), ValueError,
     r'expected ndim=4, found ndim=3[^|]*tf.expand_dims'),
    (lambda: tf.layers.conv2d(placeholder(None, 9, 9, 1), 3, 3, data_format='NHWC'), ValueError,
     "'NHWC' is what tf.nn functions call it"),
    (lambda: tf.layers.conv2d(placeholder(None, 9, 9, 1), 3, [3]), ValueError,
     'must be a tuple of 2 integers'),
    (lambda: tf.layers.max_pooling2d(placeholder(None, 9, 9, 1), 2, 2, padding='some'),
     ValueError, 'Received: some'),
    (lambda: tf.layers.batch_normalization(placeholder(None, 3), axis=5), ValueError,
     'Invalid axis: 5'),
    (lambda: tf.layers.batch_normalization(placeholder(None, None)), ValueError, 'undefined'),
    (lambda: tf.layers.batch_normalization(placeholder(4, 3), virtual_batch_size=2),
     NotImplementedError, 'omit it'),
    (lambda: tf.layers.dropout(placeholder(4, 3), training='yes'), TypeError, '`pred` must be'),
])
def test_error_messages_with_hints(make, kind, words):
    with pytest.raises(kind, match=words) as caught:
        make()
    assert type(caught.value) is kind and caught.value.raised_by_tinyflow


def test_another_size_than_the_layer_was_built_for():
    layer = tf.layers.Dense(2)
    layer(placeholder(None, 3))
    with pytest.raises(ValueError, match=r'axis -1 .* value 3 .*\n.*\n  Hint: .* second layer'):
        layer(placeholder(None, 4))


def test_batch_norm_leaves_its_updates_in_update_ops(session):
    """The moving averages move just when UPDATE_OPS are run."""
    x = placeholder(None, 3)
    layer = tf.layers.BatchNormalization(momentum=0.5)
    y = layer(x, training=True)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert updates == layer.updates and len(updates) == 2
    values = np.arange(12.).reshape(4, 3)
    session.run(tf.global_variables_initializer())
    session.run(y, {x: values})
    assert session.run(layer.moving_mean).tolist() == [0, 0, 0]
    session.run(updates, {x: values})
    np.testing.assert_allclose(session.run(layer.moving_mean), values.mean(0) / 2)
    np.testing.assert_allclose(session.run(layer.moving_variance),
                               0.5 + values.var(0) / 2, rtol=1e-6)


def test_plain_batch_norm_by_a_placeholder(session):
    """A placeholder chooses; averages move while training only, and not by being looked at."""
    x, training = placeholder(None, 3), tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(x, training=training, momentum=0.5, epsilon=0.)
    values = np.arange(12., dtype=np.float32).reshape(4, 3)
    session.run(tf.global_variables_initializer())
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    trained = session.run(y, {x: values, training: True})
    np.testing.assert_allclose(trained, (values - values.mean(0)) / values.std(0), atol=1e-5)
    np.testing.assert_allclose(session.run(y, {x: values, training: False}), values)
    session.run(updates, {x: values, training: False})
    assert session.run('batch_normalization/moving_mean:0').tolist() == [0, 0, 0]
    session.run(updates, {x: values, training: True})
    np.testing.assert_allclose(session.run('batch_normalization/moving_mean:0'),
                               values.mean(0) / 2)
    mean, variance = values.mean(0) / 2, 0.5 + values.var(0) / 2
    np.testing.assert_allclose(session.run(y, {x: values, training: False}),
                               (values - mean) / np.sqrt(variance), rtol=1e-5)


def test_gradients_through_batch_norm(session):
    """Those of the plain and of the fused layer agree."""
    x = tf.placeholder(tf.float32, [4, 2, 3, 5])
    outputs = [tf.layers.batch_normalization(x, training=True, fused=fused)
               for fused in (True, False)]
    weights = np.random.default_rng(1).normal(size=[4, 2, 3, 5]).astype(np.float32)
    gradients = [tf.gradients(tf.reduce_sum(y * weights), x)[0] for y in outputs]
    session.run(tf.global_variables_initializer())
    fused, plain = session.run(gradients, {x: np.cos(np.arange(120.)).reshape(4, 2, 3, 5)})
    np.testing.assert_allclose(fused, plain, atol=2e-5)


def test_a_constraint_holds_after_each_step(session):
    x = placeholder(None, 2)
    layer = tf.layers.Dense(1, kernel_initializer='ones', use_bias=False,
                            kernel_constraint=lambda w: tf.clip_by_value(w, -.5, .5))
    step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(layer(x)))
    session.run(tf.global_variables_initializer())
    session.run(step, {x: [[1., 1.]]})
    assert session.run(layer.kernel).tolist() == [[.5], [.5]]


def test_dropout_drops_while_training_only(session):
    x, training = placeholder(None, 50), tf.placeholder_with_default(False, [])
    y = tf.layers.dropout(x, 0.4, training=training, seed=1)
    ones = np.ones([20, 50])
    assert (session.run(y, {x: ones}) == 1).all()
    dropped = session.run(y, {x: ones, training: True})
    assert 0.3 < (dropped == 0).mean() < 0.5
    np.testing.assert_allclose(dropped[dropped != 0], 1 / 0.6, rtol=1e-6)


@pytest.mark.parametrize('layer', [
    tf.layers.Dense(7), tf.layers.Flatten(), tf.layers.Dropout()])
def test_compute_output_shape(layer):
    x = placeholder(None, 3, 4)
    assert layer.compute_output_shape(x.shape).as_list() == layer(x).shape.as_list()


@pytest.mark.parametrize('padding', ['same', 'valid'])
@pytest.mark.parametrize('data_format', ['channels_last', 'channels_first'])
def test_compute_output_shape_of_image_layers(padding, data_format):
    x = placeholder(2, 8, 9, 8)
    settings = {'padding': padding, 'data_format': data_format}
    for layer in (tf.layers.Conv2D(3, 3, 2, **settings),
                  tf.layers.Conv2D(3, 2, dilation_rate=2, **settings),
                  tf.layers.SeparableConv2D(4, 3, **settings),
                  tf.layers.Conv2DTranspose(5, 3, (2, 1), **settings),
                  tf.layers.MaxPooling2D(3, 2, **settings)):
        assert layer.compute_output_shape(x.shape).as_list() == layer(x).shape.as_list()


def test_layers_inside_of_control_flow(session):
    x, p = placeholder(None, 4), tf.placeholder(tf.bool, [])
    layer = tf.layers.Dense(4, kernel_initializer=tf.constant_initializer(.5))
    layer.build([None, 4])
    chosen = tf.cond(p, lambda: layer(x) * 2., lambda: layer(x))
    _, looped = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, layer(h)), [0, x])
    gradient, = tf.gradients(looped, layer.kernel)
    session.run(tf.global_variables_initializer())
    ones = {x: np.ones([1, 4]), p: True}
    assert session.run(chosen, ones).tolist() == [[4.] * 4]
    assert session.run(looped, ones).tolist() == [[8.] * 4]
    assert session.run(gradient, ones).tolist() == [[12.] * 4] * 4


@pytest.mark.parametrize('training, size', [(True, 0), (False, 3)])
def test_shapes_of_batch_normalisations_gradient_are_those_tensorflow_declares(training, size):
    """TF 1.15 refuses to import a MetaGraph that says otherwise."""
    x = tf.placeholder(tf.float32, [None, 5, 5, 3])
    y = tf.layers.batch_normalization(x, training=training)
    op = tf.gradients(y, x)[0].op
    assert op.type == 'FusedBatchNormGradV3'
    assert [o.shape.as_list() for o in op.outputs[1:]] == [[3], [3], [size], [size]]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(list(op.outputs), {x: np.ones((2, 5, 5, 3))})
    assert [f.shape for f in found[1:]] == [(3,), (3,), (size,), (size,)]
