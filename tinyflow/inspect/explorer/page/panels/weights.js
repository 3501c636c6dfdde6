// The Variables over the recorded steps: which move, since when one does not, and how far they
// are apart in two steps, of one recording or of two.

const {model, dom, svg, link, recorded, state} = explorer;
const {figure, badness, size, difference, differenceText, heatMap, whole} = explorer.values;
const {recordings} = recorded;
const SHOWN = 12;
const COLOURS = [explorer.COLOURS[0], explorer.COLOURS[5]];     // of the curves of two runs
const longest = one => recorded.groups(one)[0].length;
let other = recordings.slice(1).find(one => longest(one) > 1) || null;  // what is compared
const ends = {from: 0, to: 0, of: []};      // the steps that are compared

// ---- the runs ----------------------------------------------------------------------------------

/** {recording, steps, order}: the steps of a recording of the kind that is looked at. */
function runOf(recording) {
  const kind = JSON.stringify(recorded.kindOf(recorded.current() || {}));
  const groups = recorded.groups(recording);
  const steps = recording === recorded.recording ? recorded.steps()
    : groups.find(group => JSON.stringify(recorded.kindOf(group[0])) === kind) || groups[0];
  return {recording, steps, order: (recording.orders || [])[steps[0].order] || []};
}

const runs = () => [runOf(recorded.recording), ...other ? [runOf(other)] : []];
const placeIn = (run, node) => recorded.placesIn(run.order, node)[0];
const valueIn = (run, step, node) => {
  const place = placeIn(run, node);
  return place === undefined ? undefined : recorded.valueAt(step, place, 0, run.recording);
};
const rows = (all = runs()) => explorer.weights().filter(index => (
  all.some(run => placeIn(run, index) !== undefined)));
const title = run => explorer.short(String(run.recording.title || 'recording'), 40);

// ---- what happened to a Variable ---------------------------------------------------------------

/** The number of the first step of those up to `last` from which on all are so; or null. */
function since(steps, last, isSo) {
  let first = null;
  for (let i = last; i >= 0 && isSo(steps[i], i); i--) { first = i; }
  return first;
}

/** What happened to it in a run: [[text, whether it is bad]], and the sizes of its changes. */
function course(run, index) {
  const {steps} = run;
  const place = placeIn(run, index);
  if (place === undefined) { return {found: [['not recorded', false]], changes: []}; }
  const broken = steps.findIndex(one => badness(valueIn(run, one, index)));
  const last = (broken < 0 ? steps.length : broken) - 1;
  const changes = steps.map(one => Number((one.changes || [])[place]) || 0);
  const found = [];
  const still = since(steps, last, (one, i) => i === last || changes[i + 1] === 0);
  if (still === 0 && last > 0) { found.push(['never changed', true]); }
  else if (still !== null && still < last) {
    found.push([`the same since step ${recorded.nth(steps[still])}`, true]);
  }
  for (const gradient of explorer.training(index).gradients) {
    const most = one => (size(valueIn(run, one, gradient)) || {}).most;
    let end = last;
    while (end >= 0 && most(steps[end]) === undefined) { end--; }
    const zero = since(steps, end, one => most(one) === 0);
    if (zero !== null) {
      found.push([`its gradient is 0 since step ${recorded.nth(steps[zero])}`, true]);
    }
  }
  if (broken >= 0) {
    found.push([`${badness(valueIn(run, steps[broken], index))} since step ` +
                recorded.nth(steps[broken]), true]);
  }
  if (!found.length && steps.length > 1) { found.push(['changes in every step', false]); }
  return {found, changes: changes.slice(1, last + 1)};
}

/** The sizes of the changes from step to step, on a logarithmic scale; none is below it. */
function curves(courses, all) {
  const sizes = courses.flatMap(one => one.changes)
    .filter(one => Number.isFinite(one) && one > 0);
  if (!sizes.length) { return null; }
  const [least, most] = sizes.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)],
                                     [Infinity, 0]);
  const count = Math.max(1, ...all.map(run => run.steps.length - 1));
  const span = Math.max(Math.log10(most / least), 0.5);       // decades
  const y = change => change > 0 ? 3 + 23 * Math.log10(most / Math.min(change, most)) / span : 31;
  const point = (one, i) => `${(240 * (i + 1) / count).toFixed(1)},${y(one).toFixed(1)}`;
  return svg('svg', {viewBox: '0 0 240 32', width: 240, height: 32, role: 'img',
                     'aria-label': 'the changes from step to step'},
    courses.map(({changes}, n) => changes.length === 1
      ? svg('circle', {cx: 240 / count, cy: y(changes[0]), r: 2.5, fill: COLOURS[n]})
      : svg('polyline', {fill: 'none', stroke: COLOURS[n], 'stroke-width': 1.6,
                         points: changes.map(point).join(' ')})));
}

