"""Programs whose answers TF 1.15.5 gave: weights of batches, seeds, nested models, training."""
import json

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)


@pytest.fixture(autouse=True)
def _own_graph(request):
    if 'clear_session' in request.node.name:        # not allowed within another graph
        yield
        return
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield


def still_model(**more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'mse', **more)
    return model


class Uneven(keras.utils.Sequence):
    """Batches of five and three rows."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        rows = slice(0, 5) if index == 0 else slice(5, 8)
        return X[rows], Y[rows]


def dataset():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)


BY_STEPS, BY_SAMPLES = 1.4744800, 1.2712664


def test_all_batches_of_a_dataset_weigh_alike():
    model = still_model()
    assert model.evaluate(dataset(), verbose=0) == pytest.approx(BY_STEPS)
    history = model.fit(dataset(), validation_data=dataset(), verbose=0).history
    assert history == {'loss': [pytest.approx(BY_STEPS)], 'val_loss': [pytest.approx(BY_STEPS)]}


def test_batches_of_a_sequence_weigh_by_their_rows_in_training_alone():
    model = still_model()
    assert model.evaluate(Uneven(), verbose=0) == pytest.approx(BY_STEPS)
    history = model.fit(Uneven(), validation_data=Uneven(), verbose=0).history
    assert history == {'loss': [pytest.approx(BY_SAMPLES)], 'val_loss': [pytest.approx(BY_STEPS)]}


def test_callbacks_are_told_the_steps_of_a_dataset(capsys):
    sizes = []
    note = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: sizes.append(
        logs['size']))
    model = still_model()
    model.fit(dataset(), validation_data=dataset(), callbacks=[note])
    assert sizes == [1, 1]
    assert model.history.params['steps'] == 2 and model.history.params['samples'] == 2
    assert capsys.readouterr().out.startswith('Train on 2 steps, validate on 2 steps\n2/2 [===')


@pytest.mark.parametrize('use, argument', [
    (lambda m, d: m.fit(d, verbose=0), 'steps_per_epoch'),
    (lambda m, d: m.evaluate(d, verbose=0), 'steps'),
    (lambda m, d: m.predict(d), 'steps'),
    (lambda m, d: m.fit(X, Y, validation_data=d, verbose=0), 'validation_steps')])
def test_a_dataset_without_end_wants_a_number_of_steps(use, argument):
    with pytest.raises(ValueError, match=f'infinitely repeating dataset.*`{argument}`'):
        use(still_model(), dataset().repeat())


def test_an_epoch_that_is_stopped_in_its_midst_is_not_validated():
    class Stop(keras.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            self.model.stop_training = True
    history = still_model().fit(X, Y, batch_size=4, epochs=3, validation_data=(X, Y), verbose=0,
                                callbacks=[Stop()])
    assert history.epoch == [0] and list(history.history) == ['loss']


@pytest.mark.parametrize('x, y, words', [
    (np.zeros((0, 3)), np.zeros((0, 1)), 'Empty training data'), (None, Y, 'no inputs')])
def test_nothing_to_train_on(x, y, words):
    with pytest.raises(ValueError, match=words):
        still_model().fit(x, y, verbose=0)


@pytest.mark.parametrize('asked, names', [
    (['acc', 'accuracy'], ['acc']), (['mse', 'MSE', 'mae'], ['mean_squared_error',
                                                           'mean_absolute_error']),
    ([keras.metrics.Precision, keras.metrics.Precision], ['precision', 'precision_1'])])
def test_metrics_of_one_name_are_one(asked, names):
    asked = [m() if isinstance(m, type) else m for m in asked]
    assert still_model(metrics=asked).metrics_names == ['loss', *names]


def test_metrics_of_layers_come_before_the_models_own():
    class Watch(layers.Layer):
        def call(self, x):
            self.add_metric(tf.reduce_mean(x), name='inside', aggregation='mean')
            return x
    x = keras.Input((3,))
    y = layers.Dense(1)(Watch()(x))
    model = keras.Model(x, y)
    model.add_metric(tf.reduce_sum(y), name='own', aggregation='mean')
    model.compile('sgd', 'mse', metrics=['mae'])
    assert model.metrics_names == ['loss', 'mean_absolute_error', 'inside', 'own']


@pytest.mark.parametrize('more, words', [
    ({'optimizer': keras.optimizers.SGD}, 'is a class'),
    ({'optimizer': 'sgd', 'sample_weight_mode': 'foo'}, 'None or "temporal". Found: \'foo\'')])
def test_what_compile_refuses(more, words):
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    with pytest.raises(ValueError, match=words):
        model.compile(loss='mse', **more)


@pytest.mark.parametrize('make, shape', [
    (layers.Conv1D, (9, 1)), (layers.Conv2D, (9, 9, 1)), (layers.Conv3D, (9, 9, 9, 1))])
def test_a_convolution_has_strides_or_dilation(make, shape):
    with pytest.raises(ValueError, match='strides > 1 not supported in conjunction'):
        make(2, 3, strides=2, dilation_rate=2)(keras.Input(shape))


def test_inputs_come_once():
    x = keras.Input((3,))
    with pytest.raises(ValueError, match='inputs passed to the model is redundant'):
        keras.Model([x, x], layers.Dense(1)(x))


def test_a_fixed_batch_size_need_not_be_told():
    model = keras.Sequential([
        layers.LSTM(2, stateful=True, batch_input_shape=(2, None, 3)), layers.Dense(1)])
    model.compile('sgd', 'mse')
    x, y = np.ones((4, 5, 3)), np.ones((4, 1))
    sizes = []
    model.fit(x, y, verbose=0, callbacks=[keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: sizes.append(logs['size']))])
    assert sizes == [2, 2] and model.predict(x).shape == (4, 1)
    with pytest.raises(ValueError, match='value 4 is incompatible .* Input Layer: 2'):
        model.predict(x, batch_size=4)
    with pytest.raises(ValueError, match='stateful network.*Found: 3 samples'):
        model.fit(x[:3], y[:3], verbose=0)


@pytest.mark.parametrize('size, loss, val_loss', [
    (4, [10.3253293, 2.7188361], [2.1145532, 3.4683218]),
    (8, [5.1286654, 7.5429182], [1.6927196, 5.3466196])])
def test_noise_meets_the_rows_in_the_order_of_tf(size, loss, val_loss):
    """Validation is shuffled, too; a single batch is not."""
    np.random.seed(1)
    x = keras.Input((3,))
    noisy = layers.Lambda(lambda t: t + keras.backend.random_normal(tf.shape(t), seed=2))(x)
    model = keras.Model(x, layers.Dense(1, kernel_initializer='ones')(noisy))
    model.compile(keras.optimizers.SGD(0.), 'mse')
    history = model.fit(X, Y, batch_size=size, epochs=2, validation_data=(X, Y), verbose=0).history
    np.testing.assert_allclose(history['loss'], loss, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], val_loss, rtol=1e-5)


# ---- nested models ---------------------------------------------------------------------------

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


def test_a_compiled_model_inside_another_keeps_its_metrics_to_itself():
    judge = keras.Sequential([layers.Dense(1, activation='sigmoid', input_dim=3)])
    judge.compile('sgd', 'binary_crossentropy', metrics=['accuracy'])
    judge.trainable = False
    z = keras.Input((2,))
    both = keras.Model(z, judge(layers.Dense(3)(z)))
    both.compile('sgd', 'binary_crossentropy')
    assert both.metrics_names == ['loss'] and both.metrics == []
    assert np.ndim(both.train_on_batch(np.ones((4, 2)), np.ones((4, 1)))) == 0
    assert len(judge.train_on_batch(X, Y)) == 2


def test_what_was_trainable_at_compile_is_trained():
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


# ---- subclassed models -----------------------------------------------------------------------

class Own(keras.Model):
    """Its `training` is False unless it is passed."""

    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4, kernel_initializer='ones')
        self.norm = layers.BatchNormalization()
        self.last = layers.Dense(1, kernel_initializer='ones')

    def call(self, x, training=False):
        return self.last(self.norm(self.first(x), training=training))


class Asking(Own):
    """Asks `training` by an if of Python."""

    def call(self, x, training=False):
        x = self.first(x)
        if training:
            x = x + 1.
        return self.last(x)


def test_fit_of_a_subclassed_model_passes_training():
    model = Own()
    model.compile(keras.optimizers.SGD(0.), 'mse')
    assert model.evaluate(X, Y, verbose=0) == pytest.approx(40.187317, rel=1e-5)
    # The batch's own mean and variance: another loss than that of evaluate.
    assert model.fit(X, Y, verbose=0).history['loss'] == [pytest.approx(12.990806, rel=1e-5)]
    assert np.any(model.norm.get_weights()[2] != 0)


def test_a_subclassed_model_may_ask_training_by_an_if():
    model = Asking()
    model.compile(keras.optimizers.SGD(0.), 'mse')
    evaluated = model.evaluate(X, Y, verbose=0)
    trained = model.fit(X, Y, verbose=0).history['loss'][0]
    assert (evaluated, trained) == pytest.approx((40.231567, 100.231567), rel=1e-5)


def test_build_makes_weights_without_the_models_scope():
    model = Own()
    model.build((None, 3))
    names = [w.name for w in model.weights]
    assert names[:2] == ['dense/kernel:0', 'dense/bias:0'] and len(names) == 8


def test_the_order_of_the_weights_of_a_subclassed_model():
    class Several(keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = self.add_weight('scale', (), initializer='ones')
            self.single = layers.BatchNormalization(name='n')
            self.several = [layers.BatchNormalization(name='a'), layers.Dense(2, name='d')]

        def call(self, x):
            for layer in (self.single, *self.several):
                x = layer(x)
            return x * self.scale
    model = Several()
    model.build((None, 2))
    four = ['gamma', 'beta', 'moving_mean', 'moving_variance']
    assert [w.op.name for w in model.weights] == [
        *(f'n/{what}' for what in four), 'a/gamma', 'a/beta', 'd/kernel', 'd/bias',
        'a/moving_mean', 'a/moving_variance', 'scale']
    assert [w.op.name for w in model.trainable_weights] == [
        'n/gamma', 'n/beta', 'a/gamma', 'a/beta', 'd/kernel', 'd/bias', 'scale']


@pytest.mark.parametrize('begin', [
    lambda model: model.build((None, 3)), lambda model: model.predict(X),
    lambda model: model(tf.ones((2, 3)))])
def test_a_checkpoint_waits_for_the_weights(tmp_path, begin):
    saved = Own()
    saved.build((None, 3))
    saved.set_weights([np.full(w.shape, .5) for w in saved.get_weights()])
    saved.save_weights(str(tmp_path / 'weights'))
    model = Own()
    status = model.load_weights(str(tmp_path / 'weights'))
    with pytest.raises(AssertionError, match='has not been read'):
        status.assert_consumed()
    begin(model)
    status.assert_consumed()
    assert all(np.all(w == .5) for w in model.get_weights())


# ---- seeds and models without input shapes ---------------------------------------------------

def sums(model):
    return [w.sum() for w in model.get_weights()]


def test_seeds_after_clear_session():
    keras.backend.clear_session()
    tf.set_random_seed(1)
    model = keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)])
    np.testing.assert_allclose(sums(model), [0.61683154, 0, -0.94898558, 0], atol=1e-6)
    keras.backend.clear_session()


def test_seeds_of_a_model_that_learns_its_shape_from_data():
    model = keras.Sequential([layers.Dense(3), layers.Dropout(.5), layers.Dense(2)])
    model.compile('sgd', 'mse')
    model.predict(np.ones((2, 4)))
    np.testing.assert_allclose(sums(model), [0.61683154, 0, -0.52662516, 0], atol=1e-6)
    assert model.weights[0].name == 'sequential/dense/kernel:0'


@pytest.mark.parametrize('workers', [1, 2])
def test_a_generator_tells_its_shapes_by_its_first_batch(workers):
    model = keras.Sequential([layers.Dense(3), layers.Dense(1)])
    model.compile('sgd', 'mse')
    seen = []

    def batches():
        for number in range(100):
            seen.append(number)
            yield X, Y
    history = model.fit_generator(batches(), steps_per_epoch=3, verbose=0, workers=workers)
    assert len(history.history['loss']) == 1
    if workers == 1:
        assert seen == [0, 1, 2]


def test_the_value_of_a_scalar_is_a_scalar():
    model = still_model()
    rate = keras.backend.get_value(model.optimizer.lr)
    assert isinstance(rate, np.float32) and not isinstance(rate, np.ndarray)


def test_a_stack_without_input_shape_inside_another_model():
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


def _seed_now():
    """The seed of a random op that is made now: TF's count of nodes."""
    layer = layers.Dense(1)
    layer(keras.Input((2,)))
    name = layer.name + '/kernel/Initializer/random_uniform/RandomUniform'
    return tf.get_default_graph().get_operation_by_name(name).get_attr('seed2')


