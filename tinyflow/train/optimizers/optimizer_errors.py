"""The errors of optimizers: of losses, settings, pairs, and of gradients that are all None."""
from __future__ import annotations

from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report, why


def no_name():
    """An optimizer without a name."""
    return misuse(ValueError('Must specify the optimizer name'))


def unknown_gate(gate_gradients):
    """gate_gradients is not one of the three constants."""
    return misuse(ValueError(
        'gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, '
        f'Optimizer.GATE_GRAPH.  Not {gate_gradients}'))


def loss_is_no_function():
    """A loss that has been computed already, while ops run at once."""
    return misuse(RuntimeError(
        '`loss` passed to Optimizer.compute_gradients should be a function when eager execution is '
        'enabled.\n  Hint: minimize(lambda: ...); or tf.GradientTape and apply_gradients.'))


# ---- settings --------------------------------------------------------------------------------


def not_a_hyperparameter(optimizer, name, value):
    """A hyperparameter such as the learning rate is None or a string."""
    kind = type(optimizer).__name__
    if value is None:
        return misuse(ValueError(report(
            f'{kind}: None values not supported: {name} is None.', site=user_site(),
            hint='a number, such as 0.1.')))
    return misuse(TypeError(report(
        f'{kind}: {name} must be a number or a tensor, not the string {value!r}.', site=user_site(),
        hint=f'float({value!r}).')))


def not_positive(name, value):
    """A hyperparameter is not positive."""
    return misuse(ValueError(f'{name} must be positive: {value}'))


# ---- losses ----------------------------------------------------------------------------------


def not_a_loss(optimizer, loss):
    """The loss is not a tensor."""
    return misuse(AttributeError(report(
        f'{type(optimizer).__name__} needs a tensor of the graph as its loss, not {loss!r}.',
        site=user_site(), hint=_hint_for_loss(loss))))


def _hint_for_loss(loss):
    """The probable intention, for a loss that is not a tensor."""
    if loss is None:
        return 'the loss is None: does the function that computes it have a return statement?'
    if isinstance(loss, (list, tuple)) and any(isinstance(item, Tensor) for item in loss):
        return 'combine the losses into one tensor: loss = tf.add_n([a, b]).'
    if isinstance(loss, (int, float)) or hasattr(loss, 'dtype'):
        return ('this is a number or array, not a node: was the name of the loss overwritten by '
                'its own value, as in `loss = sess.run(loss)`? Use another name for the result.'
                + why('fetch-type'))
    return 'pass the tensor to minimize.'


def wrong_dtype(tensor, valid):
    """A loss, Variable or gradient has a dtype that cannot be trained."""
    return misuse(ValueError(report(
        f'Invalid type {tensor.dtype.base_dtype!r} for {tensor.name}, expected: '
        f'{sorted(valid, key=lambda d: d.name)}.',
        inputs=[('tensor', tensor)] if isinstance(tensor, Tensor) else [], site=user_site(),
        hint='only floating-point Variables are trained; tf.Variable(3.0), not tf.Variable(3), '
             'creates one.' + why('integer-variable'))))


# ---- gradients and Variables -----------------------------------------------------------------


def nothing_to_train():
    """The graph has no trainable Variable."""
    return misuse(ValueError(report(
        'No variables to optimize.', hint='make Variables with trainable=True before '
        'minimize(), in the graph of the loss.' + why('no-variables'))))


def loss_reaches_none(loss, variables):
    """minimize(): no Variable has a gradient."""
    return _none_at_all(
        'No gradients provided for any variable, check your graph for ops that do not '
        f'support gradients, between variables {_names(variables)} and loss '
        f"'{loss.name}'.", loss, variables)


def no_gradients(loss, variables):
    """apply_gradients(): all gradients are None; `loss` is that of the last compute_gradients."""
    return _none_at_all(f'No gradients provided for any variable: {_names(variables)}.', loss,
                        variables)


def _none_at_all(problem, loss, variables):
    """The error that names the op which blocks the gradient."""
    if loss is None or loss.graph is not variables[0].graph:
        return misuse(ValueError(
            f'{problem}\n  Hint: all gradients are None: tf.gradients(loss, variables) gives None '
            'if the loss does not depend on the variable.' + why('no-gradients')))
    reasons = dict.fromkeys(why_no_gradient(loss, v) for v in variables[:10])
    return misuse(ValueError('\n  '.join([problem, *list(reasons)[:2]])
                             + why('no-gradients')))


def _names(variables):
    text = ', '.join(f"'{v.name}'" for v in variables[:5])
    return f'[{text}{", ..." if len(variables) > 5 else ""}]'


_WANTED = 'apply_gradients takes a list of pairs (gradient, variable), '


def not_a_list_of_pairs(value):
    """apply_gradients got something that cannot be iterated."""
    return misuse(TypeError(f'{_WANTED}not {value!r}.'))


def not_a_pair(item):
    """apply_gradients got a list with an item that is not a pair."""
    kind = ValueError if isinstance(item, (list, tuple)) else TypeError
    return misuse(kind(f'{_WANTED}and {item!r} is not a pair.'))


def no_pairs():
    """apply_gradients got an empty list."""
    return misuse(ValueError('No variables provided.'))


def not_a_gradient(grad):
    """The first item of a pair cannot be a gradient."""
    return misuse(TypeError('Gradient must be convertible to a Tensor or IndexedSlices, or '
                            f'None: {grad!r}'))


def not_a_variable(var):
    """The second item of a pair is not a Variable."""
    if isinstance(var, Tensor):
        return misuse(NotImplementedError(report(
            f"Trying to update a Tensor '{var.name}': only Variables can be changed.",
            inputs=[('tensor', var)])))
    return misuse(NotImplementedError(f'Trying to optimize unsupported type {var!r}'))


def constraint_of_rows(var):
    """A Variable with a constraint gets a sparse gradient."""
    return misuse(RuntimeError(
        'Cannot use a constraint function on a sparse variable: '
        f"'{var.name}' gets an IndexedSlices as its gradient."))


def not_a_counter(step):
    """global_step is not a Variable."""
    return misuse(AttributeError(report(
        f'global_step must be a Variable, because each step increments it, not {step!r}.',
        inputs=[('global_step', step)] if isinstance(step, Tensor) else [], site=user_site(),
        hint='global_step=tf.train.get_or_create_global_step(); or omit it.')))


def outside_of_replicas():
    """apply_gradients in cross-replica context, where gradients do not belong to a replica."""
    return misuse(RuntimeError(
        'Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica '
        'context.\n  Hint: call minimize() inside the function of the replicas: '
        'strategy.experimental_run_v2(train_step).'))
