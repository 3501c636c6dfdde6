// The keyboard and clicks: along edges, in and out of scopes.

const {model, picture, view, state, get} = explorer;
const place = get('picture');

const KEYS = [
  ['↓ ↑', 'along an edge, to what uses the value and to where it comes from'],
  ['← →', 'to the neighbour in the row'],
  ['Enter', 'opens or closes the chosen scope'],
  ['Esc', 'closes the scope around the chosen item'],
  ['/', 'search'], ['+ − 0', 'larger, smaller, the whole picture'],
  ['b, f', 'back, forward'], ['p', 'to the details of the chosen item'],
  ['d', 'dark or light'], ['?', 'this list'],
  ['shift-click', 'lights the path from the chosen item to this one'],
  ['t', 'the same with the item that is chosen next, by any means'],
  ['i, o', 'lights all that the chosen item needs; all that needs it'],
];

const DIRECTIONS = {ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

/** Moves the focus to the chosen item, so that a screen reader says it. */
explorer.focusChosen = () => {
  const item = state.selected && model.visible(state.selected);
  const element = item && picture.element(item);
  for (const other of document.querySelectorAll('#world [tabindex="0"]')) {
    other.setAttribute('tabindex', '-1');
  }
  if (element) { element.setAttribute('tabindex', '0'); element.focus({preventScroll: true}); }
};

/** The visible items at the other ends of an item's edges: 'in' or 'out'. */
function beyond(item, way) {
  const found = new Set();
  for (const {route} of picture.edges()) {
    for (const {a, b} of route.edges) {
      const [here, there] = way === 'out' ? [a, b] : [b, a];
      if (model.isInside(model.visible(here), item)) {
        const end = model.visible(there);
        if (!model.isInside(end, item)) { found.add(end); }
      }
    }
  }
  return [...found];
}

const middle = item => {
  const box = picture.box(item);
  return [box.x + box.width / 2, box.y + box.height / 2];
};

function nearest(items, [x, y], weightX, weightY) {
  let best = null;
  let least = Infinity;
  for (const item of items) {
    if (!picture.box(item)) { continue; }
    const [ix, iy] = middle(item);
    const distance = Math.abs(ix - x) * weightX + Math.abs(iy - y) * weightY;
    if (distance < least) { [best, least] = [item, distance]; }
  }
  return best;
}

function moveBy(key) {
  const item = state.selected && model.visible(state.selected);
  if (!item || !picture.box(item)) {
    const first = picture.items().find(({item: each}) => !each.open) || picture.items()[0];
    return first && first.item;
  }
  const at = middle(item);
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const way = key === 'ArrowDown' ? 'out' : 'in';
    const next = nearest(beyond(item, way), at, 1, 0.2);
    if (next) { return next; }
    if (item.open && way === 'out') { return item.layout.children[0]; }
  }
  const [dx, dy] = DIRECTIONS[key];
  const others = picture.items().map(each => each.item).filter(each => {
    if (each === item || model.isInside(item, each) || model.isInside(each, item)) { return false; }
    const [x, y] = middle(each);
    return (x - at[0]) * dx + (y - at[1]) * dy > 4 && (each.parent === item.parent || !each.open);
  });
  const siblings = others.filter(each => each.parent === item.parent);
  return nearest(siblings.length ? siblings : others, at, dx ? 1 : 3, dy ? 1 : 3);
}

function choose(item) {
  explorer.select(item);
  view.goTo(model.visible(item), true);
  explorer.focusChosen();
}

function close() {
  const item = state.selected && model.visible(state.selected);
  const scope = item && (item.open ? item : item.parent);
  if (!scope || !scope.parent) { explorer.select(null); return; }
  explorer.toggle(scope);
  choose(scope);
}

const actions = {
  '/': () => { get('search').focus(); get('search').select(); },
  '+': () => view.zoom(1.3, undefined, true), '=': () => view.zoom(1.3, undefined, true),
  '-': () => view.zoom(1 / 1.3, undefined, true), '0': () => view.fit(),
  '?': () => explorer.help(), 'b': () => history.back(), 'f': () => history.forward(),
  'd': () => explorer.theme(), 'p': () => get('panel').focus(), 't': () => explorer.startPath(),
  'i': () => explorer.trace('in'), 'o': () => explorer.trace('out'),
  'Escape': close,
  'Enter': () => {
    const item = state.selected && model.visible(state.selected);
    if (item && item.children.length) { explorer.toggle(item); explorer.focusChosen(); }
    else if (item) { get('panel').focus(); }
  },
};

document.addEventListener('keydown', event => {
  const {key, target} = event;
  if (event.ctrlKey || event.metaKey || event.altKey || get('help').open) { return; }
  if (target.closest('input, select, textarea')) { return; }
  const inPicture = target === document.body || target.closest('#picture');
  if (key.startsWith('Arrow')) {
    if (!inPicture) { return; }
    const next = moveBy(key);
    if (next) { choose(next); }
  } else if ((key === 'Enter' || key === 'Escape') && !inPicture) { return; }
  else if (Object.hasOwn(actions, key)) { actions[key](); } else { return; }
  event.preventDefault();
});

place.addEventListener('focus', () => {
  if (!place.matches(':focus-visible')) { return; }     // the mouse focuses, too, before a drag
  if (!state.selected) { const first = moveBy('ArrowDown'); if (first) { choose(first); } }
  else { explorer.focusChosen(); }
});

let last = {item: null, time: 0};
place.addEventListener('click', event => {
  if (view.wasDragged() || event.target.closest('.over')) { return; }
  const stub = event.target.closest('.stub');
  if (stub && stub.stubOf) { explorer.reveal(stub.stubOf); return; }
  const element = event.target.closest('.item');
  if (!element) { if (!event.shiftKey) { explorer.select(null); } return; }
  const {item} = element;
  if (event.shiftKey) { explorer.selectPath(item); return; }
  const head = !item.open || event.target.closest('.head, .toggle');
  explorer.select(item);
  const now = performance.now();                // the second click of two does not undo the first
  const twice = last.item === item && now - last.time < 350;
  if (item.children.length && head && !twice) {
    explorer.toggle(item);
    last = {item, time: now};
  }
  explorer.focusChosen();
});

explorer.help = () => {
  const {dom} = explorer;
  const rows = KEYS.map(([keys, text]) => dom('tr', {}, dom('th', {scope: 'row'}, keys),
                                               dom('td', {}, text)));
  get('help-keys').replaceChildren(...rows);
  get('help').showModal();
};
