// A very long drawing is cut where few edges pass, and its pieces are put side by side.

const BETWEEN = 70;             // between columns
const TURN = 46;                // how far an edge goes below and above the columns
const CROSSING = 2;             // edges that may pass a cut

/** Cells above which the drawing may be cut: rank -> the number of edges that pass. */
function passing(rows) {
  return rows.map((row, i) => i ? rows[i - 1].reduce((sum, cell) => sum + cell.down.length, 0) : 0);
}

/** The ranks at which columns begin, about equally high; the first is 0. */
function cuts(rows, levels, number) {
  const edges = passing(rows);
  const height = levels[levels.length - 1].bottom;
  const found = [0];
  for (let k = 1; k < number; k++) {
    const ideal = height * k / number;
    let best;
    levels.forEach((level, rank) => {
      const distance = Math.abs(level.top - ideal) * (edges[rank] > 1 ? 1.4 : 1);
      const possible = rank > found[found.length - 1] + 1 && edges[rank] <= CROSSING;
      if (possible && distance < height / number * 0.45 && (!best || distance < best.distance)) {
        best = {rank, distance};
      }
    });
    if (best) { found.push(best.rank); }
  }
  return found;
}

/** Changes a drawing so that its proportions come near to `wide`: width / height. */
explorer.inColumns = (drawing, boxes, {cells, rows, chains}, wide) => {
  const {levels, places, routes} = drawing;
  const xs = rows.flat().map(cell => cell.x);
  const widest = boxes.reduce((wide, box) => Math.max(wide, box.width), 0);
  const width = Math.max(widest, Math.max(...xs) - Math.min(...xs)) + BETWEEN;
  const height = levels[levels.length - 1].bottom;
  const number = Math.floor(Math.sqrt(wide * height / width));
  if (height < 1600 || number < 2) { return; }
  const starts = cuts(rows, levels, number);
  if (starts.length < 2) { return; }
  const columnOf = rank => starts.filter(start => start <= rank).length - 1;
  const columns = starts.map(start => ({left: Infinity, right: -Infinity, top: levels[start].top}));
  rows.forEach((row, rank) => {
    const column = columns[columnOf(rank)];
    column.bottom = levels[rank].bottom;
    for (const cell of row) {
      const reach = cell.box ? cell.box.width / 2 : 0;
      column.left = Math.min(column.left, cell.x - reach);
      column.right = Math.max(column.right, cell.x + reach);
    }
  });
  let x = 0;
  for (const column of columns) {
    column.dx = x - column.left;
    x += column.right - column.left + BETWEEN;
  }
  places.forEach((place, i) => {
    const column = columns[columnOf(cells[i].rank)];
    place[0] += column.dx;
    place[1] -= column.top;
  });
  routes.forEach((points, i) => {
    routes[i] = folded(points, columns, chains[i].down);
  });
};

/** An edge whose points are in several columns goes down, up between them, and down again. */
function folded(points, columns, down) {
  const ordered = down ? points : [...points].reverse();
  const columnAt = y => {
    let at = 0;
    columns.forEach((column, i) => { if (y >= column.top - 0.5) { at = i; } });
    return at;
  };
  const result = [];
  let before;
  for (const [x, y, way] of ordered) {
    const at = columnAt(y);
    const column = columns[at];
    if (before !== undefined && at !== before) {
      const last = columns[before];
      const between = column.left + column.dx - BETWEEN / 2;
      const low = last.bottom - last.top;
      result.push([between, low, down ? -1 : 1, TURN], [between, 0, down ? -1 : 1, TURN]);
    }
    result.push([x + column.dx, y - column.top, way]);
    before = at;
  }
  return down ? result : result.reverse();
}
