// Which edges the picture has, and where: each edge of the graph belongs to the innermost scope
// that has both its ends, and crosses the borders of the scopes below that.
//
// Three kinds: 'flow' is laid out; 'side' leads from one part of the graph to another (forward,
// gradient, optimizer, ...) and is drawn across; 'hub' leads from something that very many use, and
// is drawn as a stub next to each user.

const {model} = explorer;
const HUB = 8;                  // users from which on a source without inputs is a hub
const CONSTANT = 3;             // the same for constants

/** What an item stands for when an edge ends there: the node into which it is drawn, or itself. */
function end(item) {
  for (let at = item; at; at = at.parent) { if (at.host) { return end(at.host); } }
  return item;
}

const isSource = node => !node.i || node.k === 'variable' || node.k === 'placeholder';

function hubs() {
  const users = new Map();
  model.nodes.forEach((node, to) => {
    for (const from of new Set([...(node.i || []).map(([source]) => source), ...(node.c || [])])) {
      const {parent} = model.ofNode[from];      // a Variable's own scope does not use it
      if (parent.own === from && model.isInside(model.ofNode[to], parent)) { continue; }
      users.set(from, (users.get(from) || 0) + 1);
    }
  });
  const found = new Set();
  model.nodes.forEach((node, index) => {
    const reads = node.o === 'Identity' && node.i && isSource(model.nodes[node.i[0][0]]);
    const enough = node.k === 'constant' ? CONSTANT : HUB;
    if ((users.get(index) || 0) >= enough && (isSource(node) || reads)) { found.add(index); }
  });
  return found;
}

/** The part for which an item is laid next to its siblings; undefined in the middle. */
explorer.sidePart = (item, scope) =>
  item.part && item.part !== scope.part && scope.own === undefined && !scope.group
    ? item.part : undefined;

function classified(edge, scope, a, b, isHub) {
  const one = explorer.sidePart(a, scope);
  const other = explorer.sidePart(b, scope);
  if (isHub) { return 'hub'; }
  const backward = part => part === 'gradient' || part === 'optimizer';
  return one === other || backward(one) && backward(other) ? 'flow' : 'side';
}

/** Puts an edge where it belongs: scope.edges; incoming, outgoing of all scopes that it crosses. */
function place(edge, isHub) {
  let a = edge.a;
  let b = edge.b;
  const above = [];
  const below = [];
  while (a !== b) {
    if (a.depth >= b.depth) { above.push(a); a = a.parent; }
    else { below.push(b); b = b.parent; }
  }
  const one = above[above.length - 1];
  const other = below[below.length - 1];
  if (!one || !other) { return; }       // an end inside the other
  edge.kind = classified(edge, a, one, other, isHub);
  if (edge.kind === 'hub') {
    for (const item of below) { (item.hubs = item.hubs || new Set()).add(edge.a); }
    (edge.a.uses = edge.a.uses || []).push(edge);
  } else if (edge.kind === 'side') {
    explorer.model.sideEdges.push(edge);
  } else {
    (a.edges = a.edges || []).push({edge, a: one, b: other});
    above.slice(0, -1).forEach((item, i) => crossing(above[i + 1], 'outgoing', item, edge));
    below.slice(0, -1).forEach((item, i) => crossing(below[i + 1], 'incoming', item, edge));
  }
}

/** `scope.incoming`: Map from each child that has edges from outside to these edges. */
function crossing(scope, side, child, edge) {
  scope[side] = scope[side] || new Map();
  if (!scope[side].has(child)) { scope[side].set(child, []); }
  scope[side].get(child).push(edge);
}

function makeEdges() {
  const found = hubs();
  model.sideEdges = [];
  model.consumers = model.nodes.map(() => []);  // of each node: [node, output or -1 for control]
  model.nodes.forEach((node, to) => {
    const data = (node.i || []).map(([from, output]) => ({from, to, output}));
    const control = (node.c || []).map(from => ({from, to, output: -1}));
    for (const edge of [...data, ...control]) {
      if (!model.nodes[edge.from]) { continue; }
      model.consumers[edge.from].push([to, edge.output]);
      edge.a = end(model.ofNode[edge.from]);
      edge.b = end(model.ofNode[to]);
      place(edge, found.has(edge.from));
    }
  });
}

makeEdges();

// The nodes that differentiate each forward node.
model.gradientNodes = new Map();
model.nodes.forEach((node, index) => {
  if (node.g === undefined) { return; }
  if (!model.gradientNodes.has(node.g)) { model.gradientNodes.set(node.g, []); }
  model.gradientNodes.get(node.g).push(index);
});

const MOST_OUTPUTS = 2 ** 20;            // no node has as many
const facts = new WeakMap();            // list of edges -> its facts, which cost much to compute

/** Of an edge that bundles these: its label - a shape, or how many tensors -, how many tensors it
    has, and whether it only says what runs first. */
explorer.edgeFacts = edges => {
  if (!facts.has(edges)) { facts.set(edges, factsOf(edges)); }
  return facts.get(edges);
};

function factsOf(edges) {
  const tensors = new Set();            // as numbers: texts took most of the time of a click
  const shapes = new Set();
  let data = 0;
  for (const {from, output} of edges) {
    const tensor = from * MOST_OUTPUTS + output + 1;
    if (tensors.has(tensor)) { continue; }
    tensors.add(tensor);
    if (output < 0) { continue; }       // an edge that only says what runs first
    data++;
    if (shapes.size < 2) {
      const t = (model.nodes[from].t || [])[output];
      shapes.add(t ? explorer.shortShape(t[1]) : '');
    }
  }
  const shape = shapes.size === 1 ? [...shapes][0] : '';
  const label = data > 1 ? `${data} tensors${shape ? ' of ' + shape : ''}` : shape;
  return {label, count: tensors.size, control: edges.length > 0 && !data};
}
