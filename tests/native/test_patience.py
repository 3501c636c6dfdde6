"""After how many runs a program moves up, by estimates that do not depend on the machine."""
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.cost import numpy_seconds
from tinyflow.native import loops
from tinyflow.native.patience import runs_to_prepare

pytestmark = pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')


def program_of(build, *shapes):
    """The program of what is built from placeholders of these shapes."""
    with tf.Graph().as_default():
        xs = [tf.placeholder(tf.float32, shape) for shape in shapes]
        return optimise(graph_to_program([build(*xs)], xs), shapes, Options())


def runs(width):
    """Of a layer of so many units, with a batch of 1,024."""
    return runs_to_prepare(program_of(lambda x, w: tf.sin(tf.tanh(x @ w) * 2), (1024, width),
                                      (width, width)))


def test_long_steps_move_up_early():
    assert 5 <= runs(1024) <= 50


def test_short_steps_wait_for_as_long_as_compiling_takes():
    assert runs(1024) < runs(128) < runs(16) and runs(16) > 200


def seconds(program):
    """About how long NumPy takes for it."""
    return sum(map(numpy_seconds, program.instructions))


def test_a_product_of_stacks_takes_as_long_as_its_products():
    single = seconds(program_of(tf.matmul, (256, 512), (512, 256)))
    for stacks in [(10, 256, 512), (10, 512, 256)], [(10, 256, 512), (1, 512, 256)]:
        assert 8 < seconds(program_of(tf.matmul, *stacks)) / single < 12


@pytest.mark.parametrize('optimizer', ['Adagrad', 'Momentum', 'Ftrl', 'GradientDescent'])
def test_an_update_of_rows_costs_no_walk_over_the_table(optimizer):
    def seconds_of(words):
        with tf.Graph().as_default():
            table = tf.Variable(tf.zeros([words, 64]))
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, tf.constant([1, 2])))
            arguments = [0.1] * (2 if optimizer == 'Momentum' else 1)
            step = getattr(tf.train, optimizer + 'Optimizer')(*arguments).minimize(loss)
            return seconds(optimise(graph_to_program([step], []), [], Options()))
    assert seconds_of(1_000_000) == seconds_of(100)
