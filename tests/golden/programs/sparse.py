"""Sparse tensors: arithmetic, reductions, products, joins, shapes; and strings in sparse parts."""
from .registry import program, run


def _one(tf, dtype=None, shape=(2, 3)):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]],
                           tf.constant([1, -2, 3], dtype or tf.float32), list(shape))


def _other(tf):
    return tf.SparseTensor([[0, 0], [1, 0]], [0.5, 2.0], [2, 3])


def _fed(tf, np):
    """A fed SparseTensor and what it is fed."""
    x = tf.sparse_placeholder(tf.float32, name='x')
    return x, {x: tf.SparseTensorValue([[0, 1], [1, 0], [1, 2]], np.float32([1, -2, 3]), [2, 3])}


@program
def sums(tf, np):
    dense = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x, feeds = _fed(tf, np)
    both = tf.sparse_add(_one(tf), _other(tf))
    large = tf.sparse.add(_one(tf), _other(tf), threshold=0.75)
    fed = tf.sparse_add(x, _other(tf))
    mixed = [tf.sparse_add(_one(tf), dense), tf.sparse.add(dense, _other(tf))]
    return [run([both, large] + mixed), run(fed, feeds)]


def _weighted(tf, values):
    return tf.reduce_sum(values * tf.cast(tf.range(1, tf.size(values) + 1), values.dtype))


@program
def gradients_of_sums(tf, np):
    v, w = tf.constant([1.0, -2.0, 3.0]), tf.constant([0.5, 2.0])
    d = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    a = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3])
    b = tf.SparseTensor([[0, 0], [1, 0]], w, [2, 3])
    both = tf.sparse_add(a, b, threshold=0.25)
    mixed = tf.sparse_add(a, d)
    return [run([tf.gradients(_weighted(tf, both.values), [v, w]),
                 tf.gradients(tf.reduce_sum(mixed * mixed), [v, d])])]


@program
def products(tf, np):
    v = tf.constant([1.0, -2.0, 3.0])
    d = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    row = tf.constant([2.0, 4.0, 8.0])
    x = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3])
    b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    results = [x * d, d * x, x / d, x * row, x / 2.0, tf.cast(x, tf.int32),
               _one(tf, tf.int32) / tf.constant([[1, 2, 3], [4, 5, 6]]),
               tf.sparse.matmul(x, b), tf.sparse_tensor_dense_matmul(x, d, adjoint_a=True),
               tf.sparse.matmul(x, d, adjoint_b=True, name='named'),
               tf.sparse_matmul(d, b, b_is_sparse=True)]
    scalars = [_weighted(tf, (x * row).values), _weighted(tf, (x / d).values),
               tf.reduce_sum(tf.square(tf.sparse.matmul(x, b))),
               tf.reduce_sum(tf.square(tf.sparse.matmul(x, d, adjoint_a=True, adjoint_b=False)))]
    found = [tf.gradients(scalars[0], [v, row]), tf.gradients(scalars[1], [v, d]),
             tf.gradients(scalars[2], [v, b]), tf.gradients(scalars[3], [v, d]),
             tf.gradients(tf.reduce_sum(tf.square(tf.sparse_matmul(d, b))), [d, b])]
    return [run(results), run(found)]


@program
def reductions(tf, np):
    v = tf.constant([-1.0, -2.0, 3.0])
    x = tf.SparseTensor([[0, 1], [0, 2], [2, 2]], v, [3, 3])
    fed, feeds = _fed(tf, np)
    found = [tf.sparse_reduce_sum(x), tf.sparse_reduce_sum(x, 1), tf.sparse.reduce_sum(x, [0, -1]),
             tf.sparse.reduce_sum(x, 0, keepdims=True), tf.sparse_reduce_max(x, 1),
             tf.sparse.reduce_max(x), tf.sparse_reduce_sum_sparse(x, 1),
             tf.sparse.reduce_sum_sparse(x), tf.sparse.reduce_max_sparse(x, 0, keepdims=True),
             tf.sparse_reduce_max_sparse(x, -1), tf.sparse_maximum(_one(tf), _other(tf)),
             tf.sparse.minimum(_one(tf), _other(tf), name='least'), tf.sparse_softmax(x)]
    gradients = [tf.gradients(tf.square(tf.sparse_reduce_sum(x, 1)), v),
                 tf.gradients(tf.sparse_reduce_sum(x, 0, keepdims=True) * [[1.0, 2.0, 4.0]], v),
                 tf.gradients(_weighted(tf, tf.sparse_softmax(x).values), v)]
    return [run(found), run(gradients), run(tf.sparse_reduce_sum(fed), feeds),
            run(tf.sparse_reduce_sum(fed, 0), feeds)]


