import Holdfast
import HoldfastJSON
import HoldfastJudge

/// Something that people or machines do in the life of a server, again and again.
struct ServerFeature: SteeredFeature {
    let name: String
    var raises: [Reach.Dimension] = []
    var needs: Set<Profile> = []
    var needsStart = false
    /// Whether a limit of questions must be small enough to be used up in a moment.
    var needsBudget = false
    /// Whether the process ends in it and is started again.
    var endsProcess = false
    var refusesWrites = false
    /// Whether the process may end, or refuse to write, while it goes on.
    var isSturdy = true
    let draw: @Sendable (inout ServerLifeDrawing) -> Void

    /// Whether both may happen at the same time.
    func isCompatible(with other: ServerFeature) -> Bool {
        let isRough = endsProcess || refusesWrites
        let isOtherRough = other.endsProcess || other.refusesWrites
        return !(isRough && isOtherRough) && !(isRough && !other.isSturdy) && !(isOtherRough && !isSturdy)
    }

    static let all: [ServerFeature] = [
        ServerFeature(name: "long session", raises: [.sessionMessages, .keys]) { $0.growHome() },
        ServerFeature(name: "new sessions", raises: [.sessions, .unacknowledged]) { $0.beginSessions() },
        ServerFeature(name: "line", raises: [.inLine]) { $0.standInLine() },
        ServerFeature(name: "many devices", raises: [.openAtOnce]) { $0.crowd() },
        ServerFeature(name: "cuts", raises: [.cuts]) { $0.flicker() },
        ServerFeature(name: "behind", raises: [.pages, .framesDuringSync], needs: [.sync]) { $0.fallBehind() },
        ServerFeature(name: "repeats", raises: [.repeatQuestions]) { $0.askOldAgain() },
        ServerFeature(name: "texts", raises: [.kindsOfText]) { $0.askInKinds() },
        ServerFeature(name: "large texts", raises: [.textBytes, .readBytes]) { $0.askAtLength() },
        ServerFeature(name: "failures") { $0.fail() },
        ServerFeature(name: "REST at once") { $0.postAtOnce() },
        ServerFeature(name: "slow reader", isSturdy: false) { $0.linger() },
        ServerFeature(name: "walk") { $0.walk() },
        ServerFeature(name: "bad messages", isSturdy: false) { $0.sendBadly() },
        ServerFeature(name: "edges", isSturdy: false) { $0.touchEdges() },
        ServerFeature(name: "wrong tokens", raises: [.wrongTokens], needs: [.auth], isSturdy: false) {
            $0.knockWrongly()
        },
        ServerFeature(name: "one clientId", raises: [.clientPeople]) { $0.shareClientId() },
        ServerFeature(name: "pushes", needs: [.push], isSturdy: false) { $0.call() },
        ServerFeature(name: "spent budget", needs: [.rateLimit], needsBudget: true, isSturdy: false) {
            $0.spendBudget()
        },
        ServerFeature(name: "restart", raises: [.restarts], needsStart: true, endsProcess: true) { $0.restart() },
        ServerFeature(
            name: "refused writes", needsStart: true, refusesWrites: true, isSturdy: false
        ) {
            $0.refuseWrites()
        },
    ]
}

extension ServerLifeDrawing {
    /// How many devices a person has of whom nothing else is said.
    private static let fewDevices = 2
    /// How long a long message is, with what is around its text, and how large a session may become.
    private static let (longText, largestSession) = (301_000, 4_000_000)
    /// So often a life fills what a reader leaves unread.
    private static let mostFilled = 2
    /// So often a life waits until a server notices silence.
    private static let mostWaits = 6
    /// How many characters a text of any kind has, at least, that is longer than usual.
    private static let longerThanUsual = 600

    private typealias Member = (String, JSONValue?)

    private func on(_ letter: String) -> Member { ("on", .string(letter)) }
    /// The first person of this branch.
    private var person: String { plan.people.first ?? "p1" }

    /// Asks on a device, in a session or a new one, which is then named.
    @discardableResult
    private mutating func ask(
        _ person: String, on letter: String, in session: String?, _ content: (String, JSONValue), waits: Bool = true
    ) -> PlanDrawing.Asked {
        var members = JSONObject()
        if let session { members["session"] = plan.ref(session) }
        members[content.0] = content.1
        let asked = PlanDrawing.Asked(
            name: plan.newName("c"), principal: person, content: members, connection: letter, isFirst: false)
        plan.add(asked, "chat", on(letter))
        plan.questions.append(asked)
        if let session { sizes[session, default: 0] += 2 }
        if session == nil, waits { _ = begun(by: asked) }
        return asked
    }

