"""tf.ragged and tf.RaggedTensor: values and rows; the nodes are not TensorFlow's."""
from .registry import program, run


def parts(tf, x):
    """The flat values and the row splits of a ragged tensor; a tensor as it is."""
    return [x.flat_values] + list(x.nested_row_splits) if isinstance(x, tf.RaggedTensor) else x


@program
def ragged_from_parts(tf, np):
    ragged, v = tf.RaggedTensor, tf.constant([3, 1, 4, 1, 5, 9])
    made = [tf.ragged.constant([[1, 2, 3], [], [4]]), tf.ragged.constant([[[1], [2, 3]], []]),
            tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
            tf.ragged.constant([['a', 'b'], ['c']]), tf.ragged.constant([[1.0], []], tf.float64),
            tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32),
            ragged.from_row_splits(v, [0, 4, 4, 6]), ragged.from_row_lengths(v, [4, 0, 2]),
            ragged.from_row_starts(v, [0, 4, 4]), ragged.from_row_limits(v, [4, 4, 6]),
            ragged.from_value_rowids(v, [0, 0, 0, 0, 2, 2], nrows=4),
            ragged.from_value_rowids(v, [0, 0, 0, 0, 2, 2]),
            ragged.from_nested_row_splits(v, [[0, 2, 3], [0, 3, 3, 6]]),
            ragged.from_nested_row_lengths(v, [[2, 1], [3, 0, 3]]),
            ragged.from_tensor([[1, 2, 0], [3, 0, 0]]),
            ragged.from_tensor([[1, 2, 0], [0, 3, 0]], padding=0),
            ragged.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 3]),
            ragged.from_tensor(np.arange(12).reshape(2, 3, 2), ragged_rank=2),
            ragged.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 4])),
            tf.ragged.range([3, 0, 2]), tf.ragged.range([0, 5], [3, 12], [1, 3]),
            tf.ragged.range([3.0], [0.0], -1.0),
            tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True],
                                                            [False, False, True]])]
    ids = [tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]),
           tf.ragged.segment_ids_to_row_splits([0, 0, 2])]
    return [run([parts(tf, x) for x in made] + ids)]


@program
def ragged_rows(tf, np):
    x = tf.ragged.constant([[1, 2, 3], [], [4]])
    deep = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
    results = [x.to_tensor(), x.to_tensor(-1), deep.to_tensor(), x.to_sparse(), deep.to_sparse(),
               x.value_rowids(), x.nrows(), x.row_lengths(), x.row_starts(), x.row_limits(),
               x.bounding_shape(), deep.bounding_shape(), parts(tf, deep.row_lengths(2)),
               list(deep.nested_row_lengths()), list(deep.nested_value_rowids()),
               tf.size(x), tf.rank(deep), x[0], x[0, 1]]
    results += [parts(tf, y) for y in (
        deep[0], x[1:], x[::2], x[:, :2], x[:, -1:], x[:, 1:-1], tf.gather(x, [2, 0]),
        tf.gather(deep, [2, 0]), tf.gather(tf.range(10), x), tf.expand_dims(x, 0),
        tf.expand_dims(x, 1), tf.expand_dims(x, 2), tf.concat([x, x], 0),
        tf.concat([x, [[7, 8]]], 0),
        tf.concat([x, tf.ragged.constant([[7], [8, 9], []])], 1), tf.stack([x, x]),
        tf.ragged.stack([x, [[7, 8]]]),
        tf.ragged.boolean_mask(x, tf.ragged.constant([[True, False, True], [], [False]])))]
    return [run(results)]


@program
def ragged_arithmetic(tf, np):
    x = tf.ragged.constant([[1, 2, 3], [], [4]])
    deep = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
    floats = tf.cast(x, tf.float32)
    results = []
    for kind in ('sum', 'mean', 'max', 'min', 'prod'):
        reduce = getattr(tf, 'reduce_' + kind)
        results += [parts(tf, y) for y in (reduce(floats, axis=1), reduce(x, axis=0), reduce(x),
                                           reduce(deep, axis=2), reduce(deep, axis=[1, 2]))]
    results += [parts(tf, tf.reduce_sum(deep, axis=1)),
                tf.reduce_any(tf.ragged.constant([[True, False], []]), axis=1),
                tf.reduce_all(tf.ragged.constant([[True, False], [True]]), axis=-1)]
    results += [parts(tf, y) for y in (
        x + 1, 2 - x, x * x, -x, x > 2, tf.equal(x, 2), tf.square(x), tf.add(x, x),
        x + [[10], [20], [30]], tf.zeros_like(x), tf.where(x > 2, x, -x),
        tf.ragged.map_flat_values(tf.add, x, 10), tf.ragged.map_flat_values(tf.multiply, x, x))]
    slopes = tf.gradients(tf.reduce_sum(floats * floats, axis=1), floats.flat_values)
    return [run(results), run(tf.convert_to_tensor(slopes[0]))]
