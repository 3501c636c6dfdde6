"""Heads on plain graphs, with either library as `tf` (Python 3.7 compatible)."""
import numpy as np

from tests.golden.encoding import short

ROWS = 6
rng = np.random.RandomState(3)
ONE = rng.normal(size=(ROWS, 1)).astype('float32')
THREE = rng.normal(size=(ROWS, 3)).astype('float32')
FIVE = rng.normal(size=(ROWS, 5)).astype('float32')
WEIGHTS = np.array([1., 2., .5, 1., 0., 3.], 'float32')
YES = np.array([0, 1, 1, 0, 1, 0])
IDS = np.array([0, 1, 2, 2, 1, 0])
NUMBERS = np.array([.5, -1., 2., 0., 1.5, .3], 'float32')
COUNTS = np.array([0., 1., 3., 2., 5., 1.], 'float32')
MANY = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]])
NAMES = ['no', 'yes']
COLOURS = ['red', 'green', 'blue']


def _named(names, ids):
    return np.array([names[i] for i in ids], dtype=object)


def _half_squared(labels, logits):
    return 0.5 * (labels - logits) ** 2


# name: (the head, logits, labels, features)
def contrib_cases(tf):
    new = tf.contrib.estimator
    sums = tf.losses.Reduction.SUM
    return {
        'binary': (new.binary_classification_head(), ONE, YES, {}),
        'binary_sum_weighted': (new.binary_classification_head(
            weight_column='w', loss_reduction=sums), ONE, YES, {'w': WEIGHTS}),
        'binary_vocabulary_thresholds': (new.binary_classification_head(
            label_vocabulary=NAMES, thresholds=[.3, .6], name='said'), ONE, _named(NAMES, YES),
            {}),
        'multi_class': (new.multi_class_head(3), THREE, IDS, {}),
        'multi_class_sum_vocabulary': (new.multi_class_head(
            3, label_vocabulary=COLOURS, loss_reduction=sums, weight_column='w'), THREE,
            _named(COLOURS, IDS), {'w': WEIGHTS}),
        'regression': (new.regression_head(), ONE, NUMBERS, {}),
        'regression_weights_per_logit': (new.regression_head(
            weight_column='w', label_dimension=3, loss_reduction=sums), THREE, THREE[::-1].copy(),
            {'w': np.abs(THREE)}),
        'regression_loss_fn': (new.regression_head(loss_fn=_half_squared), ONE, NUMBERS, {}),
        'poisson': (new.poisson_regression_head(), ONE, COUNTS, {}),
        'logistic_regression': (new.logistic_regression_head(name='p'), ONE,
                                YES.astype('float32'), {}),
        'multi_label': (new.multi_label_head(3, thresholds=[.5]), THREE, MANY, {}),
        'multi_label_classes': (new.multi_label_head(
            3, label_vocabulary=COLOURS, classes_for_class_based_metrics=['green'],
            weight_column='w'), THREE, MANY, {'w': WEIGHTS}),
        'multi_head': (new.multi_head([
            new.regression_head(name='size', label_dimension=2),
            new.multi_class_head(3, name='colour')], head_weights=[1., .5]), FIVE,
            {'size': THREE[:, :2].copy(), 'colour': IDS}, {}),
    }