    /// The session that a question begins.
    private mutating func begun(by asked: PlanDrawing.Asked) -> String {
        let name = plan.newName("s")
        var save: JSONValue = [:]
        save[name] = "/sessionId"
        // A refused question begins no session.
        plan.add(
            "await", on(asked.connection ?? "A"), ("type", ["ack", "error"]),
            ("where", ["/clientMessageId": plan.ref(asked.name)]), ("save", save))
        plan.sessions.append(PlanDrawing.Session(name: name, principal: asked.principal))
        sizes[name] = 2
        return name
    }

    /// The session of a person that only grows.
    private mutating func home(of person: String, on letter: String) -> String {
        if let home = homes[person] { return home }
        let name = begun(by: ask(person, on: letter, in: nil, ("script", [["reply": "welcome"]]), waits: false))
        homes[person] = name
        return name
    }

    /// The letter of a device of a person that is not open, of a new one, or of one that is closed first.
    private mutating func spare(of person: String, besides kept: String? = nil) -> String? {
        let own = plan.devices.filter { $0.principal == person && $0.letter != kept }
        if let away = own.last(where: { !$0.isOpen }) { return away.letter }
        if let new = plan.letters.first(where: { letter in !plan.devices.contains { $0.letter == letter } }) {
            return new
        }
        guard let open = own.last(where: { !$0.isPaused }) else { return nil }
        plan.add("close", on(open.letter))
        plan.close(open.letter)
        return open.letter
    }

    /// So many questions back to back.
    private mutating func burst(
        _ count: Int, by person: String, on letter: String, in session: String, _ script: [JSONValue],
        isParallel: Bool = false
    ) {
        let name = plan.newName("m") + "x"
        let question: JSONValue = [
            "do": "chat", "on": .string(letter), "as": .string("\(name)${i}"), "session": plan.ref(session),
            "script": .array(script),
        ]
        plan.add(
            "repeat", ("times", JSONValue(count)), ("counter", "i"), ("parallel", plan.given(isParallel, true)),
            ("steps", [question]))
        for number in 1...max(1, count) {
            var content = JSONObject()
            content["session"] = plan.ref(session)
            content["script"] = .array(script.map { Self.counted($0, number) })
            plan.questions.append(
                PlanDrawing.Asked(
                    name: "\(name)\(number)", principal: person, content: content, connection: letter, isFirst: false))
        }
        sizes[session, default: 0] += 2 * count
        steering.raise(.sessionMessages, to: sizes[session, default: 0])
        steering.raise(.inLine, to: count)
    }

    private static func counted(_ part: JSONValue, _ number: Int) -> JSONValue {
        guard let reply = part["reply"]?.stringValue else { return part }
        return ["reply": .string(reply.replacing("${i}", with: "\(number)"))]
    }

    private mutating func readAndList(_ session: String, _ person: String) {
        plan.add("readSession", ("session", plan.ref(session)), ("principal", plan.shown(person)))
        if plan.happens(50) { plan.add("listSessions", ("principal", plan.shown(person))) }
    }

    // MARK: volume

    mutating func growHome() {
        let (person, letter) = (person, device(of: person))
        let home = home(of: person, on: letter)
        let script: [JSONValue] =
            plan.happens(50) ? [["reply": "answer ${i}"]] : [["tool": "webFetch"], ["reply": "answer ${i}"]]
        burst(most, by: person, on: letter, in: home, script)
        readAndList(home, person)
    }

    mutating func beginSessions() {
        let (person, letter) = (person, device(of: person))
        let count = min(8, most)
        // The list shows the end of each answer, cut.
        let asked = (1...count).map { _ in
            let reply = JSONValue.string(nextText())
            return ask(person, on: letter, in: nil, ("script", [["reply": reply]]), waits: false)
        }
        for question in asked { _ = begun(by: question) }
        steering.raise(.unacknowledged, to: count)
        plan.add("listSessions", ("principal", plan.shown(person)))
    }

