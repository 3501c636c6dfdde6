"""The fixture `logged`: the lines of the log."""
from __future__ import annotations

import logging

import pytest


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
