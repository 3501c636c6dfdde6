"""tf.data and files: lines, records, CSV, caches on disk, lists of files."""
from __future__ import annotations

import gzip
import zlib
from collections import OrderedDict

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.formats.wire.bundle import BundleReader

Dataset = tf.data.Dataset
experimental = tf.data.experimental

pytestmark = pytest.mark.usefixtures('graph')


def drained(dataset):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer)
        try:
            while True:
                found.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return found


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)
    return write


# ---- lines and records --------------------------------------------------------------------

@pytest.mark.parametrize('compression, pack', [
    (None, bytes), ('GZIP', gzip.compress), ('ZLIB', zlib.compress)])
def test_lines_of_compressed_files(write, compression, pack):
    path = write('lines', pack(b'one\r\n\nthree'))
    assert drained(tf.data.TextLineDataset([path, path], compression)) == \
        [b'one', b'', b'three'] * 2


def test_files_may_be_a_dataset_and_be_read_in_turn(write):
    paths = [write('a', b'1\n2\n3'), write('b', b'x\ny')]
    names = Dataset.from_tensor_slices(paths)
    assert drained(tf.data.TextLineDataset(names)) == [b'1', b'2', b'3', b'x', b'y']
    assert drained(tf.data.TextLineDataset(paths, num_parallel_reads=2)) == \
        [b'1', b'x', b'2', b'y', b'3']
    with pytest.raises(TypeError, match='`filenames` must be a `tf.data.Dataset` of scalar'):
        tf.data.TextLineDataset(Dataset.range(2))


@pytest.mark.parametrize('compression', [None, 'GZIP', 'ZLIB'])
def test_records_that_were_written_are_read(tmp_path, compression):
    path = str(tmp_path / 'data.tfrecord')
    texts = [b'one', b'', bytes(1000)]
    writer = experimental.TFRecordWriter(path, compression)
    with tf.Session() as session:
        session.run(writer.write(Dataset.from_tensor_slices(np.array(texts, object))))
    assert drained(tf.data.TFRecordDataset(path, compression)) == texts
    assert drained(tf.data.TFRecordDataset([path] * 3, compression, num_parallel_reads=3)) == \
        [text for text in texts for _ in range(3)]


def test_examples_through_records(tmp_path):
    path = str(tmp_path / 'examples.tfrecord')
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(5):
            features = {'n': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                        'words': tf.train.Feature(bytes_list=tf.train.BytesList(
                            value=[b'w'] * (i % 3)))}
            writer.write(tf.train.Example(features=tf.train.Features(
                feature=features)).SerializeToString())

    def parse(record):
        return tf.parse_single_example(record, {'n': tf.FixedLenFeature([], tf.int64),
                                                'words': tf.VarLenFeature(tf.string)})
    batches = drained(tf.data.TFRecordDataset(path).map(parse, 2).batch(3))
    assert [b['n'].tolist() for b in batches] == [[0, 1, 2], [3, 4]]
    assert batches[0]['words'].indices.tolist() == [[1, 0], [2, 0], [2, 1]]
    assert batches[0]['words'].dense_shape.tolist() == [3, 2]


@pytest.mark.slow
def test_batches_of_features(tmp_path):
    paths = []
    for name in 'ab':
        paths.append(str(tmp_path / f'{name}.tfrecord'))
        with tf.python_io.TFRecordWriter(paths[-1]) as writer:
            for i in range(3):
                feature = {'n': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                           'file': tf.train.Feature(bytes_list=tf.train.BytesList(
                               value=[name.encode()]))}
                writer.write(tf.train.Example(features=tf.train.Features(
                    feature=feature)).SerializeToString())
    features = {'n': tf.FixedLenFeature([], tf.int64), 'file': tf.VarLenFeature(tf.string)}
    batches = drained(experimental.make_batched_features_dataset(
        str(tmp_path / '*.tfrecord'), 4, features, label_key='n', num_epochs=1, shuffle=False))
    assert [labels.tolist() for _, labels in batches] == [[0, 1, 2, 0], [1, 2]]
    assert batches[0][0]['file'].values.tolist() == [b'a'] * 3 + [b'b']
    element = tf.contrib.data.read_batch_features(paths, 3, features)
    with tf.Session() as session:
        assert len(session.run(element)['n']) == 3
    with pytest.raises(TypeError, match='(?s)vectors of strings.*batch'):
        Dataset.from_tensors('x').apply(experimental.parse_example_dataset(features))


