"""The errors of a Tensor or Operation that is used as a value, a Variable, or each other."""
from __future__ import annotations

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import OperatorNotAllowedInGraphError, report, worded

_PLACES = ('VariableV2', 'Variable', 'VarHandleOp')


def no_variable(tensor, name):
    """A Tensor is asked for an attribute `name` that only a Variable has."""
    variable = _variable_behind(tensor)
    what = 'is a node of the graph' if variable is None else \
        f"is computed from the Variable '{variable.name}'"
    return worded(AttributeError(report(
        f"{type(tensor).__name__!r} object has no attribute {name!r}: '{tensor.name}' {what}, and "
        'is no Variable itself.', inputs=[('tensor', tensor)], site=user_site(),
        mend='keep the Variable under a name of its own, which no result gets: '
             f'`y = w + 1`, not `w = w + 1`; then w.{name} is there.')))


def _variable_behind(tensor):
    """The nearest Variable's operation that the tensor is computed from, None if it is far."""
    found = [tensor.op]
    for op in found:
        if op.type in _PLACES:
            return op
        if len(found) < 200:
            found += [t.op for t in op.inputs if t.op not in found]
    return None


def no_tensor(operation, name):
    """An Operation is asked for an attribute `name` that only a Tensor has."""
    value = f' op.outputs[0].{name}() gives the value of its output.' if operation.outputs else ''
    return worded(AttributeError(report(
        f"{type(operation).__name__!r} object has no attribute {name!r}: '{operation.name}' is an "
        'operation, not a tensor.', op=operation,
        mend=f'sess.run(op), or op.run(), runs it.{value}')))


def no_attribute(operation, name, have):
    """An Operation has no attribute `name` of the op's; `have` are the names of those it has."""
    return worded(ValueError(f"Operation '{operation.name}' has no attr named '{name}'; it has: "
                             f"{', '.join(sorted(have)) or 'none'}."))


def shape_contradicts(tensor, error):
    """set_shape cannot merge its shape with the tensor's, for the reason that `error` gives."""
    return worded(ValueError(report(
        f'{error}: set_shape contradicts what is known of this tensor.',
        inputs=[('tensor', tensor)],
        mend='set_shape only adds knowledge; tf.reshape changes a shape.')))


def no_truth_value(tensor):
    """`if tensor:`"""
    return worded(OperatorNotAllowedInGraphError(report(
        f"'{tensor.name}' has no truth value: it is a node of the graph, and its value exists "
        'only while a Session runs it.', inputs=[('tensor', tensor)],
        mend='`if x is not None:` to ask whether it exists; tf.where(x, a, b) chooses '
             'inside the graph; sess.run(x) for its value.')))


def not_iterable(tensor):
    """`for row in tensor:`"""
    return worded(OperatorNotAllowedInGraphError(report(
        f"'{tensor.name}' cannot be iterated while the graph is built.",
        inputs=[('tensor', tensor)],
        mend='tf.unstack(x) is a list of its rows if their number is known; so does '
             '`for i in range(n): x[i]`; sess.run(x) gives an array.')))


def no_len(tensor):
    """`len(tensor)`"""
    return worded(TypeError(report(
        f"'{tensor.name}' has no len(): it is a node of the graph.", inputs=[('tensor', tensor)],
        mend='x.shape[0] is the static size (may be unknown), tf.shape(x)[0] the one while '
             'the graph runs.')))


def no_array(tensor):
    """`np.asarray(tensor)`"""
    return worded(NotImplementedError(report(
        f"'{tensor.name}' cannot become a NumPy array: it is a node of the graph, and its value "
        'exists only while a Session runs it.', inputs=[('tensor', tensor)],
        mend='sess.run(x) gives its value as an array.')))


def no_number(tensor):
    """`float(tensor)`"""
    return worded(TypeError(report(
        f"'{tensor.name}' is a node of the graph, not a number.", inputs=[('tensor', tensor)],
        mend='sess.run(x) gives its value; tf.cast(x, ...) changes its dtype in the graph.')))
