"""imdb: film reviews as numbers of words. Left out so far."""
from __future__ import annotations

from tinyflow.errors import worded

__all__ = ['load_data']


def load_data(*args, **kwargs):
    """NotImplementedError: its files are Python pickles, which tinyflow does not read."""
    raise worded(NotImplementedError(
        'keras.datasets.imdb: its files are Python pickles, which could run any code, and '
        'tinyflow reads none.\n  Mend: convert it once, where Keras is installed, by np.savez, '
        'and load the arrays by np.load(path, allow_pickle=False).'))
