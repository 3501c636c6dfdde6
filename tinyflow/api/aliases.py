"""install_as_tensorflow: runs programs that `import tensorflow as tf` unchanged on tinyflow.

`install_as_tensorflow()` resolves imports of `tensorflow`, `tensorflow.compat.v1` and the modules
below them to tinyflow's modules; the ImportError for other modules names the reason.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types

from tinyflow.api.namespaces import module_of
from tinyflow.api.private_modules import (
    homes_of,
    imported_by,
    is_missing,
    is_private,
    is_private_module,
)
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import MissingNameError

# Modules with another name in tinyflow than in TensorFlow; all others have the same name.
_ELSEWHERE = {
    'tensorflow': 'tinyflow',
    'tensorflow.compat.v1': 'tinyflow',
    'tensorflow.core': 'tinyflow.formats',
    'tensorflow.core.example': 'tinyflow.formats.protos',
    'tensorflow.core.framework': 'tinyflow.formats.protos',
    'tensorflow.core.kernels': 'tinyflow.formats.protos',
    'tensorflow.core.kernels.boosted_trees': 'tinyflow.formats.protos',
    'tensorflow.core.protobuf': 'tinyflow.api.private.protobuf',
    **{f'tensorflow.core.protobuf.{name}': f'tinyflow.api.private.protobuf.{name}'
       for name in ('config_pb2', 'rewriter_config_pb2')},
    'tensorflow.core.util': 'tinyflow.formats.protos',
    'tensorflow.config': 'tinyflow.api.config',
    'tensorflow.io.gfile': 'tinyflow.graph.support.filesystem',
    'tensorflow.compat.v1.nn.rnn_cell': 'tinyflow.layers.rnn.rnn_cell',
    'tensorflow.nn.rnn_cell': 'tinyflow.layers.rnn.rnn_cell',
    'tensorflow.keras': 'keras_layer',
    'tensorflow.estimator': 'estimator_layer',
    'tensorflow.contrib.estimator': 'estimator_layer.contrib',
    'tensorflow.contrib.tpu': 'estimator_layer.tpu',
    'tensorflow.contrib.factorization': 'estimator_layer.contrib.factorization',
    'tensorflow.contrib.learn.python': 'tinyflow.api.contrib.learn',
    'tensorflow.contrib.learn.python.learn': 'tinyflow.api.contrib.learn',
    'tensorflow.contrib.learn.datasets.mnist': 'tinyflow.api.examples.tutorials.mnist.input_data',
    'tensorflow.contrib.learn.python.learn.datasets.mnist':
        'tinyflow.api.examples.tutorials.mnist.input_data',
    'keras': 'keras_layer.keras2',          # Keras 2.1; tf.keras is the package around it
}
# Keras 2.1 has its layers and helpers in many modules; programs import them.
_ELSEWHERE.update({f'keras.layers.{name}': 'keras_layer.keras2.layers' for name in (
    'advanced_activations', 'convolutional', 'convolutional_recurrent', 'core',
    'cudnn_recurrent', 'embeddings', 'local', 'merge', 'noise', 'normalization', 'pooling',
    'recurrent', 'wrappers')})
_ELSEWHERE.update({f'keras.utils.{name}': 'keras_layer.keras2.utils' for name in (
    'data_utils', 'generic_utils', 'io_utils', 'layer_utils', 'multi_gpu_utils', 'np_utils',
    'vis_utils')})
_ELSEWHERE.update({'keras.backend.tensorflow_backend': 'keras_layer.keras2.backend',
                   'keras.backend.common': 'keras_layer.keras2.backend',
                   'keras.applications.mobilenetv2': 'keras_layer.applications.mobilenet_v2',
                   'keras.legacy.interfaces': 'keras_layer.keras2.interfaces',
                   'keras.legacy.layers': 'keras_layer.keras2.layers',
                   'keras.utils.training_utils': 'keras_layer.keras2.utils',
                   'keras.utils.conv_utils': 'keras_layer.keras2.conv_utils',
                   'keras.engine.saving': 'keras_layer.keras2.saving'})
_ELSEWHERE.update({f'keras.engine.{name}': 'keras_layer.keras2.engine' for name in (
    'base_layer', 'input_layer', 'network', 'sequential', 'topology', 'training',
    'training_arrays', 'training_generator', 'training_utils')})
# What Keras 2.1 has otherwise is in keras_layer/keras2/; the rest is that of tf.keras.
_ELSEWHERE.update({f'keras.{name}': f'keras_layer.{name}' for name in (
    'activations', 'applications', 'datasets', 'losses', 'preprocessing', 'regularizers',
    'wrappers')})
_ROOTS = ('tensorflow', 'tensorflow_estimator', 'keras')


def _target(name: str) -> str:
    """The tinyflow module for the name of a TensorFlow module."""
    if is_private(name):
        return homes_of(name)[0]
    known = _ELSEWHERE.get(name)
    if known is not None:
        return known
    parent, _, last = name.rpartition('.')
    if parent == 'tensorflow.core.protobuf':        # most of it is as in tensorflow.core.framework
        return f'tinyflow.formats.protos.{last}'
    return f'{_target(parent)}.{last}' if parent else name


class _Private(types.ModuleType):
    """One of TensorFlow's private modules, with the names of one or more tinyflow modules.

    It is a separate module because importing `tensorflow.python.ops` makes `ops` an attribute of
    its parent, which must not be tinyflow itself.
    """

    def __init__(self, name: str, behind: list[types.ModuleType]) -> None:
        super().__init__(name)
        self._behind = behind
        self._replaced = {}                 # name -> (tinyflow's module, its own value)

    def __getattr__(self, name):
        path = f'{self.__name__}.{name}'
        if is_private_module(path):                     # gradients: here a module, tf's a function
            return importlib.import_module(path)
        try:
            value = self._found(name)
        except MissingNameError:
            other = imported_by(self.__name__, name)    # in TensorFlow, modules import others
            if other is None:
                raise
            return importlib.import_module(other)
        if isinstance(value, types.ModuleType) and not is_missing(path):
            # tinyflow's own layout is not TensorFlow's
            return importlib.import_module(path)
        return value

    def __setattr__(self, name, value):
        """Also where tinyflow itself looks the name up: tests replace functions of a module."""
        owner = None if isinstance(value, types.ModuleType) else self._owner(name)
        if owner is None:
            super().__setattr__(name, value)
        else:
            self._replaced.setdefault(name, (owner, vars(owner)[name]))
            setattr(owner, name, value)

    def __delattr__(self, name):
        """Brings back what a program has replaced."""
        if name in self._replaced:
            owner, value = self._replaced.pop(name)
            setattr(owner, name, value)
        else:
            super().__delattr__(name)

    def _owner(self, name):
        """The first tinyflow module that has the name; None for names of this module itself."""
        if name.startswith('__') or name in self.__dict__:
            return None
        return next((module for module in self.__dict__.get('_behind', ())
                     if name in vars(module)), None)

    def _found(self, name):
        missing = None
        for module in self.__dict__['_behind']:
            try:
                return getattr(module, name)
            except AttributeError as error:
                if missing is None or isinstance(error, MissingNameError):
                    missing = error
        if name.startswith('_'):
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
        raise misuse(MissingNameError(f'{self.__name__} has no {name!r} here: {missing}'))


def _reason(name: str) -> str:
    """The reason why there is no such module: that of `tf.layers`, for tensorflow.layers."""
    path = name.removeprefix('tensorflow.').removeprefix('compat.v1.').split('.')
    found = importlib.import_module('tinyflow')
    try:
        for part in path:
            found = getattr(found, part)
    except MissingNameError as error:
        return str(error)
    except AttributeError:
        pass
    return 'It is not implemented; see docs/scope.md.'


def _is_public(name: str) -> bool:
    return bool(name) and not name.startswith('_')


def _is_version_1(name: str) -> bool:
    return (name + '.').startswith('tensorflow.compat.v1.')


def _is_version_2(name: str) -> bool:
    return (name + '.').startswith('tensorflow.compat.v2.')


def _version_2(name: str) -> types.ModuleType:
    """The module of TensorFlow 2 of that name."""
    found = importlib.import_module('tinyflow.api.v2.namespace').ROOT
    path = name.removeprefix('tensorflow.compat.v2').removeprefix('tensorflow_estimator.estimator')
    if path == 'tensorflow.compat':
        return importlib.import_module('tinyflow.api.compat')
    path = path if name.startswith('keras') else path.removeprefix('tensorflow')
    for part in filter(None, path.split('.')):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise misuse(ModuleNotFoundError(f'No module named {name!r}: {error}')) from None
    if not isinstance(found, types.ModuleType):
        raise misuse(ModuleNotFoundError(f'No module named {name!r}.'))
    return found


def _path_of(package: str) -> list:
    return list(importlib.import_module(package).__path__)


# Without the base classes in importlib.abc, which take 5 ms to load.
class _AliasFinder:
    """Resolves `import tensorflow.x` to the same module object of tinyflow."""

    version = 1                         # of TensorFlow

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition('.')[0] not in _ROOTS:
            self._check_from_list(fullname)
            return None
        if (self.version == 2 or _is_version_2(fullname)) and not is_private(fullname) \
                and not _is_version_1(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True,
                                                  loader_state=_version_2(fullname))
        if is_private(fullname) and is_missing(fullname):
            raise misuse(ModuleNotFoundError(
                f'No module named {fullname!r}: TensorFlow 1.15 has no such module, and tinyflow '
                f"no such name in {fullname.rpartition('.')[0]}."))
        wanted = _target(fullname)
        try:
            found = importlib.util.find_spec(wanted)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise misuse(ModuleNotFoundError(
                f'No module named {fullname!r}: tinyflow replaces TensorFlow here, and has no '
                f'{wanted!r}. {_reason(fullname)}'))
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    @staticmethod
    def _check_from_list(fullname):
        """Refuses `from tensorflow import layers`, which looks for a module tinyflow.layers.

        So it does `from tensorflow.contrib import crf`, for tinyflow.api.contrib.crf.
        """
        parent, _, name = fullname.rpartition('.')
        if parent in ('tinyflow', 'tinyflow.api.contrib', 'estimator_layer.contrib') and \
                _is_public(name) and \
                module_of(fullname) is None and \
                importlib.machinery.PathFinder.find_spec(fullname, _path_of(parent)) is None:
            path = fullname.removeprefix('tinyflow.').removeprefix('api.').replace(
                'estimator_layer.contrib', 'contrib.estimator')
            raise misuse(ImportError(_reason(path)))

    def create_module(self, spec):
        if spec.loader_state is not None:       # a namespace of TensorFlow 2
            module, spec.loader_state = spec.loader_state, None
            return module
        if is_private(spec.name):
            return _Private(spec.name, [importlib.import_module(n) for n in homes_of(spec.name)])
        module = importlib.import_module(_target(spec.name))
        if spec.name == 'keras':                # its weights begin with NumPy's random numbers
            importlib.import_module('keras_layer.keras2.enabling').enable()
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        if module.__spec__.loader_state is not None:    # the import system put the alias's spec in
            module.__spec__ = module.__spec__.loader_state


_finder = _AliasFinder()


def install_as_tensorflow(version: int = 1, numpy_of_the_time: bool = False) -> None:
    """From now on `import tensorflow` imports tinyflow, in this process.

    With `version` 2 it has TensorFlow 2's names, as far as tinyflow has them, and its behaviour:
    tf.enable_v2_behavior() is called. With `numpy_of_the_time` the modules that the caller's
    program imports, and the cells of a notebook, have NumPy as it was in TensorFlow 1's time;
    libraries keep NumPy 2. Raises RuntimeError if the real TensorFlow, or the other version, has
    been imported already.
    """
    if version not in (1, 2):
        raise misuse(ValueError(f'version is 1 or 2, not {version!r}.'))
    loaded = sys.modules.get('tensorflow')
    if loaded is not None and getattr(loaded, '__loader__', None) is not _finder \
            and loaded is not sys.modules.get('tinyflow'):
        raise RuntimeError('TensorFlow itself is already imported in this process; call '
                           'tinyflow.install_as_tensorflow() before the first `import tensorflow`.')
    if loaded is not None and version != _finder.version:
        raise misuse(RuntimeError(
            f'`tensorflow` is imported already, as version {_finder.version}.\n  Hint: '
            f'tinyflow.install_as_tensorflow({version}) before the first `import tensorflow`.'))
    _finder.version = version
    if version == 2:
        importlib.import_module('tinyflow.api.v2.behavior').enable_v2_behavior()
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if numpy_of_the_time:
        from tinyflow.api.old_numpy import install_for_caller  # start-up time
        install_for_caller(sys._getframe(1))


def uninstall_as_tensorflow() -> None:
    """Undoes install_as_tensorflow for later imports."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    if 'keras' in sys.modules and 'keras_layer.keras2.enabling' in sys.modules:
        sys.modules['keras_layer.keras2.enabling'].disable()
    for name in [n for n in sys.modules if n.partition('.')[0] in _ROOTS]:
        del sys.modules[name]
