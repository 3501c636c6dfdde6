"""What is trained, and how; used by the other modules."""
import os

from .telling import Spies


def model(tf, told, start=4.0, limit=None, count=None):
    """(train_op, loss): w goes to 0; fails when the global step is `limit`; ends after `count`."""
    step = tf.train.get_or_create_global_step()
    read = told.read_step()
    # As Estimator does it, so that hooks see the step before the one of the run.
    with tf.control_dependencies([read]):
        w = tf.get_variable('w', initializer=start)
        rate = tf.constant(0.5)
        if count is not None:
            data = tf.data.Dataset.range(count)
            number = tf.data.make_one_shot_iterator(data).get_next()
            rate = rate + 0.0 * tf.cast(number, tf.float32)
        loss = tf.multiply(w, rate, name='loss')
        tf.summary.scalar('loss', loss)
        before = [loss]
        if limit is not None:
            before.append(tf.Assert(read < limit, [read]))
        with tf.control_dependencies(before):
            less = tf.assign_sub(w, 0.25 * w)
            with tf.control_dependencies([less]):
                train = tf.assign_add(step, 1, name='train')
    return train.op, loss


def loop(session, fetches, limit=50):
    for _ in range(limit):
        if session.should_stop():
            return
        session.run(fetches)



def train(tf, told, folder='run', hooks=(), last=7, limit=None, count=None, **settings):
    train_op, loss = model(tf, told, limit=limit, count=count)
    for name, steps in (('checkpoint', 3), ('summaries', 2)):
        settings.setdefault('save_%s_steps' % name, steps)
    settings.setdefault('log_step_count_steps', 2)
    with Spies(told):
        hooks = [tf.train.StopAtStepHook(last_step=last), *hooks] if last else list(hooks)
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=os.path.join(told.folder, folder), hooks=hooks,
                **settings) as session:
            loop(session, [train_op, loss])
        told.add('should_stop', session.should_stop())


def nodes(tf, told, after=0):
    operations = tf.get_default_graph().get_operations()
    for op in operations[after:]:
        if op.name.startswith('global_step/') and op.name != 'global_step/add':
            continue            # TensorFlow's old control flow, which is one node here
        inputs = [t.name for t in op.inputs
                  if '/cond/' not in t.name and 'InitializedValue' not in t.name]
        told.add('node', op.type, op.name, ', '.join(inputs),
                 ', '.join(sorted('^' + c.name for c in op.control_inputs)))
