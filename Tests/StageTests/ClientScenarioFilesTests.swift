import Holdfast
import Testing

/// What holds for every client scenario of the specification.
struct ClientScenarioFilesTests {
    private let scenarios: [ClientScenario]

    init() throws {
        scenarios = try Specification(.embedded).clientScenarios()
    }

    @Test func `names and titles are short, unique facts`() {
        for scenario in scenarios {
            let name = scenario.name.split(separator: "/").last ?? ""
            #expect(name.count <= 50 && name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(name)")
            #expect(scenario.title.count <= 70, "\(scenario.name)")
            for text in [scenario.title, scenario.summary] {
                #expect(!text.contains("should") && !text.contains("test that"), "\(scenario.name)")
            }
        }
        #expect(Set(scenarios.map(\.title)).count == scenarios.count)
    }
}
