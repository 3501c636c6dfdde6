"""Whole trainings, by MonitoredTrainingSession."""
import os

from .models import loop, model, train
from .telling import Spies, spy, tale


@tale
def ends_at_a_step(tf, told):
    train(tf, told, hooks=[spy(told, 'mine', fetches='loss:0')])
    told.files('run')
    told.events('run')


@tale
def goes_on_from_its_checkpoint(tf, told):
    train(tf, told, last=4)
    with tf.Graph().as_default():
        train(tf, told, last=6, hooks=[spy(told, 'mine', fetches='global_step:0')],
              save_summaries_steps=None, log_step_count_steps=None)
    told.files('run')
    with tf.Graph().as_default():
        train(tf, told, last=6, save_summaries_steps=None, log_step_count_steps=None)


@tale
def ends_with_its_input(tf, told):
    train(tf, told, last=None, count=3, hooks=[spy(told, 'mine')])
    told.files('run')
    told.events('run')


@tale
def an_empty_input(tf, told):
    train(tf, told, last=None, count=0, hooks=[spy(told, 'mine')])
    told.files('run')


@tale
def an_error_in_a_step(tf, told):
    with told.expecting():
        train(tf, told, limit=5, hooks=[spy(told, 'mine')])
    told.files('run')
    told.add('finalized', tf.get_default_graph().finalized)
    with tf.Graph().as_default():
        train(tf, told, last=8)
    told.files('run')


@tale
def all_by_number_of_steps(tf, told):
    train_op, loss = model(tf, told)
    with Spies(told):
        hooks = [tf.train.StopAtStepHook(num_steps=3),
                 tf.train.LoggingTensorHook({'b': loss, 'a': 'loss'}, every_n_iter=2, at_end=True),
                 tf.train.LoggingTensorHook(['loss', 'w/read:0'], at_end=True),
                 tf.train.LoggingTensorHook({'x': loss}, every_n_iter=1,
                                            formatter=lambda d: 'x is %.2f' % d['x']),
                 tf.train.NanTensorHook(loss),
                 tf.train.FinalOpsHook({'l': loss}),
                 tf.train.GlobalStepWaiterHook(0)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            loop(session, train_op)
        told.add('final', hooks[5].final_ops_values)


@tale
def chief_only_hooks_come_first(tf, told):
    train(tf, told, last=2, hooks=[spy(told, 'mine')], chief_only_hooks=[spy(told, 'chief')],
          save_checkpoint_secs=600, save_checkpoint_steps=None)


@tale
def no_directory(tf, told):
    train_op, _ = model(tf, told)
    with tf.train.MonitoredTrainingSession(hooks=[spy(told, 'mine', stop_after=2)]) as session:
        loop(session, train_op)


@tale
def summaries_in_another_directory(tf, told):
    train(tf, told, last=3, summary_dir=os.path.join(told.folder, 'sums'))
    told.files('run')
    told.files('sums')