/** How far the chosen steps are apart: from one to the other, or in one run and the other. */
function compared(index, all) {
  const [first, second] = [all[0], all[all.length - 1]];
  const [a, b] = [valueIn(first, first.steps[ends.from], index),
                  valueIn(second, second.steps[ends.to], index)];
  if (a && b && a.n && b.n && a.n.length === 1) {
    return [dom('p', {class: 'quiet'}, other ? `${figure(a.n[0])} and ${figure(b.n[0])}`
      : `from ${figure(a.n[0])} to ${figure(b.n[0])}`)];
  }
  const found = difference(a, b);
  const text = found && (other ? found.most === 0 ? 'equal in these steps'
    : `apart by ${differenceText(found, a)}`
    : found.most === 0 ? 'did not move between these steps'
      : `moved by ${differenceText(found, a)}`);
  return found ? [dom('p', {class: 'quiet'}, text),
                  found.most ? heatMap(found.width, found.cells) : null] : [];
}

function entry(index, all) {
  const name = dom('p', {}, link(model.ofNode[index]));
  if (all.length < 2 && all[0].steps.length < 2) {
    return dom('section', {class: 'weight'}, name,
               whole(valueIn(all[0], all[0].steps[0], index)));
  }
  const courses = all.map(run => course(run, index));
  return dom('section', {class: 'weight'}, name,
    courses.map(({found}, n) => found.length ? dom('p', {class: 'figures'},
      other ? marked(n, `${title(all[n])}:`) : null,
      found.flatMap(([text, bad]) => [
        ' ', dom('span', {class: bad ? 'bad' : 'quiet'}, text)])) : null),
    curves(courses, all), ...compared(index, all));
}

/** A text after a spot in the colour of a run's curve. */
const marked = (n, text) => dom('span', {class: 'quiet'},
  svg('svg', {viewBox: '0 0 10 10', width: 10, height: 10, 'aria-hidden': 'true'},
    svg('circle', {cx: 5, cy: 5, r: 4, fill: COLOURS[n]})), ` ${text}`);

// ---- what is compared --------------------------------------------------------------------------

function choice(id, label, options, change) {
  return dom('label', {}, `${label} `, dom('select', {id, change: event => {
    change(Number(event.target.value));
    explorer.panels.show();
    explorer.get(id).focus();
  }}, options.map(([value, text, selected]) => dom('option', {value, selected}, text))));
}

const stepChoice = (end, label, run) => choice(`weights-${end}`, label,
  run.steps.map((one, i) => [i, `step ${recorded.nth(one)}`, i === ends[end]]),
  value => { ends[end] = value; });

function runChoices() {
  const named = (one, chosen) => [recordings.indexOf(one), title({recording: one}), chosen];
  return dom('p', {class: 'travel'},
    choice('weights-run', 'of', recordings.map(one => named(one, one === recorded.recording)),
      value => {
        Object.assign(recorded, {recording: recordings[value], group: 0, step: 0, at: 0,
                                 other: ''});
        if (other === recorded.recording) { other = null; }
        recorded.go(0, 0);
      }),
    choice('weights-other', 'compared with', [[-1, 'no other run', !other],
      ...recordings.filter(one => one !== recorded.recording).map(
        one => named(one, one === other))], value => { other = recordings[value] || null; }));
}

/** At first: from the first step to the last before a NaN; of two runs the last ones of both. */
function chooseEnds(all) {
  const steps = all.map(run => run.steps);
  if (steps.length === ends.of.length && steps.every((one, i) => one === ends.of[i])) { return; }
  const last = steps.map(these => {
    const broken = these.findIndex(one => one.origin);
    return broken > 0 ? broken : these.length - 1;
  });
  Object.assign(ends, {of: steps, from: other ? last[0] : 0, to: last[last.length - 1]});
}

function controls(all) {
  const several = all.length > 1 || all[0].steps.length > 1;
  return [recordings.length > 1 ? runChoices() : null,
          several ? dom('p', {class: 'travel'},
            stepChoice('from', other ? 'in' : 'from', all[0]),
            stepChoice('to', other ? 'and in' : 'to', all[all.length - 1])) : null];
}

explorer.panels.add({
  id: 'weights', title: 'Weights',
  applies: () => recordings.length > 0 && rows(recordings.map(runOf)).length > 0,
  render(element) {
    const all = runs();
    chooseEnds(all);
    const chosen = state.selected && [state.selected.node, state.selected.own];
    const listed = rows(all);
    const first = listed.filter(index => chosen && chosen.includes(index));
    const list = [...first, ...listed.filter(index => !first.includes(index))];
    const text = explorer.count(listed.length, 'Variable');
    element.append(...[
      dom('p', {class: 'quiet'}, all.every(run => run.steps.length < 2) ? text : text
        + '; curves: the largest change from step to step, on a logarithmic scale.'),
      ...controls(all),
      explorer.some(list, index => dom('li', {}, entry(index, all)), SHOWN)].filter(Boolean));
  },
});
