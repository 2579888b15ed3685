// The overview: what was run, what it comes to, one row for each model, and where models fail.

const RATES = [
  ['tool_skip', 'Tool skipped'],
  ['recovery', 'Recovered'],
  ['exhausted', 'Exhausted'],
];
const NUMBERS = [
  ['turns_per_run', 'turns'],
  ['tokens_per_run', 'tokens'],
  ['cost_per_run', 'cost'],
  ['seconds_per_run', 'seconds'],
];

const SORTS = [['strict', 'strict turns'], ['pass', 'pass^k'], ['-tool_skip', 'tool skipped, fewest first'], ['recovery', 'recovered'],
  ['-exhausted', 'exhausted, fewest first'], ['-turns_per_run', 'turns, fewest first'], ['-tokens_per_run', 'tokens, fewest first'], ['-seconds_per_run', 'seconds, fewest first'], ['name', 'name']];

function verdictLine() {
  const words = { pass: 'Pass', fail: 'Fail', inconclusive: 'Inconclusive' };
  return el('p', { class: `verdict is-${card.verdict}`, test: 'verdict' },
    el('strong', {}, words[card.verdict]), ' ', card.reason,
    el('span', { class: 'soft' }, card.level === 'required' ? ' · what the contract requires gates' : ' · all expectations gate'));
}

function runStrip() {
  const store = card.stores[0];
  const same = (key) => [...new Set(card.stores.map((item) => item[key]))];
  const dates = same('created');
  const cell = (name, value, note) => el('div', {}, el('dt', {}, name), el('dd', {}, value, note ? el('span', { class: 'soft' }, note) : null));
  const counts = card.counts;
  const planned = card.figures.filter((item) => !item.family);
  const scored = planned.reduce((sum, item) => sum + item.scored, 0);
  const runs = planned.reduce((sum, item) => sum + item.planned, 0);
  return [
    el('dl', { class: 'strip', test: 'strip' },
      cell('Node', card.node, `state ${same('nodeDigest').join(', ')}`),
      cell('Suite', plural(counts.scenarios, 'scenario'), `state ${same('suite').join(', ')}`),
      cell('Runs', counts.runs.toLocaleString('en'), counts.problems ? `${counts.problems.toLocaleString('en')} not judged` : 'all judged'),
      cell('Runs of models', `${scored.toLocaleString('en')} of ${runs.toLocaleString('en')} scored`, card.unrecorded ? `${plural(card.unrecorded, 'task')} not recorded` : plural(card.models.length, 'model')),
      cell('On', store.platform, Object.entries(store.versions).map(([name, version]) => `${name} ${version}`).join(', ')),
      cell('When', dates[dates.length - 1], card.stores.length > 1 ? `${card.stores.length} stores` : store.file)),
    same('nodeDigest').length > 1 ? el('p', { class: 'notice' }, 'These stores are of different states of the node: figures of models are of all of them.') : null,
    card.replaced ? el('p', { class: 'notice' }, `${plural(card.replaced, 'run')} stood in the stores twice: the last one counts.`) : null,
  ];
}

/** How a model compares with the reference, seen from the model. */
function against(model, reference) {
  const found = card.comparisons.find((item) =>
    (item.first === model && item.second === reference) || (item.first === reference && item.second === model));
  if (!found || found.first === model) return found || null;
  return { ...found, difference: -found.difference, low: found.high === null ? null : -found.high,
    high: found.low === null ? null : -found.low, better: found.worse, worse: found.better };
}

function comparisonCell(model, reference) {
  if (model === reference) return el('span', { class: 'soft' }, 'the reference');
  const found = against(model, reference);
  if (!found) return missing('no scenario in common');
  const words = found.apart ? `${points(found.difference)} points` : 'cannot be told apart';
  return el('div', { class: `pair ${found.apart ? '' : 'grey'}`, title: found.words },
    differenceChart(found, found.words), el('span', {}, words),
    el('span', { class: 'soft' }, `${found.apart ? '' : `${points(found.difference)} points, `}${found.better} better, ${found.worse} worse, p = ${found.p}`));
}

