"""Queue-based input pipelines from end to end: files, readers, decoding, batches, epochs."""
from __future__ import annotations

import contextlib
import os
import zlib

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


@contextlib.contextmanager
def running(**settings):
    """A Session with initialised variables and started queue runners, whose threads end."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator(**settings)
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            yield sess
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)


def until_the_end(sess, fetch):
    values = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            values.append(sess.run(fetch))
    return values


@pytest.fixture
def csv_files(tmp_path):
    """Two files of three lines behind a heading, the second without a last line end."""
    paths = []
    for name, first, end in (('a.csv', 0, '\n'), ('b.csv', 3, '')):
        lines = [f'{i},{i / 2},"row, {i}"' for i in range(first, first + 3)]
        (tmp_path / name).write_text('number,half,text\n' + '\r\n'.join(lines) + end)
        paths.append(str(tmp_path / name))
    return paths


def test_csv_files_become_batches(csv_files):
    names = tf.train.string_input_producer(csv_files, num_epochs=2, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    columns = tf.decode_csv(line, [[0], [0.0], ['']])
    batch = tf.train.batch(columns, 4)
    assert [t.shape.as_list() for t in batch] == [[4]] * 3
    with running() as sess:
        rows = until_the_end(sess, batch)
    numbers, halves, texts = map(np.concatenate, zip(*rows))
    np.testing.assert_array_equal(numbers, [0, 1, 2, 3, 4, 5] * 2)
    np.testing.assert_array_equal(halves, numbers / 2)
    assert texts.tolist() == [f'row, {i}'.encode() for i in numbers]


def test_the_smaller_last_batch(csv_files):
    names = tf.train.string_input_producer(csv_files, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    batch = tf.train.batch([line], 4, allow_smaller_final_batch=True)
    with running() as sess:
        assert [len(b) for b in until_the_end(sess, batch)] == [4, 2]


def test_shuffled_batches_hold_every_example_of_an_epoch_once():
    images = np.arange(60, dtype=np.float32).reshape(20, 3)
    labels = np.arange(20)
    image, label = tf.train.slice_input_producer([images, labels], num_epochs=1, seed=1)
    batch = tf.train.shuffle_batch([image, label], 5, capacity=20, min_after_dequeue=8, seed=2)
    assert [t.shape.as_list() for t in batch] == [[5, 3], [5]]
    with running() as sess:
        seen = until_the_end(sess, batch)
    for x, y in seen:
        np.testing.assert_array_equal(x, images[y])
    order = np.concatenate([y for _, y in seen])
    assert sorted(order) == list(range(20)) and order.tolist() != list(range(20))


def test_epochs_are_shuffled_as_in_tf_for_a_seed():
    """Recorded from TF 1.15.5: the first two epochs of range_input_producer(6, seed=3)."""
    queue = tf.train.range_input_producer(6, num_epochs=2, seed=3)
    index = queue.dequeue()
    with running() as sess:
        assert np.array(until_the_end(sess, index)).tolist() == EPOCHS


EPOCHS = [5, 4, 2, 0, 3, 1, 1, 3, 4, 5, 2, 0]


@pytest.mark.slow
def test_a_dict_of_tensors():
    x, y = tf.train.slice_input_producer([np.arange(4.), ['a', 'b', 'c', 'd']], shuffle=False)
    batch = tf.train.batch({'x': x, 'y': y}, 2)
    alone = tf.train.batch({'x': x}, 2)
    assert set(batch) == {'x', 'y'} and set(alone) == {'x'}
    with running() as sess:
        got = sess.run(batch)
    assert got['x'].shape == (2,) and got['y'].dtype == object


def test_dynamic_pad():
    n = tf.train.range_input_producer(4, shuffle=False).dequeue()
    batch = tf.train.batch([tf.range(n)], 4, dynamic_pad=True)
    assert batch.shape.as_list() == [4, None]
    with running() as sess:
        assert sess.run(batch).tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 2]]


def test_enqueue_many_and_keep_input():
    rows = tf.train.batch([np.arange(12).reshape(6, 2)], 3, enqueue_many=True)
    kept = tf.train.maybe_batch([np.arange(6)], tf.equal(tf.range(6) % 2, 0), 3,
                                enqueue_many=True)
    with running() as sess:
        assert sess.run(rows).tolist() == [[0, 1], [2, 3], [4, 5]]
        assert sess.run(kept).tolist() == [0, 2, 4]


def test_keep_input_decides_for_each_example():
    n = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
    odd = tf.train.maybe_batch([n], tf.equal(n % 2, 1), 5)
    with running() as sess:
        assert sess.run(odd).tolist() == [1, 3, 5, 7, 9]


def test_joined_batches_come_from_all_lists():
    x = [[tf.constant(i)] for i in (1, 2, 3)]
    batch = tf.train.batch_join(x, 30)
    shuffled = tf.train.shuffle_batch_join(x, 30, 100, 20)
    with running() as sess:
        assert set(np.concatenate([sess.run(batch) for _ in range(20)])) <= {1, 2, 3}
        assert set(np.concatenate([sess.run(shuffled) for _ in range(20)])) <= {1, 2, 3}


def test_fixed_length_records(tmp_path):
    """As the CIFAR tutorial reads: one byte of label, then the image."""
    data = np.random.default_rng(1).integers(0, 256, (5, 1 + 12), np.uint8)
    (tmp_path / 'plain.bin').write_bytes(data.tobytes())
    (tmp_path / 'packed.bin').write_bytes(zlib.compress(data.tobytes()))
    for name, encoding in (('plain.bin', None), ('packed.bin', 'ZLIB')):
        names = tf.train.string_input_producer([str(tmp_path / name)], num_epochs=1)
        key, record = tf.FixedLengthRecordReader(13, encoding=encoding).read(names)
        record = tf.reshape(tf.decode_raw(record, tf.uint8), [13])
        batch = tf.train.batch([key, record[0], tf.reshape(record[1:], [3, 2, 2])], 5)
        with running() as sess:
            keys, labels, images = sess.run(batch)
        assert keys[3] == os.fsencode(tmp_path / name) + b':3'
        np.testing.assert_array_equal(labels, data[:, 0])
        np.testing.assert_array_equal(images.reshape(5, 12), data[:, 1:])


def test_tf_records(tmp_path):
    from tinyflow.formats.wire.records import RecordWriter
    for compression in ('', 'GZIP'):
        path = str(tmp_path / f'x{compression}.tfrecord')
        writer = RecordWriter(path, compression)
        for text in (b'one', b'two', b'three'):
            writer.write(text)
        writer.close()
        names = tf.train.string_input_producer([path], num_epochs=1)
        options = {'': None, 'GZIP': 2}[compression]
        _, record = tf.TFRecordReader(options=options).read(names)
        with running() as sess:
            assert until_the_end(sess, record) == [b'one', b'two', b'three']


def test_a_missing_file_is_named_by_join():
    names = tf.train.string_input_producer(['/no/such/file'])
    _, line = tf.TextLineReader().read(names)
    batch = tf.train.batch([line], 2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError, match='stopped with NotFoundError: .*/no/'):
            sess.run(batch)
        with pytest.raises(tf.errors.NotFoundError, match='/no/such/file; No such file'):
            coord.join(threads)


def test_uninitialized_local_variables_are_reported():
    """TF says only that the queue is closed and empty; why is in another thread's error."""
    names = tf.train.string_input_producer(['a'], num_epochs=1)
    value = names.dequeue()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError,
                           match='uninitialized value input_producer/limit_epochs/epochs'):
            sess.run(value)
        with pytest.raises(tf.errors.FailedPreconditionError):
            coord.join(threads)


