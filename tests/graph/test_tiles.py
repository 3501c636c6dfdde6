"""Tiles cover everything once, whatever the number of threads, and errors come back."""
import threading

import numpy as np
import pytest

from tinyflow.graph.support import processors
from tinyflow.graph.support.tiles import TILE, in_tiles, scratch


@pytest.fixture(params=[1, 2, 3, 8])
def cpus(request, monkeypatch):
    monkeypatch.setattr(processors, 'most_threads', lambda: request.param)
    return request.param


@pytest.mark.parametrize('n', [0, 1, TILE, TILE + 1, 4 * TILE, 9 * TILE + 17])
def test_every_element_once(cpus, n):
    counts, spans = np.zeros(n, int), []

    def count(start, stop):
        counts[start:stop] += 1
        spans.append((start, stop))

    in_tiles(n, count)
    assert (counts == 1).all()
    assert all(start % TILE == 0 and stop - start <= TILE for start, stop in spans)


def test_tile_length_in_rows(cpus):
    spans = []
    in_tiles(10, lambda i, j: spans.append((i, j)), 4)
    assert sorted(spans) == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize('where', [0, 8 * TILE])
def test_an_error_in_any_tile_is_raised(cpus, where):
    def fail(start, stop):
        if start == where:
            raise ZeroDivisionError(start)

    with pytest.raises(ZeroDivisionError):
        in_tiles(9 * TILE, fail)
    in_tiles(9 * TILE, lambda start, stop: None)        # the workers live on


def test_threads_have_scratch_of_their_own():
    found = []
    mine = scratch(10, np.dtype(np.float32), 2)
    thread = threading.Thread(
        target=lambda: found.extend(scratch(10, np.dtype(np.float32), 2)))
    thread.start()
    thread.join()
    for array in mine:
        assert not any(np.shares_memory(array, other) for other in found)
    again = scratch(5, np.dtype(np.float32), 2)
    assert np.shares_memory(mine[0], again[0]) and not np.shares_memory(mine[0], again[1])


def test_no_floating_point_warnings_from_workers(monkeypatch):
    monkeypatch.setattr(processors, 'most_threads', lambda: 2)
    zeros = np.zeros(5 * TILE, np.float32)
    result = np.empty_like(zeros)
    with np.errstate(all='ignore'):
        in_tiles(zeros.size, lambda i, j: np.divide(zeros[i:j], zeros[i:j], result[i:j]))
    assert np.isnan(result).all()
