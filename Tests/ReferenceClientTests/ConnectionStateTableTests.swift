import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import ReferenceClient

/// The connection of `Spec/states/client.json` and the core, each held against the other: in each state each input of a row
/// comes, to phones that follow the stream and phones that do not, with a session on their screen and without, with a turn that
/// they await and without.
@Suite struct ConnectionStateTableTests {
    @Test func `the core does with its connection what the rows say`() throws {
        let table = try StateTable(.client, "connection")
        var check = StateTableCheck(table)
        for pair in Set(table.rows.map { [$0.state, $0.input] }).sorted(by: {
            $0.lexicographicallyPrecedes($1)
        }) {
            let cases = Happening.all.filter { $0.state == pair[0] && $0.input == pair[1] }
            for happening in cases {
                for standing in Standing.all where happening.fits(standing) {
                    happening.hold(standing, against: &check)
                }
            }
        }
        for problem in check.verdict(unseen: Self.unseen, rowless: []) { Issue.record("\(problem)") }
    }

    /// Rows that the reference client does not show.
    private static let unseen: [StateTableCheck.Exception] = [
        .init("refused × foreground unless again.offered", "this client begins anew"),
        .init("connecting × close.4010.other unless version.offered", "this client comes back"),
    ]
}

/// What is so with a phone, whatever its connection does.
private struct Standing {
    let followsStream: Bool
    let hasSession: Bool
    let awaits: Bool

    static let all: [Standing] = [true, false].flatMap { followsStream in
        [
            Standing(followsStream: followsStream, hasSession: false, awaits: false),
            Standing(followsStream: followsStream, hasSession: true, awaits: false),
            Standing(followsStream: followsStream, hasSession: true, awaits: true),
        ]
    }

    /// A phone with its first connection, greeted, and all that is so with it.
    func greeted(_ variations: Set<ClientVariation> = []) -> Phone {
        var phone = Phone([], variations, followsStream: followsStream)
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.connect()
        if hasSession {
            phone.tell(.selected("s1"))
            phone.answer(path: "/api/sessions/s1", history("s1", []))
        }
        guard awaits else { return phone }
        phone.tell(.typed("question 1"))
        phone.receive(ack(1, phone.key))
        return phone
    }

    var kept: Set<Profile> {
        followsStream ? [.clientCore, .clientSync, .clientPush] : [.clientCore, .clientPush]
    }
}

/// Something that comes in a state of the connection.
private struct Happening: Sendable {
    let state, input: String
    /// Conditions of the table that hold besides those that a phone shows.
    var conditions: Set<String> = []
    var variations: Set<ClientVariation> = []
    /// Which phones it can come to.
    var fits: @Sendable (Standing) -> Bool = { _ in true }
    /// What leads from the first greeting to the state; nil where the state is there before it.
    var prepare: (@Sendable (inout Phone) -> Void)?
    /// The phone in that state, where no greeting leads there.
    var begin: (@Sendable (Standing) -> Phone)?
    let deed: @Sendable (inout Phone) -> Void

    func hold(_ standing: Standing, against check: inout StateTableCheck) {
        var phone = begin?(standing) ?? standing.greeted(variations)
        if begin == nil { prepare?(&phone) }
        let before = phone
        guard Self.state(of: phone) == state else {
            Issue.record("the connection is not \(state), but \(Self.state(of: phone)), before \(input)")
            return
        }
        let count = phone.effects.count
        deed(&phone)
        let effects = Array(phone.effects.dropFirst(count))
        let after = Self.state(of: phone)
        let facts = StateTable.Facts(
            kept: standing.kept, conditions: conditions.union(Self.conditions(of: before)))
        let told = phone
        check.saw(state, input, facts, "\(effects), and was then \(after)") { row in
            isNext(after, row) && row.answer.allSatisfy { holds($0, effects, before, told) }
                && Self.isQuiet(effects, row, input)
        }
    }

    /// A read of the session that the person goes to is no recovery.
    private func isNext(_ after: String, _ row: StateTable.Row) -> Bool {
        after == row.next
            || row.next == "greeted" && after == "recovering"
                && ["selectSession", "openPush"].contains(input)
    }

