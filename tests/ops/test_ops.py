"""Every op, attacked by its rows in rows.py and rows_*.py; and the attacks themselves, tested.

Add an op and it needs a row; everything here then applies to it.
"""
from __future__ import annotations

import inspect
import os
import sys

import numpy as np
import pytest

import tinyflow as tf
from tests.ops.rows import load_all, row
from tinyflow.api.testing import check_gradient
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph.constant_value import as_python
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Tensor
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.ops.control_flow.persistent_list import ElementList
from tinyflow.ops.control_flow.tensor_lists import OptionalTensor
from tinyflow.ops.support.registry_loading import load_every_op
from tinyflow.session.interpret import arguments_of, interpret, run_kernel
from tinyflow.session.storage import VariableStorage
from tinyflow.session.store import Store

ROWS = load_all()
KNOWN = {'static': lambda a: a.shape,
         'sizes unknown': lambda a: (None,) * a.ndim,
         'rank unknown': lambda a: None}


def every_row(rows=ROWS):
    counts: dict[str, int] = {}
    params = []
    for r in rows:
        counts[str(r)] = counts.get(str(r), 0) + 1
        params.append(pytest.param(r, id=f'{r}.{counts[str(r)]}'))
    return pytest.mark.parametrize('sample', params)


def all_operations(graph):
    """The operations of a graph and of the functions that they run."""
    for op in graph.get_operations():
        yield op
        for function in functions_of(op):
            yield from all_operations(function)


class Built:
    """A row's nodes in a separate graph."""

    def __init__(self, sample, known='static', dtype=None):
        self.sample = sample
        self.arrays = sample.arrays()
        if dtype is not None:
            self.arrays = [a.astype(dtype) if a.dtype == np.float64 else a for a in self.arrays]
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.xs = [tf.placeholder(tf.as_dtype(a.dtype), KNOWN[known](a), name=f'x{i}')
                       for i, a in enumerate(self.arrays)]
            result = sample.build(tf, *self.xs)
        self.results = list(result) if isinstance(result, (list, tuple)) else [result]
        self.ys = [self.graph.as_graph_element(y) for y in self.results]
        self.feed = dict(zip(self.xs, self.arrays))

    def nodes(self):
        return [op for op in all_operations(self.graph) if op.type == self.sample.op_type]

    def expected(self):
        values = self.sample.ref(*[a.copy() for a in self.arrays])
        return list(values) if isinstance(values, (list, tuple)) else [values]


# ---- the two executors ---------------------------------------------------------------------

def initializers(graph):
    return [v.initializer for v in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)]


def program_of(fetches, feed):
    return lower(schedule(prune(fetches, feed), set(feed)), list(feed), list(fetches))


def run_compiled(graph, fetches, feed):
    """By tf.Session."""
    with tf.Session(graph=graph) as session:
        session.run(initializers(graph))
        return session.run(list(fetches), feed)


def run_interpreted(graph, fetches, feed):
    """By the reference interpreter, without any pass or plan."""
    store = Store()
    interpret(program_of(initializers(graph), {}), [], store)
    arrays = [np.asarray(v, t.dtype.base_dtype.np) for t, v in feed.items()]
    return interpret(program_of(fetches, feed), arrays, store)


def run_both(graph, fetches, feed):
    """The fetched values, after checking that both executors give the same."""
    slow = run_interpreted(graph, fetches, feed)
    fast = run_compiled(graph, fetches, feed)
    for fetch, a, b in zip(fetches, fast, slow, strict=True):
        if isinstance(fetch, Tensor):
            assert_same(np.asarray(a), np.asarray(b), f"'{fetch.name}' compiled and interpreted")
    return slow


