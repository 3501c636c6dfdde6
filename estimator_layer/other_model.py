"""What to do when the checkpoint in model_dir was written by another model."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.support.errors import InvalidArgumentError, NotFoundError

__all__ = ['mend_told']

# How the restore's own advice begins, which is for those who have a Session and a Saver.
_ADVICE = ('\n  Mend: build the graph that was saved', "\n  Mend: tf.train.Saver({'old name'")


@contextmanager
def mend_told(model_dir):
    """Says, in the error of a checkpoint that does not fit, what an Estimator's user can do."""
    try:
        yield
    except (InvalidArgumentError, NotFoundError) as error:
        for advice in _ADVICE:
            problem, found, _ = error.message.partition(advice)
            if found:
                raise type(error)(error.node_def, error.op, problem + (
                    f'\n  Mend: the checkpoint was written by another model than this one. Take a '
                    f'new model_dir, or delete {model_dir}, to begin anew; or build the Estimator '
                    'with the arguments (hidden_units, feature_columns, params ...) that it was '
                    'trained with.\n  To begin anew with the weights that fit: '
                    'warm_start_from=tf.estimator.WarmStartSettings(old_model_dir, '
                    'vars_to_warm_start=pattern).')) from None
        raise
