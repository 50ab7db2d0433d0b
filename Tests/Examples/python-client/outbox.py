"""What the person has said, until the server has it: sent, sent again over either road, refused, given up."""

import asyncio
import json


class Outbox:
    """One key for one message, on every road and for ever (CLIENT-6, CLIENT-5)."""

    RESEND, POST, MOST_TRIES, KEY_MEMORY = 15, 60, 6, 86_400

    def __init__(self, app):
        self.app = app
        self.posts = {}  # by key, while a request is under way
        self.timers = {}  # by key, while an `ack` is awaited

    def flush(self, over_rest=False):
        """Sends what has to be sent: over the connection in use, else, when that is out of reach, over REST."""
        for conversation in self.app.conversations:
            for message in conversation.questions:
                question = message.question
                if question.phase == "delayed" and question.not_before <= self.app.wall():
                    question.phase = "waiting"
                if question.phase == "givenUp" and self.app.link.is_connected:
                    question.phase, question.tries, message.failed = "waiting", 0, False
                if question.phase == "waiting" and message.key not in self.posts:
                    if question.asked and self.app.wall() - question.asked > self.app.clock(self.KEY_MEMORY):
                        # The server may have forgotten its key (CLIENT-9).
                        question.phase, message.failed = "unanswered", True
                        self.app.show_error("It is not known whether this was sent.", None, message.key)
                    elif self.is_too_large(conversation, message):
                        self.app.on_refused(message, {"error": "This message is too long.", "code": "too_large"})
                    elif self.app.link.is_connected:
                        self.ask(conversation, message)
                    elif over_rest and self.app.may_connect:
                        self.post(conversation, message)
                if conversation.id is None and question.phase not in ("failed", "givenUp", "unanswered"):
                    break  # a second question now would begin a second session

    def content(self, conversation, message):
        """A question as it goes out, the same on both transports and each time."""
        question = message.question
        if not question.resend:
            question.session = conversation.id
        question.asked = question.asked or self.app.wall()
        question.resend = True
        self.app.save()
        return self.body(message, question.session)

    @staticmethod
    def body(message, session):
        names = {"sessionId": session} if session else {}
        return {"messages": [{"role": "user", "content": message.text}], "clientMessageId": message.key, **names}

    def is_too_large(self, conversation, message):
        """What the server would refuse, or close the connection on, is not sent (CLIENT-11)."""
        return len(json.dumps({"type": "chat", **self.body(message, conversation.id)}, ensure_ascii=False).encode()) > self.app.max_frame_bytes

    def ask(self, conversation, message):
        message.question.phase = "asked"
        self.app.send_frame({"type": "chat", **self.content(conversation, message)})
        self.timers[message.key] = asyncio.create_task(self._silence(message))

    async def _silence(self, message):
        """No word of a question is the end of its connection (CLIENT-4)."""
        await asyncio.sleep(self.app.clock(self.RESEND))
        self.timers.pop(message.key, None)
        if message.question.phase == "asked":
            self.app.link.renew()

    def on_lost(self):
        """The connection is gone: every question it took without a word goes out again (CLIENT-7)."""
        for timer in self.timers.values():
            timer.cancel()
        self.timers.clear()
        for _, message in self.app.questions:
            if message.question.phase == "asked":
                message.question.phase, message.question.lost = "waiting", True

    def stop_waiting(self, message):
        if timer := self.timers.pop(message.key, None):
            timer.cancel()

    # over REST

    def post(self, conversation, message):
        message.question.phase = "posted"
        self.posts[message.key] = asyncio.create_task(self._post(conversation, message))

    async def _post(self, conversation, message):
        question, body = message.question, self.content(conversation, message)
        try:
            answer = await self.app.request("POST", "/api/chat", body, within=self.POST)
        except OSError:
            answer = None
        self.posts.pop(message.key, None)
        if answer and answer.status == 200:
            self.app.on_answer(conversation, message, answer.body)
        elif answer and (question.phase in ("posted", "accepted") or (question.phase == "givenUp" and answer.status < 500)):
            self._on_refusal(conversation, message, answer)
        elif question.phase == "posted":
            self._on_failed_try(message)
        elif question.phase in ("waiting", "givenUp"):
            self.flush()  # the waiting for it had ended before (CLIENT-7)
        self.app.changed()

    def _on_refusal(self, conversation, message, answer):
        body = {**answer.body, "code": answer.body.get("code")}
        if answer.status == 429:
            seconds = answer.headers.get("retry-after", "")
            told = [int(seconds) * 1000] if seconds.isdigit() else []
            told += [body["retryAfterMs"]] if isinstance(body.get("retryAfterMs"), int) else []
            body |= {"code": "rate_limited", "retryAfterMs": max(told, default=60_000)}
        if answer.status < 500 or "turnId" in body or "clientMessageId" in body:
            self.app.on_refused(message, body)
        elif message.question.phase == "posted":  # a gateway that fails knows nothing of the question
            self._on_failed_try(message)

    def _on_failed_try(self, message):
        """Nobody took it: it goes out again with the next connection or, later and later, over REST."""
        question = message.question
        question.phase, question.tries, question.lost = "waiting", question.tries + 1, True
        if question.tries >= self.MOST_TRIES and not self.app.link.is_connected:
            question.phase, message.failed = "givenUp", True
            self.app.show_error("This message could not be sent.", None, message.key)
        elif self.app.link.is_connected:
            self.flush()
        else:
            wait = min(30, 5 * 2 ** (question.tries - 1))
            self.app.later(self.app.clock(wait), lambda: self.flush(over_rest=True))
