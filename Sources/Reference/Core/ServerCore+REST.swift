import Holdfast
import HoldfastJSON

// Lists, reads and questions over HTTP, which a client can recover with.
extension ServerCore {
    mutating func answer(_ asked: RESTRequest, request: Int) {
        do throws(Refusal) {
            if asked.path == "/api/health" {
                try require("GET", asked)
                return answer(request, 200, ["ok": true])
            }
            guard asked.path.hasPrefix("/api/") else { throw notFound(at: asked.path) }
            guard let principal = rules.principal(token: asked.token) else {
                let code: ErrorCode = asked.token == nil ? .notAuthenticated : .authFailed
                throw Refusal(code, "a valid bearer token is needed")
            }
            switch RESTRoute(asked.path) {
            case .list:
                try require("GET", asked)
                list(of: principal, request: request)
            case .read(let id):
                try require("GET", asked)
                try read(id, of: principal, request: request)
            case .chat:
                try require("POST", asked)
                guard asked.body.count <= rules.maxFrameBytes else {
                    throw Refusal(
                        .tooLarge, "the body has \(asked.body.count) bytes; at most \(rules.maxFrameBytes) are taken")
                }
                ask(try reader.body(asked.body), of: principal, from: .request(request))
            case .health, nil: throw notFound(at: asked.path)
            }
        } catch {
            answer(request, with: error)
        }
    }

    private func require(_ method: String, _ asked: RESTRequest) throws(Refusal) {
        guard asked.method == method else { throw Refusal(.badRequest, "only \(method) is answered here", status: 405) }
    }

    private func notFound(at path: String) -> Refusal {
        Refusal(.badRequest, "nothing is at '\(path.prefix(120))'", status: 404)
    }

    private var isBare: Bool { rules.variations.contains(.bareLists) }

    private func title(of session: SessionStore.Session) -> JSONValue? {
        session.title.isEmpty || isBare ? nil : .string(session.title)
    }

    private mutating func list(of principal: String, request: Int) {
        let entries = sessions.sessions(of: principal).map { session in
            JSONValue(members: [
                "id": session.id, "title": title(of: session),
                "updatedAt": Timestamp.text(session.updatedAt, rules.timeStyle),
                "messageCount": session.messages.count,
                "lastMessage": isBare
                    ? nil : session.messages.last.map { Preview.cut(MessageContent.text(of: $0.content), to: 100) },
            ])
        }
        answer(request, 200, ["sessions": .array(entries)])
    }

    private mutating func read(_ id: String, of principal: String, request: Int) throws(Refusal) {
        guard isSessionID(id) else {
            let isUnknown = rules.variations.contains(.sessionNotFoundForOddIDs)
            throw Refusal(isUnknown ? .sessionNotFound : .badRequest, "a session id matches [A-Za-z0-9_-]{1,128}")
        }
        guard let session = sessions.session(id, of: principal) else {
            throw Refusal(.sessionNotFound, "no session '\(id.prefix(128))'")
        }
        answer(request, 200, ["session": body(of: session)])
    }

    private func body(of session: SessionStore.Session) -> JSONValue {
        JSONValue(members: [
            "id": session.id, "title": title(of: session),
            "createdAt": Timestamp.text(session.createdAt, rules.timeStyle),
            "updatedAt": Timestamp.text(session.updatedAt, rules.timeStyle),
            "messages": session.messages.map { message in
                JSONValue(members: [
                    "id": message.id, "role": message.role, "content": message.content,
                    "timestamp": Timestamp.text(message.at, rules.timeStyle), "turnId": message.turn,
                    "clientMessageId": message.key,
                ])
            },
            "turns": session.turns.map { turn in
                JSONValue(members: [
                    "turnId": turn.id, "status": status(of: turn), "clientMessageId": turn.key,
                ])
            },
        ])
    }

    private func status(of turn: SessionStore.Turn) -> String {
        switch turn.ending {
        case nil: "running"
        case .answered: "done"
        case .failed: "failed"
        }
    }

    // MARK: answers

    mutating func answer(_ request: Int, _ names: TurnNames, with ending: TurnEnding, isRepeat: Bool) {
        var body = Frames.ending(ending, of: names, duplicate: isRepeat)
        body["type"] = nil
        var status = 200
        if case .failed(let code, _) = ending { status = (ErrorCode(rawValue: code) ?? .internal).status }
        answer(request, status, body)
    }

    mutating func answer(_ request: Int, with refusal: Refusal) {
        var headers: [String: String] = [:]
        if let wait = refusal.retryAfterMs { headers["Retry-After"] = String((wait + 999) / 1000) }
        if refusal.code.status == 401 { headers["WWW-Authenticate"] = "Bearer" }
        answer(request, refusal.status ?? refusal.code.status, Frames.body(refusal), headers: headers)
    }

    mutating func answer(_ request: Int, _ status: Int, _ body: JSONValue, headers: [String: String] = [:]) {
        effects.append(
            .answer(
                request: request, RESTAnswer(status: status, body: shaper.text(of: body), headers: headers)))
    }
}
