import HoldfastJSON

@testable import HoldfastReference

/// Short conversations that between them touch everything a defect can change; what is said in them is all that counts.
enum Probes {
    static let all: [(name: String, run: @Sendable (Bench) -> Void)] = [
        ("handshake", handshake), ("hostile frames", hostileFrames), ("plain turns", plainTurns),
        ("tools and failures", toolsAndFailures), ("turns at once", turnsAtOnce), ("positions", positions),
        ("eviction", eviction), ("live beside replay", liveBesideReplay), ("large pages", largePages),
        ("repeats", repeats), ("mismatches", mismatches), ("two principals", twoPrincipals), ("budget", budget),
        ("unknown sessions", unknownSessions), ("texts", texts), ("lines", lines), ("pages", pages),
        ("restart", restart), ("failing disk", failingDisk),
        ("silence", silence), ("notices", notices),
        ("refused notices", refusedNotices), ("notices of long answers", longNotices),
        ("crowd", crowd), ("notices and restarts", restartedNotices), ("stop", stop),
        ("connections end", connectionsEnd),
    ]

    /// Everything that is said in all of them by a server with these defects.
    static func said(defects: Set<Defect>) -> [String: [String]] {
        var said: [String: [String]] = [:]
        for (name, run) in all {
            var rules = Bench.rules
            if name == "budget" || name == "crowd" { rules.messagesPerMinute = 3 }
            if name == "crowd" { for number in 3...22 { rules.principalsByToken["t\(number)"] = "p\(number)" } }
            if name.contains("notices") { rules.devices = ["p1": ["d1"], "p2": ["d2"]] }
            let bench = Bench(rules, defects: defects)
            run(bench)
            said[name] = bench.said
        }
        return said
    }

