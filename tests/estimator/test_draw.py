"""tf.viz.draw and tf.explain of Estimators."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.estimator.models import classifier, halves_dataset, line, line_fn, points


@pytest.mark.slow
def test_draw_shows_the_training_graph(tmp_path):
    estimator = classifier(tmp_path, [4]).train(halves_dataset, steps=1)
    model = tf.viz.draw(estimator).model
    shown = {node.name for node in model.nodes}
    assert {'kernel', 'bias', 'MatMul', 'Relu', 'IteratorGetNext'} <= shown
    assert model.node('dnn/hiddenlayer_0/kernel').kind == 'variable'    # one part, one node
    assert not any('part_0' in node.name for node in model.nodes)
    assert [node.name for node in model.nodes if node.fetched] == ['Sum']
    assert 'assert_range' in shown and not any(box.path[-1].startswith('assert_')
                                               for box in model.boxes)


@pytest.mark.slow
def test_draw_shows_the_loss_of_a_custom_estimator(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    picture = tf.viz.draw(estimator)
    assert any('mean_squared_error' in node.name or node.fetched for node in picture.model.nodes)
    assert picture.model.node('line/kernel').kind == 'variable'


def test_draw_without_a_checkpoint(tmp_path):
    with pytest.raises(ValueError, match='no checkpoint.*\n.*train.*first'):
        tf.viz.draw(line(tmp_path))
    graph = tf.explain(tf.estimator.Estimator(line_fn, str(tmp_path), params={})).graph(
        'train', points())
    assert tf.viz.draw(graph.spec.loss).model.nodes
