"""Lookup tables: fixed ones, vocabularies, tables that change."""
from .registry import program, run


@program
def hash_tables(tf, np):
    lookup = tf.contrib.lookup
    first = lookup.HashTable(
        lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2], tf.string, tf.int64), -1)
    second = lookup.HashTable(
        lookup.KeyValueTensorInitializer([1, 2], ['x', 'y'], tf.int64, tf.string), '?', name='T')
    third = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [0.5]), 7.0)
    words = tf.constant(['a', 'z'])
    results = [first.lookup(words), first.size(), third.lookup(words, name='named'),
               second.lookup(tf.constant([[2, 9]], tf.int64))]
    return [run(tf.tables_initializer()), run(results), run(tf.tables_initializer()), run(results)]


@program
def vocabularies(tf, np):
    lookup = tf.contrib.lookup
    words = tf.constant(['le', 'zz', 'yy', 'em'])
    plain = lookup.index_table_from_tensor(['em', 'le', 'ol'])
    buckets = lookup.index_table_from_tensor(['em', 'le', 'ol'], num_oov_buckets=2)
    numbers = lookup.index_table_from_tensor([10, 20], dtype=tf.int64, default_value=-5)
    back = lookup.index_to_string_table_from_tensor(['x', 'y'], default_value='U')
    static = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(['a', 'b'], [0, 1], tf.string, tf.int64), 3)
    sparse = plain.lookup(tf.SparseTensor([[0, 1]], ['ol'], [2, 2]))
    results = [plain.lookup(words), buckets.lookup(words), buckets.size(), static.lookup(words),
               numbers.lookup(tf.constant([20, 1], tf.int64)), sparse.values,
               back.lookup(tf.constant([1, 5], tf.int64)),
               lookup.string_to_index(words, tf.constant(['zz', 'le']))]
    return [run(tf.tables_initializer()), run(results)]


@program
def tables_that_change(tf, np):
    lookup = tf.contrib.lookup
    table = lookup.MutableHashTable(tf.string, tf.int64, -1)
    vectors = lookup.MutableHashTable(tf.string, tf.float32, [0.0, 0.0], name='vectors')
    dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-9)
    fill = tf.group(table.insert(['a', 'b'], [3, 4]), vectors.insert(['a'], [[3.0, 4.0]]),
                    dense.insert(tf.constant([5], tf.int64), tf.constant([50], tf.int64)))
    take = table.remove(tf.constant(['a']))
    words = tf.constant(['a', 'b', 'c'])
    results = [table.lookup(words), table.size(), vectors.lookup(words),
               dense.lookup(tf.constant([[5], [6]], tf.int64))]
    one_key, one_value = table.export()
    return [run(fill), run(results), run(take), run(results), run([one_key, one_value])]


@program
def hash_buckets(tf, np):
    texts = [b'x' * n for n in range(0, 140, 7)] + [bytes([(i * 7) % 256 for i in range(1000)])]
    return [run(tf.string_to_hash_bucket_fast(texts, 2 ** 40))]


@program
def vocabulary_files(tf, np):
    table = tf.contrib.lookup.index_table_from_file('no/such/file', num_oov_buckets=1)
    back = tf.contrib.lookup.index_to_string_table_from_file('no/such/file', vocab_size=3)
    table.lookup(tf.constant(['a']))
    back.lookup(tf.constant([1], tf.int64))
    tf.contrib.lookup.HashTable(tf.contrib.lookup.TextFileInitializer(
        'no/such/file', tf.string, 0, tf.int64, 1, delimiter=' '), -1)
    return [run(tf.constant(0))]
