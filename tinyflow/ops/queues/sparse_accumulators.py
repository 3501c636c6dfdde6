"""tf.SparseConditionalAccumulator: the mean of gradients that are IndexedSlices.

As in TensorFlow, the rows of two gradients are merged as if their indices were sorted: two rows are
added up where both walks stand at the same index. The mean divides each row by the number of rows
that were added up in it, not by the number of gradients. An index that a gradient has twice, and
indices that are not sorted, therefore stay separate rows; optimizers add those up.
"""
from __future__ import annotations

import collections

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.queues.accumulators import (
    AccumulatorBase,
    AccumulatorOp,
    ConditionalAccumulatorBase,
    shared_state,
)

__all__ = ['SparseConditionalAccumulator']


class SparseAccumulator(AccumulatorBase):
    """Rows [n, *inner], their indices [n], and how many rows were added up in each."""

    _rows = _indices = _added = None

    def _check(self, indices, rows, shape, has_known_shape):
        if indices.ndim != 1:
            raise ValueError('Input indices should be vector but received shape: '
                             f'{shapes.compact(indices.shape)}')
        if rows.ndim == 0:
            raise ValueError('Values cannot be 0-dimensional.')
        if len(indices) != len(rows):
            raise ValueError(f'Expected {len(indices)} non-empty input values, got {len(rows)}')
        if not self._shape:
            return
        wanted = shape.tolist() if has_known_shape else [self._shape[0], *rows.shape[1:]]
        if len(wanted) != len(self._shape):
            raise ValueError(f'Shape mismatch: expected shape rank {len(self._shape)}, got '
                             f'{len(wanted)}')
        for axis, (mine, its) in enumerate(zip(self._shape, wanted)):
            if mine is not None and its is not None and mine != its:
                raise ValueError(f'Shape mismatch: expected shape dim {axis} to be {mine}, got '
                                 f'{its}')
        limit = self._shape[0]
        beyond = np.flatnonzero(indices >= limit) if limit is not None else ()
        if len(beyond):
            raise ValueError(
                f'Shape mismatch: index of slice {beyond[0]} exceeded limits of shape; index is '
                f'{indices[beyond[0]]} exceeded {limit}')

    def _add(self, indices, rows, shape, has_known_shape):
        if not self.count:
            self._indices, self._rows = np.array(indices), np.array(rows)
            self._added = np.ones(len(indices), rows.dtype)
            return
        if rows.shape[1:] != self._rows.shape[1:]:
            raise ValueError(_other_rows(self._rows.shape, rows.shape))
        mine, its = _merge(self._indices.tolist(), indices.tolist())
        merged = np.zeros((len(mine), *rows.shape[1:]), rows.dtype)
        added = np.zeros(len(mine), rows.dtype)
        places = np.zeros(len(mine), np.int64)
        here = mine >= 0
        merged[here], added[here] = self._rows[mine[here]], self._added[mine[here]]
        places[here] = self._indices[mine[here]]
        here = its >= 0
        merged[here] += rows[its[here]]
        added[here] += 1
        places[here] = indices[its[here]]
        self._indices, self._rows, self._added = places, merged, added

    def _taken(self):
        rows = self._rows
        if self._mean:
            rows = rows / self._added.reshape(-1, *[1] * (rows.ndim - 1))
        shape = [-1, *rows.shape[1:]]
        if self._shape and self._shape[0] is not None:
            shape[0] = self._shape[0]
        indices, self._rows, self._indices, self._added = self._indices, None, None, None
        return indices, rows, np.array(shape, np.int64)


def _other_rows(expected, got):
    if len(expected) != len(got):
        return f'Shape mismatch: expected values rank {len(expected)}, got {len(got)}'
    axis = next(i for i in range(1, len(got)) if expected[i] != got[i])
    return f'Shape mismatch: expected values dim {axis} to be {expected[axis]}, got {got[axis]}'


def _merge(first, second):
    """For each row of the result its positions in two lists of indices, -1 where it is in one."""
    mine, its = [], []
    i = j = 0
    while i < len(first) and j < len(second):
        difference = first[i] - second[j]
        mine.append(i if difference <= 0 else -1)
        its.append(j if difference >= 0 else -1)
        i += difference <= 0
        j += difference >= 0
    mine += [*range(i, len(first)), *[-1] * (len(second) - j)]
    its += [*[-1] * (len(first) - i), *range(j, len(second))]
    return np.array(mine, np.int64), np.array(its, np.int64)


class SparseConditionalAccumulatorNode(Op, type='SparseConditionalAccumulator'):
    """The handle of an accumulator. In TensorFlow it is a reference to a pair of names."""

    signature = '-> handle: resource'
    attrs = {'dtype': REQUIRED, 'shape': REQUIRED, 'container': '', 'shared_name': '',
             'reduction_type': 'MEAN'}
    pure = False
    state_of_node = True
    state = shared_state(SparseAccumulator)
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return (2,)

    def kernel(accumulator):
        return boxed(accumulator)


