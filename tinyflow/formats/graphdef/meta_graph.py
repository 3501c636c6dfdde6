"""Graph with collections, Saver and versions <-> MetaGraphDef."""
from __future__ import annotations

import os

from tinyflow.formats.graphdef import collections, op_defs, scopes
from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.wire import reading
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.version import GIT_VERSION, VERSION
from tinyflow.ops.variables.partitioned_variable import PartitionedVariable

UNBOUND = 'unbound_inputs'
_SAVER_TYPES = ('SaveV2', 'RestoreV2', 'Save', 'SaveSlices', 'Restore', 'RestoreSlice')


# ---- writing ------------------------------------------------------------------------------


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None,
                      collection_list=None, as_text=False, graph=None, export_scope=None,
                      clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False,
                      unbound_inputs_col_name=UNBOUND):
    """The MetaGraphDef of a graph: nodes, collections, `saver_def`; written to `filename` if given.

    export_scope keeps only that name scope and removes its name; inputs from outside are listed
    in the collection `unbound_inputs_col_name`. clear_extraneous_savers removes the nodes of
    Savers other than `saver_def`'s. Raises ValueError above 2 GB.
    """
    from tinyflow.formats.protos.meta_graph_pb2 import MetaGraphDef  # start-up time
    graph = graph or get_default_graph()
    _check(graph, collection_list)
    proto = MetaGraphDef()
    if meta_info_def is not None:
        proto.meta_info_def.MergeFrom(meta_info_def)
    own = graph_def if graph_def is not None else graph.as_graph_def(add_shapes=True)
    proto.graph_def.CopyFrom(own)
    savers = _extraneous(own, saver_def) if clear_extraneous_savers else frozenset()
    if export_scope or savers or clear_devices:
        unbound = _reduce(proto.graph_def, export_scope, savers, clear_devices)
        if unbound_inputs_col_name and export_scope:
            graph.clear_collection(unbound_inputs_col_name)
            for name in unbound:
                graph.add_to_collection(unbound_inputs_col_name, name)
    _fill_info(proto, strip_default_attrs)
    if saver_def is not None:
        proto.saver_def.MergeFrom(saver_def)
    _fill_collections(proto, graph, collection_list, export_scope, savers,
                      saver_def if clear_extraneous_savers else None)
    if filename:
        reading.write(filename, proto, as_text)
    return proto


def _check(graph, collection_list):
    if not isinstance(graph, Graph):
        raise misuse(TypeError(f'graph must be a tf.Graph, not {graph!r}.'))
    if isinstance(collection_list, str):
        raise misuse(TypeError('collection_list is a list of names of collections, not '
                               f'{collection_list!r}.'))


def _fill_info(proto, strip_default_attrs):
    info = proto.meta_info_def
    info.tensorflow_version, info.tensorflow_git_version = VERSION, GIT_VERSION
    nodes = list(proto.graph_def.node)
    inner = [n for f in proto.graph_def.library.function for n in f.node_def]
    if not info.HasField('stripped_op_list'):
        op_defs.stripped_op_list(info.stripped_op_list, nodes + inner)
    if strip_default_attrs:
        op_defs.strip_defaults(nodes + inner)
        info.stripped_default_attrs = True


def _fill_collections(proto, graph, keys, export_scope, left_out, only_saver):
    for key in graph.get_all_collection_keys() if keys is None else keys:
        if not isinstance(key, str):
            continue
        items = [item for item in graph.get_collection(key)
                 if not isinstance(item, PartitionedVariable)       # without a message type
                 and getattr(getattr(item, 'op', item), 'name', None) not in left_out]
        if key == GraphKeys.SAVERS and only_saver is not None:
            items = [s for s in items if s.saver_def == only_saver]
        if not collections.fill(proto.collection_def[key], key, items, export_scope):
            del proto.collection_def[key]


def _extraneous(graph_def, saver_def):
    """Names of the nodes that only Savers other than `saver_def`'s need."""
    def scope_of(name):
        return name.partition('/')[0] if '/' in name else ''
    kept = scope_of(saver_def.restore_op_name) if saver_def is not None else None
    found = {scope_of(n.name) for n in graph_def.node if n.op in _SAVER_TYPES}
    others = {s for s in found if s and s != kept}
    return frozenset(n.name for n in graph_def.node if scope_of(n.name) in others)