def test_pieces_of_one_length(write):
    path = write('data.bin', b'HEADaabbccFOOT')
    assert drained(tf.data.FixedLengthRecordDataset(path, 2, 4, 4)) == [b'aa', b'bb', b'cc']
    packed = write('data.gz', gzip.compress(b'HEADaabbccFOOT'))
    assert drained(tf.data.FixedLengthRecordDataset(
        packed, 3, 4, 4, compression_type='GZIP')) == [b'aab', b'bcc']
    with pytest.raises(tf.errors.InvalidArgumentError, match='not an exact multiple of the rec'):
        drained(tf.data.FixedLengthRecordDataset(path, 4, 4, 4))


@pytest.mark.parametrize('make', [
    tf.data.TextLineDataset, tf.data.TFRecordDataset,
    lambda path: tf.data.FixedLengthRecordDataset(path, 2),
    lambda path: experimental.CsvDataset(path, [tf.int32])],
    ids=['lines', 'records', 'pieces', 'csv'])
def test_a_missing_file_is_named(make, tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match='nowhere.txt; No such file'):
        drained(make(str(tmp_path / 'nowhere.txt')))


def test_damaged_files_are_a_clear_error(write):
    for make in (lambda path: tf.data.TextLineDataset(path, 'GZIP'),
                 lambda path: tf.data.TextLineDataset(path, 'ZLIB'), tf.data.TFRecordDataset,
                 lambda path: tf.data.TFRecordDataset(path, 'GZIP')):
        with pytest.raises(tf.errors.DataLossError, match='broken'):
            drained(make(write('broken', b'this is neither packed nor a record')))
    with pytest.raises(tf.errors.InvalidArgumentError, match="'ZIP'"):
        drained(tf.data.TextLineDataset(write('x', b''), 'ZIP'))


# ---- CSV ----------------------------------------------------------------------------------

def csv(path, defaults, **settings):
    return drained(experimental.CsvDataset(path, defaults, **settings))


def test_csv_quotes_and_defaults(write):
    path = write('a.csv', b'n,t,x\r\n1,"a ""b"", c",2.5\r\n-2,"two\nlines",\r\n+3,,1e3\r\n')
    rows = csv(path, [tf.int32, ['none'], [0.5]], header=True)
    assert rows == [(1, b'a "b", c', 2.5), (-2, b'two\nlines', 0.5), (3, b'none', 1000.0)]
    assert [row[0].dtype for row in rows] == [np.int32] * 3
    assert csv(path, [tf.float64, [7.5]], header=True, select_cols=[0, 2]) == \
        [(1.0, 2.5), (-2.0, 7.5), (3.0, 1000.0)]


def test_csv_delimiters_and_missing_values(write):
    path = write('a.csv', b'1|NA|"x|y"\n|3|z\n')
    assert csv(path, [[-1], [-2], ['d']], field_delim='|', na_value='NA') == \
        [(1, -2, b'x|y'), (-1, 3, b'z')]
    plain = write('b.csv', b'1,"x"\n')
    assert csv(plain, [tf.int64, tf.string], use_quote_delim=False) == [(1, b'"x"')]


@pytest.mark.parametrize('content, words', [
    (b'x,1\n', 'Field 0 in record is not a valid int32: x.*header=True'),
    (b'99999999999,1\n', 'Field 0 in record is not a valid int32'),
    (b',1\n', 'Field 0 is required but missing.*a default'),
    (b'\n', 'Field 0 is required but missing'),
    (b'1\n', 'Expect 2 fields but have 1 in record'),
    (b'1,2,3\n', 'Expect 2 fields but have more in record'),
    (b'1,a"b\n', 'Unquoted fields cannot have quotes inside'),
    (b'1,"a"b\n', 'Quote inside a string has to be escaped'),
    (b'1,"ab\n', 'End of file inside a quoted field')])
def test_csv_that_does_not_fit(write, content, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f'(?s){words}'):
        csv(write('bad.csv', content), [tf.int32, tf.string])


def test_bad_csv_records_can_be_left_out(write):
    path = write('a.csv', b'1\nx\n3\n')
    dataset = experimental.CsvDataset(path, [tf.int32]).apply(experimental.ignore_errors())
    assert drained(dataset) == [(1,), (3,)]


TABLE = b'a,b,c\n1,x,2.5\n2,y,3.5\n3,z,\n4,w,5.5\n'


