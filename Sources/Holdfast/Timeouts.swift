/// How long each awaited thing may take; one place, one reason a value.
///
/// A subject that keeps the specification answers within these bounds also on a busy machine; a judge cites a missing event
/// only once the stage watched for the whole bound.
public struct Timeouts: Sendable, Equatable {
    /// Upgrade to a WebSocket and the handshake up to `connected`: a phone on a bad network gives up after this.
    public var connect: Duration = .seconds(10)
    /// From a sent `chat` to its `ack`: storing one message, with room for a busy disk.
    public var ack: Duration = .seconds(10)
    /// From a `chat` to the end of its turn, beyond the waits the script itself asks for.
    public var turn: Duration = .seconds(30)
    /// From `ping` to `pong`, also while a turn runs (LIVE).
    public var pong: Duration = .seconds(5)
    /// From a request to the last byte of its response.
    public var rest: Duration = .seconds(10)
    /// From `sync` to its `syncResult`.
    public var sync: Duration = .seconds(10)
    /// From a malformed frame to the `error` that answers it.
    public var error: Duration = .seconds(5)
    /// From a reason to close to the close frame or the end of the socket.
    public var close: Duration = .seconds(15)
    /// From the end of a turn to the push that announces it: a server may gather a few before it calls the push service.
    public var push: Duration = .seconds(10)
    /// From the start of the command to the first connection it takes: a virtual machine warms up, a store recovers.
    public var start: Duration = .seconds(30)

    /// The bounds of the specification.
    public init() {}

    /// Every bound by the name scenarios use.
    public var byName: [String: Duration] {
        [
            "connect": connect, "ack": ack, "turn": turn, "pong": pong, "rest": rest, "sync": sync, "error": error,
            "close": close, "push": push, "start": start,
        ]
    }

    /// The same bounds, none longer than the limit; for subjects that are known to be quick.
    public func capped(at limit: Duration) -> Timeouts {
        var timeouts = self
        for path in Self.all { timeouts[keyPath: path] = min(timeouts[keyPath: path], limit) }
        return timeouts
    }

    /// Those that end a wait for what a server sends; how long it takes to start says nothing about that.
    private static var all: [WritableKeyPath<Timeouts, Duration>] {
        [\.connect, \.ack, \.turn, \.pong, \.rest, \.sync, \.error, \.close, \.push]
    }
}
