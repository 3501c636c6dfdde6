"""Record files of TensorFlow 2.15.1's compat.v1: python tests/golden/record_newer.py [program ...]

For each program below: its MetaGraphDef, files/newer/<name>.meta, the graph as text where that has
what TensorFlow 1 does not know, and the values of its fetches, files/newer/<name>.json.
"""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
# In place of this folder, whose `keras` would stand before the real one.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from golden.encoding import encode, json_text  # noqa: E402
from tensorflow.python.ops import gen_stateless_random_ops as seeded  # noqa: E402
from tensorflow.python.ops import gen_stateless_random_ops_v2 as raw  # noqa: E402

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files', 'newer')
AUTOTUNE = tf.data.AUTOTUNE
PROGRAMS = {}


def program(build):
    PROGRAMS[build.__name__] = build
    return build


@program
def stateless_random():
    r, seed = tf.random, [1, 2]
    wide = tf.constant([-2, 5], tf.int64)
    key, counter, alg = raw.stateless_random_get_key_counter_alg([-1, 2**31 - 1])
    far = tf.constant([3, 9], tf.uint64)
    return [r.stateless_uniform([5], seed), r.stateless_uniform([2, 3], wide, dtype=tf.float64),
            r.stateless_uniform([3], seed, dtype=tf.float16), r.stateless_normal([7], seed),
            r.stateless_normal([3], wide, dtype=tf.float64),
            r.stateless_truncated_normal([6], [3, 4]),
            r.stateless_uniform([5], seed, 0, 100, tf.int32),
            r.stateless_uniform([3], wide, -5, 2**40, tf.int64),
            r.stateless_uniform([4], seed, None, None, tf.int32),
            r.stateless_uniform([2], seed, None, None, tf.int64),
            tf.cast(r.stateless_uniform([3], seed, None, None, tf.uint32), tf.int64),
            r.stateless_categorical([[1.0, 2.0, 3.0]], 10, [3, 4]),
            r.experimental.stateless_shuffle(tf.range(10), seed),
            r.experimental.stateless_split(seed, 3), r.experimental.stateless_fold_in(seed, 5),
            tf.bitcast(key, tf.int64), tf.bitcast(counter, tf.int64), alg,
            raw.stateless_random_uniform_v2([3], key, far, raw.stateless_random_get_alg()),
            raw.stateless_random_normal_v2([3], key, counter, 3),
            seeded.stateless_random_uniform_full_int([3], seed, dtype=tf.int64)]


@program
def initial_values():
    tf.set_random_seed(3)
    x = tf.constant(np.linspace(-1, 1, 54, dtype=np.float32).reshape(2, 3, 3, 3))
    h = tf.layers.flatten(tf.layers.conv2d(x, 2, 2, activation=tf.nn.relu))
    y = tf.layers.dense(h, 2, kernel_initializer=tf.keras.initializers.glorot_uniform(seed=5))
    w = tf.get_variable('w', [3], initializer=tf.truncated_normal_initializer(seed=4))
    return [y, w + 0.0, tf.nn.dropout(tf.ones([6]), rate=0.5, seed=2)]


def elements(*datasets):
    found = []
    for dataset in datasets:
        iterator = tf.data.make_initializable_iterator(dataset)
        tf.add_to_collection('first', iterator.initializer)
        found += tf.nest.flatten(iterator.get_next())
    return found


@program
def datasets():
    options = tf.data.Options()
    options.deterministic = True
    options.threading.private_threadpool_size = 2
    numbers = tf.data.Dataset.range(9)
    one = tf.data.Dataset.from_tensors
    return elements(
        numbers.map(lambda x: x * x, num_parallel_calls=AUTOTUNE).batch(9),
        numbers.interleave(lambda x: one(x).repeat(2), cycle_length=2, num_parallel_calls=2,
                           deterministic=True).batch(18),
        numbers.interleave(one, num_parallel_calls=AUTOTUNE).batch(9),
        numbers.with_options(options).batch(3, num_parallel_calls=2),
        numbers.filter(lambda x: x < 4).apply(tf.data.experimental.assert_cardinality(4)).batch(9),
        numbers.window(3, 2).flat_map(lambda w: w.batch(3)).batch(2),
        numbers.cache().shuffle(4, seed=1).repeat(2).batch(18),
        numbers.apply(tf.data.experimental.ignore_errors()).enumerate(3).batch(2),
        tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3))


@program
def choices():
    x = tf.constant([1.0, -2.0])
    branches = [lambda: x + 1.0, lambda: x * 10.0, lambda: tf.square(x), lambda: -x]
    found = []
    for i in (-1, 0, 1, 2, 3, 9):
        y = tf.switch_case(tf.constant(i), branches)
        found += [y, tf.gradients(y, x)[0]]
    return found


