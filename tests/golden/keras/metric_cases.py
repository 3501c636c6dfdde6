"""Metrics and losses to be compared with TF 1.15's. Python 3.7, too."""
import numpy as np


def cases(M):
    rng = np.random.RandomState(1)
    p = rng.uniform(0.02, 0.98, (8, 4)).astype('float32')
    soft = (p / p.sum(-1, keepdims=True)).astype('float32')
    hot = np.eye(4, dtype='float32')[rng.randint(0, 4, 8)]
    labels = rng.randint(0, 4, (8, 1)).astype('float32')
    bits = rng.randint(0, 2, (8, 4)).astype('float32')
    numbers = rng.uniform(-1, 1, (8, 4)).astype('float32')
    classes = rng.randint(0, 3, 8).astype('float32')
    found = []
    for name in ('MeanAbsoluteError MeanSquaredError MeanAbsolutePercentageError '
                 'MeanSquaredLogarithmicError RootMeanSquaredError LogCoshError Poisson Hinge '
                 'SquaredHinge CategoricalHinge CosineSimilarity').split():
        found.append((name, getattr(M, name), p, numbers))
    for name in 'KLDivergence CategoricalCrossentropy CategoricalAccuracy'.split():
        found.append((name, getattr(M, name), hot, soft))
    for name in 'SparseCategoricalCrossentropy SparseCategoricalAccuracy'.split():
        found.append((name, getattr(M, name), labels, soft))
    for name in ('BinaryCrossentropy BinaryAccuracy TruePositives FalsePositives TrueNegatives '
                 'FalseNegatives Precision Recall AUC').split():
        found.append((name, getattr(M, name), bits, p))
    found += [
        ('Accuracy', M.Accuracy, classes, np.roll(classes, 1)),
        ('binary_0.7', lambda: M.BinaryAccuracy(threshold=0.7), bits, p),
        ('top_k', lambda: M.TopKCategoricalAccuracy(2), hot, soft),
        ('sparse_top_k', lambda: M.SparseTopKCategoricalAccuracy(2), labels, soft),
        ('thresholds', lambda: M.TruePositives([0.2, 0.5, 0.8]), bits, p),
        ('precision_thresholds', lambda: M.Precision([0.2, 0.8]), bits, p),
        ('precision_top', lambda: M.Precision(top_k=2), bits, p),
        ('recall_class', lambda: M.Recall(class_id=1), bits, p),
        ('recall_top_class', lambda: M.Recall(top_k=2, class_id=2), bits, p),
        ('auc_pr', lambda: M.AUC(curve='PR'), bits, p),
        ('auc_minoring', lambda: M.AUC(20, summation_method='minoring'), bits, p),
        ('auc_majoring', lambda: M.AUC(20, curve='PR', summation_method='majoring'), bits, p),
        ('auc_thresholds', lambda: M.AUC(thresholds=[0.3, 0.6]), bits, p),
        ('sensitivity', lambda: M.SensitivityAtSpecificity(0.5), bits, p),
        ('specificity', lambda: M.SpecificityAtSensitivity(0.5), bits, p),
        ('iou', lambda: M.MeanIoU(3), classes, np.roll(classes, 2)),
        ('relative', lambda: M.MeanRelativeError(np.linspace(0.5, 2, 8).astype('float32')), p[:, 0], numbers[:, 0]),
        ('smoothed', lambda: M.CategoricalCrossentropy(label_smoothing=0.1), hot, soft),
        ('logits', lambda: M.BinaryCrossentropy(from_logits=True), bits, numbers),
    ]
    return found


def run(tf):
    """{name: [result after one batch, after a second with weights, after a reset], config}."""
    keras = tf.keras
    found = {}
    for name, make, y_true, y_pred in cases(keras.metrics):
        keras.backend.clear_session()
        with tf.Graph().as_default():
            metric = make()
            true, predicted = tf.constant(y_true), tf.constant(y_pred)
            first = metric(true, predicted)
            weights = tf.constant(np.linspace(0.5, 1.5, 8).astype('float32'))
            second = metric(predicted if name in ('iou', 'Accuracy') else true, predicted,
                            sample_weight=None if 'class' in name else weights)
            session = keras.backend.get_session()
            session.run([v.initializer for v in metric.variables])
            values = [session.run(first).tolist(), session.run(second).tolist()]
            metric.reset_states()
            values.append(session.run(first).tolist())
            config = metric.get_config()
            config.pop('normalizer', None)
            found[name] = {'values': values, 'config': config, 'name': metric.name,
                           'weights': [v.name for v in metric.variables]}
    return found
