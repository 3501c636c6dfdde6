"""Bijector: an invertible function, and the logarithm of its Jacobian's determinant.

A class gives `_forward`, `_inverse`, and one of `_forward_log_det_jacobian` and
`_inverse_log_det_jacobian`, which are called inside the name scope of the object and of the public
method. Results are kept: the inverse of what `forward` gave is the tensor that it was given.
"""
from __future__ import annotations

import contextlib

from tinyflow.api import math
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape, as_shape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, shape_ops


class Bijector:
    """Base of all bijectors: y = forward(x), x = inverse(y).

    `forward_min_event_ndims` is the number of axes, from the last, that the function cannot be
    divided into; 0 for a function of each number.
    """

    _is_injective = True

    def __init__(self, graph_parents=None, is_constant_jacobian=False, validate_args=False,
                 dtype=None, forward_min_event_ndims=None, inverse_min_event_ndims=None,
                 name=None):
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise misuse(ValueError('Must specify at least one of `forward_min_event_ndims` and '
                                    '`inverse_min_event_ndims`.'))
        first = forward_min_event_ndims
        self._forward_min = inverse_min_event_ndims if first is None else first
        self._inverse_min = self._forward_min if inverse_min_event_ndims is None else \
            inverse_min_event_ndims
        for count in (self._forward_min, self._inverse_min):
            if not isinstance(count, int):
                raise misuse(TypeError('Expected forward_min_event_ndims to be of type int, got '
                                       f'{type(count).__name__}'))
            if count < 0:
                raise misuse(ValueError('forward_min_event_ndims must be a non-negative integer.'))
        self._graph_parents = list(graph_parents or [])
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args, self._dtype = validate_args, dtype
        self._name = name or _snake(type(self).__name__)
        self._constant_ildj = {}
        self._known = []                # what was computed: dicts with x, y, ildj

    # ---- properties ------------------------------------------------------------------------

    @property
    def name(self):
        """The name."""
        return self._name

    @property
    def dtype(self):
        """The dtype, if there is only one that fits."""
        return self._dtype

    @property
    def graph_parents(self):
        """The tensors that it was made of."""
        return self._graph_parents

    @property
    def is_constant_jacobian(self):
        """Whether the Jacobian is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def validate_args(self):
        """Whether values are checked when run."""
        return self._validate_args

    @property
    def forward_min_event_ndims(self):
        """The rank of the smallest event that `forward` takes."""
        return self._forward_min

    @property
    def inverse_min_event_ndims(self):
        """The rank of the smallest event that `inverse` takes."""
        return self._inverse_min

    # ---- shapes ----------------------------------------------------------------------------

    def forward_event_shape(self, input_shape):
        """The static shape of forward(x) of an event of that shape."""
        return as_shape(self._forward_event_shape(TensorShape(input_shape)))

    def inverse_event_shape(self, output_shape):
        """The static shape of inverse(y) of an event of that shape."""
        return as_shape(self._inverse_event_shape(TensorShape(output_shape)))

    def forward_event_shape_tensor(self, input_shape, name='forward_event_shape_tensor'):
        """The shape of forward(x) of an event of that shape, a tensor."""
        with self._name_scope(name, [input_shape]):
            return self._forward_event_shape_tensor(convert_to_tensor(
                input_shape, dtypes.int32, name='input_shape'))

    def inverse_event_shape_tensor(self, output_shape, name='inverse_event_shape_tensor'):
        """The shape of inverse(y) of an event of that shape, a tensor."""
        with self._name_scope(name, [output_shape]):
            return self._inverse_event_shape_tensor(convert_to_tensor(
                output_shape, dtypes.int32, name='output_shape'))

    def _forward_event_shape(self, shape):
        return shape

    _inverse_event_shape = _forward_event_shape_tensor = _inverse_event_shape_tensor = \
        _forward_event_shape

    # ---- values ----------------------------------------------------------------------------

    def forward(self, x, name='forward'):
        """y, of x."""
        return self._value('x', 'y', self._forward, x, name)

    def inverse(self, y, name='inverse'):
        """x, of y."""
        return self._value('y', 'x', self._inverse, y, name)

    def _value(self, given, wanted, function, value, name, **kwargs):
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, self._dtype, name=given)
            known = self._lookup(given, value)
            if known.get('given', kwargs) != kwargs:
                known = {given: value}
            if wanted not in known:
                known[wanted], known['given'] = function(value, **kwargs), kwargs
                if self._is_injective:
                    self._known.append(known)
            return known[wanted]

    def _lookup(self, key, value):
        """What is known of a tensor; a new dict if nothing is."""
        for known in self._known:
            if known.get(key) is value:
                return known
        return {key: value}

    def forward_log_det_jacobian(self, x, event_ndims, name='forward_log_det_jacobian'):
        """log |det dy/dx| at x, summed over the last `event_ndims` axes."""
        return self._log_det('x', x, event_ndims, name)

    def inverse_log_det_jacobian(self, y, event_ndims, name='inverse_log_det_jacobian'):
        """log |det dx/dy| at y, summed over the last `event_ndims` axes."""
        return self._log_det('y', y, event_ndims, name)

    def _log_det(self, given, value, event_ndims, name, **kwargs):
        forward = given == 'x'
        if forward and not self._is_injective:
            raise misuse(NotImplementedError('forward_log_det_jacobian cannot be implemented for '
                                             'non-injective transforms.'))
        least = self._forward_min if forward else self._inverse_min
        with self._name_scope(name, [value]):
            event_ndims = _static(event_ndims)
            if event_ndims < least:
                raise misuse(ValueError(f'event_ndims ({event_ndims}) must be larger than '
                                        f'min_event_ndims ({least})'))
            key = event_ndims - least
            if key in self._constant_ildj:
                found = self._constant_ildj[key]
                return -found if forward else found
            convert_to_tensor(event_ndims, dtypes.int32, name='event_ndims')
            value = convert_to_tensor(value, self._dtype, name=given)
            known = self._lookup(given, value)
            if ('ildj', key) in known:
                found = known['ildj', key]
                return -found if forward else found
            if not self._is_injective:
                return tuple(self._reduced(value, part, least, event_ndims)
                             for part in self._inverse_log_det_jacobian(value, **kwargs))
            found = self._reduced(value, self._ildj(given, value, kwargs), least, event_ndims)
            if self._is_constant_jacobian:
                self._constant_ildj[key] = found
            if given in known and len(known) == 1:
                self._known.append(known)
            known['ildj', key] = found
            return -found if forward else found

    def _ildj(self, given, value, kwargs):
        """log |det dx/dy|, by the method that the class has."""
        if given == 'x':
            if hasattr(self, '_forward_log_det_jacobian'):
                return -self._forward_log_det_jacobian(value, **kwargs)
            known = self._lookup('x', value)
            y = known['y'] if 'y' in known else self._forward(value, **kwargs)
            return self._inverse_log_det_jacobian(y, **kwargs)
        if hasattr(self, '_inverse_log_det_jacobian'):
            return self._inverse_log_det_jacobian(value, **kwargs)
        known = self._lookup('y', value)
        x = known['x'] if 'x' in known else self._inverse(value, **kwargs)
        return -self._forward_log_det_jacobian(x, **kwargs)

    def _reduced(self, value, ildj, least, event_ndims):
        """The sum over the axes of the event that are not of the smallest one."""
        rank = shape_ops.rank(value)
        sizes = shape_ops.shape(value)[rank - event_ndims:rank - least]
        ones = constants.ones(sizes, ildj.dtype)
        total = math.reduce_sum(ones * ildj, axis=[-i for i in range(1, event_ndims - least + 1)])
        if value.shape.ndims is not None and ildj.shape.ndims is not None:
            self._set_shape(total, value.shape, ildj.shape, least, event_ndims)
        return total

    @staticmethod
    def _set_shape(total, shape, ildj_shape, least, event_ndims):
        inner = shape.ndims - event_ndims
        kept = ildj_shape.ndims - (event_ndims - least)
        if kept > 0 or inner >= 0:
            with contextlib.suppress(ValueError):
                total.set_shape(ildj_shape[:max(kept, 0)])

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with name_scope(self.name), name_scope(
                name, values=[*(values or []), *self._graph_parents]) as scope:
            yield scope

    def __call__(self, value, name=None):
        """The value of a tensor; the transformation of a distribution; the chain of a bijector."""
        return self.forward(value, name=name or 'forward')


@contextlib.contextmanager
def init_scope(name, values=()):
    """The scope of what a bijector is made of."""
    with name_scope(name), name_scope('init', values=list(values)):
        yield


def _static(event_ndims):
    if not isinstance(event_ndims, int) and not hasattr(event_ndims, '__index__'):
        raise misuse(NotImplementedError('event_ndims that is not known before the graph runs'))
    return int(event_ndims)


def _snake(name):
    return ''.join('_' + c.lower() if c.isupper() else c for c in name).lstrip('_')


class Inline(Bijector):
    """A bijector of functions that are given."""

    def __init__(self, forward_fn=None, inverse_fn=None, inverse_log_det_jacobian_fn=None,
                 forward_log_det_jacobian_fn=None, forward_event_shape_fn=None,
                 forward_event_shape_tensor_fn=None, inverse_event_shape_fn=None,
                 inverse_event_shape_tensor_fn=None, is_constant_jacobian=False,
                 validate_args=False, forward_min_event_ndims=None, inverse_min_event_ndims=None,
                 name='inline'):
        super().__init__(forward_min_event_ndims=forward_min_event_ndims,
                         inverse_min_event_ndims=inverse_min_event_ndims,
                         is_constant_jacobian=is_constant_jacobian, validate_args=validate_args,
                         name=name)
        self._functions = {
            'forward_fn': forward_fn, 'inverse_fn': inverse_fn,
            'inverse_log_det_jacobian_fn': inverse_log_det_jacobian_fn,
            'forward_log_det_jacobian_fn': forward_log_det_jacobian_fn,
            'forward_event_shape_fn': forward_event_shape_fn,
            'forward_event_shape_tensor_fn': forward_event_shape_tensor_fn,
            'inverse_event_shape_fn': inverse_event_shape_fn,
            'inverse_event_shape_tensor_fn': inverse_event_shape_tensor_fn}

    def _call(self, name, value, **kwargs):
        function = self._functions[name]
        if function is None:
            if 'shape' in name:
                return value
            raise misuse(NotImplementedError(f'Cannot use this method of Inline: {name} was not '
                                             'given.'))
        return function(value, **kwargs)

    def _forward(self, x, **kwargs):
        return self._call('forward_fn', x, **kwargs)

    def _inverse(self, y, **kwargs):
        return self._call('inverse_fn', y, **kwargs)

    def _ildj(self, given, value, kwargs):
        forward, inverse = [self._functions[f'{way}_log_det_jacobian_fn']
                            for way in ('forward', 'inverse')]
        if given == 'x':
            if forward is not None:
                return -forward(value, **kwargs)
            known = self._lookup('x', value)
            y = known['y'] if 'y' in known else self._forward(value, **kwargs)
            return self._call('inverse_log_det_jacobian_fn', y, **kwargs)
        if inverse is not None:
            return inverse(value, **kwargs)
        known = self._lookup('y', value)
        x = known['x'] if 'x' in known else self._inverse(value, **kwargs)
        return -self._call('forward_log_det_jacobian_fn', x, **kwargs)

    def _forward_event_shape(self, shape):
        return self._call('forward_event_shape_fn', shape)

    def _inverse_event_shape(self, shape):
        return self._call('inverse_event_shape_fn', shape)

    def _forward_event_shape_tensor(self, shape):
        return self._call('forward_event_shape_tensor_fn', shape)

    def _inverse_event_shape_tensor(self, shape):
        return self._call('inverse_event_shape_tensor_fn', shape)


__all__ = ['Bijector', 'Inline', 'init_scope']
