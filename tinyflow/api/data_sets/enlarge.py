"""Turns the 8x8 digits into images like MNIST's, for programs that expect those."""
from __future__ import annotations

import numpy as np

SIDE, BORDER = 28, 4  # MNIST: the digit fills 20x20 in the middle of 28x28
SMALL_WHITE = 16  # an 8x8 pixel counts the inked pixels of a 4x4 block
PAPER, INK = 0.3, 0.8  # grey levels stretched to 0 and 1: MNIST's mean (0.13) and spread (0.31)


def enlarge(small: np.ndarray) -> np.ndarray:
    """Digits of 8x8 pixels, smoothly resampled to look like MNIST's.

    Shapes: small uint8 [n, 8, 8] with values 0..16 -> uint8 [n, 28, 28, 1] with values 0..255.
    """
    inner = SIDE - 2 * BORDER
    rows = _cubic_weights(small.shape[1], inner)
    columns = _cubic_weights(small.shape[2], inner)
    smooth = rows @ (small / SMALL_WHITE) @ columns.T
    ink = np.clip((smooth - PAPER) / (INK - PAPER), 0, 1)
    large = np.zeros((len(small), SIDE, SIDE, 1), np.uint8)
    large[:, BORDER:-BORDER, BORDER:-BORDER, 0] = np.rint(255 * ink)
    return large


def _cubic_weights(old, new):
    """W [new, old] so that W @ column resamples a column; outside of it is background (0).

    Cubic convolution with a = -1/2 (R. Keys, 1981, equation 15), pixel centres aligned.
    """
    centres = (np.arange(new) + 0.5) * old / new - 0.5
    d = np.abs(centres[:, None] - np.arange(old))
    near = 1.5 * d**3 - 2.5 * d**2 + 1
    far = -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2
    return np.where(d <= 1, near, np.where(d < 2, far, 0))