    /// No connection is opened or ended that the row does not speak of.
    private static func isQuiet(_ effects: [Effect], _ row: StateTable.Row, _ input: String) -> Bool {
        let opens = row.answer.contains { $0.verb == "open" }
        let ends = opens || row.answer.contains { $0.verb == "end" }
        return effects.allSatisfy { effect in
            switch effect {
            case .open: opens
            case .close: ends
            default: true
            }
        }
    }

    // MARK: the states

    /// Where the connection is, in words of the table.
    private static func state(of phone: Phone) -> String {
        let core = phone.core
        switch core.link.phase {
        case .refused where core.isForeground: return "refused"
        case .waiting where core.isForeground: return "waiting"
        case .opening where core.isForeground, .greeting where core.isForeground: return "connecting"
        case .live where core.isForeground:
            let isReading = core.purposes.values.contains { purpose in
                switch purpose {
                case .read, .search: true
                default: false
                }
            }
            let isPolling = core.conversations.values.contains { ($0.poll?.reads ?? 0) > 0 }
            return core.stream.gap != nil || isReading || isPolling ? "recovering" : "greeted"
        default: return "offline"
        }
    }

    /// The conditions of the table that a phone shows.
    private static func conditions(of phone: Phone) -> Set<String> {
        let core = phone.core
        let isKnown = core.outbox.contains { $0.wasSent && core.conversations[$0.conversation]?.session != nil }
        let all = [
            "network": core.hasNetwork, "app.inFront": core.isForeground, "turn.known": isKnown,
            "session.shown": core.conversations[core.shown]?.session != nil,
            "catchUp.due": core.stream.held != nil || core.outbox.contains(where: \.wasSent),
        ]
        return Set(all.filter(\.value).keys)
    }

    // MARK: what is done

    /// Whether something was done that a row names.
    private func holds(_ act: StateTable.Act, _ effects: [Effect], _ before: Phone, _ phone: Phone)
        -> Bool
    {
        let (core, screen) = (phone.core, phone.screen)
        switch (act.verb, act.what) {
        case ("open", _): return effects.contains { if case .open = $0 { true } else { false } }
        case ("end", _): return before.core.link.socket.map { $0 != core.link.socket } ?? true
        // A client that can ask over REST meanwhile says so (CLIENT-33).
        case ("show", "connecting"):
            return screen.connection == .connecting || screen.connection == .degraded
        case ("show", "errors"): return !screen.errors.isEmpty
        case ("show", "sessionId"): return screen.session == "s2"
        case ("show", let what?): return screen.connection.rawValue == what
        case ("wait", "backoff"): return core.link.phase == .waiting && phone.wait(.reconnect) != nil
        case ("wait", "poll"):
            return effects.contains { if case .wait(.poll, _) = $0 { true } else { false } }
        case ("place", "seq"): return core.stream.held?.seq == 7
        case ("place", "last seq of missed"): return core.stream.held == Position(epoch: "e1", seq: 3)
        case ("place", "epoch lastSeq"): return core.stream.held == Position(epoch: "e1", seq: 9)
        case ("send", _):
            return effects.contains { effect in
                guard case .send(_, let text) = effect, let frame = try? JSONParser.value(text) else {
                    return false
                }
                return act.isMet(by: frame)
            }
        case ("request", let what?):
            let words = what.split(separator: " ")
            let paths = ["s1", "s2"].map { words[1].replacing("{id}", with: $0) }
            return effects.contains { effect in
                guard case .request(_, let request, _) = effect else { return false }
                return request.method == String(words[0]) && paths.contains { request.url.hasSuffix($0) }
            }
        default: return false
        }
    }

    // MARK: what leads to each state

    typealias Deed = @Sendable (inout Phone) -> Void

    /// The phone that was only launched: it holds no position.
    @Sendable private static func launched(_ standing: Standing) -> Phone {
        var phone = Phone([], [], followsStream: standing.followsStream)
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        if standing.hasSession {
            phone.tell(.selected("s1"))
            phone.answer(path: "/api/sessions/s1", history("s1", []))
        }
        return phone
    }

    @Sendable private static func wait(_ phone: inout Phone) {
        phone.cut()
        phone.fail(path: "/api/chat")
        // The look at the list that follows a loss is answered.
        while !phone.waiting("/api/sessions").isEmpty {
            phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        }
    }

    @Sendable private static func reconnect(_ phone: inout Phone) {
        wait(&phone)
        phone.elapse(.reconnect, after: 1000)
    }

