"""Rows of lookup tables."""
import os
import tempfile

import numpy as np

from tests.ops.rows import row

BUCKETS = [[263, 939], [296, 719]]         # recorded from TF 1.15.5
WORDS = np.array([b'a', b'z', b'b'], object)


def static_table(tf):
    lookup = tf.contrib.lookup
    return lookup.HashTable(lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2], tf.string,
                                                             tf.int64), -1)


def filled(tf, table, make):
    with tf.control_dependencies([table.init]):
        return make()


def changing(tf, make, dense=False, vector=False):
    lookup = tf.contrib.lookup
    default = [0.0, 0.0] if vector else 0.0
    table = lookup.MutableDenseHashTable(tf.int64, tf.float32, default, 0, -1) if dense else \
        lookup.MutableHashTable(tf.int64, tf.float32, default)
    keys = tf.constant([5, 7], tf.int64)
    with tf.control_dependencies([table.insert(keys, [[1.0, 2.0], [3.0, 4.0]] if vector
                                               else [1.0, 2.0])]):
        return make(table)


def without(tf, table):
    with tf.control_dependencies([table.remove(tf.constant([7], tf.int64))]):
        return table.lookup(tf.constant([5, 7], tf.int64))


def from_file(tf, path):
    table = tf.contrib.lookup.index_table_from_file(path)
    return filled(tf, table, lambda: table.lookup(tf.constant(['c', '?'])))


def vocabulary(tf):
    path = os.path.join(tempfile.gettempdir(), f'tinyflow_vocabulary_{os.getpid()}.txt')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('a\nb\nc\n')
    return from_file(tf, path)


ROWS = [
    row('HashTableV2', lambda tf, x: filled(tf, t := static_table(tf), lambda: t.lookup(x)),
        [WORDS], ref=lambda x: np.array([1, -1, 2]), grad=False),
    row('LookupTableFindV2', lambda tf, x: filled(tf, t := static_table(tf), lambda: t.lookup(x)),
        [WORDS.reshape(3, 1)], ref=lambda x: np.array([[1], [-1], [2]]), grad=False,
        run_bad=[lambda tf: (static_table(tf).lookup(tf.constant('a')), {})]),
    row('LookupTableImportV2', lambda tf: filled(tf, t := static_table(tf), lambda: t.size()), [],
        ref=lambda: np.int64(2), grad=False,
        bad=[lambda tf: tf.contrib.lookup.HashTable(
            tf.contrib.lookup.KeyValueTensorInitializer(['a', 'b'], [1]), -1)],
        run_bad=[lambda tf: (tf.contrib.lookup.index_table_from_tensor(['a', 'a']).init, {})]),
    row('LookupTableSizeV2', lambda tf: changing(tf, lambda t: t.size()), [],
        ref=lambda: np.int64(2), grad=False,
        run_bad=[lambda tf: (static_table(tf).size(), {})]),
    row('InitializeTableFromTextFileV2', vocabulary, [], ref=lambda: np.array([2, -1]), grad=False,
        run_bad=[lambda tf: (tf.contrib.lookup.index_table_from_file('/no/such/file').init, {})]),
    row('MutableHashTableV2', lambda tf, x: changing(tf, lambda t: t.lookup(x)),
        [np.array([7, 6, 5])], ref=lambda x: np.array([2, 0, 1], np.float32), grad=False),
    row('MutableHashTableOfTensorsV2',
        lambda tf, x: changing(tf, lambda t: t.lookup(x), vector=True), [np.array([[7, 6]])],
        ref=lambda x: np.array([[[3, 4], [0, 0]]], np.float32), grad=False),
    row('MutableDenseHashTableV2', lambda tf, x: changing(tf, lambda t: t.lookup(x), dense=True),
        [np.array([7, 6])], ref=lambda x: np.array([2, 0], np.float32), grad=False,
        unknown=False),
    row('LookupTableInsertV2', lambda tf: changing(tf, lambda t: t.lookup(
        tf.constant([5], tf.int64))), [], ref=lambda: np.float32([1]), grad=False),
    row('LookupTableRemoveV2', lambda tf: changing(tf, lambda t: without(tf, t)), [],
        ref=lambda: np.float32([1, 0]), grad=False),
    row('LookupTableExportV2', lambda tf: changing(tf, lambda t: t.export()), [],
        ref=lambda: [np.array([5, 7]), np.float32([1, 2])], grad=False, static_result=False),
    row('StringToHashBucketFast', lambda tf, x: tf.string_to_hash_bucket_fast(x, 1000),
        [np.array([[b'', b'a'], [b'hello', b'x' * 100]], object)],
        ref=lambda x: np.array(BUCKETS), grad=False,
        bad=[lambda tf: tf.string_to_hash_bucket_fast('a', 0)]),
]
