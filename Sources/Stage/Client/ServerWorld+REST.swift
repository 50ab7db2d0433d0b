import Holdfast
import HoldfastJSON

extension ServerWorld {
    /// An answer that is held back until it is released, or until its time has come.
    struct Held {
        enum What {
            case greeting(JSONObject?)
            case read(String)
            case list
            case sync(JSONValue)
            case post(WorldQuestion?)
        }

        var id = 0
        var what: What
        var request: Int?
        var connection: Int?
        var comes: Rule.Event
        var session: String?
        /// The answer with the state at the arrival of the request.
        var earlyAnswer: WorldAnswer?
        /// The same for a `sync`.
        var earlyFrame: JSONValue?
    }

    mutating func hold(_ it: Held, by rule: Rule) {
        var it = it
        if rule.action == .delay { effects.append(.later(token: nextToken(), milliseconds: rule.milliseconds ?? 0)) }
        it.id = rule.action == .delay ? lastToken : nextToken()
        held.append(it)
    }

    private mutating func nextToken() -> Int {
        lastToken += 1
        return lastToken
    }

    /// Handles a request; an effect answers it, at once, later or never.
    package mutating func asked(_ request: Int, method: String, path: String, principal: String?, body: JSONValue?) {
        let route = RESTRoute(path).flatMap { $0 == .read("") ? nil : $0 }
        let isChat = route == .chat && method == "POST"
        let question = isChat ? body.flatMap { WorldQuestion($0) } : nil
        switch route {
        case .list: effects.append(.arrived(WorldArrival([.list])))
        case .read(let id): effects.append(.arrived(WorldArrival([.read], session: id)))
        default: break
        }
        if let question { arrived(question, .post, connection: nil) }
        if isUnreachable { return effects.append(.hangUp(request: request)) }
        guard let route else { return answer(request, Self.refusal(404, "bad_request", "nothing is at this path")) }
        guard method == (route == .chat ? "POST" : "GET") else {
            return answer(request, Self.refusal(405, "bad_request", "this method is not answered here"))
        }
        if route == .health { return answer(request, WorldAnswer(body: ["ok": true], schema: "health")) }
        guard principal == "p1" else {
            let code = principal == nil ? "not_authenticated" : "auth_failed"
            return answer(request, Self.refusal(401, code, "a valid bearer token is needed"))
        }
        switch route {
        case .health: break
        case .list:
            serve(request, .list, .list, session: nil)
        case .read(let id):
            serve(request, .read(id), .read, session: id)
        case .chat: post(request, question, body)
        }
    }

    package mutating func gone(_ request: Int) {
        held.removeAll { $0.request == request }
        for number in turns.keys { turns[number]?.waiting.removeAll { $0 == request } }
    }

    private mutating func serve(_ request: Int, _ what: Held.What, _ comes: Rule.Event, session: String?) {
        let (rule, past) = withholdsReads ? (Rule(comes, .hold), sessions) : follow(comes, session: session)
        switch rule.action {
        case .hold, .delay:
            let early = answer(to: what, in: sessions)
            hold(Held(what: what, request: request, comes: comes, session: session, earlyAnswer: early), by: rule)
        case .fail: answer(request, WorldAnswer(status: rule.status ?? 503))
        case .reset: effects.append(.hangUp(request: request))
        case .stale: answer(request, answer(to: what, in: past))
        default: answer(request, answer(to: what, in: sessions))
        }
    }

    // MARK: questions

    private mutating func post(_ request: Int, _ question: WorldQuestion?, _ body: JSONValue?) {
        guard let question else {
            let key = body?["clientMessageId"]?.stringValue
            return answer(request, Self.refusal(400, "bad_request", "no question in it", key: key))
        }
        let rule = followPost(of: question)
        switch rule.action {
        case .drop: return
        case .fail: return answer(request, WorldAnswer(status: rule.status ?? 503))
        case .refuse: return answer(request, Self.refusal(of: question, rule))
        case .reset: return effects.append(.hangUp(request: request))
        default: break
        }
        if let problem = refusal(of: question) {
            let status = problem.code == "session_not_found" ? 404 : 422
            return answer(request, Self.refusal(status, problem.code, problem.text, key: question.key))
        }
        let before = knownTurn(of: question)
        let number = before ?? begin(question)
        if before == nil, let turn = turns[number] { announce(turn) }
        if rule.action == .store {
            // After `cut: silence`, the client is left waiting.
            if rule.cut != .silence { effects.append(.hangUp(request: request)) }
            return
        }
        // A question behind a running turn has no answer yet that could be delayed.
        if rule.action == .delay, !hasEarlierTurn(than: number) {
            finish(number)
            let early = turns[number].map { answer(of: $0, isRepeat: before != nil) }
            let delayed = Held(
                what: .post(question), request: request, comes: .post, session: question.session, earlyAnswer: early)
            return hold(delayed, by: rule)
        }
        if before != nil { turns[number]?.repeats.insert(request) }
        if let turn = turns[number], turn.status != .running {
            return answer(request, answer(of: turn, isRepeat: true))
        }
        turns[number]?.waiting.append(request)
        if rule.action != .hold, before == nil { serve(number) }
    }

