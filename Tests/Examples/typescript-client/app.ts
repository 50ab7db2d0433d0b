// A small chat app without a screen. The server's history is the truth and this is its mirror: whatever brings a message
// ends in `Chat.put`, and whatever went wrong is mended by `sync` or by reading the session.
import { Chat, type Entry, type Message, type Phase } from "./chat.js";
import type { Launch, Payload, ShownError, State } from "./driver.js";
import { Stream, type Frame } from "./stream.js";

const seconds = 1000;

/** Where the app keeps what has to outlive it. */
export interface Store {
  read(): string | null;
  write(text: string): void;
}

interface Found {
  chat: Chat;
  message: Message;
}

export class App {
  private readonly stream: Stream;
  private readonly clientId: string;
  private timers = new Set<ReturnType<typeof setTimeout>>();
  private socket: WebSocket | null = null;
  private greeting: Frame | null = null;
  private heard = 0;
  private attempts = 0;
  /** The wait before the next attempt; an earlier one that is still to end makes none. */
  private waits = 0;
  private greetedAt = 0;
  private maxFrameBytes = Infinity;
  private isActive = true;
  private hasNetwork = true;
  private isFinal = false;
  private hasFailed = false;
  private restWorks = false;
  private isDegraded = false;
  private errors: ShownError[] = [];
  private chats: Chat[];
  private screen: Chat;

  constructor(private launch: Launch, private store: Store, private draw: (state: State) => void) {
    const kept = launch.fresh ? null : this.load();
    this.clientId = kept?.clientId ?? crypto.randomUUID();
    this.chats = (kept?.chats ?? []).map(Chat.from);
    this.screen = this.chats[kept?.screen ?? 0] ?? this.chat(null);
    this.stream = new Stream(this, kept?.epoch, kept?.seq);
    this.loseAsked();
    // The tap that started the app wins over what it would show by itself.
    if (launch.opened) this.open(launch.opened);
    this.connect();
  }

  // What the person and the system do.

  send(text: string) {
    this.screen.pending.push(this.question(text));
    this.flush();
  }

  sendAgain(key: string) {
    const found = this.find({ key });
    if (found?.message.status !== "failed") return;
    const { chat, message } = found;
    // What may have arrived keeps its key; what is over takes a new one, or its old ending would come.
    if (message.phase === "refused") {
      chat.remove(message);
      chat.pending.push(this.question(message.text));
    } else Object.assign(message, { phase: "waiting", status: "sending", isLost: true, asked: undefined });
    chat.polled.delete(key);
    this.flush();
  }

  select(id: string | null) {
    this.screen = this.chat(id);
    this.screen.unread = [];
    this.readUntilAnswered(this.screen);
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
    if (this.mayConnect) this.connect();
  }

  /** A notification in the foreground says where something is; that the socket may bring it too does not matter. */
  receive({ sessionId, messageId }: Payload) {
    const chat = this.chat(sessionId);
    chat.expect(messageId);
    if (chat !== this.screen && chat.expected && !chat.unread.includes(messageId)) chat.unread.push(messageId);
    this.readUntilAnswered(chat);
  }

  open({ sessionId, messageId }: Payload) {
    this.foreground();
    this.chat(sessionId).expect(messageId);
    this.select(sessionId);
  }

  quit() {
    this.save();
    this.isActive = false;
    this.leave();
    for (const timer of this.timers) clearTimeout(timer);
  }

  state(): State {
    const shown = ({ id, key, role, text, status = "sent" }: Message) => ({ id, clientMessageId: key, role, text, status });
    const isOffline = !this.hasNetwork || this.isFinal;
    const isDegraded = this.hasFailed && this.restWorks;
    const unread = this.chats.filter((chat) => chat.unread.length > 0);
    return {
      connection: isOffline ? "offline" : this.greeting ? "connected" : isDegraded ? "degraded" : "connecting",
      sessionId: this.screen.id,
      thinking: this.screen.awaits,
      messages: this.screen.messages.filter(({ role }) => role === "user" || role === "assistant").map(shown),
      errors: this.errors,
      unread: Object.fromEntries(unread.map((chat) => [chat.id, chat.unread.length])),
    };
  }

  // The connection.

