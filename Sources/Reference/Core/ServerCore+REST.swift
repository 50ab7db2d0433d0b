import JSON

// The recovery path: lists, reads and questions over HTTP.
extension ServerCore {
    mutating func answer(_ asked: RESTRequest, request: Int) {
        do throws(Refusal) {
            if asked.path == "/api/health" {
                try require("GET", asked)
                return answer(request, 200, ["ok": true])
            }
            guard asked.path.hasPrefix("/api/") else { throw nothing(at: asked.path) }
            guard let principal = rules.principal(token: asked.token) else {
                let code: ErrorCode = asked.token == nil ? .notAuthenticated : .authFailed
                throw Refusal(code, "a valid bearer token is needed")
            }
            switch route(asked.path) {
            case .sessions:
                try require("GET", asked)
                list(of: principal, request: request)
            case .session(let id):
                try require("GET", asked)
                try read(id, of: principal, request: request)
            case .chat:
                try require("POST", asked)
                guard asked.body.count <= rules.maxFrameBytes else {
                    throw Refusal(
                        .tooLarge, "the body has \(asked.body.count) bytes; at most \(rules.maxFrameBytes) are taken")
                }
                ask(try reader.body(asked.body), of: principal, from: .request(request))
            case nil: throw nothing(at: asked.path)
            }
        } catch {
            answer(request, with: error)
        }
    }

    private enum Route {
        case sessions, chat
        case session(String)
    }

    private func route(_ path: String) -> Route? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
        switch (parts.first, parts.count) {
        case ("sessions", 1): return .sessions
        case ("chat", 1): return .chat
        case ("sessions", 2): return parts.last.map { .session(String($0)) }
        default: return nil
        }
    }

    private func require(_ method: String, _ asked: RESTRequest) throws(Refusal) {
        guard asked.method == method else {
            throw Refusal(.badRequest, "only \(method) is answered here", status: 405)
        }
    }

    private func nothing(at path: String) -> Refusal {
        Refusal(.badRequest, "nothing is at '\(path.prefix(120))'", status: 404)
    }

    private var isBare: Bool { rules.variations.contains(.bareLists) }

    private func title(of session: SessionStore.Session) -> JSONValue? {
        session.title.isEmpty || isBare ? nil : .string(session.title)
    }

    private mutating func list(of principal: String, request: Int) {
        let entries = sessions.sessions(of: principal).map { session in
            members([
                ("id", .string(session.id)), ("title", title(of: session)),
                ("updatedAt", .string(Timestamp.text(session.updatedAt, rules.timeStyle))),
                ("messageCount", JSONValue(session.messages.count)),
                (
                    "lastMessage",
                    isBare ? nil : session.messages.last.map { .string(Preview.cut(Content.text($0.content), to: 100)) }
                ),
            ])
        }
        answer(request, 200, ["sessions": .array(entries)])
    }

    private mutating func read(_ id: String, of principal: String, request: Int) throws(Refusal) {
        guard SafeID.accepts(id) else {
            let isUnknown = rules.variations.contains(.sessionNotFoundForOddIDs)
            throw Refusal(isUnknown ? .sessionNotFound : .badRequest, "a session id matches [A-Za-z0-9_-]{1,128}")
        }
        guard let session = sessions.session(id, of: principal) else {
            throw Refusal(.sessionNotFound, "no session '\(id.prefix(128))'")
        }
        answer(request, 200, ["session": body(of: session)])
    }

    private func body(of session: SessionStore.Session) -> JSONValue {
        members([
            ("id", .string(session.id)), ("title", title(of: session)),
            ("createdAt", .string(Timestamp.text(session.createdAt, rules.timeStyle))),
            ("updatedAt", .string(Timestamp.text(session.updatedAt, rules.timeStyle))),
            (
                "messages",
                .array(
                    session.messages.map { message in
                        members([
                            ("id", .string(message.id)), ("role", .string(message.role)), ("content", message.content),
                            ("timestamp", .string(Timestamp.text(message.at, rules.timeStyle))),
                            ("turnId", message.turn.map(JSONValue.string)),
                            ("clientMessageId", message.key.map(JSONValue.string)),
                        ])
                    })
            ),
            (
                "turns",
                .array(
                    session.turns.map { turn in
                        members([
                            ("turnId", .string(turn.id)), ("status", .string(status(of: turn))),
                            ("clientMessageId", turn.key.map(JSONValue.string)),
                        ])
                    })
            ),
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

    /// Answers a question over REST with the outcome of its turn.
    mutating func answer(_ request: Int, _ names: TurnNames, with ending: TurnEnding, isRepeat: Bool) {
        switch ending {
        case .answered(let message, let text):
            answer(
                request, 200,
                members([
                    ("text", .string(text)), ("sessionId", .string(names.session)),
                    ("turnId", .string(names.turn)), ("messageId", .string(message)),
                    ("clientMessageId", names.key.map(JSONValue.string)),
                    ("duplicate", isRepeat ? true : nil),
                ]))
        case .failed(let code, let text):
            let code = ErrorCode(rawValue: code) ?? .internal
            answer(
                request, code.status,
                members([
                    ("error", .string(text)), ("code", .string(code.rawValue)), ("sessionId", .string(names.session)),
                    ("turnId", .string(names.turn)), ("clientMessageId", names.key.map(JSONValue.string)),
                    ("retryable", .bool(code.isRetryable)), ("duplicate", isRepeat ? true : nil),
                ]))
        }
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
