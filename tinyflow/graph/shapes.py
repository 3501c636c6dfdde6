"""Static shapes: functions on plain shapes, and TF1's classes TensorShape and Dimension.

Inside tinyflow a shape is plain data: ``None`` (unknown rank) or a tuple whose entries are ints or
None (unknown dimension). `TensorShape` and `Dimension` are the public wrappers.
"""
from __future__ import annotations

import operator
from typing import TypeGuard

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report

Shape = tuple | None


def merge(x: Shape, y: Shape) -> Shape:
    """Combines the information of two shapes. Raises ValueError if they are incompatible."""
    if x is None or x == y:
        return y
    if y is None:
        return x
    if len(x) != len(y):
        raise misuse(ValueError(f'Shapes {text(x)} and {text(y)} must have the same rank'))
    merged = []
    for i, j in zip(x, y):
        if i is not None and j is not None and i != j:
            raise misuse(ValueError(f'Shapes {text(x)} and {text(y)} are not compatible'))
        merged.append(j if i is None else i)
    return tuple(merged)


def compatible(x: Shape, y: Shape) -> bool:
    """True if a tensor can match both shapes."""
    return (x is None or y is None or x == y or
            len(x) == len(y) and all(i is None or j is None or i == j for i, j in zip(x, y)))


def covers(x: Shape, y: Shape) -> bool:
    """True if every tensor that matches shape y matches shape x: x is equal or more general."""
    return x is None or y is not None and len(x) == len(y) and \
        all(i is None or i == j for i, j in zip(x, y))


def common(x: Shape, y: Shape) -> Shape:
    """The most specific shape that covers both: sizes (or ranks) that differ become unknown."""
    if x is None or y is None or len(x) != len(y):
        return None
    return tuple([a if a == b else None for a, b in zip(x, y)])


def broadcast(x: Shape, y: Shape) -> Shape:
    """The result shape of an elementwise operation on shapes `x` and `y`.

    Raises ValueError if they cannot be broadcast. An unknown dimension combined with a known one
    larger than 1 gives the known one (the unknown one must be 1 or equal).
    """
    if x == y and x is not None and None not in x:
        return x
    if x is None or y is None:
        return None
    if not x:
        return y
    if not y:
        return x
    rank = max(len(x), len(y))
    result = []
    for i, j in zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y):
        if i == j:
            result.append(i)
        elif i == 1:
            result.append(j)
        elif j == 1:
            result.append(i)
        elif i is None or j is None:
            result.append(j if i is None else i)
        else:
            raise misuse(ValueError(f'Incompatible shapes: {text(x)} vs. {text(y)}'))
    return tuple(result)


def known(shape: Shape) -> TypeGuard[tuple[int, ...]]:
    """True if every dimension is known."""
    return shape is not None and None not in shape


def size(shape: Shape) -> int | None:
    """Number of elements, or None if it is not known."""
    if shape is None or None in shape:
        return 0 if shape is not None and 0 in shape else None
    count = 1
    for dimension in shape:
        count *= dimension
    return count


def axis(value: int, rank: int) -> int:
    """`value` as a non-negative axis. ValueError unless in [-rank, rank), TypeError if not an int.
    """
    value = integer(value)
    if not -rank <= value < rank:
        raise misuse(ValueError(f'axis {value} is out of range for a tensor of rank {rank}'))
    return value + rank if value < 0 else value


def integer(value, name: str = 'axis') -> int:
    """`value` as an int. Raises TypeError, with TensorFlow's message, if it is not one."""
    try:
        return operator.index(value)
    except TypeError:
        if isinstance(value, float) and value.is_integer():
            return int(value)
    raise misuse(TypeError(f'Expected int for argument {name!r} not {value!r}.'))


def text(shape: Shape) -> str:
    """A shape as text for messages: ``[?, 784]``, ``[]``, or ``<unknown>``."""
    if shape is None:
        return '<unknown>'
    return '[' + ', '.join('?' if d is None else str(d) for d in shape) + ']'


