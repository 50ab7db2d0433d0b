import Holdfast

/// A named way to be wrong: what a broken server does, the clause it breaks by that, and the change that makes it do so.
package struct Defect: Sendable, Hashable, CustomStringConvertible {
    /// The area and what the broken peer does, such as `sync-claims-complete-after-eviction`.
    package let name: String
    /// What the broken peer does, and when it shows.
    package let summary: String
    /// The clause it breaks; others only where that cannot be avoided.
    package let clause: ClauseID
    /// What a run must be able to do to see it; most need only a URL.
    package let need: Need
    /// The profiles that a server has to keep for the defect to show, besides that of the clause it breaks.
    package let profiles: Set<Profile>
    /// What is wrong around the healthy core.
    let faults: [Fault]

    /// What it takes to see a defect.
    package enum Need: String, Sendable, Hashable, CaseIterable {
        /// A URL and tokens.
        case url
        /// To stop, kill and start the server.
        case restart
        /// To make the disk of the server refuse writes.
        case storageFault
        /// A server that was given `messagesPerMinute`.
        case budget
        /// To wait for several heartbeats, or for the time a handshake may take.
        case patience
        /// To be many: more principals at once than a suite has.
        case load
    }

    init(
        _ name: String, _ area: Area, _ number: Int, need: Need = .url, with profiles: Set<Profile> = [],
        _ summary: String, _ faults: Fault...
    ) {
        (self.name, self.summary, self.need, self.profiles, self.faults) = (name, summary, need, profiles, faults)
        clause = ClauseID(area, number)
    }

    package static func == (left: Defect, right: Defect) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    package var description: String { name }

    /// Every defect, by area in the order of the chapters.
    package static let all: [Defect] =
        [env, id, turn, order, sync, idem, persist, rest, rate, push, auth, live].flatMap(\.self)

    package static func named(_ name: String) -> Defect? { all.first { $0.name == name } }

    /// The defects of an area; each statement is one.
    static func list(@Builder _ defects: () -> [Defect]) -> [Defect] { defects() }

    @resultBuilder enum Builder {
        static func buildBlock(_ defects: Defect...) -> [Defect] { defects }
    }
}

extension CoreRules {
    /// The rules as a server with these defects has them.
    func broken(by defects: Set<Defect>) -> CoreRules {
        var rules = self
        for case .rules(let change) in defects.faults { change(&rules) }
        return rules
    }
}

extension Set<Defect> {
    /// What is wrong, in the order of the chapters.
    var faults: [Fault] {
        isEmpty ? [] : (Defect.all.filter(contains) + subtracting(Defect.all)).flatMap(\.faults)
    }
}
