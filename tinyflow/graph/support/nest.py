"""Nested structures (lists, tuples, namedtuples, dicts, attrs) as flat lists, and back.

The order of the leaves is TF's: sequences in their own order, dicts by sorted key. Strings, arrays
and Tensors are leaves. With `expand_composites`, a SparseTensor or IndexedSlices is not a leaf
but a structure of its Tensors.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

_TEXT = (str, bytes, bytearray)
_VIEWS = (KeysView, ValuesView)


def is_nested(seq: Any) -> bool:
    """True for structures that `flatten` expands: non-string sequences, dicts, attrs objects."""
    kind = type(seq)
    if kind is list or kind is tuple or kind is dict:
        return True
    return (isinstance(seq, (Sequence, Mapping, *_VIEWS)) and not isinstance(seq, _TEXT)
            or _is_attrs(seq))


is_sequence = is_nested


def is_sequence_or_composite(o: Any) -> bool:
    """True for the structures that `flatten(..., expand_composites=True)` expands."""
    return is_nested(o) or _is_composite(o)


def _is_composite(value: Any) -> bool:
    return getattr(value, '_nest_parts', None) is not None


def _is_attrs(value: Any) -> bool:
    return hasattr(type(value), '__attrs_attrs__')


def _tester(expand_composites: bool) -> Callable[[Any], bool]:
    return is_sequence_or_composite if expand_composites else is_nested


def sorted_keys(mapping: Mapping) -> list:
    """The keys of a dict in the order of `flatten`: sorted. TypeError if they are not sortable."""
    try:
        return sorted(mapping)
    except TypeError:
        raise misuse(TypeError('nest only supports dicts with sortable keys.')) from None


def _items(value: Any) -> list[tuple[Any, Any]]:
    """(key, child) of a structure, in order."""
    if isinstance(value, Mapping):
        return [(key, value[key]) for key in sorted_keys(value)]
    if _is_composite(value):
        return list(enumerate(value._nest_parts()[0]))
    fields = getattr(value, '_fields', None)
    if isinstance(value, tuple) and fields is not None:
        return list(zip(fields, value))
    if _is_attrs(value):
        return [(a.name, getattr(value, a.name)) for a in value.__attrs_attrs__]
    return list(enumerate(value))


def _children(value: Any) -> list:
    if isinstance(value, (list, tuple)):
        return list(value)
    return [child for _, child in _items(value)]


def _like(instance: Any, children: Sequence) -> Any:
    """A structure of the type of `instance` (and its keys) with the given children, in order."""
    if isinstance(instance, Mapping):
        by_key = dict(zip(sorted_keys(instance), children))
        ordered = [(key, by_key[key]) for key in instance]
        if hasattr(instance, 'default_factory'):
            return type(instance)(instance.default_factory, ordered)  # type: ignore[call-arg]
        return type(instance)(ordered)                                # type: ignore[call-arg]
    if _is_composite(instance):
        return instance._nest_parts()[1](*children)
    if _is_namedtuple(instance) or _is_attrs(instance):
        return type(instance)(*children)
    if isinstance(instance, (range, *_VIEWS)):
        return list(children)
    return type(instance)(children)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, '_fields')


# ---- flat and back -----------------------------------------------------------------------


def flatten(structure: Any, expand_composites: bool = False) -> list:
    """The leaves of a structure, in order; a single leaf gives [leaf]."""
    found: list = []
    _gather(structure, _tester(expand_composites), found)
    return found


def _gather(structure: Any, nested: Callable[[Any], bool], found: list) -> None:
    if not nested(structure):
        found.append(structure)
        return
    for child in _children(structure):
        _gather(child, nested, found)


def pack_sequence_as(structure: Any, flat_sequence: Sequence,
                     expand_composites: bool = False) -> Any:
    """The inverse of `flatten`: the items of `flat_sequence` as the leaves of `structure`.

    Raises ValueError if there are more or fewer items than leaves.
    """
    nested = _tester(expand_composites)
    if not is_nested(flat_sequence):
        raise misuse(TypeError('flat_sequence must be a sequence'))
    flat = list(flat_sequence)
    if not nested(structure):
        if len(flat) != 1:
            raise misuse(ValueError(
                f'Structure is a scalar but len(flat_sequence) == {len(flat)} > 1'))
        return flat[0]
    count = len(flatten(structure, expand_composites))
    if count != len(flat):
        raise misuse(ValueError(
            f'Could not pack sequence. Structure had {count} elements, but flat_sequence had '
            f'{len(flat)} elements.  Structure: {structure}, flat_sequence: {flat_sequence}.'))
    return _packed(structure, iter(flat), nested)


def _packed(structure: Any, flat: Iterator, nested: Callable[[Any], bool]) -> Any:
    if not nested(structure):
        return next(flat)
    return _like(structure, [_packed(child, flat, nested) for child in _children(structure)])


def skeleton(structure: Any) -> Any:
    """A hashable value that is equal for structures of the same types and keys."""
    if not is_nested(structure):
        return type(structure) if _is_composite(structure) else None
    return type(structure), tuple([(key, skeleton(child)) for key, child in _items(structure)])


def map_structure(func: Callable, *structure: Any, **kwargs: Any) -> Any:
    """Applies func to corresponding leaves; the result has the first structure's structure.

    TypeError or ValueError if the structures differ; `check_types=False` allows a list to match a
    tuple.
    """
    check_types, expand = _map_options(func, kwargs)
    if not structure:
        raise misuse(ValueError('Must provide at least one structure'))
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    columns = [flatten(s, expand) for s in structure]
    return pack_sequence_as(structure[0], [func(*row) for row in zip(*columns)], expand)


def _map_options(func: Callable, kwargs: dict) -> tuple[bool, bool]:
    if not callable(func):
        raise misuse(TypeError(f'func must be callable, got: {func}'))
    check_types = kwargs.pop('check_types', True)
    expand = kwargs.pop('expand_composites', False)
    kwargs.pop('check_subtrees_length', None)
    if kwargs:
        raise misuse(ValueError(
            'Only valid keyword arguments are `check_types` and `expand_composites`, not: '
            f'`{"`, `".join(kwargs)}`'
            + nearest_keyword(min(kwargs), ('check_types', 'expand_composites'))))
    return check_types, expand


# ---- comparing structures ----------------------------------------------------------------


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True,
                          expand_composites: bool = False) -> None:
    """Raises an error unless both have the same nested structure.

    ValueError for different nesting, keys or lengths; with `check_types`, TypeError if a list is
    matched with a tuple, or two dicts or namedtuples are of different types.
    """
    try:
        _compare(nest1, nest2, check_types, _tester(expand_composites))
    except (TypeError, ValueError) as error:
        dots = [pack_sequence_as(s, [_Dot()] * len(flatten(s))) for s in (nest1, nest2)]
        raise misuse(type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f'First structure: {_shortened(nest1)}\n\nSecond structure: {_shortened(nest2)}\n\n'
            f'More specifically: {error}\nEntire first structure:\n{dots[0]}\n'
            f'Entire second structure:\n{dots[1]}')) from None


class _Dot:
    def __repr__(self) -> str:
        return '.'


def _shortened(value: Any) -> str:
    return f'type={type(value).__name__} str={value}'


def _compare(a: Any, b: Any, check_types: bool, nested: Callable[[Any], bool]) -> None:
    if nested(a) != nested(b):
        inner, leaf = (a, b) if nested(a) else (b, a)
        raise ValueError(f'Substructure "{_shortened(inner)}" is a sequence, while substructure '
                         f'"{_shortened(leaf)}" is not')
    if not nested(a):
        return
    if check_types and not _same_kind(a, b):
        raise TypeError(
            f"The two namedtuples don't have the same sequence type. First structure "
            f'{_shortened(a)} has type {type(a).__name__}, while second '
            f'structure {_shortened(b)} has type {type(b).__name__}')
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        raise ValueError(
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f'{_shortened(list(a))}, while second structure has keys {_shortened(list(b))}')
    first, second = _children(a), _children(b)
    if len(first) != len(second):
        raise ValueError("The two structures don't have the same number of elements. First "
                         f'structure: {_shortened(a)}. Second structure: {_shortened(b)}')
    for x, y in zip(first, second):
        _compare(x, y, check_types, nested)


def _same_kind(a: Any, b: Any) -> bool:
    """True if two structures are of the same type; all types of dict count as the same."""
    if _is_namedtuple(a) and _is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return True
    lists = (list, *_VIEWS)
    return type(a) is type(b) or isinstance(a, lists) and isinstance(b, lists)


# ---- up to the depth of a shallower structure ----------------------------------------------


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                             expand_composites: bool = False,
                             check_subtrees_length: bool = True) -> None:
    """Raises TypeError or ValueError unless `input_tree` goes at least as deep everywhere."""
    nested = _tester(expand_composites)
    if not nested(shallow_tree):
        return
    if not nested(input_tree):
        raise misuse(TypeError('If shallow structure is a sequence, input must also be a sequence. '
                               f'Input has type: {type(input_tree)}.'))
    if check_types and not _same_kind(shallow_tree, input_tree):
        raise misuse(TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f'{type(input_tree)}, while shallow structure has type {type(shallow_tree)}.'))
    shallow, deep = _items(shallow_tree), _items(input_tree)
    if check_subtrees_length and len(shallow) != len(deep):
        raise misuse(ValueError(
            f"The two structures don't have the same sequence length. Input structure has length "
            f'{len(deep)}, while shallow structure has length {len(shallow)}.'))
    if isinstance(shallow_tree, Mapping):
        _check_keys(shallow_tree, input_tree)
        shallow, deep = shallow, [(key, input_tree[key]) for key, _ in shallow]
    for (_, branch), (_, child) in zip(shallow, deep):
        assert_shallow_structure(branch, child, check_types, expand_composites,
                                 check_subtrees_length)


def _check_keys(shallow: Mapping, deep: Mapping) -> None:
    absent = sorted(set(shallow) - set(deep), key=str)
    if absent:
        raise misuse(ValueError(
            "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree "
            f'has the following keys that are not in the input_tree: {absent}.'))


def _paths_up_to(shallow: Any, deep: Any, nested: Callable[[Any], bool],
                 path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """(path, subtree of `deep`) for each leaf of `shallow`."""
    if not nested(shallow):
        yield path, deep
        return
    below = dict(_items(deep)) if isinstance(shallow, Mapping) else None
    places = None if below is not None else _children(deep)
    for i, (key, branch) in enumerate(_items(shallow)):
        child = below[key] if below is not None else places[i]      # type: ignore[index]
        yield from _paths_up_to(branch, child, nested, (*path, key))


def flatten_with_tuple_paths_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                                   expand_composites: bool = False,
                                   check_subtrees_length: bool = True) -> list:
    """[(path, subtree)] of `input_tree`, no deeper than `shallow_tree`."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites,
                             check_subtrees_length)
    return list(_paths_up_to(shallow_tree, input_tree, _tester(expand_composites)))


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True,
                  expand_composites: bool = False, check_subtrees_length: bool = True) -> list:
    """The subtrees of `input_tree` at the positions of the leaves of `shallow_tree`."""
    return [subtree for _, subtree in flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length)]


