"""The classes of errors are TensorFlow's, and an error knows its operation."""
from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import load_errors
from tests.golden.error_cases import ERRORS
from tinyflow.graph.support.missing import MissingNameError

pytestmark = pytest.mark.usefixtures('graph')


RECORDED = load_errors()


# What TF refuses and tinyflow does, with the warning that says so.
FORGIVEN = {'while_loop_shape_changes': r'\[loop-shape\]'}


def provoke(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ERRORS[name](tf, np)


@pytest.mark.parametrize('name', [n for n in RECORDED if n not in FORGIVEN])
def test_same_class_as_tensorflow(name):
    """The class by name, so that `except` clauses of TF1 programs catch what they did."""
    with pytest.raises(Exception) as caught:                # noqa: B017, PT011 - compared below
        provoke(name)
    assert type(caught.value).__name__ == RECORDED[name], caught.value
    assert not isinstance(caught.value, MissingNameError), caught.value
    assert not re.search(r'0x[0-9a-f]{6}', str(caught.value)), 'a memory address in the message'


@pytest.mark.parametrize('name', FORGIVEN)
def test_arguments_accepted_with_a_warning(name):
    with pytest.warns(tf.errors.TinyflowWarning, match=FORGIVEN[name]):
        ERRORS[name](tf, np)


def test_every_recorded_mistake_is_known():
    assert set(RECORDED) == set(ERRORS)


def test_an_error_knows_its_operation(session):
    """`error.op` and `error.message`, which TF1 programs look at."""
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [7], name='seven')
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: np.ones(3)})
    assert caught.value.op is y.op and 'seven' in caught.value.message
    assert caught.value.error_code == tf.errors.INVALID_ARGUMENT


def test_an_error_knows_its_nodes_definition(session):
    x = tf.placeholder(tf.float32, [None], name='x')
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(tf.reshape(x, [3], name='r'), {x: [1.0]})
    assert caught.value.op.name == caught.value.node_def.name == 'r'
    assert caught.value.node_def.op == 'Reshape'
    element = tf.data.Dataset.range(0).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.OutOfRangeError) as caught:
        session.run(element)
    assert caught.value.node_def.op == 'IteratorGetNext'
    given = tf.NodeDef(name='n')
    assert tf.errors.NotFoundError(given, None, 'x').node_def is given
    assert tf.errors.NotFoundError(None, None, 'x').node_def is None
