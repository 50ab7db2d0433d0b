import Holdfast
import HoldfastJudge
import HoldfastStage
import HoldfastTranscript

/// A few steps that show whether a setup works; the server is judged as in any scenario.
struct Probe: Sendable {
    let history: History
    let verdicts: [Verdict]
    let problems: [HarnessProblem]
    /// The reason why the probe was skipped, or the place where its steps ended early.
    let stoppedAt: String?

    static func scenario(
        _ name: String, start: Bool = false, profiles: [String] = [], _ steps: String
    ) -> Scenario? {
        let names = profiles.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = """
            {"title": "\(name)", "summary": "An examination.", "role": "server", "clauses": ["LIVE-8"],
             "needs": {"principals": 1, "start": \(start), "profiles": [\(names)]}, "steps": [\(steps)]}
            """
        return try? ScenarioReader.scenario(text, named: "server/LIVE/\(name)", file: "doctor")
    }

    init(_ performance: Performance, under specification: Specification) {
        history = DialectView(performance.history).history
        verdicts = performance.verdicts(under: specification)
        problems = performance.problems
        stoppedAt = performance.skipped ?? performance.stoppedAt
    }

    var exercised: Set<ClauseID> { Set(verdicts.filter { $0.exercised > 0 }.map(\.clause)) }

    /// The clauses that the server broke, each with a finding, except those that its wire format cannot keep.
    var violations: [String] {
        verdicts.filter { $0.outcome == .violation && !$0.isUnkeepable }
            .map { verdict in
                guard let finding = verdict.findings.first else { return "\(verdict.clause): violated" }
                return "\(verdict.clause): \(finding.what) (expected \(finding.expected), got \(finding.actual))"
            }
    }

    var unkeepable: [ClauseID] { verdicts.filter(\.isUnkeepable).map(\.clause) }

    private func received(in events: some Sequence<Event>) -> [Frame] {
        events.compactMap { event in
            if case .text(.fromServer, let text) = event.kind { Frame(text) } else { nil }
        }
    }

    func first(_ type: String, on lane: Lane? = nil) -> Frame? {
        received(in: history.events.filter { lane == nil || $0.lane == lane }).first { $0.type == type }
    }

    /// The `done` of the probe's question, by the turn or session of its `ack`; if that has neither, the first `done`.
    var answer: Frame? {
        let endings = received(in: history.events).filter { $0.type == "done" }
        let ack = first("ack")
        if let turn = ack?.turnId, let own = endings.first(where: { $0.turnId == turn }) { return own }
        guard let session = ack?.sessionId else { return endings.first }
        return endings.first { $0.sessionId == session && ($0.turnId == nil || ack?.turnId == nil) }
    }

    /// The last message of a type after the last time that the stage performed an act.
    func last(_ type: String, after act: String) -> Frame? {
        guard let index = history.events.lastIndex(where: { $0.isAct(act) }) else { return nil }
        return received(in: history.events[index...]).last { $0.type == type }
    }

    func has(_ act: String) -> Bool { history.events.contains { $0.isAct(act) } }

    var hasPush: Bool {
        history.events.contains { event in
            if case .request = event.kind { event.lane == .push } else { false }
        }
    }

    /// The last answer to a request with a principal's credentials; nil if there was none.
    func response(to principal: String) -> Event.Response? {
        let lanes = history.events.compactMap { event -> Lane? in
            guard case .request(let request) = event.kind, request.principal == principal else { return nil }
            return event.lane
        }
        return history.events.compactMap { event -> Event.Response? in
            guard case .response(let response) = event.kind, lanes.contains(event.lane) else { return nil }
            return response
        }.last
    }

    /// The way in which a connection was refused, in words; nil if it was greeted.
    func refusal(on lane: Lane) -> String? {
        if first("connected", on: lane) != nil { return nil }
        var isGreeted = false
        for event in history.events where event.lane == lane {
            switch event.kind {
            case .act(DialectView.assumedAct, _): isGreeted = true
            // Later events are consequences of the stage's own close.
            case .close(.toServer, _, _): return isGreeted ? nil : "no 'connected' arrives"
            case .refused(let status?, _): return "the upgrade is refused with \(status)"
            case .refused(nil, let reason): return "no connection (\(reason))"
            case .close(.fromServer, let code, _): return Self.words(closing: code)
            case .text(.fromServer, let text):
                let frame = Frame(text)
                if frame.type == "error" { return "the server answers error{\(frame.code ?? "no code")}" }
            case .act("cut", let details):
                guard let bytes = details["moreThan"]?.intValue else { return "no 'connected' arrives" }
                return "the server sends a message of more than \(bytes) bytes"
            case .eof: return "the server ends the connection"
            default: break
            }
        }
        return isGreeted ? nil : "no 'connected' arrives"
    }

    private static func words(closing code: Int?) -> String { "the server closes\(code.map { " with \($0)" } ?? "")" }

    /// The way in which the server ended a connection before the stage did, in words; nil if it did not.
    var end: String? {
        for event in history.events {
            switch event.kind {
            case .close(.toServer, _, _), .act("cut", _): return nil
            case .close(.fromServer, let code, _): return Self.words(closing: code)
            case .eof: return "the server ends the connection"
            default: break
            }
        }
        return nil
    }

    /// The time without traffic before the server ended the connection; nil if it did not.
    var silenceBeforeTheEnd: Duration? {
        let events = history.events.filter { $0.lane == Lane.connection("A") }
        guard end != nil, let ending = events.firstIndex(where: \.isEnd), ending > 0 else { return nil }
        return .microseconds(events[ending].at - events[ending - 1].at)
    }

    /// Whether the server refused a connection because of the credentials.
    func isAboutCredentials(on lane: Lane) -> Bool {
        history.events.contains { event in
            guard event.lane == lane else { return false }
            switch event.kind {
            case .refused(let status, _): return status == 401 || status == 403
            case .close(.fromServer, let code, _): return code == 4001
            case .text(.fromServer, let text):
                let code = Frame(text).code ?? ""
                return ["auth_failed", "not_authenticated"].contains(code)
            default: return false
            }
        }
    }
}

extension Event {
    fileprivate var isEnd: Bool {
        switch kind {
        case .close(.fromServer, _, _), .eof: true
        default: false
        }
    }

    fileprivate func isAct(_ name: String) -> Bool { if case .act(name, _) = kind { true } else { false } }
}
