// Opening and closing scopes.

const {model, picture, view} = explorer;
const READABLE = 0.4;           // scale below which what opens is brought nearer

/** Draws again; the item stays where it is on the screen. */
function redraw(item, options = {}) {
  const before = item && picture.box(item);
  const {x, y, k} = view.now();
  const screen = before && [before.x * k + x, before.y * k + y];
  explorer.draw({animated: !options.now});
  const after = item && picture.box(item);
  if (!before || !after) { return; }
  const move = [screen[0] - after.x * k, screen[1] - after.y * k];
  view.set(move[0], move[1], k);
}

function setOpen(item, open) {
  item.open = open;
  explorer.outdated(item.parent);
}

/** Opens or closes a scope in place. */
explorer.toggle = item => {
  if (!item.children.length) { return; }
  setOpen(item, !item.open);
  redraw(item);
  view.goTo(item, !item.open || view.now().k > READABLE);
  explorer.say(`${explorer.short(item.label, 60)} is ${item.open ? 'open' : 'closed'}`);
  explorer.emit('opened', item);
};

/** Opens all scopes around an item; true if one was closed. */
explorer.openAround = item => {
  let changed = false;
  for (let at = item; at; at = at.host || at.parent) {
    const scope = (at.host || at).parent;
    if (scope && !scope.open) { setOpen(scope, true); changed = true; }
  }
  return changed;
};

/** Opens the scopes around a node or a scope, goes there and chooses it. */
explorer.reveal = what => {
  const item = model.item(what);
  if (!item) { return false; }
  if (explorer.openAround(item)) { explorer.draw({animated: true}); explorer.emit('opened', item); }
  explorer.select(item);
  const {selected, other, path} = explorer.state;
  if (other === item && path.size) {            // it was the other end of a path
    const ends = [selected, ...[...path].map(index => model.ofNode[index]), item];
    view.goToAll([...new Set(ends.map(model.visible))]);
  } else { view.goTo(model.visible(item)); }
  return true;
};

/** The names of all open scopes. */
explorer.openNames = () => {
  const names = [];
  model.walk(item => { if (item.open && item.parent) { names.push(item.name); } });
  return names;
};

/** Opens exactly these scopes. */
explorer.openOnly = names => {
  const wanted = new Set(names);
  model.walk(item => {
    const open = !item.parent || wanted.has(item.name) && item.children.length > 0 &&
      model.byName.get(item.name) === item;
    if (open !== item.open) { setOpen(item, open); }
  });
};

/** Opens all there is in an item, or closes it; not more than `limit` scopes. */
explorer.openAll = (item, open, limit = 400) => {
  let left = limit;
  const todo = [item];
  while (todo.length) {
    const at = todo.shift();
    if (at.parent && at.children.length && at.open !== open && left-- > 0) { setOpen(at, open); }
    todo.push(...at.children);
  }
  redraw(item.parent ? item : null);
  explorer.emit('opened', item);
};

/** What is open at first: scopes that are alone in the middle, since they say nothing closed. */
explorer.openFirst = () => {
  let scope = model.root;
  for (let i = 0; i < 6; i++) {
    const middle = scope.children.filter(item => !item.host && !explorer.sidePart(item, scope));
    const inside = middle.filter(item => item.children.length && item.own === undefined);
    if (middle.length > 3 || inside.length !== 1 || inside[0].group ||
        inside[0].children.length > 60) { return; }
    setOpen(inside[0], true);
    scope = inside[0];
  }
};
