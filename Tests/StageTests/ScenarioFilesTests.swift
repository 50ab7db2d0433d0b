import Holdfast
import JSON
import JSONSchema
import Testing

/// What holds for every scenario of the specification.
struct ScenarioFilesTests {
    private let specification: Specification
    private let scenarios: [Scenario]

    init() throws {
        specification = try Specification(.embedded)
        scenarios = try specification.scenarios()
    }

    @Test func `there are scenarios, and all of them can be read`() {
        #expect(scenarios.count >= 45)
        #expect(Set(scenarios.map(\.name)).count == scenarios.count)
    }

    @Test func `every scenario passes its schema`() throws {
        let text = try #require(specification.files.texts["schemas/files/scenario.json"])
        let schema = try Schema(try JSONParser.document(text).root)
        for (file, text) in specification.files.texts where file.hasPrefix("scenarios/") {
            let violations = schema.violations(in: try JSONParser.document(text).root)
            #expect(violations.isEmpty, "\(file): \(violations.first.map { "\($0)" } ?? "")")
        }
    }

    @Test func `the examples of the schema are scenarios`() throws {
        let text = try #require(specification.files.texts["schemas/files/scenario.json"])
        let examples = try #require(try JSONParser.document(text).root["examples"]?.arrayValue)
        for example in examples {
            _ = try ScenarioReader.scenario(example.text(), named: "server/ENV/example", file: "scenario.json")
        }
        #expect(examples.count >= 2)
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

    @Test func `scripts wait little, so that a run stays short`() {
        var total = 0
        for scenario in scenarios {
            let waits = scenario.steps.flatMap { Self.waits($0.action) }
            // ORDER-6 is judged with a second to spare, so that a busy machine breaks no clause.
            let longest = scenario.clauses.contains(ClauseID(.ORDER, 6)) ? 1500 : 300
            #expect(waits.allSatisfy { $0 <= longest }, "\(scenario.name)")
            total += waits.reduce(0, +)
        }
        #expect(total <= 6000)
    }

    @Test func `every server clause that a URL can judge has a scenario`() {
        let named = Set(scenarios.flatMap(\.clauses))
        let areas: Set<Area> = [.ENV, .ID, .TURN, .ORDER, .SYNC, .IDEM, .PERSIST, .REST]
        // These need a subject that the suite itself starts, ends and starves of disk.
        let needsStart = Set(
            [
                "TURN-3", "TURN-13", "TURN-14", "SYNC-9", "PERSIST-3", "PERSIST-4", "PERSIST-5", "PERSIST-6",
                "PERSIST-7", "PERSIST-8", "IDEM-12",
            ]
            .compactMap { ClauseID($0) })
        for clause in specification.clauses where clause.role == .server && areas.contains(clause.id.area) {
            if clause.exclusion != nil || needsStart.contains(clause.id) { continue }
            #expect(named.contains(clause.id), "\(clause.id) has no scenario")
        }
    }

    private static func waits(_ action: ScenarioStep.Action) -> [Int] {
        switch action {
        case .chat(let question, _), .postChat(let question, _, _): [question.waitMs]
        case .together(let branches): branches.flatMap { $0.flatMap { waits($0.action) } }
        case .repeat(_, _, _, let steps): steps.flatMap { waits($0.action) }
        default: []
        }
    }
}
