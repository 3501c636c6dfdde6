"""After how many runs a program moves up, by estimates that do not depend on the machine."""
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.native import loops
from tinyflow.native.patience import runs_to_prepare

pytestmark = pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')


def runs(width):
    """Of a layer of so many units, with a batch of 1,024."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1024, width])
        w = tf.placeholder(tf.float32, [width, width])
        y = tf.sin(tf.tanh(x @ w) * 2)
        shapes = [tuple(v.shape.as_list()) for v in (x, w)]
        return runs_to_prepare(optimise(graph_to_program([y], [x, w]), shapes, Options()))


def test_long_steps_move_up_early():
    assert 5 <= runs(1024) <= 50


def test_short_steps_wait_for_as_long_as_compiling_takes():
    assert runs(1024) < runs(128) < runs(16) and runs(16) > 200
