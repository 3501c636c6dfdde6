"""Quantile ops of boosted trees: sketches, bucket boundaries, and bucketizing of features.

BoostedTreesQuantileStreamResourceHandleOp gives a handle, an array of no dimensions that holds the
Session's Quantiles of several features.
"""
from __future__ import annotations

import numpy as np

from estimator_layer.canned.trees.ops.quantile_sketch import Stream, Summary
from estimator_layer.canned.trees.ops.resources import (
    IsInitialized,
    ResourceOp,
    initialized_resource,
)
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.support.resource_handles import SessionHandle


class Quantiles:
    """A stream of values for each feature, and the boundaries of the last flush."""

    def __init__(self):
        self.made = False

    def create(self, error, max_elements, count):
        """Empty streams for `count` features."""
        self._settings = error, max_elements
        self.streams = [Stream(error, max_elements) for _ in range(count)]
        self.boundaries = [np.zeros(0, np.float32) for _ in range(count)]
        self.made = True

    def add(self, summaries):
        """Adds a Summary to each stream."""
        self.check(summaries)
        for stream, summary in zip(self.streams, summaries):
            stream.push_summary(Summary(summary))

    def flush(self, count, equal_parts):
        """Makes boundaries, about `count` for each feature; the streams are reset."""
        for i, stream in enumerate(self.streams):
            summary = stream.finish()
            self.boundaries[i] = summary.quantiles(count - 1) if equal_parts else \
                np.unique(summary.boundaries(count))
        self.streams = [Stream(*self._settings) for _ in self.streams]

    def check(self, items):
        """ValueError unless there is one item for each stream."""
        if len(items) != len(self.streams):
            raise OpFailure(f'{len(items)} features for {len(self.streams)} streams',
                            'num_streams is the number of numeric features.')


class BoostedTreesQuantileStreamResourceHandleOp(SessionHandle):
    """The handle of quantile streams."""

    def state(attrs):
        return boxed(Quantiles())


def _quantiles(handle):
    """The Quantiles; FailedPreconditionError if they are not initialized."""
    return initialized_resource(handle, 'quantile streams are', 'them')


class IsBoostedTreesQuantileStreamResourceInitialized(IsInitialized):
    """True once the streams are initialized."""

    signature = 'quantile_stream_resource_handle: resource -> is_initialized: bool'


class BoostedTreesCreateQuantileStreamResource(ResourceOp):
    """Creates the streams, unless they are initialized."""

    signature = ('quantile_stream_resource_handle: resource, epsilon: float32, '
                 'num_streams: int64 ->')
    attrs = {'max_elements': 1 << 40}

    def kernel(quantile_stream_resource_handle, epsilon, num_streams, *, max_elements):
        quantiles = quantile_stream_resource_handle.item()
        if epsilon <= 0:
            raise OpFailure(f'epsilon must be > 0, not {epsilon}',
                            'it is the error of the quantiles; 0.01 is usual.')
        if not quantiles.made:
            quantiles.create(float(epsilon), max_elements, int(num_streams))


class BoostedTreesMakeQuantileSummaries(Op):
    """The sketch of a batch of each feature. Shapes: [batch] -> [entries, 4]."""

    signature = ('float_values: num_features*float32, example_weights: float32, epsilon: float32 '
                 '-> summaries: num_features*float32')
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(float_values, example_weights, epsilon):
        return [(None, 4)] * len(float_values)

    def kernel(float_values, example_weights, epsilon):
        weights = example_weights.reshape(-1)
        return tuple([_sketch(values.reshape(-1), weights, float(epsilon))
                      for values in float_values])


def _sketch(values, weights, error):
    if len(weights) not in (1, len(values)):
        raise OpFailure(f'{len(weights)} example_weights for {len(values)} values',
                        'one weight for each example, or one for all.')
    stream = Stream(error, len(values) + 1)
    stream.push(values, np.broadcast_to(weights, values.shape) if len(weights) == 1 else weights)
    return stream.finish().entries


class BoostedTreesQuantileStreamResourceAddSummaries(ResourceOp):
    """Adds the sketches of a batch to the streams."""

    signature = ('quantile_stream_resource_handle: resource, '
                 'summaries: num_features*float32 ->')

    def kernel(quantile_stream_resource_handle, summaries):
        _quantiles(quantile_stream_resource_handle).add(summaries)


class BoostedTreesQuantileStreamResourceDeserialize(ResourceOp):
    """Sets the boundaries, as a checkpoint holds them."""

    signature = ('quantile_stream_resource_handle: resource, '
                 'bucket_boundaries: num_streams*float32 ->')

    def kernel(quantile_stream_resource_handle, bucket_boundaries):
        quantiles = _quantiles(quantile_stream_resource_handle)
        quantiles.check(bucket_boundaries)
        quantiles.boundaries = [np.array(b) for b in bucket_boundaries]


class BoostedTreesQuantileStreamResourceFlush(ResourceOp):
    """Computes boundaries from the added summaries."""

    signature = 'quantile_stream_resource_handle: resource, num_buckets: int64 ->'
    attrs = {'generate_quantiles': False}

    def kernel(quantile_stream_resource_handle, num_buckets, *, generate_quantiles):
        _quantiles(quantile_stream_resource_handle).flush(int(num_buckets), generate_quantiles)


class BoostedTreesQuantileStreamResourceGetBucketBoundaries(ResourceOp):
    """The boundaries of each feature. Shapes: -> [boundaries]."""

    signature = ('quantile_stream_resource_handle: resource '
                 '-> bucket_boundaries: num_features*float32')
    attrs = {'num_features': REQUIRED}

    def shape(quantile_stream_resource_handle, *, num_features):
        return [(None,)] * num_features

    def kernel(quantile_stream_resource_handle, *, num_features):
        quantiles = _quantiles(quantile_stream_resource_handle)
        return tuple([b.copy() for b in quantiles.boundaries[:num_features]])


class BoostedTreesBucketize(Op):
    """The bucket of each value: the first boundary that is not below it, at most the last one."""

    signature = ('float_values: num_features*float32, bucket_boundaries: num_features*float32 '
                 '-> buckets: num_features*int32')
    attrs = {'num_features': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(float_values, bucket_boundaries):
        return [None if v is None else (v[0],) for v in float_values]

    def kernel(float_values, bucket_boundaries):
        return tuple([_buckets(v.reshape(-1), b) for v, b in zip(float_values, bucket_boundaries)])


def _buckets(values, boundaries):
    buckets = np.searchsorted(boundaries, values, 'left')
    buckets[np.isnan(values)] = 0
    return np.clip(buckets, 0, max(len(boundaries) - 1, 0)).astype(np.int32)


__all__: list[str] = []
