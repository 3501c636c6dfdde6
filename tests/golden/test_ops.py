"""Single calls, and the streams of seeded random ops, agree with what TF 1.15.5 gave."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.compare import NOT_BUILT_YET, assert_same, assert_same_array, plain, public, spec
from tests.golden import load_ops, load_random
from tests.golden.cases import CASES
from tests.golden.load import KEPT_ENDS
from tests.golden.op_cases import weights
from tests.golden.random_cases import RANDOM_CASES

OPS, RANDOM = load_ops(), load_random()

# Calls of what a later issue builds, by path; the test below says when one starts to work.
LATER: dict[str, str] = {}

# Streams whose op seed counts nodes that are not made here.
SEED_DIFFERS: dict[str, str] = {}

NOW = [key for key in OPS if CASES[key].path not in LATER]

# Where NumPy's or SciPy's last bits differ from Eigen's by more than the plain tolerance.
SCALE: dict[str, float] = {}


@pytest.fixture(autouse=True)
def own_graph():
    with warnings.catch_warnings(), tf.Graph().as_default() as graph:
        warnings.simplefilter('ignore', tf.errors.TinyflowWarning)
        warnings.simplefilter('ignore', DeprecationWarning)
        yield graph


def place(value, feeds):
    """Arrays become fed placeholders, also inside lists; anything else is passed as it is."""
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [place(v, feeds) for v in value]
    if not isinstance(value, np.ndarray):
        return value
    tensor = tf.placeholder(value.dtype, value.shape)
    feeds[tensor] = value
    return tensor


def flat(result):
    """The call's tensors in order."""
    if isinstance(result, (list, tuple)):
        return [t for r in result for t in flat(r)]
    return [result]


def call(case):
    """The output tensors of a case's call, and the feeds."""
    feeds = {}
    args = [place(a, feeds) for a in case.inputs]
    kwargs = {key: place(a, feeds) for key, a in sorted(case.kwargs.items())}
    return flat(public(case.path)(*args, **kwargs)), feeds


def raised(case):
    """The exception of a case's call or run, or None."""
    try:
        outputs, feeds = call(case)
        with tf.Session() as session:
            session.run(outputs, feeds)
    except Exception as error:                      # noqa: BLE001 - judged by the caller
        return error
    return None


@pytest.mark.parametrize('key', NOW)
def test_call(key):
    """Values, static shapes and dtypes; or the class of the error."""
    recorded = OPS[key]
    if recorded.error is not None:
        error = raised(CASES[key])
        assert error is not None, f'TensorFlow raises {recorded.error}'
        assert type(error).__name__ == recorded.error, error
        return
    outputs, feeds = call(CASES[key])
    assert [spec(t) for t in outputs] == recorded.static
    with tf.Session() as session:
        got = [plain(value) for value in session.run(outputs, feeds)]
    assert len(got) == len(recorded.outputs)
    for i, (value, wanted) in enumerate(zip(got, recorded.outputs)):
        assert_same(value, wanted, f'output {i}', SCALE.get(key, 1.0))


@pytest.mark.parametrize('key', [k for k in NOW if OPS[k].error is None])
def test_gradient(key):
    """The gradient of sum(output * weights) over all float outputs, for each float input."""
    outputs, feeds = call(CASES[key])
    inputs = [t for t in feeds if t.dtype.is_floating]
    weighted = [tf.reduce_sum(t * weights(np, r.shape, r.dtype))
                for t, r in zip(outputs, OPS[key].outputs) if t.dtype.is_floating]
    if not inputs or not weighted or OPS[key].gradients is None:
        return
    found = [None if g is None else tf.convert_to_tensor(g)
             for g in tf.gradients(weighted, inputs)]
    with tf.Session() as session:
        for i, (g, wanted) in enumerate(zip(found, OPS[key].gradients)):
            assert (g is None) == (wanted is None), f'gradient {i}: {g} instead of {wanted}'
            if g is not None:
                assert_same_array(plain(session.run(g, feeds)), wanted, f'gradient {i}',
                                  10 * SCALE.get(key, 1.0))


@pytest.mark.parametrize('key', RANDOM)
def test_random_stream(key):
    """The seed attributes of the node, and its values in three runs of one Session."""
    case, recorded = RANDOM_CASES[key], RANDOM[key]
    if case.graph_seed is not None:
        tf.set_random_seed(case.graph_seed)
    for i in range(case.nodes_before):
        tf.no_op(name=f'before_{i}')
    fetch = case.build(tf, np, case.op_seed)
    seeds = [(op.get_attr('seed'), op.get_attr('seed2'))
             for op in tf.get_default_graph().get_operations() if 'seed2' in op.attrs]
    assert (seeds == [recorded.seeds]) == (key not in SEED_DIFFERS), seeds
    if key in SEED_DIFFERS:
        return
    with tf.Session() as session:
        for i, wanted in enumerate(recorded.runs):
            values = plain(session.run(fetch)).ravel()
            assert values.size == wanted.size
            assert_same_array(values[:KEPT_ENDS], wanted.head, f'run {i}')
            assert_same_array(values[KEPT_ENDS:][-KEPT_ENDS:], wanted.tail, f'run {i}, end')
            np.testing.assert_allclose(np.sum(values, dtype=np.float64), wanted.total, rtol=1e-4,
                                       atol=1e-4 * wanted.size)


@pytest.mark.parametrize('path', LATER)
def test_missing_features_raise(path):
    """Fails as soon as the missing function exists: then its line in LATER goes."""
    for case in CASES.values():
        if case.path == path:
            assert isinstance(raised(case), NOT_BUILT_YET)


def test_every_recorded_case_is_known():
    assert set(OPS) == set(CASES) and set(RANDOM) == set(RANDOM_CASES)
    assert set(LATER) <= {case.path for case in CASES.values()}
