"""py_func, numpy_function: call a Python function from the graph."""
from __future__ import annotations

import functools
import itertools
import traceback
import weakref
from contextlib import nullcontext

import numpy as np

from tinyflow.graph import dtypes, eager_mode
from tinyflow.graph.convert import as_array
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.operation import Operation
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure, misuse

__all__ = ['numpy_function', 'py_func']

_tokens = itertools.count()


class _Function:
    """A user function that a node calls."""

    def __init__(self, call):
        self.call = call


# Functions by the `token` attribute of their nodes. The graph keeps them alive.
_functions: weakref.WeakValueDictionary[str, _Function] = weakref.WeakValueDictionary()


def _register(call, graph):
    """The token of a function, which lives as long as the outermost graph around `graph`."""
    function, token = _Function(call), f'pyfunc_{next(_tokens)}'
    _functions[token] = function
    while getattr(graph, 'outer_graph', None) is not None:
        graph = graph.outer_graph
    graph.annotations.setdefault('Python functions', []).append(function)
    return token


def _function(token):
    try:
        return _functions[token].call
    except KeyError:
        raise OpFailure(f'the Python function {token} is not in this process',
                        'a graph that calls py_func runs only where it was built; a '
                        'saved one cannot be loaded.') from None


class _PyFunc(Op, abstract=True):
    signature = 'input: [Tin] -> output: [Tout]'
    attrs = {'token': REQUIRED, 'Tin': (), 'Tout': ()}
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input):
        return None

    def kernel(input, *, token, Tout):                          # noqa: N803 (TF's name)
        function = _function(token)
        # The function may change what it is given, and keep it; the program may not know.
        result = _called(function, [_argument(value) for value in input])
        return _arrays(result, Tout, token)


class PyFunc(_PyFunc):
    """What a Python function of arrays returns; it runs whenever the node does."""


class PyFuncStateless(_PyFunc):
    """As PyFunc, for a function without side effects."""

    pure = True


class EagerPyFunc(_PyFunc):
    """What a Python function of eager tensors returns; it is differentiated by a tape."""

    attrs = {'token': REQUIRED, 'Tin': (), 'Tout': (), 'is_async': False}

    def gradient(op, *dy):
        call = _function(op.attrs['token'])
        positions = [i for i, t in enumerate(op.inputs)
                     if t.dtype.is_floating or t.dtype.is_complex]
        found = make_python_node(EagerPyFunc, functools.partial(call.gradient, positions),
                      [*op.inputs, *dy], [op.inputs[i].dtype for i in positions], None)
        gradients = [None] * len(op.inputs)
        for i, gradient in zip(positions, found):
            gradient.set_shape(op.inputs[i].shape)
            gradients[i] = gradient
        return gradients


def _argument(value):
    """A copy of an array for the user's function; a scalar comes as NumPy's, as in TF1."""
    return np.array(value)[()] if np.ndim(value) == 0 else np.array(value)


def _called(function, arguments):
    """function(*arguments). An OpError with the lines of the user's function if it fails."""
    # In a program with eager execution the function's ops run at once, whatever graph runs.
    at_once = eager_mode.graph.as_default() if eager_mode.execute else nullcontext()
    try:
        with at_once:
            return function(*arguments)
    except errors.OpError:
        raise
    except Exception as error:
        lines = [f'  in {f.name}, {f.filename}:{f.lineno}: {f.line}'
                 for f in traceback.extract_tb(error.__traceback__)[1:]]
        kind = next((c for c, known in _KINDS if isinstance(error, known)), errors.UnknownError)
        problem = ''.join(traceback.format_exception_only(type(error), error)).strip()
        raise kind(None, None, '\n'.join([problem, *lines])) from error


_KINDS = [(errors.OutOfRangeError, StopIteration),
          (errors.UnimplementedError, NotImplementedError),
          (errors.ResourceExhaustedError, MemoryError),
          (errors.InvalidArgumentError, (TypeError, ValueError))]


def _arrays(result, dtype_list, token):
    """The returned values as arrays. ValueError unless number and dtypes are as declared."""
    values = list(result) if isinstance(result, (list, tuple)) else \
        [] if result is None else [result]
    if len(values) != len(dtype_list):
        raise OpFailure(f'{token} returns {len(values)} values, but expects to see '
                        f'{len(dtype_list)} values.',
                        'Tout lists one dtype for each value that the function returns.')
    arrays = []
    for i, (value, dtype) in enumerate(zip(values, dtype_list)):
        array = np.asarray(value, order='C')
        if array.dtype.kind in 'SU' or dtype is dtypes.string:
            array = as_array(value, dtypes.string)[0] if dtype is dtypes.string else array
        if array.dtype != dtype.np:
            raise OpFailure(f'{i}-th value returned by {token} is {_name(array)}, but expects '
                            f'{dtype.name}',
                            f'np.asarray(value, np.{dtype.np.name}) in the function, or another '
                            'Tout.')
        arrays.append(np.array(array))
    return tuple(arrays)


def _name(array):
    try:
        return dtypes.as_dtype(array.dtype).name
    except TypeError:
        return str(array.dtype)


def make_python_node(definition, call, inp, out_dtypes, name, **attrs):
    """The node that calls a function: a tensor, or a list of them if a list of dtypes was given."""
    if not callable(call):
        raise misuse(ValueError(errors.report(
            f'{definition.type}: Expected func to be callable, got func = {call!r}',
            site=user_site())))
    is_list = isinstance(out_dtypes, (list, tuple))
    out = tuple(dtypes.as_dtype(d).base_dtype for d in (out_dtypes if is_list else [out_dtypes]))
    token = _register(call, get_default_graph())
    result = definition.apply(list(inp), token=token, Tout=out, name=name, **attrs)
    if isinstance(result, Operation):
        return result
    return result if is_list else result[0]


def py_func(func, inp, Tout, stateful=True, name=None):         # noqa: N803 (TF's name)
    """What func(*arrays) returns while the graph runs, for the values of the tensors `inp`.

    Shapes: inp a list of tensors -> unknown shapes, of the dtypes `Tout` (use set_shape); a
    list of them if Tout is a list. The function must return arrays of exactly these dtypes;
    InvalidArgumentError otherwise. Its exceptions become errors of tf.errors (UnknownError by
    default) with its traceback. There is no gradient. `stateful=False` promises that equal
    inputs give equal outputs, so that calls may be skipped.
    """
    return make_python_node(PyFunc if stateful else PyFuncStateless, func, inp, Tout, name)


def numpy_function(func, inp, Tout, name=None):                 # noqa: N803
    """As tf.py_func: func of NumPy arrays, run whenever the node is. Shapes: see py_func."""
    return make_python_node(PyFunc, func, inp, Tout, name)
