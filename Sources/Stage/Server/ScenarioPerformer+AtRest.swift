import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

// Reads the server's data once everything has come to rest. Nothing is asserted: the judge sees any difference.
extension ScenarioPerformer {
    /// The time for turns that still run at the end of a scenario, and for all reads together.
    private static let patience = (turns: Duration.milliseconds(300), all: Duration.seconds(2))
    private static let maxSessions = 40

    /// Reads all data that a scenario has named, like a device that was away all the time.
    ///
    /// Does nothing after a scenario that uses up a rate limit, in a life, or if no server would answer.
    func checkAtRest() async {
        guard !needs.budget, !isLife, !recorder.isHalfFull, wasReceived != false, instance?.exit == nil,
            subject.dialect.isCanonical || !sendsVerbatim
        else { return }
        let sessions = sessions()
        let deadline = ContinuousClock.now + Self.patience.all
        for (principal, greeting) in people where ContinuousClock.now < deadline {
            let named = sessions[principal, default: []].sorted().prefix(Self.maxSessions)
            guard greeting != nil || !named.isEmpty else { continue }
            let check = IdleCheck(
                principal: principal, sessions: Array(named), from: greeting ?? [:], patience: Self.patience.turns)
            do { try await restContext.perform(check) } catch { return }
        }
    }

    /// Reads the data of all principals: every session, some twice, and the whole stream; repeats a few old questions.
    ///
    /// Skips the principals in `resting` and, with `atChangesOnly`, sessions that have not changed since they were
    /// read, so that a later full check finds them old.
    func checkEverything(atChangesOnly: Bool, except resting: [String]) async throws {
        for lane in openLanes where lane.isAuthenticated && !lane.isPaused && !resting.contains(lane.principal ?? "") {
            _ = await fence(lane)
        }
        var unmet: String?
        for (principal, greeting) in people where !resting.contains(principal) {
            var check = IdleCheck(
                principal: principal, sessions: nil, from: ["lastSeq": 0], patience: min(limit("turn"), .seconds(10)))
            if let epoch = greeting?["epoch"] { check.from["epoch"] = epoch }
            check.repeats = asked(by: principal, atMost: 4)
            check.atChangesOnly = atChangesOnly
            check.letters = openLanes.filter { $0.principal == principal && $0.isAuthenticated && !$0.isPaused }
                .map(\.letter)
            do {
                try await restContext.perform(check)
            } catch StepEnd.unmet(let reason) {
                unmet = unmet ?? reason
            }
        }
        if let unmet { throw StepEnd.unmet(unmet) }
    }

    private var restContext: StepContext {
        StepContext(performer: self, pointer: JSONPointer(tokens: ["rest"]), local: ScenarioVariables())
    }
}

struct IdleCheck {
    let principal: String
    /// The sessions to read; nil for all of this person, some of them twice.
    let sessions: [String]?
    /// The greeting with the position from which a new device requests the replay.
    var from: JSONValue
    /// The time to wait for turns that still run.
    let patience: Duration
    /// Whether only sessions that are listed with changes are read.
    var atChangesOnly = false
    /// Questions that are asked again, over either transport.
    var repeats: [JSONObject] = []
    /// Devices that request the replay from a little before their own position.
    var letters: [String] = []

    var credential: ScenarioStep.Credential { ScenarioStep.Credential(principal: principal) }
}

extension StepContext {
    /// The number of frames before its position at which the replay of a device begins, and the frames per page.
    private static let back = (frames: 63, page: 3)
    private static let maxSessions = 400
    private static let readAgain = 5

