'use strict';
(() => {
  const words = document.getElementById('words');
  const failing = document.getElementById('failing');
  const shown = document.getElementById('shown');
  const none = document.getElementById('none');
  const scenarios = [...document.querySelectorAll('.scenario')];
  const families = [...document.querySelectorAll('.family')];

  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const scenario of scenarios) {
      const hit = wanted.every((word) => scenario.dataset.words.includes(word))
        && (!failing.checked || 'unmet' in scenario.dataset);
      scenario.hidden = !hit;
      count += hit;
    }
    for (const family of families) {
      family.hidden = !family.querySelector('.scenario:not([hidden])');
    }
    shown.textContent = `${count} of ${scenarios.length}`;
    none.hidden = count > 0;
  };

  // The address holds the filter, so that a view can be sent as a link.
  const remember = () => {
    const state = new URLSearchParams();
    if (words.value) state.set('filter', words.value);
    if (failing.checked) state.set('unmet', '1');
    history.replaceState(null, '', `#${state}`);
    apply();
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.includes('=') || !hash) {
      const state = new URLSearchParams(hash);
      words.value = state.get('filter') || '';
      failing.checked = state.has('unmet');
      apply();
      return;
    }
    const target = document.getElementById(hash);
    if (!target) return;
    if (target.closest('[hidden]')) {
      words.value = '';
      failing.checked = false;
      apply();
    }
    const scenario = target.closest('.scenario');
    if (scenario) {
      scenario.open = true;
      target.scrollIntoView();
    }
  };

  document.querySelector('.filter').hidden = false;
  words.addEventListener('input', remember);
  failing.addEventListener('change', remember);
  window.addEventListener('hashchange', follow);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== words && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      words.focus();
    }
  });
  apply();
  follow();
})();
