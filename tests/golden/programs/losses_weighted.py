"""tf.losses: each loss with its weights, reductions and collections."""
from .registry import functional, program, run

LABELS, PREDICTIONS = [[0, 1, 0], [1, 0, 1.]], [[.2, .5, .7], [.4, .3, .1]]


def _pair(tf):
    return (tf.placeholder(tf.float32, [None, 3], name='labels'),
            tf.placeholder(tf.float32, [None, 3], name='predictions'))


def _forms(name, rows_have_one_loss=False):
    def build(tf, np):
        labels, predictions = _pair(tf)
        loss = getattr(tf.losses, name)
        a = loss(labels, predictions)
        with tf.name_scope('inner'):
            b = loss(labels, predictions, weights=0.5, scope='mine')
        c = loss(tf.cast(labels, tf.int32), predictions, weights=tf.constant(2.))
        weights = [1., 0.] if rows_have_one_loss else [[1.], [0.]]
        d = loss(tf.ones([2, 3]), tf.zeros([2, 3]) + .3, weights=weights)
        return [run([a, b, c, d, tf.losses.get_total_loss(), tf.losses.get_losses()],
                    {labels: LABELS, predictions: PREDICTIONS})]
    build.__name__ = 'losses_' + name
    build.__module__ = __name__
    return program(build)


for _name in ('absolute_difference mean_squared_error huber_loss log_loss hinge_loss '
              'sigmoid_cross_entropy').split():
    _forms(_name)
_forms('softmax_cross_entropy', rows_have_one_loss=True)


@program
def losses_cosine_distance(tf, np):
    labels, predictions = _pair(tf)
    a = tf.losses.cosine_distance(labels, predictions, axis=1)
    b = tf.losses.cosine_distance(labels, predictions, dim=1, weights=2.)
    return [run([a, b], {labels: LABELS, predictions: PREDICTIONS})]


@program
def losses_mean_pairwise_squared_error(tf, np):
    labels, predictions = _pair(tf)
    a = tf.losses.mean_pairwise_squared_error(labels, predictions)
    b = tf.losses.mean_pairwise_squared_error(
        tf.ones([2, 3]), tf.constant([[1, 2, 3.], [3, 2, 2]]), weights=[[1.], [0.]])
    return [run([a, b], {labels: LABELS, predictions: PREDICTIONS})]


@program
def losses_sparse_softmax_cross_entropy(tf, np):
    labels = tf.placeholder(tf.int32, [None], name='labels')
    column = tf.placeholder(tf.int64, [None, 1], name='column')
    logits = tf.placeholder(tf.float32, [None, 3], name='logits')
    a = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    b = tf.losses.sparse_softmax_cross_entropy(labels=column, logits=logits, weights=2.)
    c = tf.losses.sparse_softmax_cross_entropy([1, 0], tf.ones([2, 3]), weights=[[.5], [0.]])
    return [run([a, b, c], {labels: [1, 2], column: [[0], [2]], logits: PREDICTIONS})]


@program
def losses_label_smoothing(tf, np):
    labels, logits = _pair(tf)
    a = tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=.1)
    b = tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=.1)
    return [run([a, b], {labels: LABELS, logits: PREDICTIONS})]


@program
def losses_reductions(tf, np):
    weights = tf.constant([[.5], [0.]])
    reduced = [tf.losses.mean_squared_error(
        tf.ones([2, 3]), tf.zeros([2, 3]) + .3, 1. if how == 'none' else weights, reduction=how,
        loss_collection=None) for how in tf.losses.Reduction.all()]
    return [run(reduced)]


@functional
def losses_weights_checked_at_run_time(tf, np):
    labels, predictions = _pair(tf)
    column = tf.placeholder(tf.float32, [None, 1], name='column')
    anything = tf.placeholder(tf.float32, name='anything')
    classes, vector = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
    a = tf.losses.mean_squared_error(labels, predictions, column)
    b = tf.losses.absolute_difference(labels, predictions, anything)
    c = tf.losses.sparse_softmax_cross_entropy(classes, predictions, vector)
    feeds = {labels: LABELS, predictions: PREDICTIONS, column: [[1.], [2.]], anything: 3.,
             classes: [1, 2], vector: [1, 0]}
    return [run([a, b, c], feeds),
            run(b, {labels: LABELS, predictions: PREDICTIONS, anything: [[1, 2, 3.]]})]


@program
def losses_of_regularizers(tf, np):
    none = tf.losses.get_regularization_loss()
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.layers.dense(x, 2, kernel_regularizer=lambda w: 3. * tf.reduce_sum(w),
                        kernel_initializer=tf.ones_initializer())
    one = tf.losses.get_regularization_loss()
    listed = tf.losses.get_regularization_losses('dense')
    tf.losses.add_loss(tf.reduce_sum(y))
    total = tf.losses.get_total_loss()
    own = tf.losses.get_total_loss(False, 'own')
    return [run(tf.global_variables_initializer()),
            run([none, one, listed, total, own], {x: np.ones([2, 3])})]
