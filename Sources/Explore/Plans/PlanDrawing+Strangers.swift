import Holdfast
import HoldfastJSON

// Refused connections, requests for unknown things, oversized messages, and a push service that refuses.
extension PlanDrawing {
    var isKept: Bool { grammar.profiles.contains(.auth) }

    mutating func trespass() {
        guard !isBeside else { return }
        switch chance.number(in: 1...6) {
        case 1: connectWrongly()
        case 2: sendBeforeAuth()
        case 3: requestWithoutToken()
        case 4: requestBadly()
        case 5: sendLarge()
        default: enterForeignSession()
        }
    }

    private mutating func connectWrongly() {
        let on: (String, JSONValue?) = ("on", .string(stranger))
        let optional: (String, JSONValue?) = ("optional", true)
        switch isKept ? chance.number(in: 1...3) : 3 {
        case 1: add("connect", on, ("token", "wrong-${run}"), optional)
        case 2: add("connect", on, ("token", nil as JSONValue), optional)
        default: add("connect", on, ("protocol", JSONValue(one(of: 2, 3, 999))), optional)
        }
        add("awaitClose", on, optional)
        add("close", on)
    }

    /// Frames, or nothing, from one who has not said who they are.
    private mutating func sendBeforeAuth() {
        let on: (String, JSONValue?) = ("on", .string(stranger))
        add("connect", on, ("handshake", false))
        if happens(50), isKept, grammar.isAlone {
            if happens(50) { add("ping", on) }
            add("awaitClose", on, ("after", ["seconds": "${authSeconds+5}"]), ("optional", true))
        } else {
            let key = JSONValue.string(newName("early"))
            let question: JSONValue = ["role": "user", "content": "let me in"]
            let frame: JSONValue =
                happens(60)
                ? ["type": "chat", "messages": [question], "clientMessageId": key] : ["type": "sync", "lastSeqSeen": 0]
            add("send", on, ("frame", frame))
            add("await", on, ("type", ["error", "close"]), ("optional", true))
        }
        add("close", on)
        list()
    }

    private mutating func requestWithoutToken() {
        guard isKept else { return }
        let token: JSONValue = happens(50) ? nil : "wrong-${run}"
        switch chance.number(in: 1...5) {
        case 1: add("listSessions", ("token", token))
        case 2: if let session = any(sessions) { add("readSession", ("session", ref(session.name)), ("token", token)) }
        case 3:
            let question: JSONValue = ["role": "user", "content": "hello"]
            let body: JSONValue = ["messages": [question], "clientMessageId": .string(newName("none"))]
            add("http", ("method", "POST"), ("path", "/api/chat"), ("token", token), ("body", body))
        case 4: add("http", ("method", "GET"), ("path", "/api/sessions?token=${p1Token}"), ("token", nil as JSONValue))
        default: add("http", ("method", "GET"), ("path", "/api/health"), ("token", nil as JSONValue))
        }
    }

    private mutating func requestBadly() {
        if happens(30) {
            add("readSession", ("session", .string(one(of: "index", "ses_of_nobody", "sessions", "0"))))
            return
        }
        let body = one(
            of: "{", "null", "[]", "", "{}", #"{"messages":[]}"#, #"{"messages":"hello"}"#,
            #"{"messages":[{"role":"user"}]}"#,
            #"{"messages":[{"role":"user","content":7}]}"#, #"{"messages":[{"role":"robot","content":"hello"}]}"#)
        add("http", ("method", "POST"), ("path", "/api/chat"), ("bodyText", .string(body)))
        list()
    }

    /// A question of the largest size, or a byte more.
    mutating func sendLarge(surelyTaken isTaken: Bool = false) {
        let on: (String, JSONValue?) = ("on", .string(stranger))
        let limit = newName("limit")
        var save: JSONValue = [:]
        save[limit] = "/limits/maxFrameBytes"
        add("connect", on, ("save", save))
        let bytes = JSONValue.string(isTaken || happens(50) ? "${\(limit)}" : "${\(limit)+1}")
        let text: (String, JSONValue?) = ("text", "padded")
        let name: (String, JSONValue?) = ("as", .string(newName("c")))
        if isTaken || happens(50) {
            add("chat", on, name, text, ("bytes", bytes))
            add("await", on, ("type", ["done", "error", "close"]), ("optional", true))
        } else {
            add("postChat", name, text, ("bytes", bytes))
        }
        add("close", on)
    }

    private mutating func enterForeignSession() {
        guard isKept, let session = any(sessions), let device = any(open),
            device.principal != session.principal
        else { return }
        let on: (String, JSONValue?) = ("on", .string(device.letter))
        add("chat", on, ("as", .string(newName("c"))), ("session", ref(session.name)), ("text", "let me in"))
        add("fence", on)
    }

    /// The push service refuses the next notifications, or never answers them.
    mutating func refusePushes() {
        guard grammar.profiles.contains(.push), let principal = any(people) else { return }
        let (status, reason) = one(
            of: (503, "ServiceUnavailable"), (400, "PayloadEmpty"), (403, "InvalidProviderToken"),
            (413, "PayloadTooLarge"), (429, "TooManyRequests"), (410, "Unregistered"))
        // A device that is gone is missed by all who come later.
        guard status != 410 || grammar.isAlone else { return }
        // Whether a server knows it still when it starts again is its own affair.
        if status == 410 { hasGoneDevices = true }
        let whose: (String, JSONValue?) = ("principal", .string(principal))
        if happens(25), grammar.isAlone {
            add("pushAnswer", whose, ("hang", true))
        } else {
            add(
                "pushAnswer", whose, ("status", JSONValue(status)), ("reason", .string(reason)),
                ("times", JSONValue(status == 410 ? 3 : status >= 500 ? 4 : 1)))
        }
        callWhoLeft(principal)
        callWhoLeft(principal)
    }

    /// A person leaves while a turn runs; its answer is pushed.
    mutating func callWhoLeft(_ principal: String) {
        let letters = devices.filter { $0.principal == principal && $0.isOpen }.map(\.letter)
        for letter in letters {
            add("close", ("on", .string(letter)))
            close(letter)
        }
        let on: (String, JSONValue?) = ("on", .string(stranger))
        let session = newName("s")
        var save: JSONValue = [:]
        save[session] = "/sessionId"
        add("connect", on, ("principal", .string(principal)))
        add(
            "chat", on, ("as", .string(newName("c"))),
            (
                "script",
                [["tool": "webFetch"], ["wait": JSONValue(min(500, grammar.longestWatch))], ["reply": "called"]]
            ))
        add("await", on, ("type", "toolUse"), ("save", save))
        add("close", on)
        sessions.append(Session(name: session, principal: principal))
        add("watch", ("for", ["milliseconds": JSONValue(600)]))
        add("readSession", ("session", ref(session)), ("principal", .string(principal)))
        add("awaitPush", ("principal", .string(principal)), ("optional", true))
    }
}
