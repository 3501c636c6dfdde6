"""Whole programs whose numbers equal those of Keras 2.1.6 and of tf.keras 1.15.5."""
import random
import warnings

import numpy as np
import pytest

import keras_layer
import tinyflow as tf
from keras_layer import keras2
from tests.golden.keras.whole_programs import PROGRAMS
from tests.golden.store import read_recorded

RECORDED = {name: read_recorded('keras.whole_programs.' + name) for name in ('keras', 'tf.keras')}
# With workers=0 the second pass over augmented images is in another order here; and Keras 2.1.6's
# states of a stateful LSTM differ from run to run.
LEFT_OUT = [('keras', 'augmented_images'), ('tf.keras', 'augmented_images'),
            ('keras', 'stateful_lstm')]
CASES = [(name, program) for name in RECORDED for program in PROGRAMS
         if (name, program.__name__) not in LEFT_OUT]


@pytest.fixture
def keras(request):
    """The module that `import keras`, or tf.keras, means."""
    if request.param == 'keras':
        request.getfixturevalue('like_keras2')
    return {'tf.keras': keras_layer, 'keras': keras2}[request.param]


@pytest.mark.slow
@pytest.mark.parametrize('keras, program', CASES, indirect=['keras'],
                         ids=[f'{name}-{program.__name__}' for name, program in CASES])
def test_program(request, keras, program):
    recorded = RECORDED[request.node.callspec.id.partition('-')[0]][program.__name__]
    keras.backend.clear_session()
    np.random.seed(7)
    random.seed(7)
    tf.set_random_seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        found = program(keras)
    np.testing.assert_allclose(found, recorded, rtol=2e-4, atol=2e-6)