    func answer(of turn: Turn, isRepeat: Bool) -> WorldAnswer {
        if case .failed(let code) = turn.status {
            var answer = Self.refusal(502, code, "the turn failed: \(code)", key: turn.key)
            answer.body?["turnId"] = .string("t\(turn.number)")
            answer.body?["sessionId"] = .string(turn.session)
            return answer
        }
        return WorldAnswer(
            body: JSONValue(members: [
                "text": turn.answer ?? "", "sessionId": turn.session, "turnId": "t\(turn.number)",
                "messageId": "a\(turn.number)", "duplicate": isRepeat.orAbsent,
            ]), schema: "chatResponse")
    }

    private static func refusal(of question: WorldQuestion, _ rule: Rule) -> WorldAnswer {
        let status = rule.status ?? 503
        let usual = refusal(status, status == 429 ? "rate_limited" : "internal", "refused", key: question.key)
        var answer = WorldAnswer(
            status: status, body: rule.body.map { filled($0, for: question) } ?? usual.body,
            schema: rule.body == nil ? usual.schema : nil)
        if let seconds = rule.retryAfter {
            answer.retryAfter = seconds
            if rule.body == nil, status == 429 { answer.body?["retryAfterMs"] = JSONValue(seconds * 1000) }
        }
        return answer
    }

    static func refusal(_ status: Int, _ code: String, _ text: String, key: String? = nil) -> WorldAnswer {
        WorldAnswer(
            status: status,
            body: JSONValue(members: ["error": text, "code": code, "clientMessageId": key]), schema: "restError")
    }

    // MARK: reads

    mutating func answer(_ request: Int, _ answer: WorldAnswer) {
        effects.append(.answer(request: request, answer))
    }

    func answer(to what: Held.What, in sessions: [Session]) -> WorldAnswer {
        switch what {
        case .read(let id):
            guard let session = sessions.first(where: { $0.id == id }) else {
                return Self.refusal(404, "session_not_found", "no session '\(id.prefix(60))'")
            }
            return WorldAnswer(body: ["session": body(of: session)], schema: "session")
        default:
            let newest = sessions.enumerated().sorted { left, right in
                left.element.updatedAt == right.element.updatedAt
                    ? left.offset > right.offset : left.element.updatedAt > right.element.updatedAt
            }
            return WorldAnswer(
                body: ["sessions": .array(newest.map { entry(of: $0.element) })], schema: "sessionList")
        }
    }

    private func entry(of session: Session) -> JSONValue {
        JSONValue(members: [
            "id": session.id, "title": title(of: session),
            "updatedAt": text(at: session.updatedAt), "messageCount": session.messages.count,
            "lastMessage": session.messages.last.map { String(MessageContent.text(of: $0.content).prefix(80)) },
        ])
    }

    func text(at milliseconds: Int) -> String {
        let usual = WallClock.shortest(milliseconds: milliseconds)
        guard hasRareForms else { return usual }
        switch milliseconds / 250 % 3 {
        case 0: return WallClock.text(milliseconds: milliseconds + 19_800_000).dropLast() + "+05:30"
        case 1: return WallClock.text(milliseconds: milliseconds).dropLast() + "000001-00:00"
        default: return usual
        }
    }

    /// The wire form of a content; with rare forms, text parts with a part of an unknown type between them.
    ///
    /// A question of this client stays as it was sent (ENV-6).
    private func content(of stored: Stored) -> JSONValue {
        let isOwn = stored.role == .user && stored.turn.flatMap { turns[$0]?.question } != nil
        guard hasRareForms, !isOwn, let text = stored.content.stringValue else { return stored.content }
        let half = text.index(text.startIndex, offsetBy: text.count / 2)
        return [
            ["type": "text", "text": .string(String(text[..<half]))], ["type": "mood", "mood": "calm"],
            ["type": "text", "text": .string(String(text[half...]))],
        ]
    }

    private func title(of session: Session) -> JSONValue? {
        session.messages.first { $0.role == .user }.map {
            .string(String(MessageContent.text(of: $0.content).prefix { !$0.isNewline }.prefix(60)))
        }
    }

    private func body(of session: Session) -> JSONValue {
        let messages = session.messages.map { stored in
            JSONValue(members: [
                "id": stored.id, "role": stored.role.rawValue, "content": content(of: stored),
                "timestamp": text(at: stored.at), "turnId": stored.turn.map { "t\($0)" },
                "clientMessageId": stored.key,
            ])
        }
        let known = Set(session.messages.compactMap(\.turn))
        let turns = session.turns.filter(known.contains).compactMap { number in
            self.turns[number].map { turn in
                // In an older copy of a session, a turn without its answer was still running.
                let isAnswered = session.messages.contains { $0.turn == number && $0.role == .assistant }
                let word = turn.status == .done && !isAnswered ? "running" : turn.status.word
                return JSONValue(members: [
                    "turnId": "t\(number)", "status": word, "clientMessageId": turn.key,
                ])
            }
        }
        return JSONValue(members: [
            "id": session.id, "title": title(of: session), "createdAt": text(at: session.createdAt),
            "updatedAt": text(at: session.updatedAt), "messages": messages, "turns": turns,
        ])
    }
}