def map_structure_up_to(shallow_tree: Any, func: Callable, *inputs: Any, **kwargs: Any) -> Any:
    """Applies func to the inputs' subtrees at the leaves of `shallow_tree`; keeps its structure."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree: Any, func: Callable, *inputs: Any,
                                         **kwargs: Any) -> Any:
    """As map_structure_up_to; `func` gets the path of keys as its first argument."""
    check_types, expand = _map_options(func, kwargs)
    if not inputs:
        raise misuse(ValueError('Cannot map over no sequences'))
    columns = [flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand)
               for tree in inputs]
    results = [func(row[0][0], *[value for _, value in row]) for row in zip(*columns)]
    return pack_sequence_as(shallow_tree, results, expand)


def get_traverse_shallow_structure(traverse_fn: Callable, structure: Any,
                                   expand_composites: bool = False) -> Any:
    """A shallow structure of bools: True for a leaf, False where `traverse_fn` stopped.

    `traverse_fn` returns a bool for a whole substructure, or a structure of bools for its items.
    """
    nested = _tester(expand_composites)
    answer = traverse_fn(structure)
    if not nested(structure):
        if not isinstance(answer, bool):
            raise misuse(TypeError('traverse_fn returned structure: %s for non-structure: %s'
                                   % (answer, structure)))
        return answer
    if isinstance(answer, bool):
        if not answer:
            return False
        answer = map_structure(lambda _: True, _like(structure, [0] * len(_children(structure))))
    assert_shallow_structure(answer, structure, expand_composites=expand_composites)
    return _like(structure, [
        get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False
        for go, child in zip(_children(answer), _children(structure))])


# ---- leaves with their paths ---------------------------------------------------------------


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple]:
    """The path of keys and positions to each leaf, in the order of `flatten`."""
    for path, _ in _paths_up_to(nest, nest, _tester(expand_composites)):
        yield path


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list:
    """[(path, leaf)], a path being a tuple of keys and positions."""
    return list(_paths_up_to(structure, structure, _tester(expand_composites)))


def flatten_with_joined_string_paths(structure: Any, separator: str = '/',
                                     expand_composites: bool = False) -> list:
    """[(path, leaf)], a path being the joined text of keys and positions."""
    return [(separator.join(map(str, path)), leaf)
            for path, leaf in flatten_with_tuple_paths(structure, expand_composites)]


def map_structure_with_paths(func: Callable, *structure: Any, **kwargs: Any) -> Any:
    """As map_structure; `func` gets the path, such as 'a/0/b', as its first argument."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves: func('/'.join(map(str, path)), *leaves), *structure, **kwargs)


