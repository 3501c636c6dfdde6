"""Writes the four MNIST files, but with the digits that tinyflow ships: for the programs here.

    python tests/api/classic/mnist_files.py FOLDER
"""
import gzip
import struct
import sys
from pathlib import Path

import numpy as np
from tinyflow.api.data_sets import load_digits
from tinyflow.api.data_sets.enlarge import enlarge


def write_mnist_files(folder):
    """6000 training images (1500 digits, each four times) and 297 test images, as idx files."""
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    images, labels = load_digits()
    images = enlarge(images)[..., 0]
    parts = {'train': np.resize(np.arange(1500), 6000), 't10k': np.arange(1500, 1797)}
    for part, rows in parts.items():
        for kind, data in (('images-idx3', images[rows]), ('labels-idx1', labels[rows])):
            head = struct.pack('>HBB', 0, 8, data.ndim) + struct.pack(f'>{data.ndim}I', *data.shape)
            with gzip.open(folder / f'{part}-{kind}-ubyte.gz', 'wb', compresslevel=1) as file:
                file.write(head + data.tobytes())


if __name__ == '__main__':
    write_mnist_files(sys.argv[1])
