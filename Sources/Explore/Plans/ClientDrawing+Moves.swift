import HoldfastJSON

// The events of a client's plan.
extension ClientDrawing {
    /// Whether the person has the app before them.
    var isSeen: Bool { isRunning && isForeground }

    /// A session that no server has.
    static let unknownSession = "s99"

    func ref(_ name: String) -> JSONValue { .string("${\(name)}") }

    // MARK: the person and the phone

    mutating func launch() {
        isRunning = true
        isForeground = true
        var opened: JSONValue?
        if happens(20), let answer = any(answers) {
            opened = ["session": .string(answer.session), "message": .string(answer.message)]
        }
        add("launch", ("opened", opened))
        // The system reports the first activation too (CLIENT-36).
        if happens(10), grammar.allows("foreground") { add("foreground") }
    }

    /// The person sends a message; what becomes of it was decided before.
    mutating func say() {
        guard isSeen else { return }
        say(fate: isBeside ? 100 : chance.number(in: 1...100))
    }

    mutating func say(fate: Int, text words: String? = nil) {
        let name = newName("c")
        switch fate {
        case ...35: when("chat", "ack", times: 1)
        case ...42: when("chat", "store", times: 1, ("cut", cut(often: 30)))
        case ...50: when("chat", "drop", times: 1, ("cut", cut(often: 50)))
        case ...58: when("chat", "refuse", times: 1, ("frame", refusal()))
        case ...62: when("chat", "ack", times: 1, ("cut", cut(often: 100)))
        default: break
        }
        var text: JSONValue?
        if happens(10), let word = any(Words.all.filter { $0.contains { !$0.isWhitespace } }) {
            text = .string("\(word) \(name)")
        }
        if happens(10) { text = .string(Words.usual) }
        if happens(3) { text = .string("\(name) " + String(repeating: "and so on, ", count: 100)) }
        if let words { text = .string(words) }
        add("send", ("as", .string(name)), ("text", text))
        asked.append(Asked(name: name, runs: fate <= 42 || (59...62).contains(fate)))
        if happens(60), hasNetwork {
            add("await", ("comes", "question"), ("as", .string(name)), ("within", bound), ("optional", true))
        }
    }

    mutating func cut(often percent: Int) -> JSONValue? {
        given(happens(percent), .string(one(of: "fin", "reset", "silence")))
    }

    /// An `error` in place of an `ack`; it names the question that it refuses (TURN-14).
    mutating func refusal() -> JSONValue {
        let code = one(
            of: "persist_failed", "persist_failed", "too_large", "bad_request", "internal", "busy", "rate_limited",
            "session_not_found", "something_new")
        var frame: JSONValue = [
            "type": "error", "error": .string("no, because of \(code)"), "code": .string(code),
            "clientMessageId": "${key}",
        ]
        if code == "rate_limited" {
            frame["retryAfterMs"] = JSONValue(one(of: 300, 1_500, 60_000))
            frame["limit"] = 1
            frame["windowMs"] = 60_000
        }
        return frame
    }

    /// A failed message is sent again; a plan ends if it is not shown.
    mutating func sayAgain() {
        guard isSeen, grammar.allows("sendAgain"), let last = asked.last else { return }
        add("awaitState", ("failed", .string(last.name)), ("within", "resend"), ("optional", true))
        if happens(50) { add("sendAgain", ("as", .string(last.name))) }
    }

    /// Waits for the last question, whose turn the move itself decides about.
    mutating func awaitLastQuestion() -> JSONValue {
        asked[asked.count - 1].runs = false
        let name = JSONValue.string(asked[asked.count - 1].name)
        add("await", ("comes", "question"), ("as", name), ("within", bound), ("optional", true))
        return name
    }

    mutating func awaitConnection() {
        add("await", ("comes", "connection"), ("within", bound ?? "backoff"), ("optional", true))
    }