function rateCell(rate, href) {
  if (!rate || rate[0] === null) return missing(rate === null || rate === undefined ? 'not measured' : 'nothing to count');
  return el('div', { class: 'rate', title: rateText(rate) }, whisker(rate),
    href ? el('a', { href }, percent(rate[0])) : el('span', {}, percent(rate[0])),
    el('span', { class: 'soft' }, `[${Math.round(100 * rate[1])}, ${Math.round(100 * rate[2])}] n=${rate[3].toLocaleString('en')}`));
}

function shortRate(rate, href) {
  if (!rate || rate[0] === null) return missing(rate ? 'none' : 'not measured');
  const shown = href ? el('a', { href }, percent(rate[0])) : percent(rate[0]);
  return el('div', { class: 'short', title: rateText(rate) }, shown, el('span', { class: 'soft' }, `n=${rate[3].toLocaleString('en')}`));
}

function amount(item, key) {
  const value = item.numbers[key];
  if (value === null || value === undefined) return missing();
  return key.startsWith('cost') ? `${Number(value.toPrecision(3))} ${item.currency}` : number(value);
}

function passCell(item) {
  const ks = Object.keys(item.passHat).map(Number).sort((a, b) => a - b);
  const k = ks[ks.length - 1];
  if (!k) return missing('no task');
  if (k === 1) return el('span', { class: 'soft', title: 'Each scenario was run once.' }, 'k = 1');
  return el('div', { class: 'short', title: ks.map((at) => `pass^${at} ${rateText(item.passHat[at])}`).join(', ') },
    percent(item.passHat[k][0]), el('span', { class: 'soft' }, `k = ${k}, n=${item.passHat[k][3]}`));
}

/** What a column of models sorts by; missing values come last. */
function measure(item, key) {
  if (key === 'name') return label(card.models[item.model]);
  if (item.rates[key]) return item.rates[key][0];
  if (key in item.numbers) return item.numbers[key];
  if (key === 'pass') return (item.passHat[Math.max(0, ...Object.keys(item.passHat).map(Number))] || [null])[0];
  return null;
}

function sorted(items, sort, value) {
  if (!sort) return items;
  const key = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? 1 : -1;
  return [...items].sort((a, b) => {
    const [x, y] = [value(a, key), value(b, key)];
    if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
    if (y === null || y === undefined) return -1;
    return typeof x === 'string' ? -sign * x.localeCompare(y) : sign * (x - y);
  });
}

