// Drawings: stacked bars, whiskers, histograms. What they show stands beside them or in their text alternative.

function picture(width, height, words, ...children) {
  return draw(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': words, class: 'picture' },
    draw('title', {}, words),
    ...children,
  );
}

/** One bar of parts; each part has a count, a class and a name. */
function stacked(parts, total, unit) {
  const width = 200;
  const height = 16;
  const words = total
    ? parts.filter((part) => part.count).map((part) => `${part.name} ${part.count}`).join(', ') + ` of ${plural(total, unit)}`
    : 'missing';
  let at = 0;
  const drawn = parts.filter((part) => part.count).map((part) => {
    const size = (width * part.count) / total;
    const bar = draw('rect', { x: at, y: 0, width: Math.max(size - 1, 0.5), height, class: `fill-${part.look}` },
      draw('title', {}, `${part.name}: ${part.count} of ${plural(total, unit)} (${percent(part.count / total)})`));
    at += size;
    return bar;
  });
  if (!total) drawn.push(draw('rect', { x: 0, y: 0, width, height, class: 'fill-missing' }));
  const node = picture(width, height, words, ...drawn);
  node.setAttribute('preserveAspectRatio', 'none');
  node.classList.add('stacked');
  return node;
}

const formParts = (forms) => W.forms.map((name, at) => ({ name, look: name, count: forms[at] }));

/** A rate on an axis from 0 to 100 %, with its interval as a whisker. */
function whisker(rate) {
  const width = 110;
  const height = 14;
  const x = (share) => 3 + share * (width - 6);
  if (!rate || rate[0] === null) {
    return picture(width, height, rateText(rate), draw('rect', { x: 0, y: 3, width, height: 8, class: 'fill-missing' }));
  }
  return picture(
    width, height, rateText(rate),
    draw('line', { x1: x(0), x2: x(1), y1: 7, y2: 7, class: 'axis' }),
    draw('line', { x1: x(0.5), x2: x(0.5), y1: 5, y2: 9, class: 'axis' }),
    rate[1] === null ? null : draw('line', { x1: x(rate[1]), x2: x(rate[2]), y1: 7, y2: 7, class: 'whisker' }),
    draw('circle', { cx: x(rate[0]), cy: 7, r: 3.5, class: 'dot' }),
  );
}

/** A difference on an axis from -100 to +100 points. */
function differenceChart(item, words) {
  const width = 110;
  const height = 14;
  const x = (share) => width / 2 + share * (width / 2 - 4);
  const look = item.apart ? 'apart' : 'alike';
  return picture(
    width, height, words,
    draw('line', { x1: x(-1), x2: x(1), y1: 7, y2: 7, class: 'axis' }),
    draw('line', { x1: x(0), x2: x(0), y1: 1, y2: 13, class: 'axis' }),
    item.low === null ? null : draw('line', { x1: x(item.low), x2: x(item.high), y1: 7, y2: 7, class: `whisker ${look}` }),
    draw('circle', { cx: x(item.difference), cy: 7, r: 3.5, class: `dot ${look}` }),
  );
}

/** Columns with their counts above and labels below. */
function histogram(columns, words) {
  const step = 26;
  const tall = 54;
  const most = Math.max(1, ...columns.map((column) => column.count));
  const width = step * columns.length;
  return picture(
    width, tall + 30, words,
    ...columns.map((column, at) => {
      const size = (tall * column.count) / most;
      return draw('g', {},
        draw('rect', { x: at * step + 4, y: 14 + tall - size, width: step - 8, height: size, class: `fill-${column.look}` }),
        column.count ? draw('text', { x: at * step + step / 2, y: 10 + tall - size, class: 'tick' }, String(column.count)) : null,
        draw('text', { x: at * step + step / 2, y: tall + 27, class: 'tick' }, column.label));
    }),
    draw('line', { x1: 0, x2: width, y1: 14 + tall, y2: 14 + tall, class: 'axis' }),
  );
}

/** The forms of the turns of a run as small letters in boxes. */
function letters(forms) {
  if (!forms) return missing('no turn');
  const names = [...forms].map((letter) => W.forms[W.letters.indexOf(letter)]);
  return el('span', { class: 'letters', role: 'img', 'aria-label': names.join(', '), title: names.join(', ') },
    names.map((name, at) => el('span', { class: `letter letter-${name}`, 'aria-hidden': 'true' }, forms[at])));
}

function formKey() {
  return el('ul', { class: 'key', 'aria-label': 'Forms of turns' }, W.forms.map((name) =>
    el('li', {}, picture(10, 10, name, draw('rect', { width: 10, height: 10, rx: 2, class: `fill-${name}` })),
      link(['legend'], { word: name }, {}, name))));
}
