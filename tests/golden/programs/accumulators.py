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


@program
def sparse_conditional_accumulator(tf, np):
    a = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
    add = a.apply_indexed_slices_grad(tf.IndexedSlices(
        tf.constant([[1., 2.], [3., 4.]]), tf.constant([0, 2]), tf.constant([4, 2])))
    again = a.apply_grad([3, 1, 2], [[1., 2.], [3., 4.], [5., 6.]], local_step=1, name='again')
    old = a.apply_grad([1], [[9., 9.]], local_step=-1)
    count, mean = a.num_accumulated(), a.take_indexed_slices_grad(2)
    return [run(add), run(again), run(old), run(count), run([mean.indices, mean.values]),
            run(a.num_accumulated('now'))]


@program
def sparse_conditional_accumulator_of_a_later_step(tf, np):
    a = tf.SparseConditionalAccumulator(tf.float32, shape=(), shared_name='own', name='sums',
                                        reduction_type='SUM')
    step = a.set_global_step(3)
    adds = [a.apply_grad([i, i], [[1.], [2.]], local_step=i) for i in (2, 3, 4)]
    taken = a.take_grad(2, name='taken')
    return [run(step)] + [run(add) for add in adds] + [
        run(a.num_accumulated()), run([taken.indices, taken.values, taken.shape])]
