"""tensorflow.python.util: small helpers that copied parts of TensorFlow import."""
from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections import namedtuple
from collections.abc import MutableMapping, MutableSet

from tinyflow.graph.support.errors import misuse

__all__ = ['ArgSpec', 'LazyLoader', 'ObjectIdentityDictionary', 'ObjectIdentitySet',
           'estimator_export', 'getargspec', 'keras_export', 'keyword_args_only', 'make_all',
           'must_use_result_or_fatal', 'remove_undocumented', 'should_use_result', 'tf_export']

ArgSpec = namedtuple('ArgSpec', 'args varargs keywords defaults')


def getargspec(function):
    """(args, varargs, keywords, defaults) of a function."""
    found = inspect.getfullargspec(function)
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


class tf_export:                                # noqa: N801 - TF's name
    """A decorator that leaves its class or function as it is: nothing is exported."""

    def __init__(self, *names, **options):
        self.names = names

    def __call__(self, function):
        return function

    def export_constant(self, module_name, name):
        """Does nothing."""


estimator_export = keras_export = tf_export


def should_use_result(function=None, **options):
    """The function as it is; results that are not used are no error."""
    return should_use_result if function is None else function


must_use_result_or_fatal = should_use_result


def keyword_args_only(function):
    """The function, which refuses positional arguments with a ValueError."""
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if args:
            raise misuse(ValueError(f'Must use keyword args to call {function.__name__}.'))
        return function(**kwargs)
    return wrapper


class LazyLoader(types.ModuleType):
    """A module that is imported when one of its names is used."""

    def __init__(self, local_name, parent_module_globals, name):
        super().__init__(name)
        self._local_name, self._parent = local_name, parent_module_globals

    def __getattr__(self, name):
        module = importlib.import_module(self.__name__)
        self._parent[self._local_name] = module
        return getattr(module, name)


def make_all(module_name, doc_string_modules=None):
    """The public names of a module."""
    return [name for name in vars(importlib.import_module(module_name)) if not name.startswith('_')]


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Leaves a module as it is."""


class ObjectIdentitySet(MutableSet):
    """A set of objects that are the same only if they are one object."""

    def __init__(self, items=()):
        self._items = {id(item): item for item in items}

    def __contains__(self, item):
        return id(item) in self._items

    def __iter__(self):
        return iter(list(self._items.values()))

    def __len__(self):
        return len(self._items)

    def add(self, item):
        """Adds an object."""
        self._items[id(item)] = item

    def discard(self, item):
        """Takes an object out, if it is there."""
        self._items.pop(id(item), None)


class ObjectIdentityDictionary(MutableMapping):
    """A dict whose keys are the same only if they are one object."""

    def __init__(self, items=()):
        self._items = {}
        self.update(items)

    def __getitem__(self, key):
        return self._items[id(key)][1]

    def __setitem__(self, key, value):
        self._items[id(key)] = key, value

    def __delitem__(self, key):
        del self._items[id(key)]

    def __iter__(self):
        return iter([key for key, _ in self._items.values()])

    def __len__(self):
        return len(self._items)
