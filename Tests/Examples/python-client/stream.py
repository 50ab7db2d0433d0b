"""The place in the numbered stream, and the `sync` that fills a gap in it."""


class Stream:
    """Epoch and number change together (CLIENT-19), and never past what a `sync` has still to bring (CLIENT-19)."""

    def __init__(self, app, epoch=None, seq=None):
        self.app = app
        self.epoch, self.seq = epoch, seq
        self.live_epoch = None  # of the connection in use
        self.told = 0  # last number of its `connected`
        self.highest = 0  # number it has shown live
        self.connection = None
        self.catching_up = False
        self.evicted = False  # an earlier page told of a gap before it

    def on_connected(self, greeting):
        """Asks for what was missed, and says whether the answer will be all of it."""
        self.live_epoch, self.told, self.highest = greeting.get("epoch"), greeting.get("lastSeq", 0), 0
        self.connection = greeting
        self.catching_up = self.evicted = False
        if self.live_epoch is None:
            return False  # such a server does not replay (CLIENT-15)
        if self.epoch is None and not self.app.awaits_answer:
            self.take_up(self.live_epoch, greeting.get("lastSeq", 0))
            return False
        self.catching_up = True
        self.ask({"epoch": self.epoch, "lastSeqSeen": self.seq} if self.epoch else {"lastSeqSeen": 0})
        return self.epoch is not None  # a new stream replays nothing older than itself (CLIENT-18)

    def ask(self, position):
        self.app.send_frame({"type": "sync", **position})

    def on_live(self, frame):
        """Counts a numbered frame of any type, known or not (CLIENT-19)."""
        seq = frame.get("seq")
        if self.live_epoch is None or not isinstance(seq, int):
            return
        self.highest = max(self.highest, seq)
        if self.may_move:
            self.take_up(self.live_epoch, max(self.seq, seq) if self.epoch == self.live_epoch else seq)

    @property
    def may_move(self):
        return not self.catching_up

    def place(self, frame, epoch):
        """Where a frame stands among the messages; a frame without a number stands after what is known."""
        if epoch is None or epoch != self.epoch:
            return None
        seq = frame.get("seq")
        return seq if isinstance(seq, int) else max(self.highest, self.told, self.seq) + 0.5

    def on_result(self, result):
        """Takes the frames of a page; then the next page, the history, or the new place."""
        missed = [frame for frame in result.get("missed", []) if isinstance(frame, dict)]
        for frame in missed:
            self.app.on_event(frame, result["epoch"])
        self.evicted |= result.get("reason") not in (None, "too_many")
        last = missed[-1].get("seq") if missed else None
        if result.get("more") and last:
            if not self.evicted:
                self.take_up(result["epoch"], last)
            self.ask({"epoch": result["epoch"], "lastSeqSeen": last})
        elif result.get("complete") and not self.evicted:
            self.caught_up(result)
            self.app.recover(only_open=True)
        else:
            connection = self.connection
            self.app.recover(then=lambda: connection is self.connection and self.caught_up(result))

    def caught_up(self, result):
        """All that was missed is here: the place moves, to what came live meanwhile, too."""
        self.catching_up = False
        for _, message in self.app.questions:
            message.question.doubtful = False  # its turn runs, and its ending comes on this connection
        live = self.highest if result["epoch"] == self.live_epoch else 0
        self.take_up(result["epoch"], max(result.get("lastSeq", 0), live))

    def take_up(self, epoch, seq):
        if epoch != self.epoch:
            self.app.forget_places()
        self.epoch, self.seq = epoch, seq
        self.app.save()
