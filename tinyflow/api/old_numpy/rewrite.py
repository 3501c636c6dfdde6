"""From a program's syntax tree to one in which NumPy means what it meant.

Lines stay where they are, so that tracebacks show the program as it is written. Each rule replaces
one form of an expression by a call of meaning.py, which is named MEANING in the program's module.
"""
from __future__ import annotations

import ast

MEANING = '__numpy_of_the_time__'
OLD = '_of_the_time'                    # `import numpy` imports numpy_of_the_time
STAR = 'everything'                     # `from numpy import *`: numpy_of_the_time.everything
MODULES = ('numpy', 'math')
_BUILTINS = {'int', 'float', 'complex', 'bool', 'sum', 'round'}
_INTEGERS = {f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)}
METHODS = {'itemset', 'newbyteorder', 'ptp', 'tostring'}


def rewritten(source: str | bytes, filename: str) -> ast.Module:
    """The syntax tree of a program's text, rewritten."""
    tree = ast.parse(source, filename)
    return ast.fix_missing_locations(Rewriter().visit(tree))


class Rewriter(ast.NodeTransformer):
    """The rules, one method each."""

    def visit_Import(self, node):
        """import numpy as np"""
        names = []
        for alias in node.names:
            top = alias.name.partition('.')[0]
            if top not in MODULES:
                names.append(alias)
                continue
            names.append(ast.alias(_old(alias.name), alias.asname or (
                None if '.' in alias.name else alias.name)))
            if alias.asname is None and '.' in alias.name:      # binds the module numpy
                names.append(ast.alias(_old(top), top))
        return _at(node, ast.Import(names))

    def visit_ImportFrom(self, node):
        """from numpy import array"""
        if node.level == 0 and node.module.partition('.')[0] in MODULES:
            star = node.module == 'numpy' and node.names[0].name == '*'
            module = _old(node.module) + (f'.{STAR}' if star else '')
            return _at(node, ast.ImportFrom(module, node.names, 0))
        return node

    def visit_BinOp(self, node):
        """a + b"""
        self.generic_visit(node)
        if _is_text(node.left) and not isinstance(node.op, ast.Mod) or _is_text(node.right) or \
                isinstance(node.op, ast.MatMult) or _both_constant(node.left, node.right):
            return node
        return _at(node, _operation(node.op, node.left, node.right))

    def visit_Compare(self, node):
        """a == b"""
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]).__name__ not in (
                'Eq', 'NotEq', 'Lt', 'LtE', 'Gt', 'GtE'):
            return node
        right = node.comparators[0]
        if _both_constant(node.left, right) or _is_dunder(node.left):
            return node
        return _at(node, _operation(node.ops[0], node.left, right))

    def visit_AugAssign(self, node):
        """a += b, a.x += b and a[i] += b"""
        self.generic_visit(node)
        target = node.target
        if isinstance(node.op, ast.MatMult):
            return node
        if isinstance(target, ast.Subscript):
            return _at(node, ast.Expr(_call('change_item', target.value, _key(target),
                                            _name_of(node.op), node.value)))
        if not _is_path(target):
            return node
        return _at(node, ast.Assign([target], _call(
            'in_place', _name_of(node.op), _loaded(target), node.value)))

    def visit_Assign(self, node):
        """a[i] = b"""
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        return _at(node, ast.Expr(_call('set_item', node.value, target.value, _key(target))))

    def visit_Call(self, node):
        """int(a) and np.uint8(a)"""
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Name) and function.id in _BUILTINS and node.args:
            return _at(node, _call('call', function, *node.args, keywords=node.keywords))
        if isinstance(function, ast.Attribute) and function.attr in _INTEGERS:
            return _at(node, _call('cast', function, *node.args, keywords=node.keywords))
        return node

    def visit_Attribute(self, node):
        """a.tostring"""
        self.generic_visit(node)
        if node.attr in METHODS and isinstance(node.ctx, ast.Load):
            return _at(node, _call('attribute', node.value, ast.Constant(node.attr)))
        return node

    def visit_If(self, node):
        """if a:"""
        self.generic_visit(node)
        node.test = _truth(node.test)
        return node

    visit_While = visit_IfExp = visit_If

    def visit_UnaryOp(self, node):
        """not a"""
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = _truth(node.operand)
        return node

    def visit_MatchValue(self, node):
        return node                     # a pattern, not an expression


def _old(module):
    top, dot, rest = module.partition('.')
    return top + OLD + dot + rest


def _at(node, new):
    return ast.copy_location(new, node)


def _call(name, *args, keywords=()):
    function = ast.Attribute(ast.Name(MEANING, ast.Load()), name, ast.Load())
    return ast.Call(function, list(args), list(keywords))


def _operation(operator, left, right):
    call = _call('operations', left, right)
    call.func = ast.Attribute(call.func, type(operator).__name__, ast.Load())
    return call


def _name_of(operator):
    return ast.Constant(type(operator).__name__)


def _key(target):
    keys = ast.Attribute(ast.Name(MEANING, ast.Load()), 'keys', ast.Load())
    return ast.Subscript(keys, target.slice, ast.Load())


def _truth(test):
    if isinstance(test, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return _at(test, _call('truth', test))
    return test


def _loaded(target):
    """The same name or a.b.c, as a value."""
    if isinstance(target, ast.Name):
        return _at(target, ast.Name(target.id, ast.Load()))
    return _at(target, ast.Attribute(target.value, target.attr, ast.Load()))


def _is_path(target):
    while isinstance(target, ast.Attribute):
        target = target.value
    return isinstance(target, ast.Name)


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or \
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def _both_constant(*nodes):
    return all(isinstance(node, ast.Constant) for node in nodes)


def _is_dunder(node):
    return isinstance(node, ast.Name) and node.id.startswith('__')
