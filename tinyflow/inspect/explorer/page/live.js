// Follows a training that runs, where its process serves the page: asks every second what is new.

const {dom, get} = explorer;
const EVERY = 1000, PATIENCE = 5;       // milliseconds; questions without an answer
const live = explorer.document.live;
let failed = 0;

function steps(training) {
  const loss = (training.curves || {}).loss || [];
  const [step, value] = loss[loss.length - 1] || [];
  return loss.length ? `step ${step}, loss ${value.toPrecision(4)}` : '';
}

/** What is shown next to the title. */
function show(status, ...more) {
  get('live').replaceChildren(dom('strong', {}, status), ...more.flatMap(each => [' ', each]));
}

function take(state) {
  if (live.nodes < 2 && state.nodes > live.nodes) { location.reload(); return; }
  explorer.document.training = state.training;
  explorer.emit('training');
  const place = get('panel'), {scrollTop} = place;
  explorer.panels.show();
  place.scrollTop = scrollTop;
  const grown = state.nodes > live.nodes && dom('button', {click: () => location.reload()},
                                                'the graph has grown: load it again');
  show(state.ended ? 'ended' : 'running', steps(state.training), ...(grown ? [grown] : []));
}

async function ask() {
  try {
    const answer = await fetch('state', {cache: 'no-store'});
    if (!answer.ok) { throw new Error(await answer.text()); }
    failed = 0;
    const state = await answer.json();
    take(state);
    if (state.ended) { return; }
  } catch (error) {
    failed += 1;
    if (failed === PATIENCE) { show('ended', 'the page keeps what it has'); return; }
  }
  setTimeout(ask, EVERY);
}

if (live && location.protocol.startsWith('http')) {
  get('title').after(dom('span', {id: 'live', role: 'status'}));
  show('running');
  ask();
}
