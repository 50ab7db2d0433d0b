import Holdfast

/// A named fault: what the broken server does, the clause it violates, and the change that causes it.
package struct Defect: Sendable, Hashable, CustomStringConvertible {
    /// The area and the behavior, such as `sync-claims-complete-after-eviction`.
    package let name: String
    /// The behavior of the broken server, and when it shows.
    package let summary: String
    /// The violated clause; a defect violates others only if that is unavoidable.
    package let clause: ClauseID
    /// A run needs this to detect it; most defects need only a URL.
    package let need: Need
    /// The profiles that a server must keep for the defect to show, besides that of the violated clause.
    package let profiles: Set<Profile>
    let faults: [Fault]

    package enum Need: String, Sendable, Hashable, CaseIterable {
        /// A URL and tokens.
        case url
        /// Permission to stop, kill and start the server.
        case restart
        /// A way to make the server's disk refuse writes.
        case storageFault
        /// A server configured with `messagesPerMinute`.
        case budget
        /// Time to wait for several heartbeats, or for the handshake timeout.
        case patience
        /// More concurrent principals than a suite run has.
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

    static func list(@Builder _ defects: () -> [Defect]) -> [Defect] { defects() }

    @resultBuilder enum Builder {
        static func buildBlock(_ defects: Defect...) -> [Defect] { defects }
    }
}

extension CoreRules {
    func broken(by defects: Set<Defect>) -> CoreRules {
        var rules = self
        for case .rules(let change) in defects.faults { change(&rules) }
        return rules
    }
}

extension Set<Defect> {
    /// The changes, in the order of the chapters.
    var faults: [Fault] { isEmpty ? [] : (Defect.all.filter(contains) + subtracting(Defect.all)).flatMap(\.faults) }
}