    func perform(_ check: IdleCheck) async throws {
        let letter = ScenarioStep.lifeLane
        try await connect(ScenarioStep.Connect(on: letter, credential: check.credential, isOptional: true))
        let lane = performer.lane(letter)
        for question in check.repeats { try await askAgain(question, check, on: lane) }
        let hasList = dialect.encode(RESTRequest(method: "GET", path: "/api/sessions", body: nil)) != nil
        var entries = (check.sessions ?? []).map { ["id": .string($0)] as JSONValue }
        if hasList {
            let answer = try await request(
                "GET", "/api/sessions", check.credential, body: nil, within: performer.limit("rest")
            ).0
            let listed = answer?["sessions"]?.arrayValue ?? []
            let due = listed.filter { !check.atChangesOnly || !performer.hasRead($0, of: check.principal) }
            if check.sessions == nil { entries = Array(due.prefix(Self.maxSessions)) }
        }
        let deadline = ContinuousClock.now + check.patience
        let named = entries.compactMap { entry in entry["id"]?.stringValue.map { (entry, id: $0) } }
        for (entry, id) in named where try await read(id, check, until: deadline) {
            performer.noteRead(entry, of: check.principal)
        }
        // A few repeated reads suffice; reading every session twice would take most of the time.
        if check.sessions == nil {
            for (_, id) in named.prefix(Self.readAgain) { _ = try await read(id, check, until: .now) }
        }
        guard subject.profiles.contains(.sync), let lane, lane.isAuthenticated else { return await leave(lane) }
        let (start, epoch) = (check.from["lastSeq"]?.intValue, check.from["epoch"]?.stringValue)
        // Replay from the first greeting, to exclude earlier scenarios of the same person.
        if let start { try await replay(on: letter, from: start, in: epoch, by: nil) }
        for letter in check.letters {
            guard let position = performer.lane(letter)?.position else { continue }
            try await replay(
                on: letter, from: max(0, position.seq - Self.back.frames), in: position.epoch, by: Self.back.page)
        }
        await leave(lane)
    }

    private func leave(_ lane: ConnectionLane?) async {
        await lane?.close(code: 1000, timeout: performer.limit("close"))
    }

    /// Reads a session, repeatedly while one of its turns runs; returns whether none runs.
    private func read(_ id: String, _ check: IdleCheck, until deadline: ContinuousClock.Instant) async throws -> Bool {
        let path = "/api/sessions/\(percentEncoded(id, keeping: ":@!$&'()*+,;="))"
        guard dialect.encode(RESTRequest(method: "GET", path: path, body: nil)) != nil else { return false }
        var pause = Duration.milliseconds(20)
        while true {
            let answer = try await request(
                "GET", path, check.credential, body: nil, within: performer.limit("rest")
            ).0
            let isRunning = (answer?["session"]?["turns"]?.arrayValue ?? []).contains { $0["status"] == "running" }
            guard isRunning, ContinuousClock.now < deadline else { return !isRunning }
            try? await Task.sleep(for: pause, clock: .continuous)
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    private func askAgain(_ question: JSONObject, _ check: IdleCheck, on lane: ConnectionLane?) async throws {
        // Without a key on the wire, a repeat would be a new question.
        guard dialect.isCanonical else { return }
        let key = question["clientMessageId"]
        if let lane, lane.isAuthenticated {
            var frame: JSONValue = ["type": "chat"]
            for member in question { frame[member.key] = member.value }
            try await send(wire(frame), on: lane.letter)
            let ending = await lane.mailbox.take(["done", "error"], within: check.patience) {
                $0["clientMessageId"] == key
            }
            // If the server does not answer here, it is not asked over REST either.
            guard ending != nil else { return }
        }
        _ = try await request(
            "POST", "/api/chat", check.credential, body: JSONValue.object(question).text(),
            within: performer.limit(["turn", "rest"]))
    }

    private func replay(on letter: String, from start: Int, in epoch: String?, by page: Int?) async throws {
        guard let lane = performer.lane(letter), !recorder.isHalfFull else { return }
        try await sync(JSONValue(start), epoch: epoch, limit: page.map { JSONValue($0) }, on: letter)
        guard let answer = await lane.mailbox.take(["syncResult"], within: performer.limit("sync")) else {
            return try missed("syncResult", on: lane.lane, isOptional: true)
        }
        try await followPages(from: answer, on: lane)
    }
}
