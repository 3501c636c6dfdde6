"""call_logit_fn: the part of a model below its head, called with what it asks for."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.calling import parameters
from tinyflow.graph.support.errors import worded

__all__ = ['call_logit_fn']


def call_logit_fn(logit_fn, features, mode, params, config):
    """What logit_fn(features[, mode][, params][, config]) returns: logits, or a dict of logits.

    Raises ValueError if it is neither.
    """
    given = {'mode': mode, 'params': params, 'config': config}
    taken = parameters(logit_fn)
    logits = logit_fn(features=features, **{k: v for k, v in given.items() if k in taken})
    by_name = isinstance(logits, dict) and all(
        isinstance(key, str) and isinstance(value, tf.Tensor) for key, value in logits.items())
    if not by_name and not isinstance(logits, tf.Tensor):
        raise worded(ValueError('logit_fn should return a Tensor or a dictionary mapping strings '
                                f'to Tensors.  logit_fn returned: {logits}'))
    return logits
