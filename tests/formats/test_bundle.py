"""Checkpoint files: TensorFlow's bytes exactly, both ways."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.protos import tensor_bundle_pb2
from tinyflow.formats.wire import checkpoint_v1, ordered, slices, snappy, table
from tinyflow.formats.wire.bundle import BundleReader, data_name, index_name
from tinyflow.formats.wire.bundle_writer import BundleWriter, merge
from tinyflow.formats.wire.checkpoint_v1 import ReaderV1
from tinyflow.graph import dtypes

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'


def dtype_of(array):
    return dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)


def write(prefix, tensors):
    with BundleWriter(str(prefix)) as writer:
        for name in sorted(tensors):
            writer.add(name, tensors[name], dtype_of(tensors[name]))
    return str(prefix)


def assert_equal(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


# ---- against files of TensorFlow 1.15.5 ----------------------------------------------------------

@pytest.mark.parametrize('name', contents.TENSORS)
def test_reads_every_dtype(name):
    with BundleReader(str(FILES / 'tensors')) as reader:
        assert_equal(reader.get(name), contents.TENSORS[name])


def test_reads_tensors_of_several_files():
    with BundleReader(str(FILES / 'sharded')) as reader:
        assert reader.shards == 2
        for i, value in enumerate(contents.TENSORS.values()):
            assert_equal(reader.get(f'x{i}'), value)


def test_reads_the_first_format():
    with ReaderV1(str(FILES / 'old')) as reader:
        assert reader.names() == sorted(n for n in contents.TENSORS if n[0] in 'acd')
        for name in reader.names():
            assert_equal(reader.get(name), contents.TENSORS[name])
        with pytest.raises(tf.errors.NotFoundError, match='gone'):
            reader.get('gone')


@pytest.mark.parametrize('reader, name', [(BundleReader, 'parts'),
                                          (ReaderV1, 'old_parts-?????-of-00001')])
def test_reads_parts_and_any_part_of_them(reader, name):
    with reader(str(FILES / name)) as reader:
        assert reader.names() == ['parts']
        assert_equal(reader.get('parts'), contents.WHOLE)
        for text in ('10 4 0,5:-', '10 4 3,4:1,2', '10 4 -:3,1', '10 4 9,1:0,4'):
            shape, extents = slices.parse(text)
            assert_equal(reader.get_slice('parts', shape, extents),
                         contents.WHOLE[slices.index_of(shape, extents)])
        with pytest.raises(tf.errors.InvalidArgumentError, match='does not match the shape'):
            reader.get_slice('parts', (11, 4), [(0, 1), (0, -1)])


def test_writes_the_first_format(tmp_path):
    tensors = {name: value for name, value in contents.TENSORS.items()
               if dtype_of(value).name in checkpoint_v1._WRITTEN}
    assert len(tensors) == 9
    path = str(tmp_path / 'old')
    checkpoint_v1.write(path, [(name, value.shape, [(0, slices.ALL)] * value.ndim, value,
                                dtype_of(value)) for name, value in tensors.items()])
    with ReaderV1(path) as reader:
        assert reader.names() == sorted(tensors)
        for name, value in tensors.items():
            assert_equal(reader.get(name), value)


def same_files(ours, theirs):
    for name in (index_name, lambda prefix: data_name(prefix, 0, 1)):
        assert pathlib.Path(name(str(ours))).read_bytes() == \
            pathlib.Path(name(str(theirs))).read_bytes()


@pytest.mark.parametrize('name, tensors', [('tensors', contents.TENSORS), ('many', contents.MANY)])
def test_writes_the_same_bytes(tmp_path, name, tensors):
    same_files(write(tmp_path / 'ours', tensors), FILES / name)


def test_writes_parts_in_the_same_bytes(tmp_path):
    with BundleWriter(str(tmp_path / 'ours')) as writer:
        for text in ('10 4 0,5:0,4', '10 4 5,5:0,4'):
            shape, extents = slices.parse(text)
            part = contents.WHOLE[slices.index_of(shape, extents)]
            writer.add_slice('parts', shape, extents, part, tf.float32)
    same_files(tmp_path / 'ours', FILES / 'parts')


def test_overwriting_ends_in_the_same_bytes(tmp_path):
    for tensors in (contents.MANY, contents.TENSORS, contents.TENSORS):
        prefix = write(tmp_path / 'ours', tensors)
        names = sorted(p.name for p in tmp_path.iterdir())
        assert names == ['ours.data-00000-of-00001', 'ours.index']
    same_files(prefix, FILES / 'tensors')


# ---- writing and reading -------------------------------------------------------------------------

def test_merges_checkpoints(tmp_path):
    first = write(tmp_path / 'parts_1' / 'a', {'x': np.arange(3)})
    second = write(tmp_path / 'parts_2' / 'b', {'y': np.ones(2), 's': np.array([b'text'], object)})
    merge([first, second], str(tmp_path / 'all'))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        'all.data-00000-of-00002', 'all.data-00001-of-00002', 'all.index']
    with BundleReader(str(tmp_path / 'all')) as reader:
        assert reader.names() == ['s', 'x', 'y']
        assert_equal(reader.get('x'), np.arange(3))
        assert_equal(reader.get('s'), np.array([b'text'], object))


def test_merged_parts_of_one_tensor(tmp_path):
    for i, text in enumerate(['4 0,3', '4 3,1']):
        shape, extents = slices.parse(text)
        with BundleWriter(str(tmp_path / f'p{i}')) as writer:
            writer.add_slice('x', shape, extents, np.arange(4)[slices.index_of(shape, extents)],
                             tf.int64)
    merge([str(tmp_path / 'p0'), str(tmp_path / 'p1')], str(tmp_path / 'all'))
    with BundleReader(str(tmp_path / 'all')) as reader:
        assert_equal(reader.get('x'), np.arange(4))


def test_merging_equal_names_is_refused(tmp_path):
    prefixes = [write(tmp_path / name, {'x': np.arange(3)}) for name in 'ab']
    with pytest.raises(tf.errors.InvalidArgumentError, match='duplicate tensor x'):
        merge(prefixes, str(tmp_path / 'all'))
    with BundleReader(prefixes[0]) as reader:                   # and nothing is lost
        assert_equal(reader.get('x'), np.arange(3))


def test_strided_and_foreign_arrays(tmp_path):
    arrays = {'strided': np.arange(12.0).reshape(3, 4)[:, ::2],
              'swapped': np.arange(3, dtype='>i4'),
              'fortran': np.asfortranarray(np.arange(6).reshape(2, 3))}
    with BundleWriter(str(tmp_path / 'x')) as writer:
        for name, array in arrays.items():
            writer.add(name, array, dtype_of(array))
    with BundleReader(str(tmp_path / 'x')) as reader:
        for name, array in arrays.items():
            np.testing.assert_array_equal(reader.get(name), array)


def test_a_missing_tensor_and_a_missing_file(tmp_path):
    prefix = write(tmp_path / 'x', {'x': np.arange(3)})
    with BundleReader(prefix) as reader:
        with pytest.raises(tf.errors.NotFoundError, match='Key y not found in checkpoint'):
            reader.get('y')
        pathlib.Path(data_name(prefix, 0, 1)).unlink()
        with pytest.raises(tf.errors.NotFoundError, match='data-00000-of-00001'):
            reader.get('x')
    with pytest.raises(tf.errors.NotFoundError, match='nowhere.index'):
        BundleReader(str(tmp_path / 'nowhere'))


@pytest.mark.parametrize('number, size', [(14, 2), (20, 8)], ids=['bfloat16', 'resource'])
def test_an_unsupported_dtype_raises(tmp_path, number, size):
    prefix = write(tmp_path / 'x', {'x': np.zeros(2 * size, np.uint8)})
    entries = table.read_table(pathlib.Path(index_name(prefix)).read_bytes())
    entry = tensor_bundle_pb2.BundleEntryProto.FromString(entries[b'x'])
    entry.dtype = number
    entry.shape.dim[0].size = 2
    entries[b'x'] = entry.SerializeToString()
    pathlib.Path(index_name(prefix)).write_bytes(table.write_table(entries.items()))
    with BundleReader(prefix) as reader, \
            pytest.raises(tf.errors.UnimplementedError, match=f"'x' has the dtype number {number}"):
        reader.get('x')


def test_strings_longer_than_the_file(tmp_path):
    prefix = write(tmp_path / 'x', {'x': np.array([b'abcdefgh'], object)})
    data = pathlib.Path(data_name(prefix, 0, 1))
    data.write_bytes(b'\xff' * 9 + b'\x7f' + data.read_bytes()[10:])      # of 2 ** 70 bytes
    with BundleReader(prefix) as reader, \
            pytest.raises(tf.errors.DataLossError, match='its strings do not fill its bytes'):
        reader.get('x')


# ---- the pieces ----------------------------------------------------------------------------------

@pytest.mark.parametrize('count', [0, 1, 16, 17, 1000])
def test_table_of_any_size(count):
    entries = {b'key%05d' % i: b'v' * (i % 50) for i in range(count)}
    assert table.read_table(table.write_table(entries.items())) == entries


def test_table_of_several_blocks():
    entries = {b'key%05d' % i: b'v' * 3000 for i in range(300)}
    data = table.write_table(entries.items())
    assert table.read_table(data) == entries
    assert data.count(b'key0008\x00') < 2               # the index has shortened keys


def test_table_refuses_keys_out_of_order():
    with pytest.raises(ValueError, match='must rise'):
        table.write_table([(b'b', b''), (b'a', b'')])


def test_numbers_that_sort():
    numbers = sorted({sign * (1 << bits) + d for bits in range(0, 63, 3) for sign in (-1, 1)
                      for d in (-1, 0, 1)})
    coded = [ordered.signed(n) for n in numbers]
    assert coded == sorted(coded) and len(set(coded)) == len(coded)
    assert ordered.signed(0) == b'\x80' and ordered.signed(-1) == b'\x7f'
    assert ordered.number(0) == b'\x00' and ordered.number(258) == b'\x02\x01\x02'


def test_texts_that_sort():
    texts = sorted([b'', b'a', b'a\x00', b'a\x00b', b'a\xff', b'ab', b'\xff\xff', b'\x00'])
    coded = [ordered.text(t) for t in texts]
    assert coded == sorted(coded) and len(set(coded)) == len(coded)


@pytest.mark.parametrize('text', ['2', '2 0,3', '2 x,1', '2 3 0,1', '2 -1,1', '2 0,-2'])
def test_specifications_of_parts_that_are_none(text):
    with pytest.raises(ValueError):
        slices.parse(text)


def test_snappy():
    """By hand: a literal, a copy that reaches into itself, a long literal, copies far back."""
    assert snappy.decompress(b'\x03\x08abc') == b'abc'
    assert snappy.decompress(b'\x08\x04ab\x16\x02\x00') == b'abababab'
    assert snappy.decompress(b'\x08\x04ab\x09\x02') == b'abababab'
    assert snappy.decompress(b'\x46\xf0\x41' + b'x' * 66 + b'\x0f\x42\x00\x00\x00') == b'x' * 70
    for damaged in (b'', b'\x05\x08abc', b'\x02\x08abc', b'\x03\x08ab', b'\x04\x09\x02',
                    b'\x08\x04ab\x16\x09\x00'):
        with pytest.raises(snappy.DamagedStream):
            snappy.decompress(damaged)


def test_a_missing_part_is_reported(tmp_path):
    prefix = str(tmp_path / 'parts')
    with BundleWriter(prefix) as writer:
        shape, extents = slices.parse('4 0,2')
        writer.add_slice('x', shape, extents, np.arange(2), tf.int64)
    with BundleReader(prefix) as reader, \
            pytest.raises(tf.errors.DataLossError, match="parts are missing of the tensor 'x'"):
        reader.get('x')


def test_parts_of_a_tensor_that_no_memory_holds(tmp_path):
    prefix = str(tmp_path / 'parts')
    with BundleWriter(prefix) as writer:
        shape, extents = slices.parse('4 0,2')
        writer.add_slice('x', shape, extents, np.arange(2), tf.int64)
    entries = table.read_table(pathlib.Path(index_name(prefix)).read_bytes())
    entry = tensor_bundle_pb2.BundleEntryProto.FromString(entries[b'x'])
    entry.shape.dim[0].size = 1 << 62
    entries[b'x'] = entry.SerializeToString()
    pathlib.Path(index_name(prefix)).write_bytes(table.write_table(entries.items()))
    with BundleReader(prefix) as reader, \
            pytest.raises(tf.errors.DataLossError, match='does not fit into memory'):
        reader.get('x')
