"""TFRecord files: TensorFlow's bytes, reading from any place, errors of damaged ones."""
from __future__ import annotations

import contextlib
import gzip
import pathlib
import tracemalloc

import pytest

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire.crc import crc32c, extend, mask, unmask
from tinyflow.formats.wire.records import RecordReader, RecordWriter, frame

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'


def test_crc_of_known_strings():
    """RFC 3720, B.4."""
    assert crc32c(bytes(32)) == 0x8a9136aa
    assert crc32c(b'\xff' * 32) == 0x62a8ab43
    assert crc32c(bytearray(range(32))) == 0x46dd794e
    assert extend(crc32c(b'1234'), b'56789') == crc32c(b'123456789') == 0xe3069283


def test_mask_is_undone_by_unmask():
    for crc in (0, 1, 0x8a9136aa, 0xffffffff):
        assert unmask(mask(crc)) == crc != mask(crc)


@pytest.mark.parametrize('name', contents.COMPRESSIONS)
def test_reads_files_of_tensorflow(name):
    options = tf.python_io.TFRecordOptions(contents.COMPRESSIONS[name])
    assert list(tf.python_io.tf_record_iterator(str(FILES / name), options)) == contents.RECORDS


@pytest.mark.parametrize('name', contents.COMPRESSIONS)
def test_writes_the_same_bytes_as_tensorflow(tmp_path, name):
    options = tf.io.TFRecordOptions(contents.COMPRESSIONS[name])
    with tf.io.TFRecordWriter(str(tmp_path / 'r'), options) as writer:
        for record in contents.RECORDS:
            writer.write(record)
    data = (tmp_path / 'r').read_bytes()
    if name == 'records.tfrecord':                  # zlib may pack in more than one way
        assert data == (FILES / name).read_bytes()
    assert list(tf.io.tf_record_iterator(str(tmp_path / 'r'), options)) == contents.RECORDS


@pytest.mark.parametrize('compression', ['', 'GZIP', 'ZLIB'])
@pytest.mark.parametrize('chunk', [1, 7, 100, None])
def test_any_buffer_size_and_any_start(tmp_path, compression, chunk):
    path = str(tmp_path / 'r')
    writer = RecordWriter(path, compression)
    for record in contents.RECORDS:
        writer.write(record)
    writer.close()
    with RecordReader(path, compression, buffer_size=chunk) as reader:
        offsets, found = [], []
        for record in reader:
            offsets.append(reader.offset)
            found.append(record)
        assert found == contents.RECORDS
    for i, offset in enumerate(offsets):
        with RecordReader(path, compression, offset, chunk) as reader:
            assert list(reader) == contents.RECORDS[i + 1:]


def test_joined_gzip_files_are_one(tmp_path):
    one = (FILES / 'records.tfrecord.gz').read_bytes()
    (tmp_path / 'r').write_bytes(one + one)
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    assert list(tf.python_io.tf_record_iterator(str(tmp_path / 'r'), options)) == \
        contents.RECORDS * 2


def test_flushed_records_can_be_read(tmp_path):
    for compression in ('', 'GZIP'):
        writer = tf.python_io.TFRecordWriter(str(tmp_path / 'r'), compression)
        writer.write(b'one')
        writer.flush()
        with RecordReader(str(tmp_path / 'r'), compression) as reader:
            assert next(reader) == b'one'
        writer.close()


def test_files_that_are_not_records(tmp_path):
    writer = tf.python_io.TFRecordWriter(str(tmp_path / 'r'))
    with pytest.raises(TypeError, match='SerializeToString'):
        writer.write('text')
    writer.close()
    writer.close()
    for call in (lambda: writer.write(b'late'), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match='previously closed'):
            call()


def test_missing_files(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match='none.tfrecord'):
        list(tf.python_io.tf_record_iterator(str(tmp_path / 'none.tfrecord')))
    with pytest.raises(tf.errors.NotFoundError, match='os.makedirs'):
        tf.python_io.TFRecordWriter(str(tmp_path / 'no' / 'r'))


