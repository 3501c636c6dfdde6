"""`return`, `break` and `continue` inside of blocks as flags, in a function's syntax tree.

The statements after a block that may jump become an `if not flag:`.
"""
from __future__ import annotations

import ast
import itertools

from tinyflow.eager.autograph.names import always_returns, blocks, contains
from tinyflow.eager.autograph.syntax import (
    assign,
    at,
    binds,
    call_operator,
    identifier,
    negated,
    set_flag,
)

__all__ = ['Jumps', 'Returns']


def _change_blocks(statement, change, jump, flag, inside_loops=True):
    """Replaces each block of a statement by change(block), in which `flag` stands for `jump`.

    The `else` of a loop or `try` whose body jumps is skipped, as Python skips it.
    """
    skips = getattr(statement, 'orelse', None) and not isinstance(statement, ast.If) \
        and contains(statement.body, jump, inside_loops=inside_loops)
    for part, field in blocks(statement):
        block = change(getattr(part, field))
        if skips and field == 'orelse':
            block = at(statement, ast.If(negated(flag), block, []))
        setattr(part, field, block)


# ---- return ------------------------------------------------------------------------------------


class Returns:
    """A function whose only `return` is its last statement."""

    def function(self, node):
        node.body = self._else_for_the_rest(node.body)
        inner = node.body[:-1] if isinstance(node.body[-1], ast.Return) else node.body
        if not contains(inner, ast.Return):
            return
        start = at(node, set_flag('do_return__', False),
                    assign('retval__', call_operator('UndefinedReturn')))
        end = at(node.body[-1], ast.Return(call_operator('returned', identifier('retval__'))))
        node.body = start + self._block(node.body) + end

    def _else_for_the_rest(self, block):
        """Moves what follows an `if` that returns into its other branch."""
        result = []
        for i, statement in enumerate(block):
            if isinstance(statement, ast.If):
                rest = block[i + 1:]
                if rest and always_returns(statement.body):
                    statement.orelse, rest = statement.orelse + rest, None
                elif rest and always_returns(statement.orelse):
                    statement.body, rest = statement.body + rest, None
                statement.body = self._else_for_the_rest(statement.body)
                statement.orelse = self._else_for_the_rest(statement.orelse)
                result.append(statement)
                if rest is None:
                    break
                continue
            for part, field in blocks(statement):
                setattr(part, field, self._else_for_the_rest(getattr(part, field)))
            result.append(statement)
        return result

    def _block(self, block):
        result = []
        for i, statement in enumerate(block):
            if isinstance(statement, ast.Return):
                value = statement.value or ast.Constant(None)
                return result + at(statement, set_flag('do_return__', True),
                                   assign('retval__', value))
            returns = contains([statement], ast.Return)
            if returns:
                self._inside(statement)
            result.append(statement)
            rest = block[i + 1:]
            if returns and rest:
                guard = ast.If(negated('do_return__'), self._block(rest), [])
                return result + at(rest[0], guard)
        return result

    def _inside(self, statement):
        _change_blocks(statement, self._block, ast.Return, 'do_return__')
        if isinstance(statement, (ast.While, ast.For)):
            statement.stops = [*getattr(statement, 'stops', []), 'do_return__']


def _test_inside(loop):
    """Moves the test of a `while` that sets names into its body, for which the names are."""
    if contains(loop.orelse, ast.Break, ast.Continue, inside_loops=False):
        return                          # of the loop around it
    stop = ast.If(ast.UnaryOp(ast.Not(), loop.test), [*loop.orelse, ast.Break()], [])
    loop.test = ast.copy_location(ast.Constant(True), loop.test)
    loop.body, loop.orelse = [*at(loop, stop), *loop.body], []


# ---- break and continue ------------------------------------------------------------------------


class Jumps:
    """Loops without `break` and `continue`; `loop.stops` are the flags that end a loop."""

    def __init__(self):
        self._numbers = itertools.count(1)

    def block(self, block):
        result = []
        for statement in block:
            result += self._statement(statement)
        return result

    def _statement(self, statement):
        if isinstance(statement, ast.While) and binds(statement.test):
            _test_inside(statement)
        for part, field in blocks(statement):
            setattr(part, field, self.block(getattr(part, field)))
        if not isinstance(statement, (ast.While, ast.For)):
            return [statement]
        before, number = [], next(self._numbers)
        if contains(statement.body, ast.Break, inside_loops=False):
            flag = f'break_{number}__'
            before = at(statement, set_flag(flag, False))
            statement.body = self._without(ast.Break, statement.body, flag)
            statement.stops = [*getattr(statement, 'stops', []), flag]
            if statement.orelse:
                statement.orelse = at(statement, ast.If(negated(flag), statement.orelse, []))
        if contains(statement.body, ast.Continue, inside_loops=False):
            flag = f'continue_{number}__'
            before += at(statement, set_flag(flag, False))
            statement.body = at(statement, set_flag(flag, False)) + \
                self._without(ast.Continue, statement.body, flag)
        orelse, statement.orelse = statement.orelse, []
        return [*before, statement, *orelse]

    def _without(self, kind, block, flag):
        """The block with `flag = True` in place of the jump, and what follows under a guard."""
        result = []
        for i, statement in enumerate(block):
            if isinstance(statement, kind):
                return result + at(statement, set_flag(flag, True))
            jumps = contains([statement], kind, inside_loops=False)
            if jumps:
                _change_blocks(statement, lambda inner: self._without(kind, inner, flag), kind,
                               flag, inside_loops=False)
            result.append(statement)
            rest = block[i + 1:]
            if jumps and rest:
                guard = ast.If(negated(flag), self._without(kind, rest, flag), [])
                return result + at(rest[0], guard)
        return result