  private get mayConnect(): boolean {
    return this.isActive && this.hasNetwork && !this.isFinal;
  }

  private connect() {
    this.waits += 1;
    this.leave();
    const socket = (this.socket = new WebSocket(this.launch.url));
    const isMine = () => this.socket === socket;
    this.heard = Date.now();
    const { token } = this.launch;
    const auth = { type: "auth", protocol: 1, clientId: this.clientId, ...(token && { token }) };
    socket.onopen = () => isMine() && this.write(auth);
    socket.onmessage = ({ data }) => {
      if (!isMine()) return;
      this.heard = Date.now();
      let frame: Frame | null = null;
      try { frame = JSON.parse(data); } catch { /* a newer server may know more */ }
      if (typeof frame?.type === "string") this.receiveFrame(frame);
      this.save();
    };
    socket.onclose = ({ code }) => isMine() && this.closed(code);
    socket.onerror = () => isMine() && this.closed(0);
    this.later(10 * seconds, () => isMine() && !this.greeting && this.closed(0), 1 * seconds);
  }

  /** Leaves the connection there is, whatever it believes; what went out on it without a word has to go again. */
  private leave() {
    const socket = this.socket;
    this.socket = this.greeting = null;
    if (socket) Object.assign(socket, { onopen: null, onmessage: null, onclose: null, onerror: () => {} }).close();
    this.loseAsked();
    for (const chat of this.chats) if (chat.awaits) this.poll(chat);
  }

  /** What went out without a word goes again. */
  private loseAsked() {
    for (const { message } of this.questions()) {
      if (message.phase === "asked") Object.assign(message, { phase: "waiting", isLost: true });
    }
  }

  private closed(code: number) {
    this.hasFailed ||= !this.greeting;
    // A connection that lasted starts the count anew; what one brought does not, or a failing server would be hammered.
    if (this.greeting && Date.now() - this.greetedAt > this.scaled(10 * seconds)) this.attempts = 0;
    this.leave();
    if (code === 4001 || code === 4010) {
      this.isFinal = true;
      this.show(code === 4001 ? "Please sign in again." : "Please update this app.");
      for (const { message } of this.questions()) if (message.phase === "accepted") this.fail(message, "unanswered");
      return this.save();
    }
    const wait = Math.min(20, 2 ** this.attempts++) * (0.5 + Math.random() / 2);
    const mine = ++this.waits;
    this.later(wait * seconds, () => mine === this.waits && this.mayConnect && !this.socket && this.connect());
    this.degrade();
  }

  /** While only REST works, what is on the screen and what is awaited is read now and then. */
  private degrade() {
    if (this.greeting || !this.mayConnect || this.isDegraded) return;
    this.isDegraded = true;
    for (const chat of this.chats) {
      if (chat.awaits) this.poll(chat);
      else if (chat === this.screen) void this.read(chat);
    }
    this.later(25 * seconds, () => {
      this.isDegraded = false;
      this.degrade();
    });
  }

  write(frame: Frame) {
    try { this.socket?.send(JSON.stringify(frame)); } catch { this.closed(0); }
  }

  private receiveFrame(frame: Frame) {
    if (frame.type === "connected") return this.connected(frame);
    if (frame.type === "syncResult") {
      const greeting = this.greeting;
      void this.stream.result(frame, () => this.greeting === greeting).then(() => this.save());
    } else {
      this.take(frame);
      this.stream.passed(frame);
    }
    this.flush();
  }

  private connected(frame: Frame) {
    this.greeting = frame;
    this.greetedAt = Date.now();
    this.hasFailed = this.restWorks = this.isFinal = false;
    this.maxFrameBytes = frame.limits?.maxFrameBytes ?? this.maxFrameBytes;
    const recover = () => {
      for (const chat of this.chats) if (chat === this.screen || chat.isOpen) this.readUntilAnswered(chat);
    };
    // A `sync` that nobody answers is no reason to show nothing.
    if (!this.stream.connected(frame)) recover();
    else this.later(10 * seconds, () => this.greeting === frame && this.stream.isCatchingUp && recover());
    this.flush();
  }

