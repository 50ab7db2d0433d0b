import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastReference

/// `Spec/states/server.json` and the core, each held against the other: in each state each input comes, with every set of
/// profiles, and what the core does has to be a row.
@Suite struct StateTableTests {
    /// What no core decides: the transport answers, and the tests of it look.
    private static let ofTheTransport = ["pingFrame", "peer.unread", "peer.closed", "overload"]

    @Test func `the core does what the rows say, and the rows say all it does`() throws {
        let table = try StateTable(.server, "connection")
        var check = StateTableCheck(table)
        let unknown = table.inputs.filter { !Self.ofTheTransport.contains($0) && Situation.inputs[$0] == nil }
        #expect(unknown.isEmpty, "Situation.inputs has to bring about \(unknown)")
        for situation in Situation.all(of: table) { situation.hold(against: &check) }
        let problems = check.verdict(unseen: Self.unseen, rowless: Self.rowless)
        for problem in Set(problems).sorted() { Issue.record("\(problem)") }
    }

    /// Rows that the reference server cannot show.
    private static let unseen: [StateTableCheck.Exception] = [
        .init("* × pingFrame", "the transport answers pings"),
        .init("* × peer.unread", "the transport measures what waits"),
        .init("* × peer.closed", "the transport answers a close frame"),
        .init("* × overload", "this server is never overloaded"),
        .init("* × silence → end", "this server says why"),
        .init("* × sync.whole with sync if pages.small", "this server fills its pages"),
        .init("* × ambiguous if frame.repaired", "this server refuses what is ambiguous"),
        .init("opened × auth.invalid → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × chat.invalid → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × chat.oddSession → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × sync.invalid → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × ping.invalid → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × unknownType → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × no* → close", "this server closes before `auth` on what is valid alone"),
        .init("opened × binary → close", "this server closes before `auth` on what is valid alone"),
        .init("* × chat.unstorable → close", "this server says it in words"),
        .init("running × agent.unstorable → close", "this server goes on when its disk is full"),
        .init("running × stop if turn.finished", "this server ends turns when it stops"),
        .init("running × stop unless turn.cut, turn.finished", "this server ends turns before it closes"),
    ]

    /// What has no row.
    private static let rowless: [StateTableCheck.Exception] = [
        .init("closing × ", "whatever comes, nothing more is sent; the test holds that"),
        .init("ended × ", "nothing comes, and nothing can be sent; the test holds that"),
        .init("opened × chat.repeat", "as chat.session: keys are not looked at before `auth`"),
        .init("opened × chat.mismatch", "as chat.session: keys are not looked at before `auth`"),
        .init("opened × chat.overBudget", "as chat.new: nothing is counted before `auth`"),
        .init("opened × chat.unstorable", "as chat.new: nothing is stored before `auth`"),
        .init("opened × ambiguous", "as chat.new, or as notJSON"),
        .init("opened × agent.unstorable", "as agent.failed: nothing is sent before `connected`"),
        .init("opened × chat", "who asks for no token may take a question before `auth`"),
        .init("opened × silence with", "no heartbeat runs before `connected`; this server ends it too"),
        .init("* × silence.auth", "nobody waits for `auth` after it, nor without the profile"),
        .init("greeted × agent", "no turn runs"),
        .init("greeted × chat.repeat.running", "no turn runs"),
        .init("* × chat.overBudget", "without `rate-limit` there is no budget"),
    ]
}

/// A core in a state, the input that comes, and what it then does.
private struct Situation {
    let state, input: String
    var kept: Set<Profile>
    var variations: Set<Variation> = []
    /// The conditions of the table that hold, without what variations choose.
    var conditions: Set<String> = []

    /// Brings an input about on a socket.
    typealias Action = @Sendable (Bench, World) -> Void

    /// What a situation was prepared with.
    struct World {
        /// The connection that is looked at, and another one of the same person.
        let socket, other: Int
        /// The session of the turn that runs, or of one that has ended.
        let session: String
    }

    // MARK: the inputs, each by what brings it about

