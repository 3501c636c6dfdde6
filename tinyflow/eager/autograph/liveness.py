"""Which names are read after a statement, before they are set again (live variables).

A block that a tensor decides about gives back the names that somebody reads later; the others are
its own. The analysis goes backward through the statements of one function, in which `break`,
`continue` and `return` are flags already.
"""
from __future__ import annotations

import ast

from tinyflow.eager.autograph.names import declared

__all__ = ['Liveness']

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_TRY = (ast.Try, getattr(ast, 'TryStar', ast.Try))              # Python 3.11


class Liveness:
    """For each `if`, `while` and `for` of a function, the names that are live."""

    def __init__(self, function: ast.FunctionDef):
        # Functions inside may be called at any time, and read the names where they are then.
        self._always = {name for node in ast.walk(function)
                        if isinstance(node, _FUNCTIONS) and node is not function
                        for name in _read(node)}
        self._always.update(declared(function, (ast.Global, ast.Nonlocal)))
        self._after: dict[ast.stmt, set[str]] = {}
        self._at_errors: set[str] = set()       # what is read if a statement raises an error
        self._block(function.body, set())

    def after(self, statement: ast.stmt) -> set[str]:
        """What is read after an `if`; after an iteration of a loop: by the next one or later.

        Attributes and items are not in it: anybody may read them.
        """
        return self._after[statement] | self._always

    def _block(self, block, live):
        for statement in reversed(block):
            live = self._statement(statement, live) | self._at_errors
        return live

    def _statement(self, node, live):
        """The names that are live before a statement, from those that are live after it."""
        if isinstance(node, ast.If):
            self._after[node] = live
            return self._block(node.body, live) | self._block(node.orelse, live) | _read(node.test)
        if isinstance(node, (ast.While, ast.For)):
            return self._loop(node, live)
        if isinstance(node, _TRY):
            return self._try(node, live)
        if isinstance(node, ast.Match):
            before = [self._block(case.body, live) for case in node.cases]
            heads = [part for case in node.cases for part in (case.pattern, case.guard) if part]
            return live.union(*before) | _read(node.subject, *heads)
        if isinstance(node, ast.With):
            live = self._block(node.body, live)
            return live | _read(*[item.context_expr for item in node.items])
        return live - _set_here(node) | _read(node)

    def _try(self, node, live):
        live = self._block(node.finalbody, live)
        handled = live.union(*[self._block(handler.body, live) for handler in node.handlers])
        around, self._at_errors = self._at_errors, self._at_errors | handled
        before = self._block([*node.body, *node.orelse], live | handled)
        self._at_errors = around
        return before | _read(*[handler.type for handler in node.handlers if handler.type])

    def _loop(self, node, live):
        if isinstance(node, ast.For):
            head, target = _read(node.target, *_stops(node)), _set_here(node.target)
        else:
            head, target = _read(node.test, *_stops(node)), set()
        at_head = live | head
        while True:
            before = at_head | (self._block(node.body, at_head) - target)
            if before == at_head:
                break
            at_head = before
        self._after[node] = at_head
        return at_head | (_read(node.iter) if isinstance(node, ast.For) else set())


def _stops(loop):
    """The flags that end a loop, as expressions that read them."""
    return [ast.Name(flag, ast.Load()) for flag in getattr(loop, 'stops', ())]


def _read(*nodes):
    """The names that are read anywhere in the nodes; `x += 1` reads x."""
    found = set()
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def _set_here(node):
    """The names that a statement without a block sets for certain."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
                         ast.BoolOp, ast.IfExp)):
        return set()            # their names are their own, or are set now and then (`:=`)
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    return set().union(*[_set_here(child) for child in ast.iter_child_nodes(node)])
