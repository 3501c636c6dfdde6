// What the optimizer did to a Variable in a recorded step: its gradient, slots and update.

const {model, dom, section, link, recorded} = explorer;
const {figure, badness, size, brief, difference, differenceText, heatMap} = explorer.values;

/** The step that follows without another between them that was not recorded. */
function next() {
  const {step} = recorded;
  const [now, after] = [recorded.steps()[step], recorded.steps()[step + 1]];
  return after && recorded.nth(after) === recorded.nth(now) + 1 ? after : null;
}

const sizeText = value => {
  const found = size(value);
  return found ? [figure(found.rms), figure(found.most)] : [badness(value) || 'none', ''];
};

/** [node, output, name] of what an update is told, such as a learning rate. */
function settings(updates, others) {
  const named = updates.flatMap(index => {
    const {i = [], x} = model.nodes[index];
    return Array.isArray(x) ? i.map(([from, output], k) => [from, output, String(x[k])])
      .filter(([from]) => model.nodes[from].k !== 'variable') : [];
  });
  return named.length ? named
    : others.map(index => [index, 0, model.nodes[index].n.split('/').pop()]);
}

function row(name, text, ...more) {
  return dom('tr', {}, dom('th', {scope: 'row'}, name), dom('td', {}, text),
             ...more.map(one => dom('td', {}, one)));
}

/** The Variable before and after, and what was in between; for a Variable and for its update. */
explorer.updateSection = index => {
  const node = model.nodes[index];
  const variable = node.k === 'variable' ? index : /Apply|Assign/.test(node.o) ? node.v : undefined;
  if (variable === undefined || !model.nodes[variable]) { return null; }
  const {slots, updates, gradients, others} = explorer.training(variable);
  const now = recorded.current();
  const ran = updates.filter(one => recorded.placesOf(one).length);
  const before = recorded.valueOf(now, variable);
  const after = ran.length ? recorded.valueOf(now, ran[ran.length - 1]) : undefined;
  if (!before || !after) { return null; }
  const change = difference(before, after);
  const follows = next();
  const slotRows = slots.flatMap(slot => {
    const [was, is] = [now, follows].map(step => step && recorded.valueOf(step, slot));
    return was ? [row(link(model.ofNode[slot], model.nodes[slot].n.split('/').pop()),
                      ...sizeText(was), is ? sizeText(is)[0] : '')] : [];
  });
  const givenBy = settings(ran, others).flatMap(([from, output, name]) => {
    const value = recorded.valueOf(now, from, output);
    return value && value.n && value.n.length === 1 ? [`${name} ${figure(value.n[0])}`] : [];
  });
  return section(`What the optimizer did in step ${recorded.nth(now)}`,
    dom('p', {}, 'By ', ran.map(one => link(model.ofNode[one], model.nodes[one].o)),
      givenBy.length ? `: ${givenBy.join(', ')}` : ''),
    dom('p', {id: 'update-size'}, 'The update: ',
      change ? differenceText(change, before) : brief(after)),
    change && change.most ? heatMap(change.width, change.cells) : null,
    dom('table', {class: 'facts sizes'},
      dom('tr', {}, ['', 'rms', 'at most', 'rms after'].map(one => dom('th', {}, one))),
      row('value', ...sizeText(before), sizeText(after)[0]),
      gradients.map(one => row(link(model.ofNode[one], 'gradient'),
                               ...sizeText(recorded.valueOf(now, one)), '')), slotRows));
};
