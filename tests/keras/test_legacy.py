"""Legacy argument names of Keras 1 work, with the warnings of Keras 2.1.6."""
import json
import warnings

import numpy as np
import pytest

import tinyflow as tf
from keras_layer import layers as L
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.model import Model
from keras_layer.engine.sequential import Sequential
from keras_layer.legacy import LAYERS
from tests.golden import read_recorded
from tests.golden.keras import legacy_cases

RECORDED = read_recorded('keras.legacy')
CASES = {name: (make, settings) for name, make, settings in legacy_cases.cases(L)}
X, Y = np.ones((8, 3), np.float32), np.ones((8, 2), np.float32)


def model():
    made = Sequential([L.Dense(2, input_shape=(3,))])
    made.compile('sgd', 'mse')
    return made


def batches():
    while True:
        yield X[:4], Y[:4]


@pytest.mark.parametrize('name', CASES)
def test_old_call(name):
    """The same warning, and the same layer, as Keras 2.1.6 gives."""
    assert json.loads(json.dumps(legacy_cases.run(*CASES[name]))) == RECORDED[name]


def test_renamed_arguments_exist():
    """Whatever `LAYERS` renames is an argument of the layer."""
    import inspect
    for name, old in LAYERS.items():
        known = set()
        for cls in getattr(L, name).__mro__:
            if '__init__' in vars(cls):
                known.update(inspect.signature(cls.__init__).parameters)
        if name == 'SimpleRNN':
            known.add('implementation')         # accepted with a warning, and ignored
        assert {new for _, new in old.renamed} <= known, name


def test_current_names_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        L.Dense(3, kernel_initializer='zeros')
        L.Conv2D(8, (3, 3), strides=1, padding='same')
        L.Conv2D(8, 2, 2)
        L.Conv2DTranspose(8, 3, 2, padding='same')
        L.LSTM(3, implementation=2)
        L.BatchNormalization(axis=1)


def test_both_names_together_raise():
    with pytest.raises(TypeError, match='both the legacy keyword argument `output_dim` and the '
                                        'Keras 2 keyword argument `units`'):
        L.Dense(units=3, output_dim=4)


def test_unknown_names_raise():
    with pytest.raises(TypeError, match='nb_unit'):
        L.Dense(3, nb_unit=3)
    with pytest.raises(TypeError, match='`mode` argument of `BatchNormalization`'):
        L.BatchNormalization(mode=2)


def test_conv2d_with_two_integers_follows_tf_keras_and_warns():
    """Keras 1 meant a kernel of 3 x 3; tf.keras takes the second 3 for strides."""
    with pytest.warns(UserWarning, match=r'interpreted as `strides`.*\(8, \(3, 3\)\)') as caught:
        layer = L.Conv2D(8, 3, 3)
    assert (layer.kernel_size, layer.strides) == ((3, 3), (3, 3))
    assert caught[0].filename == __file__


def test_warning_points_at_the_call():
    with pytest.warns(UserWarning, match='Update your `Dense` call') as caught:
        L.Dense(output_dim=3)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match='no longer support') as caught:
        L.Embedding(3, 2, dropout=0.5)
    assert caught[0].filename == __file__


def test_subclass_of_a_layer_takes_old_names():
    class Mine(L.Dense):
        def __init__(self, size, **kwargs):
            super().__init__(size, **kwargs)
    with pytest.warns(UserWarning, match='Update your `Mine` call'):
        assert not Mine(3, bias=False).use_bias


def test_padding_by_side():
    with pytest.warns(UserWarning, match='no longer accepts dict types'):
        layer = L.ZeroPadding2D(padding={'top_pad': 1, 'right_pad': 2})
    assert layer.padding == ((1, 0), (0, 2))
    with pytest.warns(UserWarning, match='no longer accepts dict types'):
        assert L.ZeroPadding2D({'left_pad': 3}).padding == ((0, 0), (3, 0))


def test_forget_bias_that_is_not_one_is_ignored():
    with pytest.warns(UserWarning, match='`forget_bias_init` argument has been ignored'):
        assert L.LSTM(3, forget_bias_init='zero').unit_forget_bias


def test_old_layer_computes():
    """Convolution2D(4, 3, 3, border_mode='same') of a Keras 1 program gives 4 maps of that size."""
    made = Sequential()
    with pytest.warns(UserWarning, match='Update your `Conv2D` call'):
        made.add(L.Convolution2D(4, 3, 3, border_mode='same', init='one', input_shape=(5, 5, 1)))
    out = made.predict(np.ones((1, 5, 5, 1), np.float32))
    assert out.shape == (1, 5, 5, 4)
    assert out[0, 2, 2, 0] == 9.


def test_atrous_convolution():
    with pytest.warns(UserWarning, match='has been deprecated. Use instead the `Conv2D` layer'):
        assert L.AtrousConvolution2D(4, (3, 3), atrous_rate=2).dilation_rate == (2, 2)
    with pytest.warns(UserWarning, match='AtrousConvolution1D'):
        assert L.AtrousConvolution1D(4, 3).dilation_rate == (1,)


