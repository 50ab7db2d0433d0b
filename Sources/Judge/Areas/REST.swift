import Holdfast
import JSON
import Transcript

/// Checks of the recovery path: what a client reads when the socket could not tell it.
enum REST {
    static let checks: [Check] = [
        Check(.REST, 1, successesHaveTheirShape), Check(.REST, 2, bodiesAreCalledJSON),
        Check(.REST, 3, newestComesFirst),
        Check(.REST, 4, everySessionIsListedOnce), Check(.REST, 5, countsAreTrue),
        Check(.REST, 6, messagesHaveTheirIds),
        Check(.REST, 7, unknownSessionsAreNotFound), Check(.REST, 8, questionsForUnknownSessionsAreNotFound),
        Check(.REST, 9, malformedQuestionsAreBadRequests), Check(.REST, 10, failedTurnsAreServerErrors),
        Check(.REST, 11, responsesSayWhatIsStored), Check(.REST, 12, readsAreAnsweredWhileTurnsRun),
        Check(.REST, 13, shortTextsEndBetweenCharacters), Check(.REST, 14, healthNeedsNoToken),
    ]

    /// REST-1: "A server MUST answer `GET /api/sessions`, `GET /api/sessions/{id}` of an existing session and a
    /// completed `POST /api/chat` with 200 and a body valid against its schema".
    ///
    /// A session exists when the server named it before the request. A read while a turn of its session runs is the matter
    /// of PERSIST-9. What a schema says for another clause (`x-clause`) is judged there.
    static func successesHaveTheirShape(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges {
            guard let response = exchange.response, let status = exchange.status,
                let principal = exchange.sent.principal, principal != "other"
            else { continue }
            let name: String
            switch exchange.route {
            case .sessions where exchange.sent.method == "GET": name = "sessionList"
            case .session(let id) where exchange.sent.method == "GET":
                guard history.sessions.isOwed(id, for: principal, before: exchange.request) || status == 200,
                    !history.runs(in: id, for: principal, from: exchange.request, to: response, surely: true)
                else { continue }
                name = "session"
            case .chat where exchange.isChat && (200...299).contains(status): name = "chatResponse"
            case .chat where exchange.isChat && status >= 500 && completed(exchange, history):
                name = "chatResponse"
            default: continue
            }
            let events = [exchange.request, response]
            // Credentials that ran out, a budget that others spent, and a copy the reader still had.
            if history.isCapture, (300...399).contains(status) || [401, 403, 429].contains(status) { continue }
            guard status == 200 else {
                evidence.violate(
                    "a request did not succeed", expected: "200 and a \(name)", actual: "\(status)", at: events)
                continue
            }
            guard let root = exchange.answer?.root else {
                evidence.violate(
                    "a body is not JSON", expected: "a \(name)", actual: shown(exchange.received?.body), at: events)
                continue
            }
            let problem = history.schemas.validate(root, as: name).first {
                $0.clause == ClauseID(.REST, 1) || $0.clause == nil
            }
            evidence.test(no: problem) { problem in
                Finding(
                    "\(name) \(problem.instance): \(problem.what)", expected: problem.expected,
                    actual: shown(root[problem.instance]?.text()), at: events)
            }
        }
    }

    /// Whether the turn of a question that was sent once ended well before its response, as a connection saw.
    private static func completed(_ exchange: ObservedExchange, _ history: Observations) -> Bool {
        history.turns.contains { turn in
            turn.requests.count == 1 && turn.event == exchange.request
                && turn.endings.contains { $0.type == "done" && $0.event < exchange.response ?? 0 }
        }
    }

    /// REST-2: "A server MUST send JSON bodies with the media type `application/json`".
    ///
    /// Exercised once per response with a body; parameters such as `charset` are legal.
    static func bodiesAreCalledJSON(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.route != .other {
            guard let response = exchange.response, let received = exchange.received, !received.body.isEmpty else {
                continue
            }
            let type = received[header: "content-type"]
            let essence = type?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
            evidence.test(
                essence == "application/json", otherwise: "a body is not sent as JSON",
                expected: "Content-Type: application/json", actual: shown(type), at: [exchange.request, response])
        }
    }

