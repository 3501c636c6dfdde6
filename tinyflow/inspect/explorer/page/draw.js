// Draws the picture: elements of items are kept and moved, edges are made anew.

const {model, svg} = explorer;
const ANIMATED = 600;           // items; more are not animated
const FAST = 220;               // milliseconds of an animation; style.css has the same
const drawn = new Map();        // item -> {element, box, open}
const layers = {};
let shownItems = [];            // visible items, with their places: [{item, x, y, width, height}]
let shownEdges = [];            // [{element, a, b, edges, kind}]

const calm = window.matchMedia('(prefers-reduced-motion: reduce)');
explorer.still = () => calm.matches;

/** All visible items with absolute places, outer ones first, and the routes of all open scopes. */
function collect() {
  explorer.layout();
  const items = [];
  const routes = [];
  const todo = [[model.root, 0, 0]];
  while (todo.length) {
    const [scope, x, y] = todo.pop();
    for (const child of scope.layout.children) {
      const {box} = child;
      const place = {item: child, x: x + box.x, y: y + box.y, width: box.width, height: box.height};
      items.push(place);
      if (child.open) { todo.push([child, place.x, place.y]); }
    }
    for (const each of scope.layout.routes) { routes.push({...each, dx: x, dy: y}); }
  }
  items.sort((a, b) => a.item.depth - b.item.depth || a.y - b.y || a.x - b.x);
  return {items, routes};
}

// ---- items -----------------------------------------------------------------------------------

const r = Math.round;
const lid = height => Math.min(7, height / 4);
const SHAPES = {
  placeholder: (w, h) => svg('path', {d: `M10 0H${w}L${w - 10} ${h}H0Z`}),
  variable: (w, h) => svg('path', {d:
    `M0 ${lid(h)}A${w / 2} ${lid(h)} 0 0 1 ${w} ${lid(h)}V${h - lid(h)}` +
    `A${w / 2} ${lid(h)} 0 0 1 0 ${h - lid(h)}Z` +
    `M${w} ${lid(h)}A${w / 2} ${lid(h)} 0 0 1 0 ${lid(h)}`}),
  constant: (w, h) => svg('rect', {width: w, height: h, rx: h / 2}),
  op: (w, h) => svg('rect', {width: w, height: h, rx: 5}),
  layer: (w, h) => svg('rect', {width: w, height: h, rx: 7}),
  function: (w, h) => svg('path', {d: `M8 0H${w - 8}L${w} ${h / 2}L${w - 8} ${h}H8L0 ${h / 2}Z`}),
  scope: (w, h) => svg('path', {d: `M4 0H${w - 4}Q${w} 0 ${w} 4V${h - 4}Q${w} ${h} ${w - 4} ${h}` +
                                   `H4Q0 ${h} 0 ${h - 4}V4Q0 0 4 0Z`}),
};
const shapeOf = (look, w, h) => (SHAPES[look] || SHAPES.scope)(w, h);

explorer.shape = (look, w, h) => {
  const shape = shapeOf(['gradient', 'optimizer', 'init'].includes(look) ? 'op' : look, w, h);
  shape.setAttribute('class', 'shape');
  return shape;
};

function closedItem(item, {width: w, height: h, stubs}) {
  const {lines, look} = item.size;
  const toggle = item.children.length && look !== 'variable';
  const parts = [];
  if (look === 'repeat' || look === 'variable' && item.own !== undefined) {
    for (const i of item.group === 'repeat' ? [2, 1] : [1]) {
      const behind = shapeOf(look, w, h);
      behind.setAttribute('transform', `translate(${4 * i} ${-4 * i})`);
      behind.setAttribute('class', 'shape behind');
      parts.push(behind);
    }
  }
  const shape = shapeOf(look, w, h);
  shape.setAttribute('class', 'shape');
  parts.push(shape);
  const text = lines.reduce((sum, line) => sum + line.height, 0);
  let y = (h - text) / 2 + (look === 'variable' ? 5 : 0);
  for (const line of lines) {
    y += line.height;
    parts.push(svg('text', {class: line.kind, x: w / 2 - (toggle ? 8 : 0), y: y - 4.5}, line.text));
  }
  if (toggle) {
    const x = w - (look === 'placeholder' ? 19 : 13);
    parts.push(svg('text', {class: 'toggle', x, y: h / 2 + 5}, '+'));
  }
  stubs.forEach(({item: hub, text, way}, i) => {
    const at = h / 2 + (i - (stubs.length - 1) / 2) * 15;
    const width = explorer.textWidth(text, 'quiet') + 8;
    const stub = svg('g', {class: 'stub', transform: `translate(${r(-width - 14)} ${r(at)})`},
      svg('rect', {y: -7, width, height: 14, rx: 7}),
      svg('text', {class: 'quiet', x: width / 2, y: 4}, text),
      svg('path', {class: 'edge', d: `M${width} 0h14`,
                   'marker-end': way === 'in' ? 'url(#arrow)' : undefined,
                   'marker-start': way === 'out' ? 'url(#arrow)' : undefined}));
    stub.stubOf = hub;
    parts.push(stub);
  });
  return parts;
}

