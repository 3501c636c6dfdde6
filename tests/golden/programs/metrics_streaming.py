"""tf.metrics: local Variables, update ops and values over two batches."""
from .registry import functional, program, run

LABELS = [[0, 1, 0], [1, 0, 1.]]
FIRST, SECOND = [[.2, .5, .7], [.4, .3, .1]], [[.9, .5, .2], [0, 1., .1]]


def _pair(tf):
    return (tf.placeholder(tf.float32, [None, 3], name='labels'),
            tf.placeholder(tf.float32, [None, 3], name='predictions'))


def _program(name, *extra, **settings):
    """A golden program of one metric in three forms: plain, weighted and named, in a scope."""
    title = settings.pop('title', name)

    def build(tf, np):
        labels, predictions = _pair(tf)
        metric = getattr(tf.metrics, name)
        weights = tf.constant([[1.], [.5]]) * tf.ones([2, 3])
        made = [metric(labels, predictions, *extra, **settings),
                metric(labels, predictions, *extra, weights=weights, metrics_collections=['mc'],
                       updates_collections=['uc', 'ud'], name='mine', **settings)]
        with tf.variable_scope('scope'):
            made.append(metric(labels, predictions, *extra, weights=2., **settings))
        values, updates = zip(*made)
        return [run(tf.local_variables_initializer()),
                run(updates, {labels: LABELS, predictions: FIRST}),
                run(updates, {labels: LABELS, predictions: SECOND}),
                run([values, tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)])]
    build.__name__ = 'metrics_' + title
    build.__module__ = __name__
    return functional(build)


for _name in ('mean_squared_error mean_absolute_error root_mean_squared_error accuracy '
              'true_positives true_negatives false_positives false_negatives precision '
              'recall').split():
    _program(_name)
for _name in ('true_positives true_negatives false_positives false_negatives precision '
              'recall').split():
    _program(_name + '_at_thresholds', [.25, .5])
_program('auc')
_program('auc', title='auc_careful', curve='PR', num_thresholds=7,
         summation_method='careful_interpolation')
_program('auc', title='auc_minoring', curve='PR', summation_method='minoring',
         thresholds=[.5, .25])
_program('auc', title='auc_majoring', curve='PR', summation_method='majoring',
         num_thresholds=5)
_program('sensitivity_at_specificity', .5, num_thresholds=11)
_program('specificity_at_sensitivity', .5, num_thresholds=11)


@program
def metrics_means(tf, np):
    v = tf.placeholder(tf.float32, [None, 3], name='v')
    made = [tf.metrics.mean(v), tf.metrics.mean_tensor(tf.reduce_sum(v, 0)),
            tf.metrics.mean_tensor(tf.constant([1, 2]), [0., 1]),
            tf.metrics.percentage_below(v, .4), tf.metrics.mean(5.)]
    values, updates = zip(*made)
    return [run(tf.local_variables_initializer()), run(updates, {v: FIRST}),
            run(updates, {v: SECOND}), run(values)]


@functional
def metrics_mean_with_weights_checked_at_run_time(tf, np):
    v, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.mean(v, w, name='named')
    return [run(tf.local_variables_initializer()), run(update, {v: FIRST, w: [1., 3]}),
            run(value)]


@program
def metrics_mean_relative_error(tf, np):
    labels, predictions = _pair(tf)
    a = tf.metrics.mean_relative_error(labels, predictions, labels)
    b = tf.metrics.mean_relative_error(labels, predictions, tf.ones([2, 3]),
                                       weights=tf.ones([2, 3]))
    return [run(tf.local_variables_initializer()),
            run([a[1], b[1]], {labels: LABELS, predictions: FIRST})]


@program
def metrics_mean_cosine_distance(tf, np):
    labels, predictions = _pair(tf)
    a = tf.metrics.mean_cosine_distance(labels, predictions, 1, metrics_collections=['mc'])
    b = tf.metrics.mean_cosine_distance(labels, predictions, dim=1, name='mine',
                                        updates_collections=['uc'])
    return [run(tf.local_variables_initializer()),
            run([a[1], b[1]], {labels: LABELS, predictions: FIRST}), run([a[0], b[0]])]


@program
def metrics_accuracy_of_classes(tf, np):
    labels = tf.placeholder(tf.int64, [None], name='labels')
    column = tf.placeholder(tf.int32, [None, 1], name='column')
    logits = tf.placeholder(tf.float32, [None, 3], name='logits')
    a = tf.metrics.accuracy(labels=labels, predictions=tf.argmax(logits, 1))
    b = tf.metrics.accuracy(tf.argmax(logits, 1), column)
    feeds = {labels: [2, 0], logits: FIRST, column: [[2], [1]]}
    return [run(tf.local_variables_initializer()), run([a[1], b[1]], feeds),
            run([a[0], b[0]])]


@program
def metrics_mean_per_class_accuracy(tf, np):
    labels = tf.placeholder(tf.int64, [None], name='labels')
    classes = tf.placeholder(tf.int64, [None], name='classes')
    a = tf.metrics.mean_per_class_accuracy(labels, classes, 3)
    b = tf.metrics.mean_per_class_accuracy(labels, tf.cast(classes, tf.int32), 3,
                                           weights=tf.constant([1, .5, 2, 1.]))
    feeds = {labels: [0, 1, 2, 1], classes: [0, 1, 1, 1]}
    return [run(tf.local_variables_initializer()), run([a[1], b[1]], feeds),
            run([a[0], b[0]])]


@functional
def metrics_mean_iou(tf, np):
    labels = tf.placeholder(tf.int64, [None, 2], name='labels')
    classes = tf.placeholder(tf.int32, [None, 2], name='classes')
    a = tf.metrics.mean_iou(labels, classes, 3)
    b = tf.metrics.mean_iou(labels, classes, 3, weights=tf.constant([[1, .5], [2, 1.]]))
    feeds = {labels: [[0, 1], [2, 1]], classes: [[0, 1], [1, 1]]}
    return [run(tf.local_variables_initializer()), run([a[1], b[1]], feeds),
            run([a[0], b[0]])]


@functional
def confusion_matrix_checked(tf, np):
    labels = tf.placeholder(tf.int64, [None], name='labels')
    classes = tf.placeholder(tf.int32, [None], name='classes')
    matrices = [tf.confusion_matrix(labels, classes),
                tf.confusion_matrix(labels, classes, 4, weights=tf.constant([.5, 1, 2]),
                                    dtype=tf.float32),
                tf.confusion_matrix([1, 0], [0, 0], num_classes=3),
                tf.confusion_matrix(tf.expand_dims(labels, 1), classes)]
    return [run(matrices, {labels: [0, 1, 2], classes: [0, 2, 2]})]