  /** Takes up a frame, live or replayed; what is not known or not well made is passed over. */
  take(frame: Frame, epoch?: string) {
    const found = this.find({ turn: frame.turnId, key: frame.clientMessageId });
    if (frame.type === "error") return this.refused(frame, found);
    if (!["ack", "done", "message"].includes(frame.type) || typeof frame.sessionId !== "string") return;
    const chat = found ? this.adopt(found.chat, frame.sessionId) : this.chat(frame.sessionId);
    const place = this.stream.place(frame, epoch);
    // A question stands before its ending, until its own frame says where.
    const before = frame.type === "done" && place !== undefined ? place - 0.5 : place;
    if (found) this.accept(chat, found.message, frame, before);
    if (frame.type === "ack" || (frame.type === "message" && frame.role === "user" && found)) return;
    const role = frame.type === "done" ? "assistant" : frame.role;
    const key = role === "user" ? frame.clientMessageId : undefined;
    const isNew = chat.put({ id: frame.messageId, role, text: frame.text, turn: frame.turnId, key, place });
    const isUnread = isNew && role === "assistant" && chat !== this.screen && !chat.unread.includes(frame.messageId);
    if (isUnread) chat.unread.push(frame.messageId);
    if (frame.type === "done" && found) Object.assign(found.message, { phase: "done", status: "sent" });
  }

  forgetPlaces() {
    for (const chat of this.chats) for (const message of chat.stored) message.place = undefined;
  }

  // Questions.

  private question(text: string): Message {
    return { role: "user", text, key: crypto.randomUUID(), phase: "waiting", status: "sending" };
  }

  private *questions(): Generator<Found> {
    for (const chat of this.chats) for (const message of chat.messages) if (message.phase) yield { chat, message };
  }

  get awaitsAnswer(): boolean {
    return this.chats.some((chat) => chat.awaits || chat.messages.some(({ phase }) => phase === "waiting"));
  }

  private find({ turn, key }: { turn?: string; key?: string }): Found | undefined {
    for (const one of this.questions()) {
      if ((key && one.message.key === key) || (turn && one.message.turn === turn)) return one;
    }
    return undefined;
  }

  private flush() {
    for (const chat of this.chats) {
      for (const message of chat.messages) {
        if ((message.notBefore ?? 0) > Date.now()) continue; // refused for now, and in nobody's way
        if (message.phase === "waiting" && this.greeting) this.ask(chat, message);
        // A second question now would begin a second session.
        if (chat.id === null && ["waiting", "asked"].includes(message.phase ?? "")) break;
        if (message.phase === "waiting") break;
      }
    }
    this.save();
  }

  private ask(chat: Chat, message: Message) {
    message.session ??= chat.id;
    const socket = this.socket;
    const messages = [{ role: "user", content: message.text }];
    const names = { clientMessageId: message.key, ...(message.session && { sessionId: message.session }) };
    const frame = { type: "chat", messages, ...names };
    // What the server would refuse, or close the connection on, is not sent.
    if (new TextEncoder().encode(JSON.stringify(frame)).length > this.maxFrameBytes) {
      this.fail(message, message.isLost ? "unanswered" : "refused");
      return this.show("This message is too long.", "too_large", message.key);
    }
    // A day after its first send, the server may have forgotten its key.
    message.asked ??= Date.now();
    if (Date.now() - message.asked > this.scaled(86_400 * seconds)) {
      this.fail(message, "unanswered");
      return this.show("It is not known whether this was sent.", undefined, message.key);
    }
    message.phase = "asked";
    message.notBefore = undefined;
    this.save(); // before it goes out
    this.write(frame);
    this.later(15 * seconds, () => message.phase === "asked" && this.socket === socket && this.connect());
    this.watch(message);
  }

  /** A socket that is silent while an answer is awaited is given up. */
  private watch(message: Message) {
    this.later(20 * seconds, () => {
      if (!["asked", "accepted"].includes(message.phase ?? "")) return;
      if (this.greeting && Date.now() - this.heard > this.scaled(40 * seconds)) this.connect();
      else if (this.greeting) this.write({ type: "ping", nonce: "n" });
      this.watch(message);
    });
  }

