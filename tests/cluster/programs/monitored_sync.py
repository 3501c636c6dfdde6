"""Synchronous replicas in a MonitoredTrainingSession, which saves, and goes on where it was."""
from flags import (
    FLAGS,
    INPUTS,
    TARGETS,
    WORKERS,
    network,
    on_this_worker,
    pause,
    say,
    start_server,
    tf,
)

server = start_server()
is_chief = FLAGS.task_index == 0
with on_this_worker():
    global_step = tf.train.get_or_create_global_step()
    # The batch follows from the step, so that it is the same one after a restart.
    first = 10 * (WORKERS * tf.identity(global_step) + FLAGS.task_index)
    rows = (first + tf.range(10, dtype=tf.int64)) % 400
    loss = network(tf.gather(INPUTS, rows), tf.gather(TARGETS, rows))
    optimizer = tf.train.SyncReplicasOptimizer(
        getattr(tf.train, FLAGS.optimizer + 'Optimizer')(0.1), replicas_to_aggregate=WORKERS,
        total_num_replicas=WORKERS)
    train_op = optimizer.minimize(loss, global_step=global_step)
    sync_hook = optimizer.make_session_run_hook(is_chief, num_tokens=0)
    variables = tf.trainable_variables()

with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=is_chief, checkpoint_dir=FLAGS.logdir,
        save_checkpoint_secs=None, save_checkpoint_steps=FLAGS.save_steps,
        save_summaries_steps=None, log_step_count_steps=None, hooks=[sync_hook]) as session:
    step = session.run_step_fn(lambda step_context: step_context.session.run(global_step))
    while step < FLAGS.steps and not session.should_stop():
        value, step = session.run([loss, train_op])
        say('step %d loss %.9g', step, value)
        pause(step)
    if is_chief:
        values = session.run_step_fn(lambda step_context: step_context.session.run(variables))
        say('final %s', b''.join(value.tobytes() for value in values).hex())
say('done')
