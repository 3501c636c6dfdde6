"""make_template: a function that creates its Variables once and shares them between calls."""
from __future__ import annotations

import functools

from tinyflow.graph.defaults import get_collection, get_collection_ref
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.source_location import Site, here
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.eager_variable_store import EagerVariableStore
from tinyflow.ops.variables.variable_scope import variable_scope


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None,
                  **kwargs):
    """Wraps `func_` so that all calls share the Variables which the first one created.

    Its tf.get_variable calls run in a variable scope named `name_` (made unique; `unique_name_`
    is taken as it is), opened at the first call or, with `create_scope_now_`, here. `kwargs` are
    passed to `func_`. ValueError for a trainable Variable that a later call makes.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function with its own Variables; see make_template."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        if name is None:
            raise misuse(ValueError('name cannot be None.'))
        self._func = func
        self._name, self._unique_name = name, unique_name
        self._custom_getter = custom_getter
        self._variables_created = False
        self._variable_scope = None
        self._site = here(3)
        self._store = None              # of the Variables, while ops run at once
        if create_scope_now:
            with variable_scope(unique_name, name, custom_getter=custom_getter,
                                auxiliary_name_scope=False) as scope:
                self._variable_scope = scope

    def __call__(self, *args, **kwargs):
        if not executing_eagerly():
            return self._in_scope(args, kwargs)
        if self._store is None:
            self._store = EagerVariableStore()
        with self._store.as_default():
            return self._in_scope(args, kwargs)

    def _in_scope(self, args, kwargs):
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=self._variables_created):
                return self._call(args, kwargs)
        with variable_scope(self._unique_name, self._name,
                            custom_getter=self._custom_getter) as scope:
            self._variable_scope = scope
            return self._call(args, kwargs)

    def _call(self, args, kwargs):
        before = len(get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
        first, self._variables_created = not self._variables_created, True
        try:
            result = self._func(*args, **kwargs)
        except BaseException as error:
            if first:                   # a call that failed may not have made all of them
                self._variables_created = False
            if error.args and isinstance(error.args[0], str):
                error.args = (error.args[0] + self._defined_at(), *error.args[1:])
            raise
        made = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)[before:]
        if made and not first:
            raise misuse(ValueError(
                'Trainable variable created when calling a template after the first time, perhaps '
                f'you used tf.Variable when you meant tf.get_variable: {made}'
                + self._defined_at()))
        return result

    def _defined_at(self):
        return f'\n\noriginally defined at:\n  {Site(*self._site)}' if self._site else ''

    @property
    def name(self):
        """The name that was given."""
        return self._name

    @property
    def func(self):
        """The function that is called."""
        return self._func

    @property
    def variable_scope(self):
        """The variable scope of the calls; None before the first."""
        return self._variable_scope

    @property
    def variable_scope_name(self):
        """The name of that scope, without a final slash; None before the first call."""
        return self._variable_scope and self._variable_scope.name.rstrip('/')

    def _collected(self, key):
        if self._store is not None:
            return self._kept[key](self._store)
        scope = self.variable_scope_name
        return [] if scope is None else get_collection(key, scope + '/')

    _kept = {GraphKeys.TRAINABLE_VARIABLES: EagerVariableStore.trainable_variables,
             GraphKeys.GLOBAL_VARIABLES: EagerVariableStore.variables,
             GraphKeys.LOCAL_VARIABLES: lambda store: []}

    @property
    def trainable_variables(self):
        """The Variables of its scope that are trained."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def global_variables(self):
        """The Variables of its scope that are saved."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self):
        """The Variables of its scope that are neither trained nor saved."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self):
        """All Variables of its scope."""
        return self.global_variables + self.local_variables

    @property
    def weights(self):
        """Same as `variables`."""
        return self.variables

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """The Variables of its scope that are not trained."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    non_trainable_weights = non_trainable_variables


__all__ = ['Template', 'make_template']
