"""The signature of an op: names and types of its inputs and outputs, in TF's OpDef terms.

The little language is told in graph/op.py.
"""
from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from tinyflow.graph import dtypes


class Arg(NamedTuple):
    """One input or output of a signature."""

    name: str
    type: str                           # a type attribute such as 'T', or a dtype's name
    fixed: dtypes.DType | None          # the dtype, where it is fixed
    number: str | None                  # 'N' for `N*T`
    any_types: bool                     # `[T]`
    ref: bool
    is_list: bool                       # N*T or [T]
    handle: bool = False                # `Handle(T)`: T is the dtype behind the handle


_ARG = re.compile(r'(\w+)\s*:\s*(?:(?P<number>\w+)\s*\*\s*)?(?:Ref\((?P<ref>\w+)\)|'
                  r'Handle\((?P<handle>\w+)\)|'
                  r'\[(?P<list>\w+)\]|(?P<type>\w+))\Z')
_DTYPE_NAMES = {d.name: d for d in dtypes.ALL}


def parse(side: str) -> tuple[Arg, ...]:
    """The Args of one side of a signature. TypeError if it cannot be read."""
    args = []
    for part in filter(None, (p.strip() for p in side.split(','))):
        match = _ARG.match(part)
        if match is None:
            raise TypeError(f'cannot read {part!r} in an op signature')
        handle = match['handle'] is not None
        kind = match['ref'] or match['list'] or match['handle'] or match['type']
        args.append(Arg(match[1], kind, dtypes.resource if handle else _DTYPE_NAMES.get(kind),
                        match['number'], match['list'] is not None, match['ref'] is not None,
                        bool(match['number'] or match['list']), handle))
    return tuple(args)


def parameters(function) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(positional, keyword-only) parameter names; `inspect` would double the time of importing."""
    if function is None or isinstance(function, np.ufunc):
        return (), ()
    code = function.__code__
    positional = code.co_argcount
    return (code.co_varnames[:positional],
            code.co_varnames[positional:positional + code.co_kwonlyargcount])
