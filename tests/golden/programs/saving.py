"""Savers, warm starts and serialized Examples."""
import os
import tempfile

import numpy as np

from .registry import program, run

FOLDER = os.path.join(tempfile.gettempdir(), 'tinyflow_golden_%d' % os.getpid())


def place(name):
    """A path in a folder of this process, which is made."""
    if not os.path.isdir(FOLDER):
        os.makedirs(FOLDER)
    return os.path.join(FOLDER, name)


def two_variables(tf):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='w'), tf.Variable(5, name='count')


def there_and_back(tf, saver, variables, name):
    """Runs that save, change the Variables, and restore."""
    saver_def, graph = saver.as_saver_def(), tf.get_default_graph()
    # Its nodes are fetched as operations, since their value is the path.
    save = graph.get_tensor_by_name(saver_def.save_tensor_name).op
    path = {saver_def.filename_tensor_name: place(name)}
    return [run(tf.global_variables_initializer()), run(save, path),
            run([v.initializer for v in variables],
                {v.initial_value: z for v, z in zip(variables, zeros(variables))}),
            run(variables), run(saver_def.restore_op_name, path), run(variables)]


def zeros(variables):
    return [np.zeros(v.get_shape().as_list(), v.dtype.as_numpy_dtype) for v in variables]


@program
def saver_of_all(tf, np):
    variables = two_variables(tf)
    return there_and_back(tf, tf.train.Saver(), variables, 'all')


@program
def saver_with_names(tf, np):
    w, count = two_variables(tf)
    return there_and_back(tf, tf.train.Saver({'weights': w, 'a/b': count}), [w, count], 'names')


@program
def saver_sharded(tf, np):
    variables = two_variables(tf)
    return there_and_back(tf, tf.train.Saver(sharded=True), variables, 'sharded')


@program
def saver_sharded_over_devices(tf, np):
    with tf.device('/device:CPU:0'):
        a = tf.Variable([1.0], name='a')
    b = tf.Variable([2.0, 3.0], name='b')
    return there_and_back(tf, tf.train.Saver(sharded=True), [a, b], 'devices')


@program
def saver_that_reshapes(tf, np):
    w, _ = two_variables(tf)
    return there_and_back(tf, tf.train.Saver([w], reshape=True, name='again'), [w], 'reshaped')


@program
def two_savers(tf, np):
    w, count = two_variables(tf)
    first = tf.train.Saver([w])
    with tf.name_scope('scope'):
        tf.train.Saver([count], filename='named', restore_sequentially=True)
    return there_and_back(tf, first, [w], 'two')


