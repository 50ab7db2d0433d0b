#!/usr/bin/env node
// A small server of the Holdfast protocol: profile `core`, an agent that obeys scripts, one file for each session.
// It needs Node 20 or later and no package. What a client is told is stored before it is announced.
//
//     node server.js --port 8080 --data ./data
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const util = require("node:util");
const { Socket } = require("./socket.js");

const { values: options } = util.parseArgs({
  options: {
    port: { type: "string", default: "8080" },
    data: { type: "string", default: "data" },
    heartbeat: { type: "string", default: "30" },
  },
});
const HEARTBEAT = Number(options.heartbeat);
const LARGEST_MESSAGE = 256 * 1024;
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const STATUS = {
  session_not_found: 404, too_large: 413, idempotency_mismatch: 422, agent_failed: 500, persist_failed: 503,
  interrupted: 503,
};

const sessions = new Map();
const asked = new Map(); // turns, by the key of their question
const joined = new Set();
const sockets = new Set();
const turns = new Set();
let isStopping = false;

/** Something that is answered with an error and otherwise not done. */
class Refusal extends Error {
  constructor(code, words, details = {}) {
    super(words);
    this.body = { error: words, code, ...details };
  }
}

function need(condition, words) {
  if (!condition) throw new Refusal("bad_request", words);
}

const newID = (kind) => `${kind}-${crypto.randomUUID()}`;
const now = () => new Date().toISOString();
const isName = (value, longest = 128) => typeof value === "string" && value.length >= 1 && value.length <= longest;

// MARK: reading

