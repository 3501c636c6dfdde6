"""tf.data: every transformation, by the elements that iterators give."""
import os
import tempfile

from .registry import functional, program, run

FOLDER = os.path.join(tempfile.gettempdir(), 'tinyflow-golden-data-%d' % os.getpid())


def _file(name, content):
    """The path of a file; the recorded graph holds it as a fed string."""
    if not os.path.isdir(FOLDER):
        os.makedirs(FOLDER)
    path = os.path.join(FOLDER, name)
    with open(path, 'wb') as out:
        out.write(content)
    return path


def _first(dataset, n=3):
    """The first n elements, by a one-shot iterator."""
    element = dataset.make_one_shot_iterator().get_next()
    return [run(element) for _ in range(n)]


def _whole(tf, dataset, feeds=None):
    """The elements together, by an initializable iterator, after an initialization with feeds."""
    iterator = dataset.make_initializable_iterator()
    return [run(iterator.initializer, feeds), run(iterator.get_next())]


@program
def dataset_slices_by_batches(tf, np):
    features = {'x': np.arange(12.0, dtype=np.float32).reshape(6, 2), 'n': np.arange(6)}
    labels = np.array(['a', 'b', 'c', 'd', 'e', 'f'])
    return _first(tf.data.Dataset.from_tensor_slices((features, labels)).batch(4), 2)


@program
def dataset_from_tensors(tf, np):
    return _first(tf.data.Dataset.from_tensors((1, {'b': 2.0, 'a': [3, 4]})), 1)


@program
def dataset_from_placeholders(tf, np):
    x = tf.placeholder(tf.float32, [None, 2])
    dataset = tf.data.Dataset.from_tensor_slices(x).map(lambda row: tf.reduce_sum(row))
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    return [run(iterator.initializer, {x: [[1, 2], [3, 4]]}), run(element), run(element),
            run(iterator.initializer, {x: [[5, 6]]}), run(element)]


@program
def dataset_ranges(tf, np):
    d = tf.data.Dataset
    return _first(d.range(3)) + _first(d.range(5, 1, -2), 2) + _first(d.range(2, 5).enumerate(7))


@program
def dataset_counting(tf, np):
    d = tf.data.Dataset.range(10)
    return (_first(d.take(2).repeat(2), 4) + _first(d.skip(7)) + _first(d.shard(3, 1), 3)
            + _first(d.take(1).concatenate(d.skip(9)), 2) + _first(d.take(-1).repeat(), 2))


@program
def dataset_zip(tf, np):
    d = tf.data.Dataset
    nested = d.zip({'a': d.range(3), 'b': (d.range(5), d.from_tensors('x').repeat())})
    return _first(nested)


@program
def dataset_map(tf, np):
    offset = tf.constant(10.0)
    pairs = tf.data.Dataset.from_tensor_slices(([1., 2.], [3, 4]))
    mapped = pairs.map(lambda x, n: {'sum': x + tf.cast(n, tf.float32) + offset, 'n': n})
    return _first(mapped, 2) + _first(mapped.map(lambda e: e['sum'], num_parallel_calls=2), 2)


@program
def dataset_map_captures_variable(tf, np):
    v = tf.Variable(2.0)
    dataset = tf.data.Dataset.range(3).map(lambda n: tf.cast(n, tf.float32) * v)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    return [run(tf.global_variables_initializer()), run(iterator.initializer), run(element),
            run(element)]


@program
def dataset_map_draws(tf, np):
    tf.set_random_seed(5)
    d = tf.data.Dataset.range(3)
    scale = tf.constant(3.0)
    return (_first(d.map(lambda n: tf.random_uniform([])))
            + _first(d.map(lambda n: tf.random_normal([2], seed=2) + tf.random_uniform([])))
            + _first(d.map(lambda n: tf.random_uniform([]) * scale)))


@program
def dataset_filter_and_flat_map(tf, np):
    d = tf.data.Dataset.range(8)
    return (_first(d.filter(lambda n: tf.equal(n % 3, 0)))
            + _first(d.flat_map(lambda n: tf.data.Dataset.range(n)), 6))


@functional
def dataset_map_with_control_flow(tf, np):
    d = tf.data.Dataset.range(4)
    halved = d.map(lambda n: tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 10 * n))
    summed = d.map(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i),
                                           [tf.constant(0, tf.int64), tf.constant(0, tf.int64)])[1])
    return _first(halved, 4) + _first(summed, 4)


