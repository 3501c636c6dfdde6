"""CrossShardOptimizer: averages gradients over the cores of a TPU; here there is one."""
from __future__ import annotations

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.optimizers.optimizer import Optimizer

__all__ = ['CrossShardOptimizer']


class CrossShardOptimizer(Optimizer):
    """Another optimizer for several cores; with one, the gradients are that optimizer's own.

    Raises ValueError for a `reduction` other than tf.losses.Reduction.SUM or MEAN. TensorFlow has
    no kernel for the sum over cores on a CPU, and a step fails there; here it is a step of `opt`.
    """

    def __init__(self, opt, reduction='weighted_mean', name='CrossShardOptimizer',
                 group_assignment=None):
        if reduction not in ('weighted_sum', 'weighted_mean'):
            raise misuse(ValueError(f'Unsupported reduction: {reduction}.'))
        super().__init__(False, name)
        self._opt = opt

    def compute_gradients(self, loss, var_list=None, **kwargs):
        """[(gradient, variable)], as `opt` computes them."""
        logging.warning('CrossShardOptimizer should be used within a tpu_shard_context, but got '
                        'unset number_of_shards. Assuming 1.')
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The op that updates the Variables, and adds 1 to `global_step`."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args, **kwargs):
        """A slot of `opt`."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """The names of the slots of `opt`."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        """The Variables of `opt`."""
        return self._opt.variables()
