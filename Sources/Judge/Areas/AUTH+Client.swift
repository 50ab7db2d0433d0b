import Holdfast
import JSON
import Transcript

/// How a client says who it is.
extension AUTH {
    /// AUTH-13: "A client MUST send `auth` with `protocol: 1` as the first frame of every connection".
    ///
    /// Once for each connection on which the client sent anything, or could have for the whole bound `connect`.
    static func authComesFirst(_ history: Observations, _ evidence: inout Evidence) {
        let expected = "auth with protocol 1"
        for connection in history.connections where connection.isWhole {
            guard let opened = connection.opened else { continue }
            if let first = connection.sent.first {
                guard first.type == "auth", first["protocol"]?.intValue == 1 else {
                    let version = first["protocol"].map { " with protocol \($0.text())" } ?? ""
                    evidence.violate(
                        "a connection began with something else", expected: expected, actual: called(first) + version,
                        at: [opened, first.event])
                    continue
                }
                evidence.keep()
            } else if let late = history.clientSilence(after: opened, within: history.timeouts.connect),
                connection.ending.map({ $0.event > late }) ?? true
            {
                evidence.violate(
                    "a connection was opened and nothing was said", expected: expected, actual: "nothing",
                    at: [opened, late])
            }
        }
    }

    /// How long a greeting has to be withheld for the wait to mean something.
    private static let withheld = Duration.milliseconds(250)

    /// AUTH-14: "A client MUST NOT send any other frame before it received `connected`".
    ///
    /// Once for each connection whose greeting was withheld for a while, or during which a person sent something.
    static func clientsWaitForTheGreeting(_ history: Observations, _ evidence: inout Evidence) {
        let last = history.events.count
        for connection in history.connections {
            guard let auth = connection.auth ?? connection.sent.first?.event else { continue }
            let end = connection.connected ?? connection.ending?.event ?? last
            if let early = connection.sent.first(where: { $0.event != connection.auth && $0.event < end }) {
                evidence.violate(
                    "the client spoke before it was greeted", expected: "auth alone before connected",
                    actual: called(early), at: [auth, early.event])
                continue
            }
            let wasTempted = history.client.acts.contains { $0.name == "send" && $0.event > auth && $0.event < end }
            if wasTempted || history.span(from: auth, to: min(end, last - 1)) >= withheld.microseconds {
                evidence.keep()
            }
        }
    }

    /// AUTH-15: "A client MUST NOT put its token into a URL".
    ///
    /// Once for each upgrade and each request; transcripts name the owner of a token in its place.
    static func tokensStayOutOfURLs(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ path: String, _ event: Int) {
            evidence.test(
                !path.contains("‹token"), otherwise: "the client put its token into a URL",
                expected: "a path without it", actual: shown(path), at: [event])
        }
        for (index, event) in history.events.enumerated() {
            switch (event.lane, event.kind) {
            case (.connection, .opening(let opening)): judge(opening.path, index)
            case (.exchange, .request(let request)): judge(request.path, index)
            default: break
            }
        }
    }
}
