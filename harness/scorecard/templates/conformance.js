// Conformance: what the node does, requirement by requirement.

/** How a scenario stands: failed, met, not_judged, or missing where it was not run. */
function standing(id) {
  const at = index.byScenario.get(id);
  if (at === undefined) return 'missing';
  const states = index.runsOf[at].map((run) => W.states[index.state[run]]);
  return ['failed', 'met', 'not_judged'].find((state) => states.includes(state)) || 'missing';
}

function requirementState(item) {
  const states = item.scenarios.map(standing);
  if (states.includes('failed')) return 'failed';
  if (!states.length || states.every((state) => state === 'missing')) return 'missing';
  if (!states.includes('met')) return 'not_judged';
  return 'met';
}

function levelTile(name, count, words) {
  return el('div', { class: 'tile' }, el('h3', {}, name), el('p', { class: 'big' }, count.runs ? `${count.met.toLocaleString('en')}/${count.runs.toLocaleString('en')}` : missing()), el('p', { class: 'soft' }, words));
}

function familyTable() {
  const columns = [{ name: 'Family' }, { name: 'Runs' }, { name: 'Met', right: true }, { name: 'Failed', right: true }, { name: 'Not judged', right: true }];
  const counts = new Map();
  for (let run = 0; run < index.size; run += 1) {
    const { family } = index.scenarios[index.scenario[run]];
    if (!counts.has(family)) counts.set(family, [0, 0, 0]);
    counts.get(family)[index.state[run]] += 1;
  }
  return table('Families', columns, [...counts].map(([name, own]) => {
    const total = own.reduce((sum, count) => sum + count, 0);
    const number = (state) => link(['runs'], { group: name, state: W.states[state] }, {}, String(own[state]));
    return row(columns, [link(['runs'], { group: name }, {}, name),
      stacked(W.states.map((state, place) => ({ name: said(state), look: state, count: own[place] })), total, 'run'), number(0), number(1), number(2)]);
  }), { test: 'families', look: 'cards' });
}

pages.conformance = async ({ query }) => {
  await loadIndex();
  const states = new Map(index.requirements.map((item) => [item.id, requirementState(item)]));
  const wanted = index.requirements.filter((item) =>
    (!query.get('level') || item.level === query.get('level')) &&
    (!query.get('state') || (query.get('state') === 'thin' ? item.missing : states.get(item.id) === query.get('state'))) &&
    fits(query.get('q') || '', `${item.id} ${item.text} ${item.scenarios.join(' ')}`));
  const order = ['failed', 'missing', 'not_judged', 'met'];
  const { shown, buttons } = paged(sorted(wanted, query.get('sort') || '-state', (item, key) => (key === 'state' ? order.indexOf(states.get(item.id)) : key === 'scenarios' ? item.scenarios.length : item.id)));
  const columns = [{ name: 'Requirement', key: 'id', text: true }, { name: 'The sentence' }, { name: 'Level' }, { name: 'State', key: 'state' }, { name: 'Scenarios', key: 'scenarios' }];
  const met = [...states.values()].filter((state) => state === 'met').length;
  return ['Conformance', [
    crumbs(['Overview', ['overview']]), el('h1', {}, `Conformance of ${card.node}`), verdictLine(),
    el('div', { class: 'tiles' },
      levelTile('Required', card.counts.required, 'Runs of scenarios of the contract that the node met, of those that were judged.'),
      levelTile('Hardening', card.counts.hardening, 'The same of what goes beyond the contract.'),
      el('div', { class: 'tile' }, el('h3', {}, 'Not judged'), el('p', { class: 'big' }, link(['runs'], { state: 'not_judged' }, {}, card.counts.problems.toLocaleString('en'))), el('p', { class: 'soft' }, 'Runs that say nothing about the node. They are no passes.')),
      index.requirements.length ? el('div', { class: 'tile' }, el('h3', {}, 'Requirements'), el('p', { class: 'big' }, `${met}/${index.requirements.length}`), el('p', { class: 'soft' }, `met; ${index.requirements.filter((item) => !item.missing).length} are proved by enough scenarios of different shape.`)) : null),
    unmet(), sinceBaseline(),
    el('section', {}, el('h2', {}, 'Families'), familyTable()),
    el('section', {}, el('h2', {}, 'Requirements'),
      index.requirements.length ? [
        el('div', { class: 'controls' }, filterField('Requirement or scenario'), choice('level', 'Level', [['required', 'required'], ['hardening', 'hardening']], 'all'),
          choice('state', 'State', [...order.map((state) => [state, said(state)]), ['thin', 'not proved well enough']], 'all')),
        el('p', { class: 'count', test: 'count' }, `${plural(wanted.length, 'requirement')} of ${index.requirements.length}`),
        table('Requirements', columns, shown.map((item) => row(columns, [
          el('span', { class: 'name' }, item.id), [item.text, item.missing ? el('span', { class: 'soft' }, item.missing) : null], item.level,
          states.get(item.id) === 'missing' ? missing() : el('span', { class: `state is-${states.get(item.id)}` }, said(states.get(item.id))),
          scenarioChips(item),
        ])), { sortable: true, test: 'requirements', look: 'cards' }), buttons,
      ] : el('p', {}, missing('There are no scenarios here: name their folder with --scenarios.'))),
  ]];
};

function scenarioChips(item) {
  const order = { failed: 0, missing: 1, not_judged: 2, met: 3 };
  const found = item.scenarios.map((id) => [id, standing(id)]).sort((a, b) => order[a[1]] - order[b[1]]);
  const chip = ([id, state]) => (state === 'missing' ? el('span', { class: 'chip missing' }, `${id}: not run`) : link(['scenario', id], {}, { class: `chip is-${state}` }, id));
  return el('div', {}, el('span', { class: 'chips' }, found.slice(0, 4).map(chip)),
    found.length > 4 ? fold(`${found.length - 4} more`, () => el('span', { class: 'chips' }, found.slice(4).map(chip))) : null);
}
