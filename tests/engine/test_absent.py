"""PAINS A31: a TF1 name that is not there says so, and names what is nearest."""
import pytest

import tinyflow as tf
from tinyflow.absent import absent


def test_the_message_names_the_nearest():
    with pytest.raises(AttributeError, match=r'tf\.nn\.softmx is not in tinyflow yet.*'
                                             r'tf\.nn\.softmax'):
        _ = tf.nn.softmx


def test_hasattr_is_false():
    assert not hasattr(tf.nn, 'no_such_thing')
    assert hasattr(tf.nn, 'relu')


def test_a_contained_name_counts_as_near():
    with pytest.raises(AttributeError, match=r'nearest: tf\.x\.conv'):
        absent('tinyflow.x', ['conv', '_conv_hidden'])('quantized_conv_with_bias')


def test_nothing_near():
    with pytest.raises(AttributeError, match=r'tf\.x\.zzz is not in tinyflow yet\.$'):
        absent('tinyflow.x', ['relu'])('zzz')


def test_private_names_get_pythons_own_answer():
    with pytest.raises(AttributeError, match="module 'tinyflow.x' has no attribute '__path__'"):
        absent('tinyflow.x', ['relu'])('__path__')
