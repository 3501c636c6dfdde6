"""tf.function, tf.py_function and tf.numpy_function as TensorFlow 2 calls them."""
from __future__ import annotations

import functools

from tinyflow.eager import function as functions, python_function
from tinyflow.ops.control_flow import python_functions

__all__ = ['function', 'numpy_function', 'py_function']


def function(func=None, input_signature=None, autograph=True, jit_compile=None,
             reduce_retracing=False, experimental_implements=None,
             experimental_autograph_options=None, experimental_attributes=None,
             experimental_relax_shapes=None, experimental_compile=None,
             experimental_follow_type_hints=None):
    """A callable that runs `func` as a compiled graph.

    With `reduce_retracing` a second graph is for any sizes where the arguments' shapes differ.
    Every graph is compiled, so jit_compile and experimental_compile change nothing; nor do
    experimental_implements, experimental_attributes and type hints.
    """
    if func is None:
        return functools.partial(
            function, input_signature=input_signature, autograph=autograph,
            reduce_retracing=reduce_retracing or experimental_relax_shapes,
            experimental_autograph_options=experimental_autograph_options)
    return functions.Function(func, input_signature, autograph, experimental_autograph_options,
                              1 if reduce_retracing or experimental_relax_shapes else None)


def py_function(func=None, inp=None, Tout=None, name=None):         # noqa: N803 (TF's name)
    """What func(*eager tensors) returns; without `func` a decorator.

    Shapes: inp a list of tensors -> unknown shapes, of the dtypes `Tout`.
    """
    return _called_or_decorator(python_function.py_function, func, inp, Tout, name)


def numpy_function(func=None, inp=None, Tout=None, stateful=True,   # noqa: N803
                   name=None):
    """What func(*arrays) returns; without `func` a decorator.

    Shapes: inp a list of tensors -> unknown shapes, of the dtypes `Tout`.
    """
    def call(func, inp, out, name):
        return python_functions.py_func(func, inp, out, stateful, name)
    return _called_or_decorator(call, func, inp, Tout, name)


def _called_or_decorator(call, func, inp, out, name):
    if func is not None:
        return call(func, inp, out, name)

    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args):
            return call(func, list(args), out, name)
        return wrapper
    return decorator
