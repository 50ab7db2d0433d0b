import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// A kill that waits for bytes.
final class ArmedKill: Sendable {
    /// What is looked for, as the scenario wrote it.
    let bytes: String
    /// Where it is looked for.
    let target: ScenarioStep.ProcessStep.Target
    /// The step that armed it.
    let pointer: JSONPointer
    /// Set once the process was killed.
    let fired = Latch<Bool>()

    init(bytes: String, target: ScenarioStep.ProcessStep.Target, pointer: JSONPointer) {
        self.bytes = bytes
        self.target = target
        self.pointer = pointer
    }

    /// What is done on the reading thread when the message with the bytes is whole: kill first, then write it down.
    func tripwire(for instance: SubjectInstance, recorder: Recorder) -> Tripwire {
        let details = details
        return Tripwire(bytes) { [fired] in
            let now = ContinuousClock.now
            let wasAlive = instance.kill()
            if wasAlive { recorder.note(.act("kill", details), on: .server, at: now) }
            fired.set(wasAlive)
        }
    }

    private var details: JSONObject {
        switch target {
        case .connection(let lane): ["on": .string(lane), "bytes": .string(bytes)]
        case .nextExchange: ["exchange": "next", "bytes": .string(bytes)]
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
            if kill.target == .nextExchange { state.forNextExchange = kill }
        }
    }

    var last: ArmedKill? { state.withLock { $0.all.last } }

    /// What the next HTTP request is to be watched for; it is handed out once.
    func takeForExchange() -> ArmedKill? {
        state.withLock { state in
            defer { state.forNextExchange = nil }
            return state.forNextExchange
        }
    }

    /// The first whose bytes never came.
    var unfired: ArmedKill? { state.withLock { $0.all }.first { $0.fired.value == nil } }
}
