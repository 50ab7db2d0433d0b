import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

enum REST {
    static let checks: [Check] = [
        Check(.REST, 1, successesHaveTheirShape),
        Check(.REST, 2, bodiesAreLabeledJSON),
        Check(.REST, 3, newestComesFirst),
        Check(.REST, 4, everySessionIsListedOnce),
        Check(.REST, 5, countsAreTrue),
        Check(.REST, 6, shortTextsEndBetweenCharacters),
        Check(.REST, 7, healthNeedsNoToken),
        Check(.REST, 8, questionsAreAnsweredWhenTheirTurnEnds, responsesAreEndings),
    ]

    /// REST-1: "A server MUST answer `GET /api/sessions`, `GET /api/sessions/{id}` of an existing session and a
    /// completed `POST /api/chat` with 200 and a body valid against its schema".
    ///
    /// PERSIST-7 judges a list or read that is refused or never answered. Rules whose `x-clause` names another clause
    /// are judged by that clause.
    static func successesHaveTheirShape(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges {
            guard let status = exchange.status, let name = schema(ofSuccess: exchange, history) else { continue }
            let events = exchange.events
            guard status == 200 else {
                evidence.violate("a request failed", expected: "200 and a \(name)", actual: "\(status)", at: events)
                continue
            }
            guard let root = exchange.stated else {
                evidence.violate(
                    "a body is not JSON", expected: "a \(name)", actual: shown(exchange.received?.body), at: events)
                continue
            }
            let isKnown = history.schemas.name(of: root) == name
            let problems =
                isKnown
                ? exchange.response.flatMap { history.schemaProblems[$0] } ?? []
                : history.schemas.validate(root, as: name)
            let problem = problems.first { $0.clause == ClauseID(.REST, 1) || $0.clause == nil }
            evidence.test(no: problem.map { Finding($0, in: root, of: name, at: events) })
        }
    }

    /// The schema of the body that is due, if the request succeeded or had to succeed.
    private static func schema(ofSuccess exchange: ObservedExchange, _ history: Observations) -> String? {
        guard let status = exchange.status, exchange.hasKnownPrincipal else { return nil }
        if exchange.isRead(of: .sessions) { return status == 200 ? "sessionList" : nil }
        if exchange.sessionRead != nil { return status == 200 ? "session" : nil }
        let isSuccess = (200...299).contains(status) || status >= 500 && completed(exchange, history)
        return exchange.isChat && isSuccess ? "chatResponse" : nil
    }

    private static func completed(_ exchange: ObservedExchange, _ history: Observations) -> Bool {
        history.turns.contains { turn in
            turn.requests.count == 1 && turn.event == exchange.request
                && turn.endings.before(exchange.response ?? 0).contains { $0.kind == .done }
        }
    }

    /// REST-2: "A server MUST send JSON bodies with the media type `application/json`".
    ///
    /// Once per response with a body; parameters such as `charset` are allowed.
    static func bodiesAreLabeledJSON(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isRESTRequest {
            guard let received = exchange.received, !received.body.isEmpty else { continue }
            let type = received[header: "content-type"]
            let essence = type?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
            evidence.test(
                essence == "application/json", otherwise: "a body has the wrong content type",
                expected: "Content-Type: application/json", actual: shown(type), at: exchange.events)
        }
    }

