"""Queues, readers and input pipelines, run by one thread: what fills a queue runs before it."""
import atexit
import os
import shutil
import tempfile

from .registry import program, run

FOLDER = os.path.join(tempfile.gettempdir(), 'tinyflow-golden-%d' % os.getpid())
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _file(name, content):
    """The path of a file; the recorded values do not depend on it."""
    if not os.path.isdir(FOLDER):
        os.makedirs(FOLDER)
    path = os.path.join(FOLDER, name)
    with open(path, 'wb') as out:
        out.write(content)
    return path


def _fill(tf):
    """The enqueue ops of all queue runners, in the order in which data flows."""
    return [run(op) for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
            for op in runner.enqueue_ops[:1]]


def _summary(tf, i):
    """The bytes of a summary, which are no text."""
    return tf.decode_raw(tf.get_collection(tf.GraphKeys.SUMMARIES)[i], tf.uint8)


@program
def fifo_queue(tf, np):
    q = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], [2]])
    many = q.enqueue_many([[1, 2, 3], [['a', 'b'], ['c', 'd'], ['e', 'f']]])
    one = q.enqueue([4, ['g', 'h']])
    size, first, rest = q.size(), q.dequeue(), q.dequeue_many(2)
    open_, close, left = q.is_closed(), q.close(), q.dequeue_up_to(5)
    return [run(many), run(one), run(size), run(first), run(rest), run(open_), run(close),
            run(q.is_closed(name='now')), run(left), run(q.size(name='end'))]


@program
def fifo_queue_without_shapes(tf, np):
    q = tf.FIFOQueue(capacity=3, dtypes=tf.float32, name='any')
    return [run(q.enqueue([[1., 2.]])), run(q.enqueue(3.)), run(q.dequeue()),
            run(q.dequeue(name='next'))]


@program
def queue_with_names(tf, np):
    q = tf.queue.FIFOQueue(5, ['int32', 'float32'], names=['i', 'x'], shared_name='common')
    again = tf.FIFOQueue(5, [tf.int32, tf.float32], names=['i', 'x'], shared_name='common')
    return [run(q.enqueue({'x': 0.5, 'i': 1})), run(again.dequeue())]


@program
def random_shuffle_queue(tf, np):
    q = tf.RandomShuffleQueue(40, 2, tf.int64, [()], seed=7)
    fill, three, one = q.enqueue_many([np.arange(12)]), q.dequeue_many(3), q.dequeue()
    close = q.close()
    return [run(fill), run(three), run(one), run(fill), run(three), run(one), run(close),
            run(q.dequeue_up_to(99))]


@program
def random_shuffle_queue_by_graph_seed(tf, np):
    tf.set_random_seed(5)
    q = tf.RandomShuffleQueue(40, 0, [tf.int32], [()])
    shared = tf.RandomShuffleQueue(40, 0, [tf.int32], [()], shared_name='deck')
    both = [q.enqueue_many([np.arange(9, dtype=np.int32)]),
            shared.enqueue_many([np.arange(9, dtype=np.int32)])]
    return [run(both), run([q.dequeue_many(9), shared.dequeue_many(9)])]


@program
def padding_queue(tf, np):
    q = tf.PaddingFIFOQueue(9, [tf.int32, tf.string], [[None, 2], [None]])
    x, s = tf.placeholder(tf.int32), tf.placeholder(tf.string)
    put = q.enqueue([x, s])
    return [run(put, {x: [[1, 2]], s: ['a', 'b']}),
            run(put, {x: [[3, 4], [5, 6], [7, 8]], s: ['c']}),
            run(put, {x: np.zeros([0, 2], np.int32), s: ['d', 'e', 'f']}),
            run(q.dequeue_many(2)), run(q.dequeue())]


@program
def priority_queue(tf, np):
    q = tf.PriorityQueue(9, [tf.string], [()])
    return [run(q.enqueue_many([np.array([30, 10, 20]), ['c', 'a', 'b']])), run(q.dequeue()),
            run(q.enqueue([np.int64(5), 'z'])), run(q.dequeue_many(3))]


@program
def queue_from_list(tf, np):
    queues = [tf.FIFOQueue(4, [tf.float32], [[2]]), tf.FIFOQueue(5, [tf.float32], [[3]])]
    which = tf.placeholder_with_default(1, [])
    q = tf.QueueBase.from_list(which, queues)
    return [run(q.enqueue([[1., 2., 3.]])), run([x.size() for x in queues]), run(q.dequeue())]


@program
def string_producer_and_lines(tf, np):
    paths = [_file('a.csv', b'h\n1,x\r\n2,y\n'), _file('b.csv', b'h\n3,z')]
    names = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    value = reader.read(names)[1]
    columns = tf.decode_csv(value, record_defaults=[[0], ['']])
    count = reader.num_records_produced()
    fill = _fill(tf)
    return [run(tf.local_variables_initializer())] + fill + [run(columns)] * 3 + \
        [run(count)] + fill + [run(columns), run(names.size())]


