"""Shared helpers of string ops: object arrays of bytes, elementwise ops, checks of attributes."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import misuse


def string_array(texts, shape):
    """A string array (dtype object) of that shape from a list of bytes."""
    result = np.empty(len(texts), object)
    result[:] = texts
    return result.reshape(shape)


def map_strings(function, array):
    """A string array with `function` applied to each element."""
    return string_array([function(text) for text in array.reshape(-1).tolist()], array.shape)


class ElementwiseStringOp(Op, abstract=True):
    """Base of elementwise string ops: the output has the shape of the first input."""

    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input, *others):
        return input


def as_text(value):
    """Bytes as str, with U+FFFD for invalid UTF-8; other values unchanged."""
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else value


def checked_choice(value, choices, kind, attribute):
    """`value` as text, if it is one of `choices`; else ValueError with TF's message."""
    text = as_text(value)
    if text in choices:
        return text
    listed = ', '.join(f'"{choice}"' for choice in choices)
    raise misuse(ValueError(f"Attr '{attribute}' of '{kind}' Op passed string '{text}' not in: "
                            f'{listed}.'))


__all__ = []
