"""Rows for tf.data. Most datasets are looked at as one batch of all their elements, which can be
made again and again; an iterator is over an endless dataset of equal elements."""
import os
import tempfile

import numpy as np

from tests.ops.rows import row

_FOLDER = os.path.join(tempfile.gettempdir(), f'tinyflow-rows-data-{os.getpid()}')


def _path(name, content=None):
    """The path of a file, which gets this content."""
    os.makedirs(_FOLDER, exist_ok=True)
    path = os.path.join(_FOLDER, name)
    if content is not None:
        with open(path, 'wb') as file:
            file.write(content)
    return path


def _flat(nest):
    return [leaf for part in nest for leaf in _flat(part)] if isinstance(nest, tuple) else [nest]


def _all(make):
    """A builder of all elements of `make(tf, *tensors)`, batched."""
    def build(tf, *tensors):
        dataset = make(tf, *tensors).batch(1000)
        return _flat(tf.data.experimental.get_single_element(dataset))
    return build


def _first(make):
    """A builder of the first component, for what must fail."""
    return lambda tf, *tensors: _all(make)(tf, *tensors)[0]


def _rows(op_type, make, inputs=((5, 2),), ref=None, **settings):
    settings = {'grad': False, 'static_result': False, **settings}
    return row(op_type, _all(make), inputs, ref=ref, **settings)


def _slices(tf, *xs):
    return tf.data.Dataset.from_tensor_slices(xs if len(xs) > 1 else xs[0])


def _numbers(tf, n=10):
    return tf.data.Dataset.range(n)


def _array_batches(tf):
    """Two batches of two of three rows, which run into the second epoch."""
    from estimator_layer.inputs.columns import batches
    columns = [np.arange(6, dtype=np.float32).reshape(3, 2), np.array([5, 6, 7])]
    return batches(columns, batch_size=2, epochs=None, shuffle=False).take(2)


def _endless(tf):
    return tf.data.Dataset.from_tensors((3, [1.5, 2.5])).repeat()


def _next(tf):
    return _flat(_endless(tf).make_one_shot_iterator().get_next())


def _initialized(dataset, tf, more=None):
    """The next element, after the iterator was initialized."""
    iterator = dataset.make_initializable_iterator()
    with tf.control_dependencies([iterator.initializer]):
        return _flat(more(iterator) if more else iterator.get_next())


def _by_handle(tf):
    one = _endless(tf).make_one_shot_iterator()
    with tf.control_dependencies([one._iterator_resource]):
        handle = one.string_handle('again')
    found = tf.data.Iterator.from_string_handle(handle, one.output_types, one.output_shapes)
    return _flat(found.get_next())


def _settings(**options):
    def with_settings(tf):
        settings = tf.data.Options()
        for name, value in options.items():
            setattr(settings.experimental_threading, name, value)
        return _endless(tf).with_options(settings)
    return with_settings


def _with_settings(**options):
    return lambda tf: _initialized(_settings(**options)(tf), tf)


def _restored(tf):
    """The position of the pass is restored, and the next element is the one after it."""
    from tinyflow.data.ops.iterator_ops import DeserializeIterator, SerializeIterator
    iterator = tf.data.Dataset.range(100).make_initializable_iterator()
    with tf.control_dependencies([iterator.initializer]):
        state = SerializeIterator.apply(iterator._iterator_resource)
    with tf.control_dependencies([state]):
        first = iterator.get_next()
    with tf.control_dependencies([first]):
        second = iterator.get_next()
    with tf.control_dependencies([second]):
        back = DeserializeIterator.apply(iterator._iterator_resource, state)
    with tf.control_dependencies([back]):
        return [first, second, iterator.get_next()]


def _written(tf, records):
    """The records of a TFRecord file that was just written."""
    path = _path('written.tfrecord')
    write = tf.data.experimental.TFRecordWriter(path).write(_slices(tf, records))
    with tf.control_dependencies([write]):
        return _all(lambda tf: tf.data.TFRecordDataset(tf.identity(path)))(tf)


def _stack(values, dtype=None):
    return [np.array(values, dtype)]


def _records():
    from tinyflow.formats.wire.records import frame
    return _path('records.tfrecord', frame(b'one') + frame(b''))