def assert_same(got, want, what, tol=None):
    """Equal up to rounding (exactly, where there is none)."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f'{what}: shapes {got.shape} and {want.shape}'
    if got.dtype.kind in 'fc' and want.dtype.kind in 'fc':
        tol = tol or {'float16': 1e-2, 'float32': 2e-5, 'complex64': 2e-5}.get(got.dtype.name, 1e-9)
        np.testing.assert_allclose(got, want, rtol=tol, atol=tol, err_msg=what)
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)


# ---- values, dtypes, shapes ----------------------------------------------------------------

def check_value(sample, known):
    """Both executors give `ref`, with the inferred dtype and shape."""
    built = Built(sample, known)
    assert built.nodes(), f'{sample}: build makes no {sample.op_type}'
    values = run_both(built.graph, built.ys, built.feed)
    for y, value in zip(built.ys, values):
        if not isinstance(y, Tensor):
            continue
        assert value.dtype == y.dtype.base_dtype.np
        assert y.shape.is_compatible_with(value.shape), f'{y} has the value shape {value.shape}'
        if known == 'static' and sample.static_result:
            assert y.shape.as_list() == list(value.shape), f'static shape of {y} is too vague'
    if sample.ref is None:
        return
    expected = built.expected()
    assert len(expected) == len(values)
    for y, value, want in zip(built.ys, values, expected):
        want = np.asarray(want)
        if want.dtype.kind in 'US':
            want = np.char.encode(want).astype(object) if want.dtype.kind == 'U' else \
                want.astype(object)
        assert_same(value, want, f'{y.name} against ref', tol=sample.tol)


@every_row()
def test_value_dtype_and_shape(sample):
    check_value(sample, 'static')


@every_row([r for r in ROWS if r.unknown and r.inputs])
@pytest.mark.parametrize('known', ['sizes unknown', 'rank unknown'])
def test_value_where_shapes_are_unknown(sample, known):
    check_value(sample, known)


@every_row([r for r in ROWS if r.grad_positions(r.arrays())])
def test_gradient(sample):
    """First and second derivatives against central differences, by both executors."""
    for known in ('static', 'rank unknown') if sample.unknown else ('static',):
        built = Built(sample, known)
        first = [built.xs[i] for i in sample.grad_positions(built.arrays)]
        second = [built.xs[i] for i in sample.second_positions(built.arrays)]
        ys = [y for y in built.ys if isinstance(y, Tensor) and y.dtype.base_dtype.is_floating]
        assert ys, f'{sample} yields nothing to differentiate: grad=False'
        with built.graph.as_default():
            found = tf.gradients(ys, first)
            assert any(g is not None for g in found), f'{sample} has no gradient at all'
            run_both(built.graph, [tf.convert_to_tensor(g) for g in found if g is not None],
                     built.feed)
            check_gradient(ys, first, built.feed, order=1, tol=sample.tol)
            if second:
                check_gradient(ys, second, built.feed, order=2, tol=max(sample.tol, 1e-5))


# ---- kernels -------------------------------------------------------------------------------

def calls_of(built):
    """(instruction, arguments, store) of each of the row's own nodes, as they run."""
    store = Store()
    interpret(program_of(initializers(built.graph), {}), [], store)
    program = program_of(built.ys, built.feed)
    env = dict(zip(program.feeds, built.arrays))
    for instruction in program.instructions:
        arguments = arguments_of(instruction, env, store)
        if instruction.definition.type == built.sample.op_type:
            yield instruction, arguments, store
        with np.errstate(all='ignore'):                 # as both executors have it
            outputs = run_kernel(instruction, arguments, store)
        for value, array in zip(instruction.outputs, outputs):
            if array is not None:                       # a loop gives none for what it hands on
                env[value] = np.array(array, value.dtype.np)


def call_kernel(instruction, arguments, store, **out):
    """The kernel's outputs just as it returns them."""
    definition = instruction.definition
    if definition.functions:
        return tuple(run_kernel(instruction, arguments, store))
    arguments = list(arguments)
    for i in definition.static_flat_positions(len(arguments)):
        arguments[i] = as_python(arguments[i])
    if definition.has_lists:
        arguments = definition.nest(arguments)
    if definition.state is not None:
        arguments.insert(0, store.state(instruction.operation))
    attrs = {k: instruction.attrs[k] for k in definition.kernel_attrs}
    with np.errstate(all='ignore'):
        result = definition.kernel(*arguments, **attrs, **out)
    if not instruction.outputs:
        return ()
    single = definition.one_output
    return (result,) if single else tuple(result)