    /// A question is refused, fails or gets no answer, perhaps after it was stored, and is sent again.
    mutating func failAndSayAgain() {
        guard isSeen, hasNetwork, !isBeside, grammar.allows("sendAgain") else { return }
        switch chance.number(in: 1...4) {
        case 1: say(fate: 1)
        case 2: say(fate: 50)
        case 3:
            when("chat", "refuse", times: 1, ("frame", refusal()))
            when("chat", one(of: "store", "drop"), times: 1, ("cut", "reset"))
            // Else the resend takes this road, and is answered.
            if happens(60) { when("post", "reset", times: 1) }
            say(fate: 100)
        default:
            when("chat", "drop")
            say(fate: 100)
        }
        guard let last = asked.last else { return }
        if last.runs, happens(70) {
            let name = awaitLastQuestion()
            add("fail", ("turn", name), ("code", .string(one(of: "agent_failed", "internal"))))
        }
        add("awaitState", ("failed", .string(last.name)), ("within", "polling"), ("optional", true))
        add("sendAgain", ("as", .string(last.name)))
        if ruled.contains("chat") { add("when", ("comes", "chat"), ("then", "serve")) }
    }

    /// The person looks at a conversation, at another, and at the first again, while its read takes long.
    mutating func revisit() {
        guard isSeen, !isBeside, grammar.allows("selectSession"), let first = any(sessions),
            let second = any(sessions.filter { $0 != first })
        else { return }
        add("select", ("session", .string(first)))
        add("awaitState", ("session", .string(first)), ("within", "pong"), ("optional", true))
        add("watch", ("for", 400))
        add("select", ("session", .string(second)))
        add("watch", ("for", JSONValue(one(of: 20, 400))))
        let isLong = happens(30)
        if isLong || happens(60) {
            let late = JSONValue(isLong ? 7_000 : 900)
            when("read", "delay", times: isLong ? 3 : 1, ("milliseconds", late), ("session", .string(first)))
        }
        add("select", ("session", .string(first)))
        add("watch", ("for", JSONValue(isLong ? 5_500 : one(of: 150, 600))))
    }

    /// A message begins a conversation, perhaps with the words of another one, and all that would name it is lost.
    mutating func beginInTheDark() {
        guard isSeen, hasNetwork, !isBeside, grammar.allows("selectSession", "networkDown", "networkUp") else { return }
        add("select", ("session", nil as JSONValue))
        when("chat", "store", times: 1)
        let opening = happens(60) ? any(openings) : nil
        say(fate: 100, text: opening?.text)
        let name = awaitLastQuestion()
        add("networkDown")
        add("finish", ("turn", name), ("to", "none"))
        // The session with the latest message is the first in the list.
        if let session = (happens(50) ? opening?.session : nil) ?? any(sessions), happens(60) {
            add("elsewhere", ("session", .string(session)), ("messages", ["u${next}", "a${next}"]), ("to", "none"))
        }
        if happens(50) { when("read", "delay", times: 1, ("milliseconds", 700)) }
        add("networkUp")
        add("watch", ("for", JSONValue(one(of: 600, 3_000, 10_000))))
    }

    /// Much happens while the app is away, and the server forgets some of it.
    mutating func absence() {
        guard isSeen, hasNetwork, !isBeside, grammar.allows("background", "foreground"), let session = any(sessions)
        else { return }
        if happens(50), grammar.allows("selectSession") {
            add("select", ("session", .string(session)))
            add("watch", ("for", 400))
        }
        add("background")
        for _ in 0...chance.number(in: 0...2) {
            add("elsewhere", ("session", .string(session)), ("messages", ["u${next}", "a${next}"]), ("to", "none"))
        }
        if happens(60) { add("forget", ("upTo", ref(one(of: "lastSeq", "lastSeq-1", "lastSeq-2")))) }
        if happens(50) {
            let reason = given(happens(60), "evicted")
            when("sync", "page", times: 1, ("size", JSONValue(one(of: 1, 2))), ("reason", reason))
        }
        let isUnread = happens(40)
        if isUnread { when("read", "fail", times: one(of: 1, 2), ("status", 503)) }
        add("foreground")
        awaitConnection()
        if isUnread, happens(50) {
            add("watch", ("for", 150))
            add("end", ("how", "reset"))
            awaitConnection()
        }
        add("watch", ("for", JSONValue(one(of: 600, 2_000, 6_000))))
    }

    /// Another device speaks in the conversation on the screen, and nothing else happens for a while.
    mutating func listen() {
        guard isSeen, hasNetwork, !isBeside, grammar.allows("selectSession"), let session = any(sessions)
        else { return }
        add("select", ("session", .string(session)))
        add("awaitState", ("session", .string(session)), ("within", "pong"), ("optional", true))
        add("elsewhere", ("session", .string(session)), ("messages", ["u${next}", "a${next}"]))
        add("watch", ("for", 2_500))
    }

