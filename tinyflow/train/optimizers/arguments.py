"""The arguments of an optimizer's methods, checked."""
from __future__ import annotations

from collections.abc import Iterable, ValuesView

from tinyflow.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from tinyflow.graph.operation import Tensor
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.optimizers import optimizer_errors

__all__ = ['check_global_step', 'flat', 'gradient_of', 'pairs_of', 'target_of']


def flat(values):
    """The Variables in nested lists; of a dict, in the order of its keys."""
    if isinstance(values, dict):
        values = [values[key] for key in sorted(values)]
    if not isinstance(values, (list, tuple, set, ValuesView)) and not hasattr(values, '__next__'):
        yield values
        return
    for value in values:
        yield from flat(value)


def target_of(var):
    """What gradients are taken by. NotImplementedError for what is no Variable."""
    if isinstance(var, Variable):
        return var._ref()
    raise optimizer_errors.not_a_variable(var)


def pairs_of(grads_and_vars):
    """The pairs of apply_gradients. TypeError or ValueError if they are not pairs."""
    if not isinstance(grads_and_vars, Iterable):
        raise optimizer_errors.not_a_list_of_pairs(grads_and_vars)
    pairs = list(grads_and_vars)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise optimizer_errors.not_a_pair(pair)
    return pairs


def gradient_of(grad):
    """A gradient as a Tensor, IndexedSlices or None. TypeError for anything else."""
    if grad is None:
        return None
    try:
        return convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise optimizer_errors.not_a_gradient(grad) from None


def check_global_step(step):
    """AttributeError unless global_step is a Variable."""
    if not isinstance(step, Variable) and not (isinstance(step, Tensor) and step.dtype.is_ref):
        raise optimizer_errors.not_a_counter(step)
