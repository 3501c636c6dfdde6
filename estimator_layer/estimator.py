"""Estimator: trains, evaluates, serves and exports a model_fn; its state is in checkpoints.

A map of the parts of a call. Every call builds a new graph, calls the input_fn (`call_input_fn.py`)
and the model_fn (`call_model_fn.py`, whose result `model_fn.py` checks), restores a checkpoint and
runs a session:

    train               train.py          -> tinyflow/train/sessions/monitored_training.py
    evaluate            evaluate.py       -> tinyflow/train/sessions/evaluation.py
    predict             predict.py        -> tinyflow/train/sessions/monitored_session.py
    export_saved_model  export/saved_model.py
    train_and_evaluate  train_eval_loop.py, which calls train and evaluate

Checkpoint restore: all three sessions are made by `ChiefSessionCreator` in
tinyflow/train/sessions/session_creators.py, and `SessionManager.prepare_session` in
train/sessions/session_manager.py restores the latest checkpoint of model_dir (train) or the
checkpoint that was chosen (evaluate, predict), or else runs the initializers. evaluate and predict
without hooks reuse the graph and session of an earlier call and restore only a newer checkpoint:
`CachedModel.open` in session_cache/cache.py. A warm start (`warm_start.py`) replaces initializers
when there is no checkpoint; `checkpoint_mismatch.py` explains the error of one that does not fit.
"""
from __future__ import annotations

import collections
import copy
import os
import tempfile
from difflib import get_close_matches
from typing import Any

from estimator_layer.call_model_fn import call_model_fn, check_model_fn
from estimator_layer.checkpoint_mismatch import explain_checkpoint_mismatch
from estimator_layer.checkpoint_step import step_of_latest_checkpoint
from estimator_layer.cluster_roles import local_session_config
from estimator_layer.evaluate import evaluate
from estimator_layer.export import saved_model
from estimator_layer.keyword_arguments import suggest_keywords
from estimator_layer.model_fn import ModeKeys
from estimator_layer.predict import predict
from estimator_layer.run_config import RunConfig
from estimator_layer.session_cache.cache import SessionCache
from estimator_layer.tf_config import TaskType
from estimator_layer.train import train
from estimator_layer.warm_start import warm_start_variables
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import NotFoundError, OpError, misuse
from tinyflow.inspect.viz.select import register_drawable
from tinyflow.session.config import ConfigProto
from tinyflow.train import training_util
from tinyflow.train.checkpoints.checkpoint_state import latest_for_training
from tinyflow.train.checkpoints.folder_lock import clean_up_after_kill
from tinyflow.train.checkpoints.inspection import list_variables, load_variable
from tinyflow.train.hooks.checkpoints import CheckpointSaverListener
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['Estimator', 'WarmStartSettings', 'config_with_model_dir']

_WARM_START_FIELDS = ('ckpt_to_initialize_from', 'vars_to_warm_start', 'var_name_to_vocab_info',
                      'var_name_to_prev_var_name')

_TRAIN_HINT = ("train(input_fn, steps=...), where input_fn returns ({'x': x}, y): "
               "tf.estimator.inputs.numpy_input_fn({'x': x}, y, num_epochs=None, shuffle=True)")
# Method names of scikit-learn, Keras and tf.contrib.learn, and what to call instead.
_OTHER_LIBRARIES = {
    'fit': _TRAIN_HINT, 'partial_fit': _TRAIN_HINT,
    'score': 'evaluate(input_fn), a dict of metrics',
    'predict_proba': "predict(input_fn), which yields dicts with 'probabilities'",
    'predict_classes': "predict(input_fn), which yields dicts with 'class_ids'",
    'predict_scores': "predict(input_fn), which yields dicts with 'predictions'",
    'save': 'no call is needed: train writes checkpoints to model_dir; export_saved_model writes a '
            'SavedModel',
    'export': 'export_saved_model(directory, serving_input_receiver_fn)',
}


class WarmStartSettings(collections.namedtuple('WarmStartSettings', _WARM_START_FIELDS)):
    """Which Variables take their initial values from which checkpoint.

    Args:
      ckpt_to_initialize_from: a checkpoint, or a directory with checkpoints.
      vars_to_warm_start: a regular expression matched against the names of trainable Variables, a
        list of regular expressions matched against all Variables, or None for no Variables.
      var_name_to_vocab_info: {name: tf.train.VocabInfo}.
      var_name_to_prev_var_name: {name: name in the checkpoint}.
    """

    __slots__ = ()

    def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start='.*',
                var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
        if not ckpt_to_initialize_from:
            raise misuse(ValueError('`ckpt_to_initialize_from` MUST be set in WarmStartSettings'))
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start,
                               var_name_to_vocab_info or {}, var_name_to_prev_var_name or {})


