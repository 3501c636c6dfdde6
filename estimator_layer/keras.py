"""model_to_estimator: a compiled Keras model as an Estimator.

The model is cloned into the Estimator's graph for each mode; its weights, the state of its
optimizer and its metrics go with it (PAINS B22). This is the one module of this floor that knows
Keras.
"""
from __future__ import annotations

import os

import tinyflow as tf
from estimator_layer.estimator import Estimator, WarmStartSettings, config_with_directory
from estimator_layer.export.export_output import PredictOutput
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from keras_layer import backend as K, losses, metrics as keras_metrics, optimizers
from keras_layer.engine.cloning import clone_model
from keras_layer.optimizers import Optimizer
from keras_layer.saving import load_model
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import worded
from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint
from tinyflow.train.checkpoints.object_graph import children
from tinyflow.train.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY

__all__ = ['model_to_estimator']

_FORMATS = ('saver', 'checkpoint')


def model_to_estimator(keras_model=None, keras_model_path=None, custom_objects=None,
                       model_dir=None, config=None, checkpoint_format='saver'):
    """An Estimator that trains, evaluates and asks a compiled Keras model.

    Args:
      keras_model: a compiled functional or Sequential model, or else
      keras_model_path: the HDF5 file of one.
      custom_objects: {name: class or function} for layers of one's own.
      model_dir, config: as for an Estimator.
      checkpoint_format: 'saver': Variables by their names; 'checkpoint': by the objects that have
        them, as tf.train.Checkpoint and model.save_weights write them.

    The input's features are a tensor or a dict by the model's input names, its labels likewise by
    output names; {'features': ..., 'sample_weights': ...} brings weights. Training goes on from the
    model's weights and its optimizer's state, the global step being the optimizer's `iterations`.
    Raises ValueError for a model that is not compiled, or for none or two of them.
    """
    if keras_model is None and keras_model_path is None:
        raise worded(ValueError(
            'Either `keras_model` or `keras_model_path` needs to be provided.'))
    if keras_model is not None and keras_model_path is not None:
        raise worded(ValueError(
            'Please specity either `keras_model` or `keras_model_path`, but not both.'))
    if checkpoint_format not in (None, *_FORMATS):
        raise worded(ValueError('Checkpoint format must be one of "checkpoint" or "saver". Got '
                                f'{checkpoint_format}'))
    config = config_with_directory(config, model_dir)
    if keras_model is None:
        logging.info('Loading models from %s', keras_model_path)
        keras_model = load_model(os.fspath(keras_model_path), custom_objects)
    else:
        logging.info('Using the Keras model provided.')
    if keras_model.optimizer is None:
        raise worded(ValueError(
            'The given keras model has not been compiled yet. Please compile the model with '
            '`model.compile()` before calling `model_to_estimator()`.'))
    if not keras_model._is_graph_network:
        raise worded(ValueError(
            'A subclassed model has no wiring that could be built again in the graphs of an '
            'Estimator.\n  Mend: the same layers as a functional model, '
            'tf.keras.Model(inputs, outputs), or a model_fn that makes the model.'))
    by_object = checkpoint_format == 'checkpoint'
    build = _model_fn(keras_model, custom_objects, by_object)
    first = _first_checkpoint(keras_model, custom_objects, config)
    return Estimator(build, config=config,
                     warm_start_from=WarmStartSettings(first, vars_to_warm_start=['.*']))


def _model_fn(keras_model, custom_objects, by_object):
    def model_fn(features, labels, mode):
        model = _clone(keras_model, custom_objects, features, labels, mode)
        predictions = dict(zip(model.output_names, model.outputs))
        loss = train_op = metrics = scaffold = None
        if mode == ModeKeys.TRAIN:
            train_op = model._functions.get('train').function.updates_op
        if mode != ModeKeys.PREDICT:
            loss = model.total_loss
            metrics = _metric_ops(model)
        if by_object:
            scaffold = tf.train.Scaffold(saver=_by_object(model))
        return EstimatorSpec(
            mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics,
            scaffold=scaffold,
            export_outputs={DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)})
    return model_fn


