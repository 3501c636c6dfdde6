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


def test_an_unknown_data_format_of_flatten_raises():
    with pytest.raises(ValueError, match='data_format'):
        layers.Flatten(data_format='last')
