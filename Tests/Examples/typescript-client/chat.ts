// One session as a person sees it: each message once, in the order of the history.

/**
 * The life of a question: `waiting` → `asked` → `accepted` → `done`, or `refused`; `unanswered` when nobody knows more.
 */
export type Phase = "waiting" | "asked" | "accepted" | "done" | "refused" | "unanswered";

export interface Message {
  role: "user" | "assistant";
  text: string;
  id?: string;
  key?: string;
  turn?: string;
  /** In the numbered stream; a half where no number of its own told it. */
  place?: number;
  /** A history has said where it belongs. */
  isSettled?: boolean;
  phase?: Phase;
  status?: "sending" | "sent" | "failed";
  session?: string | null;
  /** Refused until then. */
  notBefore?: number;
  /** One of its sends was never answered: the server may have it. */
  isLost?: boolean;
  asked?: number;
}

/** A message as the server stores it. */
export interface Entry {
  id: string;
  role: "user" | "assistant";
  content: unknown;
  turnId?: string;
  clientMessageId?: string;
}

type News = Pick<Message, "role" | "text" | "id" | "key" | "turn" | "place">;

export class Chat {
  /** What the server knows, oldest first. */
  stored: Message[] = [];
  /** Own messages that it may not know. */
  pending: Message[] = [];
  /** Unread answers, by id. */
  unread: string[] = [];
  /** The message that a notification named, until it is there. */
  expected?: string;
  patience = 0;
  isPolled = false;
  /** Nobody has answered its last read. */
  isStale = false;
  /** Since when each question is polled for, by key. */
  polled = new Map<string | undefined, number>();
  reading?: Promise<boolean>;
  next?: Promise<boolean>;

  constructor(public id: string | null) {}

  static from({ id, stored, pending, unread }: ReturnType<Chat["kept"]>): Chat {
    return Object.assign(new Chat(id), { stored, pending, unread });
  }

  kept() {
    return { id: this.id, stored: this.stored, pending: this.pending, unread: this.unread };
  }

  get messages(): Message[] {
    return [...this.stored, ...this.pending];
  }

  get awaited(): Message[] {
    return this.messages.filter(({ phase }) => phase === "asked" || phase === "accepted");
  }

  get awaits(): boolean {
    return this.awaited.length > 0;
  }

  /** Whether an answer may still come, also one that was given up. */
  get isOpen(): boolean {
    return this.awaits || this.messages.some(({ phase }) => phase === "unanswered");
  }

  expect(id: string) {
    this.expected = this.messages.some((message) => message.id === id) ? undefined : id;
    this.patience = 5;
  }

  remove(message: Message) {
    this.stored = this.stored.filter((one) => one !== message);
    this.pending = this.pending.filter((one) => one !== message);
  }

  /** Takes up one message that the server knows, whatever brought it, and says whether it is new. */
  put(news: News): boolean {
    const known = this.known(news);
    const message: Message = known ?? { role: news.role, text: news.text };
    message.id ??= news.id;
    message.key ??= news.key;
    message.turn ??= news.turn;
    const isBetter = Number.isInteger(news.place) && !Number.isInteger(message.place);
    if (!known || this.pending.includes(message) || (isBetter && !message.isSettled)) {
      this.remove(message);
      message.place = news.place;
      let index = this.stored.length;
      const place = message.place ?? Infinity;
      while (index > 0 && (this.stored[index - 1]?.place ?? 0) > place) index -= 1;
      this.stored.splice(index, 0, message);
    } else if (isBetter) message.place = news.place;
    return !known;
  }

  private known({ role, id, key }: Pick<News, "role" | "id" | "key">): Message | undefined {
    return this.messages.find((one) => one.role === role && ((id && one.id === id) || (key && one.key === key)));
  }

  /** Takes up a history, which may be older than what is shown: its order holds, and nothing that is shown goes. */
  merge(history: Entry[]) {
    const matches = history.map(({ role, id, clientMessageId }) => this.known({ role, id, key: clientMessageId }));
    const taken = new Set(matches);
    const merged: Message[] = [];
    history.forEach((entry, index) => {
      const message: Message = matches[index] ?? { role: entry.role, text: words(entry.content) };
      taken.add(message);
      message.id = entry.id;
      message.turn ??= entry.turnId;
      message.key ??= entry.clientMessageId;
      message.isSettled = true;
      merged.push(message);
    });
    // What the history lacks stays before what followed it.
    let following: Message | undefined;
    for (const message of this.messages.reverse()) {
      if (!taken.has(message)) {
        if (this.pending.includes(message)) continue;
        merged.splice(following ? merged.indexOf(following) : merged.length, 0, message);
      }
      following = message;
    }
    this.pending = this.pending.filter((message) => !taken.has(message));
    this.stored = merged;
  }
}

/** The text of a content that may come in parts. */
export function words(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.filter((part) => part?.type === "text").map((part) => part.text).join("");
}
