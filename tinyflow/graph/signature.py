"""Parses op signatures: names and types of inputs and outputs, in the terms of TF's OpDef.

graph/op.py describes the notation. A node stores its inputs as one flat list; `nest`,
`flat_positions` and `type_attrs` match such a list to the arguments of the signature.
"""
from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import numpy as np

from tinyflow.graph import dtypes


class Marker:
    """A sentinel value whose repr is its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


REQUIRED = Marker('REQUIRED')          # in `Op.attrs`: an attribute without a default


class Arg(NamedTuple):
    """An input or output argument of a signature."""

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


class Signature(NamedTuple):
    """What a signature says of its op: the attributes of that name of its class."""

    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    type_names: frozenset[str]          # of its type attributes
    handle_positions: tuple[int, ...]   # of handles of resource variables among the inputs
    ref_positions: tuple[int, ...]      # of references to Variables
    has_lists: bool
    one_output: bool


@cache                                  # many ops have the same
def parse(text: str) -> Signature:
    """Parses a signature. Raises TypeError if it is malformed."""
    left, _, right = text.partition('->')
    inputs, outputs = _parse_side(left), _parse_side(right)
    return Signature(
        inputs, outputs,
        type_names=frozenset([a.type for a in inputs + outputs if a.fixed is None]),
        handle_positions=tuple(i for i, a in enumerate(inputs) if a.handle),
        ref_positions=tuple(i for i, a in enumerate(inputs) if a.ref),
        has_lists=any(a.is_list for a in inputs + outputs),
        one_output=len(outputs) == 1 and not outputs[0].is_list)


def _parse_side(side: str) -> tuple[Arg, ...]:
    args = []
    for part in filter(None, (p.strip() for p in side.split(','))):
        match = _ARG.match(part)
        if match is None:
            raise TypeError(f'cannot parse {part!r} in an op signature')
        handle = match['handle'] is not None
        kind = match['ref'] or match['list'] or match['handle'] or match['type']
        args.append(Arg(match[1], kind, dtypes.resource if handle else _DTYPE_NAMES.get(kind),
                        match['number'], match['list'] is not None, match['ref'] is not None,
                        bool(match['number'] or match['list']), handle))
    return tuple(args)


def parameters(function) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(positional, keyword-only) parameter names, without `inspect`, which doubles import time."""
    if function is None or isinstance(function, np.ufunc):
        return (), ()
    code = function.__code__
    positional = code.co_argcount
    return (code.co_varnames[:positional],
            code.co_varnames[positional:positional + code.co_kwonlyargcount])


# ---- flat inputs -----------------------------------------------------------------------------

def flat_positions(args, positions, total) -> tuple[int, ...]:
    """Where the arguments at `positions` start in a flat list of `total` inputs."""
    starts, start = [], 0
    for arg in args:
        starts.append(start)
        start += flat_length(args, arg, total)
    return tuple(starts[p] for p in positions)


def flat_length(args, arg, total) -> int:
    """How many of `total` flat inputs belong to `arg`; all lists have the same length."""
    if not arg.is_list:
        return 1
    lists = sum(a.is_list for a in args)
    return (total - (len(args) - lists)) // lists


def nest(args, flat) -> list:
    """Groups flat inputs as in the signature: a list for each list argument."""
    nested, start, total = [], 0, len(flat)
    for arg in args:
        if arg.is_list:
            length = flat_length(args, arg, total)
            nested.append(list(flat[start:start + length]))
            start += length
        else:
            nested.append(flat[start])
            start += 1
    return nested


def type_attrs(args, inputs) -> dict:
    """TF's type attributes (and list lengths) of input tensors, e.g. {'T': float32, 'N': 2}."""
    attrs, start, total = {}, 0, len(inputs)
    for arg in args:
        length = flat_length(args, arg, total)
        if arg.number:
            attrs[arg.number] = length
        if arg.any_types:
            attrs[arg.type] = tuple(t.dtype.base_dtype for t in inputs[start:start + length])
        elif arg.fixed is None and length:
            attrs.setdefault(arg.type, inputs[start].dtype.base_dtype)
        start += length
    return attrs


# ---- outputs ---------------------------------------------------------------------------------

def output_length(arg, operation) -> int:
    """How many outputs of a node belong to one argument of its op's signature."""
    if not arg.is_list:
        return 1
    if arg.any_types:
        return len(operation.attrs[arg.type])
    if arg.number in operation.attrs:
        return operation.attrs[arg.number]
    # The number is that of an input list, of which there is then just one.
    return len(operation.inputs) - sum(not a.is_list for a in operation.definition.inputs)


def output_count(operation) -> int:
    """How many outputs a node has, before they are made."""
    return sum(output_length(arg, operation) for arg in operation.definition.outputs)