    /// A slow turn, a line behind it, and a question elsewhere that must not wait.
    mutating func standInLine() {
        let (person, letter) = (person, device(of: person))
        let home = home(of: person, on: letter)
        let wait = plan.one(of: 400, 400, 900, 2_500)
        ask(
            person, on: letter, in: home,
            ("script", [["tool": "webFetch"], ["wait": JSONValue(wait)], ["reply": "slow"]]))
        burst(
            min(12, most), by: person, on: letter, in: home, [["reply": "in line ${i}"]], isParallel: plan.happens(30))
        let other = ask(person, on: letter, in: nil, ("script", [["reply": "at once"]]), waits: false)
        _ = begun(by: other)
        if plan.happens(40) { plan.leave() }
        plan.add("readSession", ("session", plan.ref(home)), ("principal", plan.shown(person)))
    }

    mutating func askOldAgain() {
        let person = person
        let letter = device(of: person)
        let own = plan.questions.filter { $0.principal == person }
        guard !own.isEmpty else { return growHome() }
        for distance in [0, 3, 20, 60, 120, 200, own.count - 1] where distance < own.count {
            var asked = own[own.count - 1 - distance]
            if distance >= 20, plan.happens(25) {
                // It was surely the first: another question under its key is a mistake.
                var content = asked.content
                (content["script"], content["extra"], content["text"]) = (nil, nil, "something else")
                asked = PlanDrawing.Asked(name: asked.name, principal: person, content: content)
            }
            if plan.happens(70) { plan.add(asked, "chat", on(letter)) }
            if plan.happens(50) { plan.add(asked, "postChat", ("principal", plan.shown(person))) }
            steering.raise(.repeatQuestions, to: distance)
        }
    }

    mutating func askAtLength() {
        let (person, letter) = (person, device(of: person))
        if plan.happens(20) || !steering.isReached(.frameShare) {
            plan.sendLarge(surelyTaken: !steering.isReached(.frameShare))
            return steering.raise(.frameShare, to: 100)
        }
        let isBehind = !steering.isReached(.textBytes) || plan.happens(60)
        let size = min(isBehind ? Self.longText : plan.one(of: 5_000, 60_000, 120_000), largestFrame)
        let key = "large \(person)"
        let session = homes[key] ?? begun(by: ask(person, on: letter, in: nil, ("text", "long"), waits: false))
        homes[key] = session
        // More would make each look at everything slow.
        let isFull = bytes[person, default: 0] > (person == Self.crowded ? Self.largestSession : Self.longText)
        let count = isFull || person != Self.crowded ? 1 : 3
        for _ in 0..<count {
            plan.add(
                "chat", on(letter), ("as", .string(plan.newName("c"))), ("session", plan.ref(session)),
                ("text", "padded"), ("bytes", JSONValue(isFull ? 5_000 : size)))
        }
        if !isFull { bytes[person, default: 0] += count * size }
        steering.raise(.textBytes, to: size)
        steering.raise(.readBytes, to: bytes[person, default: 0])
        // The looks at everything read it too.
        if !isFull { readAndList(session, person) }
    }

    // MARK: company

    mutating func crowd() {
        let person = person
        let letter = device(of: person)
        let wanted = person == Self.crowded ? steering.goals[.openAtOnce] ?? Self.fewDevices : Self.fewDevices
        while plan.devices.count(where: { $0.principal == person && $0.isOpen }) < wanted {
            let away = plan.devices.first { $0.principal == person && !$0.isOpen }
            guard away != nil || plan.devices.count < plan.letters.count else { break }
            plan.connect(principal: person, as: away?.letter)
        }
        steering.raise(.openAtOnce, to: plan.devices.count { $0.principal == person && $0.isOpen })
        burst(min(5, most), by: person, on: letter, in: home(of: person, on: letter), [["reply": "to all ${i}"]])
        for device in plan.open.filter({ $0.principal == person && $0.letter != letter }) where plan.happens(40) {
            plan.add("close", on(device.letter))
            plan.close(device.letter)
        }
    }

