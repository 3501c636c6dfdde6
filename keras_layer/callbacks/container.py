"""CallbackList: calls the hooks of all callbacks, skipping hooks that are not overridden."""
from __future__ import annotations

from keras_layer.callbacks.base import Callback
from keras_layer.callbacks.basic import BaseLogger, History, ProgbarLogger
from tinyflow.graph.support.errors import misuse

__all__ = ['CallbackList', 'RunningFit', 'configure_callbacks']

_BATCH = {(mode, when): (f'on_{mode}_batch_{when}',
                         *((f'on_batch_{when}',) if mode == 'train' else ()))
          for mode in ('train', 'test', 'predict') for when in ('begin', 'end')}


class CallbackList:
    """Several callbacks as one."""

    def __init__(self, callbacks=None):
        self.model = self.params = None
        self._take(list(callbacks or ()))

    def _take(self, callbacks):
        self.callbacks = callbacks
        for callback in self.callbacks:
            if not hasattr(callback, 'on_train_begin'):
                hint = f'{callback.__name__}()' if isinstance(callback, type) else 'an instance'
                raise misuse(TypeError(f'callbacks: {callback!r} is not a Callback.\n  Hint: '
                                       f'{hint} of a subclass of keras.callbacks.Callback.'))
            if isinstance(callback, type):
                raise misuse(TypeError(f'callbacks: {callback.__name__} is a class.\n  Hint: '
                                       f'{callback.__name__}(...), an object of it.'))
        for index, callback in enumerate(self.callbacks):
            if hasattr(type(callback), '_others'):          # a Monitor
                callback._others = self.callbacks[:index]   # they may add to its logs
        self._hooks = {key: [getattr(c, names[0]) for c in self.callbacks
                             if _overrides_hook(c, names)]
                       for key, names in _BATCH.items()}

    def append(self, callback):
        """Adds a callback, and sets its model and params."""
        self._take([*self.callbacks, callback])
        if self.params is not None:
            callback.set_params(self.params)
        if self.model is not None:
            callback.set_model(self.model)

    def __iter__(self):
        return iter(self.callbacks)

    def set_params(self, params):
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model):
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def call_batch_hooks(self, mode, when, batch, logs):
        """Calls the hooks of a batch; mode: train, test or predict; when: begin or end."""
        for hook in self._hooks[mode, when]:
            hook(batch, logs)

    def on_batch_begin(self, batch, logs=None):
        self.call_batch_hooks('train', 'begin', batch, {} if logs is None else logs)

    def on_batch_end(self, batch, logs=None):
        self.call_batch_hooks('train', 'end', batch, {} if logs is None else logs)

    def on_epoch_begin(self, epoch, logs=None):
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        for callback in self.callbacks:
            callback.on_epoch_end(epoch, logs)


class RunningFit:
    """The callbacks and the batches of the `fit` that runs, as `_running_fit` of its model."""

    def __init__(self, model, callbacks, data):
        self.model, self.callbacks, self.data = model, callbacks, data

    def __enter__(self):
        self._outer = self.model._running_fit       # a callback may call fit
        self.model._running_fit = self
        return self

    def __exit__(self, *error):
        self.model._running_fit = self._outer


def _all(name):
    def call(self, logs=None):
        for callback in self.callbacks:
            getattr(callback, name)({} if logs is None else logs)
    return call


def _of_batches(mode, when):
    def call(self, batch, logs=None):
        self.call_batch_hooks(mode, when, batch, {} if logs is None else logs)
    return call


for _mode in ('train', 'test', 'predict'):
    for _when in ('begin', 'end'):
        setattr(CallbackList, f'on_{_mode}_{_when}', _all(f'on_{_mode}_{_when}'))
        setattr(CallbackList, f'on_{_mode}_batch_{_when}', _of_batches(_mode, _when))


def _overrides_hook(callback, names):
    """True if the callback overrides one of these hooks."""
    return any(name in vars(callback) or getattr(type(callback), name, None)
               is not getattr(Callback, name) for name in names)


def configure_callbacks(callbacks, model, do_validation=False, batch_size=None, epochs=None,
                        steps_per_epoch=None, samples=None, verbose=1, count_mode='samples',
                        mode='train'):
    """The user's callbacks and the default ones, with model and params set."""
    if isinstance(callbacks, CallbackList):
        return callbacks
    callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else \
        [] if callbacks is None else [callbacks]
    stateful = model.metrics_names[1:]
    if mode == 'train':
        model.history = History()
        callbacks = [BaseLogger(stateful), *callbacks, model.history]
    if verbose:
        callbacks.append(ProgbarLogger(count_mode, stateful))
    every = CallbackList(callbacks)
    names = model.metrics_names
    every.set_model(model)
    every.set_params({
        'batch_size': batch_size, 'epochs': epochs, 'steps': steps_per_epoch, 'samples': samples,
        'verbose': verbose, 'do_validation': do_validation,
        'metrics': names + ['val_' + n for n in names] if mode == 'train' and do_validation
        else names if mode != 'predict' else []})
    model.stop_training = False
    return every
