// A layered drawing, first half: which rank (row) each box is in, and their order within the rows.

/** Calls to f(from, to, edge) in which no cycle is left: edges that close one are turned round. */
function withoutCycles(count, edges) {
  const next = Array.from({length: count}, () => []);
  edges.forEach((edge, i) => next[edge.from].push(i));
  const state = new Uint8Array(count);  // 1: on the way down from the start, 2: done
  const turned = new Uint8Array(edges.length);
  for (let start = 0; start < count; start++) {
    if (state[start]) { continue; }
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const i = next[top[0]][top[1]++];
      if (i === undefined) { state[top[0]] = 2; stack.pop(); continue; }
      const {to} = edges[i];
      if (state[to] === 1) { turned[i] = 1; }
      else if (!state[to]) { state[to] = 1; stack.push([to, 0]); }
    }
  }
  return edges.map((edge, i) => turned[i] ? [edge.to, edge.from] : [edge.from, edge.to])
    .filter(([from, to]) => from !== to);
}

/** The rank of each of `count` boxes: below all that lead to it, edges short. */
function ranksOf(count, edges) {
  const pairs = withoutCycles(count, edges);
  const rank = new Int32Array(count);
  const next = Array.from({length: count}, () => []);
  const before = Array.from({length: count}, () => []);
  for (const [from, to] of pairs) { next[from].push(to); before[to].push(from); }
  const waiting = before.map(list => list.length);
  const order = [];
  waiting.forEach((number, i) => { if (!number) { order.push(i); } });
  for (let i = 0; i < order.length; i++) {
    for (const to of next[order[i]]) {
      rank[to] = Math.max(rank[to], rank[order[i]] + 1);
      if (!--waiting[to]) { order.push(to); }
    }
  }
  // What has no edges at all is put into a square.
  const alone = waiting.map((number, i) => i).filter(i => !next[i].length && !before[i].length);
  const wide = Math.max(4, Math.ceil(Math.sqrt(alone.length)));
  alone.forEach((at, i) => { rank[at] = Math.floor(i / wide); });
  // What has more edges down than up goes down as far as it can.
  for (let i = order.length - 1; i >= 0; i--) {
    const at = order[i];
    if (next[at].length > before[at].length) {
      rank[at] = Math.min(...next[at].map(to => rank[to])) - 1;
    }
  }
  return rank;
}

/**
 * Rows of cells: each box is a cell; an edge over several ranks gets one in each row between.
 * Returns {rows, cells: [{box, rank, up: [cells], down: [cells]}], chains: cells of each edge}.
 */
function rowsOf(boxes, edges) {
  const inner = boxes.map((box, i) => i).filter(i => !boxes[i].end);
  const index = new Map(inner.map((i, at) => [i, at]));
  const known = ranksOf(inner.length, edges.filter(e => index.has(e.from) && index.has(e.to))
    .map(e => ({from: index.get(e.from), to: index.get(e.to)})));
  const low = inner.length ? known.reduce((a, b) => Math.min(a, b)) : 0;
  const high = inner.length ? known.reduce((a, b) => Math.max(a, b)) : 0;
  const first = boxes.some(box => box.end === 'in') ? 1 : 0;
  const last = high - low + first + (boxes.some(box => box.end === 'out') ? 1 : 0);
  const rows = Array.from({length: last + 1}, () => []);
  const addCell = (rank, box) => {
    const cell = {box, rank, up: [], down: [], at: 0};
    rows[rank].push(cell);
    return cell;
  };
  const cells = boxes.map((box, i) => addCell(
    box.end === 'in' ? 0 : box.end === 'out' ? last : known[index.get(i)] - low + first, box));
  const chains = edges.map(({from, to}) => {
    const down = cells[from].rank <= cells[to].rank;
    const [top, bottom] = down ? [cells[from], cells[to]] : [cells[to], cells[from]];
    const chain = [top];
    for (let rank = top.rank + 1; rank < bottom.rank; rank++) { chain.push(addCell(rank, null)); }
    chain.push(bottom);
    for (let i = 1; i < chain.length && top.rank < bottom.rank; i++) {
      chain[i - 1].down.push(chain[i]);
      chain[i].up.push(chain[i - 1]);
    }
    return {chain, down};
  });
  return {rows, cells, chains};
}

const number = row => row.forEach((cell, i) => { cell.at = i; });

/** How often edges between this row and the one above it cross. */
function crossings(row, width) {
  const tree = new Int32Array(width + 2);       // Fenwick tree of the upper ends seen so far
  let seen = 0;
  let found = 0;
  for (const cell of row) {
    const ends = cell.up.map(above => above.at);
    for (const end of ends) {
      let smaller = 0;
      for (let i = end + 1; i > 0; i -= i & -i) { smaller += tree[i]; }
      found += seen - smaller;
    }
    for (const end of ends) {
      seen++;
      for (let i = end + 1; i < tree.length; i += i & -i) { tree[i]++; }
    }
  }
  return found;
}

/** Each row in the order of the means of its neighbours' places in the row before. */
function sweep(rows, side) {
  const ordered = side === 'up' ? rows : [...rows].reverse();
  for (const row of ordered.slice(1)) {
    for (const cell of row) {
      const ends = cell[side];
      cell.mean = ends.length ? ends.reduce((sum, end) => sum + end.at, 0) / ends.length : -1;
    }
    const tied = row.filter(cell => cell.mean >= 0).sort((a, b) => a.mean - b.mean || a.at - b.at);
    let next = 0;                               // cells without neighbours stay where they are
    row.forEach((cell, i) => { if (cell.mean >= 0) { row[i] = null; } });
    for (let i = 0; i < row.length; i++) { if (!row[i]) { row[i] = tied[next++]; } }
    number(row);
  }
}

/** Crossings of two neighbours' edges, one after the other, with the cells of one side. */
function pairCrossings(a, b, side) {
  let found = 0;
  for (const one of a[side]) { for (const other of b[side]) { found += one.at > other.at; } }
  return found;
}

/** Exchanges neighbours wherever that takes crossings away. */
function transpose(rows) {
  for (const row of rows) {
    for (let i = 1; i < row.length; i++) {
      const [a, b] = [row[i - 1], row[i]];
      const now = pairCrossings(a, b, 'up') + pairCrossings(a, b, 'down');
      if (now && pairCrossings(b, a, 'up') + pairCrossings(b, a, 'down') < now) {
        [row[i - 1], row[i]] = [b, a];
        [a.at, b.at] = [i, i - 1];
      }
    }
  }
}

/** Orders all rows so that few edges cross: means of neighbours, down and up in turn. */
function order(rows) {
  const cells = rows.reduce((sum, row) => sum + row.length, 0);
  const total = () => rows.slice(1).reduce(
    (sum, row, i) => sum + crossings(row, rows[i].length), 0);
  rows.forEach(number);
  let best = {crossings: total(), rows: rows.map(row => [...row])};
  const rounds = cells > 4000 ? 4 : 10;
  for (let round = 0; round < rounds && best.crossings; round++) {
    sweep(rows, round % 2 ? 'down' : 'up');
    transpose(rows);
    const now = total();
    if (now < best.crossings) { best = {crossings: now, rows: rows.map(row => [...row])}; }
  }
  best.rows.forEach((row, i) => { rows[i] = row; number(row); });
}

/** Rows of cells in their order; what rowsOf returns. */
explorer.layers = (boxes, edges) => {
  const made = rowsOf(boxes, edges);
  order(made.rows);
  return made;
};
