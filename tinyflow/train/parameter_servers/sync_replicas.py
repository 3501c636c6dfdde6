"""SyncReplicasOptimizer: one update from the mean of the gradients of several workers.

    worker   gradients --apply--> accumulators        on the device of each Variable
             local step <--dequeue-- token queue      on the device of the global step
    chief    accumulators --take mean--> update, global step + 1 --> tokens with the new step

A worker's step ends when it gets a token, which is the number of the step that its next gradients
belong to. An accumulator drops gradients of earlier steps, those of a worker that was too slow. The
chief's part is run by a queue runner, in a thread.
"""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import colocate_with, control_dependencies, device, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.queues.accumulators import ConditionalAccumulator
from tinyflow.ops.queues.queues import FIFOQueue
from tinyflow.ops.queues.sparse_accumulators import SparseConditionalAccumulator
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import Variable
from tinyflow.ops.variables.variable_lists import (
    global_variables,
    report_uninitialized_variables,
)
from tinyflow.train.optimizers.optimizer import Optimizer
from tinyflow.train.parameter_servers.sync_replicas_hook import ChiefRunner, SyncReplicasHook

__all__ = ['SyncReplicasOptimizer']


class SyncReplicasOptimizer(Optimizer):
    """Applies the mean of `replicas_to_aggregate` gradients, by the optimizer `opt`.

        opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=4, total_num_replicas=5)
        train_op = opt.minimize(loss, global_step=tf.train.get_or_create_global_step())
        hook = opt.make_session_run_hook(is_chief)

    With more workers (`total_num_replicas`) than gradients to aggregate, the slowest ones are not
    waited for; with fewer, a worker adds several gradients to an update. After each update
    `variable_averages`, an ExponentialMovingAverage, takes in `variables_to_average`. The hook, or
    the operations that it runs, is needed to begin.
    """

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name='sync_replicas'):
        super().__init__(use_locking, name)
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        logging.info('SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s',
                     replicas_to_aggregate, total_num_replicas)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._global_step = None
        self._tokens = None                     # the queue of tokens
        self._runner = None

    # ---- those of the optimizer itself ---------------------------------------------------

    def compute_gradients(self, *args, **kwargs):
        """As the optimizer's; they are those of this worker alone."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        """As the optimizer's."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """As the optimizer's."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        """The optimizer's Variables; the local step of the worker is not among them."""
        return self._opt.variables()

    # ---- the step ------------------------------------------------------------------------

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The operation of a worker's step: adds its gradients, and waits for a token.

        Returns the local step after it, a Tensor. The attributes `chief_init_op`,
        `local_step_init_op` and `ready_for_local_init_op` are set. ValueError without gradients or
        without a global step; `name` is not used.
        """
        pairs = list(grads_and_vars or ())
        if not pairs:
            raise misuse(ValueError('Must supply at least one variable'))
        if global_step is None:
            raise misuse(ValueError(
                'Global step is required to check staleness\n  Hint: opt.minimize(loss, '
                'global_step=tf.train.get_or_create_global_step())'))
        self._global_step = global_step
        self._make_local_step()
        with name_scope(None, self._name):
            accumulators, added, means = self._accumulate(pairs)
            with self._next_to_the_step():
                update = self._opt.apply_gradients(means, global_step)
            with self._next_to_the_step():
                self._tokens = _queue('sync_token_q', -1, global_step.dtype.base_dtype)
                unused = _queue('dummy_queue', 1, dtypes.int32)
            with self._next_to_the_step():
                with control_dependencies(added):
                    token = self._tokens.dequeue()
                train_op = variable_ops.assign(self._local_step, token)
                self._runner = ChiefRunner(unused, [self._hand_out_after(update)])
            starts = [self.local_step_init_op]
            for accumulator, where in accumulators:
                with device(where):
                    starts.append(accumulator.set_global_step(global_step, name='SetGlobalStep'))
            self.chief_init_op = grouping.group(*starts)
        return train_op

    def _make_local_step(self):
        """The step that this worker's gradients belong to, a local Variable of its own device."""
        with colocate_with(grouping.no_op()):
            self._local_step = Variable(
                0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=self._global_step.dtype.base_dtype, name='sync_rep_local_step')
        self.local_step_init_op = variable_ops.assign(self._local_step, self._global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())

    def _accumulate(self, pairs):
        """([(accumulator, device)], [operation that adds a gradient], [(mean, Variable)])."""
        accumulators, added, means = [], [], []
        for grad, var in pairs:
            if grad is None:
                means.append((None, var))
                continue
            with device(var.device):
                accumulator, add, mean = self._accumulator_of(grad, var)
            accumulators.append((accumulator, var.device))
            added.append(add)
            means.append((mean, var))
        return accumulators, added, means

    def _accumulator_of(self, grad, var):
        """(an accumulator, the operation that adds the gradient, the mean)."""
        shared_name = f'{var.name}/grad_accum'
        if isinstance(grad, Tensor):
            accumulator = ConditionalAccumulator(grad.dtype, var.get_shape(), shared_name)
            return (accumulator, accumulator.apply_grad(grad, self._local_step),
                    accumulator.take_grad(self._replicas_to_aggregate))
        if not isinstance(grad, IndexedSlices):
            raise misuse(ValueError(f"Unknown grad type! That of '{var.name}' is {grad!r}"))
        accumulator = SparseConditionalAccumulator(grad.dtype, (), shared_name)
        return (accumulator, accumulator.apply_indexed_slices_grad(grad, self._local_step),
                accumulator.take_indexed_slices_grad(self._replicas_to_aggregate))

    def _hand_out_after(self, update):
        """The operation of the chief: tokens for all workers, once the update is done."""
        with control_dependencies([update]):
            count = max(self._total_num_replicas, self._replicas_to_aggregate)
            done = self._fill(count)
        if self._variable_averages is None:
            return done
        with control_dependencies([done]), name_scope(''):
            return self._variable_averages.apply(self._variables_to_average)

    def _fill(self, count):
        """Puts `count` tokens with the global step into the queue."""
        return self._tokens.enqueue_many((constants.fill([count], self._global_step),))

    @contextmanager
    def _next_to_the_step(self):
        """On the device of the global step, without a name scope."""
        with device(self._global_step.device), name_scope(''):
            yield

    # ---- the beginning -------------------------------------------------------------------

    def get_chief_queue_runner(self):
        """The QueueRunner of the chief, which updates. ValueError before apply_gradients."""
        self._check_applied('Should be called after apply_gradients().')
        return self._runner

    def get_init_tokens_op(self, num_tokens=-1):
        """The operation that puts the first tokens into the queue, run once by the chief.

        `num_tokens` is replicas_to_aggregate by default, and at least as many as workers lack for
        an update: ValueError for fewer, and before apply_gradients.
        """
        self._check_applied('get_init_tokens_op() should be called after apply_gradients().')
        lacking = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < lacking:
            raise misuse(ValueError(f'Too few tokens to finish the first step: {num_tokens} '
                                    f'(given) vs {lacking} (needed)'))
        if num_tokens <= 0:
            return grouping.no_op(name='no_init_tokens')
        with self._next_to_the_step():
            return self._fill(num_tokens)

    def _check_applied(self, message):
        if self._runner is None:
            raise misuse(ValueError(message))

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """A hook that begins, for a worker or the chief; the chief's starts the queue runner."""
        return SyncReplicasHook(self, is_chief, num_tokens)


def _queue(name, capacity, dtype):
    return FIFOQueue(capacity, dtype, [()], name=name, shared_name=name)
