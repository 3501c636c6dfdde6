"""Distribution: what all random variables share.

A class of random variables gives protected methods, such as `_log_prob` and `_sample_n`, which are
called inside the name scope of the object and of the public method. Of several that follow from
each other, one is enough: the density and its logarithm, the variance and its root.
"""
from __future__ import annotations

import contextlib
import inspect

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.divergence import cross_entropy, kl_divergence
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape, as_shape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shape_ops, shaping


class ReparameterizationType:
    """Whether samples are a differentiable function of the parameters."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return f'<Reparameteriation Type: {self._rep_type}>'

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType('FULLY_REPARAMETERIZED')
NOT_REPARAMETERIZED = ReparameterizationType('NOT_REPARAMETERIZED')


class Distribution:
    """Base of all distributions. A sample has the shape [*sample_shape, *batch, *event].

    An event is one value of the random variable, a vector for a Dirichlet; the batch are several
    variables of the same kind with parameters of their own.
    """

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        with contextlib.suppress(TypeError):            # __init__ says what is wrong
            bound = inspect.signature(cls.__init__).bind(self, *args, **kwargs)
            bound.apply_defaults()
            self._parameters = dict(list(bound.arguments.items())[1:])
        return self

    def __init__(self, dtype, reparameterization_type, validate_args, allow_nan_stats,
                 parameters=None, graph_parents=None, name=None):
        graph_parents = list(graph_parents or [])
        if not name or not name.endswith('/'):
            with name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats, self._validate_args = allow_nan_stats, validate_args
        if parameters:
            self._parameters = {k: v for k, v in parameters.items()
                                if k not in ('self', '__class__')}
        self._graph_parents = graph_parents
        self._name = name

    # ---- properties ------------------------------------------------------------------------

    @property
    def name(self):
        """The name, with the slash of its scope."""
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self):
        """The arguments that made this object."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self):
        """FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self):
        """Whether statistics that do not exist are NaN; otherwise they are an error when run."""
        return self._allow_nan_stats

    @property
    def validate_args(self):
        """Whether parameters and values are checked when run."""
        return self._validate_args

    @property
    def batch_shape(self):
        """The static shape of the batch."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self):
        """The static shape of one event."""
        return as_shape(self._event_shape())

    @classmethod
    def param_shapes(cls, sample_shape, name='DistributionParamShapes'):
        """The shape of each parameter that makes samples of `sample_shape`, as tensors."""
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """The shape of each parameter that makes samples of `sample_shape`, a known shape."""
        if not isinstance(sample_shape, TensorShape):
            sample_shape = TensorShape(constant_value(sample_shape)
                                       if hasattr(sample_shape, 'op') else sample_shape)
        if not sample_shape.is_fully_defined():
            raise misuse(ValueError('TensorShape sample_shape must be fully defined'))
        shapes = cls.param_shapes(sample_shape.as_list())
        return {key: TensorShape(constant_value(value)) for key, value in shapes.items()}

    @staticmethod
    def _param_shapes(sample_shape):
        raise NotImplementedError('_param_shapes not implemented')

    def copy(self, **override_parameters_kwargs):
        """A distribution of the same class, with some parameters replaced."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # ---- shapes ----------------------------------------------------------------------------

    def _batch_shape(self):
        return TensorShape(None)

    def _event_shape(self):
        return TensorShape(None)

    def _batch_shape_tensor(self):
        raise self._missing('batch_shape_tensor')

    def _event_shape_tensor(self):
        raise self._missing('event_shape_tensor')

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        """The shape of the batch, as a tensor of int32."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return convert_to_tensor(self.batch_shape.as_list(), dtypes.int32,
                                         name='batch_shape')
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name='event_shape_tensor'):
        """The shape of one event, as a tensor of int32."""
        with self._name_scope(name):
            if self.event_shape.is_fully_defined():
                return convert_to_tensor(self.event_shape.as_list(), dtypes.int32,
                                         name='event_shape')
            return self._event_shape_tensor()

    def is_scalar_event(self, name='is_scalar_event'):
        """Whether an event is one number, as a tensor."""
        with self._name_scope(name):
            return identity_of(_is_scalar(self.event_shape, self.event_shape_tensor), name)

    def is_scalar_batch(self, name='is_scalar_batch'):
        """Whether the batch is one distribution, as a tensor."""
        with self._name_scope(name):
            return identity_of(_is_scalar(self.batch_shape, self.batch_shape_tensor), name)

    # ---- samples ---------------------------------------------------------------------------

    def _sample_n(self, n, seed=None):
        raise self._missing('sample_n')

    def sample(self, sample_shape=(), seed=None, name='sample'):
        """Samples of shape [*sample_shape, *batch, *event]."""
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        with self._name_scope(name, [sample_shape]):
            sample_shape = convert_to_tensor(sample_shape, dtypes.int32, name='sample_shape')
            sample_shape, n = _as_vector(sample_shape, 'sample_shape')
            samples = self._sample_n(n, seed, **kwargs)
            inner = shape_ops.shape(samples)[1:]
            samples = shaping.reshape(samples, joining.concat([sample_shape, inner], 0))
            return self._set_sample_static_shape(samples, sample_shape)

    def _set_sample_static_shape(self, x, sample_shape):
        known = TensorShape(constant_value(sample_shape))
        x.set_shape(known.concatenate(self.batch_shape).concatenate(self.event_shape))
        return x

    # ---- densities and probabilities -------------------------------------------------------

    def log_prob(self, value, name='log_prob'):
        """The logarithm of the density (or probability) at values [*a, *event] -> [*a]."""
        return self._of_value('log_prob', value, name, math.log, '_prob')

    def prob(self, value, name='prob'):
        """The density (or probability) at values [*a, *event] -> [*a]."""
        return self._of_value('prob', value, name, math.exp, '_log_prob')

    def log_cdf(self, value, name='log_cdf'):
        """The logarithm of cdf."""
        return self._of_value('log_cdf', value, name, math.log, '_cdf')

    def cdf(self, value, name='cdf'):
        """The probability of a result of at most `value`."""
        return self._of_value('cdf', value, name, math.exp, '_log_cdf')

    def log_survival_function(self, value, name='log_survival_function'):
        """The logarithm of survival_function."""
        return self._of_value('log_survival_function', value, name,
                              lambda cdf: math.log1p(-cdf), 'cdf')

    def survival_function(self, value, name='survival_function'):
        """The probability of a result of more than `value`."""
        return self._of_value('survival_function', value, name, lambda cdf: 1.0 - cdf, 'cdf')

    def quantile(self, value, name='quantile'):
        """The inverse of cdf."""
        return self._of_value('quantile', value, name)

    def _of_value(self, method, value, name, convert=None, other=None, **kwargs):
        """self._method(value), or `convert` of another method if the class does not have it."""
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, name='value', preferred_dtype=self.dtype)
            own = getattr(self, f'_{method}', None)
            if own is not None:
                return own(value, **kwargs)
            if other is not None and (other == 'cdf' or hasattr(self, other)):
                with contextlib.suppress(NotImplementedError):
                    return convert(getattr(self, other)(value, **kwargs))
            raise self._missing(method)

    # ---- statistics ------------------------------------------------------------------------

    def entropy(self, name='entropy'):
        """Shannon's entropy, in nats: [*batch]."""
        return self._statistic('entropy', name)

    def mean(self, name='mean'):
        """The mean: [*batch, *event]."""
        return self._statistic('mean', name)

    def variance(self, name='variance'):
        """The variance: [*batch, *event]."""
        return self._statistic('variance', name, math.square, '_stddev')

    def stddev(self, name='stddev'):
        """The standard deviation: [*batch, *event]."""
        return self._statistic('stddev', name, math.sqrt, '_variance')

    def covariance(self, name='covariance'):
        """The covariances of the parts of an event: [*batch, n, n]."""
        return self._statistic('covariance', name)

    def mode(self, name='mode'):
        """The most likely value: [*batch, *event]."""
        return self._statistic('mode', name)

    def _statistic(self, method, name, convert=None, other=None, **kwargs):
        with self._name_scope(name):
            own = getattr(self, f'_{method}', None)
            if own is not None:
                return own(**kwargs)
            if other is not None and hasattr(self, other):
                return convert(getattr(self, other)(**kwargs))
            raise self._missing(method)

    def cross_entropy(self, other, name='cross_entropy'):
        """The entropy of this distribution plus its divergence from the other one."""
        with self._name_scope(name):
            return cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other, name='kl_divergence'):
        """The Kullback-Leibler divergence KL(self || other)."""
        with self._name_scope(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    # ---- helpers ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with name_scope(self.name), name_scope(name, values=[*(values or []),
                                                            *self._graph_parents]) as scope:
            yield scope

    def _missing(self, method):
        return misuse(NotImplementedError(f'{method} is not implemented: {type(self).__name__}'))

    def __str__(self):
        return (f'tfp.distributions.{type(self).__name__}("{self.name}"'
                + (f', batch_shape={self.batch_shape}' if self.batch_shape.ndims is not None
                   else '')
                + (f', event_shape={self.event_shape}' if self.event_shape.ndims is not None
                   else '') + f', dtype={self.dtype.name})')

    def __repr__(self):
        return (f"<tfp.distributions.{type(self).__name__} '{self.name}' "
                f'batch_shape={self.batch_shape} event_shape={self.event_shape} '
                f'dtype={self.dtype.name}>')


