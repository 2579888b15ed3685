// The page of a scenario: who disagrees. Models stand in groups by how they ended.

function groups(runs) {
  const found = new Map();
  for (const run of runs) {
    const outcome = index.outcome[run] < 0 ? said(W.states[index.state[run]]) : said(W.outcomes[index.outcome[run]]);
    const solved = index.solved[run] < 0 ? '' : index.solved[run] ? ', solved' : ', not solved';
    const key = outcome + solved;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(run);
  }
  return [...found].sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
}

pages.scenario = async ({ parts }) => {
  await loadIndex();
  const at = index.byScenario.get(parts[1]);
  if (at === undefined) return absent(`There is no scenario ${parts[1]} in these stores.`);
  const scenario = index.scenarios[at];
  const runs = index.runsOf[at];
  const byModel = runs.filter((run) => index.model[run] >= 0);
  const found = groups(byModel.length ? byModel : runs);
  const count = (byModel.length ? byModel : runs).length;
  const before = index.scenarios[at - 1];
  const next = index.scenarios[at + 1];
  const absentModels = scenario.task ? card.models.filter((_, model) => !byModel.some((run) => index.model[run] === model)) : [];
  return [scenario.id, [
    crumbs(['Overview', ['overview']], ['Runs', ['runs'], { family: scenario.family }]),
    el('h1', {}, scenario.id),
    el('p', { class: 'lead' }, scenario.title || ''),
    el('p', { class: 'soft' }, `${scenario.family} · ${scenario.level}`, scenario.file ? [' · ', el('code', {}, scenario.file)] : null, (scenario.requirements || []).map((id) => [' · ', link(['conformance'], { q: id }, {}, id)])),
    scenario.changed ? el('p', { class: 'notice' }, 'The file of this scenario has changed since it was run: what is shown of it is as it is now.') : null,
    scenario.source === undefined ? el('p', { class: 'notice' }, 'The file of this scenario is not here: question and expectations are ', missing(), '.') : null,
    el('section', { class: 'panel', test: 'groups' }, el('h2', {}, byModel.length ? 'Who disagrees' : 'Its runs'),
      count > 1 ? el('p', { class: 'agree' }, found[0][1].length > 1 ? [el('strong', {}, `${found[0][1].length} of ${count}`), ` agree: ${found[0][0]}`]
        : [el('strong', {}, `No two of ${count}`), ' agree']) : null,
      el('dl', { class: 'groups' }, found.map(([name, own]) => [el('dt', {}, name, el('span', { class: 'soft' }, ` ${own.length}`)),
        el('dd', { class: 'chips' }, own.slice(0, 40).map((run) => runChip(run, true)), own.length > 40 ? link(['runs'], { q: scenario.id }, {}, `all ${own.length}`) : null)]),
      absentModels.length ? [el('dt', {}, missing('no run')), el('dd', {}, absentModels.map((model) => el('span', { class: 'chip missing' }, label(model))))] : null),
      byModel.length && byModel.length < runs.length ? el('p', { class: 'soft' }, 'Without a model: ', runs.filter((run) => index.model[run] < 0).slice(0, 20).map((run) => runChip(run, true))) : null),
    scenario.question ? el('section', { class: 'panel' }, el('h2', {}, 'The question'), shownText('pre', { class: 'plain' }, scenario.question)) : null,
    scenario.why ? el('section', { class: 'panel' }, el('h2', {}, 'Why it is in the suite'), shownText('p', {}, scenario.why)) : null,
    scenario.source ? el('section', { class: 'panel' }, el('h2', {}, 'The scenario: question, tools, expectations'), shownText('pre', {}, scenario.source)) : null,
    el('nav', { class: 'steps', 'aria-label': 'Scenarios' },
      before ? link(['scenario', before.id], {}, { id: 'before', rel: 'prev' }, `← ${before.id}`) : el('span', {}),
      next ? link(['scenario', next.id], {}, { id: 'next', rel: 'next' }, `${next.id} →`) : null),
  ]];
};
