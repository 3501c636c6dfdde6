"""The nearest known names, as hints of errors, such as those about unknown keyword arguments."""
from __future__ import annotations

import inspect
from collections.abc import Iterable

__all__ = ['close_matches', 'constructor_keywords', 'nearest_keyword']


def close_matches(name: str, known: Iterable[str], n: int = 3, cutoff: float = 0.6) -> list[str]:
    """Up to `n` of the names `known` that are most similar to `name`, the most similar first."""
    from difflib import get_close_matches  # start-up time
    return get_close_matches(name, list(known), n, cutoff)


def nearest_keyword(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the known name that `name` is probably a typo of, or ''."""
    near = close_matches(name, known, 1)
    return f"\n  Hint: did you mean '{near[0]}'?" if near else ''


def constructor_keywords(cls: type) -> set[str]:
    """The names of all arguments that the constructors of a class and its bases take."""
    return {name for base in cls.__mro__ if '__init__' in base.__dict__
            for name, parameter in inspect.signature(base.__init__).parameters.items()
            if name != 'self' and parameter.kind is not parameter.VAR_KEYWORD}