def test_two_threads_of_one_reader_whose_names_never_come():
    """One waits for the queue of names, the other for the reader, the main thread for both."""
    names = tf.FIFOQueue(3, [tf.string], [[]], name='names')
    line = tf.TextLineReader().read(names).value
    batch = tf.train.batch([line], 2, num_threads=2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.FailedPreconditionError, match='no other thread can add them'):
            sess.run(batch)
        sess.run(names.close())
        coord.request_stop()
        coord.join(threads)


def test_match_filenames_once(tmp_path):
    for name in ('b.txt', 'a.txt', 'c.dat'):
        (tmp_path / name).write_text(name)
    names = tf.train.match_filenames_once(str(tmp_path / '*.txt'))
    queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
    _, text = tf.WholeFileReader().read(queue)
    with running() as sess:
        assert until_the_end(sess, text) == [b'a.txt', b'b.txt']


def test_reader_position():
    queue = tf.FIFOQueue(9, [tf.string], [[]])
    reader = tf.IdentityReader()
    read, state = reader.read(queue), reader.serialize_state()
    text = tf.placeholder(tf.string, [])
    restore = reader.restore_state(text)
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([['a', 'b', 'c']]))
        assert sess.run(read).key == b'a'
        saved = sess.run(state)
        assert saved == b'\x08\x01\x10\x01\x18\x01"\x01a'          # as TF 1.15.5 writes it
        sess.run([read.value])
        sess.run(restore, {text: saved})
        assert sess.run(reader.num_records_produced()) == 1
        sess.run(reader.reset())
        assert sess.run([reader.num_records_produced(), reader.num_work_units_completed()]) \
            == [0, 0]
    with pytest.raises(tf.errors.UnimplementedError, match='Reader SerializeState'), \
            tf.Session() as sess:
        sess.run(tf.TextLineReader().serialize_state())