def compact(shape: tuple[int | None, ...]) -> str:
    """A shape of known rank as TF's kernels write it: ``[?,784]``."""
    return '[' + ','.join('?' if d is None else str(d) for d in shape) + ']'


def raw(value) -> Shape:
    """The plain-data form of a TensorShape, list, tuple, int, array or None."""
    if isinstance(value, TensorShape):
        return value.raw
    if value is None:
        return None
    if isinstance(value, (str, bytes)):
        raise misuse(TypeError(f'A shape is made of integers, not of the string {value!r}.'))
    if hasattr(value, 'dim') and hasattr(value, 'unknown_rank'):        # TensorShapeProto
        if value.unknown_rank:
            return None
        return tuple(None if d.size < 0 else d.size for d in value.dim)
    try:
        dimensions = iter(value)
    except TypeError:
        return (_dimension(value),)
    return tuple(_dimension(d) for d in dimensions)


def _dimension(value) -> int | None:
    if isinstance(value, Dimension):
        return value.value
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        number = _integral(value)
    if number < 0:
        raise misuse(ValueError(f'Dimension {number} must be >= 0'))
    return number


def _integral(value) -> int:
    """Converts e.g. 4.0 or np.array(4) to an int; ValueError for 1.5, TypeError for strings."""
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = None
    if number is not None and number != value:
        raise misuse(ValueError(f'Ambiguous dimension: {value!r}'))
    if number is None:
        raise misuse(TypeError(f'Dimension value must be an integer or None, got {value!r}'))
    return number


class Dimension:
    """An entry of a TensorShape; `.value` is an int or None. Comparing with unknown gives None."""

    __slots__ = ('value',)

    def __init__(self, value):
        self.value = _dimension(value)

    def __repr__(self):
        return f'Dimension({self.value!r})'

    def __str__(self):
        return '?' if self.value is None else str(self.value)

    def __int__(self):
        if self.value is None:
            raise misuse(TypeError(report(
                'This dimension is unknown at graph construction.',
                site=user_site(),
                hint='tf.shape(x)[i] is its value at run time; the shape of a Variable '
                     'must be known, so it cannot depend on the batch size.')))
        return self.value

    __index__ = __int__

    def __hash__(self):
        return hash(self.value)

    def is_compatible_with(self, other):
        other = _dimension(other)
        return self.value is None or other is None or self.value == other

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise misuse(ValueError(f'Dimensions {self} and {other} are not compatible'))

    def merge_with(self, other):
        self.assert_is_compatible_with(other)
        return Dimension(_dimension(other) if self.value is None else self.value)

    def __eq__(self, other):
        return self._compare(operator.eq, other)

    def __ne__(self, other):
        return self._compare(operator.ne, other)

    def _compare(self, operation, other):
        try:
            other = _dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self.value is None or other is None else operation(self.value, other)


def _dimension_arithmetic(operation, swapped):
    def method(self, other):
        try:
            other = _dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self.value is None or other is None:
            return Dimension(None)
        return Dimension(operation(other, self.value) if swapped else operation(self.value, other))
    return method


def _dimension_order(operation):
    def method(self, other):
        return self._compare(operation, other)
    return method


for _name in ('add', 'sub', 'mul', 'floordiv', 'mod'):
    setattr(Dimension, f'__{_name}__', _dimension_arithmetic(getattr(operator, _name), False))
    setattr(Dimension, f'__r{_name}__', _dimension_arithmetic(getattr(operator, _name), True))
Dimension.__div__ = Dimension.__floordiv__          # TF1 has it under Python 3 too
for _name in ('lt', 'le', 'gt', 'ge'):
    setattr(Dimension, f'__{_name}__', _dimension_order(getattr(operator, _name)))


