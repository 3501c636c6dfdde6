"""Calls on ragged tensors; record_ragged.py records from TensorFlow 1.15.5 what they give.

`answers(tf, np)` evaluates them: nested lists, or the name of the error's class. Python 3.7 runs
this file, too.
"""

CALLS = """
tf.ragged.stack_dynamic_partitions(['a', 'b', 'c', 'd', 'e'], [3, 0, 2, 2, 3], 5)
tf.ragged.stack_dynamic_partitions(x, [1, 0, 1], 2)
tf.ragged.stack_dynamic_partitions(x, R([[1, 0, 1], [], [3]]), 4)
tf.ragged.stack_dynamic_partitions([[1, 2], [3, 4]], [[1, 0], [0, 1]], 3)
tf.dynamic_partition(x, [1, 0, 1], 2)
tf.tile(x, [1, 2])
tf.tile(x, [2, 1])
tf.tile(d, [2, 1, 2])
tf.tile(u, [1, 2, 2])
tf.tile(x, [0, 2])
tf.tile(d, [1, 2, 1])
tf.gather_nd(x, [[0, 1], [2, 0]])
tf.gather_nd(d, [[0, 1], [2, 0]])
tf.gather_nd(d, [[0], [2]])
tf.gather_nd(d, [2, 0, 1])
tf.gather_nd(x, [[[0, 1]], [[2, 0]]])
tf.gather_nd(tf.constant([[1, 2], [3, 4]]), R([[[0, 1]], [], [[1, 1], [0, 0]]], ragged_rank=1))
tf.gather_nd(u, [[0, 1, 1]])
tf.gather_nd(u, [[0, 1]])
tf.gather_nd(x, [[0, 5]])
tf.batch_gather(x, R([[0, 2], [], [0]]))
tf.batch_gather(x, [[0], [0], [0]])
tf.batch_gather(d, R([[1], [], [0, 2]]))
tf.batch_gather(tf.constant([[1, 2], [3, 4]]), R([[1], [0, 1]]))
tf.batch_gather(d, R([[[0], [1, 0]], [], [[2], [], [0]]]))
tf.one_hot(R([[1, 0], [], [2]]), 3)
tf.one_hot(x, 3, axis=1)
tf.squeeze(R([[[1], [2]], [[3]]], ragged_rank=1), axis=2)
tf.squeeze(R([[1], [2]]), axis=1)
tf.squeeze(R([[1, 2]]), axis=0)
tf.squeeze(x, axis=0)
tf.squeeze(x)
tf.squeeze(R([[[1, 2]], [[3]]]), axis=[1])
tf.where(R([[True, False], [], [True]]))
tf.where([True, False, True], x, y)
tf.where(x > 2, x, -x)
tf.where(R([[True], [False]]), R([['a'], ['b']]), R([['c'], ['d']]))
tf.unsorted_segment_sum(x, [1, 0, 1], 3)
tf.unsorted_segment_max(x, [1, 0, 1], 3)
tf.unsorted_segment_mean(f, [1, 0, 1], 2)
tf.unsorted_segment_sqrt_n(f, [1, 0, 1], 2)
tf.unsorted_segment_sum(d, [1, 0, 1], 2)
tf.unsorted_segment_prod(x, R([[0, 1, 0], [], [1]]), 2)
tf.math.unsorted_segment_min(x, [1, 0, 1], 3)
tf.reduce_sum(x, axis=1, keepdims=True)
tf.reduce_sum(d, axis=0)
tf.reduce_sum(d, axis=1)
tf.reduce_max(d, axis=2)
tf.reduce_sum(d, axis=[0, 2])
tf.reduce_mean(d, axis=0)
tf.reduce_sum(u, axis=0)
tf.reduce_sum(u, axis=2)
tf.reduce_sum(d, axis=[0, 1, 2])
tf.reduce_sum(d, axis=-1)
tf.reduce_sum(d, axis=3)
tf.reduce_mean(f, axis=0)
tf.reduce_any(x > 1, axis=0)
tf.strings.reduce_join(R([['a', 'b'], [], ['c']]), axis=1, separator='-')
tf.strings.reduce_join(R([['a', 'b'], [], ['c']]), axis=0)
tf.strings.reduce_join(R([['a', 'b'], [], ['c']]))
tf.reduce_join(R([['a', 'b'], [], ['c']]), axis=1)
x + y
x + [[1], [2], [3]]
x + tf.constant([[1], [2], [3]])
x * R([[2], [3], [4]])
R([[1, 2, 3]]) + R([[1], [2], [3]])
d + 1
d + R([[1], [2], [3]])
d + [[[1]], [[2]], [[3]]]
u + [10, 20]
u + [[10]]
u + [[[1]], [[2]]]
[[1], [2], [3]] + x
x + [1, 2, 3]
x + tf.constant([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
x + [100]
u + R([[1, 2], [3]])
d * R([[[2]], [[3]], [[4]]])
d + R([[[1], [1, 2]], [], [[1, 2, 3], [], [7]]])
x + tf.constant([[[1]], [[2]]])
x[0]
x[-1]
x[1:]
x[::2]
x[::-1]
x[:, 1]
x[:, :2]
x[:, ::2]
x[:, -2:]
x[:, 5:]
d[0, 1]
d[0, 1, 0]
d[:, 1:]
d[:, :, 1:]
d[:, :, :1]
d[0, :, 1:]
u[:, :, 0]
u[:, :, 1:]
u[..., 0]
x[..., :1]
x[tf.newaxis]
x[:, tf.newaxis]
x[:, :, tf.newaxis]
d[tf.constant(2)]
d[2, -1]
u[0, ...]
x[0, 5]
d[:, 0]
x[:, tf.constant(1):]
d[1:, ::2]
x[2:0:-1]
x[()]
x[...]
x['a']
x[:, :, :]
x[0, :, 0]
tf.logical_and(x > 1, x < 3)
(x > 1) & (x < 3)
(x > 1) | (x < 3)
(x > 1) ^ (x < 3)
~(x > 1)
x % 2
x // 2
x / 2
2 ** x
-x
abs(-x)
x ** 2
1 / f
5 // x[:1]
7 % x
True & (x > 1)
tf.RaggedTensor.from_row_splits([1, 2], [1, 2])
tf.RaggedTensor.from_row_splits([1, 2], [0, 3])
tf.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2])
tf.RaggedTensor.from_row_lengths([1, 2], [1, 2])
tf.RaggedTensor.from_row_lengths([1, 2], [-1, 3])
tf.RaggedTensor.from_value_rowids([1, 2], [1, 0])
tf.RaggedTensor.from_value_rowids([1, 2], [0])
tf.RaggedTensor.from_row_starts([1, 2], [1])
tf.RaggedTensor.from_row_limits([1, 2], [1])
tf.RaggedTensor.from_row_splits([1, 2], [])
tf.RaggedTensor.from_row_splits(3, [0, 1])
tf.RaggedTensor.from_row_splits([1, 2], [0, 3], validate=False).row_splits
tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], nrows=1)
tf.RaggedTensor.from_value_rowids([1, 2], [0, 1], nrows=-1)
tf.RaggedTensor.from_row_splits([1, 2], [[0, 2]])
tf.RaggedTensor.from_row_splits([1, 2], [0.0, 2.0])
tf.RaggedTensor.from_row_starts([], [])
tf.RaggedTensor.from_row_lengths([], [])
u.to_sparse()
d.to_sparse()
d.to_tensor()
u.to_tensor(9)
d.to_tensor(-1)
x.bounding_shape(axis=1)
x.row_lengths(axis=0)
d.row_lengths(axis=2)
d.bounding_shape(axis=[0, 2])
tf.concat([x, y, x], axis=1)
tf.concat([d, d], axis=2)
tf.concat([d, d], axis=-2)
tf.concat([x, [[5, 3]]], axis=0)
tf.stack([x, y], axis=1)
tf.stack([x, y], axis=2)
tf.stack([x, y])
tf.ragged.stack([x, y], axis=1)
tf.ragged.stack([[1, 2], [3]])
tf.ragged.stack([1, 2])
tf.concat([x], axis=0)
tf.ragged.stack([x])
tf.concat([x, [1]], axis=0)
tf.ragged.boolean_mask([[1, 2], [3, 4]], [True, False])
tf.ragged.boolean_mask(d, R([[True, False], [], [False, True, True]]))
tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
tf.ragged.boolean_mask(x, [True, False, True])
tf.ragged.boolean_mask([1, 2, 3], [True, False, True])
tf.ragged.boolean_mask(x, True)
tf.ragged.boolean_mask([[[1, 2], [3, 4]]], [[[True, False], [True, True]]])
tf.ragged.range([3, 5, 2])
tf.ragged.range([0, 5, 8], [3, 3, 12])
tf.ragged.range([0, 5, 8], [3, 3, 12], 2)
tf.ragged.range([0.0, 5.0], [3.0, 3.0], [1.5, -0.5])
tf.ragged.range(3)
tf.ragged.range([5], [3], 0)
tf.ragged.range([1, 2], [3])
tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5)
tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5], out_type=tf.int32)
tf.ragged.row_splits_to_segment_ids([1, 2])
tf.ragged.row_splits_to_segment_ids([0.0])
tf.ragged.map_flat_values(tf.add, x, R([[1, 2], [3]]))
tf.ragged.map_flat_values(tf.ones_like, [1, 2])
tf.ragged.map_flat_values(lambda a, b=None: a + b, x, b=y)
tf.ragged.constant([['a', 3]])
tf.ragged.constant([[1, 2.5]])
tf.ragged.constant([])
tf.ragged.constant([[], []])
tf.ragged.constant([[]], dtype=tf.string)
tf.ragged.constant([[1]], dtype=tf.float64)
tf.ragged.constant(5)
tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,))
tf.ragged.constant([[True]])
tf.ragged.constant(np.array([[1, 2], [3, 4]]))
tf.ragged.constant([[1]], ragged_rank=0)
tf.size(x)
tf.rank(d)
tf.size(d, out_type=tf.int64)
tf.expand_dims(x, -1)
tf.expand_dims(d, -2)
tf.expand_dims(x, 5)
x.ragged_rank
d.nested_row_lengths()
d.nested_value_rowids()
tf.add_n([x, x, y])
tf.clip_by_value(x, 2, 3)
tf.cast(x, tf.float32)
tf.ones_like(x)
tf.maximum(x, 2)
tf.identity(x)
len(x)
tf.gather([[1.0, 2.0], [3.0, 4.0]], R([[0], [1, 0]]))
tf.gather(x, R([[0], [1, 0]]))
tf.gather(x, [[0, 2], [2, 0]])
tf.gather(d, 2)
tf.gather(x, [7])
tf.strings.length(R([['ab']]))
bool(x)
tf.equal(x, x)
""".strip().splitlines()


def plain(value):
    """Nested lists of what Session.run returns, with strings for bytes."""
    if hasattr(value, 'to_list'):
        return plain(value.to_list())
    if hasattr(value, 'dense_shape'):
        return [plain(part) for part in value]
    if hasattr(value, 'tolist'):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.decode('latin-1') if isinstance(value, bytes) else value


def answers(tf, np):
    """Call -> what it gives, each in a graph of its own."""
    return {call: answer(call, tf, np) for call in CALLS}


def answer(call, tf, np):
    with tf.Graph().as_default(), tf.Session() as session:
        ragged = tf.ragged.constant
        x = ragged([[1, 2, 3], [], [4]])
        known = {'tf': tf, 'np': np, 'R': ragged, 'x': x,
                 'y': ragged([[10, 20, 30], [], [40]]),
                 'd': ragged([[[1], [2, 3]], [], [[4, 5, 6], [], [7]]]),
                 'f': tf.cast(x, tf.float32),
                 'u': ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)}
        try:
            made = eval(call, known)
            if isinstance(made, (int, str)):
                return made
            return plain(session.run(made))
        except Exception as error:              # noqa: BLE001 - any
            return type(error).__name__
