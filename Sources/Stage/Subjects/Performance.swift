import HoldfastTranscript

package struct Performance: Sendable {
    package var scenario: String
    /// Everything observed; empty when it was skipped.
    package var history: History
    /// Failures of the suite itself.
    package var problems: [HarnessProblem] = []
    /// The reason why it was skipped; nil if it was not.
    package var skipped: String?
    /// The parts of the setup whose absence made the suite skip it, such as a start command, in words.
    package var lacks: [String] = []
    /// Where and why its steps ended early, such as `/steps/3: no done in time`; nil if all were performed.
    package var stoppedAt: String?
    /// The failure of a client's driver that ended it, such as a crash; nil if there was none.
    package var failure: String?
    /// The reason why its server or driver did not start; nil if it did.
    package var startProblem: HarnessProblem?
    /// Whether the run was canceled before it was complete.
    package var wasInterrupted = false
    /// Whether the subject accepted the first connection; nil if the scenario opened none.
    package var wasReceived: Bool?
    /// Whether the subject sent more than the suite records, so that the suite cut a connection or dropped events.
    var wasFlooded = false
    /// Whether the shared server that the suite started exited on its own during the scenario.
    var sawServerEnd = false
    /// Whether the server announced during the scenario that it was stopping, and nothing showed that it went on.
    var sawStop = false
    package var duration = Duration.zero
}

extension Performance {
    /// The beginning of a reason that refers to a limit that the server may set.
    static let beyondLimits = "the limits of the server rule it out: "

    /// All missing parts in one sentence; nil if there are none.
    package static func words(lacking lacks: [String]) -> String? {
        guard let first = lacks.first else { return nil }
        return ([first] + lacks.dropFirst().map { String($0.trimmingPrefix("it needs ")) }).joined(separator: ", and ")
    }
}

extension [Performance] {
    /// A line about a machine that was late for a third of the time, so that timeouts were extended; nil otherwise.
    ///
    /// Even on an idle machine, a suite that uses all cores falls behind briefly, so a lower share is not reported.
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
