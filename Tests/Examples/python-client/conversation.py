"""Conversations as a person sees them: each message once, in the order of the history."""

import uuid
from dataclasses import asdict, dataclass, field
from typing import Optional


@dataclass
class Question:
    """The life of one message of the person.

    waiting -> asked or posted -> accepted -> answered, or failed; `delayed` until the server takes it again, `givenUp`
    while no road leads anywhere, `unanswered` when nobody knows of an answer. Only `answered` and `failed` are ends.
    """

    phase: str = "waiting"
    session: Optional[str] = None
    resend: bool = False
    asked: float = 0  # when it was sent first, or first since the person sent it again
    lost: bool = False  # a send that nothing was heard of: its key may stand for a stored message
    tries: int = 0
    not_before: float = 0
    doubtful: bool = False  # the connection is new, and nothing has shown on it that the turn runs
    polls: int = 0
    polled: float = 0
    polled_since: float = 0

    @property
    def is_open(self):
        """Whether the person is shown that an answer is awaited."""
        return self.phase in ("asked", "posted", "accepted")

    @property
    def is_out(self):
        """Whether the server may have it, and no word of its turn's ending has come."""
        return self.is_open or (self.phase == "waiting" and self.resend)

    @property
    def is_confirmed(self):
        return self.phase in ("accepted", "answered", "unanswered")


@dataclass(eq=False)
class Message:
    role: str
    text: str
    id: Optional[str] = None
    key: Optional[str] = None
    turn: Optional[str] = None
    place: Optional[float] = None  # in the numbered stream, a half when told by no number of its own
    settled: bool = False  # a history has said where it belongs
    failed: bool = False
    question: Optional[Question] = None

    @property
    def status(self):
        if self.failed:
            return "failed"
        return "sent" if self.question is None or self.question.is_confirmed else "sending"

    def shown(self):
        names = {"id": self.id, "clientMessageId": self.key}
        seen = {"role": self.role, "text": self.text, "status": self.status}
        return {name: value for name, value in names.items() if value} | seen


@dataclass(eq=False)
class Conversation:
    id: Optional[str] = None
    stored: list = field(default_factory=list)  # known to the server, oldest first
    pending: list = field(default_factory=list)  # own messages that it may not know
    unread: int = 0
    loaded: bool = False
    expected: Optional[str] = None
    patience: int = 0

    @classmethod
    def restored(cls, kept):
        def message(kept):
            question = kept.pop("question")
            return Message(**kept, question=question and Question(**question))

        lists = {name: [message(each) for each in kept.pop(name)] for name in ("stored", "pending")}
        return cls(**kept, **lists)

    def kept(self):
        return asdict(self)

    @property
    def messages(self):
        return self.stored + self.pending

    @property
    def questions(self):
        return [message for message in self.messages if message.question]

    def ask(self, text):
        message = Message("user", text, key=str(uuid.uuid4()), question=Question(session=self.id))
        self.pending.append(message)
        return message

    def expect(self, id):
        """A push has named a message: reads go on for a while until it is there."""
        self.expected, self.patience = (None if any(m.id == id for m in self.messages) else id), 5

    def meet_expectation(self):
        self.patience -= 1
        if self.patience <= 0 or any(message.id == self.expected for message in self.messages):
            self.expected = None

    def put(self, role, text, id=None, key=None, turn=None, place=None):
        """Takes up one message that the server knows, from whichever road, and says whether it was new."""
        message = self._known(role, id, key)
        new = message is None
        if new:
            message = Message(role, text)
        message.id, message.key, message.turn = message.id or id, message.key or key, message.turn or turn
        better = isinstance(place, int) and not isinstance(message.place, int)
        if new or message in self.pending or (better and not message.settled):
            for messages in (self.stored, self.pending):
                if message in messages:
                    messages.remove(message)
            message.place = place
            self._insert(message)
        elif better:
            message.place = place
        return message, new

    def _known(self, role, id, key):
        for message in self.messages:
            if message.role == role and ((id and message.id == id) or (key and message.key == key)):
                return message
        return None

    def _insert(self, message):
        index = len(self.stored)
        while index and message.place is not None and (self.stored[index - 1].place or 0) > message.place:
            index -= 1
        self.stored.insert(index, message)

    def merge(self, history):
        """Takes up a history: its messages in its order, and every message it lacks where it was.

        A history may be older than what is shown, or a part: nothing shown ever goes (CLIENT-25).
        """
        matches = [self._known(e["role"], e["id"], e.get("clientMessageId")) for e in history]
        taken = set(matches)
        merged, new = [], []
        for entry, message in zip(history, matches):
            if message is None:
                message = Message(entry["role"], words(entry["content"]))
                new.append(message)
            taken.add(message)
            message.id, message.turn = entry["id"], message.turn or entry.get("turnId")
            message.key, message.settled = message.key or entry.get("clientMessageId"), True
            merged.append(message)
        following = None
        for message in reversed(self.messages):
            if message in self.pending and message not in taken:
                continue
            if message not in taken:
                merged.insert(merged.index(following) if following else len(merged), message)
            following = message
        self.pending = [message for message in self.pending if message not in taken]
        self.stored, self.loaded = merged, True
        return new

    def forget_places(self):
        for message in self.messages:
            message.place = None


def words(content):
    """The text of a content that may come in parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text")
