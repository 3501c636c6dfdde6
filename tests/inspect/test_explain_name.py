"""tf.explain_name: which scope gave each part of a name."""
from __future__ import annotations

import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def test_which_scope_gave_each_part_of_a_name():
    with tf.name_scope('model'), tf.variable_scope('layer'):
        w = tf.get_variable('w', [2])
        first, second = tf.add(w, 1., name='sum'), tf.add(w, 2., name='sum')
    assert (w.name, first.name, second.name) == ('layer/w:0', 'model/layer/sum:0',
                                                 'model/layer/sum_1:0')
    text = tf.explain_name(second)
    assert "'model/'  scope, opened at test_explain_name.py" in text
    assert "'_1' because 'sum' was taken" in text
    assert 'VariableV2' in tf.explain_name(w)


def test_scopes_entered_twice_get_a_number():
    for _ in range(2):
        with tf.name_scope('block'):
            y = tf.constant(1., name='y')
    assert y.name == 'block_1/y:0'
    assert "requested as 'block'; '_1' because that name was taken" in tf.explain_name(y)
    with pytest.raises(KeyError):
        tf.explain_name('nothing:0')
