// A layered drawing, second half: coordinates of the boxes, and the routes of the edges.

const GAP = 26;                 // between boxes of a row
const WAY = 14;                 // between an edge that passes and its neighbours
const ROWS = 38;                // between rows

const anchor = cell => cell.box.anchor || 0;    // where edges end, from the box's middle
const half = cell => cell.box ? cell.box.width / 2 : 0;
const apart = (a, b) => half(a) + half(b) + (a.box && b.box ? (a.box.end ? WAY : GAP) : WAY);

/**
 * Places that keep the row's order and distances and are nearest to what the cells wish for:
 * neighbours that get too near are merged into a block, at the mean of their wishes.
 */
function settle(row) {
  const blocks = [];
  let offset = 0;
  row.forEach((cell, i) => {
    offset += i ? apart(row[i - 1], cell) : 0;
    let block = {sum: cell.weight * (cell.wish - offset), weight: cell.weight,
                 cells: [[cell, offset]]};
    while (blocks.length) {
      const last = blocks[blocks.length - 1];
      if (last.sum / last.weight <= block.sum / block.weight) { break; }
      block = {sum: last.sum + block.sum, weight: last.weight + block.weight,
               cells: last.cells.concat(block.cells)};
      blocks.pop();
    }
    blocks.push(block);
  });
  for (const block of blocks) {
    for (const [cell, from] of block.cells) { cell.x = block.sum / block.weight + from; }
  }
}

/** Rows settle below and above their neighbours in turn; passing edges insist on being straight. */
function across(rows, ends) {
  for (const row of rows) {
    let x = 0;
    row.forEach((cell, i) => { x += i ? apart(row[i - 1], cell) : 0; cell.x = x; });
  }
  const wishes = (cell, side) => {
    let sum = 0;
    let weight = 0;
    for (const [other, here, there, strength] of ends.get(cell)[side]) {
      sum += strength * (other.x + there - here);
      weight += strength;
    }
    return [sum, weight];
  };
  for (let round = 0; round < 12; round++) {
    const down = round % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const cell of row) {
        const [first, heavy] = wishes(cell, down ? 'up' : 'down');
        const [second, light] = round < 8 ? [0, 0] : wishes(cell, down ? 'down' : 'up');
        const weight = heavy + light * 0.5;
        cell.wish = weight ? (first + second * 0.5) / weight : cell.x;
        cell.weight = weight || 0.05;
      }
      settle(row);
    }
  }
}

/** For each cell and side: [[other cell, own offset, its offset, strength], ...]. */
function endsOf({rows, chains}, edges) {
  const found = new Map();
  for (const row of rows) { for (const cell of row) { found.set(cell, {up: [], down: []}); } }
  chains.forEach(({chain, down}, i) => {
    const {fromX = 0, toX = 0} = edges[i];
    const ends = down ? [fromX, toX] : [toX, fromX];
    const [top, bottom] = [anchor(chain[0]) + ends[0], anchor(chain[chain.length - 1]) + ends[1]];
    for (let k = 1; k < chain.length; k++) {
      const [a, b] = [chain[k - 1], chain[k]];
      if (a.rank === b.rank) { continue; }
      const here = k === 1 ? top : 0;
      const there = k === chain.length - 1 ? bottom : 0;
      const strength = (a.box ? 1 : 3) * (b.box ? 1 : 3);
      found.get(a).down.push([b, here, there, strength]);
      found.get(b).up.push([a, there, here, strength]);
    }
  });
  return found;
}

/** The y of each row's top and bottom; rows with many slanted edges between them get more room. */
function downwards(rows) {
  let y = 0;
  return rows.map((row, i) => {
    const height = row.reduce((high, cell) => Math.max(high, cell.box ? cell.box.height : 0), 0);
    const top = y;
    const next = rows[i + 1] || [];
    const ports = [row, next].some(each => each.every(({box}) => !box || box.end));
    const edges = row.reduce((sum, cell) => sum + cell.down.length, 0);
    y += height + (ports ? ROWS * 0.6 : ROWS) + Math.min(60, Math.max(0, edges - 6) * 1.5);
    return {top, bottom: top + height, middle: top + height / 2};
  });
}