    static let inputs: [String: Action] = [
        "auth.good": { $0.say(["type": "auth", "protocol": 1, "token": "t1"], on: $1.socket) },
        "auth.bad": { $0.say(["type": "auth", "protocol": 1, "token": "wrong"], on: $1.socket) },
        "auth.version": { $0.say(["type": "auth", "protocol": 7, "token": "t1"], on: $1.socket) },
        "auth.invalid": { $0.say(["type": "auth", "protocol": "one"], on: $1.socket) },
        "chat.new": { $0.chat(slow, key: "new", on: $1.socket) },
        "chat.session": { $0.chat(slow, key: "new", session: $1.session, on: $1.socket) },
        "chat.repeat.running": { $0.chat(slow, key: "runs", on: $1.socket) },
        "chat.repeat.done": { $0.chat(answered, key: "done", on: $1.socket) },
        "chat.repeat.failed": { $0.chat(failing, key: "failed", on: $1.socket) },
        "chat.mismatch": { $0.chat("other words", key: "done", on: $1.socket) },
        "chat.overBudget": { bench, world in
            for _ in 1...25 where bench.post("once more")?.status != 200 { break }
            bench.chat(slow, key: "new", on: world.socket)
        },
        "chat.unknownSession": { $0.chat(slow, session: "nobody-s", on: $1.socket) },
        "chat.oddSession": { $0.chat(slow, session: "a/b", on: $1.socket) },
        "chat.invalid": { $0.say(["type": "chat", "clientMessageId": "k", "messages": []], on: $1.socket) },
        "chat.unstorable": { bench, world in
            bench.storageFails = true
            bench.chat(slow, key: "new", on: world.socket)
        },
        "sync.whole": { sync($0, $1, from: 1) },
        "sync.page": { sync($0, $1, from: 0, limit: 1) },
        "sync.evicted": { sync($0, $1, from: 1) },
        "sync.otherEpoch": { sync($0, $1, from: 1, epoch: "another") },
        "sync.noEpoch": { $0.say(["type": "sync", "lastSeqSeen": 1], on: $1.socket) },
        "sync.future": { sync($0, $1, from: 1_000_000) },
        "sync.invalid": { $0.say(["type": "sync", "lastSeqSeen": "one"], on: $1.socket) },
        "ping": { $0.say(["type": "ping"], on: $1.socket) },
        "ping.invalid": { $0.say(["type": "ping", "nonce": 1], on: $1.socket) },
        "unknownType": { $0.say(["type": "presence"], on: $1.socket) },
        "notJSON": { $0.say(text: "{", on: $1.socket) },
        "notObject": { $0.say(text: "null", on: $1.socket) },
        "noType": { $0.say(["text": "x"], on: $1.socket) },
        "binary": { $0.feed(.received(socket: $1.socket, .binary([1]))) },
        "invalidUTF8": { $0.feed(.received(socket: $1.socket, .invalidText)) },
        "ambiguous": {
            $0.say(
                text:
                    #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":"a"}],"messages":[]}"#,
                on: $1.socket)
        },
        "tooLarge": { $0.feed(.received(socket: $1.socket, .tooLarge(bytes: 5001))) },
        "silence.auth": { bench, _ in
            bench.pass(ms: 10_000)
            bench.feed(.beat)
        },
        "silence": { bench, world in
            for _ in 1...90 where !bench.ended.contains(world.socket) {
                bench.pass(ms: 1000)
                bench.feed(.heard(socket: world.other))
                bench.feed(.beat)
            }
        },
        "elsewhere.asked": { $0.chat(slow, on: $1.other) },
        "agent.tool": { bench, _ in bench.pass(ms: 1000) },
        "agent.answer": { bench, _ in bench.pass(ms: 1000) },
        "agent.failed": { bench, _ in bench.pass(ms: 1000) },
        "agent.unstorable": { bench, _ in
            bench.storageFails = true
            bench.pass(ms: 1000)
        },
        // What the server around the core does then: it says goodbye to every connection that is left.
        "stop": { bench, world in
            bench.feed(.stopping)
            guard bench.core.connections[world.socket]?.isClosing == false else { return }
            bench.said.append("\(world.socket)< close \(bench.core.rules.stopCode) the server stops")
            bench.ended.insert(world.socket)
        },
        "peer.gone": { $0.end($1.socket) },
    ]

    private static let slow = script(["wait": 600_000], ["reply": "late"])
    private static let answered = script(["wait": 10], ["reply": "an answer"])
    private static let failing = script(["wait": 10], ["fail": "no answer"])

