"""One evaluation of a checkpoint: update ops run batch by batch, then the results are read."""
from __future__ import annotations

import math
import time

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable_scope import get_variable
from tinyflow.train.hooks.final_ops import FinalOpsHook
from tinyflow.train.sessions.monitored_session import MonitoredSession
from tinyflow.train.sessions.session_creators import ChiefSessionCreator
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['StopAfterNEvalsHook', 'evaluate_once', 'finished', 'get_or_create_eval_step',
           'started']


def get_or_create_eval_step():
    """The local Variable 'eval_step', which counts the batches of an evaluation."""
    steps = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise misuse(ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP'))
    return steps[0] if steps else get_variable(
        'eval_step', shape=[], dtype=dtypes.int64, initializer=zeros_initializer(),
        trainable=False, collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


class Progress:
    """Logs the progress of an evaluation: each batch, or each tenth of many."""

    def __init__(self, batches):
        self.batches = batches
        self._every = 1 if batches is None or batches < 20 else math.floor(batches / 10)

    def log(self, done):
        if self.batches is None:
            logging.info('Evaluation [%d]', done)
        elif done % self._every == 0 or done == self.batches:
            logging.info('Evaluation [%d/%d]', done, self.batches)


class StopAfterNEvalsHook(SessionRunHook):
    """Ends an evaluation after `num_evals` batches (None: at the end of the input)."""

    def __init__(self, num_evals, log_progress=True):
        self._num_evals = num_evals
        self._progress = Progress(num_evals) if log_progress else None
        self._evals_completed = None

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._evals_completed = updated_eval_step

    def before_run(self, run_context):
        return SessionRunArgs({'evals_completed': self._evals_completed})

    def after_run(self, run_context, run_values):
        done = run_values.results['evals_completed']
        if self._progress:
            self._progress.log(done)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


def evaluate_once(checkpoint_path, master='', scaffold=None, eval_ops=None, feed_dict=None,
                  final_ops=None, final_ops_feed_dict=None, hooks=None, config=None):
    """Restores a checkpoint, runs `eval_ops` until a hook or the input ends it; `final_ops` then.

    Returns the values of `final_ops` (a nest of tensors), or None without them.
    """
    eval_step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        update = variable_ops.assign_add(eval_step, 1, use_locking=True)
        if isinstance(eval_ops, dict):
            eval_ops = {**eval_ops, 'update_eval_step': update}
        else:
            listed = eval_ops if isinstance(eval_ops, (list, tuple)) else [eval_ops]
            eval_ops = [*listed, update]
        done = _after(eval_ops)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(done)
    started()
    creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path,
                                  master=master, config=config)
    last = FinalOpsHook(final_ops, final_ops_feed_dict)
    with MonitoredSession(session_creator=creator, hooks=[*hooks, last]) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    finished()
    return last.final_ops_values


def _after(eval_ops):
    """The number of batches, read when this batch's updates are done."""
    updates = list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops
    with control_dependencies(updates):
        return identity_and_cast.identity(get_or_create_eval_step().read_value())


def started():
    logging.info('Starting evaluation at %s',
                 time.strftime('%Y-%m-%dT%H:%M:%SZ', time.localtime()))


def finished():
    logging.info('Finished evaluation at %s',
                 time.strftime('%Y-%m-%d-%H:%M:%S', time.localtime()))
