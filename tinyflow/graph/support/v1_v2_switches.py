"""tf.disable_v2_behavior and similar switches; tinyflow has a single mode: TF1's static graph."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse


class VariableDefault:
    """The default of Variable's `use_resource`."""

    resource = False


def disable_v2_behavior():
    """No effect: the behaviour is already that of TF1."""


disable_v2_tensorshape = disable_control_flow_v2 = disable_v2_behavior


def enable_control_flow_v2():
    """No effect: control flow always uses functional nodes."""


def control_flow_v2_enabled():
    """True: tf.cond and tf.while_loop are functional nodes, If and While."""
    return True


def enable_resource_variables():
    """New Variables are resource variables by default from now on."""
    VariableDefault.resource = True


def disable_resource_variables():
    """New Variables are reference variables, TF1's default, from now on."""
    VariableDefault.resource = False


def resource_variables_enabled():
    """True if new Variables are resource variables by default."""
    return VariableDefault.resource


def enable_v2_behavior(*_, **__):
    """Raises RuntimeError: TensorFlow 2's behaviour is not supported."""
    raise misuse(RuntimeError(
        'tinyflow does not implement TensorFlow 2 behaviour: it is the TensorFlow 1 stack.\n'
        '  Hint: remove this call, or use TF1 style: placeholders and tf.Session().'))
