"""`read_data_sets` and its `next_batch`, with which most TF1 tutorials begin.

With the four MNIST files, batches equal those of TF 1.15. Without them, nothing is downloaded:
the digits that ship with tinyflow replace MNIST, with a warning.
"""
from __future__ import annotations

import warnings
from collections import namedtuple
from pathlib import Path

import numpy as np

from tinyflow.api.data_sets import load_digits
from tinyflow.api.data_sets.enlarge import enlarge
from tinyflow.api.data_sets.idx import read_idx
from tinyflow.graph.defaults import get_default_graph

__all__ = [
    "DataSet",
    "Datasets",
    "DigitsInsteadOfMnist",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "load_mnist",
    "read_data_sets",
]

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
MNIST_URLS = (DEFAULT_SOURCE_URL, "http://yann.lecun.com/exdb/mnist/")
FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
MNIST_TRAIN = 60000  # images in MNIST's training file, of which TF takes 5000 for validation
DIGITS_TEST = 297  # the last of the 1797; the other 1500 replace the training file
FAKE_EXAMPLES = 10000
MAX_INT32 = 2**31 - 1

Datasets = namedtuple("Datasets", ["train", "validation", "test"])
_noticed = set()  # folders without MNIST that have been reported


class DigitsInsteadOfMnist(UserWarning):
    """The shipped UCI digits are used instead of MNIST; `warnings.simplefilter` can silence it."""


class DataSet:
    """Images and labels, served in shuffled batches.

    Shapes: images [n, rows, columns, 1] uint8, labels [n] or [n, classes]; with `reshape` the
    images become [n, rows * columns], with dtype float32 their 0..255 becomes 0..1.

    As in TF 1.15 the constructor reseeds `numpy.random`: from `seed`, else from the graph's seed,
    else from the operating system. So `numpy.random.seed` has an effect on the batches only when
    it is called after reading the data.
    """

    def __init__(
        self,
        images,
        labels,
        fake_data=False,
        one_hot=False,
        dtype=np.float32,
        reshape=True,
        seed=None,
    ):
        np.random.seed(_numpy_seed(seed))
        dtype = _image_dtype(dtype)
        self.one_hot = one_hot
        self._fake_data = fake_data
        self._num_examples = FAKE_EXAMPLES if fake_data else len(images)
        if not fake_data:
            images = _prepared(images, labels, dtype, reshape)
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self):
        return self._images

    @property
    def labels(self):
        return self._labels

    @property
    def num_examples(self):
        return self._num_examples

    @property
    def epochs_completed(self):
        return self._epochs_completed

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next `batch_size` images and labels; an epoch's rest is joined by the next epoch.

        Each epoch is shuffled with `numpy.random`. A batch larger than the data set spans as many
        epochs as it needs (TF 1.15 may return fewer images than requested).

        Shapes: -> images [batch_size, ...], labels [batch_size, ...].
        Raises ValueError when the data set is empty.
        """
        if fake_data or self._fake_data:
            return self._fake_batch(batch_size)
        if self._num_examples == 0:
            raise ValueError("next_batch of an empty data set: it has 0 examples.")
        if shuffle and self._epochs_completed == 0 and self._index_in_epoch == 0:
            self._shuffle()
        parts = []
        while self._index_in_epoch + batch_size > self._num_examples:
            parts.append(self._rows(self._index_in_epoch, self._num_examples))
            batch_size -= self._num_examples - self._index_in_epoch
            self._index_in_epoch = 0
            self._epochs_completed += 1
            if shuffle:
                self._shuffle()
        start, self._index_in_epoch = self._index_in_epoch, self._index_in_epoch + batch_size
        parts.append(self._rows(start, self._index_in_epoch))
        if len(parts) == 1:
            return parts[0]
        images, labels = zip(*parts)
        return np.concatenate(images), np.concatenate(labels)

    def _rows(self, start, end):
        return self._images[start:end], self._labels[start:end]

    def _shuffle(self):
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images = self._images[order]
        self._labels = self._labels[order]

    def _fake_batch(self, batch_size):
        label = [1] + [0] * 9 if self.one_hot else 0
        return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]


def _prepared(images, labels, dtype, reshape):
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images but {len(labels)} labels.")
    if reshape:
        if images.shape[3] != 1:
            raise ValueError(
                f"reshape=True needs images [n, rows, columns, 1]. Received: {list(images.shape)}."
            )
        images = images.reshape(len(images), images.shape[1] * images.shape[2])
    if dtype == np.float32:
        images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
    return images


def _image_dtype(dtype):
    numpy_type = np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
    if numpy_type not in (np.uint8, np.float32):
        raise TypeError(f"dtype of the images must be uint8 or float32. Received: {dtype!r}.")
    return numpy_type


def _numpy_seed(seed):
    """The seed that TF 1.15 passes to numpy.random: `seed`, else the graph's, else None."""
    graph_seed = get_default_graph().seed
    if seed is None:
        return None if graph_seed is None else graph_seed % MAX_INT32
    if graph_seed is not None and graph_seed % MAX_INT32 == seed % MAX_INT32 == 0:
        return MAX_INT32  # for TF the pair (0, 0) means "no seed", so it uses another
    return seed % MAX_INT32


def extract_images(f):
    """The images of an open idx file, gzipped or plain. Raises ValueError when it is damaged.

    Shapes: -> uint8 [n, rows, columns, 1].
    """
    print("Extracting", f.name)  # as TF does, and as tutorials show
    return read_idx(f, axes=3)[..., np.newaxis]


