"""The log of an Estimator, for tests to read."""
from __future__ import annotations

import logging

import pytest


@pytest.fixture
def told():
    """The lines that tf.logging writes, of level INFO and above."""
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    logger = logging.getLogger('tensorflow')
    handler, level = Kept(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(level)
