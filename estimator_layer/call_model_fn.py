"""Calls a model_fn: checks its parameters, passes those it takes, checks its result."""
from __future__ import annotations

import functools
import inspect

from estimator_layer.model_fn import EstimatorSpec
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse, why

__all__ = ['call_model_fn', 'check_model_fn', 'parameter_names']

_PARAMETERS = ('features', 'labels', 'mode', 'params', 'self', 'config')


def parameter_names(function):
    """Names of the parameters that can be passed by keyword; () for functions without a signature.

    Excludes *args and **kwargs, and the keywords that a functools.partial binds.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):         # some built-in functions have no signature
        return ()
    bound = function.keywords if isinstance(function, functools.partial) else ()
    return tuple(name for name, parameter in signature.parameters.items() if name not in bound
                 and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD))


def check_model_fn(model_fn, params):
    """Raises ValueError for a model_fn with parameters that an Estimator cannot pass."""
    names = parameter_names(model_fn)
    if 'features' not in names:
        raise misuse(ValueError(
            f'model_fn ({model_fn}) must include features argument.\n  Hint: '
            'def model_fn(features, labels, mode, params):' + why('model-fn-arguments')))
    if params is not None and 'params' not in names:
        raise misuse(ValueError(
            f'model_fn ({model_fn}) does not include params argument, but params ({params}) is '
            'passed to Estimator.'))
    if params is None and 'params' in names:
        logging.warning("Estimator's model_fn (%s) includes params argument, but params are not "
                        'passed to Estimator.', model_fn)
    unknown = [name for name in names if name not in _PARAMETERS]
    if unknown:
        raise misuse(ValueError(
            f'model_fn ({model_fn}) has following not expected args: {unknown}\n  Hint: its '
            'parameters are features, labels, mode, params and config; everything else goes into '
            'params, a dict.'))


def call_model_fn(model_fn, features, labels, mode, params, config):
    """The EstimatorSpec that a model_fn returns for one mode.

    Raises ValueError if there are labels that the model_fn does not take, or if it returns
    anything but an EstimatorSpec.
    """
    names = parameter_names(model_fn)
    arguments = {}
    if 'labels' in names:
        arguments['labels'] = labels
    elif labels is not None:
        raise misuse(ValueError('model_fn does not take labels, but input_fn returns labels.'))
    for name, value in (('mode', mode), ('params', params), ('config', config)):
        if name in names:
            arguments[name] = value
    logging.info('Calling model_fn.')
    spec = model_fn(features=features, **arguments)
    logging.info('Done calling model_fn.')
    if not isinstance(spec, EstimatorSpec):
        raise misuse(ValueError(
            f'model_fn should return an EstimatorSpec.\n  Hint: it returned {spec!r}; '
            'return tf.estimator.EstimatorSpec(mode, ...) in every branch on mode.'))
    return spec