def _sync(tf):
    from tinyflow.data.ops.iterator_ops import IteratorGetNextSync
    iterator = _endless(tf).make_one_shot_iterator()
    return IteratorGetNextSync.apply(
        iterator._iterator_resource, output_types=(tf.int32, tf.float32),
        output_shapes=(tf.TensorShape([]), tf.TensorShape([2])))


_ELEMENT = [np.int32(3), np.float32([1.5, 2.5])]
_TEXTS = np.array([b'one', b'', b'three'], object)
_PAIR = [(5, 2), np.arange(5)]


def _experimental(tf):
    return tf.data.experimental


def _sparse(tf, indices, values, shape):
    return tf.SparseTensor(indices, values, shape)


def _parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


_INDICES, _VALUES, _SHAPE = np.array([[0, 1], [2, 0], [2, 3]]), np.array([1.5, 2, 3]), [3, 4]
_SPARSE = [_INDICES, _VALUES, np.array(_SHAPE)]


def _through_dataset(tf, *parts):
    dataset = tf.data.Dataset.from_tensors(_sparse(tf, *parts)).repeat(2).batch(2)
    iterator = dataset.make_initializable_iterator()
    with tf.control_dependencies([iterator.initializer]):
        return _parts(iterator.get_next())


def _sparse_rows(tf, *parts):
    dataset = tf.data.Dataset.from_sparse_tensor_slices(_sparse(tf, *parts))
    return _flat(tf.data.experimental.get_single_element(dataset.skip(2)))


def _batched_rows(tf, *parts):
    dataset = tf.data.Dataset.from_tensor_slices(_sparse(tf, *parts)).batch(9)
    return _parts(tf.data.experimental.get_single_element(dataset))


_WORDS = np.array([[b'a', b'b', b'c'], [b'd', b'e', b'f']], object)

