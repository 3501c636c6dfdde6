"""Ops for control dependencies: no_op, group, tuple, with_dependencies."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, control_dependencies, device, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.variables import variable_ops

__all__ = ['group', 'no_op', 'tuple']


class NoOp(Op):
    """Does nothing; others wait for it, or it waits for others."""

    signature = '->'
    pure = False                    # it has the effects of the nodes that it waits for

    def kernel():
        return ()


def no_op(name=None):
    """An Operation that does nothing but wait for its control inputs. Shapes: no tensors."""
    return NoOp.apply(name=name)


def group(*inputs, **kwargs):
    """An Operation that has run once all of `inputs` (nested lists are fine) have run.

    None if ops run at once. Shapes: inputs of any shape -> no tensor.
    """
    if executing_eagerly():
        return None
    name = kwargs.pop('name', None)
    if kwargs:
        raise misuse(ValueError(f'Unknown keyword arguments: {", ".join(kwargs)}'
                                + nearest_keyword(min(kwargs), ('name',))))
    flat = _flatten(inputs)
    with name_scope(name, 'group_deps', flat) as scope:
        by_device: dict[str, list] = {}
        for item in flat:
            if not hasattr(item, 'device'):
                raise misuse(TypeError(
                    f"tf.group() expects Tensors and Operations, not {item!r} with type "
                    f"'{type(item).__name__}'.\n  Hint: leave out what has no node, e.g. the None "
                    'that tf.gradients returns where there is no path.'))
            by_device.setdefault(item.device, []).append(item)
        if not by_device:
            return no_op(name=scope)
        if len(by_device) == 1:
            (where, items), = by_device.items()
            return _wait_for(items, where, scope)
        gates = [_wait_for(by_device[where], where) for where in sorted(by_device)]
        with control_dependencies(gates):
            return no_op(name=scope)


def _wait_for(items, where, name=None):
    with control_dependencies(items), device(where or None):
        return no_op(name=name)


def _flatten(items):
    flat = []
    for item in items:
        if isinstance(item, dict):
            flat += _flatten([item[key] for key in sorted(item)])
        elif isinstance(item, (list, type(()))):
            flat += _flatten(item)
        else:
            # Of IndexedSlices and SparseTensors, wait for each component.
            parts = (item.values, item.indices, item.dense_shape) \
                if isinstance(item, IndexedSlices) else (item,)
            flat += [t for t in parts if t is not None] or [item]
    return flat


def tuple(tensors, name=None, control_inputs=None):
    """`tensors` again, each of which is ready only when all of them are; None stays None.

    Shapes: as the inputs. Raises ValueError if there is nothing to wait for.
    """
    with name_scope(name, 'tuple', tensors):
        items = [t if t is None or isinstance(t, IndexedSlices)
                 or hasattr(t, '_as_graph_element') else convert_to_tensor(t) for t in tensors]
        gates = [t if isinstance(t, Operation) else t.op for t in items if t is not None]
        for control in control_inputs or ():
            if not isinstance(control, (Operation, Tensor)):
                raise misuse(TypeError(f'Control input must be Operation or Tensor: {control!r}'))
            gates.append(control.op if isinstance(control, Tensor) else control)
        if not gates:
            raise misuse(ValueError(f'Must have at least one Tensor: {tensors!r}'))
        gate = group(*sorted(set(gates), key=lambda op: op.id))
        result = []
        for item in items:
            if isinstance(item, Operation):
                with control_dependencies([gate]):
                    item = group(item)
            elif item is not None:
                item = with_dependencies([gate], item)
            result.append(item)
        return result


def with_dependencies(dependencies, output_tensor, name=None):
    """`output_tensor`, ready only after `dependencies` have run.

    Shapes: as `output_tensor`.
    """
    with name_scope(name, 'control_dependency', [*dependencies, output_tensor]) as scope, \
            colocate_with(output_tensor), control_dependencies(dependencies):
        if isinstance(output_tensor, IndexedSlices):
            values = identity_and_cast.Identity.apply(output_tensor.values, name=scope)
            return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
        tensor = convert_to_tensor(output_tensor)
        kind = variable_ops.RefIdentity if tensor.dtype.is_ref else identity_and_cast.Identity
        return kind.apply(tensor, name=scope)
