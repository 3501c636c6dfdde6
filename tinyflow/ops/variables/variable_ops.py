"""The ops of ref variables: the storage (VariableV2), assignments and scatter updates.

A VariableV2 has no kernel. Its output is a ref to the storage; the array belongs to the Session
(session/store.py). The update ops change that array, and their output is the same ref once more, so
that whatever reads it sees the new value.
"""
from __future__ import annotations

import math
from functools import partial

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.support.index_vectors import at_index_vectors, check_indices
from tinyflow.ops.support.row_updates import at_rows, at_slices

__all__ = [
    'assign', 'assign_add', 'assign_sub', 'count_up_to', 'scatter_add', 'scatter_div',
    'scatter_max', 'scatter_min', 'scatter_mul', 'scatter_nd_add', 'scatter_nd_sub',
    'scatter_nd_update', 'scatter_sub', 'scatter_update',
]


class VariableV2(Op):
    """The storage of a Variable: shape and dtype; the value belongs to the Session."""

    signature = '-> ref: Ref(dtype)'
    attrs = {'shape': REQUIRED, 'dtype': REQUIRED, 'container': '', 'shared_name': ''}
    pure = False                    # two Variables are never merged, even with equal attributes

    def shape(*, shape):
        return shape


class IsVariableInitialized(Op):
    """True if the Variable has a value in this Session."""

    signature = 'ref: Ref(dtype) -> is_initialized: bool'
    takes_storage = (0,)
    pure = False                    # depends on state that other nodes change

    def shape(ref):
        return ()

    partial_rank = True

    def kernel(ref):
        return np.array(ref.value is not None)


class RefIdentity(Op):
    """The same ref as another node, which can be ordered after something else."""

    signature = 'input: Ref(T) -> output: Ref(T)'
    partial_rank = True

    def shape(input):
        return input

    def kernel(input):
        return input


class InitializedValue(Op):
    """The value of a Variable if it has one, else `initial_value` (tinyflow's own op).

    TF1 makes a `cond` here, so that `initial_value` is computed on demand; the result is equal.
    """

    signature = 'ref: Ref(T), initial_value: T -> value: T'
    takes_storage = (0,)
    pure = False

    def shape(ref, initial_value):
        return shapes.merge(ref, initial_value)

    def kernel(ref, initial_value):
        return np.array(initial_value if ref.value is None else ref.value)


_MAY_CHANGE = ('tf.Variable(..., validate_shape=False) and tf.assign(..., validate_shape=False) '
               'let a shape change.' + errors.why('assign-shape'))


def _one_shape(ref, value, hint=''):
    """Checks the shape of an assigned value; the error has a hint."""
    try:
        return shapes.merge(ref, value)
    except ValueError as error:
        if shapes.known(ref) and shapes.known(value) and math.prod(ref) == math.prod(value):
            way = 'tf.transpose(value)' if len(ref) == 2 and ref == value[::-1] else \
                f'tf.reshape(value, {shapes.text(ref)})'
            hint = f'{way} has the shape of the Variable. {hint}'
        raise errors.misuse(OpFailure(str(error), hint.strip())) from None


class Assign(Op):
    """Stores a copy of `value`."""

    signature = 'ref: Ref(T), value: T -> output_ref: Ref(T)'
    attrs = {'validate_shape': True, 'use_locking': True}
    takes_storage = (0,)
    writes = (0,)
    partial_rank = True

    def shape(ref, value, *, validate_shape):
        return _one_shape(ref, value, _MAY_CHANGE) if validate_shape else value

    def kernel(ref, value, *, validate_shape):
        old = ref.value
        if old is not None and old.shape == value.shape:
            ref.overwrite(value)
            return ref.value
        shape = ref.operation.outputs[0].raw_shape if old is None else old.shape
        if validate_shape and not shapes.compatible(shape, value.shape):
            raise OpFailure(f'the variable has shape {shapes.text(shape)}, the new value '
                            f'{shapes.text(value.shape)}',
                            _MAY_CHANGE)
        ref.value = np.array(value, order='C')
        return ref.value


class _InPlace(Op, abstract=True):
    signature = 'ref: Ref(T), value: T -> output_ref: Ref(T)'
    types = {'T': dtypes.NUMBERS}
    attrs = {'use_locking': False}
    writes = (0,)
    partial_rank = True

    def shape(ref, value):
        return _one_shape(ref, value)


def _require_same_shape(ref, value):
    # NumPy would broadcast silently; TF1 refuses.
    if ref.shape != value.shape:
        raise ValueError(f'the variable has shape {shapes.text(ref.shape)}, the value '
                         f'{shapes.text(value.shape)}')


