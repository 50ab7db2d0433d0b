// The app in a browser: `page.html?suite=ws://127.0.0.1:9000` connects to a suite that waits with --listen.
import { serveSocket, type State } from "./driver.js";
import { Example } from "./example.js";

const store = {
  read: () => localStorage.getItem("app"),
  write: (text: string) => localStorage.setItem("app", text),
};

function item(text: string, kind: string): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = kind;
  return item;
}

function draw({ connection, thinking, messages, errors }: State) {
  document.title = connection;
  const shown = messages.map(({ role, text, status }) => item(text, `${role} ${status}`));
  if (thinking) shown.push(item("…", "assistant"));
  document.querySelector("#messages")?.replaceChildren(...shown);
  document.querySelector("#errors")?.replaceChildren(...errors.map(({ text }) => item(text, "error")));
}

const suite = new URLSearchParams(location.search).get("suite");
if (suite) serveSocket(new Example("Example page", store, draw), suite).then(() => { document.title = "over"; });
else document.title = "page.html?suite=ws://HOST:PORT";