def map_structure_with_tuple_paths(func: Callable, *structure: Any, **kwargs: Any) -> Any:
    """As map_structure; `func` gets the path, a tuple, as its first argument."""
    if not structure:
        raise misuse(ValueError('Must provide at least one structure'))
    paths = iter(list(yield_flat_paths(structure[0], kwargs.get('expand_composites', False))))
    return map_structure(lambda *leaves: func(next(paths), *leaves), *structure, **kwargs)


def flatten_dict_items(dictionary: Mapping) -> dict:
    """{(a, b): (1, [2])} -> {a: 1, b: 2}: matches nested keys with the nested values."""
    if not isinstance(dictionary, Mapping):
        raise misuse(TypeError('input must be a dictionary'))
    flat: dict = {}
    for key, value in dictionary.items():
        keys, values = ([key], [value]) if not is_nested(key) else (flatten(key), flatten(value))
        if len(keys) != len(values):
            raise misuse(ValueError(
                f'Could not flatten dictionary. Key had {len(keys)} elements, but value had '
                f'{len(values)} elements. Key: {keys}, value: {values}.'))
        for k, v in zip(keys, values):
            if k in flat:
                raise misuse(ValueError(f'Could not flatten dictionary: key {k} is not unique.'))
            flat[k] = v
    return flat


__all__ = ['assert_same_structure', 'assert_shallow_structure', 'flatten', 'flatten_dict_items',
           'flatten_up_to', 'flatten_with_joined_string_paths', 'flatten_with_tuple_paths',
           'flatten_with_tuple_paths_up_to', 'get_traverse_shallow_structure', 'is_nested',
           'is_sequence', 'is_sequence_or_composite', 'map_structure', 'map_structure_up_to',
           'map_structure_with_paths', 'map_structure_with_tuple_paths',
           'map_structure_with_tuple_paths_up_to', 'pack_sequence_as', 'yield_flat_paths']


def __dir__():
    return __all__
