// The stages and passes of a run's compilation, as one steps through them: the program after each,
// what went and what came, and the nodes coloured accordingly.

const {model, dom, section, state} = explorer;
const AROUND = 2;               // unchanged lines above and below a change
const MOST = 400;               // rows of a program that are shown at first
const [STAYS, CAME, CHANGED, GONE] = ['#56b4e9', '#009e73', '#e69f00', '#d55e00'];
const decoded = new Map();      // run -> its stages
let chosen = 0;

const currentRun = () => (explorer.document.runs || [])[state.run || 0];

/**
 * The stages of a run: {name, text, lines, from, gone, before, nodes}; `from` has for each line its
 * place in the program before, or -1; `gone` are lines of that program, {text, nodes, at}.
 */
function stages() {
  const run = currentRun();
  if (!run || !run.stages) { return []; }
  if (!decoded.has(run)) { decoded.set(run, decode(run.stages)); }
  return decoded.get(run);
}

function decode(list) {
  let lines = [];
  return list.map(({name, text, lines: given}) => {
    const before = lines;
    if (!given) {                       // a stage that leaves the program as it is
      return {name, text, lines, from: lines.map((line, i) => i), gone: [],
              before: nodesOf(before), nodes: nodesOf(lines)};
    }
    const from = given.map(line => typeof line === 'number' ? line : -1);
    lines = given.map(line => typeof line === 'number' ? before[line] || ['', []] : line);
    const nodes = nodesOf(lines);
    const kept = new Set(from);
    const gone = before.map(([text, of], at) => ({text, nodes: of, at}))
      .filter(({nodes: of, at}) => !kept.has(at) && !of.some(node => nodes.has(node)));
    return {name, text, lines, from, gone, before: nodesOf(before), nodes};
  });
}

const nodesOf = lines => new Set(lines.flatMap(([, nodes]) => nodes));

/** Rows of the listing: {kind: 'stays' | 'came' | 'changed' | 'gone', text, nodes}. */
function rows(stage) {
  const found = [];
  const gone = [...stage.gone];
  const plain = stage.before.size === 0 || isConversion(stage);
  stage.lines.forEach(([text, nodes], i) => {
    const from = stage.from[i];
    while (from >= 0 && gone.length && gone[0].at < from) {
      found.push({kind: 'gone', ...gone.shift()});
    }
    const known = nodes.length && nodes.every(node => stage.before.has(node));
    found.push({text, nodes, kind: plain || from >= 0 ? 'stays' : known ? 'changed' : 'came'});
  });
  return [...found, ...gone.map(line => ({kind: 'gone', ...line}))];
}

/** Long stretches of what stays are left out, unless nothing went or came. */
function shortened(all) {
  if (all.every(({kind}) => kind !== 'gone' && kind !== 'came')) { return all; }
  const near = new Set();
  all.forEach(({kind}, i) => {
    if (kind === 'stays' || kind === 'changed') { return; }
    for (let k = i - AROUND; k <= i + AROUND; k++) { near.add(k); }
  });
  const found = [];
  let left = 0;
  const flush = () => { if (left) { found.push({kind: 'left', count: left}); left = 0; } };
  all.forEach((row, i) => {
    if (near.has(i)) { flush(); found.push(row); } else { left++; }
  });
  flush();
  return found;
}

const SIGNS = {stays: ' ', came: '+', changed: '~', gone: '−'};
const WORDS = {came: 'came: ', changed: 'changed: ', gone: 'gone: '};

function rowElement(row) {
  if (row.kind === 'left') {
    return dom('div', {class: 'left'}, `   ${explorer.count(row.count, 'other line')}`);
  }
  const text = explorer.short(row.text, 300);
  const node = row.nodes.find(index => model.ofNode[index]);
  const content = node === undefined ? dom('span', {}, text) : dom('button', {
    class: 'line', title: explorer.short(model.nodes[node].n, 300),
    click: () => explorer.reveal(model.ofNode[node]),
  }, text);
  const selected = state.selected &&
    row.nodes.some(index => index === state.selected.node || index === state.selected.own);
  return dom('div', {class: `row ${row.kind}${selected ? ' here' : ''}`},
    dom('i', {'aria-hidden': 'true'}, SIGNS[row.kind]),
    WORDS[row.kind] ? dom('span', {class: 'spoken'}, WORDS[row.kind]) : null, content);
}

