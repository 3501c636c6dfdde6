"""tf.estimator.experimental.LinearSDCA: refused, with what does the same."""
from __future__ import annotations

__all__ = ['LinearSDCA']


class LinearSDCA:
    """Stochastic dual coordinate ascent for linear estimators; not in tinyflow."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            'tf.estimator.experimental.LinearSDCA is not in tinyflow.\n  Mend: '
            'optimizer=tf.train.FtrlOptimizer(0.2, l1_regularization_strength=..., '
            'l2_regularization_strength=...), which minimises the same loss.')
