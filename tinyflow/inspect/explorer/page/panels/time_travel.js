// Recorded runs: forward and back through a run in its order, value by value, and over its steps.

const {model, dom, svg, section, link, state} = explorer;
const MOST_MOVED = 8;
const recordings = (explorer.document.recordings || []).filter(one =>
  one && Array.isArray(one.steps) && one.steps.length);
const byName = new Map(model.nodes.map((node, index) => [node.n, index]));
let recording = recordings[0];
let group = 0;                  // of the steps with the same fetches
let step = 0;                   // in the group
let at = 0;                     // in the order of the run
let other = -1;                 // the step that is compared, or -1
let focus = null;               // id of the control to focus again after the panel is made anew
let moving = false;             // the choice of the node comes from here
const said = {step: dom('span', {class: 'count'}), at: dom('span', {class: 'count quiet'}),
              below: dom('div', {})};       // what changes while a slider is held

// ---- what was recorded -------------------------------------------------------------------------

const groupsOf = new Map(recordings.map(one => {
  const groups = new Map();
  for (const each of one.steps) {
    const key = JSON.stringify([each.fetches, each.order]);
    if (!groups.has(key)) { groups.set(key, []); }
    groups.get(key).push(each);
  }
  return [one, [...groups.values()].sort((a, b) => b.length - a.length)];
}));
const steps = () => groupsOf.get(recording)[group] || [];
const current = () => steps()[step];
const order = () => (recording.orders || [])[current().order] || [];
const valueOf = (of, place, output = 0) => {
  const index = ((of.values || [])[place] || [])[output];
  return typeof index === 'number' ? (recording.values || [])[index] : undefined;
};

const bounded = (value, most) => Math.max(0, Math.min(most, value));

/** The places of a node in the order of the run. */
const placesOf = node => order().flatMap(([index], place) => index === node ? [place] : []);

/** A number in a few characters; NaN and the infinities are texts already. */
function figure(value) {
  if (typeof value !== 'number') { return value === null ? 'none' : String(value); }
  const size = Math.abs(value);
  return Number.isInteger(value) && size < 1e6 ? String(value)
    : size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

const isBad = value => Boolean(value && (value.st ? value.st[4] + value.st[5]
  : (value.n || []).some(number => ['NaN', 'Inf', '-Inf'].includes(number))));

/** One number in place of a value: a scalar itself, else the mean. */
const brief = value => !value ? '' : isBad(value) ? 'NaN'
  : value.st ? `mean ${figure(value.st[2])}`
    : value.n && value.n.length === 1 ? figure(value.n[0]) : '';

// ---- pictures of values ------------------------------------------------------------------------

function bytesOf(text) {
  try { return Uint8Array.from(atob(text), letter => letter.charCodeAt(0)); } catch { return []; }
}

/** A canvas whose pixels are paint(i) -> [red, green, blue]. */
function pixels(width, height, label, paint, square = false) {
  const canvas = dom('canvas', {width, height, class: 'heat', role: 'img', 'aria-label': label});
  const context = canvas.getContext('2d');
  const data = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) { data.data.set([...paint(i), 255], 4 * i); }
  context.putImageData(data, 0, 0);
  const one = square ? Math.min(8, 320 / width, 240 / height) : 12;
  canvas.style.width = `${Math.min(320, Math.max(14, width * one))}px`;
  canvas.style.height = `${Math.min(square ? 240 : 180, Math.max(14, height * one))}px`;
  return canvas;
}

/** Blue below zero, orange above it; NaN magenta. Of values of one sign: light to dark. */
function heat([width, low, high, text]) {
  const cells = bytesOf(text);
  const height = Math.floor(cells.length / width);
  if (!width || !height) { return null; }
  const [from, to] = [Number(low), Number(high)];
  const most = Math.max(Math.abs(from), Math.abs(to)) || 1;
  return pixels(width, height, `heat map, from ${figure(low)} to ${figure(high)}`, i => {
    if (cells[i] === 255) { return [255, 0, 200]; }
    const part = (from + (to - from) * cells[i] / 254) / most;
    return part < 0 ? [255 + 255 * part, 255 + 141 * part, 255 + 77 * part]
      : [255 - 42 * part, 255 - 161 * part, 255 - 255 * part];
  });
}

function image([width, channels, text]) {
  const cells = bytesOf(text);
  const height = Math.floor(cells.length / width / channels);
  return width && height ? pixels(width, height, 'the value as a picture', i => (
    channels === 3 ? [...cells.slice(3 * i, 3 * i + 3)] : [cells[i], cells[i], cells[i]]),
  true) : null;
}

