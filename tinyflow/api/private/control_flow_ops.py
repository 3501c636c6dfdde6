"""tensorflow.python.ops.control_flow_ops: what of it has no public name."""
from __future__ import annotations

from collections import namedtuple
from weakref import WeakKeyDictionary

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, control_dependencies, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.constants import constant
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.joining import stack
from tinyflow.ops.array.ranking import argmax
from tinyflow.ops.checks.assertions import Assert
from tinyflow.ops.control_flow.switch_case import switch_case
from tinyflow.ops.math.logic import logical_and, logical_not
from tinyflow.ops.math.reduction import reduce_any

__all__ = ['merge', 'switch', 'with_dependencies']

_SwitchOutputs = namedtuple('Switch', ['output_false', 'output_true'])
_MergeOutputs = namedtuple('Merge', ['output', 'value_index'])
# Operation of a switch's output -> the boolean tensor that says whether it is taken.
_taken = WeakKeyDictionary()


def switch(data, pred, dtype=None, name=None):
    """(data where pred is False, data where it is True), of which one is taken.

    In TensorFlow what follows the other one does not run. Here it does, and `merge` chooses.

    Shapes: data [*a], pred [] of bool -> [*a] twice.
    """
    with name_scope(name, 'Switch', [data, pred]):
        data = convert_to_tensor(data, dtype)
        pred = convert_to_tensor(pred, dtypes.bool)
        outputs = _SwitchOutputs(identity(data), identity(data))
        _taken[outputs.output_true.op] = pred
        _taken[outputs.output_false.op] = logical_not(pred)
        return outputs


def merge(inputs, name=None):
    """(the input that comes of the outputs of `switch` that are taken, its index).

    Shapes: inputs [*a] each -> [*a], []. Raises ValueError if one of them comes of no switch, and
    InvalidArgumentError while running if none is taken.
    """
    with name_scope(name, 'Merge', inputs):
        inputs = [convert_to_tensor(value) for value in inputs]
        taken = stack([_is_taken(value) for value in inputs])
        with control_dependencies([Assert(reduce_any(taken), ['no input of merge is taken'])]):
            index = argmax(cast(taken, dtypes.int32), output_type=dtypes.int32)
        functions = [lambda value=value: identity(value) for value in inputs]
        return _MergeOutputs(switch_case(index, functions), index)


def _is_taken(tensor):
    """Whether all outputs of switches that the tensor depends on are taken."""
    seen, waiting, found = set(), [tensor.op], constant(True)
    any_switch = False
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation in _taken:
            found, any_switch = logical_and(found, _taken[operation]), True
        else:
            waiting += [value.op for value in operation.inputs]
    if not any_switch:
        raise misuse(ValueError(f'merge: {tensor.name} does not depend on an output of switch.\n'
                                '  Hint: tf.cond and tf.case choose between functions.'))
    return found


def with_dependencies(dependencies, output_tensor, name=None):
    """The value of `output_tensor` after all of `dependencies` have run.

    Shapes: output_tensor [*a] -> [*a]; of an IndexedSlices, its values are passed on.
    """
    with name_scope(name, 'control_dependency') as scope, colocate_with(output_tensor), \
            control_dependencies(dependencies):
        if isinstance(output_tensor, IndexedSlices):
            return IndexedSlices(identity(output_tensor.values, name=scope),
                                 output_tensor.indices, output_tensor.dense_shape)
        return identity(convert_to_tensor(output_tensor), name=scope)
