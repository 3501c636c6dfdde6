"""RunConfig: the settings of an Estimator: model_dir, seed, checkpoints, logging, cluster."""
from __future__ import annotations

import copy
import inspect
import os

from estimator_layer.call_model_fn import parameter_names
from estimator_layer.cluster_roles import default_session_config
from estimator_layer.keyword_arguments import suggest_keywords
from estimator_layer.tf_config import TaskSettings, read_tf_config, task_of_worker
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.session.config import ConfigProto

__all__ = ['RunConfig']

_DEFAULT = object()
_SAVE_ERROR = '`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.'

# The settings that `replace` may change.
_REPLACEABLE = ('model_dir', 'tf_random_seed', 'save_summary_steps', 'save_checkpoints_steps',
                'save_checkpoints_secs', 'session_config', 'keep_checkpoint_max',
                'keep_checkpoint_every_n_hours', 'log_step_count_steps', 'train_distribute',
                'device_fn', 'protocol', 'eval_distribute', 'experimental_distribute',
                'experimental_max_worker_delay_secs', 'session_creation_timeout_secs',
                'keep_sessions')


def _positive(value):
    return value > 0


def _not_negative(value):
    return value >= 0


# name -> (check of a value, message for a wrong one)
_CHECKS = {
    'model_dir': (bool, 'model_dir should be non-empty'),
    'save_summary_steps': (_not_negative, 'save_summary_steps should be >= 0'),
    'save_checkpoints_steps': (_not_negative, 'save_checkpoints_steps should be >= 0'),
    'save_checkpoints_secs': (_not_negative, 'save_checkpoints_secs should be >= 0'),
    'session_config': (lambda value: isinstance(value, ConfigProto),
                       'session_config must be instance of ConfigProto'),
    'keep_checkpoint_max': (_not_negative, 'keep_checkpoint_max should be >= 0'),
    'keep_checkpoint_every_n_hours': (_positive, 'keep_checkpoint_every_n_hours should be > 0'),
    'log_step_count_steps': (_positive, 'log_step_count_steps should be > 0'),
    'tf_random_seed': (lambda value: isinstance(value, int), 'tf_random_seed must be integer'),
    'experimental_max_worker_delay_secs': (
        lambda value: isinstance(value, int),
        'experimental_max_worker_delay_secs must be an integer if set.'),
    'session_creation_timeout_secs': (_positive, 'session_creation_timeout_secs should be > 0'),
    'device_fn': (lambda value: tuple(parameter_names(value)) == ('op',),
                  'device_fn must be callable with exactly one argument "op".'),
    'protocol': (lambda value: value in ('grpc', 'grpc+verbs'),
                 'protocol should be grpc or grpc+verbs'),
}


class RunConfig:
    """The settings of an Estimator's runs.

    Args:
      model_dir: the directory of checkpoints, graphs and summaries.
      tf_random_seed: the graph-level seed; the same seed reproduces a run.
      save_summary_steps: the number of steps between summaries.
      save_checkpoints_steps, save_checkpoints_secs: the steps or seconds between checkpoints
        (default: 600 s; both None: no checkpoints). ValueError if both are given.
      session_config: a tf.ConfigProto.
      keep_checkpoint_max: the number of recent checkpoints to keep (None or 0: all).
      keep_checkpoint_every_n_hours: additionally keep one checkpoint per this many hours.
      log_step_count_steps: the number of steps between log entries of loss and speed (None: none).
      train_distribute, eval_distribute: a tf.distribute.Strategy.
      keep_sessions: (not in TensorFlow) whether evaluate and predict reuse graph and session
        while the checkpoint is the same. Results do not change, unless the model_fn depends on
        something that the program changes between calls: then pass False.
    The remaining arguments are for clusters, as in TensorFlow; properties such as `task_type` come
    from the environment variable TF_CONFIG. Raises TypeError for an unknown argument.
    """

    @suggest_keywords
    def __init__(self, model_dir=None, tf_random_seed=None, save_summary_steps=100,
                 save_checkpoints_steps=_DEFAULT, save_checkpoints_secs=_DEFAULT,
                 session_config=None, keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
                 log_step_count_steps=100, train_distribute=None, device_fn=None, protocol=None,
                 eval_distribute=None, experimental_distribute=None,
                 experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200,
                 keep_sessions=True):
        steps, seconds = _checkpoint_interval(save_checkpoints_steps, save_checkpoints_secs)
        self._cluster_task = _task(train_distribute, eval_distribute, experimental_distribute)
        if os.environ.get('TF_CONFIG'):
            logging.info('TF_CONFIG environment variable: %s', os.environ['TF_CONFIG'])
        self._values = {}
        self._set({
            'model_dir': _model_dir(self._cluster_task.model_dir, model_dir),
            'tf_random_seed': tf_random_seed, 'save_summary_steps': save_summary_steps,
            'save_checkpoints_steps': steps, 'save_checkpoints_secs': seconds,
            'session_config': session_config, 'keep_checkpoint_max': keep_checkpoint_max,
            'keep_checkpoint_every_n_hours': keep_checkpoint_every_n_hours,
            'log_step_count_steps': log_step_count_steps, 'train_distribute': train_distribute,
            'device_fn': device_fn, 'protocol': protocol, 'eval_distribute': eval_distribute,
            'experimental_distribute': experimental_distribute,
            'experimental_max_worker_delay_secs': experimental_max_worker_delay_secs,
            'session_creation_timeout_secs': session_creation_timeout_secs,
            'keep_sessions': keep_sessions})
        if train_distribute or eval_distribute or experimental_distribute:
            logging.info('Initializing RunConfig with distribution strategies.')
        _resolve_strategies(self._values)
        has_servers = self._cluster_task.num_ps_replicas > 0
        if session_config is None and (self._values['train_distribute'] is None or has_servers):
            self._values['session_config'] = default_session_config(self._cluster_task)

    def _set(self, values):
        for name, value in values.items():
            is_valid, message = _CHECKS.get(name, (None, None))
            if is_valid and value is not None and not is_valid(value):
                raise misuse(ValueError(f'{message}, given {value!r}'
                                        if name != 'model_dir' else message))
            self._values[name] = value

    def replace(self, **kwargs):
        """A copy with some settings replaced. ValueError for a name that cannot be replaced."""
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise misuse(ValueError(
                    f'Replacing {name} is not supported. Allowed properties are '
                    f'{list(_REPLACEABLE)}.' + nearest_keyword(name, _REPLACEABLE)))
        steps, seconds = (kwargs.get(name) for name in
                          ('save_checkpoints_steps', 'save_checkpoints_secs'))
        if steps is not None and seconds is not None:
            raise misuse(ValueError(_SAVE_ERROR))
        if steps is not None:
            kwargs['save_checkpoints_secs'] = None
        elif seconds is not None:
            kwargs['save_checkpoints_steps'] = None
        other = copy.copy(self)
        other._values = dict(self._values)
        other._set(kwargs)
        _resolve_strategies(other._values)
        return other

    def __copy__(self):
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo):
        other = copy.copy(self)
        other._values = dict(self._values)
        return other

    def __repr__(self):
        """The settings that differ from their defaults."""
        settings = ', '.join(f'{name}={_short(value)}' for name, value in self._values.items()
                             if value != _DEFAULTS[name])
        return f'{type(self).__name__}({settings})'