class AssignAdd(_InPlace):
    """ref += value."""

    def kernel(ref, value):
        _require_same_shape(ref, value)
        return np.add(ref, value, out=ref)


class AssignSub(_InPlace):
    """ref -= value."""

    def kernel(ref, value):
        _require_same_shape(ref, value)
        return np.subtract(ref, value, out=ref)


class CountUpTo(Op):
    """Adds one to an integer scalar and returns the previous value; OutOfRange at `limit`."""

    signature = 'ref: Ref(T) -> output: T'
    types = {'T': dtypes.INDEX}
    attrs = {'limit': REQUIRED}
    writes = (0,)

    def shape(ref):
        shapes.merge(ref, ())
        return ()

    def kernel(ref, *, limit):
        if ref >= limit:
            raise errors.OutOfRangeError(None, None, f'Reached limit of {limit}')
        before = ref.copy()
        ref += 1
        return before


# ---- updates of some rows ----------------------------------------------------------------


class _Scatter(Op, abstract=True):
    """Changes the rows `indices` of the first axis."""

    signature = 'ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)'
    types = {'T': dtypes.NUMBERS, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': False}
    writes = (0,)
    partial_rank = True

    def shape(ref, indices, updates):
        if ref == ():
            raise OpFailure('a scalar has no rows to update', 'tf.assign sets a scalar.')
        if updates != () and None not in (ref, indices):
            shapes.merge(updates, indices + ref[1:])
        return ref

    def __init_subclass__(cls, abstract=False):
        def kernel(ref, indices, updates):
            check_rows(ref, indices, updates)
            cls.update(ref, indices, updates)
            return ref
        if not abstract:
            cls.kernel = kernel
            cls.update = staticmethod(cls.update)
        super().__init_subclass__(abstract)


def check_rows(ref, indices, updates):
    """ValueError unless a scatter of these arrays fits."""
    check_indices(indices, ref.shape[0])
    if updates.shape not in ((), indices.shape + ref.shape[1:]):
        raise ValueError(f'updates have shape {shapes.text(updates.shape)}; indices.shape + '
                         f'ref.shape[1:] is {shapes.text(indices.shape + ref.shape[1:])}')


def _set(ref, indices, updates):
    ref[indices] = updates


def _divide(ref, indices, updates):
    """ref /= updates at the indices; integers are truncated towards zero, as C++ does."""
    if ref.dtype.kind not in 'iu':
        at_rows(np.divide, ref, indices, updates)
        return
    if not updates.all():
        raise ValueError('Integer division by zero')
    size, sign = np.abs(ref), np.sign(ref)
    np.floor_divide.at(size, indices, np.abs(updates))
    np.multiply.at(sign, indices, np.sign(updates))
    np.multiply(size, sign, out=ref)


class ScatterUpdate(_Scatter):
    """ref[indices] = updates; of equal indices the last one wins."""

    types = {'T': dtypes.ANY, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': True}
    update = _set


class ScatterAdd(_Scatter):
    """ref[indices] += updates; equal indices add up."""

    update = partial(at_rows, np.add)


class ScatterSub(_Scatter):
    """ref[indices] -= updates; equal indices add up."""

    update = partial(at_rows, np.subtract)


class ScatterMul(_Scatter):
    """ref[indices] *= updates; equal indices multiply."""

    update = partial(at_rows, np.multiply)


class ScatterDiv(_Scatter):
    """ref[indices] /= updates."""

    update = _divide


class ScatterMin(_Scatter):
    """ref[indices] = min(ref[indices], updates)."""

    types = {'T': dtypes.REAL, 'Tindices': dtypes.INDEX}
    update = partial(at_rows, np.minimum)


class ScatterMax(_Scatter):
    """ref[indices] = max(ref[indices], updates)."""

    types = {'T': dtypes.REAL, 'Tindices': dtypes.INDEX}
    update = partial(at_rows, np.maximum)


class _ScatterNd(Op, abstract=True):
    """Changes the elements or slices at index vectors: the last axis of `indices`."""

    signature = 'ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)'
    types = {'T': dtypes.NUMBERS, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': False}
    writes = (0,)
    partial_rank = True

    def shape(ref, indices, updates):
        if ref is None or indices is None:
            return ref
        depth = indices[-1] if indices else None
        if not indices:
            raise ValueError('indices must be at least a vector: its last axis is an index')
        if depth is None:
            return ref
        if depth > len(ref):
            raise ValueError(f'index vectors have {depth} entries, the variable has only '
                             f'{len(ref)} axes')
        shapes.merge(updates, indices[:-1] + ref[depth:])
        return ref

    def __init_subclass__(cls):
        def kernel(ref, indices, updates):
            target, positions = at_index_vectors(ref, indices)
            _check_updates(ref, indices, updates)
            cls.update(target, positions, updates)
            return ref
        cls.kernel = kernel
        cls.update = staticmethod(cls.update)
        super().__init_subclass__()


def _check_updates(ref, indices, updates):
    expected = indices.shape[:-1] + ref.shape[indices.shape[-1]:]
    if updates.shape != expected:
        raise ValueError(f'updates have shape {shapes.text(updates.shape)}, must have '
                         f'{shapes.text(expected)}')


class ScatterNdUpdate(_ScatterNd):
    """ref[indices] = updates."""

    types = {'T': dtypes.ANY, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': True}
    update = _set


class ScatterNdAdd(_ScatterNd):
    """ref[indices] += updates."""

    update = partial(at_slices, np.add)


class ScatterNdSub(_ScatterNd):
    """ref[indices] -= updates."""

    update = partial(at_slices, np.subtract)


# ---- public functions --------------------------------------------------------------------


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """ref = value; the result is the Variable's ref, read after the assignment.

    Shapes: ref [*a], value [*a] -> [*a]; any shapes with validate_shape=False.
    """
    if _is_foreign(ref):
        return ref.assign(value, name=name)
    return Assign.apply(ref, value, name=name,
                        validate_shape=True if validate_shape is None else validate_shape,
                        use_locking=True if use_locking is None else use_locking)


def assign_add(ref, value, use_locking=None, name=None):
    """ref += value; the result is the Variable's ref, read after the update.

    Shapes: ref [*a], value [*a] -> [*a].
    """
    if _is_foreign(ref):
        return ref.assign_add(value)
    return AssignAdd.apply(ref, value, use_locking=bool(use_locking), name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """ref -= value; the result is the Variable's ref, read after the update.

    Shapes: ref [*a], value [*a] -> [*a].
    """
    if _is_foreign(ref):
        return ref.assign_sub(value)
    return AssignSub.apply(ref, value, use_locking=bool(use_locking), name=name)


def _is_foreign(ref):
    """True for a Variable with a handle, and a like object of another package: with own assign."""
    dtype = getattr(ref, 'dtype', None)
    return isinstance(dtype, dtypes.DType) and hasattr(ref, 'assign') and (
        not dtype.is_ref or hasattr(ref, 'handle'))


def count_up_to(ref, limit, name=None):
    """The value of an integer Variable, which then grows by one.

    Shapes: ref [] -> []. Raises OutOfRangeError once the value has reached `limit`.
    """
    if _is_foreign(ref):
        return ref.count_up_to(limit)
    return CountUpTo.apply(ref, limit=limit, name=name)


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """ref[indices] = updates; of equal indices the last one wins.

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Update', indices, updates, name)
    return ScatterUpdate.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] += updates; equal indices add up.

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Add', indices, updates, name)
    return ScatterAdd.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] -= updates; equal indices add up.

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Sub', indices, updates, name)
    return ScatterSub.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] *= updates; equal indices multiply.

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Mul', indices, updates, name)
    return ScatterMul.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] /= updates; integers are truncated towards zero.

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Div', indices, updates, name)
    return ScatterDiv.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = max(ref[indices], updates).

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Max', indices, updates, name)
    return ScatterMax.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] = min(ref[indices], updates).

    Shapes: ref [n, *a], indices [*b], updates [*b, *a] or [] -> [n, *a].
    Raises InvalidArgumentError for an index outside [0, n).
    """
    if _is_foreign(ref):
        return ref._scatter('Min', indices, updates, name)
    return ScatterMin.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """ref[indices] = updates, at index vectors.

    Shapes: ref [*k, *a], indices [*b, rank of k], updates [*b, *a] -> [*k, *a].
    Raises InvalidArgumentError for an index outside ref.
    """
    if _is_foreign(ref):
        return ref._scatter('NdUpdate', indices, updates, name)
    return ScatterNdUpdate.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] += updates, at index vectors; equal ones add up.

    Shapes: ref [*k, *a], indices [*b, rank of k], updates [*b, *a] -> [*k, *a].
    Raises InvalidArgumentError for an index outside ref.
    """
    if _is_foreign(ref):
        return ref._scatter('NdAdd', indices, updates, name)
    return ScatterNdAdd.apply(ref, indices, updates, use_locking=use_locking, name=name)


def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """ref[indices] -= updates, at index vectors; equal ones add up.

    Shapes: ref [*k, *a], indices [*b, rank of k], updates [*b, *a] -> [*k, *a].
    Raises InvalidArgumentError for an index outside ref.
    """
    if _is_foreign(ref):
        return ref._scatter('NdSub', indices, updates, name)
    return ScatterNdSub.apply(ref, indices, updates, use_locking=use_locking, name=name)
