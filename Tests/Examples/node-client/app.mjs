// A small chat app without a screen. The server's history is the truth and this is its mirror: whatever brings a message
// ends in `put`, and whatever went wrong is mended by reading the session. It keeps `client-core`, and no more.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const seconds = 1000;
const comeBack = ["busy", "rate_limited"];

export class App {
  constructor({ url, http, token, timeScale = 1, fresh = false, file }) {
    Object.assign(this, { url, http, token, scale: timeScale, file });
    this.timers = new Set();
    this.socket = this.greeting = null;
    this.isActive = this.hasNetwork = true;
    this.isFinal = this.hasFailed = false;
    this.attempts = 0;
    this.errors = [];
    this.reads = new Map();
    const kept = fresh ? null : this.load();
    this.hasKeys = kept?.hasKeys ?? false;
    this.chats = kept?.chats ?? [{ id: null, messages: [], unread: 0 }];
    this.screen = this.chats[kept?.screen ?? 0];
    for (const { message } of this.questions()) if (message.phase === "asked") message.phase = this.lost(message);
    this.connect();
  }

  // What the person and the system do.

  send(text) {
    this.screen.messages.push({ role: "user", text, key: randomUUID(), phase: "waiting", status: "sending" });
    this.flush();
  }

  sendAgain(key) {
    const found = this.find({ key });
    if (found?.message.status !== "failed") return;
    const { chat, message } = found;
    // What may have arrived keeps its key; what is over takes a new one, or its old ending would come.
    if (message.phase === "refused") {
      chat.messages.splice(chat.messages.indexOf(message), 1);
      chat.messages.push({ role: "user", text: message.text, key: randomUUID(), phase: "waiting", status: "sending" });
    } else Object.assign(message, { phase: "waiting", status: "sending", polls: 0 });
    this.flush();
  }

  select(id) {
    this.screen = this.chat(id);
    this.screen.unread = 0;
    this.read(this.screen);
  }

  background() {
    this.isActive = false;
    this.leave();
  }

  foreground() {
    if (this.isActive) return; // the first look after launch is no return
    this.isActive = true;
    if (this.hasNetwork) this.connect();
  }

  networkDown() {
    this.hasNetwork = false;
    this.leave();
  }

  networkUp() {
    this.hasNetwork = true;
    if (this.isActive && !this.isFinal) this.connect();
  }

  quit() {
    this.save();
    this.isActive = false;
    this.leave();
    for (const timer of this.timers) clearTimeout(timer);
  }

  state() {
    const shown = ({ id, key, role, text, status = "sent" }) => ({ id, clientMessageId: key, role, text, status });
    const isOffline = !this.hasNetwork || this.isFinal;
    const isDegraded = this.hasFailed && this.restWorks;
    return {
      connection: isOffline ? "offline" : this.greeting ? "connected" : isDegraded ? "degraded" : "connecting",
      sessionId: this.screen.id,
      thinking: this.awaits(this.screen),
      messages: this.screen.messages.map(shown),
      errors: this.errors,
      unread: Object.fromEntries(this.chats.filter(({ id, unread }) => id && unread).map(({ id, unread }) => [id, unread])),
    };
  }

  // The connection.

  connect() {
    this.leave();
    const socket = (this.socket = new WebSocket(this.url));
    const isMine = () => this.socket === socket;
    this.heard = Date.now();
    const auth = { type: "auth", protocol: 1, clientId: "node", ...(this.token && { token: this.token }) };
    socket.onopen = () => isMine() && this.write(auth);
    socket.onmessage = ({ data }) => {
      if (!isMine()) return;
      this.heard = Date.now();
      let frame = null;
      try { frame = JSON.parse(data); } catch { return; }
      this.onFrame(frame);
      this.save();
    };
    socket.onclose = ({ code }) => isMine() && this.onClosed(code);
    socket.onerror = () => isMine() && this.onClosed(0);
    const patience = Math.max(10 * seconds / this.scale, 1 * seconds);
    this.later(patience, () => isMine() && !this.greeting && this.onClosed(0));
  }

  /** Leaves the connection there is, whatever it believes; what went out on it without a word has to go again. */
  leave() {
    const socket = this.socket;
    this.socket = this.greeting = null;
    if (socket) Object.assign(socket, { onopen: null, onmessage: null, onclose: null, onerror: () => {} }).close();
    for (const { message } of this.questions()) if (message.phase === "asked") message.phase = this.lost(message);
    for (const chat of this.chats) if (this.awaits(chat)) this.poll(chat);
  }

