// A WebSocket of a server, on the stream that an upgrade of Node's HTTP server hands over: whole messages in, frames out.
"use strict";
const crypto = require("node:crypto");

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];
const MOST_UNSENT_BYTES = 16 << 20;

class Socket {
  onMessage = () => {};
  onEnd = () => {};

  constructor(request, stream, { largest, heartbeat }) {
    Object.assign(this, { stream, largest, kind: null, parts: [], size: 0, isClosing: false });
    this.unread = Buffer.alloc(0);
    this.heard = Date.now();
    this.asked = 0;
    const accept = crypto
      .createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    stream.setNoDelay(true);
    stream.on("data", (data) => this.#read(data));
    stream.on("error", () => stream.destroy());
    stream.on("end", () => stream.end());
    // Asks a silent peer whether it is there, and ends the connection when it does not answer.
    const look = () => {
      const silence = (Date.now() - this.heard) / 1000;
      // A silence during a stall of this process says nothing: close only if a ping sent some time ago is unanswered.
      const isUnanswered = this.asked > this.heard && Date.now() - this.asked >= heartbeat * 400;
      if (silence >= 2 * heartbeat && isUnanswered) this.close(4004, "silent for two heartbeats");
      else if (silence >= heartbeat / 2) {
        this.#write(PING, Buffer.alloc(0));
        this.asked = Date.now();
      }
    };
    // After a stall the answer may wait unread: read first, then look.
    const beat = setInterval(() => setImmediate(look), heartbeat * 500);
    stream.on("close", () => {
      clearInterval(beat);
      this.onEnd();
    });
  }

  /** Sends one frame; a peer that takes none of many is let go, so that it costs no memory. */
  send(frame) {
    this.#write(TEXT, Buffer.from(JSON.stringify(frame)));
    if (this.stream.writableLength > MOST_UNSENT_BYTES) this.stream.destroy();
  }

  close(code, reason = "") {
    if (this.isClosing) return;
    const body = Buffer.alloc(2 + Buffer.byteLength(reason));
    body.writeUInt16BE(code);
    body.write(reason, 2);
    this.#write(CLOSE, body);
    this.isClosing = true;
    // A peer that does not answer is not waited for.
    setTimeout(() => this.stream.destroy(), 2000).unref();
  }

  #write(kind, body) {
    if (this.isClosing || this.stream.destroyed) return;
    const long = body.length > 0xffff ? 8 : body.length > 125 ? 2 : 0;
    const head = Buffer.alloc(2 + long);
    head[0] = 0x80 | kind;
    head[1] = long === 8 ? 127 : long === 2 ? 126 : body.length;
    if (long === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
    if (long === 2) head.writeUInt16BE(body.length, 2);
    this.stream.write(Buffer.concat([head, body]));
  }

  #read(data) {
    this.heard = Date.now();
    this.unread = this.unread.length ? Buffer.concat([this.unread, data]) : data;
    while (!this.stream.writableEnded && this.#readFrame());
  }

  /** Takes one frame from what is unread; false where it is not there as a whole. */
  #readFrame() {
    const { unread } = this;
    if (unread.length < 2) return false;
    const [kind, isLast, short] = [unread[0] & 0x0f, (unread[0] & 0x80) !== 0, unread[1] & 0x7f];
    const isControl = kind >= CLOSE;
    const isKnown = kind <= BINARY || (isControl && kind <= PONG);
    if (unread[0] & 0x70 || !isKnown || !(unread[1] & 0x80) || (isControl && (!isLast || short > 125))) return this.close(1002);
    if ((kind === CONTINUATION) !== (this.kind !== null) && !isControl) return this.close(1002);
    const start = short === 127 ? 14 : short === 126 ? 8 : 6;
    if (unread.length < start) return false;
    const length = short === 127 ? Number(unread.readBigUInt64BE(2)) : short === 126 ? unread.readUInt16BE(2) : short;
    if (!isControl && this.size + length > this.largest) return this.close(1009);
    if (unread.length < start + length) return false;
    const mask = unread.subarray(start - 4, start);
    const body = Buffer.from(unread.subarray(start, start + length));
    for (let index = 0; index < body.length; index += 1) body[index] ^= mask[index & 3];
    this.unread = unread.subarray(start + length);
    if (isControl) this.#control(kind, body);
    else this.#part(kind, body, isLast);
    return true;
  }

  #control(kind, body) {
    if (kind === PING) this.#write(PONG, body);
    if (kind !== CLOSE) return;
    this.#write(CLOSE, body.subarray(0, 2));
    this.isClosing = true;
    this.stream.end();
  }

  #part(kind, body, isLast) {
    if (this.isClosing) return;
    this.kind ??= kind;
    this.parts.push(body);
    this.size += body.length;
    if (!isLast) return;
    const [message, isText] = [Buffer.concat(this.parts), this.kind === TEXT];
    Object.assign(this, { kind: null, parts: [], size: 0 });
    this.onMessage(message, isText);
  }
}

module.exports = { Socket };
