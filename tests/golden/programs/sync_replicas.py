"""SyncReplicasOptimizer in one thread: the operations of a worker and of the chief, by turns."""
from .registry import program, run


def _model(tf, np):
    """(loss, global step, Variables): a linear model on rows of an embedding."""
    step = tf.train.get_or_create_global_step()
    table = tf.Variable(np.arange(10.).reshape(5, 2) / 10, dtype=tf.float32, name='table')
    w = tf.Variable([[1.], [-1.]], name='w')
    rows = tf.nn.embedding_lookup(table, tf.constant([0, 3, 3]))
    loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - [[1.], [2.], [3.]]))
    return loss, step, [table, w]


def _runs(tf, opt, loss, train, step, variables, tokens):
    """The beginning, and two updates of two gradients each; one more is dropped, as too old."""
    update, = opt.get_chief_queue_runner().enqueue_ops
    begin = [run(tf.global_variables_initializer()), run(opt.chief_init_op), run(tokens)]
    twice = [run(train), run(loss), run(train), run(update), run([variables, step])]
    return begin + twice + [run(train)] + twice


@program
def sync_replicas(tf, np):
    loss, step, variables = _model(tf, np)
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, 3)
    train = opt.minimize(loss, global_step=step)
    return _runs(tf, opt, loss, train, step, variables, opt.get_init_tokens_op())


@program
def sync_replicas_with_slots(tf, np):
    loss, step, variables = _model(tf, np)
    opt = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 2, 3,
                                         name='together')
    grads = opt.compute_gradients(loss, variables)
    train = opt.apply_gradients(grads[:1] + [(None, variables[1])], global_step=step)
    slots = [opt.get_slot(variables[0], 'momentum')]
    return _runs(tf, opt, loss, train, step, variables + slots, opt.get_init_tokens_op(2))


@program
def sync_replicas_drops_old_gradients(tf, np):
    w = tf.Variable([4., 8.], name='w')
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.), 1, 2)
    train = opt.apply_gradients([(tf.constant([1., 2.]), w)], global_step=step)
    update, = opt.get_chief_queue_runner().enqueue_ops
    local_step = tf.local_variables()[0]
    late = local_step.assign(0)
    return [run(tf.global_variables_initializer()), run(opt.chief_init_op),
            run(opt.get_init_tokens_op(3)), run(train), run(update), run([w, step]), run(late),
            run(train), run(late), run(train), run(local_step), run(train), run(local_step),
            run(train), run(update), run([w, step, local_step])]
