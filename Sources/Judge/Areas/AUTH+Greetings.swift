import Holdfast
import Transcript

/// The check of greetings that come again.
extension AUTH {
    /// AUTH-16: "A server MUST NOT send more than one `connected` on a connection".
    ///
    /// Once for each greeted connection.
    static func connectionsAreGreetedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            let greetings = connection.received.filter { $0.type == "connected" }
            guard let first = greetings.first else { continue }
            evidence.test(no: greetings.dropFirst().first) { second in
                Finding(
                    "a connection was greeted again", expected: "one connected", actual: "another",
                    at: [first.event, second.event])
            }
        }
    }
}
