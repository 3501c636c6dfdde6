"""It becomes slower and slower.

The program is right, but each step takes longer than the one before: its graph grows. Repair
`train`: it may build before the loop only, and must give the same values.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'find the bug', 3

START = '''
import tinyflow as tf


def train(session, weight, rates):
    """Divides the Variable `weight` by 1 + rate, for each rate; returns its values."""
    values = []
    for rate in rates:
        session.run(tf.assign(weight, weight / (1.0 + rate)))
        values.append(session.run(weight))
    return values
'''

HINTS = (
    'tf.assign and / compute nothing: each makes nodes. Which of them are in the loop?',
    'What changes from step to step is a placeholder, and is fed.',
    'rate = tf.placeholder(tf.float32, []); step = tf.assign(...); then session.run(step, ...)',
)

SOLUTION = '''
import tinyflow as tf


def train(session, weight, rates):
    """Divides the Variable `weight` by 1 + rate, for each rate; returns its values."""
    rate = tf.placeholder(tf.float32, [])
    step = tf.assign(weight, weight / (1.0 + rate))
    values = []
    for each in rates:
        session.run(step, {rate: each})
        values.append(session.run(weight))
    return values
'''

WRONG = (
    (START, 'the graph grows'),
    ('''
import tinyflow as tf
def train(session, weight, rates):
    step = tf.assign(weight, weight / (1.0 + rates[0]))
    return [session.run(step) for _ in rates]
''', 'not [5.0, 2.5, 0.5]'),
    (SOLUTION.replace('values = []', 'values = [session.run(weight)]'), 'not [5.0, 2.5, 0.5]'),
    ('''
import tinyflow as tf
def train(session, weight, rates):
    values = []
    for rate in rates:
        weight.load(session.run(weight) / (1.0 + rate), session)
        values.append(session.run(weight + 0.0))
    return values
''', 'the graph grows'),
    ('''
def train(session, weight, rates):
    value, values = 10.0, []
    for rate in rates:
        value = value / (1.0 + rate)
        values.append(value)
    return values
''', 'the Variable holds'),
    (SOLUTION.replace('run(step, {rate: each})', 'run([step], {rate: each})')
     .replace('session.run(weight)', 'session.run([weight])'), 'not a number'),
    (SOLUTION.replace('    values = []', '    session.run(weight.initializer)\n    values = []'),
     'begins again'),
)


def check(answer):
    weight = tf.Variable(10.)
    graph = tf.get_default_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = given(answer.train(session, weight, [1., 1., 4.]), 'the result')
        if not all(np.ndim(value) == 0 for value in found):
            raise Wrong(f'a value is {found[0]}, not a number',
                        'session.run(step), not session.run([step])')
        if [float(value) for value in found] != [5., 2.5, 0.5]:
            raise Wrong(f'for the rates 1, 1, 4 the values are {[float(v) for v in found]}, not '
                        '[5.0, 2.5, 0.5]')
        if session.run(weight) != 0.5:
            raise Wrong(f'the values are right, but the Variable holds {session.run(weight)}, not '
                        '0.5', 'each step is an assignment to `weight`.')
        second = answer.train(session, weight, [1.])
        if float(second[0]) != 0.25:
            raise Wrong(f'a second call begins again: it gives {float(second[0])}, not 0.25',
                        'do not initialise what has a value.')
        made = []
        for count in (2, 12):
            before = len(graph.get_operations())
            answer.train(session, weight, [0.1] * count)
            made.append(len(graph.get_operations()) - before)
    if made[0] != made[1]:
        raise Wrong(f'the graph grows: by {made[0]} operations for 2 steps, {made[1]} for 12',
                    'build before the loop; feed the rate.')
