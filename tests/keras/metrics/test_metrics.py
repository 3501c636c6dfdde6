"""Metrics: weighted means, thresholds."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras


pytestmark = pytest.mark.usefixtures('new_graph')


def test_a_weighted_mean_divides_by_the_weights():
    metric = keras.metrics.MeanSquaredError()
    update = metric.update_state(np.zeros((3, 1), 'f'), np.array([[1.], [2.], [3.]], 'f'),
                                 sample_weight=np.array([1., 0., 3.], 'f'))
    result = metric.result()
    session = keras.backend.get_session()
    session.run([v.initializer for v in metric.weights])
    session.run(update)
    np.testing.assert_allclose(session.run(result), (1 + 27) / 4, rtol=1e-6)


@pytest.mark.parametrize('number, expected', [(1, .5), (2, 0.), (5, .5)])
def test_sensitivity_at_specificity_counts_outputs_of_exactly_0_and_1(number, expected):
    # The values are TF 1.15's.
    metric = keras.metrics.SensitivityAtSpecificity(0.9, num_thresholds=number)
    update = metric.update_state([0., 0, 0, 0, 1, 1, 1, 1], [0., 0, .5, .3, 0, 1, 1, .4])
    session = keras.backend.get_session()
    session.run(update)
    assert session.run(metric.result()) == expected
