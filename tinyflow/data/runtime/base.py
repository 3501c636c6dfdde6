"""Source and Cursor: a dataset, and one pass over it."""
from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

import numpy as np

from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import abstract
from tinyflow.graph.support.recursion import allow_recursion

INFINITE, UNKNOWN = -1, -2          # values of `cardinality` that are not a number

_DEEPEST = 3000                     # Sources in a chain
_FRAMES = 6                         # of Python for each of them, when elements or states pass

Element = Sequence[Any]             # one array, or NumPy scalar, per component
State = dict[str, Any]              # plain data: numbers, text, bytes, arrays, and nests of those


class Source:
    """A dataset: `inputs` are its input Sources, `pass_class` is the class of its passes."""

    inputs: tuple[Source, ...] = ()
    random: str | None = None           # a random node inside a function that it calls
    pass_class: ClassVar[type[Cursor]]

    def open(self) -> Cursor:
        """A new pass, from the first element on."""
        return self.pass_class(self)

    def cardinality(self) -> int:
        """Number of elements, INFINITE or UNKNOWN."""
        return UNKNOWN

    def with_inputs(self, inputs: tuple[Source, ...]) -> Source:
        """The same transformation of other Sources."""
        twin = copy.copy(self)
        twin.inputs = inputs
        return twin


def opened(source: Source) -> Cursor:
    """A new pass over a whole pipeline. InvalidArgumentError if it has too many steps in a row."""
    deepest = _depth(source)
    if deepest > _DEEPEST:
        raise invalid(f'this dataset is a chain of {deepest:,} transformations; at most '
                      f'{_DEEPEST:,} can run', 'do the work of many in one function, or '
                      'concatenate in pairs, and pairs of these.')
    allow_recursion(_FRAMES * deepest)
    return source.open()


def _depth(source: Source) -> int:
    """The number of Sources on the longest way to one without inputs."""
    depths: dict[int, int] = {}
    waiting = [source]
    while waiting:
        inputs = waiting[-1].inputs
        unknown = [i for i in inputs if id(i) not in depths]
        if unknown:
            waiting += unknown
        else:
            depths[id(waiting.pop())] = 1 + max([depths[id(i)] for i in inputs], default=0)
    return depths[id(source)]


class Cursor:
    """One pass over a Source. `next` returns an element or raises StopIteration, then and in all
    later calls.

    An error that an element raises does not end the pass: the next element can still be read.
    """

    def __init__(self, source: Any) -> None:
        self.source = source

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        raise abstract(self)

    def get_state(self) -> State:
        """The position of the pass, as plain data."""
        raise abstract(self)

    def set_state(self, state: State) -> None:
        """Restores the position from `get_state` in a new pass."""
        raise abstract(self)

    def hold(self, held: ExitStack) -> None:
        """Until `held` is left, no thread of this pass and its inputs computes ahead."""
        for part in vars(self).values():
            for cursor in part if type(part) is list else (part,):
                inner = getattr(cursor, 'cursor', cursor)       # of an element of flat_map
                if isinstance(inner, Cursor):
                    inner.hold(held)

    def close(self) -> None:
        """Ends threads and closes files of this pass and its inputs."""


class Transform(Cursor):
    """A pass over one input, which is opened with it."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.input = source.inputs[0].open()

    def get_state(self) -> State:
        return {'input': save(self.input)}

    def set_state(self, state: State) -> None:
        load(self.input, state['input'])

    def close(self) -> None:
        self.input.close()


def save(cursor: Cursor) -> tuple[str, State]:
    """The state of a pass, with the class of its cursor."""
    return type(cursor).__name__, cursor.get_state()


def load(cursor: Cursor, saved: Sequence[Any]) -> None:
    """Sets a new pass to a saved state. FailedPreconditionError if it is of another class."""
    kind, state = saved
    if kind != type(cursor).__name__:
        raise errors.op_error(errors.FailedPreconditionError,
                              f'the saved iterator has {kind} where this one has '
                              f'{type(cursor).__name__}',
                              'it can only be restored into the same chain of datasets.')
    cursor.set_state(state)


def random_inside(source: Source) -> str | None:
    """The name of a random node in a function of this dataset or its inputs, or None."""
    return source.random or next(filter(None, map(random_inside, source.inputs)), None)


def draws_randomly(name: str, why: str) -> errors.OpError:
    """The error for a position that depends on how many numbers the node `name` has drawn."""
    return errors.op_error(errors.FailedPreconditionError,
                           f"the position of this iterator cannot be saved: '{name}' inside a "
                           f'function of its dataset draws random numbers, and {why}',
                           'tf.random.stateless_uniform and similar ops take a seed that is an '
                           'element of the dataset: Dataset.zip((dataset, '
                           'tf.data.experimental.Counter())).')


def invalid(problem: str, hint: str | None = None) -> errors.OpError:
    """An InvalidArgumentError for the op that is running to complete."""
    return errors.op_error(errors.InvalidArgumentError, problem, hint)


def owned(component: Any) -> Any:
    """A component as an array that the caller may change.

    Shared arrays, and views of them, are read-only.
    """
    return component if component.flags.writeable else np.array(component)


def read_only(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Views that tell `owned` to copy."""
    views = []
    for array in arrays:
        if array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        views.append(array)
    return views


__all__ = ['INFINITE', 'UNKNOWN', 'Cursor', 'Element', 'Source', 'State', 'Transform',
           'draws_randomly', 'invalid', 'load', 'opened', 'owned', 'random_inside', 'read_only',
           'save']
