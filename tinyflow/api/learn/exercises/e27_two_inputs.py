"""A model with two inputs.

Complete `network`: a functional model with the inputs "size" [rows, 2] and "age" [rows, 1], in this
order. Join them, then 8 hidden units with relu, then one output without activation.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Keras', 15

START = '''
import tinyflow as tf

keras = tf.keras


def network():
    size = keras.Input((2,), name='size')
    age = keras.Input((1,), name='age')
    hidden = keras.layers.Dense(8, activation='relu')(size)
    price = keras.layers.Dense(1)(hidden)
    return keras.Model([size, age], price)
'''

HINTS = (
    'A layer that takes a list of tensors and returns one, in which they stand side by side.',
    'keras.layers.concatenate([a, b])',
    "hidden = keras.layers.Dense(8, activation='relu')(keras.layers.concatenate([size, age]))",
)

SOLUTION = START.replace('(size)\n', '(both)\n').replace(
    '    hidden', '    both = keras.layers.concatenate([size, age])\n    hidden')

WRONG = (
    (START, 'does not depend on age'),
    (SOLUTION.replace('concatenate', 'add'), 'concatenate'),
    (SOLUTION.replace('concatenate([size, age])', 'concatenate([size, age], axis=0)'), 'rows'),
    (SOLUTION.replace('[size, age], price', '[age, size], price'), "['age', 'size']"),
    (SOLUTION.replace('Dense(1)', "Dense(1, activation='relu')"), 'never below 0'),
    (SOLUTION.replace(", activation='relu'", ''), 'no relu'),
)


def check(answer):
    tf.keras.backend.clear_session()
    tf.set_random_seed(3)
    try:
        model = given(answer.network(), 'the result')
        size, age = np.random.RandomState(0).normal(size=(60, 2)), np.ones((60, 1))
        if list(model.input_names) != ['size', 'age']:
            raise Wrong(f"the inputs are {model.input_names}, not ['size', 'age']",
                        "keras.Input(..., name='size'); keras.Model([size, age], price)")
        before, after = (model.predict([size, age * each]) for each in (1, 3))
        other = model.predict([-size, age])
        steps = [model.predict([size * each, age * each]) for each in (-1, 0, 1)]
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        raise Wrong(str(error).splitlines()[0],
                    'keras.Model([size, age], price) names all inputs.'
                    if 'disconnected' in str(error) else
                    'keras.layers.concatenate([size, age])' if 'list of inputs' in str(error) else
                    'keras.layers.concatenate joins the last axis; rows stay rows.') from None
    if before.shape != (60, 1):
        raise Wrong(f'for 60 rows the output has the shape {before.shape}, not (60, 1): one output '
                    'for each of the rows', 'concatenate joins the last axis.')
    for name, changed in (('age', after), ('size', other)):
        if np.allclose(before, changed):
            raise Wrong(f'the output does not depend on {name}', 'keras.layers.concatenate')
    shapes = [tuple(weight.shape.as_list()) for weight in model.trainable_weights]
    if shapes != [(3, 8), (8,), (8, 1), (1,)]:
        raise Wrong(f'the weights have the shapes {shapes}, not (3, 8), (8,), (8, 1), (1,)',
                    '2 and 1 columns are joined to 3: keras.layers.concatenate')
    if np.allclose(steps[2] - steps[1], steps[1] - steps[0], atol=1e-5):
        raise Wrong('the output is a straight line of the inputs: the hidden layer has no relu',
                    "Dense(8, activation='relu')")
    if (np.concatenate([before, after, other]) >= 0).all():
        raise Wrong('the output is never below 0', 'the last layer has no activation.')
