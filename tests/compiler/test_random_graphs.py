"""Random graphs: the compiled run equals the reference interpreter, and plain NumPy.

A graph is grown from a list of small random choices. For each tensor a plain NumPy function
that computes it is kept, written without looking at the kernels; the interpreter runs the lowered
program node by node. Every combination of passes must agree with both.

TINYFLOW_RANDOM_PROGRAMS=20000 says how many of them.
"""
from __future__ import annotations

import os
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import tinyflow as tf
from tinyflow.compiler.codegen import tiling
from tinyflow.compiler.compile import Options, graph_to_program
from tinyflow.compiler.passes import EXACT, PASSES
from tinyflow.graph.support import tiles
from tinyflow.session import tiers
from tinyflow.session.interpret import interpret
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.store import Store

SIZES = (1, 2, 3, 4)
UNINTENDED = r'ignore:\[silent-broadcast\]'        # what a random program does by chance
pytestmark = pytest.mark.filterwarnings(UNINTENDED)
MANY = int(os.environ.get('TINYFLOW_RANDOM_PROGRAMS', 100))
PROFILE = settings(max_examples=MANY, deadline=None, derandomize=True, phases=[Phase.generate],
                   suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


class Node:
    """A tensor, and the NumPy value that it must have in the run that is being looked at."""

    def __init__(self, tensor, compute):
        self.tensor = tensor
        self.compute = compute          # env -> array; env holds feeds and Variables

    def value(self, env):
        if self not in env:
            env[self] = np.asarray(self.compute(env))
        return env[self]


class Garden:
    """Grows a graph; `nodes` are float32 tensors of rank 0 to 3."""

    def __init__(self, draw, static):
        self.draw = draw
        self.static = static            # do placeholders know their shapes?
        self.nodes: list[Node] = []
        self.feeds: list[tuple[Node, tuple]] = []
        self.variables: list[tuple[Node, object]] = []
        self.steps: list[tuple] = []    # (operation, Node of the Variable, new value, adds)

    def pick(self, what):
        return self.draw(st.sampled_from(what))

    def node(self, rank=None):
        fitting = [n for n in self.nodes if rank is None or self.rank(n) in rank]
        return self.pick(fitting) if fitting else self.placeholder(rank=rank)

    def rank(self, node):
        return len(self.shapes[node])

    def add(self, tensor, compute, shape):
        node = Node(tensor, compute)
        self.shapes[node] = tuple(shape)
        self.nodes.append(node)
        return node

    shapes: dict

    def source(self):
        return self.pick([self.placeholder, self.constant, self.variable])()

    def shape(self, rank=None):
        rank = self.pick(rank or (0, 1, 1, 2, 2, 2, 3))
        return tuple(self.pick(SIZES) for _ in range(rank))

    def placeholder(self, rank=None):
        shape = self.shape(rank)
        known = {'all': shape, 'some': (None,) + shape[1:] if shape else (),
                 'none': None}[self.static]
        node = self.add(tf.placeholder(tf.float32, known), lambda env: env[node.tensor], shape)
        self.feeds.append((node, shape))
        return node

    def constant(self):
        shape = self.shape()
        kind = self.pick(['ones', 'zeros', 'range', 'minus'])
        array = {'ones': np.ones(shape), 'zeros': np.zeros(shape),
                 'range': np.arange(np.prod(shape, dtype=int)).reshape(shape) / 8 - 1,
                 'minus': np.full(shape, -0.5)}[kind].astype(np.float32)
        return self.add(tf.constant(array), lambda env: array, shape)

    def variable(self):
        shape = self.shape()
        array = np.linspace(-1, 1, int(np.prod(shape, dtype=int))).reshape(shape).astype('f')
        variable = tf.Variable(array)
        node = self.add(self.pick([variable.value, variable.read_value])(),
                        lambda env: env[variable], shape)
        self.variables.append((node, variable))
        return node

    # ---- what grows on nodes -------------------------------------------------------------

    def unary(self):
        x = self.node()
        name, f = self.pick([
            ('negative', np.negative), ('abs', np.abs), ('square', np.square), ('tanh', np.tanh),
            ('exp', lambda v: np.exp(v)), ('identity', lambda v: v), ('sign', np.sign),
            ('stop_gradient', lambda v: v), ('floor', np.floor)])
        if name == 'exp':
            return self.add(tf.exp(tf.tanh(x.tensor)), lambda env: np.exp(np.tanh(x.value(env))),
                            self.shapes[x])
        if name == 'square':
            return self.add(tf.square(tf.tanh(x.tensor)),
                            lambda env: np.square(np.tanh(x.value(env))), self.shapes[x])
        return self.add(getattr(tf, name)(x.tensor), lambda env: f(x.value(env)), self.shapes[x])

    def binary(self):
        x, y = self.node(), self.node()
        try:
            shape = np.broadcast_shapes(self.shapes[x], self.shapes[y])
        except ValueError:
            y = x
            shape = self.shapes[x]
        name, f = self.pick([('add', np.add), ('subtract', np.subtract), ('multiply', np.multiply),
                             ('maximum', np.maximum), ('minimum', np.minimum)])
        if name == 'multiply':
            return self.add(tf.multiply(tf.tanh(x.tensor), y.tensor),
                            lambda env: np.tanh(x.value(env)) * y.value(env), shape)
        return self.add(getattr(tf, name)(x.tensor, y.tensor),
                        lambda env: f(x.value(env), y.value(env)), shape)

    def by_constant(self):
        x, c = self.node(), self.pick([0.0, 1.0, 2.0, -1.0, -0.0])
        kind = self.pick('+-*r')
        tensor = {'+': lambda t: t + c, '-': lambda t: t - c, '*': lambda t: t * c,
                  'r': lambda t: c - t}[kind](x.tensor)
        c32 = np.float32(c)
        return self.add(tensor, lambda env: {
            '+': lambda v: v + c32, '-': lambda v: v - c32, '*': lambda v: v * c32,
            'r': lambda v: c32 - v}[kind](x.value(env)), self.shapes[x])

    def reduce(self):
        x = self.node((1, 2, 3))
        axis = self.pick([None, *range(self.rank(x)), -1])
        keep = self.draw(st.booleans())
        name, f = self.pick([('reduce_sum', np.sum), ('reduce_max', np.max),
                             ('reduce_mean', np.mean)])
        shape = np.sum(np.zeros(self.shapes[x]), axis=axis, keepdims=keep).shape
        return self.add(getattr(tf, name)(x.tensor, axis, keepdims=keep),
                        lambda env: f(x.value(env), axis=axis, keepdims=keep), shape)

    def reshape(self):
        x = self.node()
        size = int(np.prod(self.shapes[x], dtype=int))
        shape = self.pick([(size,), (1, size), (size, 1), (1, 1, size), self.shapes[x],
                           self.shapes[x][::-1]])
        asked = self.pick([shape, (-1,) + shape[1:]]) if shape else shape
        if self.draw(st.booleans()):
            asked = tf.constant(asked, tf.int32)
        return self.add(tf.reshape(x.tensor, asked), lambda env: x.value(env).reshape(shape), shape)

    def run_time_reshape(self):
        x = self.node((2,))
        rows, columns = self.shapes[x]
        dims = tf.shape(x.tensor)
        return self.add(tf.reshape(x.tensor, tf.stack([dims[1], dims[0]])),
                        lambda env: x.value(env).reshape(columns, rows), (columns, rows))

    def transpose(self):
        x = self.node((2, 3))
        perm = self.draw(st.permutations(range(self.rank(x))))
        shape = tuple(self.shapes[x][p] for p in perm)
        return self.add(tf.transpose(x.tensor, perm), lambda env: x.value(env).transpose(perm),
                        shape)

    def slice(self):
        x = self.node((1, 2, 3))
        key = tuple(self.pick([slice(None), slice(None, None, -1), slice(0, 1), slice(-1, None), 0,
                               -1, np.newaxis, slice(None, None, 2)])
                    for _ in range(self.draw(st.integers(1, self.rank(x)))))
        if sum(k is not np.newaxis for k in key) > self.rank(x):
            key = (0,)
        return self.add(x.tensor[key], lambda env: x.value(env)[key],
                        np.zeros(self.shapes[x])[key].shape)

    def axes(self):
        x = self.node((0, 1, 2))
        axis = self.draw(st.integers(0, self.rank(x)))
        y = self.add(tf.expand_dims(x.tensor, axis), lambda env: np.expand_dims(x.value(env), axis),
                     np.expand_dims(np.zeros(self.shapes[x]), axis).shape)
        if self.draw(st.booleans()):
            return y
        return self.add(tf.squeeze(y.tensor, [axis]), lambda env: np.squeeze(y.value(env), axis),
                        self.shapes[x])

    def spread(self):
        x = self.node((0, 1))
        n = self.pick(SIZES)
        shape = (n,) + self.shapes[x]
        return self.add(tf.broadcast_to(x.tensor, shape),
                        lambda env: np.broadcast_to(x.value(env), shape), shape)

    def tile(self):
        x = self.node((1, 2))
        times = tuple(self.pick([1, 1, 2]) for _ in self.shapes[x])
        return self.add(tf.tile(x.tensor, times), lambda env: np.tile(x.value(env), times),
                        tuple(a * b for a, b in zip(self.shapes[x], times)))

    def matmul(self):
        x, y = self.node((2,)), self.node((2,))
        choices = [(ta, tb) for ta in (False, True) for tb in (False, True)
                   if self.shapes[x][0 if ta else 1] == self.shapes[y][1 if tb else 0]]
        if not choices:
            y, choices = x, [(False, True), (True, False)]
        ta, tb = self.pick(choices)

        def compute(env):
            a, b = x.value(env), y.value(env)
            return (a.T if ta else a) @ (b.T if tb else b)
        shape = (self.shapes[x][1 if ta else 0], self.shapes[y][0 if tb else 1])
        a, b = x.tensor, y.tensor
        if ta and self.draw(st.booleans()):
            return self.add(tf.tanh(tf.matmul(tf.transpose(a), b, transpose_b=tb)),
                            lambda env: np.tanh(compute(env)), shape)
        return self.add(tf.tanh(tf.matmul(a, b, ta, tb)), lambda env: np.tanh(compute(env)), shape)

    def concat(self):
        x = self.node((1, 2))
        y = self.pick([n for n in self.nodes if self.shapes[n] == self.shapes[x]])
        axis = self.draw(st.integers(0, self.rank(x) - 1))
        shape = np.concatenate([np.zeros(self.shapes[x])] * 2, axis).shape
        return self.add(tf.concat([x.tensor, y.tensor], axis),
                        lambda env: np.concatenate([x.value(env), y.value(env)], axis), shape)

    def split(self):
        x = self.node((1, 2))
        fitting = [a for a in range(self.rank(x)) if self.shapes[x][a] % 2 == 0]
        if not fitting:
            return self.stack()
        axis = self.pick(fitting)
        parts = tf.split(x.tensor, 2, axis)
        shape = np.split(np.zeros(self.shapes[x]), 2, axis)[0].shape
        return [self.add(part, lambda env, i=i: np.split(x.value(env), 2, axis)[i], shape)
                for i, part in enumerate(parts)][self.pick((0, 1))]

    def stack(self):
        x = self.node((0, 1, 2))
        y = self.pick([n for n in self.nodes if self.shapes[n] == self.shapes[x]])
        pile = self.add(tf.stack([x.tensor, y.tensor]),
                        lambda env: np.stack([x.value(env), y.value(env)]),
                        (2,) + self.shapes[x])
        if self.draw(st.booleans()):
            return pile
        return [self.add(part, lambda env, i=i: pile.value(env)[i], self.shapes[x])
                for i, part in enumerate(tf.unstack(pile.tensor, 2))][0]

    def select(self):
        x = self.node()
        y = self.pick([n for n in self.nodes if self.shapes[n] == self.shapes[x]])
        return self.add(tf.where(tf.greater(x.tensor, y.tensor), x.tensor, y.tensor),
                        lambda env: np.where(x.value(env) > y.value(env), x.value(env),
                                             y.value(env)), self.shapes[x])

    def wait(self):
        x, y = self.node(), self.node()
        with tf.control_dependencies([y.tensor]):
            return self.add(tf.identity(x.tensor), lambda env: x.value(env), self.shapes[x])

    def assign(self):
        if not self.variables:
            return None
        read, variable = self.pick(self.variables)
        shape = self.shapes[read]
        if any(v is variable for _, v, _, _ in self.steps):
            return None                 # two unordered writes of one Variable are a race
        x = self.pick([n for n in self.nodes if self.shapes[n] == shape])
        adds = self.draw(st.booleans())
        make = tf.assign_add if adds else tf.assign
        self.steps.append((make(variable, tf.tanh(x.tensor)).op, variable, x, adds))
        return None

    KINDS = ('source unary unary binary binary binary by_constant by_constant reduce reshape '
             'run_time_reshape transpose transpose slice axes spread tile matmul concat split '
             'stack select wait assign').split()

    def grow(self):
        self.shapes = {}
        self.source()
        self.source()
        for _ in range(self.draw(st.integers(1, 25))):
            getattr(self, self.pick(self.KINDS))()
        count = self.draw(st.integers(1, 4))
        fetched = [self.pick(self.nodes) for _ in range(count)] + [self.nodes[-1]]
        return fetched

    # ---- one run, by hand ----------------------------------------------------------------

    def draw_feeds(self, seed):
        rng = np.random.default_rng(seed)
        return {node.tensor: rng.normal(size=shape).astype(np.float32)
                for node, shape in self.feeds}

    def expect(self, fetched, feeds, state):
        """What the fetches must be, in plain NumPy; `state` is left as the assignments leave it."""
        env = {**feeds, **state}
        with np.errstate(all='ignore'):
            values = [fetch.value(env) for fetch in fetched]
            new = {variable: np.tanh(x.value(env)) + (state[variable] if adds else 0)
                   for _, variable, x, adds in self.steps}
        state.update({k: v.astype(np.float32) for k, v in new.items()})
        # A fetched v.value() is given after all assignments of the run, as TF1 has it.
        own = {v.value(): v for _, v in self.variables}
        return [state[own[f.tensor]] if f.tensor in own else value
                for f, value in zip(fetched, values)]


def fill_with_garbage(session):
    """Whatever a run leaves in its arena must be of no use to the next."""
    runtime = session._programs.runtime
    for arena in (*runtime.free_arenas, *runtime.variable_arenas):
        arena.memory.fill(0xFF)         # NaN as float32


def make_session(options):
    session = tf.Session()
    session._programs = ProgramCache(session._store, options)
    return session


def flat_bits(a, b):
    """Equal bit for bit, except that one NaN is as good as another."""
    return a.dtype == b.dtype and a.shape == b.shape and \
        bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)))


