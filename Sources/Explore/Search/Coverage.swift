import Holdfast
import HoldfastJudge
import HoldfastTranscript

/// The coverage of a plan: each clause with the amount of evidence, and each kind of message with the state it met.
///
/// Plans that reach something new are worth keeping. Counts are compared in steps: slightly more is not new.
package struct Coverage: Sendable, Equatable {
    package private(set) var marks: Set<String> = []

    package init() {}

    package init(of history: History, _ verdicts: [Verdict]) {
        for verdict in verdicts where verdict.exercised > 0 {
            marks.insert("\(verdict.clause) \(verdict.outcome.rawValue) \(Self.step(verdict.exercised))")
        }
        var state = State()
        for (event, frame) in zip(history.events, history.frames) {
            guard let what = Self.kind(of: event, frame) else { continue }
            marks.insert("\(what) \(state.words(on: event.lane))")
            state.take(event, frame)
        }
    }

    /// Adds the coverage of another plan, and returns how much of that is new.
    @discardableResult
    package mutating func formUnion(_ other: Coverage) -> Int {
        let before = marks.count
        marks.formUnion(other.marks)
        return marks.count - before
    }

    private static func step(_ count: Int) -> String {
        switch count {
        case ...2: "\(count)"
        case ...7: "some"
        case ...31: "many"
        default: "very many"
        }
    }

    /// The kind of evidence of an event; nil if it shows nothing by itself.
    private static func kind(of event: Event, _ frame: Frame?) -> String? {
        switch event.kind {
        case .text(let direction, _), .binary(let direction, _):
            let from = direction == .toServer ? "asks" : "says"
            let marks = ["duplicate", "complete", "more"].filter { frame?[$0]?.boolValue == true }
            let words = [from, frame?.type ?? "no frame", frame?.code, frame?["reason"]?.stringValue].compactMap(\.self)
            return (words + marks).joined(separator: " ")
        case .request(let request):
            return event.lane == .push
                ? "push" : "asks \(request.method) \(request.path.prefix { $0 != "?" }.count > 15)"
        case .response(let response): return "answers \(response.status)"
        case .failed(let reason): return "fails \(reason)"
        case .close(_, let code, _): return "closes \(code ?? 0)"
        case .eof: return "ends"
        case .act(let name, _): return name
        default: return nil
        }
    }

    private struct State {
        /// The turns that are running, as far as the frames show.
        private var running: Set<String> = []
        private var open: Set<Lane> = []
        private var synced: Set<Lane> = []
        private var paused: Set<Lane> = []
        private var lives = 0
        private var refusesWrites = false

        func words(on lane: Lane) -> String {
            let connection = [
                open.contains(lane) ? "open" : nil, synced.contains(lane) ? "synced" : nil,
                paused.contains(lane) ? "unread" : nil,
            ].compactMap(\.self).joined(separator: "-")
            return "\(connection) \(min(running.count, 3)) running \(min(open.count, 3)) open life \(min(lives, 2))"
                + (refusesWrites ? " no disk" : "")
        }

        mutating func take(_ event: Event, _ frame: Frame?) {
            switch event.kind {
            case .text(.fromServer, _):
                switch frame?.type {
                case "connected": open.insert(event.lane)
                case "syncResult": synced.insert(event.lane)
                case "ack", "toolUse": if let turn = frame?.turnId, frame?.isDuplicate != true { running.insert(turn) }
                case "done", "error": if let turn = frame?.turnId { running.remove(turn) }
                default: break
                }
            case .eof, .close:
                open.remove(event.lane)
                synced.remove(event.lane)
            case .act(let name, _):
                switch name {
                case "cut": open.remove(event.lane)
                case "stopReading": paused.insert(event.lane)
                case "resumeReading": paused.remove(event.lane)
                case "refuseWrites": refusesWrites = true
                case "acceptWrites": refusesWrites = false
                case "kill", "stop", "exit":
                    lives += 1
                    running = []
                    synced = []
                default: break
                }
            default: break
            }
        }
    }
}
