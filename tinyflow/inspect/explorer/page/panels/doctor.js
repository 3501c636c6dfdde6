// What the training doctor found: findings, curves over the steps, histograms.

const {dom, svg, section, link, model} = explorer;
let findings, curves, histograms;
const WIDTH = 340, HEIGHT = 130, LEFT = 48, BOTTOM = 18, TOP = 6, RIGHT = 8;
const MOST_LINES = 8;           // of a chart, as there are colours
const byName = new Map(model.nodes.map((node, index) => [node.n, index]));

/** Takes what the document has; of a training that runs, it changes. */
function read() {
  const training = explorer.document.training || {};
  findings = training.findings || [];
  curves = Object.entries(training.curves || {});
  histograms = Object.entries(training.histograms || {});
}
read();
explorer.on('training', read);

/** A number in a few characters. */
function figure(value) {
  if (value === 0) { return '0'; }
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(3)));
}

/** ['update/weight', 'dense/kernel'] from 'update/weight dense/kernel'; the loss has no node. */
function parts(name) {
  const at = model.nodes.length ? name.search(/ [^ ]+( \(\d+\))?$/) : -1;
  const node = at < 0 ? '' : name.slice(at + 1).replace(/ \(\d+\)$/, '');
  return byName.has(node) ? [name.slice(0, at), node] : [name, null];
}

/** What a finding is about comes first, biases come last. */
function rank([name]) {
  return findings.some(one => one.node === name) ? 0 : /bias|beta/i.test(name) ? 2 : 1;
}

const nodeLink = (name, text) => byName.has(name) ? link(model.ofNode[byName.get(name)], text)
  : dom('span', {}, explorer.short(text || name, 80));

/** Names of the node that is chosen, or of those in the scope that is. */
function chosenNames(state) {
  const item = state.selected;
  if (!item) { return null; }
  const indexes = item.node !== undefined ? [item.node] : model.nodesIn(item);
  return new Set(indexes.map(index => model.nodes[index].n));
}

function scale(low, high, from, to) {
  const span = high - low || 1;
  return value => from + (value - low) / span * (to - from);
}

/** Lines over the steps; of ratios, whose size matters, the logarithms. */
function chart(title, lines, logarithmic) {
  const usable = ([, value]) => Number.isFinite(value) && (!logarithmic || value > 0);
  const shown = [...lines].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_LINES)
    .map(([name, points]) => [name, points.filter(usable)]);
  const all = shown.flatMap(([, points]) => points);
  if (!all.length) { return null; }
  const number = logarithmic ? Math.log10 : value => value;
  const values = all.map(([, value]) => number(value));
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const last = all.reduce((most, [step]) => Math.max(most, step), 0);
  const x = scale(0, last, LEFT, WIDTH - RIGHT);
  const y = scale(low, high, HEIGHT - BOTTOM, TOP);
  const text = value => figure(logarithmic ? 10 ** value : value);
  const quiet = {class: 'quiet'};
  const place = ([step, value]) => `${x(step).toFixed(1)},${y(number(value)).toFixed(1)}`;
  const drawn = shown.map(([, points], i) => svg('polyline', {
    fill: 'none', stroke: explorer.COLOURS[i], 'stroke-width': 1.6,
    points: points.map(place).join(' ')}));
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: '100%', role: 'img',
    'aria-label': `${title}: from ${text(low)} to ${text(high)} over ${last} steps`},
  svg('path', {d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`, fill: 'none',
               stroke: 'currentColor', opacity: 0.4}),
  svg('text', {...quiet, x: LEFT / 2, y: TOP + 10}, text(high)),
  svg('text', {...quiet, x: LEFT / 2, y: HEIGHT - BOTTOM}, text(low)),
  svg('text', {...quiet, x: WIDTH - RIGHT - 30, y: HEIGHT - 4}, `step ${last}`), ...drawn);
  const names = shown.length < 2 && !shown[0][0] ? null : dom('ul', {}, shown.map(([name], i) =>
    dom('li', {}, dom('span', {style: `color:${explorer.COLOURS[i]}`, 'aria-hidden': 'true'}, '■ '),
        nodeLink(name))));
  const rest = lines.length - shown.length;
  return section(title, picture, names, rest > 0 ? dom('p', {class: 'quiet'},
    `${explorer.count(rest, 'more line')}: choose a node or a scope to see its own`) : null);
}

function bars([name, {counts, from, to}]) {
  const most = Math.max(...counts, 1), high = 70;
  const width = WIDTH / counts.length;
  const [what, node] = parts(name);
  return section(node ? `${what}:` : what, node ? nodeLink(node) : null, svg('svg', {
    viewBox: `0 0 ${WIDTH} ${high + 16}`, width: '100%', role: 'img',
    'aria-label': `histogram of ${name}: from ${figure(from)} to ${figure(to)}`},
  ...counts.map((count, i) => svg('rect', {
    x: (i * width).toFixed(1), width: Math.max(1, width - 1).toFixed(1),
    y: (high - high * count / most).toFixed(1), height: (high * count / most).toFixed(1),
    fill: explorer.COLOURS[0]})),
  svg('text', {class: 'quiet', x: 26, y: high + 13}, figure(from)),
  svg('text', {class: 'quiet', x: WIDTH - 26, y: high + 13}, figure(to))));
}

function finding(one) {
  const where = one.site ? `${String(one.site[0]).split('/').pop()}:${one.site[1]}` : '';
  return dom('li', {class: 'finding'}, dom('strong', {}, one.id), ' ',
             one.node ? nodeLink(one.node) : null, dom('p', {}, one.text),
             dom('p', {class: 'quiet'}, `Hint: ${one.hint}`),
             where ? dom('p', {class: 'quiet'}, where) : null);
}

explorer.panels.add({
  id: 'doctor', title: 'Training',
  applies: () => Boolean(findings.length || curves.length || histograms.length),
  render(element, state) {
    const names = chosenNames(state);
    const own = name => { const node = parts(name)[1]; return !names || !node || names.has(node); };
    const groups = new Map();
    for (const [name, points] of curves.filter(([name]) => own(name))) {
      const [what, node] = parts(name);
      if (!groups.has(what)) { groups.set(what, []); }
      groups.get(what).push([node || '', points]);
    }
    const pictures = histograms.filter(([name]) => names ? parts(name)[1] && own(name) : true);
    element.append(dom('h2', {}, findings.length ? explorer.count(findings.length, 'finding')
      : 'Nothing was found'), ...[
      findings.length ? dom('ul', {}, findings.map(finding)) : null,
      ...[...groups].map(([what, lines]) => chart(what, lines, what.includes('/weight'))),
      ...pictures.slice(0, 6).map(bars),
      pictures.length > 6 ? dom('p', {class: 'quiet'},
        `${explorer.count(pictures.length - 6, 'more histogram')}: choose a node`) : null,
    ].filter(Boolean));
  },
});
