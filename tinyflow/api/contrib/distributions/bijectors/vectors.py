"""Bijectors of vectors: to the simplex, to ascending numbers, other orders and shapes."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.unique import invert_permutation
from tinyflow.ops.math.scans import cumsum
from tinyflow.ops.nn.activations import softplus
from tinyflow.ops.nn.softmax import softmax


class SoftmaxCentered(Bijector):
    """y = softmax([x, 0]): vectors [n] -> points of the simplex [n + 1]."""

    def __init__(self, validate_args=False, name='softmax_centered'):
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, shape):
        return _longer(shape, 1)

    def _inverse_event_shape(self, shape):
        return _longer(shape, -1)

    def _forward_event_shape_tensor(self, shape):
        return joining.concat([shape[:-1], shape[-1:] + 1], 0)

    def _inverse_event_shape_tensor(self, shape):
        return joining.concat([shape[:-1], shape[-1:] - 1], 0)

    def _forward(self, x):
        zero = constants.zeros_like(x[..., :1])
        return softmax(joining.concat([x, zero], -1))

    def _inverse(self, y):
        logs = math.log(y)
        return logs[..., :-1] + -logs[..., -1:]

    def _inverse_log_det_jacobian(self, y):
        return -math.reduce_sum(math.log(y), axis=-1)

    def _forward_log_det_jacobian(self, x):
        # sqrt(n + 1) is the volume of the simplex's edges: the density is that on n coordinates.
        total = math.reduce_logsumexp(x, axis=-1, keepdims=True)
        size = shape_ops.shape(x)[-1]
        return (math.reduce_sum(x, axis=-1)
                - cast(size + 1, x.dtype) * softplus(total)[..., 0])


def _longer(shape, by):
    if shape.ndims is None or shape.ndims == 0:
        return TensorShape(None)
    last = shape[-1].value
    return shape[:-1].concatenate([None if last is None else last + by])


class Ordered(Bijector):
    """Ascending vectors -> vectors: the first number, and the logarithms of the differences."""

    def __init__(self, validate_args=False, name='ordered'):
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward(self, x):
        return joining.concat([x[..., :1], math.log(x[..., 1:] - x[..., :-1])], -1)

    def _inverse(self, y):
        return cumsum(joining.concat([y[..., :1], math.exp(y[..., 1:])], -1), axis=-1)

    def _inverse_log_det_jacobian(self, y):
        return math.reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x):
        return -math.reduce_sum(math.log(x[..., 1:] - x[..., :-1]), axis=-1)


class Permute(Bijector):
    """y[..., i] = x[..., permutation[i]]"""

    def __init__(self, permutation, validate_args=False, name=None):
        with name_scope(name or 'permute', values=[permutation]):
            permutation = convert_to_tensor(permutation, name='permutation')
            if not permutation.dtype.is_integer:
                raise misuse(TypeError('permutation.dtype must be an integer type, not '
                                       f'{permutation.dtype.name}'))
            known = constant_value(permutation)
            if known is not None and sorted(known.tolist()) != list(range(len(known))):
                raise misuse(ValueError(f'Permutation over `d` must contain exactly one of each of '
                                        f'`{{0, 1, ..., d}}`: {known.tolist()}'))
        self._permutation = permutation
        super().__init__(forward_min_event_ndims=1, is_constant_jacobian=True,
                         validate_args=validate_args, name=name or 'permute')

    @property
    def permutation(self):
        """Where each number comes from."""
        return self._permutation

    def _forward(self, x):
        return gathering.gather(x, self._permutation, axis=-1)

    def _inverse(self, y):
        return gathering.gather(y, invert_permutation(self._permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y):
        return constants.constant(0.0, y.dtype)

    def _forward_log_det_jacobian(self, x):
        return constants.constant(0.0, x.dtype)


class Reshape(Bijector):
    """Events of one shape as events of another; one size may be -1."""

    def __init__(self, event_shape_out, event_shape_in=(-1,), validate_args=False, name=None):
        name = name or 'reshape'
        with name_scope(name, values=[event_shape_out, event_shape_in]):
            self._out = _known_shape(event_shape_out, 'event_shape_out')
            self._in = _known_shape(event_shape_in, 'event_shape_in')
        known = [np.prod(shape) for shape in (self._out, self._in) if -1 not in shape]
        if len(known) == 2 and known[0] != known[1]:
            raise misuse(ValueError(f'Input and output event sizes do not match: {self._in} and '
                                    f'{self._out}.'))
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True,
                         validate_args=validate_args, name=name)

    def _forward(self, x):
        return self._reshaped(x, self._in, self._out)

    def _inverse(self, y):
        return self._reshaped(y, self._out, self._in)

    def _reshaped(self, x, old, new):
        x.shape.with_rank_at_least(len(old))
        outer = shape_ops.shape(x)[:shape_ops.rank(x) - len(old)]
        result = shaping.reshape(x, joining.concat([outer, np.array(new, np.int32)], 0))
        if x.shape.ndims is not None:
            kept = x.shape[:x.shape.ndims - len(old)]
            event = self._event(x.shape[x.shape.ndims - len(old):], old, new)
            result.set_shape(kept.concatenate(event))
        return result

    def _inverse_log_det_jacobian(self, y):
        return constants.constant(0.0, y.dtype)

    def _forward_log_det_jacobian(self, x):
        return constants.constant(0.0, x.dtype)

    def _event(self, shape, old, new):
        sizes = [size if size != -1 else None for size in old]
        if shape.is_fully_defined():
            sizes = shape.as_list()
        wanted = [size if size != -1 else None for size in new]
        if None not in sizes and wanted.count(None) == 1:
            rest = int(np.prod([size for size in wanted if size is not None]))
            wanted[wanted.index(None)] = int(np.prod(sizes)) // rest
        return TensorShape(wanted)

    def _forward_event_shape(self, shape):
        return self._changed(shape, self._in, self._out)

    def _inverse_event_shape(self, shape):
        return self._changed(shape, self._out, self._in)

    def _changed(self, shape, old, new):
        if shape.ndims is None or shape.ndims < len(old):
            return TensorShape(None)
        outer = shape.ndims - len(old)
        return shape[:outer].concatenate(self._event(shape[outer:], old, new))

    def _forward_event_shape_tensor(self, shape):
        return self._changed_tensor(shape, self._in, self._out)

    def _inverse_event_shape_tensor(self, shape):
        return self._changed_tensor(shape, self._out, self._in)

    def _changed_tensor(self, shape, old, new):
        known = constant_value(shape)
        if known is None:
            raise misuse(NotImplementedError('Reshape of events whose shape is not known before '
                                             'the graph runs'))
        event = self._changed(TensorShape(known.tolist()), old, new).as_list()
        return constants.constant(event, dtypes.int32)


def _known_shape(shape, name):
    known = constant_value(convert_to_tensor(shape, dtypes.int32, name=name))
    if known is None:
        raise misuse(NotImplementedError('Reshape to a shape that is not known before the graph '
                                         'runs'))
    if known.ndim != 1:
        raise misuse(ValueError(f'event_shape must be a vector, not of rank {known.ndim}'))
    if (known < -1).any() or (known == -1).sum() > 1:
        raise misuse(ValueError('event_shape must have at most one -1, and no other negative '
                                f'number: {known.tolist()}'))
    return known.tolist()


__all__ = ['Ordered', 'Permute', 'Reshape', 'SoftmaxCentered']
