import Transport

/// The page of the control port: one document, nothing loaded from elsewhere.
///
/// Everything that comes from clients or from the server is put in as text and never as markup, and the policy lets no other
/// script run than the one that came with the page.
enum ControlPage {
    static func response() -> HTTPServerResponse {
        var generator = SystemRandomNumberGenerator()
        let nonce = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
        let policy =
            "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return HTTPServerResponse(
            headers: [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)],
            body: Array(document.replacing("NONCE", with: nonce).utf8))
    }

    private static let document = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Mock server</title>
        <link rel="icon" href="data:,">
        <style nonce="NONCE">\(style)</style>
        </head>
        <body>
        <header>
          <h1><span id="dot" class="dot"></span> Mock server <span id="up">…</span></h1>
          <p><code id="url"></code> <span class="quiet">epoch <code id="epoch">–</code></span></p>
        </header>
        <main>
          <section aria-labelledby="h-connections">
            <h2 id="h-connections">Connections</h2>
            <ul id="connections" class="rows"></ul>
            <p class="buttons">
              <button data-act="drop" data-body='{"how":"fin"}'>Drop all</button>
              <button data-act="drop" data-body='{"how":"reset"}'>Reset all</button>
              <button data-act="drop" data-body='{"code":1001}'>Close all, 1001</button>
              <button data-act="silence" data-body='{"seconds":15}'>Silent for 15 s</button>
              <button data-act="silence">Silent</button>
              <button data-act="resume">Speak again</button>
            </p>
          </section>
          <section aria-labelledby="h-server">
            <h2 id="h-server">Server</h2>
            <p class="buttons">
              <button data-act="restart">Restart</button>
              <button data-act="restart" data-body='{"epoch":"kept"}'>Restart, numbers kept</button>
              <button data-act="restart" data-body='{"how":"kill","seconds":5}'>Kill, down for 5 s</button>
            </p>
          </section>
          <section aria-labelledby="h-agent">
            <h2 id="h-agent">Agent</h2>
            <p class="buttons">
              <button data-act="fail">Fail the next turn</button>
              <button data-act="rate-limit">Rate limit the next question</button>
              <button data-act="slow" data-body='{"ms":3000}'>3 s slower</button>
              <button data-act="slow" data-body='{"ms":0}'>As fast as before</button>
            </p>
            <form id="words">
              <label for="text">Text</label>
              <input id="text" autocomplete="off" value="Your report is ready">
              <p class="buttons">
                <button data-act="say" data-from="text">Agent says it</button>
                <button data-act="ask" data-from="text">Another device asks it</button>
                <button data-act="push" data-from="text">Send a push</button>
              </p>
            </form>
            <p id="orders" class="quiet"></p>
            <ul id="turns" class="rows"></ul>
          </section>
          <section aria-labelledby="h-faults">
            <h2 id="h-faults">Faults</h2>
            <form id="faulty">
              <label for="rule">Rule</label>
              <input id="rule" autocomplete="off" autocapitalize="off" spellcheck="false" value="cut before done">
              <p class="buttons">
                <button data-act="fault" data-from="rule">Add</button>
                <button data-act="heal" class="calm">Heal everything</button>
              </p>
            </form>
            <ul id="faults" class="rows"></ul>
          </section>
        </main>
        <section aria-labelledby="h-frames" class="wide">
          <h2 id="h-frames">Frames <button id="pause" class="small" aria-pressed="false">Pause</button></h2>
          <p class="quiet">newest first; open a line for what was on the wire</p>
          <div id="frames"></div>
        </section>
        <footer><p id="told" role="status" aria-live="polite"></p></footer>
        <script nonce="NONCE">\(script)</script>
        </body>
        </html>
        """

    private static let style = """
        :root { color-scheme: light dark; --line: #d7dbe0; --quiet: #5c6670; --page: #fbfbfa; --card: #fff; --ink: #1d2329;
          --accent: #2b6cb0; --warn: #a5581c; --bad: #b3261e; --good: #2e7d4f; }
        @media (prefers-color-scheme: dark) { :root { --line: #343a41; --quiet: #9aa4ae; --page: #15181b; --card: #1c2024;
          --ink: #e4e8ec; --accent: #7ab3ec; --warn: #e0a368; --bad: #f08a80; --good: #75c998; } }
        * { box-sizing: border-box; }
        body { margin: 0; padding: 1rem 1rem 4.5rem; font: 16px/1.45 system-ui, sans-serif; background: var(--page); color: var(--ink); }
        header, main, .wide { max-width: 70rem; margin: 0 auto; }
        h1 { font-size: 1.2rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
        header p { margin: .25rem 0 1rem; overflow-wrap: anywhere; }
        code, .line { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        .quiet { color: var(--quiet); font-size: .875rem; }
        .dot { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; background: var(--quiet); }
        .dot.up { background: var(--good); } .dot.down { background: var(--bad); }
        #up { font-weight: normal; color: var(--quiet); }
        main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
        section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem; min-width: 0; }
        .wide { margin-top: 1rem; }
        .buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; }
        button { font: inherit; font-size: .9rem; min-height: 2.5rem; padding: .3rem .8rem; border: 1px solid var(--line);
          border-radius: .5rem; background: var(--page); color: var(--ink); cursor: pointer; }
        button:hover { border-color: var(--accent); } button:focus-visible, input:focus-visible, summary:focus-visible {
          outline: 2px solid var(--accent); outline-offset: 1px; }
        button.small { min-height: 1.8rem; padding: .1rem .6rem; font-size: .8rem; }
        button.calm { color: var(--good); }
        label { font-size: .875rem; color: var(--quiet); }
        input { font: inherit; width: 100%; min-height: 2.5rem; padding: .3rem .6rem; border: 1px solid var(--line);
          border-radius: .5rem; background: var(--page); color: var(--ink); }
        .rows { list-style: none; margin: 0; padding: 0; }
        .rows li { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; padding: .3rem 0; border-bottom: 1px solid var(--line); }
        .rows li > span:first-child { flex: 1 1 8rem; overflow-wrap: anywhere; }
        .frame { border-bottom: 1px solid var(--line); } .frame summary { cursor: pointer; overflow-wrap: anywhere; padding: .15rem 0; }
        .frame.deed { color: var(--warn); } .frame.error { color: var(--bad); }
        .frame pre { margin: .2rem 0 .6rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--ink); font-size: 12px; }
        #frames { max-height: 60vh; overflow-y: auto; }
        footer { position: fixed; left: 0; right: 0; bottom: 0; background: var(--card); border-top: 1px solid var(--line); }
        #told { margin: 0 auto; max-width: 70rem; padding: .6rem 1rem; min-height: 2.7rem; max-height: 35vh; overflow: auto;
          overflow-wrap: anywhere; white-space: pre-wrap; font-size: .875rem; }
        footer:has(#told:empty) { display: none; }
        div.frame { padding: .15rem 0 .15rem 1.05rem; }
        #told.bad { color: var(--bad); }
        """

    private static let script = #"""
        'use strict';
        const at = id => document.getElementById(id);
        const shownFrames = 300;
        let last = 0, paused = false, polling = false, again = false;
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
            const told = await answer.json();
            if (!answer.ok) {
              const more = (told.problems || []).map(p => p.expected ? '\nexpected: ' + p.expected + '\nfix: ' + p.fix : '');
              tell(name + ': ' + told.error + more.join(''), true);
            } else {
              delete told.ok;
              const payload = told.payload;
              tell(name + ': done ' + (payload ? '\n' + JSON.stringify(told, null, 2) : JSON.stringify(told)));
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
            'sessions: ' + (state.sessionCount || 0), 'turns that run: ' + (state.turnCount || 0) ].filter(Boolean).join(' · ');
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
          if (polling) { again = true; return; }
          polling = true;
          try {
            const answer = await fetch('/control/state?after=' + last);
            show(await answer.json());
          } catch (problem) {
            at('dot').className = 'dot down';
            at('up').textContent = 'cannot be reached; is it still running?';
          }
          polling = false;
          if (again) { again = false; poll(); }
        }
        setInterval(() => { if (!document.hidden) poll(); }, 1000);
        document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
        poll();
        """#
}
