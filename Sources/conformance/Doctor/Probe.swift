import Holdfast
import Judge
import Stage
import Transcript

/// A few steps performed to see whether a set-up works; what the server did is judged like everything else.
struct Probe: Sendable {
    let history: History
    let verdicts: [Verdict]
    /// What the suite itself could not do.
    let problems: [String]
    let skipped: String?
    let stoppedAt: String?

    /// Performs steps, written as in a scenario file, against a subject.
    static func run(
        _ name: String, _ steps: String, on stage: ServerStage, needs: String = #"{"principals": 1}"#
    ) async -> Probe {
        let text = """
            {"title": "\(name)", "summary": "An examination.", "role": "server", "clauses": ["LIVE-10"],
             "needs": \(needs), "steps": [\(steps)]}
            """
        let scenario: Scenario
        do {
            scenario = try ScenarioReader.scenario(text, named: "server/LIVE/\(name)", file: "doctor")
        } catch {
            let header = History.Header(subject: stage.subject.declaration)
            return Probe(
                history: History(header: header, events: []), verdicts: [], problems: error.problems.map(\.description),
                skipped: nil, stoppedAt: nil)
        }
        let performance = await stage.perform(scenario)
        return Probe(
            history: performance.history, verdicts: judge(performance.history, under: stage.specification),
            problems: performance.problems.map(\.description), skipped: performance.skipped,
            stoppedAt: performance.stoppedAt)
    }

    /// The messages the server sent, in order.
    var received: [(at: Int, frame: Frame)] {
        history.events.compactMap { event in
            guard case .text(.fromServer, let text) = event.kind else { return nil }
            return (event.at, Frame(text, direction: .fromServer))
        }
    }

    func first(_ type: String) -> Frame? { received.first { $0.frame.type == type }?.frame }

    /// The statuses of the HTTP answers, in order; nil where none came.
    var statuses: [Int?] {
        history.events.compactMap { event -> Int?? in
            switch event.kind {
            case .response(let response): .some(response.status)
            case .failed: .some(nil)
            default: nil
            }
        }
    }

    /// How a connection was turned away, in words; nil when it was not.
    var refusal: String? {
        for event in history.events {
            switch event.kind {
            case .refused(let status?, _): return "the upgrade is refused with \(status)"
            case .refused(nil, let reason): return "no connection comes about (\(reason))"
            case .close(.fromServer, let code, _): return "the server closes\(code.map { " with \($0)" } ?? "")"
            case .text(.fromServer, let text):
                let frame = Frame(text, direction: .fromServer)
                if frame.type == "error" { return "the server answers error{\(frame.code ?? "no code")}" }
            case .eof: return "the server ends the connection"
            default: break
            }
        }
        return first("connected") == nil ? "no 'connected' comes" : nil
    }

    /// Whether the refusal speaks of credentials.
    var isAboutCredentials: Bool {
        history.events.contains { event in
            switch event.kind {
            case .refused(let status, _): status == 401 || status == 403
            case .close(.fromServer, let code, _): code == 4001
            case .text(.fromServer, let text):
                ["auth_failed", "not_authenticated"].contains(Frame(text, direction: .fromServer).code ?? "")
            default: false
            }
        }
    }

    /// The clauses the server broke meanwhile, each with what was found.
    var breaches: [String] {
        verdicts.filter { $0.outcome == .violation }.map { "\($0.clause): \($0.findings.first?.what ?? "violated")" }
    }
}
