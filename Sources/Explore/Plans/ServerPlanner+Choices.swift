import Holdfast
import HoldfastJSON

// The small acts of people, phones and machines.
extension ServerPlanner {
    static let choices: [StepChoice<ServerPlanner>] = [
        StepChoice(weight: 4, isLarge: true) { $0.combineFeatures() },
        StepChoice(weight: 3, isLarge: true) { $0.combineFeatures(\.endsProcess) },
        StepChoice(weight: 1, isLarge: true) { $0.combineFeatures(\.refusesWrites) },
        StepChoice(weight: 10, isVital: true) { $0.ask() },
        StepChoice(weight: 5) { $0.post() },
        StepChoice(weight: 6) { $0.askAgain() },
        StepChoice(weight: 2) { $0.askWrongly() },
        StepChoice(weight: 6) { $0.sync() },
        StepChoice(weight: 5) { $0.leave() },
        StepChoice(weight: 7, isVital: true) { $0.arrive() },
        StepChoice(weight: 5, isVital: true) { $0.read() },
        StepChoice(weight: 3) { $0.list() },
        StepChoice(weight: 3, isVital: true) { $0.fence() },
        StepChoice(weight: 4, isVital: true) { $0.watch() },
        StepChoice(weight: 4) { $0.together() },
        StepChoice(weight: 4) { $0.hostile() },
        StepChoice(weight: 4) { $0.accessForeignData() },
        StepChoice(weight: 2) { $0.waitForEnd() },
        StepChoice(weight: 1, isLarge: true) { if let device = $0.any($0.open) { $0.pause(device.letter) } },
    ]

    var open: [Device] { devices.filter { $0.isOpen && !$0.isPaused && people.contains($0.principal) } }

    mutating func change(_ letter: String, _ body: (inout Device) -> Void) {
        if let index = devices.firstIndex(where: { $0.letter == letter }) { body(&devices[index]) }
    }

    // MARK: connections

    /// The name of a person as a step states it; nil for p1, which it need not state.
    func stated(_ principal: String) -> String? { principal == "p1" ? nil : principal }

    mutating func connect(principal: String, as letter: String? = nil, clientId: String? = nil) {
        guard let letter = letter ?? letters.first(where: { letter in !devices.contains { $0.letter == letter } })
        else { return }
        var save: JSONValue?
        if keepsStream {
            let position = newPosition(of: principal)
            save = saving(position)
            greeted[letter] = position
        }
        add("connect", ["on": letter, "principal": stated(principal), "save": save, "clientId": clientId])
        if devices.contains(where: { $0.letter == letter }) {
            change(letter) { ($0.isOpen, $0.isPaused) = (true, false) }
        } else {
            devices.append(Device(letter: letter, principal: principal))
        }
    }

    private mutating func newPosition(of principal: String) -> Position {
        let position = Position(principal: principal, epoch: newName("e"), seq: newName("n"))
        positions.append(position)
        return position
    }

    private func saving(_ position: Position) -> JSONValue { [position.epoch: "/epoch", position.seq: "/lastSeq"] }

    /// An open device of a person, opened if necessary.
    mutating func device(of person: String) -> String {
        if let known = devices.first(where: { $0.principal == person && $0.isOpen && !$0.isPaused }) {
            return known.letter
        }
        connect(principal: person, as: devices.first { $0.principal == person && !$0.isOpen }?.letter)
        steering.raise(.openAtOnce, to: devices.count { $0.principal == person && $0.isOpen })
        return devices.last { $0.principal == person && $0.isOpen }?.letter ?? "A"
    }

    /// A device connects, or reconnects and asks for what it missed.
    mutating func arrive() {
        let away = devices.filter { !$0.isOpen && people.contains($0.principal) }
        if let device = any(away), happens(75) {
            connect(principal: device.principal, as: device.letter)
            if keepsStream, happens(60) { sync(on: device.letter, of: device.principal) }
        } else if devices.count < 6, let principal = any(people) {
            connect(principal: principal)
        }
    }

    mutating func leave() {
        guard let device = any(open) else { return }
        if happens(70) { cut(device.letter) } else { hangUp(device.letter) }
    }

    mutating func cut(_ letter: String) {
        add("cut", ["on": letter, "how": one(of: "fin", "reset", "silence")])
        close(letter)
    }

    mutating func hangUp(_ letter: String) {
        add("close", ["on": letter])
        close(letter)
    }

