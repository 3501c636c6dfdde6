"""Replaces Python's control flow by calls of operators.py, in a function's syntax tree.

`if`, `while` and `for` become functions of their blocks, which share the names that the block sets
with the function around them (`nonlocal`), and a call that runs them:

    if x > 0:               def body():
        y = x                   nonlocal y
    else:                       y = x
        y = -x              def orelse(): ...
                            ag__.if_stmt(x > 0, body, orelse, get_state, set_state, ('y',), ())

Before that, jumps.py replaces `break`, `continue` and `return` inside of blocks.
"""
from __future__ import annotations

import ast
import itertools

from tinyflow.eager.autograph.jumps import Jumps, Returns
from tinyflow.eager.autograph.liveness import Liveness
from tinyflow.eager.autograph.names import declared, is_plain, names_set
from tinyflow.eager.autograph.syntax import (
    assign,
    at,
    binds,
    call_operator,
    identifier,
    located,
    negated,
    no_arguments,
    operator,
    thunk,
)

__all__ = ['transformed']


def transformed(function: ast.FunctionDef, lists: bool = False) -> ast.FunctionDef:
    """The function with its control flow replaced; the tree is changed.

    With `lists` the statement `a.append(x)` sets the name `a`, which may be a TensorArray.
    """
    if lists:
        function.body = [_Appends().visit(statement) for statement in function.body]
    Returns().function(function)
    function.body = Jumps().block(function.body)
    _Blocks().function(function)
    return ast.fix_missing_locations(function)


# ---- append ----------------------------------------------------------------------------------


class _Appends(ast.NodeTransformer):
    """`a.append(x)` as `a = ag__.append(a, x)`."""

    def visit_FunctionDef(self, node):              # noqa: N802 - ast's names
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef    # noqa: N815

    def visit_Expr(self, node):                     # noqa: N802
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) \
                and call.func.attr == 'append' and isinstance(call.func.value, ast.Name) \
                and len(call.args) == 1 and not call.keywords:
            target = call.func.value
            return at(node, assign(target.id, call_operator('append', target, call.args[0])))[0]
        return node


# ---- blocks as functions -----------------------------------------------------------------------