@program
def shuffled_producers(tf, np):
    tf.set_random_seed(3)
    a = tf.train.range_input_producer(8, seed=1)
    b = tf.train.input_producer([[1., 2.], [3., 4.], [5., 6.]], capacity=20, summary_name='fill')
    x, y = tf.train.slice_input_producer([np.arange(6, dtype=np.float32), np.arange(6)], seed=2)
    return _fill(tf) + [run([a.dequeue_many(8), b.dequeue_many(3)]), run([x, y]), run([x, y]),
                        run(a.size()), run(_summary(tf, 1))]


@program
def batches(tf, np):
    x, y = tf.train.slice_input_producer(
        [np.arange(6, dtype=np.float32), np.arange(6, dtype=np.int32)], shuffle=False)
    whole = tf.train.batch([x, y], 2, num_threads=2, capacity=8)
    mapped = tf.train.batch({'b': y, 'a': x}, 1, allow_smaller_final_batch=True, name='mapped')
    ragged = tf.train.batch([tf.fill([y + 1], y)], 2, dynamic_pad=True)
    rows = tf.train.batch([np.arange(6).reshape(3, 2)], 3, enqueue_many=True)
    fill = _fill(tf)
    return [fill[0]] + 2 * [fill[1]] + [run(whole), fill[2], run(mapped), fill[3], fill[3],
                                        run(ragged), fill[4], run(rows)]


@program
def shuffle_batches(tf, np):
    a = tf.train.shuffle_batch([np.arange(9)], 4, 20, 3, seed=4, enqueue_many=True)
    b = tf.train.shuffle_batch({'x': tf.constant([1.5, 2.5])}, 1, 5, 0, num_threads=3,
                               allow_smaller_final_batch=True)
    return _fill(tf) + [run(a), run(b), run(_summary(tf, 0))]


@program
def joined_batches(tf, np):
    lists = [[tf.constant(1), tf.constant('a')], [tf.constant(2), tf.constant('b')]]
    a = tf.train.batch_join(lists, 1)
    b = tf.train.shuffle_batch_join(lists, 1, 6, 0, seed=1)
    c = tf.train.maybe_batch([np.arange(4)], [True, False, True, False], 2, enqueue_many=True)
    tf.train.maybe_shuffle_batch([tf.constant(3)], 1, 6, 0, False)
    return _fill(tf) + [run(a), run(b), run(c)]


@program
def readers(tf, np):
    path = _file('data.bin', b'HHabcdefghF')
    runs = []
    for make in (tf.WholeFileReader, lambda: tf.FixedLengthRecordReader(3, 2, 1),
                 lambda: tf.FixedLengthRecordReader(4, header_bytes=2, hop_bytes=2, name='hop'),
                 lambda: tf.TextLineReader(name='lines')):
        q = tf.FIFOQueue(3, [tf.string], [[]])
        reader = make()
        several = reader.read_up_to(q, 9)
        runs += [run(q.enqueue([path])), run(several.values),
                 run([reader.num_records_produced(), reader.num_work_units_completed()]),
                 run(reader.reset()), run(reader.num_records_produced())]
    return runs


# Two records, 'one' and 'three', with their lengths and checksums.
RECORDS = ('0300000000000000b099490e6f6e65014055080500000000000000eab2043e74687265656023'
           'fb45')


@program
def record_reader(tf, np):
    path = _file('two.tfrecord', bytes(bytearray.fromhex(RECORDS)))
    q = tf.train.string_input_producer([path], num_epochs=1)
    key, value = tf.TFRecordReader().read(q)
    return [run(tf.local_variables_initializer())] + _fill(tf) + [run(value), run(value)]


@program
def identity_reader(tf, np):
    q = tf.FIFOQueue(9, [tf.string], [[]])
    reader = tf.IdentityReader()
    state = reader.serialize_state()
    text = tf.placeholder(tf.string, [])
    return [run(q.enqueue_many([['a', 'b', 'c']])), run(reader.read(q)), run(state),
            run(reader.restore_state(text), {text: b'\x08\x03\x10\x03\x18\x05"\x01q'}),
            run(state), run(reader.read_up_to(q, 2)), run(state)]


@program
def files(tf, np):
    path = _file('text.txt', b'content')
    other = os.path.join(FOLDER, 'sub', 'new.txt')
    write = tf.write_file(other, tf.constant('written'))
    found = tf.shape(tf.matching_files([os.path.join(FOLDER, 't?xt.*'), path]))
    return [run(tf.read_file(path)), run(write), run(tf.io.read_file(other)), run(found)]


@program
def matching_filenames(tf, np):
    path = _file('match.one', b'1')
    names = tf.train.match_filenames_once(os.path.join(FOLDER, 'match.*'))
    return [run(tf.local_variables_initializer()), run(tf.read_file(names[0])),
            run(tf.equal(names, path))]
