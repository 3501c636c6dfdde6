// The layout of scopes: each open scope is drawn by itself, with its children as boxes; what did
// not change is not drawn again. What is in a scope knows nothing of what is around it: edges from
// outside begin at ports on the scope's border.

const {model} = explorer;
const SIDES = 16;               // between an open scope's border and what is in it
const TITLE = 30;
const PORTS = 10;               // of one scope's border; if more, they become one
const MANY_USES = 8;            // siblings from which on a source or a sink is drawn as stubs
const STUB = 15;                // height of one stub
const BACKWARD = new Set(['gradient', 'optimizer']);
const ASIDE = 70;               // between the middle and the parts next to it

/** Width / height to which long drawings are folded: the screen's. */
function proportion() {
  const {width, height} = explorer.screen;
  return Math.min(2.4, Math.max(0.5, width / Math.max(1, height)));
}

/** The child of `scope` in which an item is. */
function childOf(item, scope) {
  while (item.parent !== scope) { item = item.parent; }
  return item;
}

/** The ports of a scope on one side: Map from the inner child to its port's number. */
function portsOf(scope, side) {
  const crossing = scope[side] || new Map();
  const single = crossing.size > PORTS;
  return new Map([...crossing.keys()].map((child, i) => [child, single ? 0 : i]));
}

/** Offset from a box's middle at which an edge ends there: at a port, if it is an open scope. */
function portX(child, side, inner) {
  if (!child.open || !child.layout) { return undefined; }
  const {ports, portPlaces} = child.layout[side];
  const port = ports.get(childOf(inner, child));
  return port === undefined ? undefined : portPlaces[port] - child.layout.width / 2;
}

/** Bundles of edges with the same ends: [{a, b, fromX, toX, edges}]. */
function bundled(pairs) {
  const found = new Map();
  for (const {edge, a, b} of pairs) {
    const fromX = portX(a, 'outgoing', edge.a);
    const toX = portX(b, 'incoming', edge.b);
    const key = `${a.id} ${fromX} ${b.id} ${toX}`;
    if (!found.has(key)) { found.set(key, {a, b, fromX, toX, edges: []}); }
    found.get(key).edges.push(edge);
  }
  return [...found.values()];
}

/** Takes out the edges of what very many siblings use, or wait for: these become stubs. */
function withoutStubs(bundles, stubs) {
  const count = side => {
    const found = new Map();
    for (const bundle of bundles) {
      if (!found.has(bundle[side])) { found.set(bundle[side], new Set()); }
      found.get(bundle[side]).add(bundle[side === 'a' ? 'b' : 'a']);
    }
    return item => found.has(item) ? found.get(item).size : 0;
  };
  const outs = count('a');
  const ins = count('b');
  return bundles.filter(({a, b}) => {
    const source = !a.open && !ins(a) && outs(a) > MANY_USES;
    const sink = !b.open && !outs(b) && ins(b) > MANY_USES * 2;
    if (source) { addStub(stubs, b, a, 'in'); } else if (sink) { addStub(stubs, a, b, 'out'); }
    return !source && !sink;
  });
}

function addStub(stubs, user, item, way) {
  if (!stubs.has(user)) { stubs.set(user, new Map()); }
  stubs.get(user).set(item, way);
}

/** Stubs of each child: from hubs anywhere, for closed items. */
function hubStubs(children) {
  const stubs = new Map();
  for (const child of children) {
    if (child.open || !child.hubs) { continue; }
    for (const hub of child.hubs) { addStub(stubs, child, hub, 'in'); }
  }
  return stubs;
}

function stubList(stubs) {
  const list = [...(stubs || [])].map(([item, way]) => (
    {item, way, text: explorer.short(item.label, 22)}));
  const shown = list.length > 4 ? list.slice(0, 3) : list;
  if (list.length > 4) { shown.push({text: `${list.length - 3} more`, way: 'in'}); }
  const width = Math.max(0, ...shown.map(stub => explorer.textWidth(stub.text, 'quiet')));
  return {list: shown, width: shown.length ? width + 24 : 0, height: shown.length * STUB};
}

const sizeOf = child => child.open ? layout(child) : explorer.leafSize(child);

/** Draws some children of a scope with the edges between them, and ports if asked for. */
function drawn(scope, children, bundles, stubs, {ports, upwards}) {
  const boxes = [];
  const index = new Map();
  for (const child of children) {
    const {width, height} = sizeOf(child);
    const {width: room, height: high} = stubs.get(child) || {width: 0, height: 0};
    index.set(child, boxes.length);
    // The stubs are on the left; edges end at the middle of the rest.
    boxes.push({width: width + room, height: Math.max(height, high), anchor: room / 2});
  }
  const edges = bundles.map(({a, b, fromX, toX}) => (
    {from: index.get(a), to: index.get(b), fromX, toX}));
  const places = {};
  for (const side of ports ? ['incoming', 'outgoing'] : []) {
    places[side] = [];
    const made = new Map();
    for (const [child, port] of portsOf(scope, side)) {
      if (!index.has(child)) { continue; }
      if (places[side][port] === undefined) {
        places[side][port] = boxes.length;
        boxes.push({width: 0, height: 0, end: side === 'incoming' ? 'in' : 'out'});
      }
      for (const edge of scope[side].get(child)) {
        const x = portX(child, side, side === 'incoming' ? edge.b : edge.a);
        const key = `${port} ${child.id} ${x}`;
        if (!made.has(key)) {
          const ends = side === 'incoming'
            ? {from: places[side][port], to: index.get(child), toX: x}
            : {from: index.get(child), to: places[side][port], fromX: x};
          made.set(key, {...ends, port: side, end: child, edges: []});
          edges.push(made.get(key));
        }
        made.get(key).edges.push(edge);
      }
    }
  }
  const drawing = explorer.layered(boxes, edges,
                                   {columns: proportion()});
  return {...(upwards ? mirrored(drawing, boxes) : drawing), boxes, edges, portBoxes: places};
}

