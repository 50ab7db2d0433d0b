import HoldfastJSON

// The small acts of a person, a phone, a server and other devices.
extension ClientPlanner {
    static let choices: [StepChoice<ClientPlanner>] = [
        StepChoice(weight: 25, isLarge: true) { $0.combineFeatures() },
        StepChoice(weight: 12, isVital: true) { $0.sendOnScreen() },
        StepChoice(weight: 8, isVital: true) { $0.endTurn() },
        StepChoice(weight: 3) { $0.useTool() },
        StepChoice(weight: 5) { $0.elsewhere() },
        StepChoice(weight: 4) { $0.select() },
        StepChoice(weight: 5) { $0.endConnection() },
        StepChoice(weight: 5) { $0.rule() },
        StepChoice(weight: 2) { $0.release() },
        StepChoice(weight: 3) { $0.push() },
        StepChoice(weight: 2) { $0.forget() },
        StepChoice(weight: 4) { $0.together() },
        StepChoice(weight: 6, isVital: true) { $0.watch() },
    ]

    // MARK: the person and the phone

    mutating func launch() {
        (isRunning, isForeground) = (true, true)
        var opened: JSONValue?
        if happens(bound == nil ? 20 : 50), let answer = any(answers) {
            opened = ["session": .string(answer.session), "message": .string(answer.message)]
        }
        add("launch", ["opened": opened])
        // The system reports the first activation too (CLIENT-36).
        if happens(bound == nil ? 10 : 40), grammar.allows("foreground") { add("foreground") }
    }

    /// The person sends a message, after a rule that decides its fate.
    private mutating func sendOnScreen() {
        guard isSeen else { return }
        let fate = isInBranch ? 100 : chance.number(in: 1...100)
        switch fate {
        case ...35: when("chat", "ack", times: 1)
        case ...42: when("chat", "store", times: 1, ["cut": cut(often: 30)])
        case ...50: when("chat", "drop", times: 1, ["cut": cut(often: 50)])
        case ...58:
            let code = any(Self.retried + Self.final + ["busy", "rate_limited", "session_not_found"]) ?? "internal"
            when("chat", "refuse", times: 1, ["frame": refusal(code, after: one(of: 300, 1_500, 60_000))])
        case ...62: when("chat", "ack", times: 1, ["cut": cut(often: 100)])
        default: break
        }
        var text: String?
        if happens(10) { text = any(Words.said).map { "\($0) \(names)" } }
        if happens(10) { text = Words.repeated }
        if happens(3) { text = "\(names) " + String(repeating: "and so on, ", count: 100) }
        say(text, runs: fate <= 42 || (59...62).contains(fate))
    }

    /// Sends a message; returns its name.
    @discardableResult
    mutating func say(_ text: String? = nil, runs: Bool = false, isAwaited: Bool? = nil) -> String {
        let name = newName("c")
        add("send", ["as": name, "text": text])
        asked.append(Asked(name: name, runs: runs))
        if isAwaited ?? happens(60), hasNetwork { awaitQuestion(name) }
        return name
    }

    private mutating func awaitQuestion(_ name: String, within usual: String? = nil) {
        add("await", ["comes": "question", "as": name, "within": bound ?? usual, "optional": true])
    }

    mutating func cut(often percent: Int) -> JSONValue? {
        given(happens(percent), .string(one(of: "fin", "reset", "silence")))
    }

    /// Codes after which a message may be resent, and final ones.
    static let (retried, final) = (["persist_failed", "internal", "something_new"], ["too_large", "bad_request"])

    /// An `error` instead of an `ack`; it names the question that it refuses (TURN-14).
    func refusal(_ code: String, after wait: Int = 1_500) -> JSONValue {
        let frame: JSONValue = [
            "type": "error", "error": .string("no, because of \(code)"), "code": .string(code),
            "clientMessageId": "${key}",
        ]
        guard code == "rate_limited" else { return frame }
        return frame.adding(["retryAfterMs": JSONValue(wait), "limit": 1, "windowMs": 60_000])
    }