def _reduce(graph_def, export_scope, left_out, clear_devices):
    """Removes nodes, scopes and devices from a GraphDef; returns the inputs from outside."""
    unbound = []
    kept = [n for n in graph_def.node
            if n.name not in left_out and scopes.inside(n.name, export_scope)]
    nodes = []
    for node in kept:
        copy = type(node)()
        copy.CopyFrom(node)
        copy.name = scopes.strip(node.name, export_scope)
        del copy.input[:]
        copy.input.extend([_input(name, export_scope, unbound) for name in node.input])
        if '_class' in copy.attr:
            names = [scopes.strip(s.decode(), export_scope).encode()
                     for s in node.attr['_class'].list.s]
            copy.attr['_class'].list.s[:] = names
        if clear_devices:
            copy.device = ''
        nodes.append(copy)
    del graph_def.node[:]
    graph_def.node.extend(nodes)
    return unbound


def _input(name, export_scope, unbound):
    if scopes.inside(name, export_scope):
        return scopes.strip(name, export_scope)
    mark = '^' if name.startswith('^') else ''
    name = f'{mark}{collections.UNBOUND_PREFIX}{name.lstrip("^")}'
    if name not in unbound:
        unbound.append(name)
    return name


# ---- reading ------------------------------------------------------------------------------


def read_meta_graph_file(filename):
    """The MetaGraphDef in a file, binary or text.

    Raises OSError if there is none and DataLossError if it is damaged, naming it.
    """
    from tinyflow.formats.protos.meta_graph_pb2 import MetaGraphDef  # start-up time
    if not os.path.isfile(filename):
        directory = os.path.dirname(filename) or '.'
        there = sorted(n for n in os.listdir(directory) if n.endswith('.meta')) \
            if os.path.isdir(directory) else []
        hint = f'\n  Hint: in {directory} there are: {", ".join(there[:5])}' if there else ''
        raise misuse(OSError(f'File {filename} does not exist.{hint}'))
    try:
        proto = reading.read(filename, MetaGraphDef, binary=True)
    except errors.DataLossError as error:
        try:
            proto = reading.read(filename, MetaGraphDef, binary=False)
        except errors.DataLossError:
            raise error from None
    if not proto.HasField('graph_def'):
        raise errors.DataLossError(None, None, f'{filename} ({os.path.getsize(filename)} bytes) is '
                                   'damaged: there is no graph in it.')
    return proto


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, graph=None,
                      input_map=None, unbound_inputs_col_name=UNBOUND,
                      restore_collections_predicate=lambda key: True, return_elements=None):
    """Adds the nodes and collections of a MetaGraphDef to a graph, under `import_scope` if given.

    Returns (the MetaGraphDef, its Variables by name, the return_elements). Raises ValueError if
    inputs from outside (see `export_meta_graph`) are not given in `input_map`.
    """
    from tinyflow.formats.protos.meta_graph_pb2 import MetaGraphDef  # start-up time
    if isinstance(meta_graph_or_file, (str, os.PathLike)):
        path = os.fspath(meta_graph_or_file)
        proto = read_meta_graph_file(path)
    else:
        path, proto = None, reading.as_message(meta_graph_or_file, MetaGraphDef)
    _check_unbound(proto, unbound_inputs_col_name, input_map)
    graph = graph or get_default_graph()
    with reading.naming(path), graph.as_default():
        nodes = proto.graph_def
        if clear_devices:
            nodes = type(nodes)()
            nodes.CopyFrom(proto.graph_def)
            for node in nodes.node:
                node.device = ''
        scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else ''
        elements = import_graph_def(nodes, input_map, return_elements, import_scope or '')
        collections.restore(graph, proto.collection_def, scope, unbound_inputs_col_name,
                            restore_collections_predicate)
        variables = {}
        for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope or None):
            if not hasattr(v, 'name'):
                raise misuse(ValueError(f"the collection '{GraphKeys.GLOBAL_VARIABLES}' holds "
                                        f'{v!r}, which is not a Variable: is the file damaged?'))
            variables[scopes.strip(v.name, scope)] = v
    return proto, variables, elements


def _check_unbound(proto, key, input_map):
    if not key or key not in proto.collection_def:
        return
    wanted = [v.decode() for v in proto.collection_def[key].bytes_list.value]
    missing = [name for name in wanted if name not in (input_map or {})]
    if missing:
        raise misuse(ValueError(f'Graph contains unbound inputs: {",".join(missing)}. Must provide '
                                'these inputs through input_map.'))
