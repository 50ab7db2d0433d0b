import Foundation
import Holdfast
import HoldfastExplore
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReference

/// What a server cuts short is told: by a violation in the very scenario that could not go on.
///
/// `HOLDFAST_CUTS` names a file for the table of all scenarios, cut at each of their first messages in each way;
/// `HOLDFAST_CUTS_ONLY` takes those whose names begin so, `HOLDFAST_CUTS_MOST` says how many messages.
@Suite struct CutShortTests {
    /// How a server leaves a client without what it is owed.
    enum Way: CustomStringConvertible, CaseIterable {
        case close(UInt16), reset, silence, onlyPong, noResponse

        static let allCases: [Way] = [
            .close(1000), .close(1001), .close(1011), .reset, .silence, .onlyPong, .noResponse,
        ]

        var description: String {
            switch self {
            case .close(let code): "close \(code)"
            case .reset: "reset"
            case .silence: "silence"
            case .onlyPong: "only pong"
            case .noResponse: "no response"
            }
        }

        /// A server that does so from the message of a connection, or the request of a person, with this number.
        func from(_ number: Int) -> Defect {
            Defect("cut-short", .LIVE, 10, "Ends with ‘\(self)’ at message \(number).", fault(number))
        }

        private func fault(_ number: Int) -> Fault {
            .layer { input, server, next in
                var ends: [Effect] = []
                switch (input, self) {
                case (.asked(let request, let asked), .noResponse):
                    let person = "asks of \(asked.token ?? "")"
                    server.notes.numbers[person, default: 0] += 1
                    let isCut = server.notes.numbers[person] ?? 0 >= number
                    if isCut { server.notes.marks.insert("cut request \(request)") }
                case (_, .noResponse): break
                case (.received(let socket, _), _):
                    server.notes.numbers["says \(socket)", default: 0] += 1
                    guard server.notes.numbers["says \(socket)"] == number else { break }
                    server.notes.marks.insert("cut \(socket)")
                    switch self {
                    case .close(let code): ends = [.close(socket: socket, code: code, reason: "cut short")]
                    case .reset: ends = [.cut(socket: socket)]
                    case .silence, .onlyPong, .noResponse: break
                    }
                default: break
                }
                let effects = next(input, &server)
                let left = effects.compactMap { effect -> Effect? in
                    switch effect {
                    case .send(let sockets, let said):
                        if case .onlyPong = self, said.frame.type == "pong" { return effect }
                        let rest = sockets.filter { !server.notes.marks.contains("cut \($0)") }
                        return rest.isEmpty ? nil : .send(to: rest, said)
                    case .ping(let socket), .cut(let socket), .close(let socket, _, _):
                        return server.notes.marks.contains("cut \(socket)") ? nil : effect
                    case .answer(let request, _):
                        return server.notes.marks.contains("cut request \(request)") ? nil : effect
                    default: return effect
                    }
                }
                return left + ends
            }
        }
    }

    private let specification: Specification
    private let scenarios: [Scenario]

    init() throws {
        specification = try Specification(.embedded)
        scenarios = try specification.scenarios().filter { $0.role == .server }
    }

    private struct Outcome {
        let stoppedAt: String?
        let violated: [ClauseID]
        let passed: Set<ClauseID>
        let problem: String?
        let ran: Bool
    }

    private func perform(_ scenario: Scenario, _ defects: Set<Defect>) -> Outcome {
        // Scenarios were written for limits that leave room.
        var setting = Setting(defects: defects)
        setting.timeouts = Timeouts()
        setting.configuration.replayFrames = 100
        setting.configuration.messagesPerMinute = scenario.needs.budget ? 20 : 600
        setting.configuration.rateWindowSeconds = 5
        let simulation = Simulation(scenario, against: setting, seed: 1, version: specification.version)
        let verdicts = judge(simulation.history, under: specification)
        return Outcome(
            stoppedAt: simulation.stoppedAt, violated: verdicts.filter { $0.outcome == .violation }.map(\.clause),
            passed: Set(verdicts.filter { $0.outcome == .pass }.map(\.clause)), problem: simulation.problem,
            ran: simulation.unsuitable == nil)
    }

    /// A handful of scenarios of each kind: a question, a hostile frame, a replay, a read, a repeat.
    private static let some = [
        "server/ENV/unknown-members", "server/ENV/text-with-two-meanings", "server/ID/unknown-session",
        "server/SYNC/from-the-beginning", "server/IDEM/refused-key-stays-unused",
        "server/REST/the-four-requests", "server/LIVE/open-behind-answers",
    ]

    @Test(arguments: some, Way.allCases)
    func `what is cut short is a violation`(name: String, way: Way) throws {
        let scenario = try #require(scenarios.first { $0.name == name })
        let whole = perform(scenario, [])
        #expect(whole.stoppedAt == nil && whole.violated == [] && whole.problem == nil)
        for number in 1...4 {
            let cut = perform(scenario, [way.from(number)])
            let place: Comment = "\(name), \(way) from \(number), stopped at \(cut.stoppedAt ?? "the end")"
            #expect(cut.problem == nil, place)
            #expect(cut.stoppedAt == nil || !cut.violated.isEmpty, place)
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["HOLDFAST_CUTS"] != nil))
    func `table of all cuts`() throws {
        let environment = ProcessInfo.processInfo.environment
        let file = try #require(environment["HOLDFAST_CUTS"])
        let most = environment["HOLDFAST_CUTS_MOST"].flatMap(Int.init) ?? 12
        let only = environment["HOLDFAST_CUTS_ONLY"] ?? ""
        var lines: [String] = []
        let passed = scenarios.reduce(into: Set<ClauseID>()) { $0.formUnion(perform($1, []).passed) }
        for scenario in scenarios where scenario.name.hasPrefix(only) {
            let whole = perform(scenario, [])
            // What a simulation cannot do, such as a kill on bytes, it cannot cut short either.
            guard whole.ran, whole.stoppedAt == nil else { continue }
            for way in Way.allCases {
                for number in 1...most {
                    let cut = perform(scenario, [way.from(number)])
                    let isSame = cut.stoppedAt == nil && cut.violated.isEmpty && cut.passed == whole.passed
                    if isSame { break }
                    let isTold = cut.stoppedAt == nil || !cut.violated.isEmpty
                    // What a scenario lists, only one that went to its end passes.
                    let listed = cut.stoppedAt == nil ? [] : scenario.clauses
                    let passes = cut.passed.subtracting(passed).subtracting(listed).sorted().map { "+\($0)" }
                    let cells = [
                        !isTold ? "HOLE" : passes.isEmpty ? "told" : "PASS", scenario.name, "\(way)", "\(number)",
                        cut.stoppedAt ?? "",
                        cut.problem ?? (cut.violated.map(\.description) + passes).joined(separator: " "),
                    ]
                    lines.append(cells.joined(separator: "\t"))
                }
            }
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }
}