def public_cases(tf):
    new = tf.estimator
    return {
        'BinaryClassHead': (new.BinaryClassHead(thresholds=[.4]), ONE, YES, {}),
        'BinaryClassHead_weighted': (new.BinaryClassHead(weight_column='w', name='said'), ONE, YES,
                                     {'w': WEIGHTS}),
        'MultiClassHead': (new.MultiClassHead(3, label_vocabulary=COLOURS), THREE,
                           _named(COLOURS, IDS), {}),
        'MultiClassHead_sum': (new.MultiClassHead(3, loss_reduction='sum', weight_column='w'),
                               THREE, IDS, {'w': WEIGHTS}),
        'RegressionHead': (new.RegressionHead(label_dimension=3), THREE, THREE[::-1].copy(), {}),
        'PoissonRegressionHead': (new.PoissonRegressionHead(), ONE, COUNTS, {}),
        'LogisticRegressionHead': (new.LogisticRegressionHead(), ONE, YES.astype('float32'), {}),
        'MultiLabelHead': (new.MultiLabelHead(3, classes_for_class_based_metrics=[1],
                                              thresholds=[.5]), THREE, MANY, {}),
        'MultiHead': (new.MultiHead([
            new.RegressionHead(name='size', label_dimension=2),
            new.MultiClassHead(3, name='colour')], head_weights=[1., .5]), FIVE,
            {'size': THREE[:, :2].copy(), 'colour': IDS}, {}),
    }


def run(tf, case, public=False):
    """{mode: what the head makes and gives}."""
    return {mode: _run(tf, case, mode, public) for mode in ('train', 'eval', 'infer')}


def _run(tf, case, mode, public):
    head, logits, labels, features = case
    with tf.Graph().as_default() as graph:
        step = tf.train.create_global_step()
        scale = tf.get_variable('scale', initializer=1.)
        feeds = {}
        fed = _fed(tf, 'logits_in', logits, feeds) * scale
        inputs = {key: _fed(tf, key, value, feeds) for key, value in features.items()}
        wanted = None if mode == 'infer' else \
            {key: _fed(tf, 'labels_' + key, value, feeds) for key, value in labels.items()} \
            if isinstance(labels, dict) else _fed(tf, 'labels_in', labels, feeds)
        settings = {'features': inputs, 'mode': mode, 'logits': fed, 'labels': wanted}
        if mode == 'train' and public:
            settings.update(trainable_variables=[scale],
                            train_op_fn=lambda loss: tf.assign_add(step, 1))
        elif mode == 'train':
            settings.update(optimizer=tf.train.GradientDescentOptimizer(.1))
        spec = head.create_estimator_spec(**settings)
        found = {'nodes': [[op.name, op.type] for op in graph.get_operations()
                           if '/gradients/' not in '/' + op.name]}
        inits = [tf.global_variables_initializer(), tf.local_variables_initializer(),
                 tf.tables_initializer()]
        with tf.Session() as session:
            session.run(inits)
            found.update(_values(tf, session, spec, mode, feeds))
    return found


def _fed(tf, name, value, feeds):
    shape = [None] + list(value.shape[1:])
    dtype = tf.string if value.dtype == object else value.dtype
    tensor = tf.placeholder(dtype, shape, name=name)
    feeds[tensor] = value
    return tensor


def _values(tf, session, spec, mode, feeds):
    if mode == 'train':
        losses = [plain(session.run([spec.loss, spec.train_op], feeds)[0]) for _ in range(3)]
        texts = session.run(tf.get_collection(tf.GraphKeys.SUMMARIES), feeds)
        return {'losses': losses, 'summaries': len(texts)}
    if mode == 'infer':
        outputs = {key: type(output).__name__ for key, output in spec.export_outputs.items()}
        return {'predictions': {_key(key): plain(value) for key, value
                                in session.run(spec.predictions, feeds).items()},
                'outputs': outputs}
    metrics = spec.eval_metric_ops
    for _ in range(2):
        loss = session.run([spec.loss, [update for _, update in metrics.values()]], feeds)[0]
    values = session.run({key: value for key, (value, _) in metrics.items()})
    return {'loss': plain(loss), 'metrics': {key: plain(value) for key, value in values.items()}}


def _key(key):
    return '|'.join(key) if isinstance(key, tuple) else key


def plain(value):
    """Arrays as lists, bytes as text: what JSON holds."""
    value = np.asarray(value)
    if value.dtype == object:
        value = np.array([item.decode() for item in value.ravel()]).reshape(value.shape)
    return short(value)
