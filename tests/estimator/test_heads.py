"""Heads: nodes and values equal TF 1.15, errors."""

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.compare import functional_names
from tests.golden.estimator import head_cases

RECORDED = read_recorded('estimator.heads')
CONTRIB = list(head_cases.contrib_cases(tf))
PUBLIC = list(head_cases.public_cases(tf))
heads = tf.contrib.estimator


def _check(found, wanted, what):
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), what
        for key in wanted:
            _check(found[key], wanted[key], f'{what} {key}')
    elif isinstance(np.ravel(wanted)[0], str):
        np.testing.assert_array_equal(found, wanted, err_msg=what)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)


@pytest.mark.slow
@pytest.mark.parametrize('name', CONTRIB + PUBLIC)
def test_nodes_and_values_equal_tensorflow(name):
    public = name in PUBLIC
    cases = head_cases.public_cases(tf) if public else head_cases.contrib_cases(tf)
    with functional_names():
        found = head_cases.run(tf, cases[name], public)
    for mode, wanted in RECORDED[name].items():
        wanted, given = dict(wanted), dict(found[mode])
        nodes = given.pop('nodes')
        if 'nodes' in wanted:
            assert nodes == wanted.pop('nodes'), mode
        _check(given, wanted, mode)


def test_every_recorded_head_is_compared():
    assert set(RECORDED) == set(CONTRIB + PUBLIC)


def _spec(head, logits, labels, features=None, mode='train', **settings):
    settings = settings or {'train_op_fn': lambda loss: tf.no_op()}
    return head.create_estimator_spec(features=features or {}, mode=mode, logits=logits,
                                      labels=labels, **settings)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        yield graph


MULTI = (lambda: heads.multi_class_head(3), lambda: tf.estimator.MultiClassHead(3))
BINARY = (heads.binary_classification_head, tf.estimator.BinaryClassHead)
NUMBERS = (heads.regression_head, tf.estimator.RegressionHead)


@pytest.mark.parametrize('new', MULTI)
def test_multi_class_labels_are_checked_statically(new):
    logits = tf.zeros([4, 3])
    for labels, says in (
            (None, 'You must provide a labels Tensor'),
            (tf.zeros([4]), 'should be integer. Instead got float32'),
            (tf.constant(['a'] * 4), 'label_vocabulary='),
            (tf.zeros([4, 3], tf.int64), 'Expected labels dimension=1.  Received 3'),
            (tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [4, 1]),
             'SparseTensor labels are not supported')):
        with pytest.raises(ValueError, match=says):
            _spec(new(), logits, labels)
    with pytest.raises(ValueError, match='head.logits_dimension = 3'):
        _spec(new(), tf.zeros([4, 2]), tf.zeros([4], tf.int64))


@pytest.mark.parametrize('new', MULTI)
@pytest.mark.parametrize('wrong', [3, -1])
def test_error_for_a_label_out_of_range(new, wrong):
    labels = tf.placeholder(tf.int64, [None], name='kind')
    spec = _spec(new(), tf.zeros([2, 3]), labels)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as error:
        session.run(spec.loss, {labels: [0, wrong]})
    text = str(error.value)
    assert f'labels must be in [0, 3), got {wrong} [' in text
    assert 'data_0' not in text                     # the texts are not repeated as inputs
    assert f'[[0]\n [{wrong}]]' in text or f'[[0][{wrong}]]' in text.replace(' ', '')


@pytest.mark.parametrize('new', BINARY)
def test_binary_labels(new):
    labels = tf.placeholder(tf.float32, [None], name='said')
    spec = _spec(new(), tf.zeros([2, 1]), labels)
    with tf.Session() as session:
        assert session.run(spec.loss, {labels: [0., .5]}) == pytest.approx(np.log(2))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'in \[0, 2\), got 2'):
            session.run(spec.loss, {labels: [0., 2.]})
    with pytest.raises(ValueError, match='need a label_vocabulary'):
        _spec(new(), tf.zeros([2, 1]), tf.constant(['no', 'yes']))
    with pytest.raises(ValueError, match='string if there is a vocabulary'):
        _spec(new(label_vocabulary=['no', 'yes']), tf.zeros([2, 1]), tf.constant([0, 1]))


