"""tf.train.Int64List, FloatList and BytesList: messages with errors for wrong values."""
from __future__ import annotations

from typing import Any

from tinyflow.formats.protos import feature_pb2
from tinyflow.graph.support.errors import misuse, report


class _Explaining(type):
    """Creates messages of the class `message`, and otherwise behaves like that class.

    A protobuf message class cannot be subclassed, hence this wrapper.
    """

    def __call__(cls, *args, **fields) -> Any:
        try:
            return cls.message(*args, **fields)
        except (TypeError, ValueError) as error:
            if args or set(fields) != {'value'}:
                raise
            if cls is Int64List and _has_bools(fields['value']):
                return cls(value=[int(v) if _is_bool(v) else v for v in fields['value']])
            problem, hint = _why(cls, fields['value'], error)
            raise misuse(type(error)(report(f'{cls.__name__}: {problem}', hint=hint))) from error

    def __instancecheck__(cls, value):
        return isinstance(value, cls.message)

    def __getattr__(cls, name):
        return getattr(cls.message, name)


class Int64List(metaclass=_Explaining):
    """A list of integers of 64 bits: Int64List(value=[1, 2])."""

    message = feature_pb2.Int64List
    takes = 'integers'


class FloatList(metaclass=_Explaining):
    """A list of numbers of type float32: FloatList(value=[0.5, 2])."""

    message = feature_pb2.FloatList
    takes = 'numbers'


class BytesList(metaclass=_Explaining):
    """A list of byte strings: BytesList(value=[b'a', b'b'])."""

    message = feature_pb2.BytesList
    takes = 'bytes'


def _has_bools(value):
    """Whether a list has True or False in it: TensorFlow 1.15's protobuf takes them as 1 and 0."""
    return hasattr(value, '__iter__') and getattr(value, 'ndim', 1) == 1 and any(
        map(_is_bool, value))


def _is_bool(element):
    return type(element).__name__ in ('bool', 'bool_')


def _why(cls, value, error):
    """(problem, hint) for a value that is not a list, or has an element of another type."""
    shape = getattr(value, 'shape', ())
    if len(shape) > 1:
        return (f'value is an array of shape {list(shape)}, but a list has one dimension',
                'array.ravel(), and the shape as a separate feature; or '
                'BytesList(value=[array.tobytes()]).')
    if isinstance(value, (str, bytes)) or not hasattr(value, '__iter__') or shape == () \
            and hasattr(value, 'dtype'):
        return f'value is {_short(value)}, not a list', f'value=[{_short(value)}].'
    for i, element in enumerate(value):
        try:
            cls.message(value=[element])
        except (TypeError, ValueError):
            return (f'value[{i}] is {_short(element)}, but the list takes {cls.takes}',
                    _another(cls, element))
    return str(error), None


def _another(cls, element):
    if isinstance(element, str):
        return f'{_short(element)}.encode().' if cls is BytesList else \
            "BytesList(value=[text.encode()]) for text."
    if cls is Int64List and isinstance(element, int):
        return 'integers of 64 bits reach from -2**63 to 2**63 - 1.'
    if isinstance(element, float) or hasattr(element, 'dtype'):
        return 'tf.train.FloatList for numbers with a fraction, int(x) to drop it; ' \
               'array.tobytes() for a whole array as bytes.'
    if isinstance(element, (list, tuple)):
        return 'one flat list.'
    return 'tf.train.BytesList for bytes, Int64List for integers, FloatList for other numbers.'


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + '...'


__all__ = ['BytesList', 'FloatList', 'Int64List']
