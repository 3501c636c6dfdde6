"""Choosing elements: gather, scatter, where, one_hot, argmax, top_k, unique, segments."""
from .registry import functional, program, run


@program
def gather_forms(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    i = tf.placeholder(tf.int32, [None])
    fetches = [tf.gather(m, [1, 0, 1]), tf.gather(m, [2, 0], axis=1), tf.gather(m, 1),
               tf.gather(m, i),
               tf.gather(m, [[0], [1]]), tf.gather(m, [0], axis=-1, name='left'),
               tf.batch_gather(m, [[0, 2], [1, 1]])]
    return [run(fetches, {i: [1]})]


@program
def gather_nd_forms(tf, np):
    m = tf.constant([[1, 2, 3], [4, 5, 6]])
    rows = tf.range(2)
    pick = tf.stack([rows, [2, 0]], axis=1)
    return [run([tf.gather_nd(m, [[0, 1], [1, 2]]), tf.gather_nd(m, [[1]]), tf.gather_nd(m, [1, 1]),
                 tf.gather_nd(m, pick)])]


@program
def scatter_nd_forms(tf, np):
    fetches = [tf.scatter_nd([[1], [3]], [9.0, 10.0], [5]), tf.scatter_nd([[0], [0]], [1, 2], [2]),
               tf.scatter_nd([[1]], [[1, 2]], [2, 2])]
    return [run(fetches)]


@program
def scatter_variables(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    return [run(v.initializer), run(tf.scatter_update(v, [0, 2], [10.0, 30.0])),
            run(tf.scatter_add(v, [0, 0], [1.0, 1.0])), run(tf.scatter_sub(v, [3], [4.0])),
            run(tf.scatter_mul(v, [1], [5.0])), run(tf.scatter_nd_update(v, [[1]], [7.0])), run(v)]


@program
def scatter_variables_div_max_min(tf, np):
    v = tf.Variable([1.0, -8.0, 3.0, 4.0], name='v')
    n = tf.Variable([[7, -7], [0, 9]], name='n')
    updates = [tf.scatter_div(v, [1, 1], [2.0, -4.0]),
               tf.scatter_max(v, [0, 2, 0], [5.0, 1.0, 2.0]),
               tf.scatter_min(v, [[3], [2]], [[-1.0], [9.0]]), tf.scatter_max(v, [1, 3], 0.5),
               tf.scatter_div(v, [0], 0.0),
               tf.scatter_div(n, [0], [[2, 2]]), tf.scatter_max(n, [1, 1], [[-1, 1], [2, 12]]),
               tf.scatter_min(n, [0, 1], -3)]
    return [run(tf.global_variables_initializer())] + [run(u) for u in updates] + [run([v, n])]


@program
def scatter_nd_variables(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0], name='v')
    m = tf.Variable([[1, 2], [3, 4], [5, 6]], name='m')
    updates = [tf.scatter_nd_add(v, [[3], [0], [3]], [1.0, 10.0, 2.0]),
               tf.scatter_nd_sub(v, [[1], [1]], [0.5, 0.25]),
               tf.scatter_nd_add(m, [[2], [0]], [[1, 2], [3, 4]]),
               tf.scatter_nd_sub(m, [[1, 0], [2, 1]], [7, -7])]
    return [run(tf.global_variables_initializer())] + [run(u) for u in updates] + [run([v, m])]


@program
def where_forms(tf, np):
    p = tf.constant([True, False, True])
    a = tf.constant([1.0, 2.0, 3.0])
    m = tf.constant([[1, 2], [3, 4], [5, 6]])
    fetches = [tf.where(p, a, -a), tf.where(p), tf.where(p, m, 0 * m), tf.where(m > 2),
               tf.where(m > 2, m, tf.zeros_like(m))]
    return [run(fetches)]


@program
def one_hot_forms(tf, np):
    y = tf.placeholder(tf.int64, [None])
    fetches = [tf.one_hot([0, 2, 1], 3), tf.one_hot(y, depth=4),
               tf.one_hot([1, -1, 5], 3, 5.0, -5.0),
               tf.one_hot([0, 1], 2, axis=0), tf.one_hot([[1], [0]], 2, dtype=tf.int32),
               tf.one_hot([1], 2, on_value=True, off_value=False)]
    return [run(fetches, {y: [3, 0]})]


@program
def argmax_forms(tf, np):
    m = tf.constant([[3.0, 1.0, 3.0], [0.0, 9.0, 2.0]])
    x = tf.placeholder(tf.float32, [None, 3])
    fetches = [tf.argmax(m, 1), tf.argmax(m, axis=0), tf.argmin(m, 1), tf.argmax(m),
               tf.argmax(m, -1, output_type=tf.int32), tf.argmax(x, 1), tf.arg_max(m, 1)]
    return [run(fetches, {x: [[1, 2, 0]]})]


@program
def top_k_forms(tf, np):
    m = tf.constant([[3.0, 1.0, 3.0, 2.0], [0.0, 9.0, 2.0, 9.0]])
    values, indices = tf.nn.top_k(m, k=2)
    top = tf.nn.top_k(m[0])
    return [run([values, indices, top.values, top.indices,
                 tf.nn.in_top_k(m, [2, 0], 1), tf.nn.in_top_k(m, [3, 3], 2)])]


@program
def sort_forms(tf, np):
    a = tf.constant([3.0, 1.0, 2.0])
    return [run([tf.sort(a), tf.sort(a, direction='DESCENDING'), tf.argsort(a),
                 tf.invert_permutation([2, 0, 1])])]


@program
def unique_forms(tf, np):
    x = tf.constant([4, 4, 1, 2, 1])
    y, idx = tf.unique(x)
    y2, idx2, count = tf.unique_with_counts(x)
    d = tf.setdiff1d([1, 2, 3, 4], [2, 4])
    return [run([y, idx, y2, idx2, count, d.out, d.idx, tf.bincount([1, 1, 3])])]


@program
def segment_sums(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    fetches = [tf.segment_sum(x, [0, 0, 1]), tf.segment_mean(x, [0, 0, 2]),
               tf.segment_max(x, [0, 1, 1]),
               tf.unsorted_segment_sum(x, [2, 0, 2], 3),
               tf.unsorted_segment_max(x, [1, 0, 1], num_segments=2)]
    return [run(fetches)]


@program
def dynamic_partition_and_stitch(tf, np):
    x = tf.constant([10, 20, 30, 40])
    parts = tf.dynamic_partition(x, [1, 0, 1, 0], 2)
    whole = tf.dynamic_stitch([[1, 3], [0, 2]], parts)
    return [run([parts, whole])]


@functional
def confusion_matrix(tf, np):
    return [run([tf.confusion_matrix([0, 1, 2, 1], [0, 2, 2, 1]),
                 tf.confusion_matrix([1], [0], num_classes=3)])]
