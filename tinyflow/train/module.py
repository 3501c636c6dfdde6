"""tf.Module: an object that finds the Variables in its attributes."""
from __future__ import annotations

import functools
import re

from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable_base import VariableBase
from tinyflow.train.checkpoints.object_graph import is_trackable

__all__ = ['Module']


class Module:
    """Base class of objects with Variables and other Modules as attributes.

    ``class Dense(tf.Module): ...``. They may be in lists, tuples and dicts, too. Checkpoints save
    a Module by its attributes. Raises ValueError for a name that is no Python identifier.
    """

    def __init__(self, name=None):
        if name is None:
            name = _snake_case(type(self).__name__)
        if not name.isidentifier():
            raise misuse(ValueError(f'{name!r} is not a valid module name. Module names must be '
                                    'valid Python identifiers (e.g. a valid class name).'))
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        return self._name

    @property
    def name_scope(self):
        """The scope of this Module: ``with self.name_scope:`` names what is made inside."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple:
        """The Variables of this Module and of those in it, by the names of attributes."""
        return tuple(self._found(_is_variable))

    @property
    def trainable_variables(self) -> tuple:
        """Those of the Variables that optimizers change."""
        return tuple(self._found(lambda v: _is_variable(v) and v.trainable))

    @property
    def non_trainable_variables(self) -> tuple:
        """The other Variables."""
        return tuple(self._found(lambda v: _is_variable(v) and not v.trainable))

    @property
    def submodules(self) -> tuple:
        """The Modules in this one, at any depth."""
        return tuple(self._found(lambda v: isinstance(v, Module)))

    def _found(self, wanted):
        """What is `wanted` in the attributes: first of this object, then of the Modules in it."""
        found, seen, level = [], {id(self)}, [self]
        while level:
            following = []
            for owner in level:
                for name in sorted(vars(owner)):
                    for value in _leaves(vars(owner)[name]):
                        if id(value) in seen:
                            continue
                        seen.add(id(value))
                        if wanted(value):
                            found.append(value)
                        if isinstance(value, Module) or hasattr(value, 'trainable_weights'):
                            following.append(value)
            level = following
        return found

    @property
    def _checkpoint_dependencies(self):
        return [(name, value) for name, value in sorted(vars(self).items())
                if name not in ('_name', '_scope_name') and is_trackable(value)]

    @classmethod
    def with_name_scope(cls, method):
        """A decorator: what the method makes is in the name scope of its Module."""
        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return scoped


def _snake_case(name):
    return re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])', '_', name).lower()


def _is_variable(value):
    return isinstance(value, VariableBase)


def _leaves(value):
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
