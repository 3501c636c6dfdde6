// The chosen item: its inputs and outputs are lit, and so is the path to a second one.

const {model, picture, svg} = explorer;
const QUIET = new Set(['init', 'save', 'summary']);
const MANY_ACROSS = 16;         // edges between parts of the graph; more are not shown unasked
const state = explorer.state = {document: explorer.document, selected: null, other: null,
                                run: 0, step: null, pathFrom: null, traced: null};
let sidePairs = [];             // bundles of visible side edges: [{a, b, edges}]

/** All nodes drawn into an item: those inside, and what they show of their weights. */
function nodesOf(item) {
  const nodes = new Set(model.nodesIn(item));
  for (const index of [...nodes]) {
    for (const {item: weight} of model.ofNode[index].weights || []) {
      for (const inner of model.nodesIn(weight)) { nodes.add(inner); }
    }
  }
  return nodes;
}

/** Visible ends of edges across the parts of the graph, bundled. */
function pairsOf(edges) {
  const found = new Map();
  for (const edge of edges) {
    const a = model.visible(edge.a);
    const b = model.visible(edge.b);
    if (a === b || model.isInside(a, b) || model.isInside(b, a)) { continue; }
    if (!found.has(a)) { found.set(a, new Map()); }
    if (!found.get(a).has(b)) { found.get(a).set(b, {a, b, edges: []}); }
    found.get(a).get(b).edges.push(edge);
  }
  return [...found.values()].flatMap(map => [...map.values()]);
}

/** A curve from one box to another, wherever they are. */
function across(a, b, name) {
  const from = picture.box(a);
  const to = picture.box(b);
  if (!from || !to) { return; }
  const right = to.x > from.x + from.width / 2;
  const x1 = right ? from.x + from.width : from.x;
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
  const x2 = to.x > x1 ? to.x : to.x + to.width;
  const reach = Math.min(240, Math.max(40, Math.abs(x2 - x1) / 2)) * (right ? 1 : -1);
  const arrive = x2 === to.x ? -Math.abs(reach) : Math.abs(reach);
  picture.layers.across.append(svg('path', {
    class: `edge ${name}`, 'marker-end': name === 'side' ? undefined : 'url(#arrow)',
    d: `M${x1} ${y1}C${x1 + reach} ${y1} ${x2 + arrive} ${y2} ${x2} ${y2}`,
  }));
}

/** 'in' if edges lead into the set of nodes, 'out' if out of it. */
function direction(edges, nodes) {
  for (const {from, to} of edges) {
    if (nodes.has(to) && !nodes.has(from)) { return 'in'; }
    if (nodes.has(from) && !nodes.has(to)) { return 'out'; }
  }
  return null;
}

function reach(starts, next) {
  const seen = new Set(starts);
  const todo = [...starts];
  while (todo.length) {
    for (const at of next(todo.pop())) { if (!seen.has(at)) { seen.add(at); todo.push(at); } }
  }
  return seen;
}

const inputsOf = index => {
  const {i = [], c = []} = model.nodes[index];
  return [...i.map(([source]) => source), ...c];
};
const usersOf = index => model.consumers[index].map(([user]) => user);

/** The nodes on all paths from one item to another, in either direction; empty if there is none. */
explorer.pathBetween = (one, other) => {
  const [a, b] = [nodesOf(one), nodesOf(other)];
  for (const [from, to] of [[a, b], [b, a]]) {
    const down = reach(from, usersOf);
    const up = reach(to, inputsOf);
    const path = new Set([...down].filter(index => up.has(index)));
    if ([...to].some(index => path.has(index))) { return path; }
  }
  return new Set();
};

function clear() {
  for (const element of document.querySelectorAll('#world .lit, #world .chosen, #world .near')) {
    element.classList.remove('lit', 'in', 'out', 'chosen', 'near');
    element.removeAttribute('aria-selected');
  }
  picture.layers.across.replaceChildren();
  explorer.get('picture').classList.remove('tracing');
}