def identity_of(value, name):
    """A value as a tensor of a name."""
    return convert_to_tensor(value, name=name)


def _is_scalar(static, dynamic):
    if static.ndims is not None:
        return static.ndims == 0
    sizes = dynamic()
    if sizes.raw_shape is not None and sizes.raw_shape[0] is not None:
        return sizes.raw_shape[0] == 0
    return math.equal(shape_ops.shape(sizes)[0], 0)


def _as_vector(sample_shape, name):
    """(the sample shape as a vector, how many samples that are)."""
    known = constant_value(sample_shape)
    count = math.reduce_prod(sample_shape) if known is None else np.prod(known, dtype=np.int32)
    rank = None if sample_shape.raw_shape is None else len(sample_shape.raw_shape)
    if rank is None:
        ones = constants.ones([1 - shape_ops.rank(sample_shape)], dtypes.int32)
        sizes = joining.concat([ones, shape_ops.shape(sample_shape)], 0)
        return shaping.reshape(sample_shape, sizes[-1:]), count
    if rank > 1:
        raise misuse(ValueError('Input is neither scalar nor vector.'))
    if rank == 1:
        return sample_shape, count
    if known is not None:
        return convert_to_tensor([known], dtypes.int32, name=name), count
    return shaping.reshape(sample_shape, [1]), count


__all__ = ['FULLY_REPARAMETERIZED', 'NOT_REPARAMETERIZED', 'Distribution',
           'ReparameterizationType']
