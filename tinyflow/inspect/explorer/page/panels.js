// The details next to the picture: one tab for each panel that has something to say.

const {dom, get, state} = explorer;
const known = [];
let chosen = null;              // id of the panel that the reader chose

function applying() {
  return known.filter(panel => panel.applies(state));
}

function show() {
  const panels = applying();
  const current = panels.find(panel => panel.id === chosen) || panels[0];
  const tabs = panels.map(panel => dom('button', {
    role: 'tab', id: `tab-${panel.id}`, 'aria-selected': String(panel === current),
    'aria-controls': 'panel', tabindex: panel === current ? '0' : '-1',
    click: () => { chosen = panel.id; show(); get(`tab-${panel.id}`).focus(); },
    keydown: event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) { return; }
      const next = panels[(panels.indexOf(panel) + step + panels.length) % panels.length];
      chosen = next.id;
      show();
      get(`tab-${next.id}`).focus();
      event.preventDefault();
    },
  }, panel.title));
  get('tabs').replaceChildren(...tabs);
  get('tabs').hidden = panels.length < 2;
  const place = get('panel');
  place.replaceChildren();
  if (!current) { return; }
  place.setAttribute('aria-labelledby', `tab-${current.id}`);
  current.render(place, state);
  place.scrollTop = 0;
}

explorer.panels = {
  /** panel: {id, title, applies(state) -> bool, render(element, state)}. */
  add(panel) { known.push(panel); },
  choose(id) { chosen = id; show(); },
  show,
};
explorer.on('select', show);

/** A button that looks like a link, and goes to a node or scope. */
explorer.link = (item, text) => dom('button', {
  class: 'link', title: explorer.short(item.name, 400), click: () => explorer.reveal(item),
}, explorer.short(text === undefined ? item.name : text, 80));

/** A headed part of a panel; nothing if it would be empty. */
explorer.section = (title, ...children) => {
  const inside = children.flat().filter(child => child !== null && child !== undefined);
  return inside.length ? dom('section', {}, dom('h3', {}, title), ...inside) : null;
};

/** The first `shown` of many elements; a button shows the rest. */
explorer.some = (items, make, shown = 12) => {
  const list = dom('ul', {}, items.slice(0, shown).map(make));
  if (items.length > shown) {
    const button = dom('button', {class: 'link', click: () => {
      button.parentElement.remove();
      list.append(...items.slice(shown, shown + 500).map(make));
    }}, `${items.length - shown} more`);
    list.append(dom('li', {}, button));
  }
  return list;
};