def _by_object(model):
    """A Checkpoint whose keys are those of model.save_weights, and the global step's."""
    saved = tf.train.Checkpoint()
    # The model is the root, so what hangs on it hangs on the Checkpoint itself: in this order,
    # where the first name of an object is the one that it is saved under.
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
    features, weights = _without_weights(features)
    inputs = _in_order(features, keras_model.input_names, 'features', 'inputs')
    targets = _in_order(labels, keras_model.output_names, 'labels', 'outputs')
    with tf.keras.utils.custom_object_scope(custom_objects or {}):
        model = clone_model(keras_model, inputs)
        if mode != ModeKeys.PREDICT:
            _compile(model, keras_model, targets)
            if weights is not None:
                _weigh(model, weights)
    graph._keras_model = model              # the nodes of a model go with it
    return model


def _compile(model, like, targets):
    """Compiles the clone as the model was, its optimizer counting the global step."""
    loss, metrics, loss_weights, sample_weight_mode, weighted_metrics, _ = like._compile_arguments
    model.compile(_optimizer_like(like.optimizer), tf.nest.map_structure(_loss_like, loss),
                  tf.nest.map_structure(_metric_like, metrics), loss_weights, sample_weight_mode,
                  tf.nest.map_structure(_metric_like, weighted_metrics), target_tensors=targets)


def _optimizer_like(optimizer):
    step = tf.train.get_or_create_global_step()
    if not isinstance(optimizer, Optimizer):        # a tf.train optimizer has no settings to read
        return optimizers.TFOptimizer(optimizer.optimizer, step)
    twin = type(optimizer).from_config(optimizer.get_config())
    twin.iterations = step
    return twin


def _loss_like(loss):
    if isinstance(loss, losses.Loss):
        return type(loss).from_config(loss.get_config())
    return loss


def _metric_like(metric):
    if isinstance(metric, keras_metrics.Metric):
        return type(metric).from_config(metric.get_config())
    return metric


def _metric_ops(model):
    """{name: (value, update)} of the metrics of compile()."""
    compiled, found = model._compiled, {}
    local = tf.get_collection_ref(tf.GraphKeys.LOCAL_VARIABLES)
    for metric in compiled.metrics:
        for variable in metric.weights:
            if not any(variable is other for other in local):
                local.append(variable)
        found[metric.name] = metric.result(), compiled.results[metric]
    return found


def _without_weights(features):
    if isinstance(features, dict) and set(features) == {'features', 'sample_weights'}:
        return features['features'], features['sample_weights']
    return features, None


def _weigh(model, weights):
    """Gives the model's outputs their sample weights and puts the loss together again."""
    names = model.output_names
    if not isinstance(weights, dict):
        weights = weights if isinstance(weights, (list, tuple)) else [weights]
        weights = dict(zip(names, weights))
    for endpoint in model._compiled.endpoints:
        endpoint.sample_weight = weights.get(endpoint.name)
    model._compiled.build_total_loss()


def _in_order(given, names, what, of_model):
    """The tensors of features or labels in the order of the model's inputs or outputs."""
    if given is None:
        return None
    if isinstance(given, dict):
        wrong = set(given) ^ set(names)
        if wrong:
            raise worded(KeyError(
                f'The dictionary passed into {what} does not have the expected {of_model} keys '
                f'defined in the keras model.\n\tExpected keys: {set(names)}\n\t{what} keys: '
                f'{set(given)}\n\tDifference: {wrong}\n  Mend: the input_fn names its {what} as '
                f'the model does: {{{", ".join(f"{name!r}: ..." for name in names)}}}.'))
        given = [given[name] for name in names]
    if not isinstance(given, (list, tuple)):
        given = [given]
    return [_floats(tf.convert_to_tensor(tensor)) if what == 'features' else
            tf.convert_to_tensor(tensor) for tensor in given]


def _floats(tensor):
    """Numbers in double precision, as NumPy makes them, in that of Keras."""
    wanted = tf.as_dtype(K.floatx())
    return tf.cast(tensor, wanted) if tensor.dtype.is_floating and tensor.dtype != wanted \
        else tensor


def _first_checkpoint(keras_model, custom_objects, config):
    """Writes weights, optimizer state and step of the model below model_dir; once."""
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
            # Its first weight is `iterations`, which is the global step here.
            kept = [optimizer.iterations, *[w for w in optimizer.weights
                                            if w is not optimizer.iterations]]
            if len(kept) == len(state):
                session.set_variable_values(zip(kept, state))
        return tf.train.Saver().save(session, os.path.join(directory, 'keras_model.ckpt'))
