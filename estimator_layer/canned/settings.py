"""What the ready-made models share: checks of their arguments, and how Variables are cut."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.graph.support.errors import worded

__all__ = ['checked_features', 'partitioner_of', 'summarize_layer']


def checked_features(features):
    """`features`; ValueError unless they are a dict."""
    if not isinstance(features, dict):
        raise worded(ValueError(
            f'features should be a dictionary of `Tensor`s. Given type: {type(features)}\n'
            "  Mend: the input_fn returns ({'x': x}, labels); feature columns find 'x' by its "
            'key.'))
    return features


def partitioner_of(config, min_slice_size=256 << 10):
    """Variables are cut for parameter servers: in one process each is its own only part."""
    servers = config.num_ps_replicas if config else 0
    return tf.min_max_variable_partitioner(max_partitions=servers, min_slice_size=min_slice_size)


def summarize_layer(value, tag):
    """The summaries of a layer's output: how much of it is zero, and its histogram."""
    tf.summary.scalar(f'{tag}/fraction_of_zero_values', tf.nn.zero_fraction(value))
    tf.summary.histogram(f'{tag}/activation', value)
