"""Replaces Python's control flow by calls of operators.py, in a function's syntax tree.

`if`, `while` and `for` become functions of their blocks, which share the names that the block sets
with the function around them (`nonlocal`), and a call that runs them:

    if x > 0:               def body():
        y = x                   nonlocal y
    else:                       y = x
        y = -x              def orelse(): ...
                            ag__.if_stmt(x > 0, body, orelse, get_state, set_state, ('y',), ())

Before that, `break`, `continue` and `return` inside of blocks become flags, and the statements
after them an `if not flag:`.
"""
from __future__ import annotations

import ast
import itertools

from tinyflow.eager.autograph.liveness import Liveness
from tinyflow.eager.autograph.names import (
    always_returns,
    blocks,
    contains,
    declared,
    is_plain,
    names_set,
)

__all__ = ['transformed']

_AG = 'ag__'


def transformed(function: ast.FunctionDef, lists: bool = False) -> ast.FunctionDef:
    """The function with its control flow replaced; the tree is changed.

    With `lists` the statement `a.append(x)` sets the name `a`, which may be a TensorArray.
    """
    if lists:
        function.body = [_Appends().visit(statement) for statement in function.body]
    _Returns().function(function)
    function.body = _Jumps().block(function.body)
    _Blocks().function(function)
    return ast.fix_missing_locations(function)


def _name(identifier, context=None):
    return ast.Name(identifier, context or ast.Load())


def _set(identifier, value):
    return ast.Assign([_name(identifier, ast.Store())], value)


def _flag(identifier, value):
    return _set(identifier, ast.Constant(value))


def _not(*flags):
    """`not a and not b`, as an expression that tensors may be in."""
    terms = [ast.UnaryOp(ast.Not(), _name(flag)) for flag in flags]
    return terms[0] if len(terms) == 1 else ast.BoolOp(ast.And(), terms)


def _at(node, *made):
    """The made statements, on the first line of `node` in the file."""
    return [_located(statement, node) for statement in made]


def _located(made, node):
    """`made`, whose new parts are on the first line of `node`; others stay where they are."""
    for inner in ast.walk(made):
        if not hasattr(inner, 'lineno') and isinstance(inner, (ast.stmt, ast.expr, ast.arg)):
            inner.lineno = inner.end_lineno = node.lineno
            inner.col_offset = inner.end_col_offset = node.col_offset
    return made


def _change_blocks(statement, change, jump, flag, inside_loops=True):
    """Replaces each block of a statement by change(block), in which `flag` stands for `jump`.

    The `else` of a loop or `try` whose body jumps is skipped, as Python skips it.
    """
    skips = getattr(statement, 'orelse', None) and not isinstance(statement, ast.If) \
        and contains(statement.body, jump, inside_loops=inside_loops)
    for part, field in blocks(statement):
        block = change(getattr(part, field))
        if skips and field == 'orelse':
            block = _at(statement, ast.If(_not(flag), block, []))
        setattr(part, field, block)


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
            return _at(node, _set(target.id, _call('append', target, call.args[0])))[0]
        return node


# ---- return ------------------------------------------------------------------------------------


class _Returns:
    """A function whose only `return` is its last statement."""

    def function(self, node):
        node.body = self._else_for_the_rest(node.body)
        inner = node.body[:-1] if isinstance(node.body[-1], ast.Return) else node.body
        if not contains(inner, ast.Return):
            return
        start = _at(node, _flag('do_return__', False),
                    _set('retval__', _call('UndefinedReturn')))
        end = _at(node.body[-1], ast.Return(_call('returned', _name('retval__'))))
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
                return result + _at(statement, _flag('do_return__', True), _set('retval__', value))
            returns = contains([statement], ast.Return)
            if returns:
                self._inside(statement)
            result.append(statement)
            rest = block[i + 1:]
            if returns and rest:
                guard = ast.If(_not('do_return__'), self._block(rest), [])
                return result + _at(rest[0], guard)
        return result

    def _inside(self, statement):
        _change_blocks(statement, self._block, ast.Return, 'do_return__')
        if isinstance(statement, (ast.While, ast.For)):
            statement.stops = [*getattr(statement, 'stops', []), 'do_return__']


# ---- break and continue ------------------------------------------------------------------------


