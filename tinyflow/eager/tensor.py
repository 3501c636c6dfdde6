"""EagerTensor: a tensor that has its value."""
from __future__ import annotations

import itertools
import sys

import numpy as np

from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.graph import dtypes
from tinyflow.graph.const import Const
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.source_location import is_internal
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.v1_v2_switches import v2_enabled

__all__ = ['EagerTensor']

_ids = itertools.count()
_CPU = '/job:localhost/replica:0/task:0/device:CPU:0'


def _meaningless(name, within):
    """A property that TensorFlow refuses in a program; tinyflow's own functions use it."""
    def get(self):
        if is_internal(sys._getframe(1).f_code.co_filename):
            return within(self)
        raise misuse(AttributeError(
            f'Tensor.{name} is meaningless when eager execution is enabled.\n  Hint: there is no '
            'graph; the tensor has its value, x.numpy().'))
    return property(get)


class EagerTensor(Tensor):
    """A value with a dtype: what ops return when they run at once.

    The array is never changed: other tensors may be views of it. To functions that look at nodes
    it is the output of a Const.
    """

    __slots__ = ('array', '_number')

    value_index = 0
    _consumers = None

    def __init__(self, array, dtype):
        self.array = array
        self.dtype = dtype

    # ---- as a tensor of a graph ------------------------------------------------------------

    @property
    def raw_shape(self):
        return self.array.shape

    def _as_constant(self):
        operation = Operation(EAGER_GRAPH, Const, 'Const', (),
                              {'value': self.array, 'dtype': self.dtype}, (), None)
        operation.outputs, operation.id = (self,), 0
        return operation

    op = _meaningless('op', _as_constant)
    name = _meaningless('name', lambda self: 'Const:0')
    graph = _meaningless('graph', lambda self: EAGER_GRAPH)

    @property
    def device(self):
        return _CPU

    def set_shape(self, shape):
        """ValueError if it is not the tensor's shape."""
        if not self.shape.is_compatible_with(shape):
            raise misuse(ValueError(f"Tensor's shape {self.shape} is not compatible with supplied "
                                    f'shape {shape}'))

    def eval(self, feed_dict=None, session=None):
        """NotImplementedError: there is nothing left to run."""
        raise misuse(NotImplementedError('eval is not supported when eager execution is enabled, '
                                         "is .numpy() what you're looking for?"))

    def consumers(self):
        """NotImplementedError: no node uses it."""
        raise misuse(NotImplementedError(
            'Tensor.consumers is meaningless when eager execution is enabled.'))

    # ---- its value -------------------------------------------------------------------------

    def numpy(self):
        """A copy of the value: an array, of a scalar a NumPy scalar, of a string bytes."""
        array = self.array
        return array.copy() if array.ndim else array[()]

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def _id(self) -> int:
        try:
            return self._number
        except AttributeError:
            self._number = next(_ids)
            return self._number

    def cpu(self):
        """The tensor: it is on the CPU."""
        return self

    def gpu(self, gpu_index=0):
        """RuntimeError: there is none."""
        raise misuse(RuntimeError(f'GPU:{gpu_index} unknown device.'))

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype, copy=copy is not False)

    def __bool__(self):
        return bool(self.array)

    def __len__(self):
        if not self.array.ndim:
            raise misuse(TypeError('Scalar tensor has no `len()`'))
        return len(self.array)

    def __iter__(self):
        if not self.array.ndim:
            raise misuse(TypeError('Cannot iterate over a scalar tensor.'))
        return iter(nodes.Unpack(self, num=len(self.array), axis=0))

    def __contains__(self, item):
        """As for any object that can be iterated, by the `==` of rows."""
        return any(row is item or row == item for row in self)

    def __setitem__(self, key, value):
        raise misuse(TypeError(
            f'{type(self).__name__!r} object does not support item assignment\n  Hint: '
            'tf.tensor_scatter_nd_update(x, [[row]], [new]) gives a new tensor; a tf.Variable '
            'has v[row].assign(new).'))

    def _one(self):
        if self.array.size != 1:
            raise misuse(TypeError('only size-1 arrays can be converted to Python scalars'))
        return self.array.item()

    def __float__(self):
        return float(self._one())

    def __int__(self):
        return int(self._one())

    def __complex__(self):
        return complex(self._one())

    def __index__(self):
        return self._one().__index__()

    def __reversed__(self):
        return reversed(list(self))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return EagerTensor(self.array.copy(), self.dtype)

    def __reduce__(self):
        return EagerTensor, (self.array, self.dtype)

    # ---- as text ---------------------------------------------------------------------------

    def _text(self, as_text):
        if self.dtype in dtypes.HANDLES:
            return '<unprintable>'
        value = self.numpy()
        return as_text(value) if self.array.ndim or isinstance(value, bytes) else str(value)

    def __repr__(self):
        text = self._text(repr)
        number = '' if v2_enabled() else f'id={self._id}, '
        return (f'<tf.Tensor: {number}shape={self.shape}, dtype={self.dtype.name}, numpy='
                + ('\n' if '\n' in text else '') + f'{text}>')

    def __str__(self):
        text = self._text(str)
        return (f'tf.Tensor({chr(10) if chr(10) in text else ""}{text}, shape={self.shape}, '
                f'dtype={self.dtype.name})')

    def __format__(self, spec):
        return format(self.numpy(), spec)


def as_tensor(array, dtype=None) -> EagerTensor:
    """An EagerTensor of an array that nothing else changes."""
    array = np.asarray(array)
    return EagerTensor(array, dtype or dtypes.as_dtype(array.dtype))