  /** A server that remembers no keys would take a repeat for another question: the session is read instead. */
  lost(message) {
    return this.hasKeys ? "waiting" : "unsure";
  }

  onClosed(code) {
    this.hasFailed ||= !this.greeting;
    this.leave();
    if (code === 4001 || code === 4010) {
      this.isFinal = true;
      this.show(code === 4001 ? "Please sign in again." : "Please update this app.");
      for (const { message } of this.questions()) if (message.phase === "accepted") this.fail(message, "unanswered");
      return;
    }
    const wait = Math.min(20, 2 ** this.attempts++) * (0.5 + Math.random() / 2);
    this.later(wait * seconds / this.scale, () => this.isActive && this.hasNetwork && !this.socket && this.connect());
    this.degrade();
  }

  /** While only REST works, what is on the screen and what is awaited is read now and then. */
  degrade() {
    if (this.greeting || !this.mayConnect || this.isDegraded) return;
    this.isDegraded = true;
    for (const chat of this.chats) {
      if (this.awaits(chat)) this.poll(chat);
      else if (chat === this.screen) this.read(chat);
    }
    this.later(25 * seconds / this.scale, () => {
      this.isDegraded = false;
      this.degrade();
    });
  }

  write(frame) {
    try { this.socket.send(JSON.stringify(frame)); } catch { this.onClosed(0); }
  }

  onFrame(frame) {
    if (frame.type === "connected") {
      this.greeting = frame;
      this.hasFailed = this.restWorks = false;
      this.attempts = 0;
      this.hasKeys = frame.capabilities?.includes("idempotency") ?? false;
      for (const chat of this.chats) if (chat === this.screen || this.awaits(chat)) this.read(chat);
      return this.flush();
    }
    const found = this.find({ turn: frame.turnId, key: frame.clientMessageId }) ?? this.nameless(frame);
    if (frame.type === "error") return this.onError(frame, found);
    if (!["ack", "done", "message"].includes(frame.type) || typeof frame.sessionId !== "string") return;
    const chat = found ? this.adopt(found.chat, frame.sessionId) : this.chat(frame.sessionId);
    if (found) this.accept(found.message, frame);
    if (frame.type === "ack" || (frame.type === "message" && frame.role === "user" && found)) return this.flush();
    const role = frame.type === "done" ? "assistant" : frame.role;
    const key = role === "user" ? frame.clientMessageId : undefined;
    const isNew = this.put(chat, { id: frame.messageId, role, text: frame.text, turn: frame.turnId, key });
    if (isNew && role === "assistant" && chat !== this.screen) chat.unread += 1;
    if (frame.type === "done" && found) this.end(found.message);
    this.flush();
  }

  onError(frame, found) {
    if (frame.code === "unknown_type") return;
    if (found) this.refuse(found.message, frame);
    this.show(frame.error, frame.code, found?.message.key);
    this.flush();
  }

  // Questions.

  *questions() {
    for (const chat of this.chats) for (const message of chat.messages) if (message.phase) yield { chat, message };
  }

  find({ turn, key }) {
    for (const one of this.questions()) {
      if ((key && one.message.key === key) || (turn && one.message.turn === turn)) return one;
    }
  }

  /** A frame that names neither turn nor key is about the oldest question that waits in its session. */
  nameless(frame) {
    if (frame.turnId || frame.clientMessageId || !["done", "error"].includes(frame.type)) return;
    for (const one of this.questions()) {
      const isHere = frame.sessionId === undefined || [null, frame.sessionId].includes(one.chat.id);
      if (["asked", "accepted", "unsure"].includes(one.message.phase) && isHere) return one;
    }
  }

  awaits(chat) {
    return chat.messages.some((message) => ["asked", "accepted", "unsure"].includes(message.phase));
  }

  flush() {
    for (const chat of this.chats) {
      for (const message of chat.messages) {
        if (message.notBefore > Date.now()) continue; // refused for now, and in nobody's way
        if (message.phase === "waiting" && this.greeting) this.ask(chat, message);
        // A second question now would begin a second session.
        if (chat.id === null && ["waiting", "asked", "unsure"].includes(message.phase)) break;
        if (message.phase === "waiting") break;
      }
    }
    this.save();
  }

