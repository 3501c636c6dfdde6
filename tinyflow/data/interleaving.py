"""Datasets that interleave, sample or choose elements of several datasets."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinyflow.data import structure
from tinyflow.data.dataset import Dataset, DatasetV1Adapter, make
from tinyflow.data.dataset_seeds import seed_tensors
from tinyflow.data.errors import refused
from tinyflow.data.ops import dataset_ops, function_ops
from tinyflow.data.transformations import Transformation
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import shaping
from tinyflow.ops.math import unary
from tinyflow.ops.random import stateless_random


class RandomDataset(DatasetV1Adapter):
    """An infinite sequence of integers in [0, 2^32), as int64 scalars."""

    def __init__(self, seed: Any = None) -> None:
        made = make(dataset_ops.RandomDataset, TensorSpec((), dtypes.int64), *seed_tensors(seed))
        super().__init__(made._variant_tensor, made.element_spec)


def parallel_interleave(map_func: Callable, cycle_length: Any, block_length: Any = 1,
                        sloppy: Any = False, buffer_output_elements: Any = None,
                        prefetch_input_elements: Any = None) -> Transformation:
    """For apply(): the same elements in the same order as Dataset.interleave.

    `sloppy` would let TensorFlow change the order for speed; here it is unchanged.
    """
    def transformation(dataset: Dataset) -> Dataset:
        function = dataset._to_dataset(map_func, 'parallel_interleave()')
        lengths = [convert_to_tensor(value, dtype, name) for value, dtype, name in (
            (cycle_length, dtypes.int64, 'cycle_length'),
            (block_length, dtypes.int64, 'block_length'),
            (sloppy, dtypes.bool, 'sloppy'),
            (2 * block_length if buffer_output_elements is None else buffer_output_elements,
             dtypes.int64, 'buffer_output_elements'),
            (2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements,
             dtypes.int64, 'prefetch_input_elements'))]
        return dataset._calling(function_ops.ParallelInterleaveDataset, function,
                                function.spec.element_spec, *lengths)
    return transformation


def sloppy_interleave(map_func: Callable, cycle_length: Any,
                      block_length: Any = 1) -> Transformation:
    """The same as parallel_interleave."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset) -> Dataset:
    """Elements of `datasets`, selected by the indices in `choice_dataset`."""
    spec = choice_dataset.element_spec
    if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.int64
            and spec.shape.raw in ((), None)):
        raise refused(TypeError('`choice_dataset` must be a dataset of scalar `tf.int64` tensors, '
                                f'not of {spec}.'))
    return _directed(choice_dataset, datasets)


def sample_from_datasets(datasets: Sequence[Dataset], weights: Any = None,
                         seed: Any = None) -> Dataset:
    """Elements of `datasets`, each taken from one at random, by `weights` (default: equal).

    Shapes: weights [len(datasets)], or a dataset of such vectors.
    """
    if isinstance(weights, Dataset):
        drawn_from = weights.map(lambda p: unary.log(p, name='logits'))
        pairs = Dataset.zip((drawn_from, RandomDataset(seed).batch(2)))
        return _directed(pairs.map(_draw), datasets)
    if weights is None:
        logits: Any = [[1.0] * len(datasets)]
    else:
        weights = convert_to_tensor(weights, name='weights')
        if weights.dtype not in (dtypes.float32, dtypes.float64):
            raise refused(TypeError('`weights` must be convertible to a tensor of `tf.float32` or '
                                    f'`tf.float64` elements, not {weights.dtype.name}.'))
        if weights.raw_shape is not None and weights.raw_shape not in ((len(datasets),), (None,)):
            raise refused(ValueError('`weights` must be a vector of length `len(datasets)`, '
                                     f'{len(datasets)}, not {weights.shape}.'))
        logits = shaping.expand_dims(unary.log(weights, name='logits'), 0)
    if len(datasets) == 1:
        return datasets[0]
    selector = RandomDataset(seed).batch(2).map(lambda seed: _draw(logits, seed))
    return _directed(selector, datasets)


def _draw(logits: Any, seed: Any) -> Any:
    drawn = stateless_random.stateless_multinomial(logits, 1, seed=seed)
    return shaping.squeeze(drawn, axis=[0, 1])


def _directed(selector: Dataset, datasets: Sequence[Dataset]) -> Dataset:
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        other = dataset.element_spec
        if not structure.same_structure(spec, other) or \
                structure.flat_types(spec) != structure.flat_types(other):
            raise refused(TypeError(
                'all datasets must have elements of one structure and dtype: '
                f'{datasets[0].output_types} and {dataset.output_types}.'))
        spec = structure.relaxed(spec, other)
    return make(dataset_ops.DirectedInterleaveDataset, spec, selector._variant_tensor,
                [d._variant_tensor for d in datasets], inputs=[selector, *datasets])


__all__ = ['RandomDataset', 'choose_from_datasets', 'parallel_interleave',
           'sample_from_datasets', 'sloppy_interleave']
