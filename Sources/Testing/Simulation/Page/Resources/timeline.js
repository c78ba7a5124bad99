'use strict';
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const summaries = all('.event summary');
  const step = by => {
    const here = document.activeElement?.closest?.('.event')?.querySelector('summary');
    let next = here ? summaries.indexOf(here) + by : -1;
    if (!here) {
      next = summaries.findIndex(one => one.getBoundingClientRect().top > 60);
      if (next < 0) next = summaries.length - 1;
    }
    const target = summaries[next];
    if (!target) return;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'nearest' });
  };
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = document.activeElement?.matches?.('.event summary');
    if (event.key === 'j' || (inside && event.key === 'ArrowDown')) step(1);
    else if (event.key === 'k' || (inside && event.key === 'ArrowUp')) step(-1);
    else return;
    event.preventDefault();
  });
  for (const story of all('.story')) {
    const tools = document.createElement('p');
    tools.className = 'tools';
    const button = document.createElement('button');
    button.type = 'button';
    let open = false;
    const name = () => { button.textContent = open ? 'Close all events' : 'Open all events'; };
    name();
    button.onclick = () => {
      open = !open;
      for (const one of all('details.what', story)) one.open = open;
      name();
    };
    const keys = document.createElement('span');
    keys.className = 'quiet keys';
    keys.innerHTML = '<kbd>j</kbd> <kbd>k</kbd> next and previous event, <kbd>Enter</kbd> opens it';
    tools.append(button, keys);
    story.querySelector('header').append(tools);
    let names, hot = [];
    story.addEventListener('mouseover', event => {
      const task = event.target.closest('li')?.querySelector(':scope > bdi, :scope > s > bdi');
      for (const one of hot) one.classList.remove('hot');
      hot = [];
      if (!task || !story.contains(task)) return;
      if (!names) {
        names = new Map();
        for (const one of all('li > bdi, li > s > bdi', story)) {
          const same = names.get(one.textContent);
          if (same) same.push(one); else names.set(one.textContent, [one]);
        }
      }
      hot = names.get(task.textContent) ?? [];
      for (const one of hot) one.classList.add('hot');
    });
  }
  const shown = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const details = target && target.querySelector(':scope > details');
    if (details) details.open = true;
  };
  addEventListener('hashchange', shown);
  shown();
})();
