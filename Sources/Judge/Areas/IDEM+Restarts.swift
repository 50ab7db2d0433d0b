import Holdfast
import JSON
import Transcript

/// Repeats after a crash.
extension IDEM {
    /// IDEM-12: "A server MUST recognise a repeat after it was killed and started again".
    ///
    /// Once for each answer to a repeat of a question that was acknowledged, or answered, before the crash, and once for each
    /// later read that shows its question more than once.
    static func repeatsAreRecognisedAfterACrash(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.repeats where !again.isMismatch {
            guard let first = history.original(of: again.turn),
                history.lives.crashed(from: history.life(of: first), to: history.life(of: again.request)),
                again.request.refusalCode != "rate_limited"
            else { continue }
            let original = history.namedTurns(of: again.turn).first { history.isPromise($0.event, of: again.turn) }
            func violate(_ actual: String, _ event: Int) {
                evidence.violate(
                    "a repeat is not recognised after a crash",
                    expected: "duplicate: true, turn \(original?.turnId ?? "of the first")", actual: actual,
                    at: [original?.event ?? first.event, again.request.event, event])
            }
            if let ack = again.request.ack {
                if ack.isDuplicate, original == nil || ack.turnId == original?.turnId {
                    evidence.keep()
                } else {
                    violate("duplicate: \(ack.isDuplicate), turn \(ack.turnId ?? "none")", ack.event)
                }
            } else if let response = again.request.outcome {
                let body = history.body(ofResponse: response)
                let turnId = body?["turnId"]?.stringValue
                let isOther = original.map { known in turnId.map { $0 != known.turnId } ?? false } ?? false
                if isOther || (again.request.success != nil && body?["duplicate"]?.boolValue != true) {
                    violate("turn \(turnId ?? "none"), duplicate: \(body?["duplicate"]?.text() ?? "absent")", response)
                } else if turnId != nil || body?["duplicate"]?.boolValue == true {
                    evidence.keep()
                }
            } else if let refusal = again.request.refusal {
                violate("a refusal: \(again.request.refusalCode ?? "without code")", refusal)
                continue
            }
            for read in history.reads(of: again.turn) where read.request > again.request.event {
                let count = StoredPlaces(read).questions(of: again.turn).count
                if count > 1 { violate("\(count) user messages", read.event) }
            }
        }
    }
}
