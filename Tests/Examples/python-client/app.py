"""An app that chats: what is on its screen, what it stores, and what it does when something happens.

The server's history is the truth and this is its mirror. Every road (live frames, replays, reads, responses, pushes) ends
in the same few functions below, which may be called any number of times, in any order.
"""

import asyncio
import json
import os
import time
import uuid

from conversation import Conversation
from link import Link
from outbox import Outbox
from recovery import Recovery
from transports import Rest
from stream import Stream


class App:
    """Launched once; after `quit` another one is launched from what this one stored."""

    make_link, make_outbox, make_recovery, make_stream, make_conversation = Link, Outbox, Recovery, Stream, Conversation

    def __init__(self, folder, url, http, token, time_scale=1, fresh=False):
        self.file = os.path.join(folder, "app.json")
        self.time_scale = time_scale
        self.foreground = self.network = True
        self.has_failed = self.rest_works = False
        self.errors, self.tasks, self.unsaved = [], set(), False
        kept = {} if fresh else self.load()
        self.max_frame_bytes = float("inf")
        self.client_id = kept.get("clientId") or str(uuid.uuid4())
        self.conversations = [self.make_conversation.restored(each) for each in kept.get("conversations", [])]
        screen = kept.get("screen")
        self.screen = self.conversation(None) if screen is None else self.conversations[screen]
        self.rest = Rest(http, token)
        self.link = self.make_link(self, url, token)
        self.outbox, self.recovery = self.make_outbox(self), self.make_recovery(self)
        self.stream = self.make_stream(self, kept.get("epoch"), kept.get("seq"))

    # what the system and the person do

    def launch(self, opened=None):
        for _, message in self.questions:
            if message.question.phase in ("asked", "posted"):
                message.question.phase = "waiting"
            if message.question.phase == "delayed":
                self.later(max(0, message.question.not_before - self.wall()), self.outbox.flush)
        self.recovery.begin_anew()
        if opened:
            self.open(opened)
        elif self.screen.id:
            self.recovery.want(self.screen)
        self.link.renew()
        self.spawn(self.recovery.keep())

    def quit(self):
        self.foreground = False  # nothing goes out any more
        self.link.leave()
        self.rest.drop()
        for task in [*self.tasks, *self.outbox.posts.values()]:
            task.cancel()
        self.write()

    def send(self, text):
        self.screen.ask(text)
        self.outbox.flush(over_rest=self.has_failed)
        self.save()

    def send_again(self, key):
        """What may have arrived keeps its key; what is over takes a new one, or its old ending would come (CLIENT-6)."""
        conversation, message = self.find(key=key)
        if not message.failed:
            return
        message.failed, self.errors = False, [one for one in self.errors if one.get("clientMessageId") != key]
        if message.question.phase == "failed":
            if message in conversation.pending:
                conversation.pending.remove(message)
            conversation.ask(message.text)
        else:
            message.question.phase, message.question.resend, message.question.tries = "waiting", False, 0
            message.question.lost = True  # the earlier sends may have arrived
            message.question.asked = 0
        self.outbox.flush(over_rest=self.has_failed)
        self.save()

    def select(self, session):
        self.screen = self.conversation(session)
        self.screen.unread = 0
        if session:
            self.recovery.want(self.screen)
        self.save()

    def enter_background(self):
        """The system freezes the app: its socket stays, and means nothing from now on."""
        self.foreground = False
        self.link.leave(frozen=True)

    def enter_foreground(self):
        """A return is a reason to connect anew in any case (CLIENT-36); the first look after launch is none."""
        if not self.foreground:
            self.foreground, self.has_failed = True, False
            self.recovery.begin_anew()
            if self.network:
                self.link.renew()

    def lose_network(self):
        self.network = self.rest_works = False
        self.link.leave()
        self.rest.drop()

    def regain_network(self):
        """The network's return is a reason to connect at once (CLIENT-37), but not to try refused credentials again."""
        if not self.network:
            self.network, self.has_failed = True, False
            if self.foreground and not self.link.closed_for_good:
                self.link.renew()

    def receive(self, payload):
        """A push in the foreground says where something is; whether the socket brings it too does not matter."""
        conversation = self.conversation(payload["sessionId"])
        if conversation is not self.screen and not any(m.id == payload["messageId"] for m in conversation.messages):
            conversation.unread += 1
        conversation.expect(payload["messageId"])
        self.recovery.want(conversation)

    def open(self, payload):
        """A tapped notification leads to its session and message, wherever the person was."""
        self.enter_foreground()
        self.conversation(payload["sessionId"]).expect(payload["messageId"])
        self.select(payload["sessionId"])

    def state(self):
        """What a person sees."""
        unread = {one.id: one.unread for one in self.conversations if one.unread and one is not self.screen}
        return {
            "connection": self.connection,
            "sessionId": self.screen.id,
            # Without a network nothing can bring an answer, and `offline` says so (CLIENT-39).
            "thinking": self.network and any(message.question.is_open for message in self.screen.questions),
            "messages": [message.shown() for message in self.screen.messages if message.role != "system"],
            "errors": self.errors,
            "unread": unread,
        }

    @property
    def connection(self):
        if not self.network or self.link.closed_for_good:
            return "offline"
        if self.link.is_connected:
            return "connected"
        return "degraded" if self.has_failed and self.rest_works else "connecting"

    # what the connection does

    @property
    def may_connect(self):
        return self.foreground and self.network and not self.link.closed_for_good

    def on_connected(self, greeting):
        self.has_failed = False
        self.max_frame_bytes = greeting.get("limits", {}).get("maxFrameBytes", self.max_frame_bytes)
        self.recovery.begin_anew()
        if self.stream.on_connected(greeting):
            self.later(self.clock(10), lambda: self.recover_unanswered(greeting))
        else:
            self.recover()  # without a replay, a read is the only way to learn what came meanwhile (CLIENT-18)
        self.outbox.flush()

    def recover_unanswered(self, greeting):
        """A `sync` that nobody answers is no reason to show nothing."""
        if self.link.greeting is greeting and self.stream.catching_up:
            self.recover()

    def on_failed_attempt(self):
        self.has_failed = True
        self.recovery.tick()

    def on_closed_for_good(self, why):
        """Neither credentials nor versions improve by waiting: nothing is awaited any more (CLIENT-3)."""
        self.show_error(why)
        for _, message in self.questions:
            if message.question.phase in ("posted", "accepted"):
                self.recovery.give_up(message)
        self.changed()

    def on_lost(self):
        """A question without an `ack` goes out again at once, over the road that is left (CLIENT-7)."""
        self.outbox.on_lost()
        if self.may_connect:
            self.outbox.flush(over_rest=True)

    def on_frame(self, frame):
        """One frame of the connection in use."""
        if frame["type"] == "syncResult":
            self.stream.on_result(frame)
        else:
            self.on_event(frame, self.stream.live_epoch)
            self.stream.on_live(frame)
        self.changed()

    # what happened on the server, as any road tells it

    def on_event(self, frame, epoch):
        """Takes up a frame, live or replayed. What is not known or not well made is passed over."""
        place = self.stream.place(frame, epoch)
        try:
            if frame["type"] == "message":
                self.on_message(frame, place)
            elif frame["type"] == "done":
                self.on_done(frame, place)
            elif frame["type"] == "error":
                self.on_error(frame)
            elif frame["type"] == "ack":
                self.on_ack(frame)
        except (KeyError, TypeError, AttributeError):
            pass

    def on_ack(self, frame):
        found = self.find(key=frame.get("clientMessageId"))
        if found:
            conversation = self.adopt(*found, frame["sessionId"])
            place = self.stream.place({}, self.stream.live_epoch)
            self.on_accepted(conversation, found[1], frame["messageId"], frame["turnId"], place)

    def on_accepted(self, conversation, message, id=None, turn=None, place=None):
        """The server has a question: from here on it is its keeper."""
        conversation.put("user", message.text, id, message.key, turn, place)
        if not message.question.is_confirmed and message.question.phase != "failed":
            message.question.phase, message.failed = "accepted", False
        message.question.doubtful = False
        self.outbox.stop_waiting(message)
        self.outbox.flush(over_rest=self.has_failed)  # others may have waited for the session of this one

    def on_message(self, frame, place):
        key, turn = frame.get("clientMessageId"), frame.get("turnId")
        found = self.find(key=key)
        if found:
            conversation = self.adopt(*found, frame["sessionId"])
            self.on_accepted(conversation, found[1], frame["messageId"], turn, place)
            return
        conversation = self.conversation(frame["sessionId"])
        _, new = conversation.put(frame["role"], frame["text"], frame["messageId"], key, turn, place)
        self.count_unread(conversation, new and frame["role"] == "assistant")

    def on_done(self, frame, place):
        session, found = frame["sessionId"], self.find(frame.get("turnId"), frame.get("clientMessageId"))
        conversation = self.adopt(*found, session) if found else self.conversation(session)
        if found:
            self.on_accepted(conversation, found[1], turn=frame["turnId"])
            self.on_ended(found[1])
        names = {"id": frame["messageId"], "turn": frame["turnId"], "place": place}
        _, new = conversation.put("assistant", frame["text"], **names)
        self.count_unread(conversation, new)

    def on_answer(self, conversation, message, body):
        """The response to a question over REST is its `done`."""
        frame = {name: body[name] for name in ("text", "sessionId", "turnId", "messageId")}
        self.on_done(frame | {"clientMessageId": message.key}, self.stream.place({}, self.stream.epoch))

    def on_ended(self, message):
        message.question.phase, message.failed = "answered", False
        self.outbox.stop_waiting(message)

    def on_error(self, frame):
        found = self.find(frame.get("turnId"), frame.get("clientMessageId"))
        if found:
            self.on_refused(found[1], frame)
        elif "turnId" not in frame and frame.get("code") != "unknown_type":
            self.show_error(frame.get("error"), frame.get("code"))

    def on_refused(self, message, error):
        """A question is refused, or its turn has failed: the person sees which one, and why (CLIENT-32)."""
        question = message.question
        if question.phase in ("answered", "failed"):
            return
        self.outbox.stop_waiting(message)
        if error.get("code") == "rate_limited":
            told = error.get("retryAfterMs")  # by the server: never scaled (CLIENT-8)
            seconds = (told if isinstance(told, int) else 60_000) / 1000 + 0.1
            question.phase, question.not_before = "delayed", self.wall() + seconds
            self.later(seconds + 0.01, lambda: self.outbox.flush(over_rest=self.has_failed))
        elif question.lost and "turnId" not in error and error.get("code") != "idempotency_mismatch":
            question.phase, message.failed = "unanswered", True  # an earlier send may have arrived: its key stays
        else:
            question.phase, message.failed = "failed", True
        self.show_error(error.get("error"), error.get("code"), message.key)
        self.outbox.flush()

    def on_history(self, conversation, session):
        """A history says more than frames: what is stored, and how each turn stands."""
        for entry in session["messages"]:
            found = self.find(key=entry.get("clientMessageId"))
            if found and found[0].id is None:
                conversation = self.adopt(*found, session["id"])  # stored, though its ack never came
        had = conversation.loaded
        new = conversation.merge(session["messages"])
        self.count_unread(conversation, sum(message.role == "assistant" for message in new) if had else 0)
        conversation.meet_expectation()
        turns = {turn["turnId"]: turn["status"] for turn in session["turns"]}
        for message in conversation.questions:
            is_there = message in conversation.stored and message.id is not None
            if not is_there or message.question.phase in ("answered", "failed"):
                continue
            self.on_accepted(conversation, message, turn=message.turn)
            status = turns.get(message.turn)
            if status == "done":
                self.on_ended(message)
            elif status == "failed":
                self.on_refused(message, {"error": "The agent did not answer.", "turnId": message.turn})

    def on_missing(self, conversation):
        conversation.expected = None
        self.show_error("This conversation cannot be found.", "session_not_found")
        for message in conversation.questions:
            if message.question.is_open:
                message.question.lost = True  # it may have been stored before that: its key stays
                self.on_refused(message, {"error": "Its conversation is gone.", "code": "session_not_found"})

    # who is who

    @property
    def questions(self):
        return [(conversation, message) for conversation in self.conversations for message in conversation.questions]

    @property
    def awaits_answer(self):
        return any(message.question.is_out for _, message in self.questions)

    def conversation(self, session):
        """The conversation of a session; without one a new conversation."""
        known = [one for one in self.conversations if one.id == session and (session or not one.messages)]
        if not known:
            known = [self.make_conversation(id=session)]
            self.conversations += known
        return known[0]

    def find(self, turn=None, key=None):
        for conversation, message in self.questions:
            if (key and message.key == key) or (turn and message.turn == turn):
                return conversation, message
        return None

    def adopt(self, conversation, message, session):
        """The session of a question is known now; what came of that session before is of the same conversation."""
        if conversation.id not in (None, session):
            conversation.pending.remove(message)
            conversation = self.conversation(session)
            conversation.pending.append(message)
        elif conversation.id is None:
            other = next((one for one in self.conversations if one.id == session), None)
            conversation.id = session
            if other:
                self.conversations.remove(other)
                conversation.stored, conversation.loaded = other.stored + conversation.stored, other.loaded
                conversation.expected, conversation.patience = other.expected, other.patience
                self.screen = conversation if self.screen is other else self.screen
        return conversation

    def count_unread(self, conversation, number):
        if conversation is not self.screen:
            conversation.unread += int(number)

    def forget_places(self):
        for conversation in self.conversations:
            conversation.forget_places()

    def show_error(self, text, code=None, key=None):
        error = {"text": text or "Something went wrong."}
        error |= {name: value for name, value in (("code", code), ("clientMessageId", key)) if value}
        if error not in self.errors:
            self.errors = [*self.errors[-19:], error]

    # what comes back after an absence

    def recover(self, then=None, only_open=False):
        """Reads what is awaited and, unless that is all, what is on the screen.

        With `then` it reads all there is, and `then` follows once the server has answered.
        """
        def is_wanted(one):
            awaited = any(message.question.is_out and message.question.phase != "asked" for message in one.questions)
            is_stale = one is self.screen and one in self.recovery.stale  # it was opened without a network
            return awaited or (one.id and (is_stale or not only_open and (then or one is self.screen)))

        self.spawn(self._recover([one for one in self.conversations if is_wanted(one)], then))

    async def _recover(self, wanted, then):
        if then and not wanted:
            await self.recovery.request_list()
        await asyncio.gather(*(self.recovery.want(conversation) for conversation in wanted))
        if then:
            then()

    def send_frame(self, frame):
        self.link.send(frame)

    async def request(self, *what, within):
        try:
            answer = await self.rest.request(*what, within=self.clock(within, least=2))
        except OSError:
            self.rest_works = False
            raise
        self.rest_works = True
        return answer

    # time, tasks and storage

    def clock(self, seconds, least=0):
        """A timer of the app's own, shortened by the scale of a test; times that a server tells are never scaled."""
        return max(seconds / self.time_scale, least)

    def now(self):
        return asyncio.get_running_loop().time()

    def wall(self):
        return time.time()

    def spawn(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def later(self, seconds, action):
        async def wait():
            await asyncio.sleep(seconds)
            action()

        self.spawn(wait())

    def changed(self):
        self.save()

    def save(self):
        """Stores before the next thing is sent: sending is a task, and tasks run in order."""
        if not self.unsaved:
            self.unsaved = True
            asyncio.get_running_loop().call_soon(self.write)

    def write(self):
        self.unsaved = False
        kept = {"clientId": self.client_id, "epoch": self.stream.epoch, "seq": self.stream.seq}
        worthy = [one for one in self.conversations if one.messages]
        kept["screen"] = worthy.index(self.screen) if self.screen in worthy else None
        kept["conversations"] = [one.kept() for one in worthy]
        with open(self.file + ".new", "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(self.file + ".new", self.file)

    def load(self):
        try:
            with open(self.file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}