@program
def arrays():
    x = tf.constant(np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4))
    w = tf.constant(np.linspace(0, 1, 8, dtype=np.float32).reshape(4, 2))
    wide = x[0]
    batches = tf.einsum('...ij,jk->...ik', x, w)
    found = [tf.einsum('bij,jk->bki', x, w), batches, tf.einsum('ij->j', w),
             tf.linalg.diag(wide), tf.linalg.diag(wide, k=(-1, 1), num_rows=4, num_cols=4),
             tf.linalg.diag([[1.0, 2.0]], k=2, num_cols=5, padding_value=9.0),
             tf.linalg.diag_part(x), tf.linalg.diag_part(x, k=(-1, 2), padding_value=7.0),
             tf.linalg.diag_part(x, k=(-2, 1), align='LEFT_RIGHT'),
             tf.linalg.set_diag(x, x[:, :, 0]), tf.linalg.trace(x[:, :, :3]), tf.eye(2, 3),
             tf.linalg.set_diag(wide, wide[:2, :3], k=(-1, 0)),
             tf.math.bincount([1, 2, 1, 5]), tf.math.bincount([1, 2, 1], [0.5, 1.0, 2.0]),
             tf.raw_ops.DenseBincount(input=[[1, 2], [2, 5]], size=4, weights=np.float32([])),
             tf.raw_ops.DenseBincount(input=[[1, 2], [2, 2]], size=4, weights=np.float32([]),
                                      binary_output=True)]
    total = tf.add_n([tf.reduce_sum(tf.square(y)) for y in found[:13]])
    return found + tf.gradients(total, [x, w])


@program
def growing():
    """A TensorArray that begins empty: each write says itself that it may grow."""
    x = tf.constant([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])
    w = tf.get_variable('w', initializer=[2.0, -1.0])

    def body(i, array, last):
        last = tf.tanh(x[i] * w + last)
        return i + 1, array.write(i, last), last
    empty = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    _, array, last = tf.while_loop(lambda i, *rest: i < 3, body, [0, empty, w])
    # Written twice, and with a gap, which is zeros.
    late = tf.TensorArray(tf.float32, 1, dynamic_size=True, element_shape=[2]).write(3, last)
    rows = late.write(0, w).stack()
    return [array.stack(), array.size(), rows, tf.gradients([array.stack(), rows], w)[0]]


@program
def cond_in_while():
    """The branches hand what their gradients need to the loop's gradient as Optionals."""
    x = tf.constant([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])
    w = tf.get_variable('w', initializer=[0.5, -0.7, 1.1])

    def body(i, a):
        return i + 1, tf.cond(tf.reduce_sum(a) > 0.5, lambda: tf.sin(a) * w + 0.1,
                              lambda: tf.tanh(a) - w)
    y = tf.while_loop(lambda i, a: i < 4, body, [0, w * x])[1]
    loss = tf.reduce_sum(tf.square(y - 1.0))
    step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    grad = tf.gradients(loss, w)[0]
    with tf.control_dependencies([step, grad, loss]):
        return [y, grad, w.read_value()]


@program
def sparse_lookup():
    v = tf.get_variable('v', initializer=np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3))
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 1]], np.array([1, 2, 1]), [2, 2])
    found = [tf.nn.embedding_lookup_sparse(v, ids, None, combiner=c)
             for c in ('sum', 'mean', 'sqrtn')]
    total = tf.add_n([tf.reduce_sum(tf.square(y)) for y in found])
    step = tf.train.AdagradOptimizer(0.1).minimize(total)
    with tf.control_dependencies([step]):
        return [*found, tf.convert_to_tensor(tf.gradients(total, v)[0]), v.read_value()]


@program
def examples():
    feature = tf.train.Feature
    data = tf.train.Example(features=tf.train.Features(feature={
        'a': feature(float_list=tf.train.FloatList(value=[1.5, 2.5])),
        'b': feature(bytes_list=tf.train.BytesList(value=[b'x', b'yz']))})).SerializeToString()
    described = {'a': tf.FixedLenFeature([2], tf.float32), 'b': tf.VarLenFeature(tf.string),
                 'c': tf.FixedLenFeature([], tf.int64, default_value=7)}
    one = tf.parse_single_example(data, described)
    batch = tf.io.parse_example([data, data], described)
    return [one['a'], one['b'].values, one['c'], batch['a'], batch['b'].indices,
            batch['b'].values, batch['b'].dense_shape, batch['c']]


def write(name, data):
    with open(os.path.join(FILES, name), 'wb') as file:
        file.write(data)


if __name__ == '__main__':
    tf.disable_eager_execution()
    os.makedirs(FILES, exist_ok=True)
    for name, build in PROGRAMS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tf.Graph().as_default() as graph, tf.Session() as session:
            fetches = build()
            meta = tf.train.export_meta_graph(clear_devices=True)
            meta.ClearField('object_graph_def')
            meta.meta_info_def.ClearField('stripped_op_list')
            write(f'{name}.meta', meta.SerializeToString(deterministic=True))
            if name == 'datasets':
                write(f'{name}.pbtxt', str(graph.as_graph_def()).encode())
            session.run(tf.global_variables_initializer())
            session.run(tf.get_collection('first'))
            values = session.run(fetches)
        write(f'{name}.json', json_text({'fetches': [t.name for t in fetches],
                                         'values': encode(values)}).encode())