    /// A device that loses its connection again and again while turns run.
    mutating func flicker() {
        let person = person
        let letter = device(of: person)
        let home = home(of: person, on: letter)
        guard let other = spare(of: person, besides: letter) else { return }
        let times = min(17, most)
        for _ in 0..<times {
            plan.connect(principal: person, as: other)
            if plan.keepsStream, plan.happens(50) { plan.sync(on: other, of: person) }
            ask(person, on: other, in: home, ("script", [["wait": 5], ["reply": "cut"]]))
            plan.add("cut", on(other), ("how", .string(plan.one(of: "fin", "reset", "silence"))))
            plan.close(other)
        }
        cuts[person, default: 0] += times
        steering.raise(.cuts, to: cuts[person, default: 0])
    }

    /// A device that was away for many frames comes back and takes them page by page, while others go on.
    mutating func fallBehind() {
        let person = person
        let letter = device(of: person)
        let home = home(of: person, on: letter)
        let tool: JSONValue = ["tool": "webFetch"]
        let script = Array(repeating: tool, count: 5) + [["reply": "answer ${i}"]]
        // The question, the tools and the answer.
        let frames = script.count + 1
        guard let late = spare(of: person, besides: letter) else { return }
        plan.connect(principal: person, as: late)
        plan.add("cut", on(late), ("how", "fin"))
        let place = plan.greeted[late]
        plan.close(late)
        burst(most * 2 / 3, by: person, on: letter, in: home, script)
        plan.connect(principal: person, as: late)
        guard let place else { return }
        let before = plan.steps
        plan.steps = []
        burst(most / 2, by: person, on: letter, in: home, script)
        steering.raise(.framesDuringSync, to: most / 2 * frames)
        let live = plan.steps
        // All at once, or page by page.
        let size = steering.isReached(.pages) && plan.happens(50) ? nil : plan.chance.number(in: 1...9)
        let pages = Member("limit", size.map { JSONValue($0) })
        if let size { steering.raise(.pages, to: most * 2 / 3 * frames / size) }
        plan.steps = []
        plan.add("sync", on(late), ("lastSeqSeen", plan.ref(place.seq)), ("epoch", plan.ref(place.epoch)), pages)
        plan.add("await", on(late), ("type", "syncResult"), ("optional", true))
        plan.steps = before + [["do": "together", "branches": [.array(live), .array(plan.steps)]]]
    }

    mutating func linger() {
        let person = person
        let letter = device(of: person)
        let others = plan.devices.filter { $0.principal == person && $0.letter != letter && $0.isOpen && !$0.isPaused }
        let home = home(of: person, on: letter)
        guard let slow = plan.any(others)?.letter else { return crowd() }
        plan.add("stopReading", on(slow))
        // First the buffers of the network are filled, then those of the server.
        if steering.count(of: "slow reader") < Self.mostFilled {
            let tool: JSONValue = [
                "tool": "webFetch", "input": ["query": .string(String(repeating: "many ", count: 200))],
            ]
            let script = Array(repeating: tool, count: min(200, largestFrame / 2_000)) + [["reply": "filled"]]
            ask(person, on: letter, in: nil, ("script", .array(script)), waits: false)
        }
        let tools: [JSONValue] = Array(repeating: ["tool": "webFetch"], count: 40)
        burst(most / 2, by: person, on: letter, in: home, tools + [["reply": "unread ${i}"]])
        plan.add("resumeReading", on(slow))
    }

    mutating func shareClientId() {
        let people = plan.people.count > 1 ? plan.people : [person]
        for person in people {
            guard let letter = spare(of: person) else { continue }
            plan.connect(principal: person, as: letter)
            plan.steps[plan.steps.count - 1]["clientId"] = "one-phone-for-all"
            ask(person, on: letter, in: homes[person], ("script", [["tool": "webFetch"], ["reply": "mine"]]))
            plan.fence()
        }
        steering.raise(.clientPeople, by: people.count)
    }

    mutating func postAtOnce() {
        let (person, letter) = (person, device(of: person))
        let home = home(of: person, on: letter)
        let own = plan.sessions.filter { $0.principal == person }.map(\.name)
        let count = min(8, most)
        var branches: [JSONValue] = []
        var posted: [String] = []
        for number in 1...count {
            let session = number % 2 == 0 ? home : plan.any(own) ?? home
            var content = JSONObject()
            // The first of all is slow, in a session of its own.
            let isSlow = number == 1 && steering.count(of: "REST at once") == 0
            if !isSlow { content["session"] = plan.ref(session) }
            content["script"] = [["wait": isSlow ? 11_000 : 40], ["reply": .string("posted \(number)")]]
            let asked = PlanDrawing.Asked(
                name: plan.newName("c"), principal: person, content: content, isFirst: false)
            let steps = plan.steps
            plan.steps = []
            plan.add(asked, "postChat", ("principal", plan.shown(person)))
            branches.append(.array(plan.steps))
            plan.steps = steps
            plan.questions.append(asked)
            posted.append(asked.name)
            sizes[session, default: 0] += 2
        }
        // Some leave before their response.
        for name in posted.suffix(2) {
            branches.append([
                ["do": "watch", "for": ["milliseconds": JSONValue(plan.one(of: 1, 5, 20))]],
                ["do": "leave", "question": .string(name), "how": .string(plan.one(of: "fin", "reset"))],
            ])
        }
        plan.add("together", ("branches", .array(branches)))
    }

