"""Estimator: a model_fn trained, evaluated, asked and exported, living from its checkpoints."""
from __future__ import annotations

import collections
import copy
import os
import tempfile
from difflib import get_close_matches

from estimator_layer import calling, exporting, prediction, training_loop
from estimator_layer.evaluating import evaluate
from estimator_layer.kept_sessions import KeptSessions
from estimator_layer.model_fn import ModeKeys
from estimator_layer.other_model import mend_told
from estimator_layer.run_config import RunConfig
from estimator_layer.warm_starting import warm_started
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import NotFoundError, worded
from tinyflow.inspect.viz.select import register_drawable
from tinyflow.session.config import ConfigProto
from tinyflow.train import training_util
from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint
from tinyflow.train.checkpoints.inspection import list_variables, load_variable
from tinyflow.train.hooks.checkpoints import CheckpointSaverListener
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['Estimator', 'WarmStartSettings', 'config_with_directory']

_WARM_START = ('ckpt_to_initialize_from', 'vars_to_warm_start', 'var_name_to_vocab_info',
               'var_name_to_prev_var_name')

# The global step's name in a checkpoint; the second one is that of model_to_estimator's
# checkpoints by object.
_GLOBAL_STEP = ('global_step', 'estimator_global_step/.ATTRIBUTES/VARIABLE_VALUE')

_TRAIN = ("train(input_fn, steps=...), where input_fn returns ({'x': x}, y): "
          "tf.estimator.inputs.numpy_input_fn({'x': x}, y, num_epochs=None, shuffle=True)")
# What people write who know scikit-learn, Keras or tf.contrib.learn.
_OTHER_LIBRARIES = {
    'fit': _TRAIN, 'partial_fit': _TRAIN,
    'score': 'evaluate(input_fn), a dict of metrics',
    'predict_proba': "predict(input_fn), which yields dicts with 'probabilities'",
    'predict_classes': "predict(input_fn), which yields dicts with 'class_ids'",
    'predict_scores': "predict(input_fn), which yields dicts with 'predictions'",
    'save': 'nothing is to be done: model_dir holds the checkpoints of train; export_saved_model '
            'writes a SavedModel',
    'export': 'export_saved_model(directory, serving_input_receiver_fn)',
}


class WarmStartSettings(collections.namedtuple('WarmStartSettings', _WARM_START)):
    """From which checkpoint which Variables take their first values.

    Args:
      ckpt_to_initialize_from: a checkpoint, or a directory with checkpoints.
      vars_to_warm_start: a regular expression on names of trainable Variables, a list of such on
        all Variables, or None for none.
      var_name_to_vocab_info: {name: tf.train.VocabInfo}.
      var_name_to_prev_var_name: {name: name in the checkpoint}.
    """

    __slots__ = ()

    def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start='.*',
                var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
        if not ckpt_to_initialize_from:
            raise worded(ValueError('`ckpt_to_initialize_from` MUST be set in WarmStartSettings'))
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start,
                               var_name_to_vocab_info or {}, var_name_to_prev_var_name or {})