  ask(chat, message) {
    message.session ??= chat.id;
    message.phase = "asked";
    const socket = this.socket;
    const messages = [{ role: "user", content: message.text }];
    const names = { clientMessageId: message.key, ...(message.session && { sessionId: message.session }) };
    this.write({ type: "chat", messages, ...names });
    const silence = () => {
      if (message.phase !== "asked" || this.socket !== socket) return;
      if (this.hasKeys || Date.now() - this.heard > 14 * seconds / this.scale) return this.connect();
      this.write({ type: "ping", nonce: "n" });
      this.later(15 * seconds / this.scale, silence);
    };
    if (!this.hasKeys) this.write({ type: "ping", nonce: "n" });
    this.later(15 * seconds / this.scale, silence);
    this.watch(message);
  }

  /** A socket that is silent while an answer is awaited is given up. */
  watch(message) {
    this.later(20 * seconds / this.scale, () => {
      if (!["asked", "accepted"].includes(message.phase)) return;
      if (this.greeting && Date.now() - this.heard > 40 * seconds / this.scale) this.connect();
      else if (this.greeting) this.write({ type: "ping", nonce: "n" });
      this.watch(message);
    });
  }

  accept(message, { turnId }) {
    // That it arrived is no news where it was given up for want of an answer.
    if (["done", "refused", "unanswered"].includes(message.phase)) return;
    Object.assign(message, { phase: "accepted", status: "sent", turn: turnId ?? message.turn });
  }

  end(message) {
    Object.assign(message, { phase: "done", status: "sent" });
  }

  fail(message, phase) {
    Object.assign(message, { phase, status: "failed" });
  }

  refuse(message, { code, retryAfterMs = 60 * seconds }) {
    if (message.phase === "done") return;
    if (!comeBack.includes(code)) return this.fail(message, "refused");
    const wait = code === "busy" ? 2 * seconds : retryAfterMs + 100; // what the server tells is never divided
    Object.assign(message, { phase: "waiting", notBefore: Date.now() + wait });
    this.later(wait + 20, () => this.flush());
  }

  // Messages.

  chat(id) {
    let chat = this.chats.find((one) => one.id === id && (id !== null || one.messages.length === 0));
    if (!chat) this.chats.push((chat = { id, messages: [], unread: 0 }));
    return chat;
  }

  /** The session of a question is known now. */
  adopt(chat, id) {
    if (chat.id === id) return chat;
    if (chat.id !== null) return this.chat(id);
    const other = this.chats.find((one) => one.id === id);
    if (other) {
      chat.messages.unshift(...other.messages);
      this.chats.splice(this.chats.indexOf(other), 1);
      if (this.screen === other) this.screen = chat;
    }
    chat.id = id;
    return chat;
  }

  /** Takes up one message, whatever brought it, and says whether it is new. */
  put(chat, { id, role, text, turn, key }) {
    const isAnswer = (one) => role === "assistant" && turn && one.turn === turn && !(id && one.id);
    const isSame = (one) => (id && one.id === id) || (key && one.key === key) || isAnswer(one);
    const known = chat.messages.find((one) => one.role === role && isSame(one));
    if (known) return void Object.assign(known, { id: known.id ?? id, turn: known.turn ?? turn });
    const question = turn ? chat.messages.findIndex((one) => one.phase && one.turn === turn) : -1;
    const next = { id, role, text, turn, key };
    if (role === "assistant" && question >= 0) chat.messages.splice(question + 1, 0, next);
    else chat.messages.push(next);
    return true;
  }

  show(text, code, clientMessageId) {
    const names = { ...(code && { code }), ...(clientMessageId && { clientMessageId }) };
    this.errors = [...this.errors.slice(-19), { text: text || "Something went wrong.", ...names }];
  }

  // Reading.

  async request(path) {
    try {
      const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {};
      const signal = AbortSignal.timeout(Math.max(20 * seconds / this.scale, 2 * seconds));
      const response = await fetch(this.http + path, { headers, signal });
      const body = await response.json().catch(() => ({}));
      this.restWorks = true;
      return { status: response.status, body };
    } catch {
      this.restWorks = false;
      return { status: 0, body: {} };
    }
  }

  /** One read of a session at a time, and another one after it for those who asked meanwhile. */
  async read(chat) {
    if (this.reads.has(chat)) return void this.reads.set(chat, true);
    this.reads.set(chat, false);
    let answer = { status: 0 };
    if (chat.id === null) await this.search(chat);
    if (chat.id !== null) answer = await this.request("/api/sessions/" + encodeURIComponent(chat.id));
    if (answer.status === 200) this.merge(chat, answer.body.session);
    const open = chat.messages.filter(({ phase }) => ["unsure", "accepted"].includes(phase));
    if (answer.status === 404) for (const message of open) this.fail(message, "refused");
    const isWanted = this.reads.get(chat);
    this.reads.delete(chat);
    this.save();
    if (isWanted) return this.read(chat);
    if (this.awaits(chat)) return this.poll(chat);
    const isAnswered = chat.id === null || [200, 404].includes(answer.status);
    if (!isAnswered && this.greeting) this.later(5 * seconds / this.scale, () => this.read(chat));
  }

