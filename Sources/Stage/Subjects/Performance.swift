import HoldfastTranscript

/// One scenario as it went.
package struct Performance: Sendable {
    package var scenario: String
    /// Everything observed; empty when it was skipped.
    package var history: History
    /// Failures of the suite itself.
    package var problems: [HarnessProblem] = []
    /// Why it was not performed; nil when it was.
    package var skipped: String?
    /// The missing parts of the setup for which it was skipped, such as a command that starts the server, in words.
    package var lacks: [String] = []
    /// Where and why its steps ended early, such as `/steps/3: no done in time`; nil when all were performed.
    package var stoppedAt: String?
    /// The failure of a client's driver that ended it, such as a crash; nil if there was none.
    package var failure: String?
    /// Why its server or driver did not start; nil when it did.
    package var startProblem: HarnessProblem?
    /// Whether it was ended from outside.
    package var wasInterrupted = false
    /// Whether the subject took the first connection; nil when the scenario opened none.
    package var wasReceived: Bool?
    /// Whether a connection was cut because it brought more than is kept.
    var wasFlooded = false
    /// Whether the server, started by the suite for all, ended by itself meanwhile.
    var sawServerEnd = false
    /// Whether the server said meanwhile that it stops, and may have.
    var sawStop = false
    /// Wall time.
    package var duration = Duration.zero
}

extension Performance {
    /// How a reason begins that is a limit which the server states, as it may.
    static let beyondLimits = "the limits of the server rule it out: "

    /// Everything that is lacking, in one sentence; nil when nothing is.
    package static func words(lacking lacks: [String]) -> String? {
        guard let first = lacks.first else { return nil }
        return ([first] + lacks.dropFirst().map { String($0.trimmingPrefix("it needs ")) }).joined(separator: ", and ")
    }
}

extension [Performance] {
    /// A line about a machine that was late for a third of the time, so that timeouts were extended; nil otherwise.
    ///
    /// A suite that uses all cores of a quiet machine makes itself late for a moment here and there.
    package var lateness: String? {
        let performed = filter { $0.skipped == nil }
        let late = performed.map(\.history.header.timeLate)
        let count = zip(performed, late).count { performance, late in late > .zero && late * 10 >= performance.duration
        }
        guard count > 0, late.reduce(.zero, +) * 3 >= performed.map(\.duration).reduce(.zero, +) else { return nil }
        return
            "machine overloaded: timeouts were extended in \(count) of \(performed.count) scenarios; "
            + "use fewer --jobs, or run alone on the machine"
    }
}
