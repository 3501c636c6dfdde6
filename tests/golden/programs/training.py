"""What stands around an optimizer: clipping, decayed rates, moving averages."""
from .registry import program, run


@program
def clip_by_value_and_norm(tf, np):
    x = tf.constant([-5.0, 0.5, 3.0, 4.0])
    fetches = [tf.clip_by_value(x, -1.0, 1.0), tf.clip_by_norm(x, 2.0), tf.clip_by_norm(x, 100.0),
               tf.clip_by_average_norm(x, 0.5),
               tf.clip_by_norm([[3.0, 4.0], [6.0, 8.0]], 1.0, axes=[1])]
    return [run(fetches)]


@program
def clip_by_global_norm_forms(tf, np):
    a = tf.constant([3.0])
    b = tf.constant([[4.0]])
    clipped, norm = tf.clip_by_global_norm([a, b, None], 1.0)
    loose, _ = tf.clip_by_global_norm([a, b], 100.0, name='loose')
    return [run([clipped[0], clipped[1], norm, loose, tf.global_norm([a, b])])]


@program
def training_with_clipped_gradients(tf, np):
    w = tf.Variable([3.0, -4.0], name='w')
    b = tf.Variable(1.0, name='b')
    loss = tf.reduce_sum(w * w) + b * b
    variables = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(grads, variables))
    return [run(tf.global_variables_initializer()), run(norm), run(train), run(train), run([w, b])]


def _decay(tf, rate, step, counts):
    move = step.assign(tf.placeholder_with_default(0, [], name='to'))
    runs = [run(tf.global_variables_initializer())]
    for n in counts:
        runs += [run(move, {'to:0': n}), run(rate)]
    return runs


@program
def exponential_decay(tf, np):
    step = tf.Variable(0, trainable=False)
    smooth = tf.train.exponential_decay(0.1, step, 10, 0.5)
    stairs = tf.train.exponential_decay(0.1, step, decay_steps=10, decay_rate=0.5, staircase=True)
    return _decay(tf, [smooth, stairs], step, [0, 5, 10, 25])


@program
def piecewise_constant(tf, np):
    step = tf.Variable(0, trainable=False)
    rate = tf.train.piecewise_constant(step, [10, 20], [1.0, 0.5, 0.1])
    return _decay(tf, [rate], step, [0, 10, 11, 20, 21])


@program
def polynomial_decay(tf, np):
    step = tf.Variable(0, trainable=False)
    once = tf.train.polynomial_decay(0.1, step, 10, 0.01, power=2.0)
    cycle = tf.train.polynomial_decay(0.1, step, 10, cycle=True)
    return _decay(tf, [once, cycle], step, [0, 5, 10, 13, 25])


@program
def inverse_time_and_natural_exp_decay(tf, np):
    step = tf.Variable(0, trainable=False)
    inverse = tf.train.inverse_time_decay(0.1, step, 10, 0.5)
    stairs = tf.train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True)
    natural = tf.train.natural_exp_decay(0.1, step, 10, 0.5)
    return _decay(tf, [inverse, stairs, natural], step, [0, 5, 10, 25])


@program
def cosine_decays(tf, np):
    step = tf.Variable(0, trainable=False)
    plain = tf.train.cosine_decay(0.1, step, 20, alpha=0.1)
    restarts = tf.train.cosine_decay_restarts(0.1, step, 10)
    linear = tf.train.linear_cosine_decay(0.1, step, 20)
    return _decay(tf, [plain, restarts, linear], step, [0, 5, 20, 27])


@program
def training_with_decayed_rate(tf, np):
    step = tf.Variable(0, trainable=False, name='global_step')
    rate = tf.train.exponential_decay(0.5, step, 1, 0.5, staircase=True)
    w = tf.Variable(1.0, name='w')
    train = tf.train.GradientDescentOptimizer(rate).minimize(w * w, global_step=step)
    return [run(tf.global_variables_initializer())] + [run(train), run([w, rate, step])] * 3


@program
def exponential_moving_average(tf, np):
    v = tf.Variable(0.0, name='v')
    x = tf.placeholder(tf.float32, [])
    average = tf.train.ExponentialMovingAverage(decay=0.9)
    keep = average.apply([v])
    change = v.assign(x)
    shadow = average.average(v)
    names = tf.constant([average.average_name(v), shadow.name])
    runs = [run(tf.global_variables_initializer())]
    for value in [5.0, -1.0, 3.0]:
        runs += [run(change, {x: value}), run(keep), run([v, shadow])]
    return runs + [run(names)]


@program
def exponential_moving_average_options(tf, np):
    v = tf.Variable([1.0, 2.0], name='v')
    step = tf.Variable(3, trainable=False, name='step')
    average = tf.train.ExponentialMovingAverage(0.99, num_updates=step, zero_debias=False)
    keep = average.apply(tf.trainable_variables())
    change = v.assign_add([1.0, 1.0])
    step_twice = [run(change), run(keep), run(average.average(v))] * 2
    return [run(tf.global_variables_initializer())] + step_twice


@program
def moving_average_of_a_tensor(tf, np):
    x = tf.placeholder_with_default(2.0, [])
    loss = x * x
    average = tf.train.ExponentialMovingAverage(0.5)
    keep = average.apply([loss])
    return [run(tf.global_variables_initializer()), run(keep), run(average.average(loss)),
            run(keep, {x: 4.0}),
            run(average.average(loss))]


@program
def train_op_after_average(tf, np):
    w = tf.Variable(1.0, name='w')
    train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w)
    average = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        both = average.apply(tf.trainable_variables())
    return [run(tf.global_variables_initializer()), run(both), run(both),
            run([w, average.average(w)])]
