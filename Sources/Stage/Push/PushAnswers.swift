import Holdfast
import HoldfastJSON

/// The responses that steps set for the push service; those for one principal are used in order.
package struct PushAnswers: Sendable {
    private var entries: [(answer: ScenarioStep.PushAnswer, pointer: JSONPointer, uses: Int)] = []

    package init() {}

    package mutating func add(_ answer: ScenarioStep.PushAnswer, at pointer: JSONPointer) {
        entries.append((answer, pointer, 0))
    }

    /// The response to the next push to a principal; nil for the usual one.
    package mutating func next(for principal: String) -> ScenarioStep.PushAnswer.Outcome? {
        let index = entries.firstIndex { $0.answer.principal == principal && $0.uses < $0.answer.times }
        guard let index else { return nil }
        entries[index].uses += 1
        return entries[index].answer.outcome
    }

    /// The first response that was never used, and its step; responses for the excepted principals do not count.
    func unused(except principals: Set<String>) -> (pointer: JSONPointer, principal: String)? {
        entries.first { $0.uses == 0 && !principals.contains($0.answer.principal) }.map {
            ($0.pointer, $0.answer.principal)
        }
    }
}
