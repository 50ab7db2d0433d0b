'use strict';
(() => {
  const all = (query, root = document) => Array.from(root.querySelectorAll(query));
  const form = document.getElementById('filter');
  const items = all('.item[data-v]').map(element => ({
    element, values: element.dataset.v.split(' '), area: element.dataset.a,
    text: ((element.querySelector('summary, th') || element).textContent || '').toLowerCase(),
  }));
  const groups = all('.area');

  // Content in a template becomes part of the page when its details are opened.
  const fill = details => {
    const template = details.querySelector(':scope > div > template');
    if (template) template.replaceWith(template.content.cloneNode(true));
  };
  document.addEventListener('toggle', event => { if (event.target.open) fill(event.target); }, true);

  const apply = () => {
    if (!form) return;
    const boxes = all('input[name=v]', form);
    const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
    const area = form.elements.a.value;
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const counts = new Map();
    for (const item of items) {
      const isShown = item.values.some(value => wanted.has(value)) && (!area || item.area === area)
        && words.every(word => item.text.includes(word));
      item.element.hidden = !isShown;
      const noun = item.element.matches('.scenario') ? 'scenarios' : 'clauses';
      const [shown, count] = counts.get(noun) || [0, 0];
      counts.set(noun, [shown + (isShown ? 1 : 0), count + 1]);
    }
    for (const group of groups) {
      const own = all('.item', group);
      group.hidden = own.length > 0 && own.every(item => item.hidden);
    }
    form.querySelector('output').textContent = Array.from(counts, ([noun, [shown, count]]) =>
      shown + ' of ' + count + ' ' + noun).join(', ') + ' shown';
  };

  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (target) open(target);
  };

  const open = target => {
    if (form && target.closest('[hidden]')) { form.reset(); apply(); }
    for (let place = target; place; place = place.parentElement) {
      if (place.tagName === 'DETAILS') place.open = true;
    }
    target.scrollIntoView();
    const focus = target.matches('details') ? target.querySelector('summary') : target;
    if (!focus.matches('summary, a, button')) focus.setAttribute('tabindex', '-1');
    focus.focus({ preventScroll: true });
  };

  if (form) {
    form.hidden = false;
    form.addEventListener('input', apply);
    form.addEventListener('reset', () => setTimeout(apply));
    form.addEventListener('submit', event => event.preventDefault());
    const unfold = form.querySelector('button[name=unfold]');
    unfold.addEventListener('click', () => {
      const isOpening = unfold.textContent === 'Expand all';
      for (const details of all('details.item:not([hidden])')) details.open = isOpening;
      unfold.textContent = isOpening ? 'Collapse all' : 'Expand all';
    });
    for (const link of all('a[data-f]')) {
      link.addEventListener('click', () => {
        const [verdict, area] = link.dataset.f.split(' ');
        for (const box of all('input[name=v]', form)) box.checked = verdict === '*' || box.value === verdict;
        form.elements.a.value = area;
        form.elements.q.value = '';
        apply();
      });
    }
    apply();
  }
  addEventListener('hashchange', reveal);
  // After loading, the browser itself scrolls to the target and moves the focus there.
  addEventListener('load', () => setTimeout(reveal));
  document.addEventListener('click', event => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) reveal();
  });
  reveal();

  // A frame under the pointer, or with the focus, is shown beside the chart; a click opens it for good.
  const peek = document.getElementById('peek');
  const hasRoom = matchMedia('(min-width: 60rem)');
  let shown = null;
  const hide = () => { shown = null; peek.hidden = true; };
  const show = row => {
    const details = row && hasRoom.matches ? row.parentElement : null;
    const frame = details && !details.open ? details.querySelector('pre') : null;
    if (!frame) return hide();
    if (shown === row) return;
    shown = row;
    let text = frame.textContent;
    try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it is */ }
    peek.textContent = text.length > 3000 ? text.slice(0, 3000) + '…' : text;
    peek.hidden = false;
    const place = row.getBoundingClientRect();
    const top = Math.min(place.top, innerHeight - peek.offsetHeight - 8);
    peek.style.top = Math.max(8, top) + 'px';
  };
  const rowOf = event => event.target.closest ? event.target.closest('summary.s') : null;
  document.addEventListener('pointerover', event => { if (event.pointerType === 'mouse') show(rowOf(event)); });
  document.addEventListener('focusin', event => show(event.target.matches(':focus-visible') ? rowOf(event) : null));
  document.addEventListener('toggle', hide, true);
  addEventListener('scroll', hide, { passive: true });
  document.addEventListener('keydown', event => { if (event.key === 'Escape') hide(); });

  // n and p go to the next and the previous violation.
  document.addEventListener('keydown', event => {
    const step = { n: 1, p: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select')) return;
    const violations = all('.card.violation').filter(card => card.getClientRects().length);
    const at = violations.findIndex(element => element.contains(document.activeElement));
    const next = at < 0 && step < 0 ? violations.length - 1 : (at + step + violations.length) % violations.length;
    if (violations[next]) open(violations[next]);
  });

  if (navigator.clipboard && isSecureContext) {
    for (const code of all('.again code, code.copy')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.addEventListener('click', () => navigator.clipboard.writeText(code.textContent).then(
        () => { button.textContent = 'Copied'; }, () => { button.textContent = 'Not allowed'; }));
      code.after(' ', button);
    }
  }

  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('details.item:not(.scenario), details.item[data-v=violation], .cited > details, .legend, .more')
      .filter(details => !details.open);
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => { for (const details of opened) details.open = false; opened = []; });
})();
