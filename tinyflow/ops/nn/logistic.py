"""Element-wise losses of tf.nn (sigmoid cross entropy, log Poisson), and L2Loss."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.ops.array import constants, indexing
from tinyflow.ops.math import arithmetic, logic, unary
from tinyflow.ops.nn import activations
from tinyflow.ops.support.arguments import renamed


class L2Loss(Op):
    """Half the sum of squares."""

    signature = 't: T -> output: T'
    types = {'T': FLOATS}
    partial_rank = True

    def shape(t):
        return ()

    def kernel(t):
        flat = t.reshape(-1)
        if t.dtype == np.float16:
            flat = flat.astype(np.float32)
        return t.dtype.type(np.dot(flat, flat) / 2)

    def gradient(op, dy):
        return op.inputs[0] * dy


def l2_loss(t, name=None):
    """sum(t^2) / 2.

    Shapes: t [*a] -> [].
    """
    return L2Loss.apply(t, name=name)


def _check_same_shape(function, first, second, labels):
    """ValueError if the static shapes differ. They are not merged, as in TF1."""
    try:
        shapes.merge(second.raw_shape, first.raw_shape)
    except ValueError:
        names = ' and '.join(labels)
        raise misuse(ValueError(report(
            f'{function}: {names} must have the same shape ({first.shape} vs {second.shape})',
            inputs=list(zip(labels, (first, second))),
            hint='tf.reshape or tf.expand_dims makes the shapes equal; nothing is broadcast.',
        ))) from None


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """-z log(sigmoid(x)) - (1 - z) log(1 - sigmoid(x)) for logits x and labels z in [0, 1].

    Shapes: labels, logits [*a] -> [*a]. Computed as max(x, 0) - x z + log(1 + exp(-|x|)), which
    does not overflow. Only named arguments. ValueError if the shapes differ.
    """
    function = 'sigmoid_cross_entropy_with_logits'
    if _sentinel is not None:
        raise misuse(ValueError(report(
            f'Only call `{function}` with named arguments (labels=..., logits=..., ...)',
            hint=f'{function}(labels=y, logits=x): their order has changed between versions '
                 'of TensorFlow.' + why('named-arguments'))))
    if labels is None or logits is None:
        raise misuse(ValueError(f'{function}: Both labels and logits must be provided.'))
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name='logits')
        labels = convert_to_tensor(labels, name='labels')
        _check_same_shape(function, logits, labels, ('logits', 'labels'))
        zeros = constants.zeros_like(logits)
        positive = logits >= zeros
        rectified = indexing.where(positive, logits, zeros)
        minus_size = indexing.where(positive, -logits, logits)
        return arithmetic.add(rectified - logits * labels,
                              unary.log1p(unary.exp(minus_size)), name=scope)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None,
                                       targets=None):
    """Sigmoid cross entropy with the term of positive labels weighted by `pos_weight`.

    Shapes: labels, logits [*a] -> [*a]; pos_weight broadcasts. `targets` is the older name of
    `labels`. With l = 1 + (q - 1) z it is (1 - z) x + l (log(1 + exp(-|x|)) + max(-x, 0)).
    ValueError if the shapes differ.
    """
    labels = renamed('labels', labels, 'targets', targets)
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name='logits')
        labels = convert_to_tensor(labels, name='labels')
        _check_same_shape('weighted_cross_entropy_with_logits', logits, labels,
                          ('logits', 'labels'))
        log_weight = 1 + (pos_weight - 1) * labels
        linear = (1 - labels) * logits
        rest = unary.log1p(unary.exp(-arithmetic.abs(logits))) + activations.relu(-logits)
        return arithmetic.add(linear, log_weight * rest, name=scope)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(c) - z c for the log prediction c and counts z; the full loss adds Stirling's log(z!).

    Shapes: targets, log_input [*a] -> [*a]. ValueError if the shapes differ.
    """
    with name_scope(name, 'log_poisson_loss', [log_input, targets]):
        log_input = convert_to_tensor(log_input, name='log_input')
        targets = convert_to_tensor(targets, name='targets')
        _check_same_shape('log_poisson_loss', log_input, targets, ('log_input', 'targets'))
        result = unary.exp(log_input) - log_input * targets
        if compute_full_loss:
            result += _stirling(targets)
        return result


def _stirling(targets):
    """Stirling's z log(z) - z + log(2 pi z) / 2 for log(z!), and 0 for z in [0, 1]."""
    half = constants.constant(0.5, targets.dtype)
    two_pi = constants.constant(2 * math.pi, targets.dtype)
    approximation = (targets * unary.log(targets) - targets
                     + half * unary.log(two_pi * targets))
    zeros = constants.zeros_like(targets, targets.dtype)
    ones = constants.ones_like(targets, targets.dtype)
    small = logic.logical_and(targets >= zeros, targets <= ones)
    return indexing.where(small, zeros, approximation)


__all__ = ['l2_loss', 'log_poisson_loss', 'sigmoid_cross_entropy_with_logits',
           'weighted_cross_entropy_with_logits']
