"""tf.keras.estimator.model_to_estimator: a compiled Keras model as an Estimator.

The model is cloned into the Estimator's graph for each mode, with its weights, the state of its
optimizer and its metrics. This module and the public heads (heads/base.py), whose metrics are Keras
metrics, are the only ones of estimator_layer that import Keras; nothing imports them at start-up.
"""
from __future__ import annotations

import os

import tinyflow as tf
from estimator_layer.estimator import Estimator, WarmStartSettings, config_with_model_dir
from estimator_layer.export.export_output import PredictOutput
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from keras_layer import backend as K, losses, metrics as keras_metrics, optimizers
from keras_layer.engine.cloning import clone_model
from keras_layer.optimizers import Optimizer
from keras_layer.saving import load_model
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint
from tinyflow.train.checkpoints.object_graph import children
from tinyflow.train.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY

__all__ = ['model_to_estimator']

_FORMATS = ('saver', 'checkpoint')


def model_to_estimator(keras_model=None, keras_model_path=None, custom_objects=None,
                       model_dir=None, config=None, checkpoint_format='saver'):
    """An Estimator that trains, evaluates and predicts with a compiled Keras model.

    Args:
      keras_model: a compiled functional or Sequential model; or
      keras_model_path: the HDF5 file of such a model.
      custom_objects: {name: class or function} for custom layers.
      model_dir, config: as for an Estimator.
      checkpoint_format: 'saver': Variables by name; 'checkpoint': object-based, as
        tf.train.Checkpoint and model.save_weights write them.

    Features are a tensor or a dict by the model's input names, labels likewise by output names;
    {'features': ..., 'sample_weights': ...} adds weights. Training continues from the model's
    weights and its optimizer's state; the global step is the optimizer's `iterations`. Raises
    ValueError for a model that is not compiled, and for no model or two.
    """
    if keras_model is None and keras_model_path is None:
        raise misuse(ValueError(
            'Either `keras_model` or `keras_model_path` needs to be provided.'))
    if keras_model is not None and keras_model_path is not None:
        raise misuse(ValueError(
            'Please specity either `keras_model` or `keras_model_path`, but not both.'))
    if checkpoint_format not in (None, *_FORMATS):
        raise misuse(ValueError('Checkpoint format must be one of "checkpoint" or "saver". Got '
                                f'{checkpoint_format}'))
    config = config_with_model_dir(config, model_dir)
    if keras_model is None:
        logging.info('Loading models from %s', keras_model_path)
        keras_model = load_model(os.fspath(keras_model_path), custom_objects)
    else:
        logging.info('Using the Keras model provided.')
    if keras_model.optimizer is None:
        raise misuse(ValueError(
            'The given keras model has not been compiled yet. Please compile the model with '
            '`model.compile()` before calling `model_to_estimator()`.'))
    if not keras_model._is_graph_network:
        raise misuse(ValueError(
            'A subclassed model has no layer graph that could be cloned into the graphs of an '
            'Estimator.\n  Hint: build a functional model of the same layers, '
            'tf.keras.Model(inputs, outputs), or call the model in a model_fn.'))
    object_based = checkpoint_format == 'checkpoint'
    build = _model_fn(keras_model, custom_objects, object_based)
    initial_checkpoint = _write_initial_checkpoint(keras_model, custom_objects, config)
    return Estimator(build, config=config,
                     warm_start_from=WarmStartSettings(initial_checkpoint,
                                                       vars_to_warm_start=['.*']))


def _model_fn(keras_model, custom_objects, object_based):
    def model_fn(features, labels, mode):
        model = _clone(keras_model, custom_objects, features, labels, mode)
        predictions = dict(zip(model.output_names, model.outputs))
        loss = train_op = metrics = scaffold = None
        if mode == ModeKeys.TRAIN:
            train_op = model._functions.get('train').function.updates_op
        if mode != ModeKeys.PREDICT:
            loss = model.total_loss
            metrics = _metric_ops(model)
        if object_based:
            scaffold = tf.train.Scaffold(saver=_object_based_saver(model))
        return EstimatorSpec(
            mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics,
            scaffold=scaffold,
            export_outputs={DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)})
    return model_fn


def _object_based_saver(model):
    """A Checkpoint with the keys of model.save_weights and the global step."""
    saved = tf.train.Checkpoint()
    # The model is the root: its children become children of the Checkpoint, in this order, because
    # an object is saved under the first name that leads to it.
    for name, child in children(model).items():
        setattr(saved, name, child)
    if model.optimizer is not None:
        saved.optimizer = model.optimizer
    saved.estimator_global_step = tf.train.get_global_step()
    return saved


def _clone(keras_model, custom_objects, features, labels, mode):
    """The model with new weights, on these tensors, in the default graph."""
    K.set_learning_phase(int(mode == ModeKeys.TRAIN))
    graph = tf.get_default_graph()
    features, weights = _split_sample_weights(features)
    inputs = _in_order(features, keras_model.input_names, 'features', 'inputs')
    targets = _in_order(labels, keras_model.output_names, 'labels', 'outputs')
    with tf.keras.utils.custom_object_scope(custom_objects or {}):
        model = clone_model(keras_model, inputs)
        if mode != ModeKeys.PREDICT:
            _compile(model, keras_model, targets)
            if weights is not None:
                _set_sample_weights(model, weights)
    graph.annotations['Keras model'] = model    # the clone lives as long as the graph
    return model


