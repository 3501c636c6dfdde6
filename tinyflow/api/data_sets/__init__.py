"""tf.data_sets: small real data sets that come with tinyflow, for use without a network.

Sources and licences: SOURCES.md in this folder.
"""
from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["IRIS_CLASSES", "IRIS_FEATURES", "load_digits", "load_iris", "path"]


def __dir__():
    return __all__


FOLDER = Path(__file__).parent
IRIS_FEATURES = ("sepal_length", "sepal_width", "petal_length", "petal_width")
IRIS_CLASSES = ("setosa", "versicolor", "virginica")
IRIS_FILES = {
    "training": ("iris_training.csv",),
    "test": ("iris_test.csv",),
    "all": ("iris_training.csv", "iris_test.csv"),
}


def path(name: str) -> str:
    """The path of the shipped file `name`, for programs that read it themselves.

    Raises ValueError when no such file is shipped.
    """
    shipped = sorted(p.name for p in FOLDER.iterdir() if p.suffix in (".csv", ".npz"))
    if name not in shipped:
        raise ValueError(f"No data file {name!r} comes with tinyflow; there are: {shipped}.")
    return str(FOLDER / name)


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """1797 handwritten digits (UCI, Alpaydin & Kaynak 1998): images and labels.

    Shapes: -> images uint8 [1797, 8, 8] with values 0..16, labels uint8 [1797].
    """
    with np.load(path("digits.npz"), allow_pickle=False) as archive:
        return archive["images"], archive["labels"]


def load_iris(part: str = "all") -> tuple[np.ndarray, np.ndarray]:
    """Fisher's iris flowers: measures in cm (IRIS_FEATURES) and classes (IRIS_CLASSES).

    `part` is "training" (120 flowers), "test" (30) or "all", split and ordered as TensorFlow's
    tutorials do. Raises ValueError for any other part.

    Shapes: -> features float32 [n, 4], labels int64 [n].
    """
    if part not in IRIS_FILES:
        raise ValueError(f"part must be one of {list(IRIS_FILES)}. Received: {part!r}.")
    table = np.concatenate(
        [np.loadtxt(path(name), delimiter=",", skiprows=1) for name in IRIS_FILES[part]]
    )
    return table[:, :4].astype(np.float32), table[:, 4].astype(np.int64)
