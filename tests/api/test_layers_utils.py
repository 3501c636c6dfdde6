"""tensorflow.python.layers.utils, with the values of TensorFlow 1.15.5."""
import pytest

import tinyflow as tf
from tinyflow.api.private import layers_utils as utils
from tinyflow.api.private_modules import homes_of

pytestmark = pytest.mark.usefixtures('graph')


@pytest.mark.parametrize('sizes, lengths', [
    ((10, 3, 'same', 2), (5, 19, 20)), ((10, 3, 'valid', 2), (4, 21, 21)),
    ((None, 3, 'same', 1), (None, None, None)), ((10, 3, 'full', 2), (6, 17, 17)),
    ((7, 5, 'valid', 3), (1, 23, 23)), ((11, 4, 'full', 3), (5, 28, 28))])
def test_sizes_of_convolutions(sizes, lengths):
    assert (utils.conv_output_length(*sizes), utils.conv_input_length(*sizes),
            utils.deconv_output_length(*sizes)) == lengths


def test_a_dilated_convolution_reaches_further():
    assert utils.conv_output_length(10, 3, 'valid', 1, 2) == 6
    with pytest.raises(ValueError, match="not 'causal'"):
        utils.conv_output_length(10, 3, 'causal', 1)


def test_conditions_that_are_known():
    known = {True: 't', 0: 'f', tf.constant(True): 't'}
    for pred, name in known.items():
        assert utils.smart_cond(pred, lambda: 't', lambda: 'f') == name
        assert utils.constant_value(pred) is (name == 't')
    for pred in (tf.placeholder(tf.bool), tf.Variable(True)):
        assert utils.constant_value(pred) is None
    with pytest.raises(TypeError, match='Python bool'):
        utils.constant_value(2)


def test_tuples():
    assert utils.normalize_tuple(2, 2, 'strides') == (2, 2)
    assert utils.normalize_tuple([3, 4], 2, 'strides') == (3, 4)
    for wrong in [(1,), 'a', (1, 'b'), None]:
        with pytest.raises(ValueError, match='`strides` argument must be a tuple of 2 integers'):
            utils.normalize_tuple(wrong, 2, 'strides')


def test_the_modules_names():
    assert homes_of('tensorflow.python.layers.utils') == ('tinyflow.api.private.layers_utils',)
    assert homes_of('tensorflow.python.framework.smart_cond') == (
        'tinyflow.ops.control_flow.smart_cond',)
