"""Rows of the ops that write and read checkpoints, records of tensors and Examples."""
import os
import tempfile

import numpy as np

from tests.ops.rows import row
from tinyflow.formats.wire import checkpoint_v1
from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.graph import dtypes
from tinyflow.ops.files import saving, saving_v1
from tinyflow.ops.files.parsing_kernels import ParseSingleExample
from tinyflow.ops.sparse.merging import SparseReorder

FOLDER = os.path.join(tempfile.gettempdir(), f'tinyflow_rows_{os.getpid()}')
X = np.arange(6.0).reshape(2, 3)
Y = np.array([b'one', b'', b'\x00three'], object)


def stored():
    """The name of a checkpoint with x, y and one tensor in two parts."""
    prefix = os.path.join(FOLDER, 'stored')
    if not os.path.exists(prefix + '.index'):
        with BundleWriter(prefix) as writer:
            writer.add('x', X, dtypes.float64)
            writer.add('y', Y, dtypes.string)
            writer.add_slice('z', (4, 2), [(0, 3), (0, -1)], np.full((3, 2), 1, np.int32),
                             dtypes.int32)
            writer.add_slice('z', (4, 2), [(3, 1), (0, -1)], np.full((1, 2), 2, np.int32),
                             dtypes.int32)
    return prefix


def save(tf, x, names=('a', 'b'), parts=('', ''), where='saved'):
    return saving.SaveV2.apply(os.path.join(FOLDER, where), list(names), list(parts), [x, x + 1])


def restore_one(tf, *args):
    return restore(tf, *args)[0]


def restore(tf, names, parts, kinds):
    return saving.RestoreV2.apply(stored(), names, parts, dtypes=kinds)


def stored_v1():
    """The name of a checkpoint of the first format with x, and z in two parts."""
    path = os.path.join(FOLDER, 'old')
    if not os.path.exists(path):
        os.makedirs(FOLDER, exist_ok=True)
        checkpoint_v1.write(path, [
            ('x', (2, 3), [(0, -1), (0, -1)], X, dtypes.float64),
            ('z', (4, 2), [(0, 3), (0, -1)], np.full((3, 2), 1, np.int32), dtypes.int32),
            ('z', (4, 2), [(3, 1), (0, -1)], np.full((1, 2), 2, np.int32), dtypes.int32)])
    return path


def save_v1(tf, x, names=('a', 'b'), parts=None, where='saved_v1'):
    os.makedirs(FOLDER, exist_ok=True)
    path, data = os.path.join(FOLDER, where), [x, x + 1]
    return saving_v1.Save.apply(path, list(names), data) if parts is None else \
        saving_v1.SaveSlices.apply(path, list(names), list(parts), data)


def restore_v1(tf, name, dt, part=None):
    return saving_v1.Restore.apply(stored_v1(), name, dt=dt) if part is None else \
        saving_v1.RestoreSlice.apply(stored_v1(), name, part, dt=dt)


def merge(tf, prefixes):
    os.makedirs(FOLDER, exist_ok=True)
    return saving.MergeV2Checkpoints.apply(prefixes, os.path.join(FOLDER, 'merged'))


def serialized_and_parsed(tf, x):
    return tf.io.parse_tensor(tf.io.serialize_tensor(x), x.dtype)


