// One model in several parameter sets, side by side on the scenarios that all of them were run on.

function settings() {
  if (!card.settings.length) return null;
  const columns = [{ name: 'Model' }, { name: 'Parameters' }, { name: 'Strict turns' }, { name: 'Tasks solved' }];
  const rows = card.settings.flatMap((group) => group.sets.map((one) => {
    const model = card.models[one.model];
    return row(columns, [
      [el('span', { class: 'name' }, group.model), el('span', { class: 'soft' }, plural(group.scenarios, 'scenario'))],
      link(['model', model.slug], {}, {}, model.parameters || 'none'), rateCell(one.strict), rateCell(one.solved),
    ]);
  }));
  return el('section', { class: 'panel', test: 'settings' }, el('h2', {}, 'The same model, asked otherwise'),
    table('Models in several parameter sets', columns, rows, { test: 'settings-rows', look: 'cards' }),
    el('p', { class: 'soft' }, 'Only scenarios that all parameter sets of a model were run on count here. Each interval is that of its set alone. Other wordings of the prompt were not tried.'));
}
