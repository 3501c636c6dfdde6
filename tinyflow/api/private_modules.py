"""tensorflow.python.*: private modules of TensorFlow that programs import anyway.

A module of TensorFlow's that is not listed gets the names of its folder; others are not there.
"""
from __future__ import annotations

import importlib.util
from functools import cache

_PYTHON = 'tensorflow.python'
_OPS = f'{_PYTHON}.ops'
_FRAMEWORK = f'{_PYTHON}.framework'
_CONTRIB = 'tensorflow.contrib'
_ESTIMATOR = 'tensorflow_estimator'


def _estimator_modules(root: str) -> dict[str, tuple[str, ...]]:
    """The modules below `root` that are tf.estimator's own."""
    private = 'estimator_layer.private_names'
    return {
        root: ('estimator_layer', private),
        f'{root}.canned': ('estimator_layer', private, 'estimator_layer.private_names_v2'),
        **{f'{root}.canned.{name}': (
            'estimator_layer.private.model_fns', 'estimator_layer', private,
            'estimator_layer.private_names_v2')
           for name in ('dnn', 'dnn_linear_combined', 'linear')},
        f'{root}.canned.kmeans': ('estimator_layer.private.kmeans',),
        f'{root}.canned.rnn': ('estimator_layer.private.rnn',),
        f'{root}.canned.saved_model_estimator': (
            'estimator_layer.contrib.saved_model_estimator',),
        f'{root}.early_stopping': (
            'estimator_layer.contrib', 'estimator_layer.hooks.early_stopping', private),
        f'{root}.export': ('estimator_layer.export', private),
        f'{root}.extenders': ('estimator_layer.contrib',),
        f'{root}.head': ('estimator_layer', private),
        f'{root}.head.sequential_head': ('estimator_layer.private.sequential_head',),
        f'{root}.hooks': ('estimator_layer.contrib', 'estimator_layer', private),
        f'{root}.inputs': ('estimator_layer.inputs',),
        f'{root}.keras': ('estimator_layer.model_to_estimator', private),
        f'{root}.model_fn': ('estimator_layer', private),
        f'{root}.run_config': ('estimator_layer', private),
        f'{root}.util': ('estimator_layer.private.initializer_hooks',
                         'tinyflow.api.private.function_utils', 'estimator_layer', private),
    }


# Folders of Keras whose modules are those of keras_layer.
_OF_KERAS = {f'{_PYTHON}.keras.{name}': f'keras_layer.{name}'
             for name in ('applications', 'datasets', 'preprocessing', 'wrappers')}