def _compile(model, original, targets):
    """Compiles the clone like the original; its optimizer counts the global step."""
    loss, metrics, loss_weights, sample_weight_mode, weighted_metrics, _ = \
        original._compile_arguments
    model.compile(_copy_optimizer(original.optimizer), tf.nest.map_structure(_copy_loss, loss),
                  tf.nest.map_structure(_copy_metric, metrics), loss_weights, sample_weight_mode,
                  tf.nest.map_structure(_copy_metric, weighted_metrics), target_tensors=targets)


def _copy_optimizer(optimizer):
    step = tf.train.get_or_create_global_step()
    if not isinstance(optimizer, Optimizer):        # a tf.train optimizer has no config
        return optimizers.TFOptimizer(optimizer.optimizer, step)
    copy = type(optimizer).from_config(optimizer.get_config())
    copy.iterations = step
    return copy


def _copy_loss(loss):
    if isinstance(loss, losses.Loss):
        return type(loss).from_config(loss.get_config())
    return loss


def _copy_metric(metric):
    if isinstance(metric, keras_metrics.Metric):
        return type(metric).from_config(metric.get_config())
    return metric


def _metric_ops(model):
    """{name: (value, update)} of the metrics of compile()."""
    compiled, ops = model._compiled, {}
    local = tf.get_collection_ref(tf.GraphKeys.LOCAL_VARIABLES)
    for metric in compiled.metrics:
        for variable in metric.weights:
            if not any(variable is other for other in local):
                local.append(variable)
        ops[metric.name] = metric.result(), compiled.results[metric]
    return ops


def _split_sample_weights(features):
    if isinstance(features, dict) and set(features) == {'features', 'sample_weights'}:
        return features['features'], features['sample_weights']
    return features, None


def _set_sample_weights(model, weights):
    """Sets the sample weights of the outputs and recomputes the loss."""
    names = model.output_names
    if not isinstance(weights, dict):
        weights = weights if isinstance(weights, (list, tuple)) else [weights]
        weights = dict(zip(names, weights))
    for endpoint in model._compiled.endpoints:
        endpoint.sample_weight = weights.get(endpoint.name)
    model._compiled.build_total_loss()


def _in_order(tensors, names, what, of_model):
    """The tensors of features or labels in the order of the model's inputs or outputs."""
    if tensors is None:
        return None
    if isinstance(tensors, dict):
        wrong = set(tensors) ^ set(names)
        if wrong:
            raise misuse(KeyError(
                f'The dictionary passed into {what} does not have the expected {of_model} keys '
                f'defined in the keras model.\n\tExpected keys: {set(names)}\n\t{what} keys: '
                f'{set(tensors)}\n\tDifference: {wrong}\n  Hint: the input_fn names its {what} as '
                f'the model does: {{{", ".join(f"{name!r}: ..." for name in names)}}}.'))
        tensors = [tensors[name] for name in names]
    if not isinstance(tensors, (list, tuple)):
        tensors = [tensors]
    return [_floats(tf.convert_to_tensor(tensor)) if what == 'features' else
            tf.convert_to_tensor(tensor) for tensor in tensors]


def _floats(tensor):
    """Casts floating-point tensors, such as NumPy's float64, to the floatx of Keras."""
    wanted = tf.as_dtype(K.floatx())
    return tf.cast(tensor, wanted) if tensor.dtype.is_floating and tensor.dtype != wanted \
        else tensor


def _write_initial_checkpoint(keras_model, custom_objects, config):
    """Writes weights, optimizer state and step of the model to model_dir/keras, once."""
    directory = os.path.join(config.model_dir, 'keras')
    path = latest_checkpoint(directory)
    if path:
        return path
    os.makedirs(directory, exist_ok=True)
    weights = keras_model.get_weights()
    state = keras_model.optimizer.get_weights() if isinstance(keras_model.optimizer, Optimizer) \
        else []
    with tf.Graph().as_default(), tf.Session(config=config.session_config) as session:
        tf.set_random_seed(config.tf_random_seed)
        tf.train.create_global_step()
        model = _clone(keras_model, custom_objects, None, None, ModeKeys.TRAIN)
        model._functions.get('train')
        session.run(tf.global_variables_initializer())
        session.set_variable_values(zip(model.weights, weights))
        optimizer = model.optimizer
        if state and isinstance(optimizer, Optimizer):
            # The first weight of the optimizer is `iterations`, here the global step.
            variables = [optimizer.iterations, *[w for w in optimizer.weights
                                                 if w is not optimizer.iterations]]
            if len(variables) == len(state):
                session.set_variable_values(zip(variables, state))
        return tf.train.Saver().save(session, os.path.join(directory, 'keras_model.ckpt'))
