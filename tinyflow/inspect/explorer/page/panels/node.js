// What is known about the chosen node or scope.

const {model, dom, section, some, link, recorded} = explorer;
const {recordings} = recorded;
const AROUND = 3;               // lines of the program above and below the node's
const data = explorer.document;
const rules = new Map(Object.entries(data.rules || {}));

const tensorText = output => output ? `${output[0]} ${explorer.shapeText(output[1])}` : '';

function heading(item, node) {
  const info = item.info || {};
  const what = node ? node.o : info.label || (info.kind === 'layer' ? 'layer' : 'scope');
  return [dom('h2', {}, explorer.short(what, 80)),
          dom('p', {class: 'name'}, explorer.short(item.name || item.label, 1000))];
}

/** The shape in the recorded run, where the graph does not know all of it. */
function ranWith(index, output, [, shape]) {
  if (shape && !shape.includes(null) || !recordings.length) { return ''; }
  const value = recorded.valueOf(recorded.current(), index, output);
  const step = recorded.nth(recorded.current());
  return value ? `, in step ${step} ${explorer.shapeText(value.s)}` : '';
}

function facts(node, index) {
  const rows = (node.t || []).map((output, i) => [
    node.t.length > 1 ? `output ${i}` : 'output', tensorText(output) + ranWith(index, i, output)]);
  if (node.d) { rows.push(['device', node.d]); }
  if (node.p) { rows.push(['part', node.p]); }
  if (node.m) { rows.push(['change', node.m]); }
  for (const [name, text] of node.a || []) { rows.push([name, text]); }
  return rows.length ? dom('table', {class: 'facts'}, rows.map(([name, text]) => dom('tr', {},
    dom('th', {scope: 'row'}, explorer.short(name, 60)), dom('td', {}, explorer.short(text, 400)))))
    : null;
}

/** The user's line with the code around it. */
function code(node) {
  if (!node.s) { return null; }
  const [index, line, where] = node.s;
  const file = (data.files || [])[index];
  if (!file) { return null; }
  const first = Math.max(file.first, line - AROUND);
  const last = Math.min(file.first + file.lines.length - 1, line + AROUND);
  const rows = [];
  for (let at = first; at <= last; at++) {
    rows.push(dom('span', {class: at === line ? 'here' : ''},
      dom('i', {}, String(at).padStart(5)), ' ' + explorer.short(file.lines[at - file.first], 300),
      '\n'));
  }
  const title = `${file.path}:${line}${where && where !== '<module>' ? ` in ${where}` : ''}`;
  return section('Made by', dom('p', {class: 'quiet'}, title),
                 dom('pre', {class: 'code', tabindex: '0'}, rows));
}

function inputs(node) {
  const list = (node.i || []).map(([from, output]) => ({from, output}));
  const control = (node.c || []).map(from => ({from, output: -1}));
  const all = [...list, ...control];
  return all.length ? section(`Inputs (${all.length})`, some(all, ({from, output}) => {
    const source = model.nodes[from];
    return dom('li', {}, link(model.ofNode[from]), ' ', dom('span', {class: 'quiet'},
      output < 0 ? 'runs before' : tensorText((source.t || [])[output])));
  })) : null;
}

function outputs(indexes) {
  const inside = new Set(indexes);
  const found = indexes.flatMap(index => model.consumers[index])
    .filter(([user]) => !inside.has(user));
  const users = [...new Map(found.map(([user, output]) => [user, output]))];
  return users.length ? section(`Used by (${users.length})`, some(users, ([user, output]) => (
    dom('li', {}, link(model.ofNode[user]), ' ', dom('span', {class: 'quiet'},
      output < 0 ? 'runs after' : model.nodes[user].o))))) : null;
}

/** How large a node's value is in the recorded step that is looked at. */
function sizeNow(index) {
  const value = recordings.length ? recorded.valueOf(recorded.current(), index) : undefined;
  const text = explorer.values.brief(value);
  return text && `, in step ${recorded.nth(recorded.current())} ${text}`;
}

function gradient(node, index) {
  const rule = rules.get(node.o);
  const parts = [];
  if (node.g !== undefined && model.nodes[node.g]) {
    parts.push(dom('p', {}, 'A part of the gradient of ', link(model.ofNode[node.g])));
  }
  const own = (model.gradientNodes.get(index) || []).filter(each => (
    model.nodes[each].k !== 'placeholder'));            // parameters of a gradient's function
  if (own.length) {
    parts.push(dom('p', {}, 'Computed by ', explorer.count(own.length, 'node'), ':'),
               some(own, each => dom('li', {}, link(model.ofNode[each]), ' ',
                 dom('span', {class: 'quiet'}, model.nodes[each].o, sizeNow(each))), 5));
  }
  if (rule && rule.none) { parts.push(dom('p', {class: 'quiet'}, rule.none)); }
  if (rule && rule.text) { parts.push(dom('p', {}, rule.text)); }
  if (rule && rule.source) { parts.push(dom('pre', {class: 'code', tabindex: '0'}, rule.source)); }
  return parts.length ? section('Gradient', parts) : null;
}

