import Holdfast
import Transcript

/// The check of greetings that come again.
extension AUTH {
    /// AUTH-16: "A server MUST NOT send more than one `connected` on a connection".
    ///
    /// Once for each greeted connection.
    static func connectionsAreGreetedOnce(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for connection in observations.connections {
            let greetings = connection.received.filter { $0.type == "connected" }
            guard let first = greetings.first else { continue }
            if let second = greetings.dropFirst().first {
                evidence.violate(
                    Finding(
                        "a connection was greeted again", expected: "one connected", actual: "another",
                        at: [first.event, second.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }
}
