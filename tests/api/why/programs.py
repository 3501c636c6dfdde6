"""Runs the programs of the pages of `python -m tinyflow why` in this process."""
from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import tempfile
import warnings

import numpy as np

import tinyflow as tf
from tinyflow.compiler.warnings import broadcast_warning
from tinyflow.graph.support import errors as tf_errors


def run(code, path):
    """What a program prints, then its warnings, then the error that ends it, as a terminal shows.

    It runs in a new graph and an empty folder; `path` is its name in messages.
    """
    linecache.cache[path] = len(code), None, code.splitlines(keepends=True), path
    printed, here, error = io.StringIO(), os.getcwd(), None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, \
            contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught, \
            np.printoptions(legacy='1.25'), _own_environment():
        warnings.simplefilter('always')
        tf.keras.backend.clear_session()
        tf.reset_default_graph()
        broadcast_warning._warned.clear()           # each line is reported once in a process
        os.chdir(folder)
        try:
            exec(compile(code, path, 'exec'), {'__name__': '__main__', '__file__': path})
        except BaseException as raised:                     # noqa: BLE001 - it becomes text
            error = raised
        finally:
            os.chdir(here)
            tf.keras.backend.clear_session()
    texts = [f'{warning.category.__name__}: {warning.message}' for warning in caught
             if issubclass(warning.category, tf.errors.TinyflowWarning)]
    if error is not None:
        tf_errors.add_call_hint(error, error.__traceback__)
        texts.append(f'{type(error).__name__}: {error}')
    return _same_everywhere(printed.getvalue() + '\n'.join(texts), folder).rstrip() + '\n'


@contextlib.contextmanager
def _own_environment():
    kept = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _same_everywhere(text, folder):
    """Without what differs from run to run: folders, addresses, numbers of graphs."""
    text = text.replace(os.path.realpath(folder), 'FOLDER').replace(folder, 'FOLDER')
    text = re.sub(r'\bat 0x[0-9a-f]+', 'at 0x...', text)
    text = re.sub(r', made at programs\.py:\d+: tf.reset_default_graph\(\)', '', text)
    numbers = list(dict.fromkeys(re.findall(r'\bgraph (\d+) \(', text)))
    return re.sub(r'\bgraph (\d+) \(', lambda m: f'graph {numbers.index(m[1]) + 1} (', text)