/** Lines of the compiled program, or what became of the node. */
function compiled(index, state) {
  const run = (data.runs || [])[state.run];
  if (!run) { return null; }
  const fate = Object.hasOwn(run.fate || {}, index) ? run.fate[index] : null;
  const parts = [];
  const last = [...(run.stages || [])].reverse().find(stage => stage.lines);
  if (fate && fate.lines && last) {
    const rows = fate.lines.filter(line => last.lines[line]);
    const whole = explorer.count(last.lines.length, 'line');
    parts.push(dom('p', {class: 'quiet'}, `of the ${whole} in the tab Passes`),
               dom('pre', {class: 'code', tabindex: '0'}, rows.map(line => dom('span', {},
                 dom('i', {}, String(line + 1).padStart(5)), ` ${last.lines[line][0].trim()}\n`))));
  } else if (fate && fate.why) {
    parts.push(dom('p', {}, fate.why, fate.pass ? ` (pass ${fate.pass})` : '',
                   fate.into !== undefined && model.ofNode[fate.into]
                     ? [': ', link(model.ofNode[fate.into])] : null));
  } else if (run.order && !run.order.includes(index)) {
    const fetches = explorer.short(run.fetches.join(', '), 100);
    parts.push(dom('p', {class: 'quiet'}, `Not needed for ${fetches}`));
  }
  const figure = (name, text) => {
    const value = Object.hasOwn(run[name] || {}, index) ? run[name][index] : undefined;
    if (value !== undefined) { parts.push(dom('p', {class: 'quiet'}, text(value))); }
  };
  const how = run.timed ? ` (${run.timed})` : '';
  figure('seconds', value => `takes ${explorer.secondsText(value)}${how}`);
  figure('bytes', value => `result of ${explorer.bytesText(value)}`);
  return parts.length ? section('In the compiled program', parts) : null;
}

function variable(node, index, item) {
  const slots = model.nodes.map((each, i) => i).filter(
    i => model.nodes[i].v === index && i !== index);
  const parts = [];
  if (node.v !== undefined && node.v !== index && model.nodes[node.v]) {
    parts.push(dom('p', {}, 'Belongs to ', link(model.ofNode[node.v])));
  }
  if (slots.length) {
    parts.push(some(slots, i => dom('li', {}, link(model.ofNode[i]), ' ',
                                    dom('span', {class: 'quiet'}, model.nodes[i].o)), 6));
  }
  const weights = (item.weights || []).map(
    ({text, item: weight}) => dom('li', {}, link(weight, text)));
  return [section('Variable', parts),
          weights.length ? section('Drawn into it', dom('ul', {}, weights)) : null];
}

function scopeFacts(item) {
  const kinds = new Map();
  const indexes = model.nodesIn(item);
  for (const index of indexes) {
    const {o} = model.nodes[index];
    kinds.set(o, (kinds.get(o) || 0) + 1);
  }
  const rows = [...kinds].sort((a, b) => b[1] - a[1]);
  const inside = item.children.filter(child => !child.host);
  return [
    dom('p', {class: 'quiet'}, explorer.count(indexes.length, 'node'),
      item.group === 'part' ? ': siblings put together, in the order in which they were made' : ''),
    dom('p', {}, dom('button', {click: () => explorer.openAll(item, true)}, 'open all in it'), ' ',
      dom('button', {click: () => explorer.openAll(item, false)}, 'close all')),
    section('Inside', some(inside, child => dom('li', {}, link(child, child.label), ' ',
      dom('span', {class: 'quiet'}, child.node !== undefined ? model.nodes[child.node].o
        : explorer.count(child.count, 'node'))), 10)),
    section('Types', some(rows, ([type, count]) => dom('li', {}, type, ' ',
      dom('span', {class: 'quiet'}, `×${count}`)), 8)),
  ];
}

/** Scopes with the gradients of a scope's nodes, or with the nodes that a scope differentiates. */
function scopeGradient(item) {
  const found = new Map([['Gradient', new Set()], ['Differentiates', new Set()]]);
  for (const index of model.nodesIn(item)) {
    const {g} = model.nodes[index];
    for (const other of model.gradientNodes.get(index) || []) {
      found.get('Gradient').add(model.ofNode[other].parent);
    }
    if (g !== undefined) { found.get('Differentiates').add(model.ofNode[g]); }
  }
  return [...found].map(([title, items]) => items.size ? section(title, some([...items],
    each => dom('li', {}, link(each)), 6)) : null);
}

function scopeInputs(item) {
  const indexes = model.nodesIn(item);
  const inside = new Set(indexes);
  const from = new Set(indexes.flatMap(index => [
    ...(model.nodes[index].i || []).map(([source]) => source), ...(model.nodes[index].c || [])]));
  const list = [...from].filter(source => !inside.has(source));
  return list.length ? section(`Inputs (${list.length})`, some(list, source => dom('li', {},
    link(model.ofNode[source]), ' ', dom('span', {class: 'quiet'},
      tensorText((model.nodes[source].t || [])[0]))))) : null;
}