    /// What the agent does about the question that runs when the input comes.
    private var running: String {
        switch input {
        case "agent.tool": script(["wait": 1000], ["tool": "web"], ["wait": 600_000])
        case "agent.answer", "agent.unstorable": script(["wait": 1000], ["reply": "an answer"])
        case "agent.failed": script(["wait": 1000], ["fail": "no answer"])
        default: Self.slow
        }
    }

    private static func sync(
        _ bench: Bench, _ world: World, from position: Int, epoch: String? = nil, limit: Int? = nil
    ) {
        let epoch = epoch ?? bench.core.epoch
        bench.say(
            JSONValue(members: ["type": "sync", "lastSeqSeen": position, "epoch": epoch, "limit": limit]),
            on: world.socket)
    }

    // MARK: the situations

    /// Every state and input with every set of profiles that changes an answer, and what the server may choose.
    static func all(of table: StateTable) -> [Situation] {
        let optional: [Profile] = [.sync, .rateLimit, .auth]
        let sets = (0..<(1 << optional.count)).map { bits in
            Set([.core] + optional.indices.filter { bits & 1 << $0 != 0 }.map { optional[$0] })
        }
        let usual = table.states.flatMap { state in
            table.inputs.filter { inputs[$0] != nil }.flatMap { input in
                // A budget shows where it is spent, and nowhere else.
                sets.filter { !$0.contains(.rateLimit) || input == "chat.overBudget" }.flatMap { kept in
                    Situation(state: state, input: input, kept: kept).cases
                }
            }
        }
        let everything = Set([.core] + optional)
        let chosen: [(Variation, [String])] = [
            (.closesUnauthenticated, table.inputs.filter { $0.hasPrefix("chat") || $0.hasPrefix("sync") }),
            (.closesUnauthenticated, ["ping", "ping.invalid"]), (.closesTooLarge, ["tooLarge"]),
            (.closesBadText, ["invalidUTF8"]), (.silentTimeout, ["silence.auth"]),
            (.busyInsteadOfQueueing, ["chat.session"]), (.restartCode, ["stop"]),
            (.noEcho, ["chat.new", "elsewhere.asked"]),
        ]
        let varied = chosen.flatMap { variation, inputs in
            table.states.flatMap { state in
                inputs.flatMap { input in
                    Situation(state: state, input: input, kept: everything, variations: [variation]).cases
                }
            }
        }
        return usual + varied
    }

    /// The situation with each set of conditions that the table tells apart.
    private var cases: [Situation] {
        let cases: [Set<String>] =
            switch (state, input) {
            case ("opened", "auth.good"): [[], ["turn.runs"]]
            case (_, "ping"): [[], ["nonce"]]
            case ("running", "stop"): [["turn.cut"]]
            default: [[]]
            }
        return cases.map { conditions in
            var situation = self
            situation.conditions = conditions
            if !variations.contains(.busyInsteadOfQueueing) { situation.conditions.insert("questions.queue") }
            return situation
        }
    }

    /// Brings the input about, and looks for a row that says what follows.
    func hold(against check: inout StateTableCheck) {
        let bench = Bench(rules)
        let world = prepare(bench)
        guard self.state(of: bench, world) == state else {
            Issue.record("the core is not \(state), but \(self.state(of: bench, world)), before \(input)")
            return
        }
        let before = (said: bench.said.count, other: bench.frames[world.other]?.count ?? 0)
        if conditions.contains("nonce") {
            bench.say(["type": "ping", "nonce": "n"], on: world.socket)
        } else {
            Self.inputs[input]?(bench, world)
        }
        var seen = Seen(bench.said[before.said...], on: world.socket)
        seen.elsewhere = Array((bench.frames[world.other] ?? []).dropFirst(before.other))
        if input == "chat.overBudget", state != "opened" { seen.forgetTurns() }
        seen.next = self.state(of: bench, world)
        if state == "closing" || state == "ended" {
            #expect(seen.acts.isEmpty, "\(state) × \(input): \(seen)")
        }
        let facts = StateTable.Facts(kept: kept, conditions: conditions)
        check.saw(state, input, facts, "\(seen)") { seen.isMet(by: $0) }
    }

    private var rules: CoreRules {
        var rules = Bench.rules
        rules.keeps.formIntersection(kept)
        rules.requiresAuth = kept.contains(.auth)
        rules.messagesPerMinute = kept.contains(.rateLimit) ? 20 : nil
        rules.variations = variations
        if state == "closing" { rules.variations.insert(.closesTooLarge) }
        if variations.contains(.restartCode) { rules.stopCode = 1012 }
        // Silence is to be seen before `auth`, too, where it would be the second thing to end a connection.
        if input == "silence" { rules.authMs = 1_000_000 }
        return rules
    }

