"""Which names a block of statements sets, and which statements leave it.

An attribute `a.b` or an item `a['b']` counts as a name, in which they are written so.
"""
from __future__ import annotations

import ast

__all__ = ['always_returns', 'blocks', 'contains', 'declared', 'is_plain', 'names_set']

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp,
           ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_set(statements) -> list[str]:
    """The names that the statements bind, in order; not those of functions inside.

    Attributes and items only of objects that the statements do not bind themselves.
    """
    found: dict[str, None] = {}
    parts: dict[str, str] = {}          # of attributes and items: -> the name of the object
    for statement in statements:
        for node in _walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                found[node.id] = None
            elif isinstance(node, (ast.Attribute, ast.Subscript)) \
                    and isinstance(node.ctx, ast.Store):
                root = _root(node)
                if root is not None:
                    parts[ast.unparse(node)] = root
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = None
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    found[(alias.asname or alias.name).partition('.')[0]] = None
            elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                found[node.name] = None
            elif isinstance(node, ast.MatchMapping) and node.rest:
                found[node.rest] = None
    return [*found, *[part for part, root in parts.items() if root not in found]]


def is_plain(name: str) -> bool:
    """False for an attribute or item."""
    return name.isidentifier()


def _root(node):
    """The name a of a.b.c or a.b['c']; None if other expressions are in it."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return None
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return None
        node = node.value
    return node.id


def declared(function, kind) -> list[str]:
    """The names that a function declares `global` (kind ast.Global) or `nonlocal`."""
    return list(dict.fromkeys(name for statement in function.body for node in _walk(statement)
                              if isinstance(node, kind) for name in node.names))


def blocks(statement) -> list[tuple[ast.AST, str]]:
    """(node, field) of each list of statements in a statement: of branches, handlers, cases.

    Functions and classes have none: their statements belong to another scope.
    """
    if isinstance(statement, _SCOPES):
        return []
    parts = (statement, *getattr(statement, 'handlers', ()), *getattr(statement, 'cases', ()))
    return [(part, field) for part in parts for field in ('body', 'orelse', 'finalbody')
            if getattr(part, field, None)]


def contains(statements, *kinds, inside_loops=True) -> bool:
    """True if one of the statements, or a statement in one, is of one of the kinds.

    Without `inside_loops`, not those that belong to a loop among the statements.
    """
    return any(isinstance(node, kinds) for statement in statements
               for node in _walk(statement, loops=inside_loops))


def _walk(node, loops=True):
    """The node and those below it in the same scope."""
    yield node
    if isinstance(node, _SCOPES) or not loops and isinstance(node, (ast.For, ast.While)):
        return
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, loops)


def always_returns(statements) -> bool:
    """True if the block ends in `return` on every path (an `if` counts, a loop does not)."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    return isinstance(last, ast.If) and always_returns(last.body) and always_returns(last.orelse)
