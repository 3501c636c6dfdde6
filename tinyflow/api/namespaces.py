"""The module of each public namespace: `tf.losses` is tinyflow/api/losses.py.

`import tinyflow.losses` and `from tinyflow.saved_model import builder` find the same modules as the
attributes `tf.losses` and `tf.saved_model.builder`.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import types

# Public name below `tf` -> the module. A folder of tinyflow/ with a public name is its own module.
NAMESPACES = {
    **{name: f'tinyflow.api.{name}' for name in (
        'app', 'autograph', 'bitwise', 'compat', 'config', 'contrib', 'data_sets', 'debugging',
        'distribute', 'distributions', 'dtypes',
        'examples', 'feature_column', 'flags', 'gfile', 'image', 'io', 'linalg', 'lookup',
        'losses', 'manip', 'math', 'metrics', 'nn', 'python_io', 'queue', 'ragged', 'random',
        'resource_loader', 'saved_model', 'sets', 'signal', 'sparse', 'spectral', 'strings',
        'summary', 'sysconfig', 'test', 'testing')},
    'data': 'tinyflow.data',
    'errors': 'tinyflow.graph.support.errors',
    'estimator': 'estimator_layer',
    'graph_util': 'tinyflow.formats.graphdef.graph_util',
    'initializers': 'tinyflow.ops.variables.initializers',
    'keras': 'keras_layer',
    'layers': 'tinyflow.layers',
    'logging': 'tinyflow.graph.support.logging',
    'nest': 'tinyflow.graph.support.nest',
    'train': 'tinyflow.train',
    'version': 'tinyflow.graph.support.version',
    'viz': 'tinyflow.inspect.viz',
}


def module_of(name: str) -> str | None:
    """The module behind `tinyflow.<name>`: a namespace, or a module that a namespace shows."""
    public = name.removeprefix('tinyflow.')
    first, _, rest = public.partition('.')
    module = NAMESPACES.get(first)
    if module is None or not rest:
        return module
    found = importlib.import_module(module)
    for part in rest.split('.'):
        child = getattr(found, part, None)              # it may be loaded on first use
        if not isinstance(child, types.ModuleType):
            submodule = f'{found.__name__}.{part}'
            if submodule == f'tinyflow.{public}':       # other finders have not found it
                return None
            if not getattr(found, '__path__', None) or importlib.util.find_spec(submodule) is None:
                return None
            child = importlib.import_module(submodule)
        found = child
    return found.__name__


# Without the base classes in importlib.abc, which take 5 ms to load.
class _NamespaceFinder:
    """Resolves `import tinyflow.losses` to the module of the namespace, the same object."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith('tinyflow.') or module_of(fullname) in (None, fullname):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        module = importlib.import_module(module_of(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state      # the import system replaced it


def install() -> None:
    """Appended as the last finder: real modules of tinyflow/ are found before."""
    if not any(isinstance(finder, _NamespaceFinder) for finder in sys.meta_path):
        sys.meta_path.append(_NamespaceFinder())


__all__ = ['NAMESPACES', 'install', 'module_of']
