"""tf.assert_rank, assert_scalar, assert_shapes: checked while building if possible, else by ops."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import shape_ops
from tinyflow.ops.checks import assertions, type_checks
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import logic

__all__ = ['assert_rank', 'assert_rank_at_least', 'assert_rank_in', 'assert_scalar',
           'assert_shapes']


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """Fails unless x has that rank: ValueError while building if known, else an error in the run.

    Shapes: x [*a], rank [] int32 -> no tensor.
    """
    with name_scope(name, 'assert_rank', [x, rank, *(data or [])]):
        return _one_rank(x, rank, data, summarize, message, 'must have rank',
                         lambda actual, wanted: actual == wanted, logic.equal)


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """Fails unless x has that rank or a higher one; see assert_rank.

    Shapes: x [*a], rank [] int32 -> no tensor.
    """
    with name_scope(name, 'assert_rank_at_least', [x, rank, *(data or [])]):
        return _one_rank(x, rank, data, summarize, message, 'must have rank at least',
                         lambda actual, wanted: actual >= wanted, logic.greater_equal)


def _one_rank(x, rank, data, summarize, message, must, holds, compare):
    x = convert_to_tensor(x, name='x')
    rank = convert_to_tensor(rank, name='rank')
    if data is None:
        data = [message or '', f'Tensor {x.name} {must}', rank, 'Received shape: ',
                shape_ops.shape(x)]
    known = _scalar_ranks([rank])
    if known is not None and x.raw_shape is not None:
        if not holds(len(x.raw_shape), known[0]):
            raise _wrong_rank(x, f'{must} {known[0]}', message)
        return grouping.no_op(name='static_checks_determined_all_ok')
    condition = compare(shape_ops.rank(x), rank)
    return assertions.Assert(_with_scalar_ranks(condition, [rank]), data, summarize=summarize)


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """Fails unless x has one of the ranks; see assert_rank.

    Shapes: x [*a], ranks a list of [] int32 -> no tensor.
    """
    with name_scope(name, 'assert_rank_in', [x, *ranks, *(data or [])]):
        x = convert_to_tensor(x, name='x')
        ranks = [convert_to_tensor(rank, name='rank') for rank in ranks]
        if data is None:
            data = [message or '', f'Tensor {x.name} must have rank in', *ranks,
                    'Received shape: ', shape_ops.shape(x)]
        known = _scalar_ranks(ranks)
        if known is not None and x.raw_shape is not None:
            if len(x.raw_shape) not in known:
                raise _wrong_rank(x, f'must have rank in {tuple(known)}', message)
            return grouping.no_op(name='static_checks_determined_all_ok')
        condition = _is_one_of(shape_ops.rank(x), ranks)
        return assertions.Assert(_with_scalar_ranks(condition, ranks), data, summarize=summarize)


def _is_one_of(actual, ranks):
    if not ranks:
        return convert_to_tensor(False)
    result = logic.equal(ranks[0], actual)
    for rank in ranks[1:]:
        result = logic.logical_or(result, logic.equal(rank, actual))
    return result


def _scalar_ranks(ranks):
    """The ranks as ints, or None if one is unknown. TypeError or ValueError for invalid ranks."""
    for rank in ranks:
        type_checks.assert_type(rank, dtypes.int32)
    values = [constant_value(rank) for rank in ranks]
    if any(value is None for value in values):
        return None
    if any(value.ndim for value in values):
        raise misuse(ValueError('Rank must be a scalar.'))
    return [int(value) for value in values]


def _with_scalar_ranks(condition, ranks):
    """The condition, with a control dependency that checks that unknown ranks are scalars."""
    for rank in ranks:
        if constant_value(rank) is None:
            check = assert_rank(rank, 0, data=['Rank must be a scalar. Received rank: ', rank])
            condition = grouping.with_dependencies([check], condition)
    return condition


def _wrong_rank(x, must, message):
    start = f'{message}.  ' if message else ''
    return misuse(ValueError(report(
        f'{start}Tensor {x.name} {must}.  Received rank {len(x.raw_shape)}, shape {x.shape}',
        inputs=[('x', x)], site=user_site())))


def assert_scalar(tensor, name=None, message=None):
    """The tensor. ValueError unless its static shape is that of a scalar. Shapes: [] -> []."""
    with name_scope(name, 'assert_scalar', [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.raw_shape != ():
            raise misuse(ValueError(report(
                f'{message or ""}Expected scalar shape for {tensor.name}, saw shape: '
                f'{tensor.shape}.', inputs=[('tensor', tensor)], site=user_site())))
        return tensor


# ---- several shapes that share dimensions ----------------------------------------------------


class _Checked:
    """One tensor of assert_shapes: its expected and actual dimensions."""

    def __init__(self, tensor, symbols, message):
        if not hasattr(symbols, '__iter__') and not hasattr(symbols, '__getitem__'):
            raise misuse(ValueError(
                f'{message}.  Tensor {tensor.name}.  Specified shape must be an iterable, not '
                f'{symbols!r}.'))
        symbols = tuple(symbols)
        for i, symbol in enumerate(symbols[1:], 1):
            if symbol is Ellipsis or symbol == '*':
                raise misuse(ValueError(
                    f'{message}.  Tensor {tensor.name} specified shape index {i}.  Symbol `...` or '
                    '`*` for a variable number of unspecified dimensions is only allowed as the '
                    'first entry'))
        self.x = tensor
        self.innermost = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == '*')
        self.actual = _dimensions(tensor)
        self.symbols = (symbols[1:] if self.innermost else symbols) or (1,)

    def check_rank(self, data, summarize, message, name):
        """The node that checks the rank, or None if any rank is allowed."""
        rank = len(self.symbols)
        options = {'data': data, 'summarize': summarize, 'message': message, 'name': name}
        if self.innermost:
            return assert_rank_at_least(self.x, rank, **options) if rank > 1 else None
        if rank < 2:
            return assert_rank_in(self.x, [0, 1], **options)
        return assert_rank(self.x, rank, **options)

    def specified(self):
        """(axis, symbol) of each dimension that is specified."""
        for i, symbol in enumerate(self.symbols):
            if symbol is not None and symbol != '.':
                yield (i - len(self.symbols) if self.innermost else i), symbol


def _dimensions(x):
    """The sizes of all axes: ints where known, else scalar tensors (one tensor if rank unknown)."""
    dynamic = shape_ops.shape(x)
    if x.raw_shape is not None:
        return [dynamic[i] if size is None else size for i, size in enumerate(x.raw_shape)] or [1]
    return cond(logic.equal(shape_ops.rank(x), 0), lambda: convert_to_tensor([1]), lambda: dynamic)


def _known(size):
    """The size as an int, or None."""
    if hasattr(size, 'op'):
        return None
    try:
        return int(size)
    except (TypeError, ValueError):
        return None


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Fails unless the tensors have the given shapes; equal symbols mean equal sizes.

        tf.debugging.assert_shapes([(x, ('N', 'D')), (y, ('N',)), (z, ('*', 3))])

    A symbol is an int, None or '.' for any size, or anything else that names a size; '*' or ...
    in front means any number of dimensions. Shapes: -> no tensor. ValueError while building if
    static shapes are wrong, else InvalidArgumentError while running.
    """
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    message = message or ''
    with name_scope(name, 'assert_shapes', [shapes, data]):
        tensors = [(convert_to_tensor(x), symbols) for x, symbols in pairs if symbols is not None]
        checked = [_Checked(x, symbols, message) for x, symbols in tensors]
        ranks = [one.check_rank(data, summarize, message, name) for one in checked]
        sizes = _check_sizes(checked, data, summarize, message)
        with control_dependencies([check for check in ranks if check is not None]):
            return grouping.group(*sizes)


