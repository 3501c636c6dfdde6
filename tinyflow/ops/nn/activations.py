"""Activation functions (Relu, Elu, Softplus, ...) and their gradient ops.

Each gradient op makes a single pass over memory where the composed form takes several; all of them
are differentiable in turn.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, REAL, float32
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.ops.array import identity_and_cast, joining
from tinyflow.ops.math import arithmetic, unary
from tinyflow.ops.support.elementwise_helpers import output_buffer

# The constants of Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017.
_SELU_SCALE = 1.0507009873554805
_SELU_SCALE_ALPHA = 1.7580993408473766


class _Activation(Unary, abstract=True):
    signature = 'features: T -> activations: T'
    types = {'T': FLOATS}


class _ActivationGrad(Elementwise, abstract=True):
    """The incoming gradient times the slope, computed from the activation's input or output."""

    signature = 'gradients: T, features: T -> backprops: T'
    types = {'T': FLOATS}

    def shape(gradients, features):
        return shapes.merge(gradients, features)


def _where(condition, x):
    """x where the condition holds, 0 elsewhere, as graph nodes."""
    return x * identity_and_cast.cast(condition, x.dtype)


class Relu(_Activation):
    types = {'T': REAL}

    def kernel(x, out=None):
        return np.maximum(x, 0, out=out)

    def emit(call):
        zero = call.constant(np.zeros((), call.inputs[0].dtype.np))
        return f'np.maximum({call.args[0]}, {zero}, out={call.out})'

    def gradient(op, dy):
        return ReluGrad.apply(dy, op.outputs[0])


class ReluGrad(_ActivationGrad):
    types = {'T': REAL}

    def kernel(dy, y, out=None):
        return np.multiply(dy, y > 0, out=out)

    def gradient(op, ddy):
        return ReluGrad.apply(ddy, op.inputs[1]), None


class Relu6(_Activation):
    types = {'T': REAL}

    def kernel(x, out=None):
        out = np.maximum(x, 0, out=output_buffer(out, x))
        return np.minimum(out, 6, out=out)

    def gradient(op, dy):
        return Relu6Grad.apply(dy, op.outputs[0])


class Relu6Grad(_ActivationGrad):
    types = {'T': REAL}

    def kernel(dy, y, out=None):
        return np.multiply(dy, (y > 0) & (y < 6), out=out)

    def gradient(op, ddy):
        return Relu6Grad.apply(ddy, op.inputs[1]), None


