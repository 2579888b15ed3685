// The difference of two stores: what was added, is gone or changed, and the cause.

const CHANGES = ['regressed', 'changed', 'unjudged', 'gone', 'new', 'fixed', 'differs'];

function sideCell(name, side) {
  return el('div', {}, el('dt', {}, name), el('dd', {}, side.file, el('span', { class: 'soft' }, `${side.node} ${side.node_digest.slice(0, 12)} · ${plural(side.runs, 'run')} · ${side.created.replace('T', ' ').slice(0, 16)}`)));
}

function changedRun(item) {
  const path = item.change === 'gone' ? null : [item.scenario, item.model, item.run];
  return el('details', { class: 'panel change', test: 'change' },
    el('summary', {}, el('span', { class: `chip change-${item.change}` }, item.change), ' ', el('strong', {}, item.scenario), ' ', item.model || 'scripted', item.run > 1 ? ` #${item.run}` : '',
      el('span', { class: 'soft' }, ` · cause: ${item.causes.map(said).join(', ') || 'none'}`)),
    el('p', {}, `${item.before ? said(item.before) : 'not there'} → ${item.after ? said(item.after) : 'not there'}`, item.facts.length ? ` · differs: ${item.facts.join(', ')}` : '', item.doors.length ? ` · doors: ${item.doors.join(', ')}` : ''),
    item.problem ? el('p', { class: 'notice' }, item.problem) : null,
    item.appeared.map((text) => el('p', { class: 'line del' }, `+ ${text}`)), item.went.map((text) => el('p', { class: 'line add' }, `− ${text}`)),
    item.first ? [el('h4', {}, `They part at: ${said(item.first.what)}${item.first.turn ? `, turn ${item.first.turn}` : ''}`),
      item.first.diff ? el('pre', { class: 'diff' }, diffLines(item.first.diff))
        : el('div', { class: 'sides' }, el('div', {}, el('h4', {}, 'Before'), el('pre', {}, item.first.before === null ? 'nothing' : item.first.before)), el('div', {}, el('h4', {}, 'After'), el('pre', {}, item.first.after === null ? 'nothing' : item.first.after)))] : null,
    path && index.byScenario.has(item.scenario) ? el('p', {}, link(['scenario', item.scenario], {}, {}, 'the scenario')) : null);
}

pages.diff = async ({ query }) => {
  await loadIndex();
  if (!card.hasDiff) {
    return ['Diff', [crumbs(['Overview', ['overview']]), el('h1', {}, 'Two runs'), el('p', { class: 'panel' }, missing(), ' This file was made from one side only. ', el('code', {}, 'react-harness report RESULTS -o FILE --before EARLIER'), ' shows what differs, and why.')]];
  }
  const [found] = [await unpack('diff-0')];
  const wanted = found.runs.filter((item) => (!query.get('change') || item.change === query.get('change')) && fits(query.get('q') || '', `${item.scenario} ${item.model || ''} ${item.causes.join(' ')}`))
    .sort((a, b) => CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change));
  const { shown, buttons } = paged(wanted);
  return ['Diff', [
    crumbs(['Overview', ['overview']]), el('h1', {}, 'What differs, and why'),
    el('dl', { class: 'strip' }, sideCell('Before', found.before), sideCell('After', found.after), el('div', {}, el('dt', {}, 'The same'), el('dd', {}, plural(found.counts.same, 'run')))),
    el('p', { class: 'chips' }, CHANGES.map((name) => el('button', { type: 'button', class: `chip change-${name}`, 'aria-pressed': String(query.get('change') === name), disabled: !found.counts[name], onclick: () => ask({ change: query.get('change') === name ? '' : name, page: '' }) }, `${name} ${found.counts[name]}`))),
    found.versions.length ? el('p', {}, 'Versions: ', found.versions.map((item) => `${item.name} ${item.before || 'none'} → ${item.after || 'none'}`).join(', ')) : null,
    found.node_files.length ? el('p', {}, 'Files of the node: ', found.node_files.map((item) => `${item.file} ${item.change}`).join(', ')) : null,
    el('div', { class: 'controls' }, filterField('Scenario, model or cause')),
    el('p', { class: 'count', test: 'count' }, `${plural(wanted.length, 'run')} not as before`, found.left ? `; ${found.left} more are not in this file` : ''),
    wanted.length ? shown.map(changedRun) : el('p', { class: 'panel' }, 'No run differs.'), buttons,
  ]];
};
