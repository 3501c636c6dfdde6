"""tf.explain of a model."""
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures('new_graph')


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


def test_explain_maps_layers_to_ops_and_back():
    model = classifier()
    explanation = tf.explain(model)
    assert [op.type for op in explanation.layer('dense_1').operations][-1] == 'Softmax'
    assert explanation.layer_of('dense/MatMul') == 'dense'
    assert 'session.run' in str(explanation) and 'MatMul' in str(explanation.train())
