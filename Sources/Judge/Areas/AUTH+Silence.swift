import Holdfast
import JSON
import Transcript

/// The check of sockets that never say who they are.
extension AUTH {
    /// The time that a server gives after the one it waits for `auth`.
    private static let grace = Duration.seconds(5)

    /// AUTH-4: "A server MUST close, with 4002, a connection on which no `auth` arrived for 10 s, or for the shorter time
    /// that it was configured with, not earlier and at most 5 s later".
    ///
    /// Once for each connection on which the stage sent no message at all, when it ended or was watched long enough.
    static func silentSocketsAreClosed(_ history: Observations, _ evidence: inout Evidence) {
        let configured = history.subject.limits["authSeconds"] ?? 10
        let limit = Duration.seconds(min(max(configured, 0), 10))
        for (index, connection) in history.connections.enumerated() {
            guard connection.isWhole, let opened = connection.opened, connection.sent.isEmpty,
                connection.connected == nil, connection.pauses.isEmpty
            else { continue }
            func violate(_ actual: String, _ event: Int) {
                evidence.violate(
                    "a connection without auth was not closed as such",
                    expected: "close 4002 after \(limit.components.seconds) s, at most 5 s later", actual: actual,
                    at: [opened, event])
            }
            guard connection.wasEndedByServer, let ending = connection.ending else {
                if let late = history.deadline(after: opened, within: limit + grace, on: index) {
                    violate("it stayed open", late)
                }
                continue
            }
            // A server may restart or be overloaded at any time (LIVE-12), and says so when it stops (LIVE-6).
            guard !ending.isAtWill, ending.kind != .closed(.fromServer, code: 1001),
                !history.wasStopped(between: opened, and: ending.event)
            else { continue }
            let end = history.time(of: ending.event)
            switch ending.kind {
            case .closed(.fromServer, let code):
                if end - history.time(of: connection.opening) < limit.microseconds {
                    violate("close \(code.map(String.init) ?? "without a code") earlier", ending.event)
                } else if history.patience(from: opened, to: ending.event) > (limit + grace).microseconds {
                    violate("close \(code.map(String.init) ?? "without a code") later", ending.event)
                } else if code != 4002 {
                    violate("close \(code.map(String.init) ?? "without a code")", ending.event)
                } else {
                    evidence.keep()
                }
            default: violate("the end of the socket without a close frame", ending.event)
            }
        }
    }
}
