"""The cached model of Estimator.predict."""
from __future__ import annotations

from estimator_layer.model_fn import ModeKeys
from estimator_layer.prediction_outputs import select_predictions, warn_if_endless
from estimator_layer.session_cache.cache import CachedModel

__all__ = ['CachedPrediction']


class CachedPrediction(CachedModel):
    """Yields the predictions of each batch."""

    mode = ModeKeys.PREDICT

    def fetches(self):
        predictions = self.spec.predictions
        return list(predictions.values()) if isinstance(predictions, dict) else [predictions]

    def run(self, batches, checkpoint_path, predict_keys):
        try:
            fetches = select_predictions(self.spec.predictions, predict_keys)
            warn_if_endless(batches.may_end)
            session = self.open(checkpoint_path)
            predict = session.make_callable(fetches, self.feeds)
            for batch in batches:
                yield predict(*batch)
        finally:
            self.release()
