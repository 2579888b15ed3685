// A transcript: left what the model wrote, right what the node did with it, below what was expected.

/** A fold whose content is made when it is opened. */
function fold(words, make) {
  const node = el('details', {}, el('summary', {}, words));
  node.addEventListener('toggle', () => {
    if (node.open && node.childElementCount === 1) node.append(make());
  });
  return node;
}

function written(turn) {
  if (turn.error !== undefined) return el('div', { class: 'block bad' }, el('h4', {}, 'The model gave an error'), shownText('pre', {}, turn.error));
  if (!turn.out || !turn.out.length) return el('p', { class: 'empty' }, turn.none ? missing('the model gave no text') : 'An empty text.');
  const tail = turn.out.some(([look]) => look === 'ignored');
  return [el('pre', { class: 'turn', test: 'raw' }, turn.out.map(([look, packed]) => el('span', { class: `span-${look}`, title: look === 'text' ? null : look }, pieces(packed)))),
    tail ? el('p', { class: 'soft' }, 'Struck out: behind the step that counts, which nobody reads.') : null];
}

function callBlock(call) {
  return el('div', { class: 'block' }, el('h4', {}, 'Call ', el('code', {}, pieces(call.tool))),
    shownText('pre', {}, call.input),
    el('h4', {}, call.error === undefined ? 'Observation' : 'The tool raised'),
    shownText('pre', { class: call.error === undefined ? '' : 'bad' }, call.error === undefined ? call.output : call.error));
}

function endBlock(run, view) {
  const outcome = index.outcome[run] < 0 ? null : W.outcomes[index.outcome[run]];
  return [
    (view.guard || []).map((entry) => el('div', { class: 'block bad' }, el('h4', {}, 'The guard refused it'), shownText('pre', {}, entry))),
    view.answer !== undefined ? el('div', { class: 'block answer' }, el('h4', {}, 'The answer that was delivered'), shownText('pre', {}, view.answer)) : null,
    view.raised !== undefined ? el('div', { class: 'block bad' }, el('h4', {}, 'The node raised'), shownText('pre', {}, view.raised)) : null,
    view.stopped !== undefined ? el('div', { class: 'block bad' }, el('h4', {}, 'The run was broken off'), shownText('pre', {}, view.stopped)) : null,
    outcome ? el('p', {}, el('strong', {}, said(outcome)), ': ', sentence('outcome', outcome)) : null,
  ];
}

function sentence(group, word) {
  const found = card.legend.find((item) => item.id === group);
  const pair = found && found.words.find(([name]) => name === word);
  return pair ? pair[1] : '';
}

function turnView(turn, last, run, view, wanted) {
  const facts = [turn.end ? `ended by ${turn.end}` : null, turn.read ? `${turn.read.toLocaleString('en')} tokens read` : null,
    turn.wrote ? `${turn.wrote.toLocaleString('en')} written` : null, turn.seconds ? `${number(turn.seconds)} s` : null].filter(Boolean);
  const id = turn.agent ? null : `turn-${turn.n}`;
  return el('section', { class: `step ${turn.agent ? 'child' : ''} ${id && wanted === turn.n ? 'wanted' : ''}`, id, tabindex: '-1', test: 'turn', 'aria-label': `Turn ${turn.n}` },
    el('header', {}, el('h3', {}, turn.agent ? [pieces(turn.agent), ': '] : null, `Turn ${turn.n}`),
      turn.form ? link(['legend'], { word: turn.form }, { class: `form form-${turn.form}`, title: sentence('form', turn.form) }, turn.form) : null,
      (turn.flags || []).map((flag) => link(['legend'], { word: flag }, { class: 'chip flag', title: sentence('flag', flag) }, said(flag))),
      id ? link(runPath(run), { turn: turn.n }, { class: 'anchor', 'aria-label': `Link to turn ${turn.n}` }, '#') : null),
    el('div', { class: 'sides' },
      el('div', {}, el('h4', { class: 'side' }, 'What the model wrote'), written(turn),
        el('p', { class: 'soft' }, facts.join(' · ')),
        fold(turn.same ? `The prompt: what is new in it (${turn.same.toLocaleString('en')} characters are as before)` : 'The prompt', () => shownText('pre', {}, turn.prompt))),
      el('div', {}, el('h4', { class: 'side' }, 'What the node did'),
        (turn.calls || []).map(callBlock),
        !(turn.calls || []).length && !last ? el('p', { class: 'soft' }, 'It called no tool.') : null,
        last ? endBlock(run, view) : null)));
}

function findingBlock(item, file) {
  const sides = item.diff === undefined && (item.expected !== undefined || item.actual !== undefined);
  const diff = item.diff === undefined ? null : el('pre', { class: 'diff' });
  if (diff) text(item.diff).then((found) => diff.append(...diffLines(found)));
  return el('div', { class: 'finding', test: 'finding' },
    shownText('p', { class: 'what' }, item.message),
    el('p', { class: 'soft' }, item.place && file ? [el('code', { class: 'place' }, `${file}:${item.place.join(':')}`), ' '] : null, el('code', {}, pieces(item.key || '')), ` · ${item.level}`),
    sides ? el('div', { class: 'sides' },
      el('div', {}, el('h4', {}, 'Expected'), shownText('pre', {}, item.expected)),
      el('div', {}, el('h4', {}, 'Actual'), shownText('pre', {}, item.actual))) : diff);
}

