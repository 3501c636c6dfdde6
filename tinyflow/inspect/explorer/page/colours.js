// Colours of items: by kind of node, or by what the reader chooses; and badges.

const {model, picture, svg, dom, get} = explorer;
const MORE = 6;                 // colours in one scope's stripe
const choices = new Map();      // id -> {title, make() -> {colour, legend} or null}
let chosen = 'kind';
let colour = null;              // item -> CSS colour, or node -> CSS colour
let badges = new Map();         // node -> text
let stripes = new Map();        // item -> [[colour, part of the nodes]]

/** Parts of an item's nodes that have each colour, most frequent first. */
function stripe(item) {
  if (!stripes.has(item)) {
    const counts = new Map();
    let total = 0;
    for (const index of model.nodesIn(item)) {
      const one = colour.get(index);
      if (one) { counts.set(one, (counts.get(one) || 0) + 1); total++; }
    }
    stripes.set(item, [...counts].sort((a, b) => b[1] - a[1]).slice(0, MORE)
      .map(([one, count]) => [one, count / total]));
  }
  return stripes.get(item);
}

function paint() {
  for (const {item, width, height} of picture.items()) {
    const element = picture.element(item);
    for (const old of element.querySelectorAll('.stripe, .badge')) { old.remove(); }
    const shape = element.querySelector('.shape:not(.behind)');
    shape.style.fill = '';
    element.classList.toggle('coloured', false);
    if (colour && !item.open) {
      if (typeof colour === 'function') { fill(element, shape, colour(item)); }
      else { paintStripe(element, shape, stripe(item), width, height); }
    }
    paintBadge(element, item, width);
  }
}

function fill(element, shape, one) {
  if (!one) { return; }
  shape.style.fill = one;
  element.classList.add('coloured');
}

function paintStripe(element, shape, parts, width, height) {
  if (parts.length === 1) { fill(element, shape, parts[0][0]); return; }
  let x = 6;
  for (const [one, part] of parts) {
    const wide = part * (width - 12);
    const rect = svg('rect', {class: 'stripe', x, y: height - 5, width: wide, height: 4});
    rect.style.fill = one;
    element.append(rect);
    x += wide;
  }
}

function paintBadge(element, item, width) {
  if (!badges.size) { return; }
  const marked = item.open ? [] : model.nodesIn(item).filter(index => badges.has(index));
  const texts = marked.map(index => badges.get(index));
  if (!texts.length) { return; }
  const begins = texts.find(text => / begins$/.test(text));
  const bad = texts.find(text => text === 'NaN' || text === 'Inf');
  const same = texts.every(text => text === texts[0]);
  const text = begins || (same || bad ? explorer.short(bad || texts[0], 14) : '');
  if (!text) { return; }        // several values: the scope's nodes have their own
  const wide = explorer.textWidth(text, 'quiet') + 10;
  element.append(svg('g', {class: 'badge', transform: `translate(${width - wide / 2} -3)`},
    svg('rect', {x: -wide / 2, y: -8, width: wide, height: 16, rx: 8}),
    svg('text', {y: 4}, text)));
}

/** `colours`: Map from node to CSS colour, or f(item) -> colour; `legend`: [[colour, text]]. */
explorer.colour = (colours, legend = []) => {
  colour = colours;
  stripes = new Map();
  get('legend').replaceChildren(...legend.map(([one, text]) => {
    const sample = dom('i', {});
    sample.style.background = one;
    return dom('li', {}, sample, explorer.short(text, 40));
  }));
  get('legend').hidden = !legend.length;
  paint();
};

/** `marks`: Map from node to a short text, shown as a badge. */
explorer.mark = marks => { badges = new Map(marks); paint(); };

/** Adds a way of colouring to the list; make() -> [colours, legend], or null if there is none. */
explorer.colours = {
  add(id, title, make) { choices.set(id, {title, make}); },
  list() {
    get('colours').replaceChildren(...[...choices].filter(([, {make}]) => make()).map(
      ([id, {title}]) => dom('option', {value: id, selected: id === chosen}, title)));
  },
  use(id) {
    chosen = choices.has(id) ? id : 'kind';
    get('colours').value = chosen;
    const [colours, legend] = choices.get(chosen).make() || [null, []];
    explorer.colour(colours, legend);
  },
};
get('colours').addEventListener('change', event => {
  explorer.colours.use(event.target.value);
  // The overview has a list of the nodes that take most.
  if (['time', 'memory'].includes(event.target.value)) {
    explorer.select(null);
    explorer.panels.choose('node');
  }
});
explorer.on('drawn', paint);

// ---- the ways of colouring ----------------------------------------------------------------------

/** One colour for each different text, most frequent first. */
function byText(textOf) {
  const counts = new Map();
  model.nodes.forEach(node => {
    const text = textOf(node);
    if (text) { counts.set(text, (counts.get(text) || 0) + 1); }
  });
  if (!counts.size) { return null; }
  const texts = [...counts].sort((a, b) => b[1] - a[1]).map(([text]) => text);
  const last = explorer.COLOURS.length - 1;
  const of = new Map(texts.map((text, i) => [text, explorer.COLOURS[Math.min(i, last)]]));
  const colours = new Map();
  model.nodes.forEach((node, i) => { const text = textOf(node);
                                     if (text) { colours.set(i, of.get(text)); } });
  const legend = texts.slice(0, last).map(text => [of.get(text), text]);
  const others = texts.length - last;
  if (others > 0) { legend.push([explorer.COLOURS[last], `${others} others`]); }
  return [colours, legend];
}

/** From light to dark: how large a figure is, of the largest that is shown; scopes have sums. */
function byFigure(figures, text) {
  const known = Object.entries(figures || {});
  if (!known.length) { return null; }
  const of = new Map(known.map(([index, figure]) => [Number(index), figure]));
  const sums = new Map();
  const sum = item => {
    if (!sums.has(item)) {
      sums.set(item, model.nodesIn(item).reduce((all, index) => all + (of.get(index) || 0), 0));
    }
    return sums.get(item);
  };
  const total = sum(model.root) || 1;
  const heat = part => `hsl(${48 - 34 * part} ${70 + 25 * part}% ${93 - 42 * part}%)`;
  const colours = item => sum(item) ? heat(Math.sqrt(sum(item) / total)) : '';
  return [colours, [[heat(0.1), '1% of ' + text(total)], [heat(0.5), '25%'], [heat(1), 'all']]];
}

const run = () => (explorer.document.runs || [])[explorer.state.run] || {};
const {add} = explorer.colours;
add('kind', 'kind', () => [null, []]);
add('device', 'device', () => byText(node => node.d));
add('dtype', 'dtype', () => byText(node => node.t && node.t[0] ? node.t[0][0] : ''));
add('time', 'time', () => byFigure(run().seconds, explorer.secondsText));
add('memory', 'memory', () => byFigure(run().bytes, explorer.bytesText));

explorer.secondsText = seconds => seconds >= 1 ? `${seconds.toPrecision(3)} s`
  : seconds >= 1e-3 ? `${(seconds * 1e3).toPrecision(3)} ms`
    : `${(seconds * 1e6).toPrecision(3)} µs`;
explorer.bytesText = bytes => bytes >= 1e6 ? `${(bytes / 1e6).toPrecision(3)} MB`
  : bytes >= 1e3 ? `${(bytes / 1e3).toPrecision(3)} kB` : `${bytes} bytes`;
