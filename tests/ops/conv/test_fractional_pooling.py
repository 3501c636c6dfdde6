"""Pools of random regions: what is drawn in each run, what stays, sizes of the regions."""
import numpy as np
import pytest

import tinyflow as tf

RATIO = [1.0, 1.44, 1.73, 1.0]


def _columns(runs, **how):
    """The sequences of columns that some runs of one Session draw."""
    with tf.Graph().as_default(), tf.Session() as session:
        pools = tf.nn.fractional_max_pool(tf.zeros([1, 60, 70, 1]), RATIO, **how)
        return [session.run(pools.col_pooling_sequence).tolist() for _ in range(runs)]


def test_regions_are_drawn_again_in_every_run():
    drawn = _columns(3)
    assert drawn[0] != drawn[1] != drawn[2]


def test_deterministic_regions_stay_in_a_session_and_differ_between_sessions():
    first, again = _columns(2, deterministic=True)
    assert first == again
    assert _columns(1, deterministic=True) != [first]


@pytest.mark.parametrize('pseudo_random', [False, True])
def test_regions_differ_by_at_most_one(pseudo_random):
    for sequence in _columns(20, pseudo_random=pseudo_random):
        assert sequence[0] == 0
        assert sequence[-1] == 70
        assert len(sequence) == 41
        assert set(np.diff(sequence)) == {1, 2}


def test_integer_ratios_are_plain_pools():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
        pools = tf.nn.fractional_avg_pool(x, [1, 2, 2, 1])
        plain = tf.nn.avg_pool(x, 2, 2, 'VALID')
        got, wanted = session.run([pools.output, plain])
    np.testing.assert_array_equal(got, wanted)
