// Tables that show no more than a page of rows, sort by their headings, and are walked by arrow keys.

const PAGE = 50;

/** A table in a region that scrolls sideways where it must. Columns: {name, key, right, title, text}; those of `text` go up first. */
function table(name, columns, rows, options) {
  const { query } = place();
  const sort = query.get('sort') || '';
  const wanted = (options && options.sortable) || false;
  return el('div', { class: 'scroll', role: 'region', 'aria-label': name, tabindex: '0' },
    el('table', { test: options && options.test, class: options && options.look },
      el('caption', { class: 'unseen' }, name),
      el('thead', {}, el('tr', {}, columns.map((column) => {
        if (!wanted || !column.key) return el('th', { scope: 'col', class: column.right ? 'right' : null, title: column.title }, column.name);
        const down = sort === column.key;
        const up = sort === `-${column.key}`;
        return el('th', { scope: 'col', class: column.right ? 'right' : null, title: column.title, 'aria-sort': !down && !up ? null : down === Boolean(column.text) ? 'ascending' : 'descending' },
          el('button', { type: 'button', class: 'sort', id: `sort-${column.key}`, test: `sort-${column.key}`,
            onclick: () => ask({ sort: down ? `-${column.key}` : column.key, page: '' }) },
          column.name, el('span', { class: 'arrow', 'aria-hidden': 'true' }, !down && !up ? '' : down === Boolean(column.text) ? ' ↑' : ' ↓')));
      }))),
      el('tbody', {}, rows.length ? rows : el('tr', {}, el('td', { colspan: columns.length, class: 'none' }, (options && options.none) || 'Nothing fits.')))));
}

/** A row: the first cell is its heading; cells of narrow windows show the names of their columns. */
function row(columns, cells, props) {
  return el('tr', props || {}, cells.map((cell, at) =>
    at === 0
      ? el('th', { scope: 'row' }, cell)
      : el('td', { class: columns[at].right ? 'right' : null, 'data-name': columns[at].name }, cell)));
}

/** The part of a list that the page shows, and the buttons for the others. */
function paged(items, size) {
  const step = size || PAGE;
  const last = Math.max(1, Math.ceil(items.length / step));
  const page = Math.min(last, Math.max(1, Number(place().query.get('page')) || 1));
  const from = (page - 1) * step;
  const button = (name, target, words) =>
    el('button', { type: 'button', id: `page-${name}`, test: `page-${name}`, disabled: target < 1 || target > last, onclick: () => ask({ page: String(target) }) }, words);
  const buttons = last > 1
    ? el('div', { class: 'pager', role: 'group', 'aria-label': 'Pages of the table' },
      button('before', page - 1, 'Before'),
      el('span', {}, `${(from + 1).toLocaleString('en')}–${Math.min(from + step, items.length).toLocaleString('en')} of ${items.length.toLocaleString('en')}`),
      button('next', page + 1, 'Next'))
    : null;
  return { shown: items.slice(from, from + step), buttons };
}

/** A field to type into that filters what is below. */
function filterField(words) {
  return el('label', { class: 'field' }, el('span', {}, words),
    el('input', { type: 'search', id: 'filter', test: 'filter', autocomplete: 'off', spellcheck: 'false', value: place().query.get('q') || '', placeholder: 'type to filter',
      oninput: (event) => ask({ q: event.target.value, page: '' }, true) }));
}

/** A choice; `options` are pairs of value and words. */
function choice(key, words, options, first) {
  const now = place().query.get(key) || '';
  return el('label', { class: 'field' }, el('span', {}, words),
    el('select', { id: `choose-${key}`, test: `choose-${key}`, onchange: (event) => ask({ [key]: event.target.value, page: '' }) },
      [['', first], ...options].map(([value, name]) => el('option', { value, selected: value === now }, name))));
}

/** Tell whether all words of a filter are in a text. */
function fits(query, text) {
  const low = text.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => low.includes(word));
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const cell = event.target.closest && event.target.closest('tbody td, tbody th');
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = [...cell.parentNode.children].indexOf(cell);
  let line = cell.parentNode;
  do {
    line = event.key === 'ArrowDown' ? line.nextElementSibling : line.previousElementSibling;
    const target = line && line.children[at] && line.children[at].querySelector('a, button');
    if (target) {
      event.preventDefault();
      target.focus();
      return;
    }
  } while (line);
});
