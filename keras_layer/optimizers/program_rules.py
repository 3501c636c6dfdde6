"""What optimizers of programs define and call, by the names of TensorFlow 1.15's OptimizerV2.

    _create_slots(var_list)                     makes slots, with add_slot
    _resource_apply_dense(grad, var)            the update of a Variable
    _resource_apply_sparse(grad, var, indices)  that of its rows, without duplicate indices

The last two may have an argument `apply_state`. It is left out: `_fallback_apply_state` makes it.
"""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K


class ProgramRules:
    """The part of Optimizer for classes of programs that are derived from it."""

    _use_locking = False

    def _update_dense(self, gradient, variable, state):
        if self._has_own('_resource_apply_dense'):
            return self._resource_apply_dense(gradient, variable)
        return self._dense(gradient, variable, state)

    def _update_rows(self, gradient, variable, indices, state):
        if self._has_own('_resource_apply_sparse'):
            return self._resource_apply_sparse(gradient, variable, indices)
        return self._sparse(gradient, variable, indices, state)

    def _has_own(self, rule):
        return getattr(type(self), rule) is not getattr(ProgramRules, rule)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return self._dense(grad, var, self._shared(var.dtype.base_dtype))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        return self._sparse(grad, var, indices, self._shared(var.dtype.base_dtype))

    def _resource_scatter_add(self, x, i, v):
        """Adds the rows v at the indices i; returns the new value of the Variable."""
        return K.scatter_add_rows(x, i, v)

    def _prepare_local(self, var_device, var_dtype, apply_state):
        if 'learning_rate' in self._hyper:
            apply_state[var_device, var_dtype]['lr_t'] = tf.identity(self._decayed_lr(var_dtype))

    def _fallback_apply_state(self, var_device, var_dtype):
        apply_state = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, apply_state)
        return apply_state[var_device, var_dtype]

    def _serialize_hyperparameter(self, hyperparameter_name):
        return self._plain(hyperparameter_name)