    /// Marks a device as closed; from then on, the order of its questions is unknown.
    mutating func close(_ letter: String) {
        change(letter) { $0.isOpen = false }
        for index in questions.indices where questions[index].connection == letter { questions[index].isFirst = false }
    }

    mutating func fence() {
        if let device = any(open) { add("fence", ["on": device.letter]) }
    }

    // MARK: questions

    private mutating func content(session: String?, succeeds: Bool = false) -> JSONObject {
        var members = JSONObject()
        if let session { members["session"] = ref(session) }
        if happens(15) {
            members["text"] = .string(any(Words.all) ?? "")
        } else {
            members["script"] = .array(script(succeeds: succeeds))
        }
        if happens(5) { members["context"] = Words.context }
        if happens(5) { members["extra"] = Words.extra }
        if happens(6) { writeAsPart(&members) }
        return members
    }

    /// Writes a question's text as a part: the same question in another form.
    private func writeAsPart(_ members: inout JSONObject) {
        let words = members["script"].map { (["script": $0] as JSONValue).text() } ?? members["text"]?.stringValue
        let part: JSONValue = ["type": "text", "text": .string(words ?? "")]
        let question: JSONValue = ["role": "user", "content": [part]]
        var extra = members["extra"] ?? [:]
        extra["messages"] = .array((members["context"]?.arrayValue ?? []) + [question])
        members["extra"] = extra
    }

    private mutating func script(succeeds: Bool) -> [JSONValue] {
        var script: [JSONValue] = []
        for _ in 0..<one(of: 0, 0, 1, 1, 2, 5) {
            if happens(30) { script.append(["wait": JSONValue(one(of: 0, 5, 30, 120, 400))]) }
            var tool: JSONValue = ["tool": .string(any(Words.tools) ?? "")]
            if happens(30) { tool["input"] = ["query": .string(any(Words.all) ?? "")] }
            script.append(tool)
        }
        let waits = [1, 10, 60, 250, 900, 2_200].filter { $0 <= grammar.longestWatch }
        if happens(40), let wait = any(waits) { script.append(["wait": JSONValue(wait)]) }
        if !succeeds, happens(12) {
            script.append(["fail": "model exploded"])
        } else {
            script.append(["reply": .string(any(Words.all) ?? "")])
        }
        return script
    }

    private mutating func session(of principal: String) -> String? {
        let own = sessions.filter { $0.principal == principal }
        return happens(own.count < 2 ? 60 : 90) ? any(own)?.name : nil
    }

    private mutating func add(
        _ question: Asked, _ verb: String, _ members: KeyValuePairs<String, (any JSONRepresentable)?>
    ) {
        steps.append(
            JSONValue(members: ["do": verb]).adding(JSONValue(members: members))
                .adding(JSONValue(members: ["as": question.name])).adding(.object(question.content)))
    }

    mutating func chat(_ question: Asked, on letter: String) { add(question, "chat", ["on": letter]) }

    mutating func post(_ question: Asked, saving name: String? = nil) {
        let save = name.map { [$0: "/sessionId"] as JSONValue }
        add(question, "postChat", ["principal": stated(question.principal), "save": save])
    }

    /// Waits for the session that a question begins, and returns its name.
    @discardableResult
    mutating func newSession(of asked: Asked) -> String {
        let name = newName("s")
        // A refused question begins no session.
        add(
            "await",
            [
                "on": asked.connection, "type": ["ack", "error"],
                "where": ["/clientMessageId": ref(asked.name)] as JSONValue,
                "save": [name: "/sessionId"] as JSONValue,
            ])
        note(session: name, of: asked.principal)
        return name
    }

    mutating func note(session name: String, of principal: String) {
        sessions.append(Session(name: name, principal: principal))
        sizes[name] = 2
    }

    /// Asks over a connection; after the first question of a session, a step waits for the session's id.
    private mutating func ask() {
        guard let device = any(open) else { return arrive() }
        let session = session(of: device.principal)
        // A session that is not stored has no name.
        guard session != nil || !refusesWrites else { return }
        // Keys that differ only in case are different keys.
        let alike = happens(3) ? questions.last?.name.uppercased() : nil
        let isKnown = questions.contains { $0.name == alike }
        let question = Asked(
            name: isKnown ? newName("c") : alike ?? newName("c"), principal: device.principal,
            content: content(session: session, succeeds: session == nil), connection: device.letter,
            isFirst: !isInBranch)
        chat(question, on: device.letter)
        questions.append(question)
        if session == nil { newSession(of: question) }
    }