@pytest.mark.slow
@pytest.mark.parametrize('new', NUMBERS)
def test_regression_labels(new):
    with pytest.raises(ValueError, match='Expected labels dimension=2.  Received 3'):
        _spec(new(label_dimension=2), tf.zeros([4, 2]), tf.zeros([4, 3]))
    with pytest.raises(ValueError, match='tf.string_to_number'):
        _spec(new(), tf.zeros([2, 1]), tf.constant(['1', '2']))
    with pytest.raises(ValueError, match='Invalid label_dimension 0'):
        new(label_dimension=0)
    labels = tf.placeholder(tf.float32, [None, 1])
    spec = _spec(new(), tf.zeros([2, 1]), labels)
    with tf.Session() as session, \
            pytest.raises(tf.errors.InvalidArgumentError, match='labels shape must be'):
        session.run(spec.loss, {labels: np.zeros([3, 1])})


@pytest.mark.parametrize('new', NUMBERS)
def test_weights(new):
    logits, labels = tf.zeros([2, 1]), tf.zeros([2, 1])
    with pytest.raises(ValueError, match="Feature w is not in features.*\n.*available: .'v'"):
        _spec(new(weight_column='w'), logits, labels, {'v': tf.zeros([2])})
    with pytest.raises(TypeError, match='either a string or a numeric_column'):
        _spec(new(weight_column=3), logits, labels, {'w': tf.zeros([2])})
    with pytest.raises(ValueError, match='castable to float'):
        _spec(new(weight_column='w'), logits, labels, {'w': tf.constant(['a', 'b'])})
    w = tf.placeholder(tf.float32, [None])
    spec = _spec(new(weight_column='w'), logits, labels, {'w': w})
    with tf.Session() as session, \
            pytest.raises(tf.errors.InvalidArgumentError, match='weights shape must be'):
        session.run(spec.loss, {w: [1., 2., 3.]})


def test_weight_column_is_normalized():
    column = tf.feature_column.numeric_column('w', normalizer_fn=lambda w: 2. * w)
    spec = _spec(heads.regression_head(weight_column=column,
                                       loss_reduction=tf.losses.Reduction.SUM),
                 tf.zeros([2, 1]), tf.ones([2]), {'w': tf.constant([1., 3.])})
    with tf.Session() as session:
        assert session.run(spec.loss) == 8.


def test_arguments_of_heads():
    for make, says in (
            (lambda: heads.multi_class_head(2), 'n_classes must be > 2: 2'),
            (lambda: heads.multi_class_head(None), 'n_classes cannot be None'),
            (lambda: heads.multi_class_head(3, label_vocabulary='abc'), 'should be a list'),
            (lambda: heads.regression_head(loss_reduction='none'), 'Invalid loss_reduction'),
            (lambda: heads.binary_classification_head(thresholds=[1.]), r'not in \(0, 1\)'),
            (lambda: heads.multi_label_head(1), 'n_classes must be > 1'),
            (lambda: heads.multi_label_head(2, label_vocabulary=['a']), 'Length of label_voc'),
            (lambda: heads.multi_label_head(2, classes_for_class_based_metrics=[2]), 'in range'),
            (lambda: heads.multi_label_head(2, classes_for_class_based_metrics=['a']),
             'label_vocabulary must be provided'),
            (lambda: heads.regression_head(loss_fn=lambda labels: labels), 'argument: logits'),
            (lambda: heads.regression_head(loss_fn=lambda labels, logits, x: x), r"args: \['x'\]"),
            (lambda: heads.multi_head([]), 'Must specify heads'),
            (lambda: heads.multi_head([heads.regression_head()]), 'must have name'),
            (lambda: heads.multi_head([heads.regression_head(name='a')], [1., 2.]), 'same size'),
            (lambda: tf.estimator.MultiClassHead(3, label_vocabulary=['a']), 'n_classes. items'),
            (lambda: tf.estimator.RegressionHead(loss_reduction='weighted_sum'),
             'tf.keras.losses.Reduction.SUM')):
        with pytest.raises(ValueError, match=says):
            make()
    with pytest.raises(TypeError, match='should be a list'):
        heads.binary_classification_head(label_vocabulary='ab')


