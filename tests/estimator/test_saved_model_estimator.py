"""SavedModelEstimator: trains, evaluates and predicts with an exported model."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import KEYS, X, Y, line, line_output, points

SavedModelEstimator = tf.contrib.estimator.SavedModelEstimator


def serving():
    x = tf.placeholder(tf.float32, [None, 1])
    return tf.estimator.export.ServingInputReceiver({'x': x}, {'x': x})


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path / 'first').train(points(), steps=5)


def exported(estimator, tmp_path):
    supervised = tf.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn(points())
    return tf.contrib.estimator.export_all_saved_models(
        estimator, str(tmp_path / 'exported'),
        {KEYS.TRAIN: supervised, KEYS.EVAL: supervised, KEYS.PREDICT: serving})


@pytest.mark.slow
def test_goes_on_where_the_exported_model_was(trained, tmp_path):
    again = SavedModelEstimator(exported(trained, tmp_path), str(tmp_path / 'second'))
    assert again.evaluate(points(1), steps=2)['metrics/mae'] == \
        trained.evaluate(points(1), steps=2)['mae']
    again.train(points(), steps=3)
    other = line(tmp_path / 'first').train(points(), steps=3)
    assert again.get_variable_value('global_step') == 8
    for name in ('line/kernel', 'line/bias'):
        np.testing.assert_array_equal(again.get_variable_value(name),
                                      other.get_variable_value(name))
    found = list(again.predict(points(1)))
    np.testing.assert_allclose([row['y'] for row in found], line_output(other), rtol=1e-6)


def test_can_be_exported_again(trained, tmp_path):
    again = SavedModelEstimator(exported(trained, tmp_path), str(tmp_path / 'second'))
    again.train(points(), steps=1)
    third = SavedModelEstimator(tf.contrib.estimator.export_saved_model_for_mode(
        again, str(tmp_path / 'third'), serving))
    for (one, other, _) in zip(again.predict(points(1)), third.predict(points(1)), range(3)):
        np.testing.assert_array_equal(one['y'], other['y'])
    with pytest.raises(RuntimeError, match='train mode is not available'):
        third.train(points(), steps=1)


def test_inputs_must_fit(trained, tmp_path):
    again = SavedModelEstimator(exported(trained, tmp_path), str(tmp_path / 'second'))
    with pytest.raises(ValueError, match='Expected shape'):
        again.train(lambda: ({'x': X[:, 0]}, Y), steps=1)
    with pytest.raises(ValueError, match='Expected dtype'):
        again.train(lambda: ({'x': X.astype(np.int32)}, Y), steps=1)
    with pytest.raises(ValueError, match='Key "x" not found'):
        again.train(lambda: ({'y': X}, Y), steps=1)
    with pytest.raises(ValueError, match='must be a dense Tensor'):
        again.train(lambda: ({'x': tf.sparse.from_dense(X)}, Y), steps=1)

    def with_a_global_step():
        tf.train.get_or_create_global_step()
        return {'x': X}, Y
    with pytest.raises(RuntimeError, match='must not contain a global step'):
        again.train(with_a_global_step, steps=1)


def test_not_a_saved_model(tmp_path):
    with pytest.raises(ValueError, match='invalid SavedModel format'):
        SavedModelEstimator(str(tmp_path))


def test_control_edges_of_a_mapped_input(graph):
    """An input_map may name control edges of a node, whether the graph has some or not."""
    with graph.as_default():
        x = tf.placeholder(tf.int32, [], name='x')
        with tf.control_dependencies([x]):
            tf.constant(1, name='after')
    nodes = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.constant(2)
        after, = tf.import_graph_def(nodes, {'x': given, '^x': given}, ['after:0'])
        assert session.run(after) == 1
        tf.import_graph_def(nodes, {'^after': given})
        with pytest.raises(ValueError, match=r'not found in graph_def: \[\^missing\]'):
            tf.import_graph_def(nodes, {'^missing': given})