_OF_OPS = 'tinyflow.api.private.gen_ops'
_GRADIENTS = 'tinyflow.api.private.gradient_functions'
# module -> the modules of tinyflow in which its names are looked up, in this order.
_HOMES: dict[str, tuple[str, ...]] = {
    _PYTHON: ('tinyflow',),
    f'{_PYTHON}.client.device_lib': ('tinyflow.api.tools.device_lib',),
    f'{_PYTHON}.client.timeline': ('tinyflow.session.timeline',),
    f'{_PYTHON}.data': ('tinyflow.data', 'tinyflow'),
    **{f'{_PYTHON}.data.ops.{name}': ('tinyflow.data', 'tinyflow.api.private.data', 'tinyflow')
       for name in ('dataset_ops', 'readers')},
    f'{_PYTHON}.data.util.nest': ('tinyflow.graph.support.nest',),
    f'{_PYTHON}.data.experimental': ('tinyflow.data.experimental', 'tinyflow.data', 'tinyflow'),
    f'{_PYTHON}.debug': ('tinyflow.inspect.debugger.tf_debug',),
    f'{_PYTHON}.distribute': ('tinyflow.api.distribute', 'tinyflow.api.distribute_experimental'),
    f'{_PYTHON}.eager': ('tinyflow', 'tinyflow.api.contrib.eager'),
    f'{_PYTHON}.eager.context': ('tinyflow.api.private.eager_context',),
    **_estimator_modules(f'{_PYTHON}.estimator'),
    **{f'{_PYTHON}.feature_column.{name}': ('tinyflow.api.feature_column',
                                            'tinyflow.api.private.feature_column')
       for name in ('feature_column', 'feature_column_lib', 'feature_column_v2')},
    f'{_FRAMEWORK}.dtypes': ('tinyflow.graph.dtypes',),
    f'{_FRAMEWORK}.errors': ('tinyflow.graph.support.errors',),
    f'{_FRAMEWORK}.errors_impl': ('tinyflow.graph.support.errors',),
    f'{_FRAMEWORK}.function': ('tinyflow',),
    f'{_FRAMEWORK}.graph_io': ('tinyflow.formats.graphdef.graph_io',),
    **{f'{_FRAMEWORK}.{name}': ('tinyflow.formats.graphdef.graph_util',)
       for name in ('graph_util', 'graph_util_impl')},
    f'{_FRAMEWORK}.importer': ('tinyflow.formats.graphdef.importing',),
    f'{_FRAMEWORK}.meta_graph': ('tinyflow.formats.graphdef.meta_graph',),
    f'{_FRAMEWORK}.ops': ('tinyflow.api.private.framework_ops', 'tinyflow'),
    f'{_FRAMEWORK}.smart_cond': ('tinyflow.ops.control_flow.smart_cond',),
    f'{_FRAMEWORK}.tensor_shape': ('tinyflow.api.private.classes', 'tinyflow'),
    f'{_FRAMEWORK}.tensor_util': ('tinyflow.api.private.tensor_util', 'tinyflow.api.contrib.util',
                                  'tinyflow.formats.wire.tensors'),
    f'{_FRAMEWORK}.test_util': ('tinyflow.api.private.test_util', 'tinyflow'),
    f'{_PYTHON}.keras': ('keras_layer',),
    **{f'{_PYTHON}.keras.{name}': ('keras_layer.private_names', f'keras_layer.{name}')
       for name in ('activations', 'applications', 'backend', 'callbacks', 'constraints',
                    'datasets', 'initializers', 'layers', 'losses', 'metrics', 'models',
                    'optimizers', 'preprocessing', 'regularizers', 'utils', 'wrappers')},
    f'{_PYTHON}.keras.engine': ('keras_layer.private_names', 'keras_layer.layers',
                                'keras_layer.models', 'keras_layer'),
    f'{_PYTHON}.keras.estimator': ('keras_layer.estimator',),
    f'{_PYTHON}.keras.optimizer_v2': ('keras_layer.optimizers',
                                      'keras_layer.private_names'),
    f'{_PYTHON}.keras.saving': ('keras_layer.keras2.saving', 'keras_layer.models'),
    f'{_PYTHON}.keras.utils.conv_utils': ('keras_layer.keras2.conv_utils',
                                          'tinyflow.api.private.layers_utils'),
    f'{_PYTHON}.keras.utils.generic_utils': ('keras_layer.utils', 'keras_layer.utils.generic'),
    f'{_PYTHON}.keras.utils.losses_utils': ('keras_layer.private_names',
                                            'keras_layer.losses.base'),
    f'{_PYTHON}.layers': ('tinyflow.layers', 'tinyflow'),
    **{f'{_PYTHON}.layers.{name}': ('tinyflow.layers', 'tinyflow') for name in (
        'base', 'convolutional', 'core', 'layers', 'normalization', 'pooling')},
    f'{_PYTHON}.layers.utils': ('tinyflow.api.private.layers_utils',),
    f'{_PYTHON}.lib.io.file_io': ('tinyflow.api.tools.file_io',),
    f'{_PYTHON}.lib.io.python_io': ('tinyflow.api.python_io',),
    f'{_PYTHON}.lib.io.tf_record': ('tinyflow.api.python_io',),
    **{f'{_OPS}.{name}': ('tinyflow.api.nn', 'tinyflow') for name in (
        'candidate_sampling_ops', 'ctc_ops', 'embedding_ops', 'nn', 'nn_impl', 'nn_ops')},
    f'{_OPS}.rnn': ('tinyflow.api.private.rnn', 'tinyflow.api.nn', 'tinyflow'),
    f'{_OPS}.control_flow_ops': ('tinyflow.api.private.control_flow_ops', 'tinyflow'),
    f'{_OPS}.data_flow_ops': ('tinyflow', 'tinyflow.api.contrib.lookup'),
    **{f'{_OPS}.{name}': ('tinyflow',) for name in (
        'gradients', 'histogram_ops', 'variable_scope')},
    f'{_OPS}.bitwise_ops': ('tinyflow.api.bitwise', 'tinyflow'),
    f'{_OPS}.distributions': ('tinyflow.api.distributions', 'tinyflow'),
    **{f'{_OPS}.{name}': ('tinyflow.api.image', 'tinyflow')
       for name in ('image_ops', 'image_ops_impl')},
    f'{_OPS}.init_ops': ('tinyflow.ops.variables.initializers', 'tinyflow'),
    f'{_OPS}.linalg': ('tinyflow.api.linalg', 'tinyflow'),
    f'{_OPS}.lookup_ops': ('tinyflow.api.contrib.lookup', 'tinyflow.api.lookup', 'tinyflow'),
    f'{_OPS}.resource_variable_ops': ('tinyflow.ops.variables.variable', 'tinyflow'),
    f'{_OPS}.resources': ('tinyflow.api.private.resources',),
    f'{_OPS}.sets_impl': ('tinyflow.api.sets', 'tinyflow'),
    f'{_OPS}.stateless_random_ops': ('tinyflow.api.random', 'tinyflow'),
    f'{_OPS}.template': ('tinyflow.ops.variables.template', 'tinyflow'),
    f'{_OPS}.variables': ('tinyflow.api.private.classes', 'tinyflow'),
    f'{_OPS}.metrics': ('tinyflow.api.metrics',),
    f'{_OPS}.metrics_impl': ('tinyflow.api.metrics',),
    f'{_OPS}.losses': ('tinyflow.api.losses',),
    f'{_OPS}.losses.losses': ('tinyflow.api.losses',),
    f'{_OPS}.rnn_cell': ('tinyflow.layers.rnn.rnn_cell',),
    f'{_OPS}.rnn_cell_impl': ('tinyflow.api.private.rnn_cell_impl',
                              'tinyflow.layers.rnn.rnn_cell'),
    f'{_PYTHON}.platform.app': ('tinyflow.api.app',),
    f'{_PYTHON}.platform.benchmark': ('tinyflow.api.test',),
    f'{_PYTHON}.platform.flags': ('tinyflow.api.flags',),
    f'{_PYTHON}.platform.gfile': ('tinyflow.api.gfile',),
    f'{_PYTHON}.platform.googletest': ('tinyflow.api.test',),
    f'{_PYTHON}.platform.resource_loader': ('tinyflow.api.resource_loader',),
    f'{_PYTHON}.platform.sysconfig': ('tinyflow.api.sysconfig',),
    f'{_PYTHON}.platform.test': ('tinyflow.api.test',),
    f'{_PYTHON}.platform.tf_logging': ('tinyflow.graph.support.logging',),
    f'{_PYTHON}.pywrap_tensorflow': ('tinyflow.api.private.pywrap_tensorflow', 'tinyflow.train',
                                     'tinyflow'),
    f'{_PYTHON}.saved_model': ('tinyflow.api.saved_model',),
    **{f'{_PYTHON}.saved_model.{name}': (f'tinyflow.train.saved_model.{name}',) for name in (
        'builder', 'loader', 'main_op', 'signature_constants', 'signature_def_utils',
        'tag_constants', 'utils')},
    f'{_PYTHON}.saved_model.builder_impl': ('tinyflow.train.saved_model.builder',),
    f'{_PYTHON}.saved_model.loader_impl': ('tinyflow.api.private.saved_model',
                                           'tinyflow.train.saved_model.loader'),
    f'{_PYTHON}.saved_model.utils_impl': ('tinyflow.api.private.saved_model',
                                          'tinyflow.train.saved_model.utils'),
    f'{_PYTHON}.summary': ('tinyflow.api.summary', 'tinyflow'),
    f'{_PYTHON}.summary.summary_iterator': ('tinyflow.api.private.classes',),
    f'{_PYTHON}.summary.summary': ('tinyflow.api.summary',),
    f'{_PYTHON}.tools.freeze_graph': ('tinyflow.api.tools.freeze_graph',),
    f'{_PYTHON}.tools.inspect_checkpoint': ('tinyflow.api.tools.inspect_checkpoint',),
    f'{_PYTHON}.tools.saved_model_utils': ('tinyflow.api.private.saved_model',),
    f'{_PYTHON}.tpu': ('estimator_layer.tpu', 'tinyflow'),
    f'{_PYTHON}.training': ('tinyflow.train',),
    f'{_PYTHON}.training.distribution_strategy_context': ('tinyflow.api.distribute',),
    f'{_PYTHON}.training.slot_creator': ('tinyflow.train.optimizers.slot_creator',),
    f'{_PYTHON}.training.summary_io': ('tinyflow.api.private.classes', 'tinyflow.train'),
    **{f'{_PYTHON}.training.{name}': ('tinyflow.api.private.steps_per_run', 'tinyflow.train')
       for name in ('basic_session_run_hooks', 'training')},
    f'{_PYTHON}.training.checkpoint_state_pb2': ('tinyflow.formats.protos.checkpoint_state_pb2',),
    f'{_PYTHON}.training.monitored_session': ('tinyflow.api.private.monitored_session',
                                              'tinyflow.train'),
    f'{_PYTHON}.training.moving_averages': ('tinyflow.train.optimizers.moving_averages',),
    f'{_PYTHON}.training.training_util': ('tinyflow.api.private.training_util',
                                          'tinyflow.train.training_util', 'tinyflow.train'),
    f'{_PYTHON}.util.tf_contextlib': ('contextlib',),
    f'{_PYTHON}.util.tf_decorator': ('tinyflow.api.private.tf_decorator',),
    f'{_PYTHON}.util.tf_inspect': ('tinyflow.api.private.util', 'inspect'),
    **{f'{_PYTHON}.util.{name}': ('tinyflow.api.private.util',)
       for name in ('all_util', 'keyword_args', 'lazy_loader', 'object_identity', 'tf_export',
                    'tf_should_use')},
    f'{_PYTHON}.util.deprecation': ('tinyflow.api.contrib.framework.deprecation',),
    f'{_PYTHON}.util.function_utils': ('tinyflow.api.private.function_utils',),
    f'{_PYTHON}.util.compat': ('tinyflow.api.compat',),
    f'{_PYTHON}.util.nest': ('tinyflow.graph.support.nest',),
    f'{_CONTRIB}.factorization.python': ('estimator_layer.contrib.clustering_ops',
                                         'estimator_layer.contrib.factorization'),
    f'{_CONTRIB}.legacy_seq2seq.python': ('tinyflow.api.contrib.legacy_seq2seq', 'tinyflow.api.nn'),
    f'{_CONTRIB}.framework.python': ('tinyflow.api.contrib.framework', 'tinyflow'),
    f'{_CONTRIB}.layers.python': ('tinyflow.api.contrib.layers',),
    f'{_CONTRIB}.rnn.python': ('tinyflow.api.contrib.rnn', 'tinyflow.api.nn'),
    f'{_CONTRIB}.seq2seq.python': ('tinyflow.api.contrib.seq2seq',),
    f'{_CONTRIB}.tensor_forest.python': ('tinyflow.api.contrib.tensor_forest',),
    **{f'{_CONTRIB}.slim.python.slim.nets.{name}': (f'tinyflow.api.contrib.slim_nets.{name}',)
       for name in ('alexnet', 'inception', 'overfeat', 'resnet_utils', 'resnet_v1', 'resnet_v2',
                    'vgg')},
    f'{_CONTRIB}.slim.python': ('tinyflow.api.contrib.slim',),
    _ESTIMATOR: ('tinyflow',),
    f'{_ESTIMATOR}.estimator': ('estimator_layer',),
    **{f'{_ESTIMATOR}.estimator.{name}': (f'estimator_layer.{name}',)
       for name in ('experimental', 'export', 'inputs')},
    f'{_ESTIMATOR}.python': ('estimator_layer',),
    **_estimator_modules(f'{_ESTIMATOR}.python.estimator'),
}


