"""keras.datasets: files are read as plain values, no code is run."""
import io
import pathlib
import pickle
import struct

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.datasets import imdb, reuters, safe_pickle
from tests.golden import read_recorded
from tests.golden.keras import dataset_cases

D = tf.keras.datasets
RECORDED = read_recorded('keras.words')


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A temporary ~/.keras/datasets."""
    monkeypatch.setenv('HOME', str(tmp_path))
    folder = tmp_path / '.keras' / 'datasets'
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope='module')
def found(tmp_path_factory):
    with pytest.warns(UserWarning, match='renamed `num_words`'):
        return dataset_cases.run(imdb, reuters, str(tmp_path_factory.mktemp('words')))


@pytest.mark.parametrize('name', RECORDED)
def test_word_indices_are_those_of_tensorflow(found, name):
    assert found[name] == RECORDED[name]


class Python2(pickle._Pickler):
    """Writes strings as Python 2 does: they may be text or bytes."""

    dispatch = dict(pickle._Pickler.dispatch)

    def save_string(self, text):
        data = text.encode('latin1') if isinstance(text, str) else text
        short = len(data) < 256
        self.write((b'U' + bytes([len(data)]) if short else b'T' + struct.pack('<i', len(data)))
                   + data)
        self.memoize(text)

    dispatch[bytes] = dispatch[str] = save_string


def _pickled(value, protocol):
    if protocol != 'python 2':
        return pickle.dumps(value, protocol)
    file = io.BytesIO()
    Python2(file, 2).dump(value)
    return file.getvalue()


def _cifar(folder, name, labels, seed, protocol=2):
    """A CIFAR file with byte keys."""
    random = np.random.RandomState(seed)
    data = random.randint(0, 256, (4, 3072)).astype('uint8')
    content = {b'data': data, b'batch_label': b'x',
               **{key: random.randint(0, 10, 4).tolist() for key in labels}}
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(_pickled(content, protocol))
    return content


@pytest.mark.parametrize('protocol', [0, 2, 4, 'python 2'])
def test_cifar_10(cache, protocol):
    folder = cache / 'cifar-10-batches-py'
    parts = [_cifar(folder, f'data_batch_{i}', [b'labels'], i, protocol) for i in range(1, 6)]
    test = _cifar(folder, 'test_batch', [b'labels'], 9, protocol)
    (x, y), (test_x, test_y) = D.cifar10.load_data()
    assert x.shape == (20, 32, 32, 3) and x.dtype == y.dtype == test_y.dtype == np.uint8
    assert y.shape == (20, 1) and test_x.shape == (4, 32, 32, 3)
    np.testing.assert_array_equal(
        x[5], parts[1][b'data'][1].reshape(3, 32, 32).transpose(1, 2, 0))
    np.testing.assert_array_equal(y[:4, 0], parts[0][b'labels'])
    np.testing.assert_array_equal(test_y[:, 0], test[b'labels'])


def test_cifar_100(cache):
    folder, names = cache / 'cifar-100-python', [b'fine_labels', b'coarse_labels']
    train = _cifar(folder, 'train', names, 1)
    _cifar(folder, 'test', names, 2)
    for mode in ('fine', 'coarse'):
        (x, y), _ = D.cifar100.load_data(mode)
        np.testing.assert_array_equal(y[:, 0], train[f'{mode}_labels'.encode()])
    with pytest.raises(ValueError, match='label_mode'):
        D.cifar100.load_data('rough')


class Evil:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


@pytest.mark.parametrize('evil', [
    Evil(eval, '1 / 0'), Evil(exec, 'raise SystemExit'), Evil(getattr, 'text', 'upper'),
    Evil(np.frombuffer, b'12345678'), Evil(pathlib.Path, '/'), np.random.RandomState(0), Evil,
    np.array([Evil(eval, '1 / 0')], object), np.zeros(2, [('a', 'i4')]),
    np.array(['2020'], 'M8[Y]'), np.ma.array([1.])])
@pytest.mark.parametrize('protocol', [0, 2, 5])
def test_nothing_but_plain_values_is_unpickled(evil, protocol):
    with pytest.raises(ValueError, match='only arrays, texts, numbers|not a pickle of plain'):
        safe_pickle.load_pickle(io.BytesIO(pickle.dumps({'data': evil}, protocol)))


def _forged(*state):
    """The pickle of an array with a forged state."""
    class Forged:
        def __reduce__(self):
            return np.zeros(1).__reduce__()[0], (np.ndarray, (0,), b'b'), state
    return pickle.dumps(Forged(), 2)


@pytest.mark.parametrize('state', [
    (1, (1 << 60,), np.dtype('u1'), False, b'x'), (1, (-1,), np.dtype('u1'), False, b''),
    (1, (1,), np.dtype('O'), False, b'\x00' * 8), (1, (2,), np.dtype('O'), False, [1]),
    (1, (1,), 'O', False, b'\x00' * 8), (1, (2,), np.dtype('f8'), False, b'1234567')])
def test_forged_arrays_raise(state):
    """Bytes that claim to be Python objects would be used as addresses."""
    with pytest.raises(ValueError, match='not a pickle of plain arrays'):
        safe_pickle.load_pickle(io.BytesIO(_forged(*state)))


@pytest.mark.parametrize('value', [
    np.arange(6).reshape(2, 3), np.array([1.5, 2.5], '>f4'), np.array([True, False]),
    np.array(['ab', 'c']), np.array([b'ab']), np.asfortranarray(np.ones((2, 3))),
    np.array([[1, 'a'], [None, 2.]], object), np.zeros((0, 3)),
    np.float32(3.), [1, 'x', b'y', None, {'a': (1, 2)}, True, 2.5]])
@pytest.mark.parametrize('protocol', [0, 1, 2, 3, 4])
def test_plain_values_are_read(value, protocol):
    read = safe_pickle.load_pickle(io.BytesIO(pickle.dumps(value, protocol)))
    if isinstance(value, list):
        assert read == value
    else:
        np.testing.assert_array_equal(np.asarray(read), value)
        assert read.dtype == value.dtype.newbyteorder('=')


def test_npz_archives(tmp_path):
    ragged = np.empty(2, object)
    ragged[:] = [[1, 2], [3]]
    np.savez(tmp_path / 'a.npz', ragged=ragged, plain=np.arange(6.).reshape(2, 3),
             order=np.asfortranarray(np.arange(6).reshape(2, 3)))
    found = safe_pickle.load_npz(tmp_path / 'a.npz')
    assert found['ragged'].tolist() == [[1, 2], [3]]
    np.testing.assert_array_equal(found['plain'], np.arange(6.).reshape(2, 3))
    np.testing.assert_array_equal(found['order'], np.arange(6).reshape(2, 3))
    np.savez(tmp_path / 'b.npz', evil=np.array([Evil(eval, '1 / 0')], object))
    with pytest.raises(ValueError, match='only arrays, texts, numbers'):
        safe_pickle.load_npz(tmp_path / 'b.npz')


@pytest.mark.parametrize('module', [imdb, reuters])
def test_word_index(cache, module, monkeypatch):
    name = module.__name__.rpartition('.')[2]
    monkeypatch.setattr('keras_layer.utils.data_utils._has_hash', lambda *_: True)
    (cache / f'{name}_word_index.json').write_text('{"the": 1}')
    assert module.get_word_index() == {'the': 1}


def test_california_and_boston_housing(cache, monkeypatch):
    monkeypatch.setattr('keras_layer.utils.data_utils._has_hash', lambda *_: True)
    for name in ('california_housing', 'boston_housing'):
        x = np.arange(1400.).reshape(700, 2)
        np.savez(cache / f'{name}.npz', x=x, y=x[:, 0])
        (x, y), (test_x, test_y) = getattr(D, name).load_data()
        assert (len(x), len(test_x)) == (560, 140)
        np.testing.assert_array_equal(x[:, 0], y)
    (x, _), _ = D.california_housing.load_data('small')
    assert len(x) == 480
    with pytest.raises(ValueError, match='small'):
        D.california_housing.load_data('tiny')


@pytest.mark.parametrize('name', ['mnist', 'fashion_mnist', 'cifar10', 'cifar100', 'imdb',
                                  'reuters', 'boston_housing', 'california_housing'])
def test_without_a_network_the_error_shows_where_to_save_the_file(cache, monkeypatch, name):
    from urllib import error, request

    def offline(*_, **__):
        raise error.URLError('no network')
    monkeypatch.setattr(request, 'urlopen', offline)
    with pytest.raises(OSError, match='save the file manually as .*datasets'):
        getattr(D, name).load_data()