def extract_labels(f, one_hot=False, num_classes=10):
    """The labels of an open idx file, gzipped or plain. Raises ValueError when it is damaged.

    Shapes: -> uint8 [n], or with `one_hot` float64 [n, num_classes].
    """
    print("Extracting", f.name)
    labels = read_idx(f, axes=1)
    if one_hot and labels.size and labels.max() >= num_classes:
        raise ValueError(
            f"{f.name} holds the label {labels.max()}, outside of {num_classes} classes."
        )
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense, num_classes):
    """1 at each row's label, 0 elsewhere.

    Shapes: labels_dense int [n] -> float64 [n, num_classes].
    """
    return np.eye(num_classes)[labels_dense.ravel()]


def read_data_sets(
    train_dir,
    fake_data=False,
    one_hot=False,
    dtype=np.float32,
    reshape=True,
    validation_size=5000,
    seed=None,
    source_url=DEFAULT_SOURCE_URL,
):
    """MNIST as `Datasets(train, validation, test)`, each a `DataSet`.

    Reads the four idx files in `train_dir`. Without them the 1797 UCI digits that ship with
    tinyflow are enlarged to 28x28 and used instead, with a DigitsInsteadOfMnist warning: 1500 for
    training and validation (`validation_size` is scaled down to match), 297 for testing.

    Raises ValueError when a file is damaged or `validation_size` exceeds the training file, and
    FileNotFoundError when some of the four files are missing, or when all are and `source_url`
    or `train_dir` shows that other data than MNIST are intended.
    """
    if fake_data:
        options = {"fake_data": True, "one_hot": one_hot, "dtype": dtype, "seed": seed}
        return Datasets(*(DataSet([], [], **options) for _ in Datasets._fields))
    folder = Path(train_dir)
    found = [_find(folder, name) for name in FILES]
    if any(found):
        train, test, validation_size = _from_files(folder, found, one_hot, validation_size)
    else:
        _refuse_other_data(folder, source_url)
        train, test, validation_size = _from_digits(folder, one_hot, validation_size)
    held_out = tuple(a[:validation_size] for a in train)
    train = tuple(a[validation_size:] for a in train)
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(*(DataSet(*part, **options) for part in (train, held_out, test)))


def load_mnist(train_dir="MNIST-data"):
    """`read_data_sets(train_dir)`."""
    return read_data_sets(train_dir)


def _find(folder, name):
    """The file, gzipped or already unpacked, or None."""
    for candidate in (folder / name, folder / name.removesuffix(".gz")):
        if candidate.is_file():
            return candidate
    return None


def _from_files(folder, found, one_hot, validation_size):
    missing = [name for name, file in zip(FILES, found) if file is None]
    if missing:
        raise FileNotFoundError(
            f"{folder} holds some of the four MNIST files, but not {', '.join(missing)}. "
            f"tinyflow downloads nothing; MNIST's are at {DEFAULT_SOURCE_URL}"
        )
    arrays = []
    for file, extract in zip(found, (extract_images, extract_labels) * 2):
        options = {"one_hot": one_hot} if extract is extract_labels else {}
        with open(file, "rb") as stream:
            arrays.append(extract(stream, **options))
    for images, labels, file in zip(arrays[::2], arrays[1::2], found[1::2]):
        if len(images) != len(labels):
            raise ValueError(f"{file} holds {len(labels)} labels for {len(images)} images.")
    _check_validation_size(validation_size, len(arrays[0]))
    return arrays[:2], arrays[2:], validation_size


def _from_digits(folder, one_hot, validation_size):
    _check_validation_size(validation_size, MNIST_TRAIN)
    small, labels = load_digits()
    images = enlarge(small)
    if one_hot:
        labels = dense_to_one_hot(labels, 10)
    held_back = len(images) - DIGITS_TEST
    scaled = round(validation_size * held_back / MNIST_TRAIN)
    _notice(folder, held_back - scaled, scaled, validation_size)
    train = images[:held_back], labels[:held_back]
    test = images[held_back:], labels[held_back:]
    return train, test, scaled


def _check_validation_size(size, available):
    if not 0 <= size <= available:
        raise ValueError(f"validation_size must be between 0 and {available}. Received: {size}.")


def _refuse_other_data(folder, source_url):
    if "fashion" in str(folder).lower() or (source_url and source_url not in MNIST_URLS):
        raise FileNotFoundError(
            f"{folder} does not hold {', '.join(FILES)}. tinyflow downloads nothing: fetch them "
            f"from {source_url or DEFAULT_SOURCE_URL} and put them there. (For MNIST itself the "
            "shipped UCI digits would be used; this folder or source_url names other data.)"
        )


def _notice(folder, train, validation, asked):
    place = folder.absolute()
    if place in _noticed:
        return
    _noticed.add(place)
    warnings.warn(
        f"UCI digits are used instead of MNIST, whose files are not in {place}. These are real "
        f"digits of 8x8 pixels enlarged to 28x28 (Alpaydin & Kaynak 1998): {train} train, "
        f"{validation} validation (in proportion to the {asked} requested), {DIGITS_TEST} test; "
        f"MNIST has 70000. For MNIST, put {', '.join(FILES)} there, from {DEFAULT_SOURCE_URL}",
        DigitsInsteadOfMnist,
        stacklevel=4,
    )


def __dir__():
    return __all__
