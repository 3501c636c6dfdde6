"""Cross entropies and the losses tutorials write by hand."""
from .registry import program, run


@program
def softmax_cross_entropy_v2(tf, np):
    logits = tf.placeholder(tf.float32, [None, 3], name='logits')
    labels = tf.placeholder(tf.float32, [None, 3], name='labels')
    each = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    loss = tf.reduce_mean(each)
    feeds = {logits: [[1, 2, 3], [100, 0, -100]], labels: [[0, 0, 1], [0.2, 0.3, 0.5]]}
    return [run([each, loss, tf.gradients(loss, [logits, labels])], feeds)]


@program
def softmax_cross_entropy_deprecated(tf, np):
    logits = tf.constant([[1.0, 2.0, 3.0]])
    labels = tf.constant([[0.0, 1.0, 0.0]])
    each = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return [run([each, tf.gradients(each, logits)])]


@program
def softmax_cross_entropy_static(tf, np):
    logits = tf.constant([[1.0, 2.0], [3.0, 1.0]])
    each = tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1.0, 0.0], [0.0, 1.0]],
                                                      logits=logits, name='xent')
    other = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.eye(2), logits=logits, axis=0)
    return [run([each, other])]


@program
def sparse_softmax_cross_entropy(tf, np):
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int64, [None])
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(each)
    return [run([each, loss, tf.gradients(loss, logits)],
                {logits: [[1, 2, 3], [5, 0, 0]], labels: [2, 1]})]


@program
def sparse_softmax_cross_entropy_of_sequences(tf, np):
    logits = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3) % 5)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 1], [2, 0]], logits=logits,
                                                          name='seq')
    return [run(each)]


@program
def sigmoid_cross_entropy(tf, np):
    x = tf.constant([-50.0, -1.0, 0.0, 2.0, 50.0])
    z = tf.constant([0.0, 1.0, 0.5, 0.0, 0.0])
    each = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
    weighted = tf.nn.weighted_cross_entropy_with_logits(targets=z, logits=x, pos_weight=3.0)
    return [run([each, weighted, tf.gradients(each, [x, z])])]


@program
def cross_entropy_by_hand(tf, np):
    y = tf.nn.softmax(tf.placeholder_with_default(tf.constant([[1.0, 2.0, 0.0]]), [None, 3]))
    t = tf.constant([[0.0, 1.0, 0.0]])
    a = -tf.reduce_sum(t * tf.log(y))
    b = tf.reduce_mean(-tf.reduce_sum(t * tf.log(tf.clip_by_value(y, 1e-10, 1.0)),
                                      reduction_indices=[1]))
    return [run([a, b])]


@program
def mean_squared_error_by_hand(tf, np):
    y = tf.placeholder(tf.float32, [None, 1])
    t = tf.placeholder(tf.float32, [None, 1])
    a = tf.reduce_mean(tf.square(y - t))
    b = tf.reduce_sum(tf.pow(y - t, 2)) / (2 * 3)
    c = tf.sqrt(tf.reduce_mean(tf.squared_difference(y, t)))
    return [run([a, b, c], {y: [[1], [2], [4]], t: [[1], [0], [1]]})]


@program
def losses_module(tf, np):
    y = tf.constant([[1.0], [2.0], [4.0]])
    t = tf.constant([[1.0], [0.0], [1.0]])
    a = tf.losses.mean_squared_error(t, y)
    b = tf.losses.absolute_difference(t, y)
    c = tf.losses.sparse_softmax_cross_entropy(labels=[1], logits=[[1.0, 2.0]])
    return [run([a, b, c, tf.losses.get_total_loss()])]


@program
def l2_regularized_loss(tf, np):
    w = tf.Variable([[1.0], [2.0]], name='w')
    x = tf.constant([[1.0, 1.0]])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0)) + 0.5 * tf.nn.l2_loss(w)
    return [run(tf.global_variables_initializer()), run([loss, tf.gradients(loss, w)])]


@program
def losses_of_partly_known_shapes(tf, np):
    """Neither labels nor logits learn a shape from the other."""
    known = tf.constant([[1.0, 0.0], [0.5, 1.0]])
    unknown = tf.placeholder(tf.float32, name='unknown')
    rows = tf.placeholder(tf.float32, [None, 2], name='rows')
    fetches = [tf.nn.sigmoid_cross_entropy_with_logits(labels=known, logits=unknown),
               tf.nn.sigmoid_cross_entropy_with_logits(labels=known, logits=rows),
               tf.nn.weighted_cross_entropy_with_logits(known, unknown, 2.0),
               tf.nn.log_poisson_loss(rows, known, compute_full_loss=True), tf.identity(unknown)]
    return [run(fetches, {unknown: [[1, -2], [0, 3]], rows: [[0.5, 2], [3, 1]]})]
