"""Optimizers outside the graph, which get the loss and its gradient: ScipyOptimizerInterface."""
from __future__ import annotations

import numpy as np

from tinyflow.gradients.reverse import gradients
from tinyflow.graph.stacks import get_default_session
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.variables.variable_lists import trainable_variables


class ExternalOptimizerInterface:
    """Base of optimizers that see all Variables as one vector.

    A subclass has `_minimize(initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
    inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback, optimizer_kwargs)`, which
    returns the best vector.
    """

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None,
                 var_to_bounds=None, **optimizer_kwargs):
        self._loss = loss
        self._equalities, self._inequalities = equalities or [], inequalities or []
        self._vars = list(trainable_variables() if var_list is None else var_list)
        sizes = [int(np.prod(v.shape.as_list())) for v in self._vars]
        ends = np.cumsum(sizes).tolist()
        self._packing_slices = [slice(end - n, end) for end, n in zip(ends, sizes)]
        self._packed_bounds = _packed_bounds(self._vars, var_to_bounds)
        self._update_placeholders = [placeholder(v.dtype.base_dtype) for v in self._vars]
        self._var_updates = [v.assign(shaping.reshape(p, v.shape.as_list()))
                             for v, p in zip(self._vars, self._update_placeholders)]
        self._packed_loss_grad = _pack(_gradients(loss, self._vars))
        self._packed_equality_grads = [_pack(_gradients(e, self._vars))
                                       for e in self._equalities]
        self._packed_inequality_grads = [_pack(_gradients(e, self._vars))
                                         for e in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _pack(self._vars)

    def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None,
                 loss_callback=None, **run_kwargs):
        """Sets the Variables, in the Session, to where the loss is least.

        `step_callback(vector)` is called after each step, `loss_callback(*fetched)` with the values
        of `fetches` at each evaluation of the loss.
        """
        session = session or get_default_session()
        fetches = fetches or []

        def evaluate(tensors, callback=None):
            """f(vector) -> the tensors' values, with the Variables set to the vector."""
            wanted = [*tensors, *fetches] if callback is not None else list(tensors)

            def at(x):
                feeds = {v: x[part].reshape(v.shape.as_list())
                         for v, part in zip(self._vars, self._packing_slices)}
                values = session.run(wanted, {**feeds, **(feed_dict or {})})
                if callback is not None:
                    callback(*values[len(tensors):])
                return [np.asarray(v, np.float64) if np.ndim(v) else np.float64(v)
                        for v in values[:len(tensors)]]
            return at

        def one(tensor):
            at = evaluate([tensor])
            return lambda x: at(x)[0]
        start = session.run(self._packed_var).astype(np.float64)
        found = self._minimize(
            initial_val=start,
            loss_grad_func=evaluate([self._loss, self._packed_loss_grad],
                                    loss_callback or (lambda *fetched: None)),
            equality_funcs=[one(t) for t in self._equalities],
            equality_grad_funcs=[one(t) for t in self._packed_equality_grads],
            inequality_funcs=[one(t) for t in self._inequalities],
            inequality_grad_funcs=[one(t) for t in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds, step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs)
        session.run(self._var_updates, dict(zip(
            self._update_placeholders, [found[part] for part in self._packing_slices])),
            **run_kwargs)

    def _minimize(self, **kwargs):
        raise misuse(NotImplementedError('To use ExternalOptimizerInterface, subclass from it and '
                                         'implement the _minimize() method.'))


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """scipy.optimize.minimize, by default with the method L-BFGS-B; it needs SciPy.

    `method`, `options` and so on are handed on. Constraints mean == 0 and >= 0, for methods that
    take such (SLSQP).
    """

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
                  inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback,
                  optimizer_kwargs):
        import scipy.optimize  # optional package
        constraints = [{'type': kind, 'fun': function, 'jac': gradient}
                       for kind, functions, slopes in (
                           ('eq', equality_funcs, equality_grad_funcs),
                           ('ineq', inequality_funcs, inequality_grad_funcs))
                       for function, gradient in zip(functions, slopes)]
        settings = {'jac': True, 'callback': step_callback, 'constraints': constraints,
                    'bounds': packed_bounds, 'method': 'L-BFGS-B', **optimizer_kwargs}
        for key in ('fun', 'x0', 'jac', 'callback', 'constraints', 'bounds'):
            if key in optimizer_kwargs:
                raise misuse(ValueError(
                    f"Optimizer keyword arg '{key}' is set automatically and cannot be injected "
                    'manually'))
        result = scipy.optimize.minimize(loss_grad_func, initial_val, **settings)
        logging.info('Optimization terminated with:\n  Message: %s\n  Objective function value: '
                     '%f\n  Number of iterations: %s\n  Number of functions evaluations: %d',
                     result.message, result.fun, getattr(result, 'nit', '?'), result.nfev)
        return result.x


def _packed_bounds(variables, bounds):
    """(lower, upper) of each number of the vector, or None."""
    if bounds is None:
        return None
    packed = []
    for variable in variables:
        shape = variable.shape.as_list()
        lower, upper = bounds.get(variable, (-np.inf, np.inf))
        packed.extend(zip(np.broadcast_to(lower, shape).flat, np.broadcast_to(upper, shape).flat))
    return packed


def _gradients(y, variables):
    return [constants.zeros_like(v) if g is None else g
            for g, v in zip(gradients(y, variables), variables)]


def _pack(tensors):
    """All tensors as one vector."""
    if not tensors:
        return None
    if len(tensors) == 1:
        return shaping.reshape(tensors[0], [-1])
    return joining.concat([shaping.reshape(t, [-1]) for t in tensors], 0)


__all__ = ['ExternalOptimizerInterface', 'ScipyOptimizerInterface']