function histogram([counts, low, high]) {
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const wide = 240 / counts.length;
  return svg('svg', {viewBox: '0 0 240 66', width: 240, role: 'img',
                     'aria-label': `histogram from ${figure(low)} to ${figure(high)}`},
    counts.map((count, i) => svg('rect', {
      x: i * wide, width: wide - 0.5, y: 50 - 50 * count / most, height: 50 * count / most,
      fill: explorer.COLOURS[0]})),
    svg('text', {class: 'quiet', x: 0, y: 64, style: 'text-anchor: start'}, figure(low)),
    svg('text', {class: 'quiet', x: 240, y: 64, style: 'text-anchor: end'}, figure(high)));
}

/** The elements as rows of the last dimension. */
function numbers(value) {
  const columns = (value.s || []).length ? value.s[value.s.length - 1] : 1;
  const rows = [];
  for (let i = 0; i < value.n.length; i += columns || 1) {
    rows.push(value.n.slice(i, i + columns).map(figure).join('  '));
  }
  return dom('pre', {class: 'code', tabindex: '0'}, rows.join('\n'));
}

const NAMES = ['min', 'max', 'mean', 'std', 'NaN', 'Inf', 'zeros'];

/** All that is known about a value. */
function whole(value) {
  if (!value) { return [dom('p', {class: 'quiet'}, 'No value.')]; }
  const facts = (value.st || []).map((number, i) => [NAMES[i], number])
    .filter(([name, number]) => number || !['NaN', 'Inf', 'zeros'].includes(name));
  return [
    dom('p', {class: 'quiet'}, `${value.d} ${explorer.shapeText(value.s)}`),
    value.n ? numbers(value) : null,
    value.heat && !value.image ? heat(value.heat) : null,
    value.image ? image(value.image) : null,
    value.hist ? histogram(value.hist) : null,
    facts.length ? dom('p', {class: 'figures'}, facts.map(([name, number]) => (
      dom('span', {class: ['NaN', 'Inf'].includes(name) ? 'bad' : ''},
        `${name} ${figure(number)}  `)))) : null,
  ];
}

// ---- moving ------------------------------------------------------------------------------------

/** Goes to a place of a step; the graph follows. */
function go(place, to = step) {
  const last = current();
  step = bounded(to, steps().length - 1);
  at = bounded(place, order().length - 1);
  state.step = current().number;
  if (current() !== last) { explorer.emit('step', state); mark(); }
  moving = true;
  const node = order()[at] && model.ofNode[order()[at][0]];
  if (node) { explorer.reveal(node); } else { explorer.panels.show(); }
  moving = false;
}

/** Badges in the graph: where a NaN began and where it went, else the scalars. */
function mark() {
  const marks = new Map();
  order().forEach(([node], place) => {
    const value = valueOf(current(), place);
    if (isBad(value)) { marks.set(node, 'NaN'); }
    else if (value && value.n && value.n.length === 1 && /float/.test(value.d) &&
             !model.nodes[node].p && model.nodes[node].k !== 'constant') {
      marks.set(node, figure(value.n[0]));
    }
  });
  const [place] = current().origin || [];
  if (typeof place === 'number' && order()[place]) { marks.set(order()[place][0], 'NaN begins'); }
  explorer.mark(marks);
}

/** While a slider is held: what is below changes, and the slider stays. */
function slide(place, to) {
  const last = current();
  step = bounded(to, steps().length - 1);
  at = bounded(place, order().length - 1);
  if (current() !== last) { state.step = current().number; mark(); }
  const node = order()[at];
  if (node && model.ofNode[node[0]]) { explorer.select(node[0], {quiet: true}); }
  show();
}

const button = (id, text, label, click, disabled) => dom('button', {
  id, 'aria-label': label, title: label, disabled, click: () => { focus = id; click(); }}, text);

function slider(id, label, value, most, move) {
  return dom('input', {type: 'range', id, min: 0, max: most, step: 1, value, 'aria-label': label,
                       disabled: most < 1,
                       input: event => slide(...move(Number(event.target.value))),
                       change: event => { focus = id; go(...move(Number(event.target.value))); }});
}