class Reference:
    """Runs the un-optimised program instruction by instruction."""

    def __init__(self, fetches, feeds, variables):
        self.program = graph_to_program(tuple(dict.fromkeys(fetches)), tuple(feeds))
        self.fetches = list(dict.fromkeys(fetches))
        self.store = Store()
        for variable, array in variables.items():
            self.store.storage(variable.op).value = np.array(array)

    def run(self, feeds):
        return dict(zip(self.fetches, interpret(self.program, list(feeds.values()), self.store)))


def options():
    return st.builds(lambda fold, names: Options(fold, tuple(n for n in PASSES if n in names)),
                     st.booleans(), st.sets(st.sampled_from(sorted(PASSES))))


@contextmanager
def tiles_of(elements):
    """Groups of elementwise instructions run in tiles of so many elements, whatever their size."""
    with pytest.MonkeyPatch.context() as patch:
        if elements:
            patch.setattr(tiling, 'TILE', elements)
            patch.setattr(tiling, '_LARGE', 1)
            patch.setattr(tiling, '_LARGE_ALONE', 1)
            patch.setattr(tiles, '_FEWEST_TILES', 1)
        yield


@contextmanager
def first_runs(by_steps):
    """Whether the first run of a short program goes by steps, too (session/first_run.py)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiers, 'LONG', 1 if by_steps else 1000)
        yield


@pytest.mark.slow
@given(data=st.data(), static=st.sampled_from(['all', 'all', 'some', 'none']),
       choices=st.lists(options(), min_size=2, max_size=3), tile=st.sampled_from([0, 1, 2, 5]),
       by_steps=st.booleans())
@PROFILE
def test_compiled_runs_equal_the_reference_and_numpy(data, static, choices, tile, by_steps):
    with tf.Graph().as_default(), tiles_of(tile), first_runs(by_steps):
        garden = Garden(data.draw, static)
        fetched = garden.grow()
        fetches = [node.tensor for node in fetched] + [step[0] for step in garden.steps]
        start = {variable: _initial(variable) for _, variable in garden.variables}
        for option in [Options(), Options(False, ()), *choices]:
            check_runs(garden, fetched, fetches, start, option)


def _initial(variable):
    with tf.Session() as session:
        session.run(variable.initializer)
        return np.array(session.run(variable))


def check_runs(garden, fetched, fetches, start, option):
    with make_session(option) as session:
        session.run([v.initializer for v in start])
        feeds = garden.draw_feeds(0)
        reference = Reference(fetches, feeds, start)
        state, earlier = dict(start), []
        for run in range(3):
            feeds = garden.draw_feeds(run)
            given = {k: v.copy() for k, v in feeds.items()}
            fill_with_garbage(session)
            got = session.run(fetches, feeds)
            by_reference = reference.run(feeds)
            by_hand = garden.expect(fetched, feeds, state)
            for k in feeds:
                assert np.array_equal(feeds[k], given[k]), 'a fed array was changed'
            for value, hand, node in zip(got, by_hand, fetched):
                wanted = by_reference[node.tensor]
                if set(option.passes) <= EXACT:
                    assert flat_bits(np.asarray(value), wanted), node.tensor
                np.testing.assert_allclose(value, wanted, 1e-4, 1e-5)
                np.testing.assert_allclose(value, hand, 1e-4, 1e-4)
                assert value.dtype == np.float32 and value.shape == hand.shape
            for before, copy in earlier:
                assert np.array_equal(before, copy, equal_nan=True), 'an earlier result changed'
            earlier += [(v, v.copy()) for v in got if isinstance(v, np.ndarray)]
            for variable, array in state.items():
                np.testing.assert_allclose(session.run(variable), array, 1e-4, 1e-4)


@pytest.mark.slow
@given(data=st.data())
@PROFILE
def test_feeding_any_inner_tensor(data):
    """A fed inner tensor replaces all that was behind it, with every pass on."""
    with tf.Graph().as_default():
        garden = Garden(data.draw, 'all')
        fetched = garden.grow()
        inner = garden.pick(garden.nodes)
        rng = np.random.default_rng(1)
        value = rng.normal(size=garden.shapes[inner]).astype(np.float32)
        feeds = garden.draw_feeds(0)
        env = {**feeds, **{v: _initial(v) for _, v in garden.variables}, inner: value}
        with np.errstate(all='ignore'):
            wanted = [node.value(env) for node in fetched]
        with tf.Session() as session:
            session.run([v.initializer for _, v in garden.variables])
            for _ in range(2):
                got = session.run([node.tensor for node in fetched],
                                  {**feeds, inner.tensor: value})
                for a, b in zip(got, wanted):
                    np.testing.assert_allclose(a, b, 1e-4, 1e-4)
                fill_with_garbage(session)


@pytest.mark.slow
@given(data=st.data(), seeds=st.lists(st.integers(0, 3), min_size=2, max_size=6))
@PROFILE
def test_many_programs_share_one_arena(data, seeds):
    """Different fetches of one graph, in any order, do not disturb one another."""
    with tf.Graph().as_default():
        garden = Garden(data.draw, 'all')
        garden.grow()
        variables = {v: _initial(v) for _, v in garden.variables}
        with tf.Session() as session:
            session.run([v.initializer for v in variables])
            for seed in seeds:
                some = [garden.pick(garden.nodes) for _ in range(2)]
                feeds = garden.draw_feeds(seed)
                env = {**feeds, **variables}
                with np.errstate(all='ignore'):
                    wanted = [node.value(env) for node in some]
                got = session.run([node.tensor for node in some], feeds)
                for a, b in zip(got, wanted):
                    np.testing.assert_allclose(a, b, 1e-4, 1e-4)
                fill_with_garbage(session)