def test_merge():
    a, b = Input((2,)), Input((2,))
    with pytest.warns(UserWarning, match='The `merge` function is deprecated') as caught:
        outputs = [L.merge([a, b], mode=mode) for mode in (
            'sum', 'mul', 'ave', 'max', 'concat', lambda inputs: inputs[0] - inputs[1])]
        outputs.append(L.merge([a, b], mode='dot', dot_axes=[[1], [1]]))
    assert caught[0].filename == __file__
    one, two = np.array([[1., 4.]]), np.array([[3., 2.]])
    found = Model([a, b], outputs).predict([one, two])
    wanted = [one + two, one * two, (one + two) / 2, np.maximum(one, two), [[1, 4, 3, 2]],
              one - two, [[11.]]]
    for ours, right in zip(found, wanted):
        np.testing.assert_allclose(ours, right)
    with pytest.warns(UserWarning), pytest.raises(ValueError, match='normalize=True'):
        L.merge([a, b], mode='cos')


def test_merge_of_concat_axis_is_a_module_too():
    assert L.merge.Concatenate is L.Concatenate


def test_model():
    x = Input((3,))
    with pytest.warns(UserWarning, match='Update your `Model` call to the Keras 2 API: '
                                         r'`Model\(inputs=.*, outputs=.*\)`'):
        made = Model(input=x, output=L.Dense(2)(x))
    assert made.output_shape == (None, 2)


def test_input_layer():
    with pytest.warns(UserWarning, match='`InputLayer'):
        assert InputLayer((3,), input_dtype='int32').dtype == 'int32'


def test_fit():
    with pytest.warns(UserWarning, match='The `nb_epoch` argument in `fit` has been renamed '
                                         '`epochs`'):
        history = model().fit(X, Y, nb_epoch=3, verbose=0)
    assert history.epoch == [0, 1, 2]
    with pytest.raises(TypeError, match='Unrecognized keyword arguments'):
        model().fit(X, Y, nb_epochs=3, verbose=0)


def test_generators():
    made = model()
    with pytest.warns(UserWarning) as caught:
        history = made.fit_generator(batches(), samples_per_epoch=2, nb_epoch=3, verbose=0,
                                     nb_worker=1, pickle_safe=False, max_q_size=2)
    texts = [str(w.message) for w in caught]
    assert 'semantics of the Keras 2 argument' in texts[0]
    assert 'Update your `fit_generator` call' in texts[1]
    assert {w.filename for w in caught} == {__file__}
    assert history.epoch == [0, 1, 2]
    with pytest.warns(UserWarning) as caught:
        made.evaluate_generator(batches(), val_samples=2)
        assert len(made.predict_generator(batches(), val_samples=2)) == 8
    assert ['Update your `evaluate_generator` call' in str(caught[1].message),
            'Update your `predict_generator` call' in str(caught[3].message)] == [True, True]


def test_samples_per_epoch_become_steps():
    class Batches:
        batch_size = 4

        def __iter__(self):
            return self

        def __next__(self):
            return X[:4], Y[:4]
    steps = []
    counter = tf.keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: steps.append(batch))
    with pytest.warns(UserWarning):
        model().fit_generator(Batches(), samples_per_epoch=12, nb_epoch=1, verbose=0,
                              callbacks=[counter])
    assert steps == [0, 1, 2]


def test_configuration_of_keras_1():
    """As its to_json wrote it: old names of classes and arguments."""
    common = {'trainable': True, 'W_regularizer': None, 'b_regularizer': None,
              'activity_regularizer': None, 'W_constraint': None, 'b_constraint': None,
              'bias': True, 'init': 'glorot_uniform'}
    config = [
        {'class_name': 'Convolution2D', 'config': {
            'name': 'convolution2d_1', 'batch_input_shape': [None, 8, 8, 1],
            'input_dtype': 'float32', 'nb_filter': 4, 'nb_row': 3, 'nb_col': 3,
            'border_mode': 'valid', 'subsample': [1, 1], 'dim_ordering': 'tf',
            'activation': 'relu', **common}},
        {'class_name': 'MaxPooling2D', 'config': {
            'name': 'maxpooling2d_1', 'trainable': True, 'pool_size': [2, 2], 'strides': [2, 2],
            'border_mode': 'valid', 'dim_ordering': 'tf'}},
        {'class_name': 'Dropout', 'config': {'name': 'dropout_1', 'trainable': True, 'p': 0.25}},
        {'class_name': 'Flatten', 'config': {'name': 'flatten_1', 'trainable': True}},
        {'class_name': 'Dense', 'config': {'name': 'dense_1', 'output_dim': 10, 'input_dim': None,
                                           'activation': 'softmax', **common}},
    ]
    with pytest.warns(UserWarning, match='Keras 2 API'):
        made = tf.keras.models.model_from_json(json.dumps(
            {'class_name': 'Sequential', 'config': config, 'keras_version': '1.2.2'}))
    assert [layer.name for layer in made.layers] == ['convolution2d_1', 'maxpooling2d_1',
                                                     'dropout_1', 'flatten_1', 'dense_1']
    assert made.predict(np.ones((2, 8, 8, 1))).shape == (2, 10)
    assert made.layers[2].rate == 0.25
