"""Errors for misuse of Tensors and Operations: as Python values, as Variables, as each other."""
from __future__ import annotations

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import OperatorNotAllowedInGraphError, misuse, report, why

_VARIABLE_OPS = ('VariableV2', 'Variable', 'VarHandleOp')


def not_a_variable(tensor, name):
    """Access to an attribute `name` of a Tensor that only Variables have."""
    variable = _variable_behind(tensor)
    what = 'is a node of the graph' if variable is None else \
        f"is computed from the Variable '{variable.name}'"
    return misuse(AttributeError(report(
        f"{type(tensor).__name__!r} object has no attribute {name!r}: '{tensor.name}' {what}, not "
        'a Variable.', inputs=[('tensor', tensor)], site=user_site(),
        hint='do not reuse the name of the Variable for a result: '
             f'`y = w + 1`, not `w = w + 1`; then w.{name} exists.')))


def _variable_behind(tensor):
    """The nearest Variable that the tensor is computed from; None if there is none nearby."""
    ancestors = [tensor.op]
    for op in ancestors:
        if op.type in _VARIABLE_OPS:
            return op
        if len(ancestors) < 200:
            ancestors += [t.op for t in op.inputs if t.op not in ancestors]
    return None


def not_a_tensor(operation, name):
    """Access to an attribute `name` of an Operation that only Tensors have."""
    value = f' op.outputs[0].{name}() gives the value of its output.' if operation.outputs else ''
    return misuse(AttributeError(report(
        f"{type(operation).__name__!r} object has no attribute {name!r}: '{operation.name}' is an "
        'operation, not a tensor.', op=operation,
        hint=f'sess.run(op), or op.run(), runs it.{value}')))


def no_attribute(operation, name, have):
    """`get_attr` of an unknown op attribute `name`; `have` are the existing names."""
    return misuse(ValueError(f"Operation '{operation.name}' has no attr named '{name}'; it has: "
                             f"{', '.join(sorted(have)) or 'none'}."))


def shape_contradicts(tensor, error):
    """set_shape with a shape that is incompatible with the known one; `error` says why."""
    return misuse(ValueError(report(
        f"{error}: set_shape contradicts this tensor's known shape.",
        inputs=[('tensor', tensor)],
        hint='set_shape only adds static information; tf.reshape changes a shape.')))


def in_function(tensor):
    """True for a node of a tf.function, which no Session runs."""
    graph = tensor.op.graph
    while graph.outer_graph is not None and not graph.builds_models:
        graph = graph.outer_graph
    return graph.runs_at_once


def _runner(tensor):
    return 'the tf.function' if in_function(tensor) else 'a Session'


_OF_FUNCTION = ('return it: the result of the function has a value; tf.py_function(f, [x], dtype) '
                'calls Python with values')


def no_truth_value(tensor):
    """`if tensor:`"""
    hint = 'tf.cond(x, f, g) decides inside the graph, tf.where(x, a, b) selects element by ' \
           'element; `if x is not None:` tests whether it exists; '
    hint += 'AutoGraph converts `if` and `while` in a `def` of your own file, without yield and ' \
            'autograph=False.' if in_function(tensor) else 'sess.run(x) gives its value.'
    return misuse(OperatorNotAllowedInGraphError(report(
        f"'{tensor.name}' has no truth value: it is a node of the graph, and its value exists "
        f'only while {_runner(tensor)} runs it.', inputs=[('tensor', tensor)],
        hint=hint + why('tensor-as-bool'))))


def not_iterable(tensor):
    """`for row in tensor:`"""
    return misuse(OperatorNotAllowedInGraphError(report(
        f"'{tensor.name}' cannot be iterated while the graph is built.",
        inputs=[('tensor', tensor)],
        hint='tf.unstack(x) gives a list of its rows if their number is known, and so does '
             '[x[i] for i in range(n)]; tf.while_loop and tf.map_fn loop inside the graph; '
             + ('AutoGraph converts `for row in x:` in a `def` of your own file.'
                if in_function(tensor) else 'sess.run(x) gives an array.')
             + why('tensor-iteration'))))


def no_len(tensor):
    """`len(tensor)`"""
    return misuse(TypeError(report(
        f"'{tensor.name}' has no len(): it is a node of the graph.", inputs=[('tensor', tensor)],
        hint='x.shape[0] is the static size (may be unknown), tf.shape(x)[0] the size at run '
             'time.')))


def no_array(tensor):
    """`np.asarray(tensor)`"""
    return misuse(NotImplementedError(report(
        f"'{tensor.name}' cannot become a NumPy array: it is a node of the graph, and its value "
        f'exists only while {_runner(tensor)} runs it.', inputs=[('tensor', tensor)],
        hint=(_OF_FUNCTION + '; ops of tf.* in place of NumPy\'s.' if in_function(tensor) else
              'sess.run(x) gives its value as an array.') + why('no-numpy'))))


def no_number(tensor):
    """`float(tensor)`"""
    return misuse(TypeError(report(
        f"'{tensor.name}' is a node of the graph, not a number.", inputs=[('tensor', tensor)],
        hint=(_OF_FUNCTION if in_function(tensor) else 'sess.run(x) gives its value')
        + '; tf.cast(x, ...) changes its dtype in the graph; for range(x) there are tf.range(x) '
          'and tf.while_loop.' + why('no-numpy'))))