    /// REST-3: "A server MUST list sessions by `updatedAt`, newest first".
    ///
    /// Exercised once per list of at least two sessions whose times can be read.
    static func newestComesFirst(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            let times = list.entries.compactMap { entry in entry.updatedAt.flatMap { Instant($0) } }
            guard times.count >= 2, times.count == list.entries.count else { continue }
            let index = times.indices.dropFirst().first { times[$0 - 1] < times[$0] }
            evidence.test(no: index) { index in
                Finding(
                    "a session stands above a newer one", expected: "newest updatedAt first",
                    actual: "\(shown(list.entries[index - 1].updatedAt)) above \(shown(list.entries[index].updatedAt))",
                    at: [list.request, list.event])
            }
        }
    }

    /// REST-4: "A server MUST list every session of the principal exactly once, from the time a turn's first frame or
    /// response named it".
    ///
    /// Sessions that a frame, response, read or list named before the request. Exercised once per list that has to hold one.
    static func everySessionIsListedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            guard let principal = list.principal else { continue }
            let known = history.sessions.all(for: principal, before: list.request)
            let counts = Dictionary(list.ids.map { ($0, 1) }, uniquingKeysWith: +)
            guard !known.isEmpty || counts.contains(where: { $0.value > 1 }) else { continue }
            if let twice = counts.filter({ $0.value > 1 }).keys.min() {
                evidence.violate(
                    "a session is listed twice", expected: "each session once",
                    actual: "\(shown(twice)) \(counts[twice] ?? 0) times", at: [list.request, list.event])
            } else {
                let missing = known.filter({ counts[$0.session] == nil }).min(by: { $0.event < $1.event })
                evidence.test(no: missing) { missing in
                    Finding(
                        "a session is not listed", expected: shown(missing.session), actual: listed(list.ids),
                        at: [missing.event, list.request, list.event])
                }
            }
        }
    }

    /// REST-5: "A server MUST state in the list, as `messageCount`, the number of messages a session read returns".
    ///
    /// Each list is held against the next read of each session, and against the one before it, as long as no turn of that
    /// session ran or was asked in between.
    static func countsAreTrue(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            for entry in list.entries {
                guard let id = entry.id, let count = entry.messageCount, let principal = list.principal else {
                    continue
                }
                let reads = history.sessionReads.filter { $0.sessionId == id && $0.principal == principal }
                let neighbours = [
                    reads.last { $0.event < list.request }, reads.first { $0.request > list.event },
                ]
                for case let read? in neighbours {
                    let from = min(list.request, read.request)
                    let to = max(list.event, read.event)
                    guard !history.runs(in: id, for: principal, from: from, to: to),
                        !history.hasCrashed(between: from, and: to)
                    else { continue }
                    evidence.test(
                        count == read.messages.count, otherwise: "messageCount is not the number of messages",
                        expected: "\(read.messages.count)", actual: "\(count) for \(shown(id))",
                        at: [list.event, read.event].sorted())
                }
            }
        }
    }

    /// REST-6: "A server MUST give each message of a session read an `id` that is unique in the session and, for an
    /// answer whose `done` named a `messageId`, is that `messageId`".
    ///
    /// An answer that a read does not hold at all is the matter of PERSIST-2. Exercised once per read of messages.
    static func messagesHaveTheirIds(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads where !read.messages.isEmpty {
            let ids = read.messages.compactMap(\.id)
            let counts = Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
            if let twice = counts.filter({ $0.value > 1 }).keys.min() {
                evidence.violate(
                    "two messages of a session have one id", expected: "an id of its own for each message",
                    actual: shown(twice), at: [read.request, read.event])
                continue
            }
            guard ids.count == read.messages.count, !ids.contains("") else {
                evidence.violate(
                    "a message has no id", expected: "an 'id' on each message",
                    actual: "\(ids.count) ids for \(read.messages.count) messages", at: [read.request, read.event])
                continue
            }
            evidence.test(no: misnamedAnswer(in: read, history)) { wrong in
                Finding(
                    "an answer is stored under another id than it was sent with", expected: shown(wrong.expected),
                    actual: shown(wrong.actual), at: [wrong.event, read.event])
            }
        }
    }

    private static func misnamedAnswer(
        in read: ObservedSessionRead, _ history: Observations
    ) -> (expected: String, actual: String?, event: Int)? {
        for turn in history.turns where turn.sessionId == read.sessionId && turn.principal == read.principal {
            var named = turn.endings.filter { $0.type == "done" }.map { ($0.messageId, $0.text, $0.event) }
            for request in turn.requests {
                guard let event = request.success, case .exchange(let index) = request.origin,
                    let body = history.exchanges[index].answer?.root
                else { continue }
                named.append((body["messageId"]?.stringValue, body["text"]?.stringValue, event))
            }
            for case (let id?, let text, let event) in named where event < read.request {
                guard !read.messages.contains(where: { $0.id == id && $0.role == "assistant" }) else { continue }
                let stored = read.messages.first { message in
                    message.role == "assistant"
                        && (message.turnId != nil ? message.turnId == turn.turnId : message.text == text)
                }
                if let stored { return (id, stored.id, event) }
            }
        }
        return nil
    }

    /// REST-7: "A server MUST answer `GET /api/sessions/{id}` for a well-formed id of no session of the principal with
    /// 404 and an error body".
    ///
    /// A session is of nobody when no frame, response or list named it before. A 200 with messages is taken for a session
    /// whose creation this history did not see.
    static func unknownSessionsAreNotFound(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard case .session(let id) = exchange.route, isSessionID(id), let response = exchange.response,
                let status = exchange.status, let principal = exchange.sent.principal, principal != "other",
                !history.sessions.exists(id, for: principal, before: response)
            else { continue }
            if status == 200, !isMadeUp(id, exchange, principal, history) { continue }
            notFound(exchange, status, at: [exchange.request, response], &evidence)
        }
    }

    /// Whether a session that was read cannot have been there before.
    private static func isMadeUp(
        _ id: String, _ exchange: ObservedExchange, _ principal: String, _ history: Observations
    ) -> Bool {
        if history.turns.contains(where: { $0.sessionId == id }) { return false }
        if history.sessions.isAbsent(id, for: principal, before: exchange.request) { return true }
        guard let session = exchange.answer?.root["session"] else { return true }
        return session["messages"]?.arrayValue?.isEmpty == true
    }

    /// REST-8: "A server MUST answer `POST /api/chat` that names a well-formed id of no session of the principal with
    /// 404 and an error body".
    ///
    /// A success is broken ground only when a read or list had shown that there is no such session.
    static func questionsForUnknownSessionsAreNotFound(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat {
            guard let id = exchange.body?["sessionId"]?.stringValue, isSessionID(id), let response = exchange.response,
                let status = exchange.status, let principal = exchange.sent.principal, principal != "other",
                let body = exchange.body, history.coreSchemas.accepts(body, as: "chatRequest"),
                !history.sessions.exists(id, for: principal, before: exchange.request), status != 429
            else { continue }
            let isKnownAbsent = history.sessions.isAbsent(id, for: principal, before: exchange.request)
            guard isKnownAbsent || status == 404 else { continue }
            notFound(exchange, status, at: [exchange.request, response], &evidence)
        }
    }

    private static func notFound(
        _ exchange: ObservedExchange, _ status: Int, at events: [Int], _ evidence: inout Evidence
    ) {
        let isErrorBody = exchange.answer?.root["error"]?.stringValue != nil
        if status == 404, isErrorBody { return evidence.keep() }
        evidence.violate(
            "a request for a session that does not exist got another answer", expected: "404 with an error body",
            actual: status == 404 ? "404 with \(shown(exchange.received?.body))" : "\(status)", at: events)
    }
}
