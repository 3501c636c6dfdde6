"""tf.data.experimental.rejection_resample: changes class frequencies by rejecting elements.

With initial probabilities p and wanted ones q, an element of class i is kept with the probability
(q_i / p_i - m) / (M - m), where m and M are the smallest and the largest ratio; and with
probability m an element is kept unconditionally. The combined probabilities are q.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinyflow.data.dataset import Dataset
from tinyflow.data.interleaving import sample_from_datasets
from tinyflow.data.transformations import Transformation
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.ops.array import constants, indexing, shaping
from tinyflow.ops.checks import printing
from tinyflow.ops.control_flow import names
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.random import random_functions

_AT_ONCE = 32               # classes that are counted at a time
_PRIOR = 10                 # examples of each class that are assumed to be seen before


def rejection_resample(class_func: Callable, target_dist: Any, initial_dist: Any = None,
                       seed: Any = None) -> Transformation:
    """For apply(): pairs (class, element), whose classes have the target probabilities.

    class_func(element) is an int32 scalar. Shapes: target_dist, initial_dist [classes]; without
    `initial_dist` it is estimated from the data.
    """
    def transformation(dataset: Dataset) -> Dataset:
        target = convert_to_tensor(target_dist, name='target_dist')
        classes = dataset.map(class_func)
        if initial_dist is None:
            initial = _estimated(target, classes)
            both = initial.map(lambda p: _acceptance(p, target))
            acceptance = both.map(lambda accept, _: accept)
            as_it_comes = both.map(lambda _, share: share)
            share = None
        else:
            known = convert_to_tensor(initial_dist, name='initial_dist')
            accept, least = _acceptance(known, target)
            initial = Dataset.from_tensors(known).repeat()
            acceptance = Dataset.from_tensors(accept).repeat()
            as_it_comes = Dataset.from_tensors(least).repeat()
            share = _static_share(known, target)
        kept = _filtered(dataset, classes, acceptance, initial, seed).prefetch(3)
        if share == 0:
            return kept
        whole = Dataset.zip((classes, dataset))
        if share == 1:
            return whole
        weights = as_it_comes.map(lambda p: convert_to_tensor([(p, 1.0 - p)]))
        return sample_from_datasets([whole, kept], weights=weights, seed=seed)
    return transformation


def _ratio(initial: Any, target: Any) -> Any:
    return target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)


def _acceptance(initial: Any, target: Any) -> tuple[Any, Any]:
    """(the probability to keep an element of each class, the one to keep any element)."""
    ratio = _ratio(initial, target)
    largest, least = reduction.reduce_max(ratio), reduction.reduce_min(ratio)
    return (ratio - least) / (largest - least), least


def _static_share(initial: Any, target: Any) -> float | None:
    p, q = constant_value(initial), constant_value(target)
    return None if p is None or q is None else float(np.min(q / p))


def _estimated(target: Any, classes: Dataset) -> Dataset:
    """The probabilities of the classes, as far as they were seen, for each element."""
    size = target.shape[0].value or constants.shape(target)[0]
    seen = constants.fill([size], np.int64(_PRIOR))

    def count(seen: Any, batch: Any) -> tuple[Any, Any]:
        ones = indexing.one_hot(batch, seen.shape[0].value, dtype=dtypes.int64)
        seen = arithmetic.add(seen, reduction.reduce_sum(ones, 0))
        shares = arithmetic.truediv(seen, reduction.reduce_sum(seen))
        shares = constants.cast(shares, dtypes.float32)
        return seen, shaping.tile(shaping.expand_dims(shares, 0), [_AT_ONCE, 1])

    return classes.batch(_AT_ONCE)._scanned(seen, count).unbatch()


def _filtered(dataset: Dataset, classes: Dataset, acceptance: Dataset, initial: Dataset,
              seed: Any) -> Dataset:
    """Pairs (class, element) of the elements that are kept."""
    def warned(accept: Any, initial: Any) -> Any:
        rejected = reduction.reduce_sum((1 - accept) * initial)
        return names.cond(
            logic.less(rejected, .5), lambda: accept,
            lambda: printing.Print(accept, [rejected, initial, accept],
                                   'Proportion of examples rejected by sampler is high: ',
                                   first_n=10, summarize=100))

    acceptance = Dataset.zip((acceptance, initial)).map(warned)
    triples = Dataset.zip((classes, acceptance, dataset)).map(
        lambda kind, accept, element: (kind, indexing.gather(accept, kind), element))
    kept = triples.filter(lambda _, accept, element:
                          random_functions.random_uniform([], seed=seed) < accept)
    return kept.map(lambda kind, _, element: (kind, element))
