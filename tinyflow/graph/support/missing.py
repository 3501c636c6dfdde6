"""TensorFlow names that tinyflow does not implement: an error with the reason and a replacement.

A namespace module ends with `__getattr__ = explain_missing(__name__, globals())`, which Python
calls for attributes that the module does not have. A missing name belongs to TensorFlow 1 and is
not implemented, was renamed before TensorFlow 1.0, belongs to TensorFlow 2, or is a typing mistake.
"""
from __future__ import annotations

import os
import sys
from functools import cache

from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.keywords import close_matches

# Keys are full names without the leading "tf.".

# Names from before TensorFlow 1.0 -> the current name.
_RENAMED = {
    'models': 'tf.nn.dynamic_rnn, with the cells of tf.nn.rnn_cell',
    'nn.rnn': 'tf.nn.static_rnn, or tf.nn.dynamic_rnn',
    'nn.seq2seq': 'tf.contrib.legacy_seq2seq, or the newer tf.contrib.seq2seq',
    'audio_summary': 'tf.summary.audio',
    'batch_cholesky': 'tf.cholesky',
    'batch_matmul': 'tf.matmul, which also multiplies batches of matrices',
    'batch_matrix_diag': 'tf.matrix_diag',
    'batch_matrix_inverse': 'tf.matrix_inverse',
    'batch_matrix_solve': 'tf.matrix_solve',
    'batch_matrix_transpose': 'tf.matrix_transpose',
    'complex_abs': 'tf.abs',
    'concat_v2': 'tf.concat(values, axis)',
    'histogram_summary': 'tf.summary.histogram',
    'image_summary': 'tf.summary.image',
    'inv': 'tf.reciprocal',
    'listdiff': 'tf.setdiff1d',
    'matrix_logarithm': 'tf.linalg.logm',
    'merge_all_summaries': 'tf.summary.merge_all',
    'merge_summary': 'tf.summary.merge',
    'mul': 'tf.multiply',
    'neg': 'tf.negative',
    'pack': 'tf.stack',
    'scalar_summary': 'tf.summary.scalar',
    'select': 'tf.where',
    'self_adjoint_eigvalues': 'tf.self_adjoint_eigvals',
    'sub': 'tf.subtract',
    'train.SummaryWriter': 'tf.summary.FileWriter',
    'unpack': 'tf.unstack',
}

# Names of TensorFlow 1 that are not implemented -> a replacement.
_INSTEAD = {
    'nn.compute_average_loss': 'tf.reduce_mean(per_example_loss)',
    'linalg.LinearOperatorLowerTriangular': 'tf.matrix_band_part(x, -1, 0)',
    'linalg.LinearOperatorDiag': 'tf.matrix_diag(x), or x[..., None] * y',
    'vectorized_map': 'ops work on whole arrays; otherwise tf.stack a list that a `for` loop makes',
}

# Names of TensorFlow 1.15 that serve TensorFlow 2's way of writing programs -> what does the same
# here, or '' where nothing does.
_NOT_PLANNED = {
    'experimental': '',
    'wrap_function': 'a Python function that builds nodes in the default graph',
}

# Names of TensorFlow 2 -> the equivalent here, or '' if there is none.
_TENSORFLOW_2 = {
    'autodiff': '', 'dtensor': '', 'eig': '', 'eigvals': '', 'inside_function': '',
    'is_symbolic_tensor': '', 'mlir': '', 'nn.gelu': '', 'nn.silu': 'x * tf.sigmoid(x)',
    'optimizers': 'tf.train, e.g. tf.train.AdamOptimizer',
    'random.Generator': 'tf.random.experimental.Generator',
    'random.get_global_generator': 'tf.random.experimental.get_global_generator',
    'random.set_global_generator': 'tf.random.experimental.set_global_generator',
    'random.set_seed': 'tf.set_random_seed',
    'tensor_scatter_nd_max': '', 'tensor_scatter_nd_min': '', 'types': '',
}

