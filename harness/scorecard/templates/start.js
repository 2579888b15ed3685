// The frame: which page is shown, the keys, the theme.

const NAV = [['overview', 'Overview'], ['runs', 'Runs'], ['conformance', 'Conformance'], ['diff', 'Diff'], ['legend', 'Legend']];
const KEYS = [['/', 'go to the filter'], ['↑ ↓', 'go up and down in a table'], ['n p', 'the next scenario or run, the one before'],
  ['g o', 'the overview'], ['g r', 'the runs'], ['g c', 'conformance'], ['g d', 'the diff'], ['g l', 'the legend'], ['t', 'light or dark'], ['?', 'these keys'], ['Esc', 'close']];

function crumbs(...steps) {
  return el('nav', { class: 'crumbs', 'aria-label': 'The way here' }, steps.map(([words, parts, query]) => [link(parts, query, {}, words), el('span', { 'aria-hidden': 'true' }, ' / ')]));
}

function absent(words) {
  return ['Not here', [el('h1', {}, 'Not here'), el('p', { class: 'panel' }, missing(words), ' ', link(['overview'], {}, {}, 'Go to the overview'))]];
}

let turn = 0;
let before = '';
const scrolled = new Map();
let followed = false;

/** Show the page that the address names; `still` keeps what has the focus. */
async function show(still) {
  const mine = ++turn;
  const now = place();
  const page = pages[now.parts[0]] || (() => absent(`There is no page ${now.parts[0]}.`));
  let made;
  try {
    made = await page(now);
  } catch (error) {
    made = ['Error', [el('h1', {}, 'This cannot be shown'), el('p', { class: 'panel' }, missing(String(error.message)))]];
  }
  if (mine !== turn) return;
  const [title, content] = made;
  const view = byId('view');
  const path = now.parts.join('/');
  const focused = document.activeElement && document.activeElement.id;
  const selection = focused === 'filter' ? document.activeElement.selectionStart : null;
  view.replaceChildren(...content.flat(4).filter((child) => child !== null && child !== undefined && child !== false && child !== ''));
  view.dataset.page = now.parts[0];
  reachable(view);
  document.title = `${title} · ${card.node}`;
  nav(now.parts[0]);
  if (path === before || still) {
    const target = focused && byId(focused);
    if (target) {
      target.focus({ preventScroll: true });
      if (selection !== null) target.setSelectionRange(selection, selection);
    }
  } else {
    scrollTo(0, followed || !scrolled.has(location.hash) ? 0 : scrolled.get(location.hash));
    if (before) view.focus({ preventScroll: true });
    tell(title);
  }
  before = path;
  followed = false;
  const wanted = view.querySelector('.wanted');
  if (wanted && !still) {
    wanted.scrollIntoView({ block: 'start' });
    if (wanted.tabIndex === -1) wanted.focus({ preventScroll: true });
  }
  view.dataset.ready = location.hash || '#/overview';
}

/** Let the keyboard reach texts that scroll by themselves. */
function reachable(part) {
  for (const text of [part, ...part.querySelectorAll('pre')]) {
    if (text.tagName === 'PRE' && text.scrollHeight > text.clientHeight + 1) text.tabIndex = 0;
  }
}
document.addEventListener('toggle', (event) => setTimeout(() => reachable(event.target)), true);

function nav(here) {
  byId('nav').replaceChildren(...NAV.map(([page, words]) => link([page], {}, { 'aria-current': page === here ? 'page' : null, test: `nav-${page}` }, words)));
}

// ------------------------------------------------------------------------------------------------------------ the theme

const dark = matchMedia('(prefers-color-scheme: dark)');
function kept(value) {
  try {
    if (value !== undefined) localStorage.setItem('react-harness-theme', value);
    return localStorage.getItem('react-harness-theme');
  } catch {
    return null;
  }
}
function theme(wanted) {
  const now = wanted || kept() || (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = now;
  byId('theme').textContent = now === 'dark' ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-label', now === 'dark' ? 'Light colours' : 'Dark colours');
}
function otherTheme() {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  kept(next);
  theme(next);
}

// ------------------------------------------------------------------------------------------------------------- the keys

function help() {
  const dialog = byId('help');
  dialog.replaceChildren(el('h2', { id: 'help-title' }, 'Keys'),
    el('dl', { class: 'keys' }, KEYS.map(([key, words]) => [el('dt', {}, key.split(' ').map((one) => el('kbd', {}, one))), el('dd', {}, words)])),
    el('button', { type: 'button', onclick: () => dialog.close() }, 'Close'));
  dialog.showModal();
}

let pending = '';
const GO = { o: 'overview', r: 'runs', c: 'conformance', d: 'diff', l: 'legend' };
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName) || byId('help').open) return;
  const first = pending;
  pending = '';
  if (first === 'g' && GO[event.key]) location.hash = to([GO[event.key]]);
  else if (event.key === 'g') pending = 'g';
  else if (event.key === '/' && byId('filter')) byId('filter').focus();
  else if (event.key === '?') help();
  else if (event.key === 't') otherTheme();
  else if (event.key === 'n' && byId('next')) byId('next').click();
  else if (event.key === 'p' && byId('before')) byId('before').click();
  else return;
  event.preventDefault();
});

byId('theme').addEventListener('click', otherTheme);
byId('keys').addEventListener('click', help);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('view').focus();
});
document.addEventListener('click', (event) => {
  const target = event.target.closest && event.target.closest('a[href^="#/"]');
  if (!target) return;
  scrolled.set(location.hash, scrollY);
  followed = true;
});
addEventListener('hashchange', () => show());
dark.addEventListener('change', () => theme());
history.scrollRestoration = 'manual';
theme();
show().then(() => loadIndex()).catch((error) => tell(error.message));