    /// Puts the core into the state.
    private func prepare(_ bench: Bench) -> World {
        let other = bench.open()
        let past = bench.chat(Self.answered, key: "done", on: other)
        bench.chat(Self.failing, key: "failed", on: other)
        bench.pass(ms: 10)
        if input == "sync.evicted" { for _ in 1...6 { bench.chat("x", on: other) } }
        let sessions = bench.list().compactMap { $0.text("id") }
        var session = past.first?.text("sessionId") ?? sessions.last ?? ""
        let socket = state == "opened" ? bench.openOnly() : bench.open()
        let isAgents = input.hasPrefix("agent") || conditions.contains("turn.runs")
        if state == "running" || isAgents && state != "greeted" {
            bench.chat(running, key: "runs", on: state == "opened" ? other : socket)
            session = bench.list().compactMap { $0.text("id") }.first { !sessions.contains($0) } ?? session
        }
        if state == "closing" { bench.feed(.received(socket: socket, .tooLarge(bytes: 5001))) }
        if state == "ended" { bench.end(socket) }
        return World(socket: socket, other: other, session: session)
    }

    /// Where the connection is, in words of the table.
    private func state(of bench: Bench, _ world: World) -> String {
        guard let connection = bench.core.connections[world.socket], !bench.said.contains("\(world.socket)! cut")
        else { return "ended" }
        if connection.isClosing || bench.ended.contains(world.socket) { return "closing" }
        guard let principal = connection.principal else { return "opened" }
        return bench.core.turns.values.contains { $0.principal == principal } ? "running" : "greeted"
    }
}

/// What a core did about one input.
private struct Seen: CustomStringConvertible {
    enum Act: Equatable {
        case frame(JSONValue)
        case close(Int)
        case end
    }

    /// On the connection that is looked at.
    var acts: [Act]
    /// The frames that another connection of the same person got.
    var elsewhere: [JSONValue] = []
    var next = ""

    init(_ lines: ArraySlice<String>, on socket: Int) {
        acts = lines.compactMap { line in
            if line == "\(socket)! cut" { return .end }
            guard line.hasPrefix("\(socket)< ") else { return nil }
            let text = line.dropFirst("\(socket)< ".count)
            if text.hasPrefix("close ") { return .close(Int(text.split(separator: " ")[1]) ?? 0) }
            return (try? JSONParser.value(String(text))).map { .frame($0) }
        }
    }

    var description: String {
        let acts = acts.map { act in
            switch act {
            case .frame(let frame): frame.text()
            case .close(let code): "close \(code)"
            case .end: "end"
            }
        }
        return "\(acts), on another connection \(elsewhere.map { $0.text() }), and was then \(next)"
    }

    /// Leaves out the turns that were asked over REST to spend a budget.
    mutating func forgetTurns() {
        acts = acts.filter { act in
            guard case .frame(let frame) = act else { return true }
            return frame["code"]?.stringValue == "rate_limited"
        }
        elsewhere = []
    }

    /// Whether a row says this, in this order and nothing else.
    func isMet(by row: StateTable.Row) -> Bool {
        guard next == row.next else { return false }
        var (acts, elsewhere) = (acts[...], elsewhere[...])
        for act in row.answer {
            let isMet = acts.first.map { self.isMet($0, by: act) } == true
            if isMet { acts.removeFirst() }
            if act.to != nil {
                guard let frame = elsewhere.popFirst(), act.isMet(by: frame) else { return false }
            }
            guard isMet || act.isOptional || act.to == "others" else { return false }
        }
        // What others get is said where this connection is theirs in kind, and where nobody else asked.
        let isSaidOfOthers = ["greeted", "running"].contains(row.state) && row.input != "elsewhere.asked"
        return acts.isEmpty && (elsewhere.isEmpty || !isSaidOfOthers)
    }

    private func isMet(_ seen: Act, by act: StateTable.Act) -> Bool {
        switch (seen, act.verb) {
        case (.frame(let frame), "send"): act.isMet(by: frame)
        case (.close(let code), "close"): act.isMet(byClose: code)
        case (.end, "end"): true
        default: false
        }
    }
}
