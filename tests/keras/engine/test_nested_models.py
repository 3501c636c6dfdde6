"""Models inside models: numbering of calls, updates, losses, metrics, names."""
import json

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers
K = keras.backend

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
BATCH = np.random.RandomState(0).rand(40, 6).astype('float32')

pytestmark = pytest.mark.usefixtures('new_graph')


def nested():
    q = keras.Input((3,), name='q')
    inner = keras.Model(q, layers.Dense(2, name='d')(q), name='inner')
    row = keras.Sequential([layers.Dense(4, name='e', input_shape=(3,))], name='row')
    x = keras.Input((3,), name='i')
    return keras.Model(x, layers.concatenate([inner(x), row(x)]), name='outer')


def test_calls_of_a_nested_model_are_numbered_from_1():
    model = nested()
    calls = model.get_config()['layers'][-1]['inbound_nodes']
    assert calls == [[['inner', 1, 0, {}], ['row', 1, 0, {}]]]
    inner = model.get_layer('inner')
    assert inner.get_output_at(0).name == 'd/BiasAdd:0'
    assert inner.get_output_at(1).name == 'inner/d/BiasAdd:0'
    assert inner.get_input_at(0).name == 'q:0'
    lines = []
    model.summary(print_fn=lines.append)
    assert any('inner[1][0]' in line for line in lines)
    assert keras.utils.get_source_inputs(inner.output) == inner.inputs


@pytest.mark.parametrize('first', [0, 1])
def test_a_nested_model_is_made_from_files_of_both_numberings(first):
    config = json.loads(nested().to_json())
    for call in config['config']['layers'][-1]['inbound_nodes'][0]:
        call[1] = first
    again = keras.models.model_from_json(json.dumps(config))
    again.set_weights([np.full(w.shape, .5) for w in again.get_weights()])
    np.testing.assert_allclose(again.predict(np.ones((1, 3))), np.full((1, 6), 2.))


def test_metrics_of_a_compiled_inner_model_are_not_reported():
    judge = keras.Sequential([layers.Dense(1, activation='sigmoid', input_dim=3)])
    judge.compile('sgd', 'binary_crossentropy', metrics=['accuracy'])
    judge.trainable = False
    z = keras.Input((2,))
    both = keras.Model(z, judge(layers.Dense(3)(z)))
    both.compile('sgd', 'binary_crossentropy')
    assert both.metrics_names == ['loss'] and both.metrics == []
    assert np.ndim(both.train_on_batch(np.ones((4, 2)), np.ones((4, 1)))) == 0
    assert len(judge.train_on_batch(X, Y)) == 2


def test_trainable_is_that_at_compile():
    """A GAN freezes its discriminator for the combined model, after it was compiled."""
    judge = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_dim=3)])
    judge.compile(keras.optimizers.SGD(.1), 'mse')
    judge.trainable = False
    z = keras.Input((3,))
    both = keras.Model(z, judge(layers.Dense(3, kernel_initializer='ones')(z)))
    both.compile(keras.optimizers.SGD(.1), 'mse')
    losses = [judge.train_on_batch(X, Y) for _ in range(2)]
    np.testing.assert_allclose(losses, [1.2712665, 0.5487740], rtol=1e-5)
    before = judge.get_weights()
    both.train_on_batch(X, Y)
    np.testing.assert_array_equal(judge.get_weights()[0], before[0])
    assert not judge.trainable and not judge.layers[0].trainable


def sequential_base():
    return keras.Sequential([layers.Dense(5, input_shape=(6,)), layers.BatchNormalization()])


def functional_base():
    inputs = keras.Input([6])
    return keras.Model(inputs, layers.BatchNormalization()(layers.Dense(5)(inputs)))


@pytest.mark.slow
@pytest.mark.parametrize('make', [sequential_base, functional_base])
def test_batch_normalization_in_a_nested_model_is_trained(make):
    """Only the updates of the outer call run; those of the base's own inputs are not fed."""
    base = make()
    model = keras.Sequential([base, layers.Dense(3, activation='softmax')])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    norm = base.layers[-1]
    before = K.get_value(norm.moving_mean)
    assert len(model.updates) == 4                      # as in TensorFlow: of both calls
    assert len(model.get_updates_for(model.inputs)) == 2
    assert model.get_updates_for(None) == []
    model.fit(BATCH, np.arange(40) % 3, verbose=0)
    assert not np.allclose(before, K.get_value(norm.moving_mean))


