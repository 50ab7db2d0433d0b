import Foundation
import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJSON
import HoldfastJudge
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport
import TestSupport
import Testing

@testable import HoldfastReference
@testable import HoldfastStage

/// Whatever a server says, that is its own doing: no answer makes the suite fail, and every history can be judged.
///
/// A healthy server says everything right but for one member of one kind of message, which has another value each time.
/// `HOLDFAST_SEED` begins elsewhere, `HOLDFAST_MUTATIONS` says how many values are tried over real connections, and
/// `HOLDFAST_VALUES` how many for each member in the simulation.
@Suite(.serialized) struct WrongAnswerTests {
    private static let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = ProcessInfo.processInfo.environment["HOLDFAST_MUTATIONS"].flatMap(Int.init) ?? 40

    @Test(.timeLimit(.minutes(20)))
    func `no answer of a server makes the suite fail`() async throws {
        let liar = Liar()
        let folder = try TemporaryDirectory()
        let people = (1...8).map { (name: "p\($0)", token: "token-\($0)") }
        let server = try await ReferenceServer(
            ReferenceConfiguration(
                dataFolder: folder.path, principals: people, requiresAuth: true, defects: [liar.defect]))
        let specification = try Specification(.embedded)
        let subject = ServerSubject(
            name: "liar", webSocket: try Endpoint(server.webSocketURL), http: try Endpoint(server.httpURL),
            principals: people.map { ServerSubject.Principal(name: $0.name, token: $0.token) },
            profiles: [.core, .sync, .auth], hasScriptedAgent: true,
            timeouts: Timeouts().capped(at: .milliseconds(400)))
        let scenarios = try specification.scenarios().filter { scenario in
            // Those that count for long say nothing more.
            subject.obstacle(to: scenario) == nil && scenario.needs.patience.isEmpty
        }
        let stage = ServerStage(subject: subject, specification: specification)
        func perform(_ scenarios: [Scenario], _ told: String) async {
            let performances = await SuiteRun(stage: stage, jobs: 3).run(scenarios).performances
            for performance in performances { check(performance, told, specification) }
        }
        var random = SplitMix64(seed: Self.seed)
        // What a healthy server says shows which members there are.
        let first = scenarios.filter { Self.tellers.contains($0.name) }
        #expect(first.count == Self.tellers.count)
        await perform(first, "nothing wrong")
        let places = liar.places
        try #require(places.count > 60, "\(places)")
        for round in 0..<Self.count {
            let place = places[(round &* 7 &+ Int(Self.seed)) % places.count]
            let value = WrongValues.any(&random)
            liar.lie(place, value)
            let some = first.shuffled(using: &random).prefix(2) + scenarios.shuffled(using: &random).prefix(2)
            await perform(some.unique(by: \.name), "\(place) is \(value?.text().prefix(80) ?? "absent")")
        }
        await server.stop()
    }

    /// Scenarios in which a server says nearly everything that it can say.
    private static let tellers: Set<String> = [
        "server/TURN/two-devices", "server/SYNC/replay-after-cut", "server/AUTH/frames-before-auth",
        "server/TURN/agent-fails-then-works",
    ]

