import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

final class ArmedKill: Sendable {
    let target: ScenarioStep.ProcessStep.Target
    let pointer: JSONPointer
    /// Set once the kill was attempted: whether the process was alive.
    let fired = Latch<Bool>()

    init(target: ScenarioStep.ProcessStep.Target, pointer: JSONPointer) {
        self.target = target
        self.pointer = pointer
    }

    var awaited: String {
        switch target {
        case .message(let type, _): type
        case .nextExchange(let bytes): bytes
        }
    }

    /// A tripwire that acts on the reading thread once the awaited message is complete: it kills first, then records.
    func tripwire(for instance: SubjectInstance, speaking dialect: Dialect, recorder: Recorder) -> Tripwire {
        let details = details
        let kill: @Sendable () -> Void = { [fired] in
            let now = ContinuousClock.now
            let wasAlive = instance.kill()
            if wasAlive { recorder.note(.act("kill", details), on: .server, at: now) }
            fired.set(wasAlive)
        }
        return switch target {
        case .message(let type, _): Tripwire(where: { Self.matches(type, $0, dialect) }, kill)
        case .nextExchange(let bytes): Tripwire(bytes, kill)
        }
    }

    /// Whether a message has a type; a message of another type may contain the same word as a value.
    private static func matches(_ type: String, _ message: [UInt8], _ dialect: Dialect) -> Bool {
        guard let text = String(utf8: message), let root = try? JSONParser.value(text) else { return false }
        return dialect.frame(root, sentBy: .server)?["type"] == .string(type)
    }

    private var details: JSONObject {
        switch target {
        case .message(let type, let lane): ["on": .string(lane), "bytes": .string("\"\(type)\"")]
        case .nextExchange(let bytes): ["exchange": "next", "bytes": .string(bytes)]
        }
    }
}

final class ArmedKills: Sendable {
    private struct State {
        var all: [ArmedKill] = []
        var forNextExchange: ArmedKill?
    }

    private let state = Mutex(State())

    func add(_ kill: ArmedKill) {
        state.withLock { state in
            state.all.append(kill)
            if case .nextExchange = kill.target { state.forNextExchange = kill }
        }
    }

    var last: ArmedKill? { state.withLock { $0.all.last } }

    /// The kill armed for the next HTTP request; it is returned only once.
    func takeForExchange() -> ArmedKill? {
        state.withLock { state in
            defer { state.forNextExchange = nil }
            return state.forNextExchange
        }
    }

    /// The first kill whose message never arrived, although no question was refused on its connection.
    func unfired(beside questions: @autoclosure () -> BusyQuestions) -> ArmedKill? {
        let unfired = state.withLock { $0.all }.filter { $0.fired.value == nil }
        guard !unfired.isEmpty else { return nil }
        let busy = questions()
        return unfired.first { kill in
            guard case .message(_, let letter) = kill.target else { return true }
            return !busy.isRefused(on: .connection(letter))
        }
    }
}
