"""Asynchronous workers in MonitoredTrainingSessions; an embedding in parts on several servers."""
from flags import (
    FLAGS,
    INPUTS,
    TARGETS,
    network,
    on_this_worker,
    pause,
    rows_of,
    say,
    start_server,
    tf,
)

server = start_server()
with on_this_worker():
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    words = tf.placeholder(tf.int64, [None])
    table = tf.get_variable('table', [20, 8], initializer=tf.zeros_initializer(),
                            partitioner=tf.fixed_size_partitioner(3))
    loss = network(x + tf.nn.embedding_lookup(table, words, partition_strategy='div'), y)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)

hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=FLAGS.task_index == 0, checkpoint_dir=FLAGS.logdir,
        save_checkpoint_secs=None, save_checkpoint_steps=FLAGS.save_steps, hooks=hooks,
        log_step_count_steps=None) as session:
    step = 0
    while not session.should_stop():
        rows = rows_of(step)
        value, _ = session.run([loss, train_op],
                               {x: INPUTS[rows], y: TARGETS[rows], words: rows % 20})
        step += 1
        say('loss %.9g', value)
        pause(step)
say('done')
