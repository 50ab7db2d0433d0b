import HoldfastBasics
import HoldfastTranscript
import HoldfastTransport

/// A question over REST that the stage may leave before its response has come.
final class PendingPost: Sendable {
    enum End: Sendable { case over, left }

    /// Its connection, once the request is sent.
    let sent = Latch<(HTTPConnection, Lane)>()
    private let ending = Latch<End>()

    /// Takes the connection once the request is sent.
    func begin(on lane: Lane) -> @Sendable (HTTPConnection) -> Void {
        { [sent] connection in sent.set((connection, lane)) }
    }

    /// Ends it; false where it has already ended otherwise.
    func end(_ end: End) -> Bool { ending.set(end) }

    var wasLeft: Bool { ending.value == .left }
}