const KINDS = [
  ['layer', 'layer'], ['scope', 'scope'], ['op', 'operation'], ['placeholder', 'placeholder'],
  ['variable', 'variable'], ['constant', 'constant'], ['function', 'function, loop, branch'],
  ['gradient', 'gradient'], ['optimizer', 'optimizer'], ['init', 'initial values, saving'],
];

/** A legend: the kinds of boxes that this picture has. */
function kinds() {
  const known = new Set();
  model.walk(item => {
    if (!item.parent || item.host) { return; }
    known.add(explorer.look(item));
    if (item.part) { known.add(['save', 'summary'].includes(item.part) ? 'init' : item.part); }
  });
  const shown = KINDS.filter(([kind]) => known.has(kind));
  return dom('ul', {class: 'kinds'}, shown.map(([kind, text]) => {
    const isKind = !['gradient', 'optimizer', 'init'].includes(kind);
    return dom('li', {}, explorer.svg('svg', {width: 28, height: 18, 'aria-hidden': 'true'},
      explorer.svg('g', {class: isKind ? kind : `op part-${kind}`, transform: 'translate(1 1)'},
                   explorer.shape(kind, 26, 16))), text);
  }));
}

/** The nodes that take most time or memory in the run that is looked at. */
function most(what) {
  const run = (data.runs || [])[explorer.state.run] || {};
  const [figures, text] = what === 'time' ? [run.seconds, explorer.secondsText]
    : [run.bytes, explorer.bytesText];
  const rows = Object.entries(figures || {}).filter(([index]) => model.ofNode[index])
    .sort((a, b) => b[1] - a[1]);
  return rows.length ? section(`Most ${what}`,
    what === 'time' && run.timed ? dom('p', {class: 'quiet'}, run.timed) : null,
    some(rows, ([index, figure]) => dom('li', {}, link(model.ofNode[index]), ' ',
      dom('span', {class: 'quiet'}, text(figure))), 6)) : null;
}

/** The nodes between the chosen item and the other end; or a button to choose that. */
function path(item, state) {
  if (!state.other) {
    const text = state.pathFrom ? 'Now choose the other end: click on it, or search' : 'path to …';
    const buttons = [['path', text, () => explorer.startPath()],
                     ['trace-in', 'all it needs', () => explorer.trace('in')],
                     ['trace-out', 'all that needs it', () => explorer.trace('out')]];
    return [dom('p', {class: 'buttons'}, buttons.map(([id, words, click]) => (
      dom('button', {id, click: () => { click(); explorer.get(id).focus(); }}, words)))),
            ...traced(state)];
  }
  const nodes = [...state.path || []].sort((a, b) => a - b);
  return [dom('p', {class: 'note'}, nodes.length
    ? `${explorer.count(nodes.length, 'node')} on the paths to ` : 'No path to ',
  link(state.other)), section('On the path', nodes.length ? listed(nodes) : null)].filter(Boolean);
}

function traced(state) {
  if (!state.traced) { return []; }
  const inside = new Set(model.nodesIn(state.selected));
  const nodes = [...state.path].filter(index => !inside.has(index)).sort((a, b) => a - b);
  const title = state.traced === 'in' ? 'All it needs' : 'All that needs it';
  return [section(`${title} (${nodes.length})`, listed(nodes))];
}

const listed = nodes => some(nodes, index => dom('li', {}, link(model.ofNode[index]), ' ',
  dom('span', {class: 'quiet'}, model.nodes[index].o)));

/** What is said while nothing is chosen. */
function overview() {
  return [dom('h2', {}, explorer.short(data.title, 200)),
          dom('p', {}, explorer.count(model.nodes.length, 'node'), '. Click on a box: a scope ',
            'opens, a node tells about itself. Drag to move, turn the wheel to zoom. ',
            'Shift-click on a second box lights the path between the two.'),
          dom('p', {}, dom('button', {click: () => explorer.help()}, 'Keys')),
          section('Boxes', kinds()), ...['time', 'memory'].map(most)].filter(Boolean);
}

explorer.panels.add({
  id: 'node', title: 'Node',
  applies: () => true,
  render(element, state) {
    const item = state.selected;
    if (!item) { element.append(...overview()); return; }
    const index = item.node !== undefined ? item.node : item.own;
    const node = model.nodes[index];
    const parts = [...heading(item, node)];
    parts.push(...path(item, state));
    if (node) {
      parts.push(facts(node, index), code(node), inputs(node), outputs([index]),
                 gradient(node, index), compiled(index, state), ...variable(node, index, item));
    }
    if (item.children.length) { parts.push(...scopeFacts(item), ...scopeGradient(item)); }
    if (!node) { parts.push(scopeInputs(item), outputs(model.nodesIn(item))); }
    element.append(...parts.filter(Boolean));
  },
});