@program
def joins(tf, np):
    wide = _one(tf, shape=(4, 3))
    x, feeds = _fed(tf, np)
    parts = tf.sparse_split(sp_input=_one(tf), num_split=2, axis=1)
    v = tf.constant([1.0, -2.0, 3.0])
    piece = tf.sparse_slice(tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3]), [1, 0], [5, 3])
    return [run([tf.sparse_concat(1, [_one(tf), _other(tf)]),
                 tf.sparse.concat(0, [_one(tf), wide]),
                 tf.sparse.concat(-1, [_one(tf), wide], expand_nonconcat_dim=True),
                 tf.sparse_concat(0, [_one(tf)])]),
            run(parts), run(tf.sparse.split(sp_input=_one(tf), num_split=3, axis=1, name='third')),
            run(piece), run(tf.gradients(_weighted(tf, piece.values), v)),
            run(tf.sparse_concat(0, [x, _other(tf)]), feeds)]


@program
def shapes(tf, np):
    x, feeds = _fed(tf, np)
    return [run([tf.sparse_transpose(_one(tf)), tf.sparse.transpose(_one(tf), [1, 0], name='t'),
                 tf.sparse.expand_dims(_one(tf)), tf.sparse.expand_dims(_one(tf), 0),
                 tf.sparse.expand_dims(_one(tf), -2, name='e'), tf.sparse_reset_shape(_one(tf)),
                 tf.sparse.reset_shape(_one(tf), [3, 5]), tf.sparse_retain(_one(tf), [True, False,
                                                                                      True]),
                 tf.sparse_reshape(_one(tf), [3, -1]), tf.sparse.reorder(_one(tf))]),
            run([tf.sparse.transpose(x), tf.sparse_reset_shape(x)], feeds)]


@program
def conversions(tf, np):
    ids = tf.SparseTensor([[0, 0], [1, 0], [1, 2]], tf.constant([4, 0, 2], tf.int64), [2, 3])
    words = tf.SparseTensor([[0, 1]], ['a'], [1, 2])
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([4, 5, 6]))
    return [run([tf.sparse_tensor_to_dense(_one(tf)), tf.sparse.to_dense(_one(tf), 7.0, name='d'),
                 tf.sparse.to_dense(words), tf.sparse_to_indicator(ids, 5),
                 tf.sparse.to_indicator(tf.cast(ids, tf.int32), 6),
                 tf.sparse.from_dense([[1, 0], [0, 2]]), tf.sparse.from_dense(tf.zeros([2])),
                 tf.sparse.eye(2), tf.sparse.eye(3, 2, dtype=tf.int32, name='I'),
                 tf.sparse.mask(slices, [5])])]


@program
def splits(tf, np):
    words = tf.constant(['a b  c ', '', ' x\ty\n'])
    return [run([tf.string_split(words), tf.string_split(words, skip_empty=False),
                 tf.string_split(['a,b;c,,d'], delimiter=',;'),
                 tf.string_split(['abc', ''], delimiter='', name='bytes'),
                 tf.strings.split(words), tf.strings.split(words, sep=' '),
                 tf.strings.split(words, maxsplit=1), tf.strings.split(words, ' ', 1, name='one'),
                 tf.strings.split(['a<>b<><>c<>', '<>'], sep='<>')])]
