"""tf.initializers: initial values of Variables (zeros, random_normal, glorot_uniform, ...)."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.lazy import importing as _importing
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array import constants, diagonals, shaping
from tinyflow.ops.linalg import decompositions
from tinyflow.ops.math import arithmetic
from tinyflow.ops.random import random_functions
from tinyflow.ops.variables.variable_lists import (
    global_variables_initializer as global_variables,
    local_variables_initializer as local_variables,
    variables_initializer as variables,
)

__all__ = [
    'Initializer', 'constant', 'constant_initializer', 'global_variables', 'glorot_normal',
    'glorot_normal_initializer', 'glorot_uniform', 'glorot_uniform_initializer', 'he_normal',
    'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'local_variables', 'ones',
    'ones_initializer', 'orthogonal', 'orthogonal_initializer', 'random_normal',
    'random_normal_initializer', 'random_uniform', 'random_uniform_initializer',
    'truncated_normal', 'truncated_normal_initializer', 'uniform_unit_scaling',
    'uniform_unit_scaling_initializer', 'variables', 'variance_scaling',
    'variance_scaling_initializer', 'zeros', 'zeros_initializer',
]
_LATER = {'tables_initializer': 'tinyflow.ops.tables.lookup_tables'}
__getattr__ = _importing(globals(), _LATER,
                         _explain_missing('tinyflow.initializers', [*__all__, *_LATER]))


def __dir__():
    return [*__all__, *_LATER]


class Initializer:
    """Called with a shape, makes a tensor of that shape.

    `settings` names the constructor's arguments, which are kept as attributes: the config
    of get_config and from_config.
    """

    settings: tuple[str, ...] = ()

    def __call__(self, shape, dtype=None, partition_info=None):
        """The initial value. `partition_info.full_shape`, if given, determines the fans."""
        full_shape = shape if partition_info is None else partition_info.full_shape
        return self._make(shape, full_shape, self._dtype(dtype))

    def _dtype(self, dtype):
        return self.dtype if dtype is None else dtypes.as_dtype(dtype)

    def get_config(self):
        """The constructor's arguments, as plain values."""
        config = {key: getattr(self, key) for key in self.settings}
        return {**config, 'dtype': self.dtype.name}

    @classmethod
    def from_config(cls, config):
        """The initializer that `get_config` described."""
        return cls(**config)


def _plain(shape):
    return list(shapes.raw(shape))


def _float_dtype(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise misuse(ValueError(f'Expected floating point type, got {dtype}.'))
    return dtype


class Zeros(Initializer):
    """All zeros."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        return constants.zeros(shape, dtype)


class Ones(Initializer):
    """All ones."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        return constants.ones(shape, dtype)


class Constant(Initializer):
    """`value`, a number or a list of them; a short list is continued with its last element."""

    settings = ('value',)

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise misuse(TypeError(f'Invalid type for initial value: {type(value).__name__} '
                                   '(expected Python scalar, list or tuple of values, or '
                                   'numpy.ndarray).'))
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        """The constant; `verify_shape` refuses a list that does not fill the shape."""
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constants.constant(self.value, self._dtype(dtype), shape, verify_shape=verify)


class RandomUniform(Initializer):
    """Uniform in [minval, maxval)."""

    settings = ('minval', 'maxval', 'seed')

    def __init__(self, minval=0, maxval=None, seed=None, dtype=dtypes.float32):
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = dtypes.as_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        return random_functions.random_uniform(shape, self.minval, self.maxval, dtype,
                                               seed=self.seed)


class _Normal(Initializer):
    settings = ('mean', 'stddev', 'seed')

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = _float_dtype(dtype)


class RandomNormal(_Normal):
    """Normal with that mean and standard deviation."""

    def _make(self, shape, full_shape, dtype):
        return random_functions.random_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(_Normal):
    """Normal, with values further than two `stddev` from the mean drawn again."""

    def _make(self, shape, full_shape, dtype):
        return random_functions.truncated_normal(shape, self.mean, self.stddev, dtype,
                                                 seed=self.seed)


class UniformUnitScaling(Initializer):
    """Uniform in +-factor sqrt(3 / number of inputs) (deprecated in TF1)."""

    settings = ('factor', 'seed')

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor, self.seed = factor, seed
        self.dtype = _float_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        inputs = max(1, math.prod(_plain(full_shape)[:-1]))
        limit = math.sqrt(3 / inputs) * self.factor
        return random_functions.random_uniform(shape, -limit, limit, dtype, seed=self.seed)


# The standard deviation of a standard normal cut at +-2: scipy.stats.truncnorm.std(-2, 2).
_STDDEV_OF_TRUNCATED = .87962566103423978
_MODES = ('fan_in', 'fan_out', 'fan_avg')
_DISTRIBUTIONS = ('normal', 'uniform', 'truncated_normal', 'untruncated_normal')


class VarianceScaling(Initializer):
    """Random with variance scale / n, where n is the number of inputs, outputs, or their mean.

    Glorot and Bengio (2010), He et al. (2015), LeCun et al. (1998) are its named cases.
    """

    settings = ('scale', 'mode', 'distribution', 'seed')

    def __init__(self, scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None,
                 dtype=dtypes.float32):
        if scale <= 0.:
            raise misuse(ValueError('`scale` must be positive float.'))
        if mode not in _MODES:
            raise misuse(ValueError(f'Invalid `mode` argument: {mode}'))
        distribution = distribution.lower()
        if distribution not in _DISTRIBUTIONS:
            raise misuse(ValueError(f'Invalid `distribution` argument: {distribution}'))
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = _float_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        fan_in, fan_out = self._fans(_plain(full_shape))
        number = {'fan_in': fan_in, 'fan_out': fan_out, 'fan_avg': (fan_in + fan_out) / 2.}
        variance = self.scale / max(1., number[self.mode])
        if self.distribution in ('normal', 'truncated_normal'):
            stddev = math.sqrt(variance) / _STDDEV_OF_TRUNCATED
            return random_functions.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == 'untruncated_normal':
            return random_functions.random_normal(shape, 0.0, math.sqrt(variance), dtype,
                                                  seed=self.seed)
        limit = math.sqrt(3.0 * variance)
        return random_functions.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

    @staticmethod
    def _fans(shape):
        return fans(shape)


def fans(shape):
    """Number of inputs and of outputs of a weight tensor [*window, inputs, outputs]."""
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


class _Glorot(VarianceScaling):
    settings = ('seed',)
    distribution = ''

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, 'fan_avg', type(self).distribution, seed, dtype)


