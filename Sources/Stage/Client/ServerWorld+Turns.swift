import Holdfast
import HoldfastJSON

extension ServerWorld {
    mutating func chat(_ frame: JSONValue, on connection: Int) {
        guard let question = WorldQuestion(frame) else {
            let key = frame["clientMessageId"]?.stringValue
            return send(Self.error("bad_request", "no question in it", key: key), to: connection)
        }
        arrived(question, .chat, connection: connection)
        let rule = follow(.chat, session: question.session).rule
        switch rule.action {
        case .drop: break
        case .refuse: send(Self.filled(rule.frame ?? [:], for: question), to: connection)
        default: ask(question, on: connection, rule.action)
        }
        if let how = rule.cut { cut(connection, how) }
    }

    private mutating func ask(_ question: WorldQuestion, on connection: Int, _ then: Rule.Action) {
        if let problem = refusal(of: question) {
            return send(Self.error(problem.code, problem.text, key: question.key), to: connection)
        }
        if let number = knownTurn(of: question) {
            // A repeat of a running turn waits for the single ending like all others.
            guard then != .store, let turn = turns[number] else { return }
            send(ack(turn, isDuplicate: true), to: connection)
            if turn.status != .running { send(ending(of: turn, isCopy: true), to: connection) }
            return
        }
        let number = begin(question)
        guard let turn = turns[number] else { return }
        if then != .store { send(ack(turn, isDuplicate: false), to: connection) }
        announce(turn, except: connection)
        if then == .serve { serve(number) }
    }

    func arrival(of question: WorldQuestion, _ kind: AwaitedArrival.Kind, connection: Int?) -> WorldArrival {
        WorldArrival(
            [kind, .question], session: question.session, key: question.key, text: question.text,
            connection: connection)
    }

    mutating func arrived(_ question: WorldQuestion, _ kind: AwaitedArrival.Kind, connection: Int?) {
        if questions.count < 10_000 { questions.append(question) }
        effects.append(.arrived(arrival(of: question, kind, connection: connection)))
    }

    /// Nil if the question is accepted.
    func refusal(of question: WorldQuestion) -> (code: String, text: String)? {
        if let session = question.session, index(of: session) == nil {
            return ("session_not_found", "no session '\(session.prefix(60))'")
        }
        guard let turn = knownTurn(of: question).flatMap({ turns[$0] }), let first = turn.question else { return nil }
        let isSame =
            MessageContent.isSame(first.content, as: question.content)
            && (question.session == nil || question.session == turn.session)
        return isSame ? nil : ("idempotency_mismatch", "this key belongs to a different question")
    }

    /// The turn of a question that was accepted before.
    func knownTurn(of question: WorldQuestion) -> Int? { turnByKey[question.key] }

    mutating func begin(_ question: WorldQuestion) -> Int {
        lastTurn += 1
        let number = lastTurn
        var session = question.session ?? freeSession()
        if index(of: session) == nil {
            session = freeSession()
            sessions.append(Session(id: session, createdAt: now))
        }
        turns[number] = Turn(number: number, session: session, question: question)
        turnByKey[question.key] = number
        if let position = index(of: session) {
            sessions[position].messages.append(
                Stored(
                    id: "u\(number)", role: .user, content: question.content, at: now, turn: number, key: question.key))
            sessions[position].turns.append(number)
        }
        latest = number
        return number
    }

    // MARK: names of a scenario

    /// The key that the client gave to the nth message with these words.
    func key(of text: String, number: Int) -> String? {
        var keys: [String] = []
        for question in questions where question.text == text {
            if !keys.contains(question.key) { keys.append(question.key) }
        }
        return keys.indices.contains(number) ? keys[number] : keys.last
    }

    /// The number of the latest question, or of the newest turn if this client has asked nothing.
    var latestTurn: Int { latest ?? lastTurn }

    func stored(_ id: String) -> Stored? {
        for session in sessions { if let found = session.messages.first(where: { $0.id == id }) { return found } }
        return nil
    }

    // MARK: endings

    /// Ends a turn as soon as the earlier ones of its session have ended (ORDER-2).
    mutating func serve(_ number: Int) {
        turns[number]?.isServed = true
        endServed(in: turns[number]?.session)
    }

    /// Ends a turn, after all earlier ones of its session.
    mutating func finish(_ number: Int, text: String? = nil, to audience: ServerAudience = .all) {
        endTurns(before: number)
        end(number, .done, text: text, to: audience)
        endServed(in: turns[number]?.session)
    }

    mutating func fail(_ number: Int, code: String, to audience: ServerAudience = .all) {
        endTurns(before: number)
        end(number, .failed(code: code), to: audience)
        endServed(in: turns[number]?.session)
    }

