"""Attributes that only another class has: reading them raises an error with a hint.

They are descriptors, so hasattr() stays False, and other attributes are not slowed down as they
would be by `__getattr__`.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class _ForeignAttribute:
    """Descriptor that raises make_error(instance, name)."""

    def __init__(self, name: str, make_error: Callable[[Any, str], Exception]) -> None:
        self._name = name
        self._make_error = make_error

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(f'type object {owner.__name__!r} has no attribute {self._name!r}')
        raise self._make_error(instance, self._name)


def refuse(cls: type, names: Iterable[str], make_error: Callable[[Any, str], Exception]) -> None:
    """Makes reading `names` of instances raise make_error(instance, name); dir() omits them."""
    hidden = frozenset(names)
    for name in hidden:
        setattr(cls, name, _ForeignAttribute(name, make_error))
    original = cls.__dir__
    cls.__dir__ = lambda self: [n for n in original(self) if n not in hidden]


__all__ = ['refuse']
