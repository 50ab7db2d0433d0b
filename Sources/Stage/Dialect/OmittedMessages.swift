import Holdfast

/// The connections on which the last message was omitted, because the dialect cannot express it.
///
/// A wait for the answer to a message that was never sent is omitted too.
struct OmittedMessages {
    private var lanes: [String: String] = [:]

    mutating func add(_ step: ScenarioStep, _ reason: String) {
        if let lane = step.action.sender { lanes[lane] = reason }
    }

    /// Whether a step waits for the answer to something that was omitted.
    /// - Throws: ``StepEnd/unmet(_:)`` if later steps need values from the answer.
    mutating func covers(_ step: ScenarioStep) throws -> Bool {
        guard case .await(let awaited, let lane) = step.action else {
            if let lane = step.action.sender { lanes[lane] = nil }
            return false
        }
        guard let reason = lanes[lane] else { return false }
        if awaited.save.isEmpty { return true }
        throw StepEnd.unmet("\(step.pointer): \(reason)")
    }
}

extension ScenarioStep.Action {
    /// Nil if the step sends no message.
    fileprivate var sender: String? {
        switch self {
        case .chat(_, let lane), .send(_, _, let lane), .sendText(_, _, let lane), .sendBinary(_, let lane),
            .sync(_, _, _, let lane):
            lane
        case .connect(let connect): connect.on
        default: nil
        }
    }
}
