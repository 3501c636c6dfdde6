"""tf.contrib.layers and arg_scope: what the golden programs contrib_* do not show."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')
layers = tf.contrib.layers
framework = tf.contrib.framework


def placeholder(*shape):
    return tf.placeholder(tf.float32, list(shape))


def test_variables_are_called_weights_and_biases():
    layers.fully_connected(placeholder(None, 4), 3)
    layers.conv2d(placeholder(None, 5, 5, 1), 3, 3, normalizer_fn=layers.batch_norm)
    assert [v.name for v in tf.model_variables()] == [
        'fully_connected/weights:0', 'fully_connected/biases:0', 'Conv/weights:0',
        'Conv/BatchNorm/beta:0', 'Conv/BatchNorm/moving_mean:0',
        'Conv/BatchNorm/moving_variance:0']
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2


@pytest.mark.parametrize(('uniform', 'mode', 'wanted'), [
    (True, 'FAN_IN', 2 / 300), (False, 'FAN_IN', 1.3 * 2 / 300 * 0.7737413),
    (True, 'FAN_OUT', 2 / 100), (True, 'FAN_AVG', 2 / 200)])
def test_variance_of_initial_weights(session, uniform, mode, wanted):
    """A normal cut at two standard deviations keeps 0.774 of the variance."""
    weights = layers.variance_scaling_initializer(mode=mode, uniform=uniform, seed=3)([300, 100])
    np.testing.assert_allclose(session.run(weights).var(), wanted, rtol=0.03)


def test_regularizers(session):
    w = tf.constant([[1., -2.], [3., 0.]])
    losses = [layers.l1_regularizer(.5)(w), layers.l2_regularizer(.5)(w),
              layers.l1_l2_regularizer(.5, .25)(w),
              layers.apply_regularization(layers.l1_regularizer(1.), [w, w])]
    np.testing.assert_allclose(session.run(losses), [3., 3.5, 3. + 1.75, 12.])
    assert tf.losses.get_regularization_losses() == losses[-1:]
    assert layers.l1_regularizer(0.)(w) is None and layers.sum_regularizer([None]) is None


def test_norms_against_numpy(session):
    x = np.random.default_rng(0).normal(size=[2, 3, 4, 6]).astype(np.float32)

    def normalized(values, axes):
        centered = values - values.mean(axes, keepdims=True)
        return centered / np.sqrt((centered ** 2).mean(axes, keepdims=True) + 1e-6)
    outputs = [layers.layer_norm(x), layers.instance_norm(x), layers.group_norm(x, groups=3),
               layers.unit_norm(tf.constant(x), 3)]
    session.run(tf.global_variables_initializer())
    layer, instance, group, unit = session.run(outputs)
    np.testing.assert_allclose(layer, normalized(x, (1, 2, 3)), atol=1e-4)
    np.testing.assert_allclose(instance, normalized(x, (1, 2)), atol=1e-4)
    np.testing.assert_allclose(
        group, normalized(x.reshape(2, 3, 4, 3, 2), (1, 2, 4)).reshape(x.shape), atol=1e-4)
    np.testing.assert_allclose(unit, x / np.sqrt((x ** 2).sum(3, keepdims=True)), atol=1e-5)


def test_batch_norm_with_and_without_a_collection(session):
    """With updates_collections=None the output itself moves the averages."""
    x = placeholder(None, 2, 2, 3)
    own = layers.batch_norm(x, decay=.5, updates_collections='mine', scope='own')
    forced = layers.batch_norm(x, decay=.5, updates_collections=None, scope='forced')
    assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    values = np.arange(24.).reshape(2, 2, 2, 3)
    session.run(tf.global_variables_initializer())
    session.run([own, forced], {x: values})
    means = session.run(['own/moving_mean:0', 'forced/moving_mean:0'])
    np.testing.assert_allclose(means, [[0, 0, 0], values.mean((0, 1, 2)) / 2], rtol=1e-6)
    session.run(tf.get_collection('mine'), {x: values})
    np.testing.assert_allclose(session.run('own/moving_mean:0'), values.mean((0, 1, 2)) / 2)


def test_optimize_loss_runs_update_ops_first(session):
    w = tf.get_variable('w', [], initializer=tf.ones_initializer())
    seen = tf.get_variable('seen', [], initializer=tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(seen, 1.))
    step = layers.optimize_loss(w * w, tf.train.get_or_create_global_step(), 0.25,
                                lambda rate: tf.train.GradientDescentOptimizer(rate),
                                clip_gradients=lambda pairs: pairs, summaries=[])
    session.run(tf.global_variables_initializer())
    assert session.run(step) == 1.
    assert session.run([w, seen, tf.train.get_global_step()]) == [.5, 1., 1]


def test_embed_sequence_gives_sparse_gradients():
    ids = tf.constant([[1, 2], [1, 3]])
    loss = tf.reduce_sum(layers.embed_sequence(ids, 100, 4))
    gradient, = tf.gradients(loss, tf.trainable_variables())
    assert isinstance(gradient, tf.IndexedSlices)


def test_stack_and_repeat_name_their_layers():
    x = placeholder(None, 4)
    layers.stack(x, layers.fully_connected, [(3, tf.nn.tanh), 2], scope='fc')
    layers.repeat(x, 2, layers.fully_connected, 4)
    assert [v.op.name for v in tf.trainable_variables()[::2]] == [
        'fc/fc_1/weights', 'fc/fc_2/weights', 'Repeat/fully_connected_1/weights',
        'Repeat/fully_connected_2/weights']


def test_arg_scope_sets_defaults_and_can_be_opened_again():
    with framework.arg_scope([layers.conv2d], padding='VALID') as scope, \
            framework.arg_scope([layers.conv2d], stride=2):
        assert layers.conv2d(placeholder(1, 5, 5, 1), 1, 3).shape.as_list() == [1, 2, 2, 1]
        assert layers.conv2d(placeholder(1, 5, 5, 1), 1, 3, stride=1).shape.as_list() == [
            1, 3, 3, 1]
    assert layers.conv2d(placeholder(1, 5, 5, 1), 1, 3).shape.as_list() == [1, 5, 5, 1]
    with framework.arg_scope(scope):
        assert layers.conv2d(placeholder(1, 5, 5, 1), 1, 3).shape.as_list() == [1, 3, 3, 1]


def test_arg_scope_of_ones_own_functions():
    @framework.add_arg_scope
    def area(width, height=1, *, unit=1):
        return width * height * unit

    assert framework.has_arg_scope(area) and not framework.has_arg_scope(print)
    assert framework.arg_scoped_arguments(area) == ('height', 'unit')
    with framework.arg_scope([area], height=3):
        assert area(2) == 6 and area(2, height=5) == 10
        assert list(framework.current_arg_scope().values()) == [{'height': 3}]
    assert area(2) == 2
    with pytest.raises(ValueError, match='not decorated'), framework.arg_scope([print], x=1):
        pass
    with pytest.raises(TypeError, match='list/tuple or reused scope'), framework.arg_scope(3):
        pass
    with pytest.raises(ValueError, match='kwargs must be empty'), framework.arg_scope({}, x=1):
        pass


@pytest.mark.parametrize(('make', 'kind', 'words'), [
    (lambda: layers.fully_connected(placeholder(None, 3), 2.5), ValueError, 'num_outputs type'),
    (lambda: layers.conv2d(placeholder(None, 3), 2, 3), ValueError, 'rank 4, got 2'),
    (lambda: layers.conv2d(placeholder(None, 3, 3, 1), 2, 3, data_format='X'), ValueError,
     'Invalid data_format'),
    (lambda: layers.l2_regularizer(1), ValueError, 'cannot be an integer'),
    (lambda: layers.l1_regularizer(-1.), ValueError, 'less than 0'),
    (lambda: layers.variance_scaling_initializer(mode='x'), TypeError, 'Unknown mode'),
    (lambda: layers.batch_norm(placeholder(None, None)), ValueError, 'must be known'),
    (lambda: layers.group_norm(placeholder(None, 3, 4, 5), 2), ValueError, 'not commensurate'),
    (lambda: layers.embed_sequence(tf.constant([1])), ValueError, 'vocab size'),
    (lambda: layers.optimize_loss(tf.constant(1.), None, .1, 'Foo'), ValueError,
     'should be one of .*SGD'),
    (lambda: layers.optimize_loss(tf.constant(1.), None, 1, 'SGD'), ValueError, '0d Tensor'),
    (lambda: layers.bow_encoder(tf.constant([[1]]), 3, 2), NotImplementedError, 'sparse_lookup'),
])
def test_refusals(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_slim_is_made_of_the_same_functions():
    slim = tf.contrib.slim
    assert slim.conv2d is layers.conv2d and slim.arg_scope is framework.arg_scope
    with slim.arg_scope([slim.fully_connected], activation_fn=None,
                        weights_regularizer=slim.l2_regularizer(.1)):
        y = slim.fully_connected(placeholder(None, 3), 2, scope='own')
    assert y.op.type == 'BiasAdd' and len(slim.losses.get_regularization_losses()) == 1
    assert [v.op.name for v in slim.get_model_variables()] == ['own/weights', 'own/biases']
    with pytest.raises(AttributeError, match='slim.evaluation is not part .*tf.metrics'):
        _ = slim.evaluation


def test_contrib_metrics_take_predictions_first(session):
    value, update = tf.contrib.metrics.streaming_accuracy([1, 2, 3], [1, 2, 4], name='acc')
    assert value.op.name == 'acc/value'
    session.run(tf.local_variables_initializer())
    np.testing.assert_allclose(session.run(update), 2 / 3, rtol=1e-6)
    with pytest.raises(TypeError, match='missing a required argument'):
        tf.contrib.metrics.streaming_precision(labels=[True])
    with pytest.raises(ValueError, match='at least one'):
        tf.contrib.metrics.aggregate_metrics()