@program
def dataset_interleave(tf, np):
    d = tf.data.Dataset.range(6)

    def inner(n):
        return tf.data.Dataset.from_tensors(n).repeat(n % 4)

    parallel = tf.data.experimental.parallel_interleave(inner, 2)
    return (_first(d.interleave(inner, cycle_length=3, block_length=2), 7)
            + _first(d.interleave(inner, 2, num_parallel_calls=2), 7)
            + _first(d.apply(parallel), 7))


@program
def dataset_batches(tf, np):
    d = tf.data.Dataset.range(7)
    return (_first(d.batch(3), 3) + _first(d.batch(3, drop_remainder=True), 2)
            + _first(d.batch(3).apply(tf.data.experimental.unbatch()), 4)
            + _first(d.apply(tf.data.experimental.map_and_batch(lambda n: n * n, 4)), 2))


@program
def dataset_padded_batches(tf, np):
    d = tf.data.Dataset.range(1, 6).map(lambda n: (tf.fill([n], n), tf.fill([1, n], 'x')))
    return (_first(d.padded_batch(2, ([None], [None, None])))
            + _first(d.padded_batch(2, ([6], [2, -1]), (np.int64(-1), '.'), True), 2))


@program
def dataset_windows(tf, np):
    d = tf.data.Dataset.range(7)
    return (_first(d.window(3, 2, 2, True).flat_map(lambda w: w.batch(3)), 2)
            + _first(d.window(3).flat_map(lambda w: w.batch(3)))
            + _first(tf.data.Dataset.zip((d, d)).window(2, shift=1).flat_map(
                lambda a, b: tf.data.Dataset.zip((a.batch(2), b.skip(1)))), 2))


@program
def dataset_shuffles(tf, np):
    d = tf.data.Dataset.range(20)
    runs = []
    for dataset in (d.shuffle(4, seed=1), d.shuffle(100, seed=0),
                    d.shuffle(4, seed=1, reshuffle_each_iteration=False)):
        runs += _first(dataset.batch(20), 1) + _first(dataset.repeat(2).batch(40), 1)
        runs += _first(dataset.map(lambda n: n).repeat(3).batch(60), 1)
        runs += _first(dataset.repeat(1).take(15).repeat(2).batch(30), 1)
    both = tf.data.experimental.shuffle_and_repeat(5, 3, seed=2)
    return runs + _first(d.apply(both).batch(60), 1)


@program
def dataset_shuffles_by_graph_seed(tf, np):
    tf.set_random_seed(7)
    d = tf.data.Dataset.range(20)
    return (_first(d.shuffle(6).batch(20), 1) + _first(d.shuffle(6, seed=3).batch(20), 1)
            + _first(d.shuffle(6).shuffle(20).repeat().batch(45), 2))


@program
def dataset_reinitialized_shuffle(tf, np):
    iterator = tf.data.Dataset.range(8).shuffle(8, seed=3).batch(8).make_initializable_iterator()
    element = iterator.get_next()
    return [run(iterator.initializer), run(element), run(iterator.initializer), run(element)]


@program
def dataset_cache_and_prefetch(tf, np):
    d = tf.data.Dataset.range(3).map(lambda n: n * 10).cache().repeat(2).prefetch(2)
    return _first(d, 6)


@program
def dataset_reduce_and_scan(tf, np):
    e = tf.data.experimental
    d = tf.data.Dataset.range(5)
    return [run(d.reduce(np.int64(0), lambda s, n: s + n)),
            run(d.reduce((0.0, tf.constant(1)), lambda s, n: (s[0] + 0.5, s[1] * 2)))
            ] + _first(d.apply(e.scan(np.int64(1), lambda s, n: (s * 2, (s, n)))), 5)


@program
def dataset_groups(tf, np):
    e = tf.data.experimental
    d = tf.data.Dataset.range(10)
    windows = e.group_by_window(lambda n: n % 3, lambda key, w: w.batch(2), 3)
    reducer = e.Reducer(lambda key: key * 100, lambda s, n: s + n, lambda s: (s, -s))
    buckets = e.bucket_by_sequence_length(lambda x: tf.size(x), [3, 6], [2, 2, 2])
    bounded = e.bucket_by_sequence_length(lambda x: tf.size(x), [3, 9], [2, 3, 1],
                                          pad_to_bucket_boundary=True)
    rows = tf.data.Dataset.range(1, 8).map(lambda n: tf.fill([n], n))
    return (_first(d.apply(windows), 6) + _first(d.apply(e.group_by_reducer(lambda n: 2 - n % 3,
                                                                           reducer)), 3)
            + _first(rows.apply(buckets), 4) + _first(rows.apply(bounded), 3))


