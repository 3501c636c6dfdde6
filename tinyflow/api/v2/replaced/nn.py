"""tf.nn: gelu, silu, and losses whose TensorFlow 1 form has another meaning."""
from __future__ import annotations

import math

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.ctc.dense_labels import ctc_loss_v2 as ctc_loss
from tinyflow.ops.math import special, unary
from tinyflow.ops.nn import cross_entropy

__all__ = ['ctc_loss', 'gelu', 'silu', 'softmax_cross_entropy_with_logits', 'swish']


def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """-sum(labels * log softmax(logits)); the gradient goes to the labels, too.

    Shapes: labels and logits [batch, classes] -> [batch].
    """
    return cross_entropy.softmax_cross_entropy_with_logits_v2(labels, logits, axis, name)


def silu(features, beta=1.0):
    """features * sigmoid(beta * features), the swish function."""
    features = convert_to_tensor(features, name='features')
    return features * unary.sigmoid(convert_to_tensor(beta, features.dtype) * features)


swish = silu


def gelu(features, approximate=False, name=None):
    """features * P(X <= features), X normally distributed; or its approximation by tanh.

    Hendrycks and Gimpel (2016).
    """
    with name_scope(name, 'Gelu', [features]):
        features = convert_to_tensor(features, name='features')
        if approximate:
            inside = math.sqrt(2 / math.pi) * (features + 0.044715 * features ** 3)
            return 0.5 * features * (1. + unary.tanh(inside))
        return 0.5 * features * (1. + special.erf(features / math.sqrt(2.)))