  /** The server has a question: from here on it is its keeper. */
  private accept(chat: Chat, message: Message, { type, messageId, turnId }: Partial<Frame>, place?: number) {
    const id = type === "done" ? undefined : messageId;
    chat.put({ role: "user", text: message.text, id, key: message.key, turn: turnId, place });
    // That it arrived is no news where it was given up for want of an answer.
    if (["done", "refused", "unanswered"].includes(message.phase ?? "")) return;
    Object.assign(message, { phase: "accepted", status: "sent", turn: turnId ?? message.turn });
  }

  private fail(message: Message, phase: Phase) {
    Object.assign(message, { phase, status: "failed" });
  }

  private refused(frame: Frame, found?: Found) {
    if (frame.code === "unknown_type" || (frame.turnId && !found)) return;
    if (found && ["done", "refused"].includes(found.message.phase ?? "")) return;
    if (found) this.refuse(found.message, frame);
    this.show(frame.error, frame.code, found?.message.key);
  }

  private refuse(message: Message, { code, turnId, retryAfterMs = 60 * seconds }: Frame) {
    // The refusal of a resend says nothing of the send before it: the key stays.
    const keepsKey = message.isLost && !turnId && code !== "idempotency_mismatch";
    if (code !== "busy" && code !== "rate_limited") return this.fail(message, keepsKey ? "unanswered" : "refused");
    const wait = code === "busy" ? this.scaled(4 * seconds) : retryAfterMs + 100; // what the server tells is never divided
    Object.assign(message, { phase: "waiting", notBefore: Date.now() + wait });
    this.laterUnscaled(wait + 20, () => this.flush());
  }

  // Conversations.

  private chat(id: string | null): Chat {
    let chat = this.chats.find((one) => one.id === id && (id !== null || one.messages.length === 0));
    if (!chat) this.chats.push((chat = new Chat(id)));
    return chat;
  }

  /** The session of a question is known now. */
  private adopt(chat: Chat, id: string): Chat {
    if (chat.id === id) return chat;
    if (chat.id !== null) return this.chat(id);
    const other = this.chats.find((one) => one.id === id);
    if (other) {
      chat.stored.unshift(...other.stored);
      chat.pending.unshift(...other.pending);
      Object.assign(chat, { expected: other.expected, patience: other.patience });
      this.chats.splice(this.chats.indexOf(other), 1);
      if (this.screen === other) this.screen = chat;
    }
    chat.id = id;
    return chat;
  }

  private show(text?: string, code?: string, clientMessageId?: string) {
    const error = { text: text || "Something went wrong.", ...(code && { code }), ...(clientMessageId && { clientMessageId }) };
    const isShown = this.errors.some((one) => JSON.stringify(one) === JSON.stringify(error));
    if (!isShown) this.errors = [...this.errors.slice(-19), error];
  }

  // Reading.

  private async request(path: string): Promise<{ status: number; body: any }> {
    const { http, token } = this.launch;
    try {
      const headers: HeadersInit = token ? { Authorization: `Bearer ${token}` } : {};
      const end = new AbortController();
      this.later(20 * seconds, () => end.abort(), 2 * seconds);
      const response = await fetch(http + path, { headers, signal: end.signal });
      const body = await response.json().catch(() => ({}));
      this.restWorks = true;
      return { status: response.status, body };
    } catch {
      this.restWorks = false;
      return { status: 0, body: {} };
    }
  }

  /** One read of a session at a time, and one after it for all who ask meanwhile; says whether the server answered. */
  private read(chat: Chat): Promise<boolean> {
    if (!chat.reading) {
      return (chat.reading = this.readNow(chat).finally(() => { chat.reading = undefined; }));
    }
    return (chat.next ??= chat.reading.then(() => {
      chat.next = undefined;
      return this.read(chat);
    }));
  }

  private async readNow(chat: Chat): Promise<boolean> {
    let isAnswered = true;
    if (chat.id !== null) {
      const { status, body } = await this.request("/api/sessions/" + encodeURIComponent(chat.id));
      const isMissing = status === 404 && body?.error !== undefined; // a gateway's 404 says nothing of the session
      const session = status === 200 ? body?.session : undefined; // none in a body that was cut off
      isAnswered = Boolean(session) || isMissing;
      if (session) this.merge(chat, session);
      else if (isMissing) this.missing(chat);
      else if (chat.expected) this.show("This conversation cannot be read now.");
    }
    this.save();
    if (chat.expected) this.later(5 * seconds, () => chat.expected && this.mayConnect && this.read(chat));
    if (chat.awaits) this.poll(chat);
    return isAnswered;
  }

