"""The same app with one mistake each, all of them made before by somebody."""

import uuid

from app import App
from conversation import Conversation
from link import Link
from outbox import Outbox
from recovery import Recovery
from stream import Stream


class NewIdOnResend(App):
    """a message that goes out again gets another id (CLIENT-6)"""

    class make_outbox(Outbox):
        def content(self, conversation, message):
            if message.question.resend:
                message.key = str(uuid.uuid4())
            return super().content(conversation, message)


class ReplacesMessages(App):
    """a history replaces what is shown (CLIENT-25)"""

    class make_conversation(Conversation):
        def merge(self, history):
            known = {message.id: message for message in self.messages}
            new = super().merge(history)
            self.stored = [message for message in self.stored if message.id in {entry["id"] for entry in history}]
            self.pending = []
            return [message for message in new if message.id not in known]


class TrustsOldSocket(App):
    """a connection that says it is open is used again after the background (CLIENT-36)"""

    def enter_background(self):
        self.foreground = False

    def enter_foreground(self):
        self.foreground = True
        if not self.link.is_connected:
            self.link.renew()


class EndlessSpinner(App):
    """polling ends, and thinking does not (CLIENT-39)"""

    class make_recovery(Recovery):
        def give_up(self, message):
            pass


class MostRecentSession(App):
    """the newest session is taken for that of a question whose session is not known (CLIENT-21)"""

    def on_connected(self, greeting):
        lost = [(conversation, m) for conversation, m in self.questions if conversation.id is None and m.question.is_out]
        if lost:
            self.spawn(self.take_newest(lost[0], greeting))
        else:
            super().on_connected(greeting)

    async def take_newest(self, lost, greeting):
        for entry in (await self.recovery.request_list() or [])[:1]:
            self.adopt(*lost, entry["id"])
        super().on_connected(greeting)


class JumpsTheGap(App):
    """a live frame moves the position while a sync is unanswered (CLIENT-19)"""

    class make_stream(Stream):
        may_move = True


class ConnectedTooSoon(App):
    """an open socket is shown as a connection (CLIENT-23)"""

    class make_link(Link):
        @property
        def shows_connected(self):
            return self.socket is not None

    @property
    def connection(self):
        return "connected" if self.link.shows_connected else super().connection


class SwallowsErrors(App):
    """an error is not shown (CLIENT-32)"""

    def on_refused(self, message, error):
        super().on_refused(message, error)
        message.failed, self.errors = False, []


APPS = {
    "new-id-on-resend": NewIdOnResend,
    "replaces-messages": ReplacesMessages,
    "trusts-old-socket": TrustsOldSocket,
    "endless-spinner": EndlessSpinner,
    "most-recent-session": MostRecentSession,
    "jumps-the-gap": JumpsTheGap,
    "connected-too-soon": ConnectedTooSoon,
    "swallows-errors": SwallowsErrors,
}
