"""Joining strings: element by element, along axes, or by segments."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, int32, string
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, shape_ops
from tinyflow.ops.strings.arrays import string_array
from tinyflow.ops.support.arguments import renamed

__all__ = ['reduce_join', 'string_join', 'unsorted_segment_join']


class StringJoin(Op):
    """Joins element i of all inputs with `separator`; scalars broadcast."""

    signature = 'inputs: N*string -> output: string'
    attrs = {'separator': ''}
    partial_rank = True

    def shape(inputs):
        result = ()
        for shape in inputs:
            if shape is None or shape == ():
                continue
            if result not in ((), shape) and None not in (*result, *shape):
                raise OpFailure(f'the inputs have the shapes {list(result)} and {list(shape)}',
                                'equal shapes, or scalars.')
            if len(result) not in (0, len(shape)):
                raise OpFailure('the inputs have different ranks', 'equal shapes, or scalars.')
            result = shape if not result else tuple(
                b if a is None else a for a, b in zip(result, shape))
        return None if not result and None in inputs else result

    def kernel(inputs, *, separator):
        shapes = {a.shape for a in inputs if a.ndim}
        if len(shapes) > 1:
            raise OpFailure(f'the inputs have the shapes {sorted(map(list, shapes))}',
                            'equal shapes, or scalars.')
        shape = shapes.pop() if shapes else ()
        result = np.empty(shape, object)
        rows = [np.broadcast_to(a, shape).reshape(-1).tolist() for a in inputs]
        between = separator.encode() if isinstance(separator, str) else separator
        result.reshape(-1)[:] = [between.join(parts) for parts in zip(*rows)]
        return result


def string_join(inputs, separator='', name=None):
    """Joins the strings of all `inputs`, element by element.

    Shapes: inputs [*a] or [] each -> [*a].
    """
    return StringJoin.apply(inputs, separator=separator, name=name)


def _axes(indices, rank):
    """The non-negative axes to join along, in the given order."""
    found: list[int] = []
    for axis in indices if isinstance(indices, tuple) else (indices,):
        if not -rank <= axis < rank:
            raise ValueError(f'Invalid reduction dimension {axis} for input with {rank} '
                             'dimensions.')
        found.append(axis % rank)
    return found


def _text(value):
    return value.encode() if isinstance(value, str) else value


class ReduceJoin(Op):
    """Joins strings along axes; the first axis given varies fastest."""

    signature = 'inputs: string, reduction_indices: int32 -> output: string'
    attrs = {'keep_dims': False, 'separator': ''}
    static = {'reduction_indices': (0, 1)}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(inputs, reduction_indices, *, keep_dims):
        if inputs is None:
            return None
        known = reduction_indices if isinstance(reduction_indices, tuple) else (reduction_indices,)
        if None in known:
            return (None,) * len(inputs) if keep_dims else None
        axes = _axes(reduction_indices, len(inputs))
        return tuple(1 if i in axes else size for i, size in enumerate(inputs)
                     if keep_dims or i not in axes)

    def kernel(inputs, reduction_indices, *, keep_dims, separator):
        axes = _axes(reduction_indices, inputs.ndim)
        if not axes:
            return inputs.copy()
        if len(set(axes)) < len(axes):
            raise ValueError(f'Duplicate reduction dimension in {list(reduction_indices)}')
        kept = [i for i in range(inputs.ndim) if i not in axes]
        sizes = [inputs.shape[i] for i in kept]
        rows = inputs.transpose(*kept, *reversed(axes)).reshape(
            int(np.prod(sizes)), int(np.prod([inputs.shape[i] for i in axes])))
        joined = [_text(separator).join(row) for row in rows.tolist()]
        shape = [1 if i in axes else size for i, size in enumerate(inputs.shape)
                 if keep_dims or i not in axes]
        return string_array(joined, shape)


class UnsortedSegmentJoin(Op):
    """Joins the strings of each segment in order; empty for an empty segment."""

    signature = ('inputs: string, segment_ids: Tindices, num_segments: Tnumsegments '
                 '-> output: string')
    types = {'Tindices': INDEX, 'Tnumsegments': INDEX}
    attrs = {'separator': ''}
    static = {'num_segments': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(inputs, segment_ids, num_segments):
        if inputs is None or segment_ids is None:
            return None
        for size, other in zip(inputs, segment_ids):
            if None not in (size, other) and size != other:
                raise OpFailure(f'segment_ids has the shape {list(segment_ids)} and inputs '
                                f'{list(inputs)}',
                                'the first dimensions of both must be the same.')
        return (num_segments, *inputs[len(segment_ids):])

    def kernel(inputs, segment_ids, num_segments, *, separator):
        outer = segment_ids.ndim
        if inputs.shape[:outer] != segment_ids.shape:
            raise OpFailure(f'segment_ids has the shape {list(segment_ids.shape)} and inputs '
                            f'{list(inputs.shape)}',
                            'the first dimensions must be the same.')
        inner = inputs.shape[outer:]
        width = int(np.prod(inner))
        parts = [[[] for _ in range(width)] for _ in range(num_segments)]
        rows = inputs.reshape(segment_ids.size, width).tolist()
        for segment, row in zip(segment_ids.reshape(-1).tolist(), rows):
            if not 0 <= segment < num_segments:
                raise ValueError('segment_ids are not allowed to exceed num_segments or to have '
                                 f'negative values: {segment} with {num_segments} segments')
            for texts, text in zip(parts[segment], row):
                texts.append(text)
        between = _text(separator)
        return string_array([between.join(texts) for segment in parts for texts in segment],
                            (num_segments, *inner))


def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None,
                keepdims=None):
    """Joins the strings along `axis` (all axes if None), with `separator` between them.

    Shapes: inputs [*a] -> [*a without axis], or with size 1 there if keepdims. With several axes
    the first one given varies fastest. InvalidArgumentError if an axis is given twice.
    """
    keep_dims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    with name_scope(name, 'ReduceJoin', [inputs, axis]):
        inputs = convert_to_tensor(inputs)
        if inputs.dtype.base_dtype is not string:
            raise misuse(TypeError(f'ReduceJoin joins strings, not {inputs.dtype.name}: '
                                   'tf.as_string(x) makes strings of numbers.'))
        if axis is None:
            axis = _all_axes(inputs)
        return ReduceJoin.apply(inputs, axis, keep_dims=bool(keep_dims), separator=separator)


def _all_axes(inputs):
    """All axes from the last to the first, which keeps the strings in row-major order."""
    if inputs.raw_shape is None:
        return constants.range(shape_ops.rank(inputs) - 1, -1, -1)
    rank = len(inputs.raw_shape)
    return constants.constant(np.arange(rank - 1, -1, -1, dtype=np.int32), int32)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator='', name=None):
    """Joins the strings of each segment in order, with `separator` between them.

    Shapes: inputs [*a, *b], segment_ids [*a] -> [num_segments, *b]. InvalidArgumentError for an
    id outside [0, num_segments).
    """
    return UnsortedSegmentJoin.apply(inputs, segment_ids, num_segments, separator=separator,
                                     name=name)
