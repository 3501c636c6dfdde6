"""add_loss and add_metric of functional models: layers, configurations, files, further calls."""
import json

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers
K = keras.backend

X, Y = np.arange(32.).reshape(8, 4) / 32, np.ones((8, 1))
# The layers that TensorFlow 1.15.5 saved for the mean of the layer `hidden`.
SAVED = [
    {'class_name': 'TensorFlowOpLayer', 'name': 'tf_op_layer_Mean',
     'config': {'name': 'Mean', 'trainable': True, 'dtype': None, 'constants': {'1': [0, 1]},
                'node_def': {'name': 'Mean', 'op': 'Mean', 'input': ['hidden/BiasAdd', 'Const'],
                             'attr': {'T': {'type': 'DT_FLOAT'}, 'Tidx': {'type': 'DT_INT32'},
                                      'keep_dims': {'b': False}}}},
     'inbound_nodes': [[['hidden', 0, 0, {}]]]},
    {'class_name': 'AddLoss', 'name': 'add_loss',
     'config': {'name': 'add_loss', 'trainable': True, 'dtype': 'float32', 'unconditional': False},
     'inbound_nodes': [[['tf_op_layer_Mean', 0, 0, {}]]]}]

pytestmark = pytest.mark.usefixtures('new_graph')


def functional():
    """(model, output of its layer `hidden`, output)."""
    x = keras.Input((4,), name='x')
    hidden = layers.Dense(2, kernel_initializer='ones', name='hidden')(x)
    out = layers.Dense(1, kernel_initializer='ones', name='out')(hidden)
    return keras.Model(x, out), hidden, out


def evaluated(model):
    model.compile('sgd', 'mse')
    return model.evaluate(X, Y, verbose=0)


def test_an_added_loss_is_saved_as_tensorflow_saves_it():
    model, hidden, _ = functional()
    model.add_loss(tf.reduce_mean(hidden))
    assert json.loads(model.to_json())['config']['layers'][3:] == SAVED
    assert [t.name for t in model.losses] == ['Mean:0']
    assert [layer.output_shape for layer in model.layers[3:]] == [[()], ()]
    assert model.get_losses_for(None) == []


@pytest.mark.slow
@pytest.mark.parametrize('again', ['json', 'config', 'clone', 'file'])
def test_added_losses_and_metrics_are_kept(again, tmp_path):
    model, hidden, out = functional()
    model.add_loss([K.mean(hidden), 2. * K.sum(K.abs(out))])
    model.add_metric(K.mean(hidden), name='height', aggregation='mean')
    wanted = evaluated(model)
    assert model.metrics_names == ['loss', 'height']
    if again == 'file':
        model.save(str(tmp_path / 'm.h5'))
        copy = keras.models.load_model(str(tmp_path / 'm.h5'))
    else:
        copy = {'json': lambda: keras.models.model_from_json(model.to_json()),
                'config': lambda: keras.Model.from_config(model.get_config()),
                'clone': lambda: keras.models.clone_model(model)}[again]()
    assert sorted(layer.name for layer in copy.layers) == \
        sorted(layer.name for layer in model.layers)
    assert (len(copy.losses), evaluated(copy)) == (2, wanted)


def test_further_calls_of_a_model_have_its_loss_too():
    """TensorFlow 1.15.5 gives the same names and number."""
    model, hidden, _ = functional()
    model._name = 'inner'
    model.add_loss(K.mean(hidden))
    a, b = keras.Input((4,)), keras.Input((4,))
    outer = keras.Model([a, b], layers.add([model(a), model(b)]))
    assert [t.name for t in outer.losses] == [
        'Mean:0', 'inner/tf_op_layer_Mean/Mean:0', 'inner_1/tf_op_layer_Mean/Mean:0']
    outer.compile('sgd', 'mse')
    assert outer.evaluate([X, 2 * X], Y, verbose=0) == 165.953125


def test_layers_that_only_a_loss_needs_belong_to_the_model():
    model, hidden, _ = functional()
    model.add_loss(K.mean(layers.Dense(3, kernel_initializer='ones', name='side')(hidden)))
    assert [layer.name for layer in model.layers[3:]] == ['side', 'tf_op_layer_Mean', 'add_loss']
    assert len(model.trainable_weights) == 6
    assert evaluated(model) == 17.390625


def test_a_loss_of_other_inputs_is_refused():
    model, _, _ = functional()
    with pytest.raises(ValueError, match='Graph disconnected'):
        model.add_loss(K.mean(layers.Dense(3)(keras.Input((4,)))))


def test_losses_that_no_input_changes_stay_outside_the_layers():
    model, _, _ = functional()
    plain = evaluated(model)
    model.add_loss(lambda: K.sum(model.layers[1].kernel))
    model.add_loss(2)
    assert len(model.layers) == 3
    assert evaluated(model) == plain + 8. + 2.


@pytest.mark.slow
def test_an_autoencoder_with_a_loss_of_its_own_is_saved(tmp_path):
    """Names of operations have slashes, and one may be the beginning of another.

    As in TensorFlow, the cross-entropy reads the logits inside the last layer, whose weights are
    constants in the copy; that copy predicts, and is not trained.
    """
    x = keras.Input((4,))
    mean = layers.Dense(2)(x)
    out = layers.Dense(4, activation='sigmoid')(mean)
    model = keras.Model(x, out)
    model.add_loss(K.mean(keras.losses.binary_crossentropy(x, out) + K.sum(mean ** 2, axis=-1)))
    model.compile('adam')
    first, second = model.fit(X, epochs=2, verbose=0).history['loss']
    assert second < first
    path = str(tmp_path / 'w.h5')
    model.save_weights(path)
    loss = model.evaluate(X, verbose=0)
    model.set_weights([0 * w for w in model.get_weights()])
    model.load_weights(path)
    assert model.evaluate(X, verbose=0) == loss
    model.save(path)
    copy = keras.models.load_model(path, compile=False)
    np.testing.assert_allclose(copy.predict(X), model.predict(X), rtol=1e-6)
    assert len(copy.losses) == 1


def test_a_number_may_be_an_update():
    x, dense = keras.Input((2,)), layers.Dense(1)
    dense.add_update(3, inputs=x)
    assert dense.get_updates_for(x) == [] and len(dense.get_updates_for(None)) == 1
