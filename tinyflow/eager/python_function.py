"""tf.py_function: a Python function whose ops run at once, as a node."""
from __future__ import annotations

import numpy as np

from tinyflow.eager.enabling import eager_execution
from tinyflow.eager.tape import EagerTape
from tinyflow.eager.variable import EagerVariable
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.control_flow.python_functions import EagerPyFunc, make_python_node

__all__ = ['py_function']


def py_function(func, inp, Tout, name=None):                    # noqa: N803
    """What func(*eager tensors) returns, whose ops run at once, while the graph runs.

    Shapes: inp a list of tensors -> unknown shapes, of the dtypes `Tout`. Numbers are converted to
    `Tout`. The gradient is that of the ops that the function runs.
    """
    out = [dtypes.as_dtype(d).base_dtype
           for d in (Tout if isinstance(Tout, (list, tuple)) else [Tout])]
    return make_python_node(EagerPyFunc, _EagerFunction(func, out), inp, Tout, name)


class _EagerFunction:
    """A function of eager tensors, and the gradient of its last call."""

    def __init__(self, function, dtypes_out):
        self._function = function
        self._dtypes = dtypes_out
        self._last = None               # (the arrays given, the tape, tensors, results)

    def __call__(self, *arrays):
        with eager_execution(), EagerTape(persistent=True) as tape:
            tensors = [convert_to_tensor(array) for array in arrays]
            tape.watch([t for t in tensors if t.dtype.is_floating or t.dtype.is_complex])
            result = self._function(*tensors)
            if result is None and not self._dtypes:
                return None
            parts = list(result) if isinstance(result, (list, tuple)) else [result]
            if len(parts) == len(self._dtypes):
                parts = [_of_dtype(part, dtype) for part, dtype in zip(parts, self._dtypes)]
        self._last = arrays, tape, tensors, parts
        return [part.numpy() if isinstance(part, Tensor) else part for part in parts]

    def gradient(self, positions, *values):
        """Gradients of some inputs: `values` are the inputs, then those of the results."""
        count = len(values) - len(self._dtypes)
        arrays = values[:count]
        if self._last is None or not all(map(np.array_equal, arrays, self._last[0])):
            self(*arrays)
        _, tape, tensors, results = self._last
        with eager_execution():
            found = tape.gradient(results, [tensors[i] for i in positions],
                                  [convert_to_tensor(v) for v in values[count:]],
                                  unconnected_gradients='zero')
        return [convert_to_tensor(g).numpy() for g in found]


def _of_dtype(value, dtype):
    """What the function returned, as an eager tensor."""
    if isinstance(value, (Tensor, EagerVariable)):
        value = convert_to_tensor(value)
        return value if value.dtype.base_dtype is dtype else cast(value, dtype)
    return convert_to_tensor(value if dtype is dtypes.string else np.asarray(value, dtype.np),
                             dtype)
