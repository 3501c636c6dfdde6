"""tf.contrib.framework: argument scopes, and Variables that belong to a model."""
from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.contrib.framework.argument_scopes import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tinyflow.contrib.framework.model_variables import (
    add_model_variable,
    local_variable,
    model_variable,
    variable,
)

__all__ = ['add_arg_scope', 'add_model_variable', 'arg_scope', 'arg_scope_func_key',
           'arg_scoped_arguments', 'current_arg_scope', 'has_arg_scope', 'local_variable',
           'model_variable', 'variable']

__getattr__ = _absent(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