def test_activity_regularizer_counts_the_calls_of_the_outer_model():
    """The value is TensorFlow 1.15's formula: (l2 sum of squares / batch) for each call, once."""
    base = keras.Sequential([layers.Dense(5, input_shape=(6,), kernel_initializer='ones',
                                     activity_regularizer=keras.regularizers.l2(.1),
                                     kernel_regularizer=keras.regularizers.l2(.01))])
    a, b = keras.Input([6]), keras.Input([6])
    model = keras.Model([a, b], layers.Add()([base(a), base(b)]))
    model.compile('sgd', 'mse')
    assert [len(model.losses), len(model.get_losses_for(None)),
            len(model.get_losses_for(model.inputs))] == [4, 1, 2]
    hidden = BATCH.sum(1, keepdims=True) * np.ones((1, 5))
    expected = ((2 * hidden) ** 2).mean() + 2 * .1 * (hidden ** 2).sum() / 40 + .01 * 30
    loss = model.train_on_batch([BATCH, BATCH], np.zeros((40, 5)))
    np.testing.assert_allclose(loss, expected, 1e-5)


def test_a_sequential_without_input_shape_inside_another_model():
    block = keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
    x = keras.Input((3,))
    model = keras.Model(x, layers.Dense(1)(block(x)))
    model.compile('sgd', 'mse')
    losses = [model.train_on_batch(X, X[:, :1]) for _ in range(2)]
    np.testing.assert_allclose(losses, [2.1231556, 1.4375250], rtol=1e-5)
    assert model.weights[0].name == 'sequential/dense/kernel:0'
    assert block.output_shape == (None, 2) and len(model.updates) == 2
    answers = block.predict(X)
    np.testing.assert_allclose(block.predict(X[:3]), answers[:3], rtol=1e-5)
    steps = keras.Input((5, 3))
    each = layers.TimeDistributed(keras.Sequential([layers.Dense(4), layers.Dense(2)]))
    assert keras.backend.int_shape(each(steps)) == (None, 5, 2)


def test_an_input_at_a_lower_depth_becomes_an_identity():
    near, far = keras.Input((2,), name='near'), keras.Input((2,), name='far')
    model = keras.Model([near, far], layers.add([near, layers.Dense(2, name='d')(far)]), name='m')
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    model([near, far])
    assert [op.name for op in graph.get_operations()[before:]] == [
        'm/near/near/Identity', 'm/d/MatMul/ReadVariableOp', 'm/d/MatMul',
        'm/d/BiasAdd/ReadVariableOp', 'm/d/BiasAdd', 'm/add/add']


def test_the_shape_of_a_model_called_on_different_shapes(capsys):
    x = keras.Input((None,))
    inner = keras.Model(x, layers.Embedding(5, 3)(x))
    inner(keras.Input((4,)))
    with pytest.raises(AttributeError, match='on different shapes'):
        print(inner.output_shape)
    with pytest.raises(AttributeError, match='on different shapes'):
        print(inner.input_shape)
    keras.Model(x, inner(x)).summary()
    assert 'model (Model)                multiple                  15' in capsys.readouterr().out


def _sequential():
    return keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dropout(.5),
                             layers.Dense(2)])


def _functional():
    x = keras.Input((4,))
    return keras.Model(x, layers.Dense(2)(layers.Dropout(.5)(layers.Dense(3)(x))))


# Recorded from TensorFlow 1.15.5, which calls the model once more for its mask.
@pytest.mark.parametrize('inner, batch, seed', [
    (_sequential, None, 139), (_functional, None, 139),
    (lambda: keras.Sequential([layers.Dense(3), layers.Dense(2)]), None, 67),
    (lambda: keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)]), 2, 59)])
def test_seeds_after_a_time_distributed_model_are_those_of_tensorflow(inner, batch, seed):
    K.learning_phase()
    tf.set_random_seed(7)
    x = layers.TimeDistributed(inner())(keras.Input(batch_shape=(batch, 5, 4)))
    layers.Dense(1, name='last')(x)
    drawn = tf.get_default_graph().get_operation_by_name(
        'last/kernel/Initializer/random_uniform/RandomUniform')
    assert (drawn.get_attr('seed'), drawn.get_attr('seed2')) == (7, seed)


def test_a_model_computes_the_masks_of_its_outputs():
    x = keras.Input((None,))
    steps = layers.Embedding(5, 2, mask_zero=True)(x)
    model = keras.Model(x, [steps, layers.LSTM(2)(steps)])
    given = keras.Input((3,))
    mask, none = model.compute_mask(given)
    with tf.Session() as session:
        assert session.run(mask, {given: [[1, 0, 2]]}).tolist() == [[True, False, True]]
    assert none is None
    assert keras.Sequential([layers.Masking(input_shape=(2, 3))]).compute_mask(
        keras.Input((2, 3))).shape.as_list() == [None, 2]
