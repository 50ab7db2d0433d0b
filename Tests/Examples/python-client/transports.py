"""The two transports: a WebSocket, and requests over HTTP. Nothing here knows what a message means."""

import asyncio
import inspect
import json
import ssl
import urllib.parse

import websockets
from websockets.asyncio.client import connect

# A library that looks for a proxy would ask it for the way to a phone's own server.
OPTIONS = {"proxy": None} if "proxy" in inspect.signature(connect.__init__).parameters else {}


class Ended(Exception):
    """A connection that could not be made, or is over; with its close code, where there was one."""

    def __init__(self, code=None):
        super().__init__(f"close code {code}")
        self.code = code


class Socket:
    """One WebSocket that carries JSON objects."""

    def __init__(self, socket):
        self.socket = socket

    @classmethod
    async def open(cls, url):
        try:
            return cls(await connect(url, open_timeout=None, ping_interval=None, close_timeout=1, **OPTIONS))
        except (OSError, EOFError, ValueError, websockets.WebSocketException) as problem:
            raise Ended from problem

    async def send(self, frame):
        try:
            await self.socket.send(json.dumps(frame, ensure_ascii=False))
        except (OSError, websockets.ConnectionClosed) as problem:
            raise Ended(self.socket.close_code) from problem

    async def receive(self):
        """The next object; what is none is passed over, since a newer server may know more than this client."""
        while True:
            try:
                message = json.loads(await self.socket.recv())
            except (OSError, websockets.ConnectionClosed) as problem:
                raise Ended(self.socket.close_code) from problem
            except ValueError:
                continue
            if isinstance(message, dict) and isinstance(message.get("type"), str):
                return message

    def drop(self):
        """Ends it without waiting for a peer that may be gone."""
        self.socket.transport.abort()


class Answer:
    """What a request came to; `body` is an object in any case."""

    def __init__(self, status, headers, content):
        self.status, self.headers = status, headers
        try:
            body = json.loads(content)
        except ValueError:
            body = {}
        self.body = body if isinstance(body, dict) else {}


class Rest:
    """Requests with a bearer token, each on a connection of its own."""

    def __init__(self, base, token):
        self.base, self.token = urllib.parse.urlsplit(base), token
        self.writers = set()

    async def request(self, method, path, body=None, *, within):
        """The answer to a request, or OSError when there was none in time."""
        try:
            return await asyncio.wait_for(self._exchange(method, path, body), within)
        except (asyncio.TimeoutError, EOFError, ValueError) as problem:
            raise OSError(f"no answer: {problem}") from problem

    def drop(self):
        """Ends every request under way: the network is gone."""
        for writer in self.writers:
            writer.transport.abort()

    async def _exchange(self, method, path, body):
        secure = ssl.create_default_context() if self.base.scheme == "https" else None
        port = self.base.port or (443 if secure else 80)
        reader, writer = await asyncio.open_connection(self.base.hostname, port, ssl=secure)
        self.writers.add(writer)
        try:
            content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
            head = [f"{method} {self.base.path.rstrip('/')}{path} HTTP/1.1", f"Host: {self.base.netloc}"]
            head += ["Connection: close", f"Content-Length: {len(content)}"]
            head += [f"Authorization: Bearer {self.token}"] if self.token else []
            head += ["Content-Type: application/json"] if content else []
            writer.write("\r\n".join([*head, "", ""]).encode() + content)
            await writer.drain()
            return await self._answer(reader)
        finally:
            self.writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        status = int(first.split(" ")[1])
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if "chunked" in headers.get("transfer-encoding", "").lower():
            content = b""
            while size := int((await reader.readline()).split(b";")[0], 16):
                content += await reader.readexactly(size)
                await reader.readline()
        elif "content-length" in headers:
            content = await reader.readexactly(int(headers["content-length"]))
        else:
            content = await reader.read()
        return Answer(status, headers, content)