ROWS = [
    row('ReduceJoin', lambda tf, x: tf.reduce_join(x, 1, separator='-'), [_WORDS],
        ref=lambda x: np.array([b'a-b-c', b'd-e-f'], object), grad=False,
        bad=[lambda tf: tf.reduce_join(['a'], 2)]),
    row('ReduceJoin', lambda tf, x: tf.reduce_join(x, [0, -1], keep_dims=True), [_WORDS],
        ref=lambda x: np.array([[b'adbecf']], object), grad=False, name='first runs fastest'),
    row('SerializeSparse', _through_dataset, _SPARSE, grad=False, static_result=False,
        ref=lambda i, v, s: [
            np.concatenate([np.c_[[0] * 3, i], np.c_[[1] * 3, i]]), np.r_[v, v], np.r_[2, s]]),
    row('DeserializeSparse', _batched_rows, _SPARSE, ref=lambda i, v, s: [i, v, s], grad=False,
        static_result=False),
    row('SerializeManySparse', lambda tf, *p: _parts(tf.deserialize_many_sparse(
        tf.serialize_many_sparse(_sparse(tf, *p)), p[1].dtype)), _SPARSE,
        ref=lambda i, v, s: [i, v, s], grad=False, static_result=False),
    row('DeserializeManySparse', lambda tf, *p: _parts(tf.deserialize_many_sparse(tf.stack(
        [tf.serialize_sparse(_sparse(tf, *p))]), p[1].dtype)), _SPARSE,
        ref=lambda i, v, s: [np.c_[[0] * 3, i], v, np.r_[1, s]], grad=False, static_result=False,
        run_bad=[lambda tf: tf.deserialize_many_sparse([['x', 'y', 'z']], tf.float32).values]),
    row('SparseTensorSliceDataset', _sparse_rows, _SPARSE,
        ref=lambda i, v, s: [np.array([[0], [3]]), v[1:], s[1:]], grad=False,
        static_result=False),
    _rows('TensorDataset', lambda tf, x: tf.data.Dataset.from_tensors(x), ref=lambda x: x[None]),
    _rows('TensorSliceDataset', _slices, _PAIR, ref=lambda x, y: [x, y],
          run_bad=[lambda tf: _first(_slices)(tf, tf.placeholder_with_default([1, 2], [None]),
                                            tf.placeholder_with_default([1], [None]))]),
    _rows('RangeDataset', lambda tf: tf.data.Dataset.range(10, 1, -3), (),
          ref=lambda: _stack([10, 7, 4]),
          run_bad=[lambda tf: _first(lambda tf: tf.data.Dataset.range(1, 5, 0))(tf)]),
    _rows('RandomDataset', lambda tf: _experimental(tf).RandomDataset(seed=1).take(5), (),
          ref=lambda: _stack([2870909127, 3455438759, 4052121393, 1279227022, 15397477])),
    _rows('RepeatDataset', lambda tf, x: _slices(tf, x).repeat(3),
          ref=lambda x: np.concatenate([x, x, x])),
    _rows('TakeDataset', lambda tf, x: _slices(tf, x).take(3), ref=lambda x: x[:3]),
    _rows('SkipDataset', lambda tf, x: _slices(tf, x).skip(3), ref=lambda x: x[3:]),
    _rows('ShardDataset', lambda tf, x: _slices(tf, x).shard(3, 1), ref=lambda x: x[1::3],
          run_bad=[lambda tf: _first(lambda tf: _numbers(tf).shard(3, 3))(tf),
                   lambda tf: _first(lambda tf: _numbers(tf).shard(0, 0))(tf)]),
    _rows('ConcatenateDataset', lambda tf, x, y: _slices(tf, x).concatenate(_slices(tf, y)),
          [(5, 2), (3, 2)], ref=lambda x, y: np.concatenate([x, y])),
    _rows('ZipDataset', lambda tf, x, y: tf.data.Dataset.zip((_slices(tf, x), _slices(tf, y))),
          [(5, 2), (3,)], ref=lambda x, y: [x[:3], y]),
    _rows('DirectedInterleaveDataset', lambda tf, x, y: _experimental(tf).choose_from_datasets(
        [_slices(tf, x), _slices(tf, y)],
        _slices(tf, np.array([1, 0, 0, 1, 1, 1, 0]))), [(5, 2), (3, 2)],
        ref=lambda x, y: np.stack([y[0], x[0], x[1], y[1], y[2], x[2]])),
    _rows('BatchDatasetV2', lambda tf, x: _slices(tf, x).batch(2, drop_remainder=True),
          ref=lambda x: x[:4].reshape(2, 2, 2),
          run_bad=[lambda tf: _first(lambda tf: _numbers(tf).batch(0))(tf),
]),
    _rows('PaddedBatchDatasetV2', lambda tf: _numbers(tf, 4).map(
        lambda n: (tf.fill([n], n), n)).padded_batch(
            4, ([None], []), (np.int64(-1), np.int64(0))), (),
        ref=lambda: [np.array([[[-1, -1, -1], [1, -1, -1], [2, 2, -1], [3, 3, 3]]]),
                     np.arange(4)[None]]),
    _rows('UnbatchDataset', lambda tf, x: tf.data.Dataset.from_tensors(x).unbatch(),
          ref=lambda x: x),
    _rows('WindowDataset', lambda tf: _numbers(tf, 7).window(3, 2, 2, True).flat_map(
        lambda w: w.batch(3)), (), ref=lambda: _stack([[0, 2, 4], [2, 4, 6]]),
        run_bad=[lambda tf: _first(lambda tf: _numbers(tf).window(0).flat_map(lambda w: w))(tf)]),
    _rows('ShuffleDataset', lambda tf: _numbers(tf).shuffle(3, seed=1), (),
          ref=lambda: _stack([1, 3, 0, 5, 2, 6, 7, 8, 9, 4]),
          run_bad=[lambda tf: _first(lambda tf: _numbers(tf).shuffle(0))(tf)]),
    _rows('ShuffleAndRepeatDataset', lambda tf: _numbers(tf).apply(
        _experimental(tf).shuffle_and_repeat(3, 2, seed=1)), (),
        ref=lambda: _stack([0, 3, 2, 4, 5, 7, 6, 9, 1, 8, 2, 3, 4, 1, 5, 0, 7, 6, 9, 8]),
        run_bad=[lambda tf: _first(lambda tf: _numbers(tf).apply(
            _experimental(tf).shuffle_and_repeat(3, 0)))(tf)]),
    _rows('CacheDataset', lambda tf, x: _slices(tf, x).cache().repeat(2),
          ref=lambda x: np.concatenate([x, x])),
    _rows('PrefetchDataset', lambda tf, x: _slices(tf, x).prefetch(2), ref=lambda x: x,
          run_bad=[lambda tf: _first(lambda tf: _numbers(tf).prefetch(-2))(tf)]),
    _rows('UniqueDataset', lambda tf: _slices(tf, [3, 1, 3, 2, 1]).apply(
        _experimental(tf).unique()), (), ref=lambda: _stack([3, 1, 2], np.int32)),
    _rows('IgnoreErrorsDataset', lambda tf: _slices(tf, [1., 0., 2.]).map(
        lambda x: tf.check_numerics(1 / x, 'no')).apply(_experimental(tf).ignore_errors()), (),
        ref=lambda: _stack([1, .5], np.float32)),
    row('OptimizeDataset', lambda tf: _initialized(_endless(tf), tf), ref=lambda: _ELEMENT,
        grad=False),
    row('ModelDataset', lambda tf: _initialized(_endless(tf), tf), ref=lambda: _ELEMENT,
        grad=False),
    row('MaxIntraOpParallelismDataset', _with_settings(max_intra_op_parallelism=2),
        ref=lambda: _ELEMENT, grad=False),
    row('PrivateThreadPoolDataset', _with_settings(private_threadpool_size=2),
        ref=lambda: _ELEMENT, grad=False),
    row('DatasetCardinality', lambda tf: [tf.data.experimental.cardinality(d) for d in (
        _numbers(tf).batch(3), _endless(tf), _numbers(tf).filter(lambda x: x > 2))],
        ref=lambda: [np.int64(4), np.int64(-1), np.int64(-2)], grad=False),
    row('DatasetToSingleElement', lambda tf, x: tf.data.experimental.get_single_element(
        tf.data.Dataset.from_tensors(x)), [(3, 2)], ref=lambda x: x, grad=False,
        run_bad=[lambda tf: tf.data.experimental.get_single_element(_numbers(tf, 0)),
                 lambda tf: tf.data.experimental.get_single_element(_numbers(tf, 2))]),
    # functions
    _rows('MapDataset', lambda tf, x, y: _slices(tf, x).map(lambda row: row * y), [(5, 2), (2,)],
          ref=lambda x, y: x * y),
    _rows('ParallelMapDataset', lambda tf, x: _slices(tf, x).map(
        lambda row: row + 1, num_parallel_calls=2), ref=lambda x: x + 1,
        run_bad=[lambda tf: _first(lambda tf: _numbers(tf).map(lambda n: n, 0))(tf)]),
    _rows('MapAndBatchDataset', lambda tf, x: _slices(tf, x).apply(
        _experimental(tf).map_and_batch(lambda row: row + 1, 2, drop_remainder=True)),
        ref=lambda x: (x[:4] + 1).reshape(2, 2, 2),
        run_bad=[lambda tf: _first(lambda tf: _numbers(tf).apply(
            _experimental(tf).map_and_batch(lambda n: n, 0)))(tf)]),
    _rows('FilterDataset', lambda tf, x: _slices(tf, x).filter(lambda row: row[0] > -0.4),
          ref=lambda x: x[x[:, 0] > -0.4]),
    _rows('TakeWhileDataset', lambda tf: _numbers(tf).apply(
        _experimental(tf).take_while(lambda n: n * n < 10)), (),
        ref=lambda: _stack([0, 1, 2, 3])),
    _rows('FlatMapDataset', lambda tf, x: _slices(tf, x).flat_map(
        lambda row: tf.data.Dataset.from_tensor_slices(row)), ref=lambda x: x.reshape(-1)),
    _rows('InterleaveDataset', lambda tf: _numbers(tf, 4).interleave(
        lambda n: tf.data.Dataset.from_tensors(n).repeat(3), 2, 2), (),
        ref=lambda: _stack([0, 0, 1, 1, 0, 1, 2, 2, 3, 3, 2, 3]),
        run_bad=[lambda tf: _first(lambda tf: _numbers(tf, 4).interleave(
            lambda n: tf.data.Dataset.range(n), 0))(tf)]),
    _rows('ParallelInterleaveDatasetV2', lambda tf: _numbers(tf, 4).interleave(
        lambda n: tf.data.Dataset.range(n), 2, 2, num_parallel_calls=2), (),
        ref=lambda: _stack([0, 0, 1, 0, 1, 2])),
    _rows('ParallelInterleaveDataset', lambda tf: _numbers(tf, 4).apply(
        _experimental(tf).parallel_interleave(lambda n: tf.data.Dataset.range(n), 2)), (),
        ref=lambda: _stack([0, 0, 1, 0, 1, 2])),
    _rows('ScanDataset', lambda tf, x: _slices(tf, x).apply(_experimental(tf).scan(
        tf.zeros([2], tf.float64), lambda s, row: (s + row, s + 2 * row))),
        ref=lambda x: np.cumsum(x, 0) + x),
    row('ReduceDataset', lambda tf, x, y: list(_slices(tf, x).reduce(
        (tf.zeros([2], tf.float64), 0), lambda s, row: (s[0] + y * row, s[1] + 1))),
        [(5, 2), (2,)], ref=lambda x, y: [(x * y).sum(0), np.int32(5)], grad=False,
        static_result=False),
    _rows('GroupByWindowDataset', lambda tf: _numbers(tf).apply(_experimental(tf).group_by_window(
        lambda n: n % 2, lambda key, window: window.batch(5, drop_remainder=True), 5)), (),
        ref=lambda: _stack([[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]])),
    _rows('ExperimentalGroupByReducerDataset', lambda tf: _numbers(tf).apply(
        _experimental(tf).group_by_reducer(lambda n: 2 - n % 3, _experimental(tf).Reducer(
            lambda key: key * 100, lambda s, n: s + n, lambda s: s + 1))), (),
        ref=lambda: _stack([16, 113, 219])),
    _rows('GeneratorDataset', lambda tf: tf.data.Dataset.from_generator(
        lambda n: ((i, [i] * i) for i in range(n)), (tf.int32, tf.int64), ([], [None]),
        args=(tf.constant(3),)).padded_batch(3, ([], [None])), (),
        ref=lambda: [np.int32([[0, 1, 2]]), np.array([[[0, 0], [1, 0], [2, 2]]])]),
    _rows('ArrayBatchesDataset', _array_batches, (),
          ref=lambda: [np.float32([[[0, 1], [2, 3]], [[4, 5], [0, 1]]]),
                       np.array([[5, 6], [7, 5]])]),
    # files
    _rows('TextLineDataset', lambda tf: tf.data.TextLineDataset(
        _path('lines.txt', b'one\r\n\nthree')), (), ref=lambda: [_TEXTS]),
    _rows('TFRecordDataset', lambda tf: tf.data.TFRecordDataset([_records()]), (),
          ref=lambda: [_TEXTS[:2]]),
    _rows('FixedLengthRecordDatasetV2', lambda tf: tf.data.FixedLengthRecordDataset(
        _path('fixed.bin', b'Haabbcc..'), 2, 1, 2), (),
        ref=lambda: [np.array([b'aa', b'bb', b'cc'], object)]),
    _rows('CSVDataset', lambda tf: tf.data.experimental.CsvDataset(
        _path('table.csv', b'a,b,c\n1,"x ""y""",2.5\n2,"two\nlines",\n'),
        [tf.int32, tf.string, [0.5]], header=True), (),
        ref=lambda: [np.int32([1, 2]), np.array([b'x "y"', b'two\nlines'], object),
                     np.float32([2.5, 0.5])]),
    row('DatasetToTFRecord', lambda tf: _written(tf, ['one', '', 'three']), ref=lambda: [_TEXTS],
        grad=False, static_result=False),
    # iterators
    row('IteratorV2', lambda tf: _initialized(_endless(tf), tf), ref=lambda: _ELEMENT, grad=False,
        run_bad=[lambda tf: _flat(_endless(tf).make_initializable_iterator().get_next())[0]]),
    row('MakeIterator', lambda tf: _initialized(_endless(tf), tf), ref=lambda: _ELEMENT,
        grad=False),
    row('OneShotIterator', _next, ref=lambda: _ELEMENT, grad=False),
    row('IteratorGetNext', _next, ref=lambda: _ELEMENT, grad=False,
        run_bad=[lambda tf: _numbers(tf, 0).make_one_shot_iterator().get_next()]),
    row('IteratorGetNextSync', _sync, ref=lambda: _ELEMENT, grad=False),
    row('IteratorToStringHandle', _by_handle, ref=lambda: _ELEMENT, grad=False),
    row('IteratorFromStringHandleV2', _by_handle, ref=lambda: _ELEMENT, grad=False,
        run_bad=[lambda tf: tf.data.Iterator.from_string_handle(
            tf.constant('none'), tf.int32).get_next()]),
    row('SerializeIterator', _restored, ref=lambda: [np.int64(0), np.int64(1), np.int64(0)],
        grad=False),
    row('DeserializeIterator', _restored, ref=lambda: [np.int64(0), np.int64(1), np.int64(0)],
        grad=False),
]