def test_a_reader_wants_a_queue_of_strings():
    queue = tf.FIFOQueue(9, [tf.int32], [[]])
    read = tf.TextLineReader().read(queue)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError,
                                             match='Expected queue with single string component'):
        sess.run(read)


def test_empty_and_bad_arguments():
    with pytest.raises(ValueError, match='requires a non-null input tensor'):
        tf.train.string_input_producer([])
    with pytest.raises(ValueError, match='num_epochs must be > 0'):
        tf.train.limit_epochs(tf.constant(1), 0)
    with pytest.raises(ValueError, match='must have a fully defined shape'):
        tf.train.input_producer(tf.placeholder(tf.float32, [None, None]))
    with pytest.raises(ValueError, match='capacity 5 must be bigger than min_after_dequeue 5'):
        tf.train.shuffle_batch([tf.constant(1)], 2, 5, 5)
    with pytest.raises(ValueError, match='All shapes must be fully defined'):
        tf.train.batch([tf.placeholder(tf.float32, [None])], 2)
    with pytest.raises(ValueError, match="Cannot infer Tensor's rank"):
        tf.train.batch([tf.placeholder(tf.float32)], 2)
    with pytest.raises(TypeError, match='Expected types to be consistent'):
        tf.train.batch_join([[tf.constant(1)], [tf.constant(1.)]], 2)
    with pytest.raises(ValueError, match='cannot be a vector'):
        tf.train.maybe_batch([tf.constant(1)], [True, False], 2)
    nothing = tf.placeholder_with_default(np.zeros(0, object), [None])
    queue = tf.train.string_input_producer(nothing)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError,
                                             match='requires a non-null input tensor'):
        sess.run(tf.get_collection('queue_runners')[-1].enqueue_ops[0])
    assert queue.name == 'input_producer_1' or queue.name.startswith('input_producer')


def test_the_summary_shows_how_full_the_queue_is():
    from tinyflow.formats.protos import summary_pb2
    queue = tf.train.input_producer(np.arange(3.), capacity=4, summary_name='full', shuffle=False)
    summary, = tf.get_collection(tf.GraphKeys.SUMMARIES)
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([[1., 2.]]))
        value, = summary_pb2.Summary.FromString(sess.run(summary)).value
    assert (value.tag, value.simple_value) == ('input_producer/full', 0.5)


# ---- files -------------------------------------------------------------------------------------

