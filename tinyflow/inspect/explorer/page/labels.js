// What is written on an item, and how large that makes it.

const {model} = explorer;
const SIZES = {title: 13, quiet: 11, weight: 11};
const LINE = {title: 17, quiet: 15, weight: 15};
const LONGEST = 34;             // characters of a line
const pen = document.createElement('canvas').getContext('2d');
const widths = new Map();

function widthOf(text, kind) {
  const key = kind + text;
  if (!widths.has(key)) {
    pen.font = `${kind === 'title' ? '600 ' : ''}${SIZES[kind]}px Helvetica, Arial, sans-serif`;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

const attribute = (node, name) => ((node.a || []).find(([key]) => key === name) || [])[1];
const plain = text => text.toLowerCase().replace(/_\d+$/, '').replace(/[_\W]/g, '');

/** 'MatMul' of 'MatMul_3': does the name say nothing beyond the op's type? */
const saysOp = (label, node) => plain(label) === plain(node.o) ||
  plain(node.o.replace(/V\d+$/, '')) === plain(label);

function nodeLines(item, node, label) {
  const output = (node.t || [])[0];
  const shape = output && output[1] && output[1].length ? explorer.shapeText(output[1]) : '';
  if (node.k === 'constant') {
    const value = attribute(node, 'value');
    return [{text: value && value.length < 18 ? value : label, kind: 'quiet'}];
  }
  if (node.k === 'variable' || node.k === 'placeholder') {
    return [{text: label, kind: 'title'}, ...(shape ? [{text: shape, kind: 'quiet'}] : [])];
  }
  const lines = [{text: node.o, kind: 'title'}];
  if (!saysOp(label, node)) { lines.push({text: label, kind: 'quiet'}); }
  for (const {text, item: weight} of (item.weights || []).slice(0, 4)) {
    lines.push({text, kind: 'weight', item: weight});
  }
  const more = (item.weights || []).length - 4;
  if (more > 0) { lines.push({text: `and ${more} more`, kind: 'weight'}); }
  return lines;
}

/** Optimizer slots in a Variable's scope: 'Adam, Adam_1'. */
function slots(item) {
  const found = item.children.filter(child => child.node !== item.own &&
    model.nodes[child.own === undefined ? child.node : child.own]?.k === 'variable');
  return found.length ? [{text: '+ ' + found.map(child => child.label).join(', '), kind: 'weight'}]
    : [];
}

function scopeLines(item) {
  if (item.group === 'repeat') {
    return [{text: `${item.label} ×${item.children.length}`, kind: 'title'},
            {text: explorer.count(item.count, 'node'), kind: 'quiet'}];
  }
  const label = labelOf(item);
  const size = (item.own !== undefined ? `${model.nodes[item.own].o} · ` : '') +
    explorer.count(item.count, 'node');
  if (label) {
    return [{text: label, kind: 'title'}, {text: `${item.label} · ${size}`, kind: 'quiet'}];
  }
  return [{text: item.label, kind: 'title'}, {text: size, kind: 'quiet'}];
}

/** Lines of text on a closed item: [{text, kind, item: the weight that it names}]. */
explorer.lines = item => {
  const node = item.node !== undefined ? model.nodes[item.node]
    : item.own !== undefined ? model.nodes[item.own] : undefined;
  const known = node && (node.k === 'variable' || node.k === 'placeholder');
  const lines = !node || item.own !== undefined && !known ? scopeLines(item)
    : [...nodeLines(item, node, item.label), ...slots(item)];
  return lines.map(line => ({...line, text: explorer.short(line.text, LONGEST),
                             height: LINE[line.kind]}));
};

/** What the document calls a scope, if that is more than its name. */
const labelOf = ({info, label}) => info && info.label !== label ? info.label : undefined;

/** The title of an open scope. */
explorer.title = item => {
  const many = item.group === 'repeat' ? ` ×${item.children.length}` : '';
  const label = labelOf(item);
  return explorer.short(label ? `${item.label}: ${label}` : item.label + many, 60);
};

/** 'op', 'variable', 'scope', ...: how an item is drawn when it is closed. */
explorer.look = item => {
  const node = model.nodes[item.node !== undefined ? item.node : item.own];
  if (node) {
    if (node.k && node.k !== 'op' && node.k !== 'summary' && node.k !== 'save') { return node.k; }
    if (item.own === undefined) { return 'op'; }
  }
  if (item.group === 'repeat') { return 'repeat'; }
  const kind = (item.info || {}).kind;
  if (item.group === 'named') { return 'repeat'; }
  return kind === 'layer' ? 'layer' : kind && kind !== 'scope' ? 'function' : 'scope';
};

explorer.textWidth = widthOf;

/** Width and height of a closed item, with its lines. */
explorer.leafSize = item => {
  if (!item.size) {
    const lines = explorer.lines(item);
    const look = explorer.look(item);
    const text = Math.max(...lines.map(line => widthOf(line.text, line.kind)));
    const height = lines.reduce((sum, line) => sum + line.height, 0);
    const extra = {placeholder: [34, 14], variable: [22, 22], constant: [20, 8]}[look] || [24, 14];
    const toggle = item.children.length && look !== 'variable' ? 20 : 0;
    item.size = {lines, look, width: Math.max(36, Math.ceil(text) + extra[0] + toggle),
                 height: height + extra[1]};
  }
  return item.size;
};
