"""TPUEstimator with use_tpu=False: an Estimator whose params know the size of a batch."""
from __future__ import annotations

import math
from weakref import ref

from estimator_layer.call_model_fn import check_model_fn, parameter_names
from estimator_layer.estimator import Estimator
from estimator_layer.model_fn import ModeKeys
from estimator_layer.tpu.config import RunConfig, check_positive, loop_of
from estimator_layer.tpu.spec import TPUEstimatorSpec
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.dtypes import int64
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope
from tinyflow.train.hooks.summaries import StepCounterHook

__all__ = ['TPUEstimator']

_RESERVED = ('batch_size', 'context')


class TPUEstimator(Estimator):
    """An Estimator for TPUs, which runs on the CPU where `use_tpu=False`.

    Args:
      config: a tf.contrib.tpu.RunConfig.
      params: as for an Estimator, without the keys 'batch_size' and 'context'; the first
        is set in each call, and 'use_tpu'.
      train_batch_size, eval_batch_size, predict_batch_size: what `params['batch_size']` is in each
        mode; input_fn and model_fn have a parameter `params`.
      eval_on_tpu: False lets `evaluate` run although `use_tpu` is True.
      batch_axis, export_to_tpu, export_to_cpu, embedding_config_spec: for a TPU.

    With `use_tpu=True` the calls that a TPU would run raise RuntimeError.
    """

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, use_tpu=True,
                 train_batch_size=None, eval_batch_size=None, predict_batch_size=None,
                 batch_axis=None, eval_on_tpu=True, export_to_tpu=True, export_to_cpu=True,
                 warm_start_from=None, embedding_config_spec=None,
                 export_saved_model_api_version=None):
        if not isinstance(config, RunConfig):
            raise misuse(ValueError(
                '`config` must be provided with type `tpu_config.RunConfig`\n  Hint: '
                'tf.contrib.tpu.RunConfig(model_dir=...).'))
        if params is not None and any(key in params for key in _RESERVED):
            raise misuse(ValueError(
                f'{list(_RESERVED)} are reserved keys but existed in params {params}.'))
        sizes = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size,
                 ModeKeys.PREDICT: predict_batch_size}
        if use_tpu:
            _check_sizes(sizes)
        check_model_fn(model_fn, params)
        steps = config.log_step_count_steps
        super().__init__(self._with_batch_size(model_fn), model_dir,
                         config.replace(log_step_count_steps=None, keep_sessions=False),
                         params or {}, warm_start_from)
        self._uses_tpu = {ModeKeys.TRAIN: use_tpu, ModeKeys.EVAL: use_tpu and eval_on_tpu,
                          ModeKeys.PREDICT: use_tpu}
        self._batch_sizes = sizes
        per_loop, seconds = loop_of(config.tpu_config.iterations_per_loop)
        if seconds is None:                     # one log in every so many loops, as in TensorFlow
            steps = steps and math.ceil(steps / per_loop)
        self._log_every = {'every_n_steps': None if seconds else steps, 'every_n_secs': seconds}
        self._export_to_cpu = export_to_cpu
        self._graph_with_input = None

    def _input_params(self, mode):
        """The params of an input_fn: with the size of a batch in this mode."""
        if self._uses_tpu[mode]:
            raise misuse(RuntimeError(
                'Cannot find any TPU cores in the system: tinyflow runs on the CPU only.\n  Hint: '
                'TPUEstimator(..., use_tpu=False) runs the same model; BERT and programs like it '
                'have a flag, --use_tpu=False.'))
        self._graph_with_input = ref(get_default_graph())
        params = self.params
        _add(params, 'batch_size', self._batch_sizes[mode])
        return params

    def _with_batch_size(self, model_fn):
        """A model_fn whose params have the size of a batch, and which returns an EstimatorSpec."""
        def call(features, labels, mode, config, params):
            if 'params' not in parameter_names(model_fn):
                raise misuse(ValueError(
                    f'model_fn ({model_fn}) does not include params argument, required by '
                    "TPUEstimator to pass batch size as params['batch_size']"))
            if self._graph_with_input is not None and \
                    self._graph_with_input() is get_default_graph():    # not so in an export
                _add(params, 'batch_size', self._batch_sizes[mode])
            elif not self._export_to_cpu:
                raise misuse(RuntimeError(
                    'export_to_cpu=False leaves nothing to export: there is no TPU here.'))
            _add(params, 'use_tpu', False)
            logging.info('Running %s on CPU', mode)
            spec = self._call(model_fn, features, labels, mode, params, config)
            if isinstance(spec, TPUEstimatorSpec):
                spec = spec.as_estimator_spec()
            if any(self._log_every.values()):
                hook = _ExamplesPerSecond(self._batch_sizes[mode], **self._log_every,
                                          output_dir=config.save_summary_steps and self.model_dir)
                spec = spec._replace(training_hooks=(*spec.training_hooks, hook))
            return spec
        return call

    @staticmethod
    def _call(model_fn, features, labels, mode, params, config):
        names = parameter_names(model_fn)
        if labels is not None and 'labels' not in names:
            raise misuse(ValueError('model_fn does not take labels, but input_fn returns labels.'))
        arguments = {'labels': labels, 'mode': mode, 'params': params, 'config': config}
        return model_fn(features=features,
                        **{name: value for name, value in arguments.items() if name in names})

    def _create_global_step(self, graph):
        """A global step that is a resource Variable, as a TPU needs it."""
        with graph.as_default(), variable_scope('', reuse=False):
            return get_variable(
                GraphKeys.GLOBAL_STEP, [], int64, zeros_initializer(), trainable=False,
                use_resource=True,
                collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


class _ExamplesPerSecond(StepCounterHook):
    """Logs and writes steps and examples per second."""

    def __init__(self, batch_size, every_n_steps, every_n_secs, output_dir):
        super().__init__(every_n_steps, every_n_secs, output_dir or None)
        self._batch_size = batch_size

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        super()._log_and_record(elapsed_steps, elapsed_time, global_step)
        if self._batch_size is None or not elapsed_time:
            return
        speed = self._batch_size * elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
            self._summary_writer.add_summary(Summary(value=[
                Summary.Value(tag='examples/sec', simple_value=speed)]), global_step)
        logging.info('examples/sec: %g', speed)


def _check_sizes(sizes):
    if sizes[ModeKeys.TRAIN] is None:
        raise misuse(ValueError('`train_batch_size` cannot be `None`'))
    for name, mode in (('train', ModeKeys.TRAIN), ('eval', ModeKeys.EVAL),
                       ('predict', ModeKeys.PREDICT)):
        if sizes[mode] is not None:
            check_positive(sizes[mode], f'{name}_batch_size')


def _add(params, name, value):
    """Sets an entry of a dict, or of tf.contrib.training.HParams."""
    if value is None:
        return
    if hasattr(params, 'set_hparam'):
        (params.set_hparam if name in params else params.add_hparam)(name, value)
    else:
        params[name] = value
