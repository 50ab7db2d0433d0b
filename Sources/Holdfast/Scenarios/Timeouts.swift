/// The timeout for each kind of wait, with the reason for its value.
///
/// A conforming subject meets these even on a busy machine. A judge reports a missing event only after the stage waited
/// for the whole timeout.
public struct Timeouts: Sendable, Equatable {
    /// WebSocket upgrade and handshake up to `connected`; after that, a phone on a bad network gives up.
    public var connect: Duration = .seconds(10)
    /// From `chat` to its `ack`: storing one message, even on a busy disk.
    public var ack: Duration = .seconds(10)
    /// From `chat` to the end of its turn, not counting waits in the script; `turnSeconds` in a subject file.
    public var turn: Duration = .seconds(30)
    /// From `ping` to `pong`, even while a turn runs (LIVE).
    public var pong: Duration = .seconds(5)
    /// From a request to the last byte of its response.
    public var rest: Duration = .seconds(10)
    /// From `sync` to its `syncResult`.
    public var sync: Duration = .seconds(10)
    /// From a malformed frame to its `error`.
    public var error: Duration = .seconds(5)
    /// From a reason for closing to the close frame or the end of the socket.
    public var close: Duration = .seconds(15)
    /// From a request to stop to the end of the last connection, after which a system would kill the process.
    public var stop: Duration = .seconds(30)
    /// From the end of a turn to its push, since a server may batch them.
    public var push: Duration = .seconds(10)
    /// From the start of the command to its first connection: a virtual machine warms up, a store recovers.
    public var start: Duration = .seconds(30)
    /// From the foreground or the return of the network to a client's new connection.
    ///
    /// People notice a delay of one second; the other second is for a slow machine. No timer of the client is involved,
    /// so the time scale does not apply.
    public var foregroundReconnect: Duration = .seconds(2)
    /// From an unanswered `chat` to the moment when a client must consider the connection dead (CLIENT-4).
    public var resend: Duration = .seconds(15)
    /// From the last arrival until a client that awaits a turn must consider the connection dead (CLIENT-4).
    public var silence: Duration = .seconds(60)
    /// Between two connection attempts, whatever the number of failures (CLIENT-37).
    public var backoff: Duration = .seconds(30)
    /// From the first read for an answer to the last (CLIENT-20).
    public var polling: Duration = .seconds(65)
    /// From storing a message to showing it, if only REST works (CLIENT-40).
    public var degraded: Duration = .seconds(35)
    /// The minute for counting attempts (CLIENT-1, CLIENT-3).
    public var attempts: Duration = .seconds(60)
    /// From a command to the driver's answer; never scaled.
    public var driver: Duration = .seconds(10)
    /// The delay that a busy machine may add to a client's own timer; never scaled.
    public var scheduling: Duration = .seconds(2)

    /// The timeouts in the specification.
    public init() {}

    /// All timeouts by their names in scenarios and transcripts.
    public var byName: [String: Duration] { Self.paths.mapValues { self[keyPath: $0] } }

    /// The timeout with a name, if there is one.
    public subscript(name: String) -> Duration? { Self.paths[name].map { self[keyPath: $0] } }

    /// The property for each name.
    public static let paths: [String: WritableKeyPath<Timeouts, Duration> & Sendable] = [
        "connect": \.connect, "ack": \.ack, "turn": \.turn, "pong": \.pong, "rest": \.rest, "sync": \.sync,
        "error": \.error, "close": \.close, "stop": \.stop, "push": \.push,
        "start": \.start,
        "foregroundReconnect": \.foregroundReconnect, "resend": \.resend, "silence": \.silence,
        "backoff": \.backoff,
        "polling": \.polling, "degraded": \.degraded, "attempts": \.attempts, "driver": \.driver,
        "scheduling": \.scheduling,
    ]

    /// The same timeouts with an upper limit, for subjects known to be fast.
    public func capped(at limit: Duration) -> Timeouts {
        var timeouts = self
        // Timeouts of waits for a server's messages; the start-up time is not one of them.
        for path in [\Timeouts.connect, \.ack, \.turn, \.pong, \.rest, \.sync, \.error, \.close, \.stop, \.push] {
            timeouts[keyPath: path] = min(timeouts[keyPath: path], limit)
        }
        return timeouts
    }
}
