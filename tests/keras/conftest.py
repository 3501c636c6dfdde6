"""Fixtures of the Keras tests, and the marker `keras` for all of them."""
import pathlib

import pytest

import tinyflow as tf


@pytest.fixture
def new_graph():
    """A new default graph with seed 1; a module uses it for all its tests by
    `pytestmark = pytest.mark.usefixtures('new_graph')`.
    """
    tf.keras.backend.clear_session()
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        yield graph


def pytest_collection_modifyitems(items):
    folder = pathlib.Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.keras)
