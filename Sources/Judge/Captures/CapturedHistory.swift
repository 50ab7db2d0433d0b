import Holdfast
import HoldfastTranscript

extension Timeouts {
    /// The bounds by which a capture is judged: real agents work for minutes, so nothing bounds a turn.
    static func ofCaptures(_ timeouts: Timeouts) -> Timeouts {
        var bounds = timeouts
        bounds.turn = .seconds(1 << 31)
        return bounds
    }
}

extension Observations {
    /// Whether the history was captured instead of recorded by a stage, and so may begin in the middle.
    var isCapture: Bool { history.header.capture != nil }

    var knowsDelays: Bool { history.header.capture?.hasDelays ?? true }

    /// Whether each message of a read can be attributed to its question.
    ///
    /// The actions of a stage are known from the beginning, so equal texts can be counted. In a capture only ids are
    /// evidence: an equal text may have been sent before it began.
    func namesItsMessages(_ read: ObservedSessionRead) -> Bool {
        guard isCapture else { return true }
        return read.messages.allSatisfy { message in
            switch message.role {
            case "user": message.clientMessageId != nil
            case "assistant": message.id != nil && message.turnId != nil
            default: true
            }
        }
    }
}

extension History {
    /// The events of this part that were already judged; nil if there are none.
    var carried: History? {
        guard let capture = header.capture, capture.carried > 0, capture.carried <= events.count else { return nil }
        return History(header: header, events: Array(events.prefix(capture.carried)))
    }
}

extension Verdict {
    /// The verdict on the events of this part alone, given the verdict on the earlier ones.
    func without(_ before: Verdict, upTo carried: Int) -> Verdict {
        guard before.exercised > 0 else { return self }
        let own = findings.filter { finding in finding.events.contains { $0 >= carried } }
        let exercised = max(exercised - before.exercised, own.count)
        let outcome: Outcome = exercised == 0 ? .untested : own.isEmpty ? .pass : outcome
        return Verdict(clause: clause, outcome: outcome, exercised: exercised, findings: own, remarks: remarks)
    }
}

extension History.Capture {
    /// The first requirement of a clause that this capture does not meet; nil if it meets all.
    public func lacking(for clause: Clause) -> CaptureNeed? { lacking(anyOf: clause.captureNeeds ?? [.stage]) }

    func lacking(anyOf needs: [CaptureNeed]) -> CaptureNeed? { needs.first { !meets($0) } }

    private func meets(_ need: CaptureNeed) -> Bool {
        switch need {
        // Two tokens may belong to one person, and a connection without a captured opening may belong to anyone.
        case .stage, .solitude, .program, .pushService, .principals: false
        case .delays: hasDelays
        case .frames: !lacks.contains(.frames)
        case .credentials: !lacks.contains(.credentials)
        case .headers: !lacks.contains(.headers)
        case .requestBodies: !lacks.contains(.requestBodies)
        }
    }

    /// Whether the time between two events tells how long the server took.
    var hasDelays: Bool { lacks.isDisjoint(with: [.times, .network, .frames]) }
}
