"""HDF5 files that are damaged or hostile in one way each. `tests/faults` damages them by chance."""
from __future__ import annotations

import pathlib
import subprocess

import h5py
import numpy as np
import pytest

import tinyflow as tf
from keras_layer.utils import hdf5, hdf5_layout

keras = tf.keras
FILES = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'keras'

pytestmark = pytest.mark.usefixtures('new_graph')


# ---- damage of a kind ----------------------------------------------------------------------------

@pytest.fixture
def model():
    return keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name='d')])


def written(model, path):
    model.save_weights(str(path))
    return path.read_bytes()


def refusal(model, path, kind=tf.errors.DataLossError, by_name=False):
    """The text of the error of load_weights, which leaves the weights as they are."""
    before = model.get_weights()
    with pytest.raises(kind) as caught:
        model.load_weights(str(path), by_name=by_name)
    assert str(path) in str(caught.value)
    for old, new in zip(before, model.get_weights()):
        np.testing.assert_array_equal(old, new)
    return str(caught.value)


def endless_heap(data):
    """The bytes with a free block of 0 bytes in a global heap: libhdf5 2.0 never returns."""
    data = bytearray(data)
    at = data.index(b'GCOL') + 16
    data[at:at + 16] = bytes(16)
    return bytes(data)


@pytest.mark.slow
def test_an_endless_heap_is_no_endless_reading(model, tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5, '_SECONDS', 1)
    path = tmp_path / 'w.h5'
    source = (FILES / 'tf115_cnn_weights.h5').read_bytes()
    path.write_bytes(endless_heap(source))
    assert 'did not return from reading it in 1 s' in refusal(model, path)
    with pytest.raises(tf.errors.DataLossError, match='did not return'):
        keras.models.load_model(str(path))


def test_a_missing_layer_and_a_broken_name(model, tmp_path):
    path = tmp_path / 'w.h5'
    whole = written(model, path)
    path.write_bytes(whole.replace(b'kernel:0', b'kernel\xff0'))
    assert 'weight_names' in refusal(model, path)
    path.write_bytes(whole)
    with h5py.File(path, 'a') as file:
        del file['d/d/kernel:0']
    for by_name in (False, True):
        assert "'d/kernel:0'" in refusal(model, path, by_name=by_name)


@pytest.mark.slow
def test_no_numbers_in_a_data_set_and_no_text_in_an_attribute(model, tmp_path):
    path = tmp_path / 'w.h5'
    written(model, path)
    with h5py.File(path, 'a') as file:
        del file['d/d/bias:0']
        file['d/d/bias:0'] = ['a', 'b']
    assert 'no numbers' in refusal(model, path)
    with h5py.File(path, 'a') as file:
        file.attrs['backend'] = 3.5
    assert "'backend' cannot be read" in refusal(model, path)


@pytest.mark.slow
def test_a_data_set_that_claims_more_than_the_file_has(model, tmp_path):
    path = tmp_path / 'w.h5'
    written(model, path)
    with h5py.File(path, 'a') as file:
        del file['d/d/kernel:0']
        file.create_dataset('d/d/kernel:0', (1 << 40,), 'f4', chunks=(1 << 20,))
    refusal(model, path)


@pytest.mark.parametrize('change', ['"config": ', '"class_name": "Dense"', '"units": 3'])
def test_a_damaged_configuration(tmp_path, model, change):
    path = tmp_path / 'm.h5'
    model.save(str(path))
    with h5py.File(path, 'a') as file:
        text = str(file.attrs['model_config'])
        file.attrs['model_config'] = text.replace(change, change[:3] + change[4:]).replace(
            '"units": 2', '"units": "many"')
    with pytest.raises((tf.errors.DataLossError, ValueError, TypeError)) as caught:
        keras.models.load_model(str(path))
    assert str(path) in str(caught.value)


class Picky(keras.layers.Dense):
    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        if units == 3:
            raise KeyError('not three')


def test_an_error_of_the_users_own_layer_is_his(tmp_path):
    model = keras.Sequential([Picky(2, input_shape=(3,))])
    path = tmp_path / 'm.h5'
    model.save(str(path))
    with h5py.File(path, 'a') as file:
        file.attrs['model_config'] = str(file.attrs['model_config']).replace(
            '"units": 2', '"units": 3')
    with pytest.raises(KeyError, match='^.not three.$'):
        keras.models.load_model(str(path), {'Picky': Picky})


# ---- data in other files -------------------------------------------------------------------------

def external_storage(file, secret):
    file.create_dataset('d/d/kernel:0', (3, 2), 'f4', external=[(str(secret), 0, 24)])


def external_link(file, secret):
    with h5py.File(str(secret) + '.h5', 'w') as other:
        other['k'] = np.ones((3, 2), 'f4')
    file['d/d/kernel:0'] = h5py.ExternalLink(str(secret) + '.h5', 'k')


def soft_to_external_link(file, secret):
    external_link(file, secret)
    file.move('d/d/kernel:0', 'out')
    file['d/d/kernel:0'] = h5py.SoftLink('/out')


def external_group(file, secret):
    with h5py.File(str(secret) + '.h5', 'w') as other:
        other['kernel:0'] = np.ones((3, 2), 'f4')
        other['bias:0'] = np.ones(2, 'f4')
    del file['d/d']
    file['d/d'] = h5py.ExternalLink(str(secret) + '.h5', '/')


def virtual(file, secret):
    with h5py.File(str(secret) + '.h5', 'w') as other:
        other['k'] = np.ones((3, 2), 'f4')
    layout = h5py.VirtualLayout((3, 2), 'f4')
    layout[:] = h5py.VirtualSource(str(secret) + '.h5', 'k', (3, 2))
    file.create_virtual_dataset('d/d/kernel:0', layout)