    // MARK: kinds

    private static let texts =
        Words.all + [
            "", "x" + String(repeating: "👍🏽", count: 60), "x" + String(repeating: "🇩🇪", count: 130), " both ends \n",
            "\u{10FFFF}\u{1F9D1}\u{1F3FD}", "\t", "lines\u{85}of\u{2028}every\u{2029}kind\u{B}and\u{C}page",
            Words.usual,
            Words.usual,
        ]

    /// Each text in turn.
    private mutating func nextText() -> String {
        textNumber += 1
        return Self.texts[textNumber % Self.texts.count]
    }

    mutating func askInKinds() {
        let (person, letter) = (person, device(of: person))
        let home = home(of: person, on: letter)
        for _ in 0..<min(6, most) {
            var text = nextText()
            if !text.isEmpty, plan.happens(25) {
                text = Array(repeating: text, count: 1 + Self.longerThanUsual / text.count).joined(separator: " ")
            }
            if plan.happens(50) {
                ask(person, on: letter, in: home, ("text", .string(text)))
            } else {
                ask(person, on: letter, in: home, ("script", [["tool": "名前"], ["reply": .string(text)]]))
            }
            let index = plan.steps.count - 1
            if plan.happens(20) { plan.steps[index]["extra"] = ["locale": "de", "Type": "sync", "unknown": [1, nil]] }
            if plan.happens(20) { plan.steps[index]["context"] = [["role": "system", "content": "Be brief."]] }
        }
        // Keys that differ only in case are two keys.
        let key = plan.newName("k")
        for spelled in ["Case-\(key)-${run}", "case-\(key)-${run}"] {
            plan.add(
                "chat", on(letter), ("clientMessageId", .string(spelled)), ("session", plan.ref(home)),
                ("script", [["reply": "one of two"]]))
        }
        steering.raise(.kindsOfText)
        plan.fence()
        readAndList(home, person)
        plan.add("listSessions", ("principal", plan.shown(person)))
    }

    mutating func fail() {
        let (person, letter) = (person, device(of: person))
        let home = home(of: person, on: letter)
        let count = min(10, most / 2)
        burst(count, by: person, on: letter, in: home, [["tool": "webFetch"], ["fail": "model exploded"]])
        burst(max(1, count / 2), by: person, on: letter, in: home, [["reply": "well again ${i}"]])
    }

    mutating func walk() {
        for _ in 0..<6 {
            guard plan.isBeside else {
                plan.move()
                continue
            }
            switch plan.chance.number(in: 1...9) {
            case 1, 2: plan.ask()
            case 3: plan.post()
            case 4: plan.askAgain()
            case 5: plan.sync()
            case 6: plan.read()
            case 7: plan.leave()
            case 8: plan.arrive()
            default: plan.watch()
            }
        }
    }

    // MARK: trouble

    mutating func knockWrongly() {
        let times = 40
        let stranger = on(plan.stranger)
        plan.add("connect", stranger, ("token", "wrong-${run}"), ("optional", true))
        // The name of an open device proves nothing.
        if plan.happens(50), let open = plan.any(plan.open) {
            plan.steps[plan.steps.count - 1]["clientId"] = .string("device-\(open.letter)-${run}")
        }
        let steps =
            plan.steps.suffix(1) + [
                ["do": "awaitClose", "on": .string(plan.stranger), "optional": true],
                ["do": "close", "on": .string(plan.stranger)],
            ]
        plan.steps.removeLast()
        plan.add("repeat", ("times", JSONValue(times)), ("counter", "i"), ("steps", .array(Array(steps))))
        steering.raise(.wrongTokens, to: times)
    }

