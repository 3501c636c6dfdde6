"""Callbacks that record the logs: CSVLogger, RemoteMonitor."""
from __future__ import annotations

import csv
import json
import os
import warnings

import numpy as np

from keras_layer.callbacks.base import Callback

__all__ = ['CSVLogger', 'RemoteMonitor']


class CSVLogger(Callback):
    """Writes the logs of each epoch as a row of a CSV file."""

    def __init__(self, filename, separator=',', append=False):
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys = self._file = self._writer = None

    def on_train_begin(self, logs=None):
        self._header = not (self.append and os.path.exists(self.filename)
                            and os.path.getsize(self.filename))
        self._file = open(self.filename, 'a' if self.append else 'w', newline='')  # noqa: SIM115
        self._writer = self.keys = None

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
        if self.model.stop_training:        # an epoch without validation has empty cells
            logs = {k: logs.get(k, 'NA') for k in self.keys}
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, ['epoch', *self.keys], delimiter=self.sep)
            if self._header:
                self._writer.writeheader()
        row = {'epoch': epoch}
        for key in self.keys:
            value = logs.get(key, 'NA')
            row[key] = '"[%s]"' % ', '.join(map(str, value)) \
                if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) else value
        self._writer.writerow(row)
        self._file.flush()

    def on_train_end(self, logs=None):
        self._file.close()
        self._writer = None


class RemoteMonitor(Callback):
    """Sends the logs of each epoch as JSON to `root + path` by HTTP POST."""

    def __init__(self, root='http://localhost:9000', path='/publish/epoch/end/', field='data',
                 headers=None, send_as_json=False):
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers, self.send_as_json = headers, send_as_json

    def on_epoch_end(self, epoch, logs=None):
        from urllib import error, parse, request  # start-up time
        data = {'epoch': epoch, **{k: float(v) for k, v in (logs or {}).items()}}
        text = json.dumps(data)
        if self.send_as_json:
            body, kind = text.encode(), 'application/json'
        else:
            body = parse.urlencode({self.field: text}).encode()
            kind = 'application/x-www-form-urlencoded'
        sent = request.Request(self.root + self.path, body,
                               {'Content-Type': kind, **(self.headers or {})})
        try:
            request.urlopen(sent, timeout=10).close()
        except (error.URLError, OSError) as problem:
            warnings.warn(f'Could not reach RemoteMonitor root server at {self.root}: {problem}',
                          stacklevel=2)
