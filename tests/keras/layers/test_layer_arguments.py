"""Arguments of single layers: configurations and errors."""
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures('new_graph')


def test_renorm_is_kept_in_the_configuration():
    layer = keras.layers.BatchNormalization(renorm=True, renorm_clipping={'rmax': 3.})
    again = keras.layers.BatchNormalization.from_config(layer.get_config())
    assert again.renorm and again.renorm_clipping == {'rmax': 3.}
    assert 'renorm' not in keras.layers.BatchNormalization().get_config()


@pytest.mark.parametrize('make, words', [
    (lambda: layers.Conv2D(3), "^Conv2D() missing 1 required positional argument: 'kernel_size'\n"
                               '  Hint: Conv2D(filters, kernel_size, strides=1, ...).'),
    (lambda: layers.SeparableConv2D(3), '^SeparableConv2D() missing'),
    (lambda: layers.MaxPooling2D(1, 2, 3, 4, 5, 6), '^MaxPooling2D() takes'),
    (lambda: layers.Dense(), '^Dense() missing'), (lambda: layers.LSTM(), '^LSTM() missing')])
def test_a_constructor_without_what_it_needs(make, words):
    with pytest.raises(TypeError, match=words.replace('(', r'\(').replace(')', r'\)')) as caught:
        make()
    assert caught.value.raised_by_tinyflow and '<locals>' not in str(caught.value)


@pytest.mark.parametrize('first, words', [
    (lambda: layers.LSTM(4, input_shape=(5, 3)), "return_sequences=True in the layer 'lstm'"),
    (lambda: layers.Bidirectional(layers.GRU(4), input_shape=(5, 3)), 'return_sequences=True in'),
    (lambda: layers.Dense(4, input_shape=(3,)), r"Reshape after the layer 'dense'")])
def test_an_axis_that_the_layer_before_did_not_give(first, words):
    with pytest.raises(ValueError, match=words) as caught:
        keras.Sequential([first(), layers.LSTM(4)])
    assert 'batch axis is missing' not in str(caught.value)


def test_a_misspelt_activation_has_the_nearest_name_as_its_hint():
    with pytest.raises(ValueError, match="Hint: did you mean 'relu'") as caught:
        layers.Dense(1, activation='rleu')
    assert 'custom_objects' not in str(caught.value)
    config = {'class_name': 'Dense', 'config': {'units': 1, 'activation': 'rleu'}}
    with pytest.raises(ValueError, match=r"did you mean 'relu'\?.*custom_objects=\{'rleu'"):
        layers.deserialize(config)


def test_an_unknown_data_format_of_flatten_raises():
    with pytest.raises(ValueError, match='data_format'):
        layers.Flatten(data_format='last')
