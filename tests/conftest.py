"""What many test modules need: a new graph, a Session that runs it; and the marker `engine`."""
from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

import tinyflow as tf
from tinyflow.graph.support import processors

TESTS = Path(__file__).parent
OTHER_FLOORS = ('keras', 'estimator', 'parity')         # these set their own markers


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


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.relative_to(TESTS).parts[0] not in OTHER_FLOORS:
            item.add_marker(pytest.mark.engine)


def pytest_configure():
    os.environ['TINYFLOW_CACHE'] = 'off'        # no test depends on an earlier one
    # Tests need not survive a power failure, and some file systems take milliseconds for each.
    os.fsync = lambda descriptor: None
    # Last bits of large products depend on the number of threads, which follows the load.
    processors.set_limit(processors.present())
    if os.environ.get('TINYFLOW_NATIVE') == 'always':
        _loops_of_any_size()


def _loops_of_any_size():
    """In the native tier arrays of the tests count as large."""
    from tinyflow.native.loops import groups, updates
    from tinyflow.session import tiers
    groups.LEAST = tiers._LEAST = updates._LEAST = 1


def pytest_collection_finish():
    # The tests themselves are millions of objects, which each garbage collection would visit.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 10)


@pytest.fixture(autouse=True)
def _functions_without_ragged_tensors():
    """Functions of tf that a test taught ragged tensors are themselves again in the next one."""
    yield
    dispatch = sys.modules.get('tinyflow.api.ragged.dispatch')
    if dispatch is not None:
        dispatch.remove()