# Parts of TensorFlow 1 that are deliberately not implemented -> the reason, or a replacement.
_NO_CONTRIB = 'it was experimental and is no longer maintained'
_LEFT_OUT = {
    'contrib.boosted_trees': 'use tf.estimator.BoostedTreesClassifier and '
                             'BoostedTreesRegressor',
    **dict.fromkeys([f'contrib.{name}' for name in (
        'all_reduce', 'autograph', 'batching', 'bayesflow', 'bigtable', 'checkpoint',
        'cloud', 'coder', 'compiler', 'constrained_optimization', 'copy_graph',
        'ffmpeg', 'gan', 'graph_editor', 'grid_rnn', 'hooks', 'ignite_dataset', 'input_pipeline',
        'integrate', 'kafka', 'kernel_methods', 'kfac', 'linear_optimizer', 'memory_stats',
        'meta_graph_transform', 'mixed_precision', 'model_pruning', 'mpi_collectives',
        'nearest_neighbor', 'optimizer_v2', 'periodic_resample', 'proto', 'quantize',
        'receptive_field', 'recurrent', 'reduce_slice_ops', 'remote_fused_graph', 'resampler',
        'rpc', 'solvers', 'sparsemax', 'specs', 'staging', 'stat_summarizer', 'tensorrt', 'text',
        'timeseries')], _NO_CONTRIB),
    'contrib.deprecated': 'use tf.summary.scalar, histogram and image',
    **dict.fromkeys(
        ('contrib.estimator.replicate_model_fn', 'contrib.estimator.TowerOptimizer'),
        'use tf.estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy())'),
    **dict.fromkeys([f'contrib.estimator.DNN{kind}WithLayerAnnotations'
                     for kind in ('Classifier', 'Regressor')],
                    'use tf.estimator.Estimator with a model_fn that names its layers'),
    **dict.fromkeys([f'contrib.distributions.{name}' for name in (
        'Autoregressive', 'BatchReshape', 'Chi2WithAbsDf', 'ConditionalDistribution',
        'ConditionalTransformedDistribution', 'InverseGammaWithSoftplusConcentrationRate',
        'Kumaraswamy', 'MultivariateNormalDiagPlusLowRank',
        'PoissonLogNormalQuadratureCompound', 'QuantizedDistribution', 'SeedStream',
        'SinhArcsinh', 'StudentTWithAbsDfSoftplusScale', 'VectorDeterministic',
        'VectorDiffeomixture', 'VectorExponentialDiag', 'VectorLaplaceDiag',
        'VectorSinhArcsinhDiag', 'WishartCholesky', 'WishartFull')],
        'a subclass of tf.distributions.Distribution with _log_prob and _sample_n does the same'),
    'contrib.image': 'use tf.image; for rotations, scipy.ndimage in tf.py_func',
    'contrib.losses.metric_learning': 'a triplet loss is tf.nn.relu(d_near - d_far + margin)',
    **dict.fromkeys([f'contrib.opt.{name}' for name in (
        'AGNOptimizer', 'AdamGSOptimizer', 'DropStaleGradientOptimizer',
        'ElasticAverageOptimizer', 'GGTOptimizer', 'LazyAdamGSOptimizer',
        'ModelAverageOptimizer', 'MultitaskOptimizerWrapper', 'RegAdagradOptimizer',
        'ShampooOptimizer', 'VariableClippingOptimizer')],
        'the other optimizers of tf.contrib.opt, of tf.train and tf.keras.optimizers are there'),
    'contrib.tensor_forest.client': 'its estimator is left out; '
        'tf.contrib.tensor_forest.tensor_forest.RandomForestGraphs has the graphs',
    'contrib.session_bundle': 'use tf.saved_model',
    'contrib.stateless': 'after tf.set_random_seed(n), ops draw the same numbers in each '
                         'new Session',
    'contrib.training.bucket_by_sequence_length': 'tf.data.experimental.bucket_by_sequence_length',
    **dict.fromkeys([f'contrib.tpu.{name}' for name in (
        'AsyncCheckpointSaverHook', 'DeviceAssignment', 'InfeedQueue', 'TPUDistributionStrategy',
        'Topology', 'batch_parallel', 'bfloat16_scope', 'core', 'cross_replica_sum',
        'device_assignment', 'export_estimator_savedmodel', 'initialize_system',
        'keras_to_tpu_model', 'outside_compilation', 'repeat', 'replicate', 'rewrite', 'shard',
        'shutdown_system', 'while_loop')],
        'tinyflow runs on the CPU only; programs with TPUEstimator(..., use_tpu=False) run'),
    'keras.experimental.LinearModel': 'Dense layers of the inputs and Add do the same',
    'keras.experimental.WideDeepModel': 'Add of two models\' outputs is the same model; Keras '
                                        'trains it with one optimizer',
    'keras.layers.Highway': 'it belongs to Keras 1; Dense layers, Multiply and Add of their '
                            'outputs do the same',
    'keras.layers.MaxoutDense': 'it belongs to Keras 1; Dense, Reshape and tf.reduce_max of its '
                                'output do the same',
    'keras.layers.Merge': 'it belongs to Keras 1; call add, multiply or concatenate on a list of '
                          'tensors and make a Model(inputs=[...], outputs=...)',
    'keras.layers.TimeDistributedDense': 'it belongs to Keras 1; Dense works on every step',
    'contrib.lite': 'models are saved as SavedModel or GraphDef only',
    **dict.fromkeys([f'{where}.cluster_resolver.{kind}ClusterResolver'
                     for where in ('distribute', 'contrib') for kind in ('GCE', 'Kubernetes')],
                    'it asks the provider which machines there are; set TF_CONFIG in each process '
                    '(docs/cluster.md), or use SimpleClusterResolver'),
    **dict.fromkeys([f'{where}.cluster_resolver.TPUClusterResolver'
                     for where in ('distribute', 'contrib')],
                    'tinyflow runs on the CPU only; tf.Session() runs the same graph'),
    'distribute.experimental.TPUStrategy': 'tinyflow runs on the CPU only; several processes: '
        'tf.distribute.experimental.MultiWorkerMirroredStrategy()',
    'tpu': 'tinyflow runs on the CPU only; tf.Session() runs the same graph',
    'contrib.cudnn_rnn': 'there is no GPU; tf.contrib.rnn.LSTMCell and tf.nn.dynamic_rnn do the '
                         'same',
}