class AccumulatorNumAccumulated(AccumulatorOp):
    """The number of accumulated gradients."""

    signature = 'handle: resource -> num_accumulated: int32'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(handle.item().count, np.int32)


class AccumulatorSetGlobalStep(AccumulatorOp):
    """Sets the step below which gradients are too old."""

    signature = 'handle: resource, new_global_step: int64 ->'

    def kernel(handle, new_global_step):
        handle.item().set_step(int(new_global_step))


class SparseAccumulatorApplyGradient(AccumulatorOp):
    """Adds the rows of a gradient of a step."""

    signature = ('handle: resource, local_step: int64, gradient_indices: int64, '
                 'gradient_values: dtype, gradient_shape: int64 ->')
    types = {'dtype': dtypes.NUMBERS}
    attrs = {'has_known_shape': REQUIRED}

    def kernel(handle, local_step, gradient_indices, gradient_values, gradient_shape, *,
               has_known_shape):
        handle.item().apply(int(local_step), gradient_indices, gradient_values, gradient_shape,
                            has_known_shape)


class SparseAccumulatorTakeGradient(AccumulatorOp):
    """Waits for gradients and takes their mean."""

    signature = 'handle: resource, num_required: int32 -> ' \
                'indices: int64, values: dtype, shape: int64'
    attrs = {'dtype': REQUIRED}

    def kernel(handle, num_required):
        return handle.item().take(int(num_required))


_Taken = collections.namedtuple('SparseAccumulatorTakeGradient', ['indices', 'values', 'shape'])


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulates gradients that are IndexedSlices until there are enough; returns their mean.

    Each row is divided by the number of gradients that have a row of its index. Nodes of one
    `shared_name` share an accumulator. Shapes: gradients are of `shape`, where it is given.
    """

    def __init__(self, dtype, shape=None, shared_name=None,
                 name='sparse_conditional_accumulator', reduction_type='MEAN'):
        if reduction_type not in ('MEAN', 'SUM'):
            raise misuse(ValueError(report(
                "Attr 'reduction_type' of 'SparseConditionalAccumulator' Op passed string "
                f'{reduction_type!r} not in: "MEAN", "SUM".', site=user_site())))
        if not dtypes.as_dtype(dtype).is_floating:
            raise misuse(TypeError(report(
                'A SparseConditionalAccumulator accumulates floating-point gradients, not '
                f'{dtypes.as_dtype(dtype).name}.', site=user_site())))
        super().__init__(dtype, shape, SparseConditionalAccumulatorNode.apply(
            dtype=dtypes.as_dtype(dtype), shape=shapes.as_shape(shape),
            shared_name=shared_name or '', name=name, reduction_type=reduction_type))

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """An Operation that adds IndexedSlices, unless local_step is before the accumulator's step.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """An Operation that adds rows of a gradient, unless local_step is before that of the
        accumulator.

        Shapes: grad_indices [n], grad_values [n, *inner], grad_shape [rank].
        InvalidArgumentError, when it runs, for other shapes.
        """
        step = identity_and_cast.cast(convert_to_tensor(local_step), dtypes.int64)
        indices = identity_and_cast.cast(grad_indices, dtypes.int64)
        shape = identity_and_cast.cast([] if grad_shape is None else grad_shape, dtypes.int64)
        with colocate_with(self._accumulator_ref):
            return SparseAccumulatorApplyGradient.apply(
                self._accumulator_ref, step, indices, grad_values, shape,
                has_known_shape=grad_shape is not None, name=name)

    def take_grad(self, num_required, name=None):
        """Waits for num_required gradients; (indices, values, shape) of their mean.

        The accumulator's step is incremented, and no gradients are left. Shapes: -> [n],
        [n, *inner], [rank]. InvalidArgumentError for num_required < 1.
        """
        with colocate_with(self._accumulator_ref):
            return _Taken(*SparseAccumulatorTakeGradient.apply(
                self._accumulator_ref, num_required, dtype=self._dtype, name=name))

    def take_indexed_slices_grad(self, num_required, name=None):
        """As `take_grad`, as IndexedSlices."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(taken.values, taken.indices, taken.shape)

    def num_accumulated(self, name=None):
        """The number of gradients that can be taken. Shapes: -> []."""
        with colocate_with(self._accumulator_ref):
            return AccumulatorNumAccumulated.apply(
                self._accumulator_ref, name=name or f'{self._name}_NumAccumulated')

    def set_global_step(self, new_global_step, name=None):
        """An Operation; gradients of earlier steps are dropped from then on."""
        step = identity_and_cast.cast(convert_to_tensor(new_global_step), dtypes.int64)
        with colocate_with(self._accumulator_ref):
            return AccumulatorSetGlobalStep.apply(self._accumulator_ref, step, name=name)