    private mutating func select() {
        guard isSeen, grammar.allows("selectSession") else { return }
        if happens(85) { _ = choose() } else { add("select", ["session": JSONValue.null]) }
    }

    mutating func choose() -> String {
        let session = existingSession()
        screen = session
        add("select", ["session": session])
        return session
    }

    private mutating func push() {
        guard isRunning, grammar.profiles.contains(.clientPush), grammar.allows("receivePush", "openPush") else {
            return
        }
        push(isForeground && !answers.isEmpty && happens(60) ? "receivePush" : "openPush")
    }

    mutating func push(_ verb: String) {
        var answer = any(answers) ?? (Self.unknownSession, "a99")
        if verb == "openPush" {
            if happens(20) { answer = (Self.unknownSession, "a99") }
            if happens(25), !isInBranch { when("read", "fail", times: 3, ["status": 503]) }
            screen = answer.session
            isForeground = true
        }
        add(verb, ["session": answer.session, "message": answer.message])
    }

    // MARK: the server and other devices

    /// Ends a turn: the latest, or that of a question that has arrived.
    mutating func endTurn() {
        let index = any(asked.indices.filter { asked[$0].runs })
        if let index { asked[index].runs = false }
        let turn = index.flatMap { happens(60) ? asked[$0].name : nil }
        if let turn { awaitQuestion(turn, within: "resend") }
        let lost = given(happens(20), "none")
        if happens(80) {
            add("finish", ["turn": turn, "text": given(happens(25), .string(any(Words.all) ?? "")), "to": lost])
        } else {
            add(
                "fail",
                ["turn": turn, "code": one(of: "agent_failed", "internal", "interrupted", "something_new"), "to": lost])
        }
        if happens(20) { endTurn() }
    }

    private mutating func useTool() { add("tool", ["tool": any(Words.tools), "to": given(happens(15), "none")]) }

    /// A session that the server has, begun if necessary.
    mutating func existingSession() -> String {
        if let session = any(sessions) { return session }
        let session = newName("x")
        begin(session)
        return session
    }

    /// Another device begins a session.
    mutating func begin(_ session: String) {
        sessions.append(session)
        add("elsewhere", ["session": session, "messages": ["u${next}", "a${next}"], "new": true])
    }

    private mutating func elsewhere() {
        guard !sessions.isEmpty, happens(85) else { return begin(newName("x")) }
        // A question without an answer here gets one when the latest turn ends.
        let messages = happens(50) ? ["u${next}", "a${next}"] : ["u${next}"]
        add("elsewhere", ["session": existingSession(), "messages": messages, "to": given(happens(25), "none")])
    }

    private mutating func endConnection() {
        let how = one(of: "reset", "reset", "fin", "silence", "close")
        add("end", ["how": how, "code": given(how == "close", JSONValue(one(of: 1001, 1011, 1012, 1013, 4000)))])
        if happens(60) { awaitConnection() }
    }

    private mutating func forget() {
        add("forget", ["upTo": ref(happens(50) ? "lastSeq" : "lastSeq-1")])
        if happens(60) { add("end", ["how": "reset"]) }
    }

    mutating func when(
        _ event: String, _ then: String, times: Int? = nil,
        _ members: KeyValuePairs<String, (any JSONRepresentable)?> = [:]
    ) {
        add(rule: JSONValue(members: ["comes": event, "then": then]).adding(JSONValue(members: members)), times: times)
    }

    mutating func add(rule: JSONValue, times: Int? = nil) {
        steps.append(JSONValue(members: ["do": "when"]).adding(rule).adding(JSONValue(members: ["times": times])))
        guard let event = rule["comes"]?.stringValue else { return }
        if !activeRules.contains(event) { activeRules.append(event) }
        if rule["then"] == "hold" { heldEvents.append(event) }
    }

