"""The ops that tf.data.Options put between a chain of datasets and its iterator.

Two rewrites of TensorFlow's optimizer change the elements, and so are implemented here:
repetitions of a shuffle share one buffer, and transformations without effect are removed before.
"""
from __future__ import annotations

from tinyflow.data.ops.dataset_ops import OF_ELEMENTS, DatasetOp, check_count
from tinyflow.data.runtime import counting, prefetch, shuffling
from tinyflow.graph.object_scalars import boxed


class OptimizeDataset(DatasetOp):
    """The input, rewritten: repetitions of a shuffle share one buffer, as in TensorFlow."""

    signature = 'input_dataset: variant, optimizations: string -> handle: variant'
    attrs = {**OF_ELEMENTS, 'optimization_configs': ()}

    def kernel(input_dataset, optimizations):
        source = input_dataset.item()
        if b'noop_elimination' in optimizations.tolist():
            source = rewritten(source, _without_effect)
        if b'shuffle_and_repeat_fusion' in optimizations.tolist():
            source = rewritten(source, _fused)
        return boxed(source)


def rewritten(source, rule):
    """`source` with `rule` applied to it and to all its inputs, each once."""
    done = {}                           # id of a source -> its replacement
    left = [source]
    while left:
        one = left[-1]
        missing = [s for s in one.inputs if id(s) not in done]
        if missing:
            left += missing
            continue
        left.pop()
        if id(one) in done:
            continue
        inputs = tuple([done[id(s)] for s in one.inputs])
        same = all(new is old for new, old in zip(inputs, one.inputs))
        done[id(one)] = rule(one if same else one.with_inputs(inputs))
    return done[id(source)]


def _without_effect(source):
    kind = type(source)
    if kind is counting.Repeated and source.count == 1 \
            or kind is counting.Taken and source.count < 0 \
            or kind is counting.Skipped and source.count == 0 \
            or kind is prefetch.Prefetched and source.buffer_size == 0:
        return source.inputs[0]
    return source


def _fused(source):
    if type(source) is not counting.Repeated:
        return source
    (shuffled,) = source.inputs
    if type(shuffled) is not shuffling.Shuffled or not shuffled.reshuffle:
        return source
    check_count(source.count)
    return shuffling.Shuffled(*shuffled.inputs, shuffled.buffer_size, shuffled.seed,
                              shuffled.seed2, count=source.count)


class _Setting(DatasetOp, abstract=True):
    def kernel(input_dataset):
        return boxed(input_dataset.item())


class ModelDataset(_Setting):
    """The input; TensorFlow measures it here to choose its threads."""

    attrs = {'algorithm': 0, 'cpu_budget': 0, **OF_ELEMENTS}


class MaxIntraOpParallelismDataset(_Setting):
    """The input; the number of threads inside an op is not limited here."""

    signature = ('input_dataset: variant, max_intra_op_parallelism: int64 -> handle: variant')

    def kernel(input_dataset, max_intra_op_parallelism):
        return boxed(input_dataset.item())


class PrivateThreadPoolDataset(_Setting):
    """The input; each pass has its own threads in any case."""

    signature = 'input_dataset: variant, num_threads: int64 -> handle: variant'

    def kernel(input_dataset, num_threads):
        return boxed(input_dataset.item())
