"""Errors about unknown keyword arguments, with the nearest known name as a hint."""
from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ['constructor_keywords', 'nearest_keyword']


def nearest_keyword(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the known name that `name` is probably a typo of, or ''."""
    near = get_close_matches(name, list(known), 1)
    return f"\n  Hint: did you mean '{near[0]}'?" if near else ''


def constructor_keywords(cls: type) -> set[str]:
    """The names of all arguments that the constructors of a class and its bases take."""
    return {name for base in cls.__mro__ if '__init__' in base.__dict__
            for name, parameter in inspect.signature(base.__init__).parameters.items()
            if name != 'self' and parameter.kind is not parameter.VAR_KEYWORD}
