import Holdfast

/// The connections on which the last message was left out, because the dialect cannot say it.
///
/// A wait for the answer to what was never sent is left out with it.
struct Silence {
    private var lanes: [String: String] = [:]

    /// Remembers a step that was left out.
    mutating func add(_ step: ScenarioStep, _ reason: String) {
        if let lane = step.action.sender { lanes[lane] = reason }
    }

    /// Whether a step waits for the answer to something that was left out.
    /// - Throws: ``StepEnd/unmet(_:)`` when later steps need what the answer holds.
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
    /// The connection on which the step sends a message; nil when it sends none.
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