    /// REST-3: "A server MUST list sessions by `updatedAt`, newest first".
    static func newestComesFirst(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            let times = list.entries.compactMap { entry in entry.updatedAt.flatMap { Instant($0) } }
            guard times.count >= 2, times.count == list.entries.count else { continue }
            let index = times.indices.dropFirst().first { times[$0 - 1] < times[$0] }
            evidence.test(no: index) { index in
                Finding(
                    "a session is listed above a newer one", expected: "newest updatedAt first",
                    actual: "\(shown(list.entries[index - 1].updatedAt)) above \(shown(list.entries[index].updatedAt))",
                    at: [list.request, list.event])
            }
        }
    }

    /// REST-4: "A server MUST list every session of the principal exactly once, from the time a turn's first frame or
    /// response named it".
    ///
    /// The sessions are those that a frame, response, read or list named before. Once per list that must contain one.
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
                evidence.test(no: known.first { counts[$0.session] == nil }) { missing in
                    Finding(
                        "a session is not listed", expected: shown(missing.session), actual: listed(list.ids),
                        at: [missing.event, list.request, list.event])
                }
            }
        }
    }

    /// REST-5: "A server MUST state in the list, as `messageCount`, the number of messages a session read returns".
    ///
    /// Each list is compared with the next read of each session, and with the one before it, unless a turn of that
    /// session ran or was asked in between.
    static func countsAreTrue(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            for entry in list.entries {
                guard let id = entry.id, let count = entry.messageCount, let principal = list.principal else {
                    continue
                }
                let reads = history.reads(of: id, by: principal)
                for case let read? in [reads.before(list.request).last, reads.asked(after: list.event).first] {
                    let (from, to) = (min(list.request, read.request), max(list.event, read.event))
                    guard !history.runs(in: id, for: principal, from: from, to: to),
                        !history.hasCrashed(between: from, and: to)
                    else { continue }
                    // A turn whose question was not recorded is visible only by its frames.
                    if count != read.messages.count,
                        history.received.between(from, to).contains(where: {
                            $0.sessionId == id && $0.isOf(.message, .toolUse, .done, .error)
                        })
                    {
                        continue
                    }
                    evidence.test(
                        count == read.messages.count, otherwise: "messageCount is not the number of messages",
                        expected: "\(read.messages.count)", actual: "\(count) for \(shown(id))",
                        at: [list.event, read.event].sorted())
                }
            }
        }
    }

    /// ID-8, rule 2: in a session read the `id` of each message is unique and, for an answer, the `messageId` of its
    /// `done`.
    ///
    /// PERSIST-2 judges a missing answer. Once per read with messages.
    static func messagesHaveTheirIds(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads where !read.messages.isEmpty {
            let ids = read.messages.compactMap(\.id)
            let counts = Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
            if let twice = counts.filter({ $0.value > 1 }).keys.min() {
                evidence.violate(
                    "two messages of a session have the same id", expected: "a unique id for each message",
                    actual: shown(twice), at: [read.request, read.event])
                continue
            }
            evidence.test(no: misnamedAnswer(in: read, history)) { wrong in
                Finding(
                    "an answer is stored under an id other than the one sent", expected: shown(wrong.expected),
                    actual: shown(wrong.actual), at: [wrong.event, read.event])
            }
        }
    }

    private static func misnamedAnswer(
        in read: ObservedSessionRead, _ history: Observations
    ) -> (expected: String, actual: String, event: Int)? {
        for turn in history.turnsBySession[read.sessionId] ?? []
        where turn.sessionId == read.sessionId && turn.principal == read.principal {
            // A key that ran twice (IDEM-1) may have an answer elsewhere.
            let dones = turn.endings.filter { $0.kind == .done && $0.sessionId == read.sessionId }
            var named = dones.map { ($0.messageId, $0.text, $0.event) }
            for request in turn.requests {
                guard let event = request.success, let body = history.body(ofResponse: event) else { continue }
                named.append((body.id("messageId"), body["text"]?.stringValue, event))
            }
            for case (let id?, let text, let event) in named where read.isAsked(after: event) {
                guard !read.messages.contains(where: { $0.id == id && $0.role == "assistant" }) else { continue }
                let stored = read.messages.first { message in
                    message.role == "assistant"
                        && (message.turnId != nil ? message.turnId == turn.turnId : message.text == text)
                }
                // REST-1 judges a message without an id.
                if let name = stored?.id { return (id, name, event) }
            }
        }
        return nil
    }

    /// ID-4, rule 2: a session read with a well-formed id of no session of its principal gets 404 and an error body.
    ///
    /// A session does not exist if no frame, response or list named it before. After a 200 with messages, its creation
    /// is assumed to be unrecorded.
    static func unknownSessionsAreNotFound(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.hasKnownPrincipal {
            guard let id = exchange.sessionRead, isSessionID(id), let principal = exchange.sent.principal,
                !history.sessions.exists(id, for: principal, before: exchange.response ?? exchange.request)
            else { continue }
            if exchange.status == 200, !isMadeUp(id, exchange, principal, history) { continue }
            history.judge(
                exchange, isRefusedWith: 404...404, within: history.timeouts.rest,
                "a request for an unknown session was not answered with 404", into: &evidence)
        }
    }

    /// Whether a session that was read cannot have existed before.
    private static func isMadeUp(
        _ id: String, _ exchange: ObservedExchange, _ principal: String, _ history: Observations
    ) -> Bool {
        if history.turns.contains(where: { $0.sessionId == id }) { return false }
        if history.sessions.isAbsent(id, for: principal, before: exchange.request) { return true }
        guard let session = exchange.answer?.root["session"] else { return true }
        return session["messages"]?.arrayValue?.isEmpty == true
    }

    // MARK: Questions

    /// ENV-3, rule 2: an invalid question over REST gets 400 and an error body.
    ///
    /// ID-5 judges a `sessionId` that is ill-formed and otherwise valid; duplicate names, lone surrogates and fractions
    /// may be accepted.
    static func malformedQuestionsAreBadRequests(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat {
            guard let text = exchange.sent.body, text.utf8.count <= history.minFrameLimit, exchange.hasKnownPrincipal,
                exchange.status != 429, isMalformed(text, history)
            else { continue }
            history.judge(
                exchange, isRefusedWith: 400...400, within: history.timeouts.turn,
                "a malformed question was not answered with 400", into: &evidence)
        }
    }

    private static func isMalformed(_ text: String, _ history: Observations) -> Bool {
        let document: JSONDocument
        do { document = try JSONParser.document(text) } catch {
            if case .tooDeep = error.kind { return false } else { return true }
        }
        guard document.flaws.isEmpty else { return false }
        let session = document.root["sessionId"]
        if !endsWithUser(document.root) { return true }
        return history.coreSchemas.validate(document.root, as: "chatRequest").contains { problem in
            let isIllFormedID = problem.instance == JSONPointer("/sessionId") && session?.stringValue != nil
            return problem.flaw == nil && !isIllFormedID
        }
    }

    /// Each valid REST question that tests a limit, with its size in bytes and the announced limit.
    ///
    /// A small question that was not refused for its size is not parsed.
    private static func sizedQuestions(
        _ history: Observations
    ) -> [(exchange: ObservedExchange, size: Int, limit: Int)] {
        history.exchanges.compactMap { exchange in
            guard exchange.isChat, exchange.hasKnownPrincipal, let text = exchange.sent.body,
                let limit = history.frameLimit(before: exchange.request), case let size = text.utf8.count,
                size > limit / 2 || exchange.status == 413, !isMalformed(text, history)
            else { return nil }
            return (exchange, size, limit)
        }
    }

    /// ENV-7, rule 3: no question over REST is refused for its size up to the limit announced in a `connected`.
    ///
    /// Only a body of more than half the limit exercises this; a smaller one counts if it is refused for its size.
    static func bodiesUpToTheLimitAreAccepted(_ history: Observations, _ evidence: inout Evidence) {
        for (exchange, size, limit) in sizedQuestions(history) where size <= limit {
            guard let status = exchange.status else { continue }
            if status == 413 {
                evidence.violate(
                    "a body within the limit was refused as too large",
                    expected: "frames of up to \(limit) bytes accepted",
                    actual: "413 after \(size) bytes", at: exchange.events)
            } else if (200...299).contains(status) {
                evidence.keep()
            }
        }
    }

    /// ENV-8, rule 2: a question over REST beyond the limit gets 413 and `too_large`.
    static func largerBodiesAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        let (bound, what) = (history.timeouts.close, "a body over the limit was not refused with 413")
        for (exchange, size, limit) in sizedQuestions(history) where size > limit && exchange.status != 429 {
            let (status, code) = (exchange.status, exchange.answer?.root.string("code"))
            // A server that ends the connection may have answered before it had read all.
            let late = exchange.response == nil ? history.deadline(after: exchange, within: bound) : nil
            guard let last: any HasEvent = exchange.response ?? late else { continue }
            evidence.test(
                status == 413 && code == "too_large", otherwise: what,
                expected: "413 too_large, the limit being \(limit) bytes",
                actual: status.map { "\($0) \(code ?? "without a code")" } ?? "nothing within \(bound)",
                at: [exchange.request, last])
        }
    }

    /// REST-8, rule 2: a response belongs to no other turn, and a failed turn is answered with a status from 500 to 599
    /// and an error body that names it.
    ///
    /// Tested once for each response to a question scripted to fail, or whose only turn failed on another connection.
    static func responsesAreEndings(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            if turn.requests.count == 1, let outcome = request.outcome,
                let named = history.exchange(of: request)?.stated?.id("turnId"), named != turn.turnId,
                history.turns.contains(where: { $0.turnId == named && $0.principal == turn.principal })
            {
                evidence.violate(
                    "a question over REST was answered with the ending of another turn",
                    expected: "a turn of its own", actual: shown(named), at: [turn.event, outcome])
            }
            let isScripted = history.subject.hasScriptedAgent && turn.isScriptedToFail
            guard let exchange = history.exchange(of: request), let response = exchange.response,
                let status = exchange.status,
                isScripted || turn.requests.count == 1 && turn.ending?.kind == .error && request.outcome != nil
            else { continue }
            if request.refusal != nil, Frame.refusalCodes.contains(request.refusalCode ?? "") { continue }
            evidence.test(
                exchange, isRefusedWith: 500...599, otherwise: "a failed turn was not answered with 5xx",
                expected: "500 to 599 with an error body")
            // A question that could not be stored, or arrived during a stop, has no turn (PERSIST-3).
            let isUnstored =
                request.refusalCode == "persist_failed" && turn.firstSign.isOpen(at: response)
                && history.wasDisturbed(between: exchange.request, and: response)
            if status >= 500, exchange.stated?.id("turnId") == nil, !isUnstored {
                evidence.violate(
                    Finding(
                        "a failed turn is not named", expected: "its turnId in the error body", actual: "none",
                        at: exchange.events, lacking: "turnId"))
            }
        }
    }

    /// REST-8: "A server MUST answer an accepted or repeated `POST /api/chat` with the ending of its turn, within
    /// `rest` of that ending, or of the request if that came later".
    ///
    /// Tested once for each request answered by a turn of the history, from the first sign of its ending elsewhere.
    /// Without such a sign, a question that was the first in its session may take at most as long as a turn (TURN-3).
    static func questionsAreAnsweredWhenTheirTurnEnds(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.rest
        for (turn, request) in history.requests where request.refusal == nil {
            guard let exchange = history.exchange(of: request) else { continue }
            // An unread socket does not tell when a frame was sent.
            let seen = turn.endings.filter { history.connections[$0.connection].pauses.isEmpty }
            guard let ended = seen.after(exchange.request).earliest?.event else {
                unansweredQuestion(request, exchange, of: turn, history, &evidence)
                continue
            }
            if let response = exchange.response {
                let isEarly = response < ended && saysNothing(response, to: request, of: turn, history)
                let taken = history.effectiveSpan(from: min(ended, response), to: response)
                let late = taken > bound.microseconds ? "\(taken / 1_000) ms" : nil
                evidence.test(no: isEarly ? "status \(exchange.status ?? 0)" : late) {
                    Finding(
                        "a question over REST was answered \(isEarly ? "without its ending" : "long after it ended")",
                        expected: "its ending within \(bound)", actual: $0,
                        at: [exchange.request, ended, response], lacking: isEarly ? "turnId" : nil)
                }
            } else if exchange.unread == nil,
                case let limit = history.effectiveTime(of: ended) + bound.microseconds,
                exchange.failure.map({ history.effectiveTime(of: $0) >= limit }) ?? true,
                let end = history.proof(after: ended, limit: limit),
                !history.wasStopped(between: exchange.request, and: end.event)
            {
                evidence.violate(
                    "a question over REST was not answered when its turn ended", expected: "within \(bound)",
                    actual: "nothing", at: [exchange.request, ended, end])
            }
        }
    }

    /// Whether a response does not report the outcome of its turn, which had begun and succeeded later.
    private static func saysNothing(
        _ response: Int, to request: ObservedRequest, of turn: ObservedTurn, _ history: Observations
    ) -> Bool {
        // In a capture, it may be the response of a gateway.
        !history.isCapture && request.outcome == nil && turn.firstFrame.isBefore(response)
            && turn.ending?.kind == .done && !history.wasDisturbed(between: request.event, and: response)
    }

    private static func unansweredQuestion(
        _ request: ObservedRequest, _ exchange: ObservedExchange, of turn: ObservedTurn, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        // ENV-3, ID-4 and ID-5 judge invalid questions, IDEM-5 keys reused for others, and IDEM-7 keys refused before.
        let isOther =
            history.mismatches.contains { $0.request.event == request.event }
            || turn.requests.before(request.event).contains { $0.refusal != nil }
            || request.sessionAsked.map { asked in
                !isSessionID(asked)
                    || history.sessions.isAbsent(asked, for: request.principal, before: request.event)
            } ?? false
            || exchange.sent.body.map { isMalformed($0, history) } ?? true
        // The ending may take `turn`, and the response another `rest`.
        let bound = history.timeouts.turn + history.timeouts.rest + request.scriptedWait
        guard exchange.hasKnownPrincipal, !isOther, let unanswered = history.unanswered(exchange, within: bound) else {
            return
        }
        let isInLine = history.siblings(of: turn).before(turn.event).contains { other in
            other.ended.isOpen(at: exchange.request) && !other.isRefused
        }
        if isInLine { return }
        // A server that ends a connection may not have read an oversized body.
        let size = exchange.sent.body?.utf8.count ?? 0
        if size > history.minFrameLimit, unanswered.proof.event == exchange.failure { return }
        evidence.violate(
            "a question over REST got no response", expected: "one within the bounds 'turn' and 'rest'", by: unanswered)
    }

    /// REST-6: "A server SHOULD cut `title` and `lastMessage` between grapheme clusters where it shortens them".
    ///
    /// A value is compared with every known text of its session. If it starts like none of them, it may be a summary
    /// and is not judged. Once per list entry whose texts are known and longer than 60 code units.
    static func shortTextsEndBetweenCharacters(_ history: Observations, _ evidence: inout Evidence) {
        for list in history.listReads {
            guard let principal = list.principal, let response = history.body(ofResponse: list.event) else { continue }
            for entry in response["sessions"]?.arrayValue ?? [] {
                guard let id = entry.id("id") else { continue }
                let sources = history.texts(of: id, for: principal).filter { $0.utf16.count > 60 }
                guard !sources.isEmpty else { continue }
                let values = ["title", "lastMessage"].compactMap { entry[$0]?.stringValue }
                let nonEmpty = values.filter { $0.contains { $0 != "…" && $0 != "." && !$0.isWhitespace } }
                let cuts = nonEmpty.compactMap { value in
                    sources.lazy.map { AnswerCut(of: value, from: $0) }.first { $0 != .other }.map { (value, $0) }
                }
                evidence.test(no: cuts.first { $0.1 == .inside }, keptIf: !cuts.isEmpty || values.isEmpty) { cut in
                    Finding(
                        "a text is cut within a character", expected: "whole grapheme clusters",
                        actual: shown(String(cut.0.suffix(20))), at: [list.request, list.event])
                }
            }
        }
    }

    /// REST-7: "A server MUST answer `GET /api/health` with 200 and `ok: true`, without asking for a token".
    static func healthNeedsNoToken(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isRead(of: .health) {
            let (what, expected) = ("GET /api/health failed", "200 with ok: true")
            if let status = exchange.status {
                evidence.test(
                    status == 200 && exchange.answer?.root["ok"] == true, otherwise: what, expected: expected,
                    actual: "\(status) with \(shown(exchange.received?.body))", at: exchange.events)
            } else if let missing = history.unanswered(exchange, within: history.timeouts.rest) {
                evidence.violate(what, expected: expected, by: missing)
            }
        }
    }
}
