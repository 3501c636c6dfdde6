"""tf.contrib.slim.learning: a training op that checks its loss, and the loop that runs it."""
from __future__ import annotations

import time

from tinyflow.graph.defaults import (
    add_to_collection,
    control_dependencies,
    get_collection,
    get_collection_ref,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.identity_and_cast import check_numerics
from tinyflow.ops.control_flow.grouping import no_op, with_dependencies
from tinyflow.ops.math import division, logic
from tinyflow.ops.math.clip import clip_by_norm
from tinyflow.ops.summary import summaries
from tinyflow.ops.variables.variable_lists import trainable_variables
from tinyflow.train.optimizers.optimizer import Optimizer
from tinyflow.train.sessions.supervisor import Supervisor
from tinyflow.train.training_util import get_or_create_global_step

_DEFAULT = object()


def create_train_op(total_loss, optimizer, global_step=_DEFAULT, update_ops=None,
                    variables_to_train=None, clip_gradient_norm=0, summarize_gradients=False,
                    gate_gradients=Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, gradient_multipliers=None,
                    check_numerics=True):
    """A tensor: the loss, before which the update ops run, and after which the Variables change.

    update_ops: by default those of the collection UPDATE_OPS. gradient_multipliers: Variable or
    name -> a number. Running it raises InvalidArgumentError for a loss that is NaN or infinite.
    """
    if global_step is _DEFAULT:
        global_step = get_or_create_global_step()
    if update_ops is None:
        update_ops = list(dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS)))
    if update_ops:
        with control_dependencies(update_ops):
            barrier = no_op(name='update_barrier')
        total_loss = with_dependencies([barrier], total_loss)
    pairs = optimizer.compute_gradients(
        total_loss, _checked(variables_to_train), gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if gradient_multipliers:
        with name_scope('multiply_grads'):
            pairs = multiply_gradients(pairs, gradient_multipliers)
    if clip_gradient_norm > 0:
        with name_scope('clip_grads'):
            pairs = clip_gradient_norms(pairs, clip_gradient_norm)
    if summarize_gradients:
        with name_scope('summarize_grads'):
            add_gradients_summaries(pairs)
    updates = optimizer.apply_gradients(pairs, global_step=global_step)
    with name_scope('train_op'):
        if check_numerics:
            total_loss = _finite(total_loss)
        train_op = with_dependencies([updates], total_loss)
    if train_op not in get_collection_ref(GraphKeys.TRAIN_OP):
        add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def _finite(loss):
    return check_numerics(loss, 'LossTensor is inf or nan')


def _checked(variables):
    if variables is None:
        return trainable_variables()
    for variable in variables:
        if not any(variable is v for v in trainable_variables()):
            raise misuse(ValueError(f'{variable.name} is not trainable'))
    return variables


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Pairs of which the gradients of some Variables (or names) are multiplied by a number."""
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise misuse(ValueError('`gradient_multipliers` must be a dict with something in it.'))
    pairs = []
    for grad, var in grads_and_vars:
        factor = gradient_multipliers.get(var, gradient_multipliers.get(var.op.name))
        if factor is not None:
            if grad is None:
                raise misuse(ValueError(f'Requested multiple of `None` gradient: {var.op.name}'))
            grad = _each(grad, lambda values, factor=factor: values * factor)
        pairs.append((grad, var))
    return pairs


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Pairs whose gradients have a norm of at most `max_norm`, each for itself."""
    return [(grad if grad is None else _each(grad, lambda v: clip_by_norm(v, max_norm)), var)
            for grad, var in gradients_to_variables]


def _each(grad, function):
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(function(grad.values), grad.indices, grad.dense_shape)
    return function(grad)


def add_gradients_summaries(grads_and_vars):
    """A histogram summary of each gradient."""
    return [summaries.histogram(var.op.name + '_gradient',
                                grad.values if isinstance(grad, IndexedSlices) else grad)
            for grad, var in grads_and_vars if grad is not None]


def train_step(sess, train_op, global_step, train_step_kwargs):
    """One step: (the loss, whether to stop); logs the loss when 'should_log' says so."""
    begin = time.time()
    loss, step = sess.run([train_op, global_step])
    if 'should_log' in train_step_kwargs and sess.run(train_step_kwargs['should_log']):
        logging.info('global step %d: loss = %.4f (%.3f sec/step)', step, loss, time.time() - begin)
    stop = 'should_stop' in train_step_kwargs and sess.run(train_step_kwargs['should_stop'])
    return loss, bool(stop)


def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_DEFAULT,
          log_every_n_steps=1, graph=None, master='', is_chief=True, global_step=None,
          number_of_steps=None, init_op=_DEFAULT, init_feed_dict=None, local_init_op=_DEFAULT,
          init_fn=None, ready_op=_DEFAULT, summary_op=_DEFAULT, save_summaries_secs=600,
          summary_writer=_DEFAULT, startup_delay_steps=0, saver=None, save_interval_secs=600,
          sync_optimizer=None, session_config=None, session_wrapper=None, trace_every_n_steps=None,
          ignore_live_threads=False):
    """Runs `train_op` until `number_of_steps`, or the end of the data; returns the last loss.

    With a `logdir` a Supervisor saves checkpoints and summaries there, and goes on from the newest.
    `sync_optimizer`, `startup_delay_steps` and `trace_every_n_steps` are not implemented.
    """
    _check(train_op, logdir, summary_op, saver, sync_optimizer, startup_delay_steps,
           trace_every_n_steps)
    graph = get_default_graph() if graph is None else graph
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        if train_step_kwargs is _DEFAULT:
            train_step_kwargs = _questions(global_step, number_of_steps, log_every_n_steps)
        given = {name: value for name, value in {
            'init_op': init_op, 'local_init_op': local_init_op, 'ready_op': ready_op,
            'summary_op': summary_op, 'summary_writer': summary_writer}.items()
            if value is not _DEFAULT}
        if saver is not None:
            given['saver'] = saver
        supervisor = Supervisor(
            graph=graph, is_chief=is_chief, logdir=logdir, init_feed_dict=init_feed_dict,
            global_step=global_step, save_summaries_secs=save_summaries_secs,
            save_model_secs=save_interval_secs, init_fn=init_fn, **given)
        with supervisor.managed_session(master, config=session_config,
                                        start_standard_services=False) as sess:
            if session_wrapper is not None:
                sess = session_wrapper(sess)
            return _loop(supervisor, sess, logdir, train_op, global_step, train_step_fn,
                         train_step_kwargs, ignore_live_threads)