@pytest.mark.slow
@pytest.mark.parametrize('make', [external_storage, external_link, soft_to_external_link,
                                  external_group, virtual], ids=lambda make: make.__name__)
def test_data_in_other_files_are_refused(model, tmp_path, make):
    path, secret = tmp_path / 'w.h5', tmp_path / 'secret'
    secret.write_bytes(b'password' * 3)
    written(model, path)
    with h5py.File(path, 'a') as file:
        del file['d/d/kernel:0']
        make(file, secret)
    text = refusal(model, path, ValueError)
    assert str(secret) in text and ('kernel:0' in text or '/out' in text)
    with h5py.File(path) as file, pytest.raises(ValueError, match='may not read other files'):
        model.load_weights(file)


@pytest.mark.slow
@pytest.mark.parametrize('make', [external_storage, external_link, virtual],
                         ids=lambda make: make.__name__)
def test_matrices_in_other_files_are_refused(tmp_path, make):
    path, secret = tmp_path / 'w.h5', tmp_path / 'secret'
    secret.write_bytes(b'password' * 3)
    with h5py.File(path, 'w') as file:
        make(file, secret)
    with pytest.raises(ValueError, match='may not read other files'):
        keras.utils.HDF5Matrix(str(path), 'd/d/kernel:0')


def compressed_matrix(path, rows=64):
    """A file with x, rows in compressed chunks of 8; where in the file the chunks are."""
    with h5py.File(path, 'w') as file:
        made = file.create_dataset('x', data=np.arange(rows * 4.0).reshape(rows, 4),
                                   chunks=(8, 4), compression='gzip')
        return [made.id.get_chunk_info(i).byte_offset for i in range(rows // 8)]


@pytest.mark.slow
def test_rows_of_a_damaged_matrix_are_an_error_that_names_the_file(tmp_path):
    path = tmp_path / 'x.h5'
    place = compressed_matrix(path)[5]
    data = bytearray(path.read_bytes())
    data[place:place + 8] = b'\xff' * 8
    path.write_bytes(data)
    matrix = keras.utils.HDF5Matrix(str(path), 'x')
    assert matrix[:8].shape == (8, 4)
    with pytest.raises(tf.errors.DataLossError, match=r"x.h5' is damaged: the data set 'x'"):
        matrix[40:48]
    keras.utils.HDF5Matrix.refs.pop(str(path)).close()


def test_a_matrix_in_a_file_that_cannot_be_read_in_time(tmp_path, monkeypatch):
    """Its structure is read in another process, and not all of its values."""
    path = tmp_path / 'x.h5'
    compressed_matrix(path)
    asked = []

    def never(command, timeout, **settings):
        asked.append((command[-1], timeout))
        raise subprocess.TimeoutExpired(command, timeout)
    monkeypatch.setattr(hdf5.subprocess, 'run', never)
    with pytest.raises(tf.errors.DataLossError, match="x.h5' is damaged: the HDF5 library did not"):
        keras.utils.HDF5Matrix(str(path), 'x')
    assert asked == [('structure', 10)]


def test_a_matrix_in_a_damaged_structure_is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / 'x.h5'
    with h5py.File(path, 'w') as file:
        file['x'] = np.ones((3, 2))
    whole = path.read_bytes()
    refused = 0
    for cut in range(100, len(whole), 97):
        path.write_bytes(whole[:cut])
        with pytest.raises((tf.errors.DataLossError, KeyError), match='x.h5'):
            keras.utils.HDF5Matrix(str(path), 'x')
        refused += 1
        keras.utils.HDF5Matrix.refs.pop(str(path), None)
    assert refused > 10


# ---- ordinary files ------------------------------------------------------------------------------

@pytest.mark.slow
def test_what_keras_writes_needs_no_other_process(model, tmp_path, monkeypatch):
    def refuse(path, values):
        raise AssertionError(path)
    monkeypatch.setattr(hdf5, '_read_elsewhere', refuse)
    written(model, tmp_path / 'w.h5')
    model.load_weights(str(tmp_path / 'w.h5'))
    many = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))]
                            + [keras.layers.Dense(1, name=f'{"long" * 40}{i}') for i in range(40)])
    many.save(str(tmp_path / 'many.h5'))
    hdf5_layout.check(tmp_path / 'many.h5')
    for path in FILES.glob('*.h5'):
        hdf5_layout.check(path)


@pytest.mark.slow
@pytest.mark.parametrize('options', [{'compression': 'gzip'}, {'chunks': True}], ids=str)
def test_valid_files_that_keras_does_not_write(model, tmp_path, options):
    """They are read twice: compressed, of the newest version of the format, with soft links."""
    path = tmp_path / 'w.h5'
    model.save_weights(str(path))
    kernel = np.arange(6, dtype='f4').reshape(3, 2)
    with h5py.File(path) as old, h5py.File(tmp_path / 'new.h5', 'w', libver='latest') as new:
        old.copy('d', new)
        new.attrs.update(old.attrs)
        del new['d/d/kernel:0']
        new.create_dataset('elsewhere', data=kernel, **options)
        new['d/d/kernel:0'] = h5py.SoftLink('/elsewhere')
    with pytest.raises(hdf5_layout.Unfamiliar):
        hdf5_layout.check(tmp_path / 'new.h5')
    model.load_weights(str(tmp_path / 'new.h5'))
    np.testing.assert_array_equal(model.get_weights()[0], kernel)