function readObject(bytes) {
  let value;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    // Texts with half a character cannot be sent on.
    if (/(?<!\\)(\\\\)*\\u[dD][89a-fA-F]/.test(JSON.stringify(value))) throw new Error("half a character");
  } catch (problem) {
    throw new Refusal("parse_error", `not JSON: ${problem.message}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Refusal("parse_error", "not an object");
  return value;
}

function checkAuth(frame) {
  need(typeof frame.protocol === "number", "'protocol' is no number");
  need(frame.token === undefined || typeof frame.token === "string", "'token' is no string");
  need(frame.clientId === undefined || isName(frame.clientId), "'clientId' is no name");
  const capabilities = frame.capabilities ?? [];
  need(frame.capabilities !== null && Array.isArray(capabilities), "'capabilities' is no list");
  need(capabilities.every((name) => isName(name, 64)), "'capabilities' holds something that is no name");
  need(new Set(capabilities).size === capabilities.length, "'capabilities' holds a name twice");
}

function checkChat(frame) {
  need(Array.isArray(frame.messages) && frame.messages.length > 0, "'messages' holds no message");
  for (const message of frame.messages) {
    need(message !== null && typeof message === "object", "a message is no object");
    need(["user", "assistant", "system"].includes(message.role), "a message has no role");
    if (typeof message.content === "string") continue;
    need(Array.isArray(message.content) && message.content.length > 0, "'content' is neither a text nor parts");
    for (const part of message.content) {
      need(part !== null && typeof part === "object" && isName(part.type, Infinity), "a part has no type");
      need(part.text === undefined || typeof part.text === "string", "'text' of a part is no string");
      need(part.image === undefined || isName(part.image, Infinity), "'image' of a part is no string");
      need(!["text", "image"].includes(part.type) || part[part.type] !== undefined, "a part is empty");
    }
  }
  need(frame.messages.at(-1).role === "user", "the last message is not the user's");
  const { sessionId } = frame;
  const isId = typeof sessionId === "string" && SESSION_ID.test(sessionId);
  need(sessionId === undefined || isId, "'sessionId' is no id of a session");
  need(isName(frame.clientMessageId), "'clientMessageId' is no name");
}

function storedContent(content) {
  if (typeof content === "string") return content;
  const known = ["text", "image"];
  return content.map((part) => (known.includes(part.type) ? { type: part.type, [part.type]: part[part.type] } : part));
}

/** The same question, however it is written: a text is one part of type `text`. */
function isSame(one, other) {
  const parts = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
  return JSON.stringify(parts(one)) === JSON.stringify(parts(other));
}

const plainText = (content) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""));

// MARK: storing

const file = (id) => path.join(options.data, `${id}.json`);

function sync(place) {
  const descriptor = fs.openSync(place, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Makes a change durable, then visible; throws, and changes nothing, where it cannot be stored. */
function change(session, edit) {
  const kept = structuredClone(session.kept);
  edit(kept);
  const place = file(kept.id);
  fs.writeFileSync(`${place}.new`, JSON.stringify(kept), { flush: true });
  sync(`${place}.new`);
  fs.renameSync(`${place}.new`, place);
  sync(options.data);
  session.kept = kept;
}

/** Reads what is kept. A turn that ran when the process ended has nobody left who runs it. */
function recover() {
  fs.mkdirSync(options.data, { recursive: true });
  for (const name of fs.readdirSync(options.data).filter((name) => name.endsWith(".json"))) {
    const session = { kept: JSON.parse(fs.readFileSync(path.join(options.data, name))), last: Promise.resolve() };
    sessions.set(session.kept.id, session);
    if (session.kept.turns.some((turn) => turn.status === "running")) {
      const failure = { error: "the server stopped", code: "interrupted", retryable: true };
      const isRunning = (entry) => entry.status === "running";
      change(session, (kept) => {
        for (const entry of kept.turns.filter(isRunning)) Object.assign(entry, { status: "failed", failure });
      });
    }
    for (const { turnId, failure } of session.kept.turns) {
      const [question, reply] = session.kept.messages.filter((message) => message.turnId === turnId);
      const turn = newTurn(session, turnId, question);
      turn.ending = ending(turn, reply, failure);
      asked.set(question.clientMessageId, turn);
    }
  }
}

// MARK: turns

/** Every frame of a turn goes to every open connection, whoever asked. */
function tell(frame) {
  for (const socket of joined) socket.send(frame);
}

function message(turnId, role, content) {
  return { id: newID("message"), role, content, timestamp: now(), turnId };
}

function newTurn(session, id, question) {
  const names = { sessionId: session.kept.id, turnId: id, clientMessageId: question.clientMessageId };
  return { id, session, question, names, ending: null, stop: new AbortController() };
}

function ending(turn, reply, failure) {
  if (failure) return { type: "error", ...failure, ...turn.names };
  return { type: "done", text: reply.content, messageId: reply.id, ...turn.names };
}

/** The turn of a question, new or repeated, or a refusal without a trace. A turn runs whoever stays to listen. */
function accept(frame) {
  checkChat(frame);
  const key = { clientMessageId: frame.clientMessageId };
  const content = storedContent(frame.messages.at(-1).content);
  const known = asked.get(frame.clientMessageId);
  if (known) {
    const isThere = [undefined, known.session.kept.id].includes(frame.sessionId);
    if (!isThere || !isSame(known.question.content, content)) throw new Refusal("idempotency_mismatch", "the key is that of another question", key);
    return { turn: known, copy: { duplicate: true } };
  }
  if (isStopping) throw new Refusal("persist_failed", "the server stops; ask again", { retryable: true, ...key });
  let session = sessions.get(frame.sessionId);
  if (frame.sessionId !== undefined && !session) {
    throw new Refusal("session_not_found", "there is no such session", { sessionId: frame.sessionId, ...key });
  }
  session ??= {
    kept: { id: crypto.randomUUID(), createdAt: now(), updatedAt: now(), messages: [], turns: [] },
    last: Promise.resolve(),
  };
  const question = { ...message(newID("turn"), "user", content), ...key };
  const turn = newTurn(session, question.turnId, question);
  try {
    change(session, (kept) => {
      kept.updatedAt = question.timestamp;
      kept.messages.push(question);
      kept.turns.push({ turnId: turn.id, status: "running", ...key });
    });
  } catch (problem) {
    const words = `the question could not be stored; ask again (${problem.code})`;
    throw new Refusal("persist_failed", words, { retryable: true, ...key });
  }
  sessions.set(session.kept.id, session);
  asked.set(frame.clientMessageId, turn);
  turns.add(turn);
  // The turns of a session run one after the other.
  turn.ended = session.last.then(() => run(turn));
  session.last = turn.ended;
  return { turn, copy: {} };
}

/** Runs a turn to its one ending, which is stored before it is announced. */
async function run(turn) {
  try {
    const reply = message(turn.id, "assistant", await answer(turn, plainText(turn.question.content)));
    change(turn.session, (kept) => conclude(kept, turn, reply));
    turn.ending = ending(turn, reply);
  } catch (problem) {
    const code = problem.name === "AbortError" ? "interrupted" : problem.syscall ? "persist_failed" : "agent_failed";
    const failure = { error: problem.message || code, code, retryable: code !== "agent_failed" };
    try {
      change(turn.session, (kept) => conclude(kept, turn, null, failure));
    } catch {
      // The file still calls the turn running; after a restart `recover` says what is said here.
      conclude(turn.session.kept, turn, null, failure);
    }
    turn.ending = ending(turn, null, failure);
  }
  turns.delete(turn);
  tell(turn.ending);
}

function conclude(kept, turn, reply, failure) {
  Object.assign(kept.turns.find((each) => each.turnId === turn.id), { status: reply ? "done" : "failed", failure });
  if (!reply) return;
  kept.messages.push(reply);
  kept.updatedAt = reply.timestamp;
}

/** Obeys `{"script": [...]}`, the way a test makes tools, waits and failures predictable; echoes anything else. */
async function answer(turn, question) {
  let script = [];
  try {
    // Agents cut characters in half; no message can carry that (ENV-1).
    script = JSON.parse(question, (_, said) => (typeof said === "string" ? said.toWellFormed() : said)).script ?? [];
  } catch {
    // A question in words.
  }
  for (const step of Array.isArray(script) ? script : []) {
    turn.stop.signal.throwIfAborted();
    if ("tool" in step) tell({ type: "toolUse", tool: step.tool, input: step.input, ...turn.names });
    else if ("wait" in step) await require("node:timers/promises").setTimeout(step.wait, null, { signal: turn.stop.signal });
    else if ("reply" in step) return step.reply;
    else if ("fail" in step) throw new Error(step.fail);
  }
  turn.stop.signal.throwIfAborted();
  return `You said: ${question.slice(0, 200).toWellFormed()}`;
}

// MARK: frames

function take(socket, bytes, isText) {
  try {
    need(isText, "messages are texts");
    const frame = readObject(bytes);
    need(typeof frame.type === "string", "'type' is no string");
    if (frame.type === "auth") {
      checkAuth(frame);
      greet(socket, frame);
    } else if (!["chat", "ping"].includes(frame.type)) {
      throw new Refusal("unknown_type", `type '${frame.type.slice(0, 100).toWellFormed()}' is not known`);
    } else if (!joined.has(socket)) {
      throw new Refusal("not_authenticated", "'auth' comes first");
    } else if (frame.type === "ping") {
      need(frame.nonce === undefined || (typeof frame.nonce === "string" && frame.nonce.length <= 128), "'nonce' is too long");
      socket.send({ type: "pong", nonce: frame.nonce });
    } else {
      const { turn, copy } = accept(frame);
      socket.send({ type: "ack", messageId: turn.question.id, ...turn.names, ...copy });
      if (copy.duplicate && turn.ending) socket.send({ ...turn.ending, ...copy });
    }
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    socket.send({ type: "error", ...problem.body });
  }
}

function greet(socket, frame) {
  if (frame.protocol !== 1) {
    socket.send({ type: "error", error: "only version 1 is spoken", code: "unsupported_version", supported: [1] });
    socket.close(4010, "unsupported version");
    return;
  }
  if (joined.has(socket)) throw new Refusal("bad_request", "'auth' was answered already");
  socket.send({
    type: "connected", protocol: 1, connectionId: newID("connection"), serverTime: now(), capabilities: [],
    limits: { maxFrameBytes: LARGEST_MESSAGE }, heartbeatSeconds: HEARTBEAT,
  });
  joined.add(socket);
}

// MARK: REST

async function respond(method, place, body) {
  if (method === "GET" && place === "/api/health") return [200, { ok: true }];
  if (method === "GET" && place === "/api/sessions") {
    const kept = [...sessions.values()].map((session) => session.kept);
    kept.sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    return [200, { sessions: kept.map(({ id, updatedAt, messages }) => ({ id, updatedAt, messageCount: messages.length })) }];
  }
  if (method === "GET" && place.startsWith("/api/sessions/")) {
    const session = sessions.get(place.slice("/api/sessions/".length));
    if (!session) throw new Refusal("session_not_found", "there is no such session");
    return [200, { session: session.kept }];
  }
  if (method === "POST" && place === "/api/chat") {
    const { turn, copy } = accept(readObject(body));
    await turn.ended;
    const { type, ...told } = turn.ending;
    return type === "done" ? [200, { ...told, ...copy }] : [STATUS[told.code], told];
  }
  return [404, { error: "there is nothing here", code: "bad_request" }];
}

const server = http.createServer(async (request, response) => {
  let [status, body] = [500, { error: "the server failed", code: "internal" }];
  try {
    const parts = [];
    let size = 0;
    for await (const part of request) {
      size += part.length;
      if (size <= LARGEST_MESSAGE) parts.push(part);
    }
    if (size > LARGEST_MESSAGE) throw new Refusal("too_large", `a body holds at most ${LARGEST_MESSAGE} bytes`);
    [status, body] = await respond(request.method, request.url.split("?")[0], Buffer.concat(parts));
  } catch (problem) {
    if (problem instanceof Refusal) [status, body] = [STATUS[problem.body.code] ?? 400, problem.body];
  }
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
});

server.on("upgrade", (request, stream) => {
  if (isStopping || request.url.split("?")[0] !== "/ws") return stream.destroy();
  const socket = new Socket(request, stream, { largest: LARGEST_MESSAGE, heartbeat: HEARTBEAT });
  sockets.add(socket);
  socket.onMessage = (bytes, isText) => take(socket, bytes, isText);
  socket.onEnd = () => {
    sockets.delete(socket);
    joined.delete(socket);
  };
});

async function stop() {
  isStopping = true;
  server.close();
  for (const turn of turns) turn.stop.abort();
  await Promise.all([...turns].map((turn) => turn.ended));
  for (const socket of sockets) socket.close(1001, "the server stops");
  setTimeout(() => process.exit(0), 500);
}

recover();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, stop);
server.listen(Number(options.port), "127.0.0.1", () => {
  console.log(`listening on ws://127.0.0.1:${server.address().port}/ws`);
});
