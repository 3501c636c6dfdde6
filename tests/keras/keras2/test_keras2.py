"""`import keras` is Keras 2.1: defaults, names and losses, with the numbers of Keras 2.1.6."""
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from keras_layer import optimizers as of_tf_keras
from keras_layer.keras2 import constraints, engine, models, objectives, optimizers
from keras_layer.layers import Dense, Masking, TimeDistributed

RATES = {'sgd': 0.01, 'rmsprop': 0.001, 'adagrad': 0.01, 'adadelta': 1.0, 'adam': 0.001,
         'adamax': 0.002, 'nadam': 0.002}


@pytest.mark.parametrize('name', RATES)
def test_default_learning_rates(graph, name):
    optimizer = optimizers.get(name)
    assert isinstance(optimizer, getattr(optimizers, name))
    config = optimizer.get_config()
    assert config['lr'] == RATES[name] and 'name' not in config
    serialized = optimizers.serialize(optimizer)
    again = optimizers.deserialize(serialized)
    assert again.get_config() == config
    assert serialized['class_name'] == name         # Keras 2.1 changes what it is given


def test_the_defaults_of_tf_keras_stay(graph):
    assert of_tf_keras.get('adadelta').get_config()['learning_rate'] == 0.001


def _model():
    return models.Sequential([
        Dense(3, input_shape=(4,), kernel_initializer='ones', activation='tanh'),
        Dense(1, kernel_initializer='ones')])


X = np.arange(40).reshape(10, 4) / 40.
Y = X[:, :1] * 2


@pytest.mark.parametrize('name, losses', [
    ('rmsprop', [2.60647, 2.55996, 2.52663, 2.49896]),
    ('adagrad', [2.60647, 2.46085, 2.36183, 2.2832])])
def test_names_of_optimizers_are_those_of_keras2(graph, name, losses):
    model = _model()
    model.compile(name, 'mse')
    found = [model.train_on_batch(X, Y) for _ in losses]
    np.testing.assert_allclose(found, losses, rtol=1e-4)


def test_weighted_loss_and_global_clipping(graph):
    model = _model()
    model.compile(optimizers.SGD(0.5, 0.9, 0.1, True, clipnorm=.3), 'mse')
    found = [model.train_on_batch(X, Y, sample_weight=np.arange(10) % 3) for _ in range(4)]
    np.testing.assert_allclose(found, [4.36136, 2.10684, 0.41602, 0.30766], rtol=1e-4)


def test_masked_loss_is_a_mean_over_what_is_not_masked(graph):
    x = np.ones((2, 5, 3))
    x[0, 2:] = x[1, 4:] = 0
    model = models.Sequential([Masking(input_shape=(5, 3)),
                               TimeDistributed(Dense(1, kernel_initializer='ones'))])
    model.compile('adam', 'mse')
    assert model.train_on_batch(x, np.zeros((2, 5, 1))) == pytest.approx(9.)


def test_names(graph):
    assert constraints.maxnorm is constraints.MaxNorm
    assert objectives.mse is not None
    assert engine.Model is models.Model and issubclass(models.Sequential, models.Model)
    model = _model()
    assert model.model is model


@pytest.mark.slow
def test_import_keras_is_keras2_and_tf_keras_stays():
    code = ('import tinyflow\ntinyflow.install_as_tensorflow()\n'
            'import tensorflow as tf, keras, keras.layers.core, keras.engine.topology\n'
            'from keras.optimizers import rmsprop\n'
            'from keras.engine.training import Model\n'
            'assert keras.layers.Dense is tf.keras.layers.Dense\n'
            'assert keras.models is not tf.keras.models\n'
            'assert Model is keras.models.Model is keras.Model\n'
            'assert keras.__version__ == "2.1.6" and tf.keras.__version__ != "2.1.6"\n')
    subprocess.run([sys.executable, '-c', code], check=True)


SEEDED = """
    import numpy as np
    np.random.seed(7)
    from keras import backend as K
    from keras.layers import LSTM, Dense, Dropout
    from keras.models import Sequential
    model = Sequential([Dense(4, input_dim=8, activation='relu'), Dropout(.2),
                        Dense(1, activation='sigmoid')])
    model.compile('sgd', 'binary_crossentropy')
    x = np.random.rand(40, 8)
    history = model.fit(x, (x.sum(1) > 4).astype(int), epochs=3, batch_size=10, verbose=0)
    print(*['%.4f' % loss for loss in history.history['loss']])
    rest = Sequential([LSTM(3, input_shape=(2, 4)), Dense(2, kernel_initializer='he_normal')])
    print(*['%.4f' % w.ravel()[0] for w in rest.get_weights()], '%.4f' % np.random.rand())
"""
# Keras 2.1.6's.
RECORDED_SEEDED = ['0.7339 0.7414 0.7369', '0.1041 -0.3198 0.0000 0.5912 0.0000 0.2668']


@pytest.mark.slow
def test_numpys_seed_decides_weights_dropout_and_the_order_of_samples(tmp_path):
    (tmp_path / 'program.py').write_text(textwrap.dedent(SEEDED), encoding='utf-8')
    done = subprocess.run([sys.executable, '-m', 'tinyflow', 'run', tmp_path / 'program.py'],
                          capture_output=True, text=True)
    assert done.stdout.splitlines() == RECORDED_SEEDED, done.stderr
