"""How what was missed comes back over REST: reads that serve all who ask, a search by key, polls with a bound."""

import asyncio
import urllib.parse

MISSING, FAILED = "missing", "failed"


class Recovery:
    """Session reads: one of a session is under way at a time, and serves all who asked before it began (CLIENT-20)."""

    READ, RETRY, LONGEST_RETRY = 20, 5, 25
    POLL, POLLS, LAST_POLL, DEGRADED_READ = 5, 12, 58, 20

    def __init__(self, app):
        self.app = app
        self.locks = {}  # by session: held while a read is under way
        self.wanted = {}  # by conversation: who waits for a read that begins after now
        self.stale = set()  # conversations whose last read nobody has answered
        self.workers = set()  # conversations that are being read until the server has answered
        self.anew = asyncio.Event()  # set when a connection is new: no use in waiting any longer
        self.searched = {}  # what a session that is not ours looked like
        self.last_read = {}

    # reads

    async def fetch(self, session):
        """The server's history of a session, MISSING or FAILED."""
        async with self.locks.setdefault(session, asyncio.Lock()):
            self.last_read[session] = self.app.now()
            try:
                path = "/api/sessions/" + urllib.parse.quote(session, safe="")
                answer = await self.app.request("GET", path, within=self.READ)
            except OSError:
                return FAILED
        if answer.status == 404 and "error" in answer.body:  # a gateway's 404 says nothing of the session
            return MISSING
        if answer.status in (401, 403):
            self.app.show_error(answer.body.get("error"), answer.body.get("code"))
        return answer.body["session"] if answer.status == 200 and "session" in answer.body else FAILED

    async def read(self, conversation):
        """Brings a conversation up to the server's history, and says whether the server answered."""
        if conversation.id is None:
            return await self.search(conversation)
        body = await self.fetch(conversation.id)
        if body is MISSING:
            self.app.on_missing(conversation)
        elif body is not FAILED:
            self.app.on_history(conversation, body)
        elif conversation.expected is not None:  # a tap is answered, be it with words (CLIENT-32)
            self.app.show_error("This conversation cannot be read now.")
        self.app.changed()
        return body is not FAILED

    def want(self, conversation):
        """Resolves when a read that begins after now has been answered; it is tried until then, while connected."""
        future = asyncio.get_running_loop().create_future()
        self.wanted.setdefault(conversation, []).append(future)
        if conversation not in self.workers:
            self.workers.add(conversation)
            self.app.spawn(self._work(conversation))
        return future

    async def _work(self, conversation):
        wait = self.RETRY
        while waiting := self.wanted.pop(conversation, None):
            self.stale.add(conversation)
            if await self.read(conversation):
                self.stale.discard(conversation)
                for future in waiting:
                    future.done() or future.set_result(None)
                wait = self.RETRY
            elif self.app.link.is_connected:
                self.wanted[conversation] = waiting + self.wanted.get(conversation, [])
                try:
                    await asyncio.wait_for(self.anew.wait(), self.app.clock(wait))
                    wait = self.RETRY
                except asyncio.TimeoutError:
                    wait = min(self.LONGEST_RETRY, wait * 2)
            else:
                break  # the next connection, or the next poll, is the next occasion
        self.workers.discard(conversation)

    async def request_list(self):
        """The list of sessions, newest first; none when the server did not answer."""
        try:
            answer = await self.app.request("GET", "/api/sessions", within=self.READ)
        except OSError:
            return None
        return answer.body.get("sessions") if answer.status == 200 else None

    async def search(self, conversation):
        """Finds the session of a first question, and takes no other in its place (CLIENT-21)."""
        entries = await self.request_list()
        for entry in entries or []:
            if conversation.id is not None:
                return True
            version = (entry.get("updatedAt"), entry.get("messageCount"))
            if self.searched.get(entry["id"]) == version:
                continue
            body = await self.fetch(entry["id"])
            if body in (MISSING, FAILED):
                continue
            if self.holds(body, conversation):
                self.app.adopt(conversation, conversation.questions[0], entry["id"])
                self.app.on_history(conversation, body)
                return True
            self.searched[entry["id"]] = version
        return entries is not None

    def holds(self, body, conversation):
        """Whether a history has the question, by its key."""
        keys = {message.key for message in conversation.questions}
        return any(entry.get("clientMessageId") in keys for entry in body["messages"])

    # what is asked again and again

    async def keep(self):
        """Looks at what is awaited every few seconds, and at once when the connection is gone."""
        while True:
            self.tick()
            await asyncio.sleep(self.app.clock(self.POLL))

    def tick(self):
        if not self.app.may_connect:
            return
        connected = self.app.link.is_connected
        for conversation in list(self.app.conversations):
            polled = [m for m in conversation.questions if m.question.phase in ("posted", "accepted")]
            polled = [m for m in polled if not connected or m.question.doubtful]
            due = any([self.is_due(message) for message in polled])
            due |= conversation is self.app.screen and self.app.has_failed and self.is_old(conversation.id)
            due |= conversation.expected is not None and conversation not in self.workers
            lock = self.locks.get(conversation.id)
            if due and not (lock and lock.locked()):
                self.last_read[conversation.id] = self.app.now()
                self.app.spawn(self.read(conversation) if conversation.id else self.probe(conversation))
        if not connected:
            self.app.outbox.flush(over_rest=self.app.has_failed)

    def is_old(self, session):
        """Without a socket, only a read shows what is new (CLIENT-40)."""
        return self.app.now() - self.last_read.get(session, -1e9) >= self.app.clock(self.DEGRADED_READ)

    async def probe(self, conversation):
        await (self.search(conversation) if conversation.messages else self.request_list())

    def is_due(self, message):
        """Whether it is time for a poll; when there have been enough, the waiting ends (CLIENT-20, CLIENT-39)."""
        question, now = message.question, self.app.now()
        if now - question.polled < self.app.clock(self.POLL) * 0.9:
            return False
        question.polled_since = question.polled_since if question.polls else now
        if question.polls >= self.POLLS or now - question.polled_since > self.app.clock(self.LAST_POLL):
            self.give_up(message)
            return False
        question.polls, question.polled = question.polls + 1, now
        return True

    def give_up(self, message):
        self.app.outbox.stop_waiting(message)
        # What is still on its way may not have arrived.
        message.question.phase = "givenUp" if message.question.phase == "posted" else "unanswered"
        message.failed = True
        self.app.show_error("No answer came. Ask again?", None, message.key)
        self.app.changed()

    def begin_anew(self):
        """A new connection or a new look at the app is a new reason to ask."""
        self.anew.set()
        self.anew = asyncio.Event()
        for _, message in self.app.questions:
            message.question.polls, message.question.polled = 0, 0
            message.question.doubtful = message.question.phase == "accepted"
