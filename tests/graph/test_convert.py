"""Conversion of Python values to tensors."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph import convert
from tinyflow.graph.shapes import Dimension

pytestmark = pytest.mark.usefixtures('graph')


HUGE = 2 ** 70


@pytest.fixture
def conversions(monkeypatch):
    monkeypatch.setattr(convert, '_conversions', list(convert._conversions))


def test_the_conversion_of_lowest_priority_comes_first(conversions, session):
    class Metres:
        pass

    asked = []

    def answer(label, value):
        def to_tensor(_, dtype=None, name=None, as_ref=False):
            asked.append(label)
            return NotImplemented if value is None else tf.constant(value)
        return to_tensor

    tf.register_tensor_conversion_function(Metres, answer('late', 1.0), priority=200)
    tf.register_tensor_conversion_function(Metres, answer('usual', 2.0))
    tf.register_tensor_conversion_function(Metres, answer('usual again', 3.0))
    tf.register_tensor_conversion_function((Metres, Dimension), answer('early', None), priority=5)
    assert session.run(tf.convert_to_tensor(Metres())) == 2.0
    assert asked == ['early', 'usual']


def test_a_float_holds_a_huge_int(session):
    assert session.run(tf.constant(HUGE, tf.float32)) == np.float32(HUGE)
    assert session.run(tf.constant([1, HUGE], tf.float64)).tolist() == [1.0, float(HUGE)]