    /// The last frames get enough time to be taken in; then the app returns on another connection.
    private mutating func comeBackAfterwards() {
        guard isSeen, hasNetwork, !isBeside, grammar.allows("background", "foreground") else { return }
        add("watch", ("for", "scheduling"))
        add("background")
        add("foreground")
        awaitConnection()
    }

    mutating func select() {
        guard isSeen, grammar.allows("selectSession") else { return }
        let session = any(sessions).map { JSONValue.string($0) }
        add("select", ("session", given(happens(85), session ?? .null) ?? .null))
    }

    mutating func goAway() {
        guard isSeen, grammar.allows("background", "foreground") else { return }
        add("background")
        isForeground = false
        meanwhile()
        guard isRunning, !isForeground else { return }
        if happens(25), grammar.allows("openPush"), let answer = any(answers) {
            add("openPush", ("session", .string(answer.session)), ("message", .string(answer.message)))
        } else {
            add("foreground")
        }
        isForeground = true
    }

    mutating func loseNetwork() {
        guard isRunning, hasNetwork, grammar.allows("networkDown", "networkUp") else { return }
        add("networkDown")
        hasNetwork = false
        meanwhile()
        guard isRunning else { return }
        add("networkUp")
        hasNetwork = true
    }

    mutating func quit() {
        guard isRunning, !isBeside, grammar.allows("quit") else { return }
        endApp()
        isRunning = false
        meanwhile()
        launch()
    }

    mutating func endApp() { add(happens(30) && grammar.allows("crash") ? "crash" : "quit") }

    private mutating func meanwhile() {
        guard !isBeside else { return }
        for _ in 0..<chance.number(in: 0...3) {
            switch chance.number(in: 1...6) {
            case 1: say()
            case 2: endTurn()
            case 3: elsewhere()
            case 4: select()
            case 5: rule()
            default: watch()
            }
        }
    }

    mutating func push() {
        guard isRunning, grammar.profiles.contains(.clientPush), grammar.allows("receivePush", "openPush") else {
            return
        }
        let unknown = (session: Self.unknownSession, message: "a99")
        guard let answer = happens(90) ? any(answers) : unknown else { return }
        let about = [("session", JSONValue.string(answer.session)), ("message", JSONValue.string(answer.message))]
        if isForeground, happens(60), answer != unknown {
            add("receivePush", about[0], about[1])
        } else {
            add("openPush", about[0], about[1])
            isForeground = true
        }
    }

    // MARK: the server

    private func audience(_ word: String?) -> JSONValue? { word.map { .string($0) } }

    /// A turn ends: the latest, or that of a question which has come.
    mutating func endTurn() {
        let running = asked.indices.filter { asked[$0].runs }
        let index = any(running)
        if let index { asked[index].runs = false }
        let turn = index.flatMap { given(happens(60), .string(asked[$0].name)) }
        if let turn { add("await", ("comes", "question"), ("as", turn), ("within", "resend"), ("optional", true)) }
        let lost = audience(happens(20) ? "none" : nil)
        if happens(80) {
            let text = given(happens(25), .string(any(Words.all) ?? ""))
            add("finish", ("turn", turn), ("text", text), ("to", lost))
        } else {
            let code = one(of: "agent_failed", "internal", "interrupted", "something_new")
            add("fail", ("turn", turn), ("code", .string(code)), ("to", lost))
        }
        if happens(20) { endTurn() }
    }

    mutating func useTool() {
        if happens(30), let session = any(sessions) {
            let input: JSONValue = one(of: "https://weather.example", ["url": "x", "list": [1, ["a": nil]]], 1.5, nil)
            let frame: JSONValue = [
                "type": "toolUse", "tool": "webFetch", "sessionId": .string(session), "turnId": "t900", "input": input,
            ]
            add("tell", ("frame", frame), ("numbered", true))
            if happens(50) { comeBackAfterwards() }
            return
        }
        add("tool", ("tool", .string(any(Words.tools) ?? "")), ("to", audience(happens(15) ? "none" : nil)))
    }