/** Width, height, and where the children, edges and ports of an open scope are. */
function layout(scope) {
  if (scope.layout) { return scope.layout; }
  const children = scope.children.filter(child => !child.host);
  children.forEach((child, i) => { child.id = i; sizeOf(child); });
  const shown = new Set(children);
  const stubs = hubStubs(children);
  const bundles = withoutStubs(bundled((scope.edges || []).filter(
    ({a, b}) => shown.has(a) && shown.has(b))), stubs);
  const stubLists = new Map([...stubs].map(([child, list]) => [child, stubList(list)]));
  const side = child => explorer.sidePart(child, scope);
  const groups = [children.filter(child => !side(child)),
                  children.filter(child => BACKWARD.has(side(child))),
                  children.filter(child => side(child) && !BACKWARD.has(side(child)))]
    .filter(group => group.length);
  const result = {children, routes: [], width: 0, height: 0,
                  incoming: {ports: portsOf(scope, 'incoming'), portPlaces: []},
                  outgoing: {ports: portsOf(scope, 'outgoing'), portPlaces: []}};
  const isRoot = scope === model.root;
  const [dx, dy] = isRoot ? [0, 0] : [SIDES, TITLE];
  let left = dx;
  let right = dx;
  const drawings = groups.map(group => {
    const members = new Set(group);
    const own = bundles.filter(({a, b}) => members.has(a) && members.has(b));
    const upwards = BACKWARD.has(scope.part) || BACKWARD.has(side(group[0]));
    return {own, upwards, ...drawn(scope, group, own, stubLists, {ports: !isRoot, upwards})};
  });
  const height = Math.max(...drawings.map(drawing => drawing.height), 0);
  groups.forEach((group, number) => {
    const drawing = drawings[number];
    const {own, upwards} = drawing;
    const before = drawings[number - 1];
    const above = before && before.upwards && !upwards &&
      before.height + drawing.height + ASIDE / 2 <= height;
    if (before && !above) { left = right + ASIDE; }
    right = Math.max(right, left + drawing.width);
    // What flows upwards begins next to the end of what flows downwards.
    const top = dy + (upwards ? height - drawing.height : 0);
    group.forEach((child, i) => {
      const [x, y] = drawing.places[i];
      const {width, height} = sizeOf(child);
      const box = drawing.boxes[i];
      child.box = {x: left + x + box.width - width, y: top + y + (box.height - height) / 2,
                   width, height, stubs: (stubLists.get(child) || {list: []}).list};
    });
    drawing.routes.forEach((points, i) => {
      const bundle = own[i];
      const {edges, port, end} = bundle || drawing.edges[i];
      const moved = points.map(([x, y, ...more]) => [left + x, top + y, ...more]);
      if (port) { toBorder(moved, port, upwards, dy, height); }
      result.routes.push({points: moved, port, edges,
                          arrow: port ? port === 'incoming' && !end.open : !bundle.b.open});
    });
    for (const side of Object.keys(drawing.portBoxes)) {
      drawing.portBoxes[side].forEach((box, port) => {
        result[side].portPlaces[port] = left + drawing.places[box][0];
      });
    }
  });
  result.width = right + dx;
  result.height = height + dy + (isRoot ? 0 : SIDES);
  if (!isRoot) {
    result.width = Math.max(result.width, explorer.textWidth(explorer.title(scope), 'title') + 60);
  }
  scope.layout = result;
  return result;
}

/** Lengthens the edge of a port to the scope's border. */
function toBorder(points, port, upwards, dy, height) {
  const y = (port === 'incoming') === !upwards ? 0 : height + dy + SIDES;
  const way = upwards ? -1 : 1;
  if (port === 'incoming') { points.unshift([points[0][0], y, way]); }
  else { points.push([points[points.length - 1][0], y, way]); }
}

/** A drawing upside down: gradients flow from the loss at the bottom to the top. */
function mirrored(drawing, boxes) {
  const {height} = drawing;
  return {...drawing,
          places: drawing.places.map(([x, y], i) => [x, height - y - boxes[i].height]),
          routes: drawing.routes.map(points => points.map(
            ([x, y, way, ...more]) => [x, height - y, -way, ...more]))};
}

/** Forgets the layout of a scope and of all around it. */
explorer.outdated = item => {
  for (let at = item; at; at = at.parent) { at.layout = undefined; }
};

/** Lays out what is not laid out yet; the whole picture's size. */
explorer.layout = () => layout(model.root);
