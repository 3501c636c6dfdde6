"""tf.contrib.opt: weight decay, Nadam, LazyAdam, LARS, moving averages."""
from .registry import program, run


def training(tf, np, optimizer, rows=None, resource=False):
    """Three steps of a loss whose gradient is dense, or of some rows."""
    v = tf.get_variable('v', initializer=np.arange(6, dtype=np.float32).reshape(3, 2) / 4 - 1,
                        use_resource=resource)
    used = v if rows is None else tf.nn.embedding_lookup(v, rows)
    # The gradient does not depend on the Variable, which decays at any time during a step.
    weights = np.cos(np.arange(6, dtype=np.float32)).reshape(3, 2)
    step = optimizer.minimize(tf.reduce_sum(used * weights))
    return [run(tf.global_variables_initializer())] + [run(step), run(v)] * 3


@program
def opt_adamw(tf, np):
    return training(tf, np, tf.contrib.opt.AdamWOptimizer(0.1, learning_rate=0.05))


@program
def opt_adamw_of_rows(tf, np):
    return training(tf, np, tf.contrib.opt.AdamWOptimizer(0.1, 0.05), rows=[0, 2, 0])


@program
def opt_adamw_resource(tf, np):
    return training(tf, np, tf.contrib.opt.AdamWOptimizer(0.1, 0.05), resource=True)


@program
def opt_momentumw(tf, np):
    return training(tf, np, tf.contrib.opt.MomentumWOptimizer(0.1, 0.05, 0.9))


@program
def opt_extended(tf, np):
    kind = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
    return training(tf, np, kind(weight_decay=0.1, learning_rate=0.05))


@program
def opt_nadam(tf, np):
    return training(tf, np, tf.contrib.opt.NadamOptimizer(0.05))


@program
def opt_nadam_of_rows(tf, np):
    return training(tf, np, tf.contrib.opt.NadamOptimizer(0.05), rows=[0, 2, 0])


@program
def opt_lazy_adam(tf, np):
    return training(tf, np, tf.contrib.opt.LazyAdamOptimizer(0.05), rows=[0, 2, 0])


@program
def opt_lazy_adam_resource(tf, np):
    return training(tf, np, tf.contrib.opt.LazyAdamOptimizer(0.05), rows=[0, 2, 0], resource=True)


@program
def opt_lars(tf, np):
    return training(tf, np, tf.contrib.opt.LARSOptimizer(0.5, eeta=0.1))


@program
def opt_moving_average(tf, np):
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 0.9)
    runs = training(tf, np, optimizer)
    return runs + [run([v for v in tf.global_variables() if v.op.name.endswith('Average')])]


@program
def opt_adamax(tf, np):
    return training(tf, np, tf.contrib.opt.AdaMaxOptimizer(0.05))


@program
def opt_adamax_of_rows(tf, np):
    return training(tf, np, tf.contrib.opt.AdaMaxOptimizer(0.05), rows=[0, 2, 1])


@program
def opt_adamax_resource(tf, np):
    runs = training(tf, np, tf.contrib.opt.AdaMaxOptimizer(0.05), resource=True)
    with tf.variable_scope('rows'):
        return runs + training(tf, np, tf.contrib.opt.AdaMaxOptimizer(0.05), [0, 2, 1], True)


@program
def opt_sign_steps(tf, np):
    runs = []
    for resource in (False, True):
        for optimizer in (tf.contrib.opt.AddSignOptimizer(0.05, alpha=0.5),
                          tf.contrib.opt.PowerSignOptimizer(0.05, base=2.0)):
            with tf.variable_scope('%s_%s' % (type(optimizer).__name__, resource)):
                runs += training(tf, np, optimizer, resource=resource)
    return runs
