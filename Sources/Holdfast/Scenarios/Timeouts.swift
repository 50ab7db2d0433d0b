/// How long each awaited thing may take; one place, one reason a value.
///
/// A subject that keeps the specification answers within these bounds also on a busy machine; a judge cites a missing event
/// only once the stage watched for the whole bound.
public struct Timeouts: Sendable, Equatable {
    /// Upgrade to a WebSocket and the handshake up to `connected`: a phone on a bad network gives up after this.
    public var connect: Duration = .seconds(10)
    /// From a sent `chat` to its `ack`: storing one message, with room for a busy disk.
    public var ack: Duration = .seconds(10)
    /// From a `chat` to the end of its turn, beyond the waits the script itself asks for; `turnSeconds` of a subject file.
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
    /// From being told to stop to the end of the last connection: what a system gives a process before it kills it.
    public var stop: Duration = .seconds(30)
    /// From the end of a turn to the push that announces it: a server may gather a few before it calls the push service.
    public var push: Duration = .seconds(10)
    /// From the start of the command to the first connection it takes: a virtual machine warms up, a store recovers.
    public var start: Duration = .seconds(30)
    /// From the foreground or the return of the network to a client's new connection.
    ///
    /// A second is felt, the other is the machine's; no timer of a client lies in it, so the time scale does not shorten it.
    public var foregroundReconnect: Duration = .seconds(2)
    /// From a `chat` without an answer to the end of the connection in the client's eyes (CLIENT-4).
    public var resend: Duration = .seconds(15)
    /// From the last arrival on a connection to its end in the eyes of a client that awaits a turn (CLIENT-4).
    public var silence: Duration = .seconds(60)
    /// Between two attempts to connect, however many failed before (CLIENT-37).
    public var backoff: Duration = .seconds(30)
    /// From the first read for an answer to the last (CLIENT-20).
    public var polling: Duration = .seconds(65)
    /// From the moment a message is stored to the moment it is shown while only REST works (CLIENT-40).
    public var degraded: Duration = .seconds(35)
    /// The minute in which attempts are counted (CLIENT-1, CLIENT-3).
    public var attempts: Duration = .seconds(60)
    /// From a command to the answer of a client's driver; never shortened by the time scale.
    public var driver: Duration = .seconds(10)
    /// What a busy machine adds to a client's own timer; never shortened by the time scale.
    public var scheduling: Duration = .seconds(2)

    /// The bounds of the specification.
    public init() {}

    /// Every bound by the name scenarios and transcripts use.
    public var byName: [String: Duration] { Self.paths.mapValues { self[keyPath: $0] } }

    /// The bound of a name that scenarios and transcripts use; nil for any other.
    public subscript(name: String) -> Duration? { Self.paths[name].map { self[keyPath: $0] } }

    /// Where the bound of each name is kept.
    public static let paths: [String: WritableKeyPath<Timeouts, Duration> & Sendable] = [
        "connect": \.connect, "ack": \.ack, "turn": \.turn, "pong": \.pong, "rest": \.rest, "sync": \.sync,
        "error": \.error, "close": \.close, "stop": \.stop, "push": \.push,
        "start": \.start,
        "foregroundReconnect": \.foregroundReconnect, "resend": \.resend, "silence": \.silence,
        "backoff": \.backoff,
        "polling": \.polling, "degraded": \.degraded, "attempts": \.attempts, "driver": \.driver,
        "scheduling": \.scheduling,
    ]

    /// The same bounds, none longer than the limit; for subjects that are known to be quick.
    public func capped(at limit: Duration) -> Timeouts {
        var timeouts = self
        for path in Self.all { timeouts[keyPath: path] = min(timeouts[keyPath: path], limit) }
        return timeouts
    }

    /// Those that end a wait for what a server sends; how long it takes to start says nothing about that.
    private static var all: [WritableKeyPath<Timeouts, Duration>] {
        [\.connect, \.ack, \.turn, \.pong, \.rest, \.sync, \.error, \.close, \.stop, \.push]
    }
}
