"""The error of stage 1: a placeholder that is needed but not fed."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors


def unfed(path: Sequence[Operation], feeds: Iterable[Tensor]) -> errors.OpError:
    """The error for a placeholder that is not fed: the path to it, and a feed of a similar name.

    `path` are the operations from the fetch to the placeholder.
    """
    placeholder = path[-1]
    tensor = placeholder.outputs[0]
    way = ' -> '.join(_shorten([f"'{operation.name}'" for operation in path]))
    problem = (f"You must feed a value for placeholder tensor '{placeholder.name}' with dtype "
               f'{tensor.dtype.name} and shape {tensor.shape_text}\n'
               f'  needed by {way}')
    hint = f'sess.run(..., feed_dict={{{placeholder.name}: ...}}).'
    twin = _nearest(placeholder, feeds)
    if twin is not None:
        problem += f"\n  you fed '{twin.name}'" + (f', made at {twin.op.site}' if twin.op.site
                                                   else '')
        hint = (f"the graph has both '{twin.name}' and '{tensor.name}': did a cell or function "
                'that creates the placeholder run twice? Call tf.reset_default_graph() first, or '
                'feed this one too.')
    return errors.InvalidArgumentError(
        None, placeholder, errors.report(
            problem, op=placeholder, hint=hint + errors.why('unfed-placeholder')))


def _shorten(names: list[str]) -> list[str]:
    return names if len(names) <= 6 else names[:3] + ['...'] + names[-2:]


def _nearest(placeholder: Operation, feeds: Iterable[Tensor]) -> Tensor | None:
    """A fed tensor whose name differs from the placeholder's only in a numeric suffix."""
    stem = placeholder.name.rstrip('0123456789').rstrip('_')
    for tensor in feeds:
        other = tensor.op.name.rstrip('0123456789').rstrip('_')
        if other == stem:
            return tensor
    return None
