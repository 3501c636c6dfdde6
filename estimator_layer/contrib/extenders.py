"""tf.contrib.estimator: forward_features and clip_gradients_by_norm."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.estimator import Estimator
from estimator_layer.export.export_output import PredictOutput
from tinyflow.graph.support.errors import misuse

__all__ = ['clip_gradients_by_norm', 'forward_features']


def forward_features(estimator, keys=None, sparse_default_values=None):
    """A new Estimator of the same model_dir whose predictions contain features, too.

    `keys` is a key or a list of keys; None: all features. `sparse_default_values` {key: value}
    fills the missing values of a SparseTensor. Raises ValueError for a feature that is missing, is
    sparse without such a value, or has the key of a prediction.
    """
    keys = _checked_keys(keys)

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if spec.predictions is None:
            return spec
        if not isinstance(spec.predictions, dict):
            raise misuse(ValueError('Predictions should be a dict to be able to forward features. '
                                    f'Given: {type(spec.predictions)}'))
        added = {key: _dense(key, features, spec.predictions, sparse_default_values or {})
                 for key in (features if keys is None else keys)}
        outputs = {name: _with_features(output, added, name)
                   for name, output in (spec.export_outputs or {}).items()}
        return spec._replace(predictions={**spec.predictions, **added},
                             export_outputs=outputs or spec.export_outputs)
    return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _checked_keys(keys):
    if isinstance(keys, str):
        return [keys]
    if keys is not None and not (isinstance(keys, (list, tuple))
                                 and all(isinstance(key, str) for key in keys)):
        raise misuse(TypeError('keys should be either a string or a list of strings. Given: '
                               f'{keys!r}'))
    return keys


def _dense(key, features, predictions, default_values):
    if key not in features:
        raise misuse(ValueError(f'Key "{key}" is not in features dict. features dict has '
                                f'following keys: {sorted(features)}.'))
    if key in predictions:
        raise misuse(ValueError(
            f'Cannot forward feature key ({key}). Since it does exist in predictions. Existing '
            f'prediction keys: {sorted(predictions)}.'))
    feature = features[key]
    if key in default_values:
        if not isinstance(feature, tf.SparseTensor):
            raise misuse(ValueError(f'Feature ({key}) is expected to be a `SparseTensor`.'))
        return tf.sparse_tensor_to_dense(feature, default_value=default_values[key])
    if isinstance(feature, tf.SparseTensor):
        raise misuse(ValueError(f'Feature ({key}) should be a Tensor.\n  Hint: keys=[...] without '
                                f'it, or sparse_default_values={{{key!r}: ...}}.'))
    return tf.convert_to_tensor(feature)


def _with_features(output, added, name):
    if name in ('predict', 'serving_default') and isinstance(output, PredictOutput):
        return PredictOutput({**output.outputs, **added})
    return output


def clip_gradients_by_norm(optimizer, clip_norm):
    """An optimizer that clips the gradients to the global norm `clip_norm` and applies them.

    Pascanu et al. 2013, "On the difficulty of training recurrent neural networks".
    """
    return _ClipByNorm(optimizer, clip_norm)


class _ClipByNorm(tf.train.Optimizer):
    """An optimizer that clips gradients before a wrapped optimizer applies them."""

    def __init__(self, optimizer, clip_norm):
        super().__init__(False, 'ClipByNorm' + optimizer.get_name())
        self._optimizer, self._clip_norm = optimizer, clip_norm

    def compute_gradients(self, *args, **kwargs):
        """The gradients of the wrapped optimizer, not clipped."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Clips the gradients and applies them."""
        gradients, variables = zip(*grads_and_vars)
        gradients = tf.clip_by_global_norm(gradients, self._clip_norm)[0]
        return self._optimizer.apply_gradients(list(zip(gradients, variables)), global_step, name)

    def get_slot(self, *args, **kwargs):
        """A slot of the wrapped optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """The names of the slots of the wrapped optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)