    private mutating func post() {
        guard let principal = any(people) else { return }
        let session = session(of: principal)
        let question = Asked(
            name: newName("c"), principal: principal, content: content(session: session, succeeds: true),
            isFirst: !isInBranch)
        questions.append(question)
        guard session == nil, !refusesWrites else {
            post(question)
            if !isInBranch, happens(25) { add("together", ["branches": [[steps.removeLast()], leaving(question)]]) }
            return
        }
        let name = newName("s")
        post(question, saving: name)
        note(session: name, of: principal)
    }

    /// The steps that leave a question before its response.
    mutating func leaving(_ question: Asked) -> [JSONValue] {
        [
            ["do": "watch", "for": ["milliseconds": JSONValue(one(of: 1, 5, 20, 60, 250))]],
            ["do": "leave", "question": .string(question.name), "how": .string(one(of: "fin", "reset"))],
        ]
    }

    private mutating func askAgain() {
        // A question of another branch may be in a session that only that branch knows.
        let known = questions.filter { question in
            people.contains(question.principal)
                && question.content["session"].map { session in sessions.contains { ref($0.name) == session } } ?? true
        }
        if let asked = happens(60) ? known.last : any(known) { askAgain(asked, isFirst: asked.isFirst && !isInBranch) }
    }

    /// Repeats a question, over either transport; or sends another question under its key.
    ///
    /// * `isFirst`: Whether the first question surely arrived first; otherwise the order of the two is unknown.
    mutating func askAgain(_ asked: Asked, isFirst: Bool) {
        var content = asked.content
        let isDifferent = isFirst && happens(25)
        if isDifferent {
            if happens(60) {
                (content["script"], content["extra"], content["text"]) = (nil, nil, "something else")
            } else if let other = any(sessions.filter { $0.principal == asked.principal }) {
                content["session"] = ref(other.name)
            }
        } else if !isInBranch, happens(8), let stranger = any(people.filter({ $0 != asked.principal })) {
            content["session"] = nil
            content["clientMessageId"] = ref(asked.name)
            return post(Asked(name: newName("c"), principal: stranger, content: content))
        } else if happens(25) {
            if content["extra"]?["messages"] == nil { writeAsPart(&content) } else { content["extra"] = nil }
        }
        let question = Asked(name: asked.name, principal: asked.principal, content: content)
        let devices = open.filter { device in
            device.principal == asked.principal
                && (!isDifferent || asked.connection == nil || asked.connection == device.letter)
        }
        if let device = any(devices), happens(60) || isDifferent && asked.connection != nil {
            chat(question, on: device.letter)
        } else if !isDifferent || asked.connection == nil {
            post(question)
        }
    }

    /// A question that is refused, then repeated correctly.
    mutating func askWrongly() {
        guard let device = any(open) else { return }
        let content = content(session: nil, succeeds: true)
        var wrong = content
        wrong["session"] = "ses_of_nobody"
        let name = newName("c")
        for content in [wrong, content] {
            let asked = Asked(name: name, principal: device.principal, content: content, connection: device.letter)
            if happens(30) {
                post(asked)
            } else {
                chat(asked, on: device.letter)
                if happens(60) { add("fence", ["on": device.letter]) }
            }
        }
    }

    /// Waits for the end of a question on its own connection; others may have received it earlier.
    private mutating func waitForEnd() {
        let letters = Set(open.map(\.letter))
        guard
            let index = questions.lastIndex(where: { asked in
                !asked.isAwaited && asked.isFirst && asked.connection.map(letters.contains) ?? false
            }), let letter = questions[index].connection
        else { return }
        questions[index].isAwaited = true
        let asked = questions[index]
        add(
            "await",
            [
                "on": letter, "type": ["done", "error"],
                "where": ["/clientMessageId": ref(asked.name)] as JSONValue, "optional": true,
            ])
        // A repeat after the end must get a copy of the end.
        guard happens(35) else { return }
        chat(asked, on: letter)
        if happens(40) { watch(upTo: 2_500) }
    }

    // MARK: recovery

    private mutating func sync() {
        guard keepsStream, let device = any(open) else { return }
        sync(on: device.letter, of: device.principal)
    }

    mutating func sync(on letter: String, of principal: String) {
        guard let position = any(positions.filter { $0.principal == principal }) else { return }
        sync(on: letter, from: position)
    }

