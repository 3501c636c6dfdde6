"""tf.contrib.training: HParams, hyperparameters as names with typed values; where Variables go."""
from __future__ import annotations

import json
import numbers
import re

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.ps_strategies import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)

# One clause of "name=value, name[2]=value, name=[value, value]".
_CLAUSE = re.compile(r'(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*'
                     r'(?:(?P<single>[^,\[]*)|\[(?P<several>[^\]]*)\])(?:$|,\s*)')
_BOOLS = {'true': True, 'True': True, 'false': False, 'False': False}


def parse_values(values, type_map, ignore_unknown=False):
    """{name: value} of a string such as 'rate=0.1,sizes=[3,4],depth[1]=2'.

    `type_map` has each name's type (for lists that of an element); unknown names are ignored
    if `ignore_unknown`. `name[1]=2` gives {name: {1: 2}}. Raises ValueError if the
    string cannot be parsed or a name is set twice.
    """
    found, place = {}, 0
    while place < len(values):
        clause = _CLAUSE.match(values, place)
        if clause is None:
            raise misuse(ValueError(f'Malformed hyperparameter value: {values[place:]}'))
        place = clause.end()
        name = clause['name']
        if name in type_map:
            _add(found, clause, type_map[name], values)
        elif not ignore_unknown:
            raise misuse(ValueError(f'Unknown hyperparameter type for {name}'))
    return found


def _add(found, clause, kind, values):
    name, index, several = clause['name'], clause['index'], clause['several']
    if several is not None:
        if index is not None:
            raise misuse(ValueError('Assignment of a list to a list index.'))
        if name in found:
            raise _set_twice(name, values)
        found[name] = [_parsed(name, part, kind, several, values)
                       for part in re.split('[ ,]', several) if part]
        return
    value = _parsed(name, clause['single'], kind, clause['single'], values)
    if index is None:
        if name in found:
            raise _set_twice(name, values)
        found[name] = value
        return
    elements = found.setdefault(name, {})
    if not isinstance(elements, dict):
        raise _set_twice(name, values)
    if int(index) in elements:
        raise _set_twice(f'{name}[{index}]', values)
    elements[int(index)] = value


def _parsed(name, text, kind, whole, values):
    try:
        if kind is bool:
            return _BOOLS[text] if text in _BOOLS else bool(int(text))
        return kind(text)
    except ValueError:
        raise misuse(ValueError(f"Could not parse hparam '{name}' of type '{kind.__name__}' with "
                                f"value '{whole}' in {values}")) from None


def _set_twice(name, values):
    return misuse(ValueError(f"Multiple assignments to variable '{name}' in {values}"))


def _fitting(name, kind, value):
    """`value` as a `kind`. ValueError for lossy conversions: of strings, bools, fractions."""
    if type(value) is kind or kind is type(None):
        return value
    texts = (str, bytes)
    if issubclass(kind, texts) and not isinstance(value, texts) or \
            issubclass(kind, bool) != isinstance(value, bool) or \
            any(issubclass(kind, numbers_) and not isinstance(value, numbers_)
                for numbers_ in (numbers.Integral, numbers.Number)):
        raise misuse(ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value "
                                f'{value!r}'))
    return kind(value)


class HParams:
    """Settings by name, as attributes: HParams(rate=0.1, sizes=[3, 4]).rate.

    A setting keeps the type of its first value, a number, a string, a bool or a list of
    these: `parse('rate=0.2')` converts strings to it, and other values must match it.
    """

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def:
            raise misuse(NotImplementedError(
                'HParams of an HParamDef\n  Hint: HParams(**dict), or parse_json(text).'))
        self._hparam_types = {}             # name -> (type of it or of its elements, is it a list?)
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Adds a setting. ValueError if the name is taken or the value is an empty list."""
        if getattr(self, name, None) is not None:
            raise misuse(ValueError(f'Hyperparameter name is reserved: {name}'))
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise misuse(ValueError(f'Multi-valued hyperparameters cannot be empty: {name}'))
        self._hparam_types[name] = type(value[0] if is_list else value), is_list
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Sets a value. KeyError for an unknown name, ValueError for a value of another type."""
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            raise misuse(ValueError(
                f'Must pass a list for multi-valued parameter: {name}.' if is_list else
                f'Must not pass a list for single-valued parameter: {name}'))
        setattr(self, name, [_fitting(name, kind, v) for v in value] if is_list
                else _fitting(name, kind, value))

    def del_hparam(self, name):
        """Removes the setting, if it exists."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Sets values from a string such as 'rate=0.1,sizes=[3,4]'; returns self."""
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict):
        """Sets values from a dict; returns self. KeyError for an unknown name."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map):
        """The older name of override_from_dict."""
        return self.override_from_dict(values_map)

    def parse_json(self, values_json):
        """Sets values from a JSON object; returns self."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """All settings as a JSON object."""
        return json.dumps(self.values(), indent=indent, separators=separators,
                          sort_keys=sort_keys)

    def values(self):
        """All settings as a dict."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """The setting's value, or `default` (of the setting's type) if it does not exist.
        """
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None:
            try:
                if isinstance(default, list) != is_list:
                    raise ValueError('one is a list')
                for value in default if is_list else [default]:
                    _fitting(key, kind, value)
            except ValueError as error:
                kind_name = f'list<{kind}>' if is_list else str(kind)
                raise misuse(ValueError(f"Hparam '{key}' of type '{kind_name}' is incompatible "
                                        f'with default={default}. {error}')) from None
        return getattr(self, key)

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return ','.join(f'{name}={value}' for name, value in self.values().items())

    def __repr__(self):
        return f'{type(self).__name__}({sorted(self.values().items())})'


__all__ = ['GreedyLoadBalancingStrategy', 'HParams', 'RandomStrategy', 'byte_size_load_fn',
           'parse_values']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
