"""The connection: made, greeted, watched, given up, made again."""

import asyncio
import random

from transports import Ended, Socket

TERMINAL = {4001: "The server refuses these credentials.", 4010: "The server asks for a newer version of this app."}


class Link:
    """Keeps one connection while it is wanted. What a socket believes of itself is never asked."""

    HANDSHAKE, SILENCE, PONG = 10, 20, 10
    FIRST_WAIT, LONGEST_WAIT = 1, 20
    LASTING = 10  # a connection that lives so long starts the count anew, whatever it brought

    def __init__(self, app, url, token):
        self.app, self.url, self.token = app, url, token
        self.frozen = None  # a socket from before the background
        self.socket = None  # of the connection that is made or used
        self.greeting = None  # its `connected`; none, and it is not in use (CLIENT-23)
        self.attempts = 0  # since a connection that lasted
        self.closed_for_good = None
        self.task = None
        self.heard = 0

    @property
    def is_connected(self):
        return self.greeting is not None

    def renew(self):
        """Leaves the connection there is, whatever it believes, and makes a new one at once."""
        self.leave()
        self.closed_for_good = None
        self.task = self.app.spawn(self._keep())

    def leave(self, frozen=False):
        """Leaves the connection: nothing more is sent or heard on it. A frozen app cannot even close it."""
        if self.task:
            self.task.cancel()
        self.task, before = None, self.frozen
        self.frozen = self.socket if frozen else None
        if before:
            before.drop()
        self._lose(drop=not frozen)

    def send(self, frame):
        """Sends on the connection in use; a send that fails is the end of it (CLIENT-4)."""
        self.app.spawn(self._send(self.socket, frame))

    async def _send(self, socket, frame):
        try:
            if socket and socket is self.socket:
                await socket.send(frame)
        except Ended:
            if socket is self.socket:
                self.renew()

    async def _keep(self):
        while True:
            try:
                await self._connect()
            except Ended as end:
                self.closed_for_good = end.code if end.code in TERMINAL else None
            used = self.is_connected
            if used and self.app.now() - self.greeted >= self.app.clock(self.LASTING):
                self.attempts = 0
            self._lose()
            if not used:
                self.app.on_failed_attempt()
            if self.closed_for_good:
                self.app.on_closed_for_good(TERMINAL[self.closed_for_good])
                return
            await asyncio.sleep(self._wait())

    def _wait(self):
        """Grows, varies at random, has a bound and no end (CLIENT-1 to CLIENT-37)."""
        wait = min(self.LONGEST_WAIT, self.FIRST_WAIT * 2**self.attempts)
        self.attempts = min(self.attempts + 1, 16)
        return self.app.clock(wait * random.uniform(0.5, 1))

    async def _connect(self):
        try:
            # `wait_for` may lose a cancellation that comes with the greeting, and this loop would run beside the next.
            async with asyncio.timeout(self.app.clock(self.HANDSHAKE, least=1)):
                greeting = await self._greeted()
        except TimeoutError as problem:
            raise Ended from problem
        self.greeting, self.greeted, self.heard = greeting, self.app.now(), self.app.now()
        self.app.on_connected(greeting)
        watch = asyncio.create_task(self._watch())
        try:
            while True:
                frame = await self.socket.receive()
                self.heard = self.app.now()
                self.app.on_frame(frame)
        finally:
            watch.cancel()

    async def _greeted(self):
        self.socket = await Socket.open(self.url)
        who = {"token": self.token} if self.token else {}
        await self.socket.send({"type": "auth", "protocol": 1, "clientId": self.app.client_id, **who})
        while (frame := await self.socket.receive())["type"] != "connected":
            if frame["type"] == "error":
                self.app.show_error(frame.get("error"), frame.get("code"))
        return frame

    async def _watch(self):
        """A socket that is silent while an answer is awaited is asked whether it is there; the answer is the proof."""
        while True:
            await asyncio.sleep(self.app.clock(self.SILENCE))
            asked = self.app.now()
            if not self.app.awaits_answer or asked - self.heard < self.app.clock(self.SILENCE) * 0.9:
                continue
            self.send({"type": "ping", "nonce": str(asked)})
            await asyncio.sleep(self.app.clock(self.PONG, least=2))
            if self.heard < asked:
                asyncio.get_running_loop().call_soon(self.renew)
                return

    def _lose(self, drop=True):
        socket, used = self.socket, self.is_connected
        self.socket = self.greeting = None
        if socket and drop:
            socket.drop()
        if used:
            self.app.on_lost()
