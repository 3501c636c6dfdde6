"""call_logit_fn: calls a function that computes logits, with the arguments that it accepts."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.call_model_fn import parameter_names
from tinyflow.graph.support.errors import misuse

__all__ = ['call_logit_fn']


def call_logit_fn(logit_fn, features, mode, params, config):
    """The result of logit_fn(features[, mode][, params][, config]): logits, or a dict of logits.

    Raises ValueError for anything else.
    """
    arguments = {'mode': mode, 'params': params, 'config': config}
    accepted = parameter_names(logit_fn)
    logits = logit_fn(features=features, **{k: v for k, v in arguments.items()
                                            if k in accepted})
    by_name = isinstance(logits, dict) and all(
        isinstance(key, str) and isinstance(value, tf.Tensor) for key, value in logits.items())
    if not by_name and not isinstance(logits, tf.Tensor):
        raise misuse(ValueError('logit_fn should return a Tensor or a dictionary mapping strings '
                                f'to Tensors.  logit_fn returned: {logits}'))
    return logits
