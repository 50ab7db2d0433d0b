import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastStage
import HoldfastTranscript

/// Reads the first messages of a subject: one that speaks another protocol gets one error, not hundreds of findings.
final class ForeignWatch: Sendable {
    private struct State {
        var sample = WireSample(isOneSided: true)
        var isOver = false
        /// The number of performances that offered only another version: a client may begin with a newer one.
        var otherVersions = 0
    }

    /// After this many such performances, a client counts as speaking only the other version.
    private static let maxOtherVersions = 3

    private let role: Role
    private let dialects: [Dialect]
    private let state = Mutex(State())
    private let recognized = Latch<ForeignProtocol>()

    init(_ role: Role, under specification: Specification) {
        self.role = role
        dialects = (try? specification.dialects()) ?? []
    }

    /// The protocol that the subject speaks instead.
    var found: ForeignProtocol? { recognized.value }

    func note(_ history: History) {
        guard history.header.dialect.isCanonical else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for event in history.events { state.sample.take(event, from: role) }
            var found = state.sample.foreign(among: dialects)
            let offered = role == .client ? state.sample.offeredVersion : nil
            if offered != nil { state.otherVersions += 1 }
            if found == nil, state.otherVersions >= Self.maxOtherVersions { found = offered }
            if let found { recognized.set(found) }
            state.isOver = found != nil || state.sample.isOwn && offered == nil || state.sample.isFull
        }
    }

    /// Returns once another protocol was recognized, or the task is canceled.
    @Sendable func wait() async { await recognized.untilSet() }
}

extension SuiteProblem {
    init(_ foreign: ForeignProtocol, at location: String) {
        self.init(
            .unreachable,
            InputProblem(location, foreign.what, expected: ForeignProtocol.expected, fix: foreign.fix()).description)
    }
}
