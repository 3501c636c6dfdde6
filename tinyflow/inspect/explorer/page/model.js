// The tree of items, scopes and nodes, that the picture opens and closes.
//
// An item: {name, label, parent, children, node, own, info, part, order, count, host, ...}
//   node   index of the node, if the item is one
//   own    index of the node that has the scope's own name, such as a Variable: a closed scope
//          looks like it
//   host   the item into which this one is drawn, instead of by itself
//   group  'repeat', 'named' or 'part': no scope of the program, but items that are put together
//          for a shorter picture

const {document: data} = explorer;
const MANY = 240;               // children of one scope; if more, they are put into parts
const PART = 60;
const REPEATED = 4;             // equal scopes that are drawn as one
const MOSTLY = 0.8;             // of a scope's nodes, which decide of which part the scope is
const ASIDE = new Set(['init', 'save', 'summary']);
const FEW = 5;                  // children in those parts, from which on they are one item
const NAMED = 30;               // children from which on beginnings of names make groups
const scopes = new Map(Object.entries(data.scopes || {}));
const byName = new Map();       // scopes and nodes; a scope hides the node of its name
const ofNode = [];              // the item of each node

function newItem(fields) {
  return {children: [], count: 0, order: Infinity, open: false, ...fields};
}

const root = newItem({name: '', label: data.title, parent: null, open: true, depth: 0});

/** The names of all scopes: all beginnings of nodes' names that end before a '/'. */
function scopeNames() {
  const names = new Set();
  for (const {n} of data.nodes) {
    for (let at = n.lastIndexOf('/'); at > 0; at = n.lastIndexOf('/', at - 1)) {
      const name = n.slice(0, at);
      if (names.has(name)) { break; }
      names.add(name);
    }
  }
  return names;
}

function scopeOf(name) {
  let item = byName.get(name);
  if (item) { return item; }
  const missing = [];
  let at = name;
  while (at && !byName.has(at)) {
    missing.push(at);
    at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  }
  let parent = at ? byName.get(at) : root;
  for (const scope of missing.reverse()) {
    item = newItem({name: scope, label: scope.slice(scope.lastIndexOf('/') + 1) || scope, parent,
                    info: scopes.get(scope)});
    parent.children.push(item);
    byName.set(scope, item);
    parent = item;
  }
  return parent;
}

function makeTree() {
  const names = scopeNames();
  data.nodes.forEach((node, index) => {
    const isScope = names.has(node.n);
    const slash = node.n.lastIndexOf('/');
    const parent = isScope ? scopeOf(node.n) : slash > 0 ? scopeOf(node.n.slice(0, slash)) : root;
    const item = newItem({name: node.n, label: node.n.slice(slash + 1) || node.n, parent,
                          node: index, part: node.p, order: index});
    parent.children.push(item);
    ofNode.push(item);
    if (isScope) { parent.own = index; } else { byName.set(node.n, item); }
  });
}

function move(item, parent) {
  item.parent.children.splice(item.parent.children.indexOf(item), 1);
  parent.children.push(item);
  item.parent = parent;
}

const isInside = (item, box) => {
  while (item && item !== box) { item = item.parent; }
  return Boolean(item);
};

/** The scope that a Variable's node owns, or the node's item itself. */
const outer = item => item.parent.own === item.node ? item.parent : item;

/** Optimizer slots go into their Variable. */
function moveSlots() {
  data.nodes.forEach((node, index) => {
    if (node.k !== 'variable' || node.v === undefined || node.v === index) { return; }
    const slot = outer(ofNode[index]);
    let variable = outer(ofNode[node.v]);
    if (isInside(slot, variable) || isInside(variable, slot)) { return; }
    if (variable === ofNode[node.v]) { variable = ownScope(variable); }
    move(slot, variable);
  });
}

/** Makes a scope around a node's item, of the node's name. */
function ownScope(item) {
  const {parent} = item;
  const scope = newItem({name: item.name, label: item.label, parent, own: item.node});
  parent.children[parent.children.indexOf(item)] = scope;
  scope.children.push(item);
  item.parent = scope;
  byName.set(scope.name, scope);
  return scope;
}

/** Weights and constants with a role ("w") are drawn into the node that uses them. */
function findHosts() {
  const user = new Map();               // node -> the one that uses it
  data.nodes.forEach((node, index) => {
    for (const [source] of node.i || []) { if (!user.has(source)) { user.set(source, index); } }
  });
  data.nodes.forEach((node, index) => {
    if (node.w === undefined) { return; }
    let at = user.get(index);
    const variable = outer(ofNode[index]);
    while (at !== undefined && isInside(ofNode[at], variable)) { at = user.get(at); }
    if (at === undefined || ofNode[at].host) { return; }
    variable.host = ofNode[at];
    (ofNode[at].weights = ofNode[at].weights || []).push({text: node.w, item: variable});
  });
}

