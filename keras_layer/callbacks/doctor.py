"""Doctor: the training doctor as a callback."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.callbacks.base import Callback

__all__ = ['Doctor']


class Doctor(Callback):
    """Looks at the training while `fit` runs, and logs what it finds at the end.

    Finds dead ReLUs, saturated units, vanishing and exploding gradients, a learning rate that is
    too high or too low, inputs and labels on odd scales, a loss that does not move, the origin of a
    NaN, and more: docs/warnings.md lists the ids. Every `every`-th batch is sampled. `report()`
    gives the findings at any time.

    Only in tinyflow.
    """

    def __init__(self, every=50):
        super().__init__()
        self.every = every
        self._watched = None

    def on_train_begin(self, logs=None):
        from tinyflow.inspect.doctor.training import WatchedSession  # start-up time
        self._watched = WatchedSession(K.get_session(graph=self.model._graph), self.every)
        self._watched.__enter__()
        self._renew_call()

    def on_train_end(self, logs=None):
        self._watched.__exit__()
        self._renew_call()
        for finding in self.report():
            tf.logging.warning('%s', finding)

    def _renew_call(self):
        """The training function asks the Session again for what it calls."""
        made = self.model._functions.made('train')
        if made is not None:
            made.forget_session()

    def report(self):
        """What was found so far: a report that prints, with `findings` and `as_document()`."""
        return self._watched.report()
