"""Arrays of strings: object arrays of bytes, worked on one by one."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import worded


def text_array(texts, shape):
    """A list of bytes as an array of strings of a shape."""
    result = np.empty(len(texts), object)
    result[:] = texts
    return result.reshape(shape)


def mapped(function, array):
    """The array of strings function(text) of an array of strings."""
    return text_array([function(text) for text in array.reshape(-1).tolist()], array.shape)


class OfStrings(Op, abstract=True):
    """A function of each string: the output has the shape of the first input."""

    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input, *others):
        return input


def as_text(value):
    """Bytes as str, with a mark for what is no UTF-8; anything else as it is."""
    return value.decode('utf-8', 'replace') if isinstance(value, bytes) else value


def one_of(value, choices, kind, attribute):
    """`value` as text, if it is one of `choices`; else ValueError, as TF words it."""
    text = as_text(value)
    if text in choices:
        return text
    listed = ', '.join(f'"{choice}"' for choice in choices)
    raise worded(ValueError(f"Attr '{attribute}' of '{kind}' Op passed string '{text}' not in: "
                            f'{listed}.'))


__all__ = []