    /// Unreadable and forbidden messages among healthy ones.
    mutating func sendBadly() {
        let (person, letter) = (person, device(of: person))
        let isBeside = plan.isBeside
        plan.isBeside = false
        for _ in 0..<6 {
            switch plan.chance.number(in: 1...5) {
            case 1, 2: plan.hostile()
            case 3: plan.askWrongly()
            default: plan.trespass()
            }
        }
        // A process that ends on one of them does so at once.
        for text in ["null", "[]", "7", "\"text\"", "{\"type\":null}"] where plan.happens(40) {
            plan.add("sendText", on(letter), ("text", .string(text)))
        }
        plan.isBeside = isBeside
        plan.add("readSession", ("session", "ses_of_nobody"), ("principal", plan.shown(person)))
        ask(person, on: letter, in: homes[person], ("script", [["reply": "well"]]))
        plan.add("listSessions", ("principal", plan.shown(person)))
    }

    /// Uses connections and requests as libraries, proxies and strangers do.
    mutating func touchEdges() {
        let (person, letter, stranger) = (person, device(of: person), on(plan.stranger))
        let home = home(of: person, on: letter)
        let optional: Member = ("optional", true)
        plan.add("ping", on(letter))
        plan.add(
            "chat", on(letter), ("as", .string(plan.newName("c"))), ("session", plan.ref(home)),
            ("text", .string("naïve " + (plan.any(Self.texts) ?? "") + " 🇦🇹")),
            ("fragments", JSONValue(plan.one(of: 2, 3, 41))))
        plan.add("http", ("method", "GET"), ("path", "/api/health"), ("token", JSONValue.null))
        plan.add("connect", stranger, ("protocol", JSONValue(plan.one(of: 2, 3, 999))), optional)
        plan.add("awaitClose", stranger, optional)
        if plan.isKept {
            plan.add("http", ("method", "GET"), ("path", "/api/sessions?token=${p1Token}"), ("token", JSONValue.null))
            plan.add("connect", stranger, ("query", "token=${p1Token}"), ("token", JSONValue.null), optional)
            plan.add("close", stranger)
        }
        plan.sendLarge()
        guard isQuick, steering.count(of: "edges") < Self.mostWaits else { return plan.add("close", stranger) }
        if plan.isKept, plan.happens(50) {
            plan.add("connect", stranger, ("handshake", false))
            if plan.happens(50) { plan.add("ping", stranger) }
            plan.add("awaitClose", stranger, ("after", ["seconds": "${authSeconds}"]), optional)
        } else {
            plan.add(
                "connect", stranger, ("principal", plan.shown(person)), ("save", ["heartbeat": "/heartbeatSeconds"]))
            // The device that goes silent may be the one that speaks on.
            if plan.happens(50) { plan.steps[plan.steps.count - 1]["clientId"] = .string("device-\(letter)-${run}") }
            plan.add("mute", stranger)
            plan.add("awaitClose", stranger, ("after", ["seconds": "${heartbeat}", "times": 3]), optional)
            ask(person, on: letter, in: home, ("script", [["tool": "webFetch"], ["reply": "still here"]]))
            plan.add("fence", on(letter))
        }
    }

    mutating func call() {
        // The lasting device of the last person hears everything.
        guard plan.happens(75), let person = plan.people.first(where: { $0 != lastingPerson }) else {
            return plan.refusePushes()
        }
        if plan.happens(60) { return plan.callWhoLeft(person) }
        // All devices freeze; one is there when the answer comes, and takes nothing of it.
        for device in plan.open where device.principal == person {
            plan.add("cut", on(device.letter), ("how", .string(plan.one(of: "fin", "reset"))))
            plan.close(device.letter)
        }
        let (stranger, session) = (on(plan.stranger), plan.newName("s"))
        var save: JSONValue = [:]
        save[session] = "/sessionId"
        plan.add("connect", stranger, ("principal", .string(person)))
        if plan.happens(60) { plan.add("mute", stranger) }
        let script: JSONValue = [["wait": 100], ["reply": .string(plan.any(Self.texts) ?? "")]]
        plan.add("chat", stranger, ("as", .string(plan.newName("c"))), ("script", script))
        plan.add("await", stranger, ("type", "done"), ("save", save), ("optional", true))
        plan.add("cut", stranger, ("how", "reset"))
        plan.sessions.append(PlanDrawing.Session(name: session, principal: person))
        let answer: JSONValue = ["/sessionId": plan.ref(session)]
        plan.add("awaitPush", ("principal", .string(person)), ("where", answer), ("optional", true))
    }

