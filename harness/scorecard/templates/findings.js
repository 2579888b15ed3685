// What the gate stops at: the runs that did not meet their expectations, and what became of runs since the baseline.

/** A link to a run that finds it when it is followed: the index may not be there yet. */
function runLink(run, fallback, ...children) {
  const node = el('a', { href: fallback }, ...children);
  loadIndex().then(() => { node.href = to(runPath(run)); });
  return node;
}

function unmetRun(item) {
  const name = item.model < 0 ? '' : label(card.models[item.model]);
  const place = to(['scenario', item.scenario]);
  return el('li', { class: 'unmet', test: 'unmet-run' },
    runLink(item.run, place, el('strong', {}, item.scenario), name ? ` ${name}` : '', item.epoch > 1 ? ` #${item.epoch}` : ''), ' ',
    item.change ? el('span', { class: `chip change-${item.change}` }, item.change === 'same' ? 'known' : item.change) : null,
    item.effect === 'none' ? el('span', { class: 'chip' }, 'does not gate') : null,
    el('span', { class: 'soft' }, item.title),
    item.problem ? el('p', {}, missing('not judged'), ' ', item.problem.split('\n')[0]) : null,
    item.findings.map(([message, at]) => el('p', { class: 'what' }, message, at ? [' ', el('code', { class: 'place' }, at)] : null)),
    item.left ? el('p', { class: 'soft' }, `and ${plural(item.left, 'more finding')}`) : null);
}

/** The findings about the node, what gates before the rest. Nothing is there where every run met its expectations. */
function unmet() {
  const { runs, more } = card.unmet;
  if (!runs.length) return null;
  const list = (items) => el('ul', { class: 'plain unmets' }, items.map(unmetRun));
  const all = link(['runs'], { state: runs.some((item) => item.findings.length) ? 'failed' : 'not_judged' }, {}, 'in the list of runs');
  return el('section', { class: 'panel bad', test: 'unmet' }, el('h2', {}, 'Findings about the node'),
    list(runs.slice(0, 8)),
    runs.length > 8 ? fold(plural(runs.length - 8, 'more run'), () => list(runs.slice(8))) : null,
    more ? el('p', { class: 'soft' }, `${plural(more, 'more run')}: `, all) : null);
}

/** What became of the runs since the baseline, the worst first. */
function sinceBaseline() {
  const found = card.baseline;
  if (!found) return null;
  const counts = [['same', `${plural(found.counts.same, 'run')} as before`], ['known', `${found.counts.known} of them known to fail`],
    ...['regressed', 'changed', 'new', 'unjudged', 'gone', 'fixed'].map((name) => [name, `${found.counts[name]} ${name}`])];
  const state = (word) => (word ? said(word) : 'not there');
  return el('section', { class: 'panel', test: 'baseline' }, el('h2', {}, `Since the baseline ${found.file}`),
    el('p', { class: 'chips' }, counts.filter(([name]) => name === 'same' || found.counts[name]).map(([name, words]) => el('span', { class: `chip change-${name}` }, words))),
    found.changes.length ? el('ul', { class: 'plain' }, found.changes.map((item) => el('li', {},
      el('span', { class: `chip change-${item.change}` }, item.change), ' ', item.change === 'gone' ? item.scenario : link(['scenario', item.scenario], {}, {}, item.scenario),
      ` ${item.name}${item.epoch > 1 ? ` #${item.epoch}` : ''}`, el('span', { class: 'soft' }, ` ${state(item.before)} → ${state(item.after)}`),
      item.appeared.map((text) => el('p', { class: 'line del' }, `+ ${text}`)), item.went.map((text) => el('p', { class: 'line add' }, `− ${text}`))))) : null,
    found.more ? el('p', { class: 'soft' }, `${plural(found.more, 'more run')} ${found.more === 1 ? 'is' : 'are'} not as before.`) : null);
}
