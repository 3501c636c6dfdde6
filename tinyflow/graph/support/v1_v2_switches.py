"""The switches between TensorFlow's versions and modes; tinyflow has one: TF1's static graph."""
from __future__ import annotations

from tinyflow.graph.support.errors import worded


class VariableDefault:
    """Which kind of Variable is made where the program does not say."""

    resource = False


def disable_v2_behavior():
    """Nothing to do: the behaviour is TF1's already."""


def disable_eager_execution():
    """Nothing to do: there is only the graph."""


disable_v2_tensorshape = disable_control_flow_v2 = disable_v2_behavior


def enable_control_flow_v2():
    """Nothing to do: control flow is made of functional nodes always."""


def control_flow_v2_enabled():
    """True: tf.cond and tf.while_loop are functional nodes, If and While."""
    return True


def enable_resource_variables():
    """From now on a Variable is a resource variable, unless the program says otherwise."""
    VariableDefault.resource = True


def disable_resource_variables():
    """From now on a Variable is of TF1's default kind again."""
    VariableDefault.resource = False


def resource_variables_enabled():
    """True if a Variable is a resource variable where the program does not say."""
    return VariableDefault.resource


def executing_eagerly():
    """False."""
    return False


def enable_eager_execution(*_, **__):
    """Raises RuntimeError: eager execution is left out."""
    raise worded(RuntimeError(
        'Eager execution is left out of tinyflow, which builds a static graph and runs it.\n'
        '  Mend: build with placeholders and Variables, and run with tf.Session().'))


def enable_v2_behavior(*_, **__):
    """Raises RuntimeError: TensorFlow 2's behaviour is left out."""
    raise worded(RuntimeError(
        'TensorFlow 2 behaviour is left out of tinyflow, which is the TensorFlow 1 stack.\n'
        '  Mend: leave this call out, or use TF1 style: placeholders and tf.Session().'))


def function(*_, **__):
    """Raises NotImplementedError: tf.function belongs to TensorFlow 2."""
    raise worded(NotImplementedError(
        'tf.function is left out of tinyflow: the program is a static graph already.\n'
        '  Mend: call the Python function once to build its nodes, and sess.run() them.'))
