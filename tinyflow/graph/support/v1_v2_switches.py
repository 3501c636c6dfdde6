"""tf.disable_v2_behavior and similar switches; enabling it is in tinyflow/api/v2/behavior.py."""
from __future__ import annotations


class VariableDefault:
    """The default of Variable's `use_resource`."""

    resource = False


class ControlFlow:
    """How the nodes of control flow are called."""

    v2_names = False


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
    """Names of control flow are TensorFlow 1's from now on, such as cond/Merge: the default."""
    ControlFlow.v2_names = False


def enable_control_flow_v2():
    """Names of control flow are as of functional nodes from now on, such as cond/Identity.

    The nodes are functional ones, If and While, in any case.
    """
    ControlFlow.v2_names = True


def control_flow_v2_enabled():
    """True after tf.enable_control_flow_v2()."""
    return ControlFlow.v2_names


def enable_resource_variables():
    """New Variables are resource variables by default from now on."""
    VariableDefault.resource = True


def disable_resource_variables():
    """New Variables are reference variables, TF1's default, from now on."""
    VariableDefault.resource = False


def resource_variables_enabled():
    """True if new Variables are resource variables by default."""
    return VariableDefault.resource