    /// Asks more than the limit allows, over both transports, and once more as soon as the server said that it may.
    mutating func spendBudget() {
        let person = person
        let letter = device(of: person)
        let asked = ask(person, on: letter, in: homes[person], ("script", [["reply": "asked again and again"]]))
        // Repeats are free.
        for _ in 0..<5 { plan.add(asked, "chat", on(letter)) }
        burst(
            (budget ?? 0) * plan.one(of: 1, 2) + 1, by: person, on: letter, in: home(of: person, on: letter),
            [["reply": "in budget ${i}"]])
        // Refused questions do not count.
        for _ in 0..<3 {
            let late = PlanDrawing.Asked(
                name: plan.newName("c"), principal: person, content: JSONObject([(key: "text", value: "over budget")]))
            plan.add(late, "postChat", ("principal", plan.shown(person)))
        }
        plan.add(asked, "chat", on(letter))
        plan.add("fence", on(letter))
        if plan.keepsStream { plan.add("sync", on(letter), ("lastSeqSeen", 0)) }
        // A budget outlives all connections.
        if !plan.isBeside, plan.happens(40) {
            for device in plan.open where device.principal == person {
                plan.add("close", on(device.letter))
                plan.close(device.letter)
            }
            plan.connect(principal: person, as: letter)
        }
        if plan.happens(50) { insist(on: letter) }
        plan.waitAsTold(on: letter)
    }

    /// Asks on and on, faster than the limit allows, until its window is over: what is refused takes no place in it.
    private mutating func insist(on letter: String) {
        let pause = max(10, window * 500 / max(1, budget ?? 1))
        let question: JSONValue = [
            "do": "chat", "on": .string(letter), "as": .string(plan.newName("m") + "x${i}"), "text": "at once",
        ]
        let wait: JSONValue = ["do": "watch", "for": ["milliseconds": JSONValue(pause)]]
        plan.add(
            "repeat", ("times", JSONValue(window * 1_000 / pause + 20)), ("counter", "i"), ("steps", [question, wait]))
    }

    /// Ends the process, in the middle of whatever happens beside it.
    mutating func restart() {
        if !plan.isBeside || plan.happens(40) { growHome() }
        plan.add("watch", ("for", ["milliseconds": JSONValue(plan.one(of: 1, 5, 20, 60, 150, 400))]))
        plan.add(plan.happens(60) ? "kill" : "stop")
        plan.add("start")
        steering.raise(.restarts)
        if plan.happens(70) { breakPromise() }
    }

    /// Kills the process on the bytes of what it promises, and looks whether it keeps that.
    private mutating func breakPromise() {
        let (person, stranger) = (person, on(plan.stranger))
        for type in ["ack", "done"] {
            let session = plan.newName("s")
            plan.add("connect", stranger, ("principal", plan.shown(person)))
            plan.add("killOn", stranger, ("type", .string(type)))
            plan.add("chat", stranger, ("as", .string(plan.newName("c"))), ("text", "promised"))
            plan.add("awaitKill")
            plan.add(
                "await", stranger, ("type", .string(type)), ("within", "pong"), ("optional", true),
                ("save", .object(JSONObject([(key: session, value: .string("/sessionId"))]))))
            plan.add("start")
            steering.raise(.restarts)
            plan.add("readSession", ("session", plan.ref(session)), ("principal", plan.shown(person)))
        }
    }

    mutating func refuseWrites() {
        let person = person
        let letter = device(of: person)
        let home = home(of: person, on: letter)
        ask(person, on: letter, in: home, ("script", [["tool": "webFetch"], ["wait": 60], ["reply": "in time?"]]))
        plan.add("refuseWrites")
        for _ in 0..<3 { ask(person, on: letter, in: home, ("script", [["reply": "not stored"]])) }
        plan.add("watch", ("for", ["milliseconds": 150]))
        plan.add("readSession", ("session", plan.ref(home)), ("principal", plan.shown(person)))
        plan.add("acceptWrites")
        ask(person, on: letter, in: home, ("script", [["reply": "stored again"]]))
    }
}
