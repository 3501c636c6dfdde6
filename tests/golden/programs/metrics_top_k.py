"""tf.metrics at the k best predictions, and tf.sets, which they are made of."""
from .registry import functional, program, run

BATCH = [[.1, .5, .3, .2], [.4, .2, .1, .3]]


def _program(name, title=None, **settings):
    def build(tf, np):
        labels = tf.placeholder(tf.int64, [None, 2], name='labels')
        single = tf.placeholder(tf.int64, [None], name='single')
        logits = tf.placeholder(tf.float32, [None, 4], name='logits')
        metric = getattr(tf.metrics, name)
        made = [metric(labels, logits, 2, **settings),
                metric(single, logits, 1, name='named', metrics_collections=['mc'],
                       updates_collections=['uc'], **settings),
                metric(labels, logits, 3, weights=2., **settings)]
        values, updates = zip(*made)
        return [run(tf.local_variables_initializer()),
                run(updates, {labels: [[0, 1], [3, 5]], single: [1, 2], logits: BATCH}),
                run(updates, {labels: [[0, 1], [3, 1]], single: [0, 0], logits: BATCH}),
                run(values)]
    build.__name__ = 'metrics_' + (title or name)
    build.__module__ = __name__
    return functional(build)


_program('precision_at_k')
_program('recall_at_k')
_program('precision_at_k', 'precision_at_k_of_a_class', class_id=1)
_program('recall_at_k', 'recall_at_k_of_a_class', class_id=3)
_program('sparse_precision_at_k')
_program('average_precision_at_k')
_program('sparse_average_precision_at_k')


@functional
def metrics_at_k_with_a_weight_for_each_row(tf, np):
    labels = tf.placeholder(tf.int64, [None], name='labels')
    logits = tf.placeholder(tf.float32, [None, 4], name='logits')
    made = [f(labels, logits, 1, weights=[.5, 1.]) for f in
            (tf.metrics.precision_at_k, tf.metrics.recall_at_k,
             tf.metrics.average_precision_at_k)]
    return [run(tf.local_variables_initializer()),
            run([update for _, update in made], {labels: [1, 2], logits: BATCH})]


@program
def metrics_of_predicted_classes(tf, np):
    labels = tf.placeholder(tf.int64, [None, 2], name='labels')
    best = tf.placeholder(tf.int32, [None, 2], name='best')
    a = tf.metrics.precision_at_top_k(labels, best)
    b = tf.metrics.recall_at_top_k(labels, best, k=2, class_id=1)
    return [run(tf.local_variables_initializer()),
            run([a[1], b[1]], {labels: [[0, 1], [3, 5]], best: [[1, 2], [1, 0]]})]


@program
def set_operations(tf, np):
    a, b = tf.placeholder(tf.int32, [2, 3]), tf.placeholder(tf.int32, [2, 2])
    s = tf.SparseTensor([[0, 0], [0, 2], [1, 0]], [1, 2, 3], [2, 4])
    found = [tf.sets.set_intersection(a, b), tf.sets.union(a, b), tf.sets.difference(a, b),
             tf.sets.set_difference(a, b, aminusb=False), tf.sets.set_union(a, s),
             tf.sets.difference(s, a), tf.sets.intersection(s, s)]
    parts = [[f.indices, f.values, f.dense_shape] for f in found]
    return [run([parts, tf.sets.size(s)], {a: [[1, 2, 2], [3, 4, 5]], b: [[2, 9], [7, 7]]})]


@program
def where_with_broadcasting(tf, np):
    x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3])
    z = tf.where_v2(x > y, x, y)
    return [run([z, tf.where_v2([True, False, True], x, 0.), tf.where_v2(x > y),
                 tf.gradients(z * z, [x, y])], {x: [[1, 2, 3], [4, 5, 6.]], y: [2, 2, 7]})]
