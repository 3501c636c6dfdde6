"""The stack of layer calls in progress in this thread."""
from __future__ import annotations

import threading


class Call:
    """One call of a layer: its inputs, and the `training` that inner layers inherit."""

    __slots__ = ('layer', 'inputs', 'training')

    def __init__(self, layer, inputs, training):
        self.layer, self.inputs, self.training = layer, inputs, training


class _Calls(threading.local):
    def __init__(self):
        self.open = []


_calls = _Calls()


class calling:                                  # noqa: N801 - reads as a sentence in `with`
    """`with calling(layer, inputs, training):` around a layer's call."""

    def __init__(self, layer, inputs, training):
        self._call = Call(layer, inputs, training)

    def __enter__(self):
        _calls.open.append(self._call)
        return self._call

    def __exit__(self, *args):
        _calls.open.pop()


def current_call():
    """The innermost call, or None outside of all layers."""
    return _calls.open[-1] if _calls.open else None
