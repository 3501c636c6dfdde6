"""tf.strings.split."""
from __future__ import annotations

from tinyflow.api.string_splits import strings_split

__all__ = ['split']


def split(input, sep=None, maxsplit=-1, name=None):
    """Splits each string like Python's str.split: at `sep`, or at whitespace.

    Shapes: input [*a], ragged or not -> [*a, (parts)] string, ragged unless input is []. At most
    `maxsplit` splits (-1: all).
    """
    return strings_split(input, sep, maxsplit, 'RaggedTensor', name=name)
