"""Fixed inputs for the op table: no generator, so that every platform and NumPy version makes the
same bits."""
import numpy as np


def _values(size, salt):
    """Multiples of 1/8 between -2 and 2, in no order, with few repeats."""
    return ((np.arange(size) * 11 + salt * 5) % 32 - 15.5) / 8


def matrix(rows, columns, salt=0):
    """[rows, columns] float32."""
    return _values(rows * columns, salt).reshape(rows, columns).astype(np.float32)


def cube(a, b, c, salt=0):
    """[a, b, c] float32."""
    return _values(a * b * c, salt).reshape(a, b, c).astype(np.float32)


SPD = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 5]], np.float32)