    mutating func sync(on letter: String, from position: Position) {
        var seq: JSONValue = ref(position.seq)
        var epoch: JSONValue? = ref(position.epoch)
        switch chance.number(in: 1...100) {
        case ...45: break
        case ...65: seq = .string("${\(position.seq)+\(chance.number(in: 1...9))}")
        case ...80: seq = 0
        case ...86: (seq, epoch) = (0, nil)
        case ...92: epoch = "an-epoch-of-nobody"
        case ...96: epoch = nil
        default: seq = JSONValue(one(of: 100_000, 9_007_199_254_740_991))
        }
        let size = one(of: chance.number(in: 1...5), chance.number(in: 6...99), chance.number(in: 100...1_000))
        let limit = given(happens(35), JSONValue(size))
        add("sync", ["on": letter, "lastSeqSeen": seq, "epoch": epoch, "limit": limit])
        guard happens(70) else { return }
        let next = newPosition(of: position.principal)
        add("await", ["on": letter, "type": "syncResult", "save": saving(next)])
    }

    private mutating func read() {
        guard let session = any(sessions.filter { people.contains($0.principal) }) else { return }
        read(session.name, happens(95) ? session.principal : any(people) ?? session.principal)
    }

    mutating func read(_ session: String, _ person: String) {
        add("readSession", ["session": ref(session), "principal": stated(person)])
    }

    mutating func list() {
        if let principal = any(people) { add("listSessions", ["principal": stated(principal)]) }
    }

    private mutating func watch() {
        let time = one(of: 1, 5, 20, 60, 150, 400, 1_100, 2_500, 5_000)
        if time <= grammar.longestWatch { watch(upTo: time) }
    }

    mutating func watch(upTo milliseconds: Int) {
        add("watch", ["for": ["milliseconds": JSONValue(min(milliseconds, grammar.longestWatch))] as JSONValue])
    }

    /// Several acts at the same time; each knows the earlier state, and the questions of the others.
    private mutating func together() {
        guard !isInBranch else { return }
        guard !open.isEmpty else { return arrive() }
        let before = self
        var after = self
        var branches: [[JSONValue]] = []
        isInBranch = true
        for _ in 0..<chance.number(in: 2...3) {
            (steps, devices, positions, sessions) = ([], before.devices, before.positions, before.sessions)
            for _ in 0..<chance.number(in: 1...2) where !open.isEmpty {
                switch chance.number(in: 1...7) {
                case 1, 2: ask()
                case 3: post()
                case 4: askAgain()
                case 5: sync()
                case 6: read()
                default: leave()
                }
            }
            if !steps.isEmpty { branches.append(steps) }
            for device in devices where !device.isOpen { after.close(device.letter) }
            after.positions += positions.dropFirst(before.positions.count)
            after.sessions += sessions.dropFirst(before.sessions.count)
        }
        isInBranch = false
        (steps, devices, positions, sessions) = (before.steps, after.devices, after.positions, after.sessions)
        for index in questions.indices where !open.contains(where: { $0.letter == questions[index].connection }) {
            if questions[index].connection != nil { questions[index].isFirst = false }
        }
        if branches.count > 1 { add("together", ["branches": branches]) } else { steps += branches.flatMap(\.self) }
    }

    // MARK: strangers

    private static let question: JSONValue = ["role": "user", "content": "hello"]
    private static let frames: [JSONValue] = [
        ["type": "presence", "of": "me"], ["type": "chat", "messages": []], ["type": "sync", "lastSeqSeen": -1],
        ["type": "sync", "lastSeqSeen": "0"], ["type": "sync", "lastSeqSeen": 1.5],
        ["type": "sync", "lastSeqSeen": nil], ["type": "auth", "protocol": 1],
        ["type": "chat", "sessionId": "../../etc/passwd", "clientMessageId": "odd", "messages": [question]],
    ]
    private static let bodies = [
        "{", "null", "[]", "", "{}", #"{"messages":[]}"#, #"{"messages":"hello"}"#, #"{"messages":[{"role":"user"}]}"#,
        #"{"messages":[{"role":"user","content":7}]}"#, #"{"messages":[{"role":"robot","content":"hello"}]}"#,
    ]

