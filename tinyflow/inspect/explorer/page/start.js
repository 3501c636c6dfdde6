// Puts the page together.

const {get, picture, view, links, panels} = explorer;

/** Dark or light: as the reader's system says, until the button is pressed. */
explorer.theme = () => {
  const {dataset} = document.documentElement;
  const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  dataset.theme = (dataset.theme || system) === 'dark' ? 'light' : 'dark';
  explorer.emit('theme');
};

get('title').textContent = explorer.short(explorer.document.title, 60);
picture.start(get('canvas'));
for (const [id, f] of [['fit', () => view.fit()], ['larger', () => view.zoom(1.3, undefined, true)],
                       ['smaller', () => view.zoom(1 / 1.3, undefined, true)],
                       ['theme', explorer.theme], ['keys', explorer.help],
                       ['back', () => history.back()], ['forward', () => history.forward()]]) {
  get(id).addEventListener('click', f);
}
get('help-close').addEventListener('click', () => get('help').close());
get('canvas').setAttribute('aria-label', `Graph ${explorer.short(explorer.document.title, 100)}: `
  + explorer.count(explorer.model.nodes.length, 'node'));

explorer.openFirst();
if (!links.follow(location.hash)) {
  explorer.draw();
  view.fit({now: true, readable: true});
}
explorer.colours.list();
panels.show();
let visible = explorer.screen.width > 0;        // a notebook may make the page before it shows it
explorer.on('resize', () => {
  if (!visible) { view.fit({now: true, readable: true}); }
  visible = explorer.screen.width > 0;
  const {x, y, k} = view.now();
  view.set(x, y, k);
});
explorer.ready = performance.now();