def is_private(name: str) -> bool:
    """True for the listed modules and their submodules."""
    return _listed(name) is not None


def is_private_module(name: str) -> bool:
    """True for a listed module."""
    return name in _HOMES


def homes_of(name: str) -> tuple[str, ...]:
    """The modules of tinyflow in which the names of a private module are looked up."""
    listed = _listed(name)
    if listed is None:
        raise ValueError(f'{name} is not a private module of TensorFlow')
    homes = _HOMES[listed]
    folder, _, last = name.rpartition('.')
    if folder == _OPS:                      # its modules have the functions of their ops besides
        homes = (*homes, _OF_OPS)
    if name == listed:
        return homes
    if folder in _OF_KERAS and importlib.util.find_spec(f'{_OF_KERAS[folder]}.{last}'):
        return f'{_OF_KERAS[folder]}.{last}', *homes
    if last.startswith('gen_') or last == 'training_ops':
        return _OF_OPS, *homes
    if folder == _OPS and last.endswith('_grad'):
        return _GRADIENTS, *homes
    return homes


def is_missing(name: str) -> bool:
    """True below the folders `python` of both packages for what is no module of TensorFlow 1.15."""
    parent, _, last = name.rpartition('.')
    if name in _HOMES or not parent.startswith((_PYTHON, f'{_ESTIMATOR}.python')):
        return False
    return last not in _modules().get(parent.removeprefix('tensorflow.'), ())


def imported_by(name: str, last: str) -> str | None:
    """The module `last` that a private module has probably imported: of its folder, or a usual one.
    """
    if name.startswith(f'{_PYTHON}.'):
        for folder in (name.rpartition('.')[0], _OPS, _FRAMEWORK, f'{_PYTHON}.util'):
            path = f'{folder}.{last}'
            if path != name and not is_missing(path):
                return path
    return None


@cache
def _modules() -> dict[str, list[str]]:
    """The modules of TensorFlow 1.15 in each of its folders, by the folder's name."""
    from pathlib import Path  # start-up time
    text = (Path(__file__).parent / 'private' / 'modules.txt').read_text(encoding='utf-8')
    return {folder: names.split() for folder, _, names in
            (line.partition(':') for line in text.splitlines())}


def _listed(name: str) -> str | None:
    while name and name not in _HOMES:
        name = name.rpartition('.')[0]
    return name or None


__all__ = ['homes_of', 'imported_by', 'is_missing', 'is_private', 'is_private_module']
