"""A layer of your own.

Complete the layer `Power`: x ** exponent * factor. `exponent` is a setting, a number; `factor` is a
weight, one for each column, ones at first. A model with this layer can be saved: `get_config`
returns the settings.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'Keras', 17

START = '''
import tinyflow as tf

keras = tf.keras


class Power(keras.layers.Layer):
    def __init__(self, exponent, **options):
        super().__init__(**options)
        self.exponent = exponent

    def call(self, x):
        return x ** self.exponent
'''

HINTS = (
    'A weight needs the number of columns. `build(self, input_shape)` is called when it is known.',
    "self.factor = self.add_weight('factor', shape=[int(input_shape[-1])], initializer='ones')",
    "get_config: return {**super().get_config(), 'exponent': self.exponent}",
)

SOLUTION = '''
import tinyflow as tf

keras = tf.keras


class Power(keras.layers.Layer):
    def __init__(self, exponent, **options):
        super().__init__(**options)
        self.exponent = exponent

    def build(self, input_shape):
        self.factor = self.add_weight('factor', shape=[int(input_shape[-1])], initializer='ones')
        super().build(input_shape)

    def call(self, x):
        return x ** self.exponent * self.factor

    def get_config(self):
        return {**super().get_config(), 'exponent': self.exponent}
'''

_CONFIG = SOLUTION[SOLUTION.index('    def get_config'):]
WRONG = (
    (START, 'no weight'),
    (SOLUTION.replace(_CONFIG, ''), 'get_config'),
    (SOLUTION.replace('[int(input_shape[-1])]', '[]'), 'one for each column'),
    (SOLUTION.replace('        super().__init__(**options)\n', ''), 'super().__init__'),
    (SOLUTION.replace('{**super().get_config(), ', '{'), 'has the name'),
    (SOLUTION.replace("'ones'", "'zeros'"), 'ones'),
    (SOLUTION.replace(", 'exponent': self.exponent", ''), 'exponent'),
)


def check(answer):
    tf.keras.backend.clear_session()
    layer = answer.Power(2.0, input_shape=(3,))
    if not hasattr(layer, '_inbound_nodes'):
        raise Wrong('Power is not a complete layer', 'super().__init__(**options) in __init__')
    model = tf.keras.Sequential([layer])
    if not layer.trainable_weights:
        raise Wrong('the layer has no weight', 'self.add_weight in build')
    if layer.count_params() != 3:
        raise Wrong(f'for 3 columns the layer has {layer.count_params()} numbers, not 3: '
                    'one for each column', 'shape=[int(input_shape[-1])]')
    layer(tf.zeros([2, 3]))
    if len(layer.weights) != 1:
        raise Wrong('each call makes another weight', 'self.add_weight in build, not in call')
    rows = np.array([[1., 2., 3.], [-1., 0., 4.]])
    if np.allclose(layer.get_weights()[0], 0):
        raise Wrong('the factors are 0 at first, not ones', "initializer='ones'")
    if not np.allclose(model.predict(rows), rows ** 2):
        raise Wrong(f'the square of {rows[0]} is {model.predict(rows)[0]}')
    layer.set_weights([np.array([1., 10., 100.])])
    if not np.allclose(model.predict(rows), rows ** 2 * [1, 10, 100]):
        raise Wrong('the weight has no effect, or not on its column', 'x ** exponent * factor')
    if 'get_config' not in vars(answer.Power):
        raise Wrong('Power has no get_config: tinyflow guesses the settings, TensorFlow cannot')
    try:
        again = type(layer).from_config(layer.get_config())
    except (TypeError, NotImplementedError) as error:
        raise Wrong(f'made again from its settings: {error}',
                    'get_config must return `exponent` as well as what super().get_config() does.'
                    ) from None
    if again.exponent != 2.0 or again.name != layer.name:
        raise Wrong('made again from its settings, the layer has other ones',
                    'begin with those of super().get_config(), which has the name.')
