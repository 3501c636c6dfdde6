"""Folds large graphs: closes scopes, folds chains of nodes, merges the rest into blocks."""
from __future__ import annotations

from difflib import get_close_matches

from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.viz.select import FORWARD, is_variable_ref

_HELPER = 5                 # nodes: a scope made by one library call is closed from this size on
_SHORTEST_RUN = 6


class Scopes:
    """Decides which name scopes are closed; `depth` None opens all but library helpers."""

    def __init__(self, paths, parts, options, regions, backward):
        self.holds: dict[tuple, list] = {}
        for op, path in paths.items():
            for n in range(1, len(path) + 1):
                self.holds.setdefault(path[:n], []).append(op)
        self.deepest = max(map(len, self.holds), default=0)
        self._shut = {self._known(name, 'close') for name in _names(options.close)}
        opened = [self._known(name, 'open') for name in _names(options.open)
                  if name.strip('/') not in backward.rules]
        self._opened = {path[:n] for path in opened for n in range(1, len(path) + 1)}
        self._helpers = set() if options.depth is not None else {
            path for path, ops in self.holds.items()
            if _is_check(path) or
            _is_helper(ops, parts) and not any(r[:len(path)] == path for r in regions)}
        self._helpers |= {path for path in self.holds if path[backward.around(path):] in
                          self._helpers}
        self.helpers_closed = False
        self._parts = parts

    def named(self, units, limit) -> frozenset:
        """Placeholders, and closed scopes that no single call made: kept if there are few."""
        found = frozenset(
            key for key, (kind, path, ops) in units.items()
            if kind == 'leaf' and ops[0].type.startswith('Placeholder')
            or kind == 'scope' and len(ops) > 1 and not _is_check(path)
            and not _is_helper(ops, self._parts, least=1))
        return found if len(found) <= limit // 2 else frozenset()

    def _known(self, name, argument):
        path = tuple(filter(None, name.split('/')))
        if path not in self.holds:
            known = sorted('/'.join(p) for p in self.holds)
            near = get_close_matches(name, known, n=3) or known[:5]
            raise misuse(ValueError(f'{argument}={name!r}: this picture has no such name scope. '
                                    f'It has: {", ".join(near) or "none"}.'))
        return path

    def closed_around(self, path, depth, free=0) -> tuple | None:
        """The outermost closed scope on a path, or None if all of them are open.

        The first `free` scopes do not count for `depth`.
        """
        for n in range(1, len(path) + 1):
            scope = path[:n]
            if scope in self._shut:
                return scope
            if scope in self._opened:
                continue
            if scope in self._helpers:
                self.helpers_closed = True
                return scope
            if depth is not None and n > depth + free:
                return scope
        return None


def _names(scopes):
    return [scopes] if isinstance(scopes, str) else list(scopes)


def _is_check(path):
    """True for the scope of a tf.assert_..., which is not part of the computation."""
    return path[-1].startswith(('assert_', 'remove_squeezable_dimensions'))


def _is_helper(ops, parts, least=_HELPER):
    """True if one line of the program created the scope, without Variables: a library call."""
    if len(ops) < least or any(is_variable_ref(op) or parts[op] != FORWARD for op in ops):
        return False
    sites = {op._site for op in ops}
    return len(sites) == 1 and None not in sites


def runs(units, wires, keep, named=frozenset()) -> dict[str, list[str]]:
    """Runs of units in single file inside one scope; the first and last of each stay.

    `units` maps a key to its path, in graph order; a run ends at those in `named`. Returns
    {new key: keys that it replaces}.
    """
    after: dict[str, set] = {key: set() for key in units}
    before: dict[str, set] = {key: set() for key in units}
    heads = {head for _, head in wires}
    for tail, head in wires:
        if tail in heads:           # Variables and similar nodes do not split a run
            after[tail].add(head)
            before[head].add(tail)
    found, seen = {}, set()
    for key in units:
        if key in seen or key in named:
            continue
        line = [key]
        while len(after[line[-1]]) == 1:
            following = next(iter(after[line[-1]]))
            if len(before[following]) != 1 or units[following] != units[key] or \
                    following in named or following in seen or following in line[:1]:
                break
            line.append(following)
            seen.add(following)
        middle = line[1:-1]
        if len(line) >= _SHORTEST_RUN and not keep & set(middle):
            found['r' + middle[0]] = middle
    return found


def blocks(units, keep, limit, named=frozenset()) -> dict[str, list[str]]:
    """Merges neighbours in graph order, scope by scope, until about `limit` units are left.

    Inputs come before the nodes that use them, so edges between blocks point one way only. The
    scopes in `named` are not merged, so the blocks between them may be larger.
    """
    size = -(-(len(units) - len(named)) // max(limit // 8 if named else limit // 3, 4))
    apart = len(named) <= limit // 4
    by_path: dict[tuple, list[list[str]]] = {}
    for key, path in units.items():
        stretches = by_path.setdefault(path, [[]])
        if key in named and apart or len(stretches[-1]) == size:
            stretches.append([])
        if key not in keep and key not in named:
            stretches[-1].append(key)
    return {'b' + block[0]: block for stretches in by_path.values() for block in stretches
            if len(block) > 1}


def repeated(kinds) -> str:
    """'MatMul → Relu, 40 times' where a run repeats one pattern of op types, else ''."""
    for period in range(1, min(len(kinds) // 2, 6) + 1):
        if all(kinds[i] == kinds[i - period] for i in range(period, len(kinds))):
            times = f'{len(kinds) // period} times'
            rest = len(kinds) % period
            more = f' + {" → ".join(kinds[:rest])}' if rest else ''
            return ' → '.join(kinds[:period]) + f', {times}{more}'
    return ''
