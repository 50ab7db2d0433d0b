// The place in the numbered stream, and the `sync` that fills a gap in it.

/** A frame; every member but its type may be missing. */
export interface Frame {
  type: string;
  [member: string]: any;
}

/** What a stream asks of the app. */
export interface Listener {
  readonly awaitsAnswer: boolean;
  write(frame: Frame): void;
  take(frame: Frame, epoch: string): void;
  /** Reads what is awaited, or all there is; resolves when the server has answered, and never on a lost connection. */
  recover(what: "awaited" | "all"): Promise<void>;
  forgetPlaces(): void;
}

/** Epoch and number change together (CLIENT-19), and never past what a `sync` has still to bring (CLIENT-19). */
export class Stream {
  isCatchingUp = false;
  private live: string | null = null;
  private told = 0;
  private highest = 0;
  private isEvicted = false;

  constructor(private app: Listener, public epoch: string | null = null, public seq = 0) {}

  /** Asks for what was missed, and says whether the answer will be all of it. */
  connected({ epoch = null, lastSeq = 0 }: Frame): boolean {
    Object.assign(this, { live: epoch, told: lastSeq, highest: 0, isEvicted: false, isCatchingUp: false });
    if (epoch === null) return false; // such a server does not replay
    if (this.epoch === null && !this.app.awaitsAnswer) {
      this.takeUp(epoch, lastSeq);
      return false;
    }
    this.isCatchingUp = true;
    this.ask(this.epoch, this.seq);
    return this.epoch !== null; // a new stream replays nothing older than itself
  }

  /** Counts a numbered frame of any type, known or not (CLIENT-19). */
  passed({ seq }: Frame) {
    if (this.live === null || !Number.isInteger(seq)) return;
    this.highest = Math.max(this.highest, seq);
    if (!this.isCatchingUp) this.takeUp(this.live, this.epoch === this.live ? Math.max(this.seq, seq) : seq);
  }

  /** Where a frame stands among the messages; one without a number stands after what is known. */
  place({ seq }: Partial<Frame>, epoch = this.live): number | undefined {
    if (epoch === null || epoch !== this.epoch) return undefined;
    return Number.isInteger(seq) ? seq : Math.max(this.highest, this.told, this.seq) + 0.5;
  }

  /** Takes the frames of a page; then the next page, the history, or the new place. */
  async result(result: Frame, isCurrent: () => boolean) {
    const missed: Frame[] = result.missed ?? [];
    for (const frame of missed) this.app.take(frame, result.epoch);
    this.isEvicted ||= result.reason !== undefined && result.reason !== "too_many";
    const last = missed[missed.length - 1]?.seq;
    if (result.more && last) {
      if (!this.isEvicted) this.takeUp(result.epoch, last);
      return this.ask(result.epoch, last);
    }
    const isWhole = result.complete && !this.isEvicted;
    if (!isWhole) await this.app.recover("all");
    if (!isCurrent()) return;
    this.isCatchingUp = false;
    this.takeUp(result.epoch, Math.max(result.lastSeq ?? 0, result.epoch === this.live ? this.highest : 0));
    if (isWhole) await this.app.recover("awaited");
  }

  private ask(epoch: string | null, seq: number) {
    this.app.write(epoch === null ? { type: "sync", lastSeqSeen: 0 } : { type: "sync", epoch, lastSeqSeen: seq });
  }

  private takeUp(epoch: string, seq: number) {
    if (epoch !== this.epoch) this.app.forgetPlaces();
    this.epoch = epoch;
    this.seq = seq;
  }
}
