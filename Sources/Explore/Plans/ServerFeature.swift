import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Something that people or machines do in the plan or the life of a server.
struct ServerFeature: SteeredFeature {
    let name: String
    var raises: [Reach.Dimension] = []
    var needs: Set<Profile> = []
    var needsStart = false
    /// Whether it needs a rate limit that is small enough to be used up in a moment.
    var needsBudget = false
    /// Whether the process ends in it and is started again.
    var endsProcess = false
    var refusesWrites = false
    /// Whether the process may end, or refuse to write, during it.
    var isRobust = true
    /// Whether it concerns a size that no plan reaches.
    var isLarge = false
    let draw: @Sendable (inout ServerPlanner) -> Void

    func isCompatible(with other: ServerFeature) -> Bool {
        let disrupts = endsProcess || refusesWrites
        let otherDisrupts = other.endsProcess || other.refusesWrites
        return !(disrupts && otherDisrupts) && !(disrupts && !other.isRobust) && !(otherDisrupts && !isRobust)
    }

    static let all: [ServerFeature] = [
        ServerFeature(name: "long session", raises: [.sessionMessages, .keys]) { $0.growLongSession() },
        ServerFeature(name: "new sessions", raises: [.sessions, .unacknowledged]) { $0.beginSessions() },
        ServerFeature(name: "line", raises: [.inLine]) { $0.queueQuestions() },
        ServerFeature(name: "many devices", raises: [.openAtOnce]) { $0.connectManyDevices() },
        ServerFeature(name: "cuts", raises: [.cuts]) { $0.reconnectRepeatedly() },
        ServerFeature(name: "behind", raises: [.pages, .framesDuringSync], needs: [.sync]) { $0.catchUpInPages() },
        ServerFeature(name: "repeats", raises: [.repeatQuestions]) { $0.askOldAgain() },
        ServerFeature(name: "texts", raises: [.kindsOfText]) { $0.askInAllForms() },
        ServerFeature(name: "large texts", raises: [.textBytes, .readBytes], isLarge: true) { $0.askAtLength() },
        ServerFeature(name: "failures") { $0.fail() },
        ServerFeature(name: "REST at once") { $0.postInParallel() },
        ServerFeature(name: "slow reader", isRobust: false) { $0.readSlowly() },
        ServerFeature(name: "walk", isLarge: true) { for _ in 0..<6 { $0.act() } },
        ServerFeature(name: "bad messages", isRobust: false) { $0.sendInvalid() },
        ServerFeature(name: "edges", isRobust: false) { $0.useTransportEdgeCases() },
        ServerFeature(name: "refused handshakes", raises: [.wrongTokens, .handshakes], isRobust: false) {
            $0.failHandshakes()
        },
        ServerFeature(name: "one clientId", raises: [.clientPeople]) { $0.shareClientId() },
        ServerFeature(name: "pushes", needs: [.push], isRobust: false) { $0.awaitPushes() },
        ServerFeature(name: "spent budget", needs: [.rateLimit], needsBudget: true, isRobust: false) {
            $0.spendBudget()
        },
        ServerFeature(name: "restart", raises: [.restarts, .openAtStop], needsStart: true, endsProcess: true) {
            $0.restart()
        },
        ServerFeature(
            name: "refused writes", needsStart: true, refusesWrites: true, isRobust: false
        ) {
            $0.refuseWrites()
        },
    ]
}

extension ServerPlanner {
    /// The number of devices of a person, unless stated otherwise.
    private static let fewDevices = 2
    /// The length of a long message with its envelope, and the largest size of a session.
    private static let (longText, largestSession) = (301_000, 4_000_000)
    /// The number of times a life fills a reader's buffers, and the bytes per question: more than networks buffer.
    private static let (maxFilled, filling) = (2, 280_000)
    /// The number of times a life waits until a server notices silence.
    private static let maxWaits = 6
    /// The least number of characters of a longer text.
    private static let longerThanUsual = 600

    private var person: String { people.first ?? "p1" }

