"""Rows for queues, readers, files and what parses their content.

A row runs once, in one thread: what takes from a queue waits for what fills it by a control input.
"""
import atexit
import os
import shutil
import tempfile

import numpy as np

from tests.ops.rows import row

_FOLDER = os.path.join(tempfile.gettempdir(), f'tinyflow-rows-{os.getpid()}')
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)


def _file(name, content):
    """The path of a file with this content."""
    os.makedirs(_FOLDER, exist_ok=True)
    path = os.path.join(_FOLDER, name)
    with open(path, 'wb') as file:
        file.write(content)
    return path


def _texts(*values):
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _through(make, put, take):
    """A function that builds a queue, fills it, then takes from it."""
    def build(tf, *tensors):
        queue = make(tf)
        with tf.control_dependencies([put(queue, tensors)]):
            return take(queue)
    return build


def _many(queue, tensors):
    return queue.enqueue_many(list(tensors))


def _fifo(tf, shapes=((), (2,)), types=None):
    return tf.FIFOQueue(10, types or [tf.float64] * len(shapes), [list(s) for s in shapes])


def _closed(tf):
    """Take what is left after closing."""
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    with tf.control_dependencies([queue.enqueue_many([[4, 5, 6, 7, 8]])]):
        close = queue.close(cancel_pending_enqueues=True)
    with tf.control_dependencies([close]):
        return queue.dequeue_up_to(3)


def _is_closed(tf):
    queue = _fifo(tf)
    with tf.control_dependencies([queue.close()]):
        return queue.is_closed()


def _read(make, names, what=lambda reader, queue: list(reader.read(queue))):
    """Reads from files; the first value that `what` gives."""
    def build(tf):
        queue = tf.FIFOQueue(10, [tf.string], [[]])
        with tf.control_dependencies([queue.enqueue_many([list(names)])]):
            close = queue.close()
        with tf.control_dependencies([close]):
            return what(make(tf), queue)
    return build


def _after_reading(method):
    def what(reader, queue):
        import tinyflow as tf
        with tf.control_dependencies([reader.read(queue).value]):
            return getattr(reader, method)()
    return what


def _after(method, *arguments):
    """Reads, changes the reader, reads again."""
    def what(reader, queue):
        import tinyflow as tf
        with tf.control_dependencies([reader.read(queue).value]):
            change = getattr(reader, method)(*arguments)
        with tf.control_dependencies([change]):
            return reader.num_records_produced()
    return what


LINES = _file('lines.txt', b'head\nx,1\r\ny,2')
BYTES = _file('bytes.bin', b'HHabcdefF')
STATE = b'\x08\x02\x10\x02\x18\x07\x22\x01x'
# A Summary message of one value: tag 'loss', number 2.5.
SUMMARY = b'\n\x0b\n\x04loss\x15\x00\x00\x20@'


def _summary(tf, x):
    from tinyflow.ops.summary import summaries
    return summaries.scalar('loss', x)


def _tf_record(tf):
    from tinyflow.formats.wire.records import frame
    path = _file('two.tfrecord', frame(b'first') + frame(b'second'))
    return _read(lambda tf: tf.TFRecordReader(), [path],
                 lambda r, q: list(r.read_up_to(q, 5)))(tf)


def _write(tf):
    path = os.path.join(_FOLDER, 'deep', 'er.txt')
    with tf.control_dependencies([tf.write_file(path, 'text')]):
        return tf.read_file(path)


X = np.array([1.5, -2.0, 3.0])
Y = np.arange(6.0).reshape(3, 2)

def _rows_mean(tf, x, steps=(0, 0, 1), required=2, **settings):
    """The values that a sparse accumulator gives of equal gradients [rows, width]."""
    made = tf.SparseConditionalAccumulator(tf.float32, shape=(), **settings)
    adds = [made.apply_grad([4, 1], tf.cast(x, tf.float32), local_step=step) for step in steps]
    with tf.control_dependencies(adds):
        return made.take_grad(required).values


