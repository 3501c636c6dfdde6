"""tf.disable_v2_behavior and similar switches; enabling it is in tinyflow/api/v2/behavior.py."""
from __future__ import annotations


class VariableDefault:
    """The default of Variable's `use_resource`."""

    resource = False


# 'behavior' and 'tensorshape' -> functions that undo what tinyflow/api/v2/behavior.py enabled.
UNDO: dict[str, list] = {}


def v2_enabled():
    """True after tf.enable_v2_behavior()."""
    return 'behavior' in UNDO


def _undo(what):
    for function in UNDO.pop(what, ()):
        function()


def disable_v2_behavior():
    """TensorFlow 1's behaviour, which is the default: graphs and Sessions."""
    _undo('behavior')
    _undo('tensorshape')


def disable_v2_tensorshape():
    """Entries of shapes are Dimensions, which is the default."""
    _undo('tensorshape')


def disable_control_flow_v2():
    """No effect: control flow always uses functional nodes."""


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