  /** Finds the session of a first question: by its key, else by its words. */
  async search(chat) {
    const first = chat.messages.find((message) => message.phase === "unsure");
    if (!first || this.hasKeys) return;
    const { status, body } = await this.request("/api/sessions");
    if (status !== 200) return;
    for (const { id } of body.sessions ?? []) {
      if (this.chats.some((one) => one.id === id)) continue;
      const { body: found } = await this.request("/api/sessions/" + encodeURIComponent(id));
      const question = found.session?.messages.find((message) => message.role === "user");
      if (question && words(question.content) === first.text && chat.id === null) return void (chat.id = id);
    }
    if (first.phase === "unsure") {
      this.fail(first, "lost");
      this.show("It is not known whether this was sent.", undefined, first.key);
    }
  }

  /** Reads until the answer is there; after a minute without it the person is told, connected or not. */
  poll(chat) {
    if (chat.isPolled) return;
    chat.isPolled = true;
    chat.since ??= Date.now();
    this.later(8 * seconds / this.scale, () => {
      chat.isPolled = false;
      if (!this.awaits(chat)) return void (chat.since = undefined);
      const isInTime = Date.now() - chat.since < 50 * seconds / this.scale;
      if (isInTime) return this.mayConnect ? void this.read(chat) : this.poll(chat);
      chat.since = undefined;
      for (const message of chat.messages) {
        if (!["accepted", "unsure"].includes(message.phase)) continue;
        this.fail(message, "unanswered");
        this.show("There is no answer yet.", undefined, message.key);
      }
    });
  }

  get mayConnect() {
    return this.isActive && this.hasNetwork && !this.isFinal;
  }

  /** Takes up a history: its order holds, and nothing that is shown goes. */
  merge(chat, { messages, turns = [] }) {
    const order = new Map();
    messages.forEach((entry, index) => {
      const text = words(entry.content);
      // A server that remembers no keys names nothing: then the words decide.
      const isKnown = chat.messages.some((one) => one.id === entry.id);
      const own = chat.messages.find((one) => !one.id && ["asked", "unsure"].includes(one.phase) && one.text === text);
      if (own && !isKnown && !entry.clientMessageId && entry.role === "user") own.id = entry.id;
      this.put(chat, { id: entry.id, role: entry.role, text, turn: entry.turnId, key: entry.clientMessageId });
      const { id, role, clientMessageId: key } = entry;
      const shown = chat.messages.find((one) => one.id === id || (key && one.role === role && one.key === key));
      shown.id = entry.id;
      order.set(shown, index);
      if (shown.phase) this.accept(shown, { turnId: entry.turnId });
    });
    const place = (message, index) => order.get(message) ?? (index > 0 ? order.size : -1);
    const placed = chat.messages.map((message, index) => ({ message, place: place(message, index) }));
    // The sort keeps the order of those that have the same place.
    chat.messages = placed.sort((one, other) => one.place - other.place).map(({ message }) => message);
    const ends = Object.fromEntries(turns.map(({ turnId, status }) => [turnId, status]));
    chat.messages.forEach((message, index) => {
      if (!message.phase || !order.has(message) || ["done", "refused"].includes(message.phase)) return;
      const isAnswer = ({ role, turn = message.turn }) => role === "assistant" && turn === message.turn;
      const answer = chat.messages.slice(index + 1).find(isAnswer);
      if (ends[message.turn] === "failed") {
        this.fail(message, "refused");
        this.show("The agent did not answer.", "agent_failed", message.key);
      } else if (answer || ends[message.turn] === "done") this.end(message);
    });
    this.flush();
  }

  // Time and storage.

  later(milliseconds, action) {
    const timer = setTimeout(() => { this.timers.delete(timer); action(); this.save(); }, milliseconds);
    this.timers.add(timer);
  }

  save() {
    const chats = this.chats.map(({ id, messages, unread }) => ({ id, messages, unread }));
    writeFileSync(this.file, JSON.stringify({ hasKeys: this.hasKeys, chats, screen: this.chats.indexOf(this.screen) }));
  }

  load() {
    try { return JSON.parse(readFileSync(this.file, "utf8")); } catch { return null; }
  }
}

/** The text of a content that may come in parts. */
function words(content) {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content ?? [];
  return parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");
}