def test_options():
    options = tf.python_io.TFRecordOptions
    for bad in ('bad', 3):
        with pytest.raises(ValueError, match='Not a valid compression_type'):
            options(bad)
    assert options.get_compression_type_string(options('GZIP')) == 'GZIP'
    assert options.get_compression_type_string(None) == ''
    assert options.get_compression_type_string(tf.python_io.TFRecordCompressionType.ZLIB) == 'ZLIB'


def test_damaged_records_say_where(tmp_path):
    data = frame(b'one') + frame(b'two')
    path = tmp_path / 'r'
    for damaged, what in ((data[:-1], 'truncated record at 19'),
                          (data[:5], 'truncated record at 0'),
                          (data[:20] + b'!' + data[21:], 'corrupted record at 19'),
                          (data[:-6] + b'!' + data[-5:], 'corrupted record at 19'),
                          (b'no records at all, just text', 'corrupted record at 0')):
        path.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError, match=what) as caught:
            list(tf.python_io.tf_record_iterator(str(path)))
        assert str(path) in str(caught.value)


def test_wrong_compression_raises(tmp_path):
    with pytest.raises(tf.errors.DataLossError, match='compression_type'):
        list(tf.python_io.tf_record_iterator(str(FILES / 'records.tfrecord.gz')))
    with pytest.raises(tf.errors.DataLossError, match='damaged compressed stream'):
        list(tf.python_io.tf_record_iterator(str(FILES / 'records.tfrecord'), 'GZIP'))
    cut = (FILES / 'records.tfrecord.gz').read_bytes()[:-20]
    (tmp_path / 'cut').write_bytes(cut)
    with pytest.raises(tf.errors.DataLossError, match='truncated'):
        list(tf.python_io.tf_record_iterator(str(tmp_path / 'cut'), 'GZIP'))


def test_zeros_behind_a_compressed_file_are_passed_over(tmp_path):
    path = tmp_path / 'padded'
    path.write_bytes((FILES / 'records.tfrecord.gz').read_bytes() + bytes(20))
    assert list(tf.python_io.tf_record_iterator(str(path), 'GZIP')) \
        == list(tf.python_io.tf_record_iterator(str(FILES / 'records.tfrecord.gz'), 'GZIP'))


def test_records_before_the_damage_are_returned(tmp_path):
    path = tmp_path / 'tail'
    whole = (FILES / 'records.tfrecord.gz').read_bytes()
    wanted = list(tf.python_io.tf_record_iterator(str(FILES / 'records.tfrecord.gz'), 'GZIP'))
    path.write_bytes(whole + b'something else')
    found = []
    with pytest.raises(tf.errors.DataLossError, match='damaged compressed stream'):
        for record in tf.python_io.tf_record_iterator(str(path), 'GZIP'):
            found.append(record)
    assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize('compression', ['GZIP', 'ZLIB'])
def test_a_small_file_does_not_fill_the_memory(tmp_path, compression):
    """32 MB of zeros in 32 KB: they are unpacked piece by piece, as they are read."""
    record, path = bytes(1000), str(tmp_path / 'zeros')
    with contextlib.closing(RecordWriter(path, compression)) as writer:
        for _ in range(32000):
            writer.write(record)
    tracemalloc.start()
    try:
        with RecordReader(path, compression) as reader:
            assert sum(next(reader) == record for _ in range(4000)) == 4000
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3 << 20


@pytest.mark.slow
def test_a_large_compressed_record_is_in_memory_once(tmp_path):
    size, path = 16 << 20, str(tmp_path / 'large')
    with contextlib.closing(RecordWriter(path, 'GZIP')) as writer:
        writer.write(bytes(size))
        writer.write(b'next')
    tracemalloc.start()
    try:
        with RecordReader(path, 'GZIP') as reader:
            assert len(next(reader)) == size and next(reader) == b'next'
            assert next(reader, None) is None
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 1.5 * size


def test_many_gzip_members(tmp_path):
    member = gzip.compress(frame(b'x'))
    (tmp_path / 'members').write_bytes(member * 3000)
    with RecordReader(str(tmp_path / 'members'), 'GZIP') as reader:
        assert list(reader) == [b'x'] * 3000