    mutating func hostile() {
        guard let device = any(open) else { return }
        switch chance.number(in: 1...6) {
        case 1:
            let text = one(of: "{", "null", "[]", "{\"type\":7}", "", "\u{1}")
            add("sendText", ["on": device.letter, "text": text])
        case 2: add("sendBinary", ["on": device.letter, "hex": "00ff7b7d"])
        case 3:
            let frame: JSONValue = [
                "type": "chat", "sessionId": "ses_of_nobody", "clientMessageId": .string(newName("k")),
                "messages": [Self.question],
            ]
            add("send", ["on": device.letter, "frame": frame])
        default: add("send", ["on": device.letter, "frame": any(Self.frames)])
        }
        add("fence", ["on": device.letter])
    }

    mutating func accessForeignData() {
        guard !isInBranch else { return }
        switch chance.number(in: 1...7) {
        case 1: connectWrongly()
        case 2: sendBeforeAuth()
        case 3: requestWithoutToken()
        case 4: requestBadly()
        case 5: sendLarge()
        case 6: askWrongly()
        default: enterForeignSession()
        }
    }

    mutating func connectWrongly() {
        let wrong = hasAuth ? chance.number(in: 1...3) : 3
        // The name of an open device proves nothing.
        let known = wrong == 1 && happens(50) ? any(open).map { "device-\($0.letter)-${run}" } : nil
        add(
            "connect",
            [
                "on": stranger, "token": wrong == 1 ? "wrong-${run}" : given(wrong == 2, .null),
                "protocol": given(wrong == 3, JSONValue(one(of: 2, 3, 999))), "clientId": known, "optional": true,
            ])
        add("awaitClose", ["on": stranger, "optional": true])
        add("close", ["on": stranger])
    }

    /// Frames, or nothing, from a device that has not authenticated.
    mutating func sendBeforeAuth() {
        add("connect", ["on": stranger, "handshake": false])
        if hasAuth, isQuick, happens(50) {
            if happens(50) { add("ping", ["on": stranger]) }
            let time: JSONValue = ["seconds": "${authSeconds+5}"]
            add("awaitClose", ["on": stranger, "after": time, "optional": true])
        } else {
            let key = JSONValue.string(newName("early"))
            let frame: JSONValue =
                happens(60)
                ? ["type": "chat", "messages": [Self.question], "clientMessageId": key]
                : ["type": "sync", "lastSeqSeen": 0]
            add("send", ["on": stranger, "frame": frame])
            add("await", ["on": stranger, "type": ["error", "close"], "optional": true])
        }
        add("close", ["on": stranger])
        list()
    }

    mutating func requestWithoutToken() {
        guard hasAuth else { return }
        let token: JSONValue = happens(50) ? nil : "wrong-${run}"
        switch chance.number(in: 1...5) {
        case 1: add("listSessions", ["token": token])
        case 2: if let session = any(sessions) { add("readSession", ["session": ref(session.name), "token": token]) }
        case 3:
            let body: JSONValue = ["messages": [Self.question], "clientMessageId": .string(newName("none"))]
            add("http", ["method": "POST", "path": "/api/chat", "token": token, "body": body])
        case 4: add("http", ["method": "GET", "path": "/api/sessions?token=${p1Token}", "token": JSONValue.null])
        default: add("http", ["method": "GET", "path": "/api/health", "token": JSONValue.null])
        }
    }

    private mutating func requestBadly() {
        if happens(30) {
            add("readSession", ["session": one(of: "index", "ses_of_nobody", "sessions", "0")])
        } else {
            add("http", ["method": "POST", "path": "/api/chat", "bodyText": any(Self.bodies)])
            list()
        }
    }

    /// A question of the largest size, or a byte more.
    mutating func sendLarge(surelyAccepted isAccepted: Bool = false) {
        let limit = newName("limit")
        add("connect", ["on": stranger, "save": [limit: "/limits/maxFrameBytes"] as JSONValue])
        let bytes = isAccepted || happens(50) ? "${\(limit)}" : "${\(limit)+1}"
        if isAccepted || happens(50) {
            add("chat", ["on": stranger, "as": newName("c"), "text": "padded", "bytes": bytes])
            add("await", ["on": stranger, "type": ["done", "error", "close"], "optional": true])
        } else {
            add("postChat", ["as": newName("c"), "text": "padded", "bytes": bytes])
        }
        add("close", ["on": stranger])
    }

    private mutating func enterForeignSession() {
        guard hasAuth, let session = any(sessions), let device = any(open), device.principal != session.principal
        else { return }
        add("chat", ["on": device.letter, "as": newName("c"), "session": ref(session.name), "text": "let me in"])
        add("fence", ["on": device.letter])
    }
}