class Estimator:
    """A model that is trained, evaluated and used for prediction, defined by a model_fn.

    `model_fn(features, labels, mode, params, config)` builds the model and returns a
    tf.estimator.EstimatorSpec; only the parameter `features` is required. An input_fn returns a
    tf.data.Dataset, or (features, labels) as tensors, arrays, a dict of arrays or a DataFrame.
    Each call builds a new graph, restores the latest checkpoint of `model_dir`, and runs.

    Args:
      model_dir: the directory of checkpoints, graphs and summaries (default: a temporary one).
      config: a tf.estimator.RunConfig.
      params: a dict for the model_fn.
      warm_start_from: a checkpoint or WarmStartSettings: initial values, used if model_dir has no
        checkpoint.

    Raises ValueError for a model_fn without `features`, or for two different model_dirs.
    """

    @suggest_keywords
    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        _check_not_overridden(self)
        self._config = config_with_model_dir(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        logging.info('Using config: %s', self._config)
        if model_fn is None:
            raise misuse(ValueError('model_fn must be provided to Estimator.'))
        check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = _warm_start_settings(warm_start_from)
        self._session_cache = SessionCache()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if '__init__' in vars(cls):
            cls.__init__ = suggest_keywords(cls.__init__)

    def __repr__(self):
        try:
            checkpoint = self.latest_checkpoint()
            state = f'checkpoint={os.path.basename(checkpoint)!r}' if checkpoint else 'not trained'
        except (OpError, ValueError):
            state = 'damaged checkpoints'
        return f'<{type(self).__name__} model_dir={self._model_dir!r} {state}>'

    # ---- properties ----------------------------------------------------------------------

    def __getattr__(self, name):
        text = f'{type(self).__name__!r} object has no attribute {name!r}'
        if name in _OTHER_LIBRARIES:
            text += f'\n  Hint: {_OTHER_LIBRARIES[name]}.'
        raise misuse(AttributeError(text))

    @property
    def model_dir(self):
        """The directory of checkpoints, graphs and summaries."""
        return self._model_dir

    @property
    def config(self):
        """A copy of the RunConfig."""
        return copy.deepcopy(self._config)

    @property
    def params(self):
        """A copy of the params."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """The model_fn as a function of (features, labels, mode, config)."""
        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)
        return public_model_fn

    def get_variable_value(self, name) -> Any:
        """The value of a Variable in the latest checkpoint, an array."""
        checkpoint = self._trained_checkpoint()
        try:
            return load_variable(checkpoint, name)
        except NotFoundError as error:
            names = self.get_variable_names()
            near = get_close_matches(name, names, n=3, cutoff=0.4) or names[:3]
            raise NotFoundError(error.node_def, error.op, f'{error.message}\n  Hint: one of '
                                f'get_variable_names(), such as {", ".join(near)}.') from None

    def get_variable_names(self):
        """The names of all Variables in the latest checkpoint."""
        return [name for name, _ in list_variables(self._trained_checkpoint())]

    def latest_checkpoint(self) -> Any:
        """The path of the latest checkpoint, or None.

        If the state file `checkpoint` of model_dir is damaged or missing, it is the newest whole
        checkpoint, from which train, evaluate and predict then continue.
        """
        return latest_for_training(self._model_dir)

    def eval_dir(self, name=None):
        """The directory of the summaries of an evaluation."""
        return os.path.join(self._model_dir, f'eval_{name}' if name else 'eval')

    def close(self):
        """Closes the graphs and sessions that evaluate and predict cached."""
        self._session_cache.clear()

    # ---- calls ---------------------------------------------------------------------------

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Continues training from the latest checkpoint; returns the Estimator.

        It never starts over in a model_dir that has checkpoints, see `latest_checkpoint`.

        Ends after `steps` more steps, at global step `max_steps`, or at the end of the input.
        `hooks` are SessionRunHooks, `saving_listeners` CheckpointSaverListeners. Raises ValueError
        if both step counts are given or one is not positive, or in a task of a cluster that does
        not train; NanLossDuringTrainingError if the loss becomes NaN.
        """
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise misuse(ValueError(
                f'train was called in a task of type {self._config.task_type!r}, which does not '
                'train.\n  Hint: tf.estimator.train_and_evaluate, which does what TF_CONFIG says '
                'that the task is for.'))
        if steps is not None and max_steps is not None:
            raise misuse(ValueError('Can not provide both steps and max_steps.'))
        _check_positive('steps', steps)
        _check_positive('max_steps', max_steps)
        hooks = _checked_hooks(hooks)
        if max_steps is not None and step_of_latest_checkpoint(self._model_dir) >= max_steps:
            logging.info('Skipping training since max_steps has already saved.')
            clean_up_after_kill(os.path.join(self._model_dir, 'model.ckpt'))
            return self
        listeners = _checked_listeners(saving_listeners)
        with explain_checkpoint_mismatch(self._model_dir):
            loss = train(self, input_fn, hooks, steps, max_steps, listeners)
        logging.info('Loss for final step: %s.', loss)
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None) -> Any:
        """Metrics of a checkpoint on the input: {name: value}, with 'loss' and 'global_step'.

        Ends after `steps` batches or at the end of the input. `checkpoint_path` defaults to the
        latest checkpoint; without one the Variables are initialized. The results are also written
        to `eval_dir(name)`. If a training that goes on meanwhile has removed the latest one before
        it was read, the next is evaluated.
        """
        _check_positive('steps', steps)
        with explain_checkpoint_mismatch(self._model_dir):
            return evaluate(self, input_fn, steps, _checked_hooks(hooks), checkpoint_path, name)

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None,
                yield_single_examples=True):
        """Yields the predictions of each example of the input, or of each batch.

        A prediction is a dict of arrays, or an array if the model_fn returns a single tensor.
        `predict_keys` selects entries of the dict. Raises ValueError for keys that the model does
        not have, and for predictions of different batch sizes.
        """
        return predict(self, input_fn, predict_keys, _checked_hooks(hooks),
                       checkpoint_path, yield_single_examples)

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn=None,
                           assets_extra=None, as_text=False, checkpoint_path=None,
                           experimental_mode=ModeKeys.PREDICT, input_fn=None):
        """Writes the model as a SavedModel into a new directory `export_dir_base`/<seconds>.

        `serving_input_receiver_fn` defines what a caller feeds, see tf.estimator.export; without it
        the names, dtypes and shapes of the features are taken from `input_fn`, the input function
        for training. Returns the directory, as bytes as in TensorFlow; the log shows how to call
        each signature. Raises ValueError if there is no checkpoint.
        """
        if serving_input_receiver_fn is None and input_fn is not None:
            serving_input_receiver_fn = saved_model.receiver_fn_of_input_fn(self, input_fn)
        _check_receiver(serving_input_receiver_fn)
        return saved_model.export(self, export_dir_base,
                                  {experimental_mode: serving_input_receiver_fn},
                                  assets_extra, as_text, checkpoint_path)

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn=None,
                          assets_extra=None, as_text=False, checkpoint_path=None,
                          strip_default_attrs=False):
        """The older form of export_saved_model, which keeps attributes that have default values.

        `strip_default_attrs` removes them, as export_saved_model does.
        """
        _check_receiver(serving_input_receiver_fn)
        return saved_model.export(self, export_dir_base,
                                  {ModeKeys.PREDICT: serving_input_receiver_fn}, assets_extra,
                                  as_text, checkpoint_path, strip_default_attrs)

    def experimental_export_all_saved_models(self, export_dir_base, input_receiver_fn_map,
                                             assets_extra=None, as_text=False,
                                             checkpoint_path=None):
        """Writes one SavedModel for several modes, given {mode: input receiver function}."""
        return saved_model.export(self, export_dir_base, input_receiver_fn_map, assets_extra,
                                  as_text, checkpoint_path)

    # ---- for other modules of estimator_layer ----------------------------------------------

    def _call_model_fn(self, features, labels, mode, config):
        return call_model_fn(self._model_fn, features, labels, mode, self.params, config)

    def _input_params(self, mode):
        """The params of an input_fn; a subclass may add to them."""
        return self.params

    def _create_global_step(self, graph):
        """The global step of a new graph; a subclass may create a different one."""
        return training_util.create_global_step(graph)

    def _warm_start(self, checkpoint_path):
        """Initializes the Variables of the default graph as `warm_start_from` says."""
        settings = self._warm_start_settings
        if not checkpoint_path and settings:
            warm_start_variables(settings)

    def _trained_checkpoint(self):
        path = self.latest_checkpoint()
        if not path:
            raise misuse(ValueError(
                f'Could not find trained model in model_dir: {self._model_dir}.'))
        return path

    def _explained_by(self):
        """tf.explain(estimator)."""
        from estimator_layer.explain import EstimatorExplanation  # start-up time
        return EstimatorExplanation(self)