    /// A connection that asks for what was missed: by `sync`, or by a read where nothing is followed.
    @Sendable private static func recover(_ phone: inout Phone) {
        reconnect(&phone)
        phone.connect()
    }

    /// A gap was told, and the session is read for it.
    @Sendable private static func readForGap(_ phone: inout Phone) {
        recover(&phone)
        phone.receive(result(reason: "evicted", lastSeq: 9))
    }

    /// At a server without a stream the session is read for a turn.
    @Sendable private static func readForTurn(_ phone: inout Phone) {
        reconnect(&phone)
        phone.connect(epoch: nil)
    }

    @Sendable private static func refuse(_ phone: inout Phone) { phone.cut(code: 4001) }

    @Sendable private static func leave(_ phone: inout Phone) { phone.tell(.background) }

    @Sendable private static func lose(_ phone: inout Phone) { phone.tell(.networkDown) }

    // MARK: what comes

    private static func result(
        epoch: String = "e1", reason: String? = nil, lastSeq: Int, missed: [JSONValue] = [],
        more: Bool = false
    ) -> JSONValue {
        var frame: JSONValue = [
            "type": "syncResult", "epoch": .string(epoch), "lastSeq": JSONValue(lastSeq),
            "complete": .bool(reason == nil), "missed": .array(missed),
        ]
        frame["reason"] = reason.map { .string($0) }
        if more { frame["more"] = true }
        return frame
    }

    private static func refusal(_ code: String, _ supported: [Int] = []) -> JSONValue {
        [
            "type": "error", "error": "no", "code": .string(code),
            "supported": .array(supported.map { JSONValue($0) }),
        ]
    }

    private static let tap: JSONValue = ["sessionId": "s2", "messageId": "a5"]

    /// The newest socket is greeted, and what the client does a moment later is done.
    private static func greet(_ epoch: String?) -> Deed {
        { phone in
            phone.connect(epoch: epoch)
            for (number, conversation) in phone.core.conversations where conversation.poll?.reads == 0 {
                phone.elapse(.poll(conversation: number), after: 5000)
            }
        }
    }

    private static let followers: @Sendable (Standing) -> Bool = { $0.followsStream }
    private static let readers: @Sendable (Standing) -> Bool = { $0.followsStream && $0.hasSession }
    private static let waiters: @Sendable (Standing) -> Bool = { $0.awaits }
    private static let idlers: @Sendable (Standing) -> Bool = { !$0.awaits && $0.hasSession }

    /// The ways into the states a connection can be in while the app is there.
    private static let ways: [(state: String, prepare: Deed?)] = [
        ("waiting", wait), ("connecting", reconnect), ("greeted", nil), ("recovering", recover),
    ]

    /// The same input in several states.
    private static func happenings(
        _ states: Set<String>, _ input: String, conditions: Set<String> = [],
        fits: @escaping @Sendable (Standing) -> Bool = { _ in true }, _ deed: @escaping Deed
    ) -> [Happening] {
        ways.filter { states.contains($0.state) }.map { way in
            Happening(
                state: way.state, input: input, conditions: conditions,
                // Where nothing is on the screen and nothing is awaited, nothing is to be recovered.
                fits: { fits($0) && (way.state != "recovering" || $0.followsStream || $0.hasSession) },
                prepare: way.prepare, deed: deed)
        }
    }

    static let all: [Happening] = [beginnings, frames, reads, endings, system, person].flatMap {
        $0.flatMap { $0 }
    }

    private static let beginnings: [[Happening]] = [
        [
            Happening(
                state: "offline", input: "launch",
                begin: { Phone([], [], followsStream: $0.followsStream) },
                deed: { $0.tell(.launched(opened: nil)) })
        ],
        happenings(["connecting"], "upgraded") { $0.tell(.opened(socket: $0.socket)) },
        happenings(["connecting"], "connected.sync", greet("e1")),
        [
            Happening(
                state: "connecting", input: "connected.sync", fits: { !$0.awaits }, begin: launched, deed: greet("e1"))
        ],
        happenings(["connecting"], "connected.plain", greet(nil)),
        happenings(["connecting"], "frame.first") { phone in
            phone.tell(.opened(socket: phone.socket))
            phone.receive(toolUse(9, session: "s9"))
        },
        happenings(["connecting"], "refusal") { phone in
            phone.tell(.opened(socket: phone.socket))
            phone.receive(refusal("auth_failed"))
        },
    ]

