"""Parts of syntax trees that converted functions are made of."""
from __future__ import annotations

import ast

__all__ = ['assign', 'at', 'binds', 'call_operator', 'identifier', 'located', 'negated',
           'no_arguments', 'operator', 'set_flag', 'thunk']

_AG = 'ag__'            # the name of operators.py in a converted function


def identifier(name, context=None):
    return ast.Name(name, context or ast.Load())


def assign(name, value):
    return ast.Assign([identifier(name, ast.Store())], value)


def set_flag(name, value):
    return assign(name, ast.Constant(value))


def negated(*flags):
    """`not a and not b`, as an expression that tensors may be in."""
    terms = [ast.UnaryOp(ast.Not(), identifier(flag)) for flag in flags]
    return terms[0] if len(terms) == 1 else ast.BoolOp(ast.And(), terms)


def at(node, *made):
    """The made statements, on the first line of `node` in the file."""
    return [located(statement, node) for statement in made]


def located(made, node):
    """`made`, whose new parts are on the first line of `node`; others stay where they are."""
    for inner in ast.walk(made):
        if not hasattr(inner, 'lineno') and isinstance(inner, (ast.stmt, ast.expr, ast.arg)):
            inner.lineno = inner.end_lineno = node.lineno
            inner.col_offset = inner.end_col_offset = node.col_offset
    return made


def no_arguments():
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def thunk(expression):
    """`lambda: expression`"""
    return ast.Lambda(no_arguments(), expression)


def operator(name):
    """`ag__.name`"""
    return ast.Attribute(identifier(_AG), name, ast.Load())


def call_operator(name, *arguments):
    """`ag__.name(*arguments)`"""
    return ast.Call(operator(name), list(arguments), [])


def binds(expression):
    """True for a := b inside, which in the lambda of a term would set a name of the lambda."""
    return any(isinstance(node, ast.NamedExpr) for node in ast.walk(expression))