def test_patterns(tmp_path):
    for name in ('a1', 'a2', 'b1', 'sub/a3', 'sub/deep/a4', '*'):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('x')
    expected = {'a*': ['a1', 'a2'], '?1': ['a1', 'b1'], 'a[2-9]': ['a2'], '*/a*': ['sub/a3'],
                'sub/*/a?': ['sub/deep/a4'], 'a1': ['a1'], 'zz': [], '\\*': ['*'],
                '[!a]1': ['b1']}
    with tf.Session() as sess:
        for pattern, names in expected.items():
            got = sess.run(tf.matching_files(f'{tmp_path}/{pattern}'))
            assert got.tolist() == [os.fsencode(tmp_path / n) for n in names], pattern


def test_files_are_read_again(tmp_path):
    path = str(tmp_path / 'new' / 'x')
    text = tf.placeholder(tf.string, [])
    write, read = tf.write_file(path, text), tf.io.read_file(path)
    with tf.Session() as sess:
        for value in (b'one', b'two'):
            sess.run(write, {text: value})
            assert sess.run(read) == value
        with pytest.raises(tf.errors.FailedPreconditionError, match='; Is a directory'):
            sess.run(tf.read_file(str(tmp_path)))


# ---- decoding ----------------------------------------------------------------------------------

def test_csv_corners():
    """Each as TF 1.15.5 takes it."""
    good = [('"a""b",1', [b'a"b', 1]), ('"x\ny", 2 ', [b'x\ny', 2]), (',', [b'd', 7]),
            ('a b ,-3', [b'a b ', -3]), ('"",7', [b'd', 7]), ('\r\na,1', [b'a', 1])]
    bad = {'a,"1': 'Quoted field has to end with quote followed by delim or end',
           '"a"b,1': 'Quote inside a string has to be escaped by another quote',
           'a"b,1': 'Unquoted fields cannot have quotes/CRLFs inside',
           'a,1\n': 'Unquoted fields cannot have quotes/CRLFs inside',
           'a,+1': 'Field 1 in record 0 is not a valid int32: \\+1',
           'a,2147483648': 'is not a valid int32', 'a,1_0': 'is not a valid int32',
           'a': 'Expect 2 fields but have 1 in record 0', '': 'Expect 2 fields but have 0'}
    line = tf.placeholder(tf.string, [])
    columns = tf.decode_csv(line, [['d'], [7]])
    with tf.Session() as sess:
        for text, want in good:
            assert sess.run(columns, {line: text}) == want
        for text, message in bad.items():
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                sess.run(columns, {line: text})


def test_csv_of_many_records_keeps_their_shape():
    lines = np.array([[f'{i},{i / 4}' for i in range(3)]] * 2, object)
    number, part = tf.decode_csv(tf.constant(lines), [[0], [0.]])
    assert number.shape.as_list() == [2, 3]
    with tf.Session() as sess:
        a, b = sess.run([number, part])
    np.testing.assert_array_equal(a, [[0, 1, 2]] * 2)
    np.testing.assert_array_equal(b, [[0, .25, .5]] * 2)
    assert (a.dtype, b.dtype) == (np.int32, np.float32)


def test_reshaped_integers_of_unknown_value_can_be_sliced():
    """What is known of an integer vector's entries must not be taken for its length."""
    x = tf.placeholder(tf.uint8, [5])
    with tf.Session() as sess:
        assert sess.run(tf.reshape(x, [5])[1:], {x: range(5)}).tolist() == [1, 2, 3, 4]


def test_one_string_out_of_many_is_an_array_inside_the_graph():
    texts = tf.placeholder(tf.string, [2])
    one = {'gather': tf.gather(texts, 1), 'gather_nd': tf.gather_nd(texts, [1]),
           'unstack': tf.unstack(texts)[1], 'slice': texts[1]}
    queue = tf.FIFOQueue(10, [tf.string], [[]])
    fill, take = [queue.enqueue(t) for t in one.values()], queue.dequeue_many(len(one))
    with tf.Session() as sess:
        assert set(sess.run(one, {texts: ['a', 'b']}).values()) == {b'b'}
        sess.run(fill, {texts: ['a', 'b']})
        assert sess.run(take).tolist() == [b'b'] * len(one)