function controls() {
  const most = order().length - 1;
  const choice = groupsOf.get(recording);
  const named = one => explorer.short((one[0].fetches || []).join(', '), 60);
  return [
    choice.length > 1 ? dom('label', {}, 'runs of ', dom('select', {
      id: 'travel-group', change: event => { focus = 'travel-group';
                                             group = Number(event.target.value);
                                             other = -1; step = 0; go(0, 0); mark(); }},
    choice.map((one, i) => dom('option', {value: i, selected: i === group},
      `${named(one)} (${explorer.count(one.length, 'step')})`)))) : null,
    dom('div', {class: 'travel'},
      said.step,
      slider('travel-step', `training step, of ${steps().length}`, step, steps().length - 1,
        to => [at, to])),
    dom('div', {class: 'travel'},
      button('travel-first', '|◀', 'first operation', () => go(0), at === 0),
      button('travel-back', '◀', 'back by one operation', () => go(at - 1), at === 0),
      button('travel-on', '▶', 'on by one operation', () => go(at + 1), at === most),
      button('travel-last', '▶|', 'last operation', () => go(most), at === most),
      slider('travel-at', 'operation in the run', at, most, to => [to, step]),
      said.at),
  ];
}

// ---- what is beside a value --------------------------------------------------------------------

/** The recorded values of other nodes that belong to this one. */
function beside(node) {
  const found = {gradient: new Set(), update: new Set()};
  model.nodes.forEach((one, index) => {
    if (one.g === node) { found.gradient.add(index); }
    if (one.v !== node || one.p !== 'optimizer' || index === node) { return; }
    found.update.add(index);
    for (const [from] of one.i || []) {         // what the update takes
      if ((model.nodes[from] || {}).p === 'gradient') { found.gradient.add(from); }
    }
  });
  return ['gradient', 'update'].map(what => {
    const those = [...found[what]].flatMap(index => {
      const [place] = placesOf(index);
      const value = place === undefined ? undefined : valueOf(current(), place);
      return value && (value.st || value.n) ? [{index, value}] : [];
    });
    return section(what === 'gradient' ? 'Its gradient' : 'Its updates and slots',
      those.length ? explorer.some(those, ({index, value}) => dom('li', {},
        link(model.ofNode[index]), ' ', dom('span', {class: 'quiet'}, brief(value)),
        value.heat ? heat(value.heat) : null), 4) : null);
  });
}

/** Where the first NaN began, in this step or the first that has one. */
function origin() {
  const now = current();
  if (now.error) { return dom('p', {class: 'finding'}, explorer.short(now.error, 600)); }
  if (now.origin) {
    const [place, text] = now.origin;
    return dom('p', {class: 'finding'}, explorer.short(text, 300), ' ',
      typeof place === 'number' && order()[place]
        ? button('travel-nan', 'go there', 'to where it began', () => go(place)) : null);
  }
  const first = steps().findIndex(one => one.origin || one.error);
  return first < 0 ? null : dom('p', {class: 'note'}, `Step ${steps()[first].number} has a NaN. `,
    button('travel-nan', 'go there', 'to the step with the first NaN',
      () => go((steps()[first].origin || [at])[0] || 0, first)));
}

/** The largest absolute difference of two values, if all their elements are known. */
function apart(a, b) {
  if (!a || !b || !a.n || !b.n || a.n.length !== b.n.length) { return null; }
  const sizes = a.n.map((one, i) => one === b.n[i] ? 0 : Math.abs(Number(one) - Number(b.n[i])));
  return sizes.every(Number.isFinite) ? sizes.reduce((x, y) => Math.max(x, y), 0) : null;
}

function comparison() {
  const list = steps();
  if (list.length < 2) { return null; }
  const select = dom('select', {id: 'travel-other', 'aria-label': 'step to compare with',
    change: event => { focus = 'travel-other'; other = Number(event.target.value);
                       explorer.panels.show(); }},
  dom('option', {value: -1, selected: other < 0}, 'nothing'),
  list.map((one, i) => i === step ? null
    : dom('option', {value: i, selected: i === other}, `step ${one.number}`)));
  const against = other >= 0 && other !== step ? list[other] : null;
  const rows = against ? (() => {
    const [one, two] = [valueOf(current(), at), valueOf(against, at)];
    const largest = apart(one, two);
    return [dom('h3', {}, `The value in step ${against.number}`), ...whole(two),
            largest === null ? null
              : dom('p', {}, `They differ by at most ${figure(largest)}.`), moved(against)];
  })() : [];
  return section('Compared with', select, ...rows);
}

