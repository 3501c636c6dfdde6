"""The MNIST reader: TF 1.15's batches from idx files, the shipped digits without them."""
import gzip
import struct
import warnings

import numpy as np
import pytest

from tinyflow.api.data_sets import idx, load_digits, load_iris, path
from tinyflow.api.data_sets.enlarge import enlarge
from tinyflow.api.examples.tutorials.mnist import input_data
from tinyflow.graph import defaults as graphs

TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS = input_data.FILES


def image_bytes(n):
    pixels = (np.arange(n * 6) % 256).astype(np.uint8)
    return struct.pack(">4I", 2051, n, 2, 3) + pixels.tobytes()


def label_bytes(n):
    return struct.pack(">2I", 2049, n) + (np.arange(n) % 10).astype(np.uint8).tobytes()


@pytest.fixture
def folder(tmp_path):
    """13 training and 5 test images of 2x3 pixels."""
    for name, content in zip(
        input_data.FILES, (image_bytes(13), label_bytes(13), image_bytes(5), label_bytes(5))
    ):
        (tmp_path / name).write_bytes(gzip.compress(content))
    return tmp_path


@pytest.fixture
def digits(tmp_path):
    with pytest.warns(input_data.DigitsInsteadOfMnist):
        return input_data.read_data_sets(tmp_path / "absent", one_hot=True, seed=0)


def labels_dealt(data_set, size, count, **options):
    """Labels and epochs completed of `count` batches."""
    return [
        (data_set.next_batch(size, **options)[1].tolist(), data_set.epochs_completed)
        for _ in range(count)
    ]


# Recorded from TensorFlow 1.15.5 with the same files, validation_size=3 and batches of 4.
TF_SEED_7 = [
    ([1, 8, 3, 5], 0), ([4, 2, 0, 6], 0), ([9, 7, 8, 5], 1), ([3, 2, 7, 1], 1),
    ([4, 0, 6, 9], 1), ([3, 7, 5, 9], 2), ([4, 6, 0, 8], 2),
]  # fmt: skip
TF_NUMPY_SEED_0 = [
    ([5, 1, 7, 2], 0), ([4, 9, 0, 6], 0), ([3, 8, 2, 9], 1), ([1, 7, 8, 3], 1),
    ([5, 0, 6, 4], 1), ([1, 7, 6, 8], 2), ([3, 9, 2, 5], 2),
]  # fmt: skip
TF_UNSHUFFLED = [([3, 4, 5, 6], 0), ([7, 8, 9, 0], 0), ([1, 2, 3, 4], 1), ([5, 6, 7, 8], 1)]


def test_batches_come_in_the_order_of_tf_with_a_seed(folder):
    sets = input_data.read_data_sets(folder, validation_size=3, seed=7)
    assert labels_dealt(sets.train, 4, 7) == TF_SEED_7
    assert labels_dealt(sets.test, 3, 1) == [([4, 3, 1], 0)]


def test_batches_come_in_the_order_of_tf_with_numpy_seeded_after_reading(folder):
    sets = input_data.read_data_sets(folder, validation_size=3)
    np.random.seed(0)
    assert labels_dealt(sets.train, 4, 7) == TF_NUMPY_SEED_0


def test_batches_come_in_the_order_of_tf_without_shuffling(folder):
    sets = input_data.read_data_sets(folder, validation_size=3)
    assert labels_dealt(sets.train, 4, 4, shuffle=False) == TF_UNSHUFFLED


def test_images_stay_with_their_labels_and_are_scaled(folder):
    sets = input_data.read_data_sets(folder, validation_size=3, seed=7)
    for _ in range(6):
        images, labels = sets.train.next_batch(4)
        expected = (6 * ((labels.astype(int) - 3) % 10 + 3))[:, None] + np.arange(6)
        np.testing.assert_allclose(images, expected / 255, rtol=1e-6)
    assert images.dtype == np.float32


@pytest.mark.parametrize("graph_seed, seed, expected", [
    (None, None, None), (7, None, 7), (7, 3, 3), (None, 2**31 + 5, 6), (0, 0, 2**31 - 1),
])  # fmt: skip
def test_numpy_is_seeded_as_by_tf(monkeypatch, folder, graph_seed, seed, expected):
    given = []
    monkeypatch.setattr(np.random, "seed", given.append)
    graph = graphs.Graph()
    graph.seed = graph_seed
    with graph.as_default():
        input_data.read_data_sets(folder, validation_size=3, seed=seed)
    assert given == [expected] * 3


def test_options_shape_what_is_returned(folder):
    sets = input_data.read_data_sets(
        folder, one_hot=True, dtype=np.uint8, reshape=False, validation_size=4
    )
    assert sets._fields == ("train", "validation", "test")
    assert [part.num_examples for part in sets] == [9, 4, 5]
    assert sets.train.images.shape == (9, 2, 3, 1) and sets.train.images.dtype == np.uint8
    assert sets.validation.labels.dtype == np.float64
    np.testing.assert_array_equal(sets.validation.labels, np.eye(10)[:4])


def test_reading_lists_files_and_line_counts(folder, capsys):
    packed = folder / TEST_LABELS
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert input_data.read_data_sets(folder, validation_size=0).test.labels.tolist() == [
        0, 1, 2, 3, 4
    ]  # fmt: skip
    assert capsys.readouterr().out.splitlines() == [
        f"Extracting {folder / name}"
        for name in (TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS[:-3])
    ]


def test_a_batch_may_span_several_epochs(folder):
    train = input_data.read_data_sets(folder, validation_size=3).train
    images, labels = train.next_batch(25)
    assert images.shape == (25, 6) and train.epochs_completed == 2
    for epoch in (labels[:10], labels[10:20]):
        assert sorted(epoch) == list(range(10))


