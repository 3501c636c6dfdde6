"""tf.function: a Python function as a compiled graph, traced once for each kind of arguments."""
from __future__ import annotations

import functools
import inspect
import weakref

from tinyflow.eager.arguments import (
    checked_signature,
    fitting,
    kinds_of,
    kinds_of_tensors,
    leaves_of,
    spec_of,
    up_to,
)
from tinyflow.eager.concrete_function import ConcreteFunction
from tinyflow.graph import eager_mode
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import logging, nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec

__all__ = ['ConcreteFunction', 'Function', 'function', 'functions_run_eagerly',
           'run_functions_eagerly']

_MANY_TRACES = 8        # after which a function that is traced again says why
_RELAXES_AFTER = 2      # traces with known shapes, until sizes that differ may be any


def function(func=None, input_signature=None, autograph=True, experimental_autograph_options=None,
             experimental_relax_shapes=False):
    """A callable that runs `func` as a graph: built at the first call, compiled, and kept.

    It is built again for tensors of other dtypes or shapes, and for other Python arguments, unless
    `input_signature`, a list of TensorSpecs, names the one kind that it takes. Python code inside
    runs only then. While a graph is being built its nodes are added to that graph.
    With `experimental_relax_shapes` sizes that differ between the first two graphs may be any in
    the third. `experimental_autograph_options` are of tf.autograph.experimental.Feature.

    Raises ValueError for arguments that do not fit the signature, and for Variables that are made
    at a later call than the first.
    """
    if func is None:
        return functools.partial(
            function, input_signature=input_signature, autograph=autograph,
            experimental_autograph_options=experimental_autograph_options,
            experimental_relax_shapes=experimental_relax_shapes)
    return Function(func, input_signature, autograph, experimental_autograph_options,
                    _RELAXES_AFTER if experimental_relax_shapes else None)


_runs_eagerly = False


def run_functions_eagerly(run_eagerly):
    """With True what tf.function returns calls the Python function, whose ops run at once."""
    global _runs_eagerly
    _runs_eagerly = bool(run_eagerly)


def functions_run_eagerly():
    """What was said by run_functions_eagerly."""
    return _runs_eagerly


