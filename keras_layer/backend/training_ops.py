"""Update ops of optimizers: they change a Variable and its slots in place."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.graph.op import nodes
from tinyflow.ops.updates.resource_apply_ops import resource_op

__all__ = ['scatter_add', 'scatter_add_rows', 'scatter_update_rows', 'sum_duplicate_rows',
           'training_op']


def training_op(kind, *inputs, **attrs):
    """Adds the op Resource<kind>, such as ResourceApplyAdam; takes Variables as inputs."""
    return resource_op(kind).apply(
        *[x.handle if isinstance(x, tf.Variable) else x for x in inputs], **attrs)


def scatter_add(variable, indices, values):
    """variable[indices] += values, as an operation."""
    return nodes.ResourceScatterAdd(variable.handle, indices, values)


def scatter_add_rows(variable, indices, values):
    """variable[indices] += values; the value afterwards."""
    with tf.control_dependencies([scatter_add(variable, indices, values)]):
        return variable.value()


def scatter_update_rows(variable, indices, values):
    """variable[indices] = values; the value afterwards."""
    with tf.control_dependencies([nodes.ResourceScatterUpdate(
            variable.handle, indices, values)]):
        return variable.value()


def sum_duplicate_rows(values, indices):
    """(sums of the rows with equal indices, the indices without repetition)."""
    unique, positions = tf.unique(indices)
    return tf.unsorted_segment_sum(values, positions, tf.shape(unique)[0]), unique
