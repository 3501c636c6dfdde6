"""Blocks of closed scopes, such as the layers of a residual block, and how often each is repeated.

Between two blocks passes the result of a single scope. Neighbours whose names begin alike
(`conv2_block1_1_conv`, `conv2_block1_out`) are of one block, too.
"""
from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tinyflow.inspect.viz.select import GRADIENT, is_variable_ref

_LONGEST = 8                # blocks: longer patterns are not searched for
_SMALL = 3                  # operations: an activation after a block is a part of it


class Block(NamedTuple):
    """Units that are drawn as one: `times` blocks of the same kind in a row."""

    members: list[list[str]]            # of each block
    names: list[str]                    # of each block; '' if its scopes have nothing in common

    @property
    def times(self) -> int:
        return len(self.members)


def find(units, parts, wires, keep, limit) -> list[Block]:
    """The blocks among sibling scopes of a picture, gradients left out; [] if they form none.

    `units` maps a key to (kind, path, operations), and `parts` to its part: forward, gradient ...
    `wires` are pairs (tail, head); units in `keep` are of no block. Patterns of several blocks
    are searched for while more than half of `limit` are left.
    """
    found = []
    siblings: dict[tuple, list[str]] = {}
    for key, (kind, path, _) in units.items():
        home = path[:-1] if kind == 'scope' else path
        if parts[key] != GRADIENT:
            siblings.setdefault((home, parts[key]), []).append(key)
    entered = {head for _, head in wires}
    for keys in siblings.values():
        inner = [key for key in keys if key in entered or units[key][0] == 'scope']
        if sum(units[key][0] == 'scope' for key in inner) > len(inner) // 2:
            found += _blocks(_Chain(inner, units, wires, keep), limit)
    return [block for block in found if sum(map(len, block.members)) > 1]


class _Chain:
    """Sibling units in an order in which tails come before heads."""

    def __init__(self, keys, units, wires, keep):
        self.units, self.keep = units, keep
        members = set(keys)
        self.after: dict[str, list[str]] = {key: [] for key in keys}
        before = dict.fromkeys(keys, 0)
        for tail, head in wires:
            if tail in members and head in members:
                self.after[tail].append(head)
                before[head] += 1
        ready = [key for key in keys if not before[key]]
        self.order: list[str] = []
        while ready:
            key = ready.pop()
            self.order.append(key)
            for head in self.after[key]:
                before[head] -= 1
                if not before[head]:
                    ready.append(head)
        if len(self.order) < len(keys):         # a cycle through other scopes
            self.order = []

    def segments(self):
        """The chain, cut behind each unit whose result alone is used by what follows."""
        place = {key: n for n, key in enumerate(self.order)}
        last_use = {key: max((place[h] for h in self.after[key]), default=-1)
                    for key in self.order}
        segment, open_until = [], -1            # the last use of what is before the newest unit
        for n, key in enumerate(self.order):
            segment.append(key)
            if open_until <= n:
                yield segment
                segment = []
            open_until = max(open_until, last_use[key])
        if segment:
            yield segment

    def name(self, key):
        kind, path, ops = self.units[key]
        return path[-1] if kind == 'scope' else ops[0].name.split('/')[-1]

    def is_small(self, key):
        """True for a few operations without Variables."""
        ops = self.units[key][2]
        return len(ops) <= _SMALL and not any(map(is_variable_ref, ops))

    def look(self, segment):
        """Equal for blocks of the same kind: the op types of each scope, and their connections."""
        place = {key: n for n, key in enumerate(segment)}
        return tuple((tuple(sorted(Counter(op.type for op in self.units[key][2]).items())),
                      tuple(sorted(place[h] for h in self.after[key] if h in place)))
                     for key in segment)


def _blocks(chain, limit):
    segments = list(chain.segments())
    for words in (2, 1):
        segments = _joined(chain, segments, words)
    segments = _with_activations(chain, segments)
    blocks = [Block([s], [_common(chain, s)]) for s in segments]
    looks = [chain.look(s) if chain.keep.isdisjoint(s) else s[0] for s in segments]
    for period in range(1, _LONGEST + 1):
        if period == 1 or len(blocks) > limit // 2:
            blocks, looks = _repeated(blocks, looks, period)
    return [b for b in blocks if all(chain.keep.isdisjoint(m) for m in b.members)]


def _beginning(name, words):
    """The first words of a name, if others follow that are not just a number."""
    pieces = name.split('_')
    rest = pieces[words:]
    if not rest or rest[-1].isdigit() or words == 1 and not any(c.isdigit() for c in name):
        return ''
    return '_'.join(pieces[:words])


def _common(chain, segment):
    """What the names of the scopes in a segment begin with, up to a whole word."""
    names = [chain.name(key).split('_') for key in segment]
    if len(names) == 1:
        return '_'.join(names[0])
    same = []
    for pieces in zip(*names):
        if len(set(pieces)) > 1:
            break
        same.append(pieces[0])
    return '_'.join(same)


def _joined(chain, segments, words):
    """Neighbours whose names begin with the same words become one segment.

    One word, such as `conv1`, is enough only for single scopes.
    """
    found: list[list[str]] = []
    known = ''
    for segment in segments:
        starts = {_beginning(chain.name(key), words) for key in segment}
        start = starts.pop() if len(starts) == 1 else ''
        if words == 1 and (len(segment) > 1 or not any(map(str.isdigit, start))):
            start = ''
        if start and start == known and chain.keep.isdisjoint(segment + found[-1]):
            found[-1] = found[-1] + segment
        else:
            found.append(segment)
        known = start
    return found


def _with_activations(chain, segments):
    """A small scope behind a block of several, such as the ReLU behind a sum, joins it."""
    found: list[list[str]] = []
    for before, segment in zip([[], *segments], segments):
        if len(segment) == 1 and len(before) > 2 and chain.is_small(segment[0]) \
                and not _common(chain, before) and chain.keep.isdisjoint(segment + before):
            found[-1] = before + segment
        else:
            found.append(segment)
    return found


def _repeated(blocks, looks, period):
    """The blocks, with patterns of `period` of them that follow on themselves as one."""
    found, seen, n = [], [], 0
    while n < len(blocks):
        pattern = looks[n:n + period]
        times = 1
        while looks[n + times * period:n + (times + 1) * period] == pattern:
            times += 1
        if times == 1 or period == 1 and len(blocks[n].members[0]) == 1:
            found.append(blocks[n])
            seen.append(looks[n])
            n += 1
            continue
        each = [blocks[n + k * period:n + (k + 1) * period] for k in range(times)]
        found.append(Block([[key for b in one for m in b.members for key in m] for one in each],
                           [_of_several([b.names[0] for b in one]) for one in each]))
        seen.append((times, *pattern))
        n += times * period
    return found, seen


def _of_several(names):
    return names[0] if len(names) == 1 else f'{names[0]} … {names[-1]}' if all(names) else ''