/** Edges at the same border of a box end next to each other, in the order of their ways. */
function spread(chains, edges) {
  const sides = new Map();
  chains.forEach(({chain, down}, i) => {
    for (const at of [0, chain.length - 1]) {
      const cell = chain[at];
      const isFrom = (at === 0) === down;
      if (edges[i][isFrom ? 'fromX' : 'toX'] !== undefined || cell.box.end) { continue; }
      if (!sides.has(cell)) { sides.set(cell, [[], []]); }
      sides.get(cell)[at ? 0 : 1].push({i, at, x: chain[at ? at - 1 : 1].x});
    }
  });
  const offsets = new Map();            // 'edge:end' -> offset
  for (const [cell, both] of sides) {
    for (const side of both) {
      side.sort((a, b) => a.x - b.x);
      const width = cell.box.width - 2 * anchor(cell);
      const step = Math.min(16, width * 0.7 / side.length);
      side.forEach(({i, at}, k) => {
        offsets.set(`${i}:${at ? 1 : 0}`, (k - (side.length - 1) / 2) * step);
      });
    }
  }
  return offsets;
}

/** Points [x, y, direction] of an edge, direction 1 downwards; from its source to its target. */
function route({chain, down}, i, edge, levels, offsets) {
  const points = [];
  const {fromX, toX} = edge;
  chain.forEach((cell, at) => {
    const last = at === chain.length - 1;
    const level = levels[cell.rank];
    if (!cell.box) { points.push([cell.x, level.top, 1], [cell.x, level.bottom, 1]); return; }
    const given = (at === 0) === down ? fromX : toX;
    const x = cell.x + anchor(cell) +
      (given !== undefined ? given : offsets.get(`${i}:${last ? 1 : 0}`) || 0);
    if (!last) { points.push([x, level.middle + cell.box.height / 2, 1], [x, level.bottom, 1]); }
    else { points.push([x, level.top, 1], [x, level.middle - cell.box.height / 2, 1]); }
  });
  if (chain[0].rank === chain[chain.length - 1].rank) {         // a loop next to one row
    return points.map(([x, y], k) => [x, y, k < points.length / 2 ? 1 : -1]);
  }
  return down ? points : points.reverse().map(([x, y]) => [x, y, -1]);
}

/**
 * Where boxes ({width, height, anchor, end: 'in' or 'out' if it is a port}) and edges ({from, to:
 * indexes, fromX, toX: offsets from the boxes' middles}) are drawn: {width, height,
 * places: [[x, y] of the upper left corners], routes: [[points] of each edge]}.
 */
explorer.layered = (boxes, edges, options = {}) => {
  if (!boxes.length) { return {width: 0, height: 0, places: [], routes: []}; }
  const made = explorer.layers(boxes, edges);
  across(made.rows, endsOf(made, edges));
  const levels = downwards(made.rows);
  const offsets = spread(made.chains, edges);
  const routes = made.chains.map((chain, i) => route(chain, i, edges[i], levels, offsets));
  const places = made.cells.map(cell => [cell.x - half(cell),
                                         levels[cell.rank].middle - cell.box.height / 2]);
  const drawing = {places, routes, levels, rows: made.rows};
  if (options.columns) { explorer.inColumns(drawing, boxes, made, options.columns); }
  return moved(drawing, boxes);
};

/** The drawing with its upper left corner at (0, 0), and its size. */
function moved({places, routes}, boxes) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  places.forEach(([x, y], i) => {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + boxes[i].width);
    bottom = Math.max(bottom, y + boxes[i].height);
  });
  for (const points of routes) {
    for (const [x, y, , turn = 0] of points) {       // a turn reaches above and below its ends
      left = Math.min(left, x); right = Math.max(right, x);
      top = Math.min(top, y - turn * 0.75); bottom = Math.max(bottom, y + turn * 0.75);
    }
  }
  return {width: right - left, height: bottom - top,
          places: places.map(([x, y]) => [x - left, y - top]),
          routes: routes.map(points => points.map(
            ([x, y, ...more]) => [x - left, y - top, ...more]))};
}
