import Foundation
import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastReference
import TestSupport
import Testing

@testable import ReferenceClient

/// What a server and a client promise a person together (chapter 14), put to the test with both of them over real connections.
///
/// Every pair of profiles, every trouble of the chapter's list. No clause is judged here, only the promises, in the form that
/// chapter 14.2 gives to the pair.
@Suite(.serialized) struct PromiseTests {
    @Test(.timeLimit(.minutes(3)), arguments: Trouble.allCases)
    func `every pair keeps its promises`(trouble: Trouble) async throws {
        try await Self.meet(Pair.all.flatMap { pair in [true, false].map { (pair, $0) } }) { pair, isFirst in
            let name = "\(pair), \(trouble)\(isFirst ? " at the first question" : "")"
            try await World.run(pair, named: name) { world in
                if !isFirst { try await world.ask(wait: 0) }
                try await trouble.happen(to: world)
            }
        }
    }

    /// Eight things one after another, as a number draws them; `HOLDFAST_SEED` draws others.
    @Test(.timeLimit(.minutes(3)))
    func `every pair keeps them whatever comes next`() async throws {
        let chosen = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) }
        let seeds: [UInt64] = chosen.map { [$0] } ?? [1, 2, 3]
        let schedules: [(Pair, UInt64)] = Pair.all.flatMap { pair in seeds.map { seed in (pair, seed) } }
        try await Self.meet(schedules) { pair, seed in
            try await World.run(pair, named: "\(pair), HOLDFAST_SEED=\(seed)") { world in
                var dice = Dice(seed: seed)
                for _ in 1...8 { try await world.step(&dice) }
            }
        }
    }

    /// Several at a time: nearly all of the time they wait.
    private static func meet<Value: Sendable>(
        _ cases: [(Pair, Value)], _ body: @escaping @Sendable (Pair, Value) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (pair, value)) in cases.enumerated() {
                if index >= 8 { try await group.next() }
                group.addTask { try await body(pair, value) }
            }
            try await group.waitForAll()
        }
    }
}

/// A server and a client by the profiles they keep.
private struct Pair: Sendable, CustomStringConvertible {
    let server: Set<Profile>
    let followsStream: Bool

    static let all: [Pair] = ([[], [.sync]] as [Set<Profile>]).flatMap { server in
        [false, true].map { Pair(server: server, followsStream: $0) }
    }

    /// Whether whoever comes back sees everything by itself (7b); else what is awaited, and the rest when it is read (7a).
    var seesEverything: Bool { server.contains(.sync) && followsStream }

    var description: String {
        "a server of \((["core"] + server.sorted().map(\.rawValue)).joined(separator: ", ")) and a client of "
            + (followsStream ? "client-sync" : "client-core")
    }
}

/// What a person has to live with.
enum Trouble: String, CaseIterable, Sendable {
    case ackLost, chatLost, cutInTurn, endingLost, silenceBeforeAck, silenceInTurn, awayForLong, slowAgent, serverKilled
    case noNetwork

    fileprivate func happen(to world: World) async throws {
        switch self {
        case .ackLost: try await broken(.cutAfter, at: "chat", world)
        case .chatLost: try await broken(.cutBefore, at: "chat", world)
        case .cutInTurn: try await broken(.cutAfter, at: "toolUse", world)
        case .endingLost: try await broken(.cutBefore, at: "done", world)
        case .silenceBeforeAck: try await broken(.silence, at: "chat", world)
        case .silenceInTurn: try await broken(.silence, at: "toolUse", world)
        case .awayForLong:
            let text = try await world.say(wait: 300)
            try await world.until("the turn to run") { world.network.passed.contains("toolUse") }
            await world.leave()
            // The session is known to the server, whatever the client knows.
            for _ in 1...4 { await world.askElsewhere(beside: text) }
            await world.comeBack()
        case .slowAgent: try await world.say(wait: 3000)
        case .serverKilled:
            try await world.say(wait: 5000)
            try await world.until("the turn to run") { world.network.passed.contains("toolUse") }
            try await world.restart()
        case .noNetwork:
            await world.loseNetwork()
            try await world.say(wait: 0)
            await world.findNetwork()
        }
    }

    private func broken(_ deed: CuttingTransport.Deed, at type: String, _ world: World) async throws {
        world.network.arm(deed, at: type)
        try await world.say(wait: 300)
        try await world.until("the \(deed) at \(type)") { world.network.isSpent }
    }
}