def _check_sizes(checked, data, summarize, message):
    """The nodes that check the unknown sizes. ValueError if known sizes are wrong."""
    seen, nodes = {}, []
    for one in checked:
        for axis, symbol in one.specified():
            actual, wanted, source_text = one.actual[axis], _known(symbol), 'Specified explicitly'
            if wanted is None:
                if symbol not in seen:
                    seen[symbol] = actual, one.x, axis
                    continue
                wanted, source, source_axis = seen[symbol]
                source_text = f'Specified by tensor {source.name} dimension {source_axis}'
            if _known(actual) is None or _known(wanted) is None:
                nodes.append(_size_check(one.x, axis, actual, wanted, source_text, data, summarize,
                                         message))
            elif _known(actual) != _known(wanted):
                raise misuse(ValueError(report(
                    f'{message}.  {source_text}.  Tensor {one.x.name} dimension {axis} must have '
                    f'size {wanted}.  Received size {actual}, shape {one.x.shape}',
                    inputs=[('tensor', one.x)])))
    return nodes


def _size_check(x, axis, actual, wanted, source_text, data, summarize, message):
    condition = logic.equal(convert_to_tensor(actual), convert_to_tensor(wanted))
    if data is None:
        data = [message, source_text, f'Tensor {x.name} dimension', axis, 'must have size', wanted,
                'Received shape: ', shape_ops.shape(x)]
    return assertions.Assert(condition, data, summarize=summarize)