def _short(value):
    return '<ConfigProto>' if isinstance(value, ConfigProto) else repr(value)


_DEFAULTS = {name: parameter.default for name, parameter in
             inspect.signature(RunConfig).parameters.items()}
_DEFAULTS.update(save_checkpoints_steps=None, save_checkpoints_secs=600)


def _setting(name):
    return property(lambda self: self._values[name], doc=f'The setting `{name}`.')


def _cluster_property(name):
    return property(lambda self: getattr(self._cluster_task, name),
                    doc=f'`{name}`, from the environment variable TF_CONFIG.')


for _name in _REPLACEABLE:
    if _name != 'experimental_distribute':
        setattr(RunConfig, _name, _setting(_name))
for _name in TaskSettings._fields:
    if _name != 'model_dir':
        setattr(RunConfig, _name, _cluster_property(_name))


def _checkpoint_interval(steps, seconds):
    """(steps, seconds) between checkpoints, of which at most one is not None."""
    if steps is _DEFAULT and seconds is _DEFAULT:
        return None, 600
    if seconds is _DEFAULT:
        return steps, None
    if steps is _DEFAULT:
        return None, seconds
    if steps is not None and seconds is not None:
        raise misuse(ValueError(_SAVE_ERROR))
    return steps, seconds


def _task(train_distribute, eval_distribute, experimental_distribute):
    """The task of this process, by the strategy of several processes if there is one."""
    for strategy in (train_distribute, eval_distribute,
                     getattr(experimental_distribute, 'train_distribute', None),
                     getattr(experimental_distribute, 'eval_distribute', None)):
        if strategy is not None and strategy.extended.experimental_between_graph:
            return task_of_worker(strategy)
    return read_tf_config()


def _model_dir(from_environment, given):
    given = None if given is None else os.fspath(given)
    if from_environment == '':
        raise misuse(ValueError('model_dir in TF_CONFIG should be non-empty.'))
    if from_environment and given not in (None, from_environment):
        raise misuse(ValueError(
            '`model_dir` provided in RunConfig construct, if set, must have the same value as the '
            f'model_dir in TF_CONFIG. model_dir: {given}\nTF_CONFIG["model_dir"]: '
            f'{from_environment}.'))
    return given if given is not None else from_environment


def _resolve_strategies(values):
    """Sets both strategies from `experimental_distribute`; ValueError if they contradict it."""
    distribute = values.get('experimental_distribute')
    for name in ('train_distribute', 'eval_distribute'):
        strategy = getattr(distribute, name, None)
        if strategy is not None:
            if values[name] is not None and values[name] is not strategy:
                raise misuse(ValueError(
                    f'Either `{name}` or `experimental_distribute.{name}` should be set, not '
                    'both.'))
            values[name] = strategy