    /// What holds for every performance, whatever was said in it.
    private func check(_ performance: Performance, _ told: String, _ specification: Specification) {
        let place: Comment = "\(performance.scenario), seed \(Self.seed): \(told)"
        #expect(performance.problems.isEmpty, place)
        expectOrder(performance.history)
        guard performance.skipped == nil else { return }
        let verdicts = judge(performance.history, under: specification)
        #expect(verdicts.allSatisfy { $0.outcome != .harnessError }, place)
        // A scenario that was performed to its end showed something, or was turned away.
        if performance.stoppedAt == nil, !performance.wasInterrupted {
            let isRefused = performance.history.events.contains { event in
                switch event.kind {
                case .refused, .eof, .failed, .close(.fromServer, _, _): true
                default: false
                }
            }
            #expect(isRefused || verdicts.contains { $0.exercised > 0 }, place)
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `no value of any member makes a simulated run fail`() throws {
        let each = ProcessInfo.processInfo.environment["HOLDFAST_VALUES"].flatMap(Int.init) ?? 1
        let specification = try Specification(.embedded)
        let liar = Liar()
        func perform(_ scenario: Scenario, _ told: String) {
            let simulation = Simulation(
                scenario, against: Setting(defects: [liar.defect]), seed: Self.seed, version: specification.version)
            #expect(simulation.problem == nil, "\(scenario.name): \(told)")
            let verdicts = judge(simulation.history, under: specification)
            #expect(verdicts.allSatisfy { $0.outcome != .harnessError }, "\(scenario.name): \(told)")
        }
        // Each member is told in the first scenario that shows it.
        var shown: [(place: Place, scenario: Scenario)] = []
        for scenario in try specification.scenarios()
        where scenario.role == .server && scenario.needs.patience.isEmpty && scenario.steps.count < 30 {
            let before = Set(liar.places)
            perform(scenario, "nothing wrong")
            shown += liar.places.filter { !before.contains($0) }.map { ($0, scenario) }
        }
        #expect(shown.count > 80)
        var random = SplitMix64(seed: Self.seed)
        for (place, scenario) in shown {
            for number in 0..<each {
                let value = each == 1 ? WrongValues.any(&random) : WrongValues.value(number, &random)
                liar.lie(place, value)
                perform(scenario, "\(place) is \(value?.text().prefix(80) ?? "absent")")
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `every history can be judged, whatever its frames and bodies hold`() throws {
        let specification = try Specification(.embedded)
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transcripts")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "ndjson" }.sorted { $0.path < $1.path }
        #expect(files.count > 100)
        var random = SplitMix64(seed: Self.seed)
        for _ in 0..<Self.count * 4 {
            let file = files[Int.random(in: files.indices, using: &random)]
            let history = try TranscriptReader.history(
                in: try String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
            guard let wrong = WrongValues.spoil(history, &random) else { continue }
            _ = judge(wrong, under: specification)
        }
    }
}

/// A server core that says one thing wrong, wherever it says it.
private final class Liar: Sendable {
    private struct State {
        var places: Set<Place> = []
        var lie: (place: Place, value: JSONValue?)?
    }

    private let state = Mutex(State())

    var places: [Place] { state.withLock { $0.places.sorted { $0.description < $1.description } } }

    func lie(_ place: Place, _ value: JSONValue?) { state.withLock { $0.lie = (place, value) } }

    var defect: Defect {
        Defect(
            "env-says-one-thing-wrong", .ENV, 2, "says one member of one kind of message wrong",
            .frames { frame, _ in frame = self.said(frame, as: frame["type"]?.stringValue ?? "") },
            .answers { answer, asked, _ in
                let path = asked.path.split(separator: "/").prefix(2).joined(separator: "/")
                answer.body = self.said(answer.body, as: "\(asked.method) \(path) \(answer.status)")
            })
    }

    /// A message as it leaves.
    private func said(_ message: JSONValue, as kind: String) -> JSONValue {
        state.withLock { state in
            for path in message.paths() { state.places.insert(Place(kind: kind, path: path)) }
            guard let lie = state.lie, lie.place.kind == kind else { return message }
            return message.replacing(lie.place.path[...], with: lie.value)
        }
    }
}

/// One member of one kind of message; elements of an array are one member.
private struct Place: Hashable, CustomStringConvertible {
    let kind: String
    let path: [String]

    var description: String { "\(kind) /\(path.joined(separator: "/"))" }
}

private enum WrongValues {
    /// Values that no member is meant to have, or only some; nil leaves it out.
    private static let known: [JSONValue?] =
        texts.map { .string($0) } + values + [nil, .string(String(repeating: "x", count: 70_000))]
    private static let texts = [
        "", " ", "7", "-1", "null", "mayor/", "team:red", "../x", "%2e%2e", "a b", "a/b?c#d", "日本", "e\u{301}", "👩‍👩‍👧",
        "\u{0}", "a\r\nHost: x", "‹token of p1›", "${run}", "done", "error", "2026-03-01T00:00:00Z",
        "9999-99-99T99:99:99Z", String(repeating: "/", count: 2000),
    ]
    private static let values: [JSONValue] = [
        .null, .bool(true), .bool(false), JSONValue(0), JSONValue(1), JSONValue(-1), JSONValue(7), JSONValue(1000),
        .array([]), .array([.array([])]), .array([.object([:])]), .array([JSONValue(1), .string("two"), .null]),
        .object([:]), .object(["a": 1]), .object(["type": "done"]), .object(["seq": 1]),
    ]
    private static let numbers = [
        "1.5", "1.0", "1e2", "1e400", "-0", "9007199254740991", "9007199254740992", "9223372036854775807",
        "-9223372036854775808", "99999999999999999999999", "1e-400", "4294967296",
    ]

    static func any(_ random: inout SplitMix64) -> JSONValue? {
        value(Int.random(in: 0..<known.count + numbers.count + 8, using: &random), &random)
    }

    /// One value after the other: each that is known, then texts that are drawn.
    static func value(_ choice: Int, _ random: inout SplitMix64) -> JSONValue? {
        if choice < known.count { return known[choice] }
        if choice < known.count + numbers.count { return try? JSONParser.value(numbers[choice - known.count]) }
        let length = Int.random(in: 1...12, using: &random)
        let scalars = (0..<length).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 1...0x2FF, using: &random)).map(Character.init)
        }
        return .string(String(scalars))
    }

    /// The same history with one member of one thing that the server said wrong; nil where it said nothing.
    static func spoil(_ history: History, _ random: inout SplitMix64) -> History? {
        var events = history.events
        let indices = events.indices.filter { text(of: events[$0]) != nil }
        guard let index = indices.randomElement(using: &random), let text = text(of: events[index]),
            let value = try? JSONParser.value(text), let path = value.paths().randomElement(using: &random)
        else { return nil }
        let wrong = value.replacing(path[...], with: any(&random)).text()
        switch events[index].kind {
        case .text(let direction, _): events[index].kind = .text(direction, wrong)
        case .response(var response):
            response.body = wrong
            events[index].kind = .response(response)
        default: return nil
        }
        return History(header: history.header, events: events)
    }

    private static func text(of event: Event) -> String? {
        switch event.kind {
        case .text(.fromServer, let text): text
        case .response(let response): response.body
        default: nil
        }
    }
}

extension JSONValue {
    /// The paths of all members, and of theirs; elements of an array are called `*`.
    fileprivate func paths() -> [[String]] {
        if let object = objectValue {
            return object.flatMap { member in [[member.key]] + member.value.paths().map { [member.key] + $0 } }
        }
        return Set((arrayValue ?? []).flatMap { $0.paths() }.map { ["*"] + $0 }).sorted { $0.joined() < $1.joined() }
    }

    /// The same with another value at a path, in each element of an array on the way.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
        guard let first = path.first else { return value ?? self }
        if first == "*", let elements = arrayValue {
            return .array(elements.map { $0.replacing(path.dropFirst(), with: value) })
        }
        guard first != "*", objectValue != nil, let member = self[first] else { return self }
        var changed = self
        changed[first] = path.count == 1 ? value : member.replacing(path.dropFirst(), with: value)
        return changed
    }
}

extension Collection {
    fileprivate func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
