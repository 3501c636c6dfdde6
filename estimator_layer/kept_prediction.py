"""The model of predict that stays between calls."""
from __future__ import annotations

from estimator_layer.kept_sessions import KeptModel
from estimator_layer.model_fn import ModeKeys
from estimator_layer.predictions import chosen, warn_if_endless

__all__ = ['KeptPrediction']


class KeptPrediction(KeptModel):
    """Yields the predictions of batch after batch."""

    mode = ModeKeys.PREDICT

    def fetched(self):
        predictions = self.spec.predictions
        return list(predictions.values()) if isinstance(predictions, dict) else [predictions]

    def run(self, batches, checkpoint_path, predict_keys):
        try:
            fetches = chosen(self.spec.predictions, predict_keys)
            warn_if_endless(batches.may_end)
            session = self.open(checkpoint_path)
            predict = session.make_callable(fetches, self.feeds)
            for batch in batches:
                yield predict(*batch)
        finally:
            self.leave()
