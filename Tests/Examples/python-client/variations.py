"""The same app with something that another one may do, too."""

from app import App
from stream import Stream


class ReadsFirst(App):
    """what was missed is read before it is asked for with `sync`"""

    class make_stream(Stream):
        asked = None  # the greeting of the connection that a `sync` went out on

        def ask(self, position):
            connection, ask = self.connection, super().ask

            def go():
                if connection is self.connection and self.asked is not connection:
                    self.asked = connection
                    ask(position)

            if self.asked is connection:
                ask(position)  # the next page
            else:
                self.app.recover(then=go)
                self.app.later(self.app.clock(3), go)


APPS = {"reads-first": ReadsFirst}
