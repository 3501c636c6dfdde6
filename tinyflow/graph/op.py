"""Op: everything about one kind of node, declared in one class.

    class MatMul(Op):
        signature = 'a: T, b: T -> product: T'       # TF's own argument and type names
        types = {'T': NUMBERS}                       # what each type may be
        attrs = {'transpose_a': False, 'transpose_b': False}

        def shape(a, b, *, transpose_a, transpose_b):      # shapes in, shape out; no arrays
        def kernel(a, b, out=None, *, transpose_a, transpose_b):      # NumPy only
        def gradient(op, dy):                              # graph in, graph out

The class name is TF's op type. Tensors are positional, attributes keyword-only; `shape` and
`kernel` receive just the attributes that they name. No instances are ever made:
`MatMul.apply(a, b)` makes an Operation, whose `.definition` is the class.

The signature. `name: T` is a tensor whose dtype is the type attribute T; `name: int32` has a fixed
dtype; `name: N*T` is a list of tensors of one dtype; `name: [T]` a list of tensors of any dtypes;
`name: Ref(T)` a place (a Variable's storage); `name: Handle(T)` the handle of a resource variable
of dtype T, a place as well: `shape` and `kernel` get what is behind it. Equal letters mean equal
dtypes, which is all that is needed to check the dtypes of inputs and to know those of outputs.

The contract of a kernel. It gets arrays and never changes them (but see `writes`). If it takes
`out`, that is None or an array of the right shape and dtype (maybe the buffer of an input listed in
`overwrites`) that receives the result; the result is returned in both cases. Several outputs are
returned as a tuple. A bare ufunc is a legal kernel.

What does not fit is refused, by `shape` and `kernel` alike, with `raise OpFailure(problem, hint)`
(errors.py): what is wrong, and what the user can do about it. Node, inputs and the user's
line are added here, or where the kernel is run.

    static = {'axis': 0}   inputs that arrive as a Python int, or (nested) tuple of ints, instead of
                           an array, and the rank (or tuple of ranks, or None for any) that each
                           must have. `shape` gets that value too (None if unknown, None entries
                           where partly known) in place of the input's shape. A wrong rank is
                           refused before `shape` or `kernel` see it.
    overwrites = (0, 1)    inputs whose buffer may become the output's
    view = True            the result is a NumPy view of input 0
    writes = (0,)          inputs (places) that the kernel changes; output 0 is then that place
    takes_storage = (0,)   inputs that the kernel wants as VariableStorage: it may set `.value`
    keeps = (1,)           inputs whose arrays live on in the result; they get arrays that nobody
                           changes any more
    calls_user_code = True exceptions of the kernel are the user's own and pass unchanged
    pure = False           never folded, merged or dropped: random, print, py_func, collectives
    state = f(attrs)       makes the op's own state in a Session, the kernel's first argument; where
                           a Session ends it calls the state's `cancel()`, if it has one
    state_of_node = True   `state` is f(operation, shared) instead; `shared` is a dict of the
                           Session's, for what nodes with one shared_name have in common
    elementwise = True     output element i depends on (broadcast) input elements i only
    partial_rank = True    `shape` wants to be called even when an input's rank is unknown
    functions = ('f',)     attributes that hold a FuncGraph (or a list of them). For each the kernel
                           gets a callable, f(*arrays) -> list of arrays, before its inputs
    bind(instruction, function)     instead of a kernel, for an op that runs functions in a way of
                           its own: makes the callable that is called with the inputs
    captures(attrs, count) with `bind`: the positions, of `count` inputs, that functions capture. Of
                           those that are places they find by themselves; the others are handed to
                           the callable
    emit(call)             NumPy source for the compiled program, where a call of the kernel is
                           slower or less instructive; see compiler/codegen/program.py
    fold_partial(op)       a partly known value of the output; see graph/constant_value.py
"""
from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from tinyflow.graph.constant_value import check_rank, checked
from tinyflow.graph.node_builder import make_node
from tinyflow.graph.op_registry import nodes, registry
from tinyflow.graph.operation import Operation
from tinyflow.graph.signature import (
    REQUIRED,
    Arg,
    Marker,
    flat_positions,
    nest,
    output_count,
    parameters,
    parse,
    type_attrs,
)
from tinyflow.graph.support.errors import report_failure, worded