@pytest.mark.parametrize('new', NUMBERS)
def test_training_needs_one_optimizer(new):
    logits, labels = tf.get_variable('v', [2, 1]) * 1., tf.zeros([2, 1])
    optimizer = tf.train.GradientDescentOptimizer(.1)
    with pytest.raises(ValueError, match='cannot both be set'):
        _spec(new(), logits, labels, optimizer=optimizer, train_op_fn=lambda loss: loss)
    with pytest.raises(ValueError, match='cannot both be None'):
        _spec(new(), logits, labels, optimizer=None)


@pytest.mark.parametrize('new', NUMBERS)
def test_loss_fn_returns_one_loss_per_label(new):
    labels = tf.zeros([2, 1])
    spec = _spec(new(loss_fn=lambda labels, logits, features: features['w'] + logits),
                 tf.zeros([2, 1]), labels, {'w': tf.constant([[1.], [2.]])})
    wrong = _spec(new(loss_fn=lambda labels, logits: tf.reduce_sum(logits, 1)), tf.zeros([2, 1]),
                  labels)
    with tf.Session() as session:
        assert session.run(spec.loss) == 1.5
        with pytest.raises(tf.errors.InvalidArgumentError, match='loss_fn must return Tensor'):
            session.run(wrong.loss)


@pytest.mark.parametrize('new', NUMBERS)
def test_regularization_losses(new):
    spec = _spec(new(name='size'), tf.zeros([2, 1]), tf.ones([2, 1]), mode='eval',
                 regularization_losses=[tf.constant(.25), tf.constant(.5)])
    assert set(spec.eval_metric_ops) == {'average_loss/size', 'prediction/mean/size',
                                         'label/mean/size', 'regularization_loss/size'}
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        loss, _ = session.run([spec.loss, [u for _, u in spec.eval_metric_ops.values()]])
        assert loss == 1.75
        assert session.run(spec.eval_metric_ops['regularization_loss/size'][0]) == .75


@pytest.mark.parametrize('new', [
    tf.train.GradientDescentOptimizer, lambda rate: tf.keras.optimizers.SGD(rate)],
    ids=['tf.train', 'tf.keras'])
