"""init_from_checkpoint and warm_start: Variables initialised from a checkpoint."""
from __future__ import annotations

from difflib import get_close_matches

from tinyflow.formats.wire import slices
from tinyflow.graph.defaults import device, get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.files import saving
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import Variable
from tinyflow.ops.variables.variable_store import get_store
from tinyflow.train.checkpoints.inspection import NewCheckpointReader, checkpoint_filename
from tinyflow.train.checkpoints.warm_start_vocab import initialize_by_words

__all__ = ['init_from_checkpoint', 'warm_start']


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Makes the initializers of Variables restore values of a checkpoint instead.

    `assignment_map` maps names in the checkpoint to Variables or their names ('w': v), or scopes
    to scopes: {'old_scope/': 'new_scope/'}, '/' being the root. Call it before the operation of
    tf.global_variables_initializer() is made. Raises ValueError for an unknown name or a different
    shape.
    """
    path = checkpoint_filename(ckpt_dir_or_file)
    found = NewCheckpointReader(path).get_variable_to_shape_map()
    for stored, target in sorted(assignment_map.items()):
        for name, variable in _pairs(stored, target, ckpt_dir_or_file, found):
            _check(name, variable, ckpt_dir_or_file, found)
            _initialize_from(variable, path, name)


def _pairs(stored, target, where, found):
    """[(name in the checkpoint, Variable)] of one entry of the map."""
    if isinstance(target, Variable):
        return [(stored, target)]
    if isinstance(target, (list, tuple)):
        return [(stored, part) for part in target]
    variables = get_store().variables
    if target in variables:
        return [(stored, variables[target])]
    scope = target[:target.rindex('/')] if '/' in target else ''
    if not stored.endswith('/'):
        raise misuse(ValueError(
            f'Assignment map with scope only name {scope} should map to scope only {stored}. '
            "Should be 'scope/': 'other_scope/'."))
    inside = [name for name in sorted(variables) if not scope or name.startswith(scope + '/')]
    return [(_full_name(name, scope, stored, target, where, found), variables[name])
            for name in inside]


def _full_name(name, scope, stored, target, where, found):
    rest = name[len(scope):] if target == '/' else name[len(scope) + 1 if scope else 0:]
    full = (rest if stored == '/' else stored + rest).rstrip('/')
    if full not in found:
        raise misuse(ValueError(
            f'Tensor {full} ({rest} in {stored}) is not found in {where} checkpoint'
            f'{_nearest(full, found)}'))
    return full


def _nearest(name, found):
    near = get_close_matches(name, found, n=3)
    return f'\n  Hint: nearest there: {", ".join(near)}.' if near else ''


def _check(name, variable, where, found):
    if name not in found:
        raise misuse(ValueError(f'Tensor {name} is not found in {where} checkpoint {found}'
                                f'{_nearest(name, found)}'))
    info = variable._get_save_slice_info()
    # A part of a partitioned Variable reads its slice: the full shape must be the stored one.
    shape = variable.shape if info is None else TensorShape(slices.parse(info.spec)[0])
    if not shape.is_compatible_with(found[name]):
        raise misuse(ValueError(
            f"Shape of variable {variable.name} ({shape}) doesn't match with shape of "
            f'tensor {name} ({found[name]}) from checkpoint reader.'))


def _initialize_from(variable, path, name):
    info = variable._get_save_slice_info()
    with device('/device:CPU:0'):
        value, = saving.RestoreV2.apply(
            path, [name], [info.spec if info else ''], dtypes=(variable.dtype.base_dtype,),
            name='checkpoint_initializer')
    for part in getattr(variable, 'components', (variable,)):       # one for each replica
        part._initializer_op = variable_ops.assign(
            part, value, validate_shape=variable.shape.is_fully_defined()).op
        part._initial_value = value
    if hasattr(variable, 'components'):
        variable._initialize_all = None             # computed from their previous initializers
    value.set_shape(variable.shape)


def warm_start(ckpt_to_initialize_from, vars_to_warm_start='.*', var_name_to_vocab_info=None,
               var_name_to_prev_var_name=None):
    """Makes initializers restore from a checkpoint, as `init_from_checkpoint`, by equal names.

    `vars_to_warm_start` is a regular expression on the names of trainable Variables, or a list of
    expressions on global ones, or of Variables; None for those of `var_name_to_vocab_info` only,
    which has a VocabInfo for each matrix whose vocabulary has changed. `var_name_to_prev_var_name`
    maps renamed ones to their previous names. Raises ValueError for names that are not
    warm-started.
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    previous = dict(var_name_to_prev_var_name or {})
    grouped = {}
    for variable in _chosen(vars_to_warm_start):
        info = variable._get_save_slice_info()
        name = info.full_name if info else variable.op.name
        grouped.setdefault(name, []).append(variable)
    mapping = {}
    for name, parts in grouped.items():
        stored = previous.pop(name, name)
        if name in vocabularies:
            initialize_by_words(parts, vocabularies.pop(name), ckpt_to_initialize_from, stored)
        elif vars_to_warm_start:
            mapping[stored] = parts
    for what, unused in (('prev_var_name', previous), ('vocab_info', vocabularies)):
        if unused:
            raise misuse(ValueError(
                f'You provided the following names in var_name_to_{what}, but they are not '
                f'warm-started: {sorted(unused)}'))
    if mapping:
        init_from_checkpoint(ckpt_to_initialize_from, mapping)


def _chosen(which):
    if which is None or isinstance(which, str):
        return get_collection(GraphKeys.TRAINABLE_VARIABLES, which)
    if all(isinstance(item, str) for item in which):
        found = [v for item in which for v in get_collection(GraphKeys.GLOBAL_VARIABLES, item)]
        return list(dict.fromkeys(found))
    if all(isinstance(item, Variable) for item in which):
        return list(which)
    raise misuse(ValueError('If `vars_to_warm_start` is a list, it must be all `Variable` or all '
                            f'`str`.  Given types are {[type(item) for item in which]}'))