class GlorotUniform(_Glorot):
    """Uniform with variance 2 / (inputs + outputs): Glorot and Bengio (2010)."""

    distribution = 'uniform'


class GlorotNormal(_Glorot):
    """Truncated normal with variance 2 / (inputs + outputs): Glorot and Bengio (2010)."""

    distribution = 'truncated_normal'


def he_normal(seed=None):
    """Truncated normal with variance 2 / inputs: He et al. (2015)."""
    return VarianceScaling(2., 'fan_in', 'truncated_normal', seed)


def he_uniform(seed=None):
    """Uniform with variance 2 / inputs: He et al. (2015)."""
    return VarianceScaling(2., 'fan_in', 'uniform', seed)


def lecun_normal(seed=None):
    """Truncated normal with variance 1 / inputs: LeCun et al. (1998)."""
    return VarianceScaling(1., 'fan_in', 'truncated_normal', seed)


def lecun_uniform(seed=None):
    """Uniform with variance 1 / inputs: LeCun et al. (1998)."""
    return VarianceScaling(1., 'fan_in', 'uniform', seed)


class Orthogonal(Initializer):
    """gain times a random matrix with orthonormal columns (or rows, if there are fewer rows).

    Q of the QR decomposition of a normal matrix, with signs such that it is uniformly distributed:
    Saxe et al. (2014); Mezzadri (2007). More than two axes: all but the last are the rows.
    """

    settings = ('gain', 'seed')

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain, self.seed = gain, seed
        self.dtype = _float_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        plain = _plain(shape)
        if len(plain) < 2:
            raise misuse(ValueError('The tensor to initialize must be at least two-dimensional'))
        rows, columns = math.prod(plain[:-1]), plain[-1]
        tall = (max(rows, columns), min(rows, columns))
        a = random_functions.random_normal(tall, dtype=dtype, seed=self.seed)
        q, r = decompositions.qr(a, full_matrices=False)
        q *= arithmetic.sign(diagonals.diag_part(r))
        if rows < columns:
            q = shaping.matrix_transpose(q)
        return self.gain * shaping.reshape(q, shape)


class Identity(Initializer):
    """gain times the identity matrix."""

    settings = ('gain',)

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = _float_dtype(dtype)

    def _make(self, shape, full_shape, dtype):
        full_shape = _plain(full_shape)
        if len(full_shape) != 2:
            raise misuse(ValueError(
                'Identity matrix initializer can only be used for 2D matrices.'))
        return self.gain * diagonals.eye(*full_shape, dtype=dtype)


zeros = zeros_initializer = Zeros
ones = ones_initializer = Ones
constant = constant_initializer = Constant
random_uniform = random_uniform_initializer = RandomUniform
random_normal = random_normal_initializer = RandomNormal
truncated_normal = truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling = uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling = variance_scaling_initializer = VarianceScaling
glorot_uniform = glorot_uniform_initializer = GlorotUniform
glorot_normal = glorot_normal_initializer = GlorotNormal
orthogonal = orthogonal_initializer = Orthogonal
identity = Identity
