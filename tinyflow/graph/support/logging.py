"""tf.logging: log messages, through Python's logger named 'tensorflow'.

The level is that of the root logger (WARN by default, INFO in tf.app.run) until set_verbosity is
called. Messages go to sys.stderr, or to the handlers of the root logger if the program has
configured logging itself.
"""
from __future__ import annotations

import logging as _logging
import sys as _sys
from logging import DEBUG, ERROR, FATAL, INFO, WARN

from tinyflow.graph.support.missing import explain_missing as _explain_missing

_counts: dict[object, int] = {}


class _Stderr(_logging.StreamHandler):
    """Writes to the current sys.stderr, so that notebooks and tests can redirect it."""

    def __init__(self):
        super().__init__(_sys.stderr)
        self.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))

    @property
    def stream(self):
        return _sys.stderr

    @stream.setter
    def stream(self, stream):
        """Always sys.stderr."""


def _make_logger():
    logger = _logging.getLogger('tensorflow')
    if not _logging.getLogger().handlers and not logger.handlers:
        logger.addHandler(_Stderr())
        logger.propagate = False
    return logger


_logger = _make_logger()


def log(level, msg, *args, **kwargs):
    """Logs `msg % args` with that level; the text is only formatted if it is shown."""
    _logger.log(level, msg, *args, **_outside(kwargs))


def debug(msg, *args, **kwargs):
    """Logs a message with level DEBUG."""
    _logger.debug(msg, *args, **_outside(kwargs))


def info(msg, *args, **kwargs):
    """Logs a message with level INFO."""
    _logger.info(msg, *args, **_outside(kwargs))


def warning(msg, *args, **kwargs):
    """Logs a message with level WARN."""
    _logger.warning(msg, *args, **_outside(kwargs))


warn = warning


def error(msg, *args, **kwargs):
    """Logs a message with level ERROR."""
    _logger.error(msg, *args, **_outside(kwargs))


def fatal(msg, *args, **kwargs):
    """Logs a message with level FATAL; does not end the program."""
    _logger.critical(msg, *args, **_outside(kwargs))


def _outside(kwargs):
    """Makes the log record name the line that called tf.logging, not this file."""
    kwargs['stacklevel'] = kwargs.get('stacklevel', 1) + 1
    return kwargs


def vlog(level, msg, *args, **kwargs):
    """Same as `log`."""
    _logger.log(level, msg, *args, **_outside(kwargs))


def log_every_n(level, msg, n, *args):
    """Logs the first of every n calls with this `msg`."""
    log_if(level, msg, not _count(msg) % n, *args)


def log_first_n(level, msg, n, *args):
    """Logs the first n calls with this `msg`."""
    log_if(level, msg, _count(msg) < n, *args)


def _count(msg):
    """The number of earlier calls with this `msg`."""
    _counts[msg] = _counts.get(msg, -1) + 1
    return _counts[msg]


def log_if(level, msg, condition, *args):
    """Logs the message if the condition holds."""
    if condition:
        vlog(level, msg, *args)


def TaskLevelStatusMessage(msg):                                # noqa: N802 (TF's name)
    """Logs a message with level ERROR about the state of the program."""
    error(msg)


def flush():
    """Flushes all handlers."""
    for handler in _logger.handlers:
        handler.flush()


def get_logger():
    """The Python logger of all messages."""
    return _logger


def get_verbosity():
    """The lowest level that is shown."""
    return _logger.getEffectiveLevel()


def set_verbosity(v):
    """Sets the lowest level to show: tf.logging.DEBUG, INFO, WARN, ERROR or FATAL."""
    _logger.setLevel(v)


__all__ = ['DEBUG', 'ERROR', 'FATAL', 'INFO', 'TaskLevelStatusMessage', 'WARN', 'debug', 'error',
           'fatal', 'flush', 'get_verbosity', 'info', 'log', 'log_every_n', 'log_first_n',
           'log_if', 'set_verbosity', 'vlog', 'warn', 'warning']

__getattr__ = _explain_missing('tinyflow.logging', __all__)


def __dir__():
    return __all__
