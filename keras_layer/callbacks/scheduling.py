"""LearningRateScheduler, LambdaCallback, BackupAndRestore."""
from __future__ import annotations

import inspect
import io
import json
import os

import numpy as np

from keras_layer import backend as K
from keras_layer.callbacks.base import Callback
from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.saving import resume
from keras_layer.utils.hdf5 import naming
from tinyflow.data.runtime.state_bytes import decode
from tinyflow.formats.wire import files
from tinyflow.graph.support.errors import misuse

__all__ = ['BackupAndRestore', 'LambdaCallback', 'LearningRateScheduler']


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch to `schedule(epoch)` or `schedule(epoch, lr)`."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        if not hasattr(self.model.optimizer, 'lr'):
            raise misuse(ValueError('Optimizer must have a "lr" attribute.'))
        rate = float(K.get_value(self.model.optimizer.lr))
        rate = self.schedule(epoch, rate) if _takes_two(self.schedule) else self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise misuse(ValueError('The output of the "schedule" function should be float, not '
                                    f'{rate!r}.'))
        K.set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print(f'\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to '
                  f'{rate}.')

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs['lr'] = float(K.get_value(self.model.optimizer.lr))


def _takes_two(function):
    """True if it can be called with two arguments."""
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):         # ValueError: C code without a signature
        return False
    return True


class LambdaCallback(Callback):
    """A callback made of functions, one for each hook."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_batch_begin=None,
                 on_batch_end=None, on_train_begin=None, on_train_end=None, **kwargs):
        super().__init__()
        hooks = {'on_epoch_begin': on_epoch_begin, 'on_epoch_end': on_epoch_end,
                 'on_batch_begin': on_batch_begin, 'on_batch_end': on_batch_end,
                 'on_train_begin': on_train_begin, 'on_train_end': on_train_end, **kwargs}
        for name, function in hooks.items():
            if function is not None:
                setattr(self, name, function)


class BackupAndRestore(Callback):
    """Writes a backup to `backup_dir` after each epoch, and resumes from it after an interruption.

    The backup has the weights, the optimizer's state and the epoch; it is removed when training
    ends normally. Call `fit` again with the same arguments: it resumes at the interrupted epoch,
    with the same bits (docs/resume.md).
    """

    resumed = False                     # whether fit goes on exactly

    def __init__(self, backup_dir):
        super().__init__()
        self.backup_dir = os.fspath(backup_dir)

    @property
    def _path(self):
        return os.path.join(self.backup_dir, 'backup.npz')

    def first_epoch(self, initial_epoch):
        """The epoch to resume at; restores the backup if there is one."""
        self.resumed = False
        if not os.path.exists(self._path):
            return initial_epoch
        saved = load_npz(self._path)
        with naming(self._path, 'it'):
            about = json.loads(str(saved['about']))
            weights = [saved[f'weight_{i}'] for i in range(about['weights'])]
            state = [saved[f'state_{i}'] for i in range(about['state'])]
            epoch = int(about['epoch'])
            exact = decode(saved['exact'].tobytes())['states'] if 'exact' in saved else None
            self.model.set_weights(weights)
            self.model._functions.get('train')
            if state:
                self.model.optimizer.set_weights(state)
        if exact is not None and initial_epoch <= epoch:
            self.resumed = resume.restore(self.model, exact, epoch)
        return max(initial_epoch, epoch + 1)

    def on_epoch_end(self, epoch, logs=None):
        os.makedirs(self.backup_dir, exist_ok=True)
        weights = self.model.get_weights()
        state = self.model.optimizer.get_weights() \
            if hasattr(self.model.optimizer, 'get_weights') else []
        about = json.dumps({'epoch': epoch, 'weights': len(weights), 'state': len(state)})
        arrays = {f'weight_{i}': w for i, w in enumerate(weights)}
        arrays |= {f'state_{i}': w for i, w in enumerate(state)}
        exact = resume.state_at_end(self, epoch, logs)
        exact = None if exact is None else resume.encoded([exact])
        if exact is not None:
            arrays['exact'] = np.frombuffer(exact, np.uint8)
        made = io.BytesIO()
        np.savez(made, about=np.array(about), **arrays)
        files.write_atomically(self._path, made.getbuffer())
        files.remove_abandoned(self.backup_dir)

    def on_train_end(self, logs=None):
        if os.path.exists(self._path):
            os.remove(self._path)
