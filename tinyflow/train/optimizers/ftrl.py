"""FTRL and the proximal optimizers: L1 and L2 penalties as part of the update."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.updates.apply_ops import (
    ApplyFtrl,
    ApplyFtrlV2,
    ApplyProximalAdagrad,
    ApplyProximalGradientDescent,
    SparseApplyFtrl,
    SparseApplyFtrlV2,
    SparseApplyProximalAdagrad,
    SparseApplyProximalGradientDescent,
)
from tinyflow.train.optimizers.optimizer import (
    Optimizer,
    apply_update,
    apply_update_op,
    cast_like,
    check_positive,
)


class FtrlOptimizer(Optimizer):
    """FTRL-proximal (McMahan et al. 2013), for sparse linear models.

    Raises ValueError for a negative strength or initial value, or a positive learning_rate_power.
    """

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='Ftrl', accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0):
        super().__init__(use_locking, name)
        for label, value in (
                ('initial_accumulator_value', initial_accumulator_value),
                ('l1_regularization_strength', l1_regularization_strength),
                ('l2_regularization_strength', l2_regularization_strength),
                ('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength)):
            if value < 0.0:
                raise misuse(ValueError(f'{label} {value:f} needs to be positive or zero'))
        if learning_rate_power > 0.0:
            raise misuse(ValueError(f'learning_rate_power {learning_rate_power:f} needs to be '
                                    'negative or zero'))
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list):
        for var in var_list:
            self._constant_slot(var, self._initial_accumulator_value, 'accum',
                                self._accum_name or self._name)
            self._zeros_slot(var, 'linear', self._linear_name or self._name)

    def _prepare(self):
        self._rate_t = self._hyper(self._learning_rate, 'learning_rate')
        self._l1_t = self._hyper(self._l1_regularization_strength, 'l1_regularization_strength')
        self._l2_t = self._hyper(self._l2_regularization_strength, 'l2_regularization_strength')
        self._shrinkage_t = self._hyper(self._l2_shrinkage_regularization_strength,
                                        'l2_shrinkage_regularization_strength')
        self._power_t = self._hyper(self._learning_rate_power, 'learning_rate_power')

    def _places(self, var):
        return var, self.get_slot(var, 'accum'), self.get_slot(var, 'linear')

    def _hypers_like(self, var):
        shrinkage = (self._shrinkage_t,) if self._shrinks else ()
        return cast_like(var, self._rate_t, self._l1_t, self._l2_t, *shrinkage, self._power_t)

    @property
    def _shrinks(self):
        return self._l2_shrinkage_regularization_strength > 0.0

    def _apply_dense(self, grad, var):
        update = ApplyFtrlV2 if self._shrinks else ApplyFtrl
        return apply_update(
            update, *self._places(var), grad, *self._hypers_like(var),
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        update = SparseApplyFtrlV2 if self._shrinks else SparseApplyFtrl
        return apply_update(
            update, *self._places(var), grad.values, grad.indices, *self._hypers_like(var),
            use_locking=self._use_locking)


# Both proximal optimizers have these methods and no base of their own: programs look for the direct
# subclasses of Optimizer.
def _prepare(self):
    self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')
    self._l1_t = self._hyper(self._l1_regularization_strength, 'l1_regularization_strength')
    self._l2_t = self._hyper(self._l2_regularization_strength, 'l2_regularization_strength')


def _hypers_like(self, var):
    return cast_like(var, self._learning_rate_tensor, self._l1_t, self._l2_t)


class ProximalGradientDescentOptimizer(Optimizer):
    """A gradient step, then the penalty's: shrinking by l1, dividing by 1 + learning_rate l2.

    Source: Duchi & Singer 2009 (FOBOS).
    """

    def __init__(self, learning_rate, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False,
                 name='ProximalGradientDescent'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    _prepare = _prepare
    _hypers_like = _hypers_like

    def _apply_dense(self, grad, var):
        return apply_update_op(
            ApplyProximalGradientDescent, var, *self._hypers_like(var), grad,
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return apply_update_op(
            SparseApplyProximalGradientDescent, var, *self._hypers_like(var), grad.values,
            grad.indices, use_locking=self._use_locking)


class ProximalAdagradOptimizer(Optimizer):
    """ProximalGradientDescentOptimizer with Adagrad's rate for each element.

    Raises ValueError unless `initial_accumulator_value` is positive.
    """

    def __init__(self, learning_rate, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='ProximalAdagrad'):
        check_positive('initial_accumulator_value', initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    _prepare = _prepare
    _hypers_like = _hypers_like

    def _create_slots(self, var_list):
        for var in var_list:
            self._constant_slot(var, self._initial_accumulator_value, 'accumulator', self._name)

    def _apply_dense(self, grad, var):
        return apply_update(
            ApplyProximalAdagrad, var, self.get_slot(var, 'accumulator'),
            *self._hypers_like(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return apply_update(
            SparseApplyProximalAdagrad, var, self.get_slot(var, 'accumulator'),
            *self._hypers_like(var), grad.values, grad.indices, use_locking=self._use_locking)


__all__ = ['FtrlOptimizer', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer']
