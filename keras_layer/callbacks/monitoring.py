"""Callbacks that monitor a value: EarlyStopping, ModelCheckpoint, ReduceLROnPlateau ..."""
from __future__ import annotations

import os
import re
import warnings
from typing import Any

import numpy as np

from keras_layer import backend as K
from keras_layer.callbacks.base import Callback
from tinyflow.formats.wire import files
from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.keywords import constructor_keywords, nearest_keyword
from tinyflow.train.checkpoints.exact_resume import resume_file

__all__ = ['EarlyStopping', 'ModelCheckpoint', 'ReduceLROnPlateau', 'TerminateOnNaN']

# metrics=['accuracy'] is reported as acc by TF 1 and as accuracy by TF 2; both are understood.
_SAME = {'acc': 'accuracy', 'accuracy': 'acc'}


class Monitor(Callback):
    """Base of callbacks that compare a value of the logs from epoch to epoch."""

    def __init__(self, monitor, mode, min_delta=0.):
        super().__init__()
        self.monitor = monitor
        if mode not in ('auto', 'min', 'max'):
            warnings.warn(f'{type(self).__name__} mode {mode} is unknown, fallback to auto mode.',
                          RuntimeWarning, stacklevel=3)
            mode = 'auto'
        higher = mode == 'max' or mode == 'auto' and (
            'acc' in monitor or monitor.startswith('fmeasure') or 'auc' in monitor.lower())
        self.monitor_op = np.greater if higher else np.less
        self.min_delta = abs(min_delta) * (1 if higher else -1)
        self._worst = -np.inf if higher else np.inf

    def on_train_begin(self, logs=None):
        """Raises ValueError before the first epoch if the value will never be reported."""
        known = list((self.params or {}).get('metrics') or ())
        names = self._names()
        own = {n for n in known if not n.startswith('val_')}
        plain = self.monitor.removeprefix('val_')
        if any(n in known for n in names) or not known or self.monitor == 'lr':
            return
        if self.monitor.startswith('val_') and any(n.removeprefix('val_') in own for n in names):
            raise misuse(ValueError(
                f"{type(self).__name__}(monitor='{self.monitor}'): there is no validation, so "
                'there is no such value.\n  Hint: fit(..., validation_data=(x, y)) or '
                f"validation_split=0.1, or monitor='{plain}'. Known: {known}."
                + why('keras-monitor')))
        if not self._custom_logs():
            raise misuse(ValueError(
                f"{type(self).__name__}(monitor='{self.monitor}'): the model reports no such "
                f'value. Known: {known}.\n  Hint: one of those, or add the metric to compile.'
                + why('keras-monitor')))

    _others: Any = ()               # the callbacks before it, as set by a CallbackList

    def _custom_logs(self):
        """True if a custom callback could add the value to the logs."""
        return any('on_epoch_end' in vars(c)                # a LambdaCallback's function
                   or type(c).__module__.partition('.')[0] != 'keras_layer'
                   and type(c).on_epoch_end is not Callback.on_epoch_end
                   for c in self._others)

    def _names(self):
        prefix = 'val_' if self.monitor.startswith('val_') else ''
        plain = self.monitor.removeprefix('val_')
        names = [self.monitor]
        for short, long in _SAME.items():
            if plain == short:
                names.append(prefix + long)
            elif plain.endswith('_' + short):
                names.append(prefix + plain[:-len(short)] + long)
        return names

    def current(self, logs):
        """The monitored value, or None with a warning."""
        for name in self._names():
            if name in (logs or {}):
                return logs[name]
        warnings.warn(f'{type(self).__name__} conditioned on `{self.monitor}` which is not '
                      f'available. Available are: {",".join(logs or {})}', RuntimeWarning,
                      stacklevel=3)
        return None

    def better(self, value, best):
        """True if the value is better than the best by more than min_delta."""
        return self.monitor_op(value - self.min_delta, best)


class EarlyStopping(Monitor):
    """Stops training when the monitored value has not improved for `patience` epochs.

    `baseline` is a value to improve on; with `restore_best_weights` the model gets the weights of
    the best epoch afterwards.
    """

    def __init__(self, monitor='val_loss', min_delta=0, patience=0, verbose=0, mode='auto',
                 baseline=None, restore_best_weights=False):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.wait = self.stopped_epoch = 0
        self.best_weights = None

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        self.wait = self.stopped_epoch = 0
        self.best = self._worst if self.baseline is None else self.baseline
        self.best_weights = None

    def resume_state(self):
        """What is resumed with the training."""
        return {'best': self.best, 'wait': self.wait, 'weights': self.best_weights}

    def set_resume_state(self, state):
        """Goes on from `resume_state`; training that had stopped does not begin again."""
        self.best, self.wait, self.best_weights = state['best'], state['wait'], state['weights']
        if self.wait >= self.patience and self.wait:
            self.model.stop_training = True

    def on_epoch_end(self, epoch, logs=None):
        current = self.current(logs)
        if current is None:
            return
        if self.better(current, self.best):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights and self.best_weights is not None:
                if self.verbose > 0:
                    print('Restoring model weights from the end of the best epoch.')
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f'Epoch {self.stopped_epoch + 1:05d}: early stopping')


