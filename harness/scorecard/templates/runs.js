// All runs in a table that filters: every number of the other pages leads here, and from here to a transcript.

const RUN_COLUMNS = [
  { name: 'Scenario', key: 'scenario', text: true },
  { name: 'Model', key: 'model', text: true },
  { name: 'Run', right: true },
  { name: 'Outcome', key: 'outcome' },
  { name: 'Task', key: 'solved' },
  { name: 'Turns', key: 'turns' },
  { name: 'First bad turn', key: 'first', right: true },
  { name: 'Node' },
];

let texts = null;

/** What a filter looks into: of each scenario, and of each model (the first one: scripted). */
function searched() {
  texts = texts || {
    scenarios: index.scenarios.map((item) => `${item.id} ${item.family} ${item.title || ''}`.toLowerCase()),
    models: ['scripted', ...card.models.map((model) => label(model).toLowerCase())],
  };
  return texts;
}

/** The numbers of the runs that fit what is asked. */
function chosen(query) {
  const slug = query.get('model');
  const model = !slug ? null : slug === '-' ? -1 : modelNumber(slug);
  const family = query.get('family') ? index.families.indexOf(query.get('family')) : null;
  const group = query.get('group');
  const outcome = query.get('outcome') ? W.outcomes.indexOf(query.get('outcome')) : null;
  const state = query.get('state') ? W.states.indexOf(query.get('state')) : null;
  const flag = query.get('flag') ? 1 << W.flags.indexOf(query.get('flag')) : null;
  const mark = query.get('mark') ? 1 << W.marks.indexOf(query.get('mark')) : null;
  const solved = { yes: 1, no: 0 }[query.get('solved')];
  const form = query.get('form');
  const letter = form && W.letters[W.forms.indexOf(form)];
  const words = (query.get('q') || '').toLowerCase().split(/\s+/).filter(Boolean);
  const named = words.length ? searched() : null;
  const within = query.get('sig') !== null ? index.signatureRuns[Number(query.get('sig'))] || [] : null;
  const found = [];
  for (const run of within || index.scenario.keys()) {
    if (model !== null && index.model[run] !== model) continue;
    if (family !== null && index.family[run] !== family) continue;
    if (group && index.scenarios[index.scenario[run]].family !== group) continue;
    if (outcome !== null && index.outcome[run] !== outcome) continue;
    if (state !== null && index.state[run] !== state) continue;
    if (solved !== undefined && index.solved[run] !== solved) continue;
    if (mark !== null && !(index.marks[run] & mark)) continue;
    if (flag !== null && !(index.flags[run] & flag)) continue;
    if (form === 'not-strict' && (!index.forms[run] || /^s*$/.test(index.forms[run]))) continue;
    if (letter && !index.forms[run].includes(letter)) continue;
    if (named && !words.every((word) => named.scenarios[index.scenario[run]].includes(word) || named.models[index.model[run] + 1].includes(word))) continue;
    found.push(run);
  }
  return found;
}

const RUN_VALUES = {
  scenario: (run) => index.scenarios[index.scenario[run]].id,
  model: (run) => modelName(index.model[run]),
  outcome: (run) => (index.outcome[run] < 0 ? null : index.outcome[run]),
  solved: (run) => (index.solved[run] < 0 ? null : index.solved[run]),
  turns: (run) => index.forms[run].length,
  first: (run) => index.firstBad[run] || null,
};

function stateWord(run) {
  const state = W.states[index.state[run]];
  return el('span', { class: `state is-${state}` }, said(state));
}

function runRow(run) {
  const scenario = index.scenarios[index.scenario[run]];
  return row(RUN_COLUMNS, [
    link(runPath(run), index.firstBad[run] ? { turn: index.firstBad[run] } : {}, { class: 'name' }, scenario.id),
    index.model[run] < 0 ? el('span', { class: 'soft' }, 'scripted') : link(['model', card.models[index.model[run]].slug], {}, {}, modelName(index.model[run])),
    String(index.epoch[run]),
    index.outcome[run] < 0 ? el('span', { class: 'soft' }, 'about the node') : said(W.outcomes[index.outcome[run]]),
    index.solved[run] < 0 ? el('span', { class: 'soft' }, 'no task') : index.solved[run] ? 'solved' : el('strong', {}, 'not solved'),
    index.model[run] < 0 ? el('span', { class: 'soft' }, 'scripted') : letters(index.forms[run]),
    index.firstBad[run] ? String(index.firstBad[run]) : el('span', { class: 'soft' }, 'none'),
    stateWord(run),
  ]);
}

pages.runs = async ({ query }) => {
  await loadIndex();
  const names = (list) => list.map((name) => [name, said(name)]);
  const found = sorted(chosen(query), query.get('sort') || '', (run, key) => (RUN_VALUES[key] ? RUN_VALUES[key](run) : null));
  const { shown, buttons } = paged(found);
  tell(plural(found.length, 'run'));
  const signature = query.get('sig') !== null ? card.signatures[Number(query.get('sig'))] : null;
  return ['Runs', [
    crumbs(['Overview', ['overview']]), el('h1', {}, 'Runs'),
    el('div', { class: 'controls' }, filterField('Scenario or model'),
      choice('model', 'Model', [...card.models.map((model) => [model.slug, label(model)]), ['-', 'scripted']], 'all'),
      choice('family', 'Family', [...index.families].sort().map((name) => [name, name]), 'all'),
      choice('outcome', 'Outcome', names(W.outcomes), 'all'),
      choice('solved', 'Task', [['yes', 'solved'], ['no', 'not solved']], 'all'),
      choice('form', 'With a turn', [['not-strict', 'not strict'], ...names(W.forms)], 'of any form'),
      choice('mark', 'Tools', [['tool_skip', 'skipped one that is needed'], ['needless_tool', 'used one needlessly'], ['recovery', 'recovered from an error'], ['no_recovery', 'did not recover']], 'all'),
      choice('flag', 'With a flag', names(W.flags), 'or none'),
      choice('state', 'Node', names(W.states), 'all')),
    query.get('group') ? el('p', { class: 'notice' }, `Scenarios of the family ${query.get('group')} `, el('button', { type: 'button', onclick: () => ask({ group: '' }) }, 'show all')) : null,
    signature ? el('p', { class: 'notice' }, `Runs with the ${said(signature.kind)} turn `, el('code', {}, signature.text || 'nothing was written'), ' ', el('button', { type: 'button', onclick: () => ask({ sig: '' }) }, 'show all')) : null,
    el('p', { class: 'count', test: 'count' }, `${plural(found.length, 'run')} of ${index.size.toLocaleString('en')}`),
    table('Runs', RUN_COLUMNS, shown.map(runRow), { sortable: true, test: 'runs', look: 'cards', none: 'No run fits.' }), buttons,
  ]];
};