@program
def dataset_choices(tf, np):
    e = tf.data.experimental
    three = [tf.data.Dataset.range(10 * i, 10 * i + 5) for i in range(3)]
    picks = tf.data.Dataset.from_tensor_slices(np.array([2, 0, 0, 1, 2], np.int64))
    return (_first(e.choose_from_datasets(three, picks), 5)
            + _first(e.sample_from_datasets(three, seed=1).batch(15), 1)
            + _first(e.sample_from_datasets(three, [.2, .5, .3], seed=1).batch(15), 1)
            + _first(e.RandomDataset(seed=4).take(5).batch(5), 1))


@functional
def dataset_rejection(tf, np):
    numbers = tf.data.Dataset.range(60)

    def parity(n):
        return tf.cast(n % 2, tf.int32)

    runs = []
    for initial in (None, [.5, .5]):
        resample = tf.data.experimental.rejection_resample(parity, [.3, .7], initial, seed=3)
        runs += _first(numbers.apply(resample).batch(20), 1)
    return runs


@program
def dataset_small_transformations(tf, np):
    e = tf.data.experimental
    d = tf.data.Dataset
    numbers = d.from_tensor_slices([1.0, 0.0, 2.0])
    return (_first(d.from_tensor_slices([3, 1, 3, 2]).apply(e.unique()))
            + _first(d.range(9).apply(e.take_while(lambda n: n < 2)), 2)
            + _first(numbers.map(lambda x: tf.check_numerics(1 / x, 'no')).apply(
                e.ignore_errors()), 2)
            + _first(e.Counter(5, 2)) + _first(d.range(2).apply(e.enumerate_dataset(3)), 2)
            + [run(e.get_single_element(d.range(4).batch(4))),
               run([e.cardinality(d.range(7).batch(2)), e.cardinality(d.range(7).repeat())])])


@program
def dataset_from_generator(tf, np):
    def rows(n):
        for i in range(n):
            yield i, [float(i)] * i

    d = tf.data.Dataset
    return (_first(d.from_generator(rows, (tf.int32, tf.float32), ([], [None]), args=(3,)))
            + _first(d.from_generator(lambda: ['a', 'b'], tf.string), 2))


@program
def dataset_of_text_lines(tf, np):
    a, b = tf.placeholder(tf.string, []), tf.placeholder(tf.string, [None])
    path = _file('a.txt', b'one\r\n\nthree\nfour')
    one = tf.data.TextLineDataset(a).make_initializable_iterator()
    two = tf.data.TextLineDataset(b, num_parallel_reads=2).skip(1).make_initializable_iterator()
    first, second = one.get_next(), two.get_next()
    return [run(one.initializer, {a: path}), run(first), run(first), run(first),
            run(two.initializer, {b: [path, path]})] + [run(second)] * 6


@program
def dataset_of_listed_files(tf, np):
    patterns = tf.placeholder(tf.string, [None])
    found = [tf.data.Dataset.list_files(patterns, shuffle, seed=1).reduce(0, lambda n, _: n + 1)
             for shuffle in (False, True)]
    _file('one.list', b'')
    _file('two.list', b'')
    return [run(found, {patterns: [os.path.join(FOLDER, '*.list')]})]


@program
def joined_strings(tf, np):
    words = tf.constant([['a', 'b'], ['c', 'd']])
    return [run([tf.reduce_join(words), tf.reduce_join(words, 0), tf.reduce_join(words, [0, 1]),
                 tf.reduce_join(words, [1, 0], separator=', ', keep_dims=True),
                 tf.reduce_join('x'), tf.reduce_join(words, reduction_indices=-1)])]


