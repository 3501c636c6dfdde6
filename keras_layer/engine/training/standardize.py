"""Standardizes user data: checked lists of arrays, sample weights and class weights."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.sparse_rows import sparse_rows
from tinyflow.graph import eager_mode
from tinyflow.graph.support.errors import misuse, why


def as_arrays(data, names, shapes, what, check_batch=True, check=None, one_sample=''):
    """One array per name, from an array, a list, or a dict by name; ValueError if they differ.

    `shapes` are those of the model's placeholders ((None, 784); None: any); `what` is 'input' or
    'target' in messages. One-dimensional arrays become columns, as in Keras.
    `check` is called before the shapes are compared, for a more specific error. `one_sample` is the
    hint for data without the axis of the batch.
    """
    if not names:
        if _given(data):
            raise misuse(ValueError(f'Error when checking model {what}: expected no data, but got: '
                                    f'{_describe_data(data)}'))
        return []
    if data is None:
        return [None] * len(names)
    arrays = [_array(x) for x in _in_order(data, names, shapes, what)]
    arrays = [_column(x, shape) for x, shape in zip(arrays, shapes)]
    if check is not None:
        check(arrays)
    for array, name, shape in zip(arrays, names, shapes):
        if shape is not None and not K.is_tensor(array):
            _check_shape(array, name, shape, what, check_batch, one_sample)
    return arrays


def _given(data):
    return data is not None and not (isinstance(data, (list, tuple, dict)) and len(data) == 0)


def _describe_data(data):
    return f'{type(data).__name__} of shape {np.shape(data)}' if hasattr(data, 'shape') else \
        repr(data)[:100]


def _in_order(data, names, shapes, what):
    if isinstance(data, dict):
        missing = [name for name in names if name not in data]
        if missing:
            raise misuse(ValueError(
                f'No data provided for "{missing[0]}". Need data for each key in: {list(names)}; '
                f'got {list(data)}.'))
        return [data[name] for name in names]
    if isinstance(data, (list, tuple)) and not isinstance(data, tf.SparseTensorValue) and \
            not _is_one_array(data, len(names)):
        data = list(data)
    else:
        data = [data]
    if len(data) != len(names):
        if len(names) == 1 and data and not hasattr(data[0], 'shape'):
            return [np.asarray(data)]
        raise misuse(ValueError(
            f'Error when checking model {what}: the list of Numpy arrays that you are passing to '
            f'your model is not the size the model expected. Expected to see {len(names)} '
            f'array(s), for {what}s {list(names)}, but instead got the following list of '
            f'{len(data)} arrays: {[_describe_data(d) for d in data]}'))
    return data


def _is_one_array(data, count):
    """[[1, 2], [3, 4]] for a model with one input: rows, not a list of inputs."""
    return count == 1 and len(data) > 0 and not hasattr(data[0], 'shape')


def _array(x):
    if K.is_tensor(x) or x is None:
        return x
    sparse = sparse_rows(x)
    if sparse is not None:
        return sparse
    if type(x).__module__.startswith('pandas'):
        x = x.values
    if type(x).__module__.startswith('h5py') or hasattr(x, 'refs'):
        return x
    array = np.asarray(x)
    if array.dtype == object and not _is_text(array):
        raise misuse(ValueError(
            f'Failed to convert the data to an array: its rows have different lengths, or are not '
            f'numbers (first: {str(x[0])[:60]!r}).\n  Hint: '
            'keras.preprocessing.sequence.pad_sequences(x) makes sequences equally long.'))
    return array


def _is_text(array):
    return all(isinstance(item, (str, bytes)) for item in array.reshape(-1)[:3].tolist())


def _column(x, shape):
    """A vector as a column, unless the model expects a vector."""
    if x is None or K.is_tensor(x) or getattr(x, 'ndim', None) != 1:
        return x
    if shape is not None and len(shape) == 1:
        return x
    return np.expand_dims(x, -1)


def _check_shape(array, name, shape, what, check_batch, one_sample):
    found = np.shape(array)
    head = f'Error when checking {what}: expected {name} to have '
    if len(found) != len(shape):
        raise misuse(ValueError(f'{head}{len(shape)} dimensions, but got array with shape {found}'
                                f'{_dimension_hint(found, shape, one_sample)}'
                                + why('keras-input-shape')))
    pairs = list(zip(found, shape))[0 if check_batch else 1:]
    if any(wanted is not None and size != wanted for size, wanted in pairs):
        own = shape[1:] if not check_batch or shape[0] is None else shape
        raise misuse(ValueError(
            f'{head}shape {own} but got array with shape {found[len(found) - len(own):]}'
            f'{_dimension_hint(found, shape, one_sample)}' + why('keras-input-shape')))


def _dimension_hint(found, shape, one_sample):
    """A hint with the reshape or batch axis that would help, or ''."""
    if one_sample and _is_one_sample(found, shape[1:]):
        return f'\n  Hint: the axis of the batch is missing: {one_sample}.'
    if len(found) < 1 or None in shape[1:]:
        return ''
    wanted = int(np.prod(shape[1:]))
    own = int(np.prod(found[1:])) if len(found) > 1 else 1
    if wanted == own:
        inner = ', '.join(str(s) for s in (-1, *shape[1:]))
        return f'\n  Hint: .reshape({inner}).'
    return ''


def _is_one_sample(found, shape):
    """True for data of the shape of one sample, a vector of which became a column before."""
    if len(shape) == 1 and len(found) == 2 and found[1] == 1:
        found = found[:1]
    return len(found) == len(shape) and all(
        wanted in (None, size) for size, wanted in zip(found, shape))


def check_lengths(inputs, targets, weights):
    """ValueError unless all arrays have the same number of samples."""
    def lengths(arrays):
        return {x.shape[0] for x in arrays
                if x is not None and not K.is_tensor(x) and np.ndim(x) > 0}
    sets = [lengths(a) for a in (inputs, targets, weights)]
    for what, found in zip(('input', 'target', 'sample_weight'), sets):
        if len(found) > 1:
            raise misuse(ValueError(
                f'All {what} arrays (x) should have the same number of samples. Got array sizes: '
                f'{sorted(found)}'))
    for what, found in zip(('target', 'sample_weight'), sets[1:]):
        if sets[0] and found and sets[0] != found:
            raise misuse(ValueError(
                f'Input arrays should have the same number of samples as {what} arrays. Found '
                f'{min(sets[0])} input samples and {min(found)} {what} samples.'
                + why('keras-data-rows')))


def check_targets(targets, endpoints):
    """ValueError if a target does not fit the loss of its output, with the loss that would."""
    for target, endpoint in zip(targets, endpoints):
        if target is None or K.is_tensor(target):
            continue
        shape = endpoint.target_shape
        if endpoint.loss_is('categorical_crossentropy') and target.shape[-1] == 1 \
                and endpoint.shape[-1] != 1:
            raise misuse(ValueError(
                f'You are passing a target array of shape {target.shape} while using as loss '
                '`categorical_crossentropy`, which expects targets to be binary matrices (1s and '
                f'0s) of shape (samples, {endpoint.shape[-1]}): {_labels(target)}'
                "\n  Hint: loss='sparse_categorical_crossentropy' for labels as they are, or "
                f'y = keras.utils.to_categorical(y, {endpoint.shape[-1]}).'
                + why('keras-target-shape')))
        if endpoint.loss_is('sparse_categorical_crossentropy'):
            _check_sparse(target, endpoint)
        if shape is None or not endpoint.loss_is(
                'mean_squared_error', 'binary_crossentropy', 'categorical_crossentropy',
                'mean_absolute_error'):
            continue
        for size, wanted in zip(target.shape[1:], shape[1:]):
            if wanted is not None and size != wanted:
                raise misuse(ValueError(
                    f'A target array with shape {target.shape} was passed for an output of shape '
                    f'{shape} while using as loss `{endpoint.loss.fn.__name__}`. This loss expects '
                    'targets to have the same shape as the output.'
                    + why('keras-target-shape')))


def _labels(target):
    found = np.unique(target[:10000])
    if len(found) > 1 and np.all(found == np.round(found)):
        return f'your labels are integers {int(found[0])}..{int(found[-1])}.'
    return 'yours have one column.'


def _check_sparse(target, endpoint):
    if target.shape[-1] != 1 and len(target.shape) == len(endpoint.shape):
        one_hot = 'one-hot rows' if np.all(np.sum(target[:100], axis=-1) == 1) else 'rows'
        raise misuse(ValueError(
            f'You are passing a target array of shape {target.shape}, {one_hot}, while using as '
            'loss `sparse_categorical_crossentropy`, which expects one integer label per sample.'
            "\n  Hint: loss='categorical_crossentropy' for one-hot targets, or "
            'y = np.argmax(y, axis=-1).' + why('keras-target-shape')))


def standardize_weights(targets, sample_weight, class_weight, endpoints):
    """One array of weights for each trained output, or None for equal weights."""
    given = _by_output(sample_weight, endpoints, 'sample_weight')
    by_class = _class_weights(class_weight, endpoints)
    found = []
    for target, weight, classes, endpoint in zip(targets, given, by_class, endpoints):
        if weight is not None:
            weight = np.asarray(weight)
            _check_weight(weight, target, endpoint)
        if classes is not None:
            of_class = _of_classes(target, classes)
            weight = of_class if weight is None else weight * of_class
        found.append(weight)
    if all(w is None for w in found):
        return None
    return [_ones_like(t, e) if w is None else w for t, w, e in zip(targets, found, endpoints)]


def check_keys(given, names, what):
    """ValueError unless the keys of a dict by output name are names of outputs."""
    unknown = [key for key in given if key not in names]
    if unknown:
        raise misuse(ValueError(f'Unknown entries in {what} dictionary: {unknown}. Only expected '
                                f'following keys: {list(names)}'))


def _by_output(value, endpoints, what):
    names = [e.name for e in endpoints]
    if value is None:
        return [None] * len(names)
    if isinstance(value, dict):
        check_keys(value, names, what)
        return [value.get(name) for name in names]
    if isinstance(value, (list, tuple)) and (len(names) > 1 or (
            value and hasattr(value[0], 'shape') and np.ndim(value[0]) > 0)):
        if len(value) != len(names):
            raise misuse(ValueError(f'Provided `{what}` was a list of {len(value)} elements, but '
                                    f'the model has {len(names)} outputs.'))
        return list(value)
    if len(names) > 1:
        raise misuse(TypeError(f'The model has multiple outputs, so `{what}` should be either a '
                               f'list or a dict by output name: {names}.'))
    return [np.asarray(value)]


def _class_weights(class_weight, endpoints):
    """For each output the dict {class: weight}, or None. As in TF, other types are ignored."""
    if class_weight is None or isinstance(class_weight, (list, tuple)) and not class_weight:
        return [None] * len(endpoints)
    return [_class_dict(w) for w in _class_weight_by_output(class_weight, endpoints)]


def _class_weight_by_output(class_weight, endpoints):
    names = [e.name for e in endpoints]
    is_list = isinstance(class_weight, (list, tuple))
    if isinstance(class_weight, dict) and any(isinstance(key, str) for key in class_weight):
        check_keys(class_weight, names, 'class_weight')
        return [class_weight.get(name) for name in names]
    if is_list and len(class_weight) == len(names):
        return list(class_weight)
    if len(names) == 1:
        return [class_weight]
    if is_list:
        raise misuse(ValueError(f'Provided `class_weight` was a list of {len(class_weight)} '
                                f'elements, but the model has {len(names)} outputs.'))
    raise misuse(ValueError('The model has several outputs, so `class_weight` should be a dict '
                            f'by output name: {names}.'))


def _class_dict(given):
    if given is None or isinstance(given, dict):
        return given
    tf.logging.log_first_n(tf.logging.WARN, (
        'class_weight is a %s and is ignored, as in TF: it has to be a dict {class: weight}. '
        'Hint: class_weight=dict(enumerate(weights)).'), 1, type(given).__name__)
    return None


def _check_weight(weight, target, endpoint):
    if endpoint.weight_mode == 'temporal' and weight.ndim != 2:
        raise misuse(ValueError(f'Found a sample_weight array for an input with shape '
                                f'{np.shape(target)}. Timestep-wise sample weighting requires a 2D '
                                'array [samples, steps].'))
    if weight.ndim > np.ndim(target) or np.shape(target)[:weight.ndim] != weight.shape:
        raise misuse(ValueError(
            f'Found a sample_weight array with shape {weight.shape} for an input with shape '
            f'{np.shape(target)}. sample_weight cannot be broadcast.'))


def _of_classes(target, classes):
    """The weight of each sample: that of its class."""
    if target.ndim > 2:
        raise misuse(ValueError('`class_weight` not supported for 3+ dimensional targets.'))
    if target.ndim == 2 and target.shape[1] > 1:
        labels = np.argmax(target, axis=1)
    else:
        labels = target.reshape(-1)
    found, positions = np.unique(labels, return_inverse=True)
    missing = [label for label in found.tolist() if label not in classes]
    if missing:
        raise misuse(ValueError(
            f'`class_weight` must contain all classes in the data. The classes {missing} '
            f'exist in the data but not in `class_weight`.'))
    return np.array([classes[label] for label in found.tolist()], K.floatx())[positions]


def _ones_like(target, endpoint):
    shape = np.shape(target)[:2 if endpoint.weight_mode == 'temporal' else 1]
    return np.ones(shape, K.floatx())


def is_symbolic(data):
    """True if the data are tensors of the graph; those of eager execution have values."""
    return any(isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)) and not has_value(x)
               for x in tf.nest.flatten(data))


def has_value(x):
    """True for a tensor of eager execution."""
    return eager_mode.tensor_type is not None and isinstance(x, eager_mode.tensor_type)


def with_arrays(data):
    """The data with arrays in place of tensors of eager execution."""
    if eager_mode.tensor_type is None or not any(map(has_value, tf.nest.flatten(data))):
        return data
    return tf.nest.map_structure(lambda x: x.numpy() if has_value(x) else x, data)
