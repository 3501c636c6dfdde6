// Recorded runs: which step of which runs is looked at, and the values of its operations.

const {model} = explorer;
const recordings = (explorer.document.recordings || []).filter(one =>
  one && Array.isArray(one.steps) && one.steps.length);

const kindOf = step => step.kind || step.fetches;

/** The steps of each recording, in groups of the same kind, the largest first. */
const groupsOf = new Map(recordings.map(one => {
  const groups = new Map();
  for (const each of one.steps) {
    const key = JSON.stringify([kindOf(each), each.order]);
    if (!groups.has(key)) { groups.set(key, []); }
    groups.get(key).push(each);
  }
  return [one, [...groups.values()].sort((a, b) => b.length - a.length)];
}));

const places = new WeakMap();           // order -> node -> its places

/**
 *   step   of the group, `at` the place in the order of its run
 *   other  the step that is compared: its place in the group, or 'r:s' for a step of another
 *          recording; '' for none
 */
const recorded = explorer.recorded = {
  recordings, kindOf, recording: recordings[0], group: 0, step: 0, at: 0, other: '',
  groups: (of = recorded.recording) => groupsOf.get(of),
  steps: () => groupsOf.get(recorded.recording)[recorded.group] || [],
  current: () => recorded.steps()[recorded.step],
  order: () => (recorded.recording.orders || [])[recorded.current().order] || [],

  /** Which of the steps of its group a step is; Python counts the runs of the Session, too. */
  nth: step => Number.isInteger(step.nth) ? step.nth : step.number,

  /** The places of a node in the order of the run. */
  placesOf: node => recorded.placesIn(recorded.order(), node),

  placesIn(order, node) {
    if (!places.has(order)) {
      const found = new Map();
      order.forEach(([index], place) => {
        if (!found.has(index)) { found.set(index, []); }
        found.get(index).push(place);
      });
      places.set(order, found);
    }
    return places.get(order).get(node) || [];
  },

  valueAt(step, place, output = 0, of = recorded.recording) {
    const index = ((step.values || [])[place] || [])[output];
    return typeof index === 'number' ? (of.values || [])[index] : undefined;
  },

  /** The step that is compared, {step, of}, or null. */
  against() {
    const [r, s] = String(recorded.other).split(':');
    const found = s === undefined ? {step: recorded.steps()[r === '' ? -1 : Number(r)],
                                     of: recorded.recording}
      : {step: ((recordings[Number(r)] || {}).steps || [])[Number(s)], of: recordings[Number(r)]};
    return found.step && found.step !== recorded.current() ? found : null;
  },

  /** The value in the compared step of what has this place in the present one. */
  valueAgainst({step, of}, place, output = 0) {
    const order = (of.orders || [])[step.order] || [];
    if (of === recorded.recording && order === recorded.order()) {
      return recorded.valueAt(step, place, output);
    }
    const [node] = recorded.order()[place];
    const nth = recorded.placesOf(node).indexOf(place);         // in loops: which iteration
    const there = recorded.placesIn(order, node)[nth];
    return there === undefined ? undefined : recorded.valueAt(step, there, output, of);
  },

  /** The value of a node in a step, in a loop that of the first iteration; or undefined. */
  valueOf(step, node, output = 0) {
    const [place] = recorded.placesOf(node);
    return place === undefined ? undefined : recorded.valueAt(step, place, output);
  },
};

// ---- Variables ---------------------------------------------------------------------------------

const isSlot = node => node.p === 'optimizer' || node.p === 'gradient';
const sameShape = (a, b) => JSON.stringify((a.t || [])[0]) === JSON.stringify((b.t || [])[0]);

/** The Variables that are no slots. */
explorer.weights = () => model.nodes.flatMap((node, index) =>
  node.k === 'variable' && !isSlot(node) && (node.v === undefined || node.v === index)
    ? [index] : []);

/** What an optimizer does to a Variable: {slots, updates, gradients, others}, indexes of nodes. */
explorer.training = variable => {
  const found = {slots: [], updates: [], gradients: new Set(), others: new Set()};
  model.nodes.forEach((node, index) => {
    if (node.v !== variable || index === variable || node.p !== 'optimizer') { return; }
    if (node.k === 'variable') { found.slots.push(index); }
    else if (/Apply|Assign|Scatter/.test(node.o)) { found.updates.push(index); }
  });
  const seen = new Set(found.updates);
  const todo = [...found.updates];
  while (todo.length) {
    const index = todo.pop();
    for (const [from] of model.nodes[index].i || []) {
      const source = model.nodes[from];
      if (seen.has(from) || source.k === 'variable') { continue; }
      seen.add(from);
      if (source.p === 'gradient') { found.gradients.add(from); }
      else if (source.p === 'optimizer' && source.k !== 'constant') { todo.push(from); }
      else { found.others.add(from); }
    }
  }
  const alike = [...found.gradients].filter(index => (
    sameShape(model.nodes[index], model.nodes[variable])));
  return {...found, gradients: alike.length ? alike : [...found.gradients],
          others: [...found.others]};
};
