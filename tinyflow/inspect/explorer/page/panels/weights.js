// The Variables over the recorded steps: which move, since when one does not, and how far they
// are apart in two steps.

const {model, dom, svg, link, recorded, state} = explorer;
const {figure, badness, size, difference, differenceText, heatMap, whole} = explorer.values;
const SHOWN = 12;
const ends = {from: 0, to: -1, of: null};       // the steps that are compared

const rows = () => explorer.weights().filter(index => recorded.placesOf(index).length);

/** The number of the first step of those up to `last` from which on all are so; or null. */
function since(steps, last, isSo) {
  let first = null;
  for (let i = last; i >= 0 && isSo(steps[i], i); i--) { first = i; }
  return first;
}

/** What happened to a Variable: [[text, whether it is bad]], and the sizes of its changes. */
function course(index) {
  const steps = recorded.steps();
  const [place] = recorded.placesOf(index);
  const broken = steps.findIndex(one => badness(recorded.valueAt(one, place)));
  const last = (broken < 0 ? steps.length : broken) - 1;
  const changes = steps.map(one => Number((one.changes || [])[place]) || 0);
  const found = [];
  const still = since(steps, last, (one, i) => i === last || changes[i + 1] === 0);
  if (still === 0 && last > 0) { found.push(['never changed', true]); }
  else if (still !== null && still < last) {
    found.push([`the same since step ${recorded.nth(steps[still])}`, true]);
  }
  for (const gradient of explorer.training(index).gradients) {
    const most = one => (size(recorded.valueOf(one, gradient)) || {}).most;
    let end = last;
    while (end >= 0 && most(steps[end]) === undefined) { end--; }
    const zero = since(steps, end, one => most(one) === 0);
    if (zero !== null) {
      found.push([`its gradient is 0 since step ${recorded.nth(steps[zero])}`, true]);
    }
  }
  if (broken >= 0) {
    found.push([`${badness(recorded.valueAt(steps[broken], place))} since step ` +
                recorded.nth(steps[broken]), true]);
  }
  if (!found.length) { found.push(['changes in every step', false]); }
  return {found, changes: changes.slice(0, last + 1)};
}

/** The sizes of the changes from step to step, on a logarithmic scale; none is below it. */
function curve(changes) {
  const sizes = changes.filter(one => Number.isFinite(one) && one > 0);
  if (!sizes.length) { return null; }
  const [least, most] = sizes.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)],
                                     [Infinity, 0]);
  const count = Math.max(1, recorded.steps().length - 1);
  const span = Math.max(Math.log10(most / least), 0.5);       // decades
  const y = change => change > 0 ? 3 + 23 * Math.log10(most / Math.min(change, most)) / span : 31;
  return svg('svg', {viewBox: '0 0 240 32', width: 240, height: 32, role: 'img',
                     'aria-label': 'the changes from step to step'},
    svg('polyline', {fill: 'none', stroke: explorer.COLOURS[0], 'stroke-width': 1.6,
                     points: changes.slice(1).map((one, i) => (
                       `${(240 * (i + 1) / count).toFixed(1)},${y(one).toFixed(1)}`)).join(' ')}));
}

function compared(index) {
  const [a, b] = [ends.from, ends.to].map(i => recorded.valueOf(recorded.steps()[i], index));
  if (a && b && a.n && b.n && a.n.length === 1) {
    return [dom('p', {class: 'quiet'}, `from ${figure(a.n[0])} to ${figure(b.n[0])}`)];
  }
  const found = difference(a, b);
  const text = found && (found.most === 0 ? 'did not move between these steps'
    : `moved by ${differenceText(found, a)}`);
  return found ? [dom('p', {class: 'quiet'}, text),
                  found.most ? heatMap(found.width, found.cells) : null] : [];
}

function entry(index) {
  if (recorded.steps().length < 2) {
    return dom('section', {class: 'weight'}, dom('p', {}, link(model.ofNode[index])),
               whole(recorded.valueOf(recorded.current(), index)));
  }
  const {found, changes} = course(index);
  return dom('section', {class: 'weight'},
    dom('p', {}, link(model.ofNode[index])),
    dom('p', {class: 'figures'}, found.map(([text, bad]) => (
      dom('span', {class: bad ? 'bad' : 'quiet'}, text)))),
    curve(changes), ...compared(index));
}

function choice(id, label) {
  return dom('label', {}, `${label} `, dom('select', {id, change: event => {
    ends[label] = Number(event.target.value);
    explorer.panels.show();
    explorer.get(id).focus();
  }}, recorded.steps().map((one, i) => dom('option', {value: i, selected: i === ends[label]},
    `step ${recorded.nth(one)}`))));
}

/** At first: from the first step to the last before a NaN. */
function chooseEnds() {
  const steps = recorded.steps();
  if (ends.of === steps) { return; }
  const broken = steps.findIndex(one => one.origin);
  Object.assign(ends, {of: steps, from: 0, to: broken > 0 ? broken : steps.length - 1});
}

explorer.panels.add({
  id: 'weights', title: 'Weights',
  applies: () => recorded.recordings.length > 0 && rows().length > 0,
  render(element) {
    chooseEnds();
    const chosen = state.selected && [state.selected.node, state.selected.own];
    const all = rows();
    const first = all.filter(index => chosen && chosen.includes(index));
    const list = [...first, ...all.filter(index => !first.includes(index))];
    const text = explorer.count(all.length, 'Variable');
    element.append(...recorded.steps().length < 2 ? [dom('p', {class: 'quiet'}, text)] : [
      dom('p', {class: 'quiet'}, text + '; curves: the largest '
        + 'change from step to step, on a logarithmic scale.'),
      dom('p', {class: 'travel'}, choice('weights-from', 'from'), choice('weights-to', 'to'))],
    explorer.some(list, index => dom('li', {}, entry(index)), SHOWN));
  },
});