@program
def dataset_of_records(tf, np):
    a, b = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])
    path = os.path.join(FOLDER, 'data.tfrecord')
    fixed = _file('data.bin', b'HHaabbccF')
    write = tf.data.experimental.TFRecordWriter(b).write(
        tf.data.Dataset.from_tensor_slices(['one', '', 'three']))
    records = tf.data.TFRecordDataset(a).make_initializable_iterator()
    pieces = tf.data.FixedLengthRecordDataset(b, 2, 2, 1).make_initializable_iterator()
    record, piece = records.get_next(), pieces.get_next()
    return [run(write, {b: path}), run(records.initializer, {a: [path]}), run(record), run(record),
            run(record), run(pieces.initializer, {b: fixed}), run(piece), run(piece)]


@program
def dataset_of_csv_records(tf, np):
    a = tf.placeholder(tf.string, [])
    path = _file('a.csv', b'x,y,z\n1,2.5,hello\n4,,"a ""q"" b, c"\n-7,1e3,"two\nlines"\n')
    csv = tf.data.experimental.CsvDataset
    whole = csv(a, [tf.int32, [0.5], tf.string], header=True).make_initializable_iterator()
    some = csv(a, [tf.int64, ['-']], header=True, select_cols=[0, 2]).make_initializable_iterator()
    one, two = whole.get_next(), some.get_next()
    return [run(whole.initializer, {a: path}), run(one), run(one), run(one),
            run(some.initializer, {a: path}), run(two), run(two)]


@program
def dataset_iterator_from_structure(tf, np):
    d = tf.data.Dataset
    train, test = d.range(3).map(lambda n: n + 10).batch(2), d.range(2).batch(1)
    iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
    element = iterator.get_next()
    begin, check = iterator.make_initializer(train), iterator.make_initializer(test, 'check')
    return [run(begin), run(element), run(check), run(element), run(begin), run(element),
            run(element)]


@program
def dataset_iterator_from_string_handle(tf, np):
    one = tf.data.Dataset.range(3).make_one_shot_iterator()
    two = tf.data.Dataset.range(10, 13).make_initializable_iterator('two')
    handle = tf.where(tf.placeholder_with_default(True, []), one.string_handle(),
                      two.string_handle('second'))
    iterator = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
    element = iterator.get_next('fed')
    which = handle.op.inputs[0]
    return [run(two.initializer), run(element), run(element, {which: False}), run(element),
            run(element, {which: False})]


@program
def dataset_iterator_is_put_back(tf, np):
    iterator = tf.data.Dataset.range(20).skip(3).batch(2).make_initializable_iterator()
    element = iterator.get_next()
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    back = saveable.restore([saveable.specs[0].tensor], None)
    return [run(iterator.initializer), run(element), run(element), run(back), run(element)]


@program
def dataset_of_sparse_tensors(tf, np):
    d = tf.data.Dataset

    def sparse():
        return tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [1.5, 2.0, 3.0], [3, 4])

    diagonal = d.range(4).map(lambda n: tf.SparseTensor([[n]], [n], [5]))
    return (_first(d.from_tensors({'s': sparse(), 'n': 1}), 1)
            + _first(d.from_tensor_slices(sparse()).batch(2), 2)
            + _first(d.from_sparse_tensor_slices(sparse())) + _first(diagonal.batch(3), 2)
            + _first(diagonal.batch(3).apply(tf.data.experimental.unbatch()), 4)
            + _first(diagonal.map(lambda s: s.values * 10), 2))


@program
def serialized_sparse_tensors(tf, np):
    sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [1.5, 2.0, 3.0], [3, 4])
    one, many = tf.serialize_sparse(sparse), tf.serialize_many_sparse(sparse)
    return [run(tf.deserialize_many_sparse(many, tf.float32)),
            run(tf.deserialize_many_sparse(tf.stack([one, one]), tf.float32, rank=3))]


@program
def dataset_options(tf, np):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    options.experimental_threading.private_threadpool_size = 2
    options.experimental_threading.max_intra_op_parallelism = 1
    shuffled = tf.data.Dataset.range(8).shuffle(8, seed=1).repeat(2).batch(16)
    plain = tf.data.Options()
    plain.experimental_optimization.autotune = False
    return (_whole(tf, shuffled.with_options(options)) + _whole(tf, shuffled.with_options(plain)))


@program
def dataset_feeds_a_model(tf, np):
    tf.set_random_seed(1)
    x = np.linspace(-1, 1, 20).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x + 1)).shuffle(20).repeat().batch(5)
    inputs, targets = dataset.make_one_shot_iterator().get_next()
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(w * inputs + b - targets))
    train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
    return [run(tf.global_variables_initializer())] + [run(train)] * 5 + [run([w, b])]
