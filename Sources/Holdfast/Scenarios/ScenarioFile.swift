/// A scenario of either side.
package enum ScenarioFile: Sendable {
    case server(Scenario)
    case client(ClientScenario)

    package init(_ text: String, of role: Role, named name: String, file: String) throws(InputProblems) {
        switch role {
        case .server: self = .server(try ScenarioReader.scenario(text, named: name, file: file))
        case .client: self = .client(try ClientScenarioReader.scenario(text, named: name, file: file))
        }
    }

    package var name: String {
        switch self {
        case .server(let scenario): scenario.name
        case .client(let scenario): scenario.name
        }
    }
}
