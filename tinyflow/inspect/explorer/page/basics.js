// `explorer` is the page's one global object: each script adds its part to it.
// What is text in the document stays text here: elements are made by dom() and svg() only.

const explorer = window.explorer = {
  document: JSON.parse(document.getElementById('document').textContent),
};

const SVG = 'http://www.w3.org/2000/svg';
const listeners = new Map();

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) { continue; }
    if (typeof value === 'function') { element.addEventListener(name, value); }
    else { element.setAttribute(name, value === true ? '' : value); }
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null) { element.append(child); }
  }
  return element;
}

/** An HTML element; strings as children become text, functions as attributes listen. */
explorer.dom = (tag, attributes, ...children) =>
  filled(document.createElement(tag), attributes, children);

/** The same for a picture's elements. */
explorer.svg = (tag, attributes, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

explorer.get = id => document.getElementById(id);

/** f(detail) is called after each `explorer.emit(event, detail)`. */
explorer.on = (event, f) => {
  if (!listeners.has(event)) { listeners.set(event, []); }
  listeners.get(event).push(f);
};
explorer.emit = (event, detail) => (listeners.get(event) || []).forEach(f => f(detail));

/** At most `length` characters; long text ends with an ellipsis. */
explorer.short = (text, length) =>
  text.length <= length ? text : text.slice(0, Math.max(1, length - 1)) + '…';

const digits = new Intl.NumberFormat('en');
explorer.count = (number, word) => `${digits.format(number)} ${word}${number === 1 ? '' : 's'}`;

/** '[?, 784]' from [null, 784]; of unknown rank: '<unknown>'. */
explorer.shapeText = shape => !shape ? '<unknown>'
  : '[' + shape.map(size => size === null ? '?' : size).join(', ') + ']';

/** '?×784', as on edges; a scalar has no text. */
explorer.shortShape = shape => (shape || []).map(size => size === null ? '?' : size).join('×');

/** The size of the picture's place on the screen; kept, since asking costs a layout of the page. */
const screen = explorer.screen = {};
const measure = () => {
  const {clientWidth, clientHeight} = explorer.get('picture');
  Object.assign(screen, {width: clientWidth, height: clientHeight});
};
measure();
new ResizeObserver(() => { measure(); explorer.emit('resize'); }).observe(explorer.get('picture'));

/** Says something to screen readers, and shows it for a moment. */
explorer.say = text => {
  const place = explorer.get('said');
  place.textContent = text;
  place.classList.remove('fading');
  // A frame without the class starts the animation again, without a layout in between.
  requestAnimationFrame(() => requestAnimationFrame(() => place.classList.add('fading')));
};

// The Okabe-Ito colours, which can be told apart with any colour vision.
explorer.COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442',
                    '#7f7f7f'];