NOT_DIFFERENTIABLE = Marker('NOT_DIFFERENTIABLE')    # gradients stop here, as TF documents


class Op:
    """Base of all op declarations; see the module's docstring."""

    registry = registry         # all of them, by type

    type: str
    signature: str
    types: dict[str, frozenset] = {}
    attrs: dict[str, Any] = {}
    static: dict[str, int | tuple[int, ...] | None] = {}
    overwrites: tuple[int, ...] = ()
    view = False
    writes: tuple[int, ...] = ()
    pure = True
    state: Any = None
    state_of_node = False
    elementwise = False
    partial_rank = False
    takes_storage: tuple[int, ...] = ()
    keeps: tuple[int, ...] = ()
    calls_user_code = False
    kernel: Any = None
    gradient: Any = None
    emit: Any = None
    fold_partial: Any = None
    functions: tuple[str, ...] = ()
    bind: Any = None
    captures: Any = None

    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]

    # Worked out once, when a subclass is declared.
    static_positions: tuple[int, ...]
    static_ranks: tuple[tuple[str, tuple[int, ...] | None], ...]    # (name, ranks) of each
    kernel_attrs: tuple[str, ...]
    shape_attrs: tuple[str, ...]
    handle_positions: tuple[int, ...]           # of handles of resource variables
    kernel_has_out: bool
    has_lists: bool
    one_output: bool
    type_names: set[str]

    def __init_subclass__(cls, abstract=False, type=None):
        for key in ('shape', 'kernel', 'gradient', 'emit', 'fold_partial', 'state', 'bind',
                    'captures'):
            function = cls.__dict__.get(key)
            if isinstance(function, FunctionType):
                setattr(cls, key, staticmethod(function))
        if abstract:
            return
        cls.type = type or cls.__name__
        if cls.type in Op.registry:
            raise TypeError(f'op {cls.type} is declared twice')
        left, arrow, right = cls.signature.partition('->')
        cls.inputs, cls.outputs = parse(left), parse(right)
        cls.static_positions = tuple(i for i, a in enumerate(cls.inputs) if a.name in cls.static)
        cls.static_ranks = tuple((cls.inputs[i].name, cls._ranks(cls.inputs[i].name))
                                 for i in cls.static_positions)
        cls.handle_positions = tuple(i for i, a in enumerate(cls.inputs) if a.handle)
        positional, cls.kernel_attrs = parameters(cls.kernel)
        cls.shape_attrs = parameters(cls.shape)[1]
        cls.kernel_has_out = isinstance(cls.kernel, np.ufunc) or 'out' in positional
        cls.one_output = len(cls.outputs) == 1 and not cls.outputs[0].is_list
        cls.has_lists = any(a.is_list for a in cls.inputs + cls.outputs)
        cls.type_names = {a.type for a in cls.inputs + cls.outputs if a.fixed is None}
        Op.registry[cls.type] = cls

    @classmethod
    def _ranks(cls, name):
        """The ranks that are declared for a static input; None if it takes any."""
        ranks = cls.static[name] if isinstance(cls.static, dict) else None
        return (ranks,) if isinstance(ranks, int) else ranks

    def shape(*inputs):
        """Unknown, unless the subclass says better."""
        return None

    # ---- its node, its shapes, its values ------------------------------------------------

    @classmethod
    def apply(cls, *inputs, name=None, **attrs) -> Any:
        """Adds a node to the graph of the inputs (or the default graph).

        Returns its output Tensor, a list of Tensors for several outputs (or a list output), or the
        Operation if it has none. TypeError for dtypes that do not fit, ValueError for shapes.
        """
        operation = make_node(cls, inputs, attrs, name)
        outputs = operation.outputs
        if cls.one_output:
            return outputs[0]
        return list(outputs) if outputs else operation

    @classmethod
    def make(cls, inputs, attrs, name=None) -> Operation:
        """As `apply`, but returns the Operation."""
        return make_node(cls, inputs, attrs, name)

    @classmethod
    def infer_shapes(cls, operation, arguments):
        """Shapes of a new node's outputs; ValueError in the user's terms where they do not fit."""
        try:
            return cls.shapes_from(operation.attrs, arguments,
                                   1 if cls.one_output else output_count(operation))
        except ValueError as error:
            raise worded(ValueError(cls.explain_shapes(operation, error))) from None

    @classmethod
    def shapes_from(cls, attrs, arguments, count):
        """Shapes of `count` outputs, from the shapes (static inputs: values) of all inputs."""
        if None in arguments and not cls.partial_rank:
            static = cls.static_flat_positions(len(arguments))
            if any(a is None for i, a in enumerate(arguments) if i not in static):
                return [None] * count
        if cls.has_lists:
            arguments = cls.nest(arguments)
        if cls.shape_attrs:
            result = cls.shape(*arguments, **{k: attrs[k] for k in cls.shape_attrs})
        else:
            result = cls.shape(*arguments)
        if count == 1 and (result is None or isinstance(result, tuple)):
            return (result,)
        return [None] * count if result is None else result

    @classmethod
    def explain_shapes(cls, operation, error):
        """The message for shapes that do not fit."""
        return report_failure(error, operation, cls.labelled_inputs(operation))

    @classmethod
    def labelled_inputs(cls, operation):
        """(label, tensor) of each input, for messages; a subclass may name what its user knows."""
        labels = [a.name for a in cls.inputs]
        if len(labels) != len(operation.inputs):
            labels = [f'input {i}' for i in range(len(operation.inputs))]
        return list(zip(labels, operation.inputs))

    @classmethod
    def call(cls, attrs, arrays, first=()):
        """A tuple of the outputs that the kernel gives for a flat list of input arrays.

        Static inputs become Python values, lists are grouped; `first` is what the kernel gets
        before them: the op's state, if it has one, and the callables of its functions.
        """
        arguments = list(arrays)
        for i, (name, ranks) in zip(cls.static_flat_positions(len(arguments)), cls.static_ranks):
            arguments[i] = checked(arguments[i], name, ranks)
        if cls.has_lists:
            arguments = cls.nest(arguments)
        result = cls.kernel(*first, *arguments, **{k: attrs[k] for k in cls.kernel_attrs})
        if not cls.outputs:
            return ()
        return (result,) if cls.one_output else tuple(result)

    # ---- flat inputs and the signature ---------------------------------------------------

    @classmethod
    def nest(cls, flat):
        """Flat inputs grouped as in the signature: a list for each list argument."""
        return nest(cls.inputs, flat)

    @classmethod
    def static_flat_positions(cls, total):
        """Flat positions of the static inputs."""
        if not cls.has_lists:
            return cls.static_positions
        return flat_positions(cls.inputs, cls.static_positions, total)

    @classmethod
    def check_static_ranks(cls, inputs):
        """ValueError where a static input's known shape is not of the rank it must have."""
        for i, (name, ranks) in zip(cls.static_flat_positions(len(inputs)), cls.static_ranks):
            check_rank(name, ranks, inputs[i])

    @classmethod
    def type_attrs(cls, operation):
        """TF's type attributes (and list lengths) of a node, e.g. {'T': float32, 'N': 2}."""
        return type_attrs(cls.inputs, operation.inputs)


__all__ = ['NOT_DIFFERENTIABLE', 'REQUIRED', 'Op', 'nodes']