/** Variables that only the optimizer uses, such as the step, stand aside, too. */
function findOptimizersOwn() {
  const users = data.nodes.map(() => []);
  data.nodes.forEach((node, to) => {
    for (const [from] of node.i || []) { if (users[from]) { users[from].push(to); } }
  });
  data.nodes.forEach((node, index) => {
    if (node.k !== 'variable' || node.p) { return; }
    const item = outer(ofNode[index]);
    const inside = item.children.length ? item.children.flatMap(nodesIn) : [index];
    const parts = new Set(inside.flatMap(i => users[i])
      .filter(to => !isInside(ofNode[to], item)).map(to => data.nodes[to].p || ''));
    parts.delete('init');
    parts.delete('save');
    if (parts.size && !parts.has('')) { item.aside = 'optimizer'; }
  });
}

/** Indexes of all nodes in an item. */
function nodesIn(item) {
  const found = [];
  const todo = [item];
  while (todo.length) {
    const at = todo.pop();
    if (at.node !== undefined) { found.push(at.node); }
    todo.push(...at.children);
  }
  return found.sort((a, b) => a - b);
}

/** Repeated blocks become one item, where nothing leads from them out and in again. */
function groupRepeats() {
  for (const names of data.repeats || []) {
    const items = names.map(name => byName.get(name))
      .filter(item => item && item.own === undefined);
    const parent = items.length >= REPEATED && items[0].parent;
    if (!parent || items.some(item => item.parent !== parent || item.host)) { continue; }
    if (items.length === parent.children.length ||
        leavesAndReturns(new Set(items), usersIn(parent))) { continue; }
    group(items, parent, {group: 'repeat', label: items[0].label,
                          name: `${items[0].name} ×${items.length}`});
  }
}

/** For each child of a scope those that use its values. */
function usersIn(parent) {
  const childOf = item => {
    while (item && item.parent !== parent) { item = item.parent; }
    return item;
  };
  const next = new Map();
  data.nodes.forEach((node, index) => {
    const to = childOf(ofNode[index]);
    for (const [source] of node.i || []) {
      const from = to && childOf(ofNode[source]);
      if (!from || from === to) { continue; }
      if (!next.has(from)) { next.set(from, new Set()); }
      next.get(from).add(to);
    }
  });
  return next;
}

function leavesAndReturns(members, next) {
  const seen = new Set();
  const todo = [...members].flatMap(item => [...(next.get(item) || [])]);
  while (todo.length) {
    const item = todo.pop();
    if (members.has(item) || seen.has(item)) { continue; }
    seen.add(item);
    for (const after of next.get(item) || []) {
      if (members.has(after)) { return true; }
      todo.push(after);
    }
  }
  return false;
}

function group(items, parent, fields) {
  const made = newItem({parent, ...fields});
  const members = new Set(items);
  const at = parent.children.indexOf(items[0]);
  parent.children[at] = made;
  parent.children = parent.children.filter(child => child === made || !members.has(child));
  made.children = items;
  for (const item of items) { item.parent = made; }
  if (!byName.has(made.name)) { byName.set(made.name, made); }
}

/**
 * Neighbours whose names begin alike, such as conv3_block2_1_bn and conv3_block2_add, become one
 * item: with as many words of the name as make few groups, and small ones.
 */
function groupByNames(scope) {
  const items = scope.children.filter(item => !item.host && !item.group);
  if (items.length < NAMED) { return; }
  let best = null;
  for (const words of [1, 2, 3]) {
    const runs = [];
    for (const item of items) {
      const start = item.label.split('_').slice(0, words).join('_');
      const last = runs[runs.length - 1];
      if (last && last.start === start && last.part === item.part) { last.items.push(item); }
      else { runs.push({start, part: item.part, items: [item]}); }
    }
    const groups = runs.filter(run => run.items.length > 2);
    const largest = Math.max(0, ...groups.map(run => run.items.length));
    const shown = items.length - groups.reduce((sum, run) => sum + run.items.length - 1, 0);
    if (!best || shown + largest < best.score) { best = {score: shown + largest, groups}; }
  }
  if (best.score > items.length * 0.6) { return; }
  const users = usersIn(scope);
  for (const {start, items: members, part} of best.groups) {
    if (leavesAndReturns(new Set(members), users)) { continue; }
    group(members, scope, {group: 'named', label: start, part, order: members[0].order,
                           name: `${scope.name}${scope.name && '/'}${start}…`,
                           count: members.reduce((sum, item) => sum + item.count, 0)});
  }
}

