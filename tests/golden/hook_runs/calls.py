"""The order of calls: two hooks, errors at each moment, steps of several parts, queues."""
from .models import loop, model
from .telling import METHODS, RUNS, spy, tale


@tale
def two_hooks_and_the_first_stops(tf, told):
    train_op, loss = model(tf, told)
    hooks = [spy(told, 'a', fetches=loss, stop_after=2),
             spy(told, 'b', fetches={'x': [loss, 'w:0'], 'y': (loss,)})]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        loop(session, {'op': train_op, 'nest': [loss, [loss]]})
        told.add('should_stop', session.should_stop())
        with told.expecting():
            session.run(loss)
    told.add('should_stop', session.should_stop())
    told.add('graph', session.graph)
    told.add('finalized', tf.get_default_graph().finalized)


def failing(method):
    def run(tf, told):
        train_op, loss = model(tf, told)
        with told.expecting():
            hooks = [spy(told, 'a'), spy(told, 'b', fails_in=method), spy(told, 'c')]
            with tf.train.MonitoredSession(hooks=hooks) as session:
                session.run(train_op)
                told.add('ran')
                session.run(train_op)
        if method in ('before_run', 'after_run', 'end'):
            told.add('finalized', tf.get_default_graph().finalized)
    return run


for _method in METHODS:
    RUNS['an_error_in_' + _method] = failing(_method)


@tale
def an_error_of_the_program(tf, told):
    train_op, _ = model(tf, told)
    with told.expecting():
        with tf.train.MonitoredSession(hooks=[spy(told, 'a')]) as session:
            session.run(train_op)
            raise KeyError('mine')


@tale
def stop_iteration_of_the_program(tf, told):
    train_op, _ = model(tf, told)
    with tf.train.MonitoredSession(hooks=[spy(told, 'a')]) as session:
        session.run(train_op)
        raise StopIteration


@tale
def out_of_range_of_a_hook(tf, told):
    train_op, _ = model(tf, told)
    error = tf.errors.OutOfRangeError(None, None, 'end')
    with tf.train.MonitoredSession(
            hooks=[spy(told, 'a', fails_in='before_run', error=error), spy(told, 'b')]) as session:
        loop(session, train_op)


@tale
def closed_twice(tf, told):
    train_op, _ = model(tf, told)
    session = tf.train.MonitoredSession(hooks=[spy(told, 'a')])
    session.run(train_op)
    session.close()
    told.add('should_stop', session.should_stop())
    with told.expecting(mask=True):
        session.close()


@tale
def steps_of_several_parts(tf, told):
    train_op, loss = model(tf, told)

    def step_fn(step_context):
        told.add('raw', step_context.session.run(loss))
        result = step_context.run_with_hooks(train_op)
        if len(told.lines) % 50 > 30:
            step_context.request_stop()
        return [result, step_context.run_with_hooks(loss)]

    class Steps(object):
        def method(self, step_context):
            return step_context.run_with_hooks(fetches=loss)

    for kind in (tf.train.MonitoredSession, tf.train.SingularMonitoredSession):
        with tf.Graph().as_default():
            train_op, loss = model(tf, told)
            with kind(hooks=[spy(told, 'a', fetches='w:0')]) as session:
                told.add('method', session.run_step_fn(Steps().method))
                with told.expecting():
                    session.run_step_fn(lambda context: None)
                with told.expecting():
                    session.run_step_fn(lambda step_context, other: None)
                while not session.should_stop():
                    told.add('step', session.run_step_fn(step_fn))


@tale
def a_step_that_stops_by_a_hook(tf, told):
    train_op, loss = model(tf, told)
    with tf.train.MonitoredSession(hooks=[spy(told, 'a', stop_after=1)]) as session:
        told.add('step', session.run_step_fn(lambda step_context:
                                             step_context.run_with_hooks(loss)))
        told.add('should_stop', session.should_stop())
        with told.expecting():
            session.run_step_fn(lambda step_context: step_context.run_with_hooks(loss))



@tale
def queue_runners_are_started(tf, told):
    one = tf.constant(1.0)
    numbers = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    with tf.train.MonitoredSession(hooks=[spy(told, 'a', fetches=numbers)]) as session:
        for _ in range(9):
            session.run(one)
    told.add('after')
