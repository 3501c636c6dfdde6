"""Serialization of objects by name and configuration; custom objects."""
from __future__ import annotations

import difflib
import inspect
from contextlib import contextmanager
from contextvars import ContextVar

from keras_layer.utils import newer_keras
from tinyflow.graph.support.errors import misuse, why

__all__ = [
    'CustomObjectScope', 'class_and_config', 'custom_object_scope', 'deserialize_keras_object',
    'find_object', 'get_custom_objects', 'has_arg', 'loading', 'serialize_keras_object', 'to_list',
    'unpack_singleton',
]

_custom_objects = {}


def get_custom_objects():
    """The dict of additional names for `load_model` and every `deserialize`."""
    return _custom_objects


class CustomObjectScope:
    """Inside `with CustomObjectScope({'MyLayer': MyLayer}):` these names are known."""

    def __init__(self, *args):
        self.custom_objects = args
        self._before = None

    def __enter__(self):
        self._before = dict(_custom_objects)
        for objects in self.custom_objects:
            _custom_objects.update(objects or {})
        return self

    def __exit__(self, *args):
        _custom_objects.clear()
        _custom_objects.update(self._before)


def custom_object_scope(*args):
    """`CustomObjectScope` as a function."""
    return CustomObjectScope(*args)


def serialize_keras_object(instance):
    """{'class_name': ..., 'config': ...} of an object with `get_config`, or a function's name."""
    if instance is None:
        return None
    if hasattr(instance, 'get_config'):
        return {'class_name': type(instance).__name__, 'config': instance.get_config()}
    if hasattr(instance, '__name__'):
        return instance.__name__
    raise misuse(ValueError(f'Cannot serialize {instance!r}: it has neither get_config() nor a '
                            'name.'))


def deserialize_keras_object(identifier, module_objects=None, custom_objects=None,
                             printable_module_name='object'):
    """The object of a name or a configuration.

    Looked up in `custom_objects`, then `get_custom_objects()`, then `module_objects`. ValueError
    for an unknown name, with a hint how to register it.
    """
    if identifier is None:
        return None
    if isinstance(identifier, str):
        found = find_object(identifier, module_objects, custom_objects)
        if found is None:
            raise misuse(ValueError(_unknown(identifier, printable_module_name, module_objects)))
        return found() if inspect.isclass(found) else found
    if isinstance(identifier, dict):
        cls, config = class_and_config(identifier, module_objects, custom_objects,
                                       printable_module_name)
        config = newer_keras.known_arguments(cls, config)
        with loading():
            return _made(cls, config, custom_objects or {})
    raise misuse(ValueError(f'Could not interpret serialized {printable_module_name}: '
                            f'{identifier!r}'))


def _made(cls, config, custom_objects):
    """The object of a class and its configuration."""
    from_config = getattr(cls, 'from_config', None)
    if from_config is None:
        from_config = lambda config: cls(**config)
    elif 'custom_objects' in inspect.signature(from_config).parameters:
        return from_config(config, custom_objects={**_custom_objects, **custom_objects})
    with CustomObjectScope(custom_objects):
        return from_config(config)


def find_object(name, module_objects=None, custom_objects=None):
    """The class or function of that name, or None."""
    for objects in (custom_objects or {}, _custom_objects, module_objects or {}):
        if name in objects and objects[name] is not None:
            return objects[name]
    return None


def class_and_config(config, module_objects=None, custom_objects=None,
                     printable_module_name='object'):
    """(class, its configuration) of a {'class_name', 'config'} dict."""
    if not isinstance(config, dict) or 'class_name' not in config or 'config' not in config:
        raise misuse(ValueError(f'Improper config format: {config!r}. A serialized '
                                f"{printable_module_name} is {{'class_name': ..., "
                                "'config': ...}."))
    found = find_object(config['class_name'], module_objects, custom_objects)
    if found is None:
        found = find_object(newer_keras.old_name(config['class_name']), module_objects)
    if found is None:
        raise misuse(ValueError(_unknown(config['class_name'], printable_module_name,
                                         module_objects)))
    return found, config['config']


@contextmanager
def loading():
    """Inside, names come from a file or a configuration, not from the program."""
    token = _loading.set(True)
    try:
        yield
    finally:
        _loading.reset(token)


_loading = ContextVar('loading', default=False)


def _unknown(name, kind, known=None):
    """The text about an unknown name. A program's own objects need no name, but in files."""
    names = [k for k, v in (known or {}).items() if callable(v) and not k.startswith('_')]
    near = difflib.get_close_matches(name, names, 3)
    hints = [f'did you mean {" or ".join(map(repr, near))}?'] if near else []
    newer = newer_keras.is_newer_layer(name) if kind == 'layer' else None
    if newer:
        return (f"Unknown layer: {name}. It is {newer}.\n  Hint: save the model without it, or "
                f"pass a class of your own: load_model(path, custom_objects={{'{name}': ...}}).")
    if _loading.get() or kind == 'layer':
        own = f"{{'{name}': {name}}}"
        hints.append(f'pass the object: load_model(path, custom_objects={own}), or build it inside '
                     f'`with keras.utils.CustomObjectScope({own}):`.')
    elif not near:
        hints.append(f"an object of your own is passed itself, not by its name; load_model takes "
                     f"custom_objects={{'{name}': {name}}}.")
    return f'Unknown {kind}: {name}\n  Hint: {" Else ".join(hints)}' + (
        why('keras-unknown-object') if _loading.get() or kind == 'layer' else
        why('keras-unknown-name'))


def has_arg(function, name, accept_all=False):
    """True if `function` can be called with an argument of that name."""
    parameters = inspect.signature(function).parameters
    if name in parameters:
        return True
    return accept_all and any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def to_list(x):
    """x as a list."""
    if isinstance(x, (list, tuple)):
        return list(x)
    return [x]


def unpack_singleton(x):
    """The only element of a list of one; anything else is returned unchanged."""
    return x[0] if isinstance(x, (list, tuple)) and len(x) == 1 else x
