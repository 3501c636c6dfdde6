"""GraphDefs whose functions call each other: a small file must not become a huge graph."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tinyflow.formats.graphdef import expansion
from tinyflow.formats.graphdef.expansion import Budget


def _function(graph, name, nodes, result):
    """Adds the function `name`, from float x to float y; nodes are (name, op, input, attrs)."""
    function = graph.library.function.add()
    function.signature.name = name
    for args, label in ((function.signature.input_arg, 'x'), (function.signature.output_arg, 'y')):
        arg = args.add()
        arg.name, arg.type = label, 1
    for label, op, source, attrs in nodes:
        node = function.node_def.add()
        node.name, node.op = label, op
        node.input.extend(source.split())
        _fill(node, attrs)
    function.ret['y'] = result


def _fill(node, attrs):
    for key, value in attrs.items():
        if isinstance(value, str):
            node.attr[key].func.name = value
        elif isinstance(value, list):
            node.attr[key].list.type.extend(value)
        else:
            node.attr[key].type = value


def _chain(depth, calls):
    """`depth` functions; each has the nodes that `calls` gives for the name of the next."""
    graph = tf.GraphDef()
    for i in range(depth - 1):
        _function(graph, f'f{i}', *calls(f'f{i + 1}'))
    _function(graph, f'f{depth - 1}', [('r', 'Neg', 'x', {'T': 1})], 'r:y:0')
    node = graph.node.add()
    node.name, node.op, node.attr['dtype'].type = 'x', 'Placeholder', 1
    node = graph.node.add()
    node.name, node.op = 'c', 'f0'
    node.input.append('x')
    return graph


def _twice_by_name(inner):
    return [('a', inner, 'x', {}), ('b', inner, 'a:y:0', {})], 'b:y:0'


def _twice_by_attribute(inner):
    attrs = {'f': inner, 'Tin': [1], 'Tout': [1]}
    return [('a', 'PartitionedCall', 'x', attrs),
            ('b', 'StatefulPartitionedCall', 'a:output:0', attrs)], 'b:output:0'


def _in_both_branches(inner):
    return [('p', 'Cast', 'x', {'SrcT': 1, 'DstT': 10}),
            ('a', 'If', 'p:y:0 x', {'then_branch': inner, 'else_branch': inner, 'Tcond': 10,
                                    'Tin': [1], 'Tout': [1]})], 'a:output:0'


@pytest.mark.parametrize('calls', [_twice_by_name, _twice_by_attribute, _in_both_branches])
def test_doubling_functions_are_an_error_before_anything_is_made(graph, calls):
    with pytest.raises(ValueError, match='would become 10.12 nodes') as caught:
        tf.import_graph_def(_chain(40, calls), name='')
    assert 'extract_sub_graph' in str(caught.value)
    assert not graph.get_operations()


@pytest.mark.parametrize('calls', [_twice_by_name, _twice_by_attribute, _in_both_branches])
def test_few_calls_are_computed(session, calls):
    tf.import_graph_def(_chain(5, calls), name='')
    wanted = 3.0 if calls is not _in_both_branches else -3.0
    assert session.run('c:0', {'x:0': 3.0}) == wanted


def test_a_function_that_calls_itself_is_an_error(graph):
    definition = tf.GraphDef()
    _function(definition, 'f0', *_twice_by_name('f0'))
    definition.node.extend(_chain(1, None).node)
    with pytest.raises(ValueError, match='calls itself without end'):
        tf.import_graph_def(definition, name='')


@pytest.mark.slow
def test_many_calls_of_a_file_that_has_many_nodes(graph):
    """The limit grows with the file: 180 calls of a function of 30 nodes are no bomb."""
    definition = tf.GraphDef()
    nodes = [(f'n{i}', 'Neg', f'n{i - 1}:y:0' if i else 'x', {'T': 1}) for i in range(30)]
    _function(definition, 'f', nodes, 'n29:y:0')
    definition.node.extend(_chain(1, None).node[:1])
    for i in range(180):
        node = definition.node.add()
        node.name, node.op = f'c{i}', 'f'
        node.input.append('x')
    tf.import_graph_def(definition, name='')
    assert len(graph.get_operations()) > 5000


def test_each_node_is_looked_at_once(monkeypatch):
    """A thousand calls of a function of a thousand calls are not a million steps."""
    seen, looked_at = [], expansion._called
    monkeypatch.setattr(expansion, '_called',
                        lambda node, library: seen.append(node) or looked_at(node, library))
    definition = _chain(1, None)
    for i in range(3):
        _function(definition, f'g{i}', [(f'n{k}', f'g{i + 1}' if i < 2 else 'f0', 'x', {})
                                        for k in range(1000)], 'n0:y:0')
    for i in range(1000):
        node = definition.node.add()
        node.name, node.op = f'c{i}', 'g0'
        node.input.append('x')
    with pytest.raises(ValueError, match=r'would become 10\^12 nodes'):
        tf.import_graph_def(definition, name='')
    assert len(seen) < 10_000


def test_a_number_of_nodes_that_python_does_not_print():
    """Python refuses to write a number of more than 4,300 digits."""
    with pytest.raises(ValueError, match=r'would become 10\^6020 nodes'):
        Budget([], {}).check(2 ** 20_000)


def test_graphs_that_are_made_again_count_too():
    """The body of a loop is made again for each of its shapes, and counted each time."""
    budget = Budget([], {})
    for _ in range(5):
        budget.spend(1000)
    with pytest.raises(ValueError, match='would become 5001 nodes'):
        budget.spend(1)
