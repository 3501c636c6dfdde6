"""What the tests of oneDNN's operations share: values of a graph in both tiers."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.native import onednn, raised
from tinyflow.native.onednn.library import find_library


@pytest.fixture(autouse=True)
def oneDNN_alone(monkeypatch):  # noqa: N802 - its name
    """No other package takes instructions."""
    monkeypatch.setattr(raised, '_PACKAGES', (onednn,))


@pytest.fixture
def both_tiers(monkeypatch):
    """both_tiers(build, *shapes): compares NumPy's values with oneDNN's.

    `build(*placeholders)` returns the fetches; the gradients of the first one are compared too.
    `make(rng, shape)` makes the arrays that are fed. Returns the source of the native program.
    """
    if find_library() is None:
        pytest.skip('needs the extra "fast"')

    def values(mode, build, shapes, make):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            rng = np.random.RandomState(1)
            inputs = [tf.placeholder(tf.float32, shape) for shape in shapes]
            fetches = build(*inputs)
            y = fetches[0]
            dy = tf.placeholder(tf.float32, y.shape)
            gradients = tf.gradients(y, inputs, dy)
            fetches = [*fetches, *[g for g in gradients if g is not None]]
            # What is not fetched itself is computed in the program's own memory.
            inner = [tf.reduce_sum(tf.square(f), list(range(1, len(f.shape)))) for f in fetches]
            fed = {t: make(rng, t.shape.as_list()).astype('f') for t in inputs}
            fed[dy] = rng.normal(size=dy.shape.as_list())
            results = [session.run(fetches, fed) + session.run(inner, fed) for _ in range(2)]
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*results))
            return results[0], tf.explain(fetches, fed, session, runs=0).source

    def compare(build, *shapes, make=lambda rng, shape: rng.normal(size=shape), tolerance=1e-4):
        expected, source = values('off', build, shapes, make)
        assert 'native' not in source
        native, source = values('always', build, shapes, make)
        for a, b in zip(expected, native):
            assert a.shape == b.shape and a.dtype == b.dtype
            assert np.array_equal(np.isfinite(a), np.isfinite(b))
            most = np.abs(a[np.isfinite(a)]).max(initial=0)
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * most)
        return source
    return compare
