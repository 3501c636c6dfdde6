"""Adagrad, AdagradDA and Adadelta: steps scaled by accumulated squared gradients."""
from __future__ import annotations

import functools

from tinyflow.graph.defaults import colocate_with
from tinyflow.ops.array import constants
from tinyflow.ops.updates.apply_ops import (
    ApplyAdadelta,
    ApplyAdagrad,
    ApplyAdagradDA,
    SparseApplyAdadelta,
    SparseApplyAdagrad,
    SparseApplyAdagradDA,
)
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.train.optimizers.optimizer import (
    Optimizer,
    apply_update,
    cast_like,
    check_positive,
)


class AdagradOptimizer(Optimizer):
    """accum += grad^2; var -= learning_rate grad / sqrt(accum)   (Duchi et al. 2011).

    Raises ValueError unless `initial_accumulator_value` is positive.
    """

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False,
                 name='Adagrad'):
        check_positive('initial_accumulator_value', initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list):
        for var in var_list:
            dtype = var.dtype.base_dtype
            if var.get_shape().is_fully_defined():
                initializer = constant_initializer(self._initial_accumulator_value, dtype=dtype)
            else:
                initializer = functools.partial(self._initial_accumulator, var)
            self._get_or_make_slot_with_initializer(
                var, initializer, var.get_shape(), dtype, 'accumulator', self._name)

    def _initial_accumulator(self, var):
        """For a Variable whose shape is known only while running."""
        value = constants.fill(constants.shape(var), self._initial_accumulator_value)
        return constants.cast(value, var.dtype.base_dtype)

    def _prepare(self):
        self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')

    def _apply_dense(self, grad, var):
        rate, = cast_like(var, self._learning_rate_tensor)
        return apply_update(
            ApplyAdagrad, var, self.get_slot(var, 'accumulator'), rate, grad,
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        rate, = cast_like(var, self._learning_rate_tensor)
        return apply_update(
            SparseApplyAdagrad, var, self.get_slot(var, 'accumulator'), rate, grad.values,
            grad.indices, use_locking=self._use_locking)


class AdagradDAOptimizer(Optimizer):
    """Adagrad with dual averaging, for sparse linear models: var is exactly 0 where l1 wins.

    `global_step` is the Variable that counts steps; it weighs the regularization.
    """

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='AdagradDA'):
        check_positive('initial_gradient_squared_accumulator_value',
                       initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._global_step = global_step
        self._initial_gradient_squared_accumulator_value = \
            initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _create_slots(self, var_list):
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            with colocate_with(var):
                total = constants.constant(0.0, dtype, shape)
                squares = constants.constant(self._initial_gradient_squared_accumulator_value,
                                             dtype, shape)
            self._get_or_make_slot(var, total, 'gradient_accumulator', self._name)
            self._get_or_make_slot(var, squares, 'gradient_squared_accumulator', self._name)

    def _prepare(self):
        self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')
        with colocate_with(self._learning_rate_tensor):
            self._global_step_on_worker = constants.identity(self._global_step) + 1

    def _arguments(self, var):
        """(slots, scalars) of an update."""
        dtype = var.dtype.base_dtype
        step = constants.identity(self._global_step_on_worker)
        rate, = cast_like(var, self._learning_rate_tensor)
        l1 = constants.cast(self._l1_regularization_strength, dtype)
        l2 = constants.cast(self._l2_regularization_strength, dtype)
        slots = (self.get_slot(var, 'gradient_accumulator'),
                 self.get_slot(var, 'gradient_squared_accumulator'))
        return slots, (rate, l1, l2, step)

    def _apply_dense(self, grad, var):
        slots, scalars = self._arguments(var)
        return apply_update(
            ApplyAdagradDA, var, *slots, grad, *scalars, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        slots, scalars = self._arguments(var)
        return apply_update(
            SparseApplyAdagradDA, var, *slots, grad.values, grad.indices, *scalars,
            use_locking=self._use_locking)


class AdadeltaOptimizer(Optimizer):
    """The step is grad times sqrt(mean of steps^2) / sqrt(mean of grad^2)   (Zeiler 2012)."""

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False,
                 name='Adadelta'):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'accum', self._name)
            self._zeros_slot(var, 'accum_update', self._name)

    def _prepare(self):
        self._lr_t = self._hyper(self._lr, 'lr')
        self._rho_t = self._hyper(self._rho, 'rho')
        self._epsilon_t = self._hyper(self._epsilon, 'epsilon')

    def _arguments(self, var):
        return (var, self.get_slot(var, 'accum'), self.get_slot(var, 'accum_update'),
                *cast_like(var, self._lr_t, self._rho_t, self._epsilon_t))

    def _apply_dense(self, grad, var):
        return apply_update(
            ApplyAdadelta, *self._arguments(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return apply_update(
            SparseApplyAdadelta, *self._arguments(var), grad.values, grad.indices,
            use_locking=self._use_locking)


__all__ = ['AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer']
