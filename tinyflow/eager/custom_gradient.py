"""tf.custom_gradient while ops run at once: one operation on the tapes, with the given gradient."""
from __future__ import annotations

from tinyflow.eager.execute import EagerOperation, active_tapes
from tinyflow.eager.tape import EagerTape
from tinyflow.eager.tensor import EagerTensor
from tinyflow.gradients.wrappers import takes_variables, without_variables
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse

__all__ = ['call_with_own_gradient']


def call_with_own_gradient(f, args, kwargs):
    """What f(*args, **kwargs) computes, differentiated by the function that it returns.

    Variables that f reads, other than its arguments, are passed to that function as `variables`.
    """
    with EagerTape() as tape:
        result, grad = f(*args, **kwargs)
    given = {id(a) for a in args}
    variables = [v for v in tape.watched_variables() if id(v) not in given]
    if variables and not takes_variables(grad):
        raise without_variables(variables)
    results = [convert_to_tensor(y) for y in nest.flatten(result)]
    inputs = [_recorded(a) for a in args]
    operation = EagerOperation(_CUSTOM, (*inputs, *[v.handle for v in variables]), {
        'gradient': _completed(grad, len(results), len(inputs), variables)})
    operation.outputs = tuple([EagerTensor(y.array, y.dtype) for y in results])
    for tape in active_tapes.open:
        tape.record(operation)
    return nest.pack_sequence_as(result, operation.outputs)


def _recorded(argument):
    """The tensor by which tapes know an argument."""
    if hasattr(argument, 'handle'):
        return argument.handle
    if isinstance(argument, Tensor):
        return argument
    try:
        return convert_to_tensor(argument)
    except (TypeError, ValueError):             # a Python object
        return convert_to_tensor(0)


def _completed(grad, results, inputs, variables):
    """`grad` as the gradient function of an operation. ValueError for another number of them."""
    def gradient(operation, *dys):
        found = grad(*dys[:results], **({'variables': variables} if variables else {}))
        of_variables = []
        if variables:
            found, of_variables = found
            of_variables = list(of_variables)
            _check_count(of_variables, len(variables), 'variables')
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        _check_count(found, inputs, 'arguments')
        return [*found, *of_variables]
    return gradient


def _check_count(found, count, what):
    if len(found) != count:
        raise misuse(ValueError(f'custom_gradient function expected to return {count} gradients, '
                                f'one for each of its {what}, but returned {len(found)} instead.'))


class _CUSTOM:                          # noqa: N801 - stands for the declaration of an op
    """The declaration of such an operation, as tapes see it."""

    type = 'CustomGradient'
    elementwise = False
    handle_positions = ()

    @staticmethod
    def gradient(operation, *dys):
        dys = [_zeros(y) if dy is None else dy for y, dy in zip(operation.outputs, dys)]
        return operation.attrs['gradient'](operation, *dys)


def _zeros(tensor):
    return convert_to_tensor(tensor.array * 0)
