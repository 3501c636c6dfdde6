"""tf.estimator.add_metrics: an Estimator with additional evaluation metrics."""
from __future__ import annotations

from estimator_layer.call_model_fn import parameter_names
from estimator_layer.estimator import Estimator
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.support.errors import misuse

__all__ = ['add_metrics']

_PARAMETERS = ('predictions', 'features', 'labels', 'config')


def add_metrics(estimator, metric_fn):
    """A new Estimator of the same model_dir that adds metrics to those of `estimator`.

    `metric_fn(predictions, features, labels, config)`, with any of these parameters, returns
    {name: (value, update_op)}, as functions of tf.metrics do; an existing name is
    replaced. Raises ValueError for other parameters.
    """
    names = parameter_names(metric_fn)
    unknown = [name for name in names if name not in _PARAMETERS]
    if unknown:
        raise misuse(ValueError(
            f'metric_fn ({metric_fn}) has following not expected args: {unknown}\n  Hint: it may '
            f'take {", ".join(_PARAMETERS)}.'))

    def model_fn(features, labels, mode, config):
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        arguments = {'predictions': spec.predictions, 'features': features, 'labels': labels,
                     'config': config}
        more = metric_fn(**{name: arguments[name] for name in names})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    return Estimator(model_fn, model_dir=estimator.model_dir, config=estimator.config,
                     warm_start_from=estimator._warm_start_settings)
