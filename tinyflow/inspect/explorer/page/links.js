// Back and forward, and a link to what is seen: the address ends with the chosen item, the open
// scopes and the place of the view.

const {view, state} = explorer;
const LONGEST = 1000;           // characters of a name in the address
let quiet = false;              // while the page follows the address

function address() {
  const {x, y, k} = view.now();
  const parts = [`v=${Math.round(x)},${Math.round(y)},${k.toFixed(3)}`];
  const open = explorer.openNames().filter(name => name.length < LONGEST).slice(0, 200);
  if (open.length) { parts.push('o=' + open.map(encodeURIComponent).join(',')); }
  for (const [key, item] of [['s', state.selected], ['t', state.other]]) {
    if (item && item.name.length < LONGEST) {
      parts.push(`${key}=${encodeURIComponent(item.name)}`);
    }
  }
  return '#' + parts.join('&');
}

function remember(how) {
  if (quiet) { return; }
  // In a notebook's frame the address cannot be changed.
  try { history[how](null, '', address()); } catch (error) { quiet = true; }
}

let timer;
explorer.on('select', () => remember('pushState'));
explorer.on('opened', () => remember('pushState'));
explorer.on('view', () => {
  clearTimeout(timer);
  timer = setTimeout(() => remember('replaceState'), 300);
});

/** Shows what an address says; false if it says nothing. */
function follow(hash) {
  const parts = new Map(hash.slice(1).split('&').map(part => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  }));
  if (!parts.has('v')) { return false; }
  const text = part => { try { return decodeURIComponent(part); } catch (error) { return ''; } };
  const before = quiet;
  quiet = true;
  explorer.openOnly((parts.get('o') || '').split(',').map(text));
  explorer.draw();
  const [x, y, k] = parts.get('v').split(',').map(Number);
  if ([x, y, k].every(Number.isFinite)) { view.set(x, y, k); }
  explorer.select(parts.has('s') ? text(parts.get('s')) : null);
  if (parts.has('t')) { explorer.selectPath(text(parts.get('t'))); }
  quiet = before;
  return true;
}

window.addEventListener('popstate', () => { follow(location.hash); });

explorer.links = {follow, address};