# Namespaces that share names for the same function: tf.math.tanh, tf.nn.tanh and tf.tanh.
_SHARED = ('', 'nn', 'train', 'math', 'linalg', 'random', 'bitwise', 'debugging', 'dtypes', 'manip')


class MissingNameError(AttributeError):
    """A TensorFlow name that is not in tinyflow; an AttributeError, so that hasattr works."""


def explain_missing(module_name, known_names):
    """A module's `__getattr__`, which explains why a name is missing and suggests a replacement.

    `known_names` are the names that the module has, as a collection or its `globals()`; they are
    only looked at when a name is missing.
    """
    is_keras = module_name.partition('.')[0] == 'keras'             # of `import keras`
    root = '' if is_keras else 'tf.'
    space = module_name if is_keras else module_name.partition('.')[2].removeprefix('api.')

    def __getattr__(name):
        # Python and its tools look such names up on every module; they get the usual error.
        if name.startswith('_'):
            raise AttributeError(f'module {module_name!r} has no attribute {name!r}')
        own = [n for n in known_names if not n.startswith('_')]
        raise misuse(MissingNameError(_why(root, space, name, own)))

    return __getattr__


def hide_modules(namespace, kept=()):
    """Removes submodules, except `kept`, from the `globals()` of a package.

    Importing tinyflow.session makes it an attribute of the package, but import statements such as
    `from tinyflow.session import Session` work without that.
    """
    for name in [name for name, value in namespace.items() if isinstance(value, type(sys))
                 and name not in kept and not name.startswith('_')]:
        del namespace[name]


