// Elements, texts, numbers, links. Texts reach the page through text nodes only.

const byId = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';

/** The pages by the first part of their path; each gives its title and what it shows. */
const pages = {};

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'test') node.setAttribute('data-testid', value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(4)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    node.append(child);
  }
  return node;
}

const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);
const draw = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** A text as it is packed: a string, or in turns plain pieces and spelled-out characters. */
function pieces(packed) {
  if (!Array.isArray(packed)) return [String(packed)];
  return packed.map((piece, number) => (number % 2 ? el('span', { class: 'esc' }, piece) : piece));
}

const plural = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
const said = (word) => word.replace(/_/g, ' ');
// Only all is 100 %, and only none is 0 %.
const percent = (share) => {
  const whole = Math.round(100 * share);
  return `${share > 0 && share < 1 ? Math.min(99, Math.max(1, whole)) : whole} %`;
};
const points = (share) => `${share >= 0 ? '+' : '−'}${Math.abs(Math.round(100 * share))}`;

function number(value) {
  if (value === null || value === undefined) return null;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

/** A rate `[value, low, high, n, scenarios]` in words. */
function rateText(rate) {
  if (rate === null || rate === undefined) return 'not measured';
  if (rate[0] === null) return 'missing: nothing to count';
  const between = rate[1] === null ? '' : ` [${Math.round(100 * rate[1])}, ${Math.round(100 * rate[2])}]`;
  return `${percent(rate[0])}${between}${rate[3] ? ` n=${rate[3].toLocaleString('en')}` : ''}`;
}

function missing(words) {
  return el('span', { class: 'missing' }, words || 'missing');
}

// ------------------------------------------------------------------------------------------------------------ the place

/** Where the page is: the parts of the path and what is asked of it. */
function place() {
  const hash = location.hash.replace(/^#\/?/, '');
  const [path, query] = hash.split('?');
  let parts;
  try {
    parts = (path || 'overview').split('/').map(decodeURIComponent);
  } catch {
    parts = ['overview'];
  }
  return { parts, query: new URLSearchParams(query || '') };
}

/** A link to a page; empty values are left out of it. */
function to(parts, query) {
  const asked = new URLSearchParams();
  for (const [key, value] of Object.entries(query || {})) {
    if (value !== null && value !== undefined && value !== '') asked.set(key, value);
  }
  const tail = asked.toString();
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${tail ? `?${tail}` : ''}`;
}

const link = (parts, query, props, ...children) => el('a', { href: to(parts, query), ...props }, ...children);

/** The same page with something else asked of it; `quiet` leaves no step in the history. */
function ask(changes, quiet) {
  const { parts, query } = place();
  const all = { ...Object.fromEntries(query), ...changes };
  if (quiet) {
    history.replaceState(null, '', to(parts, all));
    show(true);
  } else {
    location.hash = to(parts, all);
  }
}

function tell(words) {
  byId('status').textContent = words;
}
