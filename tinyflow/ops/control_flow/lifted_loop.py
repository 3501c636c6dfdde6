"""A While whose stacks and sums of matrix products are kept outside of its body.

The compiler finds them (compiler/rewrites/lift_from_loops.py). The body then returns a value that
it would push to a list, takes an element that it would pop as a parameter, and returns the factors
of a product that it would add to a sum. Here they are appended to Python's lists, popped from them,
and collected, so that one large product replaces many small ones.
"""
from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import NamedTuple

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.blas_threads import matmul
from tinyflow.graph.support.errors import InvalidArgumentError, report_failure
from tinyflow.graph.support.waits import check_deadline, deadlines
from tinyflow.ops.array import shape_ops
from tinyflow.ops.control_flow.persistent_list import ElementList
from tinyflow.ops.control_flow.tensor_lists import check_element, elements, unset_element, wrapped

__all__ = ['Lifted', 'Product']

_ROWS = 1024                # of the factors that are collected before they are multiplied
_ELEMENTS = 1 << 20         # of the larger one of the two, at most


class Product(NamedTuple):
    """transpose(a) b, which a step adds to a part of an array; without `a` the sum of b's rows."""

    a: Tensor | None
    b: Tensor
    reduced: bool               # summed along the axes of a broadcasting, which the array lacks
    operation: Operation        # what makes it
    part: tuple                 # an index of slices


class Lifted(NamedTuple):
    """What a While does outside of its body, by the positions of the loop variables."""

    pushed: dict[int, Operation]    # lists: each step's TensorListPushBack
    popped: dict[int, Operation]    # lists: each step's TensorListPopBack
    summed: dict[int, list[Product]]            # arrays: what each step adds

    @property
    def positions(self) -> set[int]:
        return {*self.pushed, *self.popped, *self.summed}


class _Layout:
    """Which tensors of the body are its parameters and results, and where they are found.

    A step gets the arrays of `parameters`, and returns those of `wanted`. `place` is a tensor's
    position among both: that of a parameter, if nothing modifies its array or the loop copies it.
    """

    def __init__(self, instruction):
        body, lifted = instruction.attrs['body'], instruction.attrs['_lifted']
        self.positions = instruction.attrs.get('_inputs') or range(len(instruction.inputs))
        self.given = [p for i, p in enumerate(self.positions)
                      if i not in instruction.storage_inputs]
        self.known = {p: v.array for p, v in zip(self.positions, instruction.inputs)
                      if v.array is not None and body.outputs[p] is body.inputs[p]}
        self.passed = [p for p in self.given if p not in self.known and p not in lifted.positions]
        self.carried = [p for p in self.passed if body.outputs[p] is not body.inputs[p]]
        popped = [pop.outputs[1] for pop in lifted.popped.values()]
        pushed = [push.inputs[1] for push in lifted.pushed.values()]
        self.parameters = [*[body.inputs[p] for p in self.passed], *popped]
        self.owned = {*[body.inputs[p] for p in self.carried], *popped}
        factors = [t for products in lifted.summed.values() for product in products
                   for t in (product.a, product.b) if t is not None]
        self.wanted = list(dict.fromkeys([
            *[body.outputs[p] for p in self.carried],
            *[t for t in pushed if t not in self.owned],
            *[t for t in factors if t not in self.parameters]]))
        results = {t: len(self.parameters) + i for i, t in enumerate(self.wanted)}
        self.place = results | {t: i for i, t in enumerate(self.parameters)
                                if t in self.owned or t not in results}
        self.slots = [(self.passed.index(p), results[body.outputs[p]]) for p in self.carried]


def bind_lifted(instruction, function):
    """The loop over compiled functions, as While.bind."""
    condition, body = instruction.attrs['cond'], instruction.attrs['body']
    lifted, layout = instruction.attrs['_lifted'], _Layout(instruction)
    place, slots = layout.place, layout.slots
    keep_going = function(condition, [condition.inputs[p] for p in layout.passed],
                          condition.outputs[:1],
                          {condition.inputs[p]: a for p, a in layout.known.items()})
    step = function(body, layout.parameters, layout.wanted,
                    {body.inputs[p]: a for p, a in layout.known.items()}, layout.owned)
    pushed = [(p, push, place[push.inputs[1]]) for p, push in lifted.pushed.items()]
    summed = [(p, _together(products, place)) for p, products in lifted.summed.items()]

    def loop(*arrays):
        start = dict(zip(layout.given, arrays))
        values = [start[p] for p in layout.passed]
        for slot, _ in slots:         # other code may reuse the memory of these arrays
            values[slot] = np.array(values[slot])
        popped = {p: _Popped(start[p], pop) for p, pop in lifted.popped.items()}
        collected = {p: _Pushed(start[p], push, at) for p, push, at in pushed}
        collected |= {p: _Summed(start[p], groups) for p, groups in summed}
        while keep_going(*values)[0]:
            if deadlines:
                check_deadline()
            parameters = [*values, *[stack.pop() for stack in popped.values()]]
            found = [*parameters, *step(*parameters)]
            for collector in collected.values():
                collector.take(found)
            for slot, at in slots:
                values[slot] = found[at]
            del parameters, found           # arrays of this step, before the next one makes more
        end = {p: values[slot] for p, (slot, _) in zip(layout.carried, slots)}
        end |= {p: part.result() for p, part in (popped | collected).items()}
        return [end.get(p) for p in layout.positions]
    return loop


