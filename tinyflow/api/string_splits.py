"""tf.string_split and tf.strings.split: the parts of strings, as a SparseTensor or ragged."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.strings.splits import split_at_any, split_like_python
from tinyflow.ops.support.arguments import renamed

__all__ = ['string_split', 'strings_split']


def _checked(result_type):
    if result_type not in ('SparseTensor', 'RaggedTensor'):
        raise misuse(ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'."))
    return result_type == 'RaggedTensor'


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor',
                 name=None):
    """Splits each string at any of the characters of `delimiter` (default: a space).

    Shapes: source [n] -> SparseTensor [n, most parts], or a RaggedTensor [n, (parts)] with that
    `result_type`. An empty delimiter splits into bytes; `skip_empty` drops empty parts.
    """
    ragged = _checked(result_type)
    with name_scope(name, 'StringSplit', [source]):
        delimiter = renamed('delimiter', delimiter, 'sep', sep)
        parts = split_at_any(source, delimiter, skip_empty)
        if not ragged:
            return parts
        from tinyflow.api.ragged_strings import rows_of  # start-up time
        return rows_of(parts)


def strings_split(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None,
                  name=None):
    """Splits each string like Python's str.split: at `sep`, or at whitespace.

    Shapes: input [n] -> SparseTensor [n, most parts], or a RaggedTensor [n, (parts)] with that
    `result_type`; of other ranks one axis more. At most `maxsplit` splits (-1: all).
    """
    input = renamed('input', input, 'source', source)
    ragged = _checked(result_type)
    with name_scope(name, 'StringSplit', [input]):
        if isinstance(input, (Tensor, str, bytes, list, tuple)) or not hasattr(input, 'row_splits'):
            input = convert_to_tensor(input, dtypes.string, 'input')
            rank = None if input.raw_shape is None else len(input.raw_shape)
            if not ragged and rank == 1:
                return split_like_python(input, sep, maxsplit)
        from tinyflow.api.ragged_strings import split  # start-up time
        parts = split(input, sep, maxsplit)
        return parts if ragged else parts.to_sparse()