def _check(train_op, logdir, summary_op, saver, sync_optimizer, startup_delay_steps, trace):
    if train_op is None:
        raise misuse(ValueError('train_op cannot be None.'))
    if logdir is None and summary_op is not _DEFAULT and summary_op is not None:
        raise misuse(ValueError('Cannot provide summary_op because logdir=None'))
    if logdir is None and saver is not None:
        raise misuse(ValueError('Cannot provide saver because logdir=None'))
    left_out = {'sync_optimizer': sync_optimizer, 'startup_delay_steps': startup_delay_steps,
                'trace_every_n_steps': trace}
    for name, value in left_out.items():
        if value:
            raise misuse(NotImplementedError(
                f'slim.learning.train({name}=...) is not in tinyflow.'))


def _questions(global_step, number_of_steps, log_every_n_steps):
    """The tensors that say when to stop and when to log."""
    asked = {}
    with name_scope('train_step'):
        if number_of_steps:
            asked['should_stop'] = logic.greater_equal(global_step, number_of_steps)
        if log_every_n_steps > 0:
            asked['should_log'] = logic.equal(division.floormod(global_step, log_every_n_steps),
                                              0)
    return asked


def _loop(supervisor, sess, logdir, train_op, global_step, train_step_fn, kwargs, ignore):
    logging.info('Starting Session.')
    if supervisor.is_chief and logdir:
        supervisor.start_standard_services(sess)
    threads = supervisor.start_queue_runners(sess)
    logging.info('Starting Queues.')
    loss = None
    try:
        while not supervisor.should_stop():
            loss, stop = train_step_fn(sess, train_op, global_step, kwargs)
            if stop:
                logging.info('Stopping Training.')
                supervisor.request_stop()
                break
    except errors.OutOfRangeError as error:
        logging.info('Caught OutOfRangeError. Stopping Training. %s', error)
    # First, so that no thread that saves comes later.
    supervisor.stop(threads, close_summary_writer=True, ignore_live_threads=ignore)
    if logdir and supervisor.is_chief:
        logging.info('Finished training! Saving model to disk.')
        supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
    return loss


__all__ = ['add_gradients_summaries', 'clip_gradient_norms', 'create_train_op',
           'multiply_gradients', 'train', 'train_step']


def __dir__():
    return __all__
