"""What hooks feed, ask for, save, and refuse."""
import os

from .models import loop, model
from .telling import Spies, spy, tale


@tale
def hooks_feed(tf, told):
    model(tf, told)
    x = tf.placeholder(tf.float32, [], name='x')
    y = tf.placeholder(tf.float32, [], name='y')
    z = tf.add(x, 10.0 * y, name='z')
    with Spies(told):
        hooks = [spy(told, 'a', fetches=z, feeds={x: 1.0}),
                 tf.train.FeedFnHook(lambda: {y: 2.0})]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            told.add('z', session.run(z))
            told.add('z', session.run([z, {'x': x}]))
            with told.expecting(mask=True):
                session.run(z, {x: 3.0})
    with tf.train.MonitoredSession(hooks=[spy(told, 'a', feeds={x: 1.0})]) as session:
        told.add('z', session.run(z, {y: 3.0}))
        told.add('z', session.run(z, feed_dict={y: 4.0}))
    with tf.train.MonitoredSession(hooks=[spy(told, 'a', feeds={x: 1.0}),
                                          spy(told, 'b', feeds={x: 1.0})]) as session:
        with told.expecting(mask=True):
            session.run(z, {y: 3.0})


@tale
def what_options_hooks_ask_for(tf, told):
    _, loss = model(tf, told)

    class Traced(tf.train.SessionRunHook):
        def __init__(self, level):
            self.level = level

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(None, options=tf.RunOptions(
                trace_level=self.level, timeout_in_ms=100_000 * self.level))

        def after_run(self, run_context, run_values):
            told.add('options', run_values.options.trace_level, run_values.options.timeout_in_ms,
                     run_values.results, bool(run_values.run_metadata.step_stats.dev_stats))
    for levels in ((0, 0), (tf.RunOptions.FULL_TRACE, 0), (0, tf.RunOptions.FULL_TRACE)):
        with tf.train.MonitoredSession(hooks=[Traced(level) for level in levels]) as session:
            session.run(loss)


@tale
def time_lines(tf, told):
    train_op, _ = model(tf, told)
    with Spies(told):
        hooks = [tf.train.ProfilerHook(save_steps=2, output_dir=told.folder),
                 tf.train.StopAtStepHook(last_step=6)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            loop(session, train_op)
    told.files()



@tale
def a_loss_that_is_nan(tf, told):
    for fail in (True, False):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            loss = tf.log(2.0 - tf.cast(told.read_step(), tf.float32), name='loss')
            with tf.control_dependencies([loss]):
                train_op = tf.assign_add(step, 1).op
            with Spies(told), told.expecting():
                hooks = [spy(told, 'a'), tf.train.NanTensorHook(loss, fail_on_nan_loss=fail),
                         spy(told, 'b')]
                with tf.train.MonitoredSession(hooks=hooks) as session:
                    loop(session, train_op)



def listener(tf, told, name, stop_at=None):
    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            told.add(name, 'begin', tf.get_default_graph().finalized)

        def before_save(self, session, global_step_value):
            told.add(name, 'before_save', global_step_value, self.is_there(global_step_value))

        def after_save(self, session, global_step_value):
            told.add(name, 'after_save', global_step_value, self.is_there(global_step_value))
            return global_step_value == stop_at

        def end(self, session, global_step_value):
            told.add(name, 'end', global_step_value)

        def is_there(self, step):
            return os.path.exists(os.path.join(told.folder, 'model.ckpt-%d.index' % step))

        def __repr__(self):
            return name
    return Listener()


@tale
def listeners_of_checkpoints(tf, told):
    train_op, _ = model(tf, told)
    scaffold = tf.train.Scaffold()
    with Spies(told):
        saver = tf.train.CheckpointSaverHook(
            told.folder, save_steps=2, scaffold=scaffold,
            listeners=[listener(tf, told, 'one'), listener(tf, told, 'two', stop_at=6)])
        hooks = [saver, spy(told, 'a')]
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold), hooks) as session:
            for _ in range(3):
                session.run(train_op)
            for _ in range(9):
                if not session.should_stop():
                    session.run([train_op])
    told.files()


@tale
def a_saver_of_ones_own(tf, told):
    train_op, _ = model(tf, told)
    other = tf.get_variable('other', initializer=1.0)
    saver = tf.train.Saver([other], max_to_keep=1)
    hook = tf.train.CheckpointSaverHook(told.folder, save_steps=1, saver=saver,
                                        checkpoint_basename='mine')
    with tf.train.MonitoredSession(hooks=[hook, tf.train.StopAtStepHook(last_step=2)]) as session:
        loop(session, train_op)
    told.files()
    told.events()


