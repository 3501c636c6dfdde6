"""What many test modules need: a graph of the test's own, and a Session that runs it."""
from __future__ import annotations

import pytest

import tinyflow as tf


@pytest.fixture
def graph():
    """The default graph while the test runs. A module whose tests all build nodes asks for it by
    `pytestmark = pytest.mark.usefixtures('graph')`.
    """
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(graph):
    with tf.Session(graph=graph) as session:
        yield session