    static func crowd(_ bench: Bench) {
        let sockets = (1...22).map { bench.open(as: "t\($0)") }
        for socket in sockets {
            bench.chat(#"{"script":[{"tool":"a"},{"tool":"b"},{"reply":"c"}]}"#, key: "c", on: socket)
        }
        bench.say(["type": "sync", "lastSeqSeen": 0], on: sockets[0])
    }

    static func handshake(_ bench: Bench) {
        let first = bench.open(client: "phone")
        bench.chat("hello", on: first)
        bench.end(first)
        _ = bench.open(client: "phone")
        _ = bench.open(as: "wrong", client: "phone")
        let early = bench.openOnly()
        bench.chat("too early", key: "c1", on: early)
        bench.say(["type": "sync", "lastSeqSeen": 0], on: early)
        bench.say(["type": "auth", "protocol": 2, "token": "t1"], on: early)
        bench.ask("GET", "/api/health", token: nil)
        bench.ask("GET", "/api/sessions", token: nil)
        bench.ask("GET", "/api/sessions", query: "token=t1", token: nil)
    }

    static func hostileFrames(_ bench: Bench) {
        let other = bench.open()
        for text in ["null", "[]", "3", "{", "", "{}", #"{"type":7}"#, #"{"Type":"ping"}"#, #"{"type":"dance"}"#] {
            let socket = bench.open()
            bench.say(text: text, on: socket)
            bench.say(["type": "ping", "nonce": "n"], on: socket)
        }
        let socket = bench.open()
        bench.feed(.received(socket: socket, .binary(Array(#"{"type":"ping"}"#.utf8))))
        bench.feed(.received(socket: socket, .tooLarge(bytes: 5001)))
        bench.say(["type": "sync", "lastSeqSeen": "1"], on: socket)
        let valid = Bench.question("x", key: "c1", session: nil, type: true)
        var extended = valid
        extended["later"] = ["a": 1]
        bench.say(extended, on: socket)
        let padding = String(repeating: " ", count: 5000 - valid.text().utf8.count)
        bench.say(text: valid.text() + padding, on: socket)
        bench.say(["type": "auth", "protocol": 1, "token": "t1"], on: socket)
        for size in [3000, 6000] { bench.post(String(repeating: "x", count: size)) }
        bench.say(["type": "ping"], on: other)
    }

    static func plainTurns(_ bench: Bench) {
        let first = bench.open()
        let second = bench.open()
        let session = bench.chat("one", key: "c1", on: first).last?.text("sessionId")
        _ = bench.list()
        for text in ["two", "three", "four"] {
            bench.chat(text, session: session, on: second)
            bench.ask("GET", "/api/sessions/\(session ?? "")")
        }
        bench.post("over rest")
        bench.pass(ms: 200)
        _ = bench.list()
        bench.ask("GET", "/api/sessions/\(session ?? "")")
        bench.ask("POST", "/api/chat", body: ["messages": []])
        bench.ask("POST", "/api/chat", body: [])
    }

    static func toolsAndFailures(_ bench: Bench) {
        let first = bench.open()
        _ = bench.open()
        let question = script(["tool": "webFetch"], ["wait": 100], ["tool": "search"], ["reply": "found"])
        let session = bench.chat(question, key: "c1", on: first).first?.text("sessionId") ?? ""
        bench.ask("GET", "/api/sessions/\(session)")
        _ = bench.list()
        bench.say(["type": "ping", "nonce": "while"], on: first)
        bench.pass(ms: 100)
        let failing = bench.chat(script(["fail": "no"]), key: "c2", session: session, on: first)
        bench.chat("after", session: failing.first?.text("sessionId"), on: first)
        bench.post(script(["fail": "over rest"]))
        bench.ask("GET", "/api/sessions/\(session)")
        bench.chat(script(["wait": 50], ["reply": "late"]), session: session, on: first)
        bench.ask("GET", "/api/sessions/\(session)")
        bench.pass(ms: 50)
    }

    static func turnsAtOnce(_ bench: Bench) {
        let first = bench.open()
        let session = bench.chat("start", on: first).last?.text("sessionId") ?? ""
        bench.chat(script(["wait": 50], ["tool": "slow"], ["reply": "slow"]), key: "c1", session: session, on: first)
        for key in ["c3", "c4"] { bench.chat("queued", key: key, session: session, on: first) }
        bench.chat(script(["tool": "other"], ["reply": "other session"]), key: "c2", on: first)
        bench.ask("GET", "/api/sessions/\(session)")
        bench.pass(ms: 50)
        bench.storageWaits = true
        bench.chat("together 1", session: session, on: first)
        bench.chat("together 2", session: session, on: first)
        bench.releaseStorage()
        bench.ask("GET", "/api/sessions/\(session)")
    }

    static func positions(_ bench: Bench) {
        let socket = bench.open()
        bench.say(["type": "sync", "lastSeqSeen": 0], on: socket)
        bench.chat(script(["tool": "webFetch"], ["reply": "x"]), key: "c1", on: socket)
        bench.chat("second", key: "c2", on: socket)
        let epoch = bench.frames("connected", on: socket).first?["epoch"] ?? nil
        for position in [0, 1, 3, 5, 99] {
            bench.say(["type": "sync", "lastSeqSeen": JSONValue(position), "epoch": epoch], on: socket)
            bench.say(["type": "sync", "lastSeqSeen": JSONValue(position)], on: socket)
        }
        bench.say(["type": "sync", "lastSeqSeen": 2, "epoch": "another"], on: socket)
        bench.say(["type": "sync", "lastSeqSeen": 0, "epoch": epoch, "limit": 2], on: socket)
    }

    static func eviction(_ bench: Bench) {
        let socket = bench.open()
        let epoch = bench.frames("connected", on: socket).first?["epoch"] ?? nil
        let tools = [JSONValue](repeating: ["tool": "t"], count: 6)
        let question: JSONValue = ["script": .array(tools)]
        bench.chat(question.text(), on: socket)
        bench.say(["type": "sync", "lastSeqSeen": 0, "epoch": epoch], on: socket)
        for _ in 0..<9 { bench.say(["type": "ping"], on: socket) }
        bench.say(["type": "sync", "lastSeqSeen": 0, "epoch": epoch], on: socket)
        bench.chat(question.text(), on: socket)
        bench.say(["type": "sync", "lastSeqSeen": 0, "epoch": epoch], on: socket)
    }

    static func liveBesideReplay(_ bench: Bench) {
        let first = bench.open()
        bench.chat(script(["tool": "a"], ["wait": 20], ["tool": "b"], ["reply": "x"]), on: first)
        let second = bench.open()
        bench.say(["type": "sync", "lastSeqSeen": 0], on: second)
        bench.pass(ms: 20)
        bench.say(["type": "sync", "lastSeqSeen": 0], on: second)
    }

    static func largePages(_ bench: Bench) {
        let socket = bench.open()
        let large = String(repeating: "y", count: 2000)
        for _ in 0..<3 { bench.chat(script(["reply": .string(large)]), on: socket) }
        bench.say(["type": "sync", "lastSeqSeen": 0], on: socket)
    }

    static func repeats(_ bench: Bench) {
        let first = bench.open()
        let second = bench.open()
        let slow = script(["wait": 20], ["reply": "slow"])
        bench.chat("once", key: "c1", on: first)
        bench.chat("once", key: "c1", on: second)
        bench.post("once", key: "c1")
        var part = Bench.question("once", key: "c1", session: nil, type: true)
        part["messages"] = [["role": "user", "content": [["type": "text", "text": "once"]]]]
        bench.say(part, on: first)
        bench.chat(slow, key: "c2", on: first)
        bench.chat(slow, key: "c2", on: second)
        bench.post(slow, key: "c2")
        bench.pass(ms: 20)
        bench.chat(script(["fail": "no"]), key: "c3", on: first)
        bench.chat(script(["fail": "no"]), key: "c3", on: first)
        bench.post(script(["fail": "no"]), key: "c3")
        for session in bench.list() { bench.ask("GET", "/api/sessions/\(session.text("id") ?? "")") }
    }

    static func mismatches(_ bench: Bench) {
        let socket = bench.open()
        bench.chat("once", key: "c1", on: socket)
        bench.chat("twice", key: "c1", on: socket)
        bench.post("twice", key: "c1")
        bench.chat("lost", key: "c9", session: "unknown", on: socket)
        bench.chat("lost", key: "c9", on: socket)
        _ = bench.list()
    }

    static func twoPrincipals(_ bench: Bench) {
        let first = bench.open(as: "t1", client: "shared")
        let second = bench.open(as: "t2", client: "shared")
        let mine = bench.chat("mine", key: "same", on: first).last?.text("sessionId") ?? ""
        bench.chat("yours", key: "same", on: second)
        bench.chat("intrusion", session: mine, on: second)
        bench.ask("GET", "/api/sessions/\(mine)", token: "t2")
        _ = bench.list(token: "t2")
        bench.say(["type": "sync", "lastSeqSeen": 0], on: second)
    }

    static func budget(_ bench: Bench) {
        let first = bench.open()
        for number in 1...2 { bench.chat("question", key: "c\(number)", on: first) }
        bench.chat("question", key: "c1", on: first)
        bench.chat("question", key: "c3", on: first)
        bench.chat("too much", key: "c4", on: first)
        bench.chat("question", key: "c1", on: first)
        bench.say(["type": "ping"], on: first)
        let second = bench.open()
        bench.chat("too much", key: "c5", on: second)
        bench.post("too much", key: "c6")
        _ = bench.list()
        bench.pass(ms: 60_000)
        bench.chat("question", key: "c4", on: second)
    }

    static func unknownSessions(_ bench: Bench) {
        let socket = bench.open()
        for id in ["unknown", "index", "../x", "%2e%2e", String(repeating: "x", count: 200)] {
            bench.chat("where", session: id, on: socket)
            bench.post("where", session: id)
            bench.ask("GET", "/api/sessions/\(id)")
        }
        _ = bench.list()
    }

    static func texts(_ bench: Bench) {
        let socket = bench.open()
        let flags = String(repeating: "🇩🇪", count: 49) + "e\u{301}🇩🇪👩‍👩‍👧‍👦🇩🇪🇩🇪"
        bench.chat(script(["reply": .string("1" + flags)]), on: socket)
        bench.chat(script(["reply": .string(String(repeating: "a", count: 99) + "👋🏽 and more")]), on: socket)
        let session = bench.chat("  \n blanks around \t ", on: socket).last?.text("sessionId") ?? ""
        bench.chat("", on: socket)
        bench.ask("GET", "/api/sessions/\(session)")
        _ = bench.list()
    }

    static func lines(_ bench: Bench) {
        let socket = bench.open()
        let session = bench.chat("once", key: "Key", on: socket).last?.text("sessionId") ?? ""
        bench.chat("once", key: "key", on: socket)
        let failing = script(["wait": 50], ["fail": "no"])
        bench.chat(failing, key: "c1", session: session, on: socket)
        for key in ["c2", "c3"] { bench.chat("in line", key: key, session: session, on: socket) }
        bench.post("in line", key: "c3", session: session)
        bench.pass(ms: 50)
        bench.chat(failing, key: "c1", session: session, on: socket)
        bench.chat("in line", key: "c2", on: socket)
    }

    static func pages(_ bench: Bench) {
        let first = bench.open()
        let second = bench.open()
        bench.chat("no\0 end", on: first)
        bench.say(["type": "sync", "lastSeqSeen": 0, "limit": 1], on: second)
        bench.chat("between", on: first)
        bench.say(["type": "sync", "lastSeqSeen": 0, "limit": 4], on: second)
    }

    static func restart(_ bench: Bench) {
        let socket = bench.open()
        let session = bench.chat("kept", key: "c1", on: socket).last?.text("sessionId") ?? ""
        bench.kill()
        let again = bench.open()
        bench.chat("kept", key: "c1", on: again)
        bench.chat(script(["wait": 1000], ["reply": "never"]), key: "c2", session: session, on: again)
        bench.kill()
        bench.ask("GET", "/api/sessions/\(session)")
        _ = bench.list()
        _ = bench.open()
    }

    static func failingDisk(_ bench: Bench) {
        let socket = bench.open()
        bench.chat(script(["wait": 20], ["reply": "x"]), key: "c1", on: socket)
        bench.storageFails = true
        bench.pass(ms: 20)
        bench.chat("refused", key: "c2", on: socket)
        bench.storageFails = false
        let session = bench.chat("refused", key: "c2", on: socket).last?.text("sessionId") ?? ""
        bench.ask("GET", "/api/sessions/\(session)")
    }

    static func silence(_ bench: Bench) {
        let silent = bench.open()
        let alive = bench.open()
        _ = bench.openOnly()
        let late = bench.openOnly()
        bench.pass(ms: 5000)
        bench.feed(.beat)
        bench.say(["type": "auth", "protocol": 1, "token": "t1"], on: late)
        for _ in 0..<8 {
            bench.pass(ms: 10_000)
            bench.feed(.heard(socket: alive))
            bench.feed(.beat)
        }
        if bench.ended.contains(silent) { bench.end(silent) }
    }

    static func notices(_ bench: Bench) {
        let question = ask(bench, key: "c1", reply: "unseen")
        ask(bench, key: "c2", reply: "failing", disk: false)
        let again = bench.open()
        bench.chat(question, key: "c1", on: again)
        bench.say(["type": "sync", "lastSeqSeen": 0], on: again)
        bench.chat("seen", on: again)
        bench.end(again)
    }

    static func refusedNotices(_ bench: Bench) {
        let refusals: [PushOutcome] = [
            .answered(status: 429, reason: "TooManyRequests"), .answered(status: 400, reason: "BadTopic"),
            .answered(status: 403, reason: nil), .late, .answered(status: 410, reason: "Unregistered"),
        ]
        bench.pushOutcomes = refusals
        for number in 1...refusals.count {
            ask(bench, key: "c\(number)", reply: "unseen \(number)")
            bench.pass(ms: 1000)
        }
        let other = bench.open(as: "t2")
        bench.chat("without a device", on: other)
    }

    static func longNotices(_ bench: Bench) {
        let cluster = "👩‍👩‍👧‍👦"
        ask(bench, key: "c1", reply: "x" + String(repeating: "👋", count: 300))
        ask(bench, key: "c2", reply: String(repeating: "y", count: 197) + cluster + cluster)
        ask(bench, key: "c3", reply: String(repeating: cluster, count: 300))
    }

    static func restartedNotices(_ bench: Bench) {
        bench.pushOutcomes = [nil]
        ask(bench, key: "c1", reply: "unanswered")
        let session = bench.list().first?.text("id")
        let socket = bench.open()
        bench.chat("next", session: session, on: socket)
        bench.kill()
    }

    /// Asks a question and leaves before it is answered.
    @discardableResult
    private static func ask(_ bench: Bench, key: String, reply: String, disk: Bool = true) -> String {
        let socket = bench.open()
        let question = script(["wait": 10], ["reply": .string(reply)])
        bench.chat(question, key: key, on: socket)
        bench.end(socket)
        bench.storageFails = !disk
        bench.pass(ms: 200)
        bench.storageFails = false
        return question
    }

    static func stop(_ bench: Bench) {
        let socket = bench.open()
        bench.chat(script(["wait": 5000], ["reply": "never"]), on: socket)
        bench.feed(.stopping)
        bench.chat("too late", on: socket)
    }

    static func connectionsEnd(_ bench: Bench) {
        let old = bench.open()
        let new = bench.open()
        bench.chat(script(["wait": 20], ["reply": "for nobody"]), on: old)
        bench.post(#"{"script":[{"wait":20},{"reply":"left"}]}"#)
        bench.leave()
        bench.pass(ms: 20)
        bench.end(old)
        if !bench.ended.contains(new) { bench.end(new) }
        bench.pass(ms: 20)
        let later = bench.open()
        bench.say(["type": "sync", "lastSeqSeen": 0], on: later)
        for session in bench.list() { bench.ask("GET", "/api/sessions/\(session.text("id") ?? "")") }
    }
}
