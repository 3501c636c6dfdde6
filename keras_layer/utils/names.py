"""Names of layers from names of classes."""
from __future__ import annotations

import re

__all__ = ['to_snake_case']

_WORD = re.compile(r'(.)([A-Z][a-z0-9]+)')
_CAPITAL = re.compile(r'([a-z])([A-Z])')


def to_snake_case(name):
    """'LeakyReLU' -> 'leaky_re_lu', as Keras counts capitals."""
    text = _CAPITAL.sub(r'\1_\2', _WORD.sub(r'\1_\2', name)).lower()
    # A class with a leading underscore would make no valid name of a scope.
    return 'private' + text if text.startswith('_') else text