def test_seeds_after_values_were_set_and_read():
    """TF makes nodes for both, which seeds count: GloVe in an Embedding, then random layers."""
    backend = keras.backend
    layers.Embedding(4, 2, weights=[np.ones((4, 2))])(keras.Input((5,)))
    seeds = [_seed_now()]
    variable = backend.variable([1., 2.])
    np.testing.assert_array_equal(backend.eval(variable), [1, 2])
    seeds.append(_seed_now())
    backend.set_value(variable, [0., 1.])
    backend.set_value(variable, [0., 2.])
    seeds.append(_seed_now())
    model = keras.Sequential([layers.Dense(2, input_shape=(3,))])
    model.set_weights(model.get_weights())
    seeds.append(_seed_now())
    model.compile('sgd', 'mse', ['mae'])
    model.evaluate(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    seeds.append(_seed_now())
    model.predict(np.ones((2, 3)))
    assert [*seeds, _seed_now()] == [25, 55, 82, 135, 218, 243]


def test_an_input_nearer_to_the_outputs_is_called():
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


@pytest.mark.parametrize('weights, loss', [
    (None, 0.6931472), (np.array([1., 5.]), 0.6931472), ([1., 5.], 0.6931472),
    ('auto', 0.6931472), ({0: 1., 1: 5.}, 2.0794415), ([{0: 1., 1: 5.}], 2.0794415)])
def test_class_weights_that_are_no_dict_are_without_effect(weights, loss):
    model = keras.Sequential([
        layers.Dense(2, activation='softmax', kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'sparse_categorical_crossentropy')
    labels = (X.sum(1) > 1.5).astype(int)
    assert model.train_on_batch(X, labels, class_weight=weights) == pytest.approx(loss)
    history = model.fit(X, labels, class_weight=weights, verbose=0).history
    assert history['loss'] == [pytest.approx(loss)]


def test_a_class_weight_without_classes_lacks_them():
    model = keras.Sequential([layers.Dense(2, activation='softmax', input_shape=(3,))])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    with pytest.raises(ValueError, match='must contain all classes'):
        model.fit(X, Y, class_weight={}, verbose=0)


def test_gradients_by_the_placeholders_of_a_model():
    """The recipe that many pages give: what training feeds, fed by oneself."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile('sgd', 'mse')
    gradients = model.optimizer.get_gradients(model.total_loss, model.trainable_weights)
    ask = keras.backend.function(
        model._feed_inputs + model._feed_targets + model._feed_sample_weights, gradients)
    x, y, weights = model._standardize_user_data(X[:2], [1, 2])
    assert [a.shape for a in x + y] == [(2, 3), (2, 1)]
    of_kernel, of_bias = ask(x + y + (weights or []))
    error = X[:2].sum(1) - [1, 2]
    np.testing.assert_allclose(of_bias, [2 * error.mean()], rtol=1e-5)
    np.testing.assert_allclose(of_kernel[:, 0], X[:2].T @ error, rtol=1e-5)


def test_functions_may_be_made_early():
    """Servers with threads call `_make_predict_function` before they start."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    assert model.predict_function is None
    model._make_predict_function()
    made = model.predict_function
    np.testing.assert_allclose(model.predict(X), X.sum(1, keepdims=True), rtol=1e-6)
    assert model.predict_function is made and not model._is_compiled
    with pytest.raises(RuntimeError, match='compile'):
        model._make_train_function()
    model.compile('sgd', 'mse')
    model._make_train_function()
    model._make_test_function()
    assert model._is_compiled and model.train_function is not model.test_function
    assert model._collected_trainable_weights == model.weights


def test_the_mask_of_a_sum():
    embedding = layers.Embedding(9, 3, mask_zero=True)
    one, other = embedding(keras.Input((None,))), embedding(keras.Input((None,)))
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    layers.add([one, other])
    assert [op.name for op in graph.get_operations()[before:]] == [
        'add/add', 'add/ExpandDims/dim', 'add/ExpandDims', 'add/ExpandDims_1/dim',
        'add/ExpandDims_1', 'add/concat/axis', 'add/concat', 'add/All/reduction_indices', 'add/All']
