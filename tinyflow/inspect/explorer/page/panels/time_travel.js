// Recorded runs: forward and back through a run in its order, value by value, and over its steps.

const {model, dom, svg, section, link, state, recorded} = explorer;
const {figure, badness, size, brief, difference, differenceText, heatMap, whole} = explorer.values;
const {recordings, steps, current, order, placesOf, valueAt, nth} = recorded;
const MOST_MOVED = 8;
const byName = new Map(model.nodes.map((node, index) => [node.n, index]));
let focus = null;               // id of the control to focus again after the panel is made anew
let moving = false;             // the choice of the node comes from here
const said = {step: dom('span', {class: 'count'}), at: dom('span', {class: 'count quiet'}),
              below: dom('div', {})};       // what changes while a slider is held

const bounded = (value, most) => Math.max(0, Math.min(most, value));

// ---- moving ------------------------------------------------------------------------------------

/** Goes to a place of a step; the graph follows. */
function go(place, to = recorded.step) {
  const last = current();
  recorded.step = bounded(to, steps().length - 1);
  recorded.at = bounded(place, order().length - 1);
  state.step = current().number;
  if (current() !== last) { explorer.emit('step', state); mark(); }
  moving = true;
  const [index] = order()[recorded.at] || [];
  if (model.ofNode[index]) { explorer.reveal(index); } else { explorer.panels.show(); }
  moving = false;
}

/** Badges in the graph: where a NaN began and where it went, else the scalars. */
function mark() {
  const marks = new Map();
  order().forEach(([node], place) => {
    const value = valueAt(current(), place);
    if (badness(value)) { marks.set(node, badness(value)); }
    else if (value && value.n && !(value.s || []).length && /float/.test(value.d) &&
             !model.nodes[node].p && model.nodes[node].k !== 'constant') {
      marks.set(node, figure(value.n[0]));
    }
  });
  const [place] = current().origin || [];
  if (typeof place === 'number' && order()[place]) {
    const [node] = order()[place];
    marks.set(node, `${marks.get(node) === 'Inf' ? 'Inf' : 'NaN'} begins`);
  }
  explorer.mark(marks);
}