function modelRows(query) {
  const family = query.get('family') || '';
  const wanted = query.get('q') || '';
  const reference = Math.max(0, modelNumber(query.get('ref') || ''));
  const columns = [
    { name: 'Model', key: 'name', text: true },
    { name: 'Forms of turns' },
    { name: 'Strict turns', key: 'strict', title: card.descriptions.strict[1] },
    { name: 'Tasks solved', key: 'solved', title: card.descriptions.solved[1] },
    { name: 'pass^k', key: 'pass', title: card.descriptions.pass_hat[1] },
    ...RATES.map(([key, name]) => ({ name, key, title: (card.descriptions[key] || ['', ''])[1] })),
    { name: 'Effort a run', key: 'tokens_per_run', title: 'Turns, tokens, cost and seconds of a run.' },
    { name: `Solved, against ${card.models.length ? label(card.models[reference]) : ''}` },
  ];
  const items = card.models
    .map((model, at) => figuresOf(at, family) || { model: at, absent: true, rates: {}, numbers: {}, passHat: {} })
    .filter((item) => fits(wanted, `${card.models[item.model].name} ${card.models[item.model].parameters}`));
  const rows = sorted(items, query.get('sort') || '', measure).map((item) => {
    const model = card.models[item.model];
    const name = [link(['model', model.slug], {}, { class: 'name', test: `model-${model.slug}` }, model.name),
      el('span', { class: 'soft' }, model.parameters)];
    if (item.absent) {
      return row(columns, [name, ...columns.slice(1).map((_, at) => missing(at ? 'missing' : `no run in ${family}`))]);
    }
    const where = { model: model.slug, family };
    return row(columns, [
      [name, el('span', { class: 'soft' }, link(['runs'], where, {}, `${item.scored} of ${item.planned} runs scored`),
        item.missing ? [' ', missing(`${item.missing} of ${item.tasks} tasks missing`)] : null,
        item.headline ? null : [' ', missing('too many missing for a headline')])],
      [stacked(formParts(item.forms), item.turns, 'turn'),
        el('span', { class: 'soft counts' }, W.forms.map((form, at) => (item.forms[at] ? `${form} ${item.forms[at]}` : null)).filter(Boolean).join(' · ') || 'no turn')],
      rateCell(item.rates.strict, to(['runs'], { ...where, form: 'not-strict' })),
      rateCell(item.rates.solved, to(['runs'], { ...where, solved: 'no' })),
      passCell(item),
      shortRate(item.rates.tool_skip, to(['runs'], { ...where, mark: 'tool_skip' })),
      shortRate(item.rates.recovery, to(['runs'], { ...where, mark: 'no_recovery' })),
      shortRate(item.rates.exhausted, to(['runs'], { ...where, outcome: 'exhausted' })),
      el('ul', { class: 'effort' }, NUMBERS.map(([key, unit]) => el('li', {}, amount(item, key), ` ${unit}`))),
      comparisonCell(item.model, reference),
    ]);
  });
  return table('Models', columns, rows, { sortable: true, test: 'models', look: 'models cards', none: 'No model fits the filter.' });
}

function heatMap(query) {
  const families = familiesOf();
  const key = query.get('measure') === 'strict' ? 'strict' : 'solved';
  const columns = [{ name: 'Family' }, { name: 'Tasks', right: true }, ...card.models.map((model) => ({ name: label(model) }))];
  const rows = families.map((family) => row(columns, [
    link(['overview'], { ...Object.fromEntries(query), family }, {}, family),
    String(card.families.find(([name]) => name === family)[1]),
    ...card.models.map((model, at) => {
      const found = figuresOf(at, family);
      const rate = found && found.rates[key];
      if (!rate || rate[0] === null) return el('span', { class: 'heat missing' }, 'missing');
      const hits = Math.round(rate[0] * rate[3]);
      return el('a', { class: `heat heat-${Math.round(rate[0] * 5)}`, title: rateText(rate),
        href: to(['runs'], { model: model.slug, family, ...(key === 'strict' ? { form: 'not-strict' } : {}) }) }, `${hits}/${rate[3]}`,
      found.missing ? el('span', { class: 'lack', title: `${found.missing} of ${found.tasks} tasks of this family have no run` }, `−${found.missing}`) : null);
    }),
  ]));
  return el('section', { class: 'panel' },
    el('div', { class: 'head' }, el('h2', {}, key === 'strict' ? 'Strict turns by family' : 'Tasks solved by family'),
      choice('measure', 'Shown', [['strict', 'strict turns']], 'tasks solved')),
    table('Families by models', columns, rows, { test: 'heat', look: 'heatmap', none: 'No family has a run of a model.' }),
    el('p', { class: 'soft' }, 'A cell says how many of how many; hatched means that nothing was run. −n: so many tasks of the family have no run.'));
}

function firstBad() {
  const most = Math.max(...card.models.map((_, at) => { const item = figuresOf(at, ''); return Math.max(1, ...item.firstBad.map((count, turn) => (turn && count ? turn : 0))); }), 3);
  return el('section', { class: 'panel' }, el('h2', {}, 'The first bad turn of a run'),
    el('div', { class: 'multiples' }, card.models.map((model, at) => {
      const counts = figuresOf(at, '').firstBad;
      const columns = [{ label: 'none', count: counts[0], look: 'none' },
        ...counts.slice(1, most + 1).map((count, turn) => ({ label: turn + 1 === 10 ? '10+' : String(turn + 1), count, look: 'malformed' }))];
      const words = `${label(model)}: ${columns.filter((column) => column.count).map((column) => `${column.label === 'none' ? 'no bad turn' : `first bad turn ${column.label}`} in ${plural(column.count, 'run')}`).join(', ')}`;
      return el('figure', {}, el('figcaption', {}, label(model)), histogram(columns, words));
    })),
    el('p', { class: 'soft' }, 'Malformed, empty, or a call of an unknown tool. none: the run has no such turn.'));
}

