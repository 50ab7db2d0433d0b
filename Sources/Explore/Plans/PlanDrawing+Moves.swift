import Holdfast
import HoldfastJSON

// The actions of people, phones and machines.
extension PlanDrawing {
    var open: [Device] { devices.filter { $0.isOpen && !$0.isPaused && people.contains($0.principal) } }

    func ref(_ name: String) -> JSONValue { .string("${\(name)}") }

    mutating func change(_ letter: String, _ body: (inout Device) -> Void) {
        if let index = devices.firstIndex(where: { $0.letter == letter }) { body(&devices[index]) }
    }

    // MARK: connections

    mutating func connect(principal: String, as letter: String? = nil) {
        guard let letter = letter ?? letters.first(where: { letter in !devices.contains { $0.letter == letter } })
        else { return }
        var save: JSONValue?
        if keepsStream {
            let place = Place(principal: principal, epoch: newName("e"), seq: newName("n"))
            save = [:]
            save?[place.epoch] = "/epoch"
            save?[place.seq] = "/lastSeq"
            places.append(place)
            greeted[letter] = place
        }
        add("connect", ("on", .string(letter)), ("principal", shown(principal)), ("save", save))
        if devices.contains(where: { $0.letter == letter }) {
            change(letter) {
                $0.isOpen = true; $0.isPaused = false
            }
        } else {
            devices.append(Device(letter: letter, principal: principal))
        }
    }

    func shown(_ principal: String) -> JSONValue? { given(principal != "p1", .string(principal)) }

