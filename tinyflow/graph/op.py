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

from tinyflow.graph import dtype_hints as mends, dtypes
from tinyflow.graph.constant_value import check_rank, checked, static_value
from tinyflow.graph.convert import as_array, convert_to_tensor, why_none
from tinyflow.graph.defaults import common_graph
from tinyflow.graph.graph import check_is_string
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.signature import Arg, parameters, parse
from tinyflow.graph.source_location import here, user_site
from tinyflow.graph.support.errors import describe, report, report_failure, worded
from tinyflow.graph.variable_refs import dtype_behind, shape_behind


def _ranks(static, name):
    """The ranks that an op declares for a static input; None if it takes any."""
    ranks = static[name] if isinstance(static, dict) else None
    return (ranks,) if isinstance(ranks, int) else ranks


class _Marker:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


REQUIRED = _Marker('REQUIRED')                        # an attribute without a default
NOT_DIFFERENTIABLE = _Marker('NOT_DIFFERENTIABLE')    # gradients stop here, as TF documents


_VALID_NAMES: set[str] = set()          # names that were checked before


class Op:
    """Base of all op declarations; see the module's docstring."""

    registry: dict[str, type[Op]] = {}

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
        cls.static_ranks = tuple((cls.inputs[i].name, _ranks(cls.static, cls.inputs[i].name))
                                 for i in cls.static_positions)
        cls.handle_positions = tuple(i for i, a in enumerate(cls.inputs) if a.handle)
        positional, cls.kernel_attrs = parameters(cls.kernel)
        cls.shape_attrs = parameters(cls.shape)[1]
        cls.kernel_has_out = isinstance(cls.kernel, np.ufunc) or 'out' in positional
        cls.one_output = len(cls.outputs) == 1 and not cls.outputs[0].is_list
        cls.has_lists = any(a.is_list for a in cls.inputs + cls.outputs)
        cls._type_names = {a.type for a in cls.inputs + cls.outputs if a.fixed is None}
        Op.registry[cls.type] = cls

    def shape(*inputs):
        """Unknown, unless the subclass says better."""
        return None

    # ---- running a kernel ----------------------------------------------------------------

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

    # ---- making a node -------------------------------------------------------------------

    @classmethod
    def apply(cls, *inputs, name=None, **attrs) -> Any:
        """Adds a node to the graph of the inputs (or the default graph).

        Returns its output Tensor, a list of Tensors for several outputs (or a list output), or the
        Operation if it has none. TypeError for dtypes that do not fit, ValueError for shapes.
        """
        operation = cls.make(inputs, attrs, name)
        outputs = operation.outputs
        if cls.one_output:
            return outputs[0]
        return list(outputs) if outputs else operation

    @classmethod
    def make(cls, inputs, attrs, name=None) -> Operation:
        """As `apply`, but returns the Operation."""
        flat = [t for i in inputs for t in (i if isinstance(i, (list, tuple)) else (i,))
                if isinstance(t, Tensor)] if cls.has_lists else \
               [t for t in inputs if isinstance(t, Tensor)]
        graph = common_graph(flat)
        with graph._lock:
            if type(name) is not str and name:
                check_is_string(name)
            if not name:
                full_name = graph.unique_name(cls.type)
            elif name[-1] == '/':
                full_name = name[:-1]
            else:
                if name not in _VALID_NAMES:
                    graph._check_name(name)
                    _VALID_NAMES.add(name)
                full_name = graph.unique_name(name)
            outer = graph._name_stack
            try:                # covers the opening, too: Ctrl-C may come at any line
                graph._name_stack = full_name
                tensors, types = cls._convert(inputs, attrs, graph)
                if graph.outer_graph is not None:
                    tensors = graph.captured_tensors(tensors)
            finally:
                graph._name_stack = outer
            operation = Operation(
                graph, cls, full_name, tensors, cls._complete(attrs, types),
                graph.control_inputs_for(tensors) if graph._controllers else (),
                graph.current_device if graph._devices else '', here(2))
            cls._infer(operation, types)
            if graph._gradient_overrides:
                operation._gradient_override = graph._gradient_overrides.get(cls.type)
            graph.add(operation)
            for tensor in tensors:
                if tensor._consumers is None:
                    tensor._consumers = [operation]
                else:
                    tensor._consumers.append(operation)
        return operation

    @classmethod
    def _complete(cls, attrs, types):
        """The attributes of a node: defaults, then what was given."""
        if not cls.attrs:
            if attrs:
                raise TypeError(f'{cls.type} has no attributes {sorted(attrs)}')
            return attrs
        complete = {**cls.attrs, **attrs}
        if len(complete) != len(cls.attrs):
            raise TypeError(f'{cls.type} has no attributes {sorted(complete.keys() - cls.attrs)}')
        for key in types.keys() & complete.keys():
            complete[key] = types[key]
        for key, value in complete.items():
            if value is REQUIRED:
                raise TypeError(f'{cls.type} needs the attribute {key}')
        return complete

    @classmethod
    def _convert(cls, inputs, attrs, graph):
        """Inputs as a flat tuple of Tensors, and the dtypes of the type attributes."""
        types = {k: attrs[k] for k in cls._type_names if k in attrs} if attrs else {}
        if len(inputs) != len(cls.inputs):
            raise TypeError(f'{cls.type} takes {len(cls.inputs)} inputs, not {len(inputs)}')
        tensors = []
        for arg, value in zip(cls.inputs, inputs):
            if arg.is_list:
                tensors += cls._convert_list(arg, value, types, graph)
                continue
            if type(value) is not Tensor:
                dtype = arg.fixed if arg.handle else types.get(arg.type) or arg.fixed
                try:
                    value = cls._convert_one(arg, value, dtype)
                except (TypeError, ValueError) as error:
                    raise cls._refuse_value(arg, value, dtype, tensors, error) from None
            tensors.append(value)
            dtype = value.dtype
            if arg.handle:
                cls._check_handle(arg, value)
                dtype = dtype_behind(value) or types.get(arg.type)
                if dtype is None:
                    continue
            elif dtype.is_ref and not arg.ref:
                dtype = dtype.base_dtype
            elif arg.ref:
                cls._check_ref(arg, value)
                dtype = dtype.base_dtype
            if arg.fixed is not None and not arg.handle:
                if dtype is not arg.fixed:
                    cls._refuse_dtype(arg, value, arg.fixed, tensors)
            elif arg.type not in types:
                allowed = cls.types.get(arg.type)
                if allowed is not None and dtype not in allowed:
                    cls._refuse_type(arg, value, allowed)
                types[arg.type] = dtype
            elif types[arg.type] is not dtype:
                cls._refuse_dtype(arg, value, types[arg.type], tensors)
        return tuple(tensors), types

    @classmethod
    def _convert_one(cls, arg, value, dtype):
        """A tensor from `value`, as a node named after the argument."""
        if arg.handle and hasattr(value, 'handle'):
            return value.handle
        preferred = None if dtype else cls.attrs.get(arg.type)
        preferred = preferred if isinstance(preferred, dtypes.DType) else None
        return convert_to_tensor(value, dtype, arg.name, preferred, as_ref=arg.ref)

    @classmethod
    def _convert_list(cls, arg, values, types, graph):
        if not isinstance(values, (list, tuple)):
            raise worded(TypeError(f"Expected list for '{arg.name}' argument to '{cls.type}' Op, "
                                   f'not {values!r}.'))
        dtype = arg.fixed or types.get(arg.type)
        if dtype is None and arg.number:
            dtype = next((v.dtype.base_dtype for v in values if isinstance(v, Tensor)), None)
        tensors = []
        for i, value in enumerate(values):
            if type(value) is not Tensor:
                value = convert_to_tensor(value, None if arg.any_types else dtype,
                                          f'{arg.name}_{i}')
            if not arg.any_types:
                dtype = dtype or value.dtype.base_dtype
                if value.dtype.base_dtype is not dtype:
                    cls._refuse_dtype(arg, value, dtype, tensors)
            tensors.append(value)
        if arg.any_types:
            types[arg.type] = tuple(t.dtype.base_dtype for t in tensors)
        elif dtype is not None and arg.fixed is None:
            allowed = cls.types.get(arg.type)
            if allowed is not None and dtype not in allowed:
                cls._refuse_type(arg, tensors[0], allowed)
            types[arg.type] = dtype
        return tensors

    @classmethod
    def _check_ref(cls, arg, tensor):
        if not tensor.dtype.is_ref:
            raise worded(AttributeError(report(
                f"'{cls.type}' needs a Variable for its argument '{arg.name}', and "
                f"'{tensor.name}' is a plain value.", inputs=[(arg.name, tensor)])))

    @classmethod
    def _check_handle(cls, arg, tensor):
        if tensor.dtype is not dtypes.resource:
            raise worded(TypeError(report(
                f"Input '{arg.name}' of '{cls.type}' Op has type {tensor.dtype.name} that does not "
                'match expected type of resource.', inputs=[(arg.name, tensor)], site=user_site(),
                mend='tf.Variable(..., use_resource=True) has a handle.')))

    @classmethod
    def _refuse_type(cls, arg, tensor, allowed):
        names = ', '.join(d.name for d in dtypes.ALL if d in allowed)
        raise worded(TypeError(report(
            f"Value passed to parameter '{arg.name}' of {cls.type} has DataType "
            f'{tensor.dtype.base_dtype.name} not in list of allowed values: {names}',
            inputs=[(arg.name, tensor)], site=user_site(),
            mend=mends.for_wanted(arg.name, tensor, allowed))))

    @classmethod
    def _refuse_dtype(cls, arg, tensor, wanted, earlier):
        """For a tensor that is not of the `wanted` dtype, which the `earlier` ones may have set."""
        label = f'{arg.name}[{len(earlier)}]' if arg.is_list else arg.name
        other = cls._first_of(arg, wanted, [t for t in earlier if t is not tensor])
        if other is None:
            because = f'does not match expected type of {wanted.name}'
            mend = mends.for_wanted(label, tensor, {wanted})
        else:
            because = f"does not match type {wanted.name} of argument '{other[0]}'"
            mend = mends.for_two(cls.type, other, (label, tensor))
        raise worded(TypeError(report(
            f"Input '{arg.name}' of '{cls.type}' Op has type {tensor.dtype.base_dtype.name} that "
            f'{because}.', inputs=[*([other] if other else []), (label, tensor)], site=user_site(),
            mend=mend)))

    @classmethod
    def _first_of(cls, arg, dtype, earlier):
        """(label, tensor) of the earlier input that had the dtype first, or None."""
        for i, tensor in enumerate(earlier):
            if tensor.dtype.base_dtype is dtype:
                return (f'{arg.name}[{i}]' if arg.is_list else
                        'an earlier input' if cls.has_lists else cls.inputs[i].name), tensor
        return None

    @classmethod
    def _refuse_value(cls, arg, value, wanted, earlier, error):
        """The error for a Python value or Variable that the input `arg` cannot be made of."""
        if value is None:
            shown = zip([a.name for a in cls.inputs], earlier)
            return worded(ValueError(report(
                f"Tried to convert '{arg.name}' of '{cls.type}' Op to a tensor and failed: None "
                'values not supported.', inputs=list(shown), site=user_site(),
                mend=why_none(arg.name))))
        if wanted is None:
            return error
        if hasattr(value, '_as_graph_element'):             # a Variable of another dtype
            cls._refuse_dtype(arg, convert_to_tensor(value), wanted, earlier)
        other = cls._first_of(arg, wanted, earlier)
        try:
            dtype = as_array(value)[1]
        except (TypeError, ValueError):
            return error
        if other is None or dtype is wanted:
            return error
        reason, _, _ = str(error).partition('\n')
        return worded(TypeError(report(
            f"Input '{arg.name}' of '{cls.type}' Op has type {dtype.name} that does not match type "
            f"{wanted.name} of argument '{other[0]}': {reason}", inputs=[other], site=user_site(),
            mend=mends.for_value(dtype, other))))

    # ---- what a node yields --------------------------------------------------------------

    @classmethod
    def _infer(cls, operation, types):
        """Gives the node its output tensors."""
        inputs = operation.inputs
        arguments = [t.raw_shape for t in inputs]
        for i in cls.handle_positions:
            arguments[i] = shape_behind(inputs[i])
        if cls.static_positions:
            try:
                for place, (name, ranks) in zip(cls.static_flat_positions(len(inputs)),
                                                cls.static_ranks):
                    shape, value = arguments[place], static_value(inputs[place])
                    check_rank(name, ranks, shape, value)
                    arguments[place] = value
            except ValueError as error:
                raise worded(ValueError(cls.explain_shapes(operation, error))) from None
        result = cls.infer_shapes(operation, arguments)
        if cls.one_output:
            arg = cls.outputs[0]
            dtype = arg.fixed or types.get(arg.type) or operation.attrs[arg.type]
            operation.outputs = (Tensor(operation, 0, dtype._as_ref if arg.ref else dtype,
                                        result[0]),)
            return
        dtype_list = cls.output_dtypes(operation, types)
        operation.outputs = tuple([Tensor(operation, i, dtype, shape)
                                   for i, (dtype, shape) in enumerate(zip(dtype_list, result))])

    @classmethod
    def infer_shapes(cls, operation, arguments):
        """Shapes of a new node's outputs; ValueError in the user's terms where they do not fit."""
        try:
            return cls.shapes_from(operation.attrs, arguments,
                                   1 if cls.one_output else cls.output_count(operation))
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
    def output_count(cls, operation):
        if not cls.has_lists:
            return len(cls.outputs)
        return sum(cls._list_length(a, operation) if a.is_list else 1 for a in cls.outputs)

    @classmethod
    def _list_length(cls, arg, operation):
        if arg.any_types:
            return len(operation.attrs[arg.type])
        if arg.number in operation.attrs:
            return operation.attrs[arg.number]
        # The number is that of an input list, of which there is then just one.
        return len(operation.inputs) - sum(not a.is_list for a in cls.inputs)

    @classmethod
    def output_dtypes(cls, operation, types):
        dtype_list = []
        for arg in cls.outputs:
            dtype = arg.fixed or types.get(arg.type) or operation.attrs.get(arg.type)
            if arg.any_types:
                dtype_list += list(dtype)
                continue
            if arg.ref:
                dtype = dtype._as_ref
            dtype_list += [dtype] * (cls._list_length(arg, operation) if arg.is_list else 1)
        return dtype_list

    # ---- flat inputs and the signature ---------------------------------------------------

    @classmethod
    def flat_position(cls, position, total):
        """Where the signature's input `position` stands in the flat input list."""
        flat = 0
        for arg in cls.inputs[:position]:
            flat += cls._flat_length(arg, total)
        return flat

    @classmethod
    def _flat_length(cls, arg, total):
        if not arg.is_list:
            return 1
        lists = sum(a.is_list for a in cls.inputs)
        return (total - (len(cls.inputs) - lists)) // lists

    @classmethod
    def static_flat_positions(cls, total):
        """Flat positions of the static inputs."""
        if not cls.has_lists:
            return cls.static_positions
        return tuple(cls.flat_position(p, total) for p in cls.static_positions)

    @classmethod
    def check_static_ranks(cls, inputs):
        """ValueError where a static input's shape is known and has not the rank it must have."""
        for i, (name, ranks) in zip(cls.static_flat_positions(len(inputs)), cls.static_ranks):
            check_rank(name, ranks, inputs[i])

    @classmethod
    def nest(cls, flat):
        """Flat inputs grouped as in the signature: a list for each list argument."""
        nested, place, total = [], 0, len(flat)
        for arg in cls.inputs:
            if arg.is_list:
                length = cls._flat_length(arg, total)
                nested.append(list(flat[place:place + length]))
                place += length
            else:
                nested.append(flat[place])
                place += 1
        return nested

    @classmethod
    def type_attrs(cls, operation):
        """TF's type attributes (and list lengths) of a node, e.g. {'T': float32, 'N': 2}."""
        found, place, total = {}, 0, len(operation.inputs)
        for arg in cls.inputs:
            length = cls._flat_length(arg, total)
            if arg.number:
                found[arg.number] = length
            if arg.any_types:
                found[arg.type] = tuple(
                    t.dtype.base_dtype for t in operation.inputs[place:place + length])
            elif arg.fixed is None and length:
                found.setdefault(arg.type, operation.inputs[place].dtype.base_dtype)
            place += length
        return found


__all__ = ['NOT_DIFFERENTIABLE', 'REQUIRED', 'Arg', 'Op', 'describe']