class ModelCheckpoint(Monitor):
    """Saves the model (or its weights) after each epoch, or when the monitored value improved.

    `filepath` may contain {epoch} and names of the logs: 'w.{epoch:02d}-{val_loss:.2f}.h5'.
    `save_freq` is 'epoch' or a number of samples. With `load_weights_on_restart` training begins
    with the weights of the newest file of that name, if there is one.

    Next to the file of an epoch is a small one, `.resume`: a `fit` with these weights, a
    ModelCheckpoint of the same filepath and `initial_epoch` goes on with the same bits
    (docs/resume.md).
    """

    def __init__(self, filepath, monitor='val_loss', verbose=0, save_best_only=False,
                 save_weights_only=False, mode='auto', save_freq='epoch', **kwargs):
        super().__init__(monitor, mode)
        self.filepath, self.verbose = os.fspath(filepath), verbose
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.period = kwargs.pop('period', 1)
        self.load_weights_on_restart = kwargs.pop('load_weights_on_restart', False)
        if kwargs:
            raise misuse(TypeError(f'ModelCheckpoint: unknown arguments {sorted(kwargs)}'))
        if save_freq != 'epoch' and not isinstance(save_freq, int):
            raise misuse(ValueError(f'Unrecognized save_freq: {save_freq}'))
        self.save_freq = save_freq
        self.best = self._worst
        self._epochs_since = self._samples_since = self._epoch = 0
        self._written = None                # the path that was saved last

    def set_model(self, model):
        super().set_model(model)
        if not model._is_graph_network and type(model).__name__ != 'Sequential':
            self.save_weights_only = True           # a subclassed model has no configuration

    def on_train_begin(self, logs=None):
        if self.save_best_only:
            super().on_train_begin(logs)
        folder = os.path.dirname(self.filepath.partition('{')[0])
        if folder:
            os.makedirs(folder, exist_ok=True)
        if self.load_weights_on_restart:
            newest = _newest(self.filepath)
            if newest is not None:
                self.model.load_weights(newest)

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_batch_end(self, batch, logs=None):
        if isinstance(self.save_freq, int):
            self._samples_since += (logs or {}).get('size', 1)
            if self._samples_since >= self.save_freq:
                self._save(self._epoch, logs, ended=False)
                self._samples_since = 0

    def on_epoch_end(self, epoch, logs=None):
        self._epochs_since += 1
        if self.save_freq == 'epoch' and self._epochs_since >= self.period:
            self._epochs_since = 0
            self._save(epoch, logs)

    def resume_after(self, epoch):
        """Resumes the training exactly, if the state after that epoch was saved; True if so."""
        from keras_layer.saving import resume  # start-up time
        unused = []
        for file in _matching(resume_file(self.filepath), numbers=True):
            path = file.removesuffix(resume_file(''))
            states = resume.read(path)
            restored = resume.restore(self.model, states, epoch) if states else False
            if restored:
                self._tidy(path)
                return True
            unused += [(path, states)] if restored is None else []
        for path, states in unused:
            resume.say_unused(path, states, epoch)
        return False

    def resume_state(self):
        """What is resumed with the training."""
        return {'best': self.best, 'epochs': self._epochs_since, 'samples': self._samples_since}

    def set_resume_state(self, state):
        """Goes on from `resume_state`."""
        self.best, self._epochs_since = state['best'], state['epochs']
        self._samples_since = state['samples']

    def _save(self, epoch, logs, ended=True):
        logs = logs or {}
        try:
            path = self.filepath.format(epoch=epoch + 1, **logs)
        except KeyError as error:
            raise misuse(KeyError(f'Failed to format this callback filepath: "{self.filepath}". '
                                  f'Reason: {error}; the logs have {list(logs)}.')) from None
        if self.save_best_only:
            current = self.current(logs)
            if current is None:
                return
            if not self.better(current, self.best):
                if self.verbose > 0:
                    print(f'\nEpoch {epoch + 1:05d}: {self.monitor} did not improve from '
                          f'{self.best:0.5f}')
                return
            if self.verbose > 0:
                print(f'\nEpoch {epoch + 1:05d}: {self.monitor} improved from {self.best:0.5f} to '
                      f'{current:0.5f}, saving model to {path}')
            self.best = current
        elif self.verbose > 0:
            print(f'\nEpoch {epoch + 1:05d}: saving model to {path}')
        if ended:                               # before the weights, so that these have a state
            from keras_layer.saving import resume  # start-up time
            state = resume.state_at_end(self, epoch, logs)
            if state is not None:
                resume.write(path, state)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)
        if ended:
            self._tidy(path)

    def _tidy(self, path):
        """Removes the states of other epochs than that of `path`, and what a kill left."""
        written = [resume_file(self._written)] if self._written is not None else \
            _matching(resume_file(self.filepath), numbers=True)     # those before a restart
        for other in written:
            if os.path.normpath(other) != os.path.normpath(resume_file(path)):
                files.remove(other)
        self._written = path
        files.remove_abandoned(os.path.dirname(path))


