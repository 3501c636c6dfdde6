"""Sessions that are lost, and made anew."""
from .models import loop, model
from .telling import Spies, spy, tale


def losing(tf, told, kind, error):
    """A hook that loses the session at its second run."""
    state = {'runs': 0}

    class Losing(tf.train.SessionRunHook):
        def before_run(self, run_context):
            state['runs'] += 1
            if state['runs'] == 2:
                raise error(None, None, 'lost')
    return Losing()


@tale
def a_lost_session_is_made_anew(tf, told):
    for error in (tf.errors.AbortedError, tf.errors.UnavailableError):
        with tf.Graph().as_default():
            train_op, loss = model(tf, told)
            hooks = [spy(told, 'a', stop_after=3), losing(tf, told, 'a', error)]
            with tf.train.MonitoredSession(hooks=hooks) as session:
                while not session.should_stop():
                    told.add('values', session.run([train_op, loss]))


@tale
def a_lost_session_goes_on_from_its_checkpoint(tf, told):
    train_op, loss = model(tf, told)
    with Spies(told):
        hooks = [losing(tf, told, 'a', tf.errors.AbortedError),
                 tf.train.StopAtStepHook(num_steps=3)]
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=told.folder, hooks=hooks, save_checkpoint_steps=1,
                save_summaries_steps=None, log_step_count_steps=None) as session:
            while not session.should_stop():
                told.add('values', session.run([train_op, loss]))


@tale
def a_lost_session_of_the_singular_kind(tf, told):
    train_op, _ = model(tf, told)
    with told.expecting():
        with tf.train.SingularMonitoredSession(
                hooks=[spy(told, 'a'), losing(tf, told, 'a', tf.errors.AbortedError)]) as session:
            told.add('raw', type(session.raw_session()).__name__)
            loop(session, train_op)


@tale
def a_lost_session_in_a_step_fn(tf, told):
    train_op, loss = model(tf, told)
    hooks = [spy(told, 'a', stop_after=3), losing(tf, told, 'a', tf.errors.AbortedError)]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            told.add('values', session.run_step_fn(
                lambda step_context: step_context.run_with_hooks([train_op, loss])))


@tale
def a_creator_that_fails_once(tf, told):
    train_op, loss = model(tf, told)

    class Creator(tf.train.ChiefSessionCreator):
        calls = 0

        def create_session(self):
            self.calls += 1
            told.add('create', self.calls)
            if self.calls == 1:
                raise tf.errors.UnavailableError(None, None, 'not yet')
            return tf.train.ChiefSessionCreator.create_session(self)
    with tf.train.MonitoredSession(Creator(), hooks=[spy(told, 'a')]) as session:
        told.add('values', session.run(loss))