class Estimator:
    """A model that is trained, evaluated and asked through functions that build its graph.

    `model_fn(features, labels, mode, params, config)` builds the model and returns a
    tf.estimator.EstimatorSpec; only `features` it must take. An input_fn returns a
    tf.data.Dataset, or (features, labels) as tensors; arrays, a dict of arrays or a DataFrame do,
    too. Each call builds a new graph, restores the latest checkpoint of `model_dir`, and runs.

    Args:
      model_dir: where checkpoints, graphs and summaries are; a temporary directory without it.
      config: a tf.estimator.RunConfig.
      params: a dict for the model_fn.
      warm_start_from: a checkpoint or WarmStartSettings: first values, if model_dir has none.

    Raises ValueError for a model_fn without `features`, or for two different model_dirs.
    """

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        _check_not_overridden(self)
        self._config = config_with_directory(config, model_dir)
        self._model_dir = self._config.model_dir
        logging.info('Using config: %s', self._config)
        if model_fn is None:
            raise worded(ValueError('model_fn must be provided to Estimator.'))
        calling.check(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = _warm_start_settings(warm_start_from)
        self._kept = KeptSessions()

    # ---- what it is ----------------------------------------------------------------------

    def __getattr__(self, name):
        text = f'{type(self).__name__!r} object has no attribute {name!r}'
        if name in _OTHER_LIBRARIES:
            text += f'\n  Mend: {_OTHER_LIBRARIES[name]}.'
        raise worded(AttributeError(text))

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
        """The model_fn, to be called as f(features, labels, mode, config)."""
        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)
        return public_model_fn

    def get_variable_value(self, name):
        """The value of a Variable in the latest checkpoint, an array."""
        self._check_checkpoint()
        try:
            return load_variable(self._model_dir, name)
        except NotFoundError as error:
            names = self.get_variable_names()
            near = get_close_matches(name, names, n=3, cutoff=0.4) or names[:3]
            raise NotFoundError(error.node_def, error.op, f'{error.message}\n  Mend: one of '
                                f'get_variable_names(), such as {", ".join(near)}.') from None

    def get_variable_names(self):
        """The names of all Variables in the latest checkpoint."""
        self._check_checkpoint()
        return [name for name, _ in list_variables(self._model_dir)]

    def latest_checkpoint(self):
        """The path of the latest checkpoint, or None."""
        return latest_checkpoint(self._model_dir)

    def eval_dir(self, name=None):
        """The directory of the summaries of an evaluation."""
        return os.path.join(self._model_dir, f'eval_{name}' if name else 'eval')

    def close(self):
        """Lets go of the graphs and sessions that evaluate and predict have kept."""
        self._kept.clear()

    # ---- what it does --------------------------------------------------------------------

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Trains from the latest checkpoint on; returns the Estimator.

        Ends after `steps` more steps, at global step `max_steps`, or where the input ends. `hooks`
        are SessionRunHooks, `saving_listeners` CheckpointSaverListeners. Raises ValueError for
        both numbers at once or one that is not positive, NanLossDuringTrainingError if the loss is
        not a number.
        """
        if steps is not None and max_steps is not None:
            raise worded(ValueError('Can not provide both steps and max_steps.'))
        _check_positive('steps', steps)
        _check_positive('max_steps', max_steps)
        hooks = _checked_hooks(hooks)
        if max_steps is not None and self._global_step() >= max_steps:
            logging.info('Skipping training since max_steps has already saved.')
            return self
        listeners = _checked_listeners(saving_listeners)
        with mend_told(self._model_dir):
            loss = training_loop.train(self, input_fn, hooks, steps, max_steps, listeners)
        logging.info('Loss for final step: %s.', loss)
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """The metrics of a checkpoint on the input: {name: value}, with 'loss' and 'global_step'.

        Ends after `steps` batches or where the input ends; `checkpoint_path` is the latest one by
        default, without any the Variables begin anew. The results are also written to
        `eval_dir(name)`.
        """
        _check_positive('steps', steps)
        with mend_told(self._model_dir):
            return evaluate(self, input_fn, steps, _checked_hooks(hooks), checkpoint_path, name)

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None,
                yield_single_examples=True):
        """Yields the predictions for each example of the input, or for each batch.

        A prediction is a dict of arrays, or an array if the model_fn gives a single tensor.
        `predict_keys` says which entries of the dict. Raises ValueError for keys that the model
        has not, and for predictions whose batches differ in length.
        """
        return prediction.predict(self, input_fn, predict_keys, _checked_hooks(hooks),
                                  checkpoint_path, yield_single_examples)

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn=None,
                           assets_extra=None, as_text=False, checkpoint_path=None,
                           experimental_mode=ModeKeys.PREDICT, input_fn=None):
        """Writes the model as a SavedModel into a new directory `export_dir_base`/<seconds>.

        `serving_input_receiver_fn` says what a caller feeds, see tf.estimator.export; without it
        `input_fn`, the one that trains, tells names, dtypes and shapes of the features. Returns
        the directory, as bytes as in TensorFlow; the log shows how to call each signature. Raises
        ValueError if there is no checkpoint.
        """
        if serving_input_receiver_fn is None and input_fn is not None:
            serving_input_receiver_fn = exporting.receiver_of(self, input_fn)
        _check_receiver(serving_input_receiver_fn)
        return exporting.export(self, export_dir_base,
                                {experimental_mode: serving_input_receiver_fn},
                                assets_extra, as_text, checkpoint_path)

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn=None,
                          assets_extra=None, as_text=False, checkpoint_path=None,
                          strip_default_attrs=False):
        """The old export_saved_model, which keeps attributes that have their defaults.

        `strip_default_attrs` leaves them out, as export_saved_model does.
        """
        _check_receiver(serving_input_receiver_fn)
        return exporting.export(self, export_dir_base,
                                {ModeKeys.PREDICT: serving_input_receiver_fn}, assets_extra,
                                as_text, checkpoint_path, strip_default_attrs)

    def experimental_export_all_saved_models(self, export_dir_base, input_receiver_fn_map,
                                             assets_extra=None, as_text=False,
                                             checkpoint_path=None):
        """A SavedModel with the graphs of several modes: {mode: input receiver function}."""
        return exporting.export(self, export_dir_base, input_receiver_fn_map, assets_extra,
                                as_text, checkpoint_path)

    # ---- for the modules of this floor -----------------------------------------------------

    def _call_model_fn(self, features, labels, mode, config):
        return calling.call(self._model_fn, features, labels, mode, self.params, config)

    def _create_global_step(self, graph):
        """The global step of a new graph; a subclass may make another one."""
        return training_util.create_global_step(graph)

    def _global_step(self):
        """The step of the latest checkpoint, 0 without one."""
        path = latest_checkpoint(self._model_dir)
        stored = [name for name, _ in list_variables(path)] if path else ()
        name = next((name for name in _GLOBAL_STEP if name in stored), None)
        return int(load_variable(path, name)) if name else 0

    def _warm_start(self, checkpoint_path):
        """Lets the Variables of the default graph begin as warm_start_from says."""
        settings = self._warm_start_settings
        if not checkpoint_path and settings:
            warm_started(settings)

    def _check_checkpoint(self):
        if not latest_checkpoint(self._model_dir):
            raise worded(ValueError(
                f'Could not find trained model in model_dir: {self._model_dir}.'))

    def _explained_by(self):
        """tf.explain(estimator)."""
        from estimator_layer.explanation import explained
        return explained(self)


def _drawable(estimator):
    """What tf.viz.draw(estimator) draws."""
    from estimator_layer.explanation import drawable
    return drawable(estimator)


register_drawable(Estimator, _drawable)


def config_with_directory(config, model_dir):
    """The RunConfig with its model_dir set."""
    if config is None:
        logging.info('Using default config.')
        config = RunConfig()
    if not isinstance(config, RunConfig):
        raise worded(ValueError(
            f'config must be an instance of `RunConfig`, but provided {config}.\n  Mend: '
            + ('tf.estimator.RunConfig(session_config=config).' if isinstance(config, ConfigProto)
               else 'tf.estimator.RunConfig(**config).' if isinstance(config, dict)
               else 'tf.estimator.RunConfig(...).')))
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir not in (None, model_dir):
            raise worded(ValueError(
                '`model_dir` are set both in constructor and `RunConfig`, but with different '
                f"values. In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "))
        return config.replace(model_dir=model_dir)
    if config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning('Using temporary folder as model directory: %s', model_dir)
        return config.replace(model_dir=model_dir)
    return config


def _warm_start_settings(given):
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise worded(ValueError('warm_start_from must be a string or a WarmStartSettings, instead '
                                f'got {type(given)}'))
    path = os.fspath(given)
    variables = os.path.join(path, 'variables', 'variables')
    if os.path.exists(f'{variables}.index'):
        logging.info('Warm-starting from a SavedModel')
        path = variables
    return WarmStartSettings(ckpt_to_initialize_from=path)


def _check_receiver(serving_input_receiver_fn):
    if not serving_input_receiver_fn:
        raise worded(ValueError(
            'An input_receiver_fn must be defined.\n  Mend: serving_input_receiver_fn='
            'tf.estimator.export.build_raw_serving_input_receiver_fn({name: placeholder}), or '
            'input_fn=the function that gives the training data.'))


def _check_positive(name, value):
    if value is not None and value <= 0:
        raise worded(ValueError(f'Must specify {name} > 0, given: {value}'))


def _checked_hooks(hooks):
    hooks = [hooks] if isinstance(hooks, SessionRunHook) else hooks
    listed = hooks is None or isinstance(hooks, (list, tuple)) or hasattr(hooks, '__next__')
    if not listed:                          # train(x, y), as in scikit-learn and Keras
        raise worded(TypeError(
            f'hooks is a list of SessionRunHooks; got {type(hooks).__name__}.\n  Mend: labels come '
            "from the input_fn, beside the features: train(lambda: ({'x': x}, y)), or train("
            "({'x': x}, y)) with arrays."))
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            text = f'Hooks must be a SessionRunHook, given: {hook}'
            if isinstance(hook, type) and issubclass(hook, SessionRunHook):
                text += f'\n  Mend: that is the class; {hook.__name__}(...) makes a hook.'
            raise worded(TypeError(text))
    return hooks


def _checked_listeners(listeners):
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, CheckpointSaverListener):
            raise worded(TypeError('saving_listeners must be a list of CheckpointSaverListener, '
                                   f'given: {listener}'))
    return listeners


# Parts of Estimator that a subclass may have its own of, as in TensorFlow.
_MAY_DIFFER = {'_call_model_fn', '_create_global_step', '_explained_by', '__init__', '__doc__',
               '__module__', '__dict__', '__weakref__', '__qualname__', '__firstlineno__',
               '__static_attributes__', 'model_fn', 'export_saved_model', 'close'}


def _check_not_overridden(estimator):
    own = set(Estimator.__dict__) - _MAY_DIFFER
    for kind in type(estimator).__mro__:
        if kind is Estimator:
            return
        overridden = sorted(own & set(vars(kind)))
        if overridden:
            raise worded(ValueError(
                'Subclasses of Estimator cannot override members of Estimator. '
                f'{type(estimator)} does override {overridden}\n  Mend: pass another model_fn, '
                'hooks, or write a function around the method.'))
