"""Op: the declaration of an op type: signature, shape function, kernel and gradient in one class.

    class MatMul(Op):
        signature = 'a: T, b: T -> product: T'       # TF's own argument and type names
        types = {'T': NUMBERS}                       # the allowed dtypes
        attrs = {'transpose_a': False, 'transpose_b': False}

        def shape(a, b, *, transpose_a, transpose_b):      # from static shapes to a static shape
        def kernel(a, b, out=None, *, transpose_a, transpose_b):      # computes, with NumPy
        def gradient(op, dy):                              # adds the gradient's nodes to the graph

The class name is TF's op type. Tensors are positional, attributes keyword-only; `shape` and
`kernel` receive only the attributes that they name. The class is never instantiated:
`MatMul.apply(a, b)` creates an Operation, whose `.definition` is the class.

The signature. `name: T` is a tensor whose dtype is the type attribute T; `name: int32` has a fixed
dtype; `name: N*T` is a list of tensors of one dtype; `name: [T]` a list of tensors of any dtypes;
`name: Ref(T)` a reference to a Variable's storage; `name: Handle(T)` the handle of a resource
variable of dtype T, also a reference: `shape` and `kernel` get the variable's shape and array.
Equal letters mean equal dtypes; this determines the dtypes of outputs and which inputs are valid.

The contract of a kernel. It gets arrays and must not modify them (but see `writes`). If it has a
parameter `out`, that is None or an array of the result's shape and dtype (possibly the buffer of an
input listed in `overwrites`) to write the result into. The result is returned in both cases, as a
tuple if there are several outputs. A plain NumPy ufunc is a valid kernel.

`shape` and `kernel` reject invalid inputs with `raise OpFailure(problem, hint)`
(support/errors.py): what is wrong, and what the user can do about it. The caller adds the node, its
inputs and the user's line.

    static = {'axis': 0}   inputs that are passed as a Python int or (nested) tuple of ints instead
                           of an array, and the rank (or tuple of ranks, or None for any) that each
                           must have. `shape` gets this value, instead of the input's shape: None if
                           it is unknown, with None entries if it is partly known. The rank is
                           checked before `shape` or `kernel` are called.
    overwrites = (0, 1)    inputs whose buffer may be reused for the output
    view = True            the result is a NumPy view of input 0
    writes = (0,)          inputs (references) that the kernel modifies; output 0 is then the same
                           reference
    takes_storage = (0,)   inputs that the kernel takes as a VariableStorage: it may set `.value`
    keeps = (1,)           inputs whose arrays the result keeps (a list, a queue): they are copied
                           if anything could modify them later
    calls_user_code = True exceptions of the kernel come from the user's code and pass unchanged
    pure = False           never folded, merged or dropped: random, print, py_func, collectives
    state = f(attrs)       creates the op's state in a Session, the kernel's first argument; when
                           the Session is closed it calls the state's `cancel()`, if it has one
    state_of_node = True   `state` is f(operation, shared) instead; `shared` is a dict of the
                           Session, for state shared by nodes with the same shared_name
    elementwise = True     output element i depends only on (broadcast) input elements i
    takes_gaps = True      the kernel's `out` may have gaps in memory (elementwise ones always may)
    partial_rank = True    `shape` is also called if the rank of an input is unknown
    functions = ('f',)     attributes that hold a FuncGraph (or a list of them). For each the kernel
                           gets a callable, f(*arrays) -> list of arrays, before its inputs
    bind(instruction, function)     replaces the kernel of an op that runs functions, such as While:
                           returns the callable that is called with the inputs
    captures(attrs, count) with `bind`: the positions, of `count` inputs, that functions capture.
                           References among them are not passed to the callable: functions look up
                           Variables themselves
    emit(call)             NumPy source for the compiled program, where calling the kernel would be
                           slower or less readable; see compiler/codegen/program.py
    fold_partial(op, value)    a partly known value of the output; see graph/constant_value.py
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
from tinyflow.graph.support.errors import misuse, report_failure

NOT_DIFFERENTIABLE = Marker('NOT_DIFFERENTIABLE')    # as a `gradient`: gradients stop here


class Op:
    """Base class of all op declarations; see the module's docstring."""

    registry = registry         # all op declarations, by type

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
    takes_gaps = False
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

    # Computed once, when a subclass is declared.
    static_positions: tuple[int, ...]
    static_ranks: tuple[tuple[str, tuple[int, ...] | None], ...]    # (name, ranks) of each
    kernel_attrs: tuple[str, ...]
    shape_attrs: tuple[str, ...]
    handle_positions: tuple[int, ...]           # of handles of resource variables
    ref_positions: tuple[int, ...]              # of references to Variables
    kernel_has_out: bool
    has_lists: bool
    one_output: bool
    type_names: frozenset[str]

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
        for key, value in parse(cls.signature)._asdict().items():
            setattr(cls, key, value)
        cls.static_positions = tuple([i for i, a in enumerate(cls.inputs) if a.name in cls.static])
        cls.static_ranks = tuple([(cls.inputs[i].name, cls._ranks(cls.inputs[i].name))
                                  for i in cls.static_positions])
        positional, cls.kernel_attrs = parameters(cls.kernel)
        cls.shape_attrs = parameters(cls.shape)[1]
        cls.kernel_has_out = isinstance(cls.kernel, np.ufunc) or 'out' in positional
        Op.registry[cls.type] = cls

    @classmethod
    def _ranks(cls, name):
        """The ranks that a static input may have; None if it may have any."""
        ranks = cls.static[name] if isinstance(cls.static, dict) else None
        return (ranks,) if isinstance(ranks, int) else ranks

    def shape(*inputs):
        """The shape function; by default the output shape is unknown."""
        return None

    # ---- creating nodes, inferring shapes, calling the kernel ----------------------------

    @classmethod
    def apply(cls, *inputs, name=None, **attrs) -> Any:
        """Adds a node to the graph of the inputs (or the default graph).

        Returns its output Tensor, a list of Tensors for several outputs (or a list output), or the
        Operation if it has no outputs, None if it has run. Raises TypeError for invalid dtypes,
        ValueError for invalid shapes.
        """
        operation = make_node(cls, inputs, attrs, name)
        outputs = operation.outputs
        if cls.one_output:
            return outputs[0]
        return list(outputs) if outputs else None if operation.has_run else operation

    @classmethod
    def make(cls, inputs, attrs, name=None) -> Operation:
        """As `apply`, but returns the Operation."""
        return make_node(cls, inputs, attrs, name)

    @classmethod
    def infer_shapes(cls, operation, arguments):
        """The shapes of a new node's outputs; ValueError that names the node if inputs do not fit.
        """
        try:
            return cls.shapes_from(operation.attrs, arguments,
                                   1 if cls.one_output else output_count(operation))
        except ValueError as error:
            raise misuse(ValueError(cls.explain_shapes(operation, error))) from None

    @classmethod
    def shapes_from(cls, attrs, arguments, count):
        """The shapes of `count` outputs, from the shapes (static inputs: values) of the inputs."""
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
        """The error message for input shapes that the op does not accept."""
        return report_failure(error, operation, cls.labelled_inputs(operation))

    @classmethod
    def labelled_inputs(cls, operation):
        """(label, tensor) of each input, for messages; subclasses may use more familiar labels."""
        labels = [a.name for a in cls.inputs]
        if len(labels) != len(operation.inputs):
            labels = [f'input {i}' for i in range(len(operation.inputs))]
        return list(zip(labels, operation.inputs))

    @classmethod
    def call(cls, attrs, arrays, first=()):
        """Calls the kernel with a flat list of input arrays; returns a tuple of outputs.

        Static inputs become Python values, list arguments are grouped. `first` are the kernel's
        leading arguments: the op's state, if it has one, and the callables of its functions.
        """
        if cls.static_positions:
            arrays = list(arrays)
            for i, (name, ranks) in zip(cls.static_flat_positions(len(arrays)), cls.static_ranks):
                arrays[i] = checked(arrays[i], name, ranks)
        if cls.has_lists:
            arrays = cls.nest(arrays)
        more = {k: attrs[k] for k in cls.kernel_attrs} if cls.kernel_attrs else {}
        result = cls.kernel(*first, *arrays, **more)
        if not cls.outputs:
            return ()
        return (result,) if cls.one_output else tuple(result)

    # ---- flat inputs and the signature ---------------------------------------------------

    @classmethod
    def nest(cls, flat):
        """Groups flat inputs as in the signature: a list for each list argument."""
        return nest(cls.inputs, flat)

    @classmethod
    def static_flat_positions(cls, total):
        """The positions of the static inputs in the flat list of inputs."""
        if not cls.has_lists:
            return cls.static_positions
        return flat_positions(cls.inputs, cls.static_positions, total)

    @classmethod
    def check_static_ranks(cls, inputs):
        """Raises ValueError if the known shape of a static input has the wrong rank."""
        for i, (name, ranks) in zip(cls.static_flat_positions(len(inputs)), cls.static_ranks):
            check_rank(name, ranks, inputs[i])

    @classmethod
    def type_attrs(cls, operation):
        """TF's type attributes (and list lengths) of a node, e.g. {'T': float32, 'N': 2}."""
        return type_attrs(cls.inputs, operation.inputs)


__all__ = ['NOT_DIFFERENTIABLE', 'REQUIRED', 'Op', 'nodes']
