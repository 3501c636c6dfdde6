"""What a NumPy kernel computes for one element: an expression, found by running it on stand-ins.

The op's own kernel stays the only definition of its arithmetic: it is called with `Traced` arrays,
which note each ufunc instead of computing it, and the loops of this package compute the same
ufuncs, in the same order and with the same types, for one element after the other.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ['Node', 'NotTraceable', 'Traced', 'Tracer', 'steps_of']


class NotTraceable(Exception):
    """The kernel looks at values, or does something that is not done element by element."""


class Node(NamedTuple):
    """A step: a ufunc's name (or 'input', 'constant', 'cast', 'where') on earlier nodes."""

    name: str
    arguments: tuple[Any, ...]      # Nodes; of an input its number, of a constant its value
    dtype: np.dtype


def steps_of(results: Iterable[Node]) -> list[Node]:
    """The nodes that results consist of, each once."""
    seen: dict[int, Node] = {}
    waiting = list(results)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Node) and id(node) not in seen:
            seen[id(node)] = node
            waiting.extend(node.arguments)
    return list(seen.values())


class Tracer:
    """Makes the stand-ins for inputs, and traces kernels that are called with them."""

    def __init__(self) -> None:
        self._nodes: dict[Any, Node] = {}           # equal nodes are one object

    def node(self, name: str, arguments: tuple[Any, ...], dtype: np.dtype) -> Node:
        """The node, made once."""
        key = name, tuple(id(a) if isinstance(a, Node) else repr(a) for a in arguments), dtype
        return self._nodes.setdefault(key, Node(name, arguments, dtype))

    def input(self, number: int, dtype: np.dtype) -> Node:
        """The element of input `number` that belongs to the result's."""
        return self.node('input', (number,), dtype)

    def cast(self, node: Node, dtype: np.dtype) -> Node:
        """The node as another type."""
        if node.dtype == dtype:
            return node
        if node.name == 'constant':
            return self.node('constant', (dtype.type(node.arguments[0]).item(),), dtype)
        return self.node('cast', (node,), dtype)

    def constant(self, value: Any, dtype: np.dtype) -> Node:
        return self.node('constant', (dtype.type(value).item(),), dtype)


class Traced(NDArrayOperatorsMixin):
    """A stand-in for an array of one shape; the element's expression is `node`."""

    def __init__(self, tracer: Tracer, node: Node | None, ndim: int,
                 dtype: np.dtype | None = None) -> None:
        self.tracer = tracer
        self.node = node
        self.ndim = ndim
        self.dtype: np.dtype = node.dtype if node is not None else np.dtype(dtype)

    @property
    def shape(self) -> _Shape:
        return _Shape(self.ndim)

    @property
    def size(self) -> int:
        return 1 << 20

    def astype(self, dtype: Any, **options: Any) -> Traced:
        return Traced(self.tracer, self.tracer.cast(self.value(), np.dtype(dtype)), self.ndim)

    def copy(self) -> Traced:
        return Traced(self.tracer, self.value(), self.ndim)

    def value(self) -> Node:
        if self.node is None:
            raise NotTraceable('a result is read before it is computed')
        return self.node

    def __bool__(self) -> bool:
        raise NotTraceable('the kernel looks at a value')

    def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
        raise NotTraceable('the kernel needs the array')

    def __getitem__(self, key: Any) -> Traced:
        raise NotTraceable('the kernel takes a part')

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not Ellipsis:
            raise NotTraceable('the kernel sets a part')
        self.node = self.tracer.cast(_node(self.tracer, value, self.dtype), self.dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None,
                        **options: Any) -> Any:
        if method != '__call__' or options or ufunc.nout != 1:
            raise NotTraceable(f'{ufunc.__name__} with {method} or {sorted(options)}')
        tracer = self.tracer
        types = ufunc.resolve_dtypes((*[_type(x) for x in inputs], None))
        if any(t.kind == 'O' for t in types):
            raise NotTraceable(f'{ufunc.__name__} of objects')
        arguments = tuple(tracer.cast(_node(tracer, x, t), t) for x, t in zip(inputs, types))
        return self._stored(tracer.node(ufunc.__name__, arguments, types[-1]), inputs,
                            out[0] if out else None)

    def _stored(self, node: Node, inputs: Sequence[Any], out: Any) -> Traced:
        if out is None:
            return Traced(self.tracer, node, max(np.ndim(x) if not isinstance(x, Traced)
                                                 else x.ndim for x in inputs))
        if not isinstance(out, Traced):
            raise NotTraceable('the kernel makes an array of its own')
        out.node = self.tracer.cast(node, out.dtype)
        return out

    def __array_function__(self, function: Callable[..., Any], types: Any, arguments: Any,
                           options: Any) -> Any:
        known = _FUNCTIONS.get(function)
        if known is None:
            raise NotTraceable(f'{function.__name__} is not done element by element')
        return known(self, *arguments, **options)


