"""tf.function: a Python function as a compiled graph, traced once for each kind of arguments."""
from __future__ import annotations

import functools
import inspect
import weakref

import numpy as np

from tinyflow.eager.graph_function import GraphFunction
from tinyflow.eager.tensor import EagerTensor
from tinyflow.eager.traced_graph import TracedGraph
from tinyflow.graph import eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import refuse_inner
from tinyflow.graph.func_graph import Spec
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import logging, nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.graph.variable_creation import variable_creator_scope
from tinyflow.ops.array.identity_and_cast import identity

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
        self._signature = None if input_signature is None else _checked(input_signature)
        self._nest = None if input_signature is None else tuple(input_signature)
        self._parameters = inspect.signature(python_function)
        self._traces = {}
        self._of_tensors = {}           # the same by the kinds of arguments that are all tensors
        self._relaxes_after = relaxes_after     # so many traces, or None: shapes are not relaxed
        self._relaxed = {}              # the kinds without shapes -> _Relaxed
        self._methods = weakref.WeakKeyDictionary()     # instance -> its Function
        self._created = []              # weak references to the Variables of the first call
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
        kinds = _kinds_of_tensors(args, kwargs)
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
        arguments = self._bound(args, kwargs)
        if self._signature is None:
            leaves = nest.flatten(arguments)
        else:
            arguments, leaves = self._by_signature(*arguments)
        key, tensors = [], []
        for leaf in leaves:
            leaf = _as_leaf(leaf)
            key.append(_kind(leaf))
            if isinstance(leaf, Tensor):
                tensors.append(leaf)
        specs = self._signature if self._signature is not None else None
        key = (tuple(key), _structure(arguments)) if specs is None else ()
        concrete = self._traces.get(key)
        if concrete is None:
            concrete = self._relaxed_trace(key, arguments, leaves) \
                if self._relaxes_after and specs is None else None
            if concrete is None:
                concrete = self._trace(arguments, leaves, specs)
            self._traces[key] = concrete
            self._warn_of_many(key)
        return concrete, tensors

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
        given = [leaf for spec, value in zip(self._nest, args) for leaf in _up_to(spec, value)]
        others = nest.flatten([args[count:], kwargs])
        defaults = nest.flatten([p.default for p in self._parameters.parameters.values()])
        for value in others:
            if not any(value is default for default in defaults):
                given.append(value)     # one too many
        return [(*self._nest, *args[count:]), kwargs], [*self._fitting(given), *others]

    def _fitting(self, leaves):
        """The tensors for the signature. ValueError if they do not fit."""
        given = [_as_tensor_or_spec(leaf) for leaf in leaves]
        fits = len(given) == len(self._signature) and all(
            spec.is_compatible_with(value) for spec, value in zip(self._signature, given))
        if not fits:
            raise misuse(ValueError(
                'Python inputs incompatible with input_signature:\n  inputs: ('
                + ', '.join(_text(v) for v in given) + ')\n  input_signature: ('
                + ', '.join(map(repr, self._signature)) + ')\n  Hint: None in the signature for '
                'a size that differs.'))
        return given

    def _trace(self, arguments, leaves, specs):
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
        leaves = list(leaves) if specs is None else [*specs, *leaves[len(specs):]]
        concrete = self._concrete_function(arguments, leaves, creator)
        if created:
            # The Variables exist now. TensorFlow traces again, without making any: what the
            # function does at later calls.
            allowed = False
            self._created += created
            if any(reference() is None for reference in created):
                creator(None)
            concrete = self._concrete_function(arguments, leaves, creator)
        return concrete

    def _concrete_function(self, arguments, leaves, creator):
        return ConcreteFunction(self._traced, arguments, leaves, creator, self._autograph)

    def _relaxed_trace(self, key, arguments, leaves):
        """The trace for any sizes where those before differed; None as long as there are few."""
        kinds, structure = key
        is_tensor = [_is_traced(leaf) for leaf in leaves]
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
                TensorSpec(next(sizes), kind[0]) if known else leaf
                for leaf, kind, known in zip(leaves, kinds, is_tensor)], None)
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


