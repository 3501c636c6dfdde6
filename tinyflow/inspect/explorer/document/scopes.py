"""Scopes about which there is something to say: Keras layers, functions; and repeated ones."""
from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from tinyflow.inspect.explorer.document.nodes import Nodes, short

_FEWEST = 2                 # scopes of equal structure that count as repeated
_SMALLEST = 3               # nodes of such a scope
_KINDS = {'if': 'if', 'while': 'while', 'call': 'call', 'function': 'function'}


def scopes(nodes: Nodes) -> dict[str, dict]:
    """{name: what it is} of functions' boxes and of Keras layers."""
    found: dict[str, dict] = {}
    for path, region in nodes.inside.regions.items():
        found['/'.join(path)] = {'kind': _KINDS.get(region.kind, 'scope'),
                                 'label': short(region.title)}
    for name, label in _layers(nodes):
        found[name] = {'kind': 'layer', 'label': label}
    return found


# ---- Keras -----------------------------------------------------------------------------------

def _layers(nodes) -> Iterator[tuple[str, str]]:
    """(scope, label) of the layers whose results are in the graph: 'Dense(64, relu)'."""
    names = set()
    for name in nodes.names:
        at = name.rfind('/')
        while at > 0 and name[:at] not in names:
            names.add(name[:at])
            at = name.rfind('/', 0, at)
    done = set()
    for op in nodes.operations:
        for tensor in op.outputs:
            history = getattr(tensor, '_keras_history', None)
            layer = getattr(history, 'layer', None)
            if layer is None or type(layer).__name__ == 'InputLayer':
                continue
            scope = _scope_of(op.name, layer.name)
            if scope in names and scope not in done:
                done.add(scope)
                yield scope, label(layer)


def _scope_of(name: str, layer: str) -> str:
    """The scope of a layer that has computed the node of this name: it may be called 'dense_1_2'.
    """
    pieces = name.split('/')
    for n in range(len(pieces), 0, -1):
        if pieces[n - 1] == layer:
            return '/'.join(pieces[:n])
    for n in range(len(pieces), 0, -1):
        if pieces[n - 1].startswith(layer):
            return '/'.join(pieces[:n])
    return '/'.join(pieces[:-1])


def label(layer: Any) -> str:
    """A layer with its main settings, such as 'Conv2D(32, 3x3, relu)'."""
    settings = []
    for name in ('units', 'filters'):
        if isinstance(getattr(layer, name, None), int):
            settings.append(str(getattr(layer, name)))
    for name in ('kernel_size', 'pool_size'):
        size = getattr(layer, name, None)
        if isinstance(size, (tuple, list)):
            settings.append('×'.join(map(str, size)))
    if isinstance(getattr(layer, 'rate', None), float):
        settings.append(f'{layer.rate:g}')
    activation = getattr(getattr(layer, 'activation', None), '__name__', 'linear')
    if activation != 'linear':
        settings.append(activation)
    return short(f'{type(layer).__name__}({", ".join(settings)})' if settings
                 else type(layer).__name__)


# ---- repeated scopes -------------------------------------------------------------------------

def repeats(nodes: Nodes) -> list[list[str]]:
    """Names of sibling scopes of equal structure: the same nodes, connected in the same way.

    Only of the forward half; what belongs to a Variable alone is not repeated, either.
    """
    inside: dict[str, list[int]] = {}
    for n, name in enumerate(nodes.names):
        at = name.rfind('/')
        while at > 0:
            inside.setdefault(name[:at], []).append(n)
            at = name.rfind('/', 0, at)
    siblings: dict[tuple[str, bytes], list[str]] = {}
    for scope, members in inside.items():
        if len(members) >= _SMALLEST and any(
                'p' not in nodes.documents[n] and 'v' not in nodes.documents[n] for n in members):
            key = scope.rpartition('/')[0], _structure(nodes, scope, members)
            siblings.setdefault(key, []).append(scope)
    return [names for names in siblings.values() if len(names) >= _FEWEST]


def _structure(nodes, scope: str, members: list[int]) -> bytes:
    """A hash of the nodes of a scope: types, shapes, names and inputs relative to the scope."""
    place = {n: k for k, n in enumerate(members)}
    digest = hashlib.blake2b(digest_size=16)
    for n in members:
        node = nodes.documents[n]
        inputs = [(place.get(source, -1), output) for source, output in node.get('i', ())]
        digest.update(repr((node['o'], inputs, node.get('t'), node.get('p'))).encode())
    return digest.digest()


__all__ = ['label', 'repeats', 'scopes']