/** What differs most between this step and another: exact where known, else by the means. */
function moved(against) {
  const rows = order().map(([node], place) => {
    const [a, b] = [valueOf(current(), place), valueOf(against, place)];
    const largest = a === b ? 0 : apart(a, b);
    const mean = largest === null && a && b && a.st && b.st
      ? Math.abs(Number(a.st[2]) - Number(b.st[2])) : largest;
    return {node, place, size: mean, exact: largest !== null};
  }).filter(({size}) => size > 0).sort((a, b) => b.size - a.size);
  return rows.length ? section('What differs most', explorer.some(rows, ({node, size, exact}) => (
    dom('li', {}, link(model.ofNode[node]), ' ',
      dom('span', {class: 'quiet'}, `${exact ? '' : 'mean by '}${figure(size)}`))), MOST_MOVED))
    : dom('p', {class: 'quiet'}, 'All else is equal.');
}

/** How a scalar, or the mean of a value, goes over the steps. */
function course() {
  const points = steps().map((one, i) => {
    const value = valueOf(one, at);
    const figureOf = value && (value.st ? value.st[2]
      : value.n && value.n.length === 1 ? value.n[0] : null);
    return [i, figureOf];
  }).filter(([, y]) => typeof y === 'number');
  if (points.length < 3) { return null; }
  const ys = points.map(([, y]) => y);
  const [low, high] = [ys.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.max(a, b))];
  const x = i => 4 + 232 * i / (steps().length - 1);
  const y = value => 50 - 44 * (value - low) / (high - low || 1);
  const here = points.find(([i]) => i === step);
  return section('Over the steps', svg('svg', {
    viewBox: '0 0 240 66', width: 240, role: 'img',
    'aria-label': `from ${figure(ys[0])} to ${figure(ys[ys.length - 1])}`},
  svg('polyline', {fill: 'none', stroke: explorer.COLOURS[0], 'stroke-width': 1.6,
                   points: points.map(([i, v]) => `${x(i)},${y(v)}`).join(' ')}),
  here ? svg('circle', {cx: x(here[0]), cy: y(here[1]), r: 3.5, fill: explorer.COLOURS[5]}) : null,
  svg('text', {class: 'quiet', x: 0, y: 64, style: 'text-anchor: start'},
    `${figure(low)} to ${figure(high)}`)));
}

// ---- the panel ---------------------------------------------------------------------------------

/** The value at the present place, and what belongs to it. */
function show() {
  const [node, iteration] = order()[at] || [];
  const now = current();
  const outputs = (now.values || [])[at] || [];
  const change = (now.changes || [])[at];
  const known = model.nodes[node];
  const loop = iteration && iteration.length ? `, iteration ${iteration.join(', ')}` : '';
  said.step.textContent = `step ${now.number}`;
  said.at.textContent = `${at + 1} of ${order().length}`;
  said.below.replaceChildren(...[
    origin(),
    known ? dom('h2', {}, explorer.short(known.o, 60) + loop) : null,
    known ? dom('p', {class: 'name'}, link(model.ofNode[node], known.n)) : null,
    ...outputs.flatMap((one, output) => [
      outputs.length > 1 ? dom('h3', {}, `output ${output}`) : null,
      ...whole(valueOf(now, at, output))]),
    outputs.length ? null : dom('p', {class: 'quiet'}, 'It has run; it has no value.'),
    typeof change === 'number' ? dom('p', {class: 'quiet'},
      `Changed by at most ${figure(change)} since the step before.`) : null,
    ...(known ? beside(node) : []), course(), comparison(),
  ].filter(Boolean));
}

function render(element) {
  const chosen = state.selected || {};
  const node = typeof chosen.node === 'number' ? chosen.node : byName.get(chosen.name);
  const [place] = node === undefined ? [] : placesOf(node);
  if (!moving && place !== undefined && (order()[at] || [])[0] !== node) { at = place; }
  at = bounded(at, order().length - 1);
  element.append(...[
    recordings.length > 1 ? dom('select', {'aria-label': 'recording', change: event => {
      recording = recordings[Number(event.target.value)];
      [group, step, at, other] = [0, 0, 0, -1];
      go(0, 0);
      mark();
    }}, recordings.map((one, i) => dom('option', {value: i, selected: one === recording},
      explorer.short(one.said || one.title || '', 60)))) : null,
    ...controls(), said.below,
    recording.said ? dom('p', {class: 'quiet'}, explorer.short(recording.said, 200)) : null,
  ].filter(Boolean));
  show();
  if (focus && explorer.get(focus)) {
    const again = explorer.get(focus);
    (again.disabled ? explorer.get('travel-at') : again).focus({preventScroll: true});
  }
  focus = null;
}

explorer.panels.add({id: 'time_travel', title: 'Run', render,
                     applies: () => recordings.length > 0 && model.nodes.length > 0});
let marked = !recordings.length;
explorer.on('drawn', () => { if (!marked) { marked = true; mark(); } });
