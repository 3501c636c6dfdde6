"""Estimators whose files go between the libraries, with either one as `tf` (Python 3.7)."""
import os

import numpy as np

from tests.golden.estimator import canned_cases as table
from tests.golden.estimator.head_cases import plain

STEPS = 40
# Five of each species from R. A. Fisher, The use of multiple measurements in taxonomic problems,
# Annals of Eugenics 7 (1936), table I.
IRIS = np.array([
    [5.1, 3.5, 1.4, .2], [4.9, 3.0, 1.4, .2], [4.7, 3.2, 1.3, .2], [4.6, 3.1, 1.5, .2],
    [5.0, 3.6, 1.4, .2], [7.0, 3.2, 4.7, 1.4], [6.4, 3.2, 4.5, 1.5], [6.9, 3.1, 4.9, 1.5],
    [5.5, 2.3, 4.0, 1.3], [6.5, 2.8, 4.6, 1.5], [6.3, 3.3, 6.0, 2.5], [5.8, 2.7, 5.1, 1.9],
    [7.1, 3.0, 5.9, 2.1], [6.3, 2.9, 5.6, 1.8], [6.5, 3.0, 5.8, 2.2]], np.float32)
SPECIES = np.repeat(np.arange(3), 5)
MEASURES = ['sepal_length', 'sepal_width', 'petal_length', 'petal_width']
FLOWERS = {name: IRIS[:, i] for i, name in enumerate(MEASURES)}
CHECKPOINTS = ['dnn_iris', 'linear_words', 'combined']
EXPORTS = ['dnn_iris', 'linear_regressor', 'own_model', 'keras']


def columns(tf, name):
    """The feature columns of a model."""
    new, c = tf.feature_column, table.Columns(tf)
    return {'dnn_iris': lambda: [new.numeric_column(key) for key in MEASURES],
            'linear_words': lambda: [c.town, c.town_and_age, c.size],
            'combined': lambda: c.wide + c.deep,
            'linear_regressor': lambda: c.dense}[name]()


def features(name):
    """The features and labels of a model."""
    if name in ('dnn_iris', 'own_model', 'keras'):
        return FLOWERS if name == 'dnn_iris' else {'flower': IRIS}, SPECIES
    used = {'linear_words': ['age', 'town', 'size'], 'linear_regressor': ['x', 'age']}
    keys = used.get(name, ['x', 'age', 'town', 'size'])
    return ({key: table.FEATURES[key] for key in keys},
            table.NUMBERS if name == 'linear_regressor' else table.YES)


def make(tf, name, model_dir, seed=3):
    """An Estimator."""
    new, c = tf.estimator, table.Columns(tf)
    config = tf.estimator.RunConfig(model_dir=model_dir, tf_random_seed=seed)
    if name == 'dnn_iris':
        return new.DNNClassifier([10, 10], columns(tf, name), n_classes=3, config=config)
    if name == 'linear_words':
        return new.LinearClassifier(columns(tf, name), config=config)
    if name == 'combined':
        return new.DNNLinearCombinedClassifier(
            linear_feature_columns=c.wide, dnn_feature_columns=c.deep, dnn_hidden_units=[5, 4],
            config=config)
    if name == 'linear_regressor':
        return new.LinearRegressor(columns(tf, name), config=config)
    if name == 'own_model':
        return new.Estimator(lambda features, labels, mode: own_model(
            tf, features, labels, mode), config=config)
    with tf.Graph().as_default():
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(6, activation='tanh', input_shape=(4,), name='flower'),
            tf.keras.layers.Dense(3, activation='softmax', name='species')])
        model.compile('sgd', 'sparse_categorical_crossentropy')
        return tf.keras.estimator.model_to_estimator(model, config=config)


def own_model(tf, features, labels, mode):
    """A model_fn with outputs of several kinds."""
    hidden = tf.layers.dense(features['flower'], 5, tf.nn.relu, name='hidden')
    logits = tf.layers.dense(hidden, 3, name='logits')
    scores = tf.nn.softmax(logits)
    outputs = {
        'serving_default': tf.estimator.export.PredictOutput({'scores': scores,
                                                              'kind': tf.argmax(logits, 1)}),
        'size': tf.estimator.export.RegressionOutput(tf.reduce_sum(hidden, 1)),
        'sorted': tf.estimator.export.ClassificationOutput(scores=scores)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {'scores': scores}, export_outputs=outputs)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.GradientDescentOptimizer(.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def input_fn(tf, name, train):
    """The table in order, in batches of five; again and again to train."""
    def read():
        inputs, labels = features(name)
        if name == 'keras':
            inputs = {'flower_input': inputs['flower']}
        rows = tf.data.Dataset.from_tensor_slices((inputs, labels))
        return (rows.repeat() if train else rows).batch(5)
    return read


def results(tf, name, estimator):
    """What evaluate and predict say."""
    metrics = estimator.evaluate(input_fn(tf, name, False))
    rows = list(estimator.predict(lambda: input_fn(tf, name, False)().map(lambda x, y: x)))
    return {'metrics': {key: plain(value) for key, value in metrics.items()},
            'predictions': [{key: plain(value) for key, value in row.items()} for row in rows],
            'variables': sorted(estimator.get_variable_names())}


# ---- exports ---------------------------------------------------------------------------------


def receiver(tf, name):
    """A parsing receiver for the classifier of iris, raw ones for the others."""
    if name == 'dnn_iris':
        return tf.estimator.export.build_parsing_serving_input_receiver_fn(
            tf.feature_column.make_parse_example_spec(columns(tf, name)))
    if name == 'linear_regressor':
        shapes = {'x': [None, 3], 'age': [None]}
    else:
        shapes = {'flower_input' if name == 'keras' else 'flower': [None, 4]}

    def receive():
        fed = {key: tf.placeholder(tf.float32, shapes[key], name=key) for key in sorted(shapes)}
        return tf.estimator.export.ServingInputReceiver(
            {k: tf.expand_dims(v, 1) if k == 'age' else v for k, v in fed.items()}, fed)
    return receive


def fed(tf, name):
    """What its receiver is fed: {key: array}."""
    if name == 'linear_regressor':
        return {'x': table.X[:6], 'age': table.AGE[:6]}
    if name != 'dnn_iris':
        return {'flower_input' if name == 'keras' else 'flower': IRIS}
    new = tf.train
    return {'examples': np.array([new.Example(features=new.Features(feature={
        key: new.Feature(float_list=new.FloatList(value=[value]))
        for key, value in zip(MEASURES, row)})).SerializeToString() for row in IRIS], object)}


def export(tf, name, folder):
    """Trains, exports, and returns the directory of the SavedModel."""
    estimator = make(tf, name, os.path.join(folder, 'model_' + name))
    estimator.train(input_fn(tf, name, True), steps=STEPS)
    where = estimator.export_saved_model(os.path.join(folder, 'saved_' + name), receiver(tf, name))
    return where.decode() if isinstance(where, bytes) else where


def signatures(meta_graph):
    """{signature: its method, and its inputs and outputs by key: tensor, dtype, shape}."""
    def told(infos):
        return {key: [info.name, info.dtype, [d.size for d in info.tensor_shape.dim]
                      if not info.tensor_shape.unknown_rank else None]
                for key, info in infos.items()}
    return {name: {'method': s.method_name, 'inputs': told(s.inputs), 'outputs': told(s.outputs)}
            for name, s in meta_graph.signature_def.items()}
