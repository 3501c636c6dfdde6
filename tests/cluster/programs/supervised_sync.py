"""Synchronous replicas with a Supervisor: the chief starts the queue runner and hands out tokens.
"""
from flags import (
    FLAGS,
    INPUTS,
    TARGETS,
    WORKERS,
    network,
    on_this_worker,
    pause,
    rows_of,
    say,
    start_server,
    tf,
)

server = start_server()
is_chief = FLAGS.task_index == 0
with on_this_worker():
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = network(x, y)
    optimizer = tf.train.SyncReplicasOptimizer(
        getattr(tf.train, FLAGS.optimizer + 'Optimizer')(0.1), replicas_to_aggregate=WORKERS,
        total_num_replicas=WORKERS)
    train_op = optimizer.minimize(loss, global_step=global_step)
    local_init_op = optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
    chief_queue_runner = optimizer.get_chief_queue_runner()
    tokens_op = optimizer.get_init_tokens_op(0)
    init_op = tf.global_variables_initializer()

supervisor = tf.train.Supervisor(
    is_chief=is_chief, logdir=FLAGS.logdir, init_op=init_op, local_init_op=local_init_op,
    ready_for_local_init_op=optimizer.ready_for_local_init_op, global_step=global_step,
    recovery_wait_secs=1)
session = supervisor.prepare_or_wait_for_session(server.target)
if is_chief:
    supervisor.start_queue_runners(session, [chief_queue_runner])
    session.run(tokens_op)
step = int(session.run(global_step))        # that of a checkpoint, after a restart
while step < FLAGS.steps:
    rows = rows_of(step)
    value, step = session.run([loss, train_op], {x: INPUTS[rows], y: TARGETS[rows]})
    say('step %d loss %.9g', step, value)
    if is_chief and FLAGS.logdir and step % FLAGS.save_steps == 0:
        say('Saving checkpoint')
        supervisor.saver.save(session, supervisor.save_path, global_step)
    pause(step)
say('done')
if is_chief:
    say('final %s', session.run(tf.get_default_graph().get_tensor_by_name('w2:0')).tobytes().hex())