class TensorShape:
    """A possibly partial shape: ``TensorShape([None, 784])``, ``TensorShape(None)``.

    Indexing and iterating give `Dimension`s; `.as_list()` gives ints and None.
    """

    __slots__ = ('raw',)

    def __init__(self, dims=None):
        self.raw = raw(dims)

    @property
    def dims(self):
        """List of Dimensions, or None if the rank is unknown."""
        return None if self.raw is None else [Dimension(d) for d in self.raw]

    @property
    def ndims(self):
        return None if self.raw is None else len(self.raw)

    rank = ndims

    def as_list(self):
        """[int or None, ...]. Raises ValueError if the rank is unknown."""
        if self.raw is None:
            raise misuse(ValueError('as_list() is not defined on an unknown TensorShape.'))
        return list(self.raw)

    def num_elements(self):
        return None if not known(self.raw) else size(self.raw)

    def is_fully_defined(self):
        return known(self.raw)

    def assert_is_fully_defined(self):
        if not known(self.raw):
            raise misuse(ValueError(f'Shape {self} is not fully defined'))

    def is_compatible_with(self, other):
        return compatible(self.raw, raw(other))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise misuse(ValueError(f'Shapes {self} and {TensorShape(other)} are incompatible'))

    def assert_same_rank(self, other):
        other = raw(other)
        if self.raw is not None and other is not None and len(self.raw) != len(other):
            raise misuse(ValueError(
                f'Shapes {self} and {TensorShape(other)} must have the same rank'))

    def assert_has_rank(self, rank):
        if self.raw is not None and len(self.raw) != rank:
            raise misuse(ValueError(f'Shape {self} must have rank {rank}'))

    def merge_with(self, other):
        return TensorShape(merge(self.raw, raw(other)))

    def concatenate(self, other):
        other = raw(other)
        return TensorShape(None if self.raw is None or other is None else self.raw + other)

    __add__ = concatenate               # x.shape[:1] + [3]

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def with_rank(self, rank):
        self.assert_has_rank(rank)
        return self.merge_with((None,) * rank)

    def with_rank_at_least(self, rank):
        if self.raw is not None and len(self.raw) < rank:
            raise misuse(ValueError(f'Shape {self} must have rank at least {rank}'))
        return self

    def with_rank_at_most(self, rank):
        if self.raw is not None and len(self.raw) > rank:
            raise misuse(ValueError(f'Shape {self} must have rank at most {rank}'))
        return self

    def __len__(self):
        if self.raw is None:
            raise misuse(ValueError('Cannot take the length of a shape with unknown rank.'))
        return len(self.raw)

    def __bool__(self):
        return self.raw is not None

    def __iter__(self):
        if self.raw is None:
            raise misuse(ValueError('Cannot iterate over a shape with unknown rank.'))
        return iter([Dimension(d) for d in self.raw])

    def __getitem__(self, key):
        if self.raw is None:
            if isinstance(key, slice):
                start, stop = key.start or 0, key.stop
                if key.step is None and stop is not None and start >= 0 and stop >= 0:
                    return TensorShape([None] * max(0, stop - start))
                return TensorShape(None)
            return Dimension(None)
        try:
            entry = self.raw[key]
        except (IndexError, TypeError):
            raise self._no_entry(key) from None
        return TensorShape(entry) if isinstance(key, slice) else Dimension(entry)

    def _no_entry(self, key):
        if isinstance(key, int):
            return misuse(IndexError(f'Shape {self} has {len(self.raw)} dimensions; dimension '
                                     f'{key} does not exist.'))
        return misuse(TypeError(f'The index of a shape must be an int or a slice, not {key!r}.'))

    def __eq__(self, other):
        try:
            return self.raw == raw(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self):
        return hash(self.raw)

    def __repr__(self):
        return f'TensorShape({self.dims})'

    def __str__(self):
        if self.raw is None:
            return '<unknown>'
        inside = ', '.join('?' if d is None else str(d) for d in self.raw)
        return f'({inside},)' if len(self.raw) == 1 else f'({inside})'


def as_shape(value) -> TensorShape:
    """`value` as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


def unknown_shape(rank=None, **kwargs):
    """A TensorShape of unknown rank, or of rank `rank` with unknown dimensions.

    `ndims` is an older name of `rank`. Raises TypeError for any other keyword.
    """
    if rank is None and 'ndims' in kwargs:
        rank = kwargs.pop('ndims')
    if kwargs:
        raise misuse(TypeError(f'Unknown argument: {kwargs}'))
    return TensorShape(None if rank is None else [None] * rank)
