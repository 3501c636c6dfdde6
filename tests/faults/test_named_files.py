"""Errors of other libraries that the harness found, each as an error that names the file."""
from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.datasets import cifar, text_numbers
from keras_layer.datasets.safe_pickle import load_npz
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.formats.wire import reading

keras = tf.keras
LOSS = tf.errors.DataLossError


def npz(header):
    """An archive whose array has this header."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w') as archive:
        archive.writestr('x.npy', b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header)
    return file.getvalue()


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w') as archive:
        archive.writestr('x', b'abc')
    return file.getvalue()


def backup(path):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    callback = keras.callbacks.BackupAndRestore(path.parent)
    callback.set_model(model)
    callback.first_epoch(0)


def extract(path):
    keras.utils.get_file(path.name, path.as_uri(), cache_dir=path.parent / 'cache', extract=True)


def matrix(path):
    import h5py  # optional package
    with h5py.File(path, 'w') as file:
        file['x'] = np.ones(3)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'SNOD', b'SNOT'))
    keras.utils.HDF5Matrix(path, 'x')


def csv(path):
    tf.data.experimental.make_csv_dataset(str(path), 1)


@pytest.mark.parametrize('name, content, read, kind', [
    ('a.npz', b'no archive', load_npz, LOSS),
    ('a.npz', npz(b"{'descr': '<f4', 'fortran_order': False 'shape': ()}\n"), load_npz, LOSS),
    ('batch', b'\x80\x02X\x02\x00\x00\x00\xff\xff.', cifar.load_batch, (LOSS, ValueError)),
    ('backup.npz', b'no archive', backup, LOSS),
    ('a.zip', zipped().replace(b'PK\x03\x04', b'PK\x03\x05'), extract, LOSS),
    ('w.h5', b'', matrix, LOSS),
    ('a.csv', b'a,b\n1,\xff\n', csv, ValueError), ('a.csv', b'a,a\n1,2\n', csv, ValueError),
    ('g.pbtxt', b'versions { producer: 9999999999 }', lambda p: reading.read(p, GraphDef), LOSS),
], ids=['not an archive', 'header', 'pickle', 'backup', 'archive', 'matrix', 'csv', 'columns',
        'pbtxt'])
def test_the_file_is_named(tmp_path, name, content, read, kind):
    path = tmp_path / name
    path.write_bytes(content)
    with tf.Graph().as_default(), pytest.raises(kind) as caught:
        read(path)
    assert f'/{name}' in str(caught.value)
    assert isinstance(caught.value, tf.errors.OpError) or caught.value.raised_by_tinyflow


def test_a_word_index(tmp_path, monkeypatch):
    path = tmp_path / 'i.json'
    path.write_text('{"a": 1,')
    monkeypatch.setattr(text_numbers, 'get_file', lambda path, *args, **kwargs: path)
    with pytest.raises(LOSS, match='i.json'):
        keras.datasets.imdb.get_word_index(str(path))


@pytest.mark.parametrize('text', [
    '{"a', '3', '{"class_name": "Sequential", "config": {"layers": 3}}'])
def test_configurations(text):
    for read in (keras.models.model_from_json, keras.models.model_from_yaml):
        with pytest.raises(ValueError) as caught:
            read(text)
        assert caught.value.raised_by_tinyflow