/// A server, a network and a phone, and the person who uses it.
private actor World {
    nonisolated let network = CuttingTransport()
    private let pair: Pair
    private let name: String
    private var configuration: ReferenceConfiguration
    private var server: ReferenceServer
    private let phone: ClientEngine
    private nonisolated let screens: Screens
    /// What the person has sent, in order.
    private var typed: [String] = []
    private var others: [Task<Void, Never>] = []
    private var count = 0

    /// The longest wait for the end of all trouble.
    private static let patience = Duration.seconds(90)
    /// How many times faster than people the client waits: `polling` takes 6 s.
    private static let timeScale = 10.0
    /// A replay that is soon too short.
    private static let replayFrames = 8

    /// All that was shown, in order.
    private final class Screens: Sendable {
        let all = Mutex<[Screen]>([])
    }

    /// Lets something happen to a person, and then holds the promises.
    static func run(
        _ pair: Pair, named name: String, _ body: @Sendable (World) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        var configuration = ReferenceConfiguration(dataFolder: folder.path)
        configuration.keeps = pair.server
        configuration.replayFrames = replayFrames
        let server = try await ReferenceServer(configuration)
        configuration.port = server.port
        let world = World(pair, name, configuration, server)
        do {
            await world.phone.handle(.launched(opened: nil))
            try await world.until("the first connection") { await world.phone.core.link.live != nil }
            try await body(world)
            try await world.holdPromises()
        } catch let error as InVain {
            Issue.record("\(name): waited in vain for \(error.what)")
        }
        await world.end()
    }

    private init(
        _ pair: Pair, _ name: String, _ configuration: ReferenceConfiguration, _ server: ReferenceServer
    ) {
        self.pair = pair
        self.name = name
        self.configuration = configuration
        self.server = server
        var rules = ClientRules(url: server.webSocketURL, base: server.httpURL, timeScale: Self.timeScale)
        rules.followsStream = pair.followsStream
        let screens = Screens()
        self.screens = screens
        phone = ClientEngine(rules: rules, storage: nil, transport: network) { screen in
            screens.all.withLock { $0.append(screen) }
        }
    }

    private func end() async {
        for other in others { other.cancel() }
        await phone.stop()
        await server.kill()
    }

    struct InVain: Error {
        let what: String
    }

    /// Waits until something is so; a bound for a busy machine, not a measure.
    func until(_ what: String, _ isTrue: @Sendable () async throws -> Bool) async throws {
        let end = ContinuousClock.now + Self.patience
        while try await !isTrue() {
            guard ContinuousClock.now < end else { throw InVain(what: what) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: what the person and the phone do

    /// The person sends a question that the agent answers after a time; returns its text.
    @discardableResult
    func say(wait: Int) async throws -> String {
        let text = question(wait: wait)
        typed.append(text)
        await phone.handle(.typed(text))
        return text
    }

    /// The person sends a question and waits for the answer.
    func ask(wait: Int) async throws {
        try await say(wait: wait)
        try await until("an answer") { await self.phone.core.outbox.isEmpty }
    }

    private func question(wait: Int) -> String {
        count += 1
        return #"{"script":[{"tool":"web"},{"wait":\#(wait)},{"reply":"answer \#(count)"}]}"#
    }

    /// Another device of the person asks in the session of a question, or anew.
    func askElsewhere(beside text: String?) async {
        let session = try? await stored().first { history in text.map { history.holds($0) } == true }?.session
        var body: JSONValue = ["messages": [["role": "user", "content": .string(question(wait: 10))]]]
        if let session { body["sessionId"] = .string(session) }
        let request = ReferenceClient.RESTRequest(method: "POST", url: server.httpURL + "/api/chat", body: body.text())
        let sent = Task { _ = try? await NetworkTransport().perform(request, within: .seconds(20)) }
        others.append(sent)
        await sent.value
    }

    /// The app is put away, and the system freezes it.
    func leave() async {
        await phone.handle(.background)
        network.setDown(true)
    }

    func comeBack() async {
        network.setDown(false)
        await phone.handle(.foreground)
    }

    func loseNetwork() async {
        network.setDown(true)
        await phone.handle(.networkDown)
    }

    func findNetwork() async {
        network.setDown(false)
        await phone.handle(.networkUp)
    }

    /// The server is killed, and starts again on what it has stored.
    func restart() async throws {
        await server.kill()
        for attempt in 1...50 {
            do {
                server = try await ReferenceServer(configuration)
                return
            } catch {
                // The port is free a moment after the last socket.
                guard attempt < 50 else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Something happens, as the dice have it.
    func step(_ dice: inout Dice) async throws {
        let types = ["chat", "ack", "toolUse", "done", "message", "sync", "syncResult", "auth", "connected"]
        switch dice.number(in: 0...9) {
        case 0...2: try await say(wait: dice.number(in: 0...300))
        case 3, 4:
            let deed = CuttingTransport.Deed.allCases[dice.number(in: 0...2)]
            network.arm(deed, at: types[dice.number(in: 0...types.count - 1)])
            try await say(wait: dice.number(in: 0...300))
        case 5:
            await leave()
            if dice.number(in: 0...1) == 0 { await askElsewhere(beside: typed.last) }
            await comeBack()
        case 6:
            await loseNetwork()
            if dice.number(in: 0...1) == 0 { try await say(wait: 0) }
            await findNetwork()
        case 7: try await restart()
        case 8: await askElsewhere(beside: typed.last)
        default:
            let sessions = await phone.core.conversations.values.compactMap(\.session).sorted()
            let chosen = dice.number(in: 0...sessions.count)
            await phone.handle(.selected(chosen < sessions.count ? sessions[chosen] : nil))
        }
        try await Task.sleep(for: .milliseconds(dice.number(in: 0...150)))
    }

    // MARK: the promises

    /// A session as the server has it.
    private struct History {
        let session: String
        let ids: [String]
        /// Role and text of each message.
        let lines: [[String]]
        let isRunning: Bool
        let failed: Set<String>

        func holds(_ text: String) -> Bool { lines.contains(["user", text]) }
    }

    private func stored() async throws -> [History] {
        func read(_ path: String) async throws -> JSONValue {
            let request = ReferenceClient.RESTRequest(method: "GET", url: server.httpURL + path)
            return try JSONParser.value(try await NetworkTransport().perform(request, within: Self.patience).body)
        }
        var histories: [History] = []
        for entry in try await read("/api/sessions")["sessions"]?.arrayValue ?? [] {
            let id = entry.text("id") ?? ""
            let session = try await read("/api/sessions/\(id)")["session"]
            let messages = session?["messages"]?.arrayValue ?? []
            let turns = session?["turns"]?.arrayValue ?? []
            let failed = Set(turns.filter { $0.text("status") == "failed" }.compactMap { $0.text("turnId") })
            histories.append(
                History(
                    session: id, ids: messages.map { $0.text("id") ?? "" },
                    lines: messages.map { [$0.text("role") ?? "", $0.text("content") ?? ""] },
                    isRunning: turns.contains { $0.text("status") == "running" },
                    failed: Set(
                        messages.filter { $0.text("turnId").map(failed.contains) == true }.compactMap {
                            $0.text("content")
                        })))
        }
        return histories
    }

    /// Waits until everything has come to rest, and tells what was not kept then.
    private func holdPromises() async throws {
        network.disarm()
        try await settle { [pair] core, histories in Self.broken(pair, core, histories, isReadAnew: false) }
        // What the pair shows only when it is read again, and everything else once more.
        for history in try await stored() { await phone.handle(.selected(history.session)) }
        try await settle { [pair] core, histories in Self.broken(pair, core, histories, isReadAnew: true) }
        for problem in goneBackwards(try await stored()) { Issue.record("\(name): \(problem)") }
    }

    private func settle(_ broken: (ClientCore, [History]) -> [String]) async throws {
        let end = ContinuousClock.now + Self.patience
        var last: [String] = []
        repeat {
            let histories = try await stored()
            let core = await phone.core
            let isAtRest =
                core.link.live != nil && core.stream.gap == nil && core.purposes.isEmpty
                && core.conversations.values.allSatisfy { $0.reading == nil && $0.poll == nil }
                && !histories.contains(where: \.isRunning)
            last = broken(core, histories) + unkept(core, histories)
            if isAtRest, last.isEmpty { return }
            if !isAtRest { last.append("the app came to no rest: \(core.link.phase), \(core.stream), \(core.outbox)") }
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < end
        for problem in last { Issue.record("\(name): \(problem)") }
    }

    /// The first three promises, of each question: run at most once, stored or shown as failed, and waited for no more.
    private func unkept(_ core: ClientCore, _ histories: [History]) -> [String] {
        var problems: [String] = []
        if core.screen.connection != .connected { problems.append("promise 8: it is \(core.screen.connection)") }
        for question in core.outbox where question.isAwaited {
            problems.append("promise 3: waits for \(question.text)")
        }
        for text in typed {
            let runs = histories.map { $0.lines.count { $0 == ["user", text] } }.reduce(0, +)
            if runs > 1 { problems.append("promise 1: run \(runs) times: \(text)") }
            let places = core.conversations.values.flatMap { conversation in
                conversation.messages.filter { $0.role == .user && $0.text == text }.map { (conversation, $0) }
            }
            guard places.count == 1, let (conversation, message) = places.first else {
                problems.append("promise 2: shown \(places.count) times: \(text)")
                continue
            }
            switch message.status {
            case .sending: problems.append("promise 3: still being sent: \(text)")
            case .sent: if runs == 0 { problems.append("promise 2: shown as sent, and not stored: \(text)") }
            case .failed:
                let hasFailed = histories.contains { $0.failed.contains(text) }
                if !hasFailed { problems.append("promise 2: given up, and could be sent: \(text)") }
                if !conversation.errors.contains(where: { $0.key == message.key }) {
                    problems.append("promise 2: failed without a word: \(text)")
                }
            }
        }
        return problems
    }

    /// The promises about what is shown: each stored message once, in its own conversation, in the order stored.
    private static func broken(
        _ pair: Pair, _ core: ClientCore, _ histories: [History], isReadAnew: Bool
    ) -> [String] {
        var problems: [String] = []
        let byID = Dictionary(histories.map { ($0.session, $0) }) { $1 }
        for conversation in core.conversations.values {
            guard let session = conversation.session, let history = byID[session] else { continue }
            let shown = conversation.messages.map { [$0.role.rawValue, $0.text] }
            let known = shown.filter { history.lines.contains($0) }
            if Set(shown).count < shown.count { problems.append("promise 4: shown twice in \(session): \(shown)") }
            for (line, message) in zip(shown, conversation.messages)
            where !history.lines.contains(line) && !(message.role == .user && message.status == .failed) {
                problems.append("promise 5: shown in \(session), where it does not belong: \(line)")
            }
            // In order, whatever is missing.
            if known != history.lines.filter(known.contains) { problems.append("promise 6: out of order: \(known)") }
            let isWhole = isReadAnew || pair.seesEverything && conversation.number == core.shown
            if isWhole, known.count < history.lines.count {
                problems.append("promise 7: \(history.lines.filter { !known.contains($0) }) is missing of \(session)")
            }
            // The answer to what the person asked here is there in any case.
            for (place, line) in history.lines.enumerated().dropLast() where known.contains(line) && line[0] == "user" {
                let isOwn = conversation.messages.contains { $0.key != nil && $0.text == line[1] }
                let answer = history.lines[place + 1]
                if isOwn, answer[0] == "assistant", !known.contains(answer) {
                    problems.append("promise 4: the stored answer is not shown: \(answer)")
                }
            }
        }
        return problems
    }

    /// What was shown as stored and is not, in the screens one after the other of one session, and what has lost its place.
    private nonisolated func goneBackwards(_ histories: [History]) -> [String] {
        let all = screens.all.withLock { $0 }
        return zip(all, all.dropFirst()).flatMap { before, after -> [String] in
            guard let session = before.session, after.session == session else { return [] }
            let shown = before.messages.filter { $0.id != nil }.map { message in
                (message, index: after.messages.firstIndex { $0.id == message.id && $0.text == message.text })
            }
            let gone = shown.filter { $0.index == nil }.map { "promise 6: no longer shown: \($0.0.role) \($0.0.text)" }
            // An `ack`, a copy and an answer over REST tell no place: it is that of the history, once that is known.
            let ids = histories.first { $0.session == session }?.ids ?? []
            let moved = zip(shown, shown.dropFirst()).compactMap { first, second -> String? in
                guard let one = first.index, let other = second.index, one > other else { return nil }
                let isTold = first.0.position != nil && second.0.position != nil
                let places = (ids.firstIndex { $0 == first.0.id }, ids.firstIndex { $0 == second.0.id })
                if !isTold, let one = places.0, let other = places.1, one > other { return nil }
                return "promise 6: no longer in its place: \(first.0.text) before \(second.0.text)"
            }
            return gone + moved
        }
    }
}
