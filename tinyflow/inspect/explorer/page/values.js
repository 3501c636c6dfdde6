// Recorded values: as numbers, heat maps, histograms and pictures; their size and difference.

const {dom, svg} = explorer;
const BAD = ['NaN', 'Inf', '-Inf'];
const decoded = new WeakMap();          // value -> its elements

/** A number in a few characters; NaN and the infinities are texts already. */
function figure(value) {
  if (typeof value !== 'number') { return value === null ? 'none' : String(value); }
  const size = Math.abs(value);
  return Number.isInteger(value) && size < 1e6 ? String(value)
    : size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

/** 'NaN' or 'Inf' if a value has one, else ''. */
function badness(value) {
  const {st, n = []} = value || {};
  const nan = st ? st[4] : n.includes('NaN');
  const infinite = st ? st[5] : n.some(number => BAD.includes(number));
  return nan ? 'NaN' : infinite ? 'Inf' : '';
}

function bytesOf(text) {
  try { return Uint8Array.from(atob(text), letter => letter.charCodeAt(0)); } catch { return []; }
}

/** All elements of a value as numbers, or null if the page does not have them. */
function elements(value) {
  if (!value) { return null; }
  if (!decoded.has(value)) {
    const bytes = typeof value.all === 'string' ? bytesOf(value.all) : [];
    const view = bytes.length && bytes.length % 4 === 0 ? new DataView(bytes.buffer) : null;
    decoded.set(value,
      view ? Float64Array.from({length: bytes.length / 4}, (_, i) => view.getFloat32(4 * i, true))
        : Array.isArray(value.n) && value.d !== 'string' ? value.n.map(one => (
          one === 'Inf' ? Infinity : one === '-Inf' ? -Infinity : Number(one))) : null);
  }
  return decoded.get(value);
}

/** {rms, most}: the root mean square, and the largest absolute element; null if not known. */
function size(value) {
  if (!value || badness(value)) { return null; }
  if (value.st) {
    const [min, max, mean, std] = value.st;
    return typeof mean === 'number' ? {rms: Math.hypot(mean, std),
                                       most: Math.max(Math.abs(min), Math.abs(max))} : null;
  }
  const all = elements(value);
  return all && all.length ? sizeOf(all) : null;
}

function sizeOf(numbers) {
  let most = 0, sum = 0;
  for (const one of numbers) { most = Math.max(most, Math.abs(one)); sum += one * one; }
  return {rms: Math.sqrt(sum / numbers.length), most};
}

/** One number in place of a value: a scalar itself, else how large it is. */
function brief(value) {
  if (!value) { return ''; }
  if (badness(value)) { return badness(value); }
  if (value.n && value.n.length === 1) { return figure(value.n[0]); }
  const found = size(value);
  return found ? `rms ${figure(found.rms)}, at most ${figure(found.most)}` : '';
}

/**
 * b - a: {rms, most, width, cells, exact}. Without all elements it is that of the heat maps, whose
 * cells are means of blocks; null if there is no difference to be known.
 */
function difference(a, b) {
  const [one, two] = [elements(a), elements(b)];
  if (one && two && one.length === two.length) {
    const cells = Float64Array.from(two, (x, i) => x === one[i] ? 0 : x - one[i]);
    return {...sizeOf(cells), cells, width: (b.s || []).slice(-1)[0] || 1, exact: true};
  }
  const [from, to] = [cellsOf(a), cellsOf(b)];
  if (!from || !to || from.length !== to.length) { return null; }
  const cells = to.map((x, i) => x - from[i]);
  return {...sizeOf(cells), cells, width: b.heat[0], exact: false};
}

const percent = part => `${Number((100 * part).toPrecision(3))}%`;

/** How far a difference goes, in words; `of` is the value before. */
function differenceText(found, of) {
  if (!Number.isFinite(found.rms)) { return 'NaN or infinite'; }
  if (!found.most) { return found.exact ? 'equal' : 'about equal'; }
  const before = size(of);
  const part = before && before.rms ? ` (${percent(found.rms / before.rms)} of it)` : '';
  return `${found.exact ? '' : 'about '}rms ${figure(found.rms)}${part}, at most ` +
    figure(found.most);
}

// ---- pictures ----------------------------------------------------------------------------------

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

/** The numbers behind a value's heat map, NaN where it has none; null without one. */
function cellsOf(value) {
  if (!value || !Array.isArray(value.heat)) { return null; }
  const [, low, high, text] = value.heat;
  const [from, to] = [Number(low), Number(high)];
  return Float64Array.from(bytesOf(text), cell => (
    cell === 255 ? NaN : from + (to - from) * cell / 254));
}

/** Blue below zero, orange above it; NaN magenta. Of values of one sign: light to dark. */
function heatMap(width, cells) {
  const height = Math.floor(cells.length / width);
  if (!width || !height || width > 512 || height > 512) { return null; }
  const finite = [...cells].filter(Number.isFinite);
  const [low, high] = finite.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)],
                                    [Infinity, -Infinity]);
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const label = finite.length ? `from ${figure(low)} to ${figure(high)}` : 'without a finite cell';
  return pixels(width, height, `heat map, ${label}`, i => {
    if (!Number.isFinite(cells[i])) { return [255, 0, 200]; }
    const part = cells[i] / most;
    return part < 0 ? [255 + 255 * part, 255 + 141 * part, 255 + 77 * part]
      : [255 - 42 * part, 255 - 161 * part, 255 - 255 * part];
  });
}

const heat = value => heatMap(value.heat[0], cellsOf(value));

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
    .filter(([name, number]) => (number || !['NaN', 'Inf', 'zeros'].includes(name))
      && number !== null);
  return [
    dom('p', {class: 'quiet'}, `${value.d} ${explorer.shapeText(value.s)}`),
    value.n ? numbers(value) : null,
    value.heat && !value.image ? heat(value) : null,
    value.image ? image(value.image) : null,
    value.hist ? histogram(value.hist) : null,
    facts.length ? dom('p', {class: 'figures'}, facts.map(([name, number]) => (
      dom('span', {class: ['NaN', 'Inf'].includes(name) ? 'bad' : ''},
        `${name} ${figure(number)}  `)))) : null,
  ];
}

explorer.values = {figure, badness, size, brief, difference, differenceText, heat, heatMap, whole};
