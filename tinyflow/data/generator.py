"""Dataset.from_generator: the values of a Python generator, each of them checked."""
from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinyflow.data import structure
from tinyflow.data.errors import refused
from tinyflow.data.ops.function_ops import GeneratorDataset
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import errors


def generator_node(generator: Callable, output_types: Any, output_shapes: Any,
                   args: Any) -> tuple[Callable[[], Tensor], Any]:
    """(a function that adds the node of the generator's dataset, the spec of its elements)."""
    if not callable(generator):
        raise refused(TypeError(
            '`generator` must be callable.\n  Hint: the function itself, from_generator(gen, ...), '
            'not its result, gen(); lambda: iterable for anything that can be iterated.'))
    if output_types is None:
        raise refused(TypeError('Cannot convert value None to a TensorFlow DType.\n  Hint: '
                                'from_generator needs output_types, e.g. (tf.float32, tf.int32).'))
    spec = structure.from_legacy(output_types, output_shapes)
    convert = _Converter(spec)
    given = [convert_to_tensor(a, name=f'args_{i}') for i, a in enumerate(_as_list(args))]
    begin = _Begin(generator)

    def node() -> Tensor:
        return GeneratorDataset.apply(list(given), _generator=begin, _convert=convert,
                                      **structure.of_elements(spec))

    return node, spec


def _as_list(args: Any) -> list:
    if args is None:
        return []
    if not isinstance(args, (tuple, list)):
        raise refused(TypeError('`args` of from_generator must be a tuple of the arguments of the '
                                f'generator, not {args!r}.\n  Hint: args=({args!r},).'))
    return list(args)


class _Begin:
    """Starts the generator; errors of the user's code become the TF errors that py_func raises."""

    def __init__(self, generator: Callable) -> None:
        self.generator = generator

    def __call__(self, *args: Any) -> Iterator:
        return self._values(args)

    def _values(self, args: Any) -> Iterator:
        try:
            yield from self.generator(*args)
        except errors.OpError:
            raise
        except GeneratorExit:
            raise
        except Exception as error:
            raise _kind(error)(None, None, f'{type(error).__name__} in the generator: '
                                           f'{error}{_line(error)}') from error


def _kind(error: Exception) -> type:
    if isinstance(error, (TypeError, ValueError)):
        return errors.InvalidArgumentError
    if isinstance(error, NotImplementedError):
        return errors.UnimplementedError
    return errors.ResourceExhaustedError if isinstance(error, MemoryError) else errors.UnknownError


def _line(error: Exception) -> str:
    """The line of the user's generator that raised the error."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    return ''.join(f'\n  in {f.name}, {f.filename}:{f.lineno}: {f.line}' for f in frames[-2:])


class _Converter:
    """A yielded value as the arrays of an element. InvalidArgumentError if it does not fit."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.leaves = structure.flatten(spec)
        self.single = not structure.is_nested(spec)

    def __call__(self, value: Any, index: int) -> list[np.ndarray]:
        if self.single:
            return [self._array(self.leaves[0], value, index, value)]
        try:
            parts = structure.flatten_up_to(self.spec, value)
        except (TypeError, ValueError):
            raise _refused(
                'an element that did not match the expected structure. The expected structure was '
                f'{structure.legacy_types(self.spec)}, but the yielded element was {value!r}',
                index, 'yield a tuple for several components.') from None
        return [self._array(leaf, part, index, value) for leaf, part in zip(self.leaves, parts)]

    def _array(self, spec: Any, part: Any, index: int, value: Any) -> np.ndarray:
        dtype = spec.dtype
        try:
            array = _strings(part) if dtype is dtypes.string else \
                np.array(part, dtype.np, order='C')
        except (TypeError, ValueError, OverflowError):
            raise _refused(
                'an element that could not be converted to the expected type. The expected type '
                f'was {dtype.name}, but the yielded element was {part!r}', index,
                'output_types are the dtypes of the values; rows of a list must be equally long.'
            ) from None
        if not shapes.compatible(array.shape, spec.shape.raw):
            raise _refused(
                f'an element of shape {array.shape} where an element of shape {spec.shape} was '
                f'expected: {_short(value)}', index, 'None in output_shapes is any size.')
        return array


def _strings(part: Any) -> np.ndarray:
    source = np.asarray(part, dtype=object)
    result = np.empty(source.shape, object)
    for position in np.ndindex(source.shape):
        item = source[position]
        if not isinstance(item, (str, bytes)):
            raise TypeError
        result[position] = item.encode() if isinstance(item, str) else bytes(item)
    return result


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + '...'


def _refused(problem: str, index: int, hint: str) -> errors.OpError:
    return errors.op_error(errors.InvalidArgumentError,
                           f'`generator` yielded {problem} (element {index}).',
                           hint)
