// The page of a model: its figures, how its runs ended, its scenarios with failures first, its bad turns.

function tile(key, rate) {
  const [name, meaning] = card.descriptions[key] || [said(key), ''];
  return el('div', { class: 'tile' }, el('h3', {}, name), rateCell(rate), el('p', { class: 'soft' }, meaning));
}

function outcomeBars(model, item) {
  const total = item.planned;
  return el('ul', { class: 'bars', test: 'outcomes' }, W.outcomes.map((name, at) => (item.outcomes[at] === 0 ? null : el('li', {},
    link(['runs'], { model: card.models[model].slug, outcome: name }, {}, said(name)),
    picture(200, 12, `${item.outcomes[at]} of ${total}`, draw('rect', { width: 200, height: 12, class: 'fill-track' }),
      draw('rect', { width: (200 * item.outcomes[at]) / total, height: 12, class: name === 'infrastructure' ? 'fill-missing' : 'fill-accent' })),
    el('span', {}, `${item.outcomes[at]} of ${total}`)))));
}

/** Each scenario of a model with its runs; those that failed worst come first. */
function scenarioRows(model, query) {
  const groups = new Map();
  for (let run = 0; run < index.size; run += 1) {
    if (index.model[run] !== model) continue;
    const at = index.scenario[run];
    if (!groups.has(at)) groups.set(at, []);
    groups.get(at).push(run);
  }
  const items = [...groups].map(([at, runs]) => {
    const tasks = runs.filter((run) => index.solved[run] >= 0);
    const solved = tasks.filter((run) => index.solved[run] === 1).length;
    return { at, runs, tasks: tasks.length, solved, share: tasks.length ? solved / tasks.length : 2 };
  }).filter((item) => fits(query.get('q') || '', `${index.scenarios[item.at].id} ${index.scenarios[item.at].family} ${index.scenarios[item.at].title || ''}`));
  items.sort((a, b) => a.share - b.share || index.scenarios[a.at].id.localeCompare(index.scenarios[b.at].id));
  const { shown, buttons } = paged(items);
  const columns = [{ name: 'Scenario' }, { name: 'Family' }, { name: 'Solved' }, { name: 'Runs' }];
  return [table('Scenarios of the model', columns, shown.map((item) => {
    const scenario = index.scenarios[item.at];
    return row(columns, [
      [link(['scenario', scenario.id], {}, { class: 'name' }, scenario.id), el('span', { class: 'soft' }, scenario.title || '')],
      scenario.family,
      item.tasks ? el('span', { class: item.share === 1 ? '' : 'strong' }, `${item.solved}/${item.tasks}`) : missing('no task'),
      el('span', { class: 'chips' }, item.runs.slice(0, 8).map((run) => runChip(run)), item.runs.length > 8 ? link(['runs'], { model: card.models[model].slug, q: scenario.id }, {}, `all ${item.runs.length}`) : null),
    ]);
  }), { test: 'scenarios', look: 'cards' }), buttons];
}

/** A run as a chip: its outcome, whether the task was solved, and the forms of its turns. */
function runChip(run, withModel) {
  const outcome = index.outcome[run] < 0 ? said(W.states[index.state[run]]) : said(W.outcomes[index.outcome[run]]);
  const solved = index.solved[run] < 0 ? '' : index.solved[run] ? ', solved' : ', not solved';
  const name = withModel ? `${modelName(index.model[run])}${index.epoch[run] > 1 ? ` #${index.epoch[run]}` : ''}` : `${outcome}${solved}`;
  return link(runPath(run), {}, { class: `chip run ${index.solved[run] === 1 ? 'good' : ''}`, title: `${modelName(index.model[run])}, run ${index.epoch[run]}: ${outcome}${solved}` },
    name, ' ', letters(index.forms[run]));
}

pages.model = async ({ parts, query }) => {
  const model = modelNumber(parts[1]);
  if (model < 0) return absent(`There is no model ${parts[1]} in these stores.`);
  await loadIndex();
  const item = figuresOf(model, '');
  const { name, parameters, slug } = card.models[model];
  const own = card.signatures.map((signature, at) => [signature, at]).filter(([signature]) => model in signature.models).slice(0, 12);
  const keys = Object.keys(item.rates);
  return [name, [
    crumbs(['Overview', ['overview']]), el('h1', {}, name),
    el('p', { class: 'soft' }, parameters || 'no parameters', ' · ', link(['runs'], { model: slug }, {}, `${item.scored} of ${item.planned} runs scored`), ` · ${plural(item.scenarios, 'scenario')} · ${plural(item.turns, 'turn')}`,
      item.missing ? [' · ', missing(`${item.missing} of ${item.tasks} tasks missing`)] : null),
    el('section', { class: 'panel' }, el('div', { class: 'head' }, el('h2', {}, 'How its turns were written'), formKey()), stacked(formParts(item.forms), item.turns, 'turn'),
      el('p', { class: 'counts' }, W.forms.map((form, at) => `${form} ${item.forms[at]}`).join(' · '))),
    el('section', { class: 'panel' }, el('h2', {}, 'How its runs ended'), outcomeBars(model, item)),
    el('section', {}, el('h2', {}, 'Its scenarios, failures first'), el('div', { class: 'controls' }, filterField('Scenarios')), scenarioRows(model, query)),
    el('section', { class: 'panel' }, el('h2', {}, 'Its bad turns'), signatureRows(own, model)),
    el('section', {}, el('h2', {}, 'All its figures'), el('div', { class: 'tiles' }, keys.map((key) => tile(key, item.rates[key])),
      Object.entries(item.passHat).filter(([k]) => k !== '1').map(([k, rate]) => el('div', { class: 'tile' }, el('h3', {}, `pass^${k}`), el('p', {}, rateText(rate)), el('p', { class: 'soft' }, `The chance that ${k} runs of a scenario all solve its task.`))),
      Object.entries(item.numbers).map(([key, value]) => el('div', { class: 'tile' }, el('h3', {}, (card.descriptions[key] || [said(key)])[0]), el('p', { class: 'big' }, amount(item, key)), el('p', { class: 'soft' }, (card.descriptions[key] || ['', ''])[1]))))),
  ]];
};
