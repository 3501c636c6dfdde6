"""Where nodes are placed. Nothing runs: recorded in one process, which has no such devices."""
from .registry import program


def network(tf, np, optimizer):
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    with tf.device('/cpu:0'):
        hidden = tf.layers.dense(x, 3, tf.nn.relu, name='hidden')
    words = tf.get_variable('words', [6, 3], partitioner=tf.fixed_size_partitioner(2))
    rows = tf.nn.embedding_lookup(words, tf.constant([1, 4, 1]))
    loss = tf.reduce_mean(hidden) + tf.reduce_sum(rows)
    optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())


@program
def replicas_with_adam(tf, np):
    with tf.device(tf.train.replica_device_setter(2, worker_device='/job:worker/task:1')):
        network(tf, np, tf.train.AdamOptimizer())
        tf.train.Saver(sharded=True)
        tf.report_uninitialized_variables()
    return []


@program
def replicas_with_momentum_and_clipping(tf, np):
    cluster = tf.train.ClusterSpec({'ps': ['a:1', 'b:1', 'c:1'], 'worker': ['d:1']})
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        v = tf.get_variable('v', [3], use_resource=True)
        w = tf.get_variable('w', [3], caching_device='/job:worker/cpu:0')
        optimizer = tf.train.MomentumOptimizer(.1, .9)
        grads, _ = tf.clip_by_global_norm(tf.gradients(tf.reduce_sum(v * w), [v, w]), 1.)
        train = optimizer.apply_gradients(zip(grads, [v, w]))
        tf.group(v.op, w.op, train)
    return []


@program
def replicas_balanced(tf, np):
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(
        2, tf.contrib.training.byte_size_load_fn)
    with tf.device(tf.train.replica_device_setter(2, ps_strategy=strategy)):
        for i, size in enumerate([100, 10, 20, 80, 1]):
            tf.get_variable('v%d' % i, [size])
    strategy = tf.contrib.training.RandomStrategy(3, seed=2)
    with tf.device(tf.train.replica_device_setter(3, ps_device='/job:p', ps_strategy=strategy)):
        for i in range(6):
            tf.get_variable('w%d' % i, [2])
    return []


@program
def replicas_merged_with_other_devices(tf, np):
    setter = tf.train.replica_device_setter(2, ps_ops=['Const', 'VariableV2'])
    with tf.device(setter):
        with tf.device('/gpu:1'):
            tf.Variable(1., name='a')
        with tf.device('/job:elsewhere'):
            tf.Variable(2., name='b')
        with tf.device('/job:ps/task:7'):
            tf.Variable(3., name='c')
        with tf.device(None):
            tf.Variable(4., name='d')
    with tf.device(tf.train.replica_device_setter(2, merge_devices=False)), tf.device('/cpu:0'):
        tf.Variable(5., name='e')
    with tf.device(tf.train.replica_device_setter(2, worker_device='', ps_device='/cpu:3')):
        tf.Variable(6., name='f') + 1.
    return []


@program
def gradients_where_their_ops_are(tf, np):
    with tf.device('/job:a'):
        x = tf.get_variable('x', [3])
    with tf.device('/job:b'):
        y = tf.nn.relu(x)
    with tf.device('/job:c'):
        z = tf.reduce_sum(y * y + x)
        optimizer = tf.train.GradientDescentOptimizer(.1)
        optimizer.minimize(z, colocate_gradients_with_ops=True)
    return []


@program
def contrib_variables_on_devices(tf, np):
    chooser = tf.contrib.framework.VariableDeviceChooser(2, device_type='GPU')
    with tf.contrib.framework.arg_scope([tf.contrib.framework.variable], device=chooser):
        tf.contrib.framework.variable('a', [2])
        tf.contrib.framework.model_variable('b', [2])
        x = tf.contrib.layers.fully_connected(tf.ones([1, 2]), 3)
    tf.contrib.framework.variable('c', [2], device=tf.contrib.framework.VariableDeviceChooser())
    tf.contrib.framework.variable('d', [2], device='/job:x')
    with tf.variable_scope('cached', caching_device='/job:worker'):
        tf.get_variable('e', [2]) + tf.get_variable('f', [2], use_resource=True)
    tf.identity(x)
    return []
