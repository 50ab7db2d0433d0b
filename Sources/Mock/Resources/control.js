'use strict';
const at = id => document.getElementById(id);
const shownFrames = 300;
let last = 0, paused = false, polling = false, pollAgain = false;
function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
function tell(text, isBad) { at('told').textContent = text; at('told').classList.toggle('bad', !!isBad); }
async function act(name, body) {
  tell(name + ' …');
  try {
    const answer = await fetch('/control/' + name, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body || {}) });
    const result = await answer.json();
    if (!answer.ok) {
      const more = (result.problems || []).map(p => p.expected ? '\nexpected: ' + p.expected + '\nfix: ' + p.fix : '');
      tell(name + ': ' + result.error + more.join(''), true);
    } else {
      delete result.ok;
      const payload = result.payload;
      tell(name + ': done ' + (payload ? '\n' + JSON.stringify(result, null, 2) : JSON.stringify(result)));
    }
  } catch (problem) { tell(name + ': ' + problem, true); }
  poll();
}
document.addEventListener('submit', event => event.preventDefault());
document.addEventListener('click', event => {
  const button = event.target.closest('button[data-act]');
  if (!button) return;
  event.preventDefault();
  const body = JSON.parse(button.dataset.body || '{}');
  const from = button.dataset.from;
  if (from) body[from] = at(from).value;
  act(button.dataset.act, body);
});
at('pause').addEventListener('click', () => {
  paused = !paused;
  at('pause').textContent = paused ? 'Go on' : 'Pause';
  at('pause').setAttribute('aria-pressed', paused);
  if (!paused) poll();
});
function button(text, name, body) {
  const made = element('button', text, 'small');
  made.dataset.act = name;
  made.dataset.body = JSON.stringify(body);
  return made;
}
function rows(id, items, none) {
  const text = JSON.stringify(items.map(item => item.key));
  const list = at(id);
  if (list.dataset.shown === text) return;
  list.dataset.shown = text;
  list.replaceChildren(...items.map(item => item.row));
  if (!items.length && none) list.append(element('li', none, 'quiet'));
}
function row(text, ...more) {
  const made = element('li');
  made.append(element('span', text), ...more);
  return { key: [text, more.length], row: made };
}
function show(state) {
  at('dot').className = 'dot ' + (state.isUp ? 'up' : 'down');
  at('up').textContent = state.isUp ? 'is up' : 'is down';
  at('url').textContent = state.url;
  at('epoch').textContent = state.epoch || '–';
  rows('connections', state.connections.map(it => row(
    it.name + ' · ' + (it.principal || 'not greeted') + ' · since ' + it.since + ' · ' + it.messages + ' messages'
      + (it.isSilent ? ' · silent' : ''),
    button('Drop', 'drop', { connection: it.name }),
    button('Reset', 'drop', { connection: it.name, how: 'reset' }),
    it.isSilent ? button('Speak', 'resume', { connection: it.name })
      : button('Silent', 'silence', { connection: it.name }))), 'nobody is connected');
  rows('faults', state.faults.map(it => row(it.rule + ' · followed ' + it.followed + '×')));
  rows('turns', (state.turns || []).map(it => row('turn of ' + it.sessionId + ' · ' + it.state)));
  const orders = state.orders || {};
  at('orders').textContent = [
    orders.failNext ? 'the next ' + orders.failNext + ' fail' : '',
    orders.limitNext ? 'the next ' + orders.limitNext + ' are refused' : '',
    orders.slowMs ? orders.slowMs + ' ms slower' : '',
    'sessions: ' + (state.sessionCount || 0), 'running turns: ' + (state.turnCount || 0) ].filter(Boolean).join(' · ');
  if (paused) return;
  const list = at('frames');
  if (state.lastFrame < last) list.replaceChildren();
  for (const it of state.frames) {
    const line = it.time + ' ' + it.lane + it.mark + ' ' + it.brief;
    const kind = it.mark === '!' ? ' deed' : /^error/.test(it.brief) ? ' error' : '';
    let made;
    if (it.verbatim === undefined) {
      made = element('div', line, 'frame line' + kind);
    } else {
      made = element('details', undefined, 'frame line' + kind);
      made.append(element('summary', line), element('pre', it.verbatim));
    }
    list.prepend(made);
  }
  while (list.childElementCount > shownFrames) list.lastElementChild.remove();
  last = state.lastFrame;
}
async function poll() {
  if (polling) { pollAgain = true; return; }
  polling = true;
  try {
    const answer = await fetch('/control/state?after=' + last);
    show(await answer.json());
  } catch (problem) {
    at('dot').className = 'dot down';
    at('up').textContent = 'cannot be reached; is it still running?';
  }
  polling = false;
  if (pollAgain) { pollAgain = false; poll(); }
}
setInterval(() => { if (!document.hidden) poll(); }, 1000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
poll();
