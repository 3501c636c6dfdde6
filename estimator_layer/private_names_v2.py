"""The canned estimators of TensorFlow 2 by the names that TensorFlow 1.15's own modules have."""
from __future__ import annotations

from estimator_layer.canned.parse_example_spec import (
    classifier_parse_example_spec as classifier_parse_example_spec_v2,
    regressor_parse_example_spec as regressor_parse_example_spec_v2,
)
from estimator_layer.canned.version_2 import (
    BaselineClassifier as BaselineClassifierV2,
    BaselineEstimator as BaselineEstimatorV2,
    BaselineRegressor as BaselineRegressorV2,
    DNNClassifier as DNNClassifierV2,
    DNNEstimator as DNNEstimatorV2,
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifierV2,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimatorV2,
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressorV2,
    DNNRegressor as DNNRegressorV2,
    LinearClassifier as LinearClassifierV2,
    LinearEstimator as LinearEstimatorV2,
    LinearRegressor as LinearRegressorV2,
    get_optimizer as get_optimizer_instance_v2,
)

__all__ = [
    'BaselineClassifierV2', 'BaselineEstimatorV2', 'BaselineRegressorV2', 'DNNClassifierV2',
    'DNNEstimatorV2', 'DNNLinearCombinedClassifierV2', 'DNNLinearCombinedEstimatorV2',
    'DNNLinearCombinedRegressorV2', 'DNNRegressorV2', 'LinearClassifierV2', 'LinearEstimatorV2',
    'LinearRegressorV2', 'classifier_parse_example_spec_v2', 'get_optimizer_instance_v2',
    'regressor_parse_example_spec_v2',
]