function openItem(item, {width, height}) {
  const body = svg('rect', {class: 'shape', rx: 7});
  Object.assign(body.style, {width: `${r(width)}px`, height: `${r(height)}px`});
  return [body, svg('text', {class: 'title head', x: 12, y: 19}, explorer.title(item)),
          svg('text', {class: 'toggle', x: width - 16, y: 19}, '−')];
}

const nodeOf = item => model.nodes[item.node !== undefined ? item.node : item.own];

function classes(item) {
  const node = nodeOf(item);
  return ['item', item.open ? 'open' : 'closed', explorer.look(item),
          `part-${item.part || 'forward'}`,
          ...(node && node.m ? [`mark-${node.m}`] : [])].join(' ');
}

/** What a screen reader says of an item. */
function spoken(item) {
  const node = nodeOf(item);
  const what = item.open ? 'open scope' : item.children.length && !node ? 'scope'
    : node ? node.o : 'scope';
  const lines = item.open ? [explorer.title(item)] : item.size.lines.map(line => line.text);
  const count = item.children.length ? `, ${explorer.count(item.count, 'node')}` : '';
  return `${lines.join(', ')}, ${what}${count}${item.part ? ', ' + item.part : ''}`;
}

function makeElement(place) {
  const {item} = place;
  const element = svg('g', {
    role: 'treeitem', tabindex: '-1', 'aria-level': item.depth, 'aria-label': spoken(item),
    'aria-expanded': item.children.length ? String(item.open) : undefined, class: classes(item),
    'data-name': explorer.short(item.name, 200),
  }, ...(item.open ? openItem(item, place) : closedItem(item, {...place, stubs: item.box.stubs})));
  element.item = item;
  return element;
}

const moveTo = (element, x, y) => { element.style.transform = `translate(${r(x)}px, ${r(y)}px)`; };

/** A new item comes out of the place where the nearest thing was that held it. */
function origin(item, before) {
  for (let at = item; at; at = at.parent) { if (before.has(at)) { return before.get(at); } }
  return null;
}

function drawItems(places, animated) {
  const before = new Map([...drawn].map(([item, {box}]) => [item, box]));
  const kept = new Set(places.map(({item}) => item));
  for (const [item, {element}] of drawn) {
    if (!kept.has(item)) { element.remove(); drawn.delete(item); }
  }
  const fresh = [];
  for (const place of places) {
    const {item} = place;
    const look = `${item.open} ${item.box.width} ${item.box.height} ${item.box.stubs.length}`;
    let known = drawn.get(item);
    if (!known || known.look !== look) {
      const element = makeElement(place);
      if (known) { known.element.remove(); }
      layers[item.open ? 'boxes' : 'items'].append(element);
      const from = animated && origin(item, before);
      if (from) {
        moveTo(element, from.x, from.y);
        if (!known) { element.style.opacity = 0; }
        if (item.open) { element.firstChild.style.width = `${r(from.width)}px`;
                         element.firstChild.style.height = `${r(from.height)}px`; }
        fresh.push([element, place]);
      } else { moveTo(element, place.x, place.y); }
      known = {element, look};
      drawn.set(item, known);
    } else { fresh.push([known.element, place]); }
    known.box = place;
  }
  if (animated) { void layers.items.getBoundingClientRect(); }  // the animation begins from here
  for (const [element, {item, x, y, width, height}] of fresh) {
    moveTo(element, x, y);
    element.style.opacity = '';
    if (item.open) { Object.assign(element.firstChild.style,
                                   {width: `${r(width)}px`, height: `${r(height)}px`}); }
  }
}