function diffLines(packed) {
  const plain = Array.isArray(packed) ? packed.join('') : packed;
  return plain.replace(/\n$/, '').split('\n').map((line) => {
    const look = /^(\+\+\+|---|@@)/.test(line) ? 'hunk' : line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : '';
    return el('span', { class: `line ${look}` }, `${line}\n`);
  });
}

/** Why a run was not judged; of a drift it holds what differs. */
function problemBlock(packed) {
  const node = el('pre', { class: 'diff' });
  text(packed).then((found) => node.append(...diffLines(found)));
  return node;
}

const MOST_TURNS = 60;

pages.run = async ({ parts, query }) => {
  await loadIndex();
  const run = findRun(parts[1], parts[2], parts[3]);
  if (run < 0) return absent('There is no such run in these stores.');
  const view = await openRun(run);
  const scenario = index.scenarios[index.scenario[run]];
  const model = index.model[run] < 0 ? null : card.models[index.model[run]];
  const wanted = Number(query.get('turn')) || 0;
  const turns = view.turns || [];
  const own = turns.filter((turn) => !turn.agent);
  const last = own[own.length - 1];
  const others = index.runsOf[index.scenario[run]].filter((other) => other !== run);
  const block = (words, packed) => (packed === undefined ? null : fold(words, () => shownText('pre', {}, packed)));
  return [`${scenario.id}, ${modelName(index.model[run])}`, [
    crumbs(['Overview', ['overview']], model ? [label(model), ['model', model.slug]] : ['Runs', ['runs']], [scenario.id, ['scenario', scenario.id]]),
    el('h1', {}, scenario.id, el('span', { class: 'soft' }, ` ${modelName(index.model[run])}${index.epoch[run] > 1 ? `, run ${index.epoch[run]}` : ''}`)),
    el('p', { class: 'lead' }, scenario.title || ''),
    el('p', { class: 'facts' },
      index.outcome[run] < 0 ? null : link(['legend'], { word: W.outcomes[index.outcome[run]] }, { class: 'chip' }, said(W.outcomes[index.outcome[run]])),
      index.solved[run] < 0 ? null : el('span', { class: `chip ${index.solved[run] ? 'good' : 'bad'}` }, index.solved[run] ? 'task solved' : 'task not solved'),
      el('span', { class: 'chip' }, 'the node: ', stateWord(run)), letters(model ? index.forms[run] : '-')),
    view.problem !== undefined ? el('div', { class: 'notice' }, el('strong', {}, 'Not judged'), problemBlock(view.problem)) : null,
    (view.findings || []).length ? el('div', { class: 'notice bad' }, el('strong', {}, plural(view.findings.length, 'finding')), ' about the node: ',
      view.findings.slice(0, 3).map((item) => shownText('p', {}, item.message)),
      el('button', { type: 'button', onclick: () => byId('findings').scrollIntoView() }, 'expected against actual'))
      : el('p', { class: 'soft' }, index.state[run] === 2 ? missing('The node was not judged in this run.') : 'All expectations about the node hold in this run.'),
    turns.slice(0, MOST_TURNS).map((turn) => turnView(turn, turn === last, run, view, wanted)),
    turns.length > MOST_TURNS ? el('p', { class: 'notice' }, `${turns.length - MOST_TURNS} more turns are not shown.`) : null,
    turns.length ? null : el('section', { class: 'panel' }, el('h2', {}, 'No turn'), endBlock(run, view)),
    (view.calls || []).length ? el('section', { class: 'panel' }, el('h2', {}, 'Further calls'), view.calls.map(callBlock)) : null,
    view.left ? el('p', { class: 'notice' }, `${plural(view.left, 'more call')} are not shown.`) : null,
    (view.findings || []).length ? el('section', { class: 'panel bad', id: 'findings' }, el('h2', {}, 'Expected against actual'), view.findings.map((item) => findingBlock(item, scenario.file))) : null,
    el('section', { class: 'panel' }, el('h2', {}, 'What else passed through the doors'),
      view.unsafe === undefined ? null : el('div', { class: 'notice bad' }, el('strong', {}, 'The payload is no JSON: '), shownText('span', {}, view.unsafe)),
      block('The payload', view.payload), block('What the node printed', view.printed), block('What the node left changed in the process', view.left_behind), block('Events', view.events),
      (view.lanes || []).map(([name, packed]) => block(`Written to the lane ${Array.isArray(name) ? name.join('') : name}`, packed)),
      (view.offered || []).length ? el('p', { class: 'soft' }, 'Tools that were offered: ', view.offered.map((name) => [el('code', {}, pieces(name)), ' '])) : null),
    others.length ? el('section', { class: 'panel' }, el('h2', {}, 'The other runs of this scenario'), el('p', { class: 'chips' }, others.slice(0, 40).map((other) => runChip(other, true)))) : null,
    el('nav', { class: 'steps', 'aria-label': 'Runs' },
      run > 0 ? link(runPath(run - 1), {}, { id: 'before' }, '← the run before') : el('span', {}),
      run + 1 < index.size ? link(runPath(run + 1), {}, { id: 'next' }, 'the next run →') : null),
  ]];
};
