"""The callbacks that every run has: BaseLogger, History, ProgbarLogger."""
from __future__ import annotations

import numpy as np

from keras_layer.callbacks.base import Callback
from keras_layer.callbacks.curves import add_epoch, curves_svg
from keras_layer.utils.progbar import Progbar

__all__ = ['BaseLogger', 'History', 'ProgbarLogger']

# Whether a single epoch is announced too, and times are for each 'step', not for each 'sample', as
# in Keras 2.1. keras2/enabling.py sets it.
prints_as_keras_2 = False


class BaseLogger(Callback):
    """Averages the logs of an epoch in TF; here the training loop does that, so it does nothing.

    `stateful_metrics` are the metrics that are running values already.
    """

    def __init__(self, stateful_metrics=None):
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or [])


class History(Callback):
    """What `fit` returns: `history` maps each name to its values, one for each epoch.

    In a notebook it is displayed as learning curves.
    """

    def __init__(self):
        super().__init__()
        self.epoch = []
        self.history = {}
        self._drawn = {}                        # history, with NaN for epochs without a value

    def on_train_begin(self, logs=None):
        self.epoch, self.history, self._drawn = [], {}, {}

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        add_epoch(self._drawn, len(self.epoch), logs)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def __repr__(self):
        epochs = len(self.epoch)
        last = ''.join(f', {name}={_short(values[-1])}' for name, values in self.history.items())
        return f'<History: {epochs} epoch{"" if epochs == 1 else "s"}{last}>'

    def _repr_svg_(self):
        return curves_svg(self.epoch, self._drawn) if len(self.epoch) > 1 else None


def _short(value):
    """A number with four significant digits; anything else as text."""
    return f'{value:.4g}' if np.ndim(value) == 0 else str(value)


class ProgbarLogger(Callback):
    """Prints the progress: a live bar in a terminal or notebook, a line for each epoch elsewhere.

    loss is the mean over the epoch's batches, taken while the weights changed, with dropout on
    and with the penalties of regularizers; val_loss is of the weights at the end, with dropout
    off. So loss may well be above val_loss.
    """

    def __init__(self, count_mode='samples', stateful_metrics=None):
        super().__init__()
        self.use_steps = count_mode == 'steps'
        self.stateful_metrics = set(stateful_metrics or [])
        self._bar = None
        self._seen = 0

    def on_train_begin(self, logs=None):
        self.verbose = self.params['verbose']
        self.epochs = self.params['epochs']

    def on_epoch_begin(self, epoch, logs=None):
        self._start()
        if self.verbose:
            if self.epochs > 1 or prints_as_keras_2:
                print(f'Epoch {epoch + 1}/{self.epochs}')

    def _start(self):
        self._seen = 0
        self.target = self.params['steps'] if self.use_steps else self.params['samples']
        self._bar = Progbar(target=self.target, verbose=self.verbose,
                            stateful_metrics=self.stateful_metrics,
                            unit_name='step' if self.use_steps or prints_as_keras_2 else 'sample')

    def on_train_batch_end(self, batch, logs=None):
        self._batch(logs)

    def _batch(self, logs):
        self._seen += 1 if self.use_steps else logs.get('size', 0)
        bar = self._bar
        # The last batch is drawn by on_epoch_end, with the final values, as in TF.
        if bar.wants() and (self.target is None or self._seen < self.target):
            bar.update(self._seen, [(k, logs[k]) for k in self.params['metrics'] if k in logs])
        else:
            bar.add_silently(self._seen, logs, self.params['metrics'])

    def on_epoch_end(self, epoch, logs=None):
        values = [(k, logs[k]) for k in self.params['metrics'] if k in (logs or {})]
        self._bar.finish(self._seen, values)

    # evaluate and predict have one pass

    def on_test_begin(self, logs=None):
        if self._is_standalone:
            self.verbose = self.params['verbose']
            self._start()

    def on_test_batch_end(self, batch, logs=None):
        if self._is_standalone:
            self._batch(logs)

    def on_test_end(self, logs=None):
        if self._is_standalone:
            self._bar.finish(self._seen, [])

    on_predict_begin, on_predict_end = on_test_begin, on_test_end

    def on_predict_batch_end(self, batch, logs=None):
        self._batch(logs)

    @property
    def _is_standalone(self):
        """True for evaluate and predict; False for the validation inside fit."""
        return not getattr(self, 'epochs', None)