def _refused(problem, operation):
    """The error of the operation of the body that is left to the loop."""
    text = report_failure(ValueError(problem), operation, operation.inputs)
    return InvalidArgumentError(None, operation, text)


class _Popped:
    """A list from whose end elements are taken."""

    def __init__(self, handle, operation):
        self._items = elements(handle)
        self._left = [self._items.get(i) for i in range(self._items.length)]
        self._operation = operation

    def pop(self):
        if not self._left:
            raise _refused('Trying to pop from an empty list', self._operation)
        element = self._left.pop()
        if element is None:
            return unset_element(self._items, self._operation.outputs[1].raw_shape)
        return element

    def result(self):
        return wrapped(self._items.resized(len(self._left)))


class _Pushed:
    """A list at whose end a value of each step is put."""

    def __init__(self, handle, operation, at):
        self._items = elements(handle)
        self._operation = operation
        self._at = at
        self._new = []

    def take(self, values):
        self._new.append(values[self._at])

    def result(self):
        items, new = self._items, self._new
        for shape in {element.shape for element in new}:
            try:
                check_element(items, shape)
            except ValueError as error:
                raise _refused(str(error), self._operation) from None
        if not items.length:
            return wrapped(ElementList.of(new, items.dtype, items.shape))
        for element in new:
            items = items.set(items.length, element)
        return wrapped(items)


def _together(products, place):
    """[(position of a or None, [(position of b, product), ...]), ...]: products with the same a.
    """
    groups = {}
    for product in products:
        key = product.a, product.b if product.a is None else None
        groups.setdefault(key, []).append((place[product.b], product))
    return [(None if a is None else place[a], terms) for (a, _), terms in groups.items()]


class _Summed:
    """An array to which each step adds products, all or parts of it.

    Shape: [*batch, n, m], or [m] if these are sums of rows.
    """

    def __init__(self, start, groups):
        self._total = np.array(start)           # its memory may be reused
        self._products = [_Products(self._total, *group) for group in groups]

    def take(self, values):
        for products in self._products:
            products.take(values)

    def result(self):
        for products in self._products:
            products.multiply()
        return self._total


class _Products:
    """Products with one a, which are added to parts of `total`.

    Rows of the factors of many steps are collected, those of several b in columns next to each
    other: x1^T [c1 d1] + x2^T [c2 d2] = [x1; x2]^T [c1 d1; c2 d2].
    Shapes: a [*batch, rows, n], b [*batch, rows, m].
    """

    def __init__(self, total, a, terms):
        self._total, self._a, self._terms = total, a, terms
        self._rows = 0
        self._kept = None

    def take(self, values):
        a = None if self._a is None else values[self._a]
        factors = [values[b] for b, _ in self._terms]
        rows = factors[0].shape[-2]
        if a is not None and a.shape[-2] != rows:
            raise _refused(f'Dimensions must be equal, but are {a.shape[-2]} and {rows}',
                           self._terms[0][1].operation)
        if self._kept is None or self._rows + rows > self._kept[1].shape[-2]:
            self.multiply()
            self._kept = _room_for(a, factors, rows)
        kept_a, kept_b, columns = self._kept
        now = slice(self._rows, self._rows + rows)
        if a is not None:
            kept_a[..., now, :] = a
        for factor, part in zip(factors, columns):
            kept_b[..., now, part] = factor
        self._rows += rows

    def multiply(self):
        """Adds the product of what is collected."""
        if self._rows:
            a, b, columns = self._kept
            b = b[..., :self._rows, :]
            product = b.sum(0) if a is None else \
                matmul(a[..., :self._rows, :].swapaxes(-1, -2), b)
            for (_, term), own in zip(self._terms, columns):
                target, more = self._total[(*term.part, ...)], product[..., own]
                if more.shape != target.shape and not term.reduced:
                    raise _refused(f'Shapes {shapes.text(target.shape)} and '
                                   f'{shapes.text(more.shape)} are not compatible', term.operation)
                target += _summed_to(target.shape, more)
            self._rows = 0


def _summed_to(shape, array):
    """The array, summed along the axes that `shape` lacks or has 1 of."""
    if array.shape == shape:
        return array
    return array.sum(tuple(shape_ops.broadcast_axes(shape, array.shape))).reshape(shape)


def _room_for(a, factors, rows):
    """Empty arrays for the rows of many steps, of which each has `rows`: for a, if there is one,
    and for all b in one; and the columns of each b.
    """
    ends = list(accumulate([factor.shape[-1] for factor in factors]))
    columns = [slice(end - f.shape[-1], end) for end, f in zip(ends, factors)]
    first = factors[0]
    sizes = [(*first.shape[:-2], ends[-1])] + ([] if a is None else [(*a.shape[:-2], a.shape[-1])])
    room = max(rows, min(_ROWS, _ELEMENTS // max(1, *map(prod, sizes))))
    b, *a = [np.empty((*batch, room, width), first.dtype) for *batch, width in sizes]
    return (*a, b, columns) if a else (None, b, columns)
