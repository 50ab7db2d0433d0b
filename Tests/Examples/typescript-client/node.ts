// The app under Node, driven over standard input and output, or over a WebSocket:
//
//     node out/node.js                                        started by `conformance client -- …`
//     node out/node.js --connect ws://192.168.1.7:9000        to a suite that waits with --listen
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serveLines, serveSocket, type DrivenClient } from "./driver.js";
import { Example } from "./example.js";

// What the app stores lives as long as the scenario.
const file = join(process.env.HOLDFAST_DATA ?? mkdtempSync(join(tmpdir(), "chat-app-")), "app.json");
const client: DrivenClient = new Example("Example client for Node", {
  read: () => {
    try { return readFileSync(file, "utf8"); } catch { return null; }
  },
  write: (text) => {
    writeFileSync(file + ".new", text);
    renameSync(file + ".new", file);
  },
});

// Standard output is for replies alone.
const write = process.stdout.write.bind(process.stdout);
console.log = console.error;
const flag = process.argv.indexOf("--connect");
if (flag > 0) await serveSocket(client, process.argv[flag + 1] ?? "");
else {
  // Nothing of the app runs between the reply and this: no timer, and no word to the server.
  client.crash = () => { setImmediate(() => process.kill(process.pid, "SIGKILL")); };
  await serveLines(client, createInterface({ input: process.stdin }), write);
}
process.exit(0);
