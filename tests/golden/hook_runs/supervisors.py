"""SessionManagers, workers and Supervisors."""
import os

from .models import model, nodes
from .telling import Spies, spy, tale


@tale
def sessions_of_a_manager(tf, told):
    w = tf.get_variable('w', initializer=1.0)
    saver, init = tf.train.Saver(), tf.global_variables_initializer()
    ready = tf.report_uninitialized_variables()
    manager = tf.train.SessionManager(ready_op=ready, local_init_op=tf.no_op(name='local'))
    folder = os.path.join(told.folder, 'run')
    os.mkdir(folder)
    session, recovered = manager.recover_session('', saver, folder)
    told.add('recovered', recovered)
    with told.expecting(mask=True):
        manager.prepare_session('', None, saver, folder)
    session = manager.prepare_session('', init, saver, folder,
                                      init_fn=lambda s: told.add('init_fn', s.run(w)))
    session.run(w.assign(5.0))
    saver.save(session, os.path.join(folder, 'model'), global_step=3)
    session, recovered = manager.recover_session('', saver, folder)
    told.add('recovered', recovered, session.run(w))
    session = manager.prepare_session('', init, saver, checkpoint_filename_with_path=os.path.join(
        folder, 'model-3'))
    told.add('prepared', session.run(w))
    with told.expecting():
        manager.prepare_session('', init, saver, folder, 'model-3')
    v = tf.get_variable('v', initializer=1.0)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    session, recovered = manager.recover_session('', saver, folder)
    told.add('recovered', recovered)
    with told.expecting(mask=True):
        manager.prepare_session('', init, saver, folder)
    with told.expecting(mask=True):
        manager.wait_for_session('', max_wait_secs=1)
    told.add(v.op.name)


@tale
def a_worker_waits(tf, told):
    model(tf, told)
    with told.expecting(mask=True):
        tf.train.MonitoredTrainingSession(is_chief=False, max_wait_secs=1,
                                          hooks=[spy(told, 'a')])


@tale
def a_worker_of_a_model_without_variables(tf, told):
    one = tf.constant(1.0)
    with tf.train.MonitoredTrainingSession(
            is_chief=False, hooks=[spy(told, 'a')], chief_only_hooks=[spy(told, 'b')],
            checkpoint_dir=told.folder) as session:
        told.add('one', session.run(one))
    told.files()



@tale
def a_supervisor(tf, told):
    train_op, loss = model(tf, told)
    count = len(tf.get_default_graph().get_operations())
    with Spies(told):
        sv = tf.train.Supervisor(logdir=told.folder, save_summaries_secs=0, save_model_secs=0)
        nodes(tf, told, count)
        told.add('finalized', tf.get_default_graph().finalized)
        with sv.managed_session() as session:
            for _ in range(3):
                told.add('values', session.run([train_op, loss]))
            sv.summary_computed(session, session.run(sv.summary_op))
            sv.saver.save(session, sv.save_path, sv.global_step)
            told.add(sv.should_stop())
            sv.request_stop()
        told.add(sv.should_stop())
    told.files()
    told.events()
    with sv.managed_session() as session:
        told.add('again', session.run(loss))


@tale
def a_supervisor_and_errors(tf, told):
    train_op, loss = model(tf, told, limit=2)
    sv = tf.train.Supervisor()
    with told.expecting():
        with sv.managed_session() as session:
            for _ in range(5):
                session.run(train_op)
                told.add('ran')
    with sv.managed_session() as session:
        raise tf.errors.OutOfRangeError(None, None, 'end')
    with told.expecting():
        sv.summary_computed(None, None)
    with told.expecting():
        with sv.managed_session() as session:
            raise KeyError('mine')


@tale
def a_loop_around_a_supervisor(tf, told):
    train_op, loss = model(tf, told)
    sv = tf.train.Supervisor(logdir=told.folder, save_summaries_secs=0, save_model_secs=0)
    seen = []

    def step_fn(session, text, number=0):
        seen.append(text)
        told.add(text, number, session.run([train_op, loss]))
        if len(seen) == 2:
            sv.saver.save(session, sv.save_path, sv.global_step)
            raise tf.errors.AbortedError(None, None, 'lost')
        if len(seen) == 4:
            sv.request_stop()
    tf.train.basic_train_loop(sv, step_fn, ['step'], {'number': 2})
