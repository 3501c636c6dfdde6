"""In-graph replication: one client has a tower on each worker, and the servers do the rest.

The client is the task of the job `client`, which is not in the cluster.
"""
from flags import FLAGS, INPUTS, TARGETS, WORKERS, network, say, start_server, tf

if FLAGS.job_name != 'client':
    start_server().join()

with tf.device('/job:ps/task:0'):
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
x = tf.placeholder(tf.float32, [10 * WORKERS, 8])
y = tf.placeholder(tf.float32, [10 * WORKERS, 1])
towers, losses = [], []
for number, part in enumerate(zip(tf.split(x, WORKERS), tf.split(y, WORKERS))):
    with tf.device(lambda op, number=number: '/job:ps/task:0' if op.type == 'VariableV2' else
                   '/job:worker/task:%d' % number), \
            tf.variable_scope('model', reuse=number > 0):
        losses.append(network(*part))
        towers.append(optimizer.compute_gradients(losses[-1]))
with tf.device('/job:ps/task:0'):
    means = [(tf.add_n([grad for grad, _ in same]) / WORKERS, same[0][1]) for same in zip(*towers)]
    train_op = optimizer.apply_gradients(means, global_step=global_step)
    loss = tf.add_n(losses) / WORKERS

with tf.Session('grpc://' + FLAGS.worker_hosts.split(',')[0]) as session:
    session.run(tf.global_variables_initializer())
    for step in range(FLAGS.steps):
        first = 10 * WORKERS * step
        value, _ = session.run([loss, train_op], {x: INPUTS[first:first + 10 * WORKERS],
                                                  y: TARGETS[first:first + 10 * WORKERS]})
        say('step %d loss %.9g', step + 1, value)
say('done')
