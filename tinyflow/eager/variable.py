"""EagerVariable: a Variable whose value is there at once."""
from __future__ import annotations

import weakref

from tinyflow.eager.execute import run_in_context
from tinyflow.eager.runtime import RUNTIME, storage_of
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import shapes
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.variables import resource_variable_ops
from tinyflow.ops.variables.variable import ResourceVariable

__all__ = ['EagerVariable']


class EagerVariable(ResourceVariable):
    """A Variable made while ops run at once: it has its value, and lives as long as the program
    uses it.
    """

    _initializer_op = None
    _snapshot = None

    def _make_nodes(self, initial_value, scope, dtype, validate_shape, shape, caching_device):
        initial = self._initial_tensor(initial_value, dtype)
        if type(initial) is not EagerTensor:
            initial = _lifted(initial)
        self._initial_value = initial
        self._name = scope.rstrip('/') + ':0'
        with name_scope(scope):
            self._handle = self._variable = resource_variable_ops.VarHandleOp.apply(
                shape=initial.raw_shape if shape is None else shapes.raw(shape),
                dtype=initial.dtype.base_dtype, shared_name=scope[:-1])
        self._handle.variable = weakref.ref(self)
        storage_of(self._handle).value = initial.array.copy()

    @property
    def name(self) -> str:
        return self._name

    @property
    def initial_value(self):
        """RuntimeError: it is not kept."""
        raise misuse(RuntimeError('initial_value not supported in EAGER mode.'))

    def value(self):
        return resource_variable_ops.read(self._handle)

    def read_value(self):
        return self.value()

    def initialized_value(self):
        return self.value()

    def is_initialized(self, name=None):
        return resource_variable_ops.VarIsInitializedOp.apply(self._handle)

    def numpy(self):
        """A copy of the value."""
        return self.value().numpy()

    def eval(self, session=None):
        """RuntimeError: there is nothing to run."""
        raise misuse(RuntimeError('Trying to eval in EAGER mode\n  Hint: v.numpy()'))

    def load(self, value, session=None):
        self.assign(value)

    def _as_graph_element(self):
        return self.value()

    @property
    def values_for_control(self):
        return self._handle.op

    def _after(self, operation, read_value=True):
        if operation is None:           # it has run
            return _Assigned(self) if read_value else None
        return super()._after(operation, read_value)        # inside a tf.function

    def __repr__(self):
        value = self.value()
        array = value._text(repr) if get_default_graph().runs_at_once else '<in a graph>'
        line = '\n' if '\n' in array else ''
        return (f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, "
                f'numpy={line}{array}>')

    __str__ = __repr__

    def __int__(self):
        return int(self.value())

    def __float__(self):
        return float(self.value())

    def __index__(self):
        return self.value().__index__()

    def __bool__(self):
        return bool(self.value())

    def __array__(self, dtype=None, copy=None):
        return self.value().__array__(dtype, copy)

    def __deepcopy__(self, memo):
        return EagerVariable(self.value(), trainable=self.trainable, name=self.name[:-2],
                             constraint=self.constraint)


def _lifted(initial):
    """The value of an initial value that was computed inside a tf.function."""
    graph = initial.op.graph
    if graph.inputs and _depends_on_parameters(initial):
        raise misuse(ValueError(report(
            'The initial value of a Variable depends on an argument of the tf.function.',
            inputs=[('initial_value', initial)],
            hint='a function without arguments, `lambda: tf.zeros([3])`, or a value that is made '
                 'outside.')))
    array, = run_in_context(RUNTIME.make_function(graph, [], [initial]))
    return EagerTensor(array, initial.dtype)


def _depends_on_parameters(tensor):
    left, seen = [tensor.op], set()
    while left:
        operation = left.pop()
        if operation.type == 'Placeholder':
            return True
        if operation not in seen:
            seen.add(operation)
            left += [t.op for t in operation.inputs]
    return False


class _Assigned(EagerVariable):
    """What an assignment returns: the same Variable under the name UnreadVariable."""

    def __init__(self, variable):
        self.__dict__.update(variable.__dict__)
        self._name = 'UnreadVariable'
