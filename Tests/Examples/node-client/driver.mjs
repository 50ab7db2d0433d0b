#!/usr/bin/env -S node --experimental-websocket
// The driver kit: copy this file, and put your app where `App` of app.mjs stands. It obeys the suite's commands as a
// phone's system and its owner would, and tells what the screen shows. Nothing to install; Node 20 or later.
//
//     conformance client -- node --experimental-websocket driver.mjs
//     node --experimental-websocket driver.mjs --connect ws://192.168.1.7:9000     to a suite that waits with --listen
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { App } from "./app.mjs";

/** What the app is; what it cannot do is named here, each with the reason that the report shows. */
const about = { name: "Example client for Node", version: "1.0", profiles: ["client-core"] };
const unsupported = {
  receivePush: "this app has no notifications",
  openPush: "this app has no notifications",
};

/** Calls what the system and the screen would call. The app takes it as it takes a tap: nothing here waits for a server. */
const commands = {
  send: (app, { text }) => app.send(text),
  sendAgain: (app, { clientMessageId }) => app.sendAgain(clientMessageId),
  background: (app) => app.background(),
  foreground: (app) => app.foreground(),
  networkDown: (app) => app.networkDown(),
  networkUp: (app) => app.networkUp(),
  selectSession: (app, { sessionId }) => app.select(sessionId),
  state: () => {},
};

// What the app stores lives as long as the scenario.
const folder = process.env.HOLDFAST_DATA ?? mkdtempSync(join(tmpdir(), "chat-app-"));
let app = null;

/** The reply to one command. */
function obey(command) {
  const { id = 0, do: verb } = command;
  try {
    if (verb === "hello") return { id, ok: true, ...about };
    if (verb in unsupported) return { id, unsupported: unsupported[verb] };
    if (verb === "launch") {
      app = new App({ ...command, file: join(folder, "app.json") });
      return { id, ok: true, state: app.state() };
    }
    if (app === null) return { id, error: "the app does not run" };
    if (verb === "quit") {
      app.quit();
      app = null;
      return { id, ok: true };
    }
    if (!(verb in commands)) return { id, unsupported: `no command '${verb}'` };
    commands[verb](app, command);
    return { id, ok: true, state: app.state() };
  } catch (problem) {
    return { id, error: String(problem?.stack ?? problem) };
  }
}

// Standard output is for replies alone.
const write = process.stdout.write.bind(process.stdout);
console.log = console.error;
const flag = process.argv.indexOf("--connect");
if (flag > 0) {
  const socket = new WebSocket(process.argv[flag + 1]);
  socket.onmessage = ({ data }) => socket.send(JSON.stringify(obey(JSON.parse(data))));
  socket.onclose = () => process.exit(0);
} else {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => write(JSON.stringify(obey(JSON.parse(line))) + "\n"));
  lines.on("close", () => process.exit(0));
}
