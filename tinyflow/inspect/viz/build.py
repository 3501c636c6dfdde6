"""Builds the Model of a picture: chooses, folds and connects nodes of a graph."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.viz import backward, boxes, edges, fold, repeats, select, updates
from tinyflow.inspect.viz.constants import Constants
from tinyflow.inspect.viz.model import CONSTANTS, DIRECTIONS, SHAPES, Model, Options
from tinyflow.inspect.viz.nested_graphs import NestedGraphs, kept_for_gradients
from tinyflow.inspect.viz.nodes import Nodes
from tinyflow.inspect.viz.select import FORWARD, GRADIENT, INIT, OPTIMIZER, is_variable_ref

_PART_NAMES = {GRADIENT: ('gradient', 'show_gradients'), OPTIMIZER: ('optimizer', 'show_optimizer'),
               INIT: ('initial value and saving', 'show_init')}


def build(target, options: Options) -> Model:
    """The content of the picture of `target`. TypeError or ValueError if it cannot be drawn."""
    _check(options)
    return Build(target, options).model()


def _check(options):
    for name, allowed in (('direction', DIRECTIONS), ('shapes', SHAPES),
                          ('show_constants', CONSTANTS)):
        if getattr(options, name) not in allowed:
            value = getattr(options, name)
            near = nearest_keyword(str(value), [text for text in allowed if isinstance(text, str)])
            raise misuse(ValueError(f'{name}={value!r}; it is one of '
                                    + ', '.join(map(repr, allowed)) + '.' + near))
    for name, least in (('depth', 0), ('limit', 10)):
        value = getattr(options, name)
        if value is not None and (not isinstance(value, int) or value < least):
            raise misuse(ValueError(f'{name}={value!r}; it is None or an integer of at least '
                                    f'{least}.'))


class Build:
    """The steps, in order; each fills the fields that the later ones read."""

    def __init__(self, target, options):
        self.options = options
        self.notes: list[str] = []
        self.graph, fetched = select.subject(target)
        self.fetched = set(fetched or ())
        self.fed = _fed(options.feeds)
        self.part = select.parts(self.graph) if self.graph is not None else {}
        self.trainable = select.trainable_storage(self.graph) if self.graph is not None else set()
        self._choose(fetched)
        self._filter()
        detailed = options.depth is not None or options.limit is None
        if not detailed:
            self.shown = {op for op in self.shown if op.type != 'FakeParam' or op in self.fetched}
        self.updates = updates.Updates(() if detailed else self.ops, self.shown, self.part)
        self._fold_variables()
        self._fold_constants()
        self.leaves = [op for op in self.ops if op in self.shown and op not in self.owner]
        self.together = {} if detailed else \
            self.updates.settings | kept_for_gradients(self.inside, self.leaves)
        self.backward = backward.Backward(self.leaves, self.inside, options, self.together)
        self._place_in_scopes()
        self.highlighted = set(select.operations(options.highlight, 'highlight=')) \
            if options.highlight is not None else set()
        self.highlighted.update(*[self.inside.within(op) for op in self.highlighted])
        self.connections = edges.links(self.inside, self.shown, self.bridges, self.owner,
                                       self.highlighted)
        self._fold_to_size()

    # ---- which operations ----------------------------------------------------------------

    def _choose(self, fetched):
        """`self.ops`: the operations of the picture; `self.shown`: without the hidden parts."""
        options = self.options
        if self.graph is None:
            self.ops = []
        elif fetched is None:
            self.ops = self.graph.get_operations()
        else:
            self.ops = sorted(select.needed(fetched, self.fed), key=lambda op: op.id)
        self.inside = NestedGraphs(self.ops, self.part)
        self.ops, self.part = self.inside.ops, self.inside.part
        self.fetched = {end for op in self.fetched for end in self.inside.ends(op)}
        wanted = {GRADIENT: options.show_gradients, OPTIMIZER: options.show_optimizer,
                  INIT: options.show_init}
        fetched_parts = {self.part[op] for op in self.fetched}
        on = {part for part, show in wanted.items()
              if show or show is None and part in fetched_parts} | {FORWARD}
        if GRADIENT not in on:
            self.ops = self.inside.ops = [op for op in self.ops
                                          if op not in self.inside.machinery - self.fetched]
        self.shown = {op for op in self.ops if self.part[op] in on}
        if not self.shown and self.ops:
            on.update(wanted)
            self.shown = set(self.ops)
        self._note_hidden(on)

    def _note_hidden(self, on):
        counts = dict.fromkeys(_PART_NAMES, 0)
        for op in self.ops:
            if self.part[op] not in on:
                counts[self.part[op]] += 1
        texts = [f'{n} {_PART_NAMES[p][0]} nodes ({_PART_NAMES[p][1]}=True)'
                 for p, n in counts.items() if n]
        if texts:
            self.notes.append('not shown: ' + ', '.join(texts))
        for op in sorted(self.fetched - self.shown, key=lambda op: op.id):
            if op in self.part and self.part[op] in _PART_NAMES:
                self.notes.append(f"'{op.name}', which was fetched, is not shown either: "
                                  f'{_PART_NAMES[self.part[op]][1]}=True shows it')
        if not self.ops:
            self.notes.append('the graph has no nodes yet')

    def _filter(self):
        """`only=` and `hide=` remove nodes; data paths through them are drawn as bridges."""
        everything = self.shown
        if self.options.only is not None:
            self.shown = self.shown & select.matching(self.ops, self.options.only, 'only')
        if self.options.hide is not None:
            self.shown = self.shown - select.matching(self.ops, self.options.hide, 'hide')
        self.bridges = everything - self.shown
        if self.bridges:
            self.notes.append(f'{len(self.bridges)} nodes hidden by only= or hide=')

    def _fold_variables(self):
        """`self.owner`: the VariableV2 that a read or Assign is drawn with.

        `self.whole`: the storages that are the only part of a partitioned Variable.
        """
        self.owner, self.whole = {}, set()
        for op in self.ops:
            whole = select.single_part(op) if self.options.fold_variables else None
            if whole is not None:
                self._fold_into(op, whole)
                self.whole.add(whole)
                continue
            place = op.inputs[0].op if op.inputs else None
            if place is None or not is_variable_ref(place) or not self.options.fold_variables:
                continue
            if select.is_read(op) or select.is_initializer(op) and op not in self.shown:
                self._fold_into(op, place)
        for slot, update in self.updates.slots.items():
            self._fold_into(slot, update)
        for op, place in self.owner.items():
            self.owner[op] = self.owner.get(place, place)

    def _fold_into(self, op, place):
        """A filter that keeps the read but not the storage still selects the Variable."""
        if op in self.shown or op in self.bridges:
            if place in self.shown:
                self.shown.add(op)
                self.bridges.discard(op)
                self.owner[op] = place
            elif place in self.bridges:
                self.shown.discard(op)
                self.bridges.add(op)
        if op in self.fetched and place in self.shown:
            self.fetched.add(place)

    def _fold_constants(self):
        """`self.inline`: 'axis = 0' for each consumer of a constant that is written into it."""
        self.inline: dict = {}
        show = self.options.show_constants
        if show is not True:
            folded = Constants(self.inside, self.shown, self.fetched, self.updates.written,
                               drop=show is False)
            self.shown = self.shown - folded.hidden
            self.inline = folded.lines

    # ---- boxes ---------------------------------------------------------------------------

    def _place_in_scopes(self):
        """`self.paths`: the name scopes around each drawn operation; `self.inner`: its last name.

        A node that is also a scope (`W` with `W/Assign`) goes into its own box, unless the box
        would contain only constants otherwise.
        """
        prefix, home = self.inside.prefix, self.inside.home
        pieces = {op: [*prefix.get(op, ()), *filter(None, local_name(op).split('/'))] or [op.name]
                  for op in self.leaves}
        for op in self.whole & pieces.keys():
            pieces[op] = pieces[op][:-1]
        for op, piece in pieces.items():
            if len(piece) > boxes.DEEPEST + 2:          # deeper boxes are not drawn
                pieces[op] = [*piece[:boxes.DEEPEST + 1], piece[-1]]
        named = {tuple(p): op for op, p in pieces.items() if op not in home}
        roomy = {path[:n] for path in self.inside.regions for n in range(1, len(path) + 1)}
        for op, piece in pieces.items():
            if op.type != 'Const' and op not in home:
                roomy.update(tuple(piece[:n]) for n in range(1, len(piece)))
        self.paths, self.inner, self.of = {}, {}, {}
        for op, piece in pieces.items():
            if op in self.together:
                self.paths[op], self.inner[op] = self.together[op][:-1], piece[-1]
                continue
            if op in home:
                self.paths[op] = home[op]
                self.inner[op] = self.inside.parameters.get(op, piece[-1])
                continue
            own = tuple(piece)
            path = own if own in roomy else own[:-1]
            keep = tuple(p for n, p in enumerate(path, 1)
                         if path[:n] not in named or path[:n] in roomy)
            if self.part[op] == GRADIENT:
                keep, self.of[op] = self.backward.box(op, keep)
            elif op in self.updates.updates:
                keep, self.of[op] = updates.without_update_box(op, keep)
            self.paths[op] = keep
            self.inner[op] = piece[-1] if len(keep) >= len(path) or op in self.of else \
                '/'.join(piece[-2:])

    # ---- size ----------------------------------------------------------------------------

    def _fold_to_size(self):
        """`self.unit_of`, `self.units`: the drawn unit of each operation, few enough to read."""
        options = self.options
        scopes = fold.Scopes(self.paths, self.part, options, self.inside.regions, self.backward)
        limit = options.limit or float('inf')
        depths = [(options.depth, False)] if options.depth is not None else \
            [(None, True), *((n, True) for n in range(scopes.deepest - 1, -1, -1)), (0, False)]
        for depth, aligned in depths:
            self._close(scopes, depth, aligned)
            if len(self.units) > limit:
                self._merge_blocks(options.limit)
            if len(self.units) > limit:
                named = scopes.named(self.units, limit)
                self._merge(fold.runs(self._unit_paths(), self._forward_edges(), self._kept(),
                                      named), 'run')
            if len(self.units) <= limit:
                break
        self._note_size(depth, scopes)
        if len(self.units) > limit:
            before = len(self.units)
            self._merge(fold.blocks(self._unit_paths(), self._kept(), options.limit, named),
                        'block')
            self.notes.append(f'{before} nodes are too many for one picture: neighbours are '
                              'merged (limit=None draws all, only= selects)')

    def _merge_blocks(self, limit):
        """Blocks of scopes become one unit each, also if they are repeated; so do their gradients.
        """
        parts = {key: self.common_part(ops) for key, (_, _, ops) in self.units.items()}
        wires = [ends for ends, edge in self._forward_edges().items() if edge.tensors]
        found = repeats.find(self.units, parts, wires, self._kept(), limit)
        blocks = {'k' + block.members[0][0]: block for block in found}
        home = {key: name for name, block in blocks.items()
                for members in block.members for key in members}
        gradients = backward.mirrored(self.backward.sources(self.units), self.unit_of, home, wires,
                                      [key for key, part in parts.items() if part == GRADIENT])
        blocks |= {'b' + name: repeats.Block([members], blocks[name].names)
                   for name, members in gradients.items() if len(members) > 1}
        self.blocks.update(blocks)
        self._merge({name: [key for members in block.members for key in members]
                     for name, block in blocks.items()}, 'blocks')

    def _note_size(self, depth, scopes):
        if self.options.depth is None and depth is not None:
            self.notes.append(f'{len(self.leaves)} nodes: scopes deeper than {depth} are closed '
                              "(depth=, open=['scope'] open them)")
        elif scopes.helpers_closed:
            self.notes.append("scopes made by one library call are closed (open=['scope'] opens)")
        kinds = {kind for kind, _, _ in self.units.values()}
        if 'blocks' in kinds:
            self.notes.append('blocks of scopes are one node (limit=None draws all)')
        if 'run' in kinds:
            self.notes.append('long runs are folded into one node (limit=None draws all)')

    def _close(self, scopes, depth, aligned):
        """Scopes deeper than `depth`; `aligned` counts it from `gradients` for those inside."""
        self.units: dict[str, tuple] = {}
        self.blocks: dict[str, repeats.Block] = {}
        self.number = {op: n for n, op in enumerate(self.ops)}
        self.unit_of = {}
        for op in self.leaves:
            path = self.paths[op]
            free = self.backward.around(path) if aligned and self.part[op] == GRADIENT else 0
            closed = scopes.closed_around(path, depth, free)
            key = self._key(op) if closed is None else 's' + '/'.join(closed)
            kind, path = ('leaf', path) if closed is None else ('scope', closed)
            rule = self.backward.rule.get(op)
            if closed is None and rule in self.backward.folded:
                key, kind, path = 'd' + rule, 'rule', _around_rule(rule, path)
            self.units.setdefault(key, (kind, path, []))[2].append(op)
            self.unit_of[op] = key

    def _key(self, op):
        """A unique key: the ids of operations are unique only within their graph."""
        return f'n{op.id}' if op.graph is self.graph else f'i{self.number[op]}'

    def _merge(self, groups, kind):
        """Replaces the members of each group by one unit, at the position of the first of them."""
        group_of = {member: key for key, members in groups.items() for member in members}
        units = {}
        for name, (old_kind, path, ops) in self.units.items():
            key = group_of.get(name)
            if key is None:
                units[name] = (old_kind, path, ops)
                continue
            path = path[:-1] if old_kind == 'scope' else path
            units.setdefault(key, (kind, path, []))[2].extend(ops)
            for op in ops:
                self.unit_of[op] = key
        self.units = units

    def _unit_paths(self):
        return {key: path[:-1] if kind == 'scope' else path
                for key, (kind, path, _) in self.units.items()}

    def _kept(self):
        """Units that must not be folded into a run or block."""
        special = self.fetched | self.highlighted
        return {key for key, (kind, _, ops) in self.units.items()
                if any(op in special for op in ops)}

    def _merged_edges(self):
        return edges.merged(self.connections, self.unit_of)

    def _forward_edges(self):
        return {ends: edge for ends, edge in self._merged_edges().items() if not edge.loops}

    # ---- the result ----------------------------------------------------------------------

    def model(self) -> Model:
        merged = self._merged_edges()
        ties = backward.ties(self.backward.sources(self.units), self.unit_of, self.part)
        if self.backward.folded:
            merged = self.backward.laddered(merged, ties, self.units)
        merged = self.updates.without_repeats(merged, self.unit_of)
        merged, taken = edges.without_bus(merged, self.units, self.common_part)
        merged, switches = edges.without_switches(merged, self.units)
        ends = {tail for (tail, _), edge in merged.items() if edge.tensors}
        make = Nodes(self)
        nodes = [make.node(key, unit, key not in ends)
                 for key, unit in self.units.items()]
        for node in nodes:
            if node.key in switches:
                node.details.append(f'used by {switches[node.key]} nodes')
            if node.key in taken:
                node.details.append(f'gradients of {taken[node.key]} nodes')
        telling = {n.key for n in nodes
                   if n.kind in ('placeholder', 'variable', 'constant', 'parameter')}
        drawn = [edges.drawn(pair, edge, self.options.shapes, pair[0] in telling, self.fed)
                 for pair, edge in merged.items()]
        if self.options.shapes == 'auto':
            edges.without_repeats(drawn, {n.key for n in nodes if n.part == GRADIENT})
        plain = _number_keys(nodes, drawn)
        root = boxes.nested(nodes, self.inside.regions, self.notes)
        drawn += boxes.choices(root, nodes, self.inside)
        return Model(root, nodes, drawn, self.notes, self._title(),
                     self.options.direction, self.options.legend,
                     [(plain[tail], plain[head]) for tail, head in ties])

    def common_part(self, ops):
        """The part to which all of them belong; FORWARD for a mixture."""
        found = {self.part[op] for op in ops}
        return found.pop() if len(found) == 1 else FORWARD

    def _title(self):
        return '' if self.options.title is None else str(self.options.title)

def _fed(feeds):
    """{fed tensor: shape of its value, or None}, from a feed_dict or a list of tensors."""
    if feeds is None:
        return {}
    if isinstance(feeds, Tensor):
        feeds = [feeds]
    if isinstance(feeds, dict):
        pairs = [(t, np.shape(value)) for t, value in feeds.items()]
    else:
        pairs = [(t, None) for t in feeds]
    found = {}
    for t, shape in pairs:
        if not isinstance(t, Tensor):
            t = getattr(t, '_variable', t)
        if not isinstance(t, Tensor):
            raise misuse(TypeError(f'feeds= is a feed_dict or a list of tensors; {t!r} is a '
                                   f'{type(t).__name__}.'))
        found[t] = shape
    return found


def _around_rule(rule, path):
    """The boxes around the one node of a gradient, given those around a part of it."""
    last = rule.rpartition('/')[2]
    return path[:path.index(last)] if last in path else path


def _number_keys(nodes, edges):
    """Units of several operations get keys that are legal as names everywhere."""
    plain = {}
    for number, node in enumerate(nodes):
        plain[node.key] = node.key if node.key[0] in 'ni' and '/' not in node.key else f'g{number}'
        node.key = plain[node.key]
    for edge in edges:
        edge.tail, edge.head = plain[edge.tail], plain[edge.head]
    return plain