def _why(root, space, name, own):
    """The text of the error: the reason, and what to use instead."""
    full = f'{space}.{name}' if space else name
    shown = root + full
    if full in _RENAMED:
        return f'{shown} was renamed in TensorFlow 1.0: {_present_name(_RENAMED[full])}.'
    if full in _TENSORFLOW_2:
        instead = _TENSORFLOW_2[full]
        return (f'{shown} belongs to TensorFlow 2'
                + (f'; in TensorFlow 1: {instead}.' if instead else '.') + ' '
                'TensorFlow 2\'s names, as far as tinyflow has them, are in tf.compat.v2, and in '
                '`tf` of a program that `python -m tinyflow run --v2` runs.')
    if full in _NOT_PLANNED:
        instead = _NOT_PLANNED[full]
        return f'{shown} is not in tinyflow' + (f'; instead: {instead}.' if instead else '.')
    if full in _LEFT_OUT:
        return f'{shown} is not part of tinyflow: {_LEFT_OUT[full]}.'
    elsewhere = _other_namespaces(space, name)
    if full in _tensorflow_1():
        instead = _INSTEAD.get(full) or elsewhere
        return (f'{shown} is not in tinyflow yet'
                + (f'; until then: {instead}.' if instead else '.'))
    if elsewhere:
        return f'there is no {shown}; it is {elsewhere}.'
    nearest = _nearest(root, space, name, own)
    return f'there is no {shown}' + (f'; nearest: {", ".join(nearest)}.' if nearest else '.') \
        + why('unknown-name')


def _present_name(text):
    """The new name, with a note if tinyflow does not have that one either."""
    name = text.partition('(')[0].partition(',')[0]
    value = sys.modules.get('tinyflow')
    for part in name.split('.')[1:]:
        value = getattr(value, part, None)
    return f'it is {text}' + ('' if value is not None else ', which is not in tinyflow yet')


@cache
def _tensorflow_1():
    """The names that TensorFlow 1.15 has in tf and in the namespaces one level below."""
    path = os.path.join(os.path.dirname(__file__), 'tf1_names.txt')
    with open(path, encoding='utf-8') as file:
        return frozenset(file.read().split())


def _namespaces():
    """Namespace ('' for tf itself) -> its public names, for the namespaces that share names."""
    package = sys.modules.get('tinyflow')
    found = {}
    for space in _SHARED:
        module = getattr(package, space, None) if space else package
        found[space] = [n for n in getattr(module, '__all__', ()) if not n.startswith('_')]
    return found


def _other_namespaces(space, name):
    """'tf.nn.relu' for tf.relu, or None."""
    if space in _SHARED:
        for other, names in _namespaces().items():
            if other != space and name in names:
                return f'tf.{other}.{name}' if other else f'tf.{name}'
    return None


def _nearest(root, space, name, own):
    """Up to three similar full names, those of the same namespace first."""
    prefix = f'{root}{space}.' if space else root
    found = [prefix + n for n in _similar(name, own)]
    if space in _SHARED:
        seen = {n.rpartition('.')[2] for n in found}
        for other, names in _namespaces().items():
            near = _similar(name, [n for n in names if n not in seen], contained=False)
            seen.update(near)
            found += [f'tf.{other}.{n}' if other else f'tf.{n}' for n in near if other != space]
    similarity = {full: _similarity(name, full.rpartition('.')[2]) for full in found}
    if 1.0 in similarity.values():                        # tf.session, where only a capital differs
        found = [full for full in found if similarity[full] == 1.0]
    # A stable sort: of two equally similar names, the one found first stays first.
    return sorted(found, key=lambda full: -similarity[full])[:3]


def _similar(name, names, contained=True):
    """Up to three of `names` that are similar to `name`, contain it, or are contained in it."""
    by_lower = {n.lower(): n for n in names}
    lower = name.lower()
    found = close_matches(lower, by_lower, n=3, cutoff=0.7)
    if contained:
        found += [n for n in by_lower
                  if n not in found and len(n) > 2 and (n in lower or lower in n)]
    return [by_lower[n] for n in found[:3]]


def _similarity(name, other):
    from difflib import SequenceMatcher  # start-up time
    return SequenceMatcher(None, name.lower(), other.lower()).ratio()