def _drawable(estimator):
    """tf.viz.draw(estimator)."""
    from estimator_layer.explain import drawable  # start-up time
    return drawable(estimator)


register_drawable(Estimator, _drawable)


def config_with_model_dir(config, model_dir):
    """A RunConfig whose model_dir is set: from `config`, `model_dir` or a temporary directory."""
    if config is None:
        logging.info('Using default config.')
        config = RunConfig()
    if not isinstance(config, RunConfig):
        raise misuse(ValueError(
            f'config must be an instance of `RunConfig`, but provided {config}.\n  Hint: '
            + ('tf.estimator.RunConfig(session_config=config).' if isinstance(config, ConfigProto)
               else 'tf.estimator.RunConfig(**config).' if isinstance(config, dict)
               else 'tf.estimator.RunConfig(...).')))
    if config.session_config is None:
        config = config.replace(session_config=local_session_config())
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir not in (None, model_dir):
            raise misuse(ValueError(
                '`model_dir` are set both in constructor and `RunConfig`, but with different '
                f"values. In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "))
        if model_dir:
            return config.replace(model_dir=model_dir)
    if config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning('Using temporary folder as model directory: %s', model_dir)
        return config.replace(model_dir=model_dir)
    return config


def _warm_start_settings(warm_start_from):
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, (str, bytes, os.PathLike)):
        raise misuse(ValueError('warm_start_from must be a string or a WarmStartSettings, instead '
                                f'got {type(warm_start_from)}'))
    path = os.fsdecode(warm_start_from)
    variables = os.path.join(path, 'variables', 'variables')
    if os.path.exists(f'{variables}.index'):
        logging.info('Warm-starting from a SavedModel')
        path = variables
    return WarmStartSettings(ckpt_to_initialize_from=path)


