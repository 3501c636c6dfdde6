"""Accumulators of gradients, run by one thread: what fills one runs before it is asked."""
from .registry import program, run


@program
def conditional_accumulator(tf, np):
    a = tf.ConditionalAccumulator(tf.float32, shape=[2])
    add, old = a.apply_grad([1., 2.]), a.apply_grad([4., 8.], local_step=0, name='again')
    count, mean = a.num_accumulated(), a.take_grad(1)
    return [run(add), run(old), run(count), run(mean), run(old), run(a.num_accumulated('now'))]


@program
def conditional_accumulator_of_a_later_step(tf, np):
    a = tf.ConditionalAccumulator(tf.float32, shape=(), shared_name='own', name='sums',
                                  reduction_type='SUM')
    step = a.set_global_step(3)
    adds = [a.apply_grad(float(i), local_step=i) for i in (2, 3, 4)]
    return [run(step)] + [run(add) for add in adds] + [run(a.num_accumulated()),
                                                       run(a.take_grad(2, name='taken'))]
