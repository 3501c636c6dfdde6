// Where the reader looks: pan, zoom, fit, and the small map of the whole.

const {picture, get, screen} = explorer;
const SMALLEST = 0.02;
const LARGEST = 4;
const READABLE = 0.3;
const NARROW = 500;             // width of a telephone, where the buttons would cover the picture
const BUTTONS = 48;             // their height
const view = {x: 0, y: 0, k: 1};        // screen = world * k + (x, y)
const place = get('picture');
const map = get('map');
let mapImage = null;
let flight = 0;                         // the animation in progress

function apply() {
  const {world} = picture.layers;
  world.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.k})`);
  place.classList.toggle('far', view.k < 0.5);
  place.classList.toggle('very-far', view.k < 0.22);
  const {width, height, screenWidth, screenHeight} = size();
  const whole = view.x > 0 && view.y > 0 && view.x + width * view.k < screenWidth &&
    view.y + height * view.k < screenHeight;
  map.classList.toggle('needless', whole);
  if (!whole) { drawMap(); }
  explorer.emit('view', view);
}

function set(x, y, k) {
  Object.assign(view, {x, y, k: Math.min(LARGEST, Math.max(SMALLEST, k))});
  apply();
}

/** Moves smoothly to a view. */
function flyTo(x, y, k, duration = 260) {
  const number = ++flight;
  const from = {...view};
  const start = performance.now();
  if (explorer.still() || document.hidden) { set(x, y, k); return; }
  const frame = now => {
    if (number !== flight) { return; }
    const part = Math.min(1, (now - start) / duration);
    const eased = 1 - (1 - part) ** 3;
    const [nowX, nowY, nowK] = ['x', 'y', 'k'].map(
      key => from[key] + ({x, y, k}[key] - from[key]) * eased);
    set(nowX, nowY, nowK);
    if (part < 1) { requestAnimationFrame(frame); }
  };
  requestAnimationFrame(frame);
}

function size() {
  const {width = 0, height = 0} = explorer.model.root.layout || {};
  return {width, height, screenWidth: screen.width, screenHeight: screen.height};
}

/** The view of the picture's first item, if the whole would be too small to be read. */
function beginning(screenWidth) {
  const first = picture.items().reduce((a, b) => b.y < a.y ? b : a);
  const k = 2 * READABLE;
  return [screenWidth / 2 - (first.x + first.width / 2) * k, 24 - first.y * k, k];
}

/** Shows the whole picture. */
function fit(options = {}) {
  const {width, height, screenWidth, screenHeight} = size();
  const room = 36;
  const free = screenHeight - (screenWidth < NARROW ? BUTTONS : 0);
  const whole = Math.min((screenWidth - room) / Math.max(1, width),
                         (free - room) / Math.max(1, height));
  const k = Math.min(1.15, Math.max(SMALLEST, whole));
  const [x, y] = [(screenWidth - width * k) / 2, (free - height * k) / 2];
  if (options.readable && k < READABLE) { set(...beginning(screenWidth)); }
  else if (options.now) { flight++; set(x, y, k); } else { flyTo(x, y, k); }
}

/** Zooms by a factor; the point of the screen stays where it is. */
function zoom(factor, at = [screen.width / 2, screen.height / 2], smooth = false) {
  const k = Math.min(LARGEST, Math.max(SMALLEST, view.k * factor));
  const x = at[0] - (at[0] - view.x) * k / view.k;
  const y = at[1] - (at[1] - view.y) * k / view.k;
  if (smooth) { flyTo(x, y, k, 160); } else { flight++; set(x, y, k); }
}

/** Brings an item to the middle, large enough to be read; if `gently`, only when out of sight. */
function goTo(item, gently) {
  const box = picture.box(item);
  if (!box) { return; }
  const [w, h] = [screen.width, screen.height];
  const left = box.x * view.k + view.x;
  const top = box.y * view.k + view.y;
  const inSight = left > 8 && top > 8 && left + Math.min(box.width * view.k, w / 2) < w - 8 &&
    top + Math.min(box.height * view.k, h / 2) < h - 8;
  if (gently && inSight) { return; }
  const whole = Math.min((w - 60) / box.width, (h - 60) / box.height);
  const k = gently ? view.k : Math.min(Math.max(view.k, 0.8), Math.max(0.35, whole));
  const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, h / k) / 2];
  flyTo(w / 2 - x * k, h / 2 - y * k, k);
}

/** Shows all of these items if they can still be read then; else the last of them. */
function goToAll(items) {
  const boxes = items.map(picture.box).filter(Boolean);
  if (!boxes.length) { return; }
  const least = key => boxes.reduce((a, box) => Math.min(a, box[key]), Infinity);
  const most = (key, extent) => boxes.reduce((a, box) => Math.max(a, box[key] + box[extent]), 0);
  const [left, top, right, bottom] = [least('x'), least('y'), most('x', 'width'),
                                      most('y', 'height')];
  const k = Math.min(1.15, (screen.width - 60) / (right - left),
                     (screen.height - 60) / (bottom - top));
  if (k < READABLE / 2) { goTo(items[items.length - 1]); return; }
  flyTo(screen.width / 2 - (left + right) / 2 * k, screen.height / 2 - (top + bottom) / 2 * k, k);
}

// ---- the mouse and fingers ---------------------------------------------------------------------

const fingers = new Map();              // pointer -> [x, y]
let dragged = 0;

const local = event => {
  const {left, top} = place.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
};

place.addEventListener('wheel', event => {
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 24 : 1;
  const speed = event.ctrlKey ? 0.01 : 0.0016;  // with ctrl: a pinch on a touchpad
  zoom(Math.exp(-event.deltaY * lines * speed), local(event));
}, {passive: false});

place.addEventListener('pointerdown', event => {
  if (event.target.closest('.over') || event.button > 1) { return; }
  fingers.set(event.pointerId, local(event));
  if (fingers.size === 1) { dragged = 0; }
});

window.addEventListener('pointermove', event => {
  const before = fingers.get(event.pointerId);
  if (!before) { return; }
  const [x, y] = local(event);
  flight++;
  if (fingers.size === 1) {
    dragged += Math.hypot(x - before[0], y - before[1]);
    if (dragged > 4) {
      place.classList.add('dragging');
      set(view.x + x - before[0], view.y + y - before[1], view.k);
    }
  } else {
    const [one] = [...fingers].find(([id]) => id !== event.pointerId);
    const other = fingers.get(one);
    const distance = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
    zoom(Math.hypot(x - other[0], y - other[1]) / distance,
         [(x + other[0]) / 2, (y + other[1]) / 2]);
    dragged = 100;
  }
  fingers.set(event.pointerId, [x, y]);
});

for (const name of ['pointerup', 'pointercancel']) {
  window.addEventListener(name, event => {
    fingers.delete(event.pointerId);
    place.classList.remove('dragging');
  });
}

// ---- the small map -----------------------------------------------------------------------------

/** A custom property of the style, as a colour that a canvas knows; kept, since asking after a
    change makes the browser compute the style of the whole picture at once. */
const colours = new Map();
function colourOf(property) {
  if (!colours.has(property)) {
    map.style.color = `var(${property})`;
    colours.set(property, getComputedStyle(map).color);
  }
  return colours.get(property);
}

/** Scale and middle of the map: map = world * scale + (x, y). */
function mapView() {
  const {width, height} = size();
  const scale = Math.min(map.width / Math.max(1, width), map.height / Math.max(1, height)) * 0.94;
  return {scale, x: (map.width - width * scale) / 2, y: (map.height - height * scale) / 2};
}

function drawMapImage() {
  const {scale, x: left, y: top} = mapView();
  mapImage = document.createElement('canvas');
  mapImage.width = map.width;
  mapImage.height = map.height;
  const pen = mapImage.getContext('2d');
  const [open, closed] = [colourOf('--map-open'), colourOf('--map-item')];
  for (const {item, x, y, width, height} of picture.items()) {
    pen.fillStyle = item.open ? open : closed;
    pen.fillRect(left + x * scale, top + y * scale, Math.max(1, width * scale),
                 Math.max(1, height * scale));
  }
}

function drawMap() {
  if (!mapImage) { return; }
  const pen = map.getContext('2d');
  const {scale, x, y} = mapView();
  pen.clearRect(0, 0, map.width, map.height);
  pen.drawImage(mapImage, 0, 0);
  pen.strokeStyle = colourOf('--accent');
  pen.lineWidth = 2;
  pen.strokeRect(x - view.x / view.k * scale, y - view.y / view.k * scale,
                 screen.width / view.k * scale, screen.height / view.k * scale);
}

function moveByMap(event) {
  if (!event.buttons) { return; }
  const {left, top} = map.getBoundingClientRect();
  const {scale, x, y} = mapView();
  flight++;
  set(screen.width / 2 - (event.clientX - left - x) / scale * view.k,
      screen.height / 2 - (event.clientY - top - y) / scale * view.k, view.k);
}
map.addEventListener('pointerdown', event => { map.setPointerCapture(event.pointerId);
                                               moveByMap(event); });
map.addEventListener('pointermove', moveByMap);
explorer.on('drawn', () => { drawMapImage(); drawMap(); });
explorer.on('theme', () => { colours.clear(); drawMapImage(); drawMap(); });
window.matchMedia('(prefers-color-scheme: dark)').addEventListener(
  'change', () => explorer.emit('theme'));

explorer.view = {
  fit, zoom, goTo, goToAll, set, flyTo, now: () => ({...view}),
  wasDragged: () => dragged > 4,
};