    /// Rules for a server that misbehaves a few times; one of several values is drawn.
    private static let rules: [JSONValue] = [
        ["comes": "upgrade", "then": "refuse", "status": [503, 502, 404]], ["comes": "upgrade", "then": "reset"],
        ["comes": "upgrade", "then": "silent"], ["comes": "upgrade", "then": "close", "code": 1011],
        ["comes": "auth", "then": "delay", "milliseconds": late], ["comes": "auth", "then": "silent"],
        ["comes": "auth", "then": "close", "code": [1011, 1013]], ["comes": "auth", "then": "cut", "cut": "reset"],
        ["comes": "sync", "then": "delay", "milliseconds": late], ["comes": "sync", "then": "hold"],
        ["comes": "sync", "then": "drop"],
        ["comes": "sync", "then": "incomplete", "reason": ["evicted", "unknown_position"]],
        ["comes": "sync", "then": "page", "size": [1, 2, 3]],
        ["comes": "sync", "then": "page", "size": [1, 2], "reason": "evicted"],
        ["comes": "sync", "then": "cut", "cut": ["reset", "silence"]],
        ["comes": "read", "then": "fail", "status": [503, 500, 429]],
        ["comes": "read", "then": "fail", "status": [503, 500, 429]],
        ["comes": "read", "then": "delay", "milliseconds": late], ["comes": "read", "then": "hold"],
        ["comes": "read", "then": "reset"], ["comes": "list", "then": "delay", "milliseconds": late],
        ["comes": "list", "then": "fail", "status": 503],
        ["comes": "post", "then": ["hold", "store", "drop", "reset"]],
        ["comes": "post", "then": "refuse", "status": 503],
        ["comes": "post", "then": "refuse", "status": 429, "retryAfter": 1], ["comes": "ping", "then": "drop"],
    ]
    private static let late: JSONValue = [30, 200, 900, 2_500]

    mutating func rule() {
        guard let drawn = any(Self.rules)?.objectValue else { return }
        let rule = JSONObject(drawn.map { (key: $0.key, value: any($0.value.arrayValue ?? []) ?? $0.value) })
        let isOnce = ["silent", "hold", "drop"].contains(rule["then"]) || rule["comes"] == "post"
        add(rule: .object(rule), times: isOnce ? 1 : one(of: 1, 1, 1, 2, 3))
    }

    mutating func serve(_ event: String) {
        add("when", ["comes": event, "then": "serve"])
        activeRules.removeAll { $0 == event }
    }

    private mutating func release() {
        guard let event = heldEvents.popLast() else { return }
        add("release", ["comes": event, "optional": true, "as": given(happens(40) && event != "post", "asked")])
    }

    // MARK: time

    private mutating func watch() {
        if happens(25) {
            add("awaitState", ["thinking": false, "within": bound ?? "rest", "optional": true])
        } else {
            add("watch", ["for": one(of: 20, 150, 150, 600, 2_000)])
        }
    }

    private mutating func together() {
        guard !isInBranch else { return }
        let before = steps
        var branches: [[JSONValue]] = []
        isInBranch = true
        for _ in 0...1 {
            steps = []
            for _ in 0...chance.number(in: 0...1) {
                switch chance.number(in: 1...6) {
                case 1: sendOnScreen()
                case 2: select()
                case 3: endTurn()
                case 4: elsewhere()
                case 5: endConnection()
                default: push()
                }
            }
            if !steps.isEmpty { branches.append(steps) }
        }
        isInBranch = false
        steps = before
        if branches.count > 1 { add("together", ["branches": branches]) }
    }

    /// Repairs everything at the end; the performer then checks every conversation.
    mutating func end() {
        for event in activeRules { add("when", ["comes": event, "then": "serve"]) }
        for event in heldEvents { add("release", ["comes": event, "optional": true]) }
        if !hasNetwork { add("networkUp") }
        if !isForeground { add("foreground") }
        add("awaitState", ["connection": "connected", "within": "backoff", "optional": true])
        add("watch", ["for": one(of: 1_500, 6_000)])
    }
}
