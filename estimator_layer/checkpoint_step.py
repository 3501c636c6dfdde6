"""The global step that a model was trained to, from its checkpoint."""
from __future__ import annotations

from tinyflow.train.checkpoints.checkpoint_state import latest_for_training
from tinyflow.train.checkpoints.inspection import list_variables, load_variable

__all__ = ['step_of_latest_checkpoint']

# The second one is in the object-based checkpoints of model_to_estimator.
_NAMES = ('global_step', 'estimator_global_step/.ATTRIBUTES/VARIABLE_VALUE')


def step_of_latest_checkpoint(model_dir):
    """The global step of the latest checkpoint of a directory, 0 without one."""
    path = latest_for_training(model_dir)
    stored = [name for name, _ in list_variables(path)] if path else ()
    name = next((name for name in _NAMES if name in stored), None)
    return int(load_variable(path, name)) if name else 0
