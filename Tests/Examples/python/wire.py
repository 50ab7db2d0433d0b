"""HTTP and WebSocket on one port: the least of both that a server needs."""

import asyncio
import json

from websockets.frames import Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 413: "Content Too Large", 503: "Service Unavailable"}
MOST_UNSENT_BYTES = 16 << 20


class Socket:
    """One WebSocket: whole messages in, frames out. The protocol's library does the rest."""

    def __init__(self, reader, writer, largest_message):
        self.reader, self.writer = reader, writer
        self.protocol = ServerProtocol(max_size=largest_message)
        self.heard, self.asked = self._now(), 0
        self.is_busy = False
        self.parts = []
        self.kind = None

    def accept(self, head):
        """Answers the upgrade; the head is what the client sent, to the blank line."""
        self.protocol.receive_data(head)
        for request in self.protocol.events_received():
            self.protocol.send_response(self.protocol.accept(request))
        self._flush()
        return self.protocol.state is State.OPEN

    async def messages(self):
        """Each message as bytes, with whether it is text, until the connection ends."""
        while data := await self.reader.read(65536):
            self.heard = self._now()
            self.protocol.receive_data(data)
            events = self.protocol.events_received()
            self._flush()  # pongs, and the answer to a close
            for frame in events:
                if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
                    self.kind, self.parts = frame.opcode, [frame.data]
                elif frame.opcode is Opcode.CONT:
                    self.parts.append(frame.data)
                else:
                    continue
                if frame.fin:
                    self.is_busy = True  # nothing is read meanwhile, so nothing can be heard
                    yield self.kind is Opcode.TEXT, b"".join(self.parts)
                    self.is_busy, self.heard, self.parts = False, self._now(), []

    def send(self, frame):
        """Sends one frame; a peer that takes none of many is let go, so that it costs no memory."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_text(json.dumps(frame, ensure_ascii=False).encode())
            self._flush()

    def close(self, code, reason=""):
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code, reason)
            self._flush()

    async def keep_alive(self, heartbeat):
        """Asks a silent peer whether it is there, and ends the connection when it does not answer."""
        while True:
            await asyncio.sleep(heartbeat / 2)
            silence = 0 if self.is_busy else self._now() - self.heard
            # A silence during a stall of this process says nothing: no ping was sent in it.
            if silence >= 2 * heartbeat and self.asked > self.heard:
                self.close(4004, "silent for two heartbeats")
                await asyncio.sleep(heartbeat / 2)
                self.writer.transport.abort()
            elif silence >= heartbeat / 2:
                self.asked = self._now()
                if self.protocol.state is State.OPEN:
                    self.protocol.send_ping(b"")
                    self._flush()

    def _flush(self):
        for data in self.protocol.data_to_send():
            if data:
                self.writer.write(data)
            elif self.writer.can_write_eof() and not self.writer.is_closing():
                self.writer.write_eof()
        if self.writer.transport.get_write_buffer_size() > MOST_UNSENT_BYTES:
            self.writer.transport.abort()

    @staticmethod
    def _now():
        return asyncio.get_running_loop().time()


class Request:
    """A request with its whole body."""

    def __init__(self, head):
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        self.method, target, self.version = first.split(" ")
        self.path = target.partition("?")[0]
        self.headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                raise ValueError("a header without a colon")
            self.headers[name.strip().lower()] = value.strip()
        self.length = int(self.headers.get("content-length", "0"))
        self.body = b""
        if self.length < 0 or "transfer-encoding" in self.headers:
            raise ValueError("a body of unknown length")

    @property
    def wants_socket(self):
        return self.headers.get("upgrade", "").lower() == "websocket"

    @property
    def stays_open(self):
        return self.version == "HTTP/1.1" and "close" not in self.headers.get("connection", "").lower()


def response(status, body, stays_open):
    """The bytes of an answer with a JSON body."""
    content = json.dumps(body, ensure_ascii=False).encode()
    connection = "keep-alive" if stays_open else "close"
    return (
        f"HTTP/1.1 {status} {REASONS.get(status, 'Failed')}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: {connection}\r\n\r\n"
    ).encode() + content