def test_public_head_accepts_both_kinds_of_optimizers(new):
    v = tf.get_variable('v', [2, 1], initializer=tf.zeros_initializer(), use_resource=True)
    optimizer = new(.5)
    if not isinstance(optimizer, tf.train.Optimizer):
        optimizer.iterations = tf.train.get_global_step()
    spec = _spec(tf.estimator.RegressionHead(), v * 1., tf.ones([2, 1]), optimizer=optimizer,
                 trainable_variables=[v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        np.testing.assert_allclose(session.run(v), [[.5], [.5]])
        assert session.run(tf.train.get_global_step()) == 1


def test_predictions_by_key():
    head = tf.estimator.BinaryClassHead()
    assert list(head.predictions(tf.zeros([2, 1]), ['classes'])) == ['classes']
    with pytest.raises(ValueError, match='Prediction key must be in PredictionKeys'):
        head.predictions(tf.zeros([2, 1]), ['top_k'])


def test_multi_head():
    one, two = tf.estimator.RegressionHead(name='a'), tf.estimator.RegressionHead(name='b')
    head = tf.estimator.MultiHead([one, two])
    assert (head.name, head.logits_dimension) == ('a_b', 2)
    assert head.loss_reduction == 'sum_over_batch_size'
    y = tf.zeros([2, 1])
    for logits, labels, says in ((tf.zeros([2, 3]), {'a': y, 'b': y}, 'should equal 2 but is 3'),
                                 (tf.zeros([2, 2]), {'a': y}, r"for head.s.: \['b'\]"),
                                 ({'a': y}, {'a': y, 'b': y}, r'logits has missing values'),
                                 (tf.zeros([2, 2]), y, 'labels must be a dict')):
        with pytest.raises(ValueError, match=says):
            head.loss(labels, logits)
    mixed = tf.estimator.MultiHead([one, tf.estimator.RegressionHead(name='b',
                                                                     loss_reduction='sum')])
    with pytest.raises(ValueError, match='must be the same'):
        mixed.loss_reduction  # noqa: B018


def test_custom_head():
    class Half(tf.estimator.Head):
        name, logits_dimension, loss_reduction = 'half', 1, 'sum'

        def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
            return tf.reduce_sum(labels - logits) / 2.

        predictions = metrics = update_metrics = loss

    with pytest.raises(NotImplementedError, match='must implement'):
        Half().create_estimator_spec({}, 'infer', tf.zeros([2, 1]))
    with pytest.raises(TypeError, match='abstract'):
        tf.estimator.Head()


def test_export_outputs_become_signatures():
    export = tf.estimator.export
    examples, scores = tf.placeholder(tf.string, [None]), tf.zeros([2, 3])
    names = tf.constant([['a', 'b', 'c']] * 2)
    signature = export.ClassificationOutput(scores, names).as_signature_def({'examples': examples})
    assert signature.method_name == 'tensorflow/serving/classify'
    assert set(signature.outputs) == {'scores', 'classes'}
    signature = export.RegressionOutput(scores).as_signature_def({'examples': examples})
    assert signature.method_name == 'tensorflow/serving/regress'
    output = export.PredictOutput({('head', 'x'): scores})
    assert list(output.outputs) == ['head/x']
    assert output.as_signature_def({'x': scores}).method_name == 'tensorflow/serving/predict'
    assert list(export.PredictOutput(scores).outputs) == ['output']


def test_wrong_export_outputs():
    export = tf.estimator.export
    numbers, names = tf.zeros([2]), tf.constant(['a'])
    for make, says in ((lambda: export.ClassificationOutput(names), 'scores must be a float32'),
                       (lambda: export.ClassificationOutput(classes=numbers), 'must be a string'),
                       (export.ClassificationOutput, 'At least one of'),
                       (lambda: export.RegressionOutput(names), 'must be a float32'),
                       (lambda: export.PredictOutput({1: numbers}), 'key must be a string'),
                       (lambda: export.PredictOutput([1.]), 'must be a Tensor'),
                       (lambda: export.RegressionOutput(numbers).as_signature_def({'x': numbers}),
                        'build_parsing_serving_input_receiver_fn')):
        with pytest.raises(ValueError, match=says):
            make()


def test_train_and_eval_outputs():
    from estimator_layer.export.export_output import EvalOutput, TrainOutput
    loss, x = tf.constant(1.), tf.placeholder(tf.float32, [None])
    train = TrainOutput(loss, {'p': x}, {'m': (loss, tf.no_op())})
    assert set(train.loss) == {'loss'} and set(train.predictions) == {'predictions/p'}
    assert set(train.metrics) == {'metrics/m/value', 'metrics/m/update_op'}
    signature = train.as_signature_def({'x': x})
    assert signature.method_name == 'tensorflow/supervised/training'
    assert len(signature.outputs) == 4
    assert EvalOutput(loss).as_signature_def({'x': x}).method_name == 'tensorflow/supervised/eval'