  /** Tries again, later and later, while the connection is the same. */
  private async readUntilAnswered(chat: Chat) {
    const greeting = this.greeting;
    chat.isStale = true;
    for (let wait = 5; ; wait = Math.min(25, wait * 2)) {
      if (await this.read(chat)) return void (chat.isStale = false);
      if (!greeting || this.greeting !== greeting) return;
      await new Promise<void>((done) => this.later(wait * seconds, done));
      if (this.greeting !== greeting) return;
    }
  }

  async recover(what: "awaited" | "all") {
    const isWanted = (chat: Chat) => what === "all" || (chat === this.screen && chat.isStale);
    const wanted = this.chats.filter((chat) => chat.awaits || (chat.id !== null && isWanted(chat)));
    await Promise.all(wanted.map((chat) => this.readUntilAnswered(chat)));
  }

  /** Reads until the answers are there; after a minute without one the person is told, connected or not. */
  private poll(chat: Chat) {
    chat.polled = new Map(chat.awaited.map(({ key }) => [key, chat.polled.get(key) ?? Date.now()]));
    if (chat.isPolled) return;
    chat.isPolled = true;
    this.later(8 * seconds, () => {
      chat.isPolled = false;
      for (const message of chat.awaited) {
        const since = chat.polled.get(message.key) ?? Date.now();
        if (message.phase === "asked" || Date.now() - since < this.scaled(50 * seconds)) continue;
        chat.polled.delete(message.key);
        this.fail(message, "unanswered");
        this.show("There is no answer yet.", undefined, message.key);
      }
      if (!chat.awaits) return void chat.polled.clear();
      if (this.mayConnect) this.read(chat);
      else this.poll(chat);
    });
  }

  private merge(chat: Chat, { messages, turns }: { messages: Entry[]; turns: { turnId: string; status: string }[] }) {
    for (const { clientMessageId: key } of messages) {
      const found = key && chat.id ? this.find({ key }) : undefined;
      if (found?.chat.id === null) chat = this.adopt(found.chat, chat.id!); // stored, though its ack never came
    }
    chat.merge(messages);
    chat.patience -= 1;
    if (chat.patience < 0 || chat.messages.some(({ id }) => id === chat.expected)) chat.expected = undefined;
    const ends = new Map(turns.map(({ turnId, status }) => [turnId, status]));
    for (const message of chat.stored) {
      if (!message.phase || !message.id || ["done", "refused"].includes(message.phase)) continue;
      this.accept(chat, message, {});
      const end = ends.get(message.turn ?? "");
      if (end === "done") Object.assign(message, { phase: "done", status: "sent" });
      else if (end === "failed") {
        this.refused({ type: "error", error: "The agent did not answer.", turnId: message.turn }, { chat, message });
      }
    }
    this.flush();
  }

  private missing(chat: Chat) {
    if (chat.expected) this.show("This conversation cannot be found.", "session_not_found");
    chat.expected = undefined;
    for (const message of chat.messages) {
      if (message.phase === "accepted") this.fail(message, "refused");
    }
  }

  // Time and storage.

  /** A timer of the app's own, shortened by the scale of a test. */
  private scaled(milliseconds: number): number {
    return milliseconds / this.launch.timeScale;
  }

  private later(milliseconds: number, action: () => unknown, least = 0) {
    this.laterUnscaled(Math.max(this.scaled(milliseconds), least), action);
  }

  private laterUnscaled(milliseconds: number, action: () => unknown) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      action();
      this.save();
    }, milliseconds);
    this.timers.add(timer);
  }

  private save() {
    const { clientId, stream: { epoch, seq } } = this;
    const chats = this.chats.map((chat) => chat.kept());
    const screen = this.chats.indexOf(this.screen);
    this.store.write(JSON.stringify({ clientId, epoch, seq, chats, screen }));
    this.draw(this.state());
  }

  private load() {
    try { return JSON.parse(this.store.read() ?? "null"); } catch { return null; }
  }
}