class _Jumps:
    """Loops without `break` and `continue`; `loop.stops` are the flags that end a loop."""

    def __init__(self):
        self._numbers = itertools.count(1)

    def block(self, block):
        result = []
        for statement in block:
            result += self._statement(statement)
        return result

    def _statement(self, statement):
        if isinstance(statement, ast.While) and _binds(statement.test):
            stop = ast.If(ast.UnaryOp(ast.Not(), statement.test), [ast.Break()], [])
            statement.body = [*_at(statement, stop), *statement.body]
            statement.test = ast.copy_location(ast.Constant(True), statement.test)
        for part, field in blocks(statement):
            setattr(part, field, self.block(getattr(part, field)))
        if not isinstance(statement, (ast.While, ast.For)):
            return [statement]
        before, number = [], next(self._numbers)
        if contains(statement.body, ast.Break, inside_loops=False):
            flag = f'break_{number}__'
            before = _at(statement, _flag(flag, False))
            statement.body = self._without(ast.Break, statement.body, flag)
            statement.stops = [*getattr(statement, 'stops', []), flag]
            if statement.orelse:
                statement.orelse = _at(statement, ast.If(_not(flag), statement.orelse, []))
        if contains(statement.body, ast.Continue, inside_loops=False):
            flag = f'continue_{number}__'
            before += _at(statement, _flag(flag, False))
            statement.body = _at(statement, _flag(flag, False)) + \
                self._without(ast.Continue, statement.body, flag)
        orelse, statement.orelse = statement.orelse, []
        return [*before, statement, *orelse]

    def _without(self, kind, block, flag):
        """The block with `flag = True` in place of the jump, and what follows under a guard."""
        result = []
        for i, statement in enumerate(block):
            if isinstance(statement, kind):
                return result + _at(statement, _flag(flag, True))
            jumps = contains([statement], kind, inside_loops=False)
            if jumps:
                _change_blocks(statement, lambda inner: self._without(kind, inner, flag), kind,
                               flag, inside_loops=False)
            result.append(statement)
            rest = block[i + 1:]
            if jumps and rest:
                guard = ast.If(_not(flag), self._without(kind, rest, flag), [])
                return result + _at(rest[0], guard)
        return result


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
        node.body = _at(node, *declarations) + self._visited(node.body)

    def visit_Global(self, node):                   # noqa: N802
        return ast.copy_location(ast.Pass(), node)      # the function begins with it

    visit_Nonlocal = visit_Global                   # noqa: N815

    def _parts(self, statement):
        made = self.visit(statement)
        return made if isinstance(made, list) else [made]

    def _visited(self, block):
        return [part for statement in block for part in self._parts(statement)]

    def visit_FunctionDef(self, node):              # noqa: N802 - ast's names
        node.decorator_list.append(_located(_attribute('convert'), node))
        return node

    def visit_ClassDef(self, node):                 # noqa: N802
        return node                 # its methods are converted when they are called

    visit_AsyncFunctionDef = visit_ClassDef         # noqa: N815

    # ---- statements

    def visit_Delete(self, node):                   # noqa: N802
        # A name stays, so that functions of blocks can share it.
        names = [t for t in node.targets if isinstance(t, ast.Name)]
        node.targets = [self.visit(t) for t in node.targets if t not in names]
        return [*([node] if node.targets else []), *_at(node, *[
            _set(t.id, _call('Undefined', ast.Constant(t.id))) for t in names])]

    def visit_If(self, node):                       # noqa: N802
        names = names_set([*node.body, *node.orelse])
        test = self.visit(node.test)
        number = next(self._numbers)
        body = self._function(f'if_body_{number}__', self._visited(node.body), names)
        orelse = self._function(f'else_body_{number}__', self._visited(node.orelse), names)
        return _at(node, *self._state(number, names), body, orelse, ast.Expr(_call(
            'if_stmt', test, _name(body.name), _name(orelse.name),
            *self._accessors(number, names, node))))

    def visit_While(self, node):                    # noqa: N802
        names = names_set(node.body)
        test = node.test
        stops = getattr(node, 'stops', [])
        if stops:
            test = ast.BoolOp(ast.And(), [_not(*stops), test])
        test = self.visit(_at(node, ast.Expr(test))[0].value)
        number = next(self._numbers)
        condition = ast.FunctionDef(f'loop_test_{number}__', _no_arguments(), [ast.Return(test)],
                                    [])
        body = self._function(f'loop_body_{number}__', self._visited(node.body), names)
        return _at(node, *self._state(number, names), condition, body, ast.Expr(_call(
            'while_stmt', _name(condition.name), _name(body.name),
            *self._accessors(number, names, node))))

    def visit_For(self, node):                      # noqa: N802
        names = list(dict.fromkeys([*names_set([_set_target(node.target)]),
                                    *names_set(node.body)]))
        number = next(self._numbers)
        item = f'item_{number}__'
        start = ast.Assign([node.target], _name(item))
        body = self._function(f'loop_body_{number}__', [start, *self._visited(node.body)], names,
                              argument=item)
        stops = getattr(node, 'stops', [])
        made, extra = [], ast.Constant(None)
        if stops:
            test = ast.FunctionDef(f'loop_test_{number}__', _no_arguments(), [ast.Return(
                self.visit(_at(node, ast.Expr(_not(*stops)))[0].value))], [])
            made, extra = [test], _name(test.name)
        return _at(node, *self._state(number, names), *made, body, ast.Expr(_call(
            'for_stmt', self.visit(node.iter), extra, _name(body.name),
            *self._accessors(number, names, node))))

    def visit_Assert(self, node):                   # noqa: N802
        message = ast.Constant(None) if node.msg is None else self.visit(node.msg)
        return _at(node, ast.Expr(_call('assert_stmt', self.visit(node.test), _lambda(message))))

    # ---- expressions

    def visit_BoolOp(self, node):                   # noqa: N802
        if _binds(node):
            return self.generic_visit(node)
        kind = 'and_' if isinstance(node.op, ast.And) else 'or_'
        return _located(_call(kind, *[_lambda(self.visit(v)) for v in node.values]), node)

    def visit_UnaryOp(self, node):                  # noqa: N802
        self.generic_visit(node)
        return _located(_call('not_', node.operand), node) \
            if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):                  # noqa: N802
        if len(node.ops) > 1 and all(isinstance(c, (ast.Name, ast.Constant))
                                     for c in node.comparators[:-1]):
            return self.visit(_located(_chain(node), node))
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            kind = 'eq' if isinstance(node.ops[0], ast.Eq) else 'not_eq'
            return _located(_call(kind, node.left, node.comparators[0]), node)
        return node

    def visit_IfExp(self, node):                    # noqa: N802
        self.generic_visit(node)
        if _binds(node):
            return node
        return _located(_call('if_exp', node.test, _lambda(node.body), _lambda(node.orelse)),
                        node)

    def visit_Call(self, node):                     # noqa: N802
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in (
                'super', 'locals', 'globals', 'vars', 'dir', 'eval', 'exec'):
            return node
        return _located(ast.Call(_attribute('call'), [node.func, *node.args], node.keywords), node)

    # ---- the names that a block sets

    def _function(self, name, block, names, argument=None):
        names = [n for n in names if is_plain(n)]
        shared = [kind(those) for kind, those in (
            (ast.Nonlocal, [n for n in names if n not in self._globals]),
            (ast.Global, [n for n in names if n in self._globals])) if those]
        arguments = _no_arguments()
        if argument:
            arguments.args = [ast.arg(argument)]
        return ast.FunctionDef(name, arguments, [*shared, *(block or [ast.Pass()])], [])

    def _state(self, number, names):
        """Makes the names exist, and functions that get and set them."""
        if not names:
            return []
        exist = [_set(name, _bound(name)) for name in names if is_plain(name)]
        get = ast.FunctionDef(f'get_state_{number}__', _no_arguments(), [ast.Return(ast.Tuple(
            [_name(n) if is_plain(n) else _bound(n) for n in names], ast.Load()))], [])
        held = [_name(n, ast.Store()) if is_plain(n) else _name(f'part_{i}__', ast.Store())
                for i, n in enumerate(names)]
        setter = self._function(f'set_state_{number}__', [
            ast.Assign([ast.Tuple(held, ast.Store())], _name('state__')),
            *[_set_part(n, _name(f'part_{i}__')) for i, n in enumerate(names) if not is_plain(n)],
        ], names, argument='state__')
        return [*exist, get, setter]

    def _accessors(self, number, names, node):
        """The functions of the state, the names in it, and those that are the block's own."""
        if not names:
            empty = ast.Tuple([], ast.Load())
            return [_attribute('no_state'), _attribute('set_no_state'), empty, empty]
        live = self._live.after(node)
        return [_name(f'get_state_{number}__'), _name(f'set_state_{number}__'), _strings(names),
                _strings([n for n in names if is_plain(n) and n not in live])]


