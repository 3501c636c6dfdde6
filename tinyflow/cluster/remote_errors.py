"""Errors of another task: their class and message travel, the user's line is added here."""
from __future__ import annotations

from typing import Any

from tinyflow.cluster.tasks import Task
from tinyflow.graph.graph import Graph
from tinyflow.graph.support import errors

__all__ = ['explained', 'from_plain', 'state_lost', 'to_plain']

_OTHERS = {ValueError: errors.InvalidArgumentError, TypeError: errors.InvalidArgumentError,
           MemoryError: errors.ResourceExhaustedError,
           NotImplementedError: errors.UnimplementedError}


def to_plain(error: BaseException) -> list[Any]:
    """[code, name of the operation, message, hint]."""
    if isinstance(error, errors.OpError):
        return [error.error_code, getattr(error.op, 'name', None), error.message, error.hint]
    kind = next((kind for base, kind in _OTHERS.items() if isinstance(error, base)),
                errors.InternalError)
    text = str(error) or type(error).__name__
    return [kind.code, None, text if kind is not errors.InternalError
            else f'{type(error).__name__}: {text}', None]


def state_lost(problem: str) -> errors.AbortedError:
    """The error for a session whose values a task does not have any more."""
    return errors.AbortedError(None, None, errors.report(
        problem, hint='make a new tf.Session and restore the last checkpoint; '
                      'tf.train.MonitoredTrainingSession does both.'))


class _Name:
    """Stands for an operation of another process."""

    def __init__(self, name: str) -> None:
        self.name = name


def from_plain(plain: list[Any]) -> errors.OpError:
    """The error that another task has described."""
    code, name, message, hint = plain
    try:
        kind = errors.exception_type_from_error_code(code)
    except (KeyError, TypeError):
        kind = errors.UnknownError
    error = kind(None, _Name(name) if isinstance(name, str) else None, str(message))
    error.hint = hint if isinstance(hint, str) else None
    return error


def explained(error: Exception, graph: Graph, task: Task) -> Exception:
    """The error with the operation of `graph`, the task and the user's line."""
    if not isinstance(error, errors.OpError):
        error = from_plain(to_plain(error))
    name = getattr(error.op, 'name', None)
    operation = graph._by_name.get(name) if name else None
    problem, hint_mark, hint = error.message.partition('\n  Hint: ')
    lines = problem.split('\n  built at ')[0]
    if operation is None:
        found = type(error)(None, None, error.message)
        found.hint = error.hint
        return found
    text = errors.report(lines, op=operation, facts=[('ran on', str(task))],
                         hint=hint if hint_mark else error.hint)
    return type(error)(None, operation, text)
