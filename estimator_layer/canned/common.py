"""Common helpers of the canned models: check of features, partitioner, layer summaries."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.graph.support.errors import misuse

__all__ = ['check_features', 'get_partitioner', 'summarize_layer']


def check_features(features):
    """`features`; ValueError unless they are a dict."""
    if not isinstance(features, dict):
        raise misuse(ValueError(
            f'features should be a dictionary of `Tensor`s. Given type: {type(features)}\n'
            "  Hint: the input_fn returns ({'x': x}, labels); feature columns look up 'x' by its "
            'key.'))
    return features


def get_partitioner(config, min_slice_size=256 << 10):
    """The partitioner for parameter servers: in one process each Variable has a single part."""
    servers = config.num_ps_replicas if config else 0
    return tf.min_max_variable_partitioner(max_partitions=servers, min_slice_size=min_slice_size)


def summarize_layer(value, tag):
    """Summaries of the output of a layer: fraction of zeros, histogram."""
    tf.summary.scalar(f'{tag}/fraction_of_zero_values', tf.nn.zero_fraction(value))
    tf.summary.histogram(f'{tag}/activation', value)
