"""Names of nodes as seen from inside a name scope, and back."""
from __future__ import annotations

import re

_MARKED = re.compile(r'(\^|loc:@|)(.*)', re.DOTALL)      # a control input, a colocation, a name


def inside(name, scope):
    """True if a node's name is in `scope` (None: always)."""
    return not scope or _MARKED.match(name)[2].startswith(scope.rstrip('/') + '/')


def strip(name, scope):
    """`name` without the scope that it begins with."""
    if not scope or not inside(name, scope):
        return name
    mark, rest = _MARKED.match(name).groups()
    return mark + rest[len(scope.rstrip('/')) + 1:]


def prepend(name, scope):
    """`name` inside `scope`."""
    if not scope:
        return name
    mark, rest = _MARKED.match(name).groups()
    return f'{mark}{scope.rstrip("/")}/{rest}'
