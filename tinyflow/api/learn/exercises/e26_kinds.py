"""Three kinds of flowers.

Complete `network`: a compiled Keras model for rows of 4 numbers, whose labels are 0, 1 or 2. Its
output is a probability for each kind. Of well separated kinds 90% must be right after 40 epochs.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Keras', 14

START = '''
import tinyflow as tf

keras = tf.keras


def network():
    model = keras.Sequential([
        keras.layers.Dense(16, activation='relu', input_shape=(4,)),
        keras.layers.Dense(1, activation='sigmoid')])
    model.compile('adam', 'binary_crossentropy')
    return model
'''

HINTS = (
    'One output between 0 and 1 says yes or no. How many outputs do three kinds need?',
    'Probabilities of several kinds add up to 1: activation="softmax".',
    'Labels that are numbers: loss="sparse_categorical_crossentropy"; optimizer: Adam(0.01)',
)

SOLUTION = '''
import tinyflow as tf

keras = tf.keras


def network():
    model = keras.Sequential([
        keras.layers.Dense(16, activation='relu', input_shape=(4,)),
        keras.layers.Dense(3, activation='softmax')])
    model.compile(keras.optimizers.Adam(0.01), 'sparse_categorical_crossentropy')
    return model
'''

WRONG = (
    (START, 'one output'),
    (SOLUTION.replace('softmax', 'sigmoid'), 'add up to 1'),
    (SOLUTION.replace('sparse_', ''), 'sparse_categorical_crossentropy'),
    (SOLUTION.replace('return model', 'return keras.Sequential(model.layers)'), 'not compiled'),
)


def _count(outputs):
    if outputs != 3:
        raise Wrong(f'the model has {"one output" if outputs == 1 else f"{outputs} outputs"}, '
                    'not 3', 'one for each kind: Dense(3, activation="softmax")')


def check(answer):
    tf.keras.backend.clear_session()
    tf.set_random_seed(1)
    draw = np.random.RandomState(0)
    kinds = np.arange(150) % 3
    rows = draw.normal(size=(150, 4)) * 0.5 + np.eye(3, 4)[kinds] * 3
    model = given(answer.network(), 'the result')
    if getattr(model, 'optimizer', None) is None:
        raise Wrong('the model is not compiled', 'model.compile(optimizer, loss)')
    if isinstance(model, tf.keras.Sequential) and model.built:     # others know it after fit
        _count(model.output_shape[-1])
    try:
        model.fit(rows, kinds, epochs=40, batch_size=50, verbose=0)
    except ValueError as error:
        raise Wrong(str(error).splitlines()[0],
                    'for labels 0, 1, 2: sparse_categorical_crossentropy') from None
    found = model.predict(rows)
    _count(found.shape[-1])
    if not np.allclose(found.sum(1), 1, atol=1e-3):
        raise Wrong('the three probabilities of a row do not add up to 1', 'softmax')
    share = np.mean(found.argmax(1) == kinds)
    if share < 0.9:
        raise Wrong(f'after 40 epochs {share:.0%} are right', 'a larger learning rate: Adam(0.01)')