    /// Another device or a timer says something.
    mutating func elsewhere() {
        let isNew = sessions.isEmpty || happens(15)
        let session = isNew ? "x\(names)" : any(sessions) ?? "s1"
        if isNew {
            names += 1
            sessions.append(session)
        }
        let lost = audience(happens(25) ? "none" : nil)
        let new = given(isNew, true)
        if happens(50) {
            add(
                "elsewhere", ("session", .string(session)), ("messages", ["u${next}", "a${next}"]), ("new", new),
                ("to", lost))
        } else {
            // Its answer comes when the latest turn ends.
            add("elsewhere", ("session", .string(session)), ("messages", ["u${next}"]), ("new", new), ("to", lost))
        }
    }

    mutating func endConnection() {
        let how = one(of: "reset", "reset", "fin", "silence", "close")
        let code = given(how == "close", JSONValue(one(of: 1001, 1011, 1012, 1013, 4000)))
        add("end", ("how", .string(how)), ("code", code))
        if happens(60), isSeen, hasNetwork {
            awaitConnection()
        }
    }

    mutating func when(
        _ comes: String, _ then: String, times: Int? = nil, _ members: (String, JSONValue?)...
    ) {
        let all =
            [("do", JSONValue.string("when")), ("comes", .string(comes)), ("then", .string(then))]
            + members.compactMap { name, value in value.map { (name, $0) } }
        var step = JSONValue.object(JSONObject(all.map { (key: $0.0, value: $0.1) }))
        if let times { step["times"] = JSONValue(times) }
        steps.append(step)
        if !ruled.contains(comes) { ruled.append(comes) }
        if then == "hold" { held.append(comes) }
    }

    /// The server does something else than usual, some times.
    mutating func rule() {
        let times = one(of: 1, 1, 1, 2, 3)
        let late = ("milliseconds", JSONValue(one(of: 30, 200, 900, 2_500)) as JSONValue?)
        switch chance.number(in: 1...24) {
        case 1: when("upgrade", "refuse", times: times, ("status", JSONValue(one(of: 503, 502, 404))))
        case 2: when("upgrade", "reset", times: times)
        case 3: when("upgrade", "silent", times: 1)
        case 4: when("upgrade", "close", times: times, ("code", 1011))
        case 5: when("auth", "delay", times: times, late)
        case 6: when("auth", "silent", times: 1)
        case 7: when("auth", "close", times: times, ("code", JSONValue(one(of: 1011, 1013))))
        case 8: when("auth", "cut", times: times, ("cut", "reset"))
        case 9: when("sync", "delay", times: times, late)
        case 10: when("sync", "hold", times: 1)
        case 11: when("sync", "drop", times: 1)
        case 12:
            let reason = one(of: "evicted", "unknown_position")
            when("sync", "incomplete", times: times, ("reason", .string(reason)))
        case 13:
            when("sync", "page", ("size", JSONValue(one(of: 1, 2, 3))), ("reason", given(happens(30), "evicted")))
        case 14: when("sync", "cut", times: 1, ("cut", .string(one(of: "reset", "silence"))))
        case 15, 16: when("read", "fail", times: times, ("status", JSONValue(one(of: 503, 500, 429))))
        case 17: when("read", "delay", times: times, late)
        case 18: when("read", "hold", times: 1)
        case 19: when("read", "reset", times: times)
        case 20: when("list", "delay", times: 1, late)
        case 21: when("list", "fail", times: times, ("status", 503))
        case 22:
            let then = one(of: "hold", "store", "drop", "reset")
            when("post", then, times: 1)
        case 23:
            let status = one(of: 503, 429)
            when("post", "refuse", times: 1, ("status", JSONValue(status)), ("retryAfter", given(status == 429, 1)))
        default: when("ping", "drop", times: 1)
        }
    }

    mutating func release() {
        guard let comes = held.popLast() else { return }
        add(
            "release", ("comes", .string(comes)), ("optional", true),
            ("as", given(happens(40) && comes != "post", "asked")))
    }

    mutating func restart() {
        epochs += 1
        add(
            "restart", ("epoch", .string("e\(epochs)")), ("lastSeq", JSONValue(one(of: 0, 0, 3))))
    }

    mutating func forget() {
        add("forget", ("upTo", ref(happens(50) ? "lastSeq" : "lastSeq-1")))
        if happens(60) { add("end", ("how", "reset")) }
    }