_NUMBER = r' *[-+]?(\d[\d.,]*([eE][-+]?\d+)?|nan|inf)%?'


def _newest(pattern):
    """The path of the newest file or checkpoint that matches `pattern`, or None."""
    found = _matching(pattern, r'(\.index)?')
    found = [path for path in found if not re.search(r'\.data-\d+-of-\d+$', path)
             and not path.endswith(resume_file('')) and not files.is_temporary(path)]
    if not found:
        return None
    newest = max(found, key=lambda path: (os.path.getmtime(path), path))
    return newest.removesuffix('.index')


def _matching(pattern, end='', numbers=False):
    """The paths of the files whose names are `pattern` with any text for {...}.

    With `numbers`, only digits for {epoch} and one number for each other, since there may be
    another ModelCheckpoint in the folder: 'w-best.h5' is no file of 'w-{epoch}.h5'.
    """
    folder, name = os.path.split(pattern)
    if not os.path.isdir(folder or '.'):
        return []
    parts = re.split(r'({[^}]*})', name)
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = ['.*' if not numbers else r' *\d+' if re.match(r'{epoch\b', field) else _NUMBER
                   for field in parts[1::2]]
    like = re.compile(''.join(parts) + end)
    return [os.path.join(folder, n) for n in os.listdir(folder or '.') if like.fullmatch(n)]


class ReduceLROnPlateau(Monitor):
    """Multiplies the learning rate by `factor` if the value does not improve for `patience` epochs.

    `epsilon` is the older name of `min_delta`. TypeError for other keyword arguments.
    """

    def __init__(self, monitor='val_loss', factor=0.1, patience=10, verbose=0, mode='auto',
                 min_delta=1e-4, cooldown=0, min_lr=0, **kwargs):
        if factor >= 1.0:
            raise misuse(ValueError('ReduceLROnPlateau does not support a factor >= 1.0.'))
        super().__init__(monitor, mode, kwargs.pop('epsilon', min_delta))
        if kwargs:
            known = constructor_keywords(ReduceLROnPlateau)
            raise misuse(TypeError(f'ReduceLROnPlateau: unknown arguments {sorted(kwargs)}'
                                   + nearest_keyword(min(kwargs), known)))
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self._reset()

    def _reset(self):
        self.best, self.wait, self.cooldown_counter = self._worst, 0, 0

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        self._reset()

    def resume_state(self):
        """What is resumed with the training."""
        return {'best': self.best, 'wait': self.wait, 'cooldown': self.cooldown_counter}

    def set_resume_state(self, state):
        """Goes on from `resume_state`."""
        self.best, self.wait = state['best'], state['wait']
        self.cooldown_counter = state['cooldown']

    def in_cooldown(self):
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch, logs=None):
        logs = {} if logs is None else logs
        logs['lr'] = float(K.get_value(self.model.optimizer.lr))
        current = self.current(logs)
        if current is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.better(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                old = float(K.get_value(self.model.optimizer.lr))
                if old > self.min_lr:
                    new = max(old * self.factor, self.min_lr)
                    K.set_value(self.model.optimizer.lr, new)
                    if self.verbose > 0:
                        print(f'\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate '
                              f'to {new}.')
                    self.cooldown_counter, self.wait = self.cooldown, 0


class TerminateOnNaN(Callback):
    """Ends training as soon as a loss is NaN or infinite."""

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get('loss')
        if loss is not None and not np.isfinite(loss):
            print(f'Batch {batch}: Invalid loss, terminating training')
            self.model.stop_training = True
