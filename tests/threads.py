"""Runs of one Session in several threads."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def check_in_threads(session, y, x, arrays, runs=20, atol=0.0):
    """Asserts that y is for each array, in a thread of its own, what it is in this one."""
    wanted = [session.run(y, {x: array}) for array in arrays]

    def work(array, value):
        for _ in range(runs):
            np.testing.assert_allclose(session.run(y, {x: array}), value, rtol=0, atol=atol)
    with ThreadPoolExecutor(len(arrays)) as pool:
        list(pool.map(work, arrays, wanted))
