"""The namespaces of TensorFlow 2: `tf.compat.v2.nn.dropout`.

`tf2_names.txt` lists TensorFlow 2.15's names, and which of them are those of TensorFlow 1. Those
are taken from tinyflow. Others are in a module of `replaced/`, in `parameters.py`, or fit as they
are. What is in none of these raises an error that says so.
"""
from __future__ import annotations

import importlib
import types
from functools import cache
from pathlib import Path

from tinyflow.api.v2 import parameters
from tinyflow.api.v2.version_1 import FITTING, version_1
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import close_matches
from tinyflow.graph.support.missing import MissingNameError

__all__ = ['ROOT', 'Namespace', 'namespaces']

# Namespace -> the modules of replaced/ that have its names.
_REPLACED = {
    '': ('basics', 'functions', 'variables'),
    **{space: (space,) for space in (
        'config', 'data', 'distribute', 'estimator', 'image', 'keras', 'nn', 'random',
        'saved_model', 'strings', 'summary', 'train', 'version')},
    'estimator.experimental': ('estimator_experimental',),
    'keras.layers': ('keras_layers',), 'keras.losses': ('keras_losses',),
    'keras.optimizers': ('keras_optimizers',), 'keras.optimizers.legacy': ('keras_optimizers',),
    'keras.utils': ('keras_utils',),
    'math': ('basics',), 'random.experimental': ('random',),
    'summary.experimental': ('summary_experimental',),
}
# TensorFlow 2's short names of namespaces.
_SAME_AS = {'initializers': 'keras.initializers', 'losses': 'keras.losses',
            'metrics': 'keras.metrics', 'optimizers': 'keras.optimizers'}


@cache
def namespaces() -> dict[str, dict[str, bool]]:
    """Namespace ('' for tf) -> {name: whether it is TensorFlow 1's object}."""
    found: dict[str, dict[str, bool]] = {}
    for line in Path(__file__).with_name('tf2_names.txt').read_text(encoding='utf-8').splitlines():
        space, kind, *names = line.split()
        found.setdefault('' if space == 'tf' else space, {}).update(
            dict.fromkeys(names, kind == '='))
    return found


class Namespace(types.ModuleType):
    """A module of TensorFlow 2: finds its names when they are asked for."""

    def __init__(self, space: str) -> None:
        super().__init__('tensorflow' + ('.' + space if space else ''),
                         f'TensorFlow 2\'s tf.{space}' if space else 'TensorFlow 2, on tinyflow.')
        self.__dict__['_space'] = space
        self.__dict__['__path__'] = []

    def __getattr__(self, name):
        if name.startswith('_') and name not in ('__version__',):
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
        value = _find(self._space, name)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return [name for name in namespaces()[self._space] if _is_found(self._space, name)]


def _is_found(space, name):
    try:
        _find(space, name)
    except (AttributeError, ImportError):
        return False
    return True


def _find(space, name):
    space = _full(space)
    path = f'{space}.{name}' if space else name
    if _full(path) in namespaces():
        return _namespace(_full(path))
    for module in _REPLACED.get(space, ()):
        found = importlib.import_module(f'tinyflow.api.v2.replaced.{module}')
        if name in found.__all__:
            return getattr(found, name)
    changed = parameters.changed(space, name)
    if changed is not None:
        return changed
    same = namespaces()[space].get(name)
    if same or same is not None and (space.startswith('keras')
                                     or name in FITTING.get(space, ())):
        return _of_version_1(path)
    raise misuse(MissingNameError(_why(space, name, same is not None)))


@cache
def _namespace(space):
    return Namespace(space)


def _full(space):
    """'keras.losses' for 'losses'."""
    first, dot, rest = space.partition('.')
    return _SAME_AS.get(first, first) + dot + rest


def _of_version_1(path):
    try:
        return version_1(path)
    except AttributeError as error:
        raise misuse(MissingNameError(
            f'tinyflow does not have TensorFlow 2\'s tf.{path}.'
            + _unless_same(str(error), path))) from None


def _unless_same(reason, path):
    """The reason why tinyflow has no such name, if it says more than that."""
    said = reason.removeprefix(f'tf.{path} is not in tinyflow yet').strip('.; ')
    return f' {reason}' if said and 'belongs to TensorFlow 2' not in reason \
        and not reason.startswith('there is no') else ''


def _why(space, name, known):
    path = f'{space}.{name}' if space else name
    if known:
        text = f"tinyflow does not have TensorFlow 2's tf.{path}."
        return text + (f'\n  Hint: tf.compat.v1.{path} is there.' if _is_version_1(path) else '')
    if _is_version_1(path):
        return (f'tf.{path} is not in TensorFlow 2: it is tf.compat.v1.{path}.\n  Hint: `import '
                'tensorflow.compat.v1 as tf` for a program that is written for TensorFlow 1.')
    nearest = close_matches(name, namespaces()[space], n=3, cutoff=0.7)
    prefix = f'tf.{space}.' if space else 'tf.'
    return f'TensorFlow 2 has no {prefix}{name}' + (
        f'; nearest: {", ".join(prefix + n for n in nearest)}.' if nearest else '.')


def _is_version_1(path):
    try:
        version_1(path)
    except AttributeError:
        return False
    return True


ROOT = Namespace('')
