"""Error message for a checkpoint in model_dir that was written by a different model."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.support.errors import InvalidArgumentError, NotFoundError

__all__ = ['explain_checkpoint_mismatch']

# The beginnings of the hints of Saver.restore, which are meant for users of Session and Saver.
_ADVICE = ('\n  Hint: build the graph that was saved', "\n  Hint: tf.train.Saver({'old name'")


@contextmanager
def explain_checkpoint_mismatch(model_dir):
    """Replaces the hint of a failed restore by what the user of an Estimator can do."""
    try:
        yield
    except (InvalidArgumentError, NotFoundError) as error:
        for advice in _ADVICE:
            problem, has_hint, _ = error.message.partition(advice)
            if has_hint:
                raise type(error)(error.node_def, error.op, problem + (
                    f'\n  Hint: the checkpoint was written by a different model. To start over, '
                    f'use a new model_dir, or delete {model_dir}; or build the Estimator with the '
                    'arguments (hidden_units, feature_columns, params ...) that it was trained '
                    'with.\n  To start over with the weights that fit: '
                    'warm_start_from=tf.estimator.WarmStartSettings(old_model_dir, '
                    'vars_to_warm_start=pattern).')) from None
        raise
