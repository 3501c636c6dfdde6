"""Callback: base class with the hooks of the training loop."""
from __future__ import annotations

from typing import Any

__all__ = ['Callback']


class Callback:
    """Base of callbacks. Each hook gets the logs so far, a dict it may add to.

    `self.model` is the model, `self.params` has epochs, steps, samples, batch_size, verbose,
    do_validation and metrics. `self.model.stop_training = True` ends training after this batch.

    Order: on_train_begin; for each epoch on_epoch_begin, for each batch on_train_batch_begin and
    on_train_batch_end, then the validation (on_test_begin, on_test_batch_..., on_test_end),
    on_epoch_end; on_train_end.
    """

    def __init__(self):
        self.validation_data: Any = None
        self.model: Any = None
        self.params: Any = None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def set_validation_data(self, data):
        self.validation_data = data

    def on_train_begin(self, logs=None):
        """Called once, before the first epoch."""

    def on_train_end(self, logs=None):
        """Called once, after the last epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        """Called before each epoch of fit."""

    def on_epoch_end(self, epoch, logs=None):
        """Called after each epoch and its validation; logs has loss, metrics and val_...."""

    def on_batch_begin(self, batch, logs=None):
        """Deprecated name of on_train_batch_begin."""

    def on_batch_end(self, batch, logs=None):
        """Deprecated name of on_train_batch_end."""

    def on_train_batch_begin(self, batch, logs=None):
        """Called before each batch of fit."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        """Called after each batch of fit; logs has batch, size, loss and metrics."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs=None):
        """Called before evaluation, and before the validation in fit."""

    def on_test_end(self, logs=None):
        """Called after evaluation."""

    def on_test_batch_begin(self, batch, logs=None):
        """Called before each batch of evaluation."""

    def on_test_batch_end(self, batch, logs=None):
        """Called after each batch of evaluation."""

    def on_predict_begin(self, logs=None):
        """Called before prediction."""

    def on_predict_end(self, logs=None):
        """Called after prediction."""

    def on_predict_batch_begin(self, batch, logs=None):
        """Called before each batch of prediction."""

    def on_predict_batch_end(self, batch, logs=None):
        """Called after each batch of prediction."""
