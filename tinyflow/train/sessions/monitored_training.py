"""MonitoredTrainingSession: a MonitoredSession with hooks for checkpoints, summaries and logs."""
from __future__ import annotations

from tinyflow.ops.variables.replica_context import get_strategy, has_strategy
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook
from tinyflow.train.hooks.summaries import StepCounterHook, SummarySaverHook
from tinyflow.train.sessions.monitored_session import MonitoredSession
from tinyflow.train.sessions.scaffold import Scaffold
from tinyflow.train.sessions.session_creators import ChiefSessionCreator, WorkerSessionCreator

__all__ = ['MonitoredTrainingSession', 'USE_DEFAULT']


class _UseDefault:
    """The default of parameters for which None means `never`."""

    def __repr__(self):
        return 'USE_DEFAULT'


USE_DEFAULT = _UseDefault()


def MonitoredTrainingSession(                                   # noqa: N802 (TF's name)
        master='', is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
        chief_only_hooks=None, save_checkpoint_secs=USE_DEFAULT, save_summaries_steps=USE_DEFAULT,
        save_summaries_secs=USE_DEFAULT, config=None, stop_grace_period_secs=120,
        log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=USE_DEFAULT,
        summary_dir=None, nan_check=False):
    """A MonitoredSession that restores from `checkpoint_dir`, saves there, and writes summaries.

    By default it saves every 600 seconds, writes summaries every 100 steps and steps per second
    every `log_step_count_steps`, to `summary_dir` or else to `checkpoint_dir`; None or 0 means
    never. Hooks are called in this order: `chief_only_hooks`, steps per second, summaries,
    checkpoints, `hooks`. With `is_chief=False` only `hooks` are, and the Session waits for another
    task. Under a strategy of several workers each of them is in this call, and worker 0 is the
    chief. With `nan_check` an error names the origin of a NaN, and runs are slower.
    """
    save_summaries_steps, save_summaries_secs = _one_of(
        save_summaries_steps, save_summaries_secs, (100, None))
    save_checkpoint_steps, save_checkpoint_secs = _one_of(
        save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    strategy = get_strategy().extended if has_strategy() else None
    together = strategy is not None and strategy.trains_together
    if not is_chief and not together:
        creator = WorkerSessionCreator(scaffold=scaffold, master=master, config=config,
                                       max_wait_secs=max_wait_secs)
        return MonitoredSession(session_creator=creator, hooks=hooks or [],
                                stop_grace_period_secs=stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master,
                                  config=config, nan_check=nan_check)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and _wanted(log_step_count_steps):
        all_hooks.append(StepCounterHook(output_dir=summary_dir,
                                         every_n_steps=log_step_count_steps))
    if summary_dir and (_wanted(save_summaries_steps) or _wanted(save_summaries_secs)):
        all_hooks.append(SummarySaverHook(
            scaffold=scaffold, save_steps=save_summaries_steps, save_secs=save_summaries_secs,
            output_dir=summary_dir))
    if checkpoint_dir and (_wanted(save_checkpoint_steps) or _wanted(save_checkpoint_secs)):
        all_hooks.append(CheckpointSaverHook(
            checkpoint_dir, save_steps=save_checkpoint_steps, save_secs=save_checkpoint_secs,
            scaffold=scaffold))
    all_hooks.extend(hooks or [])
    if together:
        return strategy._training_session(creator, all_hooks, stop_grace_period_secs)
    return MonitoredSession(session_creator=creator, hooks=all_hooks,
                            stop_grace_period_secs=stop_grace_period_secs)


def _one_of(steps, secs, default):
    """The pair to use: the default only if neither is given."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return None if steps is USE_DEFAULT else steps, None if secs is USE_DEFAULT else secs


def _wanted(interval):
    return bool(interval and interval > 0)
