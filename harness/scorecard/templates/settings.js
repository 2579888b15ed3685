// One model in several parameter sets, side by side on the scenarios that all of them were run on.

function againstFirst(one) {
  if (!one.against) return el('span', { class: 'soft' }, 'the first set');
  const [difference, low, high] = one.against;
  const between = low === null ? 'too few scenarios for an interval' : `[${points(low)}, ${points(high)}]`;
  return one.apart ? el('span', {}, el('strong', {}, `${points(difference)} points`), el('span', { class: 'soft' }, ` ${between}`))
    : el('span', { class: 'grey' }, 'cannot be told apart ', el('span', { class: 'soft' }, `${points(difference)} points ${between}`));
}

function settings() {
  if (!card.settings.length) return null;
  const columns = [{ name: 'Model' }, { name: 'Parameters' }, { name: 'Strict turns' }, { name: 'Tasks solved' }, { name: 'Strict, against the first set' }];
  const rows = card.settings.flatMap((group) => group.sets.map((one, at) => {
    const model = card.models[one.model];
    return row(columns, [
      [at ? el('span', { class: 'soft' }, group.model) : el('span', { class: 'name' }, group.model), at ? null : el('span', { class: 'soft' }, plural(group.scenarios, 'scenario'))],
      link(['model', model.slug], {}, {}, model.parameters || 'none'),
      rateCell(one.strict), shortRate(one.solved), againstFirst(one),
    ]);
  }));
  return el('section', { class: 'panel', test: 'settings' }, el('h2', {}, 'The same model, asked otherwise'),
    table('Models in several parameter sets', columns, rows, { test: 'settings-rows', look: 'cards' }),
    el('p', { class: 'soft' }, 'Only scenarios that all parameter sets of a model were run on count here. The difference is the mean over these scenarios, in pairs. Other wordings of the prompt were not tried.'));
}