class _Shape(tuple):
    """Sizes that no one may look at."""

    def __new__(cls, ndim: int) -> _Shape:
        return super().__new__(cls, [_size] * ndim)


class _Size:
    def __eq__(self, other: object) -> bool:
        return self is other

    def __index__(self) -> int:
        raise NotTraceable('the kernel looks at a size')

    __hash__ = object.__hash__


_size = _Size()


def _type(x: Any) -> Any:
    """What `resolve_dtypes` takes for an operand: Python numbers adapt to the others."""
    if isinstance(x, (bool, np.bool_)):
        return np.dtype(bool)
    return type(x) if type(x) in (int, float) else x.dtype


def _node(tracer: Tracer, x: Any, dtype: np.dtype) -> Node:
    if isinstance(x, Traced):
        return x.value()
    if np.ndim(x):
        raise NotTraceable('the kernel has an array of constants')
    if isinstance(x, (np.ndarray, np.generic)):
        return tracer.constant(x.item(), x.dtype)
    return tracer.constant(x, dtype)


# ---- functions that are no ufuncs --------------------------------------------------------------

def _empty_like(like: Traced, prototype: Traced, dtype: Any = None, **options: Any) -> Traced:
    return Traced(like.tracer, None, prototype.ndim,
                  prototype.dtype if dtype is None else np.dtype(dtype))


def _where(like: Traced, condition: Any, x: Any, y: Any) -> Traced:
    tracer = like.tracer
    given = [_type(v) for v in (x, y)]
    dtype = np.add.resolve_dtypes((*given, None))[-1] if given[0] != given[1] else given[0]
    if dtype in (int, float):
        dtype = np.dtype(dtype)
    arguments = (tracer.cast(_node(tracer, condition, np.dtype(bool)), np.dtype(bool)),
                 *[tracer.cast(_node(tracer, v, dtype), dtype) for v in (x, y)])
    ndim = max(v.ndim if isinstance(v, Traced) else np.ndim(v) for v in (condition, x, y))
    return Traced(tracer, tracer.node('where', arguments, dtype), ndim)


def _copyto(like: Traced, target: Any, source: Any, casting: str = 'same_kind',
            where: Any = True) -> None:
    if not isinstance(target, Traced):
        raise NotTraceable('the kernel makes an array of its own')
    tracer = like.tracer
    node = tracer.cast(_node(tracer, source, target.dtype), target.dtype)
    if where is not True:
        chosen = tracer.cast(_node(tracer, where, np.dtype(bool)), np.dtype(bool))
        node = tracer.node('where', (chosen, node, target.value()), target.dtype)
    target.node = node


def _zeros_like(like: Traced, prototype: Traced, dtype: Any = None, **options: Any) -> Traced:
    result = _empty_like(like, prototype, dtype)
    result.node = like.tracer.constant(0, result.dtype)
    return result


def _ones_like(like: Traced, prototype: Traced, dtype: Any = None, **options: Any) -> Traced:
    result = _empty_like(like, prototype, dtype)
    result.node = like.tracer.constant(1, result.dtype)
    return result


def _clip(like: Traced, x: Any, least: Any, most: Any, out: Any = None) -> Any:
    return np.minimum(np.maximum(x, least), most, out=out)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.empty_like: _empty_like, np.where: _where, np.copyto: _copyto, np.clip: _clip,
    np.zeros_like: _zeros_like, np.ones_like: _ones_like,
}