/** While a slider is held: what is below changes, and the slider stays. */
function slide(place, to) {
  const last = current();
  recorded.step = bounded(to, steps().length - 1);
  recorded.at = bounded(place, order().length - 1);
  if (current() !== last) { state.step = current().number; mark(); }
  const node = order()[recorded.at];
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

function groupChoice() {
  const choice = recorded.groups();
  const named = one => explorer.short((recorded.kindOf(one[0]) || []).join(', '), 60);
  return choice.length < 2 ? null : dom('label', {}, 'runs of ', dom('select', {
    id: 'travel-group', change: event => {
      focus = 'travel-group';
      Object.assign(recorded, {group: Number(event.target.value), other: '', step: 0});
      go(0, 0);
      mark();
    }}, choice.map((one, i) => dom('option', {value: i, selected: i === recorded.group},
    `${named(one)} (${explorer.count(one.length, 'step')})`))));
}

function controls() {
  const most = order().length - 1;
  const {at, step} = recorded;
  return [
    groupChoice(),
    dom('div', {class: 'travel'},
      said.step,
      slider('travel-step', `training step, of ${steps().length}`, step, steps().length - 1,
        to => [recorded.at, to])),
    dom('div', {class: 'travel'},
      button('travel-first', '|◀', 'first operation', () => go(0), at === 0),
      button('travel-back', '◀', 'back by one operation', () => go(at - 1), at === 0),
      button('travel-on', '▶', 'on by one operation', () => go(at + 1), at === most),
      button('travel-last', '▶|', 'last operation', () => go(most), at === most),
      slider('travel-at', 'operation in the run', at, most, to => [to, recorded.step]),
      said.at),
  ];
}

// ---- what is beside a value --------------------------------------------------------------------

/** The value of a gradient's node; loops run backwards in it, from the last iteration to the first.
 */
function gradientValue(index, node) {
  const [mine, places] = [placesOf(node), placesOf(index)];
  const back = places.length === mine.length ? mine.length - 1 - mine.indexOf(recorded.at) : 0;
  const place = places[back] === undefined ? places[0] : places[back];
  return place === undefined ? undefined : valueAt(current(), place);
}

/** The recorded values of the nodes that compute a node's gradient. */
function gradients(node) {
  const own = model.nodes[node].k === 'variable' ? explorer.training(node).gradients
    : model.gradientNodes.get(node) || [];
  const those = own.flatMap(index => {
    const value = gradientValue(index, node);
    return value && (value.st || value.n) ? [{index, value}] : [];
  });
  return section('Its gradient', those.length ? explorer.some(those, ({index, value}) => (
    dom('li', {}, link(model.ofNode[index]), ' ', dom('span', {class: 'quiet'}, brief(value)),
      value.heat ? explorer.values.heat(value) : null)), 4) : null);
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
  if (first < 0) { return null; }
  const {origin: [place, text] = [], error} = steps()[first];
  return dom('p', {class: 'note'},
    `Step ${nth(steps()[first])}: ${explorer.short(String(text || error), 300)} `,
    button('travel-nan', 'go there', 'to the step with the first NaN',
      () => go(place === undefined || place === null ? recorded.at : place, first)));
}

/** The steps that this one may be compared with: of the same runs, and of other recordings. */
function comparable() {
  const {step, other, recording} = recorded;
  const option = (value, one) => dom('option', {value, selected: String(value) === String(other)},
    `step ${nth(one)}`);
  return [...steps().map((one, i) => i === step ? null : option(i, one)),
          ...recordings.map((one, r) => one === recording ? null : dom('optgroup',
            {label: explorer.short(one.title || one.said || '', 60)},
            one.steps.map((each, s) => option(`${r}:${s}`, each))))];
}

function comparison() {
  if (steps().length < 2 && recordings.length < 2) { return null; }
  const {at} = recorded;
  const select = dom('select', {id: 'travel-other', 'aria-label': 'step to compare with',
    change: event => { focus = 'travel-other'; recorded.other = event.target.value;
                       explorer.panels.show(); }},
  dom('option', {value: ''}, 'nothing'), comparable());
  const against = recorded.against();
  if (!against) { return section('Compared with', select); }
  const before = recorded.valueAgainst(against, at);
  const where = against.of === recorded.recording ? '' : ` of ${against.of.title || 'another'}`;
  const found = difference(before, valueAt(current(), at));
  return section('Compared with', select,
    dom('h3', {}, `The value in step ${nth(against.step)}${explorer.short(where, 60)}`),
    ...whole(before),
    found ? dom('p', {}, `The difference: ${differenceText(found, before)}.`) : null,
    found && found.most ? heatMap(found.width, found.cells) : null, moved(against));
}

/** What differs most between this step and another. */
function moved(against) {
  const rows = order().map(([node], place) => {
    const [a, b] = [recorded.valueAgainst(against, place), valueAt(current(), place)];
    const found = a === b || badness(a) || badness(b) ? null : difference(a, b);
    return {node, size: found ? found.most : 0, exact: found && found.exact};
  }).filter(({size: one}) => one > 0).sort((a, b) => b.size - a.size);
  if (!rows.length) { return dom('p', {class: 'quiet'}, 'All else is equal.'); }
  return section('What differs most', explorer.some(rows, ({node, size: one, exact}) => (
    dom('li', {}, link(model.ofNode[node]), ' ',
      dom('span', {class: 'quiet'}, `${exact ? '' : 'about '}${figure(one)}`))), MOST_MOVED));
}

/** How a scalar, or the size of a value, goes over the steps. */
function course() {
  const points = steps().flatMap((one, i) => {
    const value = valueAt(one, recorded.at);
    if (badness(value)) { return []; }
    const number = value && value.n && value.n.length === 1 ? value.n[0] : (size(value) || {}).rms;
    return typeof number === 'number' ? [[i, number, value]] : [];
  });
  if (points.length < 3) { return null; }
  const ys = points.map(([, y]) => y);
  const [low, high] = [ys.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.max(a, b))];
  const x = i => 4 + 232 * i / (steps().length - 1);
  const y = value => 50 - 44 * (value - low) / (high - low || 1);
  const here = points.find(([i]) => i === recorded.step);
  return section(points[0][2].st ? 'Its rms over the steps' : 'Over the steps', svg('svg', {
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
  const {at} = recorded;
  const [node, iteration] = order()[at] || [];
  const now = current();
  const outputs = (now.values || [])[at] || [];
  const change = (now.changes || [])[at];
  const known = model.nodes[node];
  const loop = iteration && iteration.length ? `, iteration ${iteration.join(', ')}` : '';
  said.step.textContent = `step ${nth(now)}`;
  said.at.textContent = `${at + 1} of ${order().length}`;
  said.below.replaceChildren(...[
    origin(),
    known ? dom('h2', {}, explorer.short(known.o, 60) + loop) : null,
    known ? dom('p', {class: 'name'}, link(model.ofNode[node], known.n)) : null,
    ...outputs.flatMap((one, output) => [
      outputs.length > 1 ? dom('h3', {}, `output ${output}`) : null,
      ...whole(valueAt(now, at, output))]),
    outputs.length ? null : dom('p', {class: 'quiet'}, 'It has run; it has no value.'),
    typeof change === 'number' ? dom('p', {class: 'quiet'},
      `Changed by at most ${figure(change)} since the step before.`) : null,
    known ? explorer.updateSection(node) : null, known ? gradients(node) : null,
    course(), comparison(), nth(now) === now.number ? null : dom('p', {class: 'quiet'},
      `Step ${nth(now)} of these fetches is run ${now.number} of all that were recorded.`),
  ].filter(Boolean));
}

function render(element) {
  const chosen = state.selected || {};
  const node = typeof chosen.node === 'number' ? chosen.node : byName.get(chosen.name);
  const [place] = node === undefined ? [] : placesOf(node);
  if (!moving && place !== undefined && (order()[recorded.at] || [])[0] !== node) {
    recorded.at = place;
  }
  recorded.at = bounded(recorded.at, order().length - 1);
  const one = recorded.recording;
  element.append(...[
    recordings.length > 1 ? dom('select', {'aria-label': 'recording', change: event => {
      Object.assign(recorded, {recording: recordings[Number(event.target.value)], group: 0,
                               step: 0, at: 0, other: ''});
      go(0, 0);
      mark();
    }}, recordings.map((each, i) => dom('option', {value: i, selected: each === one},
      explorer.short([each.title, each.said].filter(Boolean).join(': '), 60)))) : null,
    ...controls(), said.below,
    one.said ? dom('p', {class: 'quiet'}, explorer.short(one.said, 200)) : null,
  ].filter(Boolean));
  show();
  if (focus && explorer.get(focus)) {
    const again = explorer.get(focus);
    (again.disabled ? explorer.get('travel-at') : again).focus({preventScroll: true});
  }
  focus = null;
}

recorded.go = go;
explorer.panels.add({id: 'time_travel', title: 'Run', render,
                     applies: () => recordings.length > 0 && model.nodes.length > 0});
let marked = !recordings.length;
explorer.on('drawn', () => { if (!marked) { marked = true; mark(); } });
