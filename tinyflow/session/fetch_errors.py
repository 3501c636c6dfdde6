"""Errors for invalid fetches, each with a hint."""
from __future__ import annotations

import re
from typing import Any

from tinyflow.graph.support.errors import misuse, why


def not_fetchable(fetch: Any) -> Exception:
    """The fetch is neither a node nor a name."""
    shown = re.sub(r' at 0x[0-9a-f]+', '', repr(fetch))
    return misuse(TypeError(
        f'Fetch argument {shown} has invalid type {type(fetch)}, must be a string or Tensor. (Can '
        f'not convert a {type(fetch).__name__} into a Tensor or Operation.)\n  Hint: '
        + _describe(fetch) + why('fetch-type')))


def _describe(fetch: Any) -> str:
    if fetch is None:
        return ('the value is None. tf.gradients returns None without a path to x, '
                'and tf.summary.merge_all() if the graph has no summaries; a function may have '
                'no return statement.')
    if hasattr(fetch, 'minimize') and hasattr(fetch, 'apply_gradients'):
        return ('this is an optimizer; fetch the operation that '
                '`train_op = optimizer.minimize(loss)` returns.')
    if hasattr(fetch, 'dtype') or isinstance(fetch, (int, float, complex)):
        return ('this is a number or array, not a node: was the name of a tensor overwritten by '
                'its own value, as in `loss = sess.run(loss)`? Use another name for the result.')
    if callable(fetch):
        return 'this is a function; call it to get the tensor that it builds.'
    return 'fetch Tensors, Operations, Variables, their names, or nests of those.'


def not_a_tensor(fetch: Any, error: Exception) -> Exception:
    """The fetch is not a node of this graph; `error` is the reason."""
    problem, newline, rest = str(error).partition('\n')
    return misuse(ValueError(
        f'Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({problem}){newline}{rest}'))


_NAMES = ("tensor.name is the name of a tensor; tf.identity(x, name='loss') gives it the name "
          "'loss:0'. It may also be in another graph than this Session's.")


def no_such_name(fetch: str, error: KeyError) -> Exception:
    """The graph has no node of that name."""
    problem = error.args[0]
    hint = '' if 'Nearest: ' in problem else '\n  Hint: ' + _NAMES
    return misuse(ValueError(
        f'Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({problem}){hint}'
        + why('fetch-name')))


__all__ = ['no_such_name', 'not_a_tensor', 'not_fetchable']
