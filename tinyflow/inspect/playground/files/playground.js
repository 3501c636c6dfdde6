'use strict';
// The page has recorded weights; what the units compute from them is computed here.

const data = JSON.parse(document.getElementById('data').textContent);
const get = id => document.getElementById(id);
const SIZE = 40;                        // a unit is shown at SIZE x SIZE points of the plane
const REACH = 6;                        // the plane goes from -REACH to REACH
const FUNCTIONS = {
  relu: x => Math.max(x, 0), tanh: Math.tanh, sigmoid: x => 1 / (1 + Math.exp(-x)), linear: x => x,
};
const INPUTS = {
  'x': (x, y) => x, 'y': (x, y) => y, 'x²': (x, y) => x * x, 'y²': (x, y) => y * y,
  'x·y': (x, y) => x * y,
};
const chosen = {};                      // name of a setting -> its value
let run, snapshot = 0, shown = null, timer = null;

function floats(text) {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// ---- the network, from its weights ---------------------------------------------------------

function layersOf(settings) {
  return [data.features[settings.features].length, ...JSON.parse(settings.hidden), 1];
}

function weightsAt(number) {
  const sizes = layersOf(chosen);
  const count = sizes.slice(1).reduce((sum, n, i) => sum + (sizes[i] + 1) * n, 0);
  let at = number * count;
  return sizes.slice(1).map((outputs, i) => {
    const inputs = sizes[i];
    const kernel = run.weights.subarray(at, at + inputs * outputs);
    const bias = run.weights.subarray(at + inputs * outputs, at + (inputs + 1) * outputs);
    at += (inputs + 1) * outputs;
    return {kernel, bias, inputs, outputs};
  });
}

/** The values of all units at all points: one array of layers, of units, of SIZE * SIZE. */
function fields(weights) {
  const names = data.features[chosen.features];
  const first = names.map(name => {
    const values = new Float32Array(SIZE * SIZE);
    for (let row = 0; row < SIZE; row++) {
      for (let column = 0; column < SIZE; column++) {
        values[row * SIZE + column] = INPUTS[name](place(column) / data.scale,
                                                   -place(row) / data.scale);
      }
    }
    return values;
  });
  const layers = [first];
  weights.forEach(({kernel, bias, inputs, outputs}, number) => {
    const activation = number === weights.length - 1 ? Math.tanh : FUNCTIONS[chosen.activation];
    const below = layers[number];
    layers.push(Array.from({length: outputs}, (_, unit) => {
      const values = new Float32Array(SIZE * SIZE).fill(bias[unit]);
      for (let i = 0; i < inputs; i++) {
        const weight = kernel[i * outputs + unit];
        for (let p = 0; p < values.length; p++) { values[p] += weight * below[i][p]; }
      }
      return values.map(activation);
    }));
  });
  return layers;
}

function place(index) { return (index + 0.5) / SIZE * 2 * REACH - REACH; }

// ---- drawing -------------------------------------------------------------------------------

/** Blue for negative values, orange for positive ones, nearly white for 0. */
function colour(value) {
  const share = Math.min(Math.abs(value), 1), end = value < 0 ? [0, 114, 178] : [213, 94, 0];
  return end.map(part => Math.round(243 + (part - 243) * share));
}

function drawField(canvas, values, size) {
  const small = document.createElement('canvas');
  small.width = small.height = SIZE;
  const context = small.getContext('2d'), image = context.createImageData(SIZE, SIZE);
  values.forEach((value, i) => { image.data.set([...colour(value), 255], 4 * i); });
  context.putImageData(image, 0, 0);
  canvas.width = canvas.height = size;
  const large = canvas.getContext('2d');
  large.imageSmoothingEnabled = true;
  large.drawImage(small, 0, 0, size, size);
}

function drawPoints(canvas, points, radius) {
  const context = canvas.getContext('2d'), half = points.length / 2;
  points.forEach(([x, y, label], i) => {
    const at = [x, -y].map(v => (v + REACH) / (2 * REACH) * canvas.width);
    context.beginPath();
    context.arc(...at, radius, 0, 2 * Math.PI);
    context.lineWidth = radius / 2.5;
    context.strokeStyle = i < half ? '#ffffff' : `rgb(${label < 0 ? '0,70,120' : '150,60,0'})`;
    context.fillStyle = i < half ? `rgb(${label < 0 ? '0,90,150' : '190,75,0'})` : '#ffffff';
    context.fill();
    context.stroke();
  });
}

function element(tag, attributes = {}, ...children) {
  const svg = ['line', 'polyline', 'text', 'title'].includes(tag);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

/** The units of the chosen network, as buttons; they are drawn by `show`. */
function build() {
  const sizes = layersOf(chosen), names = data.features[chosen.features];
  shown = [sizes.length - 1, 0];
  get('layers').replaceChildren(...sizes.map((size, layer) => {
    const last = layer === sizes.length - 1;
    const title = layer === 0 ? 'inputs' : last ? 'output' : `hidden ${layer}`;
    const units = Array.from({length: size}, (_, unit) => {
      const name = layer === 0 ? names[unit] : last ? 'output' : `${title}, unit ${unit + 1}`;
      const button = element('button', {class: 'unit', type: 'button', 'aria-label': name},
                             element('canvas'));
      if (layer === 0) { button.append(element('i', {}, name)); }
      const point = () => { shown = [layer, unit]; show(); };
      ['pointerenter', 'focus', 'click'].forEach(event => button.addEventListener(event, point));
      button.dataset.name = name;
      return button;
    });
    return element('div', {class: `layer ${layer ? '' : 'inputs'}`}, element('span', {}, title),
                   ...units);
  }));
}

function show() {
  const weights = weightsAt(snapshot), layers = fields(weights);
  const columns = [...get('layers').children].map(each => [...each.querySelectorAll('.unit')]);
  columns.forEach((units, layer) => units.forEach((button, unit) => {
    drawField(button.firstChild, layers[layer][unit], 84);
    button.classList.toggle('shown', layer === shown[0] && unit === shown[1]);
  }));
  const [layer, unit] = shown, button = columns[layer][unit];
  const points = data.problems[chosen.problem];
  get('shown').textContent = button.dataset.name === 'output' ? 'What the network answers'
    : `What “${button.dataset.name}” computes`;
  drawField(get('large'), layers[layer][unit], 600);
  drawPoints(get('large'), points, 7);
  get('large').setAttribute('aria-label', `${button.dataset.name} at epoch ${data.epochs[snapshot]}, `
    + `over the plane: ${correct(layers)}% of the test points are on the right side`);
  drawLinks(columns, weights);
  drawCurve();
  const [train, test] = losses(snapshot);
  get('losses').textContent = `loss ${text(train)}, test loss ${text(test)}, `
    + `${correct(layers)}% of the test points right`;
  get('epoch').value = snapshot;
  get('epoch-now').textContent = data.epochs[snapshot];
  get('epoch').setAttribute('aria-valuetext', `epoch ${data.epochs[snapshot]}`);
}

function text(loss) { return Number.isFinite(loss) ? loss.toFixed(3) : String(loss); }

function losses(number) { return run.losses.subarray(2 * number, 2 * number + 2); }

/** The share of test points with the right sign of the output, in percent. */
function correct(layers) {
  const points = data.problems[chosen.problem], tests = points.slice(points.length / 2);
  const output = layers[layers.length - 1][0];
  const at = v => Math.min(SIZE - 1, Math.max(0, Math.floor((v + REACH) / (2 * REACH) * SIZE)));
  const right = tests.filter(([x, y, label]) => output[at(-y) * SIZE + at(x)] * label > 0);
  return Math.round(100 * right.length / tests.length);
}

function drawLinks(columns, weights) {
  const box = get('network').getBoundingClientRect(), lines = [];
  weights.forEach(({kernel, inputs, outputs}, layer) => {
    for (let i = 0; i < inputs; i++) {
      for (let unit = 0; unit < outputs; unit++) {
        const weight = kernel[i * outputs + unit];
        const from = columns[layer][i].getBoundingClientRect();
        const to = columns[layer + 1][unit].getBoundingClientRect();
        lines.push(element('line', {
          x1: from.right - box.left, y1: from.top + from.height / 2 - box.top,
          x2: to.left - box.left, y2: to.top + to.height / 2 - box.top,
          'stroke-width': Math.min(0.4 + 2.2 * Math.abs(weight), 9), 'stroke-opacity': 0.75,
          stroke: weight < 0 ? 'var(--low)' : 'var(--high)',
        }, element('title', {}, `weight ${weight.toFixed(3)}`)));
      }
    }
  });
  get('links').replaceChildren(...lines);
}

function drawCurve() {
  const all = data.epochs.map((_, i) => losses(i));
  const top = Math.max(0.1, ...all.flatMap(pair => [...pair]).filter(Number.isFinite));
  const x = i => 30 + 262 * data.epochs[i] / data.epochs[data.epochs.length - 1];
  const y = value => 78 - 70 * Math.min(value, top) / top;
  const curve = (which, style) => element('polyline', {
    points: all.map((pair, i) => Number.isFinite(pair[which]) ? `${x(i)},${y(pair[which])}` : '')
      .join(' '), fill: 'none', 'stroke-width': 2, ...style});
  get('curve').replaceChildren(
    element('line', {x1: 30, x2: 292, y1: 78, y2: 78, stroke: 'var(--line)'}),
    element('line', {x1: x(snapshot), x2: x(snapshot), y1: 4, y2: 78, stroke: 'var(--accent)'}),
    curve(0, {stroke: 'var(--text)'}),
    curve(1, {stroke: 'var(--quiet)', 'stroke-dasharray': '4 3'}),
    element('text', {x: 26, y: 12, 'text-anchor': 'end', 'font-size': 10, fill: 'var(--quiet)'},
            top.toFixed(1)),
    element('text', {x: 26, y: 80, 'text-anchor': 'end', 'font-size': 10, fill: 'var(--quiet)'}, '0'),
    element('text', {x: 292, y: 89, 'text-anchor': 'end', 'font-size': 10, fill: 'var(--quiet)'},
            '— training   - - test'));
  get('curve').setAttribute('aria-label', 'training and test loss by epoch');
}

// ---- settings and time ---------------------------------------------------------------------

function key(settings) {
  const activation = settings.hidden === '[]' ? 'linear' : settings.activation;
  return [settings.problem, settings.features, settings.hidden, activation, settings.rate].join('|');
}

function change(name, value, keepTime = true) {
  chosen[name] = value;
  const found = data.runs[key(chosen)];
  run = {weights: floats(found[0]), losses: floats(found[1])};
  snapshot = keepTime ? snapshot : 0;
  [...get('problems').children].forEach(button => {
    button.setAttribute('aria-pressed', button.dataset.problem === chosen.problem);
  });
  get('activation').disabled = chosen.hidden === '[]';
  get('explanation').textContent = explanation();
  get('program').textContent = program();
  location.replace('#' + new URLSearchParams(chosen));
  build();
  show();
}

function explanation() {
  const inputs = data.features[chosen.features], layers = JSON.parse(chosen.hidden);
  const parts = [`The network gets ${inputs.join(', ')} of a point`];
  parts.push(layers.length ? `passes them through ${layers.length === 1 ? 'a hidden layer' :
    `${layers.length} hidden layers`} of ${layers.join(' and ')} units (${chosen.activation})`
    : 'has no hidden layer, so its border is a straight line in these inputs');
  return parts.join(', ') + `, and answers −1 or 1. Learning rate ${chosen.rate}.`;
}

function program() {
  const inputs = data.features[chosen.features].length, layers = JSON.parse(chosen.hidden);
  const activation = {relu: ', tf.nn.relu', tanh: ', tf.tanh', sigmoid: ', tf.sigmoid', linear: ''};
  return ['import tinyflow as tf', '',
          `x = tf.placeholder(tf.float32, [None, ${inputs}])`,
          'y = tf.placeholder(tf.float32, [None, 1])', 'layer = x',
          ...layers.map(n => `layer = tf.layers.dense(layer, ${n}${activation[chosen.activation]})`),
          'loss = tf.losses.mean_squared_error(y, tf.layers.dense(layer, 1, tf.tanh))',
          `step = tf.train.GradientDescentOptimizer(${chosen.rate}).minimize(loss)`, '',
          'with tf.Session() as sess:', '    sess.run(tf.global_variables_initializer())',
          `    for rows, labels in batches:            # of ${data.batch} points`,
          '        sess.run(step, {x: rows, y: labels})'].join('\n');
}

function play(on = timer === null) {
  clearInterval(timer);
  timer = on ? setInterval(() => {
    if (snapshot === data.epochs.length - 1) { play(false); } else { snapshot += 1; show(); }
  }, 220) : null;
  if (on && snapshot === data.epochs.length - 1) { snapshot = 0; show(); }
  get('play').textContent = on ? '❚❚' : '▶';
  get('play').setAttribute('aria-label', on ? 'stop' : 'play');
}

function start() {
  const first = data.first, wanted = new URLSearchParams(location.hash.slice(1));
  Object.assign(chosen, first);
  for (const name of Object.keys(first)) {
    if (data.choices[name].includes(wanted.get(name))) { chosen[name] = wanted.get(name); }
  }
  for (const name of ['features', 'hidden', 'activation', 'rate']) {
    const label = value => name !== 'hidden' ? value : value === '[]' ? 'none'
      : JSON.parse(value).join(', then ') + ' units';
    get(name).replaceChildren(...data.choices[name].map(value => element('option', {value},
                                                                         label(value))));
    get(name).value = chosen[name];
    get(name).addEventListener('change', () => change(name, get(name).value));
  }
  get('problems').replaceChildren(...data.choices.problem.map(name => {
    const canvas = element('canvas', {width: 120, height: 120});
    drawPoints(canvas, data.problems[name], 4);
    const button = element('button', {type: 'button', 'data-problem': name}, canvas, name);
    button.addEventListener('click', () => change('problem', name));
    return button;
  }));
  get('epoch').max = data.epochs.length - 1;
  get('epoch').addEventListener('input', () => { play(false); snapshot = +get('epoch').value; show(); });
  get('play').addEventListener('click', () => play());
  document.addEventListener('keydown', event => {
    if (event.key === ' ' && event.target === document.body) { event.preventDefault(); play(); }
  });
  addEventListener('resize', show);
  snapshot = data.epochs.length - 1;
  change('problem', chosen.problem);
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) { snapshot = 0; play(true); }
}

start();