    private func reply(_ text: String) -> JSONValue { ["reply": .string(text)] }

    /// Asks on a device, in a session or a new one, whose name is then known.
    @discardableResult
    private mutating func ask(
        _ person: String, on letter: String, in session: String?, _ content: JSONValue, waits: Bool = true
    ) -> Asked {
        var members = JSONObject()
        if let session { members["session"] = ref(session) }
        members[content.arrayValue == nil ? "text" : "script"] = content
        let asked = Asked(
            name: newName("c"), principal: person, content: members, connection: letter, isFirst: false)
        chat(asked, on: letter)
        questions.append(asked)
        if let session { sizes[session, default: 0] += 2 }
        if session == nil, waits { newSession(of: asked) }
        return asked
    }

    /// A person, one of their open devices, and their session that only grows.
    private mutating func resumedLongSession() -> (person: String, letter: String, home: String) {
        let (person, letter) = (person, device(of: person))
        if let home = longSessions[person] { return (person, letter, home) }
        let name = newSession(of: ask(person, on: letter, in: nil, [reply("welcome")], waits: false))
        longSessions[person] = name
        return (person, letter, name)
    }

    /// The letter of one of a person's devices that is closed: a new one, or one that is closed first.
    mutating func closedDevice(of person: String, besides kept: String? = nil) -> String? {
        let own = devices.filter { $0.principal == person && $0.letter != kept }
        if let away = own.last(where: { !$0.isOpen }) { return away.letter }
        if let new = letters.first(where: { letter in !devices.contains { $0.letter == letter } }) { return new }
        guard let open = own.last(where: { !$0.isPaused }) else { return nil }
        hangUp(open.letter)
        return open.letter
    }