/** More children than one picture can show are put into parts, in order of creation. */
function makeParts(scope) {
  let children = scope.children.filter(item => !item.host);
  while (children.length > MANY) {
    children.sort((a, b) => a.order - b.order);
    for (let first = 0; first < children.length; first += PART) {
      const items = children.slice(first, first + PART);
      const label = `${items[0].label} … ${items[items.length - 1].label}`;
      group(items, scope, {group: 'part', label, order: items[0].order, part: commonPart(items),
                           name: `${scope.name}${scope.name && '/'}(${label})`,
                           count: items.reduce((sum, item) => sum + item.count, 0)});
    }
    children = scope.children.filter(item => !item.host);
  }
}

/** Many that initialise, save and summarise are one item: a row of them would make all small. */
function groupAside(scope) {
  const items = scope.children.filter(item => !item.host && ASIDE.has(item.part));
  if (items.length < FEW || items.length === scope.children.length || ASIDE.has(scope.part)) {
    return;
  }
  const label = 'initial values, saving';
  group(items, scope, {group: 'part', label, order: items[0].order, part: items[0].part,
                       name: `${scope.name}${scope.name && '/'}(${label})`,
                       count: items.reduce((sum, item) => sum + item.count, 0)});
}

const commonPart = items =>
  items.every(item => item.part === items[0].part) ? items[0].part : undefined;

/** A scope with nothing but a scope in it is drawn as one: 'a/b'. */
function joinChains(item) {
  item.children.forEach((child, i) => {
    while (!child.group && child.own === undefined && !child.info && child.node === undefined &&
           child.children.length === 1 && child.children[0].children.length &&
           child.children[0].own === undefined) {
      const inner = child.children[0];
      inner.label = `${child.label}/${inner.label}`;
      inner.parent = item;
      byName.set(child.name, inner);
      child.children = [];              // it is no more: its own turn in the walk finds nothing
      item.children[i] = child = inner;
    }
  });
}

/** Calls f(item) for all items, parents first or children first; without recursion. */
function walk(f, childrenFirst) {
  const items = [root];
  for (let i = 0; i < items.length; i++) {
    for (const child of items[i].children) { items.push(child); }
  }
  if (childrenFirst) { items.reverse(); }
  items.forEach(f);
}

/** order, count and part of each scope, from what is in it. */
function summarise(item) {
  if (item.node !== undefined) {
    item.count = 1;
    item.part = item.aside || item.part;
    return;
  }
  item.count = 0;
  item.children = item.children.filter(child => child.node !== undefined || child.children.length);
  const parts = new Map();
  for (const child of item.children) {
    item.order = Math.min(item.order, child.order);
    item.count += child.count;
    parts.set(child.part, (parts.get(child.part) || 0) + child.count);
  }
  item.children.sort((a, b) => a.order - b.order);
  item.part = item.aside ? item.aside
    : item.info && item.info.p ? item.info.p
    : item.own !== undefined ? data.nodes[item.own].p
      : mainPart(parts, item.count);
}

/** The part of a scope whose children's parts have these numbers of nodes; undefined is forward. */
function mainPart(parts, count) {
  if ((parts.get(undefined) || 0) > (1 - MOSTLY) * count) { return undefined; }
  parts.delete(undefined);
  return parts.has('optimizer') ? 'optimizer' : [...parts.keys()][0];
}

/** Leaves out inputs that are not there. */
function checkInputs() {
  const exists = index => Number.isInteger(index) && index >= 0 && index < data.nodes.length;
  for (const node of data.nodes) {
    if (node.i) { node.i = node.i.filter(([source]) => exists(source)); }
    if (node.c) { node.c = node.c.filter(exists); }
    for (const key of ['v', 'g']) { if (!exists(node[key])) { delete node[key]; } }
  }
}

checkInputs();
makeTree();
moveSlots();
findHosts();
findOptimizersOwn();
walk(summarise, true);
groupRepeats();
walk(joinChains);
walk(summarise, true);
walk(groupByNames);
walk(groupAside);
walk(makeParts);
walk(item => { item.depth = item.parent ? item.parent.depth + 1 : 0; });

explorer.model = {
  root, byName, ofNode, walk, isInside, nodesIn,
  nodes: data.nodes,
  item: what => typeof what === 'number' ? ofNode[what] : what && what.name !== undefined ? what
    : byName.get(what),
  isScope: item => item.children.length > 0,
  node: item => item.node === undefined ? undefined : data.nodes[item.node],
  /** The item that stands for this one in the picture: itself, a closed scope, or its host. */
  visible(item) {
    let shown = item;
    for (let at = item; at; at = at.parent) {
      if (at.host && at.host !== item) { return explorer.model.visible(at.host); }
      if (at.parent && !at.parent.open) { shown = at.parent; }
    }
    return shown;
  },
};
