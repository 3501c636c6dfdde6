"""tensordot and einsum: sums over products of tensors along given axes.

Both are built from transposes, reshapes and one matmul for each pair of tensors.
"""
from __future__ import annotations

import math
import re

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.ops.array import constants, diagonals, joining, shaping
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math import arithmetic, reduction

# ---- tensordot -------------------------------------------------------------------------------

def tensordot(a, b, axes, name=None):
    """Sums the products of a and b over pairs of axes.

    Shapes: a [*free_a, *summed], b [*summed, *free_b] -> [*free_a, *free_b] for an integer `axes`
    (how many axes are summed); a pair of lists names the axes of a and of b instead.
    Raises ValueError if `axes` is neither, or the lists differ in length.
    """
    with name_scope(name, 'Tensordot', [a, b, axes]) as scope:
        a, b = convert_to_tensor(a, name='a'), convert_to_tensor(b, name='b')
        a_axes, b_axes = _summed_axes(a, axes)
        a_matrix, a_free, a_known = _as_matrix(a, a_axes, summed_first=False)
        b_matrix, b_free, b_known = _as_matrix(b, b_axes, summed_first=True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return shaping.reshape(product, a_free + b_free, name=scope)
        a_free = convert_to_tensor(a_free, dtypes.int32)
        b_free = convert_to_tensor(b_free, dtypes.int32)
        product = shaping.reshape(product, joining.concat([a_free, b_free], 0), name=scope)
        if a_known is not None and b_known is not None:
            product.set_shape(a_known + b_known)
        return product


def _summed_axes(a, axes):
    """The axes of a and those of b that are summed over, as lists or tensors."""
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise misuse(ValueError("'axes' must be at least 0."))
        if a.raw_shape is None:
            rank = constants.rank(a)
            return (constants.range(rank - axes, rank, dtype=dtypes.int32),
                    constants.range(axes, dtype=dtypes.int32))
        rank = len(a.raw_shape)
        if axes > rank:
            raise misuse(ValueError(f"'axes' must not be larger than the number of dimensions of "
                                    f'tensor {a}.'))
        return list(range(rank - axes, rank)), list(range(axes))
    if not isinstance(axes, (list, tuple)):
        axes = convert_to_tensor(axes, dtypes.int32, 'axes')
        return axes[0], axes[1]
    if len(axes) != 2:
        raise misuse(ValueError("'axes' must be an integer or have length 2."))
    a_axes, b_axes = axes
    if isinstance(a_axes, (int, np.integer)) and isinstance(b_axes, (int, np.integer)):
        a_axes, b_axes = [a_axes], [b_axes]
    if len(a_axes) != len(b_axes):
        raise misuse(ValueError(f"Different number of contraction axes 'a' and 'b', "
                                f'{len(a_axes)} != {len(b_axes)}.'))
    return a_axes, b_axes


def _as_matrix(x, axes, summed_first):
    """(x as a matrix of free by summed axes, sizes of the free axes, those sizes if known)."""
    listed = isinstance(axes, (list, tuple))
    if not (listed and shapes.known(x.raw_shape)):
        return _as_matrix_at_run_time(x, axes, listed, summed_first)
    axes, free = _split_axes(axes, len(x.raw_shape))
    free_sizes = [x.raw_shape[i] for i in free]
    sizes = [math.prod(free_sizes), math.prod(x.raw_shape[i] for i in axes)]
    order = axes + free if summed_first else free + axes
    matrix = shaping.reshape(shaping.transpose(x, order), sizes[::-1] if summed_first else sizes)
    return matrix, free_sizes, free_sizes


def _split_axes(axes, rank):
    axes = [int(i) if i >= 0 else int(i) + rank for i in axes]
    return axes, [i for i in range(rank) if i not in axes]


def _as_matrix_at_run_time(x, axes, listed, summed_first):
    free_known = None
    if listed and x.raw_shape is not None:
        axes, free = _split_axes(axes, len(x.raw_shape))
        free_known = [x.raw_shape[i] for i in free]
        axes = convert_to_tensor(axes, dtypes.int32, 'axes')
        free = convert_to_tensor(free, dtypes.int32, 'free')
        shape = constants.shape(x)
    else:
        shape, rank = constants.shape(x), constants.rank(x)
        axes = convert_to_tensor(axes, dtypes.int32, 'axes')
        axes = nodes.Select(axes >= 0, axes, axes + rank)
        free = nodes.ListDiff(constants.range(rank), axes)[0]
    free_sizes, summed_sizes = nodes.GatherV2(shape, free, 0), nodes.GatherV2(shape, axes, 0)
    sizes = [reduction.reduce_prod(free_sizes), reduction.reduce_prod(summed_sizes)]
    order = joining.concat([axes, free] if summed_first else [free, axes], 0)
    sizes = joining.stack(sizes[::-1] if summed_first else sizes)
    return shaping.reshape(shaping.transpose(x, order), sizes), free_sizes, free_known


# ---- einsum ----------------------------------------------------------------------------------

def einsum(equation, *inputs, **kwargs):
    """Sums of products in Einstein notation: einsum('ij,jk->ik', a, b) is the matrix product.

    Shapes: each input as its letters say -> as the letters after '->' say. Letters missing there
    are summed over; without '->' those that occur once are kept, in alphabetical order; '...'
    means any leading axes. Raises ValueError for equations that do not fit the inputs, or that
    name an axis twice in one input (einsum('ii', a), the trace, excepted).
    """
    name = kwargs.pop('name', None)
    if kwargs:
        raise misuse(TypeError('invalid keyword arguments for this function: '
                               + ', '.join(sorted(kwargs))
                               + nearest_keyword(min(kwargs), ('name',))))
    with name_scope(name, 'einsum', [equation, inputs]):
        inputs = [convert_to_tensor(i) for i in inputs]
        terms, output = _parse(equation, inputs)
        if len(terms) == 1 and len(terms[0]) == 2 and len(set(terms[0])) == 1 \
                and '->' not in equation:
            return diagonals.trace(inputs[0])
        for term in terms:
            if len(set(term)) != len(term):
                raise misuse(ValueError(
                    f'Subscript not supported: an axis appears more than once: {term}'))
        summed = set(''.join(terms)) - set(output)
        if any(sum(label in term for term in terms) > 2 for label in summed):
            return _all_at_once(inputs, terms, output)
        return _in_pairs(inputs, terms, output, equation)


def _parse(equation, inputs):
    """The axis labels of each input and of the output, with '...' replaced by unused letters."""
    text = equation.replace(' ', '')
    match = re.match(r'^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$', text)
    if match is None:
        raise misuse(ValueError(f'Indices have incorrect format: {equation}'))
    terms = match[1].split(',')
    if len(terms) != len(inputs):
        raise misuse(ValueError(f'Got {len(inputs)} arguments for equation "{equation}", '
                                f'expecting {len(terms)}'))
    longest, ellipses = '', []
    unused = [c for c in 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ' if c not in text]
    for i, (term, tensor) in enumerate(zip(terms, inputs)):
        if '.' not in term:
            continue
        if term.count('...') != 1 or term.count('.') != 3:
            raise misuse(ValueError(f'Unable to resolve ellipsis: {term}'))
        if tensor.raw_shape is None:
            raise misuse(ValueError('Ellipsis needs inputs of known rank'))
        count = len(tensor.raw_shape) - len(term) + 3
        if not 0 <= count <= len(unused):
            raise misuse(ValueError(f'{term!r} names more axes than input {i} has, '
                                    f'{shapes.text(tensor.raw_shape)}'))
        # Leading axes broadcast from the right, so axes at the same place from the right share a
        # letter.
        labels = ''.join(unused[:count][::-1])
        longest = max(longest, labels, key=len)
        ellipses.append(i)
        terms[i] = term.replace('...', labels)
    if match[2]:
        return terms, match[2][2:].replace('...', longest)
    letters = ''.join(terms)
    once = sorted(c for c in set(letters) if letters.count(c) == 1 and c not in longest)
    return terms, longest + ''.join(once)


def _in_pairs(inputs, terms, output, equation):
    """Contracts the inputs from the left, with one matmul for each pair."""
    result, labels = inputs[0], terms[0]
    for tensor, term in zip(inputs[1:], terms[1:]):
        result, labels = _contract(result, labels, tensor, term,
                                   (set(labels) & set(term)) - set(output))
    extra = [i for i, label in enumerate(labels) if label not in output]
    if extra:
        result = reduction.reduce_sum(result, axis=extra)
        labels = [label for label in labels if label in output]
    if sorted(labels) != sorted(output):
        raise misuse(ValueError(f'Invalid equation: {equation}'))
    return _transposed(result, [list(labels).index(label) for label in output])


def _contract(x, x_labels, y, y_labels, summed):
    """The product of two tensors, summed over the labels `summed`; (tensor, its labels)."""
    for tensor, labels in ((x, x_labels), (y, y_labels)):
        if tensor.raw_shape is None or len(tensor.raw_shape) != len(labels):
            raise misuse(ValueError(f'Tensor {tensor} does not have the {len(labels)} axes '
                                    f"of {''.join(labels)!r}"))
    shared = (set(x_labels) & set(y_labels)) - summed
    x_only, y_only = set(x_labels) - shared - summed, set(y_labels) - shared - summed
    # Batch axes lead; the summed axes are the last of x, and come before the rest of y.
    x_order = sorted(x_labels, key=lambda a: (0 if a in shared else 1 if a in x_only else 2, a))
    y_order = sorted(y_labels, key=lambda a: (0 if a in shared else 1 if a in summed else 2, a))
    x = _transposed(x, [list(x_labels).index(a) for a in x_order])
    y = _transposed(y, [list(y_labels).index(a) for a in y_order])
    kept = len(shared)
    labels = x_order[:kept + len(x_only)] + y_order[len(y_order) - len(y_only):]
    if not summed:
        for _ in y_only:
            x = shaping.expand_dims(x, -1)
        for _ in x_only:
            y = shaping.expand_dims(y, kept)
        return arithmetic.multiply(x, y), labels
    x_shape = _sizes(x)
    outer = _total(x_shape[kept:-len(summed)])
    # One node serves both inputs: their summed axes have the same sizes.
    inner = _total(x_shape[-len(summed):])
    x = _reshaped(x, x_shape[:kept] + [outer, inner])
    y_shape = _sizes(y)
    y = _reshaped(y, y_shape[:kept] + [inner, _total(y_shape[kept + len(summed):])])
    product = matmul(x, y)
    return _reshaped(product, x_shape[:kept + len(x_only)]
                     + y_shape[len(y_shape) - len(y_only):]), labels


def _all_at_once(inputs, terms, output):
    """One product of all inputs, broadcast: for labels summed over three or more inputs."""
    summed = sorted(set(''.join(terms)) - set(output))
    order = summed + list(output)
    product = 1
    expanded = []
    for tensor, term in zip(inputs, terms):
        wanted = sorted(term, key=order.index)
        tensor = _transposed(tensor, [term.index(label) for label in wanted])
        sizes = iter([-1 if size is None else size for size in tensor.raw_shape])
        expanded.append(shaping.reshape(tensor, [next(sizes) if label in term else 1
                                                 for label in order]))
    for tensor in expanded:
        product = product * tensor
    return reduction.reduce_sum(product, list(range(len(summed))))


def _transposed(tensor, order):
    return tensor if order == list(range(len(order))) else shaping.transpose(tensor, order)


def _reshaped(tensor, shape):
    current = list(tensor.raw_shape)
    if len(current) == len(shape) and all(
            not isinstance(new, Tensor) and new == old for old, new in zip(current, shape)):
        return tensor
    return shaping.reshape(tensor, shape)


def _sizes(tensor):
    """The sizes of a tensor's axes: integers, or scalar tensors where unknown."""
    sizes = list(tensor.raw_shape)
    if None in sizes:
        shape = constants.shape(tensor)
        sizes = [shape[i] if size is None else size for i, size in enumerate(sizes)]
    return sizes


def _total(sizes):
    total = 1
    for size in sizes:
        total = total * size
    return total


__all__ = ['einsum', 'tensordot']