    mutating func use(_ tool: String, in number: Int, to audience: ServerAudience) {
        endTurns(before: number)
        guard let turn = turns[number], turn.status == .running else { return }
        tell(
            JSONValue(members: [
                "type": "toolUse", "tool": tool, "sessionId": turn.session, "turnId": "t\(number)",
                "status": "started",
            ]), to: audience)
        endServed(in: turn.session)
    }

    /// The running turns of a session, in the order in which they were accepted.
    private func runningTurns(of session: String?) -> [Turn] {
        turns.values.filter { $0.status == .running && $0.session == session }.sorted { $0.number < $1.number }
    }

    func hasEarlierTurn(than number: Int) -> Bool {
        runningTurns(of: turns[number]?.session).contains { $0.number < number }
    }

    /// Ends the earlier turns of a session, since a turn does nothing before they have ended.
    mutating func endTurns(before number: Int) {
        for turn in runningTurns(of: turns[number]?.session) where turn.number < number { end(turn.number, .done) }
    }

    /// Ends the first turns of a session that only waited for earlier ones.
    mutating func endServed(in session: String?) {
        for turn in runningTurns(of: session).prefix(while: \.isServed) { end(turn.number, .done) }
    }

    private mutating func end(
        _ number: Int, _ status: Turn.Status, text: String? = nil, to audience: ServerAudience = .all
    ) {
        guard var turn = turns[number], turn.status == .running else { return }
        let waiting = turn.waiting
        (turn.status, turn.waiting) = (status, [])
        if status == .done {
            let text = text ?? "answer \(number)"
            turn.answer = text
            if let position = index(of: turn.session) {
                sessions[position].messages.append(
                    Stored(
                        id: "a\(number)", role: .assistant, content: .string(text), at: now, turn: number,
                        key: nil))
            }
        }
        turns[number] = turn
        tell(ending(of: turn, isCopy: false), to: audience)
        for request in waiting {
            effects.append(
                .answer(request: request, answer(of: turn, isRepeat: turn.repeats.contains(request))))
        }
    }

    // MARK: frames

    func ack(_ turn: Turn, isDuplicate: Bool) -> JSONValue {
        JSONValue(members: [
            "type": "ack", "clientMessageId": turn.key, "sessionId": turn.session,
            "turnId": "t\(turn.number)",
            "messageId": "u\(turn.number)", "duplicate": isDuplicate.orAbsent,
        ])
    }

    /// Announces a question to other devices, if there is a stream; without one there are no messages (TURN-11).
    mutating func announce(_ turn: Turn, except connection: Int? = nil) {
        let stored = index(of: turn.session).flatMap { position in
            sessions[position].messages.first { $0.id == "u\(turn.number)" }
        }
        if isNumbered, let stored { tell(message(for: stored, in: turn.session), except: connection) }
    }

    func message(for stored: Stored, in session: String) -> JSONValue {
        JSONValue(members: [
            "type": "message", "sessionId": session, "messageId": stored.id, "role": stored.role.rawValue,
            "text": MessageContent.text(of: stored.content), "timestamp": text(at: stored.at),
            "turnId": stored.turn.map { "t\($0)" },
            "clientMessageId": stored.key,
        ])
    }

    func ending(of turn: Turn, isCopy: Bool) -> JSONValue {
        if case .failed(let code) = turn.status {
            return JSONValue(members: [
                "type": "error", "error": "the turn failed: \(code)", "code": code, "sessionId": turn.session,
                "turnId": "t\(turn.number)", "clientMessageId": turn.key,
                "retryable": code != "session_not_found",
                "duplicate": isCopy.orAbsent,
            ])
        }
        return JSONValue(members: [
            "type": "done", "text": turn.answer ?? "", "sessionId": turn.session,
            "turnId": "t\(turn.number)", "messageId": "a\(turn.number)", "clientMessageId": turn.key,
            "duplicate": isCopy.orAbsent,
        ])
    }

    /// A frame or body of a scenario, filled in for a question; members without a value are omitted.
    static func filled(_ template: JSONValue, for question: WorldQuestion?) -> JSONValue {
        var variables = ScenarioVariables()
        variables["key"] = question.map { .string($0.key) } ?? .null
        variables["session"] = question?.session.map { .string($0) } ?? .null
        variables["text"] = question.map { .string($0.text) } ?? .null
        guard let filled = try? variables.value(template) else { return template }
        guard let object = filled.objectValue, let original = template.objectValue else { return filled }
        return .object(
            JSONObject(
                object.filter { member in !member.value.isNull || original[member.key]?.isNull == true }.map { $0 }))
    }
}