function signatureRows(items, model) {
  const columns = [{ name: 'How the turn begins' }, { name: 'What is wrong' }, { name: 'Turns', right: true }, { name: 'Models' }, { name: 'Example' }];
  return table('Failure signatures', columns, items.map(([signature, at]) => row(columns, [
    signature.text ? el('code', {}, signature.text) : el('em', {}, 'nothing was written'),
    link(['legend'], { word: signature.kind }, {}, said(signature.kind)),
    link(['runs'], { sig: String(at), model: model === undefined ? '' : card.models[model].slug }, {}, String(model === undefined ? signature.count : signature.models[model])),
    Object.entries(signature.models).map(([name, count]) => el('span', { class: 'chip' }, `${label(card.models[name])} ${count}`)),
    exampleLink(signature, at, model),
  ])), { test: 'signatures', look: 'cards', none: 'No bad turn.' });
}

/** A link that finds its run when it is followed: the index may not be there yet. */
function exampleLink(signature, at, model) {
  const node = el('a', { href: to(['runs'], { sig: String(at) }) }, 'transcript');
  loadIndex().then(() => {
    const own = model === undefined ? signature.example[0] : index.signatureRuns[at].find((run) => index.model[run] === model);
    const turn = own === signature.example[0] ? signature.example[1] : index.firstBad[own] || 1;
    node.href = to(runPath(own), { turn });
  });
  return node;
}

function published() {
  return el('details', { class: 'panel' }, el('summary', {}, 'Measured by others, not here'),
    el('p', { class: 'soft' }, 'Other tasks, other prompts, other years: these figures tell the order of magnitude, no more.'),
    el('dl', { class: 'published' }, card.published.map((item) => [
      el('dt', {}, item.link ? el('a', { href: item.link, rel: 'noreferrer' }, item.source) : item.source, item.second_hand ? el('span', { class: 'soft' }, ' second hand') : null),
      el('dd', {}, item.figure)])));
}

pages.overview = ({ query }) => {
  const some = card.models.length > 0;
  return ['Overview', [
    el('h1', {}, `Scorecard of ${card.node}`), verdictLine(), runStrip(), unmet(), sinceBaseline(),
    some ? el('div', { class: 'controls' }, filterField('Models'),
      choice('family', 'Family', familiesOf().map((name) => [name, name]), 'all families'),
      choice('sort', 'Sorted by', SORTS, 'tasks solved, best first'),
      choice('ref', 'Compared with', card.models.slice(1).map((model) => [model.slug, label(model)]), label(card.models[0])),
      formKey()) : null,
    some ? modelRows(query) : el('p', { class: 'panel' }, 'There is no run of a model in these stores. ', link(['conformance'], {}, {}, 'What the node does')),
    Object.values(card.notMeasured).length ? el('p', { class: 'soft' }, Object.entries(card.notMeasured).map(([key, reason]) => `${(card.descriptions[key] || [key])[0]}: not measured (${reason}). `)) : null,
    some ? el('div', { class: card.models.length > 4 ? 'two wide' : 'two' }, heatMap(query), firstBad()) : null,
    some ? settings() : null,
    some ? el('section', { class: 'panel' }, el('h2', {}, 'Failure signatures'),
      signatureRows(card.signatures.slice(0, 12).map((item, at) => [item, at])),
      card.signatures.length > 12 || card.moreSignatures ? el('p', { class: 'soft' }, `${card.signatures.length + card.moreSignatures - 12} more, on the pages of the models.`) : null) : null,
    published(),
  ]];
};
