"""Functions with another gradient: custom_gradient, grad_pass_through and recompute_grad."""
from __future__ import annotations

import functools
import inspect
import itertools

from tinyflow.gradients.registry import register
from tinyflow.gradients.tape import GradientTape
from tinyflow.graph import eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import nodes
from tinyflow.graph.support.errors import misuse

__all__ = ['custom_gradient', 'grad_pass_through', 'recompute_grad', 'takes_variables',
           'without_variables']

_numbers = itertools.count()


def custom_gradient(f):
    """Decorator for `f(*xs)` that returns (y, grad): grad(*dys) computes the gradients of xs.

    Shapes: xs [*each], y a Tensor or list of them; grad takes a dy for every y and returns a dx, of
    the shape of its x, for every x (a single one need not be in a list). If f reads trainable
    Variables grad takes them as `variables`, and returns (dxs, their gradients).

    Raises TypeError if grad does not take `variables`, or f makes Variables that are no resources,
    and ValueError for keywords in a graph.
    """
    @functools.wraps(f)
    def with_own_gradient(*args, **kwargs):
        if eager_mode.executing_eagerly():
            return eager_mode.call_with_own_gradient(f, args, kwargs)
        if kwargs:
            raise misuse(ValueError('custom_gradient: call the function with positional arguments; '
                                    f'got the keywords {sorted(kwargs)}.'))
        return _in_graph(f, [convert_to_tensor(x) for x in args], args)
    return with_own_gradient


def _in_graph(f, inputs, args):
    """The nodes of f, whose results have the gradient that it returns."""
    before = set(map(id, _variables()))
    with GradientTape() as tape:
        result, grad = f(*inputs)
    _check_new([v for v in _variables() if id(v) not in before])
    variables = [v for v in tape.watched_variables() if not any(v is a for a in args)]
    if variables and not takes_variables(grad):
        raise without_variables(variables)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    count = len(results)

    def rule(op, *dys):
        of_variables = []
        if variables:
            dxs, of_variables = grad(*dys[:count], variables=variables)
            if len(of_variables) != len(variables):
                raise misuse(ValueError('Must return gradient for each variable from '
                                        '@custom_gradient grad_fn.'))
        else:
            dxs = grad(*dys[:count])
        dxs = list(dxs) if isinstance(dxs, (list, tuple)) else [dxs]
        return [*[None] * count, *dxs, *of_variables]

    name = f'CustomGradient-{next(_numbers)}'
    register(name, rule)
    # The Identity serves no purpose here; TF1 makes it, and node names count it.
    results = [convert_to_tensor(y) for y in results]
    for y in results:
        nodes.Identity(y)
    # One node has results and inputs as outputs: its gradient bypasses the nodes that f built.
    with get_default_graph().gradient_override_map({'IdentityN': name}):
        outputs = nodes.IdentityN(results + inputs + variables)[:count]
    return type(result)(outputs) if isinstance(result, (list, tuple)) else outputs[0]


def _variables():
    graph = get_default_graph()
    return [*graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
            *graph.get_collection(GraphKeys.LOCAL_VARIABLES)]


def _check_new(variables):
    """TypeError for a Variable that f has made and that is no resource."""
    for variable in variables:
        if not hasattr(variable, 'handle'):
            raise misuse(TypeError(
                'All variables used by a function wrapped with @custom_gradient must be '
                "`ResourceVariable`s. Ensure that no `variable_scope` is created with "
                f'`use_resource=False`.\n  Hint: use_resource=True for {variable.name}.'))


def takes_variables(grad):
    """Whether a gradient function takes the keyword `variables`."""
    parameters = inspect.signature(grad).parameters.values()
    return any(p.name == 'variables' or p.kind is p.VAR_KEYWORD for p in parameters)


def without_variables(variables):
    """The TypeError for one that does not, while its function reads these Variables."""
    return misuse(TypeError(
        'If using @custom_gradient with a function that uses variables, then grad_fn must '
        "accept a keyword argument 'variables'.\n  Hint: def grad(dy, variables=None): return "
        '[gradients of the arguments], [a gradient for each of variables]; or pass '
        f'{variables[0].name} as an argument.'))


def grad_pass_through(f):
    """A function like `f` whose gradient is that of the identity: dy is passed on unchanged.

    Shapes: f of a tensor [*a] -> [*a]. For straight-through estimators, e.g. of tf.round.
    """
    @custom_gradient
    def passing(*args, **kwargs):
        def gradient(*dy, variables=()):
            dxs = list(dy) if len(dy) > 1 else dy[0]
            return (dxs, [None] * len(variables)) if variables else dxs
        return f(*args, **kwargs), gradient
    return functools.wraps(f)(passing) if hasattr(f, '__name__') else passing


def recompute_grad(f):
    """A function like `f`. TF1 recomputes f for its gradient, to save memory; tinyflow does not.

    The results are the same.
    """
    @functools.wraps(f)
    def computed(*args, **kwargs):
        return f(*args, **kwargs)
    return computed