def example(tf, **features):
    kinds = {bytes: ('bytes_list', tf.train.BytesList), float: ('float_list', tf.train.FloatList),
             int: ('int64_list', tf.train.Int64List)}
    made = {}
    for key, values in features.items():
        field, kind = kinds[type(values[0])]
        made[key] = tf.train.Feature(**{field: kind(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def batch(tf):
    return [example(tf, n=[1, 2], f=[0.5], s=[b'a', b'b']), example(tf, n=[3, 4], f=[1.5, 2.5])]


def flat(parsed):
    """The tensors of a dict with SparseTensors, by key."""
    found = []
    for key in sorted(parsed):
        value = parsed[key]
        found += [value.indices, value.values, value.dense_shape] \
            if hasattr(value, 'indices') else [value]
    return found


def parsed(tf, features=None):
    return flat(tf.parse_example(batch(tf), features or {
        'n': tf.FixedLenFeature([2], tf.int64), 'f': tf.VarLenFeature(tf.float32),
        'd': tf.FixedLenFeature([1], tf.string, default_value=['none'])}))


def one_parsed(tf, features=None):
    return flat(tf.parse_single_example(batch(tf)[0], features or {
        'n': tf.FixedLenFeature([2], tf.int64), 's': tf.VarLenFeature(tf.string),
        'r': tf.FixedLenSequenceFeature([1], tf.int64, allow_missing=True)}))


def sequence(tf):
    feature = tf.train.Feature
    steps = [feature(int64_list=tf.train.Int64List(value=[i, i + 1])) for i in range(3)]
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={'c': feature(float_list=tf.train.FloatList(
            value=[7.0]))}),
        feature_lists=tf.train.FeatureLists(feature_list={
            't': tf.train.FeatureList(feature=steps)})).SerializeToString()


def sequence_parsed(tf, key='t', shape=(2,)):
    context, lists = tf.parse_single_sequence_example(
        sequence(tf), {'c': tf.FixedLenFeature([], tf.float32)},
        {key: tf.FixedLenSequenceFeature(list(shape), tf.int64)})
    return [context['c'], lists[key]]


def sequences_parsed(tf, key='t'):
    context, lists, lengths = tf.io.parse_sequence_example(
        [sequence(tf)] * 2, {'c': tf.VarLenFeature(tf.float32)},
        {key: tf.FixedLenSequenceFeature([2], tf.int64)})
    return [*flat(context), lists[key], lengths[key]]


STEPS = np.array([[0, 1], [1, 2], [2, 3]])
ROWS_OF_F = [np.array([[0, 0], [1, 0], [1, 1]]), np.float32([0.5, 1.5, 2.5]), np.array([2, 2])]
UNSORTED = np.array([[1, 0], [0, 2], [0, 1]])

ROWS = [
    row('SaveV2', save, [(2, 3)], grad=False, unknown=False,
        bad=[lambda tf: saving.SaveV2.apply('x', [1], [''], [1.0])],
        run_bad=[lambda tf: save(tf, tf.constant([1.0]), names=['a', 'b', 'c']),
                 lambda tf: save(tf, tf.constant([1.0]), names=['a', 'a']),
                 lambda tf: save(tf, tf.constant([1.0]), parts=['2 0,3', '']),
                 lambda tf: save(tf, tf.constant([1.0]), parts=['bad', '']),
                 lambda tf: save(tf, tf.constant([1.0]), where='no/such/place/at/all')]),
    row('RestoreV2', lambda tf: restore(tf, ['y', 'x', 'z'], ['', '', ''],
                                        (tf.string, tf.float64, tf.int32)),
        ref=lambda: [Y, X, np.array([[1, 1]] * 3 + [[2, 2]], np.int32)], static_result=False,
        bad=[lambda tf: restore(tf, ['x'], ['2 0,3'], (tf.float64,))],
        run_bad=[lambda tf: restore_one(tf, ['gone'], [''], (tf.float64,)),
                 lambda tf: restore_one(tf, ['x'], [''], (tf.float32,)),
                 lambda tf: restore_one(tf, ['x', 'y'], [''], (tf.float64,)),
                 lambda tf: restore_one(tf, ['z'], ['5 2 0,1:-'], (tf.int32,)),
                 lambda tf: saving.RestoreV2.apply('nowhere', ['x'], [''], dtypes=(tf.int32,))[0]]),
    row('RestoreV2', lambda tf: restore(tf, ['z', 'x'], ['4 2 1,3:1,1', '2 3 1,1:-'],
                                        (tf.int32, tf.float64)),
        ref=lambda: [np.array([[1], [1], [2]], np.int32), X[1:]], name='parts'),
    row('Save', save_v1, [(2, 3)], grad=False, unknown=False,
        bad=[lambda tf: saving_v1.Save.apply('x', [1], [1.0])],
        run_bad=[lambda tf: save_v1(tf, tf.constant([1.0]), names=['a', 'b', 'c']),
                 lambda tf: save_v1(tf, tf.constant([1.0]), names=['a', 'a']),
                 lambda tf: saving_v1.Save.apply(os.path.join(FOLDER, 'v1'), ['s'], ['text']),
                 lambda tf: save_v1(tf, tf.constant([1.0]), where='no/such/place')]),
    row('SaveSlices', lambda tf, x: save_v1(tf, x, parts=('4 3 2,2:-', '')), [(2, 3)], grad=False,
        unknown=False, bad=[lambda tf: saving_v1.SaveSlices.apply('x', ['a'], [1], [1.0])],
        run_bad=[lambda tf: save_v1(tf, tf.constant([1.0]), parts=['2 0,3', '']),
                 lambda tf: save_v1(tf, tf.constant([1.0]), parts=['bad', '']),
                 lambda tf: save_v1(tf, tf.constant([1.0]), parts=['3 0,2', ''])]),
    row('Restore', lambda tf: restore_v1(tf, 'z', tf.int32),
        ref=lambda: np.array([[1, 1]] * 3 + [[2, 2]], np.int32), static_result=False,
        bad=[lambda tf: saving_v1.Restore.apply('x', 1, dt=tf.int32)],
        run_bad=[lambda tf: restore_v1(tf, 'gone', tf.float64),
                 lambda tf: restore_v1(tf, 'x', tf.float32),
                 lambda tf: saving_v1.Restore.apply('nowhere', 'x', dt=tf.int32)]),
    row('RestoreSlice', lambda tf: restore_v1(tf, 'z', tf.int32, '4 2 1,3:1,1'),
        ref=lambda: np.array([[1], [1], [2]], np.int32),
        bad=[lambda tf: restore_v1(tf, 'x', tf.float64, '2 0,3')],
        run_bad=[lambda tf: restore_v1(tf, 'z', tf.int32, '5 2 0,1:-')]),
    # A merge consumes what it merges; that of real ones is tested in test_saver.py.
    row('MergeV2Checkpoints', lambda tf: merge(tf, np.array([], object)),
        bad=[lambda tf: saving.MergeV2Checkpoints.apply(tf.constant([1]), 'x')],
        run_bad=[lambda tf: saving.MergeV2Checkpoints.apply(['nowhere'], 'x'),
                 lambda tf: saving.MergeV2Checkpoints.apply([stored(), stored()], 'x')]),
    row('ShardedFilename', lambda tf: saving.ShardedFilename.apply('x', 1, 5),
        ref=lambda: np.array(b'x-00001-of-00005', object),
        bad=[lambda tf: saving.ShardedFilename.apply('x', tf.constant(1.0), 5)]),
    row('ShardedFilespec', lambda tf: saving.ShardedFilespec.apply('x', 5),
        ref=lambda: np.array(b'x-?????-of-00005', object),
        bad=[lambda tf: saving.ShardedFilespec.apply('x', tf.constant(5.0))]),
    row('SerializeTensor', serialized_and_parsed, [(2, 3)], ref=lambda x: x, grad=False,
        static_result=False, bad=[lambda tf: tf.io.serialize_tensor(None)]),
    row('ParseTensor', lambda tf: tf.parse_tensor(tf.serialize_tensor([['a'], ['b']]), tf.string),
        ref=lambda: np.array([[b'a'], [b'b']], object), static_result=False,
        bad=[lambda tf: tf.parse_tensor(tf.constant(1.0), tf.int32)],
        run_bad=[lambda tf: tf.parse_tensor(b'\xff\xff', tf.float32),
                 lambda tf: tf.parse_tensor(tf.serialize_tensor([1]), tf.float32),
                 lambda tf: tf.parse_tensor(['a', 'b'], tf.float32)]),
    row('ParseExample', parsed, ref=lambda: [np.array([[b'none'], [b'none']], object), *ROWS_OF_F,
                                             np.array([[1, 2], [3, 4]])], static_result=False,
        bad=[lambda tf: tf.parse_example(tf.constant(1.0), {'n': tf.VarLenFeature(tf.int64)})],
        run_bad=[lambda tf: parsed(tf, {'gone': tf.FixedLenFeature([2], tf.int64)})[0],
                 lambda tf: parsed(tf, {'n': tf.FixedLenFeature([3], tf.int64)})[0],
                 lambda tf: parsed(tf, {'n': tf.FixedLenFeature([2], tf.float32)})[0],
                 lambda tf: parsed(tf, {'n': tf.VarLenFeature(tf.float32)})[0],
                 lambda tf: flat(tf.parse_example(
                     ['\xff'], {'n': tf.VarLenFeature(tf.int64)}))[0]]),
    row('ParseSingleExample', one_parsed,
        ref=lambda: [np.array([1, 2]), np.zeros((0, 1), np.int64), np.array([[0], [1]]),
                     np.array([b'a', b'b'], object), np.array([2])], static_result=False,
        bad=[lambda tf: ParseSingleExample.apply(
            tf.constant(1.0), [], num_sparse=0, sparse_keys=(), dense_keys=(), sparse_types=(),
            Tdense=(), dense_shapes=())],
        run_bad=[lambda tf: one_parsed(tf, {'gone': tf.FixedLenFeature([2], tf.int64)})[0],
                 lambda tf: one_parsed(tf, {'n': tf.FixedLenFeature([3], tf.int64)})[0],
                 lambda tf: flat(tf.parse_single_example(
                     batch(tf), {'n': tf.VarLenFeature(tf.int64)}))[0]]),
    row('ParseSingleSequenceExample', sequence_parsed,
        ref=lambda: [np.float32(7.0), STEPS], static_result=False,
        bad=[lambda tf: tf.parse_single_sequence_example(
            tf.constant(1.0), {'c': tf.VarLenFeature(tf.int64)})],
        run_bad=[lambda tf: sequence_parsed(tf, 'gone')[0],
                 lambda tf: sequence_parsed(tf, 't', [3])[0]]),
    row('ParseSequenceExample', sequences_parsed,
        ref=lambda: [np.array([[0, 0], [1, 0]]), np.float32([7, 7]), np.array([2, 1]),
                     np.stack([STEPS, STEPS]), np.array([3, 3])], static_result=False,
        bad=[lambda tf: tf.io.parse_sequence_example(
            tf.constant(1.0), {'c': tf.VarLenFeature(tf.int64)})],
        run_bad=[lambda tf: sequences_parsed(tf, 'gone')[0]]),
    row('StringJoin', lambda tf: tf.string_join(['a', ['b', 'c'], 'd'], '-'),
        ref=lambda: np.array([b'a-b-d', b'a-c-d'], object),
        bad=[lambda tf: tf.string_join([['a'], ['b', 'c']]),
             lambda tf: tf.string_join([tf.constant(1.0)])]),
    row('SparseReorder', lambda tf, v: flat({'x': tf.sparse_reorder(tf.SparseTensor(
        UNSORTED, v, [2, 3]))})[:2], [np.array([1.0, 2.0, 3.0])],
        ref=lambda v: [UNSORTED[::-1], v[::-1]], second=False,
        bad=[lambda tf: SparseReorder.apply(tf.constant(1.0), 1.0, [1])]),
]