def written(tf, name):
    """A checkpoint made in a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope('old'):
            tf.get_variable('a', initializer=[1.0, 2.0])
            tf.get_variable('b', initializer=3.0)
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, place(name), write_meta_graph=False,
                                     write_state=False)


@program
def init_from_checkpoint_by_scope(tf, np):
    path = written(tf, 'warm')
    with tf.variable_scope('new'):
        a = tf.get_variable('a', [2], initializer=tf.zeros_initializer())
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
    c = tf.get_variable('c', [2], initializer=tf.ones_initializer())
    tf.train.init_from_checkpoint(path, {'old/': 'new/'})
    tf.train.init_from_checkpoint(path, {'old/a': c})
    return [run(tf.global_variables_initializer()), run([a, b, c])]


@program
def warm_start_by_pattern(tf, np):
    path = written(tf, 'pattern')
    with tf.variable_scope('old'):
        a = tf.get_variable('a', [2], initializer=tf.zeros_initializer())
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
    tf.train.warm_start(path, vars_to_warm_start='.*a')
    return [run(tf.global_variables_initializer()), run([a, b])]


def vocabulary(name, words):
    with open(place(name), 'w') as file:
        file.write('\n'.join(words) + '\n')
    return place(name)


def warm_by_words(tf, np, shape, axis, initializer, old_size=-1, partitioner=None):
    old = vocabulary('old_words', ['a', 'b', 'c', 'd'])
    new = vocabulary('new_words', ['c', 'x', 'a', 'y'])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('old', initializer=np.arange(20, dtype=np.float32).reshape(5, 4))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, place('by_words'), write_meta_graph=False,
                                     write_state=False)
    with tf.variable_scope('', partitioner=partitioner):
        w = tf.get_variable('w', shape, initializer=tf.zeros_initializer())
    info = tf.train.VocabInfo(new, 4, 2, old, old_size, initializer, axis)
    tf.train.warm_start(path, None, {'w': info}, {'w': 'old'})
    return [run(tf.global_variables_initializer()), run(tf.convert_to_tensor(w))]


@program
def warm_start_rows_by_words(tf, np):
    return warm_by_words(tf, np, [6, 4], 0, None)


@program
def warm_start_rows_by_words_drawn(tf, np):
    return warm_by_words(tf, np, [6, 4], 0, tf.random_uniform_initializer(seed=5), 2)


@program
def warm_start_columns_by_words(tf, np):
    return warm_by_words(tf, np, [5, 6], 1, tf.ones_initializer())


@program
def warm_start_parts_by_words(tf, np):
    return warm_by_words(tf, np, [6, 4], 0, None, -1, tf.fixed_size_partitioner(3))


# ---- Examples ------------------------------------------------------------------------------------


def feature(tf, values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(tf, **features):
    made = {key: feature(tf, values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def two_examples(tf):
    return [example(tf, x=[1, 2], y=[3.0, 4.0], z=[b'a'], v=[5], index=[3, 1], value=[2.0, 1.5],
                    steps=[1, 2, 3, 4]),
            example(tf, x=[10, 20], z=[b'b'], v=[6, 7], steps=[9, 8])]


def described(tf):
    return {'x': tf.FixedLenFeature([2], tf.int64),
            'y': tf.FixedLenFeature([2], tf.float32, default_value=[7.0, 8.0]),
            'z': tf.FixedLenFeature([], tf.string), 'v': tf.VarLenFeature(tf.int64),
            'w': tf.FixedLenFeature([], tf.int64, 5),
            'steps': tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
            'none': tf.FixedLenSequenceFeature([], tf.float32, True, default_value=-1.0)}


@program
def parse_example_batch(tf, np):
    return [run(tf.parse_example(two_examples(tf), described(tf)))]


@program
def parse_example_fed(tf, np):
    serialized = tf.placeholder(tf.string, [None])
    parsed = tf.io.parse_example(serialized, {'x': tf.FixedLenFeature([2], tf.int64),
                                              'v': tf.VarLenFeature(tf.int64)}, name='parsed')
    batch = two_examples(tf)
    return [run(parsed, {serialized: batch}), run(parsed, {serialized: batch[1:]})]


@program
def parse_example_with_a_sparse_feature(tf, np):
    features = {'s': tf.SparseFeature('index', 'value', tf.float32, 10),
                'x': tf.FixedLenFeature([2], tf.int64)}
    return [run(tf.parse_example(two_examples(tf), features))]


@program
def parse_single_example_of_all_kinds(tf, np):
    return [run(tf.parse_single_example(two_examples(tf)[1], described(tf)))]


@program
def parse_single_example_with_a_name(tf, np):
    features = {'x': tf.FixedLenFeature([2], tf.int64), 'v': tf.VarLenFeature(tf.int64)}
    return [run(tf.parse_single_example(two_examples(tf)[0], features, example_names='first'))]


def sequence(tf, start):
    steps = [feature(tf, [start + i, i]) for i in range(3)]
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={'length': feature(tf, [3]),
                                           'w': feature(tf, [1.0, 2.0])}),
        feature_lists=tf.train.FeatureLists(feature_list={
            't': tf.train.FeatureList(feature=steps),
            'u': tf.train.FeatureList(feature=[feature(tf, [1.0, 2.0]), feature(tf, [5.0])])}),
    ).SerializeToString()


def sequence_features(tf):
    return ({'length': tf.FixedLenFeature([], tf.int64), 'w': tf.VarLenFeature(tf.float32)},
            {'t': tf.FixedLenSequenceFeature([2], tf.int64), 'u': tf.VarLenFeature(tf.float32)})


@program
def parse_single_sequence_example(tf, np):
    context, lists = sequence_features(tf)
    lists['gone'] = tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)
    return [run(list(tf.parse_single_sequence_example(sequence(tf, 4), context, lists)))]


@program
def parse_sequence_example_batch(tf, np):
    batch = [sequence(tf, 4), sequence(tf, 7)]
    return [run(list(tf.io.parse_sequence_example(batch, *sequence_features(tf))))]


@program
def sparse_reordered(tf, np):
    sparse = tf.SparseTensor([[1, 0], [0, 2], [0, 1]], [1.0, 2.0, 3.0], [2, 3])
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [4, 2, 0], [2, 2])
    values = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    return [run([tf.sparse_reorder(sparse), tf.sparse_merge(ids, values, 5)])]
