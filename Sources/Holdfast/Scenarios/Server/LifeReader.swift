import HoldfastJSON

/// Reads the generated steps of a life; a round may use names and connections of earlier ones.
package final class LifeReader {
    private let flow: ScenarioFlow
    private var rounds = 0

    package init(_ name: String, needs: Scenario.Needs) {
        flow = ScenarioFlow(principals: needs.principals, collector: ProblemCollector(file: name))
    }

    package static func scenario(_ name: String, needs: Scenario.Needs) -> Scenario {
        Scenario(
            name: name, title: "A life", summary: "Many rounds against one server process.", role: .server,
            clauses: [], needs: needs, steps: [])
    }

    package func steps(_ generated: [JSONValue]) throws(InputProblems) -> [ScenarioStep] {
        rounds += 1
        let pointer = JSONPointer(tokens: ["rounds", "\(rounds)"])
        let elements = generated.enumerated().map { ($0.element, pointer.appending($0.offset)) }
        let steps = ScenarioStepReader.steps(elements, flow: flow)
        guard flow.problems.isClean else { throw InputProblems(flow.problems.problems) }
        return steps
    }
}
