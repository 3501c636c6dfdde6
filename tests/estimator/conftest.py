"""The fixture `logged`: the lines of the log. And a clock on which exporters need not wait."""
from __future__ import annotations

import logging
import time
from types import SimpleNamespace

import pytest

from estimator_layer.export import saved_model


@pytest.fixture(autouse=True)
def exporters_do_not_wait(monkeypatch):
    """An export waits for the next second if this one's name is taken: here the clock is set."""
    ahead = []
    monkeypatch.setattr(saved_model, 'time', SimpleNamespace(
        time=lambda: time.time() + sum(ahead), sleep=ahead.append))


@pytest.fixture
def logged():
    """The lines that tf.logging writes, of level INFO and above."""
    lines = []

    class RecordLines(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    logger = logging.getLogger('tensorflow')
    handler, level = RecordLines(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(level)