def _rows_late(tf):
    """How many gradients a sparse accumulator has, of which one was too old."""
    made = tf.SparseConditionalAccumulator(tf.float32, shape=())
    with tf.control_dependencies([made.set_global_step(2)]):
        adds = [made.apply_grad([4], [[1.]], local_step=step) for step in (1, 2, 3)]
    with tf.control_dependencies(adds):
        return made.num_accumulated()


def _bad_rows(shape, indices, values, gradient_shape=None):
    """A call that adds a gradient which does not fit."""
    return lambda tf: tf.SparseConditionalAccumulator(tf.float32, shape).apply_grad(
        indices, tf.constant(values), gradient_shape)


_FEW_ROWS = [(2, 3)]

ROWS = [
    row('FIFOQueueV2', _through(_fifo, _many, lambda q: q.dequeue_many(3)), [X, Y],
        ref=lambda x, y: [x, y], grad=False, unknown=False,
        bad=[lambda tf: tf.FIFOQueue(3, [tf.int32], [[None]]),
             lambda tf: tf.FIFOQueue(3, [tf.int32], [[], []])]),
    row('QueueEnqueueManyV2', _through(_fifo, _many, lambda q: q.size()), [X, Y],
        ref=lambda x, y: np.int32(3), grad=False, unknown=False,
        bad=[lambda tf: _fifo(tf).enqueue_many([
            tf.zeros([3], tf.float64), tf.zeros([3, 4], tf.float64)])],
        run_bad=[lambda tf: tf.FIFOQueue(9, [tf.int32, tf.int32]).enqueue_many(
            [tf.placeholder_with_default([1, 2], None), [1, 2, 3]])]),
    row('QueueEnqueueV2', _through(_fifo, lambda q, ts: q.enqueue([ts[0][0], ts[1][1]]),
                                   lambda q: q.dequeue()), [X, Y],
        ref=lambda x, y: [x[0], y[1]], grad=False, unknown=False,
        bad=[lambda tf: _fifo(tf).enqueue([tf.zeros([3], tf.float64), tf.zeros([2], tf.float64)])],
        run_bad=[lambda tf: tf.FIFOQueue(3, [tf.int32], [[2]]).enqueue(
            tf.placeholder_with_default([1, 2, 3], None))]),
    row('QueueDequeueV2', _through(_fifo, _many, lambda q: q.dequeue()), [X, Y],
        ref=lambda x, y: [x[0], y[0]], grad=False, unknown=False),
    row('QueueDequeueManyV2', _through(_fifo, _many, lambda q: q.dequeue_many(1)), [X, Y],
        ref=lambda x, y: [x[:1], y[:1]], grad=False, unknown=False,
        bad=[lambda tf: _fifo(tf).dequeue_many(-1), lambda tf: _fifo(tf).dequeue_many([2])],
        run_bad=[lambda tf: tf.FIFOQueue(3, [tf.int32]).dequeue_many(2)]),
    row('QueueDequeueUpToV2', _closed, ref=lambda: np.array([4, 5, 6], np.int32),
        static_result=False),
    row('QueueSizeV2', _through(_fifo, _many, lambda q: q.size()), [X, Y],
        ref=lambda x, y: np.int32(len(x)), grad=False, unknown=False),
    row('QueueCloseV2', _closed, ref=lambda: np.array([4, 5, 6], np.int32), static_result=False),
    row('QueueIsClosedV2', _is_closed, ref=lambda: np.array(True)),
    row('RandomShuffleQueueV2',
        _through(lambda tf: tf.RandomShuffleQueue(10, 0, [tf.float64], [[]], seed=3), _many,
                 lambda q: q.dequeue_many(3)), [X],
        # As TensorFlow 1.15.5 draws for this seed.
        ref=lambda x: x[[2, 1, 0]], grad=False, unknown=False),
    row('PaddingFIFOQueueV2',
        _through(lambda tf: tf.PaddingFIFOQueue(9, [tf.float64], [[None]]),
                 lambda q, ts: q.enqueue(ts[0]), lambda q: q.dequeue_many(1)), [X],
        ref=lambda x: x[None], grad=False, unknown=False, static_result=False,
        bad=[lambda tf: tf.PaddingFIFOQueue(9, [tf.int32], None)]),
    row('PriorityQueueV2',
        _through(lambda tf: tf.PriorityQueue(9, [tf.float64], [[]]),
                 lambda q, ts: q.enqueue_many([[3, 1, 2], ts[0]]), lambda q: q.dequeue_many(3)),
        [X], ref=lambda x: [np.array([1, 2, 3]), x[[1, 2, 0]]], grad=False, unknown=False,
        bad=[lambda tf: tf.PriorityQueue(9, [tf.int32])]),
    row('TextLineReaderV2', _read(lambda tf: tf.TextLineReader(skip_header_lines=1), [LINES]),
        ref=lambda: [np.array(f'{LINES}:2'), np.array('x,1')]),
    row('ReaderReadV2', _read(lambda tf: tf.TextLineReader(), [LINES]),
        ref=lambda: [np.array(f'{LINES}:1'), np.array('head')],
        run_bad=[_read(lambda tf: tf.TextLineReader(), ['/no/such/file'],
                       lambda r, q: r.read(q).value)]),
    row('ReaderReadUpToV2', _read(lambda tf: tf.TextLineReader(), [LINES],
                                  lambda r, q: list(r.read_up_to(q, 2))),
        ref=lambda: [np.array([f'{LINES}:{i}' for i in (1, 2)]), np.array(['head', 'x,1'])],
        static_result=False),
    row('FixedLengthRecordReaderV2',
        _read(lambda tf: tf.FixedLengthRecordReader(3, 2, 1), [BYTES],
              lambda r, q: list(r.read_up_to(q, 9))),
        ref=lambda: [np.array([f'{BYTES}:0', f'{BYTES}:1']), np.array(['abc', 'def'])],
        static_result=False, bad=[lambda tf: tf.FixedLengthRecordReader(0)]),
    row('WholeFileReaderV2', _read(lambda tf: tf.WholeFileReader(), [BYTES]),
        ref=lambda: [np.array(BYTES), np.array('HHabcdefF')]),
    row('IdentityReaderV2', _read(lambda tf: tf.IdentityReader(), ['a', 'b']),
        ref=lambda: [np.array('a'), np.array('a')]),
    row('TFRecordReaderV2', _tf_record,
        ref=lambda: [np.array([f'{_FOLDER}/two.tfrecord:{i}' for i in (0, 21)]),
                     np.array(['first', 'second'])], static_result=False),
    row('ReaderNumRecordsProducedV2', _read(lambda tf: tf.TextLineReader(), [LINES],
                                            _after_reading('num_records_produced')),
        ref=lambda: np.int64(1)),
    row('ReaderNumWorkUnitsCompletedV2', _read(lambda tf: tf.IdentityReader(), ['a'],
                                               _after_reading('num_work_units_completed')),
        ref=lambda: np.int64(1)),
    row('ReaderSerializeStateV2', _read(lambda tf: tf.IdentityReader(), ['a'],
                                        _after_reading('serialize_state')),
        ref=lambda: np.array('\x08\x01\x10\x01\x18\x01"\x01a'),
        run_bad=[lambda tf: tf.TextLineReader().serialize_state()]),
    row('ReaderRestoreStateV2', _read(lambda tf: tf.IdentityReader(), ['a'],
                                      _after('restore_state', STATE)), ref=lambda: np.int64(7),
        run_bad=[lambda tf: tf.IdentityReader().restore_state('zzz'),
                 lambda tf: tf.TextLineReader().restore_state('')]),
    row('ReaderResetV2', _read(lambda tf: tf.TextLineReader(), [LINES], _after('reset')),
        ref=lambda: np.int64(0)),
    row('ReadFile', lambda tf: tf.read_file(BYTES), ref=lambda: np.array('HHabcdefF'),
        bad=[lambda tf: tf.read_file(['a', 'b'])],
        run_bad=[lambda tf: tf.read_file('/no/such/file'),
                 lambda tf: tf.read_file(tf.placeholder_with_default(['a'], None))]),
    row('WriteFile', _write, ref=lambda: np.array('text'),
        run_bad=[lambda tf: tf.write_file(os.path.join(LINES, 'x'), 'text')]),
    row('MatchingFiles', lambda tf: tf.matching_files([f'{_FOLDER}/l?nes.*', BYTES]),
        ref=lambda: np.array([BYTES, LINES]), static_result=False,
        bad=[lambda tf: tf.matching_files([['a']])],
        run_bad=[lambda tf: tf.matching_files('/no/such/folder/*')]),
    row('DecodeCSV', lambda tf, x: tf.decode_csv(x, [[0], [0.5], ['?']]),
        [_texts(b'1,2.5,a', b'-3,,"b ""c"""')],
        ref=lambda x: [np.array([1, -3], np.int32), np.array([2.5, 0.5], np.float32),
                       np.array(['a', 'b "c"'])], grad=False,
        bad=[lambda tf: tf.decode_csv('1', [[1, 2]]),
             lambda tf: tf.decode_csv('1,2', [[1], [1]], select_cols=[1, 0])],
        run_bad=[lambda tf: tf.decode_csv('1,2', [[1]])[0],
                 lambda tf: tf.decode_csv('x', [[1]])[0],
                 lambda tf: tf.decode_csv(',1', [[], [1]])[0]]),
    row('DecodeRaw', lambda tf, x: tf.decode_raw(x, tf.int16), [_texts(b'\x01\x00\x02\x01')],
        ref=lambda x: np.array([[1, 258]], np.int16), grad=False, static_result=False,
        bad=[lambda tf: tf.decode_raw('a', tf.string)],
        run_bad=[lambda tf: tf.decode_raw('abc', tf.int16),
                 lambda tf: tf.decode_raw(['a', 'bc'], tf.uint8)]),
    row('ScalarSummary', _summary, [np.array(2.5)], ref=lambda x: np.array(SUMMARY, object),
        grad=False, run_bad=[lambda tf: _summary(tf, [1., 2.])]),
    row('StringToNumber', lambda tf, x: tf.string_to_number(x, tf.float64),
        [_texts(b'1.5', b' -2e3 ', b'inf')], ref=lambda x: np.array([1.5, -2000, np.inf]),
        grad=False, bad=[lambda tf: tf.string_to_number('1', tf.uint8)],
        run_bad=[lambda tf: tf.string_to_number('one')]),
    row('SparseConditionalAccumulator', lambda tf, x: _rows_mean(tf, x, reduction_type='SUM'),
        _FEW_ROWS, ref=lambda x: np.float32(3 * x), grad=False, static_result=False,
        bad=[lambda tf: tf.SparseConditionalAccumulator(tf.float32, reduction_type='MAX'),
             lambda tf: tf.SparseConditionalAccumulator(tf.int32)]),
    row('SparseAccumulatorApplyGradient', _rows_mean, _FEW_ROWS, ref=np.float32, grad=False,
        static_result=False, run_bad=[
            _bad_rows((5, 3), [5], [[1., 2., 3.]]), _bad_rows((5, 3), [4], [[1., 2.]]),
            _bad_rows((5, 2), [4], [[1., 2.]], [5, 3]), _bad_rows((5, 2), [4], [[1., 2.]], [5]),
            _bad_rows((), [4, 1], [[1., 2.]]), _bad_rows((), [[4]], [[1., 2.]]),
            _bad_rows((), [4], 1.)]),
    row('SparseAccumulatorTakeGradient', lambda tf, x: _rows_mean(tf, x, (0, 0, 0)), _FEW_ROWS,
        ref=np.float32, grad=False, static_result=False,
        run_bad=[lambda tf: _rows_mean(tf, [[1.], [2.]], required=0),
                 lambda tf: _rows_mean(tf, [[1.], [2.]], required=4)]),
    row('AccumulatorSetGlobalStep', _rows_late, ref=lambda: np.int32(2), grad=False),
    row('AccumulatorNumAccumulated', _rows_late, ref=lambda: np.int32(2), grad=False),
]
