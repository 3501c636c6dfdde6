"""tf.contrib.slim: the layers, argument scopes, Variables, losses and metrics of tf.contrib as one.

Each name is that of tf.contrib.layers or tf.contrib.framework, and the same object; `evaluation`,
slim's loop over checkpoints, is not implemented.
"""
import importlib as _importlib

from tinyflow.api.contrib import (
    framework as _framework,
    layers as _layers,
    losses,
    metrics,
    model_analyzer,
)
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

_OF_FRAMEWORK = [
    'add_arg_scope', 'add_model_variable', 'arg_scope', 'arg_scoped_arguments',
    'assert_global_step', 'assign_from_checkpoint', 'assign_from_checkpoint_fn',
    'assign_from_values', 'assign_from_values_fn', 'create_global_step', 'current_arg_scope',
    'filter_variables', 'get_global_step', 'get_local_variables', 'get_model_variables',
    'get_or_create_global_step', 'get_trainable_variables', 'get_unique_variable',
    'get_variable_full_name', 'get_variables', 'get_variables_by_name',
    'get_variables_by_suffix', 'get_variables_to_restore', 'global_variable', 'has_arg_scope',
    'local_variable', 'model_variable', 'variable',
]
_INSTEAD = {
    'evaluation': 'tf.metrics, and a loop of sess.run(update_ops)',
    'dataset': 'tf.data', 'queues': 'tf.data', 'prefetch_queue': 'tf.data',
}

# Loaded with the first use.
_LATER = {'learning': 'tinyflow.api.contrib.slim_learning',
          'nets': 'tinyflow.api.contrib.slim_nets'}

globals().update({name: getattr(_layers, name) for name in _layers.__all__})
globals().update({name: getattr(_framework, name) for name in _OF_FRAMEWORK})

__all__ = ['losses', 'metrics', 'model_analyzer']
__all__.extend([*_layers.__all__, *_OF_FRAMEWORK])
_missing = _explain_missing(__name__, __all__)


def __getattr__(name):
    if name in _LATER:
        value = globals()[name] = _importlib.import_module(_LATER[name])
        return value
    if name in _INSTEAD:
        raise _misuse(AttributeError(f'tf.contrib.slim.{name} is not part of tinyflow; use: '
                                     f'{_INSTEAD[name]}.'))
    return _missing(name)


def __dir__():
    return [*__all__, *_LATER]
