import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
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
        let files = specification.files.texts.keys.filter { $0.hasPrefix("scenarios/server/") }
        #expect(!files.isEmpty)
        #expect(scenarios.count == files.count)
        #expect(Set(scenarios.map(\.name)).count == scenarios.count)
    }

    @Test func `every scenario passes its schema`() throws {
        let text = try #require(specification.files.texts["schemas/files/scenario.json"])
        let schema = try Schema(try JSONParser.document(text).root)
        for (file, text) in specification.files.texts where file.hasPrefix("scenarios/server/") {
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

    @Test func `only a server that tells people apart can be asked for several`() {
        for scenario in scenarios where scenario.needs.principals > 1 {
            #expect(scenario.needs.profiles.contains(.auth), "\(scenario.name)")
        }
    }

    @Test func `scripts wait long enough for a busy machine, and little enough for a short run`() {
        var (core, push) = (0, 0)
        for scenario in scenarios {
            var known: Set<String> = []
            let wait = Self.wait(scenario.steps, &known)
            // One second is the window in which a read, a cut or a repeat has to fall; ORDER-5 is judged with a second to spare.
            // What a kill cuts short is not waited for. Half a second is the one in which a server notices that a person left;
            // none is left more than three times, and a session that has no name yet is asked in twice. For a disk that refuses what is written about who left there are five more.
            let isPush = scenario.needs.profiles.contains(.push)
            // A turn that runs while heartbeats are watched adds nothing to them.
            if scenario.needs.patience["heartbeatSeconds"] != nil { continue }
            let longest =
                scenario.needs.start
                ? (isPush ? 6000 : 3000) : scenario.clauses.contains(ClauseID(.ORDER, 5)) ? 2000 : 1500
            #expect(wait <= longest, "\(scenario.name) waits \(wait) ms")
            guard !scenario.needs.start else { continue }
            if isPush { push += wait } else { core += wait }
        }
        // A server with one principal meets one scenario after the other, and only one that declares push those of push.
        #expect(core <= 16_000, "\(core) ms")
        #expect(push <= 17_000, "\(push) ms")
    }

    @Test func `every server clause that can be judged has a scenario`() {
        let named = Set(scenarios.flatMap(\.clauses))
        let areas: Set<Area> = [.ENV, .ID, .TURN, .ORDER, .SYNC, .IDEM, .PERSIST, .REST, .RATE, .PUSH, .AUTH, .LIVE]
        for clause in specification.clauses where clause.role == .server && areas.contains(clause.id.area) {
            if clause.exclusion != nil { continue }
            #expect(named.contains(clause.id), "\(clause.id) has no scenario")
        }
    }

    /// How long the scripts of some steps make the scenario last; a question asked again runs once.
    private static func wait(_ steps: [ScenarioStep], _ known: inout Set<String>) -> Int {
        var total = 0
        for step in steps {
            switch step.action {
            case .chat(let question, _), .postChat(let question, _, _):
                if let name = question.name, !name.contains("$"), !known.insert(name).inserted { continue }
                total += question.waitMs
            case .together(let branches): total += branches.map { wait($0, &known) }.max() ?? 0
            case .repeat(let times, _, _, let isParallel, let steps):
                total += wait(steps, &known) * (isParallel ? 1 : times.intValue ?? 20)
            default: continue
            }
        }
        return total
    }
}
