"""Reductions along known and unknown axes, and scans."""
from .registry import program, run


@program
def reduce_known_rank(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    fetches = [tf.reduce_sum(m), tf.reduce_mean(m), tf.reduce_max(m), tf.reduce_min(m),
               tf.reduce_prod(m)]
    return [run(fetches)]


@program
def reduce_axis_forms(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    fetches = [tf.reduce_sum(m, 0), tf.reduce_sum(m, axis=1), tf.reduce_sum(m, [0, 1]),
               tf.reduce_mean(m, -1),
               tf.reduce_max(m, axis=(0,)), tf.reduce_sum(m, axis=[]),
               tf.reduce_prod(m, 1, name='products')]
    return [run(fetches)]


@program
def reduce_keepdims_spellings(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    fetches = [tf.reduce_sum(m, keepdims=True), tf.reduce_sum(m, 1, keepdims=True),
               tf.reduce_mean(m, 0, keep_dims=True), tf.reduce_sum(m, reduction_indices=[1]),
               tf.reduce_mean(m, reduction_indices=0)]
    return [run(fetches)]


@program
def reduce_unknown_rank(tf, np):
    x = tf.placeholder(tf.float32)
    fetches = [tf.reduce_sum(x), tf.reduce_mean(x), tf.reduce_max(x, axis=0),
               tf.reduce_sum(x, -1, keepdims=True)]
    return [run(fetches, {x: [[1, 2], [3, 4]]}), run(fetches[:2], {x: 5.0})]


@program
def reduce_partly_known_shape(tf, np):
    x = tf.placeholder(tf.float32, [None, 3])
    fetches = [tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_mean(x, 1),
               tf.reduce_sum(x, [0, 1])]
    return [run(fetches, {x: [[1, 2, 3], [4, 5, 6]]})]


@program
def reduce_empty(tf, np):
    x = tf.placeholder(tf.float32, [None])
    return [run([tf.reduce_sum(x), tf.reduce_prod(x), tf.reduce_max(x), tf.reduce_min(x),
                 tf.reduce_mean(x)],
                {x: []})]


@program
def reduce_integers(tf, np):
    k = tf.constant([[7, -2], [4, 0]])
    fetches = [tf.reduce_sum(k), tf.reduce_mean(k), tf.reduce_mean(k, 0), tf.reduce_prod(k, 1),
               tf.reduce_max(k),
               tf.reduce_min(k, 1)]
    return [run(fetches)]


@program
def reduce_booleans(tf, np):
    p = tf.constant([[True, False], [True, True]])
    fetches = [tf.reduce_all(p), tf.reduce_any(p), tf.reduce_all(p, 0),
               tf.reduce_any(p, axis=1, keepdims=True),
               tf.count_nonzero(p), tf.count_nonzero([[0, 3], [1, 2]], axis=0)]
    return [run(fetches)]


@program
def reduce_logsumexp_and_norms(tf, np):
    m = tf.constant([[1.0, 2.0], [1000.0, 1000.0]])
    fetches = [tf.reduce_logsumexp(m), tf.reduce_logsumexp(m, 1),
               tf.math.reduce_euclidean_norm(m, 1),
               tf.reduce_logsumexp(m, 0, keepdims=True), tf.math.reduce_std(m, 1),
               tf.math.reduce_variance(m, 1)]
    return [run(fetches)]


@program
def reduce_with_tensor_axis(tf, np):
    axis = tf.placeholder(tf.int32, [])
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    total = tf.reduce_sum(m, axis)
    return [run(total, {axis: 0}), run(total, {axis: 1})]


@program
def accuracy_idiom(tf, np):
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.float32, [None, 3])
    correct = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    percent = tf.reduce_mean(tf.to_float(correct)) * 100
    feeds = {logits: [[1, 2, 3], [9, 0, 0], [0, 1, 0]], labels: [[0, 0, 1], [0, 1, 0], [0, 1, 0]]}
    return [run([correct, accuracy, percent], feeds)]


@program
def scans(tf, np):
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    fetches = [tf.cumsum(m), tf.cumsum(m, 1), tf.cumsum(m, axis=1, exclusive=True),
               tf.cumsum(m, reverse=True),
               tf.cumprod(m, 1), tf.cumprod(m, 1, exclusive=True, reverse=True),
               tf.cumsum([1, 2, 3])]
    return [run(fetches)]
