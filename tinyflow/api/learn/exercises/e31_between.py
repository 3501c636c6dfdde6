"""What a hidden layer says.

Complete `activations`: the output of the layer named "hidden" of a Keras `model` for the array
`rows`, as an array. The model is trained; do not train or change it.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Keras', 17

START = '''
import tinyflow as tf

keras = tf.keras


def activations(model, rows):
    return model.predict(rows)
'''

HINTS = (
    "model.get_layer('hidden').output is a tensor of the graph, like any other.",
    'Its Variables have their values in the Session of Keras: keras.backend.get_session().',
    "keras.Model(model.input, model.get_layer('hidden').output).predict(rows), or session.run",
)

SOLUTION = '''
import tinyflow as tf

keras = tf.keras


def activations(model, rows):
    session = keras.backend.get_session()
    return session.run(model.get_layer('hidden').output, {model.input: rows})
'''

WRONG = (
    (START, 'the output of the model'),
    (SOLUTION.replace('keras.backend.get_session()', 'tf.Session()'), 'another Session'),
    (SOLUTION.replace('keras.backend.get_session()',
                      'tf.Session()\n    session.run(tf.global_variables_initializer())'),
     'new random weights'),
    (SOLUTION.replace(").output, {model.input: rows}", ").output"), 'feed'),
)


def check(answer):
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(4, activation='tanh', name='hidden', input_shape=(3,)),
        tf.keras.layers.Dense(4, name='output')])
    rows = np.random.RandomState(0).normal(size=(5, 3)).astype('float32')
    kernel, bias = model.get_layer('hidden').get_weights()
    wanted = np.tanh(rows @ kernel + bias)
    try:
        found = np.asarray(given(answer.activations(model, rows), 'the result'))
    except tf.errors.FailedPreconditionError:
        raise Wrong('the Variables have no values: this is another Session than that of Keras',
                    'keras.backend.get_session()') from None
    except tf.errors.InvalidArgumentError as error:
        raise Wrong(str(error).splitlines()[0], 'feed the rows: {model.input: rows}') from None
    if found.dtype == object or found.shape != wanted.shape:
        raise Wrong(f'the result is {found!r:.60}, not an array [5, 4]',
                    'keras.backend.function returns a list: [0]' if found.shape[:1] == (1,) else
                    'the output of the layer for each row.')
    if np.allclose(found, model.predict(rows)):
        raise Wrong('this is the output of the model, not that of its layer "hidden"',
                    "model.get_layer('hidden').output")
    if not np.allclose(found, wanted, atol=1e-5):
        raise Wrong('the values are not those of the trained model: these are new random weights',
                    'use the Session of Keras, and do not initialise again.')
