"""Loops inside of functions: they get in at a time that is left open, so they change no bit."""
import numpy as np
import pytest

import tinyflow as tf
from tests.ops.rows import load_all
from tests.ops.test_ops import Built, every_row
from tinyflow.graph.op import Op
from tinyflow.native import loops
from tinyflow.native.loops import groups
from tinyflow.ops.support.registry_loading import load_every_op
from tinyflow.session.executable import Executable

pytestmark = pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')
EXACT = {'Add', 'Sub', 'Mul', 'RealDiv', 'Maximum', 'Minimum', 'Square', 'Relu', 'Relu6', 'Neg'}
SPECIAL = np.array([0, -0.0, np.nan, np.inf, -np.inf, 1, -1, 0.5, -2.5, 3, 1e-40, -1e-40, 1e30])


def elementwise_rows():
    load_every_op()
    return [r for r in load_all() if Op.registry[r.op_type].elementwise]


def sprinkled(array, rng):
    """The array with other numbers, many of them special ones."""
    if array.dtype.kind != 'f':
        return array
    others = np.where(rng.random(array.shape) < 0.5, rng.choice(SPECIAL, array.shape),
                      rng.normal(size=array.shape) * 10.0 ** rng.integers(-3, 4, array.shape))
    return others.astype(array.dtype)


@pytest.mark.parametrize('dtype', [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
@every_row(elementwise_rows())
def test_they_have_the_bits_of_numpy(sample, dtype, monkeypatch):
    monkeypatch.setattr(groups, 'LEAST', 1)
    monkeypatch.setattr(groups, 'work', lambda nodes: 2)        # single operations, too
    monkeypatch.setattr(groups, '_known', {})
    monkeypatch.setenv('TINYFLOW_NATIVE', 'off')
    built = Built(sample, dtype=dtype)
    with built.graph.as_default(), tf.Session() as session, np.errstate(all='ignore'):
        session.run(built.ys, built.feed)
        executable, = [e for entry in session._programs.entries.values()
                       for e in entry.executables.values()]
        program = loops.raised(executable.program, exact=True)
        if program is executable.program:
            assert sample.op_type not in EXACT or any(a.dtype.kind != 'f' for a in built.arrays)
            return                                  # no loop, or one that is not exact
        looped, rng = Executable(program, executable._runtime), np.random.default_rng(1)
        for _ in range(20):
            arrays = [sprinkled(a, rng) for a in built.feed.values()]
            expected = session.run(built.ys, dict(zip(built.feed, arrays)))
            for a, b in zip(expected, looped(arrays), strict=True):
                np.testing.assert_array_equal(a, b)
                if a.dtype.kind == 'f':
                    numbers = ~np.isnan(a)
                    assert (np.signbit(a) == np.signbit(b))[numbers].all()