class Function:
    """What tf.function returns; see there."""

    def __init__(self, python_function, input_signature=None, autograph=True, features=None,
                 relaxes_after=None):
        self._python_function = python_function
        self._autograph = autograph
        self._features = features
        self._signature = None if input_signature is None else checked_signature(input_signature)
        self._nest = None if input_signature is None else tuple(input_signature)
        self._parameters = inspect.signature(python_function)
        self._traces = {}
        self._of_tensors = {}           # the same by the kinds of arguments that are all tensors
        self._relaxes_after = relaxes_after     # so many traces, or None: shapes are not relaxed
        self._relaxed = {}              # the kinds without shapes -> _Relaxed
        self._methods = weakref.WeakKeyDictionary()     # instance -> its Function
        self._instance = None           # of a method, kept during a call
        functools.update_wrapper(self, python_function)

    @property
    def python_function(self):
        """The function as it was given."""
        return self._python_function

    @property
    def function_spec(self):
        return self._parameters

    def experimental_get_tracing_count(self):
        """How often the function was traced."""
        return len(set(map(id, self._traces.values())))

    def __get__(self, instance, owner):
        """A method: one Function for each object."""
        if instance is None:
            return self
        bound = self._methods.get(instance)
        if bound is None:
            weak = weakref.ref(instance)

            @functools.wraps(self._python_function)
            def method(*args, **kwargs):
                return self._traced(weak(), *args, **kwargs)
            signature = inspect.signature(self._python_function)
            method.__signature__ = signature.replace(
                parameters=list(signature.parameters.values())[1:])
            bound = Function(method, self._nest, self._autograph, self._features,
                             self._relaxes_after)
            self._methods[instance] = bound
        return bound._of(instance)

    def _of(self, instance):
        """The same Function, which keeps its object: that of `Model().step` is in use nowhere else.
        """
        twin = object.__new__(Function)
        twin.__dict__.update(self.__dict__, _instance=instance)
        return twin

    def __call__(self, *args, **kwargs):
        if not eager_mode.executing_eagerly():          # a graph is being built
            return self._traced(*args, **kwargs)
        if _runs_eagerly:
            return self._python_function(*args, **kwargs)
        kinds = kinds_of_tensors(args, kwargs)
        concrete = self._of_tensors.get(kinds)
        if concrete is not None:
            return concrete._call(args)
        concrete, tensors = self._concrete(args, kwargs)
        if kinds is not None and len(tensors) == len(args):         # none is a default
            self._of_tensors[kinds] = concrete
        return concrete._call(tensors)

    @property
    def _traced(self):
        """The Python function as it is traced."""
        if not self._autograph:
            return self._python_function
        from tinyflow.eager.autograph.convert import convert  # start-up time
        from tinyflow.eager.autograph.features import as_features  # start-up time
        return convert(self._python_function, as_features(self._features))

    def get_concrete_function(self, *args, **kwargs):
        """The ConcreteFunction for these arguments: tensors, or TensorSpecs in their place."""
        if not args and not kwargs and self._nest is not None:
            args = self._nest
        return self._concrete(args, kwargs)[0]

    def _concrete(self, args, kwargs):
        """(the ConcreteFunction for these arguments, the tensors in them)"""
        arguments = self._bound(args, kwargs)
        if self._signature is None:
            leaves = leaves_of(arguments)
        else:
            arguments, leaves = self._by_signature(*arguments)
        kinds = kinds_of(leaves, arguments)
        key = (kinds, nest.skeleton(arguments)) if self._signature is None else ()
        concrete = self._traces.get(key)
        if concrete is None:
            specs = list(map(spec_of, leaves, kinds))
            if self._signature is not None:
                specs[:len(self._signature)] = self._signature
            elif self._relaxes_after:
                concrete = self._relaxed_trace(key, arguments, specs)
            self._traces[key] = concrete = concrete or self._trace(arguments, specs)
            self._warn_of_many(key)
        return concrete, [leaf for leaf in leaves if isinstance(leaf, Tensor)]

    def _bound(self, args, kwargs):
        """The arguments in the order of the parameters, defaults included."""
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise misuse(TypeError(f'{self.__name__}{self._parameters}: {error}')) from None
        bound.apply_defaults()
        return [bound.args, dict(sorted(bound.kwargs.items()))]

    def _by_signature(self, args, kwargs):
        """(the arguments in the signature's structure, their leaves), defaults behind."""
        count = len(self._nest)
        given = [leaf for spec, value in zip(self._nest, args) for leaf in up_to(spec, value)]
        others = leaves_of([args[count:], kwargs])
        defaults = nest.flatten([p.default for p in self._parameters.parameters.values()])
        for value in others:
            if not any(value is default for default in defaults):
                given.append(value)     # one too many
        return [(*self._nest, *args[count:]), kwargs], [
            *fitting(given, self._signature), *others]

    def _trace(self, arguments, specs):
        created, allowed = [], not self._traces

        def creator(make, **settings):
            if not allowed:
                raise misuse(ValueError(
                    'tf.function-decorated function tried to create variables on non-first call.\n'
                    '  Hint: make the Variable outside; or once, `if self.v is None: '
                    'self.v = tf.Variable(...)`.'))
            variable = make(**settings)
            created.append(weakref.ref(variable))
            return variable
        concrete = self._concrete_function(arguments, specs, creator)
        if created:
            # The Variables exist now. TensorFlow traces again, without making any: what the
            # function does at later calls.
            allowed = False
            if any(reference() is None for reference in created):
                creator(None)
            concrete = self._concrete_function(arguments, specs, creator)
        return concrete

    def _concrete_function(self, arguments, specs, creator):
        return ConcreteFunction(self._traced, arguments, specs, creator, self._autograph)

    def _relaxed_trace(self, key, arguments, specs):
        """The trace for any sizes where those before differed; None as long as there are few."""
        kinds, structure = key
        is_tensor = [isinstance(spec, TensorSpec) for spec in specs]
        shapes = [kind[1] for kind, known in zip(kinds, is_tensor) if known]
        general = tuple([(kind[0], len(kind[1])) if known and kind[1] is not None else kind
                         for kind, known in zip(kinds, is_tensor)])
        seen = self._relaxed.setdefault((general, structure), _Relaxed())
        if seen.trace is not None and all(map(_covers, seen.shapes, shapes)):
            return seen.trace
        seen.shapes = shapes if seen.shapes is None else list(map(_common, seen.shapes, shapes))
        seen.count += 1
        if seen.count > self._relaxes_after:
            sizes = iter(seen.shapes)
            seen.trace = self._trace(arguments, [
                TensorSpec(next(sizes), spec.dtype) if known else spec
                for spec, known in zip(specs, is_tensor)])
        return seen.trace

    def _warn_of_many(self, key):
        if self.experimental_get_tracing_count() == _MANY_TRACES:
            changing = [name for name, kinds in zip(
                self._parameters.parameters,
                zip(*[k[0] for k in self._traces if len(k[0]) == len(key[0])]))
                if len(set(kinds)) == len(self._traces)]
            logging.warning(
                '%s has been traced %d times%s: each time its graph is built again.\n  Hint: '
                'pass a tensor instead of a Python number; input_signature=[tf.TensorSpec([None], '
                '...)] for tensors of any size.', self._python_function.__name__, _MANY_TRACES,
                f', for other values of {" and ".join(changing)}' if changing else '')

    def __repr__(self):
        return f'<tf.function {self.__name__}, traced {len(self._traces)} times>'


class _Relaxed:
    """Shapes of arguments of some ranks: what they have in common, and the trace for those."""

    def __init__(self):
        self.shapes, self.count, self.trace = None, 0, None


def _common(shape, other):
    return other if shape is None or other is None else tuple(
        [a if a == b else None for a, b in zip(shape, other)])


def _covers(shape, other):
    return shape is not None and all(a is None or a == b for a, b in zip(shape, other))
