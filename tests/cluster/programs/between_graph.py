"""Between-graph replication with a Supervisor, asynchronous: each worker has the same graph."""
from flags import FLAGS, INPUTS, TARGETS, network, on_this_worker, rows_of, say, start_server, tf

server = start_server()
with on_this_worker():
    global_step = tf.Variable(0, name='global_step', trainable=False)
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = network(x, y)
    optimizer = getattr(tf.train, FLAGS.optimizer + 'Optimizer')(0.1)
    train_op = optimizer.minimize(loss, global_step=global_step)
    init_op = tf.global_variables_initializer()

supervisor = tf.train.Supervisor(is_chief=FLAGS.task_index == 0, logdir=FLAGS.logdir,
                                 init_op=init_op, global_step=global_step, recovery_wait_secs=1)
with supervisor.managed_session(server.target) as session:
    step = 0
    while not supervisor.should_stop() and step < FLAGS.steps:
        rows = rows_of(step)
        value, _ = session.run([loss, train_op], {x: INPUTS[rows], y: TARGETS[rows]})
        step = session.run(global_step)
        say('step %d loss %.9g', step, value)
say('done')
