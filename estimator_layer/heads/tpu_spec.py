"""The base of all heads: one that makes specs for TPUs only works on a CPU, too."""
from __future__ import annotations

__all__ = ['HeadWithTPUSpec']


class HeadWithTPUSpec:
    """A head defines create_estimator_spec, or _create_tpu_estimator_spec."""

    _base = '_Head'                 # the name of this class in TensorFlow

    def create_estimator_spec(self, *args, **kwargs):
        """The EstimatorSpec of a mode. NotImplementedError if the head defines neither."""
        try:
            spec = self._create_tpu_estimator_spec(*args, **kwargs)
        except NotImplementedError:
            raise NotImplementedError(
                f'Subclasses of {self._base} must implement `create_estimator_spec()` or '
                '_create_tpu_estimator_spec().') from None
        return spec.as_estimator_spec()

    def _create_tpu_estimator_spec(self, *args, **kwargs):
        raise NotImplementedError('TPUEstimatorSpec not available for this model head.')