class ConcreteFunction:
    """A function's graph for one kind of arguments, compiled."""

    def __init__(self, python_function, arguments, leaves, creator, autograph):
        self._name = getattr(python_function, '__name__', 'function')
        self._python_function = python_function
        self._arguments = nest.pack_sequence_as(
            arguments, [_spec_of(leaf) if _is_traced(leaf) else leaf for leaf in leaves])
        self.graph = TracedGraph(f'__inference_{self._name}', autograph=autograph)
        with self.graph.as_default(), variable_creator_scope(creator):
            names = _names_of(python_function, arguments, leaves)
            parameters = [self.graph.add_parameter(_spec(leaf, name)) if _is_traced(leaf) else leaf
                          for leaf, name in zip(leaves, names)]
            self._own = [p for p, leaf in zip(parameters, leaves) if _is_traced(leaf)]
            args, kwargs = nest.pack_sequence_as(arguments, parameters)
            result = python_function(*args, **kwargs)
            self.structured_outputs = nest.map_structure(self._output, result,
                                                         expand_composites=True)
            self._finish()

    def _output(self, value):
        if value is None or isinstance(value, Operation):
            return None
        tensor = convert_to_tensor(value)
        if type(tensor) is not EagerTensor and not self.graph.takes_from(tensor.op.graph):
            raise refuse_inner(tensor, self.graph)
        return self.graph.capture(tensor)

    def _finish(self):
        """Results that wait for what acts; without a result, one that only waits."""
        graph = self.graph
        with graph.control_dependencies(graph.side_effects.acting):
            leaves = [None if t is None else identity(t) for t in
                      nest.flatten(self.structured_outputs, expand_composites=True)]
            self.structured_outputs = nest.pack_sequence_as(
                self.structured_outputs, leaves, expand_composites=True)
            graph.outputs = [t for t in leaves if t is not None]
            results = graph.outputs or [identity(np.int32(0))]
        self._program = GraphFunction(graph, self._own, results)

    # ---- as TensorFlow has it --------------------------------------------------------------

    @property
    def inputs(self):
        """The placeholders of the arguments, then of the captured tensors."""
        return list(self.graph.inputs)

    @property
    def outputs(self):
        return list(self.graph.outputs)

    @property
    def structured_input_signature(self):
        """(positional arguments, keywords), with a TensorSpec in place of each tensor."""
        args, kwargs = self._arguments
        names = iter([t.op.name for t in self._own])
        return nest.map_structure(
            lambda leaf: TensorSpec(leaf.shape, leaf.dtype, next(names))
            if isinstance(leaf, TensorSpec) else leaf, (tuple(args), kwargs))

    @property
    def captured_inputs(self):
        return [outer for outer, _ in self.graph.captures]

    @property
    def name(self):
        return self.graph.name

    @property
    def output_shapes(self):
        return nest.map_structure(lambda t: t.shape, self.structured_outputs)

    @property
    def output_dtypes(self):
        return nest.map_structure(lambda t: t.dtype, self.structured_outputs)

    def __call__(self, *args, **kwargs):
        named = dict(zip((t.op.name for t in self._own), self._own))
        values = list(args) + [kwargs[name] for name in named if name in kwargs]
        if len(values) != len(self._own):
            raise misuse(TypeError(f'{self._name} takes {len(self._own)} tensors, not '
                                   f'{len(values)}: {list(named)}'))
        tensors = [convert_to_tensor(v, p.dtype) for v, p in zip(nest.flatten(values), self._own)]
        return self._call(tensors)

    def _call(self, tensors):
        values = self._program.call(tensors)
        if isinstance(self.structured_outputs, Tensor):
            return values[0]
        values = iter(values)
        leaves = [None if t is None else next(values) for t in
                  nest.flatten(self.structured_outputs, expand_composites=True)]
        return nest.pack_sequence_as(self.structured_outputs, leaves, expand_composites=True)


# ---- arguments -------------------------------------------------------------------------------

def _checked(signature):
    leaves = nest.flatten(signature)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec):
            raise misuse(TypeError(f'input_signature is a list of tf.TensorSpec, not {leaf!r}.'))
    return tuple(leaves)


def _up_to(spec, value):
    """The parts of a value where the signature has TensorSpecs."""
    if isinstance(spec, TensorSpec):
        return [value]
    if isinstance(spec, dict) and isinstance(value, dict) and spec.keys() == value.keys():
        return [leaf for key in sorted(spec) for leaf in _up_to(spec[key], value[key])]
    if isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)) \
            and len(spec) == len(value):
        return [leaf for s, v in zip(spec, value) for leaf in _up_to(s, v)]
    return nest.flatten(value)


def _kinds_of_tensors(args, kwargs):
    """dtype and shape of each argument; None if some are not EagerTensors, or have keywords."""
    kinds = tuple([(a.dtype, a.array.shape) for a in args if type(a) is EagerTensor])
    return None if kwargs or len(kinds) < len(args) else kinds


def _as_leaf(leaf):
    """An array is a tensor; other values are what they are."""
    return convert_to_tensor(leaf) if isinstance(leaf, np.ndarray) else leaf


def _as_tensor_or_spec(leaf):
    if isinstance(leaf, (Tensor, TensorSpec)):
        return leaf
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise misuse(ValueError(
            'When input_signature is provided, all inputs to the Python function must be '
            f'convertible to tensors, not {leaf!r}')) from None


def _is_traced(leaf):
    return isinstance(leaf, (Tensor, TensorSpec, np.ndarray))


def _spec_of(leaf):
    if isinstance(leaf, TensorSpec):
        return leaf
    leaf = _as_leaf(leaf)
    return TensorSpec(leaf.shape, leaf.dtype)


def _names_of(python_function, arguments, leaves):
    """The names of the placeholders: of an argument that is one tensor, that of the argument."""
    args, kwargs = arguments
    parameters = list(inspect.signature(python_function).parameters)
    names = []
    for i, value in enumerate(args):
        name = parameters[i] if i < len(parameters) else ''
        flat = nest.flatten(value)
        names += [name] if len(flat) == 1 and flat[0] is value else [''] * len(flat)
    for name, value in kwargs.items():
        flat = nest.flatten(value)
        names += [name] if len(flat) == 1 and flat[0] is value else [''] * len(flat)
    return names if len(names) == len(leaves) else [''] * len(leaves)


def _spec(leaf, name):
    if isinstance(leaf, TensorSpec):
        return Spec(leaf.dtype, leaf.shape.raw, leaf.name or name)
    leaf = _as_leaf(leaf)
    return Spec(leaf.dtype, leaf.raw_shape, name)


def _kind(leaf):
    """What a trace depends on: dtype and shape of a tensor, other values themselves."""
    if isinstance(leaf, EagerTensor):
        return leaf.dtype, leaf.array.shape
    if isinstance(leaf, TensorSpec):
        return leaf.dtype, leaf.shape.raw
    if isinstance(leaf, Tensor):
        raise misuse(TypeError(f'{leaf!r} is a tensor of a graph, which has no value here.'))
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf


def _structure(arguments):
    return repr(nest.map_structure(lambda _: None, arguments))


def _text(value):
    return repr(TensorSpec(value.shape, value.dtype)) if isinstance(value, Tensor) else repr(value)
