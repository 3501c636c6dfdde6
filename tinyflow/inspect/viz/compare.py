"""Picture of a GraphDiff: the second graph, with changes marked and removed nodes as outlines."""
from __future__ import annotations

from dataclasses import replace

from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.viz.build import build
from tinyflow.inspect.viz.model import Edge, Model, Node, Options

ADDED, REMOVED, CHANGED, RENAMED = 'added', 'removed', 'changed', 'renamed'
_MOST_CHANGES = 3           # written into one node


def compared(diff, options: Options) -> Model:
    """The Model of `diff.second_graph`, with the marks and outlines of `diff`.

    Raises ValueError if `diff` did not come from two graphs.
    """
    if diff.first_graph is None or diff.second_graph is None:
        raise misuse(ValueError('This comparison cannot be drawn: a picture needs two graphs, and '
                                'programs and checkpoints have none.\n  Hint: print(diff).'))
    before, after = build(diff.first_graph, options), build(diff.second_graph, options)
    _mark(diff, after)
    _add_ghosts(diff, before, after)
    return after


# ---- what the second graph has ---------------------------------------------------------------

def _mark(diff, model):
    drawn = {name: node for node in model.nodes for name in node.names}
    unseen = 0
    for name, kind, text in _differences(diff):
        nodes = [drawn[name]] if name in drawn else _users(diff.second_graph, name, drawn)
        unseen += not nodes
        for node in nodes:
            direct = name in drawn and len(node.ops) == 1 or node.kind == 'variable'
            node.mark = kind if direct and node.mark in ('', kind) else node.mark or CHANGED
            if text and len(node.details) < 8:
                node.details = [*dict.fromkeys([*node.details, text])]
    for node in model.nodes:
        if node.kind in ('scope', 'run'):
            _sum_up(node, diff)
    if unseen:
        model.notes.append(f'{unseen} differences are in nodes that are not shown (print the '
                           'comparison to read them)')


def _differences(diff):
    """(name in the second graph, kind, text to write) of what it has."""
    for line in diff.added:
        yield line.split(':')[0], ADDED, ''
    for old, new in diff.renamed:
        yield new, RENAMED, f'was {old}'
    seen: dict[str, int] = {}
    new_names = dict(diff.renamed)
    for change in diff.changed:
        seen[change.name] = seen.get(change.name, 0) + 1
        text = f'{change.what}: was {change.before}' if seen[change.name] <= _MOST_CHANGES else ''
        yield new_names.get(change.name, change.name), CHANGED, \
            '' if change.what == 'inputs' else text


def _users(graph, name, drawn):
    """The drawn nodes that use an operation which, like a constant, is written into its users."""
    try:
        op = graph.get_operation_by_name(name)
    except KeyError:
        return []
    users = [user for t in op.outputs for user in t.consumers()]
    return [drawn[u.name] for u in users if u.graph is graph and u.name in drawn]


def _sum_up(node, diff):
    """A summary of the differences of the operations that one drawn node represents."""
    names = set(node.names)
    counts = {ADDED: len(names & {line.split(':')[0] for line in diff.added}),
              RENAMED: len(names & {new for _, new in diff.renamed}),
              CHANGED: len(names & {change.name for change in diff.changed})}
    texts = [f'{n} {kind}' for kind, n in counts.items() if n]
    if texts:
        whole = [kind for kind, n in counts.items() if n == len(names)]
        node.mark = whole[0] if whole else CHANGED
        node.details = [*node.details[:2], ', '.join(texts)]


# ---- what only the first graph has -----------------------------------------------------------

def _add_ghosts(diff, before, after):
    removed = {line.split(':')[0] for line in diff.removed}
    ghosts = {node.key: _ghost(node) for node in before.nodes
              if node.names and removed.issuperset(node.names)}
    names = dict(diff.renamed)
    drawn = {name: node.key for node in after.nodes for name in node.names}
    place = {node.key: ghosts[node.key].key if node.key in ghosts else
             next((drawn[names.get(n, n)] for n in node.names if names.get(n, n) in drawn), None)
             for node in before.nodes}
    shown = {name for node in before.nodes for name in node.names}
    for node in ghosts.values():
        after.nodes.append(node)
        _box_for(after, node.path).nodes.append(node)
    for edge in before.edges:
        ends = place[edge.tail], place[edge.head]
        if None not in ends and (edge.tail in ghosts or edge.head in ghosts):
            after.edges.append(Edge(*ends, REMOVED, '', 'only in the first\n' + edge.tooltip))
    hidden = removed - shown
    if hidden:
        after.notes.append(f'{len(hidden)} removed nodes are not shown')


def _ghost(node) -> Node:
    return replace(node, key='x' + node.key, mark=REMOVED, fetched=False,
                   tooltip='only in the first graph\n' + node.tooltip)


def _box_for(model, path):
    """The innermost box of the second graph's picture that can contain a removed node."""
    box = model.root
    for n in range(1, len(path) + 1):
        inner = next((b for b in box.boxes if b.path == path[:n]), None)
        if inner is None:
            break
        box = inner
    return box
