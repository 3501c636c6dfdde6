"""Functions of single ops, gen_nn_ops.relu_grad and its like, and gradient functions, as programs
that change gradients or derive optimizers call them. The numbers are TensorFlow 1.15.5's."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.private import framework_ops, gen_ops, gradient_functions


def test_guided_gradients(session):
    @tf.RegisterGradient('GuidedReluOfTest')
    def guided(op, grad):
        return tf.where(0. < grad, gen_ops.relu_grad(grad, op.outputs[0]),
                        tf.zeros(tf.shape(grad)))
    x = tf.constant([[-1., 2., 3.]])
    with tf.get_default_graph().gradient_override_map({'Relu': 'GuidedReluOfTest'}):
        y = tf.nn.relu(x)
    (dx,) = tf.gradients(y * [[1., -2., 3.]], x)
    assert session.run(dx).tolist() == [[0, 0, 3]]
    assert framework_ops.get_gradient_function(y.op) is guided
    assert session.run(gradient_functions._ReluGrad(y.op, tf.ones([1, 3]))).tolist() == [[0, 1, 1]]
    with pytest.raises(AttributeError):
        gradient_functions._NoSuchGrad  # noqa: B018


def test_attributes_by_position_and_by_name(session):
    x = tf.constant(np.arange(16.).reshape(1, 4, 4, 1), tf.float32)
    y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
    for made in (gen_ops.max_pool_grad(x, y, tf.ones_like(y), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'),
                 gen_ops.max_pool_grad(x, y, tf.ones_like(y), ksize=[1, 2, 2, 1], name='g',
                                       strides=[1, 2, 2, 1], padding=b'VALID')):
        assert session.run(made).reshape(4, 4).tolist() == [
            [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]]
    assert made.name == 'g:0' and made.op.type == 'MaxPoolGrad'
    assert session.run(gen_ops._sum([[1., 2.]], 1, keep_dims=True)).tolist() == [[3]]
    assert gen_ops.cast([1.5], np.int32).dtype is tf.int32
    best = gen_ops.top_kv2([1., 3., 2.], 2)
    assert type(best).__name__ == 'TopKV2' and session.run(best.indices).tolist() == [1, 2]


@pytest.mark.parametrize('call, says', [
    (lambda: gen_ops.relu_grad([1.]), 'misses the arguments features'),
    (lambda: gen_ops.relu([1.], feature=2), 'does not take feature; it takes features, name'),
    (lambda: gen_ops.relu([1.], None, 3), 'does not take 3 arguments'),
    (lambda: gen_ops.relu([1.], features=2.), 'does not take features'),
])
def test_wrong_arguments(call, says):
    with pytest.raises(TypeError, match=says):
        call()


def test_there_is_no_such_op():
    with pytest.raises(AttributeError, match='no_such_op'):
        gen_ops.no_such_op  # noqa: B018
    assert not hasattr(gen_ops, '__wrapped__')
