"""Callbacks that write down what happens: CSVLogger, RemoteMonitor, TensorBoard."""
from __future__ import annotations

import csv
import json
import os
import warnings

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.callbacks.base import Callback

__all__ = ['CSVLogger', 'RemoteMonitor', 'TensorBoard']


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
        if self.model.stop_training:        # an epoch without validation still fills its row
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
        from urllib import error, parse, request
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


class TensorBoard(Callback):
    """Writes the logs as event files that TensorBoard shows: scalars, histograms, the graph.

    `update_freq` is 'epoch', 'batch' or a number of samples; `histogram_freq` every how many
    epochs the weights are written as histograms (0: never).
    """

    def __init__(self, log_dir='./logs', histogram_freq=0, batch_size=32, write_graph=True,
                 write_grads=False, write_images=False, embeddings_freq=0,
                 embeddings_layer_names=None, embeddings_metadata=None, embeddings_data=None,
                 update_freq='epoch', profile_batch=2):
        super().__init__()
        if write_grads or write_images or embeddings_freq:
            raise NotImplementedError('TensorBoard: write_grads, write_images and embeddings are '
                                      'not in tinyflow; tf.summary writes them from a graph.')
        self.log_dir, self.histogram_freq = os.fspath(log_dir), histogram_freq
        self.write_graph = write_graph
        self.update_freq = 1 if update_freq == 'batch' else update_freq
        self._writer = None
        self._samples = self._written = self._batches = 0

    def on_train_begin(self, logs=None):
        graph = self.model._graph if self.write_graph else None
        with self.model._graph.as_default():
            self._writer = tf.summary.FileWriter(self.log_dir, graph)

    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        self._samples += logs.get('size', 1)
        if self.update_freq != 'epoch' and self._samples - self._written >= self.update_freq:
            self._write({'batch_' + k: v for k, v in logs.items() if k not in ('batch', 'size')},
                        self._batches)
            self._written = self._samples
        self._batches += 1

    def on_epoch_end(self, epoch, logs=None):
        step = epoch if self.update_freq == 'epoch' else self._samples
        self._write({'epoch_' + k: v for k, v in (logs or {}).items()}, step)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_histograms(epoch)
        self._writer.flush()

    def _write(self, values, step):
        for name, value in values.items():
            if np.ndim(value) == 0:
                summary = tf.Summary()
                summary.value.add(tag=name, simple_value=float(value))
                self._writer.add_summary(summary, step)

    def _write_histograms(self, epoch):
        with tf.Graph().as_default(), tf.Session() as session:
            merged = [tf.summary.histogram(w.name.replace(':', '_'), value) for w, value in
                      zip(self.model.weights, K.batch_get_value(self.model.weights))]
            for one in session.run(merged):
                self._writer.add_summary(one, epoch)

    def on_train_end(self, logs=None):
        self._writer.close()
