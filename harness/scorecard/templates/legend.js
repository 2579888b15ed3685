// The legend: every word in a sentence, how it was counted, and the badges.

function badgePicture(badge) {
  const [left, right] = badge.widths;
  const words = `${badge.label}: ${badge.message}`;
  return picture(left + right, 20, words,
    draw('rect', { width: left, height: 20, class: 'badge-label' }), draw('rect', { x: left, width: right, height: 20, fill: badge.colour }),
    draw('text', { x: 6, y: 14, class: 'badge-text', textLength: left - 12, lengthAdjust: 'spacingAndGlyphs' }, badge.label),
    draw('text', { x: left + 6, y: 14, class: 'badge-text', textLength: right - 12, lengthAdjust: 'spacingAndGlyphs' }, badge.message));
}

pages.legend = ({ query }) => {
  const word = query.get('word');
  return ['Legend', [
    crumbs(['Overview', ['overview']]), el('h1', {}, 'What the words mean'),
    card.legend.map((group) => el('section', { class: 'panel' }, el('h2', {}, group.title),
      el('dl', { class: 'words' }, group.words.map(([name, meaning]) => [
        el('dt', { class: name === word ? 'wanted' : null, id: `word-${name}` }, group.id === 'form' ? el('span', { class: `form form-${name}` }, name) : said(name)),
        el('dd', { class: name === word ? 'wanted' : null }, meaning, ' ',
          group.id === 'state' && name === 'missing' ? null : link(['runs'], { [group.id]: name }, { class: 'soft' }, 'runs'))])))),
    el('section', { class: 'panel' }, el('h2', {}, 'The figures'), el('dl', { class: 'words' }, Object.entries(card.descriptions).filter(([key]) => !['model', 'parameters', 'family'].includes(key))
      .map(([, [name, meaning]]) => [el('dt', {}, name), el('dd', {}, meaning)]))),
    el('section', { class: 'panel' }, el('h2', {}, 'How it was counted'), el('ul', {}, card.method.map((item) => el('li', {}, item)))),
    el('section', { class: 'panel' }, el('h2', {}, 'Badges'), el('p', { class: 'soft' }, el('code', {}, '--badges FOLDER'), ' writes these as SVG, and as JSON for shields.io.'),
      el('ul', { class: 'badges', test: 'badges' }, card.badges.map((badge) => el('li', {}, badgePicture(badge), el('code', {}, `![${badge.label}](${badge.name}.svg)`))))),
  ]];
};