def _bound(name):
    """What a name, attribute or item is, or an object that says that it is nothing yet."""
    return _call('bound', _lambda(_expression(name)), ast.Constant(name))


def _set_part(name, value):
    """The statement that sets an attribute or item."""
    node = _expression(name)
    if isinstance(node, ast.Attribute):
        return ast.Expr(_call('set_attribute', node.value, ast.Constant(node.attr), value))
    return ast.Expr(_call('set_item', node.value, node.slice, value))


def _expression(text):
    node = ast.parse(text, mode='eval').body
    for inner in ast.walk(node):                # its place is that of the statement
        for field in ('lineno', 'end_lineno', 'col_offset', 'end_col_offset'):
            inner.__dict__.pop(field, None)
    return node


def _binds(expression):
    """True for a := b inside, which in the lambda of a term would set a name of the lambda."""
    return any(isinstance(node, ast.NamedExpr) for node in ast.walk(expression))


def _chain(node):
    """`a < b < c` as `a < b and b < c`, where b is a name or a constant."""
    terms = [node.left, *node.comparators]
    return ast.BoolOp(ast.And(), [ast.Compare(a, [op], [b])
                                  for a, op, b in zip(terms, node.ops, terms[1:])])


def _strings(values):
    return ast.Tuple([ast.Constant(value) for value in values], ast.Load())


def _set_target(target):
    return ast.Assign([target], ast.Constant(None))


def _no_arguments():
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _lambda(expression):
    return ast.Lambda(_no_arguments(), expression)


def _attribute(name):
    return ast.Attribute(_name(_AG), name, ast.Load())


def _call(name, *arguments):
    return ast.Call(_attribute(name), list(arguments), [])
