"""An optimizer that keeps moving averages of what it trains, and saves them in its place."""
from __future__ import annotations

from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.variables.variable_lists import global_variables
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.optimizers.moving_averages import ExponentialMovingAverage
from tinyflow.train.optimizers.optimizer import Optimizer


class MovingAverageOptimizer(Optimizer):
    """The steps of `opt`, after each of which the moving averages of its Variables are updated."""

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_variable_name_map = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args, **kwargs):
        """As `compute_gradients` of the optimizer."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The updates of the Variables and of their averages."""
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [v for grad, v in pairs if grad is not None]
        self._swapped_variable_name_map = {
            v.op.name: self._ema.average_name(v) for v in variables}
        if self._sequential_update:
            with control_dependencies([train_op]):
                averages = self._ema.apply(variables)
        else:
            averages = self._ema.apply(variables)
        return group(train_op, averages, name='train_with_avg')

    def swapping_saver(self, var_list=None, name='swapping_saver', **kwargs):
        """A Saver that stores each average under its Variable's name, and the other way round.

        Programs that restore without averages get them as the Variables. Raises RuntimeError
        before apply_gradients.
        """
        if self._swapped_variable_name_map is None:
            raise misuse(RuntimeError('Must call apply_gradients or minimize before creating the '
                                      'swapping_saver'))
        if var_list is None:
            var_list = global_variables()
        named = dict(var_list) if isinstance(var_list, dict) else \
            {v.op.name: v for v in var_list}
        swapped = {**self._swapped_variable_name_map,
                   **{b: a for a, b in self._swapped_variable_name_map.items()}}
        for variable in named.values():
            other = swapped.get(variable.op.name)
            if other is not None and other not in {v.op.name for v in named.values()}:
                raise misuse(ValueError(f'Variable to swap {other} is not in variables to save.'))
        by_op = {v.op.name: v for v in named.values()}
        saved = {key: by_op[swapped[v.op.name]] if v.op.name in swapped else v
                 for key, v in named.items()}
        return Saver(saved, name=name, **kwargs)


__all__ = ['MovingAverageOptimizer']
