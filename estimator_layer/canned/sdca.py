"""tf.estimator.experimental.LinearSDCA: not implemented; the error names an alternative."""
from __future__ import annotations

__all__ = ['LinearSDCA']


class LinearSDCA:
    """Stochastic dual coordinate ascent for linear estimators; not implemented."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            'tf.estimator.experimental.LinearSDCA is not implemented in tinyflow.\n  Hint: '
            'optimizer=tf.train.FtrlOptimizer(0.2, l1_regularization_strength=..., '
            'l2_regularization_strength=...), which minimises the same loss.')
