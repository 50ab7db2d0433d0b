import Holdfast
import JSON
import Transcript

/// Durable before sent, and reads that keep what they showed.
enum PERSIST {
    static let checks: [Check] = [
        Check(.PERSIST, 2, readAfterDoneHasTheAnswer), Check(.PERSIST, 12, readAfterResponseHasTheAnswer),
        Check(.PERSIST, 9, readsAreNeverTorn), Check(.PERSIST, 10, readsNeverGoBackwards),
        Check(.PERSIST, 1, doneMeansDurable), Check(.PERSIST, 3, responseMeansDurable),
        Check(.PERSIST, 4, noDoneWithoutStoring), Check(.PERSIST, 5, failedStoringIsTold),
        Check(.PERSIST, 6, turnsCompleteAgain), Check(.PERSIST, 7, crashesHarmNothing),
        Check(.PERSIST, 8, otherSessionsSurvive),
    ]

    /// PERSIST-2: "A server MUST include the answer in every read of the session that begins after it sent the `done`".
    ///
    /// Once for each turn in each read of its session that began after a `done` of the turn was received on any connection.
    /// What a crash took is the matter of PERSIST-1.
    static func readAfterDoneHasTheAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            for turn in ORDER.turns(in: read, history) {
                let done = (turn.endings + turn.copies + turn.replayed).filter { $0.type == "done" }.map(\.event).min()
                guard let done, done < read.request, !history.hasCrashed(between: done, and: read.request) else {
                    continue
                }
                evidence.test(
                    !places.answers(of: turn).isEmpty, otherwise: "a read that began after done lacks the answer",
                    expected: "the answer to '\(turn.request.prompt.prefix(40))'",
                    actual: "\(read.messages.count) messages without it", at: [done, read.event])
            }
        }
    }

    /// PERSIST-12: "A server MUST include the answer in every read of the session that begins after it answered `POST
    /// /api/chat` with 200".
    ///
    /// Once for each 200 in each read of its session that began after it; what a crash took is the matter of PERSIST-3.
    static func readAfterResponseHasTheAnswer(_ history: Observations, _ evidence: inout Evidence) {
        let chats = history.exchanges.filter { $0.isChat && $0.status == 200 }
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            for turn in ORDER.turns(in: read, history) {
                for exchange in chats {
                    guard let told = exchange.response, told < read.request,
                        !history.hasCrashed(between: told, and: read.request),
                        turn.requests.contains(where: { $0.success == told })
                    else { continue }
                    let answer = exchange.answer?.root
                    let response = (messageId: answer?["messageId"]?.stringValue, text: answer?["text"]?.stringValue)
                    // A response that tells nothing of the answer leaves open which message it is.
                    guard response.messageId ?? response.text ?? turn.turnId ?? turn.ending?.messageId != nil else {
                        continue
                    }
                    let stored = places.answers(of: turn, response: response)
                    evidence.test(
                        !stored.isEmpty, otherwise: "a read that began after the response lacks the answer",
                        expected: "the answer to '\(turn.request.prompt.prefix(40))'",
                        actual: "\(read.messages.count) messages without it", at: [told, read.event])
                }
            }
        }
    }

    /// PERSIST-9: "A server MUST answer every read of an existing session with 200 and a whole, valid body while turns run
    /// and messages are stored".
    ///
    /// Once for each read of a session that the server had named to the reader, while one of the reader's turns ran.
    static func readsAreNeverTorn(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard case .session(let id) = exchange.route, let principal = exchange.sent.principal,
                history.sessions.isOwed(id, for: principal, before: exchange.request),
                let end = exchange.response ?? exchange.failure
                    ?? history.deadline(after: exchange, within: history.timeouts.rest),
                history.turns.contains(where: { turn in
                    turn.principal == principal && turn.event < end && turn.isAccepted
                        && history.life(of: turn) == history.lives.life(at: exchange.request)
                        && turn.ended.map { $0 > exchange.request } ?? true
                }), !history.wasStopped(between: exchange.request, and: end)
            else { continue }
            // A refusal of the reader himself says nothing about the session.
            if let status = exchange.status, [401, 403].contains(status) { continue }
            if history.isCapture {
                guard let status = exchange.status, !(300...399).contains(status), status != 429 else { continue }
            }
            evidence.test(no: flaw(of: exchange, id)) { flaw in
                Finding(
                    "a read of an existing session is torn", expected: "200 with the whole session", actual: flaw,
                    at: [exchange.request, end])
            }
        }
    }

    /// PERSIST-10: "A server MUST keep every message that a read has shown in every later read of the session, with the same
    /// id, text and order".
    ///
    /// Once for each read that began after another with messages had ended; what a crash took is the matter of PERSIST-7.
    static func readsNeverGoBackwards(_ history: Observations, _ evidence: inout Evidence) {
        for (index, read) in history.sessionReads.enumerated() {
            let earlier = history.sessionReads[..<index].last { before in
                before.sessionId == read.sessionId && before.principal == read.principal && before.event < read.request
                    && !before.messages.isEmpty
            }
            guard let earlier, !history.hasCrashed(between: earlier.event, and: read.request) else { continue }
            evidence.test(no: firstLost(of: earlier, in: read)) { lost in
                Finding(
                    "a message shown before is gone, changed or moved", expected: named(lost),
                    actual: "\(read.messages.count) messages, not so", at: [earlier.event, read.event])
            }
        }
    }

    /// The first message of a read that a later one does not show as it was, in its place.
    static func firstLost(
        of earlier: ObservedSessionRead, in read: ObservedSessionRead
    ) -> ObservedSessionRead.StoredMessage? {
        var rest = read.messages[...]
        return earlier.messages.first { message in
            guard let place = rest.firstIndex(where: { isSame($0, message) }) else { return true }
            rest = rest[(place + 1)...]
            return false
        }
    }

    /// A message as findings call it.
    static func named(_ message: ObservedSessionRead.StoredMessage) -> String {
        "\(message.role ?? "message") \(message.id ?? "without id"), '\(message.text.prefix(40))', in its place"
    }

    private static func isSame(
        _ one: ObservedSessionRead.StoredMessage, _ other: ObservedSessionRead.StoredMessage
    ) -> Bool { one.id == other.id && one.role == other.role && JSONValue.string(one.text) == .string(other.text) }

    /// What is wrong with a read; nil for a whole one.
    private static func flaw(of exchange: ObservedExchange, _ id: String) -> String? {
        guard let status = exchange.status else {
            return exchange.failure == nil ? "no response in time" : "no response"
        }
        guard status == 200 else { return "status \(status)" }
        guard let body = exchange.answer?.root else { return "a body that is not JSON" }
        guard let messages = body["session"]?["messages"]?.arrayValue else { return "a body without session.messages" }
        let isWhole = messages.allSatisfy { message in
            message["id"]?.stringValue != nil && message["role"]?.stringValue != nil && message["content"] != nil
        }
        return isWhole && body["session"]?["id"]?.stringValue == id ? nil : "a session or message without its members"
    }
}
