import Holdfast
import HoldfastStage

/// The short scenarios in which each principal is greeted and reads its sessions.
struct Greetings {
    let subject: ServerSubject

    private static let principalsPerScenario = 8

    var groups: [[ServerSubject.Principal]] {
        stride(from: 0, to: subject.principals.count, by: Self.principalsPerScenario).map {
            Array(subject.principals[$0..<min($0 + Self.principalsPerScenario, subject.principals.count)])
        }
    }

    var scenarios: [Scenario] {
        groups.enumerated().compactMap { number, group in
            let branches = group.indices.map { index in
                """
                [{"do":"connect","on":"\(Self.letter(index))","principal":"p\(index + 1)","optional":true},
                 {"do":"listSessions","principal":"p\(index + 1)"}]
                """
            }
            // A further branch, because `together` needs at least two.
            let text = """
                {"title": "Greeting", "summary": "What the server states.", "role": "server", "clauses": ["LIVE-8"],
                 "needs": {"principals": \(group.count)},
                 "steps": [{"do":"together","branches":[\(branches.joined(separator: ",")),
                 [{"do":"http","method":"GET","path":"/api/health","token":null}]]}]}
                """
            return try? ScenarioReader.scenario(text, named: Self.name(number), file: "greeting")
        }
    }

    static func name(_ group: Int) -> String { "server/LIVE/greeting-\(group)" }

    /// The connection of a principal in a group.
    static func letter(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index))) }
}
