"""How an Estimator calls a model_fn: its parameters checked, its result checked."""
from __future__ import annotations

import functools
import inspect

from estimator_layer.model_fn import EstimatorSpec
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import worded

__all__ = ['call', 'check', 'parameters']

_KNOWN = ('features', 'labels', 'mode', 'params', 'self', 'config')


def parameters(function):
    """The names of the parameters that a caller fills by name; () where Python cannot tell.

    Without *args and **kwargs, and without what a functools.partial has filled already.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):         # a built-in function tells nothing
        return ()
    filled = function.keywords if isinstance(function, functools.partial) else ()
    return tuple(name for name, parameter in signature.parameters.items() if name not in filled
                 and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD))


def check(model_fn, params):
    """Raises ValueError for a model_fn whose parameters an Estimator could not fill."""
    names = parameters(model_fn)
    if 'features' not in names:
        raise worded(ValueError(
            f'model_fn ({model_fn}) must include features argument.\n  Mend: '
            'def model_fn(features, labels, mode, params):'))
    if params is not None and 'params' not in names:
        raise worded(ValueError(
            f'model_fn ({model_fn}) does not include params argument, but params ({params}) is '
            'passed to Estimator.'))
    if params is None and 'params' in names:
        logging.warning("Estimator's model_fn (%s) includes params argument, but params are not "
                        'passed to Estimator.', model_fn)
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        raise worded(ValueError(
            f'model_fn ({model_fn}) has following not expected args: {unknown}\n  Mend: its '
            'parameters are features, labels, mode, params and config; everything else goes into '
            'params, a dict.'))


def call(model_fn, features, labels, mode, params, config):
    """The EstimatorSpec of one mode.

    Raises ValueError if there are labels that the model_fn does not take, or if it returns
    anything else.
    """
    names = parameters(model_fn)
    given = {}
    if 'labels' in names:
        given['labels'] = labels
    elif labels is not None:
        raise worded(ValueError('model_fn does not take labels, but input_fn returns labels.'))
    for name, value in (('mode', mode), ('params', params), ('config', config)):
        if name in names:
            given[name] = value
    logging.info('Calling model_fn.')
    spec = model_fn(features=features, **given)
    logging.info('Done calling model_fn.')
    if not isinstance(spec, EstimatorSpec):
        raise worded(ValueError(
            f'model_fn should return an EstimatorSpec.\n  Mend: it returned {spec!r}; '
            'return tf.estimator.EstimatorSpec(mode, ...) in every branch on mode.'))
    return spec