class _Blocks(ast.NodeTransformer):
    """if, while, for, assert and expressions as calls."""

    def __init__(self):
        self._numbers = itertools.count(1)

    def function(self, node):
        node.decorator_list = []
        self._live = Liveness(node)
        self._globals = declared(node, ast.Global)
        declarations = [kind(names) for kind in (ast.Global, ast.Nonlocal)
                        if (names := declared(node, kind))]
        node.body = at(node, *declarations) + self._visited(node.body)

    def visit_Global(self, node):                   # noqa: N802
        return ast.copy_location(ast.Pass(), node)      # the function begins with it

    visit_Nonlocal = visit_Global                   # noqa: N815

    def _parts(self, statement):
        made = self.visit(statement)
        return made if isinstance(made, list) else [made]

    def _visited(self, block):
        return [part for statement in block for part in self._parts(statement)]

    def visit_FunctionDef(self, node):              # noqa: N802 - ast's names
        node.decorator_list.append(located(operator('convert'), node))
        return node

    def visit_ClassDef(self, node):                 # noqa: N802
        return node                 # its methods are converted when they are called

    visit_AsyncFunctionDef = visit_ClassDef         # noqa: N815

    # ---- statements

    def visit_Delete(self, node):                   # noqa: N802
        # A name stays, so that functions of blocks can share it.
        names = [t for t in node.targets if isinstance(t, ast.Name)]
        node.targets = [self.visit(t) for t in node.targets if t not in names]
        return [*([node] if node.targets else []), *at(node, *[
            assign(t.id, call_operator('Undefined', ast.Constant(t.id))) for t in names])]

    def visit_If(self, node):                       # noqa: N802
        names = names_set([*node.body, *node.orelse])
        test = self.visit(node.test)
        number = next(self._numbers)
        body = self._function(f'if_body_{number}__', self._visited(node.body), names)
        orelse = self._function(f'else_body_{number}__', self._visited(node.orelse), names)
        return at(node, *self._state(number, names), body, orelse, ast.Expr(call_operator(
            'if_stmt', test, identifier(body.name), identifier(orelse.name),
            *self._accessors(number, names, node))))

    def visit_While(self, node):                    # noqa: N802
        names = names_set(node.body)
        test = node.test
        stops = getattr(node, 'stops', [])
        if stops:
            test = ast.BoolOp(ast.And(), [negated(*stops), test])
        test = self.visit(at(node, ast.Expr(test))[0].value)
        number = next(self._numbers)
        condition = ast.FunctionDef(f'loop_test_{number}__', no_arguments(), [ast.Return(test)],
                                    [])
        body = self._function(f'loop_body_{number}__', self._visited(node.body), names)
        return at(node, *self._state(number, names), condition, body, ast.Expr(call_operator(
            'while_stmt', identifier(condition.name), identifier(body.name),
            *self._accessors(number, names, node))))

    def visit_For(self, node):                      # noqa: N802
        names = list(dict.fromkeys([*names_set([_set_target(node.target)]),
                                    *names_set(node.body)]))
        number = next(self._numbers)
        item = f'item_{number}__'
        start = ast.Assign([node.target], identifier(item))
        body = self._function(f'loop_body_{number}__', [start, *self._visited(node.body)], names,
                              argument=item)
        stops = getattr(node, 'stops', [])
        made, extra = [], ast.Constant(None)
        if stops:
            test = ast.FunctionDef(f'loop_test_{number}__', no_arguments(), [ast.Return(
                self.visit(at(node, ast.Expr(negated(*stops)))[0].value))], [])
            made, extra = [test], identifier(test.name)
        return at(node, *self._state(number, names), *made, body, ast.Expr(call_operator(
            'for_stmt', self.visit(node.iter), extra, identifier(body.name),
            *self._accessors(number, names, node))))

    def visit_Assert(self, node):                   # noqa: N802
        message = ast.Constant(None) if node.msg is None else self.visit(node.msg)
        return at(node, ast.Expr(call_operator('assert_stmt', self.visit(node.test),
                                               thunk(message))))

    # ---- expressions

    def visit_BoolOp(self, node):                   # noqa: N802
        if binds(node):
            return self.generic_visit(node)
        kind = 'and_' if isinstance(node.op, ast.And) else 'or_'
        return located(call_operator(kind, *[thunk(self.visit(v)) for v in node.values]), node)

    def visit_UnaryOp(self, node):                  # noqa: N802
        self.generic_visit(node)
        return located(call_operator('not_', node.operand), node) \
            if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):                  # noqa: N802
        if len(node.ops) > 1 and all(isinstance(c, (ast.Name, ast.Constant))
                                     for c in node.comparators[:-1]):
            return self.visit(located(_chain(node), node))
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            kind = 'eq' if isinstance(node.ops[0], ast.Eq) else 'not_eq'
            return located(call_operator(kind, node.left, node.comparators[0]), node)
        return node

    def visit_IfExp(self, node):                    # noqa: N802
        self.generic_visit(node)
        if binds(node):
            return node
        return located(call_operator('if_exp', node.test, thunk(node.body), thunk(node.orelse)),
                        node)

    def visit_Call(self, node):                     # noqa: N802
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in (
                'super', 'locals', 'globals', 'vars', 'dir', 'eval', 'exec'):
            return node
        return located(ast.Call(operator('call'), [node.func, *node.args], node.keywords), node)

    # ---- the names that a block sets

    def _function(self, name, block, names, argument=None):
        names = [n for n in names if is_plain(n)]
        shared = [kind(those) for kind, those in (
            (ast.Nonlocal, [n for n in names if n not in self._globals]),
            (ast.Global, [n for n in names if n in self._globals])) if those]
        arguments = no_arguments()
        if argument:
            arguments.args = [ast.arg(argument)]
        return ast.FunctionDef(name, arguments, [*shared, *(block or [ast.Pass()])], [])

    def _state(self, number, names):
        """Makes the names exist, and functions that get and set them."""
        if not names:
            return []
        exist = [assign(name, _bound(name)) for name in names if is_plain(name)]
        get = ast.FunctionDef(f'get_state_{number}__', no_arguments(), [ast.Return(ast.Tuple(
            [identifier(n) if is_plain(n) else _bound(n) for n in names], ast.Load()))], [])
        held = [identifier(n if is_plain(n) else f'part_{i}__', ast.Store())
                for i, n in enumerate(names)]
        setter = self._function(f'set_state_{number}__', [
            ast.Assign([ast.Tuple(held, ast.Store())], identifier('state__')),
            *[_set_part(n, identifier(f'part_{i}__')) for i, n in enumerate(names)
              if not is_plain(n)],
        ], names, argument='state__')
        return [*exist, get, setter]

    def _accessors(self, number, names, node):
        """The functions of the state, the names in it, and those that are the block's own."""
        if not names:
            empty = ast.Tuple([], ast.Load())
            return [operator('no_state'), operator('set_no_state'), empty, empty]
        live = self._live.after(node)
        return [identifier(f'get_state_{number}__'), identifier(f'set_state_{number}__'),
                _strings(names), _strings([n for n in names if is_plain(n) and n not in live])]


def _bound(name):
    """What a name, attribute or item is, or an object that says that it is nothing yet."""
    return call_operator('bound', thunk(_expression(name)), ast.Constant(name))


def _set_part(name, value):
    """The statement that sets an attribute or item."""
    node = _expression(name)
    if isinstance(node, ast.Attribute):
        return ast.Expr(call_operator('set_attribute', node.value, ast.Constant(node.attr), value))
    return ast.Expr(call_operator('set_item', node.value, node.slice, value))


def _expression(text):
    node = ast.parse(text, mode='eval').body
    for inner in ast.walk(node):                # its place is that of the statement
        for field in ('lineno', 'end_lineno', 'col_offset', 'end_col_offset'):
            inner.__dict__.pop(field, None)
    return node


def _chain(node):
    """`a < b < c` as `a < b and b < c`, where b is a name or a constant."""
    terms = [node.left, *node.comparators]
    return ast.BoolOp(ast.And(), [ast.Compare(a, [op], [b])
                                  for a, op, b in zip(terms, node.ops, terms[1:])])


def _strings(values):
    return ast.Tuple([ast.Constant(value) for value in values], ast.Load())


def _set_target(target):
    return ast.Assign([target], ast.Constant(None))