function lightNeighbours(item, nodes) {
  const light = (element, way) => element && element.classList.add('lit', way);
  const near = end => { const shown = model.visible(end);
                        const element = picture.element(shown);
                        if (element && shown !== item && !shown.open) {
                          element.classList.add('near'); } };
  for (const {element, route} of picture.edges()) {
    const way = direction(route.edges, nodes);
    if (!way) { continue; }
    light(element, way);
    for (const edge of route.edges) {
      const inwards = nodes.has(edge.to);
      if (inwards !== nodes.has(edge.from)) { near(inwards ? edge.a : edge.b); }
    }
  }
  const sides = sidePairs.map(pair => ({...pair, way: direction(pair.edges, nodes)}))
    .filter(({way}) => way);
  const few = sides.length <= MANY_ACROSS;
  for (const {a, b, way} of sides) {
    const quiet = !few || QUIET.has(a.part) || QUIET.has(b.part);
    if (!item.open || !quiet) { across(a, b, `lit ${way}`); }   // these would hide what is open
    near(way === 'in' ? a : b);
  }
  for (const end of tied(nodes)) { across(item, end, 'tie'); near(end); }
  const uses = [...nodes].flatMap(index => model.ofNode[index].uses || [])
    .filter(({to}) => !nodes.has(to));
  for (const {a, b} of pairsOf(uses).slice(0, 80)) { across(a, b, 'lit out'); near(b); }
}

/** Visible items with the gradients of these nodes, or with the nodes whose gradients these are. */
function tied(nodes) {
  const ends = new Set();
  for (const index of nodes) {
    const {g = index} = model.nodes[index];
    for (const other of [...(model.gradientNodes.get(index) || []), g]) {
      if (!nodes.has(other)) { ends.add(model.visible(model.ofNode[other])); }
    }
  }
  return [...ends].slice(0, MANY_ACROSS);
}

function lightPath(nodes) {
  explorer.get('picture').classList.add('tracing');
  for (const {element, route} of picture.edges()) {
    if (route.edges.some(edge => nodes.has(edge.from) && nodes.has(edge.to))) {
      element.classList.add('lit');
    }
  }
  for (const {a, b, edges} of sidePairs) {
    if (edges.some(edge => nodes.has(edge.from) && nodes.has(edge.to))) { across(a, b, 'lit'); }
  }
  for (const index of nodes) {
    const element = picture.element(model.visible(model.ofNode[index]));
    if (element) { element.classList.add('near'); }
  }
}

function light() {
  clear();
  const {selected, other} = state;
  const item = selected && model.visible(selected);
  if (!item || !picture.element(item)) {
    const shown = sidePairs.filter(({a, b}) => !QUIET.has(a.part) && !QUIET.has(b.part));
    if (shown.length <= MANY_ACROSS) { shown.forEach(({a, b}) => across(a, b, 'side')); }
    return;
  }
  picture.element(item).classList.add('chosen');
  picture.element(item).setAttribute('aria-selected', 'true');
  if (state.traced) { lightPath(state.path); return; }
  if (!other) {
    lightNeighbours(item, selected.host || item === selected ? nodesOf(item) : nodesOf(selected));
    return;
  }
  const path = explorer.pathBetween(selected, other);
  const end = picture.element(model.visible(other));
  if (end) { end.classList.add('chosen'); }
  lightPath(path);
  state.path = path;
}

/** Lights all that the chosen item needs ('in'), or all that needs it ('out'). */
explorer.trace = way => {
  if (!state.selected) { return; }
  const nodes = nodesOf(state.selected);
  state.traced = way;
  state.path = reach(nodes, way === 'in' ? inputsOf : usersOf);
  light();
  const count = explorer.count(state.path.size - nodes.size, 'node');
  explorer.say(way === 'in' ? `needs ${count}` : `is needed by ${count}`);
  explorer.panels.show();
};

/** The next item that is chosen is the other end of a path from the present one. */
explorer.startPath = () => {
  if (!state.selected) { explorer.say('Choose where the path begins first'); return; }
  state.pathFrom = state.pathFrom ? null : state.selected;
  if (state.pathFrom) { explorer.say('Choose the other end: click on it, or search'); }
  explorer.panels.show();
};

/** Chooses an item (or its name, or a node's index; null for none) without moving the view. */
explorer.select = (what, options = {}) => {
  const item = what === null || what === undefined ? null : model.item(what);
  if (item === undefined) { return; }
  const from = state.pathFrom;
  state.pathFrom = null;
  if (from && item && item !== from) {
    state.selected = from;
    explorer.selectPath(item);
    return;
  }
  state.selected = item;
  state.other = state.traced = null;
  light();
  if (!options.quiet) { explorer.emit('select', state); }
};

/** Lights the path from the chosen item to this one. */
explorer.selectPath = what => {
  const item = model.item(what);
  if (!state.selected || !item || item === state.selected) { explorer.select(item); return; }
  Object.assign(state, {other: item, traced: null});
  light();
  explorer.say(state.path.size ? `${explorer.count(state.path.size, 'node')} on the path`
    : 'No path leads from one to the other');
  explorer.emit('select', state);
};

explorer.on('drawn', () => { sidePairs = pairsOf(model.sideEdges); light(); });