    private static let frames: [[Happening]] = [
        happenings(["greeted", "recovering"], "frame.known") {
            $0.receive(toolUse(9, session: "s9"))
        },
        happenings(["greeted", "recovering"], "frame.numbered") { phone in
            let held = phone.core.stream.held
            phone.receive(toolUse(9, session: "s9", seq: 7))
            if phone.core.stream.gap != nil { #expect(phone.core.stream.held == held) }
        },
        happenings(["greeted", "recovering"], "frame.unknown") { phone in
            phone.receive(["type": "mood", "sessionId": "s1"])
            #expect(phone.screen.errors.isEmpty)
        },
        happenings(["recovering"], "syncResult.complete", fits: followers) {
            $0.receive(result(lastSeq: 9))
        },
        happenings(["recovering"], "syncResult.page", fits: followers) { phone in
            phone.receive(
                result(
                    reason: "too_many", lastSeq: 9, missed: [toolUse(9, session: "s9", seq: 3)], more: true))
        },
        happenings(["recovering"], "syncResult.gapPage", fits: followers) { phone in
            let held = phone.core.stream.held
            phone.receive(
                result(reason: "evicted", lastSeq: 9, missed: [toolUse(9, session: "s9", seq: 3)], more: true))
            #expect(phone.core.stream.held == held)
        },
        happenings(["recovering"], "syncResult.gap", fits: followers) {
            $0.receive(result(reason: "evicted", lastSeq: 9))
        },
        happenings(["recovering"], "syncResult.otherStream", fits: readers) {
            $0.receive(result(epoch: "e2", reason: "epoch_changed", lastSeq: 4))
        },
        happenings(
            ["recovering"], "syncResult.otherStream",
            fits: { $0.followsStream && !$0.hasSession }
        ) {
            $0.receive(result(epoch: "e1", reason: "unknown_position", lastSeq: 9))
        },
    ]

    private static let whole = history("s1", ["u1", "a1"], turns: [("t1", "done")])
    private static let part = history("s1", ["u1"], turns: [("t1", "running")])

    private static let reads: [[Happening]] = [
        [
            Happening(
                state: "recovering", input: "read.whole", conditions: ["read.forGap"],
                fits: { readers($0) && !$0.awaits }, prepare: readForGap,
                deed: { $0.answer(path: "/api/sessions/s1", whole) }),
            Happening(
                state: "recovering", input: "read.whole",
                conditions: ["read.forTurn", "ending.read"],
                fits: waiters, prepare: readForTurn, deed: { $0.answer(path: "/api/sessions/s1", whole) }),
            Happening(
                state: "recovering", input: "read.whole",
                conditions: ["read.forTurn"], fits: waiters,
                prepare: readForTurn,
                deed: { phone in
                    phone.answer(path: "/api/sessions/s1", part)
                    phone.elapse(.poll(conversation: phone.core.shown), after: 5000)
                }),
            Happening(
                state: "recovering", input: "read.failed", fits: waiters, prepare: readForTurn,
                deed: readsInVain),
            Happening(
                state: "recovering", input: "read.failed", fits: { readers($0) && !$0.awaits },
                prepare: readForGap, deed: readsInVain),
            Happening(
                state: "recovering", input: "polling.over", fits: waiters, prepare: readForTurn,
                deed: { phone in
                    for _ in 0..<13 {
                        phone.answer(path: "/api/sessions/s1", part)
                        phone.elapse(.poll(conversation: phone.core.shown), after: 5000)
                    }
                }),
            Happening(
                state: "recovering", input: "read.notFound", conditions: ["push.named"],
                fits: { !$0.awaits }, prepare: { $0.tell(.pushOpened(tap)) }, deed: notFound),
            Happening(
                state: "greeted", input: "read.notFound", conditions: ["push.named"],
                fits: { !$0.awaits },
                deed: { phone in
                    phone.tell(.pushOpened(tap))
                    notFound(&phone)
                }),
        ],
        happenings(["greeted", "waiting"], "read.whole", fits: { !$0.awaits }) { phone in
            phone.tell(.selected("s2"))
            phone.answer(path: "/api/sessions/s2", history("s2", ["u5", "a5"]))
        },
        happenings(["waiting"], "degraded.over") { $0.elapse(.degraded, after: 25_000) },
    ]

    @Sendable private static func readsInVain(_ phone: inout Phone) {
        phone.fail(path: "/api/sessions/s1")
        phone.elapse(.poll(conversation: phone.core.shown), after: 5000)
    }

    @Sendable private static func notFound(_ phone: inout Phone) {
        phone.answer(
            path: "/api/sessions/s2", #"{"error":"no","code":"session_not_found"}"#, status: 404)
    }

    private static let endings: [[Happening]] = [
        happenings(["greeted", "recovering"], "chat.silent", fits: idlers) { phone in
            phone.tell(.typed("question 2"))
            phone.elapse(.confirmation(key: phone.key), after: 15_000)
        },
        happenings(["greeted", "recovering"], "silence.over", fits: waiters) {
            $0.elapse(.connectionSilence, after: 60_000)
        },
        happenings(["greeted", "recovering"], "send.failed", fits: idlers) { phone in
            phone.tell(.typed("question 2"))
            phone.cut()
        },
        happenings(["connecting"], "attempt.late") { $0.elapse(.greeting, after: 15_000) },
        happenings(["waiting"], "backoff.over") { $0.elapse(.reconnect, after: 1000) },
        [nil, 1000, 1001, 1011, 1012, 1013, 4002].flatMap { code in
            happenings(["connecting", "greeted", "recovering"], "close.other") { $0.cut(code: code) }
        },
        happenings(["connecting", "greeted", "recovering"], "close.4001") { $0.cut(code: 4001) },
        happenings(["connecting"], "close.4010") { phone in
            phone.tell(.opened(socket: phone.socket))
            phone.receive(refusal("unsupported_version", [2]))
            phone.cut(code: 4010)
        },
        [
            Happening(
                state: "connecting", input: "close.4010.other",
                conditions: ["version.offered"],
                variations: [.offersTheNextVersion], prepare: reconnect,
                deed: { phone in
                    phone.tell(.opened(socket: phone.socket))
                    phone.receive(refusal("unsupported_version", [1]))
                    phone.cut(code: 4010)
                })
        ],
    ]

    private static let system: [[Happening]] = [
        happenings(["waiting", "connecting", "greeted", "recovering"], "background", leave),
        happenings(["connecting", "greeted", "recovering"], "foreground.first") {
            $0.tell(.foreground)
        },
        happenings(["waiting", "connecting", "greeted", "recovering"], "networkDown", lose),
        happenings(["connecting"], "networkUp", conditions: ["attempt.running"]) { $0.tell(.networkUp) },
        happenings(["waiting"], "networkUp") { $0.tell(.networkUp) },
        [
            Happening(
                state: "offline", input: "foreground", prepare: leave, deed: { $0.tell(.foreground) }),
            Happening(
                state: "offline", input: "foreground",
                prepare: { phone in
                    lose(&phone)
                    leave(&phone)
                }, deed: { $0.tell(.foreground) }),
            Happening(state: "offline", input: "networkUp", prepare: lose, deed: { $0.tell(.networkUp) }),
            Happening(
                state: "refused", input: "networkUp", prepare: refuse, deed: { $0.tell(.networkUp) }),
            Happening(
                state: "refused", input: "foreground", conditions: ["again.offered"], prepare: refuse,
                deed: { phone in
                    phone.tell(.background)
                    phone.tell(.foreground)
                }),
        ],
    ]

    private static let person: [[Happening]] = [
        happenings(["waiting", "connecting", "greeted", "recovering"], "selectSession") {
            $0.tell(.selected("s2"))
        },
        happenings(["waiting", "connecting"], "receivePush") { $0.tell(.pushReceived(tap)) },
        happenings(["recovering"], "receivePush", conditions: ["recovery.brings"]) {
            $0.tell(.pushReceived(tap))
        },
        happenings(["greeted"], "receivePush") { $0.tell(.pushReceived(tap)) },
        [
            Happening(
                state: "greeted", input: "receivePush", conditions: ["connection.delivers"],
                variations: [.ignoresPushesWhileLive],
                deed: { phone in
                    phone.receive(["type": "pong"])
                    phone.tell(.pushReceived(tap))
                }),
            Happening(
                state: "offline", input: "openPush", conditions: ["app.opened"],
                prepare: leave, deed: { $0.tell(.pushOpened(tap)) }),
        ],
        happenings(["waiting", "connecting", "greeted", "recovering"], "openPush") {
            $0.tell(.pushOpened(tap))
        },
    ]
}