def test_fake_data_needs_no_files():
    sets = input_data.read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = sets.train.next_batch(2)
    assert images == [[1] * 784] * 2 and labels == [[1] + [0] * 9] * 2
    assert sets.test.num_examples == 10000


DAMAGE = {
    "gzip cut short": (TRAIN_IMAGES, lambda packed: packed[:-9]),
    "gzip altered": (TRAIN_LABELS, lambda packed: packed[:12] + b"\xff\xff" + packed[14:]),
    "empty": (TEST_IMAGES, lambda packed: b""),
    "labels instead of images": (TEST_IMAGES, lambda packed: gzip.compress(label_bytes(5))),
    "a pixel missing": (TRAIN_IMAGES, lambda packed: gzip.compress(image_bytes(13)[:-1])),
    "a web page": (TEST_LABELS, lambda packed: b"<!DOCTYPE html><title>404</title>"),
    "another count of labels": (TEST_LABELS, lambda packed: gzip.compress(label_bytes(4))),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_named(folder, kind):
    name, damage = DAMAGE[kind]
    (folder / name).write_bytes(damage((folder / name).read_bytes()))
    with pytest.raises(ValueError, match=name):
        input_data.read_data_sets(folder, validation_size=3)


def test_a_label_outside_the_classes_is_refused(folder):
    (folder / TEST_LABELS).write_bytes(struct.pack(">2I", 2049, 5) + bytes([0, 1, 2, 3, 77]))
    with pytest.raises(ValueError, match="label 77"):
        input_data.read_data_sets(folder, one_hot=True, validation_size=3)


def test_impossible_requests_are_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="between 0 and 13"):
        input_data.read_data_sets(folder)
    with pytest.raises(ValueError, match="between 0 and 60000"):
        input_data.read_data_sets(tmp_path / "absent", validation_size=60001)
    with pytest.raises(TypeError, match="uint8 or float32"):
        input_data.read_data_sets(folder, validation_size=3, dtype=np.float64)
    with pytest.raises(ValueError, match="0 examples"):
        input_data.read_data_sets(folder, validation_size=0).validation.next_batch(1)
    (folder / TEST_LABELS).unlink()
    with pytest.raises(FileNotFoundError, match=TEST_LABELS):
        input_data.read_data_sets(folder, validation_size=3)


def test_digits_never_replace_other_data(tmp_path):
    with pytest.raises(FileNotFoundError, match="fashion"):
        input_data.read_data_sets(tmp_path, source_url="http://example.com/fashion/")
    with pytest.raises(FileNotFoundError, match="other data"):
        input_data.read_data_sets(tmp_path / "fashion")


def test_the_notice_comes_once_per_folder(tmp_path):
    with pytest.warns(input_data.DigitsInsteadOfMnist) as notices:
        input_data.read_data_sets(tmp_path)
        input_data.read_data_sets(tmp_path)
    assert len(notices) == 1 and notices[0].filename == __file__
    text = str(notices[0].message)
    for part in ("UCI", "not", "1375 train", "125 validation", "297 test", TEST_LABELS):
        assert part in text
    assert str(tmp_path) in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        input_data.read_data_sets(tmp_path)


def test_digits_have_the_form_of_mnist(digits):
    assert [part.images.shape for part in digits] == [(1375, 784), (125, 784), (297, 784)]
    assert [part.labels.shape[0] for part in digits] == [1375, 125, 297]
    images = digits.train.images.reshape(-1, 28, 28)
    assert images.dtype == np.float32 and images.min() == 0 and images.max() == 1
    assert not images[:, :4].any() and not images[:, :, -4:].any()
    assert abs(images.mean() - 0.1307) < 0.02  # MNIST's own mean and spread
    assert abs(images.std() - 0.3081) < 0.02


def test_digits_match_their_labels(digits):
    """The nearest class mean already finds most test digits."""
    train = digits.train
    means = (train.labels.T @ train.images) / train.labels.sum(0)[:, None]
    distance = ((digits.test.images[:, None] - means) ** 2).sum(2)
    assert (distance.argmin(1) == digits.test.labels.argmax(1)).mean() > 0.8


def test_enlarging_keeps_a_full_square_full_and_paper_empty():
    images = np.zeros((2, 8, 8), np.uint8)
    images[1] = 16
    paper, square = enlarge(images)[..., 0]
    assert not paper.any()
    assert (square[6:22, 6:22] == 255).all() and square[:4].max() == 0


def test_shipped_digits_and_flowers():
    images, labels = load_digits()
    assert images.shape == (1797, 8, 8) and images.dtype == np.uint8 and images.max() == 16
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    features, classes = load_iris()
    assert features.dtype == np.float32 and np.bincount(classes).tolist() == [50, 50, 50]
    np.testing.assert_allclose(features.mean(0), [5.8433, 3.054, 3.7587, 1.1987], atol=1e-3)
    assert [load_iris(part)[0].shape for part in ("training", "test")] == [(120, 4), (30, 4)]
    with open(path("iris_training.csv")) as file:
        assert file.readline() == "120,4,setosa,versicolor,virginica\n"
    with pytest.raises(ValueError, match="titan"):
        path("titan.csv")
    with pytest.raises(ValueError, match="part must be"):
        load_iris("train")


def test_idx_reads_any_number_of_axes(tmp_path):
    file = tmp_path / "matrix"
    file.write_bytes(struct.pack(">3I", 0x802, 2, 3) + bytes(range(6)))
    with open(file, "rb") as stream:
        np.testing.assert_array_equal(idx.read_idx(stream, axes=2), np.arange(6).reshape(2, 3))