def _check_receiver(serving_input_receiver_fn):
    if not serving_input_receiver_fn:
        raise misuse(ValueError(
            'An input_receiver_fn must be defined.\n  Hint: serving_input_receiver_fn='
            'tf.estimator.export.build_raw_serving_input_receiver_fn({name: placeholder}), or '
            'input_fn=the input function for training.'))


def _check_positive(name, value):
    if value is not None and value <= 0:
        raise misuse(ValueError(f'Must specify {name} > 0, given: {value}'))


def _checked_hooks(hooks):
    hooks = [hooks] if isinstance(hooks, SessionRunHook) else hooks
    listed = hooks is None or isinstance(hooks, (list, tuple)) or hasattr(hooks, '__next__')
    if not listed:                          # train(x, y), as with scikit-learn and Keras
        raise misuse(TypeError(
            f'hooks is a list of SessionRunHooks; got {type(hooks).__name__}.\n  Hint: the '
            "input_fn returns the labels, next to the features: train(lambda: ({'x': x}, y)), or "
            "train(({'x': x}, y)) with arrays."))
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            text = f'Hooks must be a SessionRunHook, given: {hook}'
            if isinstance(hook, type) and issubclass(hook, SessionRunHook):
                text += f'\n  Hint: that is the class; {hook.__name__}(...) creates a hook.'
            raise misuse(TypeError(text))
    return hooks


def _checked_listeners(listeners):
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, CheckpointSaverListener):
            raise misuse(TypeError('saving_listeners must be a list of CheckpointSaverListener, '
                                   f'given: {listener}'))
    return listeners


# Members of Estimator that a subclass may override, as in TensorFlow.
_OVERRIDABLE = {'_call_model_fn', '_create_global_step', '_input_params',
                '_explained_by', '__init__', '__doc__', '__repr__', '__init_subclass__',
                '__module__', '__dict__', '__weakref__', '__qualname__', '__firstlineno__',
                '__static_attributes__', 'model_fn', 'export_saved_model', 'close'}


def _check_not_overridden(estimator):
    fixed = set(Estimator.__dict__) - _OVERRIDABLE
    for kind in type(estimator).__mro__:
        if kind is Estimator:
            return
        overridden = sorted(fixed & set(vars(kind)))
        if overridden:
            raise misuse(ValueError(
                'Subclasses of Estimator cannot override members of Estimator. '
                f'{type(estimator)} does override {overridden}\n  Hint: pass another model_fn, '
                'hooks, or write a function around the method.'))
