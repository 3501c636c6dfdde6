// Search: a list of nodes and scopes whose name, type or line of the program has the words.

const {model, dom, get} = explorer;
const SHOWN = 60;
const field = get('search');
const list = get('hits');
let texts = null;               // what is searched, for each node; made at the first search
let found = [];
let current = -1;

function lineOf(node) {
  const file = node.s && (explorer.document.files || [])[node.s[0]];
  const line = file && file.lines[node.s[1] - file.first];
  return line === undefined ? '' : line.trim();
}

function prepare() {
  texts = model.nodes.map(node => [node.n.toLowerCase().slice(0, 2000), node.o.toLowerCase(),
                                   lineOf(node).toLowerCase()]);
}

/** The better the place of the word, the lower. */
function rank([name, op, line], word, last) {
  if (last === word) { return 0; }
  if (name === word) { return 1; }
  if (last.startsWith(word)) { return 2; }
  if (op === word) { return 3; }
  if (name.includes(word)) { return 4; }
  if (op.includes(word)) { return 5; }
  return line.includes(word) ? 6 : -1;
}

/** Hits, best first: [{item, why}]. */
function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) { return []; }
  if (!texts) { prepare(); }
  const hits = [];
  const add = (item, parts, index) => {
    const last = parts[0].slice(parts[0].lastIndexOf('/') + 1);
    let worst = 0;
    for (const word of words) {
      const one = rank(parts, word, last);
      if (one < 0) { return; }
      worst = Math.max(worst, one);
    }
    hits.push({item, index, rank: worst + (item.part ? 0.5 : 0) + (item.host ? 0.2 : 0)});
  };
  for (const [name, item] of model.byName) {
    if (!item.children.length) { continue; }
    const label = ((item.info || {}).label || '').toLowerCase();
    const [, op, line] = texts[item.own] || ['', label, label];
    add(item, [name.toLowerCase().slice(0, 2000), label && op !== label ? `${op} ${label}` : op,
               line]);
  }
  texts.forEach((parts, index) => {
    const item = model.ofNode[index];
    if (item.parent.own !== index) { add(item, parts, index); }
  });
  return hits.sort((a, b) => a.rank - b.rank || a.item.order - b.item.order);
}

function show() {
  found = find(field.value);
  current = found.length ? 0 : -1;
  list.replaceChildren(...found.slice(0, SHOWN).map(({item}, i) => {
    const node = model.nodes[item.node !== undefined ? item.node : item.own];
    const line = node && lineOf(node);
    return dom('li', {role: 'option', id: `hit${i}`, 'aria-selected': String(i === current),
                      click: () => go(i)},
      dom('b', {}, explorer.short(item.name, 90)),
      dom('span', {}, node ? node.o
        : (item.info || {}).label || explorer.count(item.count, 'node')),
      line ? dom('code', {}, explorer.short(line, 80)) : null);
  }));
  const open = field.value.trim() !== '';
  list.hidden = !open;
  field.setAttribute('aria-expanded', String(open));
  get('hit-count').textContent = open ? explorer.count(found.length, 'hit') : '';
  if (open && found.length > SHOWN) {
    list.append(dom('li', {class: 'more'}, `and ${found.length - SHOWN} more`));
  }
  mark();
}

function mark() {
  [...list.children].forEach((row, i) => row.setAttribute('aria-selected', String(i === current)));
  if (current >= 0) { field.setAttribute('aria-activedescendant', `hit${current}`); }
  else { field.removeAttribute('aria-activedescendant'); }
  if (list.children[current]) { list.children[current].scrollIntoView({block: 'nearest'}); }
}

function go(i) {
  current = i;
  mark();
  if (found[i]) { explorer.reveal(found[i].item); }
}

function close() {
  list.hidden = true;
  field.setAttribute('aria-expanded', 'false');
}

field.addEventListener('input', show);
field.addEventListener('focus', () => { if (field.value.trim()) { show(); } });
field.addEventListener('keydown', event => {
  const shown = Math.min(SHOWN, found.length);
  if (event.key === 'ArrowDown' && shown) { current = (current + 1) % shown; mark(); }
  else if (event.key === 'ArrowUp' && shown) { current = (current + shown - 1) % shown; mark(); }
  else if (event.key === 'Enter' && current >= 0) {
    go(current);
    close();
    explorer.focusChosen();
  } else if (event.key === 'Escape') { close(); explorer.focusChosen(); }
  else { return; }
  event.preventDefault();
});
document.addEventListener('pointerdown', event => {
  if (!event.target.closest('.finder')) { close(); }
});

explorer.search = {find, show};