function listing(stage, whole) {
  const all = whole ? rows(stage) : shortened(rows(stage));
  const place = dom('div', {class: 'program', tabindex: '0'}, all.slice(0, MOST).map(rowElement));
  if (all.length > MOST) {
    const more = dom('button', {class: 'link', click: () => {
      more.remove();
      place.append(...all.slice(MOST, 20 * MOST).map(rowElement));
    }}, explorer.count(all.length - MOST, 'more line'));
    place.append(more);
  }
  return place;
}

/** The nodes of a stage in colours; those that are gone already have none. */
function colours() {
  const stage = stages()[chosen];
  if (!stage) { return null; }
  const found = new Map();
  for (const node of stage.before) { if (!stage.nodes.has(node)) { found.set(node, GONE); } }
  for (const node of stage.nodes) {
    found.set(node, !stage.before.size || stage.before.has(node) ? STAYS : CAME);
  }
  if (!isConversion(stage)) {
    stage.lines.forEach(([, nodes], i) => {
      if (stage.from[i] < 0) {
        for (const node of nodes) { if (stage.before.has(node)) { found.set(node, CHANGED); } }
      }
    });
  }
  const used = new Set(found.values());
  return [found, [[STAYS, 'in the program'], [CHANGED, 'changed by this stage'], [CAME, 'came'],
                  [GONE, 'gone by this stage']].filter(([colour]) => used.has(colour))];
}

/** A stage after which the program is of another form, so that all of its lines are new. */
const isConversion = stage => ['prune', 'lower', 'codegen'].includes(stage.name);

explorer.colours.add('stage', 'stage of compilation', colours);

function step(to) {
  const last = stages().length - 1;
  chosen = Math.max(0, Math.min(last, to));
  explorer.colours.use('stage');
  explorer.panels.show();
  const stage = stages()[chosen];
  explorer.say(`${stage.name}: ${stage.text[0] || ''}`);
}

function controls(list) {
  const button = (text, label, to, disabled) => dom('button', {
    id: `stage-${label}`, 'aria-label': `${label} stage`, disabled, click: () => {
      step(to);
      const again = explorer.get(`stage-${label}`);
      (again.disabled ? explorer.get('stage') : again).focus();
    }}, text);
  const choice = dom('select', {id: 'stage', 'aria-label': 'stage', change: event => {
    step(Number(event.target.value));
    explorer.get('stage').focus();
  }}, list.map(({name}, i) => dom('option', {value: String(i), selected: i === chosen},
    `${i + 1}  ${name}`)));
  return dom('p', {class: 'steps'}, button('‹', 'previous', chosen - 1, chosen === 0), choice,
             button('›', 'next', chosen + 1, chosen === list.length - 1));
}

function runChoice() {
  const runs = explorer.document.runs;
  if (runs.length < 2) { return null; }
  return dom('p', {}, dom('select', {'aria-label': 'run', change: event => {
    state.run = Number(event.target.value);
    step(0);
  }}, runs.map((run, i) => dom('option', {value: String(i), selected: i === state.run},
    explorer.short(run.fetches.join(', '), 60)))));
}

function summary(stage) {
  const lost = [...stage.before].filter(node => !stage.nodes.has(node)).length;
  const parts = [explorer.count(stage.lines.length, 'line')];
  if (lost) { parts.push(`${explorer.count(lost, 'node')} gone`); }
  return parts.join(', ');
}

explorer.panels.add({
  id: 'passes', title: 'Passes',
  applies: () => stages().length > 0,
  render(element) {
    const list = stages();
    chosen = Math.min(chosen, list.length - 1);
    const stage = list[chosen];
    const run = currentRun();
    const place = dom('div', {}, listing(stage, isConversion(stage)));
    const whole = dom('input', {type: 'checkbox', change: event => {
      place.replaceChildren(listing(stage, event.target.checked));
    }});
    whole.checked = isConversion(stage);
    element.append(...[
      dom('h2', {}, 'From nodes to a program'),
      dom('p', {class: 'quiet'}, 'run ', explorer.short(run.fetches.join(', '), 120),
        (run.feeds || []).length ? ` fed with ${explorer.short(run.feeds.join(', '), 160)}` : ''),
      runChoice(), controls(list),
      ...stage.text.slice(0, 30).map(line => dom('p', {}, explorer.short(line, 300))),
      section(summary(stage), dom('label', {class: 'quiet'}, whole, ' the lines that stay, too'),
              place),
    ].filter(Boolean));
  },
});