    /// For minutes the server fails at something, ends each connection, or wants this client no more; then all is well again.
    mutating func outage() {
        guard isSeen, hasNetwork, !isBeside else { return }
        let before = ruled
        var isRefused = false
        switch chance.number(in: 1...10) {
        case 1, 2: when("upgrade", "refuse", ("status", 503))
        case 3: when("upgrade", "close", ("code", 1011))
        case 4: when("auth", "close", ("code", 1013))
        case 5: when("read", "fail", ("status", 503))
        case 6:
            when("chat", "drop", ("cut", "reset"))
            when("post", "reset")
        case 7: when("auth", "serve", times: 1, ("greeting", ["motd": ["of": "today"]]))
        case 8:
            guard let session = any(sessions) else { return }
            let connection: [JSONValue] = [
                ["do": "elsewhere", "session": .string(session), "messages": ["u${next}", "a${next}"]],
                ["do": "end", "how": "reset"],
                ["do": "await", "comes": "connection", "within": "backoff", "optional": true],
            ]
            add("repeat", ("times", 24), ("steps", .array(connection)))
        default:
            guard grammar.allows("quit") else { return }
            isRefused = true
        }
        if isRefused {
            let (error, code): (JSONValue, JSONValue) =
                happens(50) ? ("unsupported_version", 4010) : ("auth_failed", 4001)
            if happens(50) {
                when("auth", "refuse", ("error", error), ("code", code))
                add("end", ("how", "reset"))
            } else {
                add("end", ("how", "close"), ("code", code))
            }
        } else if happens(80) {
            add("end", ("how", "reset"))
        }
        // Parallel events need no rules of their own.
        isBeside = true
        for _ in 0...chance.number(in: 0...1) {
            switch chance.number(in: 1...4) {
            case 1: say()
            case 2: select()
            case 3: push()
            default: elsewhere()
            }
            add("watch", ("for", .string(one(of: "attempts", "polling"))))
            if happens(20), isRunning, grammar.allows("quit") {
                endApp()
                launch()
                if happens(50) { add("watch", ("for", "attempts")) }
            }
        }
        isBeside = false
        for comes in ruled where !before.contains(comes) { add("when", ("comes", .string(comes)), ("then", "serve")) }
        ruled = before
        if isRefused {
            endApp()
            launch()
        }
    }

    /// Frames of types that a client need not know.
    mutating func tellUnknown() {
        let isNumbered = happens(60)
        var frame: JSONValue = ["type": "mood", "mood": ["of": "me"]]
        if let session = any(sessions), happens(50) { frame["sessionId"] = .string(session) }
        add("tell", ("frame", frame), ("numbered", given(isNumbered, true)))
        if isNumbered, happens(30) { comeBackAfterwards() }
    }

    // MARK: time

    mutating func watch() {
        if happens(25) {
            add("awaitState", ("thinking", false), ("within", "rest"), ("optional", true))
        } else {
            add("watch", ("for", JSONValue(one(of: 20, 150, 150, 600, 2_000))))
        }
    }

    /// Some of it at the same moment.
    mutating func together() {
        guard !isBeside else { return }
        let before = steps
        var branches: [JSONValue] = []
        isBeside = true
        for _ in 0...1 {
            steps = []
            for _ in 0...chance.number(in: 0...1) {
                switch chance.number(in: 1...6) {
                case 1: say()
                case 2: select()
                case 3: endTurn()
                case 4: elsewhere()
                case 5: endConnection()
                default: push()
                }
            }
            if !steps.isEmpty { branches.append(.array(steps)) }
        }
        isBeside = false
        steps = before
        if branches.count > 1 { add("together", ("branches", .array(branches))) }
    }

    /// At the end everything is healthy again, and the performer looks at every conversation.
    mutating func end() {
        for comes in ruled { add("when", ("comes", .string(comes)), ("then", "serve")) }
        for comes in held { add("release", ("comes", .string(comes)), ("optional", true)) }
        if !hasNetwork { add("networkUp") }
        if !isForeground { add("foreground") }
        add("awaitState", ("connection", "connected"), ("within", "backoff"), ("optional", true))
        add("watch", ("for", JSONValue(one(of: 1_500, 6_000))))
    }
}
