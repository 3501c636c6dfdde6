"""tensorflow.core.protobuf: protocol buffers; the settings of Sessions are the classes of `tf`."""
from __future__ import annotations

from importlib import import_module


def __getattr__(name):
    for package in (__name__, 'tinyflow.formats.protos'):
        try:
            return import_module(f'{package}.{name}')
        except ModuleNotFoundError:
            pass
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
