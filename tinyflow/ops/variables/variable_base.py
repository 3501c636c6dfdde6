"""VariableBase: the properties and operators that every kind of Variable has."""
from __future__ import annotations

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.numpy_misuse import refuse_numpy
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_operators import TensorOperators
from tinyflow.ops.array import slicing


@refuse_numpy
class VariableBase(TensorOperators):
    """Properties of a Variable's nodes, and operators on its value.

    A kind of Variable makes the nodes and sets the fields that hold them:

    _variable           the tensor of the VariableV2 or VarHandleOp
    _snapshot           the read op that was created with the Variable
    _initial_value      the tensor of the initial value, None if it is unknown
    _initializer_op     the operation that assigns it
    """

    __array_priority__ = 100            # NumPy arrays on the left defer to our operators

    _variable: Tensor
    _snapshot: Tensor
    _initial_value: Tensor | None
    _initializer_op: Operation
    _trainable = True
    _constraint = None
    _synchronization = None
    _aggregation = None
    _save_slice_info = None

    # ---- properties ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def op(self) -> Operation:
        """The operation of the storage: a VariableV2 or a VarHandleOp."""
        return self._variable.op

    @property
    def graph(self):
        return self._variable.graph

    @property
    def dtype(self) -> dtypes.DType:
        return self._variable.dtype

    @property
    def shape(self) -> shapes.TensorShape:
        return self._variable.shape

    def get_shape(self) -> shapes.TensorShape:
        """Same as `.shape`."""
        return self.shape

    @property
    def device(self) -> str:
        return self._variable.device

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        return self._initial_value

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self):
        """The function that an optimizer applies to the value after each update, or None."""
        return self._constraint

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    def _get_save_slice_info(self):
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __iter__(self):
        raise misuse(TypeError(f"'Variable' object is not iterable: '{self.name}'.\n  Hint: "
                               'tf.unstack(v), or sess.run(v), which is an array.'))

    # ---- values --------------------------------------------------------------------------

    def value(self) -> Tensor:
        """The value of the Variable in expressions."""
        raise NotImplementedError

    def load(self, value, session=None) -> None:
        """Sets the value in `session` or the default Session, at once and without a new node."""
        session = session_for(session, self.graph, f"'{self.name}'.load()")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def _scatter_slices(self, kind, indices, updates, use_locking, name):
        """The update of some rows; `kind` is 'update', 'add', 'sub', ..."""
        raise NotImplementedError

    def __getitem__(self, key):
        return slicing.get_item(self.value(), key, var=self)


def _scatter_method(kind):
    def method(self, sparse_delta, use_locking=False, name=None):
        if not isinstance(sparse_delta, IndexedSlices):
            raise misuse(TypeError(f'sparse_delta is not IndexedSlices: {sparse_delta!r}'))
        return self._scatter_slices(kind, sparse_delta.indices, sparse_delta.values, use_locking,
                                    name)
    method.__name__ = f'scatter_{kind}'
    method.__doc__ = f'`tf.scatter_{kind}` of this Variable, with IndexedSlices.'
    return method


def _operator(name):
    def method(self, *args):
        return getattr(self.value(), name)(*args)
    method.__name__ = name
    method.__doc__ = f'`Tensor.{name}` of the value.'
    return method


_OPERATORS = ('add radd sub rsub mul rmul div rdiv truediv rtruediv floordiv rfloordiv mod rmod '
              'pow rpow matmul rmatmul lt le gt ge and rand or ror xor rxor neg abs invert')
for _name in _OPERATORS.split():
    setattr(VariableBase, f'__{_name}__', _operator(f'__{_name}__'))
for _kind in 'update add sub mul div max min'.split():
    setattr(VariableBase, f'scatter_{_kind}', _scatter_method(_kind))