// ---- edges -----------------------------------------------------------------------------------

/** A smooth line through points [x, y, direction of travel, reach of the turn]. */
function path(points, dx, dy) {
  let [x, y, way] = points[0];
  let text = `M${r(x + dx)} ${r(y + dy)}`;
  points.slice(1).forEach(([nextX, nextY, nextWay, turn], i) => {
    if (Math.abs(nextX - x) < 0.6 && Math.abs(nextY - y) < 0.6) { return; }
    if (Math.abs(nextX - x) < 0.6 && way === nextWay) { text += `V${r(nextY + dy)}`; }
    else {
      const reach = way === nextWay ? Math.abs(nextY - y) * 0.55 : turn || points[i][3] || 34;
      text += `C${r(x + dx)} ${r(y + dy + way * reach)} ${r(nextX + dx)} ` +
        `${r(nextY + dy - nextWay * reach)} ${r(nextX + dx)} ${r(nextY + dy)}`;
    }
    [x, y, way] = [nextX, nextY, nextWay];
  });
  return text;
}

function drawEdges(routes) {
  layers.edges.replaceChildren();
  layers.labels.replaceChildren();
  shownEdges = [];
  const labels = [];
  for (const route of routes) {
    const {points, dx, dy, edges, port} = route;
    const {control, count} = explorer.edgeFacts(edges);
    const element = svg('path', {
      class: `edge ${control ? 'control' : ''}`, d: path(points, dx, dy),
      'marker-end': route.arrow ? 'url(#arrow)' : undefined,
      'stroke-width': Math.min(4, 1.2 + Math.log2(Math.max(1, count)) * 0.5),
    });
    layers.edges.append(element);
    shownEdges.push({element, route});
    if (!port && points.length > 1) { labels.push(route); }
  }
  drawLabels(labels);
}

/** Labels of edges, where they hide no other label. */
function drawLabels(routes) {
  const taken = new Map();              // y / 16 -> [[left, right]]
  for (const {points, dx, dy, edges} of routes) {
    const text = explorer.short(explorer.edgeFacts(edges).label, 24);
    if (!text) { continue; }
    const k = points.findIndex((point, i) => i && point[1] - points[i - 1][1] > 18);
    if (k < 1) { continue; }
    const x = (points[k - 1][0] + points[k][0]) / 2 + dx + 6;
    const y = (points[k - 1][1] + points[k][1]) / 2 + dy + 4;
    const [left, right] = [x - 4, x + explorer.textWidth(text, 'quiet') + 4];
    const lines = [Math.floor(y / 16) - 1, Math.floor(y / 16), Math.floor(y / 16) + 1];
    const blocked = lines.some(line => (taken.get(line) || []).some(
      ([from, to]) => left < to && from < right));
    if (blocked) { continue; }
    const line = lines[1];
    taken.set(line, [...(taken.get(line) || []), [left, right]]);
    layers.labels.append(svg('text', {class: 'label', x: r(x), y: r(y)}, text));
  }
}

// ---- the whole ---------------------------------------------------------------------------------

/** Draws the picture as the scopes are open now. */
explorer.draw = (options = {}) => {
  const {items, routes} = collect();
  const animated = options.animated && !explorer.still() && items.length < ANIMATED;
  layers.world.classList.toggle('moving', Boolean(animated));
  shownItems = items;
  drawItems(items, animated);
  drawEdges(routes);
  explorer.emit('drawn', {animated, duration: FAST});
};

explorer.picture = {
  /** Makes the picture's layers in an <svg>. */
  start(element) {
    for (const name of ['boxes', 'edges', 'across', 'items', 'labels']) {
      const isTree = name === 'boxes' || name === 'items';
      layers[name] = svg('g', {class: name, role: 'presentation',
                               'aria-hidden': isTree ? undefined : 'true'});
    }
    layers.world = svg('g', {id: 'world', role: 'presentation'}, layers.boxes, layers.edges,
                       layers.across, layers.items, layers.labels);
    element.append(layers.world);
  },
  layers,
  items: () => shownItems,
  edges: () => shownEdges,
  /** The place of a visible item: {item, x, y, width, height}. */
  box: item => (drawn.get(item) || {}).box,
  element: item => (drawn.get(item) || {}).element,
  path,
};