def test_make_csv_dataset_finds_names_and_types(write):
    path = write('t.csv', TABLE)
    dataset = experimental.make_csv_dataset(path, 3, label_name='b', num_epochs=1, shuffle=False)
    assert dataset.output_types == (OrderedDict([('a', tf.int32), ('c', tf.float32)]), tf.string)
    (features, labels), (rest, _) = drained(dataset)
    assert features['a'].tolist() == [1, 2, 3] and labels.tolist() == [b'x', b'y', b'z']
    assert features['c'].tolist() == [2.5, 3.5, 0.0] and rest['a'].tolist() == [4]


@pytest.mark.slow
def test_make_csv_dataset_goes_on_without_end(write):
    path = write('t.csv', TABLE)
    dataset = experimental.make_csv_dataset([path], 3, select_columns=['a'], shuffle=True,
                                            shuffle_seed=1)
    batches = drained(dataset.take(8))
    assert sorted(np.concatenate([b['a'] for b in batches]).tolist()) == sorted([1, 2, 3, 4] * 6)


@pytest.mark.parametrize('settings, words', [
    ({'label_name': 'q'}, "'q' is not one of a, b, c"),
    ({'select_columns': ['a', 'q']}, "'q' is not the name of any column"),
    ({'select_columns': [0, 9]}, 'out of valid range'),
    ({'select_columns': [0, 0]}, 'duplicate columns'),
    ({'column_defaults': [0]}, 'one is needed for each selected column'),
    ({'column_names': ['a', 'a', 'b']}, 'duplicate column names'),
    ({'header': False}, 'Cannot infer column names')])
def test_make_csv_dataset_refuses(write, settings, words):
    with pytest.raises(ValueError, match=words):
        experimental.make_csv_dataset(write('t.csv', TABLE), 2, **settings)
    with pytest.raises(ValueError, match='No files match'):
        experimental.make_csv_dataset('nowhere/*.csv', 2)


# ---- caches on disk -----------------------------------------------------------------------

def unchanged(x):
    raise AssertionError('the input of a filled cache is not needed')


def test_a_cache_on_disk_outlives_the_session(tmp_path):
    prefix = str(tmp_path / 'cache')
    dataset = Dataset.range(3).map(lambda x: (x, tf.fill([x], 'x'))).cache(prefix)
    first = drained(dataset.repeat(2))
    assert [n for n, _ in first] == [0, 1, 2] * 2
    again = Dataset.range(3).map(lambda x: tf.py_func(unchanged, [x], [tf.int64, tf.string]))
    assert [(n, t.tolist()) for n, t in drained(again.cache(prefix))] == \
        [(n, t.tolist()) for n, t in first[:3]]


def test_a_cache_on_disk_has_tensorflows_form(tmp_path):
    prefix = str(tmp_path / 'cache')
    drained(Dataset.from_tensor_slices(([1, 2], ['a', 'b'])).cache(prefix))
    with BundleReader(prefix) as reader:
        assert reader.names() == ['      0_0', '      0_1', '      1_0', '      1_1']
        assert reader.get('      1_1').item() == b'b'


def test_an_incomplete_pass_leaves_no_cache(tmp_path):
    prefix = str(tmp_path / 'cache')
    element = Dataset.range(9).cache(prefix).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
    assert list(tmp_path.iterdir()) == []
    with tf.Session() as session:
        assert session.run(element) == 0


# ---- lists of files -----------------------------------------------------------------------

def test_list_files(write, tmp_path):
    paths = sorted(write(f'{name}.txt', b'') for name in 'abcdef')
    write('other.csv', b'')
    pattern = str(tmp_path / '*.txt')
    listed = [path.decode() for path in drained(Dataset.list_files(pattern, shuffle=False))]
    assert listed == paths
    shuffled = [path.decode() for path in drained(Dataset.list_files(pattern, seed=1))]
    assert sorted(shuffled) == paths
    with pytest.raises(tf.errors.InvalidArgumentError, match='no_such'):
        drained(Dataset.list_files(str(tmp_path / 'no_such*')))


@pytest.mark.parametrize('compression, pack', [('GZIP', gzip.compress), ('ZLIB', zlib.compress)])
def test_make_csv_dataset_reads_names_and_types_of_compressed_files(tmp_path, compression, pack):
    path = tmp_path / 'table.csv'
    path.write_bytes(pack(b'a,b\n1,2.5\n3,4.5\n'))
    dataset = tf.data.experimental.make_csv_dataset(str(path), 2, num_epochs=1, shuffle=False,
                                                    compression_type=compression)
    with tf.Session() as session:
        found = session.run(dataset.make_one_shot_iterator().get_next())
    assert {name: column.tolist() for name, column in found.items()} \
        == {'a': [1, 3], 'b': [2.5, 4.5]}