    private mutating func burst(
        _ count: Int, by person: String, on letter: String, in session: String, _ script: [JSONValue],
        isParallel: Bool = false
    ) {
        let name = newName("m") + "x"
        let question: JSONValue = [
            "do": "chat", "on": .string(letter), "as": .string("\(name)${i}"), "session": ref(session),
            "script": .array(script),
        ]
        add("repeat", ["times": count, "counter": "i", "parallel": isParallel.orAbsent, "steps": [question]])
        for number in 1...max(1, count) {
            var content = JSONObject()
            content["session"] = ref(session)
            content["script"] = .array(script.map { Self.counted($0, number) })
            questions.append(
                Asked(name: "\(name)\(number)", principal: person, content: content, connection: letter, isFirst: false)
            )
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
        read(session, person)
        if happens(50) { add("listSessions", ["principal": stated(person)]) }
    }

    // MARK: volume

    mutating func growLongSession() {
        let (person, letter, home) = resumedLongSession()
        let tool: [JSONValue] = happens(50) ? [] : [["tool": "webFetch"]]
        burst(
            isLife ? maxQuestions : one(of: 2, 3, 16), by: person, on: letter, in: home, tool + [reply("answer ${i}")])
        readAndList(home, person)
    }

    mutating func beginSessions() {
        let (person, letter) = (person, device(of: person))
        let count = min(steering.isReached(.sessions) ? 8 : maxQuestions, maxQuestions)
        // The list shows a preview of each answer; the first turn of one session runs while people look at it.
        let asked = (1...count).map { number in
            let script = (number == count ? [["wait": 400]] : []) + [reply(nextText())]
            return ask(person, on: letter, in: nil, .array(script), waits: false)
        }
        let last = asked.map { newSession(of: $0) }.last
        steering.raise(.unacknowledged, to: count)
        for reader in [person, everybody.first { $0 != person && !resting.contains($0) }].compactMap(\.self) {
            if let last { read(last, reader) }
            add("listSessions", ["principal": stated(reader)])
        }
    }

    /// A slow turn, a queue after it, and a question in another session that must not wait.
    mutating func queueQuestions() {
        let (person, letter, home) = resumedLongSession()
        let wait = JSONValue(one(of: 400, 400, 900, 2_500))
        ask(person, on: letter, in: home, [["tool": "webFetch"], ["wait": wait], reply("slow")])
        burst(min(12, maxQuestions), by: person, on: letter, in: home, [reply("in line ${i}")], isParallel: happens(30))
        let last = questions.last
        newSession(of: ask(person, on: letter, in: nil, [reply("at once")], waits: false))
        if happens(40) { leave() }
        read(home, person)
        if let last { post(last) }
    }

    mutating func askOldAgain() {
        let own = questions.filter { $0.principal == person }
        guard !own.isEmpty else { return growLongSession() }
        _ = device(of: person)
        // A server that keeps too few keys may forget those of failed questions first.
        let failed = own.indices.filter { own[$0].content["script"]?.arrayValue?.last?["fail"] != nil }
        let distances = [failed.first, any(failed)].compactMap(\.self).map { own.count - 1 - $0 }
        for distance in [0, 3, 20, 60, 120, 200, own.count - 1] + distances where distance < own.count {
            // A question followed by this many others surely arrived first.
            let asked = own[own.count - 1 - distance]
            for _ in 0...one(of: 0, 1) { askAgain(asked, isFirst: distance >= 20 && asked.connection == nil) }
            steering.raise(.repeatQuestions, to: distance)
        }
        if let old = any(sessions.filter({ $0.principal == person })) {
            askBriefly(person, on: device(of: person), in: old.name)
        }
    }

    mutating func askBriefly(_ person: String, on letter: String, in session: String?) {
        ask(person, on: letter, in: session, [["tool": "webFetch"], reply("after a while")])
    }

    mutating func askAtLength() {
        let (person, letter) = (person, device(of: person))
        if happens(20) || !steering.isReached(.frameShare) {
            sendLarge(surelyAccepted: !steering.isReached(.frameShare))
            return steering.raise(.frameShare, to: 100)
        }
        let isBelowGoal = !steering.isReached(.textBytes) || happens(60)
        let size = min(isBelowGoal ? Self.longText : one(of: 5_000, 60_000, 120_000), largestFrame)
        let key = "large \(person)"
        // A server that reads its files in blocks may cut a character in two.
        let text = String(repeating: "naïve 名前 👍🏽 ", count: min(size, 100_000) / 30)
        let session = longSessions[key] ?? newSession(of: ask(person, on: letter, in: nil, .string(text), waits: false))
        longSessions[key] = session
        // More would make each check of everything slow.
        let isFull = bytes[person, default: 0] > (person == Self.crowdedPerson ? Self.largestSession : Self.longText)
        let count = isFull || person != Self.crowdedPerson ? 1 : 3
        for _ in 0..<count {
            add(
                "chat",
                [
                    "on": letter, "as": newName("c"), "session": ref(session), "text": "padded",
                    "bytes": isFull ? 5_000 : size,
                ])
        }
        if !isFull { bytes[person, default: 0] += count * size }
        steering.raise(.textBytes, to: size)
        steering.raise(.readBytes, to: bytes[person, default: 0])
        // The checks of everything read it too.
        if !isFull { readAndList(session, person) }
    }

    // MARK: company

    mutating func connectManyDevices() {
        let (person, letter, home) = resumedLongSession()
        let wanted = person == Self.crowdedPerson ? steering.goals[.openAtOnce] ?? Self.fewDevices : Self.fewDevices
        let own = devices.filter { $0.principal == person }
        let free =
            own.filter { !$0.isOpen }.map(\.letter) + letters.filter { new in !devices.contains { $0.letter == new } }
        let missing = max(0, wanted - own.count(where: \.isOpen))
        inBranches(Array(free.prefix(missing))) { $0.connect(principal: person, as: $1) }
        steering.raise(.openAtOnce, to: devices.count { $0.principal == person && $0.isOpen })
        burst(min(5, maxQuestions), by: person, on: letter, in: home, [reply("to all ${i}")])
        for device in open.filter({ $0.principal == person && $0.letter != letter }) where happens(40) {
            hangUp(device.letter)
        }
    }

    /// A device that repeatedly loses its connection while turns run.
    mutating func reconnectRepeatedly() {
        let (person, letter, home) = resumedLongSession()
        guard let other = closedDevice(of: person, besides: letter) else { return }
        let times = min(17, maxQuestions)
        for _ in 0..<times {
            connect(principal: person, as: other)
            if keepsStream, happens(50) { sync(on: other, of: person) }
            ask(person, on: other, in: home, [["wait": 5], reply("cut")])
            cut(other)
        }
        cuts[person, default: 0] += times
        steering.raise(.cuts, to: cuts[person, default: 0])
    }

    /// A device that missed many frames reconnects and fetches them page by page, while others go on.
    mutating func catchUpInPages() {
        let (person, letter, home) = resumedLongSession()
        let script = Array(repeating: ["tool": "webFetch"] as JSONValue, count: 5) + [reply("answer ${i}")]
        // The question, the tools and the answer.
        let frames = script.count + 1
        guard let late = closedDevice(of: person, besides: letter) else { return }
        connect(principal: person, as: late)
        add("cut", ["on": late, "how": "fin"])
        let held = greeted[late]
        close(late)
        burst(maxQuestions * 2 / 3, by: person, on: letter, in: home, script)
        connect(principal: person, as: late)
        guard let held else { return }
        let live = drawn { $0.burst($0.maxQuestions / 2, by: person, on: letter, in: home, script) }
        steering.raise(.framesDuringSync, to: maxQuestions / 2 * frames)
        // All at once, or page by page.
        let size = steering.isReached(.pages) && happens(50) ? nil : chance.number(in: 1...9)
        if let size { steering.raise(.pages, to: maxQuestions * 2 / 3 * frames / size) }
        let catchingUp = drawn {
            $0.add("sync", ["on": late, "lastSeqSeen": $0.ref(held.seq), "epoch": $0.ref(held.epoch), "limit": size])
            $0.add("await", ["on": late, "type": "syncResult", "optional": true])
        }
        add("together", ["branches": [live, catchingUp]])
    }

    mutating func readSlowly() {
        let (person, letter, home) = resumedLongSession()
        let others = open.filter { $0.principal == person && $0.letter != letter }
        guard isLife else { return pause(any(others)?.letter ?? letter) }
        guard let slow = any(others)?.letter else { return connectManyDevices() }
        add("stopReading", ["on": slow])
        // First the buffers of the network fill, then those of the server.
        if steering.count(of: "slow reader") < Self.maxFilled {
            let words = String(repeating: "many ", count: min(Self.filling, largestFrame * 9 / 10) / 20)
            let tool: JSONValue = ["tool": "webFetch", "input": ["query": .string(words)]]
            let session = newSession(of: ask(person, on: letter, in: nil, "full", waits: false))
            // Nothing repeats these: they are too large.
            let question: JSONValue = [
                "do": "chat", "on": .string(letter), "as": .string(newName("m") + "x${i}"), "session": ref(session),
                "script": .array(Array(repeating: tool, count: 4) + [reply("filled")]),
            ]
            add("repeat", ["times": maxQuestions, "counter": "i", "steps": [question]])
        }
        let tools = Array(repeating: ["tool": "webFetch"] as JSONValue, count: 40)
        burst(maxQuestions / 2, by: person, on: letter, in: home, tools + [reply("unread ${i}")])
        add("resumeReading", ["on": slow])
    }

    mutating func pause(_ letter: String) {
        add("stopReading", ["on": letter])
        change(letter) { $0.isPaused = true }
        for _ in 1...chance.number(in: 1...4) { act() }
        guard devices.contains(where: { $0.letter == letter && $0.isPaused }) else { return }
        add("resumeReading", ["on": letter])
        change(letter) { $0.isPaused = false }
    }

    mutating func shareClientId() {
        for person in people {
            guard let letter = closedDevice(of: person) else { continue }
            connect(principal: person, as: letter, clientId: "one-phone-for-all")
            ask(person, on: letter, in: longSessions[person], [["tool": "webFetch"], reply("mine")])
            fence()
        }
        steering.raise(.clientPeople, by: people.count)
    }

    mutating func postInParallel() {
        let (person, _, home) = resumedLongSession()
        let own = sessions.filter { $0.principal == person }.map(\.name)
        var branches: [[JSONValue]] = []
        var posted: [Asked] = []
        for number in 1...min(8, maxQuestions) {
            let session = number % 2 == 0 ? home : any(own) ?? home
            var content = JSONObject()
            // The very first one is slow, in its own session.
            let isSlow = number == 1 && isLife && steering.count(of: "REST at once") == 0
            if !isSlow { content["session"] = ref(session) }
            content["script"] = [
                ["tool": "webFetch"], ["wait": isSlow ? 11_000 : 40], reply("posted \(number)"),
            ]
            posted.append(Asked(name: newName("c"), principal: person, content: content, isFirst: false))
            let steps = drawn { [question = posted[number - 1]] in $0.post(question) }
            // A phone sends one of them again at once, and the slow one just before its end.
            branches += Array(repeating: steps, count: number == 2 ? 2 : 1)
            if isSlow { branches.append([["do": "watch", "for": ["milliseconds": 10_500]]] + steps) }
            sizes[session, default: 0] += 2
        }
        questions += posted
        // Some leave before their response.
        add("together", ["branches": branches + posted.suffix(2).map { leaving($0) }])
    }

    // MARK: kinds

    private static let texts =
        Words.all + [
            "", "x" + String(repeating: "👍🏽", count: 60), "x" + String(repeating: "🇩🇪", count: 130), " both ends \n",
            "\u{10FFFF}\u{1F9D1}\u{1F3FD}", "\t", "lines\u{85}of\u{2028}every\u{2029}kind\u{B}and\u{C}page",
            Words.repeated,
            Words.repeated,
        ]

    private mutating func nextText() -> String {
        textNumber += 1
        return Self.texts[textNumber % Self.texts.count]
    }

    mutating func askInAllForms() {
        let (person, letter, home) = resumedLongSession()
        for _ in 0..<min(6, maxQuestions) {
            var text = nextText()
            if !text.isEmpty, happens(25) {
                text = Array(repeating: text, count: 1 + Self.longerThanUsual / text.count).joined(separator: " ")
            }
            ask(person, on: letter, in: home, happens(50) ? .string(text) : [["tool": "名前"], reply(text)])
            let index = steps.count - 1
            if happens(20) { steps[index]["extra"] = Words.extra }
            if happens(20) { steps[index]["context"] = Words.context }
        }
        // Keys that differ only in case are two keys.
        let key = newName("k")
        for spelled in ["Case-\(key)-${run}", "case-\(key)-${run}"] {
            add(
                "chat",
                [
                    "on": letter, "clientMessageId": spelled, "session": ref(home),
                    "script": [reply("one of two")],
                ])
        }
        steering.raise(.kindsOfText)
        fence()
        readAndList(home, person)
        add("listSessions", ["principal": stated(person)])
    }

    mutating func fail() {
        let (person, letter, home) = resumedLongSession()
        let count = min(10, maxQuestions / 2)
        burst(count, by: person, on: letter, in: home, [["tool": "webFetch"], ["fail": "model exploded"]])
        burst(max(1, count / 2), by: person, on: letter, in: home, [reply("well again ${i}")])
    }

    // MARK: trouble

    mutating func failHandshakes() {
        let attempts = drawn {
            $0.connectWrongly()
            // A server may take seconds to end a connection that it refused; 90 of these would take the whole life.
            $0.cut($0.stranger)
            // A stranger leaves in the middle of a handshake.
            $0.add("connect", ["on": $0.stranger, "handshake": false])
            $0.cut($0.stranger)
        }
        let times = isLife ? 90 : 4
        add("repeat", ["times": times, "counter": "i", "steps": attempts])
        steering.raise(.wrongTokens, to: times)
        steering.raise(.handshakes, by: 2 * times)
    }

    /// Unreadable and forbidden messages among valid ones.
    mutating func sendInvalid() {
        let (person, letter) = (person, device(of: person))
        let wasInBranch = isInBranch
        isInBranch = false
        for _ in 0..<(isLife ? 6 : 2) { if happens(40) { hostile() } else { accessForeignData() } }
        // A process that ends at one of them does so at once.
        for text in ["null", "[]", "7", "\"text\"", "{\"type\":null}"] where happens(40) {
            add("sendText", ["on": letter, "text": text])
        }
        isInBranch = wasInBranch
        add("readSession", ["session": "ses_of_nobody", "principal": stated(person)])
        ask(person, on: letter, in: longSessions[person], [reply("well")])
        add("listSessions", ["principal": stated(person)])
    }

    /// Uses connections and requests as libraries, proxies and strangers do.
    mutating func useTransportEdgeCases() {
        let (person, letter, home) = resumedLongSession()
        add("ping", ["on": letter])
        add(
            "chat",
            [
                "on": letter, "as": newName("c"), "session": ref(home),
                "text": "naïve " + (any(Self.texts) ?? "") + " 🇦🇹", "fragments": one(of: 2, 3, 41),
            ])
        connectWrongly()
        requestWithoutToken()
        if hasAuth, isLife {
            add(
                "connect",
                ["on": stranger, "query": "token=${p1Token}", "token": JSONValue.null, "optional": true])
            add("close", ["on": stranger])
        }
        sendLarge()
        guard isQuick, steering.count(of: "edges") < Self.maxWaits else { return }
        if hasAuth, happens(50) { return sendBeforeAuth() }
        // Half of the time, the silent connection claims to be the device that goes on speaking.
        add(
            "connect",
            [
                "on": stranger, "principal": stated(person), "save": ["heartbeat": "/heartbeatSeconds"] as JSONValue,
                "clientId": happens(50) ? "device-\(letter)-${run}" : nil,
            ])
        add("mute", ["on": stranger])
        let time: JSONValue = ["seconds": "${heartbeat}", "times": 3]
        add("awaitClose", ["on": stranger, "after": time, "optional": true])
        ask(person, on: letter, in: home, [["tool": "webFetch"], reply("still here")])
        add("close", ["on": stranger])
        add("fence", ["on": letter])
    }

    /// A person leaves while a turn runs; its answer is pushed.
    mutating func awaitPushes() {
        // The lasting device of the last person hears everything.
        guard happens(isLife ? 75 : 50), let person = people.first(where: { $0 != lastingPerson }) else {
            return refusePushes()
        }
        if happens(60) { return askAndLeave(person) }
        // All devices freeze; one has a connection when the answer comes, but reads none of it.
        for device in open where device.principal == person { cut(device.letter) }
        let session = newName("s")
        add("connect", ["on": stranger, "principal": person])
        if happens(60) { add("mute", ["on": stranger]) }
        add("chat", ["on": stranger, "as": newName("c"), "script": [["wait": 100], reply(any(Self.texts) ?? "")]])
        add(
            "await",
            ["on": stranger, "type": "done", "save": [session: "/sessionId"] as JSONValue, "optional": true])
        add("cut", ["on": stranger, "how": "reset"])
        note(session: session, of: person)
        add("awaitPush", ["principal": person, "where": ["/sessionId": ref(session)] as JSONValue, "optional": true])
    }

    /// The push service refuses the next notifications, or never answers them.
    private mutating func refusePushes() {
        let person = person
        let (status, reason) = one(
            of: (503, "ServiceUnavailable"), (400, "PayloadEmpty"), (403, "InvalidProviderToken"),
            (413, "PayloadTooLarge"), (429, "TooManyRequests"), (410, "Unregistered"))
        // Later scenarios would miss a device that is gone.
        guard status != 410 || grammar.isAlone else { return }
        // After a restart, a server need not remember that a device is gone.
        if status == 410 { hasGoneDevices = true }
        if happens(25), grammar.isAlone {
            add("pushAnswer", ["principal": person, "hang": true])
            for _ in 0..<2 { askAndLeave(person) }
        } else {
            let times = status == 410 ? 3 : status >= 500 ? 8 : 1
            refusePushes(status, reason, times: times, of: person, in: 2)
        }
    }

    /// The push service refuses the next notifications to a person who leaves again and again.
    mutating func refusePushes(_ status: Int, _ reason: String, times: Int, of person: String, in turns: Int) {
        add("pushAnswer", ["principal": person, "status": status, "reason": reason, "times": times])
        for _ in 0..<turns { askAndLeave(person) }
    }

    /// * `wait`: The time that the agent takes, in milliseconds; it is watched only if it is short.
    mutating func askAndLeave(_ principal: String, agentTakes wait: Int = 500) {
        for device in devices where device.principal == principal && device.isOpen { hangUp(device.letter) }
        let session = newName("s")
        add("connect", ["on": stranger, "principal": principal])
        let pause = JSONValue(isLife ? wait : min(wait, grammar.longestWatch))
        let script = [["tool": "webFetch"], ["wait": pause], reply("called")]
        add("chat", ["on": stranger, "as": newName("c"), "script": script])
        add("await", ["on": stranger, "type": "toolUse", "save": [session: "/sessionId"] as JSONValue])
        add("close", ["on": stranger])
        note(session: session, of: principal)
        guard wait <= 500 else { return }
        add("watch", ["for": ["milliseconds": 600] as JSONValue])
        read(session, principal)
        if grammar.profiles.contains(.push) { add("awaitPush", ["principal": principal, "optional": true]) }
    }

    /// Asks more than the limit allows, over both transports, and again as soon as the server allows it.
    mutating func spendBudget() {
        let (person, letter, home) = resumedLongSession()
        let asked = ask(person, on: letter, in: home, [reply("asked again and again")])
        // Repeats are free, even those that nothing waits for, and so is a refused question.
        for _ in 0..<5 { chat(asked, on: letter) }
        for _ in 0..<3 {
            post(asked)
            add("together", ["branches": [[steps.removeLast()], leaving(asked)]])
            askWrongly()
        }
        burst((budget ?? 0) * one(of: 1, 2) + 1, by: person, on: letter, in: home, [reply("in budget ${i}")])
        // Refused questions do not count.
        for _ in 0..<3 { post(Asked(name: newName("c"), principal: person, content: ["text": "over budget"])) }
        chat(asked, on: letter)
        add("fence", ["on": letter])
        if keepsStream { add("sync", ["on": letter, "lastSeqSeen": 0]) }
        // A budget outlives all connections.
        if !isInBranch, happens(40) {
            for device in open where device.principal == person { hangUp(device.letter) }
            connect(principal: person, as: letter)
        }
        if isLife && steering.count(of: "spent budget") == 0 || happens(50) { askBeyondLimit(on: letter) }
        // The next question comes as soon as the server allows it.
        let (late, wait) = (newName("c"), newName("wait"))
        add("chat", ["on": letter, "as": late, "script": [reply("in time")]])
        add(
            "await",
            [
                "on": letter, "type": "error", "where": ["/code": "rate_limited"] as JSONValue,
                "save": [wait: "/retryAfterMs"] as JSONValue,
            ])
        add("watch", ["for": ["milliseconds": ref(wait)] as JSONValue])
        add("chat", ["on": letter, "as": late, "script": [reply("in time")]])
        add("fence", ["on": letter])
    }

    /// Asks without pause, faster than the limit allows, until its window is over: refused questions do not use it up.
    private mutating func askBeyondLimit(on letter: String) {
        let window = grammar.rateLimit?.seconds ?? 1
        let pause = max(10, window * 500 / max(1, budget ?? 1))
        let question: JSONValue = [
            "do": "chat", "on": .string(letter), "as": .string(newName("m") + "x${i}"), "text": "at once",
        ]
        let wait: JSONValue = ["do": "watch", "for": ["milliseconds": JSONValue(pause)]]
        add("repeat", ["times": window * 1_000 / pause + 20, "counter": "i", "steps": [question, wait]])
    }

    /// Ends the process, in the middle of other acts, or of a turn.
    mutating func restart() {
        if isLife, !isInBranch || happens(40) { growLongSession() }
        if isLife ? happens(50) : happens(35) {
            let (person, letter, home) = resumedLongSession()
            let wait = JSONValue(min(2_200, grammar.longestWatch))
            let broken = ask(person, on: letter, in: home, [["tool": "webFetch"], ["wait": wait], reply("late")])
            let key: JSONValue = ["/clientMessageId": ref(broken.name)]
            add("await", ["on": letter, "type": "toolUse", "where": key, "optional": true])
        } else if isLife || happens(50) {
            watch(upTo: one(of: 1, 5, 20, 60, 150, 400))
        }
        let isStop = isLife && !steering.isReached(.openAtStop)
        if happens(60), !isStop {
            if isLife { writeMuch() }
            add("kill")
        } else {
            // Some peers have just gone silent; a server must not wait for one after the other.
            let silent: [JSONValue] = [
                ["do": "connect", "on": .string(stranger), "principal": .string(person)],
                ["do": "cut", "on": .string(stranger), "how": "silence"],
            ]
            if isLife { add("repeat", ["times": 12, "steps": silent]) }
            if isStop { connectCrowd() }
            add("stop")
        }
        add("start")
        steering.raise(.restarts)
        if isLife, happens(70) { killAtPromise() }
    }

    /// Connects so many devices of all people that a stop may leave some out; none of them comes back.
    private mutating func connectCrowd() {
        let count = steering.goals[.openAtStop] ?? 0
        inBranches(Array(0..<4)) { life, branch in
            for number in stride(from: branch, to: count, by: 4) {
                // Two letters, from AA on.
                let letter = Lane.connection(number: 26 + number).description
                let person = life.everybody[number % life.everybody.count]
                life.add("connect", ["on": letter, "principal": life.stated(person), "optional": true])
            }
        }
        steering.raise(.openAtStop, to: count)
    }

    /// Asks at such length, without a wait, that the process may end within a write.
    private mutating func writeMuch() {
        let (person, letter) = (person, device(of: person))
        let session = newSession(of: ask(person, on: letter, in: nil, [reply("much")], waits: false))
        for _ in 0..<3 {
            let bytes = min(largestFrame, 100_000)
            add(
                "chat",
                ["on": letter, "as": newName("c"), "session": ref(session), "text": "padded", "bytes": bytes])
        }
        watch(upTo: one(of: 1, 2, 5, 20))
    }

    /// Kills the process at the first bytes of a promise, and checks whether the promise is kept.
    private mutating func killAtPromise() {
        for type in ["ack", "done"] {
            let session = newName("s")
            add("connect", ["on": stranger, "principal": stated(person)])
            add("killOn", ["on": stranger, "type": type])
            add("chat", ["on": stranger, "as": newName("c"), "text": "promised"])
            add("awaitKill")
            add(
                "await",
                [
                    "on": stranger, "type": type, "within": "pong", "optional": true,
                    "save": [session: "/sessionId"] as JSONValue,
                ])
            add("start")
            steering.raise(.restarts)
            read(session, person)
        }
    }

    mutating func refuseWrites() {
        let (person, letter, home) = resumedLongSession()
        ask(person, on: letter, in: home, [["tool": "webFetch"], ["wait": 60], reply("in time?")])
        add("refuseWrites")
        refusesWrites = true
        for _ in 0..<3 {
            if isLife || happens(30) { ask(person, on: letter, in: home, [reply("not stored")]) } else { act() }
        }
        watch(upTo: 150)
        read(home, person)
        add("acceptWrites")
        refusesWrites = false
        ask(person, on: letter, in: home, [reply("stored again")])
    }
}