def copies(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def garbage(shape, dtype):
    """An array of values that no result may depend on."""
    out = np.empty(shape, dtype)
    out.fill(np.nan if dtype.kind in 'fc' else True if dtype.kind == 'b' else
             b'garbage' if dtype.kind == 'O' else 85)
    return out


def scattered(array):
    """The same values, not contiguous and not to be written to."""
    if array.ndim == 0:
        twin = array.copy()
    else:
        wide = garbage((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype)
        twin = wide[..., 1::2]
        twin[...] = array
    twin.flags.writeable = False
    return twin


def same(x, y):
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype == object and x.ndim == 0 and isinstance(x[()], ElementList):
        x, y = x[()].items(), y[()].items()
        return x.keys() == y.keys() and all(same(x[i], y[i]) for i in x)
    if x.dtype == object and x.ndim == 0 and isinstance(x[()], OptionalTensor):
        x, y = x[()].components or (), y[()].components or ()
        return len(x) == len(y) and all(map(same, x, y))
    if x.shape != y.shape:
        return False
    if x.dtype.kind not in 'fc':
        return bool(np.all(x == y))
    tol = {'f2': 1e-2, 'f4': 1e-5, 'c8': 1e-5}.get(x.dtype.str[1:], 1e-10)
    return np.allclose(x, y, rtol=tol, atol=tol, equal_nan=True)


class Attack:
    """Calls a kernel in the ways that its declarations allow; `.problems` says what broke."""

    def __init__(self, instruction, arguments, store):
        self.instruction, self.store = instruction, store
        self.definition = instruction.definition
        self.arguments = arguments
        changed = {*instruction.writes, *self.definition.takes_storage}
        self.kept = [i for i, a in enumerate(arguments)
                     if i not in changed and isinstance(a, np.ndarray)]
        self.repeatable = (self.definition.pure and self.definition.state is None
                           and not self.definition.writes and not changed)
        self.shares = False
        self.problems: list[str] = []
        self.want = self._plain_call()
        if self.repeatable:
            self._strided_inputs()
            self._buffers()

    def _say(self, text):
        self.problems.append(f'{self.definition.type}: {text}')

    def _call(self, arguments, what, **out):
        """Calls, and checks that the inputs are as before (save the one that is `out`)."""
        before = copies(arguments)
        result = call_kernel(self.instruction, arguments, self.store, **out)
        for i in self.kept:
            if arguments[i] is not out.get('out') and not same(arguments[i], before[i]):
                self._say(f'input {i} was changed {what}')
        return result

    def _plain_call(self):
        arguments = copies(self.arguments)
        for i in self.definition.takes_storage:
            twin = VariableStorage(arguments[i].operation, arguments[i].lock)
            twin.value = None if arguments[i].value is None else arguments[i].value.copy()
            arguments[i] = twin
        outputs = self._call(arguments, 'by a plain call')
        for place, (value, output) in enumerate(zip(self.instruction.outputs, outputs)):
            if value.dtype.is_ref or output is None:
                continue
            if getattr(output, 'dtype', None) != value.dtype.np:
                self._say(f'output {place} is {getattr(output, "dtype", type(output))}, declared '
                          f'{value.dtype.np}')
            self._look_for_alias(place, output, arguments)
        return [np.array(o) for o in outputs]

    def _look_for_alias(self, place, output, arguments):
        for i in self.kept:
            if not isinstance(output, np.ndarray) or not np.shares_memory(output, arguments[i]):
                continue
            if self.definition.view and i == 0:
                self.shares = True
            else:
                self._say(f'output {place} shares memory with input {i}, undeclared')

    def _strided_inputs(self):
        try:
            outputs = self._call([scattered(a) for a in self.arguments], 'when it was strided')
        except Exception as error:                      # noqa: BLE001 - reported below
            self._say(f'fails on strided read-only inputs: {error}')
            return
        for got, want in zip(outputs, self.want):
            if not same(got, want):
                self._say('wrong result for strided inputs')

    def _buffers(self):
        overwrites = [i for i in self.definition.overwrites if i < len(self.arguments)]
        if not self.definition.kernel_has_out:
            if overwrites:
                self._say('declares overwrites, but its kernel takes no out')
            return
        if len(self.want) != 1:
            return
        want = self.want[0]
        self._into(garbage(want.shape, want.dtype), copies(self.arguments), 'a dirty buffer')
        for i in overwrites:
            arguments = copies(self.arguments)
            if arguments[i].shape == want.shape and arguments[i].dtype == want.dtype:
                self._into(arguments[i], arguments, f'the buffer of input {i}')

    def _into(self, out, arguments, what):
        result, = self._call(arguments, f'when writing into {what}', out=out)
        if not same(result, self.want[0]):
            self._say(f'wrong result when writing into {what}')
        elif not same(out, self.want[0]):
            self._say(f'the result was not written into {what}')


# What it takes is gone: no second call.
ONCE = {'ResourceAccumulatorTakeGradient', 'SparseAccumulatorTakeGradient'}


@every_row()
def test_kernel_keeps_its_declarations(sample):
    """Inputs unchanged, no undeclared alias, correct for any `out` buffer."""
    if sample.op_type in ONCE:
        return
    for dtype in (None, np.float32):
        try:
            built = Built(sample, dtype=dtype)
        except (TypeError, ValueError):
            if dtype is None:
                raise
            return                              # this row is about one dtype
        problems = [p for call in calls_of(built) for p in Attack(*call).problems]
        assert not problems, '\n'.join(problems)


def test_views_are_views():
    """An op declared `view = True` gives a view in at least one of its rows."""
    load_every_op()
    never = {r.op_type for r in ROWS if Op.registry[r.op_type].view}
    for r in ROWS:
        if r.op_type in never and any(Attack(*call).shares for call in calls_of(Built(r))):
            never.discard(r.op_type)
    assert not never, f'declared view = True, but never share memory: {sorted(never)}'


# ---- errors --------------------------------------------------------------------------------

def bad_cases(kind):
    cases = [pytest.param(r, call, id=f'{r}-{i}')
             for r in ROWS for i, call in enumerate(getattr(r, kind))]
    return pytest.mark.parametrize('sample, call', cases)


def check_message(error, sample, call):
    text = str(error)
    assert sample.op_type in text, f'the message does not name {sample.op_type}: {text}'
    file = os.path.basename(call.__code__.co_filename)
    assert f'{file}:' in text, f"the message does not show the user's line in {file}: {text}"


@bad_cases('bad')
def test_building_refuses(sample, call):
    """Bad input is refused while the graph is built, by the op's name and the user's line."""
    with tf.Graph().as_default(), \
            pytest.raises((ValueError, TypeError, AttributeError,
                           tf.errors.InvalidArgumentError)) as caught:
        call(tf)
    check_message(caught.value, sample, call)


@bad_cases('run_bad')
def test_running_refuses(sample, call):
    """A bad value is refused by the kernel, by the op's name and the user's line."""
    graph = tf.Graph()
    with graph.as_default():
        made = call(tf)
    fetch, feed = made if isinstance(made, tuple) else (made, {})
    for run in (run_compiled, run_interpreted):
        with pytest.raises(tf.errors.OpError) as caught:
            run(graph, [graph.as_graph_element(fetch)], feed)
        check_message(caught.value, sample, call)


# ---- completeness --------------------------------------------------------------------------

def op_modules():
    """Every module of the op families, loaded."""
    load_every_op()
    return [module for name, module in sorted(sys.modules.items())
            if name.startswith('tinyflow.ops.')]


def test_every_op_has_a_row():
    op_modules()
    ours = {t for t, d in Op.registry.items() if d.__module__.startswith('tinyflow.')}
    missing = sorted(ours - {r.op_type for r in ROWS})
    assert not missing, f'{len(missing)} ops without a row: {", ".join(missing)}'


def test_every_row_names_an_op():
    op_modules()
    unknown = sorted({r.op_type for r in ROWS} - set(Op.registry))
    assert not unknown, f'rows of ops that do not exist: {", ".join(unknown)}'


def test_every_public_function_documents_its_shapes():
    """Docstrings: what it computes, then a line `Shapes:` with named dimensions."""
    silent = []
    for module in op_modules():
        if '.variables.' in module.__name__ and not module.__name__.endswith('_ops'):
            continue                        # scopes, stores and lists of Variables: no tensors
        for name in getattr(module, '__all__', ()):
            function = getattr(module, name)
            if inspect.isfunction(function) and 'Shapes:' not in (function.__doc__ or ''):
                silent.append(f'{module.__name__}.{name}')
    assert not silent, f'{len(silent)} without a Shapes: line: {", ".join(sorted(silent))}'


# ---- the testers, tested -------------------------------------------------------------------

@pytest.fixture
def private_ops():
    """Ops declared inside the test are forgotten after it."""
    before = dict(Op.registry)
    yield
    Op.registry.clear()
    Op.registry.update(before)


def problems_of(definition, **attrs):
    sample = row(definition.type, lambda tf, x: definition.apply(x, **attrs), [(2, 3)])
    return [p for call in calls_of(Built(sample)) for p in Attack(*call).problems]


def test_attack_accepts_an_honest_op(private_ops):
    class Honest(Unary):
        def kernel(x, out=None):
            return np.multiply(x, 3.0, out)

    assert problems_of(Honest) == []


def test_attack_finds_a_changed_input(private_ops):
    class Mutating(Unary):
        overwrites = ()

        def kernel(x):
            if x.flags.writeable:
                x *= 2.0
            return x + 1.0

    assert any('input 0 was changed' in p for p in problems_of(Mutating))


def test_attack_finds_a_wrong_overwrite(private_ops):
    class WrongOverwrite(Unary):
        def kernel(x, out=None):
            out = np.multiply(x, 2.0, out)
            return np.add(out, x, out)          # x is gone if its buffer was taken over

    assert any('the buffer of input 0' in p for p in problems_of(WrongOverwrite))


def test_attack_finds_an_unprotected_buffer(private_ops):
    class IgnoresOut(Unary):
        def kernel(x, out=None):
            return x * 2.0

    assert any('was not written into' in p for p in problems_of(IgnoresOut))


def test_attack_finds_a_dependence_on_garbage(private_ops):
    class AddsToOut(Unary):
        def kernel(x, out=None):
            if out is None:
                out = np.zeros_like(x)
            out += x
            return out

    assert any('a dirty buffer' in p for p in problems_of(AddsToOut))


def test_attack_finds_an_undeclared_view(private_ops):
    class SecretView(Unary):
        overwrites = ()

        def kernel(x):
            return x[...]

    assert any('shares memory with input 0' in p for p in problems_of(SecretView))


def test_attack_finds_a_wrong_dtype(private_ops):
    class Narrows(Unary):
        overwrites = ()

        def kernel(x):
            return x.astype(np.float32)

    assert any('is float32, declared float64' in p for p in problems_of(Narrows))


def test_attack_finds_a_kernel_that_needs_contiguous_input(private_ops):
    class FlatOnly(Unary):
        overwrites = ()

        def kernel(x):
            return np.frombuffer(memoryview(x), x.dtype).reshape(x.shape) + 0.0

    assert any('strided' in p for p in problems_of(FlatOnly))


def test_attack_finds_overwrites_without_out(private_ops):
    class NoOut(Unary):
        def kernel(x):
            return x * 2.0

    assert any('takes no out' in p for p in problems_of(NoOut))


def wrong_gradient(definition, order):
    sample = row(definition.type, lambda tf, x: definition.apply(x), [(2, 3)])
    built = Built(sample)
    with built.graph.as_default():
        check_gradient(built.ys, built.xs, built.feed, order=order)


def test_gradient_check_finds_a_wrong_first_derivative(private_ops):
    class WrongSquare(Unary):
        kernel = np.square

        def gradient(op, dy):
            return dy * op.inputs[0] * 1.999

    with pytest.raises(AssertionError, match=r'order 1'):
        wrong_gradient(WrongSquare, 1)


def test_gradient_check_finds_a_missing_derivative(private_ops):
    class Forgotten(Unary):
        kernel = np.square

        def gradient(op, dy):
            return None

    with pytest.raises(AssertionError, match=r'order 1'):
        wrong_gradient(Forgotten, 1)


def test_gradient_check_finds_a_wrong_second_derivative(private_ops):
    """The first derivative is right in value, but does not say that it depends on x."""
    class FrozenCube(Unary):
        def kernel(x):
            return x ** 3

        def gradient(op, dy):
            x = tf.stop_gradient(op.inputs[0])
            return dy * 3.0 * x * x

    wrong_gradient(FrozenCube, 1)
    with pytest.raises(AssertionError, match=r'order 2'):
        wrong_gradient(FrozenCube, 2)


def test_value_check_finds_a_wrong_kernel(private_ops):
    class AlmostDouble(Unary):
        def kernel(x, out=None):
            return np.multiply(x, 2.0001, out)

    sample = row('AlmostDouble', lambda tf, x: AlmostDouble.apply(x), [(2, 3)],
                 ref=lambda x: 2.0 * x)
    with pytest.raises(AssertionError):
        check_value(sample, 'static')
