"""Updates of several small Variables as one instruction: the same bits, and only where allowed."""
from __future__ import annotations

import numpy as np
import pytest

import keras_layer as keras
import tinyflow as tf
from tests.compiler.test_passes import types
from tinyflow.compiler.compile import Options
from tinyflow.compiler.passes import PASSES
from tinyflow.compiler.rewrites.small_updates import _UPDATES
from tinyflow.graph.op import Op, nodes

pytestmark = pytest.mark.usefixtures('graph')

SHAPES = [[3, 4], [], [1], [7]]
WITHOUT = Options(passes=tuple(p for p in PASSES if p != 'small_updates'))
OPTIMIZERS = {
    'AdaMax': lambda: tf.contrib.opt.AdaMaxOptimizer(0.1),
    'Adadelta': lambda: tf.train.AdadeltaOptimizer(0.5),
    'Adagrad': lambda: tf.train.AdagradOptimizer(0.1),
    'AdagradV2': lambda: keras.optimizers.Adagrad(0.1),
    'Adam': lambda: tf.train.AdamOptimizer(0.1),
    'AdamWithAmsgrad': lambda: keras.optimizers.Adam(0.1, amsgrad=True),
    'CenteredRMSProp': lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    'KerasMomentum': lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    'Momentum': lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    'RMSProp': lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}


def variables(resource, shapes=SHAPES):
    rng = np.random.default_rng(0)
    return [tf.Variable(rng.normal(size=s).astype(np.float32), use_resource=resource)
            for s in shapes]


def loss_of(each):
    return tf.add_n([tf.reduce_sum(tf.sin(v) * v) for v in each])


def step_of(optimizer, each):
    loss = loss_of(each)
    if isinstance(optimizer, keras.optimizers.Optimizer):
        return tf.group(*optimizer.get_updates(loss, each))
    return optimizer.minimize(loss, var_list=each)


def joined(step):
    """The joined updates, and the number of other ones."""
    found = [t for t in types([step]) if 'Apply' in t]
    return [t for t in found if t[-1].isdigit()], len(found)


def test_every_update_that_is_joined_has_an_optimizer_here():
    bare = {name.removeprefix('Resource').removeprefix('Apply') for name in _UPDATES}
    assert bare == set(OPTIMIZERS)
    assert all(name in Op.registry for name in _UPDATES
               if not name.startswith('Apply') or 'Resource' + name not in Op.registry)


@pytest.mark.parametrize('name, resource', [
    *[(name, True) for name in OPTIMIZERS],
    *[(name, False) for name in OPTIMIZERS if 'Apply' + name in Op.registry]])
def test_the_same_bits_as_one_by_one(name, resource):
    each = variables(resource)
    step = step_of(OPTIMIZERS[name](), each)
    found, rest = joined(step)
    assert len(found) == rest == 1

    def after_some_steps(options):
        with tf.Session() as session:
            session._programs.options = options
            session.run(tf.global_variables_initializer())
            for _ in range(20):         # more than the updates until nearly decayed slots are 0
                session.run(step)
            return session.run(tf.global_variables())
    for a, b in zip(after_some_steps(Options()), after_some_steps(WITHOUT)):
        assert a.tobytes() == b.tobytes()


def test_only_those_with_the_same_numbers():
    each = variables(True)
    slow, fast = tf.train.AdamOptimizer(0.1), tf.train.AdamOptimizer(0.2)
    assert joined(tf.group(step_of(slow, each), step_of(fast, variables(True))))[1] == 2
    few = variables(True)[:2]
    assert joined(step_of(slow, few)) == ([], 2)


def test_large_variables_stay_alone():
    each = variables(True, [[5], [100, 100], [6], [7], [8]])
    found, rest = joined(step_of(tf.train.AdamOptimizer(0.1), each))
    assert len(found) == 1 and rest == 3
    many = variables(True, [[1000]] * 10)
    found, rest = joined(step_of(tf.train.AdamOptimizer(0.1), many))
    assert len(found) == 2 and rest == 4            # 4,000 elements and 4,000, then two alone


def test_an_update_whose_result_is_used_stays_alone():
    each = variables(False)
    slots = [tf.Variable(tf.zeros_like(v)) for v in each]
    updates = [nodes.ApplyMomentum(v, s, 0.1, tf.ones_like(v), 0.9) for v, s in zip(each, slots)]
    assert len(joined(tf.group(*updates))[0]) == 1
    assert joined(tf.group(tf.add_n([tf.reduce_sum(u) for u in updates]).op))[0] == []


def test_a_gradient_that_is_another_variable_has_its_value_before_the_step():
    a, b, c = variables(True, [[3], [3], [3]])
    step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(a * b) + tf.reduce_sum(c * a))
    fetch = [a, b, c]

    def run(options):
        with tf.Session() as session:
            session._programs.options = options
            session.run(tf.global_variables_initializer())
            session.run(step)
            return session.run(fetch)
    for x, y in zip(run(Options()), run(WITHOUT)):
        assert x.tobytes() == y.tobytes()


def test_training_that_goes_on_in_another_session_has_the_same_bits():
    each = variables(True)
    step = step_of(tf.train.AdamOptimizer(0.1), each)

    def trained(session, steps):
        for _ in range(steps):
            session.run(step)
        return session.run(tf.global_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        stopped, positions = trained(session, 10), session.positions()
        wanted = trained(session, 10)
    with tf.Session() as session:
        for variable, value in zip(tf.global_variables(), stopped):
            variable.load(value, session)
        session.set_positions(positions)
        for x, y in zip(trained(session, 10), wanted):
            assert x.tobytes() == y.tobytes()
