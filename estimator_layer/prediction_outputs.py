"""Predictions of an Estimator: selecting keys, splitting batches into examples."""
from __future__ import annotations

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse

__all__ = ['select_predictions', 'single_examples', 'warn_if_endless']


def warn_if_endless(may_end):
    """Warns about an input that never ends, for which predict yields forever."""
    if not may_end:
        logging.warning('Input graph does not use tf.data.Dataset or contain a QueueRunner. That '
                        'means predict yields forever. This is probably a mistake.')


def select_predictions(predictions, keys):
    """The entries of the predictions named by `keys`; all without keys."""
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise misuse(ValueError(
            'predict_keys argument is not valid in case of non-dict predictions.'))
    keys = [keys] if isinstance(keys, str) else keys
    selected = {key: tensor for key, tensor in predictions.items() if key in keys}
    if not selected:
        raise misuse(ValueError(
            f'Expected to run at least one output from {list(predictions)}, provided {keys}.'))
    return selected


def single_examples(batch):
    """The examples of a batch: rows of an array, or dicts of rows of a dict of arrays."""
    if not isinstance(batch, dict):
        return iter(batch)
    return ({key: values[row] for key, values in batch.items()}
            for row in range(_batch_size(batch)))


def _batch_size(batch):
    length = None
    for key, values in batch.items():
        if not getattr(values, 'ndim', 0):
            raise misuse(ValueError(
                f'The prediction {key!r} has no batch dimension.\n  Hint: '
                'yield_single_examples=False, or omit it: predict_keys=[...].'))
        length = length if length is not None else len(values)
        if len(values) != length:
            raise misuse(ValueError(
                f'Batch length of predictions should be same. {key} has different batch length '
                'than others.\n  Hint: yield_single_examples=False, or choose keys: '
                'predict_keys=[...].'))
    return length or 0