@tale
def wrong_settings_of_hooks(tf, told):
    train = tf.train
    step = tf.train.get_or_create_global_step()
    for make in (
            lambda: train.StopAtStepHook(), lambda: train.StopAtStepHook(1, 2),
            lambda: train.CheckpointSaverHook(told.folder),
            lambda: train.CheckpointSaverHook(told.folder, save_secs=1, save_steps=1),
            lambda: train.CheckpointSaverHook(told.folder, save_secs=1, saver=1, scaffold=2),
            lambda: train.LoggingTensorHook([step]),
            lambda: train.LoggingTensorHook([step], every_n_iter=0),
            lambda: train.LoggingTensorHook([step], every_n_iter=1, every_n_secs=1),
            lambda: train.StepCounterHook(1, 1), lambda: train.StepCounterHook(None),
            lambda: train.SummarySaverHook(1), lambda: train.SummarySaverHook(
                1, scaffold=train.Scaffold(), summary_op=step),
            lambda: train.SummarySaverHook(scaffold=train.Scaffold()),
            lambda: train.SecondOrStepTimer(), lambda: train.SecondOrStepTimer(1, 1),
            lambda: train.Scaffold(copy_from_scaffold=1),
            lambda: train.SessionManager(ready_for_local_init_op=1),
            lambda: train.SessionManager().prepare_session('')):
        with told.expecting():
            make()
    with told.expecting(mask=True):
        train.Supervisor(is_chief=False)
    with tf.Graph().as_default():
        tf.get_variable('w', initializer=1.0)
        for hook in (train.StopAtStepHook(1), train.StepCounterHook(),
                     train.CheckpointSaverHook(told.folder, save_steps=1),
                     train.SummarySaverHook(1, summary_op=step),
                     train.GlobalStepWaiterHook(1),
                     train.ProfilerHook(save_steps=1, output_dir=told.folder)):
            with told.expecting():
                train.MonitoredSession(hooks=[hook])
        with told.expecting(mask=True):
            train.LoggingTensorHook([step], every_n_iter=1).begin()
        tf.split(tf.zeros([2]), 2, name='two')
        with told.expecting():
            train.LoggingTensorHook(['two'], every_n_iter=1).begin()


@tale
def a_timer(tf, told):
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    for step in (0, 0, 1, 2, 3, 4, 9, 9, 10, 12):
        told.add('step', step, timer.should_trigger_for_step(step), timer.last_triggered_step())
        if timer.should_trigger_for_step(step):
            told.add('since', timer.update_last_triggered_step(step)[1])
    timer.reset()
    told.add(timer.should_trigger_for_step(12), timer.last_triggered_step())
    timer = tf.train.SecondOrStepTimer(every_secs=1000)
    told.add(timer.should_trigger_for_step(1), timer.update_last_triggered_step(1))
    told.add(timer.should_trigger_for_step(1), timer.should_trigger_for_step(999))


@tale
def a_step_that_does_not_count(tf, told):
    tf.train.get_or_create_global_step()
    one = tf.constant(1.0)
    with Spies(told):
        with tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook(2)]) as session:
            for _ in range(4):
                session.run(one)


@tale
def summaries_of_ones_own(tf, told):
    train_op, loss = model(tf, told)
    writer = tf.summary.FileWriter(told.folder)
    ops = [tf.summary.scalar('one', loss), tf.summary.scalar('two', 2.0 * loss)]
    with Spies(told):
        hooks = [tf.train.SummarySaverHook(save_steps=2, summary_writer=writer, summary_op=ops),
                 tf.train.SummarySaverHook(save_secs=1000, summary_op=ops[0]),
                 tf.train.StepCounterHook(3, summary_writer=writer)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            for _ in range(5):
                session.run([train_op])
    writer.close()
    told.events()


@tale
def tensors_by_their_names(tf, told):
    model(tf, told)
    with tf.train.MonitoredSession(hooks=[spy(told, 'a', fetches=['loss:0', 'w:0'])]) as session:
        told.add('values', session.run('loss:0'), session.run(['w/read:0', 'train']))


@tale
def final_ops_that_read_the_input(tf, told):
    number = tf.data.make_one_shot_iterator(tf.data.Dataset.range(2)).get_next()
    with Spies(told), told.expecting():
        hooks = [tf.train.FinalOpsHook(number)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            while not session.should_stop():
                told.add('number', session.run(number))


@tale
def an_iterator_that_a_hook_starts(tf, told):
    data = tf.data.Dataset.range(2)
    iterator = tf.data.make_initializable_iterator(data)
    number = iterator.get_next()

    class Starting(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            session.run(iterator.initializer)
    for _ in range(2):
        with tf.train.MonitoredSession(hooks=[Starting(), spy(told, 'a', number)]) as session:
            while not session.should_stop():
                told.add('number', session.run(number))


@tale
def a_hook_of_no_class(tf, told):
    train_op, _ = model(tf, told)

    class Bare(object):
        def begin(self):
            told.add('begin')

        def after_create_session(self, session, coord):
            told.add('created')

        def before_run(self, run_context):
            told.add('before', run_context.stop_requested)

        def after_run(self, run_context, run_values):
            told.add('after', run_values.results)

        def end(self, session):
            told.add('end')
    with tf.train.MonitoredSession(hooks=[Bare(), spy(told, 'a')]) as session:
        session.run(train_op)


@tale
def one_hook_twice(tf, told):
    train_op, loss = model(tf, told)
    hook = spy(told, 'a', fetches=loss)
    with tf.train.MonitoredSession(hooks=[hook, hook]) as session:
        session.run(train_op)


@tale
def runs_of_the_session_inside_hooks(tf, told):
    train_op, loss = model(tf, told)

    class Inside(tf.train.SessionRunHook):
        def before_run(self, run_context):
            told.add('before', run_context.session.run(loss))

        def after_run(self, run_context, run_values):
            told.add('after', run_context.session.run(loss), type(run_context.session).__name__)

        def end(self, session):
            told.add('end', session.run(loss))
    with tf.train.MonitoredSession(hooks=[Inside()]) as session:
        session.run(train_op)