    /// A device comes, or comes back and asks for what it missed.
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
        if happens(70) {
            add("cut", ("on", .string(device.letter)), ("how", .string(one(of: "fin", "reset", "silence"))))
        } else {
            add("close", ("on", .string(device.letter)))
        }
        close(device.letter)
    }

    /// A connection whose order is known only while it is open loses it at its end.
    mutating func close(_ letter: String) {
        change(letter) { $0.isOpen = false }
        for index in questions.indices where questions[index].connection == letter { questions[index].isFirst = false }
    }

    mutating func stopReading() {
        guard let device = any(open) else { return }
        add("stopReading", ("on", .string(device.letter)))
        change(device.letter) { $0.isPaused = true }
        for _ in 1...chance.number(in: 1...4) { move() }
        guard devices.contains(where: { $0.letter == device.letter && $0.isPaused }) else { return }
        add("resumeReading", ("on", .string(device.letter)))
        change(device.letter) { $0.isPaused = false }
    }

    mutating func fence() {
        if let device = any(open) { add("fence", ("on", .string(device.letter))) }
    }

    // MARK: questions

    /// The contents of a question: the members that make it the same question.
    private mutating func content(session: String?, isSure: Bool = false) -> JSONObject {
        var members = JSONObject()
        if let session { members["session"] = ref(session) }
        if happens(15) {
            members["text"] = .string(any(Words.all) ?? "")
        } else {
            members["script"] = .array(script(isSure: isSure))
        }
        if happens(5) { members["context"] = [["role": "system", "content": "Be brief."]] }
        if happens(5) { members["extra"] = ["locale": "de", "unknown": [1, nil]] }
        if happens(6) { writeInAPart(&members) }
        return members
    }

    /// Writes a question with its words in a part: the same question in another form.
    private func writeInAPart(_ members: inout JSONObject) {
        let words = members["script"].map { (["script": $0] as JSONValue).text() } ?? members["text"]?.stringValue
        let part: JSONValue = ["type": "text", "text": .string(words ?? "")]
        let question: JSONValue = ["role": "user", "content": [part]]
        var extra = members["extra"] ?? [:]
        extra["messages"] = .array((members["context"]?.arrayValue ?? []) + [question])
        members["extra"] = extra
    }

    private mutating func script(isSure: Bool) -> [JSONValue] {
        var script: [JSONValue] = []
        for _ in 0..<one(of: 0, 0, 1, 1, 2, 5) {
            if happens(30) { script.append(["wait": JSONValue(one(of: 0, 5, 30, 120, 400))]) }
            var tool: JSONValue = ["tool": .string(any(Words.tools) ?? "")]
            if happens(30) { tool["input"] = ["query": .string(any(Words.all) ?? "")] }
            script.append(tool)
        }
        let waits = [1, 10, 60, 250, 900, 2_200].filter { $0 <= grammar.longestWatch }
        if happens(40), let wait = any(waits) { script.append(["wait": JSONValue(wait)]) }
        if !isSure, happens(12) {
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

    /// Asks over a connection; the first question of a session waits to know it.
    mutating func ask() {
        guard let device = any(open) else { return arrive() }
        let session = session(of: device.principal)
        // A key that differs from another one only in case is another key.
        let alike = happens(3) ? questions.last?.name.uppercased() : nil
        let isKnown = questions.contains { $0.name == alike }
        let question = Asked(
            name: isKnown ? newName("c") : alike ?? newName("c"), principal: device.principal,
            content: content(session: session, isSure: session == nil), connection: device.letter, isFirst: !isBeside)
        add(question, "chat", ("on", .string(device.letter)))
        questions.append(question)
        guard session == nil else { return }
        let name = newName("s")
        var save: JSONValue = [:]
        save[name] = "/sessionId"
        add(
            "await", ("on", .string(device.letter)), ("type", "ack"),
            ("where", ["/clientMessageId": ref(question.name)]), ("save", save))
        sessions.append(Session(name: name, principal: device.principal))
    }

    mutating func add(_ question: Asked, _ verb: String, _ members: (String, JSONValue?)...) {
        var step: JSONValue = ["do": .string(verb)]
        for (name, value) in members { if let value { step[name] = value } }
        step["as"] = .string(question.name)
        for member in question.content { step[member.key] = member.value }
        steps.append(step)
    }

    mutating func post() {
        guard let principal = any(people) else { return }
        let session = session(of: principal)
        let question = Asked(
            name: newName("c"), principal: principal, content: content(session: session, isSure: true),
            isFirst: !isBeside)
        guard session == nil, !refusesWrites else {
            add(question, "postChat", ("principal", shown(principal)))
            if !isBeside, happens(25) { leavePost(question.name) }
            return questions.append(question)
        }
        let name = newName("s")
        var save: JSONValue = [:]
        save[name] = "/sessionId"
        add(question, "postChat", ("principal", shown(principal)), ("save", save))
        questions.append(question)
        sessions.append(Session(name: name, principal: principal))
    }

    /// Leaves the question that was drawn last before its response.
    private mutating func leavePost(_ name: String) {
        let post = steps.removeLast()
        var branch: [JSONValue] = []
        if happens(60) {
            branch.append(["do": "watch", "for": ["milliseconds": JSONValue(one(of: 1, 10, 60, 250))]])
        }
        branch.append(["do": "leave", "question": .string(name), "how": .string(one(of: "fin", "reset"))])
        add("together", ("branches", [[post], .array(branch)]))
    }

    /// The same question once more, over either transport; or another one under its key.
    mutating func askAgain() {
        // A question of another branch may be in a session that only that branch knows.
        let known = questions.filter { question in
            people.contains(question.principal)
                && question.content["session"].map { session in sessions.contains { ref($0.name) == session } } ?? true
        }
        guard let asked = happens(60) ? known.last : any(known) else { return }
        var question = asked
        let own = sessions.filter { $0.principal == asked.principal }
        let isOther = asked.isFirst && !isBeside && happens(25)
        if isOther {
            // Which of two questions came first is known only where one of them cannot overtake the other.
            var content = asked.content
            if happens(60) {
                content["script"] = nil
                content["extra"] = nil
                content["text"] = "something else"
            } else if let other = any(own) {
                content["session"] = ref(other.name)
            }
            question = Asked(name: asked.name, principal: asked.principal, content: content)
        } else if !isBeside, happens(8), let stranger = any(people.filter({ $0 != asked.principal })) {
            var content = asked.content
            content["session"] = nil
            content["clientMessageId"] = ref(asked.name)
            let other = Asked(name: newName("c"), principal: stranger, content: content)
            return add(other, "postChat", ("principal", shown(stranger)))
        } else if happens(25) {
            var content = asked.content
            if content["extra"]?["messages"] == nil { writeInAPart(&content) } else { content["extra"] = nil }
            question = Asked(name: asked.name, principal: asked.principal, content: content)
        }
        let devices = open.filter { device in
            device.principal == asked.principal
                && (!isOther || asked.connection == nil || asked.connection == device.letter)
        }
        if let device = any(devices), happens(60) || isOther && asked.connection != nil {
            add(question, "chat", ("on", .string(device.letter)))
        } else if !isOther || asked.connection == nil {
            add(question, "postChat", ("principal", shown(asked.principal)))
        }
    }

    /// A whole line of questions, up to the budget and beyond.
    mutating func many() {
        guard let device = any(open), let session = any(sessions.filter { $0.principal == device.principal }) else {
            return
        }
        let name = newName("m") + "x"
        let times = chance.number(in: 3...16)
        let isInSession = happens(70)
        let isSlow = happens(50)
        func content(_ number: String) -> JSONObject {
            let reply: JSONValue = ["reply": .string("answer \(number)")]
            var content = JSONObject()
            if isInSession { content["session"] = ref(session.name) }
            content["script"] = isSlow ? [["wait": 20], ["tool": "webFetch"], reply] : [reply]
            return content
        }
        var question: JSONValue = ["do": "chat", "on": .string(device.letter), "as": .string("\(name)${i}")]
        for member in content("${i}") { question[member.key] = member.value }
        add(
            "repeat", ("times", JSONValue(times)), ("counter", "i"), ("parallel", given(happens(30), true)),
            ("steps", [question]))
        // The last may have been refused, and is free to be asked again.
        guard isInSession else { return }
        questions.append(
            Asked(
                name: "\(name)\(times)", principal: device.principal, content: content("\(times)"),
                connection: device.letter, isFirst: false))
        guard grammar.profiles.contains(.rateLimit), happens(50) else { return }
        if happens(50), grammar.isAlone, times > 12 { return waitAsTold(on: device.letter) }
        add("watch", ("for", ["milliseconds": JSONValue(min(2_500, grammar.longestWatch))]))
        askAgain()
    }

    /// The budget is spent, and the next question comes as soon as the server said that it may.
    mutating func waitAsTold(on letter: String) {
        let on: (String, JSONValue?) = ("on", .string(letter))
        let (name, wait) = (newName("c"), newName("wait"))
        var save: JSONValue = [:]
        save[wait] = "/retryAfterMs"
        let script: (String, JSONValue?) = ("script", [["reply": "in time"]])
        add("chat", on, ("as", .string(name)), script)
        add("await", on, ("type", "error"), ("where", ["/code": "rate_limited"]), ("save", save))
        add("watch", ("for", ["milliseconds": .string("${\(wait)}")]))
        add("chat", on, ("as", .string(name)), script)
        add("fence", on)
    }

    /// A question that is refused, and asked again as it should have been.
    mutating func askWrongly() {
        guard let device = any(open) else { return }
        let content = content(session: nil, isSure: true)
        var wrong = content
        wrong["session"] = "ses_of_nobody"
        let name = newName("c")
        for content in [wrong, content] {
            let asked = Asked(name: name, principal: device.principal, content: content, connection: device.letter)
            if happens(70) {
                add(asked, "chat", ("on", .string(device.letter)))
                if happens(60) { add("fence", ("on", .string(device.letter))) }
            } else {
                add(asked, "postChat", ("principal", shown(device.principal)))
            }
        }
    }

    /// Waits for the end of a question on the connection that brought it; elsewhere it may have been shown before.
    mutating func waitForEnd() {
        let letters = Set(open.map(\.letter))
        guard
            let index = questions.lastIndex(where: { asked in
                !asked.isAwaited && asked.isFirst && asked.connection.map(letters.contains) ?? false
            }), let letter = questions[index].connection
        else { return }
        questions[index].isAwaited = true
        add(
            "await", ("on", .string(letter)), ("type", ["done", "error"]),
            ("where", ["/clientMessageId": ref(questions[index].name)]), ("optional", true))
        // The same question after its end is owed a copy of that.
        guard happens(35) else { return }
        let asked = questions[index]
        add(asked, "chat", ("on", .string(letter)))
        if happens(40) { add("watch", ("for", ["milliseconds": JSONValue(min(2_500, grammar.longestWatch))])) }
    }

    // MARK: recovery

    mutating func sync() {
        guard keepsStream, let device = any(open) else { return }
        sync(on: device.letter, of: device.principal)
    }

    mutating func sync(on letter: String, of principal: String) {
        guard let place = any(places.filter { $0.principal == principal }) else { return }
        sync(on: letter, from: place)
    }

    private mutating func sync(on letter: String, from place: Place) {
        var position: JSONValue = ref(place.seq)
        var epoch: JSONValue? = ref(place.epoch)
        switch chance.number(in: 1...100) {
        case ...45: break
        case ...65: position = .string("${\(place.seq)+\(chance.number(in: 1...9))}")
        case ...80: position = 0
        case ...86:
            position = 0
            epoch = nil
        case ...92: epoch = "an-epoch-of-nobody"
        case ...96: epoch = nil
        default: position = JSONValue(one(of: 100_000, 9_007_199_254_740_991))
        }
        add(
            "sync", ("on", .string(letter)), ("lastSeqSeen", position), ("epoch", epoch),
            ("limit", given(happens(35), JSONValue(chance.number(in: 1...5)))))
        guard happens(70) else { return }
        let next = Place(principal: place.principal, epoch: newName("e"), seq: newName("n"))
        var save: JSONValue = [:]
        save[next.epoch] = "/epoch"
        save[next.seq] = "/lastSeq"
        add("await", ("on", .string(letter)), ("type", "syncResult"), ("save", save))
        places.append(next)
    }

    mutating func read() {
        guard let session = any(sessions.filter { people.contains($0.principal) }) else { return }
        let reader = happens(95) ? session.principal : any(people) ?? session.principal
        add("readSession", ("session", ref(session.name)), ("principal", shown(reader)))
    }

    mutating func list() {
        if let principal = any(people) { add("listSessions", ("principal", shown(principal))) }
    }

    mutating func watch() {
        let time = one(of: 1, 5, 20, 60, 150, 400, 1_100, 2_500, 5_000)
        guard time <= grammar.longestWatch else { return }
        add("watch", ("for", ["milliseconds": JSONValue(time)]))
    }

    // MARK: trouble

    /// Some moves at the same time; each knows what was there before, and the questions of the others.
    mutating func together() {
        guard !open.isEmpty else { return arrive() }
        let before = self
        var after = self
        var branches: [JSONValue] = []
        isBeside = true
        for _ in 0..<chance.number(in: 2...3) {
            (steps, devices, places, sessions) = ([], before.devices, before.places, before.sessions)
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
            if !steps.isEmpty { branches.append(.array(steps)) }
            for device in devices where !device.isOpen { after.close(device.letter) }
            after.places += places.dropFirst(before.places.count)
            after.sessions += sessions.dropFirst(before.sessions.count)
        }
        isBeside = false
        (steps, devices, places, sessions) = (before.steps, after.devices, after.places, after.sessions)
        for index in questions.indices where !open.contains(where: { $0.letter == questions[index].connection }) {
            if questions[index].connection != nil { questions[index].isFirst = false }
        }
        guard let first = branches.first else { return }
        if branches.count > 1 {
            add("together", ("branches", .array(branches)))
        } else {
            steps += first.arrayValue ?? []
        }
    }

    mutating func crash() {
        guard grammar.startsServer, !refusesWrites, !hasGoneDevices, !devices.contains(where: \.isPaused) else {
            return
        }
        if happens(35) { return crashInATurn() }
        if happens(60) {
            let pause = given(happens(50), ["milliseconds": JSONValue(one(of: 1, 3, 10, 40))])
            add("kill", ("after", pause))
        } else {
            add("stop")
        }
        add("start")
        for device in devices { close(device.letter) }
        arrive()
    }

    /// Ends the process while a turn runs, and asks what became of it: on the stream, in the session and by its key.
    private mutating func crashInATurn() {
        guard let device = any(open), let session = any(sessions.filter { $0.principal == device.principal }) else {
            return
        }
        let on = ("on", JSONValue.string(device.letter) as JSONValue?)
        let name = newName("c")
        var content = JSONObject()
        content["session"] = ref(session.name)
        content["script"] = [
            ["tool": "webFetch"], ["wait": JSONValue(min(2_200, grammar.longestWatch))], ["reply": "late"],
        ]
        let broken = Asked(name: name, principal: device.principal, content: content)
        add(broken, "chat", on)
        questions.append(broken)
        add(
            "await", on, ("type", "toolUse"), ("where", ["/clientMessageId": ref(name)]),
            ("optional", true))
        add(happens(70) ? "kill" : "stop")
        add("start")
        let before = greeted[device.letter]
        for device in devices { close(device.letter) }
        connect(principal: device.principal, as: device.letter)
        if let before { sync(on: device.letter, from: before) }
        if happens(60) { askAgain() }
        content["script"] = [["tool": "webFetch"], ["reply": "after"]]
        let next = Asked(
            name: newName("c"), principal: device.principal, content: content, connection: device.letter)
        add(next, "chat", on)
        questions.append(next)
        waitForEnd()
    }

    mutating func refuseWrites() {
        guard grammar.startsServer, !refusesWrites else { return }
        // A turn that runs when the disk begins to refuse has its question stored, and its answer not.
        if happens(50), !sessions.isEmpty { ask() }
        refusesWrites = true
        add("refuseWrites")
        for _ in 1...chance.number(in: 1...3) {
            // A session that is not stored has no name: such a question is not asked.
            let before = self
            ask()
            if sessions.count > before.sessions.count {
                let chance = chance
                self = before
                self.chance = chance
            }
            if happens(40) { read() }
            if happens(40) { watch() }
        }
        add("acceptWrites")
        refusesWrites = false
        if happens(40) { crash() }
    }

    mutating func hostile() {
        guard let device = any(open) else { return }
        let lane = JSONValue.string(device.letter)
        switch chance.number(in: 1...9) {
        case 1, 9:
            add("sendText", ("on", lane), ("text", .string(one(of: "{", "null", "[]", "{\"type\":7}", "", "\u{1}"))))
        case 2: add("send", ("on", lane), ("frame", ["type": "presence", "of": "me"]))
        case 3: add("send", ("on", lane), ("frame", ["type": "chat", "messages": []]))
        case 4:
            let position: JSONValue = one(of: -1, "0", 1.5, nil)
            add("send", ("on", lane), ("frame", ["type": "sync", "lastSeqSeen": position]))
        case 5: add("send", ("on", lane), ("frame", ["type": "auth", "protocol": 1]))
        case 6: add("sendBinary", ("on", lane), ("hex", "00ff7b7d"))
        case 7:
            add(
                "send", ("on", lane),
                (
                    "frame",
                    [
                        "type": "chat", "sessionId": "../../etc/passwd", "clientMessageId": "odd",
                        "messages": [["role": "user", "content": "hello"]],
                    ]
                ))
        default:
            add(
                "send", ("on", lane),
                (
                    "frame",
                    [
                        "type": "chat", "sessionId": "ses_of_nobody", "clientMessageId": .string(newName("k")),
                        "messages": [["role": "user", "content": "hello"]],
                    ]
                ))
        }
        add("fence", ("on", lane))
    }

    /// At the end all devices look at what was missed and stored.
    mutating func end() {
        for device in devices where device.isPaused { add("resumeReading", ("on", .string(device.letter))) }
        add("watch", ("for", ["milliseconds": JSONValue(min(one(of: 1_500, 5_000), grammar.longestWatch))]))
        if happens(70) {
            for principal in people {
                guard let device = devices.first(where: { $0.principal == principal && !$0.isOpen }) else { continue }
                connect(principal: principal, as: device.letter)
                if keepsStream { sync(on: device.letter, of: principal) }
            }
        }
        for session in sessions {
            add("readSession", ("session", ref(session.name)), ("principal", shown(session.principal)))
        }
        for principal in people { add("listSessions", ("principal", shown(principal))) }
    }
}