def _exponential_branch(x):
    """exp(x) - 1 where x is negative, 0 elsewhere."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    np.exp(result, result)
    return np.subtract(result, 1, result)


class Elu(_Activation):
    def kernel(x, out=None):
        # exp(x) - 1 >= x, so the larger of the two is the right branch on both sides.
        return np.maximum(x, _exponential_branch(x), out=out)

    def gradient(op, dy):
        return EluGrad.apply(dy, op.outputs[0])


class EluGrad(_ActivationGrad):
    signature = 'gradients: T, outputs: T -> backprops: T'

    def kernel(dy, y, out=None):
        slope = np.fmin(y, 0, out=np.empty_like(y))     # TF's slope at NaN is 1
        np.add(slope, 1, slope)
        return np.multiply(dy, slope, out=out)

    def gradient(op, ddy):
        dy, y = op.inputs
        return EluGrad.apply(ddy, y), _where(y < 0, ddy * dy)


class Selu(_Activation):
    def kernel(x, out=None):
        negative = _exponential_branch(x)
        np.multiply(negative, _SELU_SCALE_ALPHA, negative)
        out = np.maximum(x, 0, out=output_buffer(out, x))
        np.multiply(out, _SELU_SCALE, out)
        return np.add(out, negative, out)

    def gradient(op, dy):
        return SeluGrad.apply(dy, op.outputs[0])


class SeluGrad(_ActivationGrad):
    signature = 'gradients: T, outputs: T -> backprops: T'

    def kernel(dy, y, out=None):
        kind = y.dtype.type
        slope = np.where(y < 0, y + kind(_SELU_SCALE_ALPHA), kind(_SELU_SCALE))
        return np.multiply(dy, slope, out=out)

    def gradient(op, ddy):
        dy, y = op.inputs
        return SeluGrad.apply(ddy, y), _where(y < 0, ddy * dy)


class Softplus(_Activation):
    def kernel(x, out=None):
        small = np.abs(x, out=np.empty_like(x))
        np.negative(small, small)
        np.exp(small, small)
        np.log1p(small, small)
        out = np.maximum(x, 0, out=output_buffer(out, x))
        return np.add(out, small, out)

    def gradient(op, dy):
        return SoftplusGrad.apply(dy, op.inputs[0])


class SoftplusGrad(_ActivationGrad):
    def kernel(dy, x, out=None):
        divisor = np.negative(x, np.empty_like(x))
        np.exp(divisor, divisor)
        np.add(divisor, 1, divisor)
        return np.divide(dy, divisor, out=out)

    def gradient(op, ddy):
        dy, x = op.inputs
        slope = unary.sigmoid(x)
        return SoftplusGrad.apply(ddy, x), ddy * dy * slope * (1.0 - slope)


class Softsign(_Activation):
    def kernel(x, out=None):
        divisor = np.abs(x, out=np.empty_like(x))
        np.add(divisor, 1, divisor)
        return np.divide(x, divisor, out=out)

    def gradient(op, dy):
        return SoftsignGrad.apply(dy, op.inputs[0])


class SoftsignGrad(_ActivationGrad):
    def kernel(dy, x, out=None):
        divisor = np.abs(x, out=np.empty_like(x))
        np.add(divisor, 1, divisor)
        np.multiply(divisor, divisor, divisor)
        return np.divide(dy, divisor, out=out)

    def gradient(op, ddy):
        dy, x = op.inputs
        steepness = -2.0 * arithmetic.sign(x) / (1.0 + arithmetic.abs(x))
        return SoftsignGrad.apply(ddy, x), SoftsignGrad.apply(ddy * dy * steepness, x)


class LeakyRelu(_Activation):
    attrs = {'alpha': 0.2}

    def kernel(x, out=None, *, alpha):
        scaled = np.multiply(x, alpha, np.empty_like(x))
        if alpha <= 1:
            return np.maximum(x, scaled, out=out)
        return np.minimum(x, scaled, out=out)

    def gradient(op, dy):
        return LeakyReluGrad.apply(dy, op.inputs[0], alpha=op.attrs['alpha'])


class LeakyReluGrad(_ActivationGrad):
    attrs = {'alpha': 0.2}

    def kernel(dy, x, out=None, *, alpha):
        kind = x.dtype.type
        return np.multiply(dy, np.where(x > 0, kind(1), kind(alpha)), out=out)

    def gradient(op, ddy):
        return LeakyReluGrad.apply(ddy, op.inputs[1], alpha=op.attrs['alpha']), None


# ---- public functions ----------------------------------------------------------------------


def relu(features, name=None):
    """max(x, 0), element by element. Its derivative at 0 is 0.

    Shapes: features [*a] -> [*a].
    """
    return Relu.apply(features, name=name)


def relu6(features, name=None):
    """min(max(x, 0), 6), element by element.

    Shapes: features [*a] -> [*a]. Source: Krizhevsky, "Convolutional deep belief networks on
    CIFAR-10", 2010.
    """
    with name_scope(name, 'Relu6', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        return Relu6.apply(features, name=scope)


def elu(features, name=None):
    """exp(x) - 1 where x < 0, x elsewhere.

    Shapes: features [*a] -> [*a]. Source: Clevert et al., "Fast and accurate deep network learning
    by exponential linear units", ICLR 2016.
    """
    return Elu.apply(features, name=name)


def selu(features, name=None):
    """scale * elu with slope alpha, two constants chosen to keep mean 0 and variance 1.

    Shapes: features [*a] -> [*a]. Source: Klambauer et al., "Self-normalizing neural networks",
    NeurIPS 2017.
    """
    return Selu.apply(features, name=name)


def softplus(features, name=None):
    """log(1 + exp(x)), without overflow.

    Shapes: features [*a] -> [*a].
    """
    return Softplus.apply(features, name=name)


def softsign(features, name=None):
    """x / (1 + |x|).

    Shapes: features [*a] -> [*a].
    """
    return Softsign.apply(features, name=name)


def leaky_relu(features, alpha=0.2, name=None):
    """x where x > 0, alpha * x elsewhere; integers become float32.

    Shapes: features [*a] -> [*a]. Source: Maas et al., "Rectifier nonlinearities improve neural
    network acoustic models", ICML 2013.
    """
    with name_scope(name, 'LeakyRelu', [features, alpha]) as scope:
        features = convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = identity_and_cast.cast(features, float32)
        return LeakyRelu.apply(features, alpha=float(alpha), name=scope)


def crelu(features, name=None, axis=-1):
    """relu of x and of -x, concatenated along `axis`, which becomes twice as long.

    Shapes: features [*a, n] -> [*a, 2 * n]. Source: Shang et al., "Understanding and improving
    convolutional neural networks via concatenated rectified linear units", ICML 2016.
    """
    with name_scope(name, 'CRelu', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        both = joining.concat([features, -features], axis, name=scope)
        return relu(both)


def swish(features):
    """x * sigmoid(x).

    Shapes: features [*a] -> [*a]. Source: Ramachandran et al., "Searching for activation
    functions", 2017.
    """
    features = convert_to_tensor(features, name='features')
    result = features * unary.sigmoid(features)
    # TF's custom_gradient adds these two nodes; they change no value, only keep the graph equal.
    identity_and_cast.identity(result)
    return identity_and_cast.identity_n([result, features])[0]


__all__ = ['crelu', 'elu', 'leaky_relu', 'relu', 'relu6', 'selu', 'softplus', 'softsign', 'swish']
